package snapshot

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
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
	failure  atomic.Pointer[Failure]
}

// Arrive says by which links of the exception-flow of a snapshot a link arrives, beside those that
// have been said: one for each handler that it reaches.
func (l *Link) Arrive(s *Snapshot, by ...exceptions.LinkID) {
	l.chains.snap, l.chains.ids = s, append(l.chains.ids, by...)
}

// Arrivals are those links of the exception-flow.
func (l *Link) Arrivals() []exceptions.LinkID { return l.chains.ids }

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
	return l.chainOf(l.Calls())
}

// chainOf is the chain of some calls.
func (l *Link) chainOf(calls []int32) []Frame {
	s := l.chains.snap
	out := make([]Frame, 0, len(calls)+1)
	for _, site := range calls {
		out = append(out, *s.Program.frames.at(s, site))
	}
	return append(out, Frame{Class: l.Site.Class, Method: l.Site.Method, Line: l.Site.Line, File: l.Site.File})
}

// ChainLength is how many frames Chain has.
func (l *Link) ChainLength() int {
	if l.chains.snap == nil {
		return len(l.chains.made)
	}
	return len(l.Calls()) + 1
}

// Calls are those of the shortest chain, by sites of the call graph; they are not to be changed.
func (l *Link) Calls() []int32 {
	c := &l.chains
	if known := c.shortest.Load(); known != nil {
		return *known
	}
	p := c.snap.Program
	p.flowMu.Lock()
	defer p.flowMu.Unlock()
	var calls []int32
	for i, id := range c.ids {
		if found := p.Flow.Calls(id); i == 0 || len(found) < len(calls) {
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
	call := s.Program.Flow.CallFrame(site)
	f = &Frame{Class: Dotted(call.Class), Method: call.Method, Line: call.Line, File: s.Program.Outer[call.Class]}
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
	p := c.snap.Program
	p.flowMu.Lock()
	defer p.flowMu.Unlock()
	if known := c.count.Load(); known != nil { // while this waited
		return known.n, known.limited
	}
	var sum chainCount
	for _, id := range c.ids {
		n, limited := p.Flow.CountChains(id, chainLimit)
		sum.n, sum.limited = sum.n+n, sum.limited || limited
	}
	c.count.Store(&sum)
	return sum.n, sum.limited
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
	if s == nil || s.Program == nil || s.Program.Flow == nil {
		return nil, 0 // a link of no analysis
	}
	key := Wrapped{l.Exception, *l.Site, l.Own}
	if known, ok := s.Program.wraps.Load(key); ok {
		return known.(wraps).first, known.(wraps).n
	}
	list = l.AllWraps()
	n = len(list)
	list = slices.Clone(list[:min(n, MostWrapped)])
	s.Program.wraps.Store(key, wraps{list, n})
	return list, n
}

// AllWraps is Wraps without a bound. It is put together for each who asks: with implicit throw
// sites there are thousands.
func (l *Link) AllWraps() (list []Wrapped) {
	s := l.chains.snap
	if s == nil || s.Program == nil || s.Program.Flow == nil {
		return nil // a link of no analysis
	}
	s.Program.flowMu.Lock()
	defer s.Program.flowMu.Unlock()
	seen := map[Wrapped]bool{}
	for _, id := range l.chains.ids {
		for cause := range s.Program.Flow.Causes(id) {
			exception, site := s.Program.Flow.Thrown(cause)
			w := Wrapped{Dotted(exception), s.SiteOf(site), s.Program.ByName[site.Class] != nil}
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

// IDOfLink identifies a link by its catch and its throw site. The buffer, which may be nil, is
// written to and returned for the next one.
func IDOfLink(buffer []byte, c *Catch, site *Site) (id string, _ []byte) {
	text := buffer[:0]
	for _, part := range [...]string{c.ID, site.Class, site.Method} {
		text = append(append(text, part...), '\n')
	}
	text = append(strconv.AppendInt(text, int64(site.Ordinal), 10), '\n')
	text = append(append(text, site.Kind...), site.Fault...)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), text
}

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
	id, _ = IDOfLink(nil, &Catch{ID: catch}, &site)
	return id, true
}

// CompareLinks orders the links of a catch: own throws first, then by exception and site.
func CompareLinks(a, b *Link) int {
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

// SiteOf describes a throw site.
func (s *Snapshot) SiteOf(t exceptions.ThrowSite) Site {
	site := Site{Class: Dotted(t.Class), Method: t.Method, Ordinal: t.Ordinal, Line: t.Line, Kind: t.Kind.String(),
		File: s.Program.Outer[t.Class]}
	if t.Kind == exceptions.Declared {
		site.Ordinal, site.Fault = -1, string(s.Config.Studied.Faults[t.Ordinal].Name)
	}
	return site
}

// Studies tells whether a throw site that a run saw belongs to the studied set, with an exception
// of that class. Names are internal; desc may be "", ordinal -1, where only a stack trace is known.
func (s *Snapshot) Studies(class, method, desc string, ordinal int, kind, exception string) bool {
	s.Program.flowMu.Lock()
	defer s.Program.flowMu.Unlock()
	return s.Program.Flow.InStudiedSet(seenSite(class, method, desc, ordinal, kind), exception)
}

// Unreached tells whether such a throw site would belong to the studied set, if the call graph
// reached its method.
func (s *Snapshot) Unreached(class, method, desc string, ordinal int, kind, exception string) bool {
	s.Program.flowMu.Lock()
	defer s.Program.flowMu.Unlock()
	return s.Program.Flow.Unreached(seenSite(class, method, desc, ordinal, kind), exception)
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
	if c.hasLinkOf(class, method) {
		return nil
	}
	for _, e := range s.Program.Extra.Edges {
		m := MethodRef{Class: e.To.Class, Method: e.To.Name + e.To.Desc}
		if e.Try != 0 && e.To.Class == class && e.To.Name == method && (desc == "" || e.To.Desc == desc) &&
			!slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// CalledBack is the method of the workspace that a throw site names, if a library calls it and none
// of the workspace does: it is what the library was given (a lambda expression, an object), and
// code that was generated as tests ran may be what has the library call it. So is what nobody calls
// and implements a method of a library: the call graph need not find the place to which generated
// code takes it. What the JDK alone calls is none: its code is followed, and a link that is missed
// there is to be seen. A catch with a link of the site has none.
func (s *Snapshot) CalledBack(c *Catch, class, method, desc string) []MethodRef {
	if s.Class(class) == nil || c.hasLinkOf(class, method) {
		return nil
	}
	m := MethodRef{Class: class, Method: method + desc}
	n, g := s.nodeOf(m), s.Program.Graph
	if n == callgraph.NoNode {
		return nil
	}
	called, byLibrary, implements := false, false, false
	// A bridge is the method for which it stands: the library knows that of the erased type.
	as := []callgraph.NodeID{n}
	for i := 0; i < len(as); i++ {
		implements = implements || s.implementsLibrary(class, method, g.Method(as[i]).Desc)
		for _, set := range g.SetsWith(as[i]) {
			for _, site := range g.SitesOfSet(set) {
				from := g.NodeOfSite(site)
				caller := g.Class(from)
				switch {
				case slices.Contains(as, from):
				case caller == class && isBridge(g.Method(from), method):
					as = append(as, from)
				case s.Class(caller) != nil:
					return nil
				default:
					called, byLibrary = true, byLibrary || s.ofLibrary(caller)
				}
			}
		}
	}
	if !byLibrary && (called || !implements) {
		return nil
	}
	return []MethodRef{m}
}

// isBridge tells whether a method is a bridge to one of its name.
func isBridge(m *facts.Method, name string) bool {
	return m.Name == name && m.Access&classfile.AccBridge != 0
}

// ofLibrary tells whether a class belongs neither to the workspace nor to the JDK.
func (s *Snapshot) ofLibrary(class string) bool {
	return s.Class(class) == nil && !natives.OfJDK(class)
}

// implementsLibrary tells whether a method of the workspace implements one of a library: it is a
// lambda expression, or the target of a method reference, of the library's interface that its own
// class makes, or overrides a method of a library's class or interface.
func (s *Snapshot) implementsLibrary(class, method, desc string) bool {
	f, ok := s.Facts(class)
	if !ok {
		return false
	}
	for i := range f.Methods {
		for j := range f.Methods[i].Calls {
			call := &f.Methods[i].Calls[j]
			if call.Kind != facts.Dynamic {
				continue
			}
			made := call.Indy()
			h := made.Impl
			if made.Kind != facts.LambdaIndy || h.Owner != class || h.Name != method || h.Desc != desc {
				continue
			}
			if s.ofLibrary(made.Interface) || slices.ContainsFunc(made.Markers, s.ofLibrary) {
				return true
			}
		}
	}
	overrides := func(m facts.Method) bool {
		return m.Name == method && m.Desc == desc && method[0] != '<' &&
			m.Access&(classfile.AccStatic|classfile.AccPrivate) == 0
	}
	if !slices.ContainsFunc(f.Methods, overrides) {
		return false
	}
	return slices.ContainsFunc(s.supertypes(class), func(above string) bool {
		f, ok := s.Facts(above)
		return ok && s.ofLibrary(above) && slices.ContainsFunc(f.Methods, overrides)
	})
}

// hasLinkOf tells whether there is a link from a method, of whatever descriptor.
func (c *Catch) hasLinkOf(class, method string) bool {
	return slices.ContainsFunc(c.Links, func(l *Link) bool {
		return l.Site.Class == Dotted(class) && strings.HasPrefix(l.Site.Method, method+"(")
	})
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
	matches := s.callsOf(f)
	source := matches.File
	s.Program.flowMu.Lock()
	defer s.Program.flowMu.Unlock()
	var found []exceptions.Landings
	for _, t := range source.Throws {
		if t.Keyword.Start <= offset && offset <= t.Keyword.End {
			for _, ref := range matches.MatchThrow(t) {
				m := s.Program.ByName[ref.Class].Facts.Methods[ref.Method]
				found = append(found, s.Program.Flow.CaughtAtThrow(ref.Class, ref.Method,
					int(m.Throws()[ref.Site].Ordinal)))
			}
		}
	}
	for _, c := range source.Calls {
		if c.NameSpan.Contains(offset) {
			for _, ref := range matches.MatchCall(c) {
				found = append(found, s.Program.Flow.CaughtAtCall(ref.Class, ref.Method, ref.Site))
			}
		}
	}
	return s.LandingsOf(found)
}

// LandingsOf puts together what happens to the exceptions of one place of the source, which may
// stand several times in the class files.
func (s *Snapshot) LandingsOf(found []exceptions.Landings) (out []Landing) {
	at := map[*Catch]map[exceptions.LinkID]bool{}
	var uncaught []string
	for _, l := range found {
		for _, id := range l.Links {
			c := s.Program.CatchOf[s.Program.Flow.Handler(s.Program.Flow.Link(id).Target)]
			if c != nil && at[c] == nil {
				at[c] = map[exceptions.LinkID]bool{}
			}
			if c != nil {
				at[c][id] = true
			}
		}
		for _, t := range l.Uncaught {
			uncaught = append(uncaught, Dotted(t))
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
