// Package coveragepage writes what tests cover as one page for a browser: the sources with the
// state of each line, the ways of its branches, and the tests that come to it. The page needs
// nothing from elsewhere, follows the system's choice of light or dark, and can be read without a
// mouse.
package coveragepage

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/internal/pagestyle"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("coverage").Funcs(template.FuncMap{"count": codelens.Count,
	"style": pagestyle.CSS}).Parse(pageHTML))

type page struct {
	Title, Version string
	Totals         []total
	Beside         int
	NotRecorded    []string
	Packages       []pkg
	Files          []*file
	Tests          []string
	Sets           []string // sets of tests, as ranges of their numbers; the first is empty
}

type total struct{ Value, Label string }

type pkg struct{ Name, Lines, Branches, Methods string }

type file struct {
	Anchor, Path    string
	Class           string // good, bad or open
	Lines, Branches string // how much of them is covered
	HasBranches     bool
	NoText          bool
	Shown           []line
}

type line struct {
	Number int
	Text   string
	Class  string // hit, part or missed; "": no code
	Tests  int    // the index of its tests in Sets
	Ways   string // one a line
	Left   int
	Mark   string // what stands beside the number
	Says   string
}

// Write writes the page. The error is that of writing.
func Write(w io.Writer, c *coverage.Suite, title, version string) error {
	t := c.Total
	p := page{Title: codelens.Plain(title, false), Version: version, Beside: c.Beside, Sets: []string{""},
		Tests: []string{}, Totals: []total{{share(t.LinesCovered, t.Lines), "lines"},
			{share(t.BranchesCovered, t.Branches), "branches"}, {share(t.MethodsCovered, t.Methods), "methods"},
			{fmt.Sprint(len(c.Tests)), "tests"}}}
	for _, n := range c.NotRecorded {
		p.NotRecorded = append(p.NotRecorded, codelens.Plain(n, false))
	}
	p.Tests = append(p.Tests, testNames(c.Tests)...)
	for _, x := range c.Packages() {
		var n coverage.Counts
		for _, f := range x.Files {
			n.Add(f.Counts)
		}
		p.Packages = append(p.Packages, pkg{cmp.Or(codelens.Plain(classfile.SourceName(x.Name), false), "(no package)"),
			share(n.LinesCovered, n.Lines), share(n.BranchesCovered, n.Branches), share(n.MethodsCovered, n.Methods)})
	}
	sets := map[string]int{"": 0}
	for i, f := range c.Files {
		p.Files = append(p.Files, p.file(c, f, fmt.Sprint("f", i), sets))
	}
	return pageTemplate.Execute(codelens.PlainWriter{Writer: w}, p)
}

// testNames are what tests are called: two of one name, as they are in two modules, with theirs.
func testNames(tests []coverage.TestCoverage) []string {
	names, times := make([]string, len(tests)), map[string]int{}
	for i := range tests {
		times[tests[i].Test]++
	}
	for i := range tests {
		names[i] = tests[i].Test
		if run := tests[i].Run(); times[names[i]] > 1 && run != nil {
			names[i] += " in " + run.Module
		}
		names[i] = codelens.Plain(names[i], false)
	}
	return names
}

// share says how much of something is covered.
func share(covered, of int) string {
	if of == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f%% (%d/%d)", 100*float64(covered)/float64(of), covered, of)
}

// file makes what is shown of a file. New sets of tests are added to the page.
func (p *page) file(c *coverage.Suite, f *coverage.FileCoverage, anchor string, sets map[string]int) *file {
	n := f.Counts
	out := &file{Anchor: anchor, Path: codelens.Plain(f.Path, false), Lines: share(n.LinesCovered, n.Lines),
		Branches: share(n.BranchesCovered, n.Branches), HasBranches: n.Branches > 0, Class: "open"}
	switch {
	case n.LinesCovered == n.Lines && n.BranchesCovered == n.Branches:
		out.Class = "good"
	case n.LinesCovered == 0:
		out.Class = "bad"
	}
	text := f.Text()
	out.NoText = text == nil
	for i, s := range text {
		out.Shown = append(out.Shown, line{Number: i + 1, Text: codelens.Plain(strings.TrimRight(s, "\r"), false)})
	}
	tests := c.TestsByLine(f)
	for i := range f.Lines {
		l := &f.Lines[i]
		if l.Number > len(out.Shown) {
			out.Shown = append(out.Shown, line{Number: l.Number})
			out.mark(len(out.Shown)-1, f, l, tests[l.Number], p.set(tests[l.Number], sets))
			continue
		}
		out.mark(l.Number-1, f, l, tests[l.Number], p.set(tests[l.Number], sets))
	}
	return out
}

// set is the number of a set of tests.
func (p *page) set(tests []int, sets map[string]int) int {
	text := coverage.Ranges(tests)
	n, known := sets[text]
	if !known {
		n = len(p.Sets)
		sets[text] = n
		p.Sets = append(p.Sets, text)
	}
	return n
}

// mark says of a line that is shown what is covered of it.
func (f *file) mark(at int, of *coverage.FileCoverage, l *coverage.Line, tests []int, set int) {
	out := &f.Shown[at]
	out.Tests, out.Left, out.Class = set, l.Left, "hit"
	var ways []string
	taken, labels := 0, of.Labels(l)
	for _, b := range l.Branches {
		for way, is := range b {
			words := "never taken"
			if is {
				words = "taken"
				taken++
			}
			ways = append(ways, codelens.Plain(labels[way], false)+": "+words)
		}
		labels = labels[len(b):]
	}
	out.Ways = strings.Join(ways, "\n")
	switch {
	case l.Covered == 0:
		out.Class, out.Says = "missed", "not covered"
	case len(tests) == 0:
		out.Says = "covered, by no test"
	default:
		out.Says = "covered by " + codelens.Count(len(tests), "test")
	}
	if l.Covered > 0 && taken < len(ways) {
		out.Class = "part"
	}
	if len(ways) > 0 {
		out.Says += fmt.Sprintf(", %d of %d ways taken", taken, len(ways))
		out.Mark = fmt.Sprintf("%d/%d ", taken, len(ways))
	}
	if l.Left > 0 {
		out.Says += ", left in the middle in " + codelens.Count(l.Left, "test")
		out.Mark += "↯ "
	}
	if out.Mark += fmt.Sprint(len(tests)); l.Covered == 0 {
		out.Mark = strings.TrimSuffix(out.Mark, "0") + "✗"
	}
}
