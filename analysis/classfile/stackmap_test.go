package classfile

import (
	"slices"
	"strings"
	"testing"
)

// TestFrameForms writes one frame of each form and reads it back.
func TestFrameForms(t *testing.T) {
	i, l, top := VType{Tag: VInteger}, VType{Tag: VLong}, VType{Tag: VTop}
	obj := VType{Tag: VObject, Class: "a/B"}
	first := Frame{Locals: []VType{obj, l}}
	for _, x := range []struct {
		name  string
		frame Frame
		size  int // bytes
	}{
		{"same", Frame{PC: 63, Locals: []VType{obj, l}}, 1},
		{"same extended", Frame{PC: 64, Locals: []VType{obj, l}}, 3},
		{"one on the stack", Frame{PC: 63, Locals: []VType{obj, l}, Stack: []VType{i}}, 2},
		{"one on the stack, extended", Frame{PC: 64, Locals: []VType{obj, l}, Stack: []VType{obj}}, 6},
		{"chop 1", Frame{PC: 5, Locals: []VType{obj}}, 3},
		{"chop 2", Frame{PC: 5}, 3},
		{"append 1", Frame{PC: 5, Locals: []VType{obj, l, i}}, 4},
		{"append 3", Frame{PC: 5, Locals: []VType{obj, l, i, top, {Tag: VUninitialized, OffsetPC: 9}}}, 3 + 1 + 1 + 3},
		{"append 4 is full", Frame{PC: 5, Locals: []VType{obj, l, i, i, i, i}}, 3 + 2 + 3 + 5 + 2},
		{"another local is full", Frame{PC: 5, Locals: []VType{l, l}}, 3 + 2 + 2 + 2},
		{"two on the stack is full", Frame{PC: 5, Locals: []VType{obj, l}, Stack: []VType{i, {Tag: VNull}}},
			3 + 2 + 4 + 2 + 2},
		{"all tags", Frame{PC: 0, Locals: []VType{top, i, {Tag: VFloat}, {Tag: VDouble}, l, {Tag: VNull},
			{Tag: VUninitializedThis}, obj, {Tag: VUninitialized, OffsetPC: 3}}}, 3 + 2 + 9 + 4 + 2},
	} {
		pool := NewConstantPool()
		info, err := EncodeStackMap(pool, []Frame{x.frame}, first)
		if err != nil || len(info) != 2+x.size {
			t.Errorf("%s: %d bytes, want %d: % x (%v)", x.name, len(info)-2, x.size, info, err)
			continue
		}
		got, err := ParseStackMap(pool, info, first, 100)
		if err != nil || len(got) != 1 || !equalFrames(got[0], x.frame) {
			t.Errorf("%s: %v read back as %v, %v", x.name, x.frame, got, err)
		}
		for n := range info {
			if _, err := ParseStackMap(pool, info[:n], first, 100); err == nil {
				t.Errorf("%s cut to %d bytes is accepted", x.name, n)
			}
		}
		if _, err := ParseStackMap(pool, append(slices.Clip(info), 0), first, 100); err == nil {
			t.Errorf("%s with one more byte is accepted", x.name)
		}
		if x.frame.PC > 0 {
			if _, err := ParseStackMap(pool, info, first, x.frame.PC); err == nil {
				t.Errorf("%s outside the code is accepted", x.name)
			}
		}
	}
}

func TestFrameSequence(t *testing.T) {
	pool := NewConstantPool()
	i := VType{Tag: VInteger}
	frames := []Frame{{PC: 0}, {PC: 1, Locals: []VType{i}}, {PC: 70, Locals: []VType{i}}, {PC: 65535}}
	info, err := EncodeStackMap(pool, frames, Frame{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseStackMap(pool, info, Frame{}, 65536); err != nil ||
		!slices.EqualFunc(got, frames, equalFrames) {
		t.Errorf("%v, %v", got, err)
	}
	for name, bad := range map[string][]Frame{
		"equal pcs":      {{PC: 3}, {PC: 3}},
		"descending pcs": {{PC: 3}, {PC: 2}},
		"negative pc":    {{PC: -1}},
		"pc too large":   {{PC: 65536}},
	} {
		if info, err := EncodeStackMap(pool, bad, Frame{}); err == nil {
			t.Errorf("%s are encoded as % x", name, info)
		}
	}
	for name, bad := range map[string]string{
		"reserved form":      "\x00\x01\x80",
		"last reserved form": "\x00\x01\xf6",
		"chop of nothing":    "\x00\x01\xfa\x00\x00",
		"tag 9":              "\x00\x01\x40\x09",
		"class entry 1":      "\x00\x01\x40\x07\x00\x01",
		"new at pc 100":      "\x00\x01\x40\x08\x00\x64",
	} {
		if got, err := ParseStackMap(NewConstantPool(), []byte(bad), Frame{}, 100); err == nil {
			t.Errorf("%s is read as %v", name, got)
		}
	}
}

// TestFramesShareNothing: appending to the locals of a frame leaves the others.
func TestFramesShareNothing(t *testing.T) {
	info := []byte{0, 3, 252, 0, 0, 1, 252, 0, 0, 2, 250, 0, 0} // append int, append float, chop 1
	frames, err := ParseStackMap(NewConstantPool(), info, Frame{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(frames[2].Locals, VType{Tag: VNull})
	if frames[1].Locals[1].Tag != VFloat {
		t.Error("appending to one frame changed another")
	}
}

// TestFrameBombs: small tables that would expand to gigabytes are refused, and
// large ones that do not are read and written in no time.
func TestFrameBombs(t *testing.T) {
	bomb := []byte{0xff, 0xff}
	for range 0xffff {
		bomb = append(bomb, 254, 0, 0, 1, 1, 1) // append three ints
	}
	if _, err := ParseStackMap(NewConstantPool(), bomb, Frame{}, 0xffff); err == nil ||
		!strings.Contains(err.Error(), "more than") {
		t.Errorf("a growing table: %v", err)
	}
	wide := []byte{0xff, 0xfe, 255, 0, 0, 0xff, 0xff}
	wide = append(wide, make([]byte, 0xffff)...) // locals: tops
	wide = append(wide, 0, 0)
	wide = append(wide, make([]byte, 0xfffd)...) // same frames
	frames, err := ParseStackMap(NewConstantPool(), wide, Frame{}, 0xffff)
	if err != nil || len(frames) != 0xfffe {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	if enc, err := EncodeStackMap(NewConstantPool(), frames, Frame{}); err != nil || string(enc) != string(wide) {
		t.Errorf("written back as %d of %d bytes, %v", len(enc), len(wide), err)
	}
}

// TestCompiledFrames looks at frames in Old.uninitialized: in the argument of
// new Old(b ? ... : ...) two uninitialized objects lie on the stack.
func TestCompiledFrames(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			c := mustParse(t, v.classes(t)["Old"])
			m := c.FindMethod("uninitialized", "(ZLjava/lang/Object;)V")
			first, err := c.InitialFrame(m)
			if err != nil || first.LocalSlots() != 3 ||
				first.Locals[0] != (VType{Tag: VObject, Class: "Old", PoolIndex: c.ThisIndex}) {
				t.Errorf("initial frame %v, %v", first, err)
			}
			code, err := c.Code(m)
			if err != nil {
				t.Fatal(err)
			}
			frames, err := c.StackMap(m, code)
			if err != nil || len(frames) != 2 {
				t.Fatalf("frames %v, %v", frames, err)
			}
			for k, f := range frames {
				if f.StackSlots() != 2+k || f.Stack[0].Tag != VUninitialized || f.Stack[1] != f.Stack[0] {
					t.Errorf("frame %d: %v", k, f)
				}
				if in, err := Decode(code.Bytecode, int(f.Stack[0].OffsetPC)); err != nil || in.Op != OpNew {
					t.Errorf("uninitialized object of %v, %v", in.Op, err)
				}
			}
			ctor := c.FindMethod("<init>", "(Ljava/lang/String;)V")
			if first, err := c.InitialFrame(ctor); err != nil || first.Locals[0].Tag != VUninitializedThis {
				t.Errorf("initial frame of a constructor %v, %v", first, err)
			}
			static := c.FindMethod("arithmetic", "(JDFI)J")
			if first, err := c.InitialFrame(static); err != nil || len(first.Locals) != 4 || first.LocalSlots() != 6 {
				t.Errorf("initial frame of a static method %v, %v", first, err)
			}
			if err := c.SetStackMap(m, code, nil); err != nil {
				t.Fatal(err)
			}
			if frames, err := c.StackMap(m, code); frames != nil || err != nil {
				t.Errorf("removed frames %v, %v", frames, err)
			}
		})
	}
}

// TestStackHeights follows each method's instructions and compares the heights
// of the stack with its frames and its max_stack: the stack effects of all
// instructions hold.
func TestStackHeights(t *testing.T) {
	ops := map[Opcode]bool{}
	forEachClass(t, func(t *testing.T, name string, data []byte) {
		c := mustParse(t, data)
		for _, m := range c.Methods {
			code, err := c.Code(m)
			if err != nil {
				t.Fatal(err)
			}
			if code != nil {
				checkHeights(t, c, m, code, ops)
			}
		}
	})
	if len(ops) < 95 {
		t.Errorf("only %d of the instructions occur", len(ops))
	}
}

func checkHeights(t *testing.T, c *Class, m *Member, code *Code, ops map[Opcode]bool) {
	frames, err := c.StackMap(m, code)
	if err != nil {
		t.Fatal(err)
	}
	atFrame := map[int]int{}
	for _, f := range frames {
		atFrame[f.PC] = f.StackSlots()
	}
	height, highest, reached := 0, 0, true
	for in, err := range Instructions(code.Bytecode) {
		if err != nil {
			t.Fatal(err)
		}
		ops[in.Op] = true
		if h, ok := atFrame[in.PC]; ok {
			if reached && h != height {
				t.Errorf("%s.%s pc %d: height %d, frame says %d", c.Name(), c.MemberName(m), in.PC, height, h)
			}
			height, reached = h, true
		}
		if !reached {
			t.Errorf("%s.%s pc %d: no frame after a jump", c.Name(), c.MemberName(m), in.PC)
		}
		pops, pushes, err := c.Pool.StackEffect(&in)
		if err != nil {
			t.Fatal(err)
		}
		if in.Op.IsInvoke() && in.Op != OpInvokestatic && in.Op != OpInvokedynamic && pops == 0 {
			t.Errorf("%s takes no receiver", in.Op)
		}
		highest = max(highest, height)
		if height -= pops; height < 0 {
			t.Errorf("%s.%s pc %d: %s takes %d of %d", c.Name(), c.MemberName(m), in.PC, in.Op, pops, height+pops)
		}
		height += pushes
		highest = max(highest, height)
		reached = in.Op.FallsThrough()
	}
	if highest > int(code.MaxStack) {
		t.Errorf("%s.%s: height %d, max_stack %d", c.Name(), c.MemberName(m), highest, code.MaxStack)
	}
}
