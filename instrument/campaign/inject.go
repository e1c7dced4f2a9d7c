package campaign

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"catchlens/instrument/plan"
	"catchlens/instrument/rewrite"
	"catchlens/instrument/worker"
)

// This file runs the injections of short-circuit testing.

// inject runs every injection that the scope asks for and that is not known.
func (r *moduleRun) inject(ctx context.Context, runs []*TestRun) error {
	units := r.units(runs)
	r.c.mu.Lock()
	r.c.sum.Reused = max(0, r.c.sum.Reused-r.countedAhead) // what this campaign ran itself, or has counted already
	r.c.mu.Unlock()
	total := 0
	for _, u := range units {
		total += len(u.tests)
	}
	if total == 0 {
		return nil
	}
	r.c.timed(func(t *Times) {
		for _, u := range units {
			t.Chosen += u.duration()
		}
	})
	soonestFirst(units)
	r.phase = injections
	defer func() { r.phase = "" }()
	err := r.runUnits(ctx, units, total)
	r.noteHangs()
	return err
}

// runUnits runs units, total tests in all, in as many JVMs at once as there may be: for tests that mostly wait there may
// be more.
func (r *moduleRun) runUnits(ctx context.Context, units []unit, total int) error {
	r.c.step(r.phase, "", 0, total)
	r.c.shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	busy, waiting := r.apart(units)
	workers, waiters := min(r.c.Options.Workers, len(busy)), min(r.c.waiters, len(waiting))
	q, idle := newShare(busy), newShare(waiting)
	var n atomic.Int64
	err := concurrently(ctx, workers+waiters, func(ctx context.Context) error {
		i := injector{r: r, q: q, hurries: r.c.waiters > 0}
		if k := int(n.Add(1)) - 1; k < workers {
			i.begin(k)
		} else {
			i.q, i.home, i.hurries = idle, k-workers+1, false
		}
		defer i.close()
		i.q.join()
		defer i.q.leave()
		return i.loop(ctx)
	})
	if later := r.takeLater(); err == nil && len(later) > 0 {
		return r.runUnits(ctx, later, 0)
	}
	return err
}

// injector runs units in one JVM after the other.
type injector struct {
	r     *moduleRun
	q     *share[unit]
	j     *worker.JVM
	clean bool // nothing has been injected into j yet
	// loaders is how many class loaders j has had; cold: the next request of tests as
	// they are gets another.
	loaders int
	cold    bool
	ran     []ranOne // what was injected into j, in order
	// doubtful: something has been injected that no canary was run after.
	doubtful bool
	// warm holds the tests that have passed in j as they are, by ID. A test is
	// injected into only then: what runs once in a JVM (static initialisers,
	// caches that fill) has run, without an injection that all later tests would
	// see the consequences of.
	warm map[string]bool

	hurries bool // tests that mostly wait are left to other injectors, as soon as that is known of them

	home int                      // unit.home of what is preferably run here; 0: of an injector by itself
	took map[string]time.Duration // by test, of its last clean run
	size int                      // of the segment, in sizes of the first one; 0: it is that

	// The open segment: cells since the last clean canary.
	cells []*Cell
	units []unit // to be repeated if the canary fails
	tests map[string]*TestRun
	spent time.Duration
}

func (i *injector) close() {
	if i.j != nil {
		i.j.Close()
	}
}

// fresh makes sure of a JVM into which nothing has been injected.
func (i *injector) fresh(ctx context.Context) (err error) {
	switch {
	case i.j != nil && i.clean && i.j.Alive():
		return nil
	case i.j == nil:
		i.j, err = i.r.start(ctx)
	default:
		i.j, err = i.r.starting(func() (*worker.JVM, error) { return i.j.Restart(ctx) })
	}
	i.clean, i.doubtful, i.warm = err == nil, false, map[string]bool{}
	i.loaders, i.cold, i.ran = 0, false, nil
	return err
}

func (i *injector) loop(ctx context.Context) error {
	for {
		u, ok := i.q.take(i.prefers)
		if !ok {
			// The last segment may put units back.
			if err := i.canary(ctx); err != nil {
				return err
			}
			began := time.Now()
			u, ok = i.q.wait(ctx, i.prefers)
			i.r.c.timed(func(t *Times) { t.Waiting += time.Since(began) })
			if !ok {
				return ctx.Err()
			}
		}
		if err := i.r.c.gate(ctx); err != nil {
			return err
		}
		if u = i.putOff(u); len(u.tests) == 0 {
			continue
		}
		if err := i.unit(ctx, u); err != nil {
			return err
		}
		if err := i.end(ctx); err != nil {
			return err
		}
	}
}

// unit runs one unit, in the open segment or each test alone.
func (i *injector) unit(ctx context.Context, u unit) error {
	switch u.rung {
	case alone:
		return i.alone(ctx, u)
	case fresh:
		return i.confirm(ctx, u)
	}
	if u.suspect && i.r.givenUp(u, len(u.tests)) {
		i.r.c.step(i.r.phase, "", len(u.tests), 0)
		return nil
	}
	if u.rung == single {
		if err := i.canary(ctx); err != nil {
			return err
		}
	}
	if i.r.isolation() == FreshLoader {
		return i.inLoaders(ctx, u)
	}
	if i.j == nil || !i.j.Alive() || i.doubtful {
		if err := i.fresh(ctx); err != nil {
			return err
		}
	}
	u, err := i.warmUp(ctx, u)
	if err != nil || len(u.tests) == 0 {
		return err
	}
	i.clean = false
	cells, died, err := i.run(ctx, u)
	if err != nil {
		return err
	}
	if !died {
		u.suspect = false
		if u, cells, died, err = i.doubt(ctx, u, cells); err != nil {
			return err
		}
	}
	if !died {
		if cells, died, err = i.vary(ctx, u, cells); err != nil {
			return err
		}
	}
	if !died && u.rung == shared && i.r.isConfirmedLater(cells) {
		return i.r.record(cells)
	}
	i.units = append(i.units, u)
	if i.tests == nil {
		i.tests = map[string]*TestRun{}
	}
	for _, t := range u.tests {
		i.tests[t.ID] = t
	}
	i.cells = append(i.cells, cells...)
	for _, c := range cells {
		i.spent += c.Duration
	}
	if died {
		// No canary can be run any more: what the segment showed is not
		// certain, neither the death itself.
		for k := range i.units[:len(i.units)-1] {
			i.again(i.units[k], i.units[k].rung)
		}
		i.afterDeath(u, cells)
		i.discard("the test JVM ended")
		return nil
	}
	if u.rung == single {
		return i.canary(ctx)
	}
	return nil
}

// doubt repeats failing runs of a unit, two of them and, if one of those passes
// now, the others: a verdict would rest on what may be a matter of timing. Those
// that pass the second time are taken out of the unit, to be run alone, where what
// they show is certain.
func (i *injector) doubt(ctx context.Context, u unit, cells []*Cell) (rest unit, kept []*Cell, died bool, err error) {
	failed := map[string]bool{}
	for _, c := range cells {
		failed[c.Test] = failed[c.Test] || c.Outcome == Fail || c.Outcome == Exit // the JVM did not end
	}
	var failing []*TestRun
	for _, t := range u.tests {
		if failed[t.Test] {
			failing = append(failing, t)
		}
	}
	sort.SliceStable(failing, func(i, j int) bool { return failing[i].Duration < failing[j].Duration })
	passed := map[string]bool{}
	for again := u; len(failing) > 0; {
		n := len(failing)
		if len(passed) == 0 {
			n = min(n, maxDoubted)
		}
		again.tests, failing = failing[:n], failing[n:]
		second, died, err := i.run(ctx, again)
		if err != nil || died {
			return u, append(cells, second...), died, err
		}
		for _, c := range second {
			if c.Outcome == Pass {
				passed[c.Test] = true
			}
		}
		confirm(cells, second)
		if len(passed) == 0 {
			break
		}
	}
	if len(passed) == 0 {
		return u, cells, false, nil
	}
	apart := u
	apart.tests = nil
	rest = u
	rest.tests = nil
	for _, t := range u.tests {
		if passed[t.Test] {
			apart.tests = append(apart.tests, t)
		} else {
			rest.tests = append(rest.tests, t)
		}
	}
	apart.wavers = true
	i.again(apart, alone)
	return rest, slices.DeleteFunc(cells, func(c *Cell) bool { return passed[c.Test] }), false, nil
}

// vary runs what makes a catch source-dependent, the failing runs of tests with a
// white usage, with exceptions that have a cause: a catch that only cannot cope
// with a missing cause breaks no contract. Those that pass count as passing.
func (i *injector) vary(ctx context.Context, u unit, cells []*Cell) (_ []*Cell, died bool, err error) {
	failing := map[string]*Cell{}
	for _, c := range cells {
		if c.Outcome == Fail {
			failing[c.Test] = c
		}
	}
	again := u
	again.tests, again.caused = nil, true
	for _, t := range u.tests {
		if failing[t.Test] != nil && t.Usages[u.catch.ID].White > 0 {
			again.tests = append(again.tests, t)
		}
	}
	if len(again.tests) == 0 {
		return cells, false, nil
	}
	second, died, err := i.run(ctx, again)
	if err != nil || died {
		return append(cells, second...), died, err
	}
	for _, c := range second {
		copes(failing[c.Test], []*Cell{c}, again)
	}
	for _, t := range again.tests {
		c := failing[t.Test]
		if c.Outcome != Fail || !repeatsMessage(c) {
			continue
		}
		own := withCause(u, t)
		own.own = c
		third, died, err := i.runOwn(ctx, own)
		if err != nil || died {
			return append(cells, third...), died, err
		}
		copes(c, third, own)
	}
	return cells, false, nil
}

// secondChances runs the test of a failing cell again, by run, with exceptions that have
// a cause and then, if it seems to look at their message, with that of the
// exception that the test makes happen itself. The cell becomes what passes.
func secondChances(c *Cell, u unit, t *TestRun, run func(unit) ([]*Cell, bool, error)) (died bool, err error) {
	u = withCause(u, t)
	for {
		cells, died, err := run(u)
		if err != nil || died {
			return died, err
		}
		if copes(c, cells, u); u.own != nil || c.Outcome != Fail || !repeatsMessage(c) {
			return false, nil
		}
		u.own = c
	}
}

// withCause is a unit of one test whose exceptions have causes.
func withCause(u unit, t *TestRun) unit {
	u.tests, u.caused = []*TestRun{t}, true
	return u
}

// repeatsMessage tells whether what a failing run says has the message of the injected
// exception in it: the test may look at the message, which is that of no exception
// that it makes happen.
func repeatsMessage(c *Cell) bool {
	return strings.Contains(c.Message, worker.RealisticMessage(c.Type))
}

// comparison is what frameworks say of two values that are not equal: JUnit, TestNG, AssertJ and Hamcrest.
var comparison = regexp.MustCompile(`(?is)\bexpected:?\s*(.*?)\s+but:?\s+(?:was|found):?\s*(.*)`)

// brackets are what JUnit 3 and 4 write around the part that differs.
var brackets = strings.NewReplacer("[", "", "]", "")

// onlyMessage tells whether a run failed for a comparison of two values that are equal where
// the exception has another message. A catch that does something else for another
// message, which depends on where it comes from, is none of those.
func onlyMessage(c *Cell, message string) bool {
	m := comparison.FindStringSubmatch(brackets.Replace(c.Message))
	return m != nil && m[1] == strings.ReplaceAll(m[2], brackets.Replace(worker.RealisticMessage(c.Type)), brackets.Replace(withoutFolders(message)))
}

// runOwn is run for a unit that may want the message of the test's own exception. No
// cells: nothing is known of that, or something else is what it failed for.
func (i *injector) runOwn(ctx context.Context, u unit) (cells []*Cell, died bool, err error) {
	if u.own != nil {
		if u, err = i.ownMessage(ctx, u); err != nil || u.message == "" || !onlyMessage(u.own, u.message) {
			return nil, !i.j.Alive(), err
		}
	}
	return i.run(ctx, u)
}

// ownMessage runs the one test of a unit as it is and gives the unit the message of the
// first exception that the catch caught in it; none if nothing is known of one.
func (i *injector) ownMessage(ctx context.Context, u unit) (unit, error) {
	var catches []worker.Target
	i.r.eachHandler(u.catch, func(class string, p plan.Catch) {
		catches = append(catches, worker.Target{Class: class, Try: p.N, Catch: true})
	})
	res, err := i.j.Run(ctx, i.r.request(worker.Request{Tests: []string{u.tests[0].ID}, Timeout: timeoutOf(u.tests, alone),
		Arm: &worker.Injection{Targets: catches, Exception: u.typ, Listen: true}}))
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return u, err
	}
	i.r.c.timed(func(t *Times) { t.Clean += ownTime(res) })
	if len(res.Tests) == 1 && res.Tests[0].Outcome == worker.Pass && res.Tests[0].Injection != nil {
		u.message = res.Tests[0].Injection.Message
	}
	return u, nil
}

// withCauseOnly begins the message of a run that passes only where the exception
// has a cause.
const withCauseOnly = "passes with a cause"

// copes makes a failing cell the one that a run of a unit with causes showed, if that
// passed.
func copes(c *Cell, second []*Cell, u unit) {
	if len(second) == 1 && second[0].Outcome == Pass {
		with, without := withCauseOnly, "without one"
		if u.own != nil {
			with, without = with+" and the message of the exception that the test makes happen itself", "without"
		}
		second[0].Message = strings.TrimSuffix(with+"; "+without+": "+c.Message, ": ")
		*c = *second[0]
	}
}

// confirm marks the cells that a repetition showed again.
func confirm(cells, second []*Cell) {
	again := map[string]*Cell{}
	for _, c := range second {
		again[c.Test] = c
	}
	for _, c := range cells {
		c.Confirmed = c.Confirmed || again[c.Test] != nil && alike(c, again[c.Test])
	}
}

// alone runs each test of a unit in a fresh JVM; what it shows is certain, except
// of a test that has passed before, or failed in another place: that one must fail alike in
// two of them to count as failing, and decides nothing where it does not.
func (i *injector) alone(ctx context.Context, u unit) error {
	if err := i.canary(ctx); err != nil {
		return err
	}
	for n, t := range u.tests {
		if err := i.r.c.gate(ctx); err != nil {
			return err
		}
		if i.r.givenUp(u, len(u.tests)-n) {
			i.r.c.step(i.r.phase, "", len(u.tests)-n, 0)
			break
		}
		one := u
		one.tests = []*TestRun{t}
		cells, err := i.aside(ctx, one)
		if err != nil {
			return err
		}
		if u.wavers && len(cells) == 1 && cells[0].Outcome.Failed() {
			for range maxRepeated {
				again, err := i.aside(ctx, one)
				if err != nil {
					return err
				}
				if len(again) != 1 || waver(cells, again[0]) {
					break
				}
				cells = append(cells, again[0])
			}
			cells = cells[:1]
		}
		if len(cells) == 1 && cells[0].Outcome == Fail && t.Usages[u.catch.ID].White > 0 {
			if _, err := secondChances(cells[0], u, t, i.byItself(ctx)); err != nil {
				return err
			}
		}
		for _, c := range cells {
			if c.Outcome == Hang {
				i.r.hung(u, c.Test)
			}
			i.r.differs(c, u.was[c.Test], ranOne{one, t})
		}
		if err := i.r.record(cells); err != nil {
			return err
		}
	}
	return nil
}

// aside runs a unit of one test in a fresh JVM; no cells if the test is not fit
// to be injected into.
func (i *injector) aside(ctx context.Context, u unit) ([]*Cell, error) {
	if err := i.fresh(ctx); err != nil {
		return nil, err
	}
	u, err := i.warmUp(ctx, u)
	if err != nil || len(u.tests) == 0 {
		return nil, err
	}
	i.clean, i.doubtful = false, true
	cells, _, err := i.runOwn(ctx, u)
	for _, c := range cells {
		c.Confirmed, c.Certain = true, !i.r.confirmsLater(c)
	}
	return cells, err
}

// confirmsLater tells whether a run that was alone in a JVM is confirmed with the others of its catch all the same: which runs are alone
// depends on what ran before them, and how often an injection fires depends on whether the test has run before as it is. Not on the other rungs, and not where it ended the JVM or took it to its limits, which takes long.
func (r *moduleRun) confirmsLater(c *Cell) bool {
	o := &r.c.Options
	return (r.phase == injections || r.phase == fineInjections) && o.Judge != nil && (o.Isolation == SharedJVM || o.Isolation == "") && (c.Outcome == Pass || c.Outcome == Fail)
}

// byItself is aside for secondChances: what ended the JVM is in the cells.
func (i *injector) byItself(ctx context.Context) func(unit) ([]*Cell, bool, error) {
	return func(u unit) ([]*Cell, bool, error) {
		cells, err := i.aside(ctx, u)
		return cells, false, err
	}
}

// maxRepeated is how often a run that failed alone is repeated, at most, until it fails as it
// did before.
const maxRepeated = 2

// waver tells whether the last repetition of a failing run, of which cells has what it showed until
// then, decides what it counts as, and makes its first cell that: flaky, if it passed, or if it
// fails in another place each time, and else failing.
func waver(cells []*Cell, last *Cell) (decided bool) {
	first := cells[0]
	doubt := func(why string) {
		first.Outcome, first.Confirmed, first.Certain = Flaky, false, false
		first.Message = strings.TrimSuffix("under this injection it "+why+": "+first.Message, ": ")
	}
	if last.Outcome == Pass {
		doubt("passes in one run and not in the next")
		return true
	}
	for _, c := range cells {
		if alike(c, last) || c.Outcome != last.Outcome { // that it hangs at one time and fails at another is failing
			*first = *c
			return true
		}
	}
	if len(cells) < maxRepeated {
		return false
	}
	doubt("fails in another place each time")
	return true
}

// ownTime is what the tests of a request took themselves.
func ownTime(res *worker.RunResult) (d time.Duration) {
	for k := range res.Tests {
		d += res.Tests[k].Duration
	}
	return d
}

// run runs the tests of a unit with its exception armed.
func (i *injector) run(ctx context.Context, u unit) (cells []*Cell, died bool, err error) {
	q := i.r.request(worker.Request{
		Timeout: timeoutOf(u.tests, u.patience()), Stall: stallOf(u.tests),
		Arm: &worker.Injection{Targets: u.targets, Exception: u.typ, Message: u.message, Caused: u.caused, Subclass: u.stub, SubclassName: u.stubName},
	})
	byID := map[string]*TestRun{}
	for _, t := range u.tests {
		q.Tests = append(q.Tests, t.ID)
		byID[t.ID] = t
	}
	asked := time.Now()
	res, err := i.j.Run(ctx, q)
	if err != nil {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		return nil, false, fmt.Errorf("injecting %s into %s: %w", u.typ, u.catch.ID, err)
	}
	if res.Died == nil { // else it is unknown what the last test took
		i.r.c.timed(func(t *Times) {
			t.Requests += time.Since(asked)
			t.Injected += ownTime(res)
			t.Runs += len(res.Tests)
		})
	}
	for k := range res.Tests {
		if t := byID[res.Tests[k].ID]; t != nil {
			c := i.r.cell(u, t, &res.Tests[k])
			cells = append(cells, c)
			i.r.noteWaiting(t, &res.Tests[k])
			if c.Outcome == NotFired && u.point == nil {
				i.r.mu.Lock()
				i.r.idle[t.ID] = true
				i.r.mu.Unlock()
			}
			delete(byID, t.ID)
			one := u
			one.tests, one.was = nil, nil
			i.recall(c, len(i.ran))
			i.ran = append(i.ran, ranOne{one, t})
		}
	}
	if res.Died == nil {
		for _, t := range byID { // the framework did not run it this time
			cells = append(cells, i.r.cell(u, t, &worker.Test{Outcome: worker.Missing, Reason: "the test was not there under injection"}))
		}
	}
	return cells, res.Died != nil, nil
}

// cell is the matrix entry of one injected run.
func (r *moduleRun) cell(u unit, t *TestRun, res *worker.Test) *Cell {
	c := &Cell{
		Catch: u.catch.ID, Type: u.typ, Test: t.Test, Module: r.m.Name, Env: r.env, Outcome: outcomeOf(res.Outcome), Injected: u.typ,
		Message: withoutStubs(failureText(res)), Stack: withoutStubs(withoutFolders(res.Failure.Stack)), Duration: res.Duration,
		Point: u.point,
		Deps:  r.read.entered(t.Methods, &res.Record), At: time.Now(), // a clause may run what no baseline did
	}
	c.Below, c.Aside = r.read.belowCell(c.Catch, t, &res.Record)
	if f := res.Injection; f != nil {
		c.Fired = f.Times
		if f.Exception != "" {
			c.Injected = withoutStubs(f.Exception)
			c.Constructed = fmt.Sprintf("new %s%s, message %q", c.Injected, f.Constructor, f.Message)
			if f.Cause != "" {
				c.Constructed += ", cause " + withoutStubs(f.Cause)
			}
		}
		if f.Problem != "" && f.Times == 0 {
			c.Outcome, c.Message = NotFired, f.Problem
			return c
		}
	}
	switch {
	case c.Outcome == Skipped:
		c.Outcome = NotFired
	case c.Fired == 0 && (c.Outcome == Pass || c.Outcome == Fail):
		c.broken = c.Outcome == Fail && res.Failure.Exception != ""
		if c.Outcome = NotFired; c.Message == "" {
			if c.Message = notAgain; u.point != nil {
				c.Message = "the test does not come to this place"
			}
		}
	case c.Fired == 0:
		// The JVM ended before it could say how often the injection fired; the
		// try is entered by this test, so it did.
		c.Fired = 1
	}
	return c
}

// withoutStubs names abstract exception classes where a text names the subclasses
// that were made of them to be thrown: nobody else knows those.
func withoutStubs(text string) string { return strings.ReplaceAll(text, rewrite.StubSuffix, "") }

// record keeps cells for good.
func (r *moduleRun) record(cells []*Cell) error {
	var errs []error
	for _, c := range cells {
		errs = append(errs, r.c.Memory.PutCell(c))
		r.c.mu.Lock()
		if r.phase == confirmation || r.phase == fineConfirmation {
			r.c.sum.Confirmed++
		} else {
			r.c.sum.Cells++
		}
		r.c.mu.Unlock()
	}
	if len(cells) > 0 {
		last := cells[len(cells)-1]
		r.c.step(r.phase, shortCatch(last.Catch), len(cells), 0)
	}
	return errors.Join(errs...)
}

// shortCatch is a catch ID without packages and parameters.
func shortCatch(id string) string {
	if i := strings.IndexByte(id, '('); i >= 0 {
		id = id[:i]
	}
	return id[strings.LastIndexByte(id, '/')+1:]
}
