package datareach

import (
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/analysis/unshared"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file asks which exceptions come out of original calls.

// Analysis is DataReach for one points-to result and one studied set. It may be
// used by many goroutines.
type Analysis struct {
	g        *callgraph.Graph
	d        Data
	bounds   bounds
	flow     *exceptions.Result // before
	sets     *sets
	nodes    []*node // by node, those read
	reader   reader
	asked    []asked // by node of the call graph
	followed []*circumstance
	models   []bool // by node of the call graph: see modelled
	frames   *frames
	merged
	original   []bool            // by site: an original call
	unshared   *unshared.Program // nil where no class files are read
	tables     tables
	dispatches *pointsto.Dispatches
	vias       map[*pointsto.Callee][]setNo // by the first of some callees, see viasOf
	groups     exceptions.Groups            // of all exceptions that matter
	result     *exceptions.Result
	stats      Stats

	// initialising tells of classes what may run while they are initialised: see runsWhile.
	initialising map[hierarchy.TypeID][]int32

	mu      sync.Mutex
	calls   map[string]*call // by what they start with
	workers []*worker        // not in use
	scope   *scope
}

// merged is what merge makes of the frames.
type merged struct {
	vertex []int32             // by frame: its vertex of graph, -1
	graph  *exceptions.Reached // what runs below all original calls, without roots
}

// Stats says how much was to do.
type Stats struct {
	Calls    int     // original calls that something depends on
	Frames   int     // methods with what their parameters point to
	Vertices int     // what is left of them when those are one that do the same
	Edges    int     // between vertices, along which exceptions may come
	Dead     int     // edges of frames that nothing takes
	Sets     int     // different sets of objects
	Bounded  int     // times that a call was analysed for any arguments, as a bound was met
	Seconds  float64 // of Confirm, wall clock
	Follow   float64 // the part of it in which objects were followed
}

// call is what comes out of an original call, computed once.
type call struct {
	once    defect.Once
	carried *exceptions.Carried
}

// worker is the memory of one computation.
type worker struct {
	carrier *exceptions.Carrier
	place   []int32 // by vertex of the graph: its place in list + 1
	list    []int32
}

// Confirm keeps of the links of a result those that survive. The result must be
// of the points-to result's own call graph. read reads class files, nil for none: then objects that
// nobody else knows are not followed. cancelled, which may be nil, is asked now and then; the
// analysis is nil once it says true.
func Confirm(g *callgraph.Graph, d Data, flow *exceptions.Result, read func(class string) ([]byte, error),
	cancelled func() bool) *Analysis {
	return confirm(g, d, flow, standard, read, cancelled)
}

func confirm(g *callgraph.Graph, d Data, flow *exceptions.Result, b bounds,
	read func(class string) ([]byte, error), cancelled func() bool) *Analysis {
	started := time.Now()
	a := newAnalysis(g, d, flow, b)
	if a.follow(read, cancelled); a.frames.gaveUp || cancelled != nil && cancelled() {
		return nil
	}
	a.stats.Follow = time.Since(started).Seconds()
	a.forget()
	a.merge()
	if cancelled != nil && cancelled() {
		return nil
	}
	a.result = flow.ConfirmJoint(a.graph, a.rootsOf, a.carried)
	a.stats.Seconds = time.Since(started).Seconds()
	return a
}

func newAnalysis(g *callgraph.Graph, d Data, flow *exceptions.Result, b bounds) *Analysis {
	return &Analysis{g: g, d: d, bounds: b, flow: flow, sets: newSets(d, b.objects),
		nodes:    make([]*node, d.NumNodes()),
		original: make([]bool, len(g.Sites)), calls: map[string]*call{}, tables: tables{of: map[string]int32{}},
		dispatches: d.Dispatches(), vias: map[*pointsto.Callee][]setNo{},
		initialising: map[hierarchy.TypeID][]int32{}}
}

// follow follows objects below all original calls.
func (a *Analysis) follow(read func(class string) ([]byte, error), cancelled func() bool) {
	var sites []int32
	sites, a.groups = a.flow.AllOriginalCalls()
	a.frames = newFrames(a)
	for _, s := range sites {
		a.original[s] = true
	}
	a.findModels()
	a.reader.begin(a, sites)
	defer a.reader.stop()
	a.findAsked()
	a.followStates(read, cancelled)
	for _, s := range sites {
		for _, n := range a.d.NodesOf(a.g.NodeOfSite(s)) {
			a.frames.enter(n, nil, nil, true)
		}
	}
	if a.frames.run(cancelled); a.frames.gaveUp {
		return
	}
	a.frames.closeThrows()
	a.stats.Calls, a.stats.Frames, a.stats.Sets = len(sites), a.frames.len(), len(a.sets.list)
	for i := range int32(a.frames.len()) {
		x := a.frames.at(i)
		if !x.main {
			continue
		}
		groups := a.frames.nodeOf(x).groups
		for k := range groups {
			if g := &groups[k]; g.climbs {
				a.stats.Dead += int(g.end - g.first)
			}
		}
		a.frames.edges(i, func(int32, int32) { a.stats.Dead-- })
	}
}

// forget drops what only following objects needed.
func (a *Analysis) forget() {
	a.sets.known, a.frames.takenBy, a.frames.madeBy, a.frames.other, a.frames.count, a.frames.queue = answers{}, nil,
		nil, nil, nil, nil
	a.frames.given, a.frames.callers = paged[setNo]{}, nil
	a.reader, a.tables, a.dispatches, a.vias, a.frames.calling = reader{}, tables{}, nil, nil, calling{}
	a.initialising, a.unshared = nil, nil
	for _, n := range a.nodes {
		if n != nil {
			n.steps = nil
		}
	}
}

// Result has the links that survive.
func (a *Analysis) Result() *exceptions.Result { return a.result }

// Data is the points-to analysis that was confirmed with.
func (a *Analysis) Data() Data { return a.d }

// Stats returns the figures so far.
func (a *Analysis) Stats() Stats {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stats
}

// worker lends memory; it is given back with done.
func (a *Analysis) worker() *worker {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.workers); n > 0 {
		w := a.workers[n-1]
		a.workers = a.workers[:n-1]
		return w
	}
	return &worker{carrier: a.flow.NewCarrier(), place: make([]int32, len(a.graph.Nodes))}
}

func (a *Analysis) done(w *worker) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.workers = append(a.workers, w)
}

// rootsOf lists the vertices that an original call leads to.
func (a *Analysis) rootsOf(site int32) (out []int32) {
	if !a.original[site] || elsewhere(a.g.Sites[site].Kind) {
		return nil
	}
	for _, f := range a.frames.roots(site) {
		out = append(out, a.vertex[f])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mostChains is the number of original calls times that of edges up to which the list of
// all chains has edges that survive only: what comes out of each call is computed for
// it. The shortest chain always has.
const mostChains = 10_000_000

// carried tells what comes out of an original call, once for those that lead to
// the same; nil, which stands for anything in the call graph, where that would be
// too much for all of them. Only chains depend on it.
func (a *Analysis) carried(site int32, groups exceptions.Groups) *exceptions.Carried {
	if a.stats.Calls*a.stats.Edges > mostChains {
		return nil
	}
	roots := a.rootsOf(site)
	var key []byte
	for _, w := range groups {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	for _, v := range roots {
		key = binary.AppendUvarint(key, uint64(v))
	}
	a.mu.Lock()
	c := a.calls[string(key)]
	if c == nil {
		c = &call{}
		a.calls[string(key)] = c
	}
	a.mu.Unlock()
	c.once.Do(func() {
		w := a.worker()
		defer a.done(w)
		c.carried = w.carrier.Carry(a.below(w, roots, groups))
	})
	return c.carried
}

// below is the part of the graph below some vertices through which exceptions of
// some groups may come.
func (a *Analysis) below(w *worker, roots []int32, groups exceptions.Groups) *exceptions.Reached {
	out := &exceptions.Reached{}
	if a.graph.Closed != nil {
		out.Closed = map[int32][]int32{}
	}
	if a.graph.Without != nil {
		out.Without = map[int32][]exceptions.Thrown{}
	}
	enter := func(v int32) int32 {
		if w.place[v] == 0 {
			if closed := a.graph.Closed[v]; closed != nil {
				out.Closed[int32(len(w.list))] = closed
			}
			if without := a.graph.Without[v]; without != nil {
				out.Without[int32(len(w.list))] = without
			}
			w.list = append(w.list, v)
			w.place[v] = int32(len(w.list))
			out.Nodes = append(out.Nodes, a.graph.Nodes[v])
		}
		return w.place[v] - 1
	}
	for _, v := range roots {
		out.Roots = append(out.Roots, enter(v))
	}
	for i := 0; i < len(w.list); i++ {
		out.Start = append(out.Start, int32(len(out.To)))
		v := w.list[i]
		for e := a.graph.Start[v]; e < a.graph.Start[v+1]; e++ {
			if s := a.graph.Sites[e]; a.flow.Climbs(s, groups) {
				out.Sites, out.To = append(out.Sites, s), append(out.To, enter(a.graph.To[e]))
			}
		}
	}
	out.Start = append(out.Start, int32(len(out.To)))
	for _, v := range w.list {
		w.place[v] = 0
	}
	w.list = w.list[:0]
	return out
}
