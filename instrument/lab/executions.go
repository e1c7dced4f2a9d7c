package lab

import (
	"maps"
	"sync"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file adds up how often nodes of methods were executed, where that is counted.

// Executions says how often the nodes of a method were executed.
type Executions struct {
	Shape uint32  // of the method, with a probe at every node
	Nodes []int64 // by node, as coverage.OfClass numbers them
}

// executions are those of all methods, of all JVMs.
type executions struct {
	mu       sync.Mutex
	byMethod map[snapshot.MethodRef]*Executions
}

// Executions says how often the nodes of methods have been executed, by method; nil if that is not
// counted. Methods that were not executed are absent.
func (l *Lab) Executions() map[snapshot.MethodRef]*Executions {
	e := l.Probes.executions
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.byMethod)
}

// addExecutions adds those that the tests and fixtures of a result have.
func (in *Probes) addExecutions(res *worker.RunResult) {
	if in.executions == nil {
		return
	}
	for i := range res.Fixtures {
		in.addExecutionsOf(&res.Fixtures[i].Record)
	}
	for i := range res.Tests {
		in.addExecutionsOf(&res.Tests[i].Record)
	}
}

func (in *Probes) addExecutionsOf(r *worker.Record) {
	for _, x := range r.Executions {
		p := in.of(x.Class)
		if p == nil || p.plan == nil {
			continue
		}
		in.executions.mu.Lock()
		for n, first := 0, 0; n < len(p.plan.Covers); n++ {
			method := p.plan.Covers[n].Method
			if n > 0 && method != p.plan.Covers[n-1].Method {
				first = n
			}
			if times := x.Times[uint16(n)]; times != 0 {
				in.executions.of(p, method).Nodes[n-first] += times
			}
		}
		in.executions.mu.Unlock()
	}
}

// of are the executions of a method of a class.
func (e *executions) of(p *probed, method uint16) *Executions {
	m := &p.facts.Methods[method]
	ref := snapshot.MethodRef{Class: p.facts.Name, Method: m.Name + m.Desc}
	if have := e.byMethod[ref]; have != nil && have.Shape == p.covers[method] {
		return have
	}
	nodes := 0
	for _, v := range p.plan.Covers {
		if v.Method == method {
			nodes++
		}
	}
	e.byMethod[ref] = &Executions{p.covers[method], make([]int64, nodes)}
	return e.byMethod[ref]
}
