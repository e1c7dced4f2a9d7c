package rewrite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file runs programs with coverage probes, planned with each technique whose probes stay where
// they are: all tell the same of every run.

// techniques are these; the first has a probe at every node.
var techniques = []planner.Technique{planner.StaticNode, planner.AgrawalNode, planner.MinimumNode}

// addCovers adds the coverage probes of a class to its plan.
func addCovers(t testing.TB, p *plan.Class, data []byte, technique planner.Technique) *coverage.Class {
	t.Helper()
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	covers := coverage.OfClass(c, technique)
	covers.AddTo(p)
	for _, s := range covers.Skipped {
		if strings.HasPrefix(s.Why, "it is too long: ") {
			continue
		}
		t.Errorf("%s method %d has no coverage plan: %s", p.Name, s.Method, s.Why)
	}
	return covers
}

// The kinds of probes in counts, as far as they are used here.
const (
	enterKind = iota
	countKind = iota + 7
	coverKind
)

// nodes tells what a run covered: class.method, and of which nodes.
func (p *program) nodes(c counts) map[string][]bool {
	all := map[string][]bool{}
	for i, pc := range p.classes {
		byMethod := make([][]bool, len(pc.covers.Methods))
		for n, v := range pc.plan.Covers {
			byMethod[v.Method] = append(byMethod[v.Method], c.n[[3]int{coverKind, i, n}] > 0)
		}
		for k, m := range pc.covers.Methods {
			if m != nil {
				all[fmt.Sprint(pc.file, " ", pc.MemberName(pc.Class.Methods[k]), pc.MemberDesc(pc.Class.Methods[k]))] =
					m.Covered(byMethod[k])
			}
		}
	}
	return all
}

// throwingCalls lists injections of runs in which one call throws: the first, the second and so on,
// each an exception of another type that the program catches.
func throwingCalls(t *testing.T, p *program, calls int) (lines []string) {
	t.Helper()
	tries, _, _ := p.injections(t)
	var types []string
	for _, l := range tries {
		if typ := l[strings.LastIndexByte(l, ' ')+1:]; !slices.Contains(types, typ) {
			types = append(types, typ)
		}
	}
	for call := 1; call <= calls; call++ {
		lines = append(lines, fmt.Sprintf("-1 %d %s", call, types[call%len(types)]))
	}
	return lines
}

// testCovers runs a program with the coverage probes of each technique, and with calls that throw.
func testCovers(t *testing.T, home, classes, main string, before func([]byte) []byte, calls int) {
	t.Helper()
	harness := harness(t, home)
	var want []map[string][]bool
	for i, technique := range techniques {
		p := rewriteTreeWith(t, classes, before, func(pc *programClass) {
			pc.covers = addCovers(t, pc.plan, pc.data, technique)
		})
		lines := throwingCalls(t, p, calls)
		out, runs := run(t, home, harness, classes, p.dir, main, lines)
		if out.original != out.rewritten {
			t.Errorf("%s: output differs; original:\n%s\nrewritten:\n%s", technique, out.original, out.rewritten)
		}
		covered, all, probes := 0, 0, 0
		for _, pc := range p.classes {
			for _, s := range pc.result.Skipped {
				t.Errorf("%s: skipped %+v", pc.file, s)
			}
			probes += len(pc.plan.Covers)
		}
		for n, r := range runs {
			got := p.nodes(r)
			if i == 0 {
				want = append(want, got)
			}
			for method, nodes := range got {
				for _, is := range nodes {
					all++
					if is {
						covered++
					}
				}
				if !slices.Equal(nodes, want[n][method]) {
					t.Errorf("%s, run %d (%s), %s: %v, not %v", technique, n, r.outcome, method, nodes,
						want[n][method])
				}
			}
		}
		t.Logf("%s: %d probes, %d runs, %d of %d nodes covered", technique, probes, len(runs), covered, all)
		if covered == 0 || covered == all {
			t.Errorf("%s covers %d of %d nodes: nothing is compared", technique, covered, all)
		}
	}
}

func TestCovers(t *testing.T) {
	eachProgram(t, func(t *testing.T, home, dir, main string) { testCovers(t, home, dir, main, nil, 60) })
}

// eachProgram compiles the programs of testdata with which probes are compared that record what
// ran, each for some compilers and JDKs.
func eachProgram(t *testing.T, test func(t *testing.T, home, dir, main string)) {
	for _, c := range []struct {
		jdk, release int
		compiler     string
		main         string
	}{
		{17, 8, "javac", "Shapes"},
		{17, 17, "javac", "Shapes"},
		{17, 17, "ecj", "Shapes"},
		{25, 25, "javac", "Modern"},
		{25, 25, "javac", "Flexible"},
	} {
		t.Run(fmt.Sprintf("%s/jdk%d/%s/%d", c.main, c.jdk, c.compiler, c.release), func(t *testing.T) {
			home, dir := testjdk.JDK(t, c.jdk), t.TempDir()
			compile := testjdk.Javac
			if c.compiler == "ecj" {
				compile = testjdk.ECJCompile
			}
			compile(t, home, c.release, nil, dir, filepath.Join("testdata", c.main+".java"))
			test(t, home, dir, c.main)
		})
	}
}

// The probes of jumps stand farther behind a method than a jump reaches; and there are class files
// without frames.
func TestCoversOfBigMethods(t *testing.T) {
	home := testjdk.JDK(t, 17)
	for _, release := range []int{8, 17} {
		t.Run(fmt.Sprint(release), func(t *testing.T) {
			src, dir := filepath.Join(t.TempDir(), "Big.java"), t.TempDir()
			if err := os.WriteFile(src, []byte(bigProgram(750)), 0o666); err != nil {
				t.Fatal(err)
			}
			testjdk.Javac(t, home, release, nil, dir, src)
			var before func([]byte) []byte
			if release == 8 {
				before = withVersion(t, 49, 0)
			}
			testCovers(t, home, dir, "Big", before, 2)
			p := rewriteTreeWith(t, dir, before, func(pc *programClass) {
				addCovers(t, pc.plan, pc.data, planner.StaticNode)
			})
			if n := len(p.classes[0].result.Bytes); n < 45_000 {
				t.Errorf("the class has %d bytes: no jump is too long", n)
			}
		})
	}
}

// Probes that count tell of the nodes that the others tell of; the first node of a method that
// nothing leads back to is executed as often as the method is entered.
func TestCounts(t *testing.T) {
	eachProgram(t, func(t *testing.T, home, dir, main string) {
		harness := harness(t, home)
		var covered map[string][]bool
		for _, counting := range []bool{false, true} {
			p := rewriteTreeWith(t, dir, nil, func(pc *programClass) {
				pc.covers = addCovers(t, pc.plan, pc.data, planner.StaticNode)
				pc.plan.Counts = counting
			})
			out, runs := run(t, home, harness, dir, p.dir, main, nil)
			if out.original != out.rewritten {
				t.Fatalf("counting %v: output differs; original:\n%s\nrewritten:\n%s", counting, out.original,
					out.rewritten)
			}
			if !counting {
				covered = p.nodes(runs[0])
				continue
			}
			entered, often := p.checkCounts(t, runs[0], covered)
			if entered == 0 || often == 0 {
				t.Errorf("%d methods entered, %d nodes executed more than once: nothing is compared", entered, often)
			}
		}
	})
}

// checkCounts compares how often nodes were executed in a run with which are covered, and returns
// how often methods were entered whose first node is executed as often, and how many nodes were
// executed more than once.
func (p *program) checkCounts(t *testing.T, run counts, covered map[string][]bool) (entered, often int) {
	t.Helper()
	for i, pc := range p.classes {
		nodes := map[uint16][]int{}
		for n, v := range pc.plan.Covers {
			times := run.n[[3]int{countKind, i, n}]
			nodes[v.Method] = append(nodes[v.Method], times)
			if times > 1 {
				often++
			}
		}
		for k, m := range pc.covers.Methods {
			if m == nil {
				continue
			}
			times, member := nodes[uint16(k)], pc.Class.Methods[k]
			name := fmt.Sprint(pc.file, " ", pc.MemberName(member), pc.MemberDesc(member))
			for n := range times {
				if is := covered[name][n]; times[n] > 0 != is {
					t.Errorf("%s: node %d was executed %d times, and covered %v", name, n, times[n], is)
				}
			}
			if first := m.Graph.Entries[0]; len(m.Graph.In(first)) == 0 {
				want := run.n[[3]int{enterKind, i, k}]
				if entered += want; times[first] != want {
					t.Errorf("%s: %d executions of the first node, %d of the method", name, times[first], want)
				}
			}
		}
	}
	return entered, often
}
