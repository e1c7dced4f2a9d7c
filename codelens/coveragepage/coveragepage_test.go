package coveragepage

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
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
	var shown source
	unpacked(t, page, 1, &shown)
	want := []line{{Number: 7, Class: "hit", Mark: "0", Says: "covered, by no test"},
		{Number: 9, Class: "missed", Mark: "✗", Says: "not covered"},
		{Number: 4000, Class: "hit", Mark: "↯ 0", Says: "covered, by no test, left in the middle in 1 test"}}
	if !slices.Equal(shown.Lines, want) || len(shown.Text) > 0 {
		t.Errorf("got %+v", shown)
	}
	if text := `data-counts="66.7% (2/3) lines, no branches"`; !strings.Contains(page, text) {
		t.Errorf("the page has no %s", text)
	}
}

// unpacked reads a line of the page's data.
func unpacked(t *testing.T, page string, number int, into any) {
	t.Helper()
	_, data, _ := strings.Cut(page, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	packed, err := base64.RawURLEncoding.DecodeString(strings.Split(strings.TrimSpace(data), "\n")[number])
	if err == nil {
		err = json.NewDecoder(flate.NewReader(bytes.NewReader(packed))).Decode(into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Names from the project are text, with what cannot be seen made visible; two tests of one name
// tell of which module they are.
func TestNamesAreText(t *testing.T) {
	page := made(t)
	var data testData
	unpacked(t, page, 0, &data)
	names := data.Tests
	if want := []string{`p.T#t[</script>\u202e]`, "p.U#u in a", "p.U#u in b"}; !slices.Equal(names, want) {
		t.Errorf("tests are %q", names)
	}
	if strings.Contains(page, "\u202e") || strings.Count(page, "</script>") != 2 ||
		strings.Contains(page, "src/</h2>") || !strings.Contains(page, `<td>p\u202e</td>`) {
		t.Error("a name is not as text")
	}
}

// maxPerLine bounds the bytes of a page for each line of its sources, which have 31 themselves.
// They are 23. As elements they are more than 100.
const maxPerLine = 25

// A page of many files has few bytes for each line, and nothing of a source as elements.
func TestSizePerLine(t *testing.T) {
	var p page
	sets := testSets{list: []string{""}, numbers: map[string]int{"": 0}}
	lines, own := 0, 0
	folder := filepath.Join("..", "..", "examples", "filedrop")
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".java" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f := &coverage.FileCoverage{Path: path}
		s := &source{Text: strings.Split(string(text), "\n")}
		for i, row := range s.Text {
			if strings.HasSuffix(row, ";") { // code, of which some tests run some
				l := coverage.Line{Number: i + 1, Instructions: 3, Covered: i % 4}
				tests := []int{i % 7, 10 + i%3}
				s.Lines = append(s.Lines, lineOf(f, &l, tests, sets.number(tests)))
			}
		}
		lines, own = lines+len(s.Text), own+len(text)
		return p.add(fileOf(f), s)
	})
	if err != nil || lines < 1000 {
		t.Fatal(lines, err)
	}
	var b strings.Builder
	if err := p.write(&b, testData{Sets: sets.list}); err != nil {
		t.Fatal(err)
	}
	var empty strings.Builder
	if err := new(page).write(&empty, testData{}); err != nil {
		t.Fatal(err)
	}
	n := b.Len() - empty.Len()
	if n > maxPerLine*lines {
		t.Errorf("%d bytes for %d lines of %d bytes are more than %d for each", n, lines, own, maxPerLine)
	}
}
