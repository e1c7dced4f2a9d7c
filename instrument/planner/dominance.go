package planner

// tree is a dominator tree.
type tree struct {
	parent      []int32 // immediate dominator; of the root the root itself
	first, last []int32 // of each node: positions in a walk of the tree, for queries in constant time
}

// contains tells whether every path from the root to b passes a. A node dominates itself.
func (t *tree) contains(a, b int32) bool { return t.first[a] <= t.first[b] && t.last[b] <= t.last[a] }

// dominators returns the dominator tree of what the root reaches, which are all nodes (Georgiadis,
// Linear-Time Algorithms for Dominators and Related Problems, 2005: Semi-NCA). A simpler
// algorithm takes quadratic time where a handler covers a long chain of blocks.
func dominators(root int32, succ, pred *lists) *tree {
	n := int32(len(succ.start) - 1)
	s := &semi{order: filled(n), node: make([]int32, 0, n), up: make([]int32, 0, n)}
	s.search(root, succ)
	s.label, s.semi = every(len(s.node)), every(len(s.node))
	s.ancestor = filled(int32(len(s.node)))
	idom := append([]int32(nil), s.up...)
	for w := int32(len(s.node)) - 1; w > 0; w-- {
		for _, p := range pred.of(s.node[w]) {
			s.semi[w] = min(s.semi[w], s.semi[s.eval(s.order[p])])
		}
		s.ancestor[w] = s.up[w]
	}
	t := &tree{parent: make([]int32, n)}
	t.parent[root] = root
	for w := int32(1); w < int32(len(s.node)); w++ {
		for idom[w] > s.semi[w] {
			idom[w] = idom[idom[w]]
		}
		t.parent[s.node[w]] = s.node[idom[w]]
	}
	t.number(root)
	return t
}

// semi is the state of Semi-NCA. Nodes are numbered in the order of a depth-first search.
type semi struct {
	order    []int32 // by node: its number
	node, up []int32 // by number: the node, the number of its parent in the search
	semi     []int32 // by number: the semidominator
	label    []int32 // by number: the one with the smallest semidominator up to ancestor
	ancestor []int32 // by number: a node above that is linked, -1
	path     []int32
}

// search numbers the nodes.
func (s *semi) search(root int32, succ *lists) {
	type frame struct{ node, next int32 }
	enter := func(v, up int32) frame {
		s.order[v] = int32(len(s.node))
		s.node, s.up = append(s.node, v), append(s.up, up)
		return frame{v, 0}
	}
	stack := []frame{enter(root, 0)}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		next := succ.of(top.node)
		if int(top.next) == len(next) {
			stack = stack[:len(stack)-1]
			continue
		}
		to := next[top.next]
		top.next++
		if s.order[to] < 0 {
			stack = append(stack, enter(to, s.order[top.node]))
		}
	}
}

// eval returns the node with the smallest semidominator on the linked path above v, v included.
func (s *semi) eval(v int32) int32 {
	if s.ancestor[v] < 0 {
		return v
	}
	s.path = s.path[:0]
	for s.ancestor[s.ancestor[v]] >= 0 {
		s.path = append(s.path, v)
		v = s.ancestor[v]
	}
	for i := len(s.path) - 1; i >= 0; i-- {
		w := s.path[i]
		above := s.ancestor[w]
		if s.semi[s.label[above]] < s.semi[s.label[w]] {
			s.label[w] = s.label[above]
		}
		s.ancestor[w] = s.ancestor[above]
		v = w
	}
	return s.label[v]
}

// number finds the positions that contains compares.
func (t *tree) number(root int32) {
	n := int32(len(t.parent))
	children := makeLists(n, n, func(v int32) int32 { return t.parent[v] })
	t.first, t.last = make([]int32, n), make([]int32, n)
	at, todo := int32(0), []int32{root}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		if v < 0 { // all below it are numbered
			todo = todo[:len(todo)-1]
			t.last[^v] = at
			continue
		}
		todo[len(todo)-1] = ^v
		at++
		t.first[v] = at
		for _, c := range children.of(v) {
			if c != v {
				todo = append(todo, c)
			}
		}
	}
}
