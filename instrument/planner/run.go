package planner

// State is a plan at work: its counters, and where probes are at the moment.
type State struct {
	Plan     *Plan
	Counters []bool
	Hits     int // how often a probe was executed
	Placed   int // how often a probe was put where none was
	probes   []bool
	entryAt  []int32 // location of entering at a block, on edges
}

// Begin returns the state before the method runs: the seeds are in place.
func (p *Plan) Begin() *State {
	s := &State{Plan: p, Counters: make([]bool, p.Counters), probes: make([]bool, len(p.probeAt))}
	for i := range p.Probes {
		s.probes[p.Probes[i].Location] = p.Probes[i].Seed
	}
	s.entryAt = filled(p.Graph.Blocks)
	for i, b := range p.Graph.Entries {
		s.entryAt[b] = int32(len(p.Graph.Edges) + i)
	}
	return s
}

// Coverage returns what is known to be covered.
func (s *State) Coverage() []bool { return s.Plan.Coverage(s.Counters) }

// Activation is one execution of the method.
type Activation struct {
	state    *State
	block    int32 // where control is, -1 before the first
	previous int32 // what probes remember, -1 before the first
}

// Enter begins an execution of the method.
func (s *State) Enter() *Activation { return &Activation{s, -1, -1} }

// Visit lets control come to a block: first to an entry, then to a successor of the block before.
func (a *Activation) Visit(b int32) {
	s := a.state
	location := b
	if s.Plan.Place == OnEdges {
		if location = s.entryAt[b]; a.block >= 0 {
			location = s.Plan.Graph.EdgeBetween(a.block, b)
		}
	}
	a.block = b
	if s.probes[location] {
		s.Hits++
		a.execute(s.Plan.At(location))
	}
}

// execute performs the actions of a probe.
func (a *Activation) execute(probe *Probe) {
	s, g := a.state, a.state.Plan.Graph
	for _, action := range probe.Actions {
		switch action.Do {
		case Record:
			s.Counters[action.Counter] = true
		case RecordPrevious:
			if e := g.EdgeBetween(a.previous, probe.Location); e >= 0 && s.Plan.counterAt[e] >= 0 {
				s.Counters[s.Plan.counterAt[e]] = true
			}
		case Settle:
			all := true
			for _, e := range g.In(probe.Location) {
				all = all && s.Counters[s.Plan.counterAt[e]]
			}
			s.Counters[action.Counter] = all
		case Remove:
			s.probes[probe.Location] = false
		case PutProbe:
			if !s.Counters[action.Counter] && !s.probes[action.Location] {
				s.probes[action.Location] = true
				s.Placed++
			}
		case Remember:
			a.previous = probe.Location
		}
	}
}
