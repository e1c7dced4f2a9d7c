package campaign

import (
	"context"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"catchlens/analysis/exceptions"
	"catchlens/analysis/facts"
	"catchlens/analysis/faults"
	"catchlens/analysis/snapshot"
	"catchlens/instrument/agent"
	"catchlens/instrument/fault"
	"catchlens/instrument/lab"
	"catchlens/instrument/plan"
	"catchlens/instrument/record"
	"catchlens/instrument/worker"
)

// This file makes predicted links happen by faults of the environment (paper
// 003, section 3; paper 000, section 2).
//
// First, the tests that enter a try with links from the JDK run once more, and
// it is noted which native operations run below which try (Touched). Then each
// such operation is struck with each kind of fault that the universe has for it,
// in a run of its own, in the shortest test that reaches it; what that
// experienced is a FaultRun. A fault that strikes without an exception coming to
// the catch is repeated in another test, and as a persistent one: what a retry
// masks at first it cannot mask for ever. Last, what other threads do while the
// try is active is struck. What is left then of links from native operations ways.go goes on with.

// Limits of what is tried.
const (
	minObserved   = 8   // tests of a catch whose operations are noted, if it has as many
	maxObserved   = 16  // of those that run different code below the try
	maxLongest    = 2   // of those that take longest, besides
	maxFurther    = 16  // further ones, where operations that links come from have run in none of these
	maxFaultTests = 2   // tests that one fault is tried in before it counts as masked
	maxVain       = 2   // kinds of faults that an operation is struck with in vain
	maxFaultRuns  = 100 // with one JVM
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
	after    fault.Operation     // that fails first, see ways.go
	past     []uint32            // ways by which the operation is left alone
	avoid    []string            // methods below which it is
	through  string              // the method below which alone operations are struck
	wake     bool                // threads that wait are woken, see ways.go
}

// definition is that of a fault of the user's own, else "".
func (s *strike) definition() string {
	if s.declared == nil {
		return ""
	}
	return s.declared.Definition()
}

// faults runs the link campaign of the module.
func (r *moduleRun) faults(ctx context.Context, runs []*record.TestRun) error {
	if r.c.Options.Faults == nil {
		return nil
	}
	feature, err := agent.Feature(r.lab.Module.JDKHome)
	if err != nil {
		return err
	}
	r.enter(partFaults)
	f := &linkCampaign{r: r, memory: r.c.Memory, engine: r.c.Options.Faults(feature), feature: feature,
		declared: r.lab.Probes.Declared(), touched: map[string]*record.Touched{}}
	if err := f.tryFaults(ctx, f.catches(runs)); err != nil {
		return err
	}
	r.enter(partForced)
	return f.forced(ctx, runs)
}

// tryFaults strikes with what the catches' tests let it.
func (f *linkCampaign) tryFaults(ctx context.Context, catches []*faultCatch) error {
	r := f.r
	if len(catches) == 0 {
		return nil
	}
	r.engine = f.engine // of the JVMs that are started from now on
	defer func() { r.engine = nil }()
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
		r.c.begin("faults", total)
		if err := f.strikeAll(ctx, catches, false); err != nil {
			return err
		}
	}
	return f.tryOnce(ctx, catches)
}

// strikeAll strikes as it is planned for the catches, each time in a fresh JVM if cold.
func (f *linkCampaign) strikeAll(ctx context.Context, catches []*faultCatch, cold bool) error {
	next, taken := 0, map[*faultCatch]bool{}
	var mu sync.Mutex
	return f.r.lab.Parallel(ctx, len(catches), func(ctx context.Context) error {
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

// linkCampaign is the state of one module's.
type linkCampaign struct {
	r       *moduleRun
	memory  record.Memory
	engine  fault.Engine
	feature int
	// declared are the faults of the user's own.
	declared []faults.Declared
	touched  map[string]*record.Touched // by test name
	// struck are the links that faults have made happen.
	struck []record.Experienced
	// withGuards is the bundle of classes whose guards can be overridden, none before.
	withGuards []string
}

// catches lists the catches that a fault may reach, with the tests that enter
// their tries.
func (f *linkCampaign) catches(runs []*record.TestRun) (out []*faultCatch) {
	for _, c := range f.r.c.Snap.Catches {
		if c.InTests || c.File.Stale || !f.r.scope.has(c.ID) || !snapshot.FaultsMayReach(c) {
			continue
		}
		fc := &faultCatch{catch: c, tries: f.r.faultTries(c)}
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
	besideEachOther(out)
	return out
}

// faultTries are the tries of a catch's handlers with the lines of their bodies.
func (r *moduleRun) faultTries(c *snapshot.Catch) []worker.FaultTry {
	first, last := c.BodyLines()
	var out []worker.FaultTry
	for _, h := range c.Handlers {
		info := r.c.Snap.Class(h.Class)
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
func (f *linkCampaign) observe(ctx context.Context, catches []*faultCatch) error {
	var open []*record.TestRun
	seen := map[string]bool{}
	for _, c := range catches {
		for _, t := range c.tests {
			if seen[t.Test] || f.touched[t.Test] != nil {
				continue
			}
			seen[t.Test] = true
			if x, ok := f.recallTouched(t.Test); ok &&
				!f.r.scope.Again && x.Declared == faults.DigestOf(f.declared) {
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
func (f *linkCampaign) recallTouched(name string) (*record.Touched, bool) {
	return f.memory.Touched(f.r.lab.Module.Name, name, f.r.lab.Env, f.r.recall.Current)
}

// eachTest has a function look at what tests do, each after it has run once as it is, so
// that what runs once in a JVM has run.
func (f *linkCampaign) eachTest(ctx context.Context, open []*record.TestRun, what string,
	look func(context.Context, *worker.JVM, *record.TestRun) error) error {
	if len(open) == 0 {
		return nil
	}
	f.r.c.begin("looking for "+what, len(open))
	var next atomic.Int32
	return f.r.lab.Parallel(ctx, len(open), func(ctx context.Context) error {
		j, err := f.r.start(ctx, f.withGuards...)
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
			if _, err = f.r.lab.Run(ctx, j, q); err != nil || !j.Alive() {
				err = lab.Survive(ctx, err)
			} else {
				err = look(ctx, j, open[i])
			}
			if err != nil {
				return err
			}
			f.r.c.step(open[i].Test, 1)
		}
	})
}

// observeOne notes which operations a test runs.
func (f *linkCampaign) observeOne(ctx context.Context, j *worker.JVM, t *record.TestRun) error {
	q := worker.Request{Tests: []string{t.ID}, Timeout: lab.TimeLimit([]*record.TestRun{t}, true)}
	fault.Observe(&q, f.declared)
	res, err := f.r.lab.Run(ctx, j, q)
	if err != nil || len(res.Tests) != 1 || res.Tests[0].Fault == nil {
		return lab.Survive(ctx, err)
	}
	return f.touches(t.Test, t, &res.Tests[0])
}

// plan lists the faults to strike with for a catch: each operation that runs
// below its try, with each kind that strikes it. seen names the Touched of a test.
func (f *linkCampaign) plan(c *faultCatch, seen func(test string) string) {
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
	for _, r := range faults.Roots(f.feature) {
		name, row := r.String(), r.Row()
		for _, k := range r.Kinds {
			if _, ok := r.Report(k, f.feature); !ok {
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
