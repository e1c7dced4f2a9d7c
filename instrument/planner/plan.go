package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Technique is a way to make a test plan. Its name is that of testspec (Misurda 2011, 3.2.3).
type Technique uint8

// The techniques. The first seven are those of Misurda 2011, table 4.2.
const (
	StaticNode Technique = iota
	AgrawalNode
	DemandNode
	DemandAgrawalNode
	StaticBranch
	AgrawalBranch
	DemandBranch
	MinimumNode
	MinimumBranch
	numTechniques
)

var techniqueNames = [numTechniques]string{
	"STATIC_NODE", "AGRAWAL_NODE", "DEMAND_NODE", "DEMAND_AGRAWAL_NODE",
	"STATIC_BRANCH", "AGRAWAL_BRANCH", "DEMAND_BRANCH", "MINIMUM_NODE", "MINIMUM_BRANCH",
}

func (t Technique) String() string {
	if t < numTechniques {
		return techniqueNames[t]
	}
	return fmt.Sprintf("Technique(%d)", uint8(t))
}

// Branch tells whether the technique gives the edges that were taken; the others give the blocks
// that were entered.
func (t Technique) Branch() bool {
	return t == StaticBranch || t == AgrawalBranch || t == DemandBranch || t == MinimumBranch
}

// Techniques returns all techniques.
func Techniques() []Technique {
	all := make([]Technique, numTechniques)
	for t := range all {
		all[t] = Technique(t)
	}
	return all
}

// TechniqueOf returns the technique of a name of testspec. The error names those that there are.
func TechniqueOf(name string) (Technique, error) {
	if t := slices.Index(techniqueNames[:], name); t >= 0 {
		return Technique(t), nil
	}
	return 0, fmt.Errorf("there is no technique %q: write one of %s", name, strings.Join(techniqueNames[:], ", "))
}

// Place is where the probes of a plan stand.
type Place uint8

// The places. A location is a block; or an edge of the graph, where the entries follow the edges:
// entering at Entries[i] is the location len(Edges)+i.
const (
	InBlocks Place = iota // at the start of blocks, as in Misurda 2011
	OnEdges               // on edges and entries: no probe needs to know the block before it
)

// Do is what an action does.
type Do uint8

// The kinds of action.
const (
	// Record sets Counter.
	Record Do = iota
	// RecordPrevious sets the counter of the edge from the previous block to the probe's, where
	// the plan has one for it.
	RecordPrevious
	// Settle sets Counter if all edges into the probe's block are covered.
	Settle
	// Remove takes the probe away.
	Remove
	// PutProbe puts a probe at Location, unless Counter is set.
	PutProbe
	// Remember makes the probe's block the previous one of this activation.
	Remember
)

// Action is one step of a probe, with its condition.
type Action struct {
	Do       Do
	Counter  int32
	Location int32
	// Anchor says of PutProbe that the probe is there to tell where an edge begins, and not to
	// record one. Anchors are no edges of the graph.
	Anchor bool
}

// Kind is how the branch plan in blocks treats a block (Misurda 2011, 4.1.3).
type Kind uint8

// The kinds of block.
const (
	Regular Kind = iota
	Singleton
	Stranded
	IfThenStranded
)

// Probe is the plan of the probe at one location.
type Probe struct {
	Location int32
	Seed     bool // it is there before the method runs
	Kind     Kind
	Actions  []Action
}

// Plan is a test plan: seeds, probe plans, and the state that they share, which is one flag for
// each counter. It never changes.
type Plan struct {
	Technique Technique
	Place     Place
	Graph     *Graph
	Probes    []Probe // ascending by location
	// Covers says of each counter which block or which location on edges it records. Counters
	// behind it belong to stranded blocks.
	Covers   []int32
	Counters int32

	infers    bool
	inference func() *inference // made once: that takes longer than what is asked of it
	probeAt   []int32           // index into Probes by location, -1
	counterAt []int32           // index into Covers by block or edge, -1
}

// Options changes how plans are made.
type Options struct {
	Place Place
	// Preseed makes every probe of a demand-driven plan a seed (Misurda 2011, 4.1.4).
	Preseed bool
	// Literal follows Algorithms 4.1 to 4.5 to the letter. The package comment says what is lost.
	Literal bool
}

// Make makes the plan of a graph. It fails where the technique has no probes at that place: node
// techniques stand in blocks, and MINIMUM_BRANCH on edges. DEMAND_BRANCH in blocks fails for a
// few very large methods, where the error says to plan on edges.
func Make(g *Graph, t Technique, o Options) (*Plan, error) {
	p, err := begin(g, t, o.Place)
	if err != nil {
		return nil, err
	}
	switch t {
	case StaticNode:
		planStaticNode(p)
	case AgrawalNode:
		planAgrawalNode(p)
	case DemandNode:
		planDemandNode(p, o)
	case DemandAgrawalNode:
		planDemandAgrawalNode(p, o)
	case StaticBranch:
		planStaticBranch(p)
	case AgrawalBranch:
		planAgrawalBranch(p)
	case DemandBranch:
		if err := planDemandBranch(p, o); err != nil {
			return nil, err
		}
	case MinimumNode:
		planMinimumNode(p)
	case MinimumBranch:
		planMinimumBranch(p)
	default:
		return nil, fmt.Errorf("there is no %s", t)
	}
	return p, nil
}

// begin makes a plan without probes.
func begin(g *Graph, t Technique, place Place) (*Plan, error) {
	if place == OnEdges && !t.Branch() {
		return nil, fmt.Errorf("%s has its probes in blocks, not on edges", t)
	}
	if place == InBlocks && t == MinimumBranch {
		return nil, fmt.Errorf("%s has its probes on edges, not in blocks", t)
	}
	p := &Plan{Technique: t, Place: place, Graph: g}
	p.keepInference()
	locations, targets := g.Blocks, g.Blocks
	if t.Branch() {
		targets = int32(len(g.Edges))
	}
	if place == OnEdges {
		targets += int32(len(g.Entries))
		locations = targets
	}
	p.probeAt, p.counterAt = filled(locations), filled(targets)
	return p, nil
}

func filled(n int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// cover gives each of the blocks or edges a counter.
func (p *Plan) cover(targets []int32) {
	p.Covers = targets
	for c, target := range targets {
		p.counterAt[target] = int32(c)
	}
	p.Counters = int32(len(targets))
}

// setProbes gives the plan its probes.
func (p *Plan) setProbes(probes []Probe) {
	slices.SortFunc(probes, func(a, b Probe) int { return cmp.Compare(a.Location, b.Location) })
	p.Probes = probes
	for i := range probes {
		p.probeAt[probes[i].Location] = int32(i)
	}
}

// At returns the probe plan of a location, nil where none stands.
func (p *Plan) At(location int32) *Probe {
	if i := p.probeAt[location]; i >= 0 {
		return &p.Probes[i]
	}
	return nil
}

// Counter returns the counter that records a block or, in a branch plan, an edge; -1 where the
// plan infers it.
func (p *Plan) Counter(target int32) int32 { return p.counterAt[target] }

// Seeds returns the locations of the probes that are there before the method runs, ascending.
func (p *Plan) Seeds() []int32 {
	var seeds []int32
	for i := range p.Probes {
		if p.Probes[i].Seed {
			seeds = append(seeds, p.Probes[i].Location)
		}
	}
	return seeds
}

// Coverage returns what the counters say about every block of a node plan, or every edge of a
// branch plan: what was recorded, and what is inferred from it. Of a branch plan on edges the
// entries follow the edges.
func (p *Plan) Coverage(counters []bool) []bool {
	covered := make([]bool, len(p.counterAt))
	if !p.infers {
		for c, target := range p.Covers {
			covered[target] = counters[c]
		}
		return covered
	}
	if !slices.Contains(counters, true) {
		return covered // nothing follows from nothing
	}
	in := p.inference()
	first := in.nodes - int32(len(covered))
	nodes := make([]bool, in.nodes)
	for c, target := range p.Covers {
		nodes[first+target] = counters[c]
	}
	in.complete(nodes)
	copy(covered, nodes[first:])
	return covered
}

// BlocksOf returns which blocks were entered, from what Coverage returned. It is nil for branch
// plans in blocks: they do not tell whether a method was entered and left in its first block.
func (p *Plan) BlocksOf(coverage []bool) []bool {
	switch {
	case !p.Technique.Branch():
		return coverage
	case p.Place == InBlocks:
		return nil
	}
	blocks := make([]bool, p.Graph.Blocks)
	for e, edge := range p.Graph.Edges {
		blocks[edge.To] = blocks[edge.To] || coverage[e]
	}
	for i, b := range p.Graph.Entries {
		blocks[b] = blocks[b] || coverage[len(p.Graph.Edges)+i]
	}
	return blocks
}

// keepInference gives the plan, of which technique, place and graph are known, its inference.
func (p *Plan) keepInference() {
	p.inference = sync.OnceValue(func() *inference { return newInference(p.flow()) })
}

// flow returns the flow that coverage is inferred in: its last nodes are what the plan covers.
func (p *Plan) flow() *flow {
	if p.Technique.Branch() {
		return edgeFlow(p.Graph, p.Place == OnEdges)
	}
	return blockFlow(p.Graph)
}

// inferred returns the blocks or edges that have to be recorded, ascending, so that all others
// are inferred, where known tells of superblocks that they need no probe.
func (p *Plan) inferred(known func(in *inference, chain []int32) bool) []int32 {
	p.infers = true
	in := p.inference()
	first := in.nodes - int32(len(p.counterAt))
	var record []int32
	for _, chain := range in.chains {
		i := slices.IndexFunc(chain, func(v int32) bool { return v >= first })
		if i >= 0 && !known(in, chain) {
			record = append(record, chain[i]-first)
		}
	}
	slices.Sort(record)
	return record
}

// every returns the numbers from 0 to n-1.
func every(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}
