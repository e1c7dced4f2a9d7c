package classfile

import "fmt"

// This file reads and writes StackMapTable (JVMS 4.7.4) as full frames.

// VTag is the kind of a verification type.
type VTag byte

const (
	VTop               VTag = 0
	VInteger           VTag = 1
	VFloat             VTag = 2
	VDouble            VTag = 3
	VLong              VTag = 4
	VNull              VTag = 5
	VUninitializedThis VTag = 6
	VObject            VTag = 7
	VUninitialized     VTag = 8
)

// VType is a verification type.
type VType struct {
	Tag VTag
	// Class is the internal name or array descriptor of a VObject.
	Class string
	// PoolIndex is the Class entry of a VObject; 0 where the type comes from
	// the method's descriptor, whose classes need no entry. Encoding adds one
	// where it has to be written.
	PoolIndex uint16
	// OffsetPC is the pc of the new instruction of a VUninitialized.
	OffsetPC uint16
}

// Equal reports whether t and u are the same type, wherever it was read from.
func (t VType) Equal(u VType) bool {
	return t.Tag == u.Tag && t.Class == u.Class && t.OffsetPC == u.OffsetPC
}

// Slots is 2 for long and double, else 1.
func (t VType) Slots() int {
	if t.Tag == VLong || t.Tag == VDouble {
		return 2
	}
	return 1
}

// Frame is the state at a pc: one VType for each value. A long or double is
// one VType that takes two slots. Trailing locals that hold nothing are left
// out.
type Frame struct {
	PC     int
	Locals []VType
	Stack  []VType // topmost last
}

// StackSlots is the height of the stack in slots, as max_stack counts it.
func (f *Frame) StackSlots() int { return slots(f.Stack) }

// LocalSlots is the number of local variable slots that Locals describes.
func (f *Frame) LocalSlots() int { return slots(f.Locals) }

func slots(ts []VType) int {
	n := 0
	for _, t := range ts {
		n += t.Slots()
	}
	return n
}

// InitialFrame is the frame at the entry of m: receiver and parameters.
func (c *Class) InitialFrame(m *Member) (Frame, error) {
	d, err := ParseMethodDescriptor(c.MemberDesc(m))
	if err != nil {
		return Frame{}, err
	}
	var f Frame
	if m.Access&AccStatic == 0 {
		this := VType{Tag: VObject, Class: c.Name(), PoolIndex: c.ThisIndex}
		if c.MemberName(m) == "<init>" && this.Class != "java/lang/Object" {
			this = VType{Tag: VUninitializedThis}
		}
		f.Locals = append(f.Locals, this)
	}
	for _, p := range d.Params {
		f.Locals = append(f.Locals, DescriptorVType(p))
	}
	return f, nil
}

// DescriptorVType is the verification type of a value of a field descriptor.
func DescriptorVType(desc string) VType {
	switch desc[0] {
	case 'J':
		return VType{Tag: VLong}
	case 'D':
		return VType{Tag: VDouble}
	case 'F':
		return VType{Tag: VFloat}
	case 'L', '[':
		return VType{Tag: VObject, Class: DescriptorClass(desc)}
	}
	return VType{Tag: VInteger}
}

// StackMap returns the explicit frames of m, expanded, by ascending pc; nil
// when code has no StackMapTable.
func (c *Class) StackMap(m *Member, code *Code) ([]Frame, error) {
	info, ok := c.Attr(code.Attributes, "StackMapTable")
	if !ok {
		return nil, nil
	}
	first, err := c.InitialFrame(m)
	if err != nil {
		return nil, err
	}
	return ParseStackMap(c.Pool, info, first, len(code.Bytecode))
}

// Frame types of stack_map_frame (JVMS 4.7.4).
const (
	frameSameLocals1    = 64
	frameReserved       = 128
	frameSameLocals1Ext = 247
	frameSame           = 251 // chop below, append above
	frameFull           = 255
)

// maxFrameTypes bounds how many types the frames of one method may expand to.
// Real methods stay below 100,000; without a bound a file of 1 MB could ask for
// 100 GB.
const maxFrameTypes = 2 << 20

// ParseStackMap expands the info of a StackMapTable for code of codeLen bytes.
// first is the method's initial frame.
func ParseStackMap(pool *ConstantPool, info []byte, first Frame, codeLen int) ([]Frame, error) {
	r := frameReader{cursor{data: info, what: "StackMapTable"}, pool, codeLen}
	n := int(r.u2())
	if !r.need(n) {
		return nil, r.err
	}
	frames := make([]Frame, 0, n)
	locals, pc, types := first.Locals, -1, 0
	for range n {
		f := r.frame(locals, pc)
		if r.err == nil && f.PC >= codeLen {
			r.fail("frame at pc %d in code of %d bytes", f.PC, codeLen)
		}
		if n := len(f.Locals); n > 0 && (len(locals) == 0 || &f.Locals[0] != &locals[0]) {
			types += n // not shared with the frame before
		}
		types += len(f.Stack)
		if types > maxFrameTypes {
			r.fail("frames of more than %d types", maxFrameTypes)
		}
		if r.err != nil {
			return nil, r.err
		}
		locals, pc = f.Locals, f.PC
		frames = append(frames, f)
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return frames, nil
}

type frameReader struct {
	cursor
	pool    *ConstantPool
	codeLen int
}

// frame reads one frame that follows one with the given locals at pc; -1 for
// the first, which makes its pc the offset itself. Frames share slices of
// locals: their capacity is cut, so appending copies.
func (r *frameReader) frame(locals []VType, pc int) Frame {
	t := int(r.u1())
	f := Frame{Locals: locals[:len(locals):len(locals)]}
	switch {
	case t < frameSameLocals1:
		f.PC = pc + 1 + t
	case t < frameReserved:
		f.PC = pc + 1 + t - frameSameLocals1
		f.Stack = []VType{r.vtype()}
	case t < frameSameLocals1Ext:
		r.pos--
		r.fail("frame type %d", t)
	case t == frameSameLocals1Ext:
		f.PC = pc + 1 + int(r.u2())
		f.Stack = []VType{r.vtype()}
	case t <= frameSame:
		f.PC = pc + 1 + int(r.u2())
		keep := len(locals) - (frameSame - t)
		if keep < 0 {
			r.fail("chop frame removes more locals than there are")
			keep = 0
		}
		f.Locals = locals[:keep:keep]
	case t < frameFull:
		f.PC = pc + 1 + int(r.u2())
		for range t - frameSame {
			f.Locals = append(f.Locals, r.vtype())
		}
	default:
		f.PC = pc + 1 + int(r.u2())
		f.Locals = r.vtypes()
		f.Stack = r.vtypes()
	}
	return f
}

func (r *frameReader) vtypes() []VType {
	n := int(r.u2())
	if n == 0 || !r.need(n) {
		return nil
	}
	ts := make([]VType, n)
	for i := range ts {
		ts[i] = r.vtype()
	}
	return ts
}

func (r *frameReader) vtype() VType {
	t := VType{Tag: VTag(r.u1())}
	switch t.Tag {
	case VObject:
		t.PoolIndex = r.u2()
		if r.err == nil {
			t.Class = r.className(r.pool, t.PoolIndex)
		}
	case VUninitialized:
		if t.OffsetPC = r.u2(); int(t.OffsetPC) >= r.codeLen {
			r.fail("uninitialized object of pc %d in code of %d bytes", t.OffsetPC, r.codeLen)
		}
	default:
		if t.Tag > VUninitialized {
			r.fail("verification type %d", t.Tag)
		}
	}
	return t
}

// SetStackMap makes frames (ascending pcs) the StackMapTable of code. No
// frames remove it. Class entries that are missing are added to the pool.
func (c *Class) SetStackMap(m *Member, code *Code, frames []Frame) error {
	if len(frames) == 0 {
		code.Attributes = c.RemoveAttr(code.Attributes, "StackMapTable")
		return nil
	}
	first, err := c.InitialFrame(m)
	if err != nil {
		return err
	}
	info, err := EncodeStackMap(c.Pool, frames, first)
	if err != nil {
		return err
	}
	code.Attributes, err = c.SetAttr(code.Attributes, "StackMapTable", info)
	return err
}

// EncodeStackMap writes frames as the info of a StackMapTable, each in the
// shortest form. first is the method's initial frame.
func EncodeStackMap(pool *ConstantPool, frames []Frame, first Frame) ([]byte, error) {
	if len(frames) > 0xffff {
		return nil, fmt.Errorf("%d stack map frames", len(frames))
	}
	b := put2(make([]byte, 0, 2+8*len(frames)), uint16(len(frames)))
	locals, pc := first.Locals, -1
	for i := range frames {
		f := &frames[i]
		delta := f.PC - pc - 1
		if delta < 0 || f.PC > 0xffff {
			return nil, fmt.Errorf("stack map frame at pc %d after one at %d", f.PC, pc)
		}
		var err error
		if b, err = putFrame(b, pool, f, locals, delta); err != nil {
			return nil, err
		}
		locals, pc = f.Locals, f.PC
	}
	return b, nil
}

func putFrame(b []byte, pool *ConstantPool, f *Frame, locals []VType, delta int) ([]byte, error) {
	common := 0
	if n := len(locals); n > 0 && n <= len(f.Locals) && &locals[0] == &f.Locals[0] {
		common = n // shared, as ParseStackMap has it
	}
	for common < len(locals) && common < len(f.Locals) && locals[common].Equal(f.Locals[common]) {
		common++
	}
	chop, add := len(locals)-common, len(f.Locals)-common
	switch {
	case len(f.Stack) <= 1 && chop == 0 && add == 0:
		return putSame(b, pool, f, delta)
	case len(f.Stack) == 0 && chop <= 3 && add == 0:
		return put2(append(b, byte(frameSame-chop)), uint16(delta)), nil
	case len(f.Stack) == 0 && chop == 0 && add <= 3:
		b = put2(append(b, byte(frameSame+add)), uint16(delta))
		return putVTypes(b, pool, f.Locals[common:])
	}
	if len(f.Locals) > 0xffff || len(f.Stack) > 0xffff {
		return nil, fmt.Errorf("stack map frame at pc %d is too large", f.PC)
	}
	b = put2(append(b, frameFull), uint16(delta))
	b, err := putVTypes(put2(b, uint16(len(f.Locals))), pool, f.Locals)
	if err != nil {
		return nil, err
	}
	return putVTypes(put2(b, uint16(len(f.Stack))), pool, f.Stack)
}

// putSame writes a frame with the locals of the one before and at most one
// value on the stack.
func putSame(b []byte, pool *ConstantPool, f *Frame, delta int) ([]byte, error) {
	if len(f.Stack) == 0 {
		if delta < frameSameLocals1 {
			return append(b, byte(delta)), nil
		}
		return put2(append(b, frameSame), uint16(delta)), nil
	}
	if delta < frameSameLocals1 {
		b = append(b, byte(frameSameLocals1+delta))
	} else {
		b = put2(append(b, frameSameLocals1Ext), uint16(delta))
	}
	return putVTypes(b, pool, f.Stack)
}

func putVTypes(b []byte, pool *ConstantPool, ts []VType) ([]byte, error) {
	for _, t := range ts {
		b = append(b, byte(t.Tag))
		switch t.Tag {
		case VObject:
			idx := t.PoolIndex
			if idx == 0 {
				var err error
				if idx, err = pool.AddClass(t.Class); err != nil {
					return nil, err
				}
			}
			b = put2(b, idx)
		case VUninitialized:
			b = put2(b, t.OffsetPC)
		}
	}
	return b, nil
}
