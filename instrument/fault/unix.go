package fault

import (
	"encoding/binary"
	"sync"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file makes the class of the UnixExceptions that are thrown.
//
// UnixException asks strerror for the text of its errno, and the native code of
// strerror answers for the thread's last error instead (UnixNativeDispatcher.c,
// JDK 17): an exception that no failing system call came before would have the
// text of some other error. A subclass knows its own text.

const (
	unixException     = "sun/nio/fs/UnixException"
	unixExceptionName = "sun/nio/fs/CatchlensUnixException"
)

// unixExceptionClass is the class file of
//
//	class CatchlensUnixException extends UnixException {
//	    final String text;
//	    CatchlensUnixException(int errno, String text) { super(errno); this.text = text; }
//	    String errorString() { return text; }
//	}
var unixExceptionClass = sync.OnceValues(func() ([]byte, error) {
	c := &classfile.Class{Major: 52, Pool: classfile.NewConstantPool(),
		Access: classfile.AccSuper | classfile.AccSynthetic}
	var first error
	index := func(i uint16, err error) uint16 {
		if first == nil {
			first = err
		}
		return i
	}
	const text = "Ljava/lang/String;"
	c.ThisIndex = index(c.Pool.AddClass(unixExceptionName))
	c.SuperIndex = index(c.Pool.AddClass(unixException))
	c.Fields = []*classfile.Member{{Access: classfile.AccFinal, NameIndex: index(c.Pool.AddUtf8("text")),
		DescIndex: index(c.Pool.AddUtf8(text))}}
	super := index(c.Pool.AddMethodref(unixException, "<init>", "(I)V"))
	field := index(c.Pool.AddFieldref(unixExceptionName, "text", text))
	method := func(name, desc string, stack, locals uint16, code []byte) {
		m := &classfile.Member{NameIndex: index(c.Pool.AddUtf8(name)), DescIndex: index(c.Pool.AddUtf8(desc))}
		c.Methods = append(c.Methods, m)
		index(0, c.SetCode(m, &classfile.Code{MaxStack: stack, MaxLocals: locals, Bytecode: code}))
	}
	ref := func(b []byte, op classfile.Opcode, i uint16) []byte {
		return binary.BigEndian.AppendUint16(append(b, byte(op)), i)
	}
	init := ref([]byte{byte(classfile.OpAload0), byte(classfile.OpIload0) + 1}, classfile.OpInvokespecial, super)
	init = ref(append(init, byte(classfile.OpAload0), byte(classfile.OpAload0)+2), classfile.OpPutfield, field)
	method("<init>", "(I"+text+")V", 2, 3, append(init, byte(classfile.OpReturn)))
	get := ref([]byte{byte(classfile.OpAload0)}, classfile.OpGetfield, field)
	method("errorString", "()"+text, 1, 1, append(get, byte(classfile.OpAreturn)))
	data, err := c.Bytes()
	if first == nil {
		first = err
	}
	return data, first
})
