package snapshot

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/javasource"
)

// This file walks the call graph a call at a time, both ways, by methods as the source has them.

// CallSite is a place of a method from which control may leave it for another one.
type CallSite struct {
	Line int32 // 0 where the class file does not say
	Kind callgraph.EdgeKind
}

// Neighbour is a method that calls another one, or is called by it, with the places of the calls in
// the order of their lines.
type Neighbour struct {
	MethodRef
	Sites []CallSite
}

// MethodsAt lists the methods that an offset of a file as it was when the snapshot was made stands
// for: what a call may run, by the call graph, if its name is there; else the code of the method
// whose name is there, or of the lambda expression whose arrow is. Initialisers of objects stand
// for every constructor that runs them.
func (s *Snapshot) MethodsAt(f *File, offset int) []MethodRef {
	if !s.HasCallGraph() {
		return nil
	}
	if sites, ok := s.CallAt(f, offset); ok {
		return s.TargetsOf(sites)
	}
	return s.DeclaredAt(f, offset)
}

// CallAt lists the calls of the class files, by number in callgraph.Graph.Sites, that the call is
// whose name is at an offset of a file: several where a compiler has copied code. ok is false where
// no call's name is there.
func (s *Snapshot) CallAt(f *File, offset int) (sites []int32, ok bool) {
	if !s.HasCallGraph() {
		return nil, false
	}
	matches := s.callsOf(f)
	for _, c := range matches.File.Calls {
		if c.NameSpan.Start <= offset && offset <= c.NameSpan.End {
			return s.sitesOf(matches.MatchCall(c)), true
		}
	}
	return nil, false
}

// fileCalls are the calls of a source, with what the class files have for its members.
type fileCalls struct {
	file    *File
	matches *javasource.Matches
}

// callsOf are those of a file. The last one that was asked for is kept: somebody who looks at a
// file asks about one call after the other, and reading it takes longer than the answer.
func (s *Snapshot) callsOf(f *File) *javasource.Matches {
	if last := s.Program.calls.Load(); last != nil && last.file == f {
		return last.matches
	}
	found := &fileCalls{f, javasource.Match(javasource.ParseCalls(f.Text), f.Classes)}
	s.Program.calls.Store(found)
	return found.matches
}

// DeclaredAt is MethodsAt where no call stands.
func (s *Snapshot) DeclaredAt(f *File, offset int) []MethodRef {
	for _, t := range f.Source.Types {
		for _, m := range t.Members {
			for _, l := range m.Lambdas {
				if l.Arrow <= offset && offset <= l.Arrow+len("->") {
					return s.refs(s.matches(f).Lambdas[l])
				}
			}
			if m.NameSpan.Start <= offset && offset <= m.NameSpan.End {
				return s.refs(s.matches(f).Methods[m])
			}
		}
	}
	return nil
}

// matches is what the class files have for the members of a source, found once.
func (s *Snapshot) matches(f *File) *javasource.Matches {
	if known, ok := s.Program.matches.Load(f); ok {
		return known.(*javasource.Matches)
	}
	m, _ := s.Program.matches.LoadOrStore(f, javasource.Match(f.Source, f.Classes))
	return m.(*javasource.Matches)
}

func (s *Snapshot) refs(list []javasource.MethodRef) (out []MethodRef) {
	for _, r := range list {
		if k := s.Program.ByName[r.Class]; k != nil && r.Method < len(k.Facts.Methods) {
			m := &k.Facts.Methods[r.Method]
			out = append(out, MethodRef{r.Class, m.Name + m.Desc})
		}
	}
	return out
}

// sitesOf are calls of the class files in the call graph.
func (s *Snapshot) sitesOf(calls []javasource.SiteRef) (out []int32) {
	g := s.Program.Graph
	for _, c := range calls {
		n := g.Find(c.Class, c.Method)
		if n == callgraph.NoNode {
			continue
		}
		for i, site := range g.SitesOf(n) {
			if site.Origin == callgraph.FromCalls && int(site.Index) == c.Site {
				out = append(out, g.Nodes[n].First+int32(i))
			}
		}
	}
	return out
}

// CallerOf is the method that makes a call of CallAt.
func (s *Snapshot) CallerOf(site int32) MethodRef { return s.refOf(s.Program.Graph.NodeOfSite(site)) }

// TargetsOf lists what calls, of CallAt, may run, without what the JVM runs on their account.
func (s *Snapshot) TargetsOf(sites []int32) (out []MethodRef) {
	for _, site := range sites {
		s.eachTarget(s.Program.Graph.Sites[site].Set, func(to callgraph.NodeID) { out = append(out, s.refOf(to)) })
	}
	slices.SortFunc(out, compareMethods)
	return slices.Compact(out)
}

// eachTarget calls f for each method of a callee set; what a synthetic node leads to stands for it.
// Synthetic nodes may lead to each other in circles.
func (s *Snapshot) eachTarget(set callgraph.SetID, f func(callgraph.NodeID)) {
	g := s.Program.Graph
	through := map[callgraph.NodeID]bool{}
	var look func(set callgraph.SetID)
	look = func(set callgraph.SetID) {
		for _, to := range g.Targets(set) {
			switch {
			case g.Method(to) != nil:
				f(to)
			case !through[to]:
				through[to] = true
				for _, site := range g.SitesOf(to) {
					look(site.Set)
				}
			}
		}
	}
	look(set)
}

func (s *Snapshot) refOf(n callgraph.NodeID) MethodRef {
	m := s.Program.Graph.Method(n)
	return MethodRef{s.Program.Graph.Class(n), m.Name + m.Desc}
}

func compareMethods(a, b MethodRef) int {
	return cmp.Or(strings.Compare(a.Class, b.Class), strings.Compare(a.Method, b.Method))
}

// CalleesOf lists what a method may call, by the call graph, itself included where it may: methods
// of the workspace first, then by the line of the first call. Initialisers of classes of libraries
// are left out: they run once, on whosever account.
func (s *Snapshot) CalleesOf(m MethodRef) []Neighbour {
	n := s.nodeOf(m)
	if n == callgraph.NoNode {
		return nil
	}
	g := s.Program.Graph
	found := map[callgraph.NodeID][]CallSite{}
	for _, site := range g.SitesOf(n) {
		at := CallSite{g.Position(n, site).Line, site.Kind}
		s.eachTarget(site.Set, func(to callgraph.NodeID) {
			if site.Kind != callgraph.ClassInit || s.Class(g.Class(to)) != nil {
				found[to] = append(found[to], at)
			}
		})
	}
	return s.neighbours(found, func(callgraph.NodeID) int { return 0 })
}

// CallersOf lists the methods that may call one, by the call graph: methods of the workspace first,
// then those of libraries that the workspace calls itself, then by the line of the first call.
func (s *Snapshot) CallersOf(m MethodRef) []Neighbour {
	n := s.nodeOf(m)
	if n == callgraph.NoNode {
		return nil
	}
	g := s.Program.Graph
	found := map[callgraph.NodeID][]CallSite{}
	through := map[callgraph.NodeID]bool{n: true}
	var look func(n callgraph.NodeID)
	look = func(n callgraph.NodeID) {
		for _, set := range g.SetsWith(n) {
			for _, number := range g.SitesOfSet(set) {
				from, site := g.NodeOfSite(number), g.Sites[number]
				if g.Method(from) == nil {
					if !through[from] {
						through[from] = true
						look(from)
					}
					continue
				}
				found[from] = append(found[from], CallSite{g.Position(from, site).Line, site.Kind})
			}
		}
	}
	look(n)
	return s.neighbours(found, func(n callgraph.NodeID) int {
		if s.calledByOwn(n) {
			return 0
		}
		return 1
	})
}

// calledByOwn tells whether a method of the workspace calls one.
func (s *Snapshot) calledByOwn(n callgraph.NodeID) bool {
	g := s.Program.Graph
	return slices.ContainsFunc(g.SetsWith(n), func(set callgraph.SetID) bool {
		return slices.ContainsFunc(g.SitesOfSet(set), func(site int32) bool {
			return s.Class(g.Class(g.NodeOfSite(site))) != nil
		})
	})
}

// neighbours are methods with the places of calls: those of the workspace first, then by rank.
func (s *Snapshot) neighbours(found map[callgraph.NodeID][]CallSite, rank func(callgraph.NodeID) int,
) (out []Neighbour) {
	ranks := map[MethodRef]int{}
	for _, n := range slices.Sorted(maps.Keys(found)) {
		sites := found[n]
		slices.SortFunc(sites, func(a, b CallSite) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
		})
		m := s.refOf(n)
		if s.Class(m.Class) == nil {
			ranks[m] = 1 + rank(n)
		}
		out = append(out, Neighbour{m, slices.Compact(sites)})
	}
	slices.SortStableFunc(out, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(ranks[a.MethodRef], ranks[b.MethodRef]),
			cmp.Compare(a.Sites[0].Line, b.Sites[0].Line),
			compareMethods(a.MethodRef, b.MethodRef))
	})
	return out
}

// SourceOf finds the source of a class of the workspace, nil if there is none, and the name of one
// of its methods in it; the span is zero where the source does not have the method (a compiler made
// it, or the text is of another version).
func (s *Snapshot) SourceOf(m MethodRef) (f *File, name javasource.Span) {
	k := s.Class(m.Class)
	if k == nil || k.File == nil {
		return nil, name
	}
	is := func(r javasource.MethodRef) bool {
		return r.Class == m.Class && r.Method < len(k.Facts.Methods) &&
			k.Facts.Methods[r.Method].Name+k.Facts.Methods[r.Method].Desc == m.Method
	}
	matches := s.matches(k.File)
	for _, t := range k.File.Source.Types {
		for _, member := range t.Members {
			if slices.ContainsFunc(matches.Methods[member], is) {
				return k.File, member.NameSpan
			}
			for _, l := range member.Lambdas {
				if slices.ContainsFunc(matches.Lambdas[l], is) {
					return k.File, javasource.Span{Start: l.Arrow, End: l.Arrow + len("->")}
				}
			}
		}
	}
	return k.File, name
}
