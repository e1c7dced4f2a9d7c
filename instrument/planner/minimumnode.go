package planner

// planMinimumNode puts probes into as few blocks as possible (Chen et al. 2022). It needs none for
// a superblock that is known from its ends, as with Agrawal, or from what lies between its members.
func planMinimumNode(p *Plan) {
	if p.Graph.Blocks == 1 { // as of each second method: there is nothing to infer it from
		p.recordNodes([]int32{0})
		return
	}
	p.recordNodes(p.inferred(knownAtAll))
}

func knownAtAll(in *inference, chain []int32) bool {
	return in.knownAtEnds(chain) || in.knownInside(chain)
}
