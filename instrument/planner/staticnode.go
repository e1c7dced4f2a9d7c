package planner

// planStaticNode puts a probe into every block (Misurda 2011, 3.1.1).
func planStaticNode(p *Plan) { p.recordNodes(every(int(p.Graph.Blocks))) }

// recordNodes makes a plan whose probes stay and record the block, or edge, that they stand at.
func (p *Plan) recordNodes(locations []int32) {
	p.cover(locations)
	var probes []Probe
	for c, location := range locations {
		probes = append(probes, Probe{Location: location, Seed: true,
			Actions: []Action{{Do: Record, Counter: int32(c)}}})
	}
	p.setProbes(probes)
}
