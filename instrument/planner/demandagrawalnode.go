package planner

// planDemandAgrawalNode puts demand-driven probes into the blocks of Agrawal's plan. A probe
// places those that control can come to next without passing another of them.
func planDemandAgrawalNode(p *Plan, o Options) {
	g := p.Graph
	p.cover(p.inferred((*inference).knownAtEnds))
	seeds := map[int32]bool{}
	for _, b := range p.frontier(g.Entries) {
		seeds[b] = true
	}
	var probes []Probe
	for c, b := range p.Covers {
		probe := Probe{Location: b, Seed: o.Preseed || seeds[b], Actions: []Action{{Do: Record, Counter: int32(c)}}}
		var next []Action
		if !o.Preseed {
			var after []int32
			for _, e := range g.Out(b) {
				after = append(after, g.Edges[e].To)
			}
			for _, to := range p.frontier(after) {
				next = append(next, Action{Do: PutProbe, Location: to, Counter: p.counterAt[to]})
			}
		}
		probe.addTransient(next, o)
		probes = append(probes, probe)
	}
	p.setProbes(probes)
}

// frontier returns the blocks with a counter that control meets first from some blocks on.
func (p *Plan) frontier(from []int32) []int32 {
	g := p.Graph
	seen := make([]bool, g.Blocks)
	var found, todo []int32
	add := func(b int32) {
		switch {
		case seen[b]:
		case p.counterAt[b] >= 0:
			seen[b] = true
			found = append(found, b)
		default:
			seen[b] = true
			todo = append(todo, b)
		}
	}
	for _, b := range from {
		add(b)
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range g.Out(b) {
			add(g.Edges[e].To)
		}
	}
	return found
}
