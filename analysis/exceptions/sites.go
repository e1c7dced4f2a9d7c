package exceptions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds the throw sites of the studied set and groups what they throw
// by how the handlers of the program treat it.

// throwSite is one throw site p; or, of implicit ones, all those of a method
// that have the same cover and throw the same, because there are so many.
type throwSite struct {
	node    callgraph.NodeID
	members int32 // the instructions are members[members:members+count]
	count   int32
	cover   uint16
	kind    SiteKind
	index   int32 // explicit: position in facts.Method.Throws
	wrap    int32 // number of the call graph site whose exceptions it wraps, or -1
	relay   bool  // throws what relays.go says
	takes   bool  // throws, too, what handed.go says
	sources int32 // its sources are sources[sources:next site's sources]
}

// source is one span of exceptions that a throw site throws.
type source struct {
	site  int32
	group int32
	layer layer
	span  span
}

// group is a class of spans that every handler and every edge treats alike, so
// that they flow together.
type group struct {
	treat   []uint8 // by number of the caught or declared type: passes, partial, catches
	checked bool    // all its exceptions are checked ones
	// What edges that let only some exceptions pass do to the group.
	errors, unchecked uint8
}

// pass tells whether some exceptions of the group go from the target of an edge
// to its site as they are.
func (g *group) pass(k callgraph.EdgeKind) bool {
	switch k {
	case callgraph.Call, callgraph.Upcall, callgraph.ReflectionPlain, callgraph.ServiceLoader:
		return true
	case callgraph.ClassInit, callgraph.Bootstrap:
		return g.errors != passes
	case callgraph.Privileged:
		return g.unchecked != passes
	}
	return false
}

// wrapped tells whether some exceptions of the group arrive at the site of an
// edge as the cause of another.
func (g *group) wrapped(k callgraph.EdgeKind) bool {
	switch k {
	case callgraph.ClassInit, callgraph.Bootstrap:
		return g.errors != catches
	case callgraph.Privileged:
		return g.unchecked != catches
	case callgraph.Reflection:
		return true
	}
	return false
}

// member is one instruction of a throwSite.
type member struct {
	ordinal int32 // among the sites of its kind in the method
	line    int32
}

// siteTable is what the analysis knows of throw sites. Sites are ordered by
// class, method, kind and ordinal of the first member.
type siteTable struct {
	sites   []throwSite
	members []member
	sources []source
	groups  []group
}

// siteFinder collects a siteTable.
type siteFinder struct {
	g     *callgraph.Graph
	st    *Studied
	f     *flows
	decl  *declarations
	hand  *handing
	roots roots
	table siteTable

	groupOf map[span]int32
	byTreat map[string]int32
	classes map[coneKey][]hierarchy.TypeID
	made    map[hierarchy.TypeID]bool // see findMade
}

// findSites collects the throw sites of the studied set.
func findSites(g *callgraph.Graph, st *Studied, f *flows, d *declarations, hand *handing) *siteTable {
	s := &siteFinder{g: g, st: st, f: f, decl: d, hand: hand, roots: newRoots(g.H), groupOf: map[span]int32{},
		byTreat: map[string]int32{},
		classes: map[coneKey][]hierarchy.TypeID{}}
	s.findMade()
	for _, n := range s.orderedNodes() {
		s.node(n)
	}
	s.table.sites = append(s.table.sites, throwSite{sources: int32(len(s.table.sources))}) // sentinel
	return &s.table
}

// orderedNodes lists the nodes that may hold throw sites by class, name and
// descriptor.
func (s *siteFinder) orderedNodes() []callgraph.NodeID {
	var out []callgraph.NodeID
	for n := range s.g.Nodes {
		m := s.g.Method(callgraph.NodeID(n))
		if m == nil {
			continue
		}
		if s.mayBeDeclared(m) || len(m.Throws()) > 0 || m.Access&hierarchy.AccNative != 0 || s.st.Sites.Has(Implicit) {
			out = append(out, callgraph.NodeID(n))
		}
	}
	slices.SortFunc(out, func(a, b callgraph.NodeID) int {
		if c := cmp.Compare(s.g.Class(a), s.g.Class(b)); c != 0 {
			return c
		}
		ma, mb := s.g.Method(a), s.g.Method(b)
		return cmp.Or(cmp.Compare(ma.Name, mb.Name), cmp.Compare(ma.Desc, mb.Desc), cmp.Compare(a, b))
	})
	return out
}

// node adds the throw sites of one method.
func (s *siteFinder) node(n callgraph.NodeID) {
	m := s.g.Method(n)
	own := s.st.Own != nil && s.st.Own(s.g.Class(n))
	s.declared(n, m)
	if m.Access&hierarchy.AccNative != 0 {
		if s.st.Sites.Has(Native) {
			s.native(n, m, own)
		}
		return
	}
	if s.st.Sites.Has(Explicit) {
		for i := range m.Throws() {
			s.explicit(n, i, m, own)
		}
	}
	if s.st.Sites.Has(Implicit) {
		s.implicit(n, m, own)
	}
}

// mayBeDeclared tells whether a fault of the user's is about methods of the name.
func (s *siteFinder) mayBeDeclared(m *facts.Method) bool {
	return slices.ContainsFunc(s.st.Faults, func(f faults.Declared) bool { return f.Method == m.Name })
}

// declared adds the faults of the user's own that strike a method. No try of the
// method covers them: they strike in place of its code.
func (s *siteFinder) declared(n callgraph.NodeID, m *facts.Method) {
	for i := range s.st.Faults {
		f := &s.st.Faults[i]
		isA := func(super string) bool {
			return below(s.g.H, s.g.H.Lookup(s.g.Class(n)), s.g.H.Lookup(super))
		}
		t := s.g.H.Lookup(f.Exception)
		if t == hierarchy.NoType || !f.Strikes(s.g.Class(n), m.Name, m.Desc, m.Access, isA) {
			continue
		}
		s.open(n, 0, Declared, member{int32(i), int32(m.FirstLine)})
		s.addPart(span{t: t}, false)
		s.close()
	}
}

// native adds a native method: it throws what the table of natives says, else
// what it declares or a subclass of that.
func (s *siteFinder) native(n callgraph.NodeID, m *facts.Method, own bool) {
	s.open(n, 0, Native, member{})
	s.relay(n)
	for i := s.g.Nodes[n].First; i < s.g.Nodes[n].End; i++ {
		if k := s.g.Sites[i].Kind; k == callgraph.Reflection || k == callgraph.Privileged {
			s.table.sites[len(s.table.sites)-1].wrap = i
		}
	}
	for _, sp := range nativeThrows(s.g.H, s.g.Class(n), m) {
		s.add(sp, own, false)
	}
	s.close()
}

// nativeThrows lists what a native method may throw.
func nativeThrows(h *hierarchy.Hierarchy, class string, m *facts.Method) []span {
	row, ok := natives.Model(class, m.Name, m.Desc, true)
	if ok && row.Silent {
		return nil
	}
	var out []span
	if !ok || len(row.Throws) == 0 {
		for _, d := range m.Declared() {
			if t := h.Lookup(d); t != hierarchy.NoType {
				out = append(out, span{t: t, cone: true})
			}
		}
		return out
	}
	for _, d := range row.Throws {
		name, cone := strings.CutSuffix(d, natives.AnySubtype)
		if t := h.Lookup(name); t != hierarchy.NoType {
			out = append(out, span{t: t, cone: cone})
		}
	}
	return out
}

// explicit adds an athrow, for what it does not merely throw again. Throwing
// null throws a NullPointerException (JLS 14.18).
func (s *siteFinder) explicit(n callgraph.NodeID, index int, m *facts.Method, own bool) {
	t := &m.Throws()[index]
	s.open(n, t.Cover, Explicit, member{int32(t.Ordinal), t.Line})
	s.table.sites[len(s.table.sites)-1].index = int32(index)
	for _, src := range t.Sources {
		typ := s.g.H.Lookup(src.Type)
		switch {
		case src.Kind == facts.NullSource:
			s.addNamed("java/lang/NullPointerException", own)
		case typ == hierarchy.NoType:
		case src.Kind == facts.NewSource:
			s.add(span{t: typ}, own, false)
		case src.Kind == facts.TypedSource:
			s.typed(span{t: typ, cone: true}, n, index, &src, own)
		}
	}
	s.handed(n, index)
	s.close()
}

// typed adds an object of which the method's code tells the static type only.
func (s *siteFinder) typed(sp span, n callgraph.NodeID, index int, src *facts.Source, own bool) {
	m := s.g.Method(n)
	variable := throwsVariable(m, src)
	if variable && s.relay(n) {
		return
	}
	row, ok := natives.Model(s.g.Class(n), m.Name, m.Desc, false)
	switch {
	case ok && variable && len(row.Throws) > 0:
		for _, d := range row.Throws {
			if t := s.g.H.Lookup(d); t != hierarchy.NoType {
				s.add(span{t: t}, own, true)
			}
		}
		return
	case ok && row.Checked:
		variable = false
	}
	if classes, ok := s.g.Throws(n, index); ok {
		s.thrown(sp, n, src, classes, own, variable)
		return
	}
	s.add(sp, own, variable)
}

// implicitTypes are the exceptions of facts.ImplicitKind, by bit (JVMS 6.5).
var implicitTypes = [...]string{
	"java/lang/NullPointerException", "java/lang/ArrayIndexOutOfBoundsException", "java/lang/ArrayStoreException",
	"java/lang/ArithmeticException", "java/lang/ClassCastException", "java/lang/NegativeArraySizeException",
	"java/lang/IllegalMonitorStateException", "java/lang/OutOfMemoryError",
}

// ByInstruction tells whether an instruction may throw an exception of a class by itself, given by
// the internal names of the class and of those above it: the run-time exceptions and errors of JVMS
// 6.5, those of linking and initialising a class that it names (JVMS 5.4, 5.5), and
// VirtualMachineError (JVMS 6.3).
func ByInstruction(classes []string) bool {
	return slices.ContainsFunc(classes, func(c string) bool {
		return slices.Contains(implicitTypes[:], c) || c == "java/lang/LinkageError" ||
			c == "java/lang/VirtualMachineError"
	})
}

// implicit adds the instructions that throw by themselves. Their ordinals: those
// of facts.Method.Implicit; after them the instructions of facts.Method.Inits,
// which may run a class initialiser that fails (JVMS 5.5).
func (s *siteFinder) implicit(n callgraph.NodeID, m *facts.Method, own bool) {
	type block struct {
		cover uint16
		kind  facts.ImplicitKind
	}
	const classInit = 1 << 15 // beside the bits of facts.ImplicitKind
	members := map[block][]member{}
	var order []block
	put := func(b block, x member) {
		if members[b] == nil {
			order = append(order, b)
		}
		members[b] = append(members[b], x)
	}
	for i := range m.Implicit() {
		x := &m.Implicit()[i]
		put(block{x.Cover, x.Kind}, member{int32(x.Ordinal), x.Line})
	}
	for _, site := range s.g.SitesOf(n) {
		if site.Kind == callgraph.ClassInit && site.Origin == callgraph.FromInits {
			put(block{site.Cover, classInit}, member{int32(len(m.Implicit())) + site.Index, m.Inits[site.Index].Line})
		}
	}
	for _, b := range order {
		s.open(n, b.cover, Implicit, members[b]...)
		for bit, name := range implicitTypes {
			if b.kind>>bit&1 != 0 {
				s.addNamed(name, own)
			}
		}
		if b.kind == classInit {
			s.addNamed("java/lang/ExceptionInInitializerError", own)
		}
		s.close()
	}
}

// addNamed adds exactly one class to the open site.
func (s *siteFinder) addNamed(name string, own bool) {
	if t := s.g.H.Lookup(name); t != hierarchy.NoType {
		s.add(span{t: t}, own, false)
	}
}

// open starts a throw site.
func (s *siteFinder) open(n callgraph.NodeID, cover uint16, k SiteKind, members ...member) {
	s.table.sites = append(s.table.sites,
		throwSite{node: n, members: int32(len(s.table.members)), count: int32(len(members)),
			cover: cover, kind: k, wrap: -1, sources: int32(len(s.table.sources))})
	s.table.members = append(s.table.members, members...)
}

// close ends a throw site, and drops it when it throws nothing studied.
func (s *siteFinder) close() {
	last := len(s.table.sites) - 1
	if p := &s.table.sites[last]; !p.relay && !p.takes && int(s.table.sites[last].sources) == len(s.table.sources) {
		s.table.members = s.table.members[:s.table.sites[last].members]
		s.table.sites = s.table.sites[:last]
	}
}

// add adds the studied part of a span to the open site. variable is as in
// declarations.origin.
func (s *siteFinder) add(sp span, own, variable bool) {
	if part, ok := confine(s.st, s.g.H, &s.roots, sp, own); ok {
		s.addPart(part, variable)
	}
}

// addPart adds a span that is studied whole. A cone of checked and unchecked
// exceptions becomes two or three, because the rule of checked exceptions holds
// for a part of it only. A cone to which that rule applies becomes its classes,
// because a method that declares some of them lets just these pass.
func (s *siteFinder) addPart(sp span, variable bool) {
	if sp.cone && !sp.checked && (sp.t == s.roots.throwable || sp.t == s.roots.exception) {
		s.addPart(span{t: sp.t, cone: true, checked: true}, variable)
		s.addPart(span{t: s.roots.runtime, cone: true}, variable)
		if sp.t == s.roots.throwable {
			s.addPart(span{t: s.roots.err, cone: true}, variable)
		}
		return
	}
	site := &s.table.sites[len(s.table.sites)-1]
	k := s.group(sp)
	l := s.decl.origin(&s.table.groups[k], site.node, variable)
	if sp.cone && l == typed && s.table.groups[k].checked {
		for _, c := range s.classesOf(sp, site.kind == Native) {
			k := s.group(span{t: c})
			s.addSource(span{t: c}, s.decl.origin(&s.table.groups[k], site.node, false))
		}
		return
	}
	s.addSource(sp, l)
}

// addSource adds a source to the open site, once.
func (s *siteFinder) addSource(sp span, l layer) {
	site := int32(len(s.table.sites) - 1)
	for _, have := range s.table.sources[s.table.sites[site].sources:] {
		if have.span == sp && have.layer == l {
			return
		}
	}
	s.table.sources = append(s.table.sources, source{site: site, group: s.group(sp), layer: l, span: sp})
}

// classesOf lists the numbered classes in a cone of checked exceptions, and the
// root of the cone: each stands for itself and for its subclasses that no
// handler and no declaration names, which are treated alike. Classes that stand
// for nothing of which the program makes an object are left out, unless native
// code may make one.
func (s *siteFinder) classesOf(sp span, native bool) []hierarchy.TypeID {
	if out, ok := s.classes[coneKey{sp, native}]; ok {
		return out
	}
	h := s.g.H
	var out []hierarchy.TypeID
	for _, c := range s.f.numbers.types {
		if c == hierarchy.NoType || c == sp.t || !h.IsSubtype(c, sp.t) || s.roots.unchecked(h, c) {
			continue
		}
		if native || s.made[c] {
			out = append(out, c)
		}
	}
	root := native || s.made[sp.t]
	if _, numbered := s.f.numbers.of[sp.t]; !numbered && !root {
		for _, x := range s.g.Created() {
			if h.IsSubtype(x, sp.t) && !s.roots.unchecked(h, x) &&
				!slices.ContainsFunc(out, func(c hierarchy.TypeID) bool { return h.IsSubtype(x, c) }) {
				root = true
				break
			}
		}
	}
	if root || len(out) == 0 {
		out = append(out, sp.t)
	}
	s.classes[coneKey{sp, native}] = out
	return out
}

// coneKey is a question to classesOf.
type coneKey struct {
	span   span
	native bool
}

// findMade notes the numbered classes that stand for checked exceptions of which
// the program makes objects.
func (s *siteFinder) findMade() {
	s.made = map[hierarchy.TypeID]bool{}
	for _, x := range s.g.Created() {
		if !s.g.H.IsSubtype(x, s.roots.throwable) || s.roots.unchecked(s.g.H, x) {
			continue
		}
		for c := x; c != hierarchy.NoType; c = s.g.H.Super(c) {
			if _, ok := s.f.numbers.of[c]; ok {
				s.made[c] = true
				break
			}
		}
	}
}

// group returns the number of a span's group.
func (s *siteFinder) group(sp span) int32 {
	if g, ok := s.groupOf[sp]; ok {
		return g
	}
	types := s.f.numbers.types
	treat := make([]uint8, len(types), len(types)+3)
	gr := group{treat: treat, errors: s.treatment(sp, s.roots.err), unchecked: s.treatment(sp, s.roots.err)}
	if u := s.treatment(sp, s.roots.runtime); u > gr.unchecked {
		gr.unchecked = u
	}
	gr.checked = gr.unchecked == passes
	if !gr.checked {
		types = types[:s.f.caught] // what methods declare does not matter
	}
	for i, c := range types {
		treat[i] = s.treatment(sp, c)
	}
	key := string(append(treat, gr.errors, gr.unchecked))
	g, ok := s.byTreat[key]
	if !ok {
		g = int32(len(s.table.groups))
		s.byTreat[key] = g
		s.table.groups = append(s.table.groups, gr)
	}
	s.groupOf[sp] = g
	return g
}

// treatment says what catching type c does to the exceptions of a span.
func (s *siteFinder) treatment(sp span, c hierarchy.TypeID) uint8 {
	h := s.g.H
	switch {
	case c == hierarchy.NoType:
		return passes
	case h.IsSubtype(sp.t, c):
		return catches
	case !sp.cone || !h.IsSubtype(c, sp.t), sp.checked && s.roots.unchecked(h, c):
		return passes
	}
	return partial
}
