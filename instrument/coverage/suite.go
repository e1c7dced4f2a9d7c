package coverage

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// Suite is what the tests cover of a workspace.
type Suite struct {
	Files []*FileCoverage // by path
	Tests []TestCoverage  // in the order of their names
	Total Counts
	// Beside is how many lines only ran where they belong to no test: on threads of earlier tests,
	// or between two of them.
	Beside int
	// NotRecorded names methods that no probe was put into, with the reason.
	NotRecorded []string

	memory  record.Memory // of the runs
	indexed sync.Once
	hits    map[record.MethodID][]hit // by whom each method was hit, in the order of Tests
	// older names the methods that ran as they were before an edit, and formerly who ran each, as
	// ascending indices in Tests.
	older    map[record.MethodID]snapshot.MethodRef
	formerly map[snapshot.MethodRef][]int
}

// Counts counts what there is, and what of it was covered.
type Counts struct {
	Lines, LinesCovered               int
	Branches, BranchesCovered         int // ways out of branches
	Methods, MethodsCovered           int
	Instructions, InstructionsCovered int
}

// Add adds other counts.
func (c *Counts) Add(o Counts) {
	c.Lines += o.Lines
	c.LinesCovered += o.LinesCovered
	c.Branches += o.Branches
	c.BranchesCovered += o.BranchesCovered
	c.Methods += o.Methods
	c.MethodsCovered += o.MethodsCovered
	c.Instructions += o.Instructions
	c.InstructionsCovered += o.InstructionsCovered
}

// count adds a line.
func (c *Counts) count(l Line) {
	c.Lines++
	if l.Covered > 0 {
		c.LinesCovered++
	}
	c.Instructions += l.Instructions
	c.InstructionsCovered += l.Covered
	for _, b := range l.Branches {
		c.Branches += len(b)
		c.BranchesCovered += b.Taken()
	}
}

// FileCoverage is what the tests cover of a source file.
type FileCoverage struct {
	Path    string // relative to the workspace
	Package string // internal name
	Module  string
	Lines   []Line // ascending
	Classes []*ClassCoverage
	Counts  Counts

	text    []string // the lines of the source, if it is that of the class files
	leftOut []int    // lines with code that are not among Lines, ascending

	asked sync.Once
	tests map[int][]int // what Suite.TestsByLine answers
}

// Text returns the lines of the source; nil if it is not known to be that of the class files.
func (f *FileCoverage) Text() []string { return f.text }

// Labels names the ways of all branches of a line of the file, in their order.
func (f *FileCoverage) Labels(l *Line) []string { return l.Labels(f.textOf(l)) }

// OutcomesOf are those of all branches of a line of the file, in their order.
func (f *FileCoverage) OutcomesOf(l *Line) []BranchOutcome { return l.Outcomes(f.textOf(l)) }

// textOf is a line of the source, "" if that is not known.
func (f *FileCoverage) textOf(l *Line) string {
	if l.Number <= len(f.text) {
		return f.text[l.Number-1]
	}
	return ""
}

// ClassCoverage is what the tests cover of a class.
type ClassCoverage struct {
	Name    string // internal
	Methods []*MethodCoverage
}

// MethodCoverage is what the tests cover of a method.
type MethodCoverage struct {
	Name, Desc string
	Lines      []Line
	Counts     Counts

	plan   *Method
	id     record.MethodID
	ref    snapshot.MethodRef
	probes int
}

// TestCoverage is a test, with how much it covers by itself.
type TestCoverage struct {
	Test     string
	Probes   int // hit
	Duration time.Duration
	Stale    bool // something has changed that it ran

	run *record.TestRun
}

// Run is the run of the test that tells what it covers.
func (t *TestCoverage) Run() *record.TestRun { return t.run }

// OfRuns says what runs covered of the classes of a snapshot, but for those of tests. The
// memory is that of the runs. Of methods that have changed since, or whose probes have, nothing is
// covered, and their lines are stale. So are lines that the stale runs alone came to: the tests may
// not come there any more.
func OfRuns(snap *snapshot.Snapshot, memory record.Memory, runs []*record.TestRun,
	stale map[*record.TestRun]bool) *Suite {
	b := suiteBuilder{snap: snap, memory: memory, out: &Suite{memory: memory}, files: map[string]*FileCoverage{},
		hits: map[record.MethodID][]record.Covered{}, beside: map[record.MethodID][]record.Covered{},
		former: map[record.MethodID][]record.Covered{}, methods: map[record.MethodID]*MethodCoverage{}}
	for _, run := range runs {
		hits, beside, n := b.hits, b.beside, 0
		if stale[run] {
			hits, beside = b.former, b.former
		}
		for _, c := range run.Covered {
			hits[c.Method] = append(hits[c.Method], c)
			n += countBits(c.Hits)
		}
		for _, c := range run.CoveredAside {
			beside[c.Method] = append(beside[c.Method], c)
		}
		b.out.Tests = append(b.out.Tests, TestCoverage{run.Test, n, run.Duration, stale[run], run})
	}
	slices.SortFunc(b.out.Tests, func(x, y TestCoverage) int { return cmp.Compare(x.Test, y.Test) })
	b.findOlder()
	for _, c := range snap.Classes() {
		if !c.InTests {
			b.class(c)
		}
	}
	countLeft(b.methods, runs)
	for _, f := range b.files {
		f.finish()
		b.out.Files = append(b.out.Files, f)
		b.out.Total.Add(f.Counts)
	}
	slices.SortFunc(b.out.Files, func(x, y *FileCoverage) int { return cmp.Compare(x.Path, y.Path) })
	slices.Sort(b.out.NotRecorded)
	return b.out
}

func countBits(bits []byte) (n int) {
	for _, b := range bits {
		for ; b != 0; b &= b - 1 {
			n++
		}
	}
	return n
}

type suiteBuilder struct {
	snap         *snapshot.Snapshot
	memory       record.Memory
	out          *Suite
	files        map[string]*FileCoverage
	hits, beside map[record.MethodID][]record.Covered // of current runs
	former       map[record.MethodID][]record.Covered // of stale runs
	methods      map[record.MethodID]*MethodCoverage
	older        map[snapshot.MethodRef]bool // methods that ran as they were before an edit
}

// findOlder fills in older, here and in the suite.
func (b *suiteBuilder) findOlder() {
	b.older, b.out.older = map[snapshot.MethodRef]bool{}, map[record.MethodID]snapshot.MethodRef{}
	for _, hits := range []map[record.MethodID][]record.Covered{b.hits, b.former} {
		for id := range hits {
			k := b.memory.Method(id)
			ref := snapshot.MethodRef{Class: k.Class, Method: k.Method}
			if digest, ok := b.snap.MethodDigest(ref); ok && digest != k.Digest {
				b.older[ref], b.out.older[id] = true, ref
			}
		}
	}
}

// linesOf are the lines of a method as current runs covered them, with what is stale of them.
func (b *suiteBuilder) linesOf(v *MethodCoverage) []Line {
	mine, former := b.hits[v.id], b.former[v.id]
	all := slices.Concat(mine, b.beside[v.id])
	lines := v.linesOf(all)
	if len(b.beside[v.id]) > 0 {
		b.out.Beside += besideLines(v.linesOf(mine), lines)
	}
	if len(former) > 0 {
		markFurther(lines, v.linesOf(slices.Concat(all, former)))
	}
	if b.older[v.ref] || slices.ContainsFunc(slices.Concat(mine, former), v.otherProbes) {
		markStale(lines)
	}
	return lines
}

// otherProbes tells whether the method was hit when it had other probes.
func (v *MethodCoverage) otherProbes(c record.Covered) bool { return c.Shape != v.plan.Shape }

func markStale(lines []Line) {
	for i := range lines {
		lines[i].Stale = true
	}
}

// markFurther marks as stale the lines of a method of which more is covered in further, which has
// the same lines.
func markFurther(lines, further []Line) {
	for i := range lines {
		l, f := &lines[i], &further[i]
		l.Stale = f.Covered > l.Covered
		for k := range l.Branches {
			l.Stale = l.Stale || f.Branches[k].Taken() > l.Branches[k].Taken()
		}
	}
}

// class adds the methods of a class to its file.
func (b *suiteBuilder) class(c *snapshot.Class) {
	data, err := b.snap.ClassBytes(c.Name)
	if err != nil {
		b.out.NotRecorded = append(b.out.NotRecorded, c.Name+": its class file has changed since it was analysed")
		return
	}
	parsed, err := classfile.Parse(data)
	if err != nil {
		return
	}
	class := OfClass(parsed, Technique)
	for _, s := range class.Skipped {
		b.out.NotRecorded = append(b.out.NotRecorded,
			c.Name+"."+parsed.MemberName(parsed.Methods[s.Method])+": "+s.Why)
	}
	var methods []*MethodCoverage
	for i, m := range class.Methods {
		if m == nil || class.Hides(i) {
			continue
		}
		member := parsed.Methods[i]
		v := &MethodCoverage{Name: parsed.MemberName(member), Desc: parsed.MemberDesc(member), plan: m,
			probes: len(m.Plan.Covers)}
		v.ref = snapshot.MethodRef{Class: c.Name, Method: v.Name + v.Desc}
		digest, ok := b.snap.MethodDigest(v.ref)
		if !ok {
			continue
		}
		v.id = b.memory.Intern(record.MethodKey{Class: c.Name, Method: v.Name + v.Desc, Digest: digest})
		v.Lines = b.linesOf(v)
		if len(v.Lines) > 0 {
			methods = append(methods, v)
			b.methods[v.id] = v
		}
	}
	if len(methods) > 0 {
		f := b.file(c, parsed)
		f.Classes = append(f.Classes, &ClassCoverage{c.Name, methods})
	}
}

// besideLines counts the lines that are covered in all and not in mine.
func besideLines(mine, all []Line) (n int) {
	for i := range all {
		if all[i].Covered > 0 && mine[i].Covered == 0 {
			n++
		}
	}
	return n
}

// hits adds up which probes of a method were hit.
func (v *MethodCoverage) hits(list []record.Covered) []bool {
	hit := make([]bool, v.probes)
	for _, c := range list {
		if c.Method != v.id || c.Shape != v.plan.Shape {
			continue
		}
		for i := range hit {
			hit[i] = hit[i] || i>>3 < len(c.Hits) && c.Hits[i>>3]>>(i&7)&1 != 0
		}
	}
	return hit
}

// file is the file of a class: of its source, or what its class file says of that.
func (b *suiteBuilder) file(c *snapshot.Class, parsed *classfile.Class) *FileCoverage {
	p := ""
	if c.File != nil {
		p = c.File.Path
	} else if name, err := parsed.SourceFile(); err == nil && name != "" {
		p = path.Join(classfile.PackageOf(c.Name), name)
	} else {
		p = c.Name + ".class"
	}
	f := b.files[p]
	if f == nil {
		f = &FileCoverage{Path: p, Package: classfile.PackageOf(c.Name), Module: c.Module}
		if c.File != nil && !c.File.Stale {
			f.text = strings.Split(string(c.File.Text), "\n")
		}
		b.files[p] = f
	}
	return f
}

// finish adds up the lines of the file.
func (f *FileCoverage) finish() {
	byNumber := map[int]*Line{}
	slices.SortFunc(f.Classes, func(x, y *ClassCoverage) int { return cmp.Compare(x.Name, y.Name) })
	for _, c := range f.Classes {
		for _, m := range c.Methods {
			for _, l := range m.Lines {
				m.Counts.count(l)
				have := byNumber[l.Number]
				if have == nil {
					have = &Line{Number: l.Number}
					byNumber[l.Number] = have
				}
				have.Instructions += l.Instructions
				have.Covered += l.Covered
				have.Branches = append(have.Branches, l.Branches...)
				have.Jumps = append(have.Jumps, l.Jumps...)
				have.Left = max(have.Left, l.Left)
				have.Stale = have.Stale || l.Stale
			}
			m.Counts.Methods = 1
			if m.Counts.InstructionsCovered > 0 {
				m.Counts.MethodsCovered = 1
			}
			f.Counts.Methods += m.Counts.Methods
			f.Counts.MethodsCovered += m.Counts.MethodsCovered
		}
	}
	for _, l := range byNumber {
		f.Lines = append(f.Lines, *l)
		f.Counts.count(*l)
	}
	slices.SortFunc(f.Lines, func(x, y Line) int { return cmp.Compare(x.Number, y.Number) })
}

// TestsOf names the tests that cover a line of a file, in order. known is false if the line has no
// code.
func (c *Suite) TestsOf(file string, line int) (tests []string, known bool) {
	var methods []*MethodCoverage
	for _, f := range c.Files {
		if f.Path != file {
			continue
		}
		for _, class := range f.Classes {
			for _, m := range class.Methods {
				if slices.ContainsFunc(m.Lines, func(l Line) bool { return l.Number == line }) {
					methods = append(methods, m)
				}
			}
		}
	}
	for i := range c.Tests {
		if slices.ContainsFunc(methods, func(m *MethodCoverage) bool { return m.coveredBy(c.Tests[i].run, line) }) {
			tests = append(tests, c.Tests[i].Test)
		}
	}
	return tests, len(methods) > 0
}

// coveredBy tells whether a run came to a line of the method.
func (v *MethodCoverage) coveredBy(run *record.TestRun, line int) bool {
	hit := v.hits(run.Covered)
	if !slices.Contains(hit, true) {
		return false
	}
	return slices.ContainsFunc(v.plan.Lines(v.plan.Covered(hit)),
		func(l Line) bool { return l.Number == line && l.Covered > 0 })
}

// probe is one that a run hit.
type probe struct {
	method record.MethodID
	shape  uint32
	n      int
}

// Order puts the tests into an order in which coverage grows soonest: first the one that covers
// most for its time, then each time the one that adds most for its time. needed is how many of them
// add something: those that follow cover nothing more.
func (c *Suite) Order() (tests []TestCoverage, needed int) {
	left := slices.Clone(c.Tests)
	seen := map[probe]bool{}
	gain := func(t *TestCoverage) (n int) {
		eachProbe(t.run, func(p probe) {
			if !seen[p] {
				n++
			}
		})
		return n
	}
	worth := func(t *TestCoverage, gain int) float64 {
		return float64(gain) / (t.Duration + time.Millisecond).Seconds()
	}
	gains := make([]int, len(left)) // never less than what a test adds
	for i := range left {
		gains[i] = left[i].Probes
	}
	for len(left) > 0 {
		best, at := -1.0, -1
		order := make([]int, len(left))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(worth(&left[b], gains[b]), worth(&left[a], gains[a]))
		})
		for _, i := range order {
			if at >= 0 && worth(&left[i], gains[i]) <= best {
				break
			}
			gains[i] = gain(&left[i])
			if w := worth(&left[i], gains[i]); w > best {
				best, at = w, i
			}
		}
		if gains[at] == 0 {
			break
		}
		eachProbe(left[at].run, func(p probe) { seen[p] = true })
		tests = append(tests, left[at])
		left, gains = slices.Delete(left, at, at+1), slices.Delete(gains, at, at+1)
	}
	return append(tests, left...), len(tests)
}

// Minimise returns a small set of tests that cover together what all cover: of those that Order
// needs, without those that the others make superfluous. It is not always the smallest.
func (c *Suite) Minimise() []TestCoverage {
	ordered, needed := c.Order()
	tests := ordered[:needed]
	times := map[probe]int{}
	for i := range tests {
		eachProbe(tests[i].run, func(p probe) { times[p]++ })
	}
	var kept []TestCoverage
	for i := range tests {
		only := false
		eachProbe(tests[i].run, func(p probe) { only = only || times[p] == 1 })
		if only {
			kept = append(kept, tests[i])
			continue
		}
		eachProbe(tests[i].run, func(p probe) { times[p]-- })
	}
	return kept
}

func eachProbe(run *record.TestRun, do func(probe)) {
	for _, c := range run.Covered {
		for i := range len(c.Hits) * 8 {
			if c.Hits[i>>3]>>(i&7)&1 != 0 {
				do(probe{c.Method, c.Shape, i})
			}
		}
	}
}
