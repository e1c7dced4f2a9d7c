package planner

import "github.com/catchlens/catchlens/analysis/ir"

// OfMethod returns the graph of a method with its exceptional edges. The blocks are those of the
// method. Control may leave at a block that returns or throws; at one that may complete abruptly
// by itself, whatever catches it, since what throws may also not come back (System.exit, a lock);
// and at the head of a loop, which may turn for ever.
func OfMethod(m *ir.Method) (*Graph, error) {
	blocks := len(m.Blocks)
	leaves := make([]bool, blocks)
	var edges []Edge
	for b := range ir.BlockID(blocks) {
		succs := m.Succs(b)
		if len(succs) == 0 || m.Blocks[b].Throws {
			leaves[b] = true
		}
		add := func(to ir.BlockID, exceptional bool) {
			edges = append(edges, Edge{int32(b), int32(to), exceptional})
			// Blocks are in reverse postorder: an edge that goes back closes a cycle.
			if to <= b {
				leaves[to] = true
			}
		}
		for _, to := range succs {
			add(to, false)
		}
		for _, to := range m.HandlerSuccs(b) {
			add(to, true)
		}
	}
	return NewGraph(blocks, []int32{0}, edges, leaves)
}
