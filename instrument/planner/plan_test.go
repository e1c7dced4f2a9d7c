package planner

import (
	"fmt"
	"slices"
	"testing"
)

// A graph that is not one is refused with the reason.
func TestGraphErrors(t *testing.T) {
	for _, test := range []struct {
		blocks  int
		entries []int32
		edges   []Edge
		leaves  []bool
		want    string
	}{
		{2, []int32{0}, []Edge{{From: 0, To: 1}}, []bool{true},
			"2 blocks, but it is said of 1 whether control leaves there"},
		{1, []int32{1}, nil, []bool{true}, "entry 1 is no block of 1"},
		{1, []int32{-1}, nil, []bool{true}, "entry -1 is no block of 1"},
		{2, []int32{0}, []Edge{{From: 0, To: 2}}, []bool{true, true}, "edge 0->2 names no block of 2"},
		{2, []int32{0}, []Edge{{From: -1, To: 1}}, []bool{true, true}, "edge -1->1 names no block of 2"},
		{2, []int32{0}, nil, []bool{true, true}, "control does not reach block 1"},
		{1, nil, nil, []bool{true}, "control does not reach block 0"},
		{2, []int32{0}, []Edge{{From: 0, To: 1}, {From: 1, To: 1}}, []bool{true, false},
			"control cannot leave from block 1"},
	} {
		if _, err := NewGraph(test.blocks, test.entries, test.edges, test.leaves); fmt.Sprint(err) != test.want {
			t.Errorf("%v, not %s", err, test.want)
		}
	}
}

// Edges with the same ends are one, exceptional if all of them are.
func TestEdgesAreOne(t *testing.T) {
	edges := []Edge{{0, 1, true}, {1, 0, true}, {0, 1, false}, {1, 0, true}}
	g, err := NewGraph(2, []int32{0, 0}, edges, []bool{true, true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Edge{{0, 1, false}, {1, 0, true}}; !slices.Equal(g.Edges, want) || len(g.Entries) != 1 {
		t.Errorf("%v, not %v; entries %v", g.Edges, want, g.Entries)
	}
}

// A technique has its probes at one place or both; its name reads as it is written.
func TestTechniquesAndPlaces(t *testing.T) {
	g := graph(t, figure41)
	for _, technique := range Techniques() {
		if again, err := TechniqueOf(technique.String()); err != nil || again != technique {
			t.Errorf("%s is read as %s: %v", technique, again, err)
		}
		for place, want := range map[Place]bool{
			InBlocks: technique != MinimumBranch,
			OnEdges:  technique.Branch(),
		} {
			if _, err := Make(g, technique, Options{Place: place}); (err == nil) != want {
				t.Errorf("%s at place %d: %v", technique, place, err)
			}
		}
	}
	if _, err := Make(g, numTechniques, Options{}); err == nil {
		t.Error("a technique that does not exist makes a plan")
	}
	if _, err := TechniqueOf("static_node"); err == nil {
		t.Error("names of techniques are read in lower case")
	}
	p := makePlan(t, g, DemandBranch, Options{})
	if p.BlocksOf(p.Coverage(make([]bool, p.Counters))) != nil {
		t.Error("a branch plan in blocks tells blocks")
	}
}
