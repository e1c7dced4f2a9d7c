package planner

// planDemandNode puts probes where control can go next, and takes each away when it was hit
// (Misurda 2011, 4.1.2, Algorithm 4.1).
//
// The algorithm seeds blocks with a predecessor outside the region. With exceptional edges no
// handler is one of those, and the block where control enters is, whether or not a loop leads
// back to it.
func planDemandNode(p *Plan, o Options) {
	g := p.Graph
	p.cover(every(int(g.Blocks)))
	var probes []Probe
	for b := range g.Blocks {
		probe := Probe{Location: b, Seed: o.Preseed || isSeed(g, b, o), Actions: []Action{{Do: Record, Counter: b}}}
		var next []Action
		for _, e := range g.Out(b) {
			if to := g.Edges[e].To; !o.Preseed {
				next = append(next, Action{Do: PutProbe, Location: to, Counter: to})
			}
		}
		probe.addTransient(next, o)
		probes = append(probes, probe)
	}
	p.setProbes(probes)
}

// isSeed tells whether a block gets a probe before the method runs.
func isSeed(g *Graph, b int32, o Options) bool {
	if o.Literal {
		return len(g.In(b)) == 0
	}
	return g.IsEntry(b)
}

// addTransient adds the actions that take the probe away and place others.
func (probe *Probe) addTransient(place []Action, o Options) {
	remove := Action{Do: Remove}
	if o.Literal {
		probe.Actions = append(append(probe.Actions, place...), remove)
		return
	}
	probe.Actions = append(append(probe.Actions, remove), place...)
}
