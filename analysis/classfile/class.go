package classfile

import "fmt"

// MaxMajor is the newest class file version this package was written for
// (Java 25). Newer ones parse, but may hold attributes that mean something new.
const MaxMajor = 69

const minMajor = 45

// Access flags (JVMS tables 4.1-B, 4.5-A, 4.6-A). Some values mean different
// things on classes, fields and methods.
const (
	AccPublic       uint16 = 0x0001
	AccPrivate      uint16 = 0x0002
	AccProtected    uint16 = 0x0004
	AccStatic       uint16 = 0x0008
	AccFinal        uint16 = 0x0010
	AccSuper        uint16 = 0x0020 // class
	AccSynchronized uint16 = 0x0020 // method
	AccVolatile     uint16 = 0x0040 // field
	AccBridge       uint16 = 0x0040 // method
	AccTransient    uint16 = 0x0080 // field
	AccVarargs      uint16 = 0x0080 // method
	AccNative       uint16 = 0x0100
	AccInterface    uint16 = 0x0200
	AccAbstract     uint16 = 0x0400
	AccStrict       uint16 = 0x0800
	AccSynthetic    uint16 = 0x1000
	AccAnnotation   uint16 = 0x2000
	AccEnum         uint16 = 0x4000
	AccModule       uint16 = 0x8000
)

// Class is one class file (JVMS 4.1).
type Class struct {
	Minor, Major uint16
	Pool         *ConstantPool
	Access       uint16
	ThisIndex    uint16 // Class entry
	SuperIndex   uint16 // Class entry, 0 for java/lang/Object and module-info
	Interfaces   []uint16
	Fields       []*Member
	Methods      []*Member
	Attributes   []Attribute

	size int // of the file parsed; a hint for Bytes
}

// Member is a field or a method (JVMS 4.5, 4.6).
type Member struct {
	Access, NameIndex, DescIndex uint16
	Attributes                   []Attribute
}

// Attribute is an undecoded attribute (JVMS 4.7).
type Attribute struct {
	NameIndex uint16
	Info      []byte
}

// Parse reads a class file. The result refers to data, which must not change
// afterwards. Every error is a *FormatError.
func Parse(data []byte) (*Class, error) {
	r := cursor{data: data}
	if magic := r.u4(); r.err == nil && magic != 0xcafebabe {
		r.pos = 0
		r.fail("magic number is %#08x", magic)
	}
	c := &Class{size: len(data)}
	c.Minor, c.Major = r.u2(), r.u2()
	if r.err == nil && c.Major < minMajor {
		r.fail("version %d.%d", c.Major, c.Minor)
	}
	if r.err != nil {
		return nil, r.err
	}
	if c.Pool = parsePool(&r); c.Pool == nil {
		return nil, r.err
	}
	c.Access = r.u2()
	c.ThisIndex = r.poolIndex(c.Pool, TagClass, "this class")
	if c.SuperIndex = r.u2(); c.SuperIndex != 0 {
		r.pos -= 2
		r.poolIndex(c.Pool, TagClass, "super class")
	}
	if n := r.u2(); r.need(2 * int(n)) {
		c.Interfaces = make([]uint16, n)
		for i := range c.Interfaces {
			c.Interfaces[i] = r.poolIndex(c.Pool, TagClass, "interface")
		}
	}
	c.Fields = parseMembers(&r, c.Pool)
	c.Methods = parseMembers(&r, c.Pool)
	c.Attributes = parseAttributes(&r, c.Pool)
	if err := r.end(); err != nil {
		return nil, err
	}
	return c, nil
}

// poolIndex reads an index that must name an entry with tag t.
func (r *cursor) poolIndex(p *ConstantPool, t Tag, what string) uint16 {
	i := r.u2()
	if r.err == nil && p.Tag(i) != t {
		r.pos -= 2
		r.fail("%s: constant pool entry %d has tag %d, want %d", what, i, p.Tag(i), t)
	}
	return i
}

func parseMembers(r *cursor, p *ConstantPool) []*Member {
	n := int(r.u2())
	if n == 0 || !r.need(8*n) {
		return nil
	}
	all := make([]Member, n)
	ptrs := make([]*Member, n)
	for i := range all {
		m := &all[i]
		m.Access = r.u2()
		m.NameIndex = r.poolIndex(p, TagUtf8, "member name")
		m.DescIndex = r.poolIndex(p, TagUtf8, "member descriptor")
		m.Attributes = parseAttributes(r, p)
		if r.err != nil {
			return nil
		}
		ptrs[i] = m
	}
	return ptrs
}

func parseAttributes(r *cursor, p *ConstantPool) []Attribute {
	n := int(r.u2())
	if n == 0 || !r.need(6*n) {
		return nil
	}
	attrs := make([]Attribute, n)
	for i := range attrs {
		attrs[i].NameIndex = r.poolIndex(p, TagUtf8, "attribute name")
		attrs[i].Info = r.bytes(r.u4())
		if r.err != nil {
			return nil
		}
	}
	return attrs
}

// Bytes writes the class. A class that was not changed since Parse gives the
// bytes it was parsed from. It fails when a table has outgrown its u2 count.
func (c *Class) Bytes() ([]byte, error) {
	b := make([]byte, 0, c.size+len(c.Pool.raw)/8+256)
	b = put4(b, 0xcafebabe)
	b = put2(put2(b, c.Minor), c.Major)
	b = put2(b, uint16(c.Pool.Len()))
	b = append(b, c.Pool.raw...)
	b = put2(put2(put2(b, c.Access), c.ThisIndex), c.SuperIndex)
	if len(c.Interfaces) > 0xffff || len(c.Fields) > 0xffff || len(c.Methods) > 0xffff {
		return nil, fmt.Errorf("class %s: more than 65535 interfaces, fields or methods", c.Name())
	}
	b = put2(b, uint16(len(c.Interfaces)))
	for _, i := range c.Interfaces {
		b = put2(b, i)
	}
	var err error
	for _, members := range [2][]*Member{c.Fields, c.Methods} {
		b = put2(b, uint16(len(members)))
		for _, m := range members {
			b = put2(put2(put2(b, m.Access), m.NameIndex), m.DescIndex)
			if b, err = putAttributes(b, m.Attributes); err != nil {
				return nil, err
			}
		}
	}
	return putAttributes(b, c.Attributes)
}

func putAttributes(b []byte, attrs []Attribute) ([]byte, error) {
	if len(attrs) > 0xffff {
		return nil, fmt.Errorf("%d attributes in one table", len(attrs))
	}
	b = put2(b, uint16(len(attrs)))
	for _, a := range attrs {
		if uint64(len(a.Info)) > 0xffffffff {
			return nil, fmt.Errorf("attribute of %d bytes", len(a.Info))
		}
		b = put4(put2(b, a.NameIndex), uint32(len(a.Info)))
		b = append(b, a.Info...)
	}
	return b, nil
}

// IntegerOffset returns where the four big-endian bytes of Integer entry i
// stand in what Bytes returns. Entries added later do not move it.
func (c *Class) IntegerOffset(i uint16) (int, error) {
	if _, err := c.Pool.Integer(i); err != nil {
		return 0, err
	}
	return poolStart + int(c.Pool.offsets[i]) + 1, nil
}

// Name is the internal name of the class; "" when its entry is malformed.
func (c *Class) Name() string {
	s, _ := c.Pool.ClassName(c.ThisIndex)
	return s
}

// SuperName is the internal name of the superclass; "" when there is none.
func (c *Class) SuperName() string {
	if c.SuperIndex == 0 {
		return ""
	}
	s, _ := c.Pool.ClassName(c.SuperIndex)
	return s
}

// InterfaceNames are the internal names of the direct superinterfaces.
func (c *Class) InterfaceNames() []string {
	if len(c.Interfaces) == 0 {
		return nil
	}
	names := make([]string, len(c.Interfaces))
	for i, idx := range c.Interfaces {
		names[i], _ = c.Pool.ClassName(idx)
	}
	return names
}

// MemberName is the name of a field or method of c.
func (c *Class) MemberName(m *Member) string {
	s, _ := c.Pool.Utf8(m.NameIndex)
	return s
}

// MemberDesc is the descriptor of a field or method of c.
func (c *Class) MemberDesc(m *Member) string {
	s, _ := c.Pool.Utf8(m.DescIndex)
	return s
}

// FindMethod returns the method with that name and descriptor, or nil.
func (c *Class) FindMethod(name, desc string) *Member { return c.find(c.Methods, name, desc) }

// FindField returns the field with that name and descriptor, or nil.
func (c *Class) FindField(name, desc string) *Member { return c.find(c.Fields, name, desc) }

func (c *Class) find(members []*Member, name, desc string) *Member {
	for _, m := range members {
		if c.MemberName(m) == name && c.MemberDesc(m) == desc {
			return m
		}
	}
	return nil
}

// AttrName is the name of an attribute.
func (c *Class) AttrName(a Attribute) string {
	s, _ := c.Pool.Utf8(a.NameIndex)
	return s
}

// Attr returns the info of the first attribute of that (ASCII) name in attrs.
func (c *Class) Attr(attrs []Attribute, name string) (info []byte, ok bool) {
	if i := c.attrIndex(attrs, name); i >= 0 {
		return attrs[i].Info, true
	}
	return nil, false
}

func (c *Class) attrIndex(attrs []Attribute, name string) int {
	for i := range attrs {
		if c.Pool.utf8Is(attrs[i].NameIndex, name) {
			return i
		}
	}
	return -1
}

// SetAttr replaces the first attribute of that name in attrs, or appends it,
// and returns the new table. The old one is left as it is.
func (c *Class) SetAttr(attrs []Attribute, name string, info []byte) ([]Attribute, error) {
	out := append(make([]Attribute, 0, len(attrs)+1), attrs...)
	if i := c.attrIndex(out, name); i >= 0 {
		out[i].Info = info
		return out, nil
	}
	n, err := c.Pool.AddUtf8(name)
	if err != nil {
		return nil, err
	}
	return append(out, Attribute{n, info}), nil
}

// RemoveAttr returns attrs without the attributes of that name.
func (c *Class) RemoveAttr(attrs []Attribute, name string) []Attribute {
	out := make([]Attribute, 0, len(attrs))
	for _, a := range attrs {
		if !c.Pool.utf8Is(a.NameIndex, name) {
			out = append(out, a)
		}
	}
	return out
}
