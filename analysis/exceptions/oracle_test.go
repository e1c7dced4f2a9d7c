package exceptions

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file compares the solver with the dataflow equations of paper 000,
// section 3.1, taken literally: a set ReachingThrows for every method, iterated
// until nothing changes. Programs are random facts; most make no sense as Java,
// which does not matter to either.

// program is facts by class name.
type program map[string]*facts.Class

func (p program) Class(name string) (*facts.Class, bool) { c, ok := p[name]; return c, ok }

// names lists the classes, sorted.
func (p program) names() []string {
	var out []string
	for n := range p {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// loaded is a hierarchy that knows every class of a program.
func loaded(p program) *hierarchy.Hierarchy {
	h := hierarchy.New(p)
	for _, n := range p.names() {
		h.Load(n, "")
	}
	return h
}

const objectName = "java/lang/Object"

// base is the part of the JDK that every program has.
func base() program {
	p := program{}
	for _, c := range [][2]string{
		{objectName, ""}, {"java/lang/Throwable", objectName}, {"java/lang/Exception", "java/lang/Throwable"},
		{"java/lang/Error", "java/lang/Throwable"}, {"java/lang/RuntimeException", "java/lang/Exception"},
		{"java/io/IOException", "java/lang/Exception"},
		{"java/lang/NullPointerException", "java/lang/RuntimeException"},
	} {
		p[c[0]] = &facts.Class{Name: c[0], Super: c[1]}
	}
	return p
}

// randomProgram draws a program with exceptions E0.., classes C0.. and an
// interface I, all of whose methods have names m0.. and no parameters.
func randomProgram(t *rapid.T) program {
	p := base()
	types := []string{"java/lang/Throwable", "java/lang/Exception", "java/lang/Error", "java/lang/RuntimeException",
		"java/io/IOException"}
	for i := range rapid.IntRange(1, 5).Draw(t, "exceptions") {
		name := fmt.Sprintf("E%d", i)
		p[name] = &facts.Class{Name: name, Super: rapid.SampledFrom(types).Draw(t, "super")}
		types = append(types, name)
	}
	p["I"] = &facts.Class{Name: "I", Super: objectName, Access: hierarchy.AccInterface | hierarchy.AccAbstract}
	classes := rapid.IntRange(1, 4).Draw(t, "classes")
	owners := []string{"I"}
	for i := range classes {
		c := &facts.Class{Name: fmt.Sprintf("C%d", i), Super: objectName}
		if i > 0 && rapid.Bool().Draw(t, "extends") {
			c.Super = fmt.Sprintf("C%d", rapid.IntRange(0, i-1).Draw(t, "superclass"))
		}
		if rapid.Bool().Draw(t, "implements") {
			c.Interfaces = []string{"I"}
		}
		p[c.Name] = c
		owners = append(owners, c.Name)
	}
	for _, o := range owners {
		for j := range 3 {
			if rapid.Bool().Draw(t, "declares") {
				m := randomMethod(t, fmt.Sprintf("m%d", j), owners, types)
				if o == "I" {
					m.Access &^= hierarchy.AccStatic | hierarchy.AccNative
				}
				p[o].Methods = append(p[o].Methods, m)
			}
		}
		if o != "I" && rapid.IntRange(0, 3).Draw(t, "clinit") == 0 {
			m := randomMethod(t, "<clinit>", owners, types)
			m.Access = hierarchy.AccStatic
			p[o].Methods = append(p[o].Methods, m)
		}
	}
	return p
}

// randomMethod draws a method.
func randomMethod(t *rapid.T, name string, owners, types []string) facts.Method {
	m := facts.Method{Name: name, Desc: "()V", Access: hierarchy.AccPublic, Details: &facts.MethodDetails{}}
	pick := func(list []string, label string) string { return rapid.SampledFrom(list).Draw(t, label) }
	for range rapid.IntRange(0, 2).Draw(t, "declared") {
		m.Details.Declared = append(m.Declared(), pick(types, "declares"))
	}
	m.ThrowsVariable = len(m.Declared()) > 0 && rapid.IntRange(0, 3).Draw(t, "variable") == 0
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		m.Access |= hierarchy.AccNative
		return m
	case 1, 2, 3:
		m.Access |= hierarchy.AccStatic
	}
	handlers := rapid.IntRange(0, 3).Draw(t, "handlers")
	for range handlers {
		m.Details.Handlers = append(m.Handlers(), facts.Handler{})
	}
	if handlers > 0 {
		for range rapid.IntRange(1, 5).Draw(t, "entries") {
			e := facts.TableEntry{Handler: uint16(rapid.IntRange(0, handlers-1).Draw(t, "handler"))}
			if rapid.IntRange(0, 3).Draw(t, "any") > 0 {
				e.Type = pick(types, "caught")
			}
			m.Details.Table = append(m.Table(), e)
			m.Handlers()[e.Handler].Types = append(m.Handlers()[e.Handler].Types, e.Type)
		}
		for range rapid.IntRange(1, 3).Draw(t, "covers") {
			var cover []uint16
			for e := range m.Table() {
				if rapid.Bool().Draw(t, "covered") {
					cover = append(cover, uint16(e))
				}
			}
			m.Details.Covers = append(m.Covers(), cover)
		}
	}
	cover := func() uint16 { return uint16(rapid.IntRange(0, len(m.Covers())-1).Draw(t, "cover")) }
	for i := range rapid.IntRange(0, 3).Draw(t, "throws") {
		th := facts.Throw{Site: facts.Site{Ordinal: uint16(i), Cover: cover(), Line: int32(i + 1)}}
		for range rapid.IntRange(1, 2).Draw(t, "sources") {
			s := facts.Source{Kind: facts.SourceKind(rapid.IntRange(0, 3).Draw(t, "source")), Call: -1}
			switch s.Kind {
			case facts.NewSource:
				s.Type = pick(types, "new")
				m.Allocs = append(m.Allocs, facts.Alloc{Type: s.Type})
			case facts.TypedSource:
				s.Type = pick(types, "typed")
			case facts.CaughtSource:
				if handlers == 0 {
					continue
				}
				s.Handler = uint16(rapid.IntRange(0, handlers-1).Draw(t, "rethrown"))
				if rapid.IntRange(0, 3).Draw(t, "cast") == 0 {
					s.Type = pick(types, "castTo")
				}
			}
			th.Sources = append(th.Sources, s)
		}
		if handlers > 0 && rapid.Bool().Draw(t, "wraps") {
			th.Causes = []uint16{uint16(rapid.IntRange(0, handlers-1).Draw(t, "cause"))}
		}
		m.Details.Throws = append(m.Throws(), th)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
		c := facts.Call{Site: facts.Site{Ordinal: uint16(i), Cover: cover(), Line: int32(100 + i)},
			MemberRef: &facts.MemberRef{Owner: pick(owners, "owner"),
				Name: fmt.Sprintf("m%d", rapid.IntRange(0, 2).Draw(t, "callee")), Desc: "()V"},
			Kind: facts.CallKind(rapid.IntRange(0, 3).Draw(t, "call"))}
		c.OwnerIsInterface = c.Owner == "I"
		m.Calls = append(m.Calls, c)
	}
	for range rapid.IntRange(0, 2).Draw(t, "allocs") {
		if o := pick(owners, "allocated"); o != "I" {
			m.Allocs = append(m.Allocs, facts.Alloc{Type: o})
			m.Inits = append(m.Inits, facts.Init{Site: facts.Site{Cover: cover()}, Class: o})
		}
	}
	return m
}

// oracle computes ReachingThrows literally.
type oracle struct {
	g  *callgraph.Graph
	st Studied
	rt []map[thrown]bool // by node
	// caught holds what arrives at handlers: node, handler, throw site.
	caught map[arrival]bool
	// survives tells which edges there are; nil: all.
	survives func(site int32, callee callgraph.NodeID) bool
	// closes tells which throws control does not reach; nil: none.
	closes func(n callgraph.NodeID, throw int) bool
}

// thrown is an exception on its way: a throw site (node, kind, ordinal), the
// types it may have, and whether a compiler has checked its way.
type thrown struct {
	node    callgraph.NodeID
	kind    SiteKind
	ordinal int
	span    span
	sneaky  bool
}

type arrival struct {
	node    callgraph.NodeID
	handler int
	site    thrown // without span and layer
}

func newOracle(g *callgraph.Graph, st Studied) *oracle {
	o := &oracle{g: g, st: st, rt: make([]map[thrown]bool, g.NumNodes()), caught: map[arrival]bool{}}
	for i := range o.rt {
		o.rt[i] = map[thrown]bool{}
	}
	for changed := true; changed; {
		changed = false
		for n := range g.Nodes {
			if o.update(callgraph.NodeID(n)) {
				changed = true
			}
		}
	}
	return o
}

// update evaluates the equation of one method.
func (o *oracle) update(n callgraph.NodeID) (changed bool) {
	m := o.g.Method(n)
	leave := func(t thrown, cover uint16) {
		if o.pass(n, m, t, m.Covers()[cover], map[int]bool{}) && !o.rt[n][t] {
			o.rt[n][t] = true
			changed = true
		}
	}
	for _, t := range o.gen(n, m) {
		cover := uint16(0)
		if t.kind == Explicit {
			cover = m.Throws()[t.ordinal].Cover
		}
		leave(t, cover)
	}
	for i, s := range o.g.SitesOf(n) {
		for _, callee := range o.g.Targets(s.Set) {
			if o.survives != nil && !o.survives(o.g.Nodes[n].First+int32(i), callee) {
				continue
			}
			for t := range o.rt[callee] {
				if s.Kind == callgraph.ClassInit && !o.mayBe(t.span, "java/lang/Error") {
					continue
				}
				// Handlers see it before the compiler's rule ends its way.
				o.pass(n, m, t, m.Covers()[s.Cover], map[int]bool{})
				if up, ok := o.checkedRule(n, m, s, t); ok {
					leave(up, s.Cover)
				}
			}
		}
	}
	return changed
}

// gen lists what a method throws itself.
func (o *oracle) gen(n callgraph.NodeID, m *facts.Method) (out []thrown) {
	own := o.st.Own != nil && o.st.Own(o.g.Class(n))
	add := func(t thrown, variable bool) {
		for _, s := range o.parts(t.span, own, t.kind == Native) {
			t.span = s
			t.sneaky = o.isChecked(s) && (variable || !o.declares(m, s))
			if s.cone && o.isChecked(s) && !t.sneaky {
				continue // handled class by class below
			}
			out = append(out, t)
		}
	}
	if m.Access&hierarchy.AccNative != 0 {
		for _, d := range m.Declared() {
			add(thrown{node: n, kind: Native, span: span{t: o.g.H.Lookup(d), cone: true}}, false)
		}
		return out
	}
	for i, th := range m.Throws() {
		if o.closes != nil && o.closes(n, i) {
			continue
		}
		for _, s := range th.Sources {
			t := thrown{node: n, kind: Explicit, ordinal: i}
			switch s.Kind {
			case facts.NewSource:
				t.span = span{t: o.g.H.Lookup(s.Type)}
				add(t, false)
			case facts.TypedSource:
				t.span = span{t: o.g.H.Lookup(s.Type), cone: true}
				add(t, m.ThrowsVariable)
			case facts.NullSource:
				t.span = span{t: o.g.H.Lookup("java/lang/NullPointerException")}
				add(t, false)
			}
		}
	}
	return out
}

// parts splits a span into what is studied of it: cones of unchecked exceptions,
// the cone of checked ones, and, beside that cone, each of its classes. Which of
// the two is used depends on the layer.
func (o *oracle) parts(s span, own, native bool) (out []span) {
	h := o.g.H
	all := o.st.Exceptions == All || o.st.Exceptions == CheckedOwn && own
	if !s.cone {
		if all || o.isChecked(s) && (o.st.Exceptions != IO || h.IsSubtype(s.t, h.Lookup("java/io/IOException"))) {
			return []span{s}
		}
		return nil
	}
	if o.st.Exceptions == IO && !h.IsSubtype(s.t, h.Lookup("java/io/IOException")) {
		if !h.IsSubtype(h.Lookup("java/io/IOException"), s.t) {
			return nil
		}
		s.t = h.Lookup("java/io/IOException")
	}
	unchecked := func(name string) {
		if r := h.Lookup(name); h.IsSubtype(r, s.t) {
			out = append(out, span{t: r, cone: true})
		} else if h.IsSubtype(s.t, r) {
			out = append(out, s)
		}
	}
	if all {
		unchecked("java/lang/RuntimeException")
		unchecked("java/lang/Error")
	}
	if o.isChecked(span{t: s.t}) {
		top := s.t == h.Throwable() || s.t == h.Lookup("java/lang/Exception")
		out = append(out, span{t: s.t, cone: true, checked: top})
		for x := range h.NumTypes() {
			x := hierarchy.TypeID(x)
			if h.IsSubtype(x, s.t) && o.isChecked(span{t: x}) && (native || o.made(x)) {
				out = append(out, span{t: x})
			}
		}
		if len(out) == 0 || out[len(out)-1].cone {
			out = append(out, span{t: s.t})
		}
	}
	return out
}

// made tells whether the program makes an object of the class.
func (o *oracle) made(t hierarchy.TypeID) bool { return slices.Contains(o.g.Created(), t) }

// isChecked tells whether all of a span is checked, given that it was split.
func (o *oracle) isChecked(s span) bool {
	h := o.g.H
	return !h.IsSubtype(s.t, h.Lookup("java/lang/RuntimeException")) && !h.IsSubtype(s.t, h.Lookup("java/lang/Error"))
}

// mayBe tells whether some exceptions of a span are instances of a class; mustBe
// whether all are.
func (o *oracle) mayBe(s span, name string) bool {
	c := o.g.H.Lookup(name)
	if c == hierarchy.NoType {
		return false
	}
	if o.g.H.IsSubtype(s.t, c) {
		return true
	}
	return s.cone && o.g.H.IsSubtype(c, s.t) && (!s.checked || o.isChecked(span{t: c}))
}

func (o *oracle) mustBe(s span, name string) bool {
	c := o.g.H.Lookup(name)
	return c != hierarchy.NoType && o.g.H.IsSubtype(s.t, c)
}

func (o *oracle) declares(m *facts.Method, s span) bool {
	return slices.ContainsFunc(m.Declared(), func(d string) bool { return o.mayBe(s, d) })
}

// checkedRule applies checkedrule.go's rule at a call.
func (o *oracle) checkedRule(n callgraph.NodeID, m *facts.Method, s callgraph.Site, t thrown) (thrown, bool) {
	if t.sneaky || !o.isChecked(t.span) || o.declares(m, t.span) {
		return t, true
	}
	ref := o.g.Ref(s.Set)
	if ref == hierarchy.NoMethod || !o.g.H.Method(ref).ThrowsVariable && o.declares(o.g.H.Method(ref), t.span) {
		t.sneaky = true
		return t, true
	}
	return t, false
}

// pass is trynest and kill: it follows an exception through the entries that
// cover it, notes where it arrives, and tells whether any of it leaves.
func (o *oracle) pass(n callgraph.NodeID, m *facts.Method, t thrown, cover []uint16, seen map[int]bool) bool {
	leaves := false
	for _, i := range cover {
		e := m.Table()[i]
		if e.Type != "" && !o.mayBe(t.span, e.Type) {
			continue
		}
		if h := int(e.Handler); !seen[h] {
			seen[h] = true
			o.caught[arrival{n, h, thrown{node: t.node, kind: t.kind, ordinal: t.ordinal}}] = true
			for _, th := range m.Throws() {
				for _, s := range th.Sources {
					if s.Kind == facts.CaughtSource && int(s.Handler) == h &&
						(s.Type == "" || o.mayBe(t.span, s.Type)) {
						leaves = o.pass(n, m, t, m.Covers()[th.Cover], seen) || leaves
					}
				}
			}
		}
		if e.Type == "" || o.mustBe(t.span, e.Type) {
			return leaves
		}
	}
	return true
}

func (o *oracle) siteOf(s ThrowSite, n callgraph.NodeID) thrown {
	return thrown{node: n, kind: s.Kind, ordinal: s.Ordinal}
}

// handlersOf lists every handler of a program.
func handlersOf(p program) (out []HandlerRef) {
	for _, n := range p.names() {
		for i := range p[n].Methods {
			for h := range p[n].Methods[i].Handlers() {
				out = append(out, HandlerRef{n, i, h})
			}
		}
	}
	return out
}

// entriesOf are the entry points of a random program.
func entriesOf(p program) (out []features.MethodRef) {
	for _, c := range []string{"C0", "C1"} {
		if p[c] != nil {
			for _, m := range p[c].Methods {
				if m.Name != "<clinit>" {
					out = append(out, features.MethodRef{Class: c, Name: m.Name, Desc: m.Desc})
				}
			}
		}
	}
	return out
}

func TestSolverAgainstEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProgram(t)
		cfg := callgraph.Config{Workspace: p.names(), Entries: entriesOf(p)}
		exceptions := ExceptionSet(rapid.IntRange(0, 3).Draw(t, "studied"))
		st := Studied{Exceptions: exceptions, Sites: Sites(0).With(Native).With(Explicit),
			Own: func(c string) bool { return c == "C0" }}
		for _, g := range []*callgraph.Graph{cha.Build(loaded(p), cfg), rta.Build(loaded(p), cfg)} {
			checkAgainst(t, g, handlersOf(p), st)
			if d := CheckClimbs(g, st); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// checkAgainst compares everything that a result says with the oracle.
func checkAgainst(t *rapid.T, g *callgraph.Graph, targets []HandlerRef, st Studied) {
	o := newOracle(g, st)
	r := Analyze(g, targets, st, nil)
	found := map[arrival]bool{}
	for i, target := range targets {
		n := g.Find(target.Class, target.Method)
		for _, id := range r.LinksAt(i) {
			l := r.Link(id)
			at, _ := r.locate(id)
			site := o.siteOf(l.Site, r.table.sites[at.site].node)
			a := arrival{n, target.Handler, site}
			found[a] = true
			if !o.caught[a] {
				t.Fatalf("%s: link %+v is not in the equations' solution", g.Algorithm, l)
			}
			checkLink(t, r, id, l)
		}
	}
	for a := range o.caught {
		if !found[a] {
			t.Fatalf("%s: %s.%s handler %d: missing link from %s.%s %v %d", g.Algorithm, g.Class(a.node),
				g.Method(a.node).Name, a.handler,
				g.Class(a.site.node), g.Method(a.site.node).Name, a.site.kind, a.site.ordinal)
		}
	}
	for n := range g.Nodes {
		checkReaching(t, o, r, callgraph.NodeID(n))
	}
}

// checkReaching compares RT(m).
func checkReaching(t *rapid.T, o *oracle, r *Result, n callgraph.NodeID) {
	want := map[string]bool{}
	for x := range o.rt[n] {
		want[fmt.Sprint(o.g.Class(x.node), r.methodName(x.node), x.kind, x.ordinal)] = true
	}
	got := map[string]bool{}
	for _, s := range r.ReachingThrows(o.g.Class(n), o.g.H.Index(o.g.Nodes[n].Method)) {
		got[fmt.Sprint(s.Class, s.Method, s.Kind, s.Ordinal)] = true
	}
	if len(want) != len(got) {
		t.Fatalf("RT(%s.%s): want %v, got %v", o.g.Class(n), r.methodName(n), want, got)
	}
	for s := range want {
		if !got[s] {
			t.Fatalf("RT(%s.%s): want %v, got %v", o.g.Class(n), r.methodName(n), want, got)
		}
	}
}

// checkLink checks what hangs on a link: its chain, its prediction, and that the
// throwing side tells the same.
func checkLink(t *rapid.T, r *Result, id LinkID, l Link) {
	h, chain := r.Handler(l.Target), r.Chain(id)
	if chain[0].Class != h.Class || chain[len(chain)-1].Class != l.Site.Class ||
		chain[len(chain)-1].Line != l.Site.Line {
		t.Fatalf("chain of %+v: %v", l, chain)
	}
	if !r.Predicts(l.Site, l.Target) {
		t.Fatalf("%+v is not predicted", l)
	}
	n, limited := r.CountChains(id, 3)
	if n == 0 && !limited {
		t.Fatalf("%+v has no chain", l)
	}
	shortest := len(chain)
	r.Chains(id, 3, func(c []Frame) bool {
		if len(c) < shortest {
			t.Fatalf("chain %v of %+v is shorter than %v", c, l, chain)
		}
		return true
	})
	checkStarts(t, r, id)
	if l.Site.Kind != Explicit {
		return
	}
	at, _ := r.locate(id)
	p := &r.table.sites[at.site]
	if !slices.Contains(r.CaughtAtThrow(l.Site.Class, r.g.H.Index(r.g.Nodes[p.node].Method), l.Site.Ordinal).Links,
		id) {
		t.Fatalf("%+v is not among CaughtAtThrow", l)
	}
}

// checkStarts checks the calls that chains of a link start with: by all its chains, and on a graph
// that confirmed the result by what a search from each call alone finds.
func checkStarts(t *rapid.T, r *Result, id LinkID) {
	at, _ := r.locate(id)
	p := &r.table.sites[at.site]
	first := func(calls []int32) int32 {
		if len(calls) == 0 {
			return NoCall
		}
		return calls[0]
	}
	got, want := r.Starts(id), map[int32]bool{}
	if s := first(r.Calls(id)); !slices.Contains(got, s) || !slices.IsSorted(got) {
		t.Fatalf("the shortest chain starts with site %d, which is none of %v", s, got)
	}
	limited := false
	if r.joint() && int(at.target) < r.distinct && !r.isRelayed(at) {
		for i := p.sources; i < r.table.sites[at.site+1].sources; i++ {
			src := &r.table.sources[i]
			if r.arrivesLocally(src.group, r.targets[at.target], p) {
				want[NoCall] = true
			}
			for _, s := range r.startSites(src.group, r.targets[at.target]) {
				if r.leavesFrom(src.group, p) && reachesFrom(r.confirmed.ways, s, src, p) {
					want[s] = true
				}
			}
		}
	} else {
		limited = r.eachChain(id, 500, func(calls []int32, _ *throwSite) bool {
			want[first(calls)] = true
			return true
		})
	}
	for s := range want {
		if !slices.Contains(got, s) {
			t.Fatalf("no chain starts with site %d: %v, want %v", s, got, want)
		}
	}
	if !limited && len(got) != len(want) {
		t.Fatalf("chains start with %v, want %v", got, want)
	}
}

// reachesFrom tells whether a way leads from a call to a source on the graph that confirmed a
// result: state by state, as survives tries the edges of one.
func reachesFrom(w *jointChains, call int32, src *source, p *throwSite) bool {
	in, seen := w.j.in, map[int32]bool{}
	var work []int32
	for _, v := range w.j.roots(call) {
		for l := range int32(numLayers) {
			work = append(work, v*int32(numLayers)+l)
		}
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		v, up := s/int32(numLayers), layer(s%int32(numLayers))
		if up == src.layer && in.Nodes[v] == p.node && in.throws(v, src, p) {
			return true
		}
		for e := in.Start[v]; e < in.Start[v+1]; e++ {
			fromSneaky, fromTyped := w.j.graph.ClimbsTo(in.Sites[e], src.group, up)
			if fromSneaky {
				work = append(work, in.To[e]*int32(numLayers)+int32(sneaky))
			}
			if fromTyped {
				work = append(work, in.To[e]*int32(numLayers)+int32(typed))
			}
		}
	}
	return false
}
