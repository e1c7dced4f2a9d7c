package snapshot

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
)

// This file answers which catches a changed method matters to.

// Touching tells, for each catch, which of the given workspace methods may run
// in its try or its catch clause: the method that holds it, and whatever the
// calls in the try and the clause may reach. A method that the snapshot does
// not have any more touches nothing: its callers have changed too.
//
// The methods are propagated from callees to callers, 64 at a time as one word
// for each method of the graph.
func (s *Snapshot) Touching(changed []MethodRef) map[*Catch][]MethodRef {
	out := map[*Catch][]MethodRef{}
	for len(changed) > 0 {
		n := min(64, len(changed))
		s.touching(changed[:n], out)
		changed = changed[n:]
	}
	return out
}

func (s *Snapshot) touching(changed []MethodRef, out map[*Catch][]MethodRef) {
	g := s.Program.Graph
	mask := make([]uint64, g.NumNodes())
	var work []callgraph.NodeID
	mark := func(n callgraph.NodeID, bits uint64) {
		if bits&^mask[n] != 0 {
			mask[n] |= bits
			work = append(work, n)
		}
	}
	direct := map[string]uint64{} // class and method -> bit
	for i, m := range changed {
		direct[m.Class+" "+m.Method] |= 1 << i
		if n := s.nodeOf(m); n != callgraph.NoNode {
			mark(n, 1<<i)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		bits := mask[n]
		for _, set := range g.SetsWith(n) {
			for _, site := range g.SitesOfSet(set) {
				mark(g.NodeOfSite(site), bits)
			}
		}
	}
	for _, c := range s.Catches {
		var bits uint64
		for _, h := range c.Handlers {
			f := s.Program.ByName[h.Class].Facts
			m := &f.Methods[h.Method]
			bits |= direct[h.Class+" "+m.Name+m.Desc] | s.below(c, g.Find(h.Class, h.Method), mask)
		}
		for i, m := range changed {
			if bits&(1<<i) != 0 {
				out[c] = append(out[c], m)
			}
		}
	}
}

// Holds tells whether a method holds a catch: the one that the catch stands in, or
// one that the compiler copied it to.
func (s *Snapshot) Holds(c *Catch, m MethodRef) bool {
	for _, h := range c.Handlers {
		if h.Class == m.Class {
			f := &s.Program.ByName[h.Class].Facts.Methods[h.Method]
			if f.Name+f.Desc == m.Method {
				return true
			}
		}
	}
	return false
}

// Lines are the first line of a catch's try and the last of its clause, from 1.
func (c *Catch) Lines() (first, last int) {
	first, last = c.File.Source.Line(c.Source.Try.Body.Start), c.File.Source.Line(c.Source.Body.End)
	if r := c.Source.Try.Resources; !r.IsZero() {
		first = c.File.Source.Line(r.Start)
	}
	return first, last
}

// below joins the masks of what the try and the clause of a catch call from one
// method, found by their lines; without line numbers the whole method counts.
func (s *Snapshot) below(c *Catch, n callgraph.NodeID, mask []uint64) uint64 {
	if n == callgraph.NoNode {
		return 0
	}
	g := s.Program.Graph
	first, last := c.Lines()
	var bits uint64
	for _, site := range g.SitesOf(n) {
		if line := int(g.Position(n, site).Line); line > 0 && (line < first || line > last) {
			continue
		}
		for _, t := range g.Targets(site.Set) {
			bits |= mask[t]
		}
	}
	return bits
}

// nodeOf finds a method of the workspace or a library in the call graph, NoNode if there is no such
// method or it is not reached.
func (s *Snapshot) nodeOf(m MethodRef) callgraph.NodeID {
	if !s.HasCallGraph() {
		return callgraph.NoNode
	}
	var f *facts.Class
	if c := s.Program.ByName[m.Class]; c != nil {
		f = c.Facts
	} else if f, _ = s.Facts(m.Class); f == nil {
		return callgraph.NoNode
	}
	i := methodIndex(f, m.Method)
	if i < 0 {
		return callgraph.NoNode
	}
	return s.Program.Graph.Find(m.Class, i)
}

// methodIndex finds a method by name and descriptor, or returns -1.
func methodIndex(f *facts.Class, nameDesc string) int {
	for i := range f.Methods {
		m := &f.Methods[i]
		if len(m.Name)+len(m.Desc) == len(nameDesc) && m.Name == nameDesc[:len(m.Name)] &&
			m.Desc == nameDesc[len(m.Name):] {
			return i
		}
	}
	return -1
}

// BodyLines are the lines of a catch's try, resources included, without its
// clauses.
func (c *Catch) BodyLines() (first, last int) {
	first, _ = c.Lines()
	return first, c.File.Source.Line(c.Source.Try.Body.End)
}
