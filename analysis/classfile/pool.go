package classfile

import "math"

// Tag is the kind of a constant pool entry (JVMS table 4.4-A).
type Tag byte

const (
	TagNone               Tag = 0 // index 0, and the slot after a Long or Double
	TagUtf8               Tag = 1
	TagInteger            Tag = 3
	TagFloat              Tag = 4
	TagLong               Tag = 5
	TagDouble             Tag = 6
	TagClass              Tag = 7
	TagString             Tag = 8
	TagFieldref           Tag = 9
	TagMethodref          Tag = 10
	TagInterfaceMethodref Tag = 11
	TagNameAndType        Tag = 12
	TagMethodHandle       Tag = 15
	TagMethodType         Tag = 16
	TagDynamic            Tag = 17
	TagInvokeDynamic      Tag = 18
	TagModule             Tag = 19
	TagPackage            Tag = 20
)

// tagSize is the size in bytes of what follows the tag; -1: no such tag. Utf8
// is 2 plus its length.
var tagSize = [21]int8{
	-1, 2, -1, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, -1, -1, 3, 2, 4, 4, 2, 2,
}

// ConstantPool is the constant pool of one class (JVMS 4.4). Entries stay in
// their encoded form; accessors check bounds and tags and decode on demand.
// Strings are decoded once. New entries are appended, so existing indices
// never change. A pool is not safe for concurrent use.
type ConstantPool struct {
	raw     []byte            // all entries encoded, back to back
	offsets []uint32          // start of entry i in raw; noEntry where there is none
	strings []string          // decoded Utf8 by index; "" when not yet decoded
	index   map[string]uint16 // encoded entry -> index, without fresh; made at the first Add
	fresh   []uint16          // entries of AddFreshInteger, ascending
}

const noEntry = math.MaxUint32

// poolStart is the offset of the first entry in every class file: magic,
// versions and the count come before it.
const poolStart = 10

// NewConstantPool returns a pool without entries.
func NewConstantPool() *ConstantPool { return &ConstantPool{offsets: []uint32{noEntry}} }

func parsePool(r *cursor) *ConstantPool {
	count := int(r.u2())
	if r.err == nil && count == 0 {
		r.fail("constant pool count is 0")
	}
	if r.err != nil {
		return nil
	}
	p := &ConstantPool{offsets: make([]uint32, count)}
	p.offsets[0] = noEntry
	data, pos, start := r.data, r.pos, r.pos
	for i := 1; i < count; i++ {
		if pos >= len(data) {
			r.pos = pos
			r.fail("truncated in constant pool entry %d of %d", i, count)
			return nil
		}
		tag := data[pos]
		if int(tag) >= len(tagSize) || tagSize[tag] < 0 {
			r.pos = pos
			r.fail("constant pool entry %d has unknown tag %d", i, tag)
			return nil
		}
		size := 1 + int(tagSize[tag])
		if tag == byte(TagUtf8) && len(data)-pos >= 3 {
			size += int(be2(data[pos+1:]))
		}
		if len(data)-pos < size {
			r.pos = pos
			r.fail("truncated in constant pool entry %d of %d", i, count)
			return nil
		}
		p.offsets[i] = uint32(pos - start)
		pos += size
		if tag == byte(TagLong) || tag == byte(TagDouble) {
			if i++; i >= count {
				r.pos = pos
				r.fail("the last constant pool entry needs two slots")
				return nil
			}
			p.offsets[i] = noEntry
		}
	}
	p.raw = data[start:pos:pos]
	r.pos = pos
	return p
}

// Len is the constant pool count: one more than the highest index.
func (p *ConstantPool) Len() int { return len(p.offsets) }

// Tag returns the tag of entry i, or TagNone where there is no entry.
func (p *ConstantPool) Tag(i uint16) Tag {
	if int(i) >= len(p.offsets) || p.offsets[i] == noEntry {
		return TagNone
	}
	return Tag(p.raw[p.offsets[i]])
}

// Raw returns the encoded entry i, its tag first, without copying; nil where
// there is no entry.
func (p *ConstantPool) Raw(i uint16) []byte {
	t := p.Tag(i)
	if t == TagNone {
		return nil
	}
	off := int(p.offsets[i])
	size := 1 + int(tagSize[t])
	if t == TagUtf8 {
		size += int(be2(p.raw[off+1:]))
	}
	return p.raw[off : off+size : off+size]
}

// body returns what follows the tag of entry i, which must have tag t.
func (p *ConstantPool) body(i uint16, t Tag) ([]byte, error) {
	if got := p.Tag(i); got != t {
		return nil, p.tagError(i, t)
	}
	return p.raw[p.offsets[i]+1:], nil
}

func (p *ConstantPool) tagError(i uint16, want Tag) error {
	off := 0
	if int(i) < len(p.offsets) && p.offsets[i] != noEntry {
		off = poolStart + int(p.offsets[i])
	}
	return formatErrorf(off, "constant pool entry %d has tag %d, want %d", i, p.Tag(i), want)
}

// RawUtf8 returns the encoded bytes of Utf8 entry i without copying.
func (p *ConstantPool) RawUtf8(i uint16) ([]byte, error) {
	b, err := p.body(i, TagUtf8)
	if err != nil {
		return nil, err
	}
	n := 2 + int(be2(b))
	return b[2:n:n], nil
}

// utf8Is reports whether entry i is the Utf8 s, without decoding. s is ASCII.
func (p *ConstantPool) utf8Is(i uint16, s string) bool {
	b, err := p.RawUtf8(i)
	return err == nil && string(b) == s
}

// Utf8 returns the string of Utf8 entry i.
func (p *ConstantPool) Utf8(i uint16) (string, error) {
	if int(i) < len(p.strings) && p.strings[i] != "" {
		return p.strings[i], nil
	}
	b, err := p.RawUtf8(i)
	if err != nil {
		return "", err
	}
	s, ok := DecodeUTF8(b)
	if !ok {
		return "", formatErrorf(poolStart+int(p.offsets[i]), "constant pool entry %d is not modified UTF-8", i)
	}
	if len(p.strings) < len(p.offsets) {
		grown := make([]string, len(p.offsets))
		copy(grown, p.strings)
		p.strings = grown
	}
	p.strings[i] = s
	return s, nil
}

// viaUtf8 returns the string behind an entry that holds one Utf8 index.
func (p *ConstantPool) viaUtf8(i uint16, t Tag) (string, error) {
	b, err := p.body(i, t)
	if err != nil {
		return "", err
	}
	return p.Utf8(be2(b))
}

// ClassName returns the internal name ("java/io/File") or array descriptor
// ("[I") of Class entry i.
func (p *ConstantPool) ClassName(i uint16) (string, error) { return p.viaUtf8(i, TagClass) }

// String returns the value of String entry i.
func (p *ConstantPool) String(i uint16) (string, error) { return p.viaUtf8(i, TagString) }

// MethodType returns the method descriptor of MethodType entry i.
func (p *ConstantPool) MethodType(i uint16) (string, error) { return p.viaUtf8(i, TagMethodType) }

// ModuleName returns the name of Module entry i.
func (p *ConstantPool) ModuleName(i uint16) (string, error) { return p.viaUtf8(i, TagModule) }

// PackageName returns the name ("java/io") of Package entry i.
func (p *ConstantPool) PackageName(i uint16) (string, error) { return p.viaUtf8(i, TagPackage) }

// Integer returns the value of Integer entry i.
func (p *ConstantPool) Integer(i uint16) (int32, error) {
	b, err := p.body(i, TagInteger)
	if err != nil {
		return 0, err
	}
	return int32(be4(b)), nil
}

// Long returns the value of Long entry i.
func (p *ConstantPool) Long(i uint16) (int64, error) {
	b, err := p.body(i, TagLong)
	if err != nil {
		return 0, err
	}
	return int64(be8(b)), nil
}

// Float returns the value of Float entry i.
func (p *ConstantPool) Float(i uint16) (float32, error) {
	b, err := p.body(i, TagFloat)
	if err != nil {
		return 0, err
	}
	return math.Float32frombits(be4(b)), nil
}

// Double returns the value of Double entry i.
func (p *ConstantPool) Double(i uint16) (float64, error) {
	b, err := p.body(i, TagDouble)
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(be8(b)), nil
}

// NameAndType returns the name and descriptor of NameAndType entry i.
func (p *ConstantPool) NameAndType(i uint16) (name, desc string, err error) {
	b, err := p.body(i, TagNameAndType)
	if err != nil {
		return "", "", err
	}
	if name, err = p.Utf8(be2(b)); err != nil {
		return "", "", err
	}
	desc, err = p.Utf8(be2(b[2:]))
	return name, desc, err
}

// MemberRef is a resolved Fieldref, Methodref or InterfaceMethodref entry.
type MemberRef struct {
	Owner     string // internal name, or array descriptor
	Name      string
	Desc      string
	Field     bool // a Fieldref
	Interface bool // an InterfaceMethodref
}

// MemberRef returns the field or method reference at i.
func (p *ConstantPool) MemberRef(i uint16) (MemberRef, error) {
	t := p.Tag(i)
	if t != TagFieldref && t != TagMethodref && t != TagInterfaceMethodref {
		return MemberRef{}, p.tagError(i, TagMethodref)
	}
	b := p.raw[p.offsets[i]+1:]
	owner, err := p.ClassName(be2(b))
	if err != nil {
		return MemberRef{}, err
	}
	name, desc, err := p.NameAndType(be2(b[2:]))
	if err != nil {
		return MemberRef{}, err
	}
	return MemberRef{owner, name, desc, t == TagFieldref, t == TagInterfaceMethodref}, nil
}

// DynamicRef is a resolved Dynamic or InvokeDynamic entry.
type DynamicRef struct {
	Bootstrap uint16 // index into BootstrapMethods
	Name      string
	Desc      string // method descriptor for InvokeDynamic, field descriptor for Dynamic
}

// InvokeDynamic returns the InvokeDynamic entry i.
func (p *ConstantPool) InvokeDynamic(i uint16) (DynamicRef, error) {
	return p.dynamic(i, TagInvokeDynamic)
}

// Dynamic returns the dynamically computed constant at i.
func (p *ConstantPool) Dynamic(i uint16) (DynamicRef, error) { return p.dynamic(i, TagDynamic) }

func (p *ConstantPool) dynamic(i uint16, t Tag) (DynamicRef, error) {
	b, err := p.body(i, t)
	if err != nil {
		return DynamicRef{}, err
	}
	name, desc, err := p.NameAndType(be2(b[2:]))
	return DynamicRef{be2(b), name, desc}, err
}

// RefKind is the kind of a method handle (JVMS table 5.4.3.5-A).
type RefKind byte

const (
	RefGetField         RefKind = 1
	RefGetStatic        RefKind = 2
	RefPutField         RefKind = 3
	RefPutStatic        RefKind = 4
	RefInvokeVirtual    RefKind = 5
	RefInvokeStatic     RefKind = 6
	RefInvokeSpecial    RefKind = 7
	RefNewInvokeSpecial RefKind = 8
	RefInvokeInterface  RefKind = 9
)

// MethodHandle is a resolved MethodHandle entry.
type MethodHandle struct {
	Kind RefKind
	MemberRef
}

// MethodHandle returns the method handle constant at i.
func (p *ConstantPool) MethodHandle(i uint16) (MethodHandle, error) {
	b, err := p.body(i, TagMethodHandle)
	if err != nil {
		return MethodHandle{}, err
	}
	kind := RefKind(b[0])
	if kind < RefGetField || kind > RefInvokeInterface {
		return MethodHandle{}, formatErrorf(poolStart+int(p.offsets[i]),
			"constant pool entry %d has method handle kind %d", i, kind)
	}
	ref, err := p.MemberRef(be2(b[1:]))
	return MethodHandle{kind, ref}, err
}
