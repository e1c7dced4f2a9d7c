package exceptions

import (
	"iter"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file is the result: links, and what is asked of them.

// HandlerRef names a handler: internal class name, position of the method in
// the class file, position in facts.Method.Handlers.
type HandlerRef struct {
	Class   string
	Method  int
	Handler int
}

// ThrowSite is the identity of a throw site p, and where it stands.
type ThrowSite struct {
	Class  string // internal name
	Method string // name and descriptor, as in readBytes([BII)I
	// among the athrow instructions of the method; 0 for native; see Kind Implicit in sites.go;
	// index in Studied.Faults for Declared
	Ordinal int
	Line    int // 0 if unknown
	Kind    SiteKind
}

// LinkID is the number of a link in one Result.
type LinkID int32

// Link is one e-c link (p, c).
type Link struct {
	Target int // number of the handler, see Result.Handler
	Site   ThrowSite
	Root   *ThrowSite // the native operation below an explicit site, nil where there is none or more than one
	// Exception is the internal name of the most precise type that is known of
	// what arrives: the thrown type, or the caught one where that is narrower.
	Exception string
}

// link is a Link in numbers.
type link struct {
	target, site int32
	typ          hierarchy.TypeID
}

// Result is what Analyze found. It may be used by many goroutines.
type Result struct {
	Studied Studied

	g       *callgraph.Graph
	f       *flows
	table   *siteTable
	solver  *solver
	targets []target // those asked for, each place once, then the handlers and sites of causes
	asked   []HandlerRef
	// canonical holds the positions in targets of those asked for; distinct is
	// how many positions they take.
	canonical []int32
	distinct  int
	first     []int32 // by position below distinct: the first number that was asked for
	links     []link
	start     []int32 // the links of target t are links[start[t]:start[t+1]]
	// base holds the first LinkID of each of links: one of them stands for as
	// many Links as its throwSite has members.
	base     []int32
	limited  bool
	targetOf map[targetKey]int32
	// confirmed is set in results of ConfirmJoint.
	confirmed *confirmation
	climbing  defect.Once
	climbs    []uint64 // by site: a mask of groups, see Climbs

	chains chainCache
	names  defect.Once
	byName map[string][]int32 // throw sites by class + "." + method name
	roots  defect.Once
	rootOf []int32 // by throw site: the one native site below it, or -1
}

// targetKey identifies a target.
type targetKey struct {
	node    callgraph.NodeID
	handler int32
	site    int32
}

// Analyze finds every e-c link that ends in one of the targets. A target in a
// method that the graph does not reach, or that does not exist, has none. cancelled,
// which may be nil, is asked now and then; the result is nil if it said true.
func Analyze(g *callgraph.Graph, targets []HandlerRef, st Studied, cancelled func() bool) *Result {
	r := &Result{Studied: st, g: g, asked: targets, targetOf: map[targetKey]int32{}}
	r.f = newFlows(g)
	d := newDeclarations(g, &r.f.numbers)
	var hand *handing
	if len(targets) > 0 {
		hand = newHanding(g, &st)
	}
	r.table = findSites(g, &st, r.f, d, hand)
	r.solver = newSolver(g, r.f, d, r.table, &st, hand)
	r.addTargets()
	pairs, ok := r.solver.links(newTargetSet(r.f, r.targets), cancelled)
	if !ok {
		return nil
	}
	r.keep(pairs)
	return r
}

// addTargets numbers the targets asked for, each place once, and then the
// places where causes of throw sites arrive.
func (r *Result) addTargets() {
	for _, t := range r.asked {
		k := targetKey{r.g.Find(t.Class, t.Method), int32(t.Handler), -1}
		if k.node == callgraph.NoNode || t.Handler < 0 || t.Handler >= len(r.g.Method(k.node).Handlers()) {
			k = targetKey{callgraph.NoNode, int32(len(r.targets)), -1} // nothing arrives
		}
		r.canonical = append(r.canonical, r.addTarget(k))
		if len(r.targets) > len(r.first) {
			r.first = append(r.first, int32(len(r.canonical)-1))
		}
	}
	r.distinct = len(r.targets)
	if r.distinct == 0 {
		return
	}
	for i := range r.table.sites[:len(r.table.sites)-1] {
		for _, k := range r.causeKeys(int32(i)) {
			r.addTarget(k)
		}
	}
}

func (r *Result) addTarget(k targetKey) int32 {
	if t, ok := r.targetOf[k]; ok {
		return t
	}
	t := int32(len(r.targets))
	r.targetOf[k] = t
	r.targets = append(r.targets, target(k))
	return t
}

// keep makes the links, of those targets that were asked for and of those where
// causes of kept links arrive.
func (r *Result) keep(pairs []pair) {
	from := make([]int32, len(r.targets)+1)
	for _, p := range pairs {
		from[p.target+1]++
	}
	for i := 1; i < len(from); i++ {
		from[i] += from[i-1]
	}
	needed := make([]bool, len(r.targets))
	var work []int32
	need := func(t int32) {
		if !needed[t] {
			needed[t] = true
			work = append(work, t)
		}
	}
	for _, t := range r.canonical {
		need(t)
	}
	seen := make([]bool, len(r.table.sites))
	for len(work) > 0 {
		t := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range pairs[from[t]:from[t+1]] {
			site := r.table.sources[p.source].site
			if seen[site] {
				continue
			}
			seen[site] = true
			for _, k := range r.causeKeys(site) {
				need(r.targetOf[k])
			}
		}
	}
	r.start = []int32{0}
	for t := range r.targets {
		if needed[t] {
			r.keepTarget(int32(t), pairs[from[t]:from[t+1]])
		}
		r.start = append(r.start, int32(len(r.links)))
	}
	r.base = make([]int32, len(r.links)+1)
	for i, l := range r.links {
		count := r.table.sites[l.site].count
		if count > math.MaxInt32-r.base[i] {
			count, r.limited = 0, true
		}
		r.base[i+1] = r.base[i] + count
	}
}

// locate finds a Link: one of links, and a member of its throw site.
func (r *Result) locate(id LinkID) (*link, int32) {
	i := sort.Search(len(r.links), func(i int) bool { return r.base[i+1] > int32(id) })
	return &r.links[i], int32(id) - r.base[i]
}

// keepTarget makes the links of one target; a throw site with several sources
// has one.
func (r *Result) keepTarget(t int32, pairs []pair) {
	for i := 0; i < len(pairs); {
		site := r.table.sources[pairs[i].source].site
		l := link{target: t, site: site, typ: hierarchy.NoType}
		for ; i < len(pairs) && r.table.sources[pairs[i].source].site == site; i++ {
			typ := r.narrow(r.table.sources[pairs[i].source].span, r.targets[t])
			if l.typ == hierarchy.NoType {
				l.typ = typ
			} else {
				l.typ = r.g.H.CommonSuperclass(l.typ, typ)
			}
		}
		r.links = append(r.links, l)
	}
}

// narrow is the most precise type of what arrives at a target out of a span.
func (r *Result) narrow(s span, t target) hierarchy.TypeID {
	if t.handler == noHandler || !s.cone {
		return s.t
	}
	h, typ := r.g.H, hierarchy.NoType
	for _, n := range r.g.Method(t.node).Handlers()[t.handler].Types {
		c := h.Throwable()
		if n != "" {
			c = h.Lookup(n)
		}
		switch {
		case c == hierarchy.NoType:
		case h.IsSubtype(s.t, c):
			return s.t
		case !h.IsSubtype(c, s.t):
		case typ == hierarchy.NoType:
			typ = c
		default:
			typ = h.CommonSuperclass(typ, c)
		}
	}
	if typ == hierarchy.NoType {
		return s.t
	}
	return typ
}

// causeKeys are the targets at which the causes of a throw site's exceptions
// arrive.
func (r *Result) causeKeys(site int32) []targetKey {
	p := &r.table.sites[site]
	if p.wrap >= 0 {
		return []targetKey{{p.node, noHandler, p.wrap}}
	}
	if p.kind != Explicit {
		return nil
	}
	m := r.g.Method(p.node)
	var out []targetKey
	for _, h := range m.Throws()[p.index].Causes {
		if int(h) < len(m.Handlers()) {
			out = append(out, targetKey{p.node, int32(h), -1})
		}
	}
	return r.surfaced(out, p.node, m)
}

// surfaced adds the handlers that caught what a method throws as the cause of what
// ended a task.
func (r *Result) surfaced(out []targetKey, node callgraph.NodeID, m *facts.Method) []targetKey {
	for _, from := range natives.Surfacing(r.g.Class(node), m.Name) {
		for _, n := range nodesNamed(r.g, from) {
			for h := range r.g.Method(n).Handlers() {
				if slices.Contains(r.g.Method(n).Handlers()[h].Types, "java/lang/Throwable") {
					out = append(out, targetKey{n, int32(h), -1})
				}
			}
		}
	}
	return out
}

// NumTargets is how many handlers were asked for.
func (r *Result) NumTargets() int { return len(r.asked) }

// Handler names the target of a link. Numbers below NumTargets are the handlers
// asked for; others are handlers in which causes of links end, and where
// Handler is -1, a method that wraps what it calls: a native one, or one that
// initialises a class.
func (r *Result) Handler(i int) HandlerRef {
	if i < len(r.asked) {
		return r.asked[i]
	}
	t := r.targets[r.inner(i)]
	return HandlerRef{Class: r.g.Class(t.node), Method: r.g.H.Index(r.g.Nodes[t.node].Method), Handler: int(t.handler)}
}

// inner turns a number of the interface into a position in targets, outer turns
// it back. Of several equal handlers asked for, links name the first.
func (r *Result) inner(i int) int32 {
	if i < len(r.asked) {
		return r.canonical[i]
	}
	return int32(i - len(r.asked) + r.distinct)
}

func (r *Result) outer(t int32) int {
	if int(t) < r.distinct {
		return int(r.first[t])
	}
	return int(t) - r.distinct + len(r.asked)
}

// LinksAt lists the links that end in target i, by throw site.
func (r *Result) LinksAt(i int) []LinkID {
	t := r.inner(i)
	return r.ids(t)
}

// ids lists the links of a target by its position.
func (r *Result) ids(t int32) []LinkID {
	from, to := r.base[r.start[t]], r.base[r.start[t+1]]
	out := make([]LinkID, 0, to-from)
	for l := from; l < to; l++ {
		out = append(out, LinkID(l))
	}
	return out
}

// Limited tells whether links were left out because there are more than two
// thousand million, which takes the implicit sites of a very large program.
func (r *Result) Limited() bool { return r.limited }

// NumLinks counts all links, those of causes included.
func (r *Result) NumLinks() int { return int(r.base[len(r.links)]) }

// Link describes a link.
func (r *Result) Link(id LinkID) Link {
	l, k := r.locate(id)
	return Link{Target: r.outer(l.target), Site: r.site(l.site, k), Exception: r.g.H.Name(l.typ), Root: r.root(l.site)}
}

// Causes yields the links whose exceptions that of a link wraps: those that end in the
// handlers whose caught object the thrown one carries. In a program that wraps what it
// catches there are as many as links of these handlers, for each link.
func (r *Result) Causes(id LinkID) iter.Seq[LinkID] {
	return func(yield func(LinkID) bool) {
		for t := range r.causeTargets(id) {
			for c := r.base[r.start[t]]; c < r.base[r.start[t+1]]; c++ {
				if !yield(LinkID(c)) {
					return
				}
			}
		}
	}
}

// CauseHandlers yields the numbers of the handlers that were asked for, of which the links are
// Causes of a link.
func (r *Result) CauseHandlers(id LinkID) iter.Seq[int] {
	return func(yield func(int) bool) {
		for t := range r.causeTargets(id) {
			if i := r.outer(t); i < r.NumTargets() && !yield(i) {
				return
			}
		}
	}
}

func (r *Result) causeTargets(id LinkID) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		l, _ := r.locate(id)
		if !r.carriesCause(l) {
			return
		}
		for _, k := range r.causeKeys(l.site) {
			if t, ok := r.targetOf[k]; ok && !yield(t) {
				return
			}
		}
	}
}

// Thrown is what Link says of the exception and the throw site of a link.
func (r *Result) Thrown(id LinkID) (exception string, site ThrowSite) {
	l, k := r.locate(id)
	return r.g.H.Name(l.typ), r.site(l.site, k)
}

// carriesCause tells whether the exception of a link is one that wraps: a
// native method that wraps may throw others too, and so may one that reports how a
// task ended.
func (r *Result) carriesCause(l *link) bool {
	if p := &r.table.sites[l.site]; p.relay {
		return r.g.H.Name(l.typ) == "java/util/concurrent/ExecutionException"
	} else if p.wrap < 0 {
		return r.g.H.Name(l.typ) != "java/util/concurrent/CancellationException"
	}
	switch r.g.H.Name(l.typ) {
	case "java/lang/IllegalArgumentException", "java/lang/NullPointerException", "java/lang/InstantiationException":
		return false
	}
	return true
}

// site describes a member of a throw site.
func (r *Result) site(i, k int32) ThrowSite {
	p := &r.table.sites[i]
	m := r.table.members[p.members+k]
	return ThrowSite{Class: r.g.Class(p.node), Method: r.methodName(p.node), Ordinal: int(m.ordinal), Line: int(m.line),
		Kind: p.kind}
}

// hasOrdinal tells whether an ordinal is among the members of a throw site.
func (r *Result) hasOrdinal(p *throwSite, ordinal int) bool {
	return slices.ContainsFunc(r.table.members[p.members:p.members+p.count],
		func(m member) bool { return int(m.ordinal) == ordinal })
}

// methodName is name and descriptor of a node.
func (r *Result) methodName(n callgraph.NodeID) string {
	m := r.g.Method(n)
	return m.Name + m.Desc
}

// root describes the native operation below an explicit throw site: the only
// native site among the throw sites whose exceptions it wraps, directly or
// through further wrapping. Where there are several, nothing is said.
func (r *Result) root(site int32) *ThrowSite {
	if r.table.sites[site].kind != Explicit {
		return nil
	}
	r.roots.Do(r.findRoots)
	if n := r.rootOf[site]; n >= 0 {
		s := r.site(n, 0)
		return &s
	}
	return nil
}

// What rootOf says besides a site.
const (
	noRoot    = -1
	manyRoots = -2
	rootless  = -3 // not computed yet
)

// findRoots propagates native sites along causes until nothing changes.
func (r *Result) findRoots() {
	r.rootOf = make([]int32, len(r.table.sites))
	for i := range r.rootOf {
		r.rootOf[i] = noRoot
	}
	atTarget := make([]int32, len(r.targets))
	for i := range atTarget {
		atTarget[i] = noRoot
	}
	join := func(to *int32, from int32) bool {
		switch {
		case from == noRoot || *to == from || *to == manyRoots:
			return false
		case *to == noRoot:
			*to = from
		default:
			*to = manyRoots
		}
		return true
	}
	for changed := true; changed; {
		changed = false
		for _, l := range r.links {
			from := r.rootOf[l.site]
			if r.table.sites[l.site].kind == Native {
				from = l.site
			}
			changed = join(&atTarget[l.target], from) || changed
		}
		for i := range r.table.sites[:len(r.table.sites)-1] {
			if r.table.sites[i].kind != Explicit {
				continue
			}
			for _, k := range r.causeKeys(int32(i)) {
				if t, ok := r.targetOf[k]; ok {
					changed = join(&r.rootOf[i], atTarget[t]) || changed
				}
			}
		}
	}
}

// Predicts tells whether a link from a throw site to target i was found. The
// site's Method may lack the descriptor: then any overload is meant. Line is
// ignored, and so is Ordinal for native and declared sites.
func (r *Result) Predicts(p ThrowSite, i int) bool {
	name, desc, _ := strings.Cut(p.Method, "(")
	for _, s := range r.sitesNamed(p.Class, name) {
		site := &r.table.sites[s]
		if site.kind != p.Kind || counted(p.Kind) && !r.hasOrdinal(site, p.Ordinal) {
			continue
		}
		if desc != "" && r.g.Method(site.node).Desc != "("+desc {
			continue
		}
		t := r.inner(i)
		ls := r.links[r.start[t]:r.start[t+1]]
		k := sort.Search(len(ls), func(k int) bool { return ls[k].site >= s })
		if k < len(ls) && ls[k].site == s {
			return true
		}
	}
	return false
}

// InStudiedSet tells whether the graph has the throw site in the studied set, and an exception of
// that class (internal name) is studied there: of what a library throws again only the checked ones
// may be. Matching is as in Predicts, where an Ordinal below 0 is any of an explicit site; a class
// that is not loaded is not ruled out.
func (r *Result) InStudiedSet(p ThrowSite, exception string) bool {
	if !r.studiesThere(p, exception) {
		return false
	}
	name, desc, _ := strings.Cut(p.Method, "(")
	return slices.ContainsFunc(r.sitesNamed(p.Class, name), func(s int32) bool {
		site := &r.table.sites[s]
		return site.kind == p.Kind && (!counted(p.Kind) || p.Kind == Explicit && p.Ordinal < 0 ||
			r.hasOrdinal(site, max(p.Ordinal, 0))) &&
			(desc == "" || r.g.Method(site.node).Desc == "("+desc)
	})
}

// Unreached tells whether a throw site is of a kind that is studied, with an exception that is, in
// a method that the graph does not reach: InStudiedSet is false for it, as it is for a site that is
// left out on purpose. Where p has no descriptor, no method of that name is reached.
func (r *Result) Unreached(p ThrowSite, exception string) bool {
	if p.Kind == Declared || !r.Studied.Sites.Has(p.Kind) || !r.studiesThere(p, exception) {
		return false
	}
	t := r.g.H.Lookup(p.Class)
	if t == hierarchy.NoType || r.g.H.Facts(t) == nil {
		return true
	}
	name, desc, _ := strings.Cut(p.Method, "(")
	for i, m := range r.g.H.Facts(t).Methods {
		if m.Name == name && (desc == "" || m.Desc == "("+desc) &&
			r.g.NodeOf(r.g.H.MethodAt(t, i)) != callgraph.NoNode {
			return false
		}
	}
	return true
}

// studiesThere tells whether an exception of that class may be studied where it is thrown.
func (r *Result) studiesThere(p ThrowSite, exception string) bool {
	t := r.g.H.Lookup(exception)
	if t == hierarchy.NoType || p.Kind == Declared {
		return true
	}
	roots := newRoots(r.g.H)
	own := r.Studied.Own != nil && (r.Studied.Own(p.Class) || p.Kind == Explicit && r.Studied.Own(exception))
	_, ok := confine(&r.Studied, r.g.H, &roots, span{t: t}, own)
	return ok
}

// sitesNamed lists the throw sites in methods of that name.
func (r *Result) sitesNamed(class, name string) []int32 {
	r.names.Do(func() {
		r.byName = map[string][]int32{}
		for i := range r.table.sites[:len(r.table.sites)-1] {
			n := r.table.sites[i].node
			k := r.g.Class(n) + "." + r.g.Method(n).Name
			r.byName[k] = append(r.byName[k], int32(i))
		}
	})
	return r.byName[class+"."+name]
}

// Stats counts what the analysis worked on.
type Stats struct {
	ThrowSites, Groups, CaughtTypes, Handlers, Links int
}

// Stats returns the counts.
func (r *Result) Stats() Stats {
	return Stats{ThrowSites: len(r.table.members), Groups: len(r.table.groups), CaughtTypes: len(r.f.numbers.types),
		Handlers: len(r.targets), Links: r.NumLinks()}
}
