package snapshot

import "github.com/catchlens/catchlens/analysis/pointsto"

// PointsTo is the points-to analysis that the call graph is of, nil where it is of none, or where
// nothing but the graph was kept.
func (s *Snapshot) PointsTo() *pointsto.Result {
	if s.Program.Reach == nil {
		return nil
	}
	if r, ok := s.Program.Reach.Data().(*pointsto.Result); ok && r.Graph == s.Program.Graph {
		return r
	}
	return nil
}
