package coverage_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file reads what is written for other tools as these do, or more strictly, and compares it
// with what was written.

// suite is one of two packages and three files, with a name of each kind that has to be escaped.
func suite() *coverage.Suite {
	method := func(name, desc string, lines ...coverage.Line) *coverage.MethodCoverage {
		m := &coverage.MethodCoverage{Name: name, Desc: desc, Lines: lines, Counts: coverage.Counts{Methods: 1}}
		m.Counts.Add(countsOf(lines))
		if m.Counts.InstructionsCovered > 0 {
			m.Counts.MethodsCovered = 1
		}
		return m
	}
	file := func(path, pkg string, classes ...*coverage.ClassCoverage) *coverage.FileCoverage {
		f := &coverage.FileCoverage{Path: path, Package: pkg, Classes: classes}
		for _, c := range classes {
			for _, m := range c.Methods {
				f.Lines = append(f.Lines, m.Lines...)
				f.Counts.Add(m.Counts)
			}
		}
		return f
	}
	hit, missed := coverage.Line{Number: 3, Instructions: 4, Covered: 4}, coverage.Line{Number: 9, Instructions: 2}
	loop := coverage.Line{Number: 5, Instructions: 7, Covered: 6,
		Branches: []coverage.Branch{{true, false}, {true, true}}}
	choice := coverage.Line{Number: 12, Instructions: 3, Branches: []coverage.Branch{{false, false, false}}}
	s := &coverage.Suite{Files: []*coverage.FileCoverage{
		file("src/Top.java", "", &coverage.ClassCoverage{Name: "Top", Methods: []*coverage.MethodCoverage{
			method("<init>", "()V", hit)}}),
		file("src/p/q/A & B.java", "p/q",
			&coverage.ClassCoverage{Name: "p/q/A", Methods: []*coverage.MethodCoverage{
				method("<clinit>", "()V", hit), method("of", "([Ljava/lang/String;I)V", loop, missed)}},
			&coverage.ClassCoverage{Name: "p/q/A$B", Methods: []*coverage.MethodCoverage{
				method("never", "()V", choice)}}),
		file("src/p/q/None.java", "p/q", &coverage.ClassCoverage{Name: "p/q/None", Methods: []*coverage.MethodCoverage{
			method("none", "()Z", missed)}}),
	}, Tests: []coverage.TestCoverage{{Test: "p.q.ATest#of(\"<x>\")", Probes: 5}}}
	for _, f := range s.Files {
		s.Total.Add(f.Counts)
	}
	return s
}

func countsOf(lines []coverage.Line) (n coverage.Counts) {
	for _, l := range lines {
		n.Lines++
		n.Instructions += l.Instructions
		n.InstructionsCovered += l.Covered
		if l.Covered > 0 {
			n.LinesCovered++
		}
		for _, b := range l.Branches {
			n.Branches += len(b)
			n.BranchesCovered += b.Taken()
		}
	}
	return n
}

// linesOf is what all formats have of the lines: whether they were hit, and how many ways there
// are and how many were taken.
func linesOf(s *coverage.Suite) map[string]string {
	all := map[string]string{}
	for _, f := range s.Files {
		for _, l := range f.Lines {
			n := countsOf([]coverage.Line{l})
			all[fmt.Sprint(f.Path, ":", l.Number)] = lineText(l.Covered > 0, n.BranchesCovered, n.Branches)
		}
	}
	return all
}

func lineText(hit bool, taken, ways int) string { return fmt.Sprintf("%v %d/%d", hit, taken, ways) }

// lcovReader reads a tracefile, and refuses what geninfo(1) does not name.
type lcovReader struct {
	t           *testing.T
	lines       map[string]string
	file        string
	n           map[string]int // of the file: how many records of a kind, or hits, there are
	ways, taken map[int]int    // by line
	functions   map[string]bool
}

var lcovRecord = regexp.MustCompile(`^(TN|SF|FN|FNDA|FNF|FNH|BRDA|BRF|BRH|DA|LF|LH):(.*)$`)

func (r *lcovReader) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		r.t.Errorf("%q is no number", s)
	}
	return n
}

func (r *lcovReader) read(line string) {
	if line == "end_of_record" {
		if r.file == "" || r.n["DA"] == 0 {
			r.t.Errorf("a section without a file or lines")
		}
		for line := range r.ways {
			if _, ok := r.lines[fmt.Sprint(r.file, ":", line)]; !ok {
				r.t.Errorf("line %d of %s has branches and no DA", line, r.file)
			}
		}
		r.file = ""
		return
	}
	m := lcovRecord.FindStringSubmatch(line)
	if m == nil {
		r.t.Fatalf("%q is no record", line)
	}
	kind, fields := m[1], strings.Split(m[2], ",")
	if (r.file == "") != (kind == "TN" || kind == "SF") {
		r.t.Errorf("%q stands where it may not", line)
	}
	want := map[string]int{"FN": 2, "FNDA": 2, "BRDA": 4, "DA": 2}[kind]
	if want == 0 {
		want = 1
	}
	if len(fields) != want {
		r.t.Fatalf("%q has %d fields, want %d", line, len(fields), want)
	}
	r.take(kind, fields)
}

func (r *lcovReader) take(kind string, fields []string) {
	r.n[kind]++
	sum := func(of string) {
		if n := r.number(fields[0]); n != r.n[of] {
			r.t.Errorf("%s:%d of %s, counted %d", kind, n, r.file, r.n[of])
		}
	}
	switch kind {
	case "SF":
		r.file, r.n, r.ways, r.taken = fields[0], map[string]int{}, map[int]int{}, map[int]int{}
		r.functions = map[string]bool{}
	case "FN":
		r.number(fields[0])
		r.functions[fields[1]] = true
	case "FNDA":
		if !r.functions[fields[1]] {
			r.t.Errorf("FNDA of %q, which has no FN", fields[1])
		}
		r.n["function hit"] += min(r.number(fields[0]), 1)
	case "BRDA":
		line := r.number(fields[0])
		r.ways[line]++
		if fields[3] != "-" && r.number(fields[3]) > 0 {
			r.taken[line]++
			r.n["branch hit"]++
		}
	case "DA":
		line, hits := r.number(fields[0]), r.number(fields[1])
		r.lines[fmt.Sprint(r.file, ":", line)] = lineText(hits > 0, r.taken[line], r.ways[line])
		r.n["line hit"] += min(hits, 1)
	case "FNF":
		sum("FN")
	case "FNH":
		sum("function hit")
	case "BRF":
		sum("BRDA")
	case "BRH":
		sum("branch hit")
	case "LF":
		sum("DA")
	case "LH":
		sum("line hit")
	}
}

func TestLCOV(t *testing.T) {
	s := suite()
	var b bytes.Buffer
	if err := coverage.WriteLCOV(&b, s); err != nil {
		t.Fatal(err)
	}
	r := lcovReader{t: t, lines: map[string]string{}, n: map[string]int{}}
	for _, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		r.read(line)
	}
	if diff := cmp.Diff(linesOf(s), r.lines); diff != "" {
		t.Error(diff)
	}
}

func TestJSON(t *testing.T) {
	s := suite()
	var b bytes.Buffer
	if err := coverage.WriteJSON(&b, s); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Total coverage.Counts
		Files []struct {
			Path, Package string
			Counts        coverage.Counts
			Lines         []struct {
				Line     int
				Covered  bool
				Branches []bool
			}
		}
		Tests []struct {
			Test   string
			Probes int
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for _, f := range got.Files {
		for _, l := range f.Lines {
			taken := coverage.Branch(l.Branches).Taken()
			lines[fmt.Sprint(f.Path, ":", l.Line)] = lineText(l.Covered, taken, len(l.Branches))
		}
	}
	if diff := cmp.Diff(linesOf(s), lines); diff != "" {
		t.Error(diff)
	}
	if got.Total != s.Total || got.Files[1].Package != "p.q" || got.Tests[0].Test != s.Tests[0].Test {
		t.Errorf("%+v", got)
	}
}

// xmlCounter is a counter of JaCoCo's report.
type xmlCounter struct {
	Type    string `xml:"type,attr"`
	Missed  int    `xml:"missed,attr"`
	Covered int    `xml:"covered,attr"`
}

// unmarshal reads a document to its end, with nothing behind it.
func unmarshal(t *testing.T, text []byte, into any) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Token(); err != io.EOF {
		for err == nil {
			_, err = d.Token()
		}
		if err != io.EOF {
			t.Errorf("behind the document: %v", err)
		}
	}
}

// validate has the JDK's parser hold a document against the DTD that JaCoCo's jar has.
func validate(t *testing.T, text []byte, dtd string) (ok bool, problems string) {
	t.Helper()
	home, dir := testjdk.JDK(t, 17), t.TempDir()
	testjdk.Javac(t, home, 17, nil, dir, filepath.Join("testdata", "xml", "Validate.java"))
	file := filepath.Join(dir, "report.xml")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	cp := strings.Join([]string{dir, testjdk.Artifact(t, "org.jacoco:org.jacoco.report:0.8.15")},
		string(os.PathListSeparator))
	out, err := exec.Command(testjdk.Tool(home, "java"), "-cp", cp, "Validate", file, dtd).CombinedOutput()
	return err == nil, string(out)
}

const jacocoDTD = "/org/jacoco/report/xml/report.dtd"

func TestJaCoCo(t *testing.T) {
	s := suite()
	var b bytes.Buffer
	if err := coverage.WriteJaCoCo(&b, s, `"it" & <more>`); err != nil {
		t.Fatal(err)
	}
	if ok, problems := validate(t, b.Bytes(), jacocoDTD); !ok {
		t.Errorf("not valid:\n%s\n%s", problems, b.Bytes())
	}
	wrong := bytes.Replace(b.Bytes(), []byte(" nr="), []byte(" number="), 1)
	if ok, _ := validate(t, wrong, jacocoDTD); ok {
		t.Error("a line without nr is valid: nothing was held against the DTD")
	}
	var got struct {
		Name     string       `xml:"name,attr"`
		Counters []xmlCounter `xml:"counter"`
		Packages []struct {
			Name    string `xml:"name,attr"`
			Sources []struct {
				Name  string `xml:"name,attr"`
				Lines []struct {
					Nr int `xml:"nr,attr"`
					CI int `xml:"ci,attr"`
					MB int `xml:"mb,attr"`
					CB int `xml:"cb,attr"`
				} `xml:"line"`
			} `xml:"sourcefile"`
		} `xml:"package"`
	}
	unmarshal(t, b.Bytes(), &got)
	lines := map[string]string{}
	for _, p := range got.Packages {
		for _, f := range p.Sources {
			for _, l := range f.Lines {
				at := fmt.Sprint(filepath.Join("src", p.Name, f.Name), ":", l.Nr)
				lines[at] = lineText(l.CI > 0, l.CB, l.CB+l.MB)
			}
		}
	}
	if diff := cmp.Diff(linesOf(s), lines); diff != "" {
		t.Error(diff)
	}
	n := s.Total
	want := []xmlCounter{{"INSTRUCTION", n.Instructions - n.InstructionsCovered, n.InstructionsCovered},
		{"BRANCH", n.Branches - n.BranchesCovered, n.BranchesCovered},
		{"LINE", n.Lines - n.LinesCovered, n.LinesCovered},
		{"METHOD", n.Methods - n.MethodsCovered, n.MethodsCovered}, {"CLASS", 2, 2}}
	if diff := cmp.Diff(want, got.Counters); diff != "" {
		t.Error(diff)
	}
}

func TestCobertura(t *testing.T) {
	s := suite()
	var b bytes.Buffer
	if err := coverage.WriteCobertura(&b, s, "/a & b"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Valid   int    `xml:"lines-valid,attr"`
		Covered int    `xml:"lines-covered,attr"`
		Source  string `xml:"sources>source"`
		Classes []struct {
			Name  string `xml:"name,attr"`
			File  string `xml:"filename,attr"`
			Lines []struct {
				Number    int    `xml:"number,attr"`
				Hits      int    `xml:"hits,attr"`
				Branch    bool   `xml:"branch,attr"`
				Condition string `xml:"condition-coverage,attr"`
			} `xml:"lines>line"`
		} `xml:"packages>package>classes>class"`
	}
	unmarshal(t, b.Bytes(), &got)
	lines := map[string]string{}
	for _, c := range got.Classes {
		for _, l := range c.Lines {
			percent, taken, ways := 0, 0, 0
			if l.Branch {
				if n, err := fmt.Sscanf(l.Condition, "%d%% (%d/%d)", &percent, &taken, &ways); n != 3 || err != nil {
					t.Errorf("condition-coverage %q", l.Condition)
				} else if percent != 100*taken/ways {
					t.Errorf("%q: not the share", l.Condition)
				}
			}
			lines[fmt.Sprint(c.File, ":", l.Number)] = lineText(l.Hits > 0, taken, ways)
		}
	}
	if diff := cmp.Diff(linesOf(s), lines); diff != "" {
		t.Error(diff)
	}
	if got.Source != "/a & b" || got.Valid != s.Total.Lines || got.Covered != s.Total.LinesCovered {
		t.Errorf("%+v", got)
	}
	if name := got.Classes[1].Name; name != "p.q.A & B" {
		t.Errorf("the class of a file is named %q", name)
	}
}
