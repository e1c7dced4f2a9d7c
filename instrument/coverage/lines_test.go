package coverage_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file runs programs with coverage probes, and compares what is shown of their lines with the
// comments behind them.

// class is a class of a program.
type class struct {
	*coverage.Class
	plan *plan.Class
	data []byte // of its class file
}

// hits are the probes of each method that a run hit, where hit are those of the class.
func (c *class) hits(hit func(probe int) bool) [][]bool {
	hits := make([][]bool, len(c.Methods))
	for k, v := range c.plan.Covers {
		hits[v.Method] = append(hits[v.Method], hit(k))
	}
	return hits
}

// compiler is testjdk.Javac, or one like it.
type compiler func(t testing.TB, home string, release int, classPath []string, outDir string, files ...string)

// covered compiles a program, runs it with probes and returns what is known of each line.
func covered(t *testing.T, home string, release int, compile compiler, source string) map[int]coverage.Line {
	t.Helper()
	all, hit := runProbed(t, home, release, compile, source, t.TempDir())
	return linesAfter(all, hit)
}

// runProbed compiles a program into the folder classes and runs it with probes. It returns its
// classes, and which probes were hit, by class and number.
func runProbed(t *testing.T, home string, release int, compile compiler, source,
	classes string) ([]class, map[[2]int]bool) {
	t.Helper()
	all, hits := runParts(t, home, release, compile, source, classes)
	return all, hits[0]
}

// runParts does what runProbed does, with the program run once with each argument, if there are
// any. It returns what each run hit.
func runParts(t *testing.T, home string, release int, compile compiler, source,
	classes string, args ...string) ([]class, []map[[2]int]bool) {
	t.Helper()
	dir := t.TempDir()
	compile(t, home, release, nil, classes, source)
	testjdk.Javac(t, home, 8, nil, dir, filepath.Join("testdata", "catchlens", "rt", "Probe.java"))
	var all []class
	files, err := filepath.Glob(filepath.Join(classes, "*.class"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no classes: %v", err)
	}
	for n, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := facts.FromClass(parsed, data, facts.Options{})
		c := class{coverage.OfClass(parsed, coverage.Technique), plan.ForClass(f, plan.None), data}
		c.AddTo(c.plan)
		all = append(all, c)
		r, err := rewrite.Rewrite(data, c.plan)
		if err != nil || len(r.Skipped)+len(c.Skipped) > 0 {
			t.Fatalf("%s: %v, left out %v %v", file, err, r.Skipped, c.Skipped)
		}
		if at := r.ClassNumberOffset; at >= 0 {
			binary.BigEndian.PutUint32(r.Bytes[at:], uint32(n))
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), r.Bytes, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	main := strings.TrimSuffix(filepath.Base(source), ".java")
	command := append([]string{"-cp", dir, "catchlens.rt.Probe", main}, args...)
	out, err := exec.Command(testjdk.Tool(home, "java"), command...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var hits []map[[2]int]bool
	for part := range strings.SplitSeq(strings.TrimSuffix(string(out), "|\n"), "|") {
		hit := map[[2]int]bool{}
		for line := range strings.FieldsSeq(part) {
			var k [2]int
			if _, err := fmt.Sscanf(line, "%d:%d", &k[0], &k[1]); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			hit[k] = true
		}
		hits = append(hits, hit)
	}
	return all, hits
}

// linesAfter is what is known of each line, after a run that hit some probes.
func linesAfter(all []class, hit map[[2]int]bool) map[int]coverage.Line {
	lines := map[int]coverage.Line{}
	for n, c := range all {
		hits := c.hits(func(k int) bool { return hit[[2]int{n, k}] })
		for i, m := range c.Methods {
			if m == nil || c.Hides(i) {
				continue
			}
			for _, l := range m.Lines(m.Covered(hits[i])) {
				have := lines[l.Number]
				have.Number = l.Number
				have.Covered += l.Covered
				have.Branches = append(have.Branches, l.Branches...)
				have.Jumps = append(have.Jumps, l.Jumps...)
				lines[l.Number] = have
			}
		}
	}
	return lines
}

// shown is what is shown of each line.
func shown(lines map[int]coverage.Line) map[int]string {
	text := map[int]string{}
	for n, l := range lines {
		text[n] = "missed"
		if l.Covered > 0 {
			text[n] = "hit"
		}
		for _, b := range l.Branches {
			text[n] += fmt.Sprintf(" %d/%d", b.Taken(), len(b))
		}
	}
	return text
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		jdk, release int
		main         string
	}{
		{17, 11, "Filters"}, {17, 17, "Filters"}, {25, 25, "Filters"}, {17, 17, "Records"}, {25, 25, "Records"},
		{17, 17, "Thrown"}, {25, 25, "Thrown"}, {25, 25, "Patterns"},
	} {
		t.Run(fmt.Sprintf("%s/%d/%d", c.main, c.jdk, c.release), func(t *testing.T) {
			source := filepath.Join("testdata", c.main+".java")
			got := shown(covered(t, testjdk.JDK(t, c.jdk), c.release, testjdk.Javac, source))
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				_, want, _ := strings.Cut(line, "//# ")
				want, _, _ = strings.Cut(want, " //=")
				if got[i+1] != want {
					t.Errorf("%s:%d: %q, want %q", source, i+1, got[i+1], want)
				}
			}
		})
	}
}
