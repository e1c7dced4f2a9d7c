package faulting

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// Limits of what is tried.
const (
	minObserved   = 8   // tests of a catch whose operations are noted, if it has as many
	maxObserved   = 16  // of those that run different code below the try
	maxLongest    = 2   // of those that take longest, besides
	maxFurther    = 16  // further ones, where operations that links come from have run in none of these
	maxFaultTests = 2   // tests that one fault is tried in before it counts as masked
	maxVain       = 2   // kinds of faults that an operation is struck with in vain
	maxFaultRuns  = 100 // with one JVM
	maxHangs      = 3   // hanging runs of a catch, after which most others are left out
	maxLinkHangs  = 12  // hanging runs of a catch with faults that its links are from; with others maxHangs
)

// interruptRoot is the Root of a fault that interrupts the thread.
const interruptRoot = "interrupt"

// faultCatch is a catch with what is to be tried.
type faultCatch struct {
	catch *snapshot.Catch
	tries []worker.FaultTry
	tests []*record.TestRun // that enter the try and are looked at, the shortest first
	more  []*record.TestRun // others that enter it, the shortest first
	plan  []strike
	hangs int // runs with a fault that hung
	runs  []*record.FaultRun
	// beside are the other catches of the try: a run for one says as much of the others.
	beside []*faultCatch
}

// strike is one fault in one test.
type strike struct {
	root   string
	row    string // of the table: root, and who calls it where that matters
	kind   faults.Kind
	tests  []*record.TestRun // that reach the operation, the shortest first
	others bool              // on other threads
	// declared is the fault of the user's own, index its number; nil: one of the table's.
	declared *faults.Declared
	index    int
	guards   []worker.FaultGuard // of a throw that is to be forced
	linked   bool                // links of the catch come from the operation
	after    fault.Operation     // that fails first, see callpaths.go
	past     []uint32            // ways by which the operation is left alone
	avoid    []string            // methods below which it is
	through  string              // the method below which alone operations are struck
	wake     bool                // threads that wait are woken, see callpaths.go
}

// definition is that of a fault of the user's own, else "".
func (s *strike) definition() string {
	if s.declared == nil {
		return ""
	}
	return s.declared.Definition()
}

// Strike strikes with what the tests of the catches let it, of a baseline's runs. The error is that
// of a JVM that does not start, of the memory, or of ctx; what was recorded until then stays.
func (f *Faulting) Strike(ctx context.Context, runs []*record.TestRun) error {
	f.begin()
	return f.tryFaults(ctx, f.catches(runs))
}

// begin makes ready what is not asked.
func (f *Faulting) begin() {
	if f.touched == nil {
		f.declared, f.touched = f.Lab.Probes.Declared(), map[string]*record.Touched{}
	}
}

// tryFaults strikes with what the catches' tests let it.
func (f *Faulting) tryFaults(ctx context.Context, catches []*faultCatch) error {
	if len(catches) == 0 {
		return nil
	}
	f.started = f.Engine // of the JVMs that are started from now on
	defer func() { f.started = nil }()
	if err := f.observe(ctx, catches); err != nil {
		return err
	}
	if f.lookFurther(catches) {
		if err := f.observe(ctx, catches); err != nil {
			return err
		}
	}
	total := 0
	for _, c := range catches {
		f.plan(c, func(test string) string { return test })
		total += len(c.plan)
	}
	if total > 0 {
		f.Lab.Monitor().Begin("faults", total)
		if err := f.strikeAll(ctx, catches, false); err != nil {
			return err
		}
	}
	return f.tryOnce(ctx, catches)
}

// strikeAll strikes as it is planned for the catches, each time in a fresh JVM if cold.
func (f *Faulting) strikeAll(ctx context.Context, catches []*faultCatch, cold bool) error {
	next, taken := 0, map[*faultCatch]bool{}
	var mu sync.Mutex
	return f.Lab.Parallel(ctx, len(catches), func(ctx context.Context) error {
		s := striker{f: f, cold: cold}
		defer s.close()
		for {
			mu.Lock()
			for next < len(catches) && taken[catches[next]] {
				next++
			}
			if next == len(catches) {
				mu.Unlock()
				return nil
			}
			group := append([]*faultCatch{catches[next]}, catches[next].beside...)
			for _, c := range group {
				taken[c] = true
			}
			mu.Unlock()
			for _, c := range group {
				if err := s.catch(ctx, c); err != nil {
					return err
				}
			}
		}
	})
}

// Faulting is what is asked of the runs with faults of a module's tests, and what came of it.
type Faulting struct {
	Lab     *lab.Lab
	Snap    *snapshot.Snapshot
	Memory  record.Memory  // of earlier runs, and where records go
	Recall  *recall.Recall // of the same
	Read    *lab.Reader
	Engine  fault.Engine // that strikes
	Feature int          // version of the JDK

	Asked func(catch string) bool // whether a catch, by ID, is looked at
	Again bool                    // even what is known and current is run
	// Entered is called with the methods that a run with a fault entered, and the links that it
	// experienced.
	Entered func(methods []record.MethodID, links []record.Experienced)

	// declared are the faults of the user's own.
	declared []faults.Declared
	started  fault.Engine // of JVMs that start now; nil: none

	mu      sync.Mutex
	touched map[string]*record.Touched // by test name
	// struck are the links that faults have made happen.
	struck []record.Experienced
	runs   int
	notes  []string
	// withGuards is the bundle of classes whose guards can be overridden, none before.
	withGuards []lab.Bundle
}

// Notes says, for people, what was left out.
func (f *Faulting) Notes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notes)
}

// Runs is how many runs with a fault there were.
func (f *Faulting) Runs() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.runs
}

// note adds a note.
func (f *Faulting) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// start starts a JVM to strike in.
func (f *Faulting) start(ctx context.Context) (*worker.JVM, error) {
	return f.Lab.Start(ctx, lab.Setup{Bundles: f.withGuards, Engine: f.started})
}

// catches lists the catches that a fault may reach, with the tests that enter
// their tries.
func (f *Faulting) catches(runs []*record.TestRun) (out []*faultCatch) {
	for _, c := range f.Snap.Catches {
		if c.InTests || c.File.Stale || !f.Asked(c.ID) || !snapshot.FaultsMayReach(c) {
			continue
		}
		fc := &faultCatch{catch: c, tries: f.faultTries(c)}
		for _, t := range runs {
			if t.Stable() && enters(t, c.ID) {
				fc.tests = append(fc.tests, t)
			}
		}
		if len(fc.tests) > 0 && len(fc.tries) > 0 {
			fc.tests, fc.more = observed(fc.tests, c.ID)
			out = append(out, fc)
		}
	}
	findSiblings(out)
	return out
}

// faultTries are the tries of a catch's handlers with the lines of their bodies.
func (f *Faulting) faultTries(c *snapshot.Catch) []worker.FaultTry {
	first, last := c.BodyLines()
	var out []worker.FaultTry
	for _, h := range c.Handlers {
		info := f.Snap.Class(h.Class)
		if info == nil {
			continue
		}
		out = append(out, triesOf(info.Facts, h, first, last)...)
	}
	return out
}

func triesOf(f *facts.Class, h exceptions.HandlerRef, first, last int) (out []worker.FaultTry) {
	p := plan.ForClass(f, plan.Tries)
	for _, x := range p.Catches {
		if int(x.Method) != h.Method || int(x.Handler) != h.Handler {
			continue
		}
		t := worker.FaultTry{Class: f.Name, Try: x.Try, Method: f.Methods[x.Method].Name, First: first, Last: last}
		for _, y := range p.Catches {
			if y.Try == x.Try {
				t.Handlers = append(t.Handlers, y.N)
			}
		}
		out = append(out, t)
	}
	return out
}

// observe notes which operations the tests of the catches run.
func (f *Faulting) observe(ctx context.Context, catches []*faultCatch) error {
	var open []*record.TestRun
	seen := map[string]bool{}
	for _, c := range catches {
		for _, t := range c.tests {
			if seen[t.Test] || f.touched[t.Test] != nil {
				continue
			}
			seen[t.Test] = true
			if x, ok := f.recallTouched(t.Test); ok &&
				!f.Again && x.Declared == faults.DigestOf(f.declared) {
				f.touched[t.Test] = x
				continue
			}
			open = append(open, t)
		}
	}
	return f.eachTest(ctx, open, "operations", f.observeOne)
}

// recallTouched is what is known of the operations of a test in the present code, by the name that
// a Touched has.
func (f *Faulting) recallTouched(name string) (*record.Touched, bool) {
	return f.Memory.Touched(f.Lab.Module.Name, name, f.Lab.Env, f.Recall.Current)
}

// eachTest has a function look at what tests do, each after it has run once as it is, so
// that what runs once in a JVM has run.
func (f *Faulting) eachTest(ctx context.Context, open []*record.TestRun, what string,
	look func(context.Context, *worker.JVM, *record.TestRun) error) error {
	if len(open) == 0 {
		return nil
	}
	f.Lab.Monitor().Begin("looking for "+what, len(open))
	var next atomic.Int32
	return f.Lab.Parallel(ctx, len(open), func(ctx context.Context) error {
		j, err := f.start(ctx)
		if err != nil {
			return err
		}
		defer func() { j.Close() }()
		for {
			i := int(next.Add(1)) - 1
			if i >= len(open) || ctx.Err() != nil {
				return ctx.Err()
			}
			if !j.Alive() {
				if j, err = j.Restart(ctx); err != nil {
					return err
				}
			}
			q := worker.Request{Tests: []string{open[i].ID}, Timeout: lab.TimeLimit(open[i:i+1], true)}
			if _, err = f.Lab.Run(ctx, j, q); err != nil || !j.Alive() {
				err = lab.Survive(ctx, err)
			} else {
				err = look(ctx, j, open[i])
			}
			if err != nil {
				return err
			}
			f.Lab.Monitor().Step("", open[i].Test, 1)
		}
	})
}

// observeOne notes which operations a test runs.
func (f *Faulting) observeOne(ctx context.Context, j *worker.JVM, t *record.TestRun) error {
	q := worker.Request{Tests: []string{t.ID}, Timeout: lab.TimeLimit([]*record.TestRun{t}, true)}
	fault.Observe(&q, f.declared)
	res, err := f.Lab.Run(ctx, j, q)
	if err != nil || len(res.Tests) != 1 || res.Tests[0].Fault == nil {
		return lab.Survive(ctx, err)
	}
	return f.touches(t.Test, t, &res.Tests[0])
}

// plan lists the faults to strike with for a catch: each operation that runs
// below its try, with each kind that strikes it. seen names the Touched of a test.
func (f *Faulting) plan(c *faultCatch, seen func(test string) string) {
	own, others := map[string][]*record.TestRun{}, map[string][]*record.TestRun{}
	for _, t := range c.tests {
		x := f.touched[seen(t.Test)]
		if x == nil {
			continue
		}
		for _, root := range x.Catches[c.catch.ID] {
			own[root] = append(own[root], t)
		}
		for _, root := range x.Others {
			others[root] = append(others[root], t)
		}
	}
	f.planDeclared(c, own, others)
	roots, tasks := linked(c.catch)
	for _, r := range faults.Roots(f.Feature) {
		name, row := r.String(), r.Row()
		for _, k := range r.Kinds {
			if _, ok := r.Report(k, f.Feature); !ok {
				continue
			}
			switch {
			case len(own[row]) > 0:
				c.add(strike{root: name, row: row, kind: k, tests: own[row], linked: roots[name]})
			case len(others[row]) > 0 && (roots[name] || tasks):
				c.add(strike{root: name, row: row, kind: k, tests: others[row], others: true, linked: roots[name]})
			}
		}
	}
	if slices.ContainsFunc(c.catch.Links, func(l *snapshot.Link) bool {
		return l.Site.Kind == "native" && l.Exception == "java.lang.InterruptedException"
	}) {
		c.add(strike{root: interruptRoot, row: interruptRoot, kind: faults.Interrupted, tests: c.tests, linked: true})
	}
	// What runs in the try itself first, and of that what the catch has links from.
	sort.SliceStable(c.plan, func(i, j int) bool { return c.plan[i].rank() < c.plan[j].rank() })
}

// add adds a strike, once: where two rows are one operation, a fault is aimed at
// the operation.
func (c *faultCatch) add(s strike) {
	if !slices.ContainsFunc(c.plan, func(x strike) bool { return x.root == s.root && x.kind == s.kind }) {
		c.plan = append(c.plan, s)
	}
}
