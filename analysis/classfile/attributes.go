package classfile

// This file reads the attributes of classes, fields and methods that analyses
// need. Each accessor decodes anew; callers keep what they use often.

// BootstrapMethod is a row of BootstrapMethods (JVMS 4.7.23).
type BootstrapMethod struct {
	Handle uint16   // MethodHandle entry
	Args   []uint16 // loadable constant pool entries
}

// classAttr returns a cursor over an attribute of the class.
func (c *Class) classAttr(name string) (*cursor, bool) { return c.attrCursor(c.Attributes, name) }

func (c *Class) attrCursor(attrs []Attribute, name string) (*cursor, bool) {
	info, ok := c.Attr(attrs, name)
	if !ok {
		return nil, false
	}
	return &cursor{data: info, what: name}, true
}

// BootstrapMethods returns the table that Dynamic and InvokeDynamic entries
// index; nil when there is none.
func (c *Class) BootstrapMethods() ([]BootstrapMethod, error) {
	r, ok := c.classAttr("BootstrapMethods")
	if !ok {
		return nil, nil
	}
	n := int(r.u2())
	if !r.need(4 * n) {
		return nil, r.err
	}
	out := make([]BootstrapMethod, n)
	for i := range out {
		out[i].Handle = r.poolIndex(c.Pool, TagMethodHandle, "bootstrap method")
		out[i].Args = r.u2s()
	}
	return out, r.end()
}

// SetBootstrapMethods replaces the table.
func (c *Class) SetBootstrapMethods(table []BootstrapMethod) error {
	b := put2(nil, uint16(len(table)))
	for _, m := range table {
		b = put2(put2(b, m.Handle), uint16(len(m.Args)))
		for _, a := range m.Args {
			b = put2(b, a)
		}
	}
	attrs, err := c.SetAttr(c.Attributes, "BootstrapMethods", b)
	if err == nil {
		c.Attributes = attrs
	}
	return err
}

// u2s reads a u2 count and that many u2.
func (r *cursor) u2s() []uint16 {
	n := int(r.u2())
	if n == 0 || !r.need(2*n) {
		return nil
	}
	out := make([]uint16, n)
	for i := range out {
		out[i] = r.u2()
	}
	return out
}

// classNames reads a u2 count and that many Class entries.
func (r *cursor) classNames(p *ConstantPool) []string {
	idx := r.u2s()
	if idx == nil {
		return nil
	}
	out := make([]string, len(idx))
	for i, k := range idx {
		out[i] = r.className(p, k)
	}
	return out
}

func (r *cursor) className(p *ConstantPool, i uint16) string {
	return r.str(p.ClassName(i))
}

// str turns the error of a pool accessor into the cursor's.
func (r *cursor) str(s string, err error) string {
	if err != nil && r.err == nil {
		r.fail("%v", err)
	}
	return s
}

// optional applies f to a pool index that may be 0.
func (r *cursor) optional(i uint16, f func(uint16) (string, error)) string {
	if i == 0 || r.err != nil {
		return ""
	}
	return r.str(f(i))
}

func (c *Class) classNamesAttr(attrs []Attribute, name string) ([]string, error) {
	r, ok := c.attrCursor(attrs, name)
	if !ok {
		return nil, nil
	}
	out := r.classNames(c.Pool)
	return out, r.end()
}

// stringAttr reads an attribute that is one Utf8 index.
func (c *Class) stringAttr(attrs []Attribute, name string) (string, error) {
	r, ok := c.attrCursor(attrs, name)
	if !ok {
		return "", nil
	}
	i := r.u2()
	if err := r.end(); err != nil {
		return "", err
	}
	return c.Pool.Utf8(i)
}

// Exceptions returns the declared exceptions of m (JVMS 4.7.5).
func (c *Class) Exceptions(m *Member) ([]string, error) {
	return c.classNamesAttr(m.Attributes, "Exceptions")
}

// SourceFile returns the name of the source file without folders, "" when
// unknown (JVMS 4.7.10).
func (c *Class) SourceFile() (string, error) { return c.stringAttr(c.Attributes, "SourceFile") }

// Signature returns the generic signature of the class, "" when it has none
// (JVMS 4.7.9).
func (c *Class) Signature() (string, error) { return c.stringAttr(c.Attributes, "Signature") }

// MemberSignature returns the generic signature of a field or method.
func (c *Class) MemberSignature(m *Member) (string, error) {
	return c.stringAttr(m.Attributes, "Signature")
}

// NestHost returns the class that hosts c's nest, "" when c names none (JVMS
// 4.7.28).
func (c *Class) NestHost() (string, error) {
	r, ok := c.classAttr("NestHost")
	if !ok {
		return "", nil
	}
	name := r.className(c.Pool, r.u2())
	return name, r.end()
}

// NestMembers returns the classes whose nest c hosts (JVMS 4.7.29).
func (c *Class) NestMembers() ([]string, error) {
	return c.classNamesAttr(c.Attributes, "NestMembers")
}

// PermittedSubclasses returns the permitted direct subclasses of a sealed
// class, nil for others (JVMS 4.7.31).
func (c *Class) PermittedSubclasses() ([]string, error) {
	return c.classNamesAttr(c.Attributes, "PermittedSubclasses")
}

// InnerClass is a row of InnerClasses (JVMS 4.7.6).
type InnerClass struct {
	Inner  string // internal name
	Outer  string // "" for local and anonymous classes
	Name   string // simple name, "" for anonymous classes
	Access uint16 // as declared in the source
}

// InnerClasses returns the table of nested classes that c is, declares or
// refers to.
func (c *Class) InnerClasses() ([]InnerClass, error) {
	r, ok := c.classAttr("InnerClasses")
	if !ok {
		return nil, nil
	}
	n := int(r.u2())
	if !r.need(8 * n) {
		return nil, r.err
	}
	out := make([]InnerClass, n)
	for i := range out {
		out[i].Inner = r.className(c.Pool, r.u2())
		out[i].Outer = r.optional(r.u2(), c.Pool.ClassName)
		out[i].Name = r.optional(r.u2(), c.Pool.Utf8)
		out[i].Access = r.u2()
	}
	return out, r.end()
}

// EnclosingMethod says where a local or anonymous class is declared (JVMS
// 4.7.7).
type EnclosingMethod struct {
	Class      string
	Name, Desc string // "" in an initialiser
}

// EnclosingMethod returns nil for a class that is neither local nor anonymous.
func (c *Class) EnclosingMethod() (*EnclosingMethod, error) {
	r, ok := c.classAttr("EnclosingMethod")
	if !ok {
		return nil, nil
	}
	e := &EnclosingMethod{Class: r.className(c.Pool, r.u2())}
	nt := r.u2()
	if err := r.end(); err != nil {
		return nil, err
	}
	if nt == 0 {
		return e, nil
	}
	var err error
	e.Name, e.Desc, err = c.Pool.NameAndType(nt)
	return e, err
}

// ConstantValue returns the ConstantValue entry of a field, 0 when it has none
// (JVMS 4.7.2).
func (c *Class) ConstantValue(m *Member) (uint16, error) {
	r, ok := c.attrCursor(m.Attributes, "ConstantValue")
	if !ok {
		return 0, nil
	}
	i := r.u2()
	return i, r.end()
}

// RecordComponent is a component of a record class (JVMS 4.7.30).
type RecordComponent struct {
	Name, Desc string
	Attributes []Attribute
}

// Record returns the components of a record class and whether c is one.
func (c *Class) Record() (components []RecordComponent, isRecord bool, err error) {
	r, ok := c.classAttr("Record")
	if !ok {
		return nil, false, nil
	}
	n := int(r.u2())
	if !r.need(6 * n) {
		return nil, true, r.err
	}
	components = make([]RecordComponent, n)
	for i := range components {
		components[i].Name = r.str(c.Pool.Utf8(r.u2()))
		components[i].Desc = r.str(c.Pool.Utf8(r.u2()))
		components[i].Attributes = parseAttributes(r, c.Pool)
		if r.err != nil {
			break
		}
	}
	return components, true, r.end()
}
