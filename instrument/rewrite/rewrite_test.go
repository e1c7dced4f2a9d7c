package rewrite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/instrument/plan"
)

// seed is a small class with a try, a throw and a loop, as bytes.
func seed(t *testing.T, more func(a *assembler)) []byte {
	t.Helper()
	a := newAssembler(t, "Seed", 49)
	a.static("f", "(I)I", 2, 3, seedText, seedTable...)
	if more != nil {
		more(a)
	}
	data, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// untouched checks that a result is the input itself.
func untouched(t *testing.T, data []byte, res Result) {
	t.Helper()
	if &res.Bytes[0] != &data[0] || res.ClassNumberOffset != -1 {
		t.Errorf("class number at %d of new bytes, want the class as it was", res.ClassNumberOffset)
	}
}

func TestNothingToInsert(t *testing.T) {
	data := seed(t, nil)
	for _, k := range []plan.Kinds{plan.None, plan.Throws} { // its athrows throw null and what was caught
		p, _ := planFor(t, data, k)
		p.Throws = nil
		res, err := Rewrite(data, p)
		if err != nil || len(res.Skipped) > 0 {
			t.Fatal(err, res.Skipped)
		}
		untouched(t, data, res)
	}
}

func TestExclusions(t *testing.T) {
	a := newAssembler(t, "java/lang/Object", 49)
	a.static("f", "(I)I", 2, 3, seedText, seedTable...)
	data, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	p, _ := planFor(t, data, plan.Full)
	res, err := Rewrite(data, p)
	if err != nil || len(res.Skipped) != 1 || res.Skipped[0].Method != -1 ||
		!strings.Contains(res.Skipped[0].Why, "finalize") {
		t.Fatal(err, res.Skipped)
	}
	untouched(t, data, res)
}

func TestEmptyFinalizerStaysEmpty(t *testing.T) {
	data := seed(t, func(a *assembler) {
		a.static("finalize", "()V", 0, 0, "return")
		a.static("finalize", "(I)V", 0, 1, "return")
	})
	p, _ := planFor(t, data, plan.Full)
	res, err := Rewrite(data, p)
	if err != nil {
		t.Fatal(err)
	}
	if want := []SkippedMethod{{1, -1, whyEmptyFinalizer}}; !slices.Equal(res.Skipped, want) {
		t.Errorf("skipped %v, want %v", res.Skipped, want)
	}
}

func TestFullPool(t *testing.T) {
	data := seed(t, func(a *assembler) {
		for i := 0; a.Pool.Len() < 65530; i++ {
			a.index(a.Pool.AddUtf8(fmt.Sprint("filler", i)))
		}
	})
	p, _ := planFor(t, data, plan.Full)
	res, err := Rewrite(data, p)
	if err != nil || len(res.Skipped) != 1 || res.Skipped[0].Method != -1 ||
		!strings.Contains(res.Skipped[0].Why, "constant pool") {
		t.Fatal(err, res.Skipped)
	}
	untouched(t, data, res)
}

// TestLargeNumbers has probe numbers of every encoding, and placeholders that
// ldc and ldc_w load.
func TestLargeNumbers(t *testing.T) {
	for _, fillers := range []int{0, 300} {
		data := seed(t, func(a *assembler) {
			for i := range fillers {
				a.index(a.Pool.AddUtf8(fmt.Sprint("filler", i)))
			}
		})
		for _, n := range []uint16{0, 5, 6, 127, 128, 32767, 32768, 65535} {
			p, _ := planFor(t, data, plan.Tries)
			p.Catches[0].N = n
			res, err := Rewrite(data, p)
			if err != nil {
				t.Fatal(err)
			}
			c, err := classfile.Parse(res.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			if got := argumentsOf(t, c, "caught"); !slices.Equal(got, []int32{Placeholder, int32(n)}) {
				t.Errorf("caught is called with %d, want %d and %d", got, Placeholder, n)
			}
		}
	}
}

// argumentsOf returns the two int arguments of the only call of a probe.
func argumentsOf(t *testing.T, c *classfile.Class, probe string) []int32 {
	t.Helper()
	code, err := c.Code(c.Methods[0])
	if err != nil {
		t.Fatal(err)
	}
	var pushed, found []int32
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case in.Op == classfile.OpLdc || in.Op == classfile.OpLdcW:
			v, err := c.Pool.Integer(uint16(in.Index))
			if err != nil {
				t.Fatal(err)
			}
			pushed = append(pushed, v)
		case in.Op == classfile.OpBipush || in.Op == classfile.OpSipush:
			pushed = append(pushed, in.Const)
		case in.Op >= classfile.OpIconst0 && in.Op <= classfile.OpIconst5:
			pushed = append(pushed, int32(in.Op-classfile.OpIconst0))
		case in.Op == classfile.OpInvokestatic:
			if r, err := c.Pool.MemberRef(uint16(in.Index)); err == nil && r.Name == probe {
				found = append(found, pushed[len(pushed)-2:]...)
			}
		}
	}
	return found
}

// TestForeignPlans has plans that do not fit the class: each is an error that
// says so, and the class is left as it is.
func TestForeignPlans(t *testing.T) {
	data := seed(t, nil)
	for name, damage := range map[string]func(p *plan.Class){
		"the plan is for":           func(p *plan.Class) { p.Name = "Other" },
		"with 7 methods":            func(p *plan.Class) { p.Methods = 7 },
		"not in ascending order":    func(p *plan.Class) { p.Tries[0].Method = 9 },
		"no athrow":                 func(p *plan.Class) { p.Throws[0].PC++ },
		"is not in the plan":        func(p *plan.Class) { p.Tries[0].Ranges[0].End++ },
		"has no try":                func(p *plan.Class) { p.Catches[0].Try = 77 },
		"not in the exception tabl": func(p *plan.Class) { p.Catches[0].PC = 1 },
	} {
		p, _ := planFor(t, data, plan.Full)
		p.Throws = []plan.Throw{{PC: 6}}
		damage(p)
		res, err := Rewrite(data, p)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
		untouched(t, data, res)
	}
	p, _ := planFor(t, data, plan.Full)
	res, err := Rewrite(data[:len(data)-3], p)
	if err == nil || !strings.Contains(err.Error(), "Seed") {
		t.Errorf("truncated class: %v, want an error that names it", err)
	}
	if len(res.Bytes) != len(data)-3 {
		t.Error("truncated class: not left as it is")
	}
}

// TestRewriteIsDeterministic: the bytes are cached by what they are made from.
func TestRewriteIsDeterministic(t *testing.T) {
	data := seed(t, nil)
	p, _ := planFor(t, data, plan.Full)
	copied := slices.Clone(data)
	first, err := Rewrite(data, p)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Rewrite(data, p)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first.Bytes, second.Bytes) || first.ClassNumberOffset != second.ClassNumberOffset {
		t.Error("two rewritings of one class differ")
	}
	if !slices.Equal(data, copied) {
		t.Error("the input was changed")
	}
}
