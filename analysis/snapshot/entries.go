package snapshot

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file finds the methods by which a test can get to a catch.

// Entries lists at most `most` methods of the workspace, outside tests, that another class
// of their package can call and that lead to a catch: the method that holds it first if it
// is one, then its callers by the call graph, the nearest first.
func (s *Snapshot) Entries(c *Catch, most int) (out []MethodRef) {
	g := s.Program.Graph
	seen := make(map[callgraph.NodeID]bool)
	var level []callgraph.NodeID
	for _, h := range c.Handlers {
		if n := g.Find(h.Class, h.Method); n != callgraph.NoNode && !seen[n] {
			seen[n] = true
			level = append(level, n)
		}
	}
	for len(level) > 0 && len(out) < most {
		var next []callgraph.NodeID
		for _, n := range level {
			if m, ok := s.callable(n); ok && len(out) < most {
				out = append(out, m)
			}
			for _, set := range g.SetsWith(n) {
				for _, site := range g.SitesOfSet(set) {
					if caller := g.NodeOfSite(site); !seen[caller] && s.ownCode(caller) {
						seen[caller] = true
						next = append(next, caller)
					}
				}
			}
		}
		level = next
	}
	return out
}

// HasCallGraph tells whether there is a call graph: a snapshot that was made by hand has none.
func (s *Snapshot) HasCallGraph() bool { return s.Program != nil && s.Program.Graph != nil }

// TestsTo lists the classes of tests, by internal name, of which a method leads to a catch by calls
// of the workspace's own methods, the nearest first. Tests that get there by way of other code, or
// whose methods stand in a class above them, are not found: an answer says where to look first.
func (s *Snapshot) TestsTo(c *Catch) (out []string) {
	return s.testClassesOf(s.MethodsTo(c))
}

// TestsByAnyWay lists the classes of tests, by internal name, of which a method leads to a catch by
// calls of any code, the nearest first. Of a test whose methods stand in a class above it, it is
// that.
func (s *Snapshot) TestsByAnyWay(c *Catch) (out []string) {
	return s.testClassesOf(s.leadingTo(c, func(string) bool { return true }))
}

// testClassesOf lists the classes of tests, by internal name, that have some of these methods, in
// their order.
func (s *Snapshot) testClassesOf(methods []callgraph.NodeID) (out []string) {
	found := map[string]bool{}
	for _, n := range methods {
		name := s.Program.Graph.Class(n)
		if class := s.Class(name); class != nil && class.InTests && !found[name] {
			found[name] = true
			out = append(out, name)
		}
	}
	return out
}

// ClassesByAnyWay lists the classes that have tests, by internal name, and of which a method leads
// to a catch by calls of any code, or one of a class above them.
func (s *Snapshot) ClassesByAnyWay(c *Catch) (out []string) {
	leading := map[string]bool{}
	for _, name := range s.TestsByAnyWay(c) {
		leading[name] = true
	}
	for _, class := range s.Program.Classes {
		if class.InTests && slices.ContainsFunc(s.supertypes(class.Name),
			func(name string) bool { return leading[name] }) && s.HasTests(class) {
			out = append(out, class.Name)
		}
	}
	return out
}

// EnteredBy has the catches of which ClassesByAnyWay has one of some classes, by internal name: it
// follows the calls once, from these, and not from each catch.
func (s *Snapshot) EnteredBy(chosen func(class string) bool) map[*Catch]bool {
	tests := map[string]bool{} // whose methods such a class has
	for _, class := range s.Program.Classes {
		if class.InTests && chosen(class.Name) && s.HasTests(class) {
			for _, name := range s.supertypes(class.Name) {
				if above := s.Class(name); above != nil && above.InTests {
					tests[name] = true
				}
			}
		}
	}
	g := s.Program.Graph
	seen, work := make([]bool, g.NumNodes()), []callgraph.NodeID{}
	add := func(n callgraph.NodeID) {
		if !seen[n] {
			seen[n] = true
			work = append(work, n)
		}
	}
	for n := range callgraph.NodeID(g.NumNodes()) {
		if tests[g.Class(n)] {
			add(n)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, site := range g.SitesOf(n) {
			for _, target := range g.Targets(site.Set) {
				add(target)
			}
		}
	}
	entered := map[*Catch]bool{}
	for _, c := range s.Catches {
		for _, h := range c.Handlers {
			if n := g.Find(h.Class, h.Method); n != callgraph.NoNode && seen[n] {
				entered[c] = true
			}
		}
	}
	return entered
}

// MethodsTo lists the methods that hold a catch and those of the workspace that lead there by calls
// of each other, the nearest first; none without a call graph.
func (s *Snapshot) MethodsTo(c *Catch) (out []callgraph.NodeID) {
	return s.leadingTo(c, func(class string) bool { return s.Class(class) != nil })
}

// leadingTo lists the methods that hold a catch and those that lead there by calls of methods of
// some classes, the nearest first; none without a call graph.
func (s *Snapshot) leadingTo(c *Catch, by func(class string) bool) (out []callgraph.NodeID) {
	if !s.HasCallGraph() {
		return nil // a snapshot that was made by hand
	}
	g, seen := s.Program.Graph, map[callgraph.NodeID]bool{}
	add := func(n callgraph.NodeID) {
		if !seen[n] && by(g.Class(n)) {
			seen[n] = true
			out = append(out, n)
		}
	}
	for _, h := range c.Handlers {
		if n := g.Find(h.Class, h.Method); n != callgraph.NoNode {
			add(n)
		}
	}
	for i := 0; i < len(out); i++ {
		for _, set := range g.SetsWith(out[i]) {
			for _, site := range g.SitesOfSet(set) {
				add(g.NodeOfSite(site))
			}
		}
	}
	return out
}

// EntryPoints is the setting that the entry points are those of: "public" also where there are no
// tests, and the public methods and mains stand in for them.
func (s *Snapshot) EntryPoints() string {
	if s.Program != nil && s.Program.Untested {
		return "public"
	}
	return s.Config.EntryPoints
}

// ownCode tells whether a node is a method of the workspace outside tests.
func (s *Snapshot) ownCode(n callgraph.NodeID) bool {
	c := s.Program.ByName[s.Program.Graph.Class(n)]
	return c != nil && !c.InTests
}

// callable is the method of a node, if source in another class of the package can call it.
func (s *Snapshot) callable(n callgraph.NodeID) (MethodRef, bool) {
	if !s.ownCode(n) {
		return MethodRef{}, false
	}
	class, m := s.Program.Graph.Class(n), s.Program.Graph.Method(n)
	f := s.Program.ByName[class].Facts
	hidden := m.Access&(classfile.AccPrivate|classfile.AccSynthetic) != 0 || m.Name == "<clinit>"
	local := f.OuterMethod != "" || f.Outer == "" && strings.Contains(class, "$")
	return MethodRef{class, m.Name + m.Desc}, !hidden && !local
}
