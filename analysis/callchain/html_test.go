package callchain_test

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
)

// A page has a line for each chain of the trees that are asked for, also where other trees stand
// before them, and marks just those that are bad.
func TestPage(t *testing.T) {
	g := known(t, "text", "rta")
	f := callchain.Build(g, callchain.Options{Component: inPackage("text"), Length: 4, Granularity: callchain.BySite})
	write := func(p *callchain.Page) string {
		var b bytes.Buffer
		if err := f.HTML(&b, callchain.NewNames(f, nil), p); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	lines := func(page string) int { return strings.Count(page, "<li ") }
	if got, want := lines(write(&callchain.Page{Title: "all"})), int(f.Chains()); got != want || want == 0 {
		t.Errorf("%d lines of %d chains", got, want)
	}
	last := f.Roots[len(f.Roots)-1]
	bad := 0
	from := &callchain.Page{Title: "a <b>", From: []callgraph.NodeID{f.Nodes[last.ID].Method},
		Tested: func(n uint64) bool {
			if n < f.Chains()-f.Below(last.ID) {
				t.Errorf("asked for chain %d, which another tree has", n)
			}
			return n != f.Chains()-1
		},
		Mark: func(path []uint64) string {
			if first := f.Chains() - f.Below(last.ID); path[0] != first {
				t.Errorf("%v does not begin at chain %d", path, first)
			}
			return fmt.Sprintf("number %d", path[len(path)-1])
		},
		Takers: func(n uint64) (first, again []string) { return nil, nil },
		Link:   func(n callgraph.NodeID, line int32) string { return fmt.Sprintf("at:%s&%d", g.Method(n).Name, line) }}
	page := write(from)
	for i := f.Chains() - f.Below(last.ID); i < f.Chains(); i++ {
		if strings.Count(page, fmt.Sprintf(">number %d<", i)) != 1 {
			t.Errorf("chain %d is not there once", i)
		}
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, `<li class="bad`) {
			bad++
		}
	}
	root := g.Method(f.Nodes[last.ID].Method).Name
	at := `"at:` + html.EscapeString(root) + `&amp;0"`
	if n := strings.Count(page, ` href="at:`); n != lines(page) || !strings.Contains(page, at) {
		t.Errorf("%d lines lead somewhere, of %d, or not to %s", n, lines(page), root)
	}
	if bad != 1 || lines(page) != int(f.Below(last.ID)) || !strings.Contains(page, "<h1>a &lt;b&gt;</h1>") {
		t.Errorf("%d bad, %d lines of %d", bad, lines(page), f.Below(last.ID))
	}
	to := nodeOf(t, g, "FormatSymbols.getDefault")
	ending := f.Ending(to)
	if got, want := lines(write(&callchain.Page{To: []callgraph.NodeID{to}})), int(ending.Chains()); got != want {
		t.Errorf("%d lines of %d chains that lead to a method", got, want)
	}
}

// A back edge has a row, which is no chain: it is neither tested nor untested.
func TestPageBackEdge(t *testing.T) {
	f := callchain.Build(known(t, "chains", "rta"), callchain.Options{Component: inPackage("chains"), Length: 3,
		Granularity: callchain.BySite, Backedges: true})
	var b bytes.Buffer
	err := f.HTML(&b, callchain.NewNames(f, nil), &callchain.Page{Tested: func(uint64) bool { return false },
		Mark:   func([]uint64) string { return "untested" },
		Takers: func(uint64) (first, again []string) { return nil, nil }})
	if err != nil {
		t.Fatal(err)
	}
	back, bad := 0, uint64(0)
	for line := range strings.Lines(b.String()) {
		switch {
		case strings.HasPrefix(line, `<li class="back leaf">`) && strings.Contains(line, ", back to "):
			back++
		case strings.HasPrefix(line, `<li class="bad`):
			bad++
		case strings.HasPrefix(line, "<li"):
			t.Errorf("a row is neither a chain nor an edge back: %s", line)
		}
	}
	if back == 0 || bad != f.Chains() {
		t.Errorf("%d rows of edges back, %d of %d chains", back, bad, f.Chains())
	}
}

// A row has all tests that take its chain, by their numbers in a list of the page.
func TestPageTests(t *testing.T) {
	f := callchain.Build(known(t, "text", "rta"), callchain.Options{Component: inPackage("text"), Length: 4})
	takers := func(n uint64) (first, again []string) {
		if n == 0 {
			return nil, nil
		}
		return []string{"T#b"}, []string{"T#<c>"}
	}
	var b bytes.Buffer
	err := f.HTML(&b, callchain.NewNames(f, nil), &callchain.Page{Tested: func(n uint64) bool { return n > 0 },
		Mark: func([]uint64) string { return "2 tests: T#b, …" }, Takers: takers})
	if err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if n := strings.Count(page, ` data-tests="0 1">`); n != int(f.Chains())-1 || n == 0 {
		t.Errorf("%d rows of %d chains have their tests", n, f.Chains())
	}
	if strings.Count(page, " data-tests=") != int(f.Chains())-1 ||
		!strings.Contains(page, ` id="tests">["T#b","T#\u003cc\u003e"]</script>`) {
		t.Errorf("the list of tests is another one:\n%s", page[strings.Index(page, "</ul>\n</main>"):])
	}
}
