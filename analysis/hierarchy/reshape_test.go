package hierarchy

import (
	"math/rand/v2"
	"testing"
)

// A fork in which a class gets other methods answers like a hierarchy that was loaded
// with them, numbers of methods stay, and the original answers as before.
func TestSetFacts(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	some := func(rng *rand.Rand) (out []method) {
		for _, n := range names {
			if rng.IntN(2) == 0 {
				out = append(out, method{[]uint16{AccPublic, AccPublic, AccPrivate, AccPublic | AccStatic}[rng.IntN(4)],
					n})
			}
		}
		rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
	classes := []string{"A", "B", "C"}
	load := func(h *Hierarchy) {
		for _, c := range classes {
			h.Load(c, "")
		}
	}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := newSource()
		s.class(0, "A", object, nil, some(rng)...)
		s.class(0, "B", "A", nil, some(rng)...)
		s.class(0, "C", "B", nil, some(rng)...)
		h := New(s)
		load(h)
		answersLike(t, h, h, names, classes) // fills the caches
		number := map[string]MethodID{}
		for _, c := range classes {
			for i := range s[c].Methods {
				number[c+s[c].Methods[i].Name] = h.MethodAt(h.Lookup(c), i)
			}
		}
		before, next := New(s), source{}
		load(before)
		for n, c := range s {
			next[n] = c
		}
		f := h.Fork(next)
		for range 2 {
			c := classes[rng.IntN(len(classes))]
			access := map[string]uint16{}
			for _, m := range next[c].Methods {
				access[m.Name] = m.Access
			}
			next.class(0, c, s[c].Super, nil, some(rng)...)
			for i := range next[c].Methods {
				if a, ok := access[next[c].Methods[i].Name]; ok {
					next[c].Methods[i].Access = a
				}
			}
			f.SetFacts(f.Lookup(c), next[c])
			for i := range next[c].Methods {
				m := f.MethodAt(f.Lookup(c), i)
				if f.Method(m) != &next[c].Methods[i] || f.Index(m) != i || f.Owner(m) != f.Lookup(c) {
					t.Fatalf("seed %d: method %d of %s is number %d, which is method %d", seed, i, c, m, f.Index(m))
				}
				if was, ok := number[c+next[c].Methods[i].Name]; ok && was != m &&
					len(f.types[f.Lookup(c)].members.gone) == 0 {
					t.Fatalf("seed %d: %s.%s was method %d, is %d", seed, c, next[c].Methods[i].Name, was, m)
				}
			}
		}
		scratch := New(next)
		load(scratch)
		answersLike(t, f, scratch, names, classes)
		answersLike(t, h, before, names, classes)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// answersLike compares what two hierarchies say of references and receivers.
func answersLike(t *testing.T, h, want *Hierarchy, names, classes []string) {
	t.Helper()
	name := func(h *Hierarchy, m MethodID) string {
		if m == NoMethod {
			return "none"
		}
		return h.Name(h.Owner(m)) + "." + h.Method(m).Name
	}
	for _, c := range classes {
		for _, n := range names {
			a, b := h.Resolve(h.Lookup(c), n, "()V"), want.Resolve(want.Lookup(c), n, "()V")
			if name(h, a) != name(want, b) {
				t.Errorf("%s.%s is %s, want %s", c, n, name(h, a), name(want, b))
			}
			if a == NoMethod || b == NoMethod {
				continue
			}
			for _, d := range classes {
				if x, y := name(h, h.Select(h.Lookup(d), a)), name(want, want.Select(want.Lookup(d), b)); x != y {
					t.Errorf("%s.%s called on %s is %s, want %s", c, n, d, x, y)
				}
			}
		}
	}
}

// What is above and below a class counts as related, the class itself does not.
func TestRelated(t *testing.T) {
	s := newSource()
	s.class(iface, "I", object, nil, method{AccPublic | AccAbstract, "i"})
	s.class(0, "A", object, []string{"I"}, method{AccPublic, "a"}, method{AccPrivate, "own"})
	s.class(0, "B", "A", nil, method{AccPublic, "b"})
	h := New(s)
	h.Load("B", "")
	a := h.Lookup("A")
	for n, want := range map[string]bool{"i": true, "b": true, "hashCode": true, "a": false, "own": false,
		"nowhere": false} {
		if got := h.Related(a, h.Selector(n, "()V")); got != want {
			t.Errorf("%s: related %v, want %v", n, got, want)
		}
	}
	if h.Present("D"); !h.Asked("D") || h.Asked("A") {
		t.Error("who was asked for is not remembered")
	}
}
