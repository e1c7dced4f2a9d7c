package coverage

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells of each line of a file which tests come to it, and of each test what it covers of
// a file. Each is found once, when it is first asked for.

// hit is what a test covered of a method.
type hit struct {
	test    int // index in Suite.Tests
	covered record.Covered
}

// index fills in hits and formerly.
func (c *Suite) index() {
	c.indexed.Do(func() {
		c.hits, c.formerly = map[record.MethodID][]hit{}, map[snapshot.MethodRef][]int{}
		for i := range c.Tests {
			if c.Tests[i].run == nil {
				continue
			}
			for _, x := range c.Tests[i].run.Covered {
				c.hits[x.Method] = append(c.hits[x.Method], hit{i, x})
				if ref, is := c.older[x.Method]; is {
					c.formerly[ref] = append(c.formerly[ref], i)
				}
			}
		}
	})
}

// TestsByLine says which tests come to each line of a file, as ascending indices in Tests; lines
// that none comes to are left out.
func (c *Suite) TestsByLine(f *FileCoverage) map[int][]int {
	c.index()
	f.asked.Do(func() {
		f.tests = map[int][]int{}
		for m := range f.methods() {
			for _, x := range c.linesByTest(m) {
				for _, line := range x.lines {
					f.tests[line] = append(f.tests[line], x.test)
				}
			}
		}
		for line, tests := range f.tests {
			slices.Sort(tests)
			f.tests[line] = slices.Compact(tests)
		}
	})
	return f.tests
}

// TestsOfFile says which tests run code of a file, as ascending indices in Tests.
func (c *Suite) TestsOfFile(f *FileCoverage) (tests []int) {
	c.index()
	for m := range f.methods() {
		for _, h := range c.hits[m.id] {
			tests = append(tests, h.test)
		}
	}
	slices.Sort(tests)
	return slices.Compact(tests)
}

// methods yields those of all classes of the file.
func (f *FileCoverage) methods() func(yield func(*MethodCoverage) bool) {
	return func(yield func(*MethodCoverage) bool) {
		for _, class := range f.Classes {
			for _, m := range class.Methods {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// testLines are the lines of a method that a test comes to.
type testLines struct {
	test  int
	lines []int
}

// linesByTest lists what each test comes to of a method. Tests hit few sets of a method's probes,
// so each set is looked at once.
func (c *Suite) linesByTest(m *MethodCoverage) (all []testLines) {
	byHits := map[string][]int{}
	for _, h := range c.hits[m.id] {
		if m.plan == nil || h.covered.Shape != m.plan.Shape {
			continue
		}
		lines, known := byHits[string(h.covered.Hits)]
		if !known {
			for _, l := range m.linesOf([]record.Covered{h.covered}) {
				if l.Covered > 0 {
					lines = append(lines, l.Number)
				}
			}
			byHits[string(h.covered.Hits)] = lines
		}
		all = append(all, testLines{h.test, lines})
	}
	return all
}

// linesOf are the lines of the method as runs covered them.
func (v *MethodCoverage) linesOf(list []record.Covered) []Line {
	return v.plan.Lines(v.plan.Covered(v.hits(list)))
}

// OfTest says what one test, by its index in Tests, covers of a file: its lines, ascending. What is
// stale is as if there was this test alone.
func (c *Suite) OfTest(f *FileCoverage, test int) []Line {
	c.index()
	alone := &FileCoverage{}
	class := &ClassCoverage{}
	for m := range f.methods() {
		if m.plan == nil {
			continue
		}
		class.Methods = append(class.Methods, &MethodCoverage{Lines: c.linesOfTest(m, test)})
	}
	alone.Classes = []*ClassCoverage{class}
	alone.finish()
	return alone.Lines
}

// linesOfTest are the lines of a method as one test covers them, with what is stale of them.
func (c *Suite) linesOfTest(m *MethodCoverage, test int) []Line {
	var hits []record.Covered
	for _, h := range c.hits[m.id] {
		if h.test == test {
			hits = append(hits, h.covered)
		}
	}
	lines := m.linesOf(hits)
	if c.Tests[test].Stale {
		further := lines
		lines = m.linesOf(nil)
		markFurther(lines, further)
	}
	if slices.Contains(c.formerly[m.ref], test) || slices.ContainsFunc(hits, m.otherProbes) {
		markStale(lines)
	}
	return lines
}
