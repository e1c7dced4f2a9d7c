package unshared

import (
	"crypto/sha256"
	"math/bits"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file reads the code of methods.

// code is a method's register code with what the search needs of it.
type code struct {
	low    *ir.Method
	class  hierarchy.TypeID
	node   callgraph.NodeID
	live   [][]uint64            // by block: the values that are live where it begins, a bit for each
	fields map[ir.Value]fieldKey // of getfield and putfield; one that is not found is missing
	calls  map[int32]int32       // by pc: position in facts.Method.Calls
	sites  []int32               // by position in facts.Method.Calls: the site of the call graph, -1
}

// class reads a class file; nil where it is not the one that the facts are of.
func (p *Program) class(t hierarchy.TypeID) *classfile.Class {
	c, known := p.classes[t]
	if known {
		return c
	}
	if f := p.g.H.Facts(t); f != nil {
		if data, err := p.read(p.g.H.Name(t)); err == nil {
			if sum := sha256.Sum256(data); [16]byte(sum[:16]) == f.Digest {
				if c, err = classfile.Parse(data); err != nil {
					c = nil
				}
			}
		}
	}
	p.classes[t] = c
	return c
}

// code reads the code of a node of the call graph; nil where there is none.
func (p *Program) code(n callgraph.NodeID) *code {
	c, known := p.codes[n]
	if !known {
		c = p.readCode(n)
		p.codes[n] = c
	}
	return c
}

func (p *Program) readCode(n callgraph.NodeID) *code {
	m := p.g.Method(n)
	if m == nil || !m.HasCode {
		return nil
	}
	t := p.g.H.Owner(p.g.Nodes[n].Method)
	c := p.class(t)
	if c == nil {
		return nil
	}
	member := c.FindMethod(m.Name, m.Desc)
	if member == nil {
		return nil
	}
	low, err := p.builder.Build(c, member)
	if err != nil || low == nil {
		return nil
	}
	out := &code{low: low.Clone(), class: t, node: n, fields: map[ir.Value]fieldKey{},
		calls: make(map[int32]int32, len(m.Calls)), sites: make([]int32, len(m.Calls))}
	for i := range out.low.Instrs {
		if op := out.low.Instrs[i].Op; op == ir.OpGetField || op == ir.OpPutField {
			if ref, err := out.low.Member(ir.Value(i)); err == nil {
				if k, ok := p.field(ref); ok {
					out.fields[ir.Value(i)] = k
				}
			}
		}
	}
	for i := range m.Calls {
		out.calls[m.Calls[i].PC] = int32(i)
		out.sites[i] = -1
	}
	for i := p.g.Nodes[n].First; i < p.g.Nodes[n].End; i++ {
		if s := &p.g.Sites[i]; s.Origin == callgraph.FromCalls && s.Kind == callgraph.Call &&
			int(s.Index) < len(m.Calls) {
			out.sites[s.Index] = i
		}
	}
	out.findLive()
	return out
}

// field finds the class that declares an instance field.
func (p *Program) field(ref classfile.MemberRef) (k fieldKey, ok bool) {
	for t := p.g.H.Lookup(ref.Owner); t != hierarchy.NoType; t = p.g.H.Super(t) {
		c := p.class(t)
		if c == nil {
			return k, false
		}
		if c.FindField(ref.Name, ref.Desc) != nil {
			return fieldKey{c.Name(), ref.Name, ref.Desc}, true
		}
	}
	return k, false
}

// findLive finds the values that are live where blocks begin; what phis join is live at the end of
// the blocks that it comes from only.
func (c *code) findLive() {
	low := c.low
	words := (len(low.Instrs) + 63) / 64
	all := make([]uint64, words*len(low.Blocks))
	c.live = make([][]uint64, len(low.Blocks))
	for b := range c.live {
		c.live[b] = all[b*words : (b+1)*words]
	}
	now := make([]uint64, words)
	for changed := true; changed; {
		changed = false
		for b := len(low.Blocks) - 1; b >= 0; b-- {
			clear(now)
			handled := make([]uint64, words)
			for _, s := range low.Succs(ir.BlockID(b)) {
				c.join(now, ir.BlockID(b), s, false)
			}
			for _, s := range low.HandlerSuccs(ir.BlockID(b)) {
				c.join(handled, ir.BlockID(b), s, true)
			}
			blk := &low.Blocks[b]
			for v := ir.Value(blk.Last) - 1; v >= ir.Value(blk.First); v-- {
				now[v>>6] &^= 1 << (v & 63)
				switch low.Instrs[v].Op {
				case ir.OpPhi, ir.OpParam, ir.OpCatch: // defined where the block begins
					handled[v>>6] &^= 1 << (v & 63)
				default:
					for _, a := range low.Args(v) {
						now[a>>6] |= 1 << (a & 63)
					}
				}
			}
			for i := range now {
				if w := now[i] | handled[i]; w != c.live[b][i] {
					c.live[b][i] = w
					changed = true
				}
			}
		}
	}
}

// join adds what is live where control goes from a block to another.
func (c *code) join(live []uint64, from, to ir.BlockID, exceptional bool) {
	for i, w := range c.live[to] {
		live[i] |= w
	}
	c.eachPhi(from, to, exceptional, func(_, a ir.Value) { live[a>>6] |= 1 << (a & 63) })
}

// eachPhi calls f for the phis of a block with what control brings to them from another one.
func (c *code) eachPhi(from, to ir.BlockID, exceptional bool, f func(phi, arg ir.Value)) {
	low := c.low
	at := -1
	for i, p := range low.Preds(to) {
		if p.Block == from && p.Exceptional == exceptional {
			at = i
			break
		}
	}
	if at < 0 {
		return
	}
	for v := ir.Value(low.Blocks[to].First); v < ir.Value(low.Blocks[to].Last) && low.Instrs[v].Op == ir.OpPhi; v++ {
		f(v, low.Args(v)[at])
	}
}

// eachLive calls f for the values that are live where a block begins.
func (c *code) eachLive(b ir.BlockID, f func(v ir.Value)) {
	for i, w := range c.live[b] {
		for ; w != 0; w &= w - 1 {
			f(ir.Value(i*64 + bits.TrailingZeros64(w)))
		}
	}
}

// tracked tells whether objects of a class are followed: such as can be closed. Objects with a
// finalizer are not: that may run while a method of theirs does (JLS 12.6.1).
func (p *Program) tracked(t hierarchy.TypeID) bool {
	if t == hierarchy.NoType {
		return false
	}
	is, known := p.follows[t]
	if !known {
		h := p.g.H
		closeable := h.Lookup("java/io/Closeable")
		is = closeable != hierarchy.NoType && h.IsSubtype(t, closeable) && h.Facts(t) != nil && !p.finalized(t) &&
			!h.IsSubtype(t, h.Throwable())
		p.follows[t] = is
	}
	return is
}

func (p *Program) finalized(t hierarchy.TypeID) bool {
	h := p.g.H
	s := h.Selector("finalize", "()V")
	if s == hierarchy.NoSelector {
		return false
	}
	m := h.SelectSelector(t, s)
	return m == hierarchy.NoMethod || h.Owner(m) != h.Object()
}

// findMakers finds the methods in which an object that is followed may be known to nobody else:
// those that make one or get one from a method that does.
func (p *Program) findMakers() {
	g := p.g
	p.makers = make([]bool, g.NumNodes())
	gives := make([]bool, g.NumNodes())
	for n := range callgraph.NodeID(g.NumNodes()) {
		m := g.Method(n)
		if m == nil {
			continue
		}
		for i := range m.Allocs {
			if p.tracked(g.H.Lookup(m.Allocs[i].Type)) {
				p.makers[n] = true
				break
			}
		}
		gives[n] = p.makers[n] && p.givesObject(m)
	}
	for changed := true; changed; {
		changed = false
		for n := range callgraph.NodeID(g.NumNodes()) {
			if gives[n] || g.Method(n) == nil {
				continue
			}
			for _, s := range g.SitesOf(n) {
				if to := g.Targets(s.Set); s.Kind == callgraph.Call && s.Origin == callgraph.FromCalls &&
					len(to) == 1 && gives[to[0]] {
					p.makers[n] = true
					if p.givesObject(g.Method(n)) {
						gives[n], changed = true, true
					}
					break
				}
			}
		}
	}
	p.gives = gives
}

// givesObject tells whether a method returns a reference of a type that objects that are followed
// have, other than Object: what comes as that is mostly something else.
func (p *Program) givesObject(m *facts.Method) bool {
	result := classfile.Result(m.Desc)
	if result == "" || result[0] != 'L' {
		return false
	}
	t := p.g.H.Lookup(classfile.DescriptorClass(result))
	if t == hierarchy.NoType || t == p.g.H.Object() {
		return false
	}
	holds, known := p.holds[t]
	if !known {
		holds = p.tracked(t) || slices.ContainsFunc(p.g.H.Subtypes(t), p.tracked)
		p.holds[t] = holds
	}
	return holds
}
