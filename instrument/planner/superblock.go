package planner

import "slices"

// inference knows which coverage implies which. One node implies another if every walk from
// source to sink through the first passes the second. As walks may be put together at a node,
// that is so exactly where the second dominates or post-dominates the first.
//
// Nodes that imply each other are a superblock. In the dominator tree they are a chain: each
// member but the first has the one before it as its immediate dominator, and post-dominates it.
//
// A node is known from a set of probes exactly if every walk through it passes a probe that
// implies it. A superblock without a probe of its own, all others having one, is therefore known
// unless a walk goes through it that meets nothing but what says nothing about it. Such a walk
// has to come to the first member from a predecessor that does not imply it, to go from each
// member straight to the next, and to leave the last member for a successor that does not imply
// it:
//
//   - Where a predecessor of the first member neither implies it nor is reached through it alone,
//     neither does anything on the way to that predecessor. Where all of them imply it, the
//     member was entered exactly if one of them was.
//   - The same holds for the last member and its successors.
//   - Between two members there is an edge, which is clean, or all ways pass a node that implies
//     both of them.
//
// What is implied is always another superblock, and implication between superblocks is an order,
// so that leaving the probe out of one never spoils what another is known from: a probe for each
// superblock with such a walk, and none for the others, are as few as possible.
type inference struct {
	*flow
	dom, post *tree
	chains    [][]int32 // the superblocks, each from its first member to its last
}

func newInference(f *flow) *inference {
	in := &inference{flow: f, dom: dominators(f.source, &f.succ, &f.pred), post: dominators(f.sink, &f.pred, &f.succ)}
	of := make([]int32, f.nodes)
	byPosition := make([]int32, f.nodes)
	for v := range f.nodes {
		byPosition[v] = v
	}
	slices.SortFunc(byPosition, func(a, b int32) int { return int(in.dom.first[a] - in.dom.first[b]) })
	for _, v := range byPosition {
		if up := in.dom.parent[v]; up != f.source && in.post.contains(v, up) {
			of[v] = of[up]
			in.chains[of[v]] = append(in.chains[of[v]], v)
			continue
		}
		of[v] = int32(len(in.chains))
		in.chains = append(in.chains, []int32{v})
	}
	return in
}

// knownAtEnds tells whether a superblock is known from the neighbours of its first or last member.
func (in *inference) knownAtEnds(chain []int32) bool {
	known := func(v int32, neighbours []int32, end int32, ahead, behind *tree) bool {
		for _, p := range neighbours {
			if p == end || !ahead.contains(v, p) && !behind.contains(v, p) {
				return false
			}
		}
		return true
	}
	first, last := chain[0], chain[len(chain)-1]
	return known(first, in.pred.of(first), in.source, in.dom, in.post) ||
		known(last, in.succ.of(last), in.sink, in.post, in.dom)
}

// knownInside tells whether a superblock is known from what lies between two of its members.
func (in *inference) knownInside(chain []int32) bool {
	for i := range chain[1:] {
		if !slices.Contains(in.succ.of(chain[i]), chain[i+1]) {
			return true
		}
	}
	return false
}

// complete adds what the nodes that are covered imply.
func (in *inference) complete(covered []bool) {
	todo := make([]int32, 0, len(covered))
	for v, is := range covered {
		if is {
			todo = append(todo, int32(v))
		}
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, w := range [2]int32{in.dom.parent[v], in.post.parent[v]} {
			if w < in.nodes && !covered[w] {
				covered[w] = true
				todo = append(todo, w)
			}
		}
	}
}
