package planner

// tree is a dominator tree.
type tree struct {
	parent      []int32 // immediate dominator; of the root the root itself
	first, last []int32 // of each node: positions in a walk of the tree, for queries in constant time
}

// contains tells whether every path from the root to b passes a. A node dominates itself.
func (t *tree) contains(a, b int32) bool { return t.first[a] <= t.first[b] && t.last[b] <= t.last[a] }

// dominators returns the dominator tree of what the root reaches (Cooper, Harvey, Kennedy, A
// Simple, Fast Dominance Algorithm, 2001). All nodes are reached.
func dominators(root int32, succ, pred *lists) *tree {
	post := postorder(root, succ)
	order := make([]int32, len(post)) // position in postorder
	for i, v := range post {
		order[v] = int32(i)
	}
	t := &tree{parent: make([]int32, len(post))}
	for v := range t.parent {
		t.parent[v] = -1
	}
	t.parent[root] = root
	for changed := true; changed; {
		changed = false
		for i := len(post) - 2; i >= 0; i-- {
			v, to := post[i], int32(-1)
			for _, p := range pred.of(v) {
				switch {
				case t.parent[p] < 0:
				case to < 0:
					to = p
				default:
					to = t.meet(order, to, p)
				}
			}
			if t.parent[v] != to {
				t.parent[v], changed = to, true
			}
		}
	}
	t.number(root)
	return t
}

// meet returns the nearest common dominator.
func (t *tree) meet(order []int32, a, b int32) int32 {
	for a != b {
		for order[a] < order[b] {
			a = t.parent[a]
		}
		for order[b] < order[a] {
			b = t.parent[b]
		}
	}
	return a
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

// postorder returns the nodes that root reaches in the order in which a depth-first search leaves
// them, root last.
func postorder(root int32, succ *lists) []int32 {
	n := len(succ.start) - 1
	seen := make([]bool, n)
	post := make([]int32, 0, n)
	type frame struct{ node, next int32 }
	stack := []frame{{root, 0}}
	seen[root] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		next := succ.of(top.node)
		if int(top.next) == len(next) {
			post = append(post, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		to := next[top.next]
		top.next++
		if !seen[to] {
			seen[to] = true
			stack = append(stack, frame{to, 0})
		}
	}
	return post
}
