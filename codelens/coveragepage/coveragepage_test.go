package coveragepage

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/record"
)

// made is the page of a file with three lines, whose source is not known, and of three tests.
func made(t *testing.T) string {
	t.Helper()
	var runs []*record.TestRun
	for _, x := range [][2]string{{"a", "p.T#t[</script>\u202e]"}, {"a", "p.U#u"}, {"b", "p.U#u"}} {
		runs = append(runs, &record.TestRun{Module: x[0], Test: x[1]})
	}
	c := coverage.OfRuns(&snapshot.Snapshot{}, nil, runs, nil)
	f := &coverage.FileCoverage{Path: "src/</h2>\u202e.java", Package: "p\u202e",
		Lines: []coverage.Line{{Number: 7, Covered: 1}, {Number: 9}, {Number: 4000, Left: 1, Covered: 1}}}
	f.Counts = coverage.Counts{Lines: 3, LinesCovered: 2}
	c.Files = append(c.Files, f)
	var b strings.Builder
	if err := Write(&b, c, "<title>", "1"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Lines keep their numbers where the source is not known, each is there once, and says what is
// known of it.
func TestLinesWithoutText(t *testing.T) {
	page := made(t)
	var got []string
	row := regexp.MustCompile(`<p id="f0-(\d+)" class="(\w+)"><i>(\d+)</i><button [^>]*title="([^"]*)">([^<]*)<`)
	for _, m := range row.FindAllStringSubmatch(page, -1) {
		got = append(got, strings.Join(m[1:], " "))
	}
	want := []string{"7 hit 7 covered, by no test 0", "9 missed 9 not covered ✗",
		"4000 hit 4000 covered, by no test, left in the middle in 1 test ↯ 0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for _, text := range []string{"66.7% (2/3) lines, no branches", `style="--lines:3"`, "lines have their numbers alone"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page has no %q", text)
		}
	}
}

// Names from the project are text, with what cannot be seen made visible; two tests of one name
// tell of which module they are.
func TestNamesAreText(t *testing.T) {
	page := made(t)
	_, text, _ := strings.Cut(page, "const tests = ")
	var names []string
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&names); err != nil {
		t.Fatal(err)
	}
	if want := []string{`p.T#t[</script>\u202e]`, "p.U#u in a", "p.U#u in b"}; !slices.Equal(names, want) {
		t.Errorf("tests are %q", names)
	}
	if strings.Contains(page, "\u202e") || strings.Count(page, "</script>") != 1 ||
		strings.Contains(page, "src/</h2>") || !strings.Contains(page, `<td>p\u202e</td>`) {
		t.Error("a name is not as text")
	}
}
