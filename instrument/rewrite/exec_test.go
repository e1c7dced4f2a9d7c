package rewrite

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file runs rewritten programs and compares what the probes counted with
// the expectations in the programs.

// counterKinds are the words of expectations, indexed as Probe.counts is.
var counterKinds = [numProbes]string{"enter", "try", "caught", "out", "thrown", "rethrown", "point", "root"}

// counterOf is the index of a probe in Probe.counts.
var counterOf = map[probe]int{
	probeEnter: 0, probeTryEnter: 1, probeCaught: 2, probeUncaught: 3, probeThrown: 4, probeRethrown: 5,
}

// program is a folder of rewritten classes.
type program struct {
	dir     string
	classes []programClass // the index is the class number
}

type programClass struct {
	file string
	data []byte // original
	*classfile.Class
	facts  *facts.Class
	plan   *plan.Class
	covers *coverage.Class // nil: the class has no coverage probes
	result Result
}

// rewriteTree rewrites every class below dir with every probe. before, if not
// nil, changes a class first; it is then what the program's original is, too.
func rewriteTree(t *testing.T, dir string, before func([]byte) []byte) *program {
	t.Helper()
	return rewriteTreeWith(t, dir, before, func(*programClass) {})
}

// rewriteTreeWith rewrites every class below dir with every probe, and with what more adds to its
// plan.
func rewriteTreeWith(t *testing.T, dir string, before func([]byte) []byte, more func(*programClass)) *program {
	t.Helper()
	p := &program{dir: t.TempDir()}
	files, err := filepath.Glob(filepath.Join(dir, "*.class"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no classes in %s", dir)
	}
	sort.Strings(files)
	for i, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if before != nil {
			data = before(data)
			if err := os.WriteFile(f, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		pc := programClass{file: filepath.Base(f), data: data}
		pc.plan, pc.facts = planFor(t, data, plan.Full)
		if pc.Class, err = classfile.Parse(data); err != nil {
			t.Fatal(err)
		}
		more(&pc)
		if pc.result, err = Rewrite(data, pc.plan); err != nil {
			t.Fatal(err)
		}
		out := append([]byte(nil), pc.result.Bytes...)
		if at := pc.result.ClassNumberOffset; at >= 0 {
			if got := int32(binary.BigEndian.Uint32(out[at:])); got != Placeholder {
				t.Fatalf("%s: %d at the class number's offset, want the placeholder", f, got)
			}
			binary.BigEndian.PutUint32(out[at:], uint32(i))
		}
		if err := os.WriteFile(filepath.Join(p.dir, pc.file), out, 0o666); err != nil {
			t.Fatal(err)
		}
		p.classes = append(p.classes, pc)
	}
	return p
}

// counts is what one run counted: by kind, class and number.
type counts struct {
	outcome string
	n       map[[3]int]int
}

// harness compiles the harness once per JDK.
func harness(t *testing.T, home string) string {
	t.Helper()
	dir := t.TempDir()
	testjdk.Javac(t, home, 8, nil, dir, filepath.Join("testdata", "harness", "Harness.java"),
		filepath.Join("testdata", "harness", "catchlens", "rt", "Probe.java"),
		filepath.Join("testdata", "harness", "catchlens", "rt", "record", "Chains.java"))
	return dir
}

// outputs are what a program printed as it was and as it became.
type outputs struct{ original, rewritten string }

// run runs an original and a rewritten program in a JVM, the latter with the
// injections again, and returns their outputs and the counts of each run of the
// rewritten one.
func run(t *testing.T, home, harness, original, rewritten, main string, injections []string) (outputs, []counts) {
	t.Helper()
	tmp := t.TempDir()
	// A JVM verifies what a user's class loader defines unless told otherwise.
	args := []string{"-XX:TieredStopAtLevel=1", "-cp", harness, "Harness", original, rewritten, main, tmp}
	if injections != nil {
		f := filepath.Join(tmp, "injections")
		if err := os.WriteFile(f, []byte(strings.Join(injections, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, f)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, testjdk.Tool(home, "java"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%.5000s", cmd.Args, err, out)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(tmp, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return outputs{read("original"), read("rewritten")}, readCounts(t, filepath.Join(tmp, "counts"))
}

func readCounts(t *testing.T, file string) []counts {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var runs []counts
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "run "); ok {
			runs = append(runs, counts{rest, map[[3]int]int{}})
			continue
		}
		var k [3]int
		var n int
		if _, err := fmt.Sscan(s.Text(), &k[0], &k[1], &k[2], &n); err != nil {
			t.Fatal(err)
		}
		runs[len(runs)-1].n[k] = n
	}
	return runs
}

// place is a source line and a kind of probe.
type place struct {
	file string
	line int
	kind string
}

// byLine sums the counts of a run by source line. Probes that did not fire are
// there with 0.
func (p *program) byLine(t *testing.T, c counts) map[place]int {
	t.Helper()
	out := map[place]int{}
	for i, pc := range p.classes {
		file, _ := pc.SourceFile()
		lines := make([][]classfile.LineNumber, len(pc.Methods))
		for k, m := range pc.Methods {
			if code, err := pc.Code(m); err == nil && code != nil {
				lines[k], _ = pc.LineNumbers(code)
			}
		}
		add := func(method uint16, pc int32, pr probe, n uint16) {
			k := counterOf[pr]
			out[place{file, classfile.LineAt(lines[method], int(pc)), counterKinds[k]}] += c.n[[3]int{k, i, int(n)}]
		}
		for k := range pc.Methods {
			add(uint16(k), 0, probeEnter, uint16(k))
		}
		for _, x := range pc.plan.Tries {
			add(x.Method, x.Start(), probeTryEnter, x.N)
			add(x.Method, x.Start(), probeUncaught, x.N)
		}
		for _, x := range pc.plan.Catches {
			add(x.Method, x.PC, probeCaught, x.N)
		}
		for _, x := range pc.plan.Throws {
			if x.Mixed {
				add(x.Method, x.PC, probeRethrown, x.N)
			} else {
				add(x.Method, x.PC, probeThrown, x.N)
			}
		}
	}
	return out
}

var expectation = regexp.MustCompile(`(?:\[(\w+)\] )?(try|out|caught|thrown|rethrown|enter) (\d+)`)

// expectations reads the comments `//# kind count ...` of a source file.
func expectations(t *testing.T, file, compiler string) map[place]int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[place]int{}
	for i, line := range strings.Split(string(text), "\n") {
		_, comment, ok := strings.Cut(line, "//#")
		if !ok {
			continue
		}
		rest := strings.TrimSpace(expectation.ReplaceAllString(comment, ""))
		if rest != "" {
			t.Fatalf("%s:%d: %q is no expectation", file, i+1, rest)
		}
		for _, m := range expectation.FindAllStringSubmatch(comment, -1) {
			if m[1] == "" || m[1] == compiler {
				n, _ := strconv.Atoi(m[3])
				want[place{filepath.Base(file), i + 1, m[2]}] = n
			}
		}
	}
	if len(want) == 0 {
		t.Fatalf("%s holds no expectations", file)
	}
	return want
}

// check compares counts with expectations: an expectation needs a probe, and
// a probe that fired, other than at a method entry, needs an expectation.
func check(t *testing.T, got, want map[place]int) {
	t.Helper()
	for k, n := range want {
		if have, ok := got[k]; !ok || have != n {
			t.Errorf("%s:%d: %s %d, want %d (probe exists: %v)", k.file, k.line, k.kind, have, n, ok)
		}
	}
	for k, n := range got {
		if _, ok := want[k]; !ok && n > 0 && k.kind != counterKinds[counterOf[probeEnter]] {
			t.Errorf("%s:%d: //# %s %d is not expected", k.file, k.line, k.kind, n)
		}
	}
}

// injections lists, for each try and each type that one of its catches takes
// first, an injection of that type. Each names the catch that must take it.
func (p *program) injections(t *testing.T) (lines []string, catches []plan.Catch, classes []int) {
	for i, pc := range p.classes {
		step := 1 // generated programs have hundreds of tries, all alike
		if len(pc.plan.Catches) > 500 {
			step = len(pc.plan.Catches) / 10
		}
		for n, c := range pc.plan.Catches {
			if n%step != 0 {
				continue
			}
			for _, typ := range pc.facts.Methods[c.Method].Handlers()[c.Handler].Types {
				if typ == "" || strings.HasPrefix(typ, "java/lang/Throwable") {
					continue // the compiler's own
				}
				lines = append(lines, fmt.Sprintf("%d %d %s", i, c.Try, strings.ReplaceAll(typ, "/", ".")))
				catches = append(catches, c)
				classes = append(classes, i)
			}
		}
	}
	return lines, catches, classes
}

// testProgram checks one program under one compiler's output in classes.
func testProgram(t *testing.T, home, harness, classes, main string, want map[place]int, before func([]byte) []byte) {
	t.Helper()
	p := rewriteTree(t, classes, before)
	for _, pc := range p.classes {
		for _, s := range pc.result.Skipped {
			t.Errorf("%s: skipped %+v", pc.file, s)
		}
	}
	p.test(t, home, harness, classes, main, want)
}

// test runs the original and the rewritten program, and the latter with
// injections.
func (p *program) test(t *testing.T, home, harness, classes, main string, want map[place]int) {
	t.Helper()
	lines, catches, numbers := p.injections(t)
	out, runs := run(t, home, harness, classes, p.dir, main, lines)
	if out.original != out.rewritten {
		t.Errorf("output differs; original:\n%s\nrewritten:\n%s", out.original, out.rewritten)
	}
	if want != nil {
		check(t, p.byLine(t, runs[0]), want)
	}
	if len(runs) != 1+len(lines) {
		t.Fatalf("%d runs, want %d", len(runs), 1+len(lines))
	}
	fired := 0
	for i, c := range catches {
		r := runs[1+i]
		entered := r.n[[3]int{counterOf[probeTryEnter], numbers[i], int(c.Try)}]
		caught := r.n[[3]int{counterOf[probeCaught], numbers[i], int(c.N)}]
		out := r.n[[3]int{counterOf[probeUncaught], numbers[i], int(c.Try)}]
		fired += entered
		// Every execution of the try ends at once, in the catch of that type.
		if entered != caught || out != 0 {
			t.Errorf("%s, injecting %q: entered %d, caught %d, uncaught %d (%s)", p.classes[numbers[i]].file, lines[i],
				entered, caught, out, r.outcome)
		}
	}
	if fired == 0 {
		t.Error("no injection fired")
	}
}

// testSource compiles a program of testdata and checks it.
func testSource(t *testing.T, home, compiler string, release int, main string, before func([]byte) []byte) {
	t.Helper()
	source := filepath.Join("testdata", main+".java")
	dir := t.TempDir()
	compile := testjdk.Javac
	if compiler == "ecj" {
		compile = testjdk.ECJCompile
	}
	compile(t, home, release, nil, dir, source)
	testProgram(t, home, harness(t, home), dir, main, expectations(t, source, compiler), before)
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		jdk, release int
		compiler     string
		main         string
	}{
		{17, 8, "javac", "Shapes"},
		{17, 17, "javac", "Shapes"},
		{25, 8, "javac", "Shapes"},
		{25, 25, "javac", "Shapes"},
		{17, 8, "ecj", "Shapes"},
		{17, 17, "ecj", "Shapes"},
		{17, 17, "javac", "Modern"},
		{25, 25, "javac", "Modern"},
		{17, 17, "ecj", "Modern"},
		{25, 25, "javac", "Flexible"},
	} {
		t.Run(fmt.Sprintf("%s/jdk%d/%s/%d", c.main, c.jdk, c.compiler, c.release), func(t *testing.T) {
			testSource(t, testjdk.JDK(t, c.jdk), c.compiler, c.release, c.main, nil)
		})
	}
}
