package datareach

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/exceptions"
	"catchlens/analysis/pointsto"
)

// This file asks for what runs during each original call, once for equal ones.

// Analysis is DataReach for one points-to result and one studied set. It may be
// used by many goroutines.
type Analysis struct {
	g      *callgraph.Graph
	d      Data
	flow   *exceptions.Result // before
	always pointsto.Set
	nodes  []atomic.Pointer[node]
	result *exceptions.Result
	stats  Stats

	mu      sync.Mutex
	calls   map[callKey]*call
	equal   map[string]*call // by what they start with
	workers []*worker        // not in use
	scope   *scope
}

// Stats says how much was to do.
type Stats struct {
	Calls    int     // original calls that something depended on
	Searches int     // different ones
	Nodes    int64   // nodes reached, in all searches
	Edges    int64   // edges that survived
	Dead     int64   // edges out of reached nodes that did not
	Unknown  int     // searches in which anything was at hand
	Coarse   int     // searches in which variables could not be followed to the end
	Seconds  float64 // of Confirm, wall clock
}

// callKey is an original call and the groups of exceptions asked for.
type callKey struct {
	site   int32
	groups string
}

// call is what comes out of an original call, computed once.
type call struct {
	once    sync.Once
	carried *exceptions.Carried
}

// worker is the memory of one computation.
type worker struct {
	search  *search
	carrier *exceptions.Carrier
	scratch *objects
}

// Confirm keeps of the links of a result those that survive. The result must be
// of the points-to result's own call graph.
func Confirm(g *callgraph.Graph, d Data, flow *exceptions.Result) *Analysis {
	started := time.Now()
	a := newAnalysis(g, d)
	a.flow = flow
	a.result = flow.Confirm(a.carried)
	a.stats.Seconds = time.Since(started).Seconds()
	return a
}

func newAnalysis(g *callgraph.Graph, d Data) *Analysis {
	return &Analysis{g: g, d: d, always: d.Always(), nodes: make([]atomic.Pointer[node], d.NumNodes()),
		calls: map[callKey]*call{}, equal: map[string]*call{}}
}

// Result has the links that survive.
func (a *Analysis) Result() *exceptions.Result { return a.result }

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
	return &worker{search: newSearch(a), carrier: a.flow.NewCarrier(), scratch: newObjects(a.d)}
}

func (a *Analysis) done(w *worker) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.workers = append(a.workers, w)
}

// carried tells what comes out of an original call.
func (a *Analysis) carried(site int32, groups exceptions.Groups) *exceptions.Carried {
	var mask []byte
	for _, w := range groups {
		mask = binary.LittleEndian.AppendUint64(mask, w)
	}
	key := callKey{site, string(mask)}
	a.mu.Lock()
	c := a.calls[key]
	if c == nil {
		c = &call{}
		a.calls[key] = c
		a.stats.Calls++
	}
	a.mu.Unlock()
	c.once.Do(func() {
		w := a.worker()
		defer a.done(w)
		from := a.startOf(site, w.scratch)
		from.groups = groups
		same := a.sameAs(from, mask)
		same.once.Do(func() {
			w.search.run(from)
			same.carried = w.carrier.Carry(w.search.reached(from))
			a.count(w.search)
		})
		c.carried = same.carried
	})
	return c.carried
}

// sameAs finds the call that starts the same.
func (a *Analysis) sameAs(from *start, mask []byte) *call {
	key := slices.Clone(mask)
	if from.unknown {
		key = append(key, 1)
	}
	key = appendSet(key, from.at)
	for _, p := range from.callees {
		key = binary.AppendUvarint(key, uint64(p.node))
		if p.params == nil {
			key = append(key, 0)
			continue
		}
		key = binary.AppendUvarint(key, uint64(len(p.params))+1)
		for _, set := range p.params {
			key = appendSet(key, set)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.equal[string(key)]
	if c == nil {
		c = &call{}
		a.equal[string(key)] = c
		a.stats.Searches++
	}
	return c
}

func appendSet(key []byte, set pointsto.Set) []byte {
	key = binary.AppendUvarint(key, uint64(len(set.Blocks)))
	for i, b := range set.Blocks {
		key = binary.AppendUvarint(key, uint64(b))
		key = binary.LittleEndian.AppendUint64(key, set.Bits[i])
	}
	return key
}

// count adds a search to the figures.
func (a *Analysis) count(s *search) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stats.Nodes += int64(len(s.nodes))
	a.stats.Edges += int64(len(s.taken))
	for i := range s.states {
		for _, taken := range s.states[i].taken {
			if !taken {
				a.stats.Dead++
			}
		}
	}
	if s.coarse {
		a.stats.Coarse++
	}
	if s.everything {
		a.stats.Unknown++
	}
}
