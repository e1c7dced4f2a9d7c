package pointsto

import (
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// Dispatches answers which nodes sites may call, each question once: most sites that call many
// methods call the same one on variables that point to the same, as equals and hashCode of all that
// a program puts into maps. It may be used by many goroutines.
type Dispatches struct {
	r     *Result
	mu    sync.Mutex
	known map[dispatchKey][]answered
}

// dispatchKey is what decides about the callees of a site, besides which of them it has.
type dispatchKey struct {
	set    uint64 // on what it is called; of a site that is not dispatched, nothing
	method hierarchy.MethodID
	filter int32
}

// answered are callees, as a site has them and as they are told.
type answered struct {
	nodes   []Node
	callees []Callee
}

// Dispatches makes a place for answers.
func (r *Result) Dispatches() *Dispatches {
	return &Dispatches{r: r, known: map[dispatchKey][]answered{}}
}

// Callees is Result.Callees. Answers share memory: those that begin at the same element are the
// same, and none is to be changed.
func (d *Dispatches) Callees(n Node, k int) []Callee {
	x := d.r.site(n, k)
	if len(x.callees) == 0 {
		return nil
	}
	key := d.r.dispatchKey(x)
	d.mu.Lock()
	list := d.known[key]
	d.mu.Unlock()
	for i := range list {
		if slices.Equal(list[i].nodes, x.callees) {
			return list[i].callees
		}
	}
	out := d.r.callees(n, k)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.known[key][len(list):] { // somebody else's
		if slices.Equal(a.nodes, x.callees) {
			return a.callees
		}
	}
	d.known[key] = append(d.known[key][:len(d.known[key]):len(d.known[key])], answered{x.callees, out})
	return out
}

// dispatchKey is that of a site with callees.
func (r *Result) dispatchKey(x *siteInfo) dispatchKey {
	if x.call == 0 || x.recv == NoVar || r.solved.s.calls[x.call-1].fixed {
		return dispatchKey{set: 1<<33 | uint64(x.callees[0]), method: hierarchy.NoMethod}
	}
	c := &r.solved.s.calls[x.call-1]
	return dispatchKey{r.solved.sets.SetKey(int32(x.recv)), c.m, c.filter}
}
