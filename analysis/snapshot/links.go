package snapshot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"catchlens/analysis/datareach"
	"catchlens/analysis/exceptions"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/javasource"
)

// This file turns the result of exception-flow into what is shown.

// chainLimit is how many call chains of a link are counted.
const chainLimit = 20

// chains holds the call chains of a link, computed when first asked for: finding
// the shortest of thousands of links takes as long as finding the links, and
// counting simple paths longer than all the rest of an analysis.
type chains struct {
	snap     *Snapshot
	ids      []exceptions.LinkID     // one for each handler that the link reaches
	made     []Frame                 // by hand, where there is no snap
	shortest atomic.Pointer[[]int32] // calls of the shortest chain, see exceptions.Result.Calls
	count    atomic.Pointer[chainCount]
}

// chainCount is what CountChains says.
type chainCount struct {
	n       int
	limited bool
}

// Chain is the shortest call chain of a link, from the method with the try (line of the call) to
// the throw site. It is put together for each who asks: there may be millions of links.
func (l *Link) Chain() []Frame {
	s := l.chains.snap
	if s == nil {
		return l.chains.made
	}
	calls := l.calls()
	out := make([]Frame, 0, len(calls)+1)
	for _, site := range calls {
		out = append(out, *s.program.frames.at(s, site))
	}
	return append(out, Frame{Class: l.Site.Class, Method: l.Site.Method, Line: l.Site.Line, File: l.Site.File})
}

// ChainLength is how many frames Chain has.
func (l *Link) ChainLength() int {
	if l.chains.snap == nil {
		return len(l.chains.made)
	}
	return len(l.calls()) + 1
}

// calls are those of the shortest chain.
func (l *Link) calls() []int32 {
	c := &l.chains
	if known := c.shortest.Load(); known != nil {
		return *known
	}
	p := c.snap.program
	p.flowMu.Lock()
	defer p.flowMu.Unlock()
	var calls []int32
	for i, id := range c.ids {
		if found := p.flow.Calls(id); i == 0 || len(found) < len(calls) {
			calls = found
		}
	}
	c.shortest.Store(&calls)
	return calls
}

// frames are those of calls that chains lead through, made once for all chains.
type frames struct {
	mu     sync.RWMutex
	bySite map[int32]*Frame // by site of the call graph
}

func (t *frames) at(s *Snapshot, site int32) *Frame {
	t.mu.RLock()
	f := t.bySite[site]
	t.mu.RUnlock()
	if f != nil {
		return f
	}
	call := s.program.flow.CallFrame(site)
	f = &Frame{Class: dotted(call.Class), Method: call.Method, Line: call.Line, File: s.program.outer[call.Class]}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bySite == nil {
		t.bySite = map[int32]*Frame{}
	}
	t.bySite[site] = f
	return f
}

// SetChain gives a link that was made by hand its chain.
func (l *Link) SetChain(chain []Frame) { l.chains.made = chain }

// CountChains is the number of call chains of a link; limited tells that there
// are more.
func (l *Link) CountChains() (n int, limited bool) {
	c := &l.chains
	if c.snap == nil {
		return min(len(c.made), 1), false
	}
	if known := c.count.Load(); known != nil {
		return known.n, known.limited
	}
	p := c.snap.program
	p.flowMu.Lock()
	defer p.flowMu.Unlock()
	if known := c.count.Load(); known != nil { // while this waited
		return known.n, known.limited
	}
	var sum chainCount
	for _, id := range c.ids {
		n, limited := p.flow.CountChains(id, chainLimit)
		sum.n, sum.limited = sum.n+n, sum.limited || limited
	}
	c.count.Store(&sum)
	return sum.n, sum.limited
}

// listTargets lists the handlers of every catch.
func (s *Snapshot) listTargets() {
	for _, c := range s.Catches {
		s.program.targets = append(s.program.targets, c.Handlers...)
	}
}

// followExceptions finds the e-c links of every catch; not if ctx ends meanwhile.
func (s *Snapshot) followExceptions(ctx context.Context) {
	started := time.Now()
	p := s.program
	var owner []*Catch
	for _, c := range s.Catches {
		for range c.Handlers {
			owner = append(owner, c)
		}
	}
	p.studied = s.Config.Studied
	p.studied.Own = func(class string) bool { return p.byName[class] != nil }
	cancelled := func() bool { return ctx.Err() != nil }
	if p.flow = exceptions.Analyze(p.graph, p.targets, p.studied, cancelled); p.flow == nil {
		return
	}
	if analyses[s.Config.CallGraph].reach {
		if p.reach = datareach.Confirm(p.graph, p.points, p.flow, cancelled); p.reach == nil {
			return
		}
		p.flow = p.reach.Result()
		s.Stats.Reach = p.reach.Stats()
		s.Stats.ReachSeconds = s.Stats.Reach.Seconds
	} else {
		p.points = nil
	}
	s.makeLinks(ctx, owner)
	s.countDiscarded(ctx, owner)
	for _, c := range s.Catches {
		s.Stats.Links += len(c.Links)
	}
	s.Stats.FlowSeconds = time.Since(started).Seconds()
}

// MostWrapped is how many exceptions Wraps lists at most.
const MostWrapped = 20

// Wraps lists exceptions that the link's exception may have as its cause, by where they are thrown,
// once each, those of the workspace's code first: the first MostWrapped of n. They end in a handler
// of the library that wraps them (a future's ExecutionException) or at a reflective call
// (InvocationTargetException), in Cause where that is a catch of the workspace. The list is
// computed once for all links from the throw site, and not to be changed.
func (l *Link) Wraps() (list []Wrapped, n int) {
	s := l.chains.snap
	if s == nil || s.program == nil || s.program.flow == nil {
		return nil, 0 // a link of no analysis
	}
	key := Wrapped{l.Exception, *l.Site, l.Own}
	if known, ok := s.program.wraps.Load(key); ok {
		return known.(wraps).first, known.(wraps).n
	}
	list = l.AllWraps()
	n = len(list)
	list = slices.Clone(list[:min(n, MostWrapped)])
	s.program.wraps.Store(key, wraps{list, n})
	return list, n
}

// AllWraps is Wraps without a bound. It is put together for each who asks: with implicit throw
// sites there are thousands.
func (l *Link) AllWraps() (list []Wrapped) {
	s := l.chains.snap
	if s == nil || s.program == nil || s.program.flow == nil {
		return nil // a link of no analysis
	}
	s.program.flowMu.Lock()
	defer s.program.flowMu.Unlock()
	seen := map[Wrapped]bool{}
	for _, id := range l.chains.ids {
		for cause := range s.program.flow.Causes(id) {
			exception, site := s.program.flow.Thrown(cause)
			w := Wrapped{dotted(exception), s.site(site), s.program.byName[site.Class] != nil}
			if !seen[w] {
				seen[w] = true
				list = append(list, w)
			}
		}
	}
	slices.SortFunc(list, func(a, b Wrapped) int {
		if a.Own != b.Own {
			if a.Own {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Exception, b.Exception), cmp.Compare(a.Site.Class, b.Site.Class),
			cmp.Compare(a.Site.Method, b.Site.Method), cmp.Compare(a.Site.Ordinal, b.Site.Ordinal))
	})
	return list
}

// wraps is what Wraps says.
type wraps struct {
	first []Wrapped
	n     int
}

// leastLinks are the first two of some links by compareLinks, nil where there are none.
type leastLinks [2]*Link

func (t *leastLinks) add(l *Link) {
	switch {
	case t[0] == nil || compareLinks(l, t[0]) < 0:
		t[0], t[1] = l, t[0]
	case l != t[0] && (t[1] == nil || compareLinks(l, t[1]) < 0):
		t[1] = l
	}
}

func compareLinks(a, b *Link) int {
	if a.Own != b.Own {
		if a.Own {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.Exception, b.Exception), cmp.Compare(a.Site.Class, b.Site.Class),
		cmp.Compare(a.Site.Method, b.Site.Method), cmp.Compare(a.Site.Ordinal, b.Site.Ordinal),
		cmp.Compare(a.Site.Fault, b.Site.Fault))
}

// makeLinks makes the links of every catch, of some if ctx ends meanwhile; owner says whose each
// target is.
func (s *Snapshot) makeLinks(ctx context.Context, owner []*Catch) {
	arriving := make([]leastLinks, len(owner))
	eachCatch(ctx, owner, func() func(c *Catch, from, to int) {
		m := linkMaker{snap: s, sites: map[exceptions.ThrowSite]*Site{}, dotted: map[string]string{}}
		return func(c *Catch, from, to int) { m.links(c, from, arriving[from:to]) }
	})
	eachCatch(ctx, owner, func() func(c *Catch, from, to int) {
		return func(c *Catch, _, _ int) {
			for _, l := range c.Links {
				l.Cause = s.causeOf(l, arriving)
			}
			slices.SortFunc(c.Links, compareLinks)
		}
	})
}

// eachCatch calls a function for each of the owners of targets, whose targets stand together, from
// one up to another. Calls do not wait for each other; worker makes one processor's function. None
// begins after the end of ctx.
func eachCatch(ctx context.Context, owner []*Catch, worker func() func(c *Catch, from, to int)) {
	type targets struct{ from, to int }
	var list []targets
	for from, to := 0, 0; from < len(owner); from = to {
		for to = from + 1; to < len(owner) && owner[to] == owner[from]; to++ {
		}
		list = append(list, targets{from, to})
	}
	var next atomic.Int32
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wg.Go(func() {
			do := worker()
			for i := int(next.Add(1) - 1); i < len(list) && ctx.Err() == nil; i = int(next.Add(1) - 1) {
				do(owner[list[i].from], list[i].from, list[i].to)
			}
		})
	}
	wg.Wait()
}

// causeOf is the ID of the first of the links of the workspace whose exception that of a link may
// wrap, "" if there is none; arriving has the first links of each target.
func (s *Snapshot) causeOf(l *Link, arriving []leastLinks) string {
	var causes leastLinks
	for i := range s.program.flow.CauseHandlers(l.chains.ids[0]) {
		for _, cause := range arriving[i] {
			if cause != nil && cause != l {
				causes.add(cause)
			}
		}
	}
	if causes[0] == nil {
		return ""
	}
	return causes[0].ID
}

// linkMaker makes links, those of one site with the same names.
type linkMaker struct {
	snap   *Snapshot
	sites  map[exceptions.ThrowSite]*Site
	dotted map[string]string
	text   []byte
}

// links makes the links of a catch, whose first target is given. It notes those that arrive at each
// target.
func (m *linkMaker) links(c *Catch, target int, arriving []leastLinks) {
	seen := map[string]*Link{}
	for i := range arriving {
		ids := m.snap.program.flow.LinksAt(target + i)
		c.Links = slices.Grow(c.Links, len(ids))
		for _, id := range ids {
			l := m.link(c, id)
			if known := seen[l.ID]; known != nil { // through another copy of the handler
				known.chains.ids = append(known.chains.ids, id)
				l = known
			} else {
				seen[l.ID] = l
				c.Links = append(c.Links, l)
			}
			arriving[i].add(l)
		}
	}
}

func (m *linkMaker) link(c *Catch, id exceptions.LinkID) *Link {
	p := m.snap.program
	x := p.flow.Link(id)
	l := &Link{Catch: c, Site: m.site(x.Site), Exception: m.dotted[x.Exception], Own: p.byName[x.Site.Class] != nil}
	if l.Exception == "" {
		l.Exception = dotted(x.Exception)
		m.dotted[x.Exception] = l.Exception
	}
	if x.Root != nil {
		l.Root = m.site(*x.Root)
	}
	l.chains.snap, l.chains.ids = m.snap, []exceptions.LinkID{id}
	m.text = appendLinkText(m.text[:0], c, l.Site)
	l.ID = digestID(m.text)
	return l
}

func (m *linkMaker) site(t exceptions.ThrowSite) *Site {
	site := m.sites[t]
	if site == nil {
		made := m.snap.site(t)
		site = &made
		m.sites[t] = site
	}
	return site
}

// linkID identifies a link by its catch and its throw site.
func linkID(c *Catch, site *Site) string { return digestID(appendLinkText(nil, c, site)) }

// Ref is a throw site in a text that people read and LinkID takes: class, method and ordinal, then
// what is no explicit throw.
func (t *Site) Ref() string {
	text := fmt.Sprintf("%s.%s#%d", t.Class, t.Method, t.Ordinal)
	switch {
	case t.Fault != "":
		return text + " fault " + t.Fault
	case t.Kind == "explicit":
		return text
	}
	return text + " " + t.Kind
}

// LinkID is the ID of the link from a throw site, as Ref writes it, to the catch with an ID; ok is
// false for what is no such text.
func LinkID(catch, ref string) (id string, ok bool) {
	hash := strings.LastIndexByte(ref, '#')
	if hash < 0 {
		return "", false
	}
	place, rest := ref[:hash], ref[hash+1:]
	number, kind, _ := strings.Cut(rest, " ")
	site := Site{Kind: kind}
	if kind == "" {
		site.Kind = "explicit"
	} else if name, is := strings.CutPrefix(kind, "fault "); is {
		site.Kind, site.Fault = "declared", name
	}
	var err error
	site.Ordinal, err = strconv.Atoi(number)
	name, _, described := strings.Cut(place, "(")
	dot := strings.LastIndexByte(name, '.')
	if err != nil || !described || dot <= 0 {
		return "", false
	}
	site.Class, site.Method = place[:dot], place[dot+1:]
	return linkID(&Catch{ID: catch}, &site), true
}

func appendLinkText(text []byte, c *Catch, site *Site) []byte {
	for _, part := range [...]string{c.ID, site.Class, site.Method} {
		text = append(append(text, part...), '\n')
	}
	text = append(strconv.AppendInt(text, int64(site.Ordinal), 10), '\n')
	return append(append(text, site.Kind...), site.Fault...)
}

func digestID(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// site describes a throw site.
func (s *Snapshot) site(t exceptions.ThrowSite) Site {
	site := Site{Class: dotted(t.Class), Method: t.Method, Ordinal: t.Ordinal, Line: t.Line, Kind: t.Kind.String(),
		File: s.program.outer[t.Class]}
	if t.Kind == exceptions.Declared {
		site.Ordinal, site.Fault = -1, string(s.Config.Studied.Faults[t.Ordinal].Name)
	}
	return site
}

// Studies tells whether a throw site that a run saw belongs to the studied set, with an exception
// of that class. Names are internal; desc may be "", ordinal -1, where only a stack trace is known.
func (s *Snapshot) Studies(class, method, desc string, ordinal int, kind, exception string) bool {
	s.program.flowMu.Lock()
	defer s.program.flowMu.Unlock()
	return s.program.flow.InStudiedSet(seenSite(class, method, desc, ordinal, kind), exception)
}

// Unreached tells whether such a throw site would belong to the studied set, if the call graph
// reached its method.
func (s *Snapshot) Unreached(class, method, desc string, ordinal int, kind, exception string) bool {
	s.program.flowMu.Lock()
	defer s.program.flowMu.Unlock()
	return s.program.flow.Unreached(seenSite(class, method, desc, ordinal, kind), exception)
}

// UnreachedMethods lists the methods, native ones included, that a throw site names for which
// Unreached is true: all of the name where desc is empty. The class may be any of the class path;
// none where it is not there.
func (s *Snapshot) UnreachedMethods(class, method, desc string, ordinal int, kind, exception string) (out []MethodRef) {
	f, ok := s.Facts(class)
	if !ok || !s.Unreached(class, method, desc, ordinal, kind, exception) {
		return nil
	}
	for i := range f.Methods {
		if m := &f.Methods[i]; m.Name == method && (desc == "" || m.Desc == desc) &&
			m.Access&hierarchy.AccAbstract == 0 {
			out = append(out, MethodRef{Class: class, Method: m.Name + m.Desc})
		}
	}
	return out
}

// Lent lists the methods that a throw site names of which the call graph knows only that what they
// throw was caught: where, the edges of runs say (callgraph.ExtraEdge.Try). A catch with a link of
// the site has none.
func (s *Snapshot) Lent(c *Catch, class, method, desc string) (out []MethodRef) {
	if slices.ContainsFunc(c.Links, func(l *Link) bool {
		return l.Site.Class == dotted(class) && strings.HasPrefix(l.Site.Method, method+"(")
	}) {
		return nil
	}
	for _, e := range s.program.made.extra.Edges {
		m := MethodRef{Class: e.To.Class, Method: e.To.Name + e.To.Desc}
		if e.Try != 0 && e.To.Class == class && e.To.Name == method && (desc == "" || e.To.Desc == desc) &&
			!slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// seenSite is a throw site that a run saw, as exception-flow has it.
func seenSite(class, method, desc string, ordinal int, kind string) exceptions.ThrowSite {
	site := exceptions.ThrowSite{Class: class, Method: method + desc, Ordinal: ordinal}
	switch kind {
	case "native":
		site.Kind = exceptions.Native
	case "explicit":
		site.Kind = exceptions.Explicit
	case "declared":
		site.Kind = exceptions.Declared
	default:
		site.Kind = exceptions.Implicit
	}
	return site
}

// Landings tells where the exceptions of the throw or call at an offset of the file's text arrive:
// its links, by catch, those withheld left out, then the types that may leave an entry point, which
// is known of throws only where the links are refined. Nil if nothing stands there or the class
// files do not have it.
func (s *Snapshot) Landings(f *File, offset int) []Landing {
	source := javasource.ParseCalls(f.Text)
	matches := javasource.Match(source, f.matched)
	s.program.flowMu.Lock()
	defer s.program.flowMu.Unlock()
	var found []exceptions.Landings
	for _, t := range source.Throws {
		if t.Keyword.Start <= offset && offset <= t.Keyword.End {
			for _, ref := range matches.MatchThrow(t) {
				m := s.program.byName[ref.Class].Facts.Methods[ref.Method]
				found = append(found, s.program.flow.CaughtAtThrow(ref.Class, ref.Method,
					int(m.Throws()[ref.Site].Ordinal)))
			}
		}
	}
	for _, c := range source.Calls {
		if c.NameSpan.Contains(offset) {
			for _, ref := range matches.MatchCall(c) {
				found = append(found, s.program.flow.CaughtAtCall(ref.Class, ref.Method, ref.Site))
			}
		}
	}
	return s.landings(found)
}

// landings puts together what happens to the exceptions of one place of the source, which may stand
// several times in the class files.
func (s *Snapshot) landings(found []exceptions.Landings) (out []Landing) {
	at := map[*Catch]map[exceptions.LinkID]bool{}
	var uncaught []string
	for _, l := range found {
		for _, id := range l.Links {
			c := s.program.catchOf[s.program.flow.Handler(s.program.flow.Link(id).Target)]
			if c != nil && at[c] == nil {
				at[c] = map[exceptions.LinkID]bool{}
			}
			if c != nil {
				at[c][id] = true
			}
		}
		for _, t := range l.Uncaught {
			uncaught = append(uncaught, dotted(t))
		}
	}
	for _, c := range s.Catches {
		for _, l := range c.Links {
			if slices.ContainsFunc(l.chains.ids, func(id exceptions.LinkID) bool { return at[c][id] }) {
				out = append(out, Landing{Exception: l.Exception, Link: l})
			}
		}
	}
	slices.Sort(uncaught)
	for _, t := range slices.Compact(uncaught) {
		out = append(out, Landing{Exception: t})
	}
	return out
}
