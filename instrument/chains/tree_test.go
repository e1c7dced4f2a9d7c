package chains

import (
	"fmt"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// A tree has the chains that a reader chooses, and what they begin with: those that lead to a
// method, of some state, of few calls, with some words in their methods or tests. What is too much
// is left out, and found below the row where it is.
func TestTree(t *testing.T) {
	g, f, above := waysForest(t)
	m := &waysMemory{}
	c := NewComponent("lib", nil, OfRuns(m, f, waysRuns(t, m, g)), above, 4)
	inner, ok := c.Find("lib/Lib", "inner()V")
	if !ok {
		t.Fatal("no chain leads to inner")
	}
	name := func(n callgraph.NodeID) string { return strings.ToLower(g.Class(n) + "." + g.Method(n).Name) }
	untested := func(s State) bool { return s == Untested }
	taken := func(s State) bool { return s == Taken }
	const most = 100
	for _, want := range []struct {
		what   string
		choice Choice
		below  []string
		most   int
		tree   string
	}{
		{"all", Choice{To: callgraph.NoNode, Calls: 4}, nil, most, `
deep taken 1/4
  inner unrecorded 0/1
  middle unrecorded 0/2
    inner unrecorded 0/1
never untested 0/4
  unused untested 0/2
    inner untested 0/1
  inner untested 0/1
open taken 3/3
  middle taken 2/2
    inner taken 1/1`},
		{"to a method", Choice{To: inner, Calls: 4}, nil, most, `
deep taken 0/2
  inner unrecorded 0/1
  middle unrecorded 0/1
    inner unrecorded 0/1
never untested 0/2
  unused untested 0/1
    inner untested 0/1
  inner untested 0/1
open taken 1/1
  middle taken 1/1
    inner taken 1/1`},
		{"to a method, of one call", Choice{To: inner, Calls: 1}, nil, most, `
deep taken 0/1
  inner unrecorded 0/1
never untested 0/1
  inner untested 0/1`},
		{"untested", Choice{To: callgraph.NoNode, Calls: 1, State: untested}, nil, most, `
never untested 0/3
  unused untested 0/1
  inner untested 0/1`},
		{"taken", Choice{To: inner, Calls: 4, State: taken}, nil, most, `
open taken 1/1
  middle taken 1/1
    inner taken 1/1`},
		{"words of methods", Choice{To: callgraph.NoNode, Calls: 4, Words: []string{"inner", "lib.unused"}}, nil,
			most, `
never untested 0/1
  unused untested 0/1
    inner untested 0/1`},
		{"a test", Choice{To: callgraph.NoNode, Calls: 4, Words: []string{"t#b"}}, nil, most, `
open taken 2/2
  middle taken 1/1`},
		{"nothing", Choice{To: callgraph.NoNode, Calls: 4, Words: []string{"inner", "nowhere"}}, nil, most, ""},
		{"few rows", Choice{To: callgraph.NoNode, Calls: 4}, nil, 3, `
deep taken 1/4
  inner unrecorded 0/1
  middle unrecorded 0/2 …
never untested 0/4 …
open taken 3/3
  middle taken 2/2 …`},
		{"below a row", Choice{To: callgraph.NoNode, Calls: 4}, []string{"lib/Lib.deep()V", "1:lib/Lib.middle()V"}, 0, `
inner unrecorded 0/1`},
		{"below nothing", Choice{To: callgraph.NoNode, Calls: 4}, []string{"lib/Lib.gone()V"}, most, ""},
	} {
		want.choice.Name = name
		var b strings.Builder
		writeTree(&b, c, c.Tree(&want.choice, want.below, want.most), 0)
		if got := strings.TrimSpace(b.String()); got != strings.TrimSpace(want.tree) {
			t.Errorf("%s:\n%s\nwant\n%s", want.what, got, strings.TrimSpace(want.tree))
		}
	}
}

// writeTree writes rows, one a line, with how many of the chains at and below them are taken.
func writeTree(b *strings.Builder, c *Component, rows []*Row, depth int) {
	for _, r := range rows {
		more := ""
		if r.Left {
			more = " …"
		}
		fmt.Fprintf(b, "%s%s %s %d/%d%s\n", strings.Repeat("  ", depth),
			c.Forest.Graph.Method(r.Frames[len(r.Frames)-1].Method).Name,
			[...]string{"untested", "unrecorded", "taken", "unknown"}[r.State], r.Taken, r.All, more)
		writeTree(b, c, r.Rows, depth+1)
	}
}
