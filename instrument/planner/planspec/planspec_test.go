package planspec

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/instrument/planner"
)

// figure64 reads the plan of compress as Misurda 2011, Figure 6.4, prints it.
func figure64(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/figure64.planspec")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Figure 6.4: 20 blocks, one of them the exit, and 15 edges.
func TestFigure64(t *testing.T) {
	f, err := Parse(figure64(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Seeds) != 20 || len(f.Rows) != 20 || f.Edges() != 15 || f.Seeds[18] != -2 {
		t.Errorf("%d seeds, %d rows, %d edges, seed 18 is %d", len(f.Seeds), len(f.Rows), f.Edges(), f.Seeds[18])
	}
	want := map[int][]int{0: {6, 9, 2}, 3: {14}, 10: {15}, 11: {7}, 12: {15}, 13: {4, 8}, 14: {5, 17},
		15: {17, 16, 1}, 18: {19}}
	for row, preds := range f.Rows {
		if !slices.Equal(preds, want[row]) {
			t.Errorf("row %d: %v, not %v", row, preds, want[row])
		}
	}
	var text strings.Builder
	if _, err := f.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	// The figure breaks its first line, and lines its numbers up.
	if diff := cmp.Diff(strings.Fields(string(figure64(t))), strings.Fields(text.String())); diff != "" {
		t.Error(diff)
	}
}

// loop is a loop with a condition in it: 0, 1 head, 2 and 3 two ways to 4, which goes back, 5 end.
func loop(t testing.TB, more ...planner.Edge) *planner.Graph {
	t.Helper()
	edges := []planner.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 1, To: 3}, {From: 2, To: 4}, {From: 3, To: 4},
		{From: 4, To: 1}, {From: 1, To: 5}}
	g, err := planner.NewGraph(6, []int32{0}, append(edges, more...), []bool{false, true, false, false, false, true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What is written of a plan makes the same plan again.
func TestPlanIsRestored(t *testing.T) {
	for _, technique := range []planner.Technique{planner.StaticBranch, planner.AgrawalBranch} {
		p, err := planner.Make(loop(t), technique, planner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Of(p)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if _, err := f.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		read, err := Parse([]byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		again, err := read.PlanOf(loop(t), technique)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p.Probes, again.Probes); diff != "" || !slices.Equal(p.Covers, again.Covers) {
			t.Errorf("%s: %v, not %v: %s", technique, again.Covers, p.Covers, diff)
		}
		walk := func(p *planner.Plan) []bool {
			s := p.Begin()
			a := s.Enter()
			for _, b := range []int32{0, 1, 2, 4, 1, 5} {
				a.Visit(b)
			}
			return s.Coverage()
		}
		if got, want := walk(again), walk(p); !slices.Equal(got, want) || !slices.Contains(want, true) {
			t.Errorf("%s: covers %v, not %v", technique, got, want)
		}
	}
}

// A text for other code, or another technique, makes no plan.
func TestPlanOfOtherCode(t *testing.T) {
	p, err := planner.Make(loop(t), planner.StaticBranch, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Of(p)
	if err != nil {
		t.Fatal(err)
	}
	compress, err := Parse(figure64(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		file      *File
		graph     *planner.Graph
		technique planner.Technique
		want      string
	}{
		{"an edge more", f, loop(t, planner.Edge{From: 0, To: 5}), planner.StaticBranch,
			"STATIC_BRANCH records all 8 edges, not 7"},
		{"an edge that is missing", &File{Seeds: []int{0, 5}, Rows: [][]int{nil, {0}}}, loop(t), planner.AgrawalBranch,
			"planspec records an edge from block 0 to 5, the method has none"},
		{"a probe more", &File{Seeds: []int{0, 1, 4}, Rows: [][]int{nil, {0}, nil}}, loop(t), planner.AgrawalBranch,
			"planspec has a probe in block 4, which no edge of AGRAWAL_BRANCH needs"},
		{"a probe less", &File{Seeds: []int{}, Rows: [][]int{}}, loop(t), planner.StaticBranch,
			"STATIC_BRANCH records all 7 edges, not 0"},
		{"an edge twice", &File{Seeds: []int{0, 1}, Rows: [][]int{nil, {0, 0}}}, loop(t), planner.AgrawalBranch,
			"an edge is recorded twice"},
		{"another technique", f, loop(t), planner.DemandBranch,
			"no DEMAND_BRANCH is saved: only STATIC_BRANCH and AGRAWAL_BRANCH"},
		{"another method", compress, loop(t), planner.AgrawalBranch,
			"planspec has a probe in block 280, the method has blocks 0 to 5"},
	} {
		if _, err := test.file.PlanOf(test.graph, test.technique); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, not %s", test.name, err, test.want)
		}
	}
	demand, err := planner.Make(loop(t), planner.DemandBranch, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Of(demand); err == nil {
		t.Error("a demand-driven plan has a planspec")
	}
}

func TestErrors(t *testing.T) {
	const table = "SeedSet 3 7\nTable 2 1\n"
	for text, want := range map[string]string{
		"":                                           "line 1: cut short: there is no Table",
		"Table 0 0":                                  "line 1: Table comes once, after SeedSet",
		"SeedSet 1 2\nSeedSet 3":                     "line 2: SeedSet comes once, before Table",
		"SeedSet 1 1":                                "line 1: location 1 has two rows",
		"SeedSet 1\nTable 2 0":                       "line 2: Table has 2 rows, SeedSet 1 locations",
		"SeedSet 1\nTable 1":                         "line 2: cut short: the number of edges is missing",
		"SeedSet 1\nTable 1 2":                       "line 2: the number of edges is 2, not from 0 to 1",
		"SeedSet 1\nTable -1 2":                      "line 2: the number of rows is -1, not from 0 to 65536",
		"SeedSet 1\nTable one":                       `line 2: the number of rows is a number, not "one"`,
		"Plan 2":                                     `line 1: there is no command "Plan"`,
		"SeedSet 1.5":                                `line 1: there is no command "1.5"`,
		table + "setNumPreds 0 1":                    "line 3: cut short: 1 of 2 rows have no setNumPreds",
		table + "setNumPreds 0 2":                    "line 3: the rows have more than the 1 edges of Table",
		table + "setNumPreds 2 1":                    "line 3: the row is 2, not from 0 to 1",
		table + "setNumPreds 0 3":                    "line 3: the number of edges of the row is 3, not from 0 to 2",
		table + "setPredAddr 0 0 1":                  "line 3: the edge of the row is 0, but there is none",
		"SeedSet\nsetNumPreds 0 0":                   "line 2: the row is 0, but there is none",
		table + "setNumPreds 0 0 setNumPreds 0 0":    "line 3: the size of row 0 is set twice",
		table + "setNumPreds 0 0\nsetNumPreds 1 0":   "line 4: the rows have 0 edges, Table says 1",
		table + "setNumPreds 0 0\nsetNumPreds 1 1\n": "line 5: cut short: edge 0 of row 1 has no setPredAddr",
		table + "setNumPreds 1 1\nsetPredAddr 1 0 2": "line 4: the row that the edge comes from is 2, not from 0 to 1",
		table + "setNumPreds 1 1\nsetPredAddr 1 0 1\nsetPredAddr 1 0 1": "line 5: edge 0 of row 1 is set twice",
	} {
		if _, err := Parse([]byte(text)); err == nil || err.Error() != "planspec, "+want {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
	rows := strings.Builder{}
	for n := range maxRows {
		fmt.Fprintf(&rows, " %d", n)
	}
	if _, err := Parse([]byte("SeedSet" + rows.String() + "\nTable 65536 9999999")); err == nil ||
		err.Error() != "planspec, line 2: the number of edges is 9999999, not from 0 to 1048576" {
		t.Errorf("a table of ten million edges: %v", err)
	}
	whole := figure64(t)
	for n := range whole[:len(whole)-2] {
		if _, err := Parse(whole[:n]); err == nil {
			t.Errorf("the figure's text is read although it ends after %d bytes", n)
		}
	}
}

// Whatever is read is written so that it reads the same.
func FuzzParse(f *testing.F) {
	f.Add(figure64(f))
	f.Add([]byte("SeedSet 1 -2\r\nTable 2 1\r\nsetNumPreds 1 1 setNumPreds 0 0 setPredAddr 1 0 0"))
	f.Add([]byte("SeedSet Table 0 0"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse(text)
		if err != nil {
			return
		}
		var written strings.Builder
		if _, err := file.WriteTo(&written); err != nil {
			t.Fatal(err)
		}
		again, err := Parse([]byte(written.String()))
		if err != nil {
			t.Fatalf("%q is read as %v and written as %q: %v", text, file, written.String(), err)
		}
		if diff := cmp.Diff(file, again); diff != "" {
			t.Error(diff)
		}
	})
}
