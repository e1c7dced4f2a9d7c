package classfile

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

// handmade builds class files that today's compilers do not write.
type handmade struct {
	t testing.TB
	c *Class
}

func newHandmade(t testing.TB, major, minor uint16) *handmade {
	h := &handmade{t, &Class{Major: major, Minor: minor, Pool: NewConstantPool(), Access: AccPublic | AccSuper}}
	h.c.ThisIndex = h.must(h.c.Pool.AddClass("Handmade"))
	h.c.SuperIndex = h.must(h.c.Pool.AddClass("java/lang/Object"))
	return h
}

func (h *handmade) must(i uint16, err error) uint16 {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
	return i
}

func (h *handmade) method(name, desc string, code *Code) *Member {
	h.t.Helper()
	m := &Member{Access: AccStatic, NameIndex: h.must(h.c.Pool.AddUtf8(name)),
		DescIndex: h.must(h.c.Pool.AddUtf8(desc))}
	h.c.Methods = append(h.c.Methods, m)
	if err := h.c.SetCode(m, code); err != nil {
		h.t.Fatal(err)
	}
	return m
}

func (h *handmade) bytes() []byte {
	h.t.Helper()
	b, err := h.c.Bytes()
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

// subroutine is a try/finally as compilers before 1.4.2 wrote it: the finally
// block is called by jsr and returns by ret.
var subroutine = []byte{
	0: byte(OpJsr), 0, 10, // -> 10
	3: byte(OpReturn),
	4: byte(OpAstore0) + 1, // handler
	5: byte(OpJsrW), 0, 0, 0, 5,
	10: byte(OpAstore), 2,
	12: byte(OpIinc), 0, 1,
	15: byte(OpWide), byte(OpRet), 0, 2,
}

func TestSubroutines(t *testing.T) {
	h := newHandmade(t, 45, 3)
	h.method("f", "(I)V", &Code{MaxStack: 1, MaxLocals: 3, Bytecode: subroutine,
		Exceptions: []ExceptionEntry{{0, 3, 4, 0}}})
	c := mustParse(t, h.bytes())
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	code, err := c.Code(c.FindMethod("f", "(I)V"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for in, err := range Instructions(code.Bytecode) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, in.Op.String())
		switch {
		case in.Op.IsJsr() && in.Target != 10:
			t.Errorf("%s at %d goes to %d", in.Op, in.PC, in.Target)
		case in.Op == OpRet && (!in.Wide || in.Index != 2 || in.Len != 4):
			t.Errorf("ret is %+v", in)
		}
		if falls := in.Op.FallsThrough(); falls != (in.Op == OpAstore0+1 || in.Op == OpAstore || in.Op == OpIinc) {
			t.Errorf("%s falls through: %v", in.Op, falls)
		}
	}
	want := []string{"jsr", "return", "astore_1", "jsr_w", "astore", "iinc", "ret"}
	if !slices.Equal(got, want) {
		t.Errorf("instructions %q", got)
	}
}

// TestNarrowCode reads and writes the Code attribute of versions before 45.3.
func TestNarrowCode(t *testing.T) {
	for _, minor := range []uint16{0, 2, 3} {
		h := newHandmade(t, 45, minor)
		body := &Code{MaxStack: 1, MaxLocals: 3, Bytecode: subroutine, Exceptions: []ExceptionEntry{{0, 3, 4, 0}}}
		m := h.method("f", "(I)V", body)
		header, want := len(m.Attributes[0].Info)-len(subroutine), 2+2+4+2+8+2
		if minor < 3 {
			want = 1 + 1 + 2 + 2 + 8 + 2
		}
		if header != want {
			t.Errorf("45.%d: header of %d bytes, want %d", minor, header, want)
		}
		data := h.bytes()
		c := mustParse(t, data)
		if err := c.Check(); err != nil {
			t.Errorf("45.%d: %v", minor, err)
		}
		code, err := c.Code(c.Methods[0])
		if err != nil || code.MaxLocals != 3 || !bytes.Equal(code.Bytecode, subroutine) {
			t.Fatalf("45.%d: %+v, %v", minor, code, err)
		}
		if err := c.SetCode(c.Methods[0], code); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Bytes(); err != nil || !bytes.Equal(got, data) {
			t.Errorf("45.%d: written back differently (%v)", minor, err)
		}
		code.MaxLocals = 300
		if err := c.SetCode(c.Methods[0], code); (err == nil) != (minor == 3) {
			t.Errorf("45.%d with 300 locals: %v", minor, err)
		}
	}
}

// TestVersions: compiled classes with another version in the header read alike.
func TestVersions(t *testing.T) {
	data := variants[0].classes(t)["Old"]
	for major := 45; major <= MaxMajor+1; major++ {
		data[4], data[5], data[6], data[7] = 0, 3, 0, byte(major)
		c, err := Parse(data)
		if err != nil {
			t.Fatalf("version %d: %v", major, err)
		}
		if err := c.Check(); err != nil || int(c.Major) != major || c.Minor != 3 {
			t.Errorf("version %d is %d.%d: %v", major, c.Major, c.Minor, err)
		}
	}
	for _, head := range []string{"\xca\xfe\xba\xbe\x00\x00\x00\x2c", "\xca\xfe\xba\xbf\x00\x00\x00\x34",
		"\xca\xfe\xba\xbe\x00\x00\x00\x02"} {
		if _, err := Parse(append([]byte(head), data[8:]...)); err == nil {
			t.Errorf("header %x is accepted", head)
		}
	}
}

func TestCodeLimits(t *testing.T) {
	h := newHandmade(t, 52, 0)
	m := h.method("f", "(I)V", &Code{Bytecode: []byte{byte(OpReturn)}, MaxLocals: 1})
	if err := h.c.SetCode(m, &Code{Bytecode: make([]byte, MaxCodeLength+1)}); !errors.Is(err, ErrCodeTooLarge) {
		t.Errorf("code too large: %v", err)
	}
	if err := h.c.SetCode(m, &Code{Bytecode: make([]byte, MaxCodeLength)}); err != nil {
		t.Errorf("largest code: %v", err)
	}
	if err := h.c.SetCode(m, &Code{}); err == nil {
		t.Error("empty code is accepted")
	}
	m.Attributes = nil
	if _, err := h.c.Code(m); err == nil || !strings.Contains(err.Error(), "f(I)V") {
		t.Errorf("a method without code: %v", err)
	}
	for _, e := range []ExceptionEntry{{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 2, 0, 0}, {0, 1, 1, 0}} {
		if err := h.c.SetCode(m, &Code{Bytecode: []byte{byte(OpReturn)}, MaxLocals: 1,
			Exceptions: []ExceptionEntry{e}}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.c.Code(m); err == nil {
			t.Errorf("exception entry %v is accepted", e)
		}
	}
}

func TestLineTables(t *testing.T) {
	h := newHandmade(t, 52, 0)
	name := h.must(h.c.Pool.AddUtf8("LineNumberTable"))
	code := &Code{MaxLocals: 1, Bytecode: make([]byte, 20), Attributes: []Attribute{
		{name, []byte{0, 2, 0, 10, 0, 5, 0, 4, 0, 7}},
		{name, []byte{0, 1, 0, 2, 1, 0}},
	}}
	lines, err := h.c.LineNumbers(code)
	if want := []LineNumber{{2, 256}, {4, 7}, {10, 5}}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("lines %v, %v", lines, err)
	}
	for pc, want := range map[int]int{0: 0, 1: 0, 2: 256, 3: 256, 4: 7, 9: 7, 10: 5, 19: 5} {
		if got := LineAt(lines, pc); got != want {
			t.Errorf("pc %d is of line %d, want %d", pc, got, want)
		}
	}
	code.Bytecode = code.Bytecode[:10]
	if _, err := h.c.LineNumbers(code); err == nil {
		t.Error("a line outside the code is accepted")
	}
}

func TestDecodeEdges(t *testing.T) {
	pad := func(op Opcode, words ...int32) []byte {
		b := []byte{byte(OpNop), byte(op), 0, 0} // operands of a switch at pc 1 begin at 4
		for _, w := range words {
			b = put4(b, uint32(w))
		}
		return b
	}
	good := map[string][]byte{
		"tableswitch":  pad(OpTableswitch, -1, -2, 0, 0, 1, -1),
		"lookupswitch": pad(OpLookupswitch, 1, 2, -5, -1, 7, 0),
		"one key":      pad(OpTableswitch, 0, 2147483647, 2147483647, 0),
		"no keys":      pad(OpLookupswitch, 0, 0),
	}
	for name, code := range good {
		in, err := Decode(code, 1)
		if err != nil || in.Next() != len(code) {
			t.Errorf("%s: %+v, %v", name, in, err)
		}
		switch name {
		case "tableswitch":
			if in.Target != 0 || !slices.Equal(in.Keys, []int32{-2, -1, 0}) ||
				!slices.Equal(in.Targets, []int{1, 2, 0}) {
				t.Errorf("%s: %+v", name, in)
			}
		case "lookupswitch":
			if in.Target != 2 || !slices.Equal(in.Keys, []int32{-5, 7}) || !slices.Equal(in.Targets, []int{0, 1}) {
				t.Errorf("%s: %+v", name, in)
			}
		}
		for n := 2; n < len(code); n++ {
			if _, err := Decode(code[:n], 1); err == nil {
				t.Errorf("%s cut to %d bytes decodes", name, n)
			}
		}
	}
	for name, code := range map[string][]byte{
		"high below low":      pad(OpTableswitch, 0, 5, 4),
		"all of int":          pad(OpTableswitch, 0, -2147483648, 2147483647),
		"negative pairs":      pad(OpLookupswitch, 0, -1),
		"default before code": pad(OpLookupswitch, -2, 0),
		"target after code":   pad(OpTableswitch, 0, 0, 0, 100),
		"goto before code":    {0, byte(OpGoto), 0xff, 0xfe},
		"goto_w after code":   {0, byte(OpGotoW), 0, 0, 0, 5},
		"breakpoint":          {0, 202},
		"impdep2":             {0, 255},
		"wide nop":            {0, byte(OpWide), 0, 0, 0},
		"wide wide":           {0, byte(OpWide), byte(OpWide), 0, 0},
		"wide iinc cut":       {0, byte(OpWide), byte(OpIinc), 0, 0, 0},
		"nothing":             {0},
	} {
		if in, err := Decode(code, 1); err == nil {
			t.Errorf("%s decodes as %+v", name, in)
		}
	}
	if _, err := Decode([]byte{0}, -1); err == nil {
		t.Error("pc -1 decodes")
	}
	n := 0
	for _, err := range Instructions([]byte{0, 0, byte(OpGoto), 0}) {
		if n++; (err != nil) != (n == 3) {
			t.Errorf("instruction %d: %v", n, err)
		}
	}
	if n != 3 {
		t.Errorf("%d instructions", n)
	}
}

func TestOpcodeTable(t *testing.T) {
	// Anchors from JVMS 7: one of each block, so that a shifted table shows.
	for op, name := range map[Opcode]string{
		0: "nop", 18: "ldc", 21: "iload", 42: "aload_0", 46: "iaload", 54: "istore", 75: "astore_0", 79: "iastore",
		87: "pop",
		95: "swap", 96: "iadd", 116: "ineg", 120: "ishl", 126: "iand", 132: "iinc", 133: "i2l", 147: "i2s", 148: "lcmp",
		153: "ifeq", 159: "if_icmpeq", 165: "if_acmpeq", 167: "goto", 169: "ret", 170: "tableswitch", 177: "return",
		178: "getstatic", 182: "invokevirtual", 186: "invokedynamic", 187: "new", 191: "athrow", 196: "wide",
		201: "jsr_w", 202: "illegal",
	} {
		if op.String() != name {
			t.Errorf("opcode %d is %s, want %s", op, op, name)
		}
	}
	for _, b := range [][]byte{{byte(OpIload3)}, {byte(OpAload), 3}, {byte(OpDload0) + 3}, {byte(OpLstore0) + 3},
		{byte(OpWide), byte(OpFstore), 0, 3}, {byte(OpIinc), 3, 1}} {
		in, err := Decode(b, 0)
		if slot, ok := in.Local(); err != nil || !ok || slot != 3 {
			t.Errorf("%s: local %d, %v, %v", in.Op, slot, ok, err)
		}
	}
	if in, _ := Decode([]byte{byte(OpIaload)}, 0); func() bool { _, ok := in.Local(); return ok }() {
		t.Error("iaload has a local")
	}
	if (Opcode(250)).FallsThrough() != true || Opcode(250).Info().Name != "" {
		t.Error("illegal opcode has properties")
	}
}
