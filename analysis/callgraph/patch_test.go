package callgraph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// randomCode is a program of random methods, some of which get other code.
type randomCode struct {
	rng *rand.Rand
	s   source
}

const randomClasses, randomMethods = 6, 4

// helper is a method that comes and goes.
const helper = "helper"

func newRandomCode(seed uint64) *randomCode {
	p := &randomCode{rng: rand.New(rand.NewPCG(seed, 1)), s: newSource()}
	p.s.class("Main", object, 0, p.method("main"))
	quiet := p.s.class("I", object, hierarchy.AccInterface|hierarchy.AccAbstract,
		method("<clinit>", static, call(facts.Static, "C0", "m0")))
	quiet.Primitives = []facts.FieldName{{Name: "i", Desc: "I"}}
	for i := range randomClasses {
		super := object
		if i > 0 && p.rng.IntN(2) == 0 {
			super = fmt.Sprint("C", p.rng.IntN(i))
		}
		var methods []facts.Method
		for k := range randomMethods {
			methods = append(methods, p.method(fmt.Sprint("m", k)))
		}
		c := p.s.class(fmt.Sprint("C", i), super, 0, append(methods, method("<clinit>", static))...)
		c.Fields = []facts.FlowField{{Name: fmt.Sprint("f", i), Desc: "LC0;", Static: true}}
		if p.rng.IntN(3) == 0 {
			c.Interfaces = []string{"I"}
		}
	}
	return p
}

// method is a method that does a few things.
func (p *randomCode) method(name string) facts.Method {
	class := func() string { return fmt.Sprint("C", p.rng.IntN(randomClasses)) }
	var parts []any
	for range p.rng.IntN(4) {
		switch p.rng.IntN(6) {
		case 0:
			parts = append(parts, create(class()))
		case 1:
			parts = append(parts, className(class()))
		case 2:
			parts = append(parts, facts.Handle{Kind: features.RefInvokeVirtual, Owner: class(),
				Name: fmt.Sprint("m", p.rng.IntN(randomMethods)), Desc: "()V"})
		case 3:
			x := facts.Init{Class: class()}
			switch p.rng.IntN(3) {
			case 0:
				x.Field = &facts.MemberRef{Owner: x.Class, Name: fmt.Sprint("f", p.rng.IntN(randomClasses)),
					Desc: "LC0;"}
			case 1:
				x.Field = &facts.MemberRef{Owner: x.Class, Name: "i", Desc: "I"}
			}
			parts = append(parts, x)
		default:
			kind := []facts.CallKind{facts.Virtual, facts.Special, facts.Static}[p.rng.IntN(3)]
			name := fmt.Sprint("m", p.rng.IntN(randomMethods))
			if p.rng.IntN(12) == 0 {
				name = helper
			}
			parts = append(parts, call(kind, class(), name))
		}
	}
	return method(name, hierarchy.AccPublic, parts...)
}

// edit gives some methods other code, in new records.
func (p *randomCode) edit() (changed []features.ChangedMethods) {
	next := source{}
	for name, c := range p.s {
		next[name] = c
	}
	for range 1 + p.rng.IntN(2) {
		name := fmt.Sprint("C", p.rng.IntN(randomClasses))
		if slices.ContainsFunc(changed, func(c features.ChangedMethods) bool { return c.Class.Name == name }) {
			continue
		}
		c := *next[name]
		c.Methods = slices.Clone(c.Methods)
		if p.rng.IntN(4) == 0 {
			if k := slices.IndexFunc(c.Methods, func(m facts.Method) bool { return m.Name == helper }); k >= 0 {
				c.Methods = slices.Delete(c.Methods, k, k+1)
			} else {
				c.Methods = slices.Insert(c.Methods, p.rng.IntN(len(c.Methods)), p.method(helper))
			}
		}
		k := slices.IndexFunc(c.Methods,
			func(m facts.Method) bool { return m.Name == fmt.Sprint("m", p.rng.IntN(randomMethods)) })
		if k < 0 {
			k = 0
		}
		c.Methods[k] = p.method(c.Methods[k].Name)
		next[name] = &c
		d := facts.Compare(p.s[name], &c, facts.ReadsCalls, features.TakesNames)
		changed = append(changed, features.ChangedMethods{Class: &c, Methods: d.Methods, Added: d.Added, Gone: d.Gone})
	}
	p.s = next
	return changed
}

// A graph that was made of the one before is the one from scratch, and the one
// before stays what it was.
func TestPatch(t *testing.T) {
	for name, from := range map[string]func(*hierarchy.Hierarchy, callgraph.Config) *callgraph.Graph{"cha": cha.Build,
		"rta": rta.Build} {
		patched, quit, moved := 0, 0, 0
		for seed := range uint64(100) {
			p := newRandomCode(seed)
			cfg := callgraph.Config{Entries: []features.MethodRef{{Class: "Main", Name: "main"}},
				Workspace: []string{"Main"}}
			g := from(hierarchy.New(p.s), cfg)
			for range 6 {
				before := describe(g)
				changed := p.edit()
				next, ok := g.Patch(p.s, callgraph.Edit{Config: cfg, Changed: changed})
				scratch := from(hierarchy.New(p.s), cfg)
				if describe(g) != before {
					t.Fatalf("%s, seed %d: the graph before has changed", name, seed)
				}
				if !ok {
					quit++
					g = scratch
					continue
				}
				patched++
				if slices.ContainsFunc(changed,
					func(c features.ChangedMethods) bool { return len(c.Added)+len(c.Gone) > 0 }) {
					moved++
				}
				if got, want := describe(next), describe(scratch); got != want {
					t.Fatalf("%s, seed %d: patched\n%s\nfrom scratch\n%s", name, seed, got, want)
				}
				checkAliases(t, g, next)
				if _, again := g.Patch(p.s, callgraph.Edit{Config: cfg, Changed: changed}); again {
					t.Fatalf("%s, seed %d: a graph was continued twice", name, seed)
				}
				g = next
			}
		}
		if patched < 250 || quit < 5 || moved < 20 {
			t.Errorf("%s: %d graphs were patched, %d not; in %d of them methods came or went", name, patched, quit,
				moved)
		}
	}
}

// checkAliases looks at what the numbers of sites before name now.
func checkAliases(t *testing.T, before, now *callgraph.Graph) {
	t.Helper()
	for _, c := range now.ChangedNodes() {
		for k, to := range c.Alias {
			from := c.First + int32(k)
			if to < 0 {
				continue
			}
			if a, b := before.Sites[from], now.Sites[to]; a.Set != b.Set || a.Kind != b.Kind || now.Sites[from] != b ||
				now.NodeOfSite(from) != c.Node {
				t.Errorf("site %d is now %+v, was %+v; its name is of %+v", to, b, a, now.Sites[from])
			}
		}
	}
}

// describe says by names what is in a graph.
func describe(g *callgraph.Graph) string {
	name := func(n callgraph.NodeID) string {
		if m := g.Method(n); m != nil {
			return g.Class(n) + "." + m.Name
		}
		return "~" + g.H.Name(g.H.Owner(g.Ref(g.SitesOf(n)[0].Set))) + "." + g.H.Method(g.Ref(g.SitesOf(n)[0].Set)).Name
	}
	var lines []string
	for n := range callgraph.NodeID(g.NumNodes()) {
		line := name(n) + ":"
		for _, s := range g.SitesOf(n) {
			var to []string
			for _, x := range g.Targets(s.Set) {
				to = append(to, name(x))
			}
			slices.Sort(to)
			line += fmt.Sprintf(" %v%d%v", s.Kind, s.Index, to)
		}
		var by []string
		for _, set := range g.SetsWith(n) {
			for _, s := range g.SitesOfSet(set) {
				by = append(by, name(g.NodeOfSite(s)))
			}
		}
		slices.Sort(by)
		lines = append(lines, fmt.Sprint(line, " by ", by))
	}
	for _, t := range g.Created() {
		lines = append(lines, "creates "+g.H.Name(t))
	}
	edges, _ := g.NumEdges()
	slices.Sort(lines)
	return strings.Join(append(lines, fmt.Sprint(edges)), "\n")
}
