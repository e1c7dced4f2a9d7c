package callchain_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
)

// pathsTo lists the chains of a forest that end at a method, and how many end at a leaf elsewhere.
func pathsTo(f *callchain.Forest, m callgraph.NodeID) (out []string, elsewhere int) {
	var walk func(n callchain.NodeID, path string)
	walk = func(n callchain.NodeID, path string) {
		ends := f.Nodes[n].Method == m
		if ends {
			out = append(out, path)
		}
		if len(f.Nodes[n].Edges) == 0 && !ends {
			elsewhere++
		}
		for _, e := range f.Nodes[n].Edges {
			step := fmt.Sprintf("%s %d/%d/%d", path, e.Site, e.Receiver, e.Callee)
			switch {
			case e.Up < 0:
				walk(e.To, step)
			case e.Callee == m:
				out = append(out, step+" back")
			default:
				elsewhere++
			}
		}
	}
	for i, r := range f.Roots {
		walk(r.ID, fmt.Sprintf("%d@%d", f.Nodes[r.ID].Method, f.Roots[i].Level))
	}
	slices.Sort(out)
	return out, elsewhere
}

// The chains to a method are all those of the whole forest that end there, and nothing else.
func TestEnding(t *testing.T) {
	for _, folder := range []string{"text", "chains", "levels"} {
		for _, back := range []bool{false, true} {
			g := known(t, folder, "cha")
			in := inPackage(map[string]string{"levels": "cut"}[folder])
			if folder != "levels" {
				in = inPackage(folder)
			}
			f := callchain.Build(g, callchain.Options{Component: in, Length: 5, Backedges: back})
			ways := 0
			for _, m := range callchain.Methods(g, in) {
				want, _ := pathsTo(f, m)
				ending := f.Ending(m)
				got, elsewhere := pathsTo(ending, m)
				if !slices.Equal(got, want) || elsewhere > 0 {
					t.Errorf("%s, back edges %v, to %s: %d chains and %d elsewhere, want %d", folder, back,
						methodName(g, m), len(got), elsewhere, len(want))
				}
				n := len(want)
				if !back {
					if c := f.CountEnding(m); c != uint64(n) || ending.CountEnding(m) != c {
						t.Errorf("%s, to %s: %d and %d counted, want %d", folder, methodName(g, m), c,
							ending.CountEnding(m), n)
					}
				}
				ways += n
			}
			if ways == 0 {
				t.Errorf("%s: no chain", folder)
			}
		}
	}
}
