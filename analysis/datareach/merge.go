package datareach

import (
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file makes one of frames of a node below which the same runs.

// frameEdge is an edge of a frame along which exceptions may come.
type frameEdge struct{ site, to int32 }

// frameEdges are the edges of all frames from which exceptions that matter may
// come.
type frameEdges struct {
	frames *frames
	start  []int32 // those of frame f are list[start[f]:start[f+1]]
	list   []frameEdge
}

func (e *frameEdges) of(f int32) []frameEdge { return e.list[e.start[f]:e.start[f+1]] }

func newFrameEdges(s *frames) *frameEdges {
	n, edges := s.len(), 0
	for f := range int32(n) {
		if s.at(f).main {
			s.edges(f, func(int32, int32) { edges++ })
		}
	}
	out := &frameEdges{frames: s, start: make([]int32, n+1), list: make([]frameEdge, 0, edges)}
	for f := range int32(n) {
		if s.at(f).main {
			s.edges(f, func(site, to int32) { out.list = append(out.list, frameEdge{site, to}) })
		}
		out.start[f+1] = int32(len(out.list))
	}
	return out
}

// merge makes a graph of the frames from which exceptions that matter may come. Frames of one
// node of the call graph share a vertex if control reaches the same throws in them and their
// edges lead to the same vertices, site by site: the coarsest such partition (Edward F. Moore,
// Gedanken-experiments on Sequential Machines, 1956), refined until nothing changes. What comes
// out of a vertex is what comes out of each of its frames.
func (a *Analysis) merge() {
	edges := newFrameEdges(a.frames)
	class, classes := edges.partition(edges.hashed(a.bounds.hash))
	of := edges.ofFirsts(class, classes)
	if !of.alikeFrames(class) { // different edges of one hash
		class, classes = edges.partition(edges.exact())
		of = edges.ofFirsts(class, classes)
	}
	out := &exceptions.Reached{Nodes: make([]callgraph.NodeID, classes), Start: of.start,
		Sites: make([]int32, len(of.list)), To: make([]int32, len(of.list))}
	for c, f := range of.first {
		out.Nodes[c] = a.frames.graphNode(f)
		if closed := a.frames.closed[f].throws; closed != nil {
			if out.Closed == nil {
				out.Closed = map[int32][]int32{}
			}
			out.Closed[int32(c)] = closed
		}
		if without := a.frames.closed[f].without; without != nil {
			if out.Without == nil {
				out.Without = map[int32][]exceptions.Thrown{}
			}
			out.Without[int32(c)] = without
		}
	}
	for i, e := range of.list {
		out.Sites[i], out.To[i] = e.site, e.to
	}
	a.vertex, a.graph = class, out
	a.stats.Vertices, a.stats.Edges = int(classes), len(out.To)
}

// partition puts frames into classes, -1 for those from which nothing comes:
// first those of one node in which control reaches the same throws, then those that are in
// one class and of which number says the same, given the classes, until there are no more classes.
func (e *frameEdges) partition(number func(class []int32,
	classes int32) func(f int32) int32) (class []int32, classes int32) {
	n := int32(e.frames.len())
	class = make([]int32, n)
	type key struct {
		node   callgraph.NodeID
		closed string
	}
	first := map[key]int32{} // class
	for f := range n {
		class[f] = -1
		if e.frames.at(f).main {
			k := key{e.frames.graphNode(f), e.frames.closed[f].key}
			c, ok := first[k]
			if !ok {
				c = int32(len(first))
				first[k] = c
			}
			class[f] = c
		}
	}
	classes = int32(len(first))
	for next := make([]int32, n); ; {
		count, of := int32(0), number(class, classes)
		for f := range n {
			if next[f] = -1; class[f] >= 0 {
				next[f] = of(f)
				count = max(count, next[f]+1)
			}
		}
		if count <= classes {
			return class, classes
		}
		class, next, classes = next, class, count
	}
}

// hashed numbers frames by hashes of 64 bits, of which equal ones may be of
// different frames. change is applied to each hash, nil for none.
func (e *frameEdges) hashed(change func(uint64) uint64) func(class []int32, classes int32) func(f int32) int32 {
	hash := make([]uint64, e.frames.len())
	var seen map[uint64]int32
	return func(class []int32, classes int32) func(f int32) int32 {
		shared(len(hash), func(from, to int) bool {
			for f := from; f < to; f++ {
				last, sum := uint64(0), uint64(0)
				// The edges of a site are a set: order does not matter.
				for _, t := range e.of(int32(f)) {
					x := mix(uint64(t.site)<<32 | uint64(uint32(class[t.to])))
					if x != last {
						sum += x
					}
					last = x
				}
				hash[f] = mix(uint64(class[f])+1) ^ mix(sum)
			}
			return true
		})
		if seen == nil {
			seen = make(map[uint64]int32, 2*classes)
		}
		clear(seen)
		return func(f int32) int32 {
			h := hash[f]
			if change != nil {
				h = change(h)
			}
			c, ok := seen[h]
			if !ok {
				c = int32(len(seen))
				seen[h] = c
			}
			return c
		}
	}
}

// shared calls do for the parts of a range, each on a processor, and tells whether it said true
// of all.
func shared(n int, do func(from, to int) bool) bool {
	parts := runtime.GOMAXPROCS(0)
	var others defect.Group
	var failed atomic.Bool
	for i := range parts {
		others.Go(func() {
			if !do(n*i/parts, n*(i+1)/parts) {
				failed.Store(true)
			}
		})
	}
	others.Wait()
	return !failed.Load()
}

// exact numbers frames by all that decides.
func (e *frameEdges) exact() func(class []int32, classes int32) func(f int32) int32 {
	return func(class []int32, _ int32) func(f int32) int32 {
		seen := map[string]int32{}
		var leads []frameEdge
		var key []byte
		return func(f int32) int32 {
			leads = e.appendTargets(f, class, leads[:0])
			key = binary.AppendUvarint(key[:0], uint64(class[f]))
			for _, t := range leads {
				key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(t.site)), uint64(t.to))
			}
			c, ok := seen[string(key)]
			if !ok {
				c = int32(len(seen))
				seen[string(key)] = c
			}
			return c
		}
	}
}

// appendTargets appends where the edges of a frame lead: sites and classes, sorted, each
// once.
func (e *frameEdges) appendTargets(f int32, class []int32, out []frameEdge) []frameEdge {
	from := len(out)
	for _, t := range e.of(f) {
		out = append(out, frameEdge{t.site, class[t.to]})
	}
	slices.SortFunc(out[from:], func(x, y frameEdge) int {
		return cmp.Or(cmp.Compare(x.site, y.site), cmp.Compare(x.to, y.to))
	})
	return append(out[:from], slices.Compact(out[from:])...)
}

// classEdges are the edges of the first frame of each class, as leads has them.
type classEdges struct {
	of    *frameEdges
	first []int32 // by class: that frame
	start []int32 // those of class c are list[start[c]:start[c+1]]
	list  []frameEdge
}

func (e *frameEdges) ofFirsts(class []int32, classes int32) *classEdges {
	out := &classEdges{of: e, first: firsts(class, classes), start: make([]int32, 1, classes+1)}
	most := 0
	for _, f := range out.first {
		most += len(e.of(f))
	}
	out.list = make([]frameEdge, 0, most)
	for _, f := range out.first {
		out.list = e.appendTargets(f, class, out.list)
		out.start = append(out.start, int32(len(out.list)))
	}
	return out
}

// alikeFrames tells whether all frames of a class are of one node, and their edges lead
// to the same classes.
func (c *classEdges) alikeFrames(class []int32) bool {
	e := c.of
	return shared(len(class), func(from, to int) bool {
		var own []frameEdge
		for f := int32(from); f < int32(to); f++ {
			k := class[f]
			if k < 0 || c.first[k] == f {
				continue
			}
			own = e.appendTargets(f, class, own[:0])
			if e.frames.graphNode(f) != e.frames.graphNode(c.first[k]) ||
				e.frames.closed[f].key != e.frames.closed[c.first[k]].key ||
				!slices.Equal(own, c.list[c.start[k]:c.start[k+1]]) {
				return false
			}
		}
		return true
	})
}

// firsts has the first frame of each class.
func firsts(class []int32, classes int32) []int32 {
	out := make([]int32, classes)
	for f := len(class) - 1; f >= 0; f-- {
		if class[f] >= 0 {
			out[class[f]] = int32(f)
		}
	}
	return out
}

func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
