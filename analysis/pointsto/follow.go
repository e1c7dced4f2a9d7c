package pointsto

// This file makes the result of a program in which methods have more code than in
// one that was solved.
//
// A solution is the least one of the constraints of the methods that are reached.
// Where each constraint of before is still there, under other names of variables
// (align.go), it is part of the least solution of now, and solving goes on from it:
// the variables of a method get the numbers that its code has for them now, each
// standing for the one of before, and what is new of the code is visited like a
// method. A constraint that is gone makes a program that is solved from scratch.
//
// What is continued is always the solver of the program that was solved from scratch,
// not of the last edit: what one edit adds and a later one takes away again was never
// there, and needs no deletion.

import (
	"cmp"
	"slices"
	"time"

	"github.com/catchlens/catchlens/analysis/align"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// Base is a program that was solved, from which others can be continued. It does not
// change.
type Base struct {
	s       *solver
	entries []features.MethodRef
	classes map[string]bool // of the workspace
}

// maxFollowed bounds the methods with other code: they are visited again each time.
const maxFollowed = 400

// BuildBase is BuildFrom, and keeps what others can be continued from; nil where
// nothing can.
func BuildBase(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, boot *Boot) (*Result, *Base) {
	if p == Containers { // which receivers are told apart depends on which come first
		return BuildFrom(h, cfg, p, boot), nil
	}
	started := time.Now()
	s := solved(h, cfg, p, boot)
	if s.GaveUp() {
		return nil, nil
	}
	s.Save()
	r := s.fork(h.Source()).freeze()
	r.Stats.Seconds = time.Since(started).Seconds()
	if len(s.problems) > 0 || len(r.Graph.Problems()) > 0 {
		// who asked for a class first depends on the order of visits
		return r, nil
	}
	if s.AddressesLent() {
		// which classes have addresses depends on methods that are not reached, too
		return r, nil
	}
	b := &Base{s, cfg.Entries, map[string]bool{}}
	for _, c := range cfg.Workspace {
		b.classes[c] = true
	}
	s.Config = callgraph.Config{}
	h.Forget()
	return r, b
}

// Follow makes the result of a program that differs from that of the base in some of
// the given classes, which are all classes of the workspace. src and cfg are as for
// Build; observations must be those of the base, and what providers there are. ok is
// false where the result has to be built from scratch, or cfg.Cancelled said so.
func (b *Base) Follow(src hierarchy.Source, cfg callgraph.Config, classes []*facts.Class) (r *Result, ok bool) {
	started := time.Now()
	entries, sameEntries := callgraph.NewEntries(b.entries, cfg.Entries)
	changes, ok := b.changes(src, cfg, classes)
	if !ok || !sameEntries || b.s.late {
		// what is new may reach what was observed, which then does not count as called by
		// reflection
		return nil, false
	}
	s := b.s.fork(src)
	s.Config = cfg
	for _, c := range classes {
		t := s.H.Lookup(c.Name)
		if t == hierarchy.NoType || s.H.Facts(t) == c {
			continue
		}
		if !slices.Equal(c.FlowNames, s.H.Facts(t).FlowNames) {
			s.Rename(t)
		}
		s.H.SetFacts(t, c)
	}
	s.edited = s.editedOf(changes)
	if !s.sameContexts() {
		return nil, false
	}
	n := int32(len(s.insts))
	for k := range n {
		if m := s.insts[k].method; m != hierarchy.NoMethod && changes[m] != nil {
			s.visitEdited(k)
		}
	}
	for _, e := range entries {
		if !s.enter(s.H.Load(e.Class, ""), e.Name, e.Desc) {
			return nil, false
		}
	}
	s.Solve()
	if s.GaveUp() {
		return nil, false
	}
	r = s.freeze()
	if len(r.Graph.Problems()) > 0 {
		return nil, false
	}
	r.Stats.Seconds = time.Since(started).Seconds()
	return r, true
}

// changes are the reached methods with other code; ok is false where more has
// changed, or something is gone.
func (b *Base) changes(src hierarchy.Source, cfg callgraph.Config,
	classes []*facts.Class) (map[hierarchy.MethodID]*align.Alignment, bool) {
	s, out := b.s, map[hierarchy.MethodID]*align.Alignment{}
	e := callgraph.Edit{Config: cfg}
	now := make(map[string]bool, len(classes))
	for _, c := range classes {
		now[c.Name] = true
		t := s.H.Lookup(c.Name)
		if !b.classes[c.Name] {
			e.Added = append(e.Added, c.Name)
			continue
		}
		if t == hierarchy.NoType || s.H.Facts(t) == c {
			continue
		}
		before := s.H.Facts(t)
		if before == nil {
			return nil, false
		}
		d := facts.Compare(before, c, facts.ReadsFlow, features.TakesNames)
		if d.Shape || !d.None() && slices.ContainsFunc(cfg.Extra.Edges,
			func(e callgraph.ExtraEdge) bool { return e.From.Class == c.Name }) || !b.noneReached(t, d.Gone) {
			return nil, false
		}
		e.Changed = append(e.Changed, features.ChangedMethods{Class: c, Methods: d.Methods, Added: d.Added,
			Gone: d.Gone})
		if !b.align(out, t, c, d.Methods) {
			return nil, false
		}
	}
	for c := range b.classes {
		if !now[c] {
			e.Removed = append(e.Removed, c)
		}
	}
	return out, !s.Names.ReadAny(s.H, e.Changed, src, cfg.Workspace) && e.Inert(s.H, slices.Values(s.nodes))
}

// noneReached tells whether none of the methods at some positions of a class is reached.
func (b *Base) noneReached(t hierarchy.TypeID, positions []int) bool {
	return !slices.ContainsFunc(positions, func(i int) bool { return b.reached(b.s.H.MethodAt(t, i)) })
}

func (b *Base) reached(m hierarchy.MethodID) bool {
	return int(m) < len(b.s.methods) && b.s.methods[m].node != 0
}

// align finds the code that reached methods of a class had in that of now; false where
// some is gone.
func (b *Base) align(out map[hierarchy.MethodID]*align.Alignment, t hierarchy.TypeID, now *facts.Class,
	methods []int) bool {
	h := b.s.H
	for _, i := range methods {
		f := &now.Methods[i]
		m := h.Declared(t, h.Selector(f.Name, f.Desc))
		if m == hierarchy.NoMethod || !b.reached(m) {
			continue
		}
		row, _ := natives.Model(now.Name, f.Name, f.Desc, false)
		if row != nil || f.Access&hierarchy.AccNative != 0 || len(out) == maxFollowed {
			return false
		}
		a, ok := align.Methods(h.Facts(t), h.Index(m), now, i)
		if !ok || namesMore(a, h) {
			return false
		}
		out[m] = a
	}
	return true
}

// namesMore tells whether a call that is new may name a class by a string or asks for what security
// providers list, or whether the method names what may be an interface, which may be passed to
// others in another way than before.
func namesMore(a *align.Alignment, h *hierarchy.Hierarchy) bool {
	for i, was := range a.Calls {
		if c := &a.Now.Calls[i]; was < 0 && (features.TakesClassName(c) || features.AsksForService(c) != "") {
			return true
		}
	}
	return slices.ContainsFunc(a.Now.Classes()[a.Now.Noted():], func(name string) bool {
		t := h.Lookup(name)
		return name[0] != '[' && (t == hierarchy.NoType || h.IsInterface(t))
	})
}

// edited is what solving goes on with.
type edited struct {
	methods map[hierarchy.MethodID]*align.Alignment
	sites   map[int32][]int32                     // of the instances of these methods, in their order
	calls   map[int32][]int32                     // flow calls of these instances
	were    map[callgraph.NodeID][]callgraph.Site // the sites of these methods in the call graph
	made    map[int32]callgraph.Site              // sites that were made since
}

// editedOf finds what the solver has of some methods.
func (s *solver) editedOf(changes map[hierarchy.MethodID]*align.Alignment) *edited {
	e := &edited{methods: changes, sites: map[int32][]int32{}, calls: map[int32][]int32{},
		were: map[callgraph.NodeID][]callgraph.Site{}, made: map[int32]callgraph.Site{}}
	if len(changes) == 0 {
		return e
	}
	is := func(k int32) bool {
		m := s.insts[k].method
		return m != hierarchy.NoMethod && changes[m] != nil
	}
	for i := range s.isites {
		if k := s.isites[i].inst; is(k) {
			e.sites[k] = append(e.sites[k], int32(i))
			if g := s.isites[i].graph; g >= 0 {
				n := s.gsites[g].node
				e.were[n] = append(e.were[n], s.gsites[g].site)
			}
		}
	}
	for i := range s.calls {
		if k := s.isites[s.calls[i].site].inst; is(k) {
			e.calls[k] = append(e.calls[k], int32(i))
		}
	}
	return e
}

// sameContexts tells whether the constructors with other code are analysed by call
// site if and only if they were.
func (s *solver) sameContexts() bool {
	if s.policy == Insensitive {
		return true
	}
	for m := range s.edited.methods {
		if int(m) < len(s.contexts.stores) && s.contexts.stores[m] == 2 && s.H.Method(m).Name == "<init>" &&
			s.storesParameter(m) {
			return false
		}
	}
	return true
}

// idOf is the number that a call of a method has in contexts.
func (s *solver) idOf(m hierarchy.MethodID, call int) int {
	if s.edited == nil || s.edited.methods[m] == nil {
		return call
	}
	a := s.edited.methods[m]
	if was := a.Calls[call]; was >= 0 {
		return int(was)
	}
	return len(a.Before.Calls) + call
}

// visitEdited adds to an instance what its method has more than before.
func (s *solver) visitEdited(k int32) {
	in := &s.insts[k]
	a := s.edited.methods[in.method]
	v := s.visitorOf(k)
	v.Method = a.Now
	s.rename(k, a)
	v.Base = in.base
	allocs, globals, loads := s.allocs[in.allocs:in.allocsEnd], s.globals[in.globals:in.globalsEnd],
		s.loads[in.loads:in.loadsEnd]
	in.allocs, in.globals, in.loads = int32(len(s.allocs)), int32(len(s.globals)), int32(len(s.loads))
	s.allocs, s.globals, s.loads = append(s.allocs, allocs...), append(s.globals, globals...), append(s.loads, loads...)
	if s.firstInst[in.node] == k {
		v.types()
	}
	from := int32(len(s.isites))
	for i, was := range a.Inits {
		if was < 0 {
			v.AddInitialisers(i)
		}
	}
	fresh := *a.Now
	fresh.Flow, v.Method = a.Fresh, &fresh
	v.flow()
	v.Method = a.Now
	v.nameFields()
	for i, was := range a.Calls {
		if was < 0 {
			v.call(i, &v.Method.Calls[i])
		}
	}
	s.opArgs = s.opArgs[:0]
	for _, n := range v.Method.ClassConstants(v.H.Present) {
		v.ReflectEnum(v.H.Load(n, v.Class.Name))
	}
	in = &s.insts[k]
	in.allocsEnd, in.globalsEnd, in.loadsEnd = int32(len(s.allocs)), int32(len(s.globals)), int32(len(s.loads))
	s.sortSites(k, a, from)
}

// nameFields finds the fields that the method names: Result.Code asks for them.
func (v *visitor) nameFields() {
	facts.EachFlow(v.Method.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowLoad:
			v.FieldAt(v.Type, v.Class, int(x[2]))
		case facts.FlowStore, facts.FlowStaticLoad:
			v.FieldAt(v.Type, v.Class, int(x[1]))
		case facts.FlowStaticStore:
			v.FieldAt(v.Type, v.Class, int(x[0]))
		}
	})
}

// rename gives an instance variables for its code of now. Those of before stay as
// other names of them.
func (s *solver) rename(k int32, a *align.Alignment) {
	in := &s.insts[k]
	base := s.NewVars(a.Count + 1)
	now := func(x int32) int32 { // the number now of a variable of before
		switch i := int(x - in.base); {
		case x == 0 || i < 0:
		case x == in.ret:
			return base + int32(a.Count)
		case i+1 < len(a.Vars) && a.Vars[i+1] != 0:
			return base + int32(a.Vars[i+1]) - 1
		}
		return x
	}
	stands := func(old, now int32) {
		s.Alias(now, old)
	}
	for i, x := range a.Vars {
		if i > 0 && x != 0 {
			stands(in.base+int32(i)-1, base+int32(x)-1)
		}
	}
	if in.ret != 0 {
		stands(in.ret, base+int32(a.Count))
	}
	for _, i := range s.edited.sites[k] {
		x := &s.isites[i]
		x.recv = now(x.recv)
		for j := range int32(x.nargs) {
			s.ipool[x.args+j] = now(s.ipool[x.args+j])
		}
	}
	for _, i := range s.edited.calls[k] {
		c := &s.calls[i]
		c.recv, c.result = now(c.recv), now(c.result)
	}
	if in.ret != 0 {
		in.ret = base + int32(a.Count)
	}
	in.base = base
}

// sortSites gives the sites of an instance the order in which a visit makes them;
// those numbered from fresh on are new.
func (s *solver) sortSites(k int32, a *align.Alignment, fresh int32) {
	in := &s.insts[k]
	calls, inits := places(a.Calls, len(a.Before.Calls)), places(a.Inits, len(a.Before.Inits))
	sites := slices.Clone(s.edited.sites[k])
	where := make(map[int32]callgraph.Site, len(sites))
	for _, i := range sites {
		at := s.edited.were[in.node][s.isites[i].k]
		switch at.Origin {
		case callgraph.FromCalls:
			at.Index = calls[at.Index]
			at.Cover = a.Now.Calls[at.Index].Cover
		case callgraph.FromInits:
			at.Index = inits[at.Index]
			at.Cover = a.Now.Inits[at.Index].Cover
		}
		where[i] = at
	}
	for i := fresh; i < int32(len(s.isites)); i++ {
		if s.isites[i].inst == k { // not those of nodes between lambdas and what they call
			sites = append(sites, i)
			where[i] = s.edited.made[i]
		}
	}
	slices.SortStableFunc(sites, func(i, j int32) int {
		x, y := where[i], where[j]
		return cmp.Or(cmp.Compare(phase(&x), phase(&y)), cmp.Compare(x.Index, y.Index))
	})
	for n, i := range sites {
		x := &s.isites[i]
		x.k = int32(n)
		if x.graph >= 0 {
			g := &s.gsites[x.graph]
			g.k, g.site = int32(n), where[i]
		}
	}
	in.nsites = int32(len(sites))
}

// phase tells when a visit makes a site.
func phase(x *callgraph.Site) int {
	switch x.Origin {
	case callgraph.FromInits:
		return 0
	case callgraph.FromCalls:
		return 1
	}
	return 2
}

// places turns a list of what was at each place into one of where each has come.
func places(was []int32, n int) []int32 {
	out := make([]int32, n)
	for now, i := range was {
		if i >= 0 {
			out[i] = int32(now)
		}
	}
	return out
}
