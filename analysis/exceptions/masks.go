package exceptions

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is the flow inside a method for all groups at once: what flow.go
// says of one group, a bit for each here.

// masks says of types, edges and methods what they do to each group. A mask has
// bit k for group k.
type masks struct {
	words   int
	all     []uint64
	checked []uint64
	catches [][]uint64 // by type number: the groups that catching the type ends
	meets   [][]uint64 // by type number: the groups of which it catches something
	pass    [][]uint64 // by edge kind: see group.pass
}

// edgeKinds bounds the numbers of edge kinds.
const edgeKinds = 64

func newMasks(groups []group, types int) *masks {
	m := &masks{words: (len(groups) + 63) / 64}
	m.all, m.checked = m.empty(), m.empty()
	m.catches, m.meets = make([][]uint64, types), make([][]uint64, types)
	for t := range types {
		m.catches[t], m.meets[t] = m.empty(), m.empty()
	}
	for k := range groups {
		gr, w, bit := &groups[k], k>>6, uint64(1)<<(k&63)
		m.all[w] |= bit
		if gr.checked {
			m.checked[w] |= bit
		}
		for t, how := range gr.treat {
			if how != passes {
				m.meets[t][w] |= bit
			}
			if how == catches {
				m.catches[t][w] |= bit
			}
		}
	}
	m.pass = make([][]uint64, edgeKinds)
	for kind := range m.pass {
		m.pass[kind] = m.empty()
		for k := range groups {
			if groups[k].pass(callgraph.EdgeKind(kind)) {
				m.pass[kind][k>>6] |= 1 << (k & 63)
			}
		}
	}
	return m
}

func (m *masks) empty() []uint64 { return make([]uint64, m.words) }

// maskWalker is walker for all groups. It is not safe for concurrent use.
type maskWalker struct {
	m       *masks
	visited []uint64 // by handler: the groups that have been there
	depth   []uint64 // masks in use, three for each level of follow
	// arrive is called with the groups that arrive at a handler, each group once
	// per handler and walk; nil: nobody asks.
	arrive func(handler uint16, groups []uint64)
}

// walk follows exceptions that occur under a cover of f, and adds to leaves the
// groups that may leave the method.
func (w *maskWalker) walk(f *methodFlow, cover uint16, leaves []uint64) {
	if f == nil || int(cover) >= len(f.covers) || len(f.covers[cover]) == 0 {
		union(leaves, w.m.all)
		return
	}
	need := len(f.rethrows) * w.m.words
	if cap(w.visited) < need {
		w.visited = make([]uint64, need)
	}
	w.visited = w.visited[:need]
	clear(w.visited)
	w.follow(f, cover, w.m.all, leaves, 0)
}

// level gives the masks of a level of follow.
func (w *maskWalker) level(depth int) (in, hit, again []uint64) {
	n := w.m.words
	if need := (depth + 1) * 3 * n; len(w.depth) < need {
		w.depth = append(w.depth, make([]uint64, need-len(w.depth))...)
	}
	at := w.depth[depth*3*n:]
	return at[:n:n], at[n : 2*n : 2*n], at[2*n : 3*n : 3*n]
}

func (w *maskWalker) follow(f *methodFlow, cover uint16, groups, leaves []uint64, depth int) {
	in, hit, again := w.level(depth)
	copy(in, groups)
	for _, e := range f.covers[cover] {
		meets, ends := w.m.all, w.m.all
		if t := f.types[e]; t != anyType {
			meets, ends = w.m.meets[t], w.m.catches[t]
		}
		h := f.handlers[e]
		visited := w.visited[int(h)*w.m.words : (int(h)+1)*w.m.words]
		some := uint64(0)
		for i := range hit {
			hit[i] = in[i] & meets[i] &^ visited[i]
			visited[i] |= hit[i]
			some |= hit[i]
		}
		if some != 0 {
			if w.arrive != nil {
				w.arrive(h, hit)
			}
			for _, r := range f.rethrows[h] {
				copy(again, hit)
				if r.typ != anyType {
					for i := range again {
						again[i] &= w.m.meets[r.typ][i]
					}
				}
				if !isZero(again) {
					w.follow(f, r.cover, again, leaves, depth+1)
					in, hit, again = w.level(depth) // the masks may have moved
				}
			}
		}
		left := uint64(0)
		for i := range in {
			in[i] &^= ends[i]
			left |= in[i]
		}
		if left == 0 {
			return
		}
	}
	union(leaves, in)
}

// stepMasks says what a call does to the layers of exceptions that come out of
// it (declarations.step): of checked groups in the typed layer, declared ones
// stay typed, and sneaks become sneaky if they are not declared.
func (d *declarations) stepMasks(m *masks, n callgraph.NodeID, site *callgraph.Site, declared, sneaks []uint64) {
	method := d.g.Nodes[n].Method
	clear(sneaks)
	if method == hierarchy.NoMethod {
		copy(declared, m.all)
		for _, t := range d.brokenAt(n, site) {
			union(sneaks, m.meets[t])
		}
		for i := range declared {
			declared[i] &^= sneaks[i]
		}
		return
	}
	d.declaredMask(m, method, declared)
	if site.Origin == callgraph.FromModel {
		copy(sneaks, m.all)
		return
	}
	ref := d.g.Ref(site.Set)
	switch {
	case ref == hierarchy.NoMethod:
		copy(sneaks, m.all)
	case !d.variable.has(int32(ref)):
		d.declaredMask(m, ref, sneaks)
	default:
		for _, t := range d.brokenAt(n, site) {
			union(sneaks, m.meets[t])
		}
	}
}

// declaredMask sets a mask to the groups of which a method declares some.
func (d *declarations) declaredMask(m *masks, method hierarchy.MethodID, out []uint64) {
	clear(out)
	for _, t := range d.types[d.start[method]:d.start[method+1]] {
		union(out, m.meets[t])
	}
}
