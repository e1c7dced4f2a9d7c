package datareach

import (
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	studiedset "github.com/catchlens/catchlens/analysis/studied"
)

// This file compares results that were found with different numbers of processors.

// outcome is what a result says, and the numbers on which chains depend.
type outcome struct {
	Vertex []int32
	Graph  exceptions.Reached
	Stats  Stats
	Links  []exceptions.Link
	Ways   []exceptions.LinkChain
}

// outcomeOf asks for the ways of all links, each processor for some.
func outcomeOf(a *Analysis) outcome {
	r, processors := a.Result(), runtime.GOMAXPROCS(0)
	out := outcome{Vertex: a.vertex, Graph: *a.graph, Stats: a.Stats(),
		Ways: make([]exceptions.LinkChain, r.NumLinks())}
	out.Stats.Seconds, out.Stats.Follow = 0, 0
	for id := range exceptions.LinkID(r.NumLinks()) {
		out.Links = append(out.Links, r.Link(id))
	}
	var asking sync.WaitGroup
	for first := range processors {
		asking.Go(func() {
			for id := first; id < len(out.Ways); id += processors {
				out.Ways[id] = r.ChainOf(exceptions.LinkID(id))
			}
		})
	}
	asking.Wait()
	return out
}

// Frames, their vertices, the links and their shortest chains are the same whatever the number of
// processors.
func TestProcessors(t *testing.T) {
	p := compiled(t, "ways/Ways", nil, "testdata/Ways.java")
	c, _ := p.Class("ways/Ways")
	for m := range c.Methods {
		for h := range c.Methods[m].Handlers() {
			p.targets = append(p.targets, exceptions.HandlerRef{Class: c.Name, Method: m, Handler: h})
		}
	}
	points := pointsto.Build(hierarchy.New(p),
		callgraph.Config{Workspace: p.Workspace, Entries: features.MainEntries(p, p.Workspace)}, pointsto.Containers)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want outcome
	for _, processors := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(processors)
		got := outcomeOf(Confirm(points.Graph, points,
			exceptions.Analyze(points.Graph, p.targets, studiedset.Default(p.Own), nil), p.Bytes, nil))
		if processors == 1 {
			if want = got; len(want.Ways) == 0 || want.Stats.Vertices == 0 {
				t.Fatalf("%d links, %d vertices: nothing to compare", len(want.Ways), want.Stats.Vertices)
			}
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("with %d processors %v and %d links, with one %v and %d", processors, got.Stats, len(got.Links),
				want.Stats, len(want.Links))
		}
	}
}
