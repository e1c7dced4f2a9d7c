// Package coveragepage writes what tests cover as one page for a browser: the sources with the
// state of each line, the ways of its branches, and the tests that come to it. The page needs
// nothing from elsewhere, follows the system's choice of light or dark, and can be read without a
// mouse.
//
// A page of a project with thousands of files would be a hundred megabytes of elements. So each
// source is kept compressed, and becomes elements when somebody opens it. The data are lines of
// text: JSON, compressed (RFC 1951, which browsers read), in base64. The first has the tests and
// the sets of tests of lines; then comes one for each file.
package coveragepage

import (
	"bytes"
	"cmp"
	"compress/flate"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
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
	Tests          string   // packed: a testData
	Sources        []string // packed: the source of each file
}

// testData are the tests and what lines say of them.
type testData struct {
	Tests []string `json:"tests"`
	Sets  []string `json:"sets"` // as ranges of numbers of tests; the first is empty
}

type total struct{ Value, Label string }

type pkg struct{ Name, Lines, Branches, Methods string }

type file struct {
	Path            string
	Class           string // good, bad or open
	Lines, Branches string // how much of them is covered
	HasBranches     bool
}

// source is what is shown of a file once it is opened.
type source struct {
	Text  []string `json:"text"`  // all of its lines; none where the text is not known
	Lines []line   `json:"lines"` // those with code, in ascending order
}

type line struct {
	Number int    `json:"n"`
	Class  string `json:"is"`              // hit, part or missed
	Tests  int    `json:"tests,omitempty"` // the index of its tests in the sets
	Ways   string `json:"ways,omitempty"`  // one a line
	Mark   string `json:"mark"`            // what stands beside the number
	Says   string `json:"says"`
}

// Write writes the page. The error is that of writing.
func Write(w io.Writer, c *coverage.Suite, title, version string) error {
	t := c.Total
	p := page{Title: codelens.Plain(title, false), Version: version, Beside: c.Beside,
		Totals: []total{{share(t.LinesCovered, t.Lines), "lines"},
			{share(t.BranchesCovered, t.Branches), "branches"}, {share(t.MethodsCovered, t.Methods), "methods"},
			{fmt.Sprint(len(c.Tests)), "tests"}}}
	for _, n := range c.NotRecorded {
		p.NotRecorded = append(p.NotRecorded, codelens.Plain(n, false))
	}
	for _, x := range c.Packages() {
		var n coverage.Counts
		for _, f := range x.Files {
			n.Add(f.Counts)
		}
		p.Packages = append(p.Packages, pkg{cmp.Or(codelens.Plain(classfile.SourceName(x.Name), false), "(no package)"),
			share(n.LinesCovered, n.Lines), share(n.BranchesCovered, n.Branches), share(n.MethodsCovered, n.Methods)})
	}
	sets := testSets{list: []string{""}, numbers: map[string]int{"": 0}}
	for _, f := range c.Files {
		if err := p.add(fileOf(f), sourceOf(c, f, &sets)); err != nil {
			return err
		}
	}
	return p.write(w, testData{testNames(c.Tests), sets.list})
}

// add adds a file.
func (p *page) add(f *file, s *source) error {
	packed, err := pack(s)
	p.Files, p.Sources = append(p.Files, f), append(p.Sources, packed)
	return err
}

// write writes the page with all files.
func (p *page) write(w io.Writer, tests testData) (err error) {
	if p.Tests, err = pack(tests); err != nil {
		return err
	}
	return pageTemplate.Execute(codelens.PlainWriter{Writer: w}, p)
}

// pack makes a line of the page's data. Its letters mean nothing to HTML.
func pack(data any) (string, error) {
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err == nil {
		err = errors.Join(json.NewEncoder(z).Encode(data), z.Close())
	}
	return base64.RawURLEncoding.EncodeToString(b.Bytes()), err
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

// fileOf is what is shown of a file before it is opened.
func fileOf(f *coverage.FileCoverage) *file {
	n := f.Counts
	out := &file{Path: codelens.Plain(f.Path, false), Lines: share(n.LinesCovered, n.Lines),
		Branches: share(n.BranchesCovered, n.Branches), HasBranches: n.Branches > 0, Class: "open"}
	switch {
	case n.LinesCovered == n.Lines && n.BranchesCovered == n.Branches:
		out.Class = "good"
	case n.LinesCovered == 0:
		out.Class = "bad"
	}
	return out
}

// sourceOf is what is shown of a file that is opened. New sets of tests are added.
func sourceOf(c *coverage.Suite, f *coverage.FileCoverage, sets *testSets) *source {
	out := &source{Text: []string{}, Lines: []line{}}
	for _, s := range f.Text() {
		out.Text = append(out.Text, codelens.Plain(strings.TrimRight(s, "\r"), false))
	}
	tests := c.TestsByLine(f)
	for i := range f.Lines {
		l := &f.Lines[i]
		out.Lines = append(out.Lines, lineOf(f, l, tests[l.Number], sets.number(tests[l.Number])))
	}
	return out
}

// testSets numbers sets of tests.
type testSets struct {
	list    []string
	numbers map[string]int
}

// number is that of a set of tests.
func (s *testSets) number(tests []int) int {
	text := coverage.Ranges(tests)
	n, known := s.numbers[text]
	if !known {
		n = len(s.list)
		s.numbers[text] = n
		s.list = append(s.list, text)
	}
	return n
}

// lineOf says of a line what is covered of it.
func lineOf(f *coverage.FileCoverage, l *coverage.Line, tests []int, set int) line {
	out := line{Number: l.Number, Tests: set, Class: "hit"}
	var ways []string
	taken, labels := 0, f.Labels(l)
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
	return out
}
