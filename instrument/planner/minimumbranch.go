package planner

// planMinimumBranch puts probes on as few edges as possible (Chen et al. 2022, its variant with
// probes on edges).
func planMinimumBranch(p *Plan) { p.recordNodes(p.inferred(knownAtAll)) }
