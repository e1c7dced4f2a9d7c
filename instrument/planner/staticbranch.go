package planner

// planStaticBranch puts a probe into every block, which records the edge from the previous block
// (Misurda 2011, 3.1.2); or one on every edge.
func planStaticBranch(p *Plan) {
	if p.Place == OnEdges {
		p.recordNodes(every(len(p.counterAt)))
		return
	}
	p.cover(every(len(p.Graph.Edges)))
	p.recordEdges(every(int(p.Graph.Blocks)))
}

// recordEdges makes a plan whose probes stay, record the edge from the previous block where it has
// a counter, and remember their own.
func (p *Plan) recordEdges(blocks []int32) {
	var probes []Probe
	for _, b := range blocks {
		probes = append(probes, Probe{Location: b, Seed: true,
			Actions: []Action{{Do: RecordPrevious}, {Do: Remember}}})
	}
	p.setProbes(probes)
}
