package codelens

import (
	"bytes"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

// The tests that make the catch run stand first, of these the failing ones; each
// row says what the test did in the baseline and where its outcome was seen.
func TestMatrixPage(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	first := s.Matrix[0]
	row := func(test string, o record.Outcome, u record.Usage, change func(*record.Cell)) {
		cell := first
		cell.Test, cell.Outcome = test, o
		change(&cell)
		s.Matrix = append(s.Matrix, cell)
		s.Tests = append(s.Tests, test)
		s.Usages[test] = u
	}
	s.Usages = map[string]record.Usage{first.Test: {Pink: 2, White: 1}}
	row("p.DTest#pink", record.Fail, record.Usage{Pink: 1, Blue: 3}, func(c *record.Cell) { c.Message = "p.E: a|b" })
	row("p.DTest#white", record.Fail, record.Usage{White: 4}, func(c *record.Cell) {
		c.Certain, c.Stack, c.Constructed = true, "p.E: x\n\tat p.C.m(C.java:4)", "new java.io.IOException(String)"
	})
	for _, open := range []string{"p.DTest#open", "p.DTest#later", "p.ETest#open"} {
		s.Tests, s.Usages[open] = append(s.Tests, open), record.Usage{Pink: 1}
	}
	page := MatrixPage(v, c, FileURI("/ws"),
		func(test string) (string, int, bool) { return "test/DTest.java", 7, test == "p.DTest#white" })
	at := -1
	for _, want := range []string{
		"# Matrix of catch (IOException) in C.m\n",
		"| test | in the baseline | injected | thrown | outcome | seen in |\n|---|---|---|---|---|---|\n",
		"| [DTest#white](file:///ws/test/DTest.java#L7) | 4 white | IOException | 1× | fail | a fresh JVM |\n",
		"| CTest#m | 1 white, 2 pink | IOException | 1× | pass | a shared JVM |\n",
		"| DTest#pink | 1 pink, 3 blue | IOException | 1× | fail: E: a\\|b | a shared JVM |\n",
		"| DTest#open | 1 pink | | | not run yet | |\n",
		"## How DTest#white failed\n\nThrown: new java.io.IOException(String)\n\n```\n  p.E: x\n  \tat " +
			"p.C.m(C.java:4)\n```\n",
	} {
		i := strings.Index(page, want)
		if i <= at {
			t.Errorf("%q is missing, or not in its place, in\n%s", want, page)
		}
		at = max(at, i)
	}
	var html bytes.Buffer
	if err := HTMLReport(t.Context(), &html, v, "t"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<th>in the baseline</th>",
		`<td class="tests"><div>p.DTest#white</div></td><td>4 white</td><td>java.io.IOException</td><td>1×</td>`,
		"<td>a fresh JVM</td>",
		// Tests of which the same is said share a row, by their classes.
		`<td class="tests"><details><summary>3 tests</summary><div>p.DTest#open, later</div><div>p.ETest#open</div>` +
			"</details></td><td>1 pink</td>",
	} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("the report has no %q", want)
		}
	}
}

// A catch that nothing is known of has a page that says so.
func TestMatrixPageEmpty(t *testing.T) {
	v, c := view()
	if page := MatrixPage(v, c, nil, nil); !strings.Contains(page, "No test has been run yet.") ||
		strings.Contains(page, "| test |") {
		t.Errorf("without results:\n%s", page)
	}
	v, s := laid(v, c, record.Usage{}, record.Pass, "")
	s.Matrix, s.Tests = nil, nil
	if page := MatrixPage(v, c, nil, nil); !strings.Contains(page, "no passing test enters this try") {
		t.Errorf("without tests:\n%s", page)
	}
}
