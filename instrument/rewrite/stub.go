package rewrite

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
)

// This file makes concrete subclasses of abstract exception classes, so that
// they can be thrown too.

// StubSuffix ends the name of every class that AbstractStub makes.
const StubSuffix = "$$CatchlensStub"

// AbstractStub makes a class that extends an abstract exception class, super,
// and does nothing: one public constructor for each constructor of super that
// is not private, with the same parameters, and an implementation of each
// abstract method that returns zero, an empty string or collection, or null.
// The result is to be defined in the package and by the loader of super; name
// is its internal name. factsOf returns the facts of a class by internal name,
// nil when it is unknown.
//
// It is an error when super is final, an interface, has only private
// constructors, or when a supertype is unknown.
func AbstractStub(super string, factsOf func(string) *facts.Class) (data []byte, name string, err error) {
	f := factsOf(super)
	switch {
	case f == nil:
		return nil, "", fmt.Errorf("class %s is unknown", super)
	case f.Access&(classfile.AccInterface|classfile.AccFinal) != 0:
		return nil, "", fmt.Errorf("class %s cannot be extended by a class", super)
	}
	abstract, err := abstractMethods(f, factsOf)
	if err != nil {
		return nil, "", err
	}
	name = super + StubSuffix
	s, err := newStub(name, super)
	if err != nil {
		return nil, "", err
	}
	constructors := 0
	for i := range f.Methods {
		m := &f.Methods[i]
		if m.Name == "<init>" && m.Access&classfile.AccPrivate == 0 {
			constructors++
			if err := s.constructor(super, m); err != nil {
				return nil, "", err
			}
		}
	}
	if constructors == 0 {
		return nil, "", fmt.Errorf("class %s has only private constructors", super)
	}
	for _, m := range abstract {
		if err := s.implement(m); err != nil {
			return nil, "", err
		}
	}
	data, err = s.class.Bytes()
	return data, name, err
}

// abstractMethods returns the methods that a concrete subclass of f must
// implement, those of superclasses before those of interfaces.
func abstractMethods(f *facts.Class, factsOf func(string) *facts.Class) ([]*facts.Method, error) {
	known := map[string]bool{} // name and descriptor of what is implemented or listed
	var out []*facts.Method
	visit := func(c *facts.Class) {
		for i := range c.Methods {
			m := &c.Methods[i]
			key := m.Name + m.Desc
			if m.Access&(classfile.AccStatic|classfile.AccPrivate) != 0 || known[key] {
				continue
			}
			known[key] = true
			if m.Access&classfile.AccAbstract != 0 {
				out = append(out, m)
			}
		}
	}
	interfaces := []string{}
	seen := map[string]bool{}
	for c := f; ; {
		if seen[c.Name] {
			return nil, fmt.Errorf("class %s extends itself", c.Name)
		}
		seen[c.Name] = true
		visit(c)
		interfaces = append(interfaces, c.Interfaces...)
		if c.Super == "" {
			break
		}
		up := factsOf(c.Super)
		if up == nil {
			return nil, fmt.Errorf("class %s is unknown", c.Super)
		}
		c = up
	}
	all, err := superInterfaces(interfaces, factsOf)
	if err != nil {
		return nil, err
	}
	for _, c := range all { // a default method implements what other interfaces declare
		for i := range c.Methods {
			if m := &c.Methods[i]; m.Access&(classfile.AccStatic|classfile.AccPrivate|classfile.AccAbstract) == 0 {
				known[m.Name+m.Desc] = true
			}
		}
	}
	for _, c := range all {
		visit(c)
	}
	return out, nil
}

// superInterfaces returns the interfaces and all that they extend.
func superInterfaces(names []string, factsOf func(string) *facts.Class) ([]*facts.Class, error) {
	seen := map[string]bool{}
	var out []*facts.Class
	for len(names) > 0 {
		n := names[0]
		names = names[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		c := factsOf(n)
		if c == nil {
			return nil, fmt.Errorf("interface %s is unknown", n)
		}
		out = append(out, c)
		names = append(names, c.Interfaces...)
	}
	return out, nil
}

// stub is a class in the making.
type stub struct{ class *classfile.Class }

// stubVersion is the class file version of stubs: the oldest JDK's (8).
const stubVersion = 52

func newStub(name, super string) (*stub, error) {
	c := &classfile.Class{
		Major: stubVersion, Pool: classfile.NewConstantPool(),
		Access: classfile.AccPublic | classfile.AccSuper | classfile.AccSynthetic,
	}
	var err error
	if c.ThisIndex, err = c.Pool.AddClass(name); err != nil {
		return nil, err
	}
	c.SuperIndex, err = c.Pool.AddClass(super)
	return &stub{c}, err
}

// constructor adds a constructor that passes its parameters on.
func (s *stub) constructor(super string, m *facts.Method) error {
	d, err := classfile.ParseMethodDescriptor(m.Desc)
	if err != nil {
		return err
	}
	code := []byte{byte(classfile.OpAload0)}
	slot := 1
	for _, p := range d.Params {
		code = appendLoadLocal(code, p, slot)
		slot += classfile.SlotsOf(p)
	}
	ref, err := s.class.Pool.AddMethodref(super, "<init>", m.Desc)
	if err != nil {
		return err
	}
	code = be.AppendUint16(append(code, byte(classfile.OpInvokespecial)), ref)
	code = append(code, byte(classfile.OpReturn))
	return s.method("<init>", m.Desc, classfile.AccPublic, slot, slot, code)
}

// appendLoadLocal loads a parameter of a type by the wide form, which reaches
// every slot.
func appendLoadLocal(code []byte, desc string, slot int) []byte {
	op := classfile.OpIload
	switch desc[0] {
	case 'J':
		op = classfile.OpLload
	case 'F':
		op = classfile.OpFload
	case 'D':
		op = classfile.OpDload
	case 'L', '[':
		op = classfile.OpAload
	}
	return be.AppendUint16(append(code, byte(classfile.OpWide), byte(op)), uint16(slot))
}

// emptyResults are what implementations of abstract methods return where the
// type has a value for nothing: a static method without parameters, by class.
var emptyResults = map[string][2]string{
	"Ljava/util/Collection;": {"java/util/Collections", "emptyList"},
	"Ljava/util/List;":       {"java/util/Collections", "emptyList"},
	"Ljava/util/Set;":        {"java/util/Collections", "emptySet"},
	"Ljava/util/Map;":        {"java/util/Collections", "emptyMap"},
	"Ljava/util/Optional;":   {"java/util/Optional", "empty"},
}

// implement adds an implementation of an abstract method.
func (s *stub) implement(m *facts.Method) error {
	d, err := classfile.ParseMethodDescriptor(m.Desc)
	if err != nil {
		return err
	}
	code, err := s.result(d.Return)
	if err != nil {
		return err
	}
	// Overriding may not narrow the access (JVMS 5.4.5 does not mind, reflection may).
	access := m.Access & (classfile.AccPublic | classfile.AccProtected)
	return s.method(m.Name, m.Desc, access, 2, 1+d.Slots(), code)
}

// result is code that returns nothing much of a type.
func (s *stub) result(desc string) ([]byte, error) {
	switch desc[0] {
	case 'V':
		return []byte{byte(classfile.OpReturn)}, nil
	case 'J':
		return []byte{byte(classfile.OpLconst0), byte(classfile.OpLreturn)}, nil
	case 'F':
		return []byte{byte(classfile.OpFconst0), byte(classfile.OpFreturn)}, nil
	case 'D':
		return []byte{byte(classfile.OpDconst0), byte(classfile.OpDreturn)}, nil
	case 'L', '[':
		return s.reference(desc)
	}
	return []byte{byte(classfile.OpIconst0), byte(classfile.OpIreturn)}, nil
}

func (s *stub) reference(desc string) ([]byte, error) {
	pool := s.class.Pool
	switch call, ok := emptyResults[desc]; {
	case ok:
		ref, err := pool.AddMethodref(call[0], call[1], "()"+emptyType(call))
		b := be.AppendUint16([]byte{byte(classfile.OpInvokestatic)}, ref)
		return append(b, byte(classfile.OpAreturn)), err
	case desc == "Ljava/lang/String;" || desc == "Ljava/lang/CharSequence;":
		i, err := pool.AddString("")
		b := be.AppendUint16([]byte{byte(classfile.OpLdcW)}, i)
		return append(b, byte(classfile.OpAreturn)), err
	}
	return []byte{byte(classfile.OpAconstNull), byte(classfile.OpAreturn)}, nil
}

// emptyType is the descriptor that a method of emptyResults returns.
func emptyType(call [2]string) string {
	if kind, ok := strings.CutPrefix(call[1], "empty"); ok && kind != "" {
		return "Ljava/util/" + kind + ";"
	}
	return "L" + call[0] + ";"
}

func (s *stub) method(name, desc string, access uint16, maxStack, maxLocals int, code []byte) error {
	n, err := s.class.Pool.AddUtf8(name)
	if err != nil {
		return err
	}
	d, err := s.class.Pool.AddUtf8(desc)
	if err != nil {
		return err
	}
	m := &classfile.Member{Access: access, NameIndex: n, DescIndex: d}
	s.class.Methods = append(s.class.Methods, m)
	return s.class.SetCode(m, &classfile.Code{MaxStack: uint16(maxStack), MaxLocals: uint16(maxLocals), Bytecode: code})
}
