// Package components finds the strongly connected components of directed graphs.
package components

// Finder is the memory of the search, for one graph after the other.
type Finder struct {
	marks       []mark // by vertex
	stack, path []int32
}

// mark says when a vertex was met, 0 if it was not, which of those on the stack it leads to,
// -1 if it has its component, and which of its edges is to be looked at next.
type mark struct{ index, low, next int32 }

// Find gives the component of each vertex, the vertices by descending component, and how many
// components there are (Robert Tarjan: Depth-First Search and Linear Graph Algorithms, SIAM J.
// Comput. 1972), without recursion. The edges out of vertex v lead to to[start[v]:start[v+1]]; all
// lead from higher components to lower or equal ones. The memory of comp and order is used again.
func (f *Finder) Find(start, to, comp, order []int32) (_, _ []int32, count int) {
	n := int32(len(start) - 1)
	comp = sized(comp, int(n))
	if cap(f.marks) < int(n) {
		f.marks = make([]mark, n+n/4)
	}
	marks := f.marks[:n]
	clear(marks)
	stack, path := f.stack[:0], f.path[:0]
	met := int32(0)
	for root := range n {
		if marks[root].index != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			m := &marks[v]
			if m.index == 0 {
				met++
				*m = mark{met, met, start[v]}
				stack = append(stack, v)
			}
			if m.next < start[v+1] {
				u := to[m.next]
				m.next++
				if x := &marks[u]; x.index == 0 {
					path = append(path, u)
				} else if x.low > 0 { // on the stack
					m.low = min(m.low, x.index)
				}
				continue
			}
			path = path[:len(path)-1]
			if m.low == m.index {
				for {
					u := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					comp[u], marks[u].low = int32(count), -1
					if u == v {
						break
					}
				}
				count++
			}
			if len(path) > 0 && m.low > 0 {
				p := &marks[path[len(path)-1]]
				p.low = min(p.low, m.low)
			}
		}
	}
	f.stack, f.path = stack, path
	return comp, sorted(comp, order, count), count
}

// sorted lists the vertices by descending component.
func sorted(comp, order []int32, count int) []int32 {
	start := make([]int32, count+1)
	for _, k := range comp {
		start[count-1-int(k)+1]++
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	order = sized(order, len(comp))
	for v, k := range comp {
		i := count - 1 - int(k)
		order[start[i]] = int32(v)
		start[i]++
	}
	return order
}

// sized is a list of n elements, of any values, in the memory of one that is not used any more
// where that is enough.
func sized(old []int32, n int) []int32 {
	if cap(old) < n {
		return make([]int32, n, max(n, 2*cap(old)))
	}
	return old[:n]
}
