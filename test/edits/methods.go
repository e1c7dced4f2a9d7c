package edits

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file edits one class.

// editing is a class being edited.
type editing struct {
	*Editor
	c *classfile.Class
}

// errorTypes are exceptions that edits throw and catch: checked and unchecked.
var errorTypes = []string{"java/io/IOException", "java/io/FileNotFoundException", "java/lang/IllegalStateException",
	"java/lang/IllegalArgumentException",
	"java/lang/UnsupportedOperationException", "java/lang/InterruptedException", "java/lang/Error",
	"java/lang/Exception"}

// objects are classes of the JDK of which edits make objects.
var objects = []string{"java/util/ArrayList", "java/util/concurrent/ConcurrentHashMap", "java/lang/Thread",
	"java/util/Random",
	"java/io/ByteArrayOutputStream", "java/text/SimpleDateFormat", "java/util/Timer"}

// withCode are the methods that have code, of those that take the class's own time
// to find.
func (x *editing) withCode() []*classfile.Member {
	var out []*classfile.Member
	for _, m := range x.c.Methods {
		if code, err := x.c.Code(m); err == nil && code != nil && len(code.Bytecode) > 1 && len(code.Bytecode) < 20000 {
			out = append(out, m)
		}
	}
	return out
}

func (x *editing) name(m *classfile.Member) string { return x.c.MemberName(m) + x.c.MemberDesc(m) }

// moveLines moves all lines down.
func (x *editing) moveLines() (what string, done bool) {
	by := 1 + x.rng.IntN(20)
	for _, m := range x.c.Methods {
		code, err := x.c.Code(m)
		if err != nil || code == nil {
			continue
		}
		for i, a := range code.Attributes {
			if x.c.AttrName(a) != "LineNumberTable" {
				continue
			}
			info := slices.Clone(a.Info)
			for at := 4; at+2 <= len(info); at += 4 {
				binary.BigEndian.PutUint16(info[at:], uint16(min(int(binary.BigEndian.Uint16(info[at:]))+by, 65535)))
			}
			code.Attributes[i].Info = info
			done = true
		}
		if x.c.SetCode(m, code) != nil {
			return "", false
		}
	}
	return fmt.Sprintf("by %d", by), done
}

// changeConstant changes a small number or an operator of a method.
func (x *editing) changeConstant() (what string, done bool) {
	list := x.withCode()
	x.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, m := range list {
		code, _ := x.c.Code(m)
		b := slices.Clone(code.Bytecode)
		for in, err := range classfile.Instructions(b) {
			if err != nil {
				break
			}
			switch in.Op {
			case classfile.OpBipush:
				b[in.PC+1] ^= 1
			case classfile.OpIadd:
				b[in.PC] = byte(classfile.OpIsub)
			case classfile.OpIsub:
				b[in.PC] = byte(classfile.OpIadd)
			default:
				continue
			}
			code.Bytecode = b
			return "in " + x.name(m), x.c.SetCode(m, code) == nil
		}
	}
	return "", false
}

// empty makes a method return at once.
func (x *editing) empty() (what string, done bool, err error) {
	list := slices.DeleteFunc(x.withCode(), func(m *classfile.Member) bool { return x.c.MemberName(m) == "<init>" })
	if len(list) == 0 {
		return "", false, nil
	}
	m := pick(x.rng, list)
	d, err := classfile.ParseMethodDescriptor(x.c.MemberDesc(m))
	if err != nil {
		return "", false, err
	}
	code, _ := x.c.Code(m)
	code.Bytecode = returns(d.Return)
	code.MaxStack, code.Exceptions, code.Attributes = 2, nil, nil
	return x.name(m), true, x.c.SetCode(m, code)
}

// returns is code that returns zero, null or nothing.
func returns(desc string) []byte {
	switch desc[0] {
	case 'V':
		return []byte{byte(classfile.OpReturn)}
	case 'J':
		return []byte{byte(classfile.OpLconst0), byte(classfile.OpLreturn)}
	case 'F':
		return []byte{byte(classfile.OpFconst0), byte(classfile.OpFreturn)}
	case 'D':
		return []byte{byte(classfile.OpDconst0), byte(classfile.OpDreturn)}
	case 'L', '[':
		return []byte{byte(classfile.OpAconstNull), byte(classfile.OpAreturn)}
	}
	return []byte{byte(classfile.OpIconst0), byte(classfile.OpIreturn)}
}

// narrow makes a catch take a subclass.
func (x *editing) narrow() (what string, done bool, err error) {
	for _, m := range x.withCode() {
		code, _ := x.c.Code(m)
		for i := range code.Exceptions {
			e := &code.Exceptions[i]
			if e.CatchType == 0 {
				continue
			}
			to := map[string]string{"java/io/IOException": "java/io/FileNotFoundException",
				"java/lang/Exception":        "java/io/IOException",
				"java/lang/Throwable":        "java/lang/Exception",
				"java/lang/RuntimeException": "java/lang/IllegalStateException"}
			was, err := x.c.Pool.ClassName(e.CatchType)
			if err != nil || to[was] == "" {
				continue
			}
			code.Exceptions = slices.Clone(code.Exceptions)
			if code.Exceptions[i].CatchType, err = x.c.Pool.AddClass(to[was]); err != nil {
				return "", false, err
			}
			return fmt.Sprintf("%s in %s", was, x.name(m)), true, x.c.SetCode(m, code)
		}
	}
	return "", false, nil
}

// addMethod adds a copy of a method under a new name or one that overrides.
func (x *editing) addMethod() (what string, done bool, err error) {
	list := slices.DeleteFunc(x.withCode(),
		func(m *classfile.Member) bool { return strings.HasPrefix(x.c.MemberName(m), "<") })
	if len(list) == 0 {
		return "", false, nil
	}
	m := *pick(x.rng, list)
	name, desc := fmt.Sprintf("added%d", x.rng.IntN(1000)), x.c.MemberDesc(&m)
	if m.Access&classfile.AccStatic == 0 {
		switch {
		case strings.HasPrefix(desc, "()Ljava/lang/String;"):
			name = "toString"
		case desc == "()V":
			name = pick(x.rng, []string{"run", "close", "clear", name})
		case desc == "()I":
			name = pick(x.rng, []string{"hashCode", "size", "read"})
		case desc == "(Ljava/lang/Object;)Z":
			name = pick(x.rng, []string{"equals", "add", "contains", "remove"})
		case desc == "()Ljava/lang/Object;":
			name = pick(x.rng, []string{"clone", "next", "call", "get"})
		}
	}
	if x.c.FindMethod(name, desc) != nil {
		return "", false, nil
	}
	if m.NameIndex, err = x.c.Pool.AddUtf8(name); err != nil {
		return "", false, err
	}
	m.Access = m.Access&^classfile.AccPrivate | classfile.AccPublic
	x.c.Methods = append(x.c.Methods, &m)
	return name + desc, true, nil
}

// removeMethod removes a method.
func (x *editing) removeMethod() (what string, done bool) {
	if len(x.c.Methods) == 0 {
		return "", false
	}
	i := x.rng.IntN(len(x.c.Methods))
	what = x.name(x.c.Methods[i])
	x.c.Methods = slices.Delete(slices.Clone(x.c.Methods), i, i+1)
	return what, true
}

// declare gives a method another throws clause.
func (x *editing) declare() (what string, done bool, err error) {
	if len(x.c.Methods) == 0 {
		return "", false, nil
	}
	m := pick(x.rng, x.c.Methods)
	info := []byte{0, 0}
	if old, ok := x.c.Attr(m.Attributes, "Exceptions"); !ok || len(old) == 2 {
		t, err := x.c.Pool.AddClass(pick(x.rng, errorTypes))
		if err != nil {
			return "", false, err
		}
		info = []byte{0, 1, byte(t >> 8), byte(t)}
	}
	m.Attributes, err = x.c.SetAttr(slices.Clone(m.Attributes), "Exceptions", info)
	return x.name(m), true, err
}

// addInterface lets a class implement one more interface.
func (x *editing) addInterface() (what string, done bool, err error) {
	what = pick(x.rng, append([]string{"java/lang/Runnable", "java/io/Serializable", "java/util/Comparator",
		"java/lang/AutoCloseable",
		"java/util/function/Function", "java/lang/Comparable"},
		x.some(func(c *classfile.Class) bool { return c.Access&classfile.AccInterface != 0 })...))
	if what == x.c.Name() || slices.Contains(x.c.InterfaceNames(), what) {
		return "", false, nil
	}
	i, err := x.c.Pool.AddClass(what)
	x.c.Interfaces = append(slices.Clone(x.c.Interfaces), i)
	return what, true, err
}

// superclass lets a class extend another class.
func (x *editing) superclass() (what string, done bool, err error) {
	if x.c.Access&classfile.AccInterface != 0 || strings.HasPrefix(x.c.SuperName(), "java/lang/Enum") {
		return "", false, nil
	}
	what = pick(x.rng, append([]string{"java/lang/Object", "java/io/InputStream", "java/util/AbstractList",
		"java/lang/Exception", "java/lang/Thread"},
		x.some(func(c *classfile.Class) bool { return c.Access&(classfile.AccInterface|classfile.AccFinal) == 0 })...))
	if what == x.c.Name() || what == x.c.SuperName() {
		return "", false, nil
	}
	x.c.SuperIndex, err = x.c.Pool.AddClass(what)
	return what, true, err
}

// some are up to three classes of the project.
func (x *editing) some(is func(*classfile.Class) bool) (out []string) {
	for range 20 {
		name := pick(x.rng, x.classes())
		if c, err := classfile.Parse(x.now[name]); err == nil && is(c) && len(out) < 3 {
			out = append(out, name)
		}
	}
	return out
}

// access makes a method or the class abstract, private, static or final, or no
// longer so.
func (x *editing) access() (what string, done bool) {
	if len(x.c.Methods) == 0 || x.rng.IntN(4) == 0 {
		x.c.Access ^= pick(x.rng, []uint16{classfile.AccPublic, classfile.AccFinal})
		return "", true
	}
	m := pick(x.rng, x.c.Methods)
	if m.Access&classfile.AccAbstract != 0 || strings.HasPrefix(x.c.MemberName(m), "<") {
		return "", false
	}
	m.Access ^= classfile.AccPublic
	if m.Access&classfile.AccPublic == 0 {
		m.Access = m.Access&^(classfile.AccPrivate|classfile.AccProtected) | pick(x.rng,
			[]uint16{0, classfile.AccPrivate, classfile.AccProtected})
	} else {
		m.Access &^= classfile.AccPrivate | classfile.AccProtected
	}
	return x.name(m), true
}
