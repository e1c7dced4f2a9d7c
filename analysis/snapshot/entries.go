package snapshot

import (
	"slices"
	"strings"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/classfile"
	"catchlens/analysis/exceptions"
)

// This file finds the methods by which a test can get to a catch.

// Entries lists at most `most` methods of the workspace, outside tests, that another class
// of their package can call and that lead to a catch: the method that holds it first if it
// is one, then its callers by the call graph, the nearest first.
func (s *Snapshot) Entries(c *Catch, most int) (out []MethodRef) {
	g := s.program.graph
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

// EntryPoints is the setting that the entry points are those of: "public" also where there are no
// tests, and the public methods and mains stand in for them.
func (s *Snapshot) EntryPoints() string {
	if s.program != nil && s.program.untested {
		return "public"
	}
	return s.Config.EntryPoints
}

// markUnreached sets Unreached of the catches; it stays set where it is.
func (s *Snapshot) markUnreached() {
	for _, c := range s.Catches {
		c.Unreached = c.Unreached || len(c.Handlers) > 0 &&
			!slices.ContainsFunc(c.Handlers, func(h exceptions.HandlerRef) bool {
				return s.program.graph.Find(h.Class, h.Method) != callgraph.NoNode
			})
	}
}

// ownCode tells whether a node is a method of the workspace outside tests.
func (s *Snapshot) ownCode(n callgraph.NodeID) bool {
	c := s.program.byName[s.program.graph.Class(n)]
	return c != nil && !c.InTests
}

// callable is the method of a node, if source in another class of the package can call it.
func (s *Snapshot) callable(n callgraph.NodeID) (MethodRef, bool) {
	if !s.ownCode(n) {
		return MethodRef{}, false
	}
	class, m := s.program.graph.Class(n), s.program.graph.Method(n)
	f := s.program.byName[class].Facts
	hidden := m.Access&(classfile.AccPrivate|classfile.AccSynthetic) != 0 || m.Name == "<clinit>"
	local := f.OuterMethod != "" || f.Outer == "" && strings.Contains(class, "$")
	return MethodRef{class, m.Name + m.Desc}, !hidden && !local
}
