package planner

import "fmt"

// planDemandBranch puts probes where control can go next, and takes each away when it was hit
// (Misurda 2011, 4.1.3, Algorithms 4.2 to 4.5). On edges each probe is there from the start and
// records its edge once. It fails in blocks where that takes more anchors than [maxAnchors].
func planDemandBranch(p *Plan, o Options) error {
	if p.Place == OnEdges {
		p.recordNodes(every(len(p.counterAt)))
		for i := range p.Probes {
			p.Probes[i].addTransient(nil, o)
		}
		return nil
	}
	p.cover(every(len(p.Graph.Edges)))
	d := &branchPlanner{Plan: p, Options: o, anchors: map[anchorKey]bool{}}
	d.classify()
	d.place()
	if len(d.anchors) > maxAnchors {
		return fmt.Errorf("%s in blocks needs more than %d anchors: plan it on edges", p.Technique, maxAnchors)
	}
	d.finish()
	return nil
}

// branchPlanner makes the demand-driven branch plan in blocks.
type branchPlanner struct {
	*Plan
	Options
	kinds   []Kind
	settles []int32    // by block: the counter of a stranded block, else -1
	actions [][]Action // by block: what it places
	anchors map[anchorKey]bool
}

// fork tells whether a block has several ways to go on. Leaving the region is one.
func (d *branchPlanner) fork(b int32) bool {
	n := len(d.Graph.Out(b))
	return n > 1 || n == 1 && d.Graph.Leaves[b] && !d.Literal
}

// merge tells whether control comes to a block by several ways. Entering the region is one.
func (d *branchPlanner) merge(b int32) bool {
	n := len(d.Graph.In(b))
	return n > 1 || n == 1 && d.Graph.IsEntry(b) && !d.Literal
}

// classify is the first phase: Algorithm 4.2 with the lines of 4.4.
func (d *branchPlanner) classify() {
	g := d.Graph
	d.kinds, d.settles = make([]Kind, g.Blocks), filled(g.Blocks)
	for b := range g.Blocks {
		if !isSeed(g, b, d.Options) && len(g.In(b)) == 1 {
			d.kinds[b] = Singleton
		}
		for _, e := range g.In(b) {
			if d.merge(b) && d.fork(g.Edges[e].From) {
				d.kinds[b] = Stranded
			}
		}
		if d.kinds[b] != Stranded {
			continue
		}
		if d.root(b) >= 0 {
			d.kinds[b] = IfThenStranded
			continue
		}
		d.settles[b] = d.Counters
		d.Counters++
	}
}

// root returns the block with the condition of an if without else, where b is the block behind
// it, and -1 where b is not. The body has one way in and one way out.
func (d *branchPlanner) root(b int32) int32 {
	g := d.Graph
	in := g.In(b)
	if len(in) != 2 {
		return -1
	}
	for i := range in {
		root, body := g.Edges[in[i]].From, g.Edges[in[1-i]].From
		if g.EdgeBetween(root, body) < 0 || len(g.Out(root)) != 2 {
			continue
		}
		if d.Literal || !g.Leaves[root] && !d.fork(body) && !d.merge(body) {
			return root
		}
	}
	return -1
}

// maxAnchors bounds the anchors of a plan. Each stranded successor of a block has that block and
// all its successors place each other, so a switch of n cases that fall through has n times n: at
// a million, the anchors of one method take 16 MB. TestTooManyAnchors fails without it.
const maxAnchors = 1 << 20

// anchorKey is what an anchor does: the probe in a block puts one at a location unless a counter
// is set.
type anchorKey struct{ in, location, counter int32 }

// put adds an anchor to what the probe in a block places, once.
func (d *branchPlanner) put(in, location, counter int32) {
	key := anchorKey{in, location, counter}
	if d.anchors[key] {
		return
	}
	d.anchors[key] = true
	d.actions[in] = append(d.actions[in],
		Action{Do: PutProbe, Location: location, Counter: counter, Anchor: true})
}

// place is the second phase: Algorithm 4.3 with the lines of 4.5. The stranded block places its
// predecessors, their other successors place them, and they place those.
func (d *branchPlanner) place() {
	g := d.Graph
	d.actions = make([][]Action, g.Blocks)
	for e, edge := range g.Edges {
		d.actions[edge.From] = append(d.actions[edge.From],
			Action{Do: PutProbe, Location: edge.To, Counter: int32(e)})
	}
	for b := range g.Blocks {
		switch d.kinds[b] {
		case IfThenStranded:
			edge := g.EdgeBetween(d.root(b), b)
			for _, e := range g.In(b) {
				d.put(b, g.Edges[e].From, edge)
			}
		case Stranded:
			if !d.anchor(b) {
				return
			}
		}
	}
}

// anchor keeps probes around a stranded block until all edges into it are covered. It gives up
// and says so where there are too many.
func (d *branchPlanner) anchor(b int32) bool {
	g, counter := d.Graph, d.settles[b]
	for _, e := range g.In(b) {
		if len(d.anchors) > maxAnchors {
			return false
		}
		p := g.Edges[e].From
		for _, out := range g.Out(p) {
			s := g.Edges[out].To
			d.put(s, p, counter)
			if s != b {
				d.put(p, s, counter)
			}
		}
		// Where control left from the predecessor, nothing behind it could put its probe back.
		if g.Leaves[p] && !d.Literal {
			d.put(p, p, counter)
		}
	}
	return true
}

// finish makes the probe plans.
func (d *branchPlanner) finish() {
	var probes []Probe
	for b := range d.Graph.Blocks {
		probe := Probe{Location: b, Seed: d.Preseed || isSeed(d.Graph, b, d.Options), Kind: d.kinds[b]}
		if probe.Kind == Singleton {
			probe.Actions = append(probe.Actions, Action{Do: Record, Counter: d.Graph.In(b)[0]})
		} else {
			probe.Actions = append(probe.Actions, Action{Do: RecordPrevious})
		}
		if d.settles[b] >= 0 {
			probe.Actions = append(probe.Actions, Action{Do: Settle, Counter: d.settles[b]})
		}
		probe.addTransient(d.actions[b], d.Options)
		probe.Actions = append(probe.Actions, Action{Do: Remember})
		probes = append(probes, probe)
	}
	d.setProbes(probes)
}
