package pointsto

// This file writes a solver for the next process and decides whether one that was written can be
// used.

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/internal/defect"
)

// stateMagic begins a state, and the checksum of what stands between (CRC-32C) ends it.
const stateMagic = "clboot2\n"

const stateFrame = len(stateMagic) + 4

// keptOf is what has to be as it was for a state to be used.
type keptOf struct {
	calls     []certain // that were solved
	own       []string  // classes of the workspace that it rests on, which code of libraries names
	digests   [][16]byte
	absent    []string // classes that there must not be
	numbering hierarchy.Numbering
}

// keptOf says on what a solver rests whose work is done; nil where that cannot be kept.
func (s *solver) keptOf(has func(string) bool, calls []certain) *keptOf {
	n, ok := s.H.Numbering()
	if !ok || len(s.problems) > 0 || s.edited != nil || !s.Done() || s.Age() > 0 {
		return nil
	}
	k := &keptOf{calls: calls, numbering: n}
	for t, name := range n.Types {
		class := s.H.Facts(hierarchy.TypeID(t))
		switch {
		case class == nil: // it is missing
			k.absent = append(k.absent, name)
		case has(name):
		case len(calls) == 0 || !s.Workspace[name]:
			return nil
		default:
			k.own, k.digests = append(k.own, name), append(k.digests, class.Digest)
		}
	}
	for _, t := range n.Asked {
		switch {
		case !s.H.Present(t):
			k.absent = append(k.absent, t)
		case !has(t) && !slices.Contains(k.own, t):
			return nil
		}
	}
	return k
}

// covers tells whether all calls that were solved are made now, and not many others.
func (k *keptOf) covers(now []certain, p Policy) bool {
	if p == Containers {
		return slices.Equal(k.calls, now)
	}
	i := 0
	for _, c := range k.calls {
		for i < len(now) && now[i].compare(c) < 0 {
			i++
		}
		if i == len(now) || now[i] != c {
			return false
		}
	}
	return len(k.calls) >= len(now)-len(now)/8
}

// transfer writes or reads k.
func (k *keptOf) transfer(c *flat.Codec) {
	flat.Columns(c, &k.calls, func(x *certain) *string { return &x.class }, func(x *certain) *string { return &x.name },
		func(x *certain) *string { return &x.desc })
	c.Strs(&k.own)
	flat.List(c, &k.digests)
	c.Check(len(k.own) == len(k.digests))
	c.Strs(&k.absent)
	n := &k.numbering
	c.Strs(&n.Types)
	flat.Columns(c, &n.Selectors, func(x *[2]string) *string { return &x[0] },
		func(x *[2]string) *string { return &x[1] })
	c.Strs(&n.Asked)
	flat.Columns(c, &n.Missing, func(x *hierarchy.Missing) *string { return &x.Class },
		func(x *hierarchy.Missing) *string { return &x.ReferencedBy })
	flat.List(c, &n.Thrown)
	flat.Num(c, &n.Methods)
}

// write writes the state.
func (s *solver) write(w io.Writer, k *keptOf) error {
	if _, err := io.WriteString(w, stateMagic); err != nil {
		return err
	}
	c := flat.NewWriter(w)
	k.transfer(c)
	s.transfer(c)
	sum := c.Finish()
	if c.Bad() {
		return errors.New("the state could not be written")
	}
	_, err := w.Write(binary.LittleEndian.AppendUint32(nil, sum))
	return err
}

// read makes the solver that a state was written of; nil if there is none, or it cannot be used.
// The hierarchy is then as it was: new. wanted is asked last.
func (b *Part) read(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, wanted func(*keptOf) bool) *solver {
	if b.State == nil {
		return nil
	}
	state, done := b.State(p)
	defer done()
	end := len(state) - 4
	if len(state) < stateFrame || string(state[:len(stateMagic)]) != stateMagic ||
		binary.LittleEndian.Uint32(state[end:]) != flat.Checksum(state[len(stateMagic):end]) {
		return nil
	}
	c := flat.NewReader(state[len(stateMagic):end])
	k := keptOf{}
	s := b.restore(h, cfg, p, c, &k)
	if s == nil || !wanted(&k) {
		h.Reset()
		return nil
	}
	return s
}

// restore is read of what a checksum is of.
func (b *Part) restore(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, c *flat.Codec, k *keptOf) *solver {
	k.transfer(c)
	if c.Bad() || !k.current(h.Source(), cfg) {
		return nil
	}
	s := newSolver(h, cfg, p)
	var lists defect.Group
	lists.Go(func() { s.transfer(c) })
	same := h.Renumber(k.numbering)
	if lists.Wait(); !same || c.Bad() || c.Left() > 0 {
		return nil
	}
	own := 0
	for t, name := range k.numbering.Types {
		switch {
		case h.Phantom(hierarchy.TypeID(t)) || b.Has == nil || b.Has(name):
		case own < len(k.own) && k.own[own] == name:
			own++
		default:
			return nil
		}
	}
	return s
}

// current tells whether the classes of the workspace are as they were, and no class is there that
// must not be.
func (k *keptOf) current(src hierarchy.Source, cfg callgraph.Config) bool {
	for _, name := range k.absent {
		if _, ok := src.Class(name); ok {
			return false
		}
	}
	for i, name := range k.own {
		if c, ok := src.Class(name); !ok || c.Digest != k.digests[i] || !slices.Contains(cfg.Workspace, name) {
			return false
		}
	}
	return true
}
