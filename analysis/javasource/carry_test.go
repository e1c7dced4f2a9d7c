package javasource

import (
	"fmt"
	"strings"
	"testing"
)

// carried numbers the catches of two versions in source order and says where
// each old one goes: its new number, with a * where it is stale, or -.
func carried(old, new string) string {
	a, b := Parse([]byte(old)), Parse([]byte(new))
	number := make(map[*Catch]int)
	for i, c := range b.Catches {
		number[c] = i
	}
	var out []string
	seen := make(map[*Catch]bool)
	pairs := Carry(a, b)
	for _, c := range a.Catches {
		n := pairs[c]
		switch {
		case n == nil:
			out = append(out, "-")
			continue
		case n.Digest == c.Digest:
			out = append(out, fmt.Sprint(number[n]))
		default:
			out = append(out, fmt.Sprint(number[n])+"*")
		}
		if seen[n] {
			out = append(out, "twice")
		}
		seen[n] = true
	}
	return strings.Join(out, " ")
}

func TestCarry(t *testing.T) {
	const (
		a  = "try { a(); } catch (A e) { }"
		a2 = "try { a(2); } catch (A e) { }"
		b  = "try { b(); } catch (B e) { }"
		c  = "try { c(); } catch (A e) { }"
	)
	class := func(members ...string) string { return "class X {" + strings.Join(members, " ") + "}" }
	m := func(header, body string) string { return "void " + header + " {" + body + "}" }
	for _, x := range []struct{ what, old, new, want string }{
		{"nothing", class(m("f()", a+b)), class(m("f()", a+b)), "0 1"},
		{"white space and comments", class(m("f()", a+b)), class("\n\n//x\n", m("f()", a+"/* y */"+b)), "0 1"},
		{"an edit inside", class(m("f()", a+b)), class(m("f()", a2+b)), "0* 1"},
		{"a catch before", class(m("f()", a+b)), class(m("f()", c+a+b)), "1 2"},
		{"a catch between", class(m("f()", a+b)), class(m("f()", a+c+b)), "0 2"},
		{"one deleted", class(m("f()", a+b+c)), class(m("f()", a+c)), "0 - 1"},
		{"first deleted", class(m("f()", a+b+c)), class(m("f()", b+c)), "- 0 1"},
		{"an edit and one before", class(m("f()", a+b)), class(m("f()", b+a2)), "1* 0"},
		{"same text twice", class(m("f()", a+a)), class(m("f()", a+a+a)), "0 1"},
		{"wrapped in another", class(m("f()", a)), class(m("f()", "try { "+a+" } catch (Z e) { }")), "0"},
		{"moved to another member", class(m("f()", a), m("g()", b)), class(m("f()", ""), m("g()", b+a)), "1 0"},
		{"member renamed", class(m("f()", a)), class(m("g()", a)), "0"},
		{"member renamed and edited", class(m("f()", a), m("h()", b)), class(m("g()", a2), m("h()", b)), "0* 1"},
		{"parameters changed and edited", class(m("f(int x)", a+b)), class(m("f(long x)", a2+b)), "0* 1"},
		{"an overload before", class(m("f(int x)", a)), class(m("f()", a2), m("f(int x)", a)), "1"},
		{"members swapped", class(m("f()", a), m("g()", b)), class(m("g()", b), m("f()", a)), "1 0"},
		{"all gone", class(m("f()", a+b)), class(), "- -"},
		{"moved, and a new one in its place", class(m("f()", a), m("g()", "")), class(m("f()", c), m("g()", a)), "1"},
		{"types edited", class(m("f()", a)), class(m("f()", "try { a(); } catch (Q e) { }")), "0*"},
		{"another type", class(m("f()", a)), "class Y {" + m("f()", a2) + "}", "-"},
		{"into a lambda", class(m("f()", a)), class(m("f()", "r(() -> {"+a+"});")), "0"},
		{"broken by typing", class(m("f()", a), m("g()", b)), class(m("f()", "if (x) {\n"+a), "\nvoid g() {"+b+"}"),
			"0 1"},
	} {
		if got := carried(x.old, x.new); got != x.want {
			t.Errorf("%s: %s, want %s", x.what, got, x.want)
		}
	}
}

func TestCarryFixturesOntoThemselves(t *testing.T) {
	for name, src := range fixtures(t) {
		f, g := Parse(src), Parse(append([]byte("\n\n// moved\n"), src...))
		pairs := Carry(f, g)
		for i, c := range f.Catches {
			if pairs[c] != g.Catches[i] || c.Digest != g.Catches[i].Digest {
				t.Errorf("%s: %s is lost", name, c.ID)
			}
		}
	}
}
