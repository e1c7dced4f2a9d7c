package ir

// This file makes methods from bytecode written by hand.

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// emptyClass is class T of version 48, which may use jsr and has no frames.
var emptyClass = []byte{
	0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 48,
	0, 5,
	1, 0, 1, 'T', 7, 0, 1,
	1, 0, 16, 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'O', 'b', 'j', 'e', 'c', 't', 7, 0, 3,
	0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0,
}

// assembly is a static method to be lowered.
type assembly struct {
	desc          string
	stack, locals uint16
	code          []byte
	table         []classfile.ExceptionEntry
}

// poolRefs are the pool indices that every assembled class has.
type poolRefs struct {
	class               *classfile.Class
	callA, callB, callI uint16 // static void a(), void b(), int i()
	npe, ioe            uint16 // classes
}

func newPool(t testing.TB) poolRefs {
	t.Helper()
	c, err := classfile.Parse(emptyClass)
	if err != nil {
		t.Fatal(err)
	}
	must := func(i uint16, err error) uint16 {
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	return poolRefs{
		class: c,
		callA: must(c.Pool.AddMethodref("T", "a", "()V")), callB: must(c.Pool.AddMethodref("T", "b", "()V")),
		callI: must(c.Pool.AddMethodref("T", "i", "()I")),
		npe:   must(c.Pool.AddClass("java/lang/NullPointerException")),
		ioe:   must(c.Pool.AddClass("java/io/IOException")),
	}
}

// add makes the assembled method a member of the class.
func (p poolRefs) add(t testing.TB, a assembly) *classfile.Member {
	t.Helper()
	name, err := p.class.Pool.AddUtf8("m")
	if err != nil {
		t.Fatal(err)
	}
	desc, err := p.class.Pool.AddUtf8(a.desc)
	if err != nil {
		t.Fatal(err)
	}
	m := &classfile.Member{Access: classfile.AccStatic, NameIndex: name, DescIndex: desc}
	err = p.class.SetCode(m, &classfile.Code{MaxStack: a.stack, MaxLocals: a.locals, Bytecode: a.code,
		Exceptions: a.table})
	if err != nil {
		t.Fatal(err)
	}
	p.class.Methods = append(p.class.Methods, m)
	return m
}

// ops assembles opcodes, bytes and pool indices (as uint16).
func ops(parts ...any) []byte {
	var code []byte
	for _, p := range parts {
		switch p := p.(type) {
		case classfile.Opcode:
			code = append(code, byte(p))
		case int:
			code = append(code, byte(p))
		case uint16:
			code = append(code, byte(p>>8), byte(p))
		case int16:
			code = append(code, byte(uint16(p)>>8), byte(p))
		default:
			panic("neither opcode nor number")
		}
	}
	return code
}
