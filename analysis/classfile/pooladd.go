package classfile

import (
	"fmt"
	"math"
	"slices"
)

// This file appends constant pool entries.

// maxPoolLen is the largest constant pool count: it is stored in a u2.
const maxPoolLen = 65535

// ErrPoolFull is wrapped by the errors of the Add methods when the constant
// pool has no room for another entry.
var ErrPoolFull = fmt.Errorf("constant pool full (%d entries)", maxPoolLen)

// add returns the index of an entry equal to enc, appended when there is none.
func (p *ConstantPool) add(enc []byte) (uint16, error) {
	p.buildIndex()
	if i, ok := p.index[string(enc)]; ok {
		return i, nil
	}
	i, err := p.append(enc)
	if err == nil {
		p.index[string(enc)] = i
	}
	return i, err
}

// append adds enc without looking for an equal entry.
func (p *ConstantPool) append(enc []byte) (uint16, error) {
	slots := 1
	if t := Tag(enc[0]); t == TagLong || t == TagDouble {
		slots = 2
	}
	if len(p.offsets)+slots > maxPoolLen {
		return 0, ErrPoolFull
	}
	i := uint16(len(p.offsets))
	p.offsets = append(p.offsets, uint32(len(p.raw)))
	if slots == 2 {
		p.offsets = append(p.offsets, noEntry)
	}
	p.raw = append(p.raw, enc...) // raw's capacity is cut: this never writes into the parsed file
	return i, nil
}

// buildIndex fills index from the entries so far. Of equal entries the first
// one wins.
func (p *ConstantPool) buildIndex() {
	if p.index != nil {
		return
	}
	p.index = make(map[string]uint16, len(p.offsets)+16)
	all := string(p.raw)
	for i := 1; i < len(p.offsets); i++ {
		if _, fresh := slices.BinarySearch(p.fresh, uint16(i)); fresh {
			continue
		}
		if enc := p.Raw(uint16(i)); enc != nil {
			off := int(p.offsets[i])
			key := all[off : off+len(enc)]
			if _, ok := p.index[key]; !ok {
				p.index[key] = uint16(i)
			}
		}
	}
}

// AddUtf8 returns the index of a Utf8 entry for s, at most 65535 bytes long
// once encoded.
func (p *ConstantPool) AddUtf8(s string) (uint16, error) {
	enc := EncodeUTF8([]byte{byte(TagUtf8), 0, 0}, s)
	n := len(enc) - 3
	if n > math.MaxUint16 {
		return 0, fmt.Errorf("string of %d bytes does not fit a constant", n)
	}
	enc[1], enc[2] = byte(n>>8), byte(n)
	return p.add(enc)
}

func (p *ConstantPool) addViaUtf8(t Tag, s string) (uint16, error) {
	u, err := p.AddUtf8(s)
	if err != nil {
		return 0, err
	}
	return p.add([]byte{byte(t), byte(u >> 8), byte(u)})
}

// AddClass returns the index of a Class entry for an internal name or array
// descriptor.
func (p *ConstantPool) AddClass(name string) (uint16, error) { return p.addViaUtf8(TagClass, name) }

// AddString returns the index of a String entry.
func (p *ConstantPool) AddString(s string) (uint16, error) { return p.addViaUtf8(TagString, s) }

// AddMethodType returns the index of a MethodType entry.
func (p *ConstantPool) AddMethodType(desc string) (uint16, error) {
	return p.addViaUtf8(TagMethodType, desc)
}

// AddInteger returns the index of an Integer entry.
func (p *ConstantPool) AddInteger(v int32) (uint16, error) {
	return p.add(put4([]byte{byte(TagInteger)}, uint32(v)))
}

// AddLong returns the index of a Long entry; it takes two slots.
func (p *ConstantPool) AddLong(v int64) (uint16, error) {
	return p.add(put4(put4([]byte{byte(TagLong)}, uint32(v>>32)), uint32(v)))
}

// AddFreshInteger appends an Integer entry that shares its index with no other
// use, now or later: its value is a placeholder that is patched in the written
// bytes. See (*Class).IntegerOffset.
func (p *ConstantPool) AddFreshInteger(v int32) (uint16, error) {
	p.buildIndex()
	i, err := p.append(put4([]byte{byte(TagInteger)}, uint32(v)))
	if err == nil {
		p.fresh = append(p.fresh, i)
	}
	return i, err
}

// AddNameAndType returns the index of a NameAndType entry.
func (p *ConstantPool) AddNameAndType(name, desc string) (uint16, error) {
	n, err := p.AddUtf8(name)
	if err != nil {
		return 0, err
	}
	d, err := p.AddUtf8(desc)
	if err != nil {
		return 0, err
	}
	return p.add([]byte{byte(TagNameAndType), byte(n >> 8), byte(n), byte(d >> 8), byte(d)})
}

func (p *ConstantPool) addRef(t Tag, owner, name, desc string) (uint16, error) {
	c, err := p.AddClass(owner)
	if err != nil {
		return 0, err
	}
	nt, err := p.AddNameAndType(name, desc)
	if err != nil {
		return 0, err
	}
	return p.add([]byte{byte(t), byte(c >> 8), byte(c), byte(nt >> 8), byte(nt)})
}

// AddMethodref returns the index of a reference to a method of a class.
func (p *ConstantPool) AddMethodref(owner, name, desc string) (uint16, error) {
	return p.addRef(TagMethodref, owner, name, desc)
}

// AddInterfaceMethodref returns the index of a reference to a method of an
// interface.
func (p *ConstantPool) AddInterfaceMethodref(owner, name, desc string) (uint16, error) {
	return p.addRef(TagInterfaceMethodref, owner, name, desc)
}

// AddFieldref returns the index of a reference to a field.
func (p *ConstantPool) AddFieldref(owner, name, desc string) (uint16, error) {
	return p.addRef(TagFieldref, owner, name, desc)
}

// AddMethodHandle returns the index of a method handle of the given kind to
// the Fieldref, Methodref or InterfaceMethodref entry ref.
func (p *ConstantPool) AddMethodHandle(kind RefKind, ref uint16) (uint16, error) {
	return p.add([]byte{byte(TagMethodHandle), byte(kind), byte(ref >> 8), byte(ref)})
}

// AddInvokeDynamic returns the index of an InvokeDynamic entry for bootstrap
// method bsm (an index into BootstrapMethods).
func (p *ConstantPool) AddInvokeDynamic(bsm uint16, name, desc string) (uint16, error) {
	nt, err := p.AddNameAndType(name, desc)
	if err != nil {
		return 0, err
	}
	return p.add([]byte{byte(TagInvokeDynamic), byte(bsm >> 8), byte(bsm), byte(nt >> 8), byte(nt)})
}

// Truncate drops the entries from index n on, undoing Adds. It must not cut
// between the two slots of a Long or Double.
func (p *ConstantPool) Truncate(n int) {
	if n >= len(p.offsets) || n < 1 {
		return
	}
	for i := n; i < len(p.offsets); i++ {
		if p.offsets[i] != noEntry {
			p.raw = p.raw[:p.offsets[i]:p.offsets[i]]
			break
		}
	}
	p.offsets = p.offsets[:n]
	if len(p.strings) > n {
		p.strings = p.strings[:n]
	}
	p.fresh = slices.DeleteFunc(p.fresh, func(i uint16) bool { return int(i) >= n })
	p.index = nil
}
