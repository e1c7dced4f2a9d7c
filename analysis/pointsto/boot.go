package pointsto

// This file begins each analysis without contexts with the same program: what the VM
// starts by itself. Of the 21,000 methods that it reaches in JDK 17 nothing depends on
// the program, so that what was found about them can be kept for the next process.
//
// The constraints of a program are those of this one and more, so its solution goes on
// from there (follow.go says why that is right). What a program may add to methods of
// this one are providers of services and observed calls, which are added then. What
// it could change are classes for which code of the JDK asked in vain: where it has one
// of them, all is solved with the class that it has, and nothing is kept.
//
// Whether the first part was solved or read, the numbers of everything are the same,
// and so is each result.

import (
	"encoding/binary"
	"hash/crc32"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
)

// Boot is what is kept of a JDK for analyses without contexts. A state belongs to the
// JDK with all that decides what the facts of its classes are, and to the executable
// that wrote it.
type Boot struct {
	// State returns what Keep was called with, nil if there is none, and what to call when
	// it was read. It is ignored if it is damaged.
	State func() (state []byte, done func())
	// Providers are the implementations of a service that the JDK has: some of those
	// of Config.Providers.
	Providers func(service string) []string
	// OfJDK tells whether a class that there is comes from the JDK.
	OfJDK func(class string) bool
	// Keep is called with a state that can be used next time, if there was none that could.
	Keep func(state []byte)
}

// askedService is a service for whose providers a class asks.
type askedService struct{ service, by string }

// solved is a solver whose work is done.
func solved(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, b *Boot) *solver {
	if p != Insensitive { // receivers are told apart in the order in which they come
		s := newSolver(h, cfg, p)
		s.seed()
		s.solve()
		return s
	}
	s := b.read(h, cfg)
	if s == nil {
		s = booted(h, cfg, b)
	}
	if s.gaveUp {
		return s
	}
	s.cfg = cfg
	for _, a := range s.forServices {
		s.providers(a.service, a.by)
	}
	s.observedOfBooted()
	s.seedProgram()
	s.solve()
	return s
}

// booted solves what the VM starts by itself, and keeps it if b says so.
func booted(h *hierarchy.Hierarchy, cfg callgraph.Config, b *Boot) *solver {
	only := callgraph.Config{Providers: cfg.Providers, Cancelled: cfg.Cancelled}
	if b != nil {
		only.Providers = b.Providers
	}
	s := newSolver(h, only, Insensitive)
	s.booting = true
	s.seedVM()
	s.solve()
	s.booting = false
	if b != nil && b.Keep != nil && !s.gaveUp {
		if state := s.state(b.OfJDK); state != nil {
			b.Keep(state)
		}
	}
	return s
}

// observedOfBooted adds the observed calls of methods that are visited.
func (s *solver) observedOfBooted() {
	from := map[string]bool{}
	for _, e := range s.cfg.Extra.Edges {
		from[e.From.Class] = true
	}
	if len(from) == 0 {
		return
	}
	for k := range int32(len(s.insts)) {
		id := s.insts[k].method
		if id == hierarchy.NoMethod || !from[s.h.Name(s.h.Owner(id))] {
			continue
		}
		v := &visitor{solver: s, inst: k, base: s.insts[k].base, t: s.h.Owner(id), m: s.h.Method(id)}
		v.class = s.h.Facts(v.t)
		s.ops = append(s.ops[:0], make([]callOp, len(v.m.Calls))...)
		facts.EachFlow(v.m.Flow, func(op facts.FlowOp, x []uint64) {
			if op == facts.FlowCall {
				s.ops[x[0]] = callOp{result: v.variable(x[1])}
			}
		})
		v.observed(id)
	}
}

// stateMagic begins a state, before the checksum of the rest (CRC-32C).
const stateMagic = "clboot1\n"

const stateHeader = len(stateMagic) + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// state writes a solver whose work is done; nil where something came of other classes
// than the JDK's.
func (s *solver) state(ofJDK func(string) bool) []byte {
	n, ok := s.h.Numbering()
	if !ok || len(s.problems) > 0 || s.contexts.count > 0 || s.reflects.reads || s.edited != nil || s.age > 0 {
		return nil
	}
	for _, d := range s.delta {
		if d.n > 0 {
			return nil
		}
	}
	for _, t := range n.Types {
		if !ofJDK(t) {
			return nil
		}
	}
	for _, t := range n.Asked {
		if s.h.Present(t) && !ofJDK(t) {
			return nil
		}
	}
	c := &codec{writes: true, data: make([]byte, stateHeader, 64<<20)}
	numbering(c, &n, s.h)
	s.transfer(c)
	if c.bad {
		return nil
	}
	copy(c.data, stateMagic)
	binary.LittleEndian.PutUint32(c.data[len(stateMagic):], crc32.Checksum(c.data[stateHeader:], castagnoli))
	return c.data
}

// numbering writes or reads the numbering of a hierarchy, with the names of classes
// that there must not be.
func numbering(c *codec, n *hierarchy.Numbering, h *hierarchy.Hierarchy) (absent []string) {
	var names, descs []string
	if c.writes {
		for _, k := range n.Selectors {
			names, descs = append(names, k[0]), append(descs, k[1])
		}
		for _, t := range n.Asked {
			if !h.Present(t) {
				absent = append(absent, t)
			}
		}
	}
	c.strs(&absent)
	c.strs(&n.Types)
	c.strs(&names)
	c.strs(&descs)
	c.strs(&n.Asked)
	num(c, &n.Methods)
	if c.writes || len(names) != len(descs) {
		return absent
	}
	for i := range names {
		n.Selectors = append(n.Selectors, [2]string{names[i], descs[i]})
	}
	return absent
}

// read makes the solver that a state was written of; nil if it cannot be used. The
// hierarchy is then as it was: new.
func (b *Boot) read(h *hierarchy.Hierarchy, cfg callgraph.Config) *solver {
	if b == nil || b.State == nil {
		return nil
	}
	state, done := b.State()
	defer done()
	if len(state) < stateHeader || string(state[:len(stateMagic)]) != stateMagic ||
		binary.LittleEndian.Uint32(state[len(stateMagic):]) != crc32.Checksum(state[stateHeader:], castagnoli) {
		return nil
	}
	return restore(h, cfg, state[stateHeader:])
}

// restore is read of what follows the checksum.
func restore(h *hierarchy.Hierarchy, cfg callgraph.Config, data []byte) *solver {
	c := &codec{data: data}
	var n hierarchy.Numbering
	absent := numbering(c, &n, h)
	if c.bad {
		return nil
	}
	src := h.Source()
	for _, name := range absent {
		if _, ok := src.Class(name); ok {
			return nil
		}
	}
	if !h.Renumber(n) {
		h.Reset()
		return nil
	}
	s := newSolver(h, cfg, Insensitive)
	s.transfer(c)
	if c.bad || len(c.data) > 0 {
		h.Reset()
		return nil
	}
	return s
}
