package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

// Tests of one name in two modules have different paths. What parts a path are the names of
// packages, the class and the test, whatever the name of a test has in it.
func TestUniformPaths(t *testing.T) {
	s := &Suite{}
	for _, x := range [][2]string{{"a", "p.XTest#reads[1]"}, {"b", "p.XTest#reads[1]"},
		{"b", "p.YTest$Nested#x"}, {"b", "feature"}, {"b", "p.ZTest#t[a/../b#c]"}, {"b", "#a.b/c d"}} {
		s.Tests = append(s.Tests, TestCoverage{Test: x[1], run: &record.TestRun{Module: x[0], Test: x[1]}})
	}
	want := []string{"a/p/XTest/reads[1]", "b/p/XTest/reads[1]", "p/YTest$Nested/x", "feature",
		`p/ZTest/t[a\/..\/b#c]`, `a.b\/c d`}
	wantSources := []string{"p/XTest", "p/XTest", "p/YTest$Nested", "feature", "p/ZTest", `a.b\/c d`}
	got, sources := s.uniformPaths()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(sources, wantSources) {
		t.Errorf("the sources are %q, not %q", sources, wantSources)
	}
}

// Each folder is there once, also where files of a folder in it stand between its own; and a result
// is one of those that Teamscale knows, or none.
func TestTestwiseFoldersAndResults(t *testing.T) {
	s, known := &Suite{}, []string{"", "PASSED", "IGNORED", "SKIPPED", "FAILURE", "ERROR"}
	for _, o := range []record.Outcome{record.Pass, record.Fail, record.Hang, record.Exit, record.Crash, record.Flaky,
		record.Skipped, record.Undecided, record.Gone} {
		s.Tests = append(s.Tests, TestCoverage{Test: "T#" + string(o), run: &record.TestRun{Outcome: o}})
	}
	s.Tests = append(s.Tests, TestCoverage{Test: "T#none"})
	for _, name := range []string{"a/A.java", "a/b/B.java", "a/c.java"} {
		f := &FileCoverage{Path: name, Lines: []Line{{Number: 7}}}
		f.asked.Do(func() { f.tests = map[int][]int{7: {0}} })
		s.Files = append(s.Files, f)
	}
	var b bytes.Buffer
	if err := WriteTestwise(&b, s); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests []struct {
			Result string
			Paths  []struct {
				Path  string
				Files []struct{ FileName string }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || len(got.Tests) != len(s.Tests) {
		t.Fatal(err, len(got.Tests))
	}
	for i, x := range got.Tests {
		if !slices.Contains(known, x.Result) {
			t.Errorf("%s ends as %q", s.Tests[i].Test, x.Result)
		}
	}
	if strings.Contains(b.String(), `"result": ""`) {
		t.Error("a result is empty")
	}
	if text := fmt.Sprint(got.Tests[0].Paths); text != "[{a [{A.java} {c.java}]} {a/b [{B.java}]}]" {
		t.Errorf("the first test covers %s", text)
	}
}

func TestRanges(t *testing.T) {
	for want, of := range map[string][]int{"": nil, "7": {7}, "1-3,5,8-9": {1, 2, 3, 5, 8, 9}} {
		if got := Ranges(of); got != want {
			t.Errorf("Ranges(%v) = %q, want %q", of, got, want)
		}
	}
}
