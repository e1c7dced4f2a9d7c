package datareach

import (
	"slices"

	"catchlens/analysis/exceptions"
)

// This file makes one of frames of a node below which the same runs.

// merge makes a graph of the frames from which exceptions that matter may come.
// Frames of one node share a vertex if their edges lead to the same vertices, site
// by site: the coarsest such partition (Edward F. Moore, Gedanken-experiments on
// Sequential Machines, 1956), refined until nothing changes. Equal hashes of 64
// bits count as equal. What comes out of a vertex is what comes out of each of its
// frames.
func (a *Analysis) merge() {
	type edge struct{ site, to int32 }
	n := len(a.frames.list)
	start := make([]int32, n+1)
	var edges []edge
	class := make([]int32, n) // by frame
	classes := int32(0)
	first := map[int32]int32{} // by node of the call graph: class
	for f := range int32(n) {
		if a.frames.list[f].main {
			a.frames.edges(f, func(site, to int32) { edges = append(edges, edge{site, to}) })
			g := int32(a.frames.graphNode(f))
			c, ok := first[g]
			if !ok {
				c = classes
				first[g] = c
				classes++
			}
			class[f] = c
		} else {
			class[f] = -1
		}
		start[f+1] = int32(len(edges))
	}
	next := make([]int32, n)
	for {
		seen := make(map[uint64]int32, classes)
		count := int32(0)
		for f := range n {
			if class[f] < 0 {
				next[f] = -1
				continue
			}
			h := mix(uint64(class[f]) + 1)
			last := uint64(0)
			sum := uint64(0)
			// The edges of a site are a set: order and repetition do not matter.
			for _, e := range edges[start[f]:start[f+1]] {
				x := mix(uint64(e.site)<<32 | uint64(uint32(class[e.to])))
				if x != last {
					sum += x
				}
				last = x
			}
			h ^= mix(sum)
			c, ok := seen[h]
			if !ok {
				c = count
				seen[h] = c
				count++
			}
			next[f] = c
		}
		class, next = next, class
		if count == classes {
			break
		}
		classes = count
	}
	out := &exceptions.Reached{}
	a.vertex = class
	member := make([]int32, classes)
	for f := n - 1; f >= 0; f-- {
		if class[f] >= 0 {
			member[class[f]] = int32(f)
		}
	}
	for _, f := range member {
		out.Nodes = append(out.Nodes, a.frames.graphNode(f))
		out.Start = append(out.Start, int32(len(out.To)))
		list := edges[start[f]:start[f+1]]
		slices.SortFunc(list, func(x, y edge) int {
			if x.site != y.site {
				return int(x.site - y.site)
			}
			return int(class[x.to] - class[y.to])
		})
		for i, e := range list {
			if i == 0 || e.site != list[i-1].site || class[e.to] != class[list[i-1].to] {
				out.Sites, out.To = append(out.Sites, e.site), append(out.To, class[e.to])
			}
		}
	}
	out.Start = append(out.Start, int32(len(out.To)))
	a.graph = out
	a.stats.Vertices, a.stats.Edges = int(classes), len(out.To)
}

func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
