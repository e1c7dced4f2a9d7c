package rewrite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// TestDebugAttributes compares lines, variables and type annotations of each
// original instruction with those at its new position.
func TestDebugAttributes(t *testing.T) {
	home := testjdk.JDK(t, 25)
	for name, compiler := range map[string]testjdk.Compiler{"javac": testjdk.Javac, "ecj": testjdk.ECJCompile} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			compiler(t, home, 17, nil, dir, filepath.Join("testdata", "Debug.java"))
			data, err := os.ReadFile(filepath.Join(dir, "Debug.class"))
			if err != nil {
				t.Fatal(err)
			}
			p, _ := planFor(t, data, plan.Full)
			res, err := Rewrite(data, p)
			if err != nil || len(res.Skipped) > 0 {
				t.Fatal(err, res.Skipped)
			}
			c, err := classfile.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			after, err := classfile.Parse(res.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			plans, err := byMethod(p, len(c.Methods))
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]int{}
			for i, m := range c.Methods {
				r := &rewriter{class: c}
				e, err := r.arrange(i, m, &plans[i])
				if err != nil {
					t.Fatal(err)
				}
				newCode, err := after.Code(after.Methods[i])
				if err != nil {
					t.Fatal(err)
				}
				d := debugComparison{t, e, c, after, newCode, seen}
				d.lines()
				d.variables()
				d.annotations("RuntimeVisibleTypeAnnotations")
				d.annotations("RuntimeInvisibleTypeAnnotations")
			}
			for _, what := range []string{"line", "variable", "0x40", "0x41", "0x42", "0x43", "0x44", "0x46", "0x47"} {
				if seen[what] == 0 {
					t.Errorf("%s does not occur: %v", what, seen)
				}
			}
		})
	}
}

type debugComparison struct {
	t          *testing.T
	e          *editor
	old, after *classfile.Class
	newCode    *classfile.Code
	seen       map[string]int
}

func (d *debugComparison) lines() {
	before, err := d.old.LineNumbers(d.e.code)
	if err != nil {
		d.t.Fatal(err)
	}
	now, err := d.after.LineNumbers(d.newCode)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, in := range d.e.insns[:len(d.e.insns)-1] {
		d.seen["line"]++
		a, b := classfile.LineAt(before, int(in.pc)), classfile.LineAt(now, int(in.pos))
		if at := classfile.LineAt(now, int(d.e.basePos(d.e.at[in.pc]))); a != b || a != at {
			d.t.Errorf("pc %d has line %d, then %d, its probes %d", in.pc, a, b, at)
		}
	}
}

// sameRange tells whether two ranges hold the same instructions.
func (d *debugComparison) sameRange(start, length, newStart, newLength uint16) bool {
	for _, in := range d.e.insns[:len(d.e.insns)-1] {
		a := int(in.pc) >= int(start) && int(in.pc) < int(start)+int(length)
		b := int(in.pos) >= int(newStart) && int(in.pos) < int(newStart)+int(newLength)
		if a != b {
			return false
		}
	}
	return true
}

func (d *debugComparison) variables() {
	before, err := d.old.LocalVariables(d.e.code)
	if err != nil {
		d.t.Fatal(err)
	}
	now, err := d.after.LocalVariables(d.newCode)
	if err != nil || len(now) != len(before) {
		d.t.Fatalf("%v, %d variables, then %d", err, len(before), len(now))
	}
	for i, v := range before {
		w := now[i]
		d.seen["variable"]++
		if v.Name != w.Name || v.Slot != w.Slot || !d.sameRange(v.StartPC, v.Length, w.StartPC, w.Length) {
			d.t.Errorf("variable %+v, then %+v", v, w)
		}
	}
}

// target is the target of a type annotation in code: its u2 values.
type target struct {
	kind   int
	values []uint16
}

// targets reads the targets of an attribute, without code of the rewriter.
func targets(t *testing.T, info []byte) []target {
	t.Helper()
	var out []target
	w := annotationWalker{b: info}
	for range w.u2() {
		a := target{kind: w.u1()}
		n := map[bool]int{true: 1, false: 0}[a.kind >= 0x42]
		if a.kind < 0x42 {
			n = 3 * w.u2()
		}
		for range n {
			a.values = append(a.values, uint16(w.u2()))
		}
		if a.kind >= 0x47 {
			w.u1()
		}
		w.skip(2 * w.u1())
		w.annotation(0)
		out = append(out, a)
	}
	if w.bad || len(w.b) > 0 {
		t.Fatal("malformed type annotations")
	}
	return out
}

func (d *debugComparison) annotations(name string) {
	info, ok := d.old.Attr(d.e.code.Attributes, name)
	if !ok {
		return
	}
	newInfo, _ := d.after.Attr(d.newCode.Attributes, name)
	before, now := targets(d.t, info), targets(d.t, newInfo)
	if len(before) != len(now) {
		d.t.Fatalf("%d annotations, then %d", len(before), len(now))
	}
	for i, a := range before {
		b := now[i]
		d.seen[fmt.Sprintf("%#x", a.kind)]++
		ok := a.kind == b.kind && len(a.values) == len(b.values)
		switch {
		case !ok:
		case a.kind < 0x42:
			for k := 0; k < len(a.values); k += 3 {
				ok = ok && a.values[k+2] == b.values[k+2] &&
					d.sameRange(a.values[k], a.values[k+1], b.values[k], b.values[k+1])
			}
		case a.kind == 0x42:
			x, y := d.e.code.Exceptions[a.values[0]], d.newCode.Exceptions[b.values[0]]
			h := d.e.at[x.HandlerPC]
			ok = x.CatchType == y.CatchType && int32(y.HandlerPC) == d.e.labelPos(h, d.e.handlerLabel(h))
		default:
			ok = d.e.insns[d.e.at[a.values[0]]].pos == int32(b.values[0])
		}
		if !ok {
			d.t.Errorf("annotation %#x of %v, then %#x of %v", a.kind, a.values, b.kind, b.values)
		}
	}
}

// TestUnknownAttribute keeps what it does not understand.
func TestUnknownAttribute(t *testing.T) {
	a := newAssembler(t, "Attr", 49)
	a.static("f", "(I)I", 2, 3, seedText, seedTable...)
	code, err := a.Code(a.Methods[0])
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{0, 1, 2, 250}
	if code.Attributes, err = a.SetAttr(code.Attributes, "org.example.Unknown", want); err != nil {
		t.Fatal(err)
	}
	if err := a.SetCode(a.Methods[0], code); err != nil {
		t.Fatal(err)
	}
	data, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	p, _ := planFor(t, data, plan.Full)
	res, err := Rewrite(data, p)
	if err != nil || res.ClassNumberOffset < 0 {
		t.Fatal(err, res)
	}
	c, err := classfile.Parse(res.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if code, err = c.Code(c.Methods[0]); err != nil {
		t.Fatal(err)
	}
	if got, ok := c.Attr(code.Attributes, "org.example.Unknown"); !ok || !slices.Equal(got, want) {
		t.Errorf("unknown attribute is %v, want %v", got, want)
	}
}
