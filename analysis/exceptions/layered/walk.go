package layered

// Walk is a search for all groups at once: which of them come to which states. It is used again and
// again, by one at a time. The zero value has no graph.
type Walk struct {
	Graph  *Graph
	States []int32 // those that groups come to

	place []int32  // by state: its number in States + 1, 0 without one
	rows  []uint64 // by number in States: a mask
	queue []int32  // numbers of those with groups that have not gone on
	waits []bool   // by number: it is in the queue
}

// Begin forgets what was found, and lets the groups of a mask come to states.
func (x *Walk) Begin(states []int32, groups []uint64) {
	if x.place == nil {
		x.place = make([]int32, (len(x.Graph.Start)-1)*int(NumLayers))
	}
	for _, s := range x.States {
		x.place[s] = 0
	}
	x.rows, x.States, x.queue, x.waits = x.rows[:0], x.States[:0], x.queue[:0], x.waits[:0]
	for _, s := range states {
		x.add(s, groups, groups, nil)
	}
}

// BeginBelow begins with what exceptions come from that come through a site of a vertex and leave
// its method in a layer.
func (x *Walk) BeginBelow(v, site int32, up Layer, groups []uint64) {
	x.Begin(nil, nil)
	x.AddBelow(v, site, up, groups)
}

// AddBelow lets the same groups come there beside what has begun.
func (x *Walk) AddBelow(v, site int32, up Layer, groups []uint64) {
	for e := x.Graph.Start[v]; e < x.Graph.Start[v+1]; e++ {
		if x.Graph.Sites[e] == site {
			x.below(e, up, groups)
		}
	}
}

// Row is the mask of the groups that come to a state; nil: none.
func (x *Walk) Row(state int32) []uint64 {
	at := int(x.place[state]-1) * x.Graph.words
	if at < 0 {
		return nil
	}
	return x.rows[at : at+x.Graph.words]
}

// Down goes on from what has begun to all states whose exceptions come up to it.
func (x *Walk) Down() {
	groups := make([]uint64, x.Graph.words)
	for {
		s, ok := x.next(groups)
		if !ok {
			return
		}
		v, up := s/int32(NumLayers), Layer(s%int32(NumLayers))
		for e := x.Graph.Start[v]; e < x.Graph.Start[v+1]; e++ {
			x.below(e, up, groups)
		}
	}
}

// Up goes on from what has begun to all states that its exceptions come up to.
func (x *Walk) Up() {
	groups := make([]uint64, x.Graph.words)
	for {
		s, ok := x.next(groups)
		if !ok {
			return
		}
		v, l := s/int32(NumLayers), Layer(s%int32(NumLayers))
		for _, e := range x.Graph.Into(v) {
			sneaks, types, turns := x.Graph.passing(e.Number)
			to := e.From * int32(NumLayers)
			if l == Sneaky {
				x.add(to+int32(Sneaky), groups, sneaks, nil)
				continue
			}
			x.add(to+int32(Typed), groups, types, nil)
			x.add(to+int32(Sneaky), groups, turns, types)
		}
	}
}

// below lets groups come to the states at the end of an edge from which they leave its beginning in
// a layer.
func (x *Walk) below(e int32, up Layer, groups []uint64) {
	sneaks, types, turns := x.Graph.passing(x.Graph.number[x.Graph.Sites[e]])
	to := x.Graph.To[e] * int32(NumLayers)
	if up == Typed {
		x.add(to+int32(Typed), groups, types, nil)
		return
	}
	x.add(to+int32(Sneaky), groups, sneaks, nil)
	x.add(to+int32(Typed), groups, turns, types)
}

// add lets the groups of a mask come to a state that two more let pass: through, and not except
// (nil: all).
func (x *Walk) add(state int32, from, through, except []uint64) {
	row, grows := x.Row(state), false
	for i, groups := range from {
		if groups &= through[i]; except != nil {
			groups &^= except[i]
		}
		if groups == 0 || row != nil && groups&^row[i] == 0 {
			continue
		}
		if row == nil {
			x.States = append(x.States, state)
			x.place[state] = int32(len(x.States))
			x.rows = append(x.rows, make([]uint64, len(from))...)
			x.waits = append(x.waits, false)
			row = x.Row(state)
		}
		row[i] |= groups
		grows = true
	}
	if at := x.place[state] - 1; grows && !x.waits[at] {
		x.waits[at] = true
		x.queue = append(x.queue, at)
	}
}

// next takes a state from the queue, with a copy of the groups that go on from it.
func (x *Walk) next(groups []uint64) (state int32, ok bool) {
	if len(x.queue) == 0 {
		return 0, false
	}
	at := x.queue[0]
	x.queue = x.queue[1:]
	x.waits[at] = false
	copy(groups, x.rows[int(at)*len(groups):])
	return x.States[at], true
}
