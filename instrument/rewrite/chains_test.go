package rewrite

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/plan"
)

// addChains has all methods of a class tell of call chains.
func addChains(t testing.TB, p *plan.Class, f *facts.Class, data []byte) {
	t.Helper()
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	const maxBytes = 40_000 // with the other probes on top
	for i := range f.Methods {
		m := &f.Methods[i]
		code, err := c.Code(c.Methods[i])
		if err != nil || code == nil || len(code.Bytecode)+12*len(m.Calls) > maxBytes {
			continue // abstract, native, or too long
		}
		x := plan.Chain{Method: uint16(i), Names: m.Name}
		for n := range m.Calls {
			v := plan.ChainCall{N: uint16(n), PC: m.Calls[n].PC}
			if n&1 == 0 {
				v.Name, v.Receiver = "?"+m.Calls[n].Name, true
			}
			x.Calls = append(x.Calls, v)
		}
		p.Chains = append(p.Chains, x)
	}
}

// TestChains runs programs whose methods tell of call chains, as they are and with exceptions
// thrown in tries: what they do does not change, and each method that begins is as deep on the
// stack as the stack itself says. The Probe of the harness compares.
func TestChains(t *testing.T) {
	eachProgram(t, func(t *testing.T, home, dir, main string) { testChains(t, home, dir, main, nil) })
}

func testChains(t *testing.T, home, classes, main string, before func([]byte) []byte) {
	t.Helper()
	p := rewriteTreeWith(t, classes, before, func(pc *programClass) { addChains(t, pc.plan, pc.facts, pc.data) })
	methods := 0
	for _, pc := range p.classes {
		methods += len(pc.plan.Chains)
		for _, s := range pc.result.Skipped {
			t.Errorf("%s: skipped %+v", pc.file, s)
		}
	}
	if methods < 5 {
		t.Errorf("%d methods tell of call chains", methods)
	}
	tries, _, _ := p.injections(t)
	out, runs := run(t, home, harness(t, home), classes, p.dir, main, tries)
	if out.original != out.rewritten {
		t.Errorf("output differs; original:\n%s\nrewritten:\n%s", out.original, out.rewritten)
	}
	for i, r := range runs {
		if strings.Contains(r.outcome, "at depth") {
			t.Errorf("run %d: %s", i, r.outcome)
		}
	}
	t.Logf("%d methods, %d runs", methods, len(runs))
}

// What a method's probe says of it has what each call calls at the place of the call.
func TestChainInfo(t *testing.T) {
	for _, c := range []struct {
		chain plan.Chain
		want  string
	}{
		{plan.Chain{Names: "m"}, "m"},
		{plan.Chain{Names: "a|b", Calls: []plan.ChainCall{{N: 0}, {N: 1}}}, "a|b"},
		{plan.Chain{Names: "m", Calls: []plan.ChainCall{{N: 0, Name: "=x"}, {N: 1, Name: "?y"}}}, "m;=x;?y"},
		{plan.Chain{Names: "m", Calls: []plan.ChainCall{{N: 2, Name: "=x"}, {N: 3}, {N: 4, Name: "?y"}}}, "m;;;=x;;?y"},
	} {
		if got := chainInfo(&c.chain); got != c.want {
			t.Errorf("%+v: %q, want %q", c.chain, got, c.want)
		}
	}
}

// A method that has no place for probes of call chains keeps its others.
func TestWithoutChains(t *testing.T) {
	data := seed(t, func(*assembler) {})
	for _, c := range []struct {
		letter string
		names  int
		skips  bool
	}{
		{"a", 65_535, false},
		{"a", 65_536, true},
		{"\U0001f600", 65_535 / 6, false}, // six bytes in a class file, four in Go
		{"\U0001f600", 65_535/6 + 1, true},
	} {
		p, f := planFor(t, data, plan.Full)
		plain, err := Rewrite(data, p)
		if err != nil {
			t.Fatal(err)
		}
		p, _ = planFor(t, data, plan.Full)
		addChains(t, p, f, data)
		p.Chains[0].Names = strings.Repeat(c.letter, c.names)
		for i := range p.Chains[0].Calls {
			p.Chains[0].Calls[i].Name = ""
		}
		res, err := Rewrite(data, p)
		if err != nil || len(res.Skipped) != len(plain.Skipped)+map[bool]int{true: 1}[c.skips] {
			t.Fatalf("%d times %q: %v, skipped %+v", c.names, c.letter, err, res.Skipped)
		}
		if !c.skips {
			continue
		}
		if s := res.Skipped[0]; !strings.HasPrefix(s.Why, withoutChains) || s.Try != -1 {
			t.Errorf("skipped %+v", s)
		}
		code := func(data []byte) []byte {
			cl, err := classfile.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			b, err := cl.Code(cl.Methods[p.Chains[0].Method])
			if err != nil {
				t.Fatal(err)
			}
			return b.Bytecode
		}
		if got, want := len(code(res.Bytes)), len(code(plain.Bytes)); got != want {
			t.Errorf("its code has %d bytes, without the plan of call chains %d", got, want)
		}
	}
}
