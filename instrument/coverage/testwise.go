package coverage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
)

// WriteTestwise writes which lines each test covers, in the form that Teamscale reads (testwise
// coverage, JSON). Tests that cover nothing are there too.
func WriteTestwise(w io.Writer, c *Suite) error {
	type file struct {
		Name  string `json:"fileName"`
		Lines string `json:"coveredLines"`
	}
	type folder struct {
		Path  string `json:"path"`
		Files []file `json:"files"`
	}
	type test struct {
		Path     string   `json:"uniformPath"`
		Source   string   `json:"sourcePath"`
		Duration float64  `json:"duration"` // seconds
		Result   string   `json:"result,omitempty"`
		Message  string   `json:"message,omitempty"`
		Folders  []folder `json:"paths"`
	}
	out := struct {
		Partial bool   `json:"partial"`
		Tests   []test `json:"tests"`
	}{Tests: make([]test, len(c.Tests))}
	names, sources := c.uniformPaths()
	for i := range c.Tests {
		t := &c.Tests[i]
		out.Tests[i] = test{Path: names[i], Source: sources[i], Duration: t.Duration.Seconds(),
			Result: teamscaleResult(t.run), Folders: []folder{}}
		if t.run != nil {
			out.Tests[i].Message = t.run.Message
		}
	}
	for _, f := range c.Files {
		for i, lines := range c.linesOfTests(f) {
			if len(lines) == 0 {
				continue
			}
			t, dir := &out.Tests[i], path.Dir(f.Path)
			// Files of folders in it may stand between a folder's own.
			at := slices.IndexFunc(t.Folders, func(x folder) bool { return x.Path == dir })
			if at < 0 {
				at = len(t.Folders)
				t.Folders = append(t.Folders, folder{Path: dir})
			}
			in := &t.Folders[at]
			in.Files = append(in.Files, file{path.Base(f.Path), Ranges(lines)})
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}

// linesOfTests are the lines of a file that each test comes to, ascending, by index in Tests.
func (c *Suite) linesOfTests(f *FileCoverage) [][]int {
	by, tests := make([][]int, len(c.Tests)), c.TestsByLine(f)
	for i := range f.Lines {
		for _, t := range tests[f.Lines[i].Number] {
			by[t] = append(by[t], f.Lines[i].Number)
		}
	}
	return by
}

// Ranges writes ascending numbers with those that follow each other as one range: 1-3,7.
func Ranges(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, numbers[i])
		if last > i {
			fmt.Fprint(&b, "-", numbers[last])
		}
		i = last + 1
	}
	return b.String()
}

// uniformPaths name each test by a path of its class and its own name, and sources its class by its
// path. A slash in its own name is written with a backslash before it, as it parts nothing. Two
// tests that would have one name, as they are in two modules, have that of their module before it.
func (c *Suite) uniformPaths() (names, sources []string) {
	names, sources = make([]string, len(c.Tests)), make([]string, len(c.Tests))
	times := map[string]int{}
	for i := range c.Tests {
		class, own, is := strings.Cut(c.Tests[i].Test, "#")
		own = strings.ReplaceAll(own, "/", `\/`)
		names[i] = strings.ReplaceAll(class, ".", "/")
		sources[i] = cmp.Or(names[i], own)
		if class == "" { // a test of no class, such as a scenario
			names[i] = own
		} else if is {
			names[i] += "/" + own
		}
		times[names[i]]++
	}
	for i, name := range names {
		if run := c.Tests[i].run; times[name] > 1 && run != nil {
			names[i] = run.Module + "/" + name
		}
	}
	return names, sources
}

// teamscaleResult is how a test ended in Teamscale's words; "": it has none for this.
func teamscaleResult(run *record.TestRun) string {
	switch {
	case run == nil:
	case run.Outcome == record.Pass:
		return "PASSED"
	case run.Outcome == record.Skipped:
		return "SKIPPED"
	case run.Outcome == record.Fail:
		return "FAILURE"
	case slices.Contains([]record.Outcome{record.Hang, record.Exit, record.Crash}, run.Outcome):
		return "ERROR"
	}
	return ""
}
