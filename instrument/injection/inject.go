package injection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file runs the injections of short-circuit testing.

// Inject runs every injection that is asked for and not known, into the runs of a baseline. The
// error is like that of Ahead.
func (r *Injection) Inject(ctx context.Context, runs []*record.TestRun) error {
	r.making.runs, r.making.byCatch, r.dropped, r.shown, r.asking = runs, entering(runs), nil, nil, nil
	r.making.makers, r.cut, r.begunAgain = nil, map[injected]bool{}, map[string]bool{}
	units, err := r.units(runs)
	if err != nil {
		return err
	}
	r.tally.count(func(t *Counts) { t.Reused = max(0, t.Reused-r.first.counted) }) // what was run or counted before
	r.tally.count(func(t *Counts) {
		for _, u := range units {
			t.Chosen += u.duration()
		}
	})
	soonestFirst(units)
	r.phase = injections
	defer func() { r.phase = "" }()
	err = r.runUnits(ctx, units)
	if err == nil {
		_, err = r.injectReopened(ctx)
	}
	r.noteHangs()
	return err
}

// injectReopened runs what was left out as needless and is not; ran tells whether there was some.
func (r *Injection) injectReopened(ctx context.Context) (ran bool, err error) {
	was := r.phase
	r.phase = injections
	defer func() { r.phase = was }()
	for {
		units := r.soonToEnd(r.reopened())
		if len(units) == 0 {
			return ran, r.recordCut()
		}
		ran = true
		soonestFirst(units)
		if err := r.runUnits(ctx, units); err != nil {
			return ran, err
		}
	}
}

// runUnits runs units, as a phase, in as many JVMs at once as there may be: for tests that mostly
// wait there may be more.
func (r *Injection) runUnits(ctx context.Context, units []unit) error {
	r.Lab.Monitor().Begin(r.phase, r.plan(units))
	for len(units) > 0 {
		if err := r.runSome(ctx, units); err != nil {
			return err
		}
		units = r.takeLater()
	}
	return nil
}

// plan notes which runs are to be done, as units, and returns how many.
func (r *Injection) plan(units []unit) int {
	planned := map[record.CellKey]bool{}
	for _, u := range units {
		for _, v := range append([]unit{u}, u.then...) {
			for _, t := range v.tests {
				planned[v.key(t.Test)] = true
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned = planned
	return len(planned)
}

// did notes that runs are over, and tells how many of them are of the phase and were not before.
func (r *Injection) did(keys ...record.CellKey) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range keys {
		if r.planned[k] {
			delete(r.planned, k)
			n++
		}
	}
	return n
}

// finishUnit reports that nothing of a unit is run, or run any more.
func (r *Injection) finishUnit(u unit) {
	var keys []record.CellKey
	for _, t := range u.tests {
		keys = append(keys, u.key(t.Test))
	}
	if n := r.did(keys...); n > 0 {
		r.Lab.Monitor().Step("", "", n)
	}
}

// runSome runs units but for those that turn out to be left for others (takeLater).
func (r *Injection) runSome(ctx context.Context, units []unit) error {
	r.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	busy, waiting := r.separateWaiting(units)
	workers, waiters := min(r.JVMs, len(busy)), min(r.Waiters, len(waiting))
	q, idle := newQueue(busy), newQueue(waiting)
	begun := newBegun(workers)
	var n atomic.Int64
	return lab.Concurrently(ctx, workers+waiters, func(ctx context.Context) error {
		i := injector{r: r, q: q, hurries: r.Waiters > 0}
		if k := int(n.Add(1)) - 1; k < workers {
			i.begin(k)
			i.begun = begun
			defer begun.done()
		} else {
			i.q, i.home, i.hurries = idle, k-workers+1, false
			begun.wait(ctx)
		}
		defer i.close()
		i.q.Join()
		defer i.q.Leave()
		return i.loop(ctx)
	})
}

// injector runs units in one JVM after the other.
type injector struct {
	r     *Injection
	q     *queue
	j     *worker.JVM
	clean bool // nothing has been injected into j yet
	// loaders is how many class loaders j has had; cold: the next request of tests as
	// they are gets another.
	loaders int
	cold    bool
	ran     []ranOne // what was injected into j, in order
	// same: what was injected into j has left nothing behind.
	same bool
	// doubtful: something has been injected that no canary was run after.
	doubtful bool
	// warm holds the tests that have passed in j as they are, by ID. A test is
	// injected into only then: what runs once in a JVM (static initialisers,
	// caches that fill) has run, without an injection that all later tests would
	// see the consequences of.
	warm map[string]bool
	// heard holds those of them that were listened to then.
	heard map[string]bool
	// donated holds the types of which a test has been run for a real exception.
	donated map[string]bool

	begun   *begun
	records bool // what tests do as they are is recorded: there is no baseline yet
	hurries bool // tests that mostly wait are left to other injectors, as soon as that is known of them

	home int                      // unit.home of what is preferably run here; 0: of an injector by itself
	took map[string]time.Duration // by test, of its last clean run
	size int                      // of the segment, in sizes of the first one; 0: it is that

	// The open segment: cells since the last clean canary.
	cells []*record.Cell
	units []unit // to be repeated if the canary fails
	tests map[string]*record.TestRun
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
		i.j, err = i.r.start(ctx, i.records)
	default:
		i.j, err = i.r.restart(ctx, i.j)
	}
	i.clean, i.doubtful, i.same, i.warm = err == nil, false, false, map[string]bool{}
	i.heard, i.donated = map[string]bool{}, map[string]bool{}
	i.loaders, i.cold, i.ran = 0, false, nil
	return err
}

func (i *injector) loop(ctx context.Context) error {
	for {
		u, ok := i.q.Take(i.prefers)
		if !ok {
			// The last segment may put units back.
			if err := i.canary(ctx); err != nil {
				return err
			}
			began := time.Now()
			u, ok = i.q.Wait(ctx, i.prefers)
			i.r.tally.count(func(t *Counts) { t.Waiting += time.Since(began) })
			if !ok {
				return ctx.Err()
			}
		}
		if err := i.r.Lab.Monitor().Gate(ctx); err != nil {
			return err
		}
		err := i.taken(ctx, u)
		i.q.done(u)
		if err != nil {
			return err
		}
	}
}

// taken does what is needed of a unit that was taken.
func (i *injector) taken(ctx context.Context, u unit) error {
	if u = i.r.withoutNeedless(i.deferWaiting(u)); len(u.tests) == 0 || i.r.putOff(u) {
		return nil
	}
	if err := i.unit(ctx, u); err != nil {
		return err
	}
	i.begun.done()
	if err := i.endSpinning(ctx); err != nil {
		return err
	}
	return i.runCanary(ctx)
}

// endSpinning ends a JVM in which threads go on that tests have left behind, and the open segment
// with it.
func (i *injector) endSpinning(ctx context.Context) error {
	if i.j == nil || !i.j.Alive() || !i.j.Spins(ctx) {
		return nil
	}
	err := i.canary(ctx)
	i.close()
	i.j = nil
	return err
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
		i.r.finishUnit(u)
		return nil
	}
	u, err := i.r.withoutKnownOfTwins(u)
	if err != nil || len(u.tests) == 0 {
		return err
	}
	if u.rung == single || u.later > 0 { // what may end the JVM does not take others with it
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
	if u, err = i.warmUp(ctx, u); err != nil || len(u.tests) == 0 {
		return err
	}
	i.clean = false
	cells, died, err := i.strike(ctx, u)
	if err != nil {
		return err
	}
	if !died {
		u.suspect = false
		if u, cells, died, err = i.repeatFailing(ctx, u, cells); err != nil {
			return err
		}
	}
	if i.r.wantsBaseline() && !died {
		cells = slices.DeleteFunc(cells, forWantOfBaseline)
	}
	for _, c := range cells {
		i.r.shows(c)
	}
	if !died && u.rung == shared && i.r.isConfirmedLater(cells) {
		return i.r.record(cells)
	}
	i.units = append(i.units, u)
	if i.tests == nil {
		i.tests = map[string]*record.TestRun{}
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
			i.putBack(i.units[k], i.units[k].rung)
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

// repeatFailing repeats failing runs of a unit, two of them and, if one of those passes
// now, the others: a verdict would rest on what may be a matter of timing. Those
// that pass the second time are taken out of the unit, to be run alone, where what
// they show is certain.
func (i *injector) repeatFailing(ctx context.Context, u unit,
	cells []*record.Cell) (rest unit, kept []*record.Cell, died bool, err error) {
	failed := map[string]bool{}
	for _, c := range cells {
		failed[c.Test] = failed[c.Test] || c.Outcome == record.Fail || c.Outcome == record.Exit // the JVM did not end
	}
	var failing []*record.TestRun
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
		second, died, err := i.strike(ctx, again)
		if err != nil || died {
			return u, append(cells, second...), died, err
		}
		for _, c := range second {
			if c.Outcome == record.Pass {
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
	i.putBack(apart, alone)
	return rest, slices.DeleteFunc(cells, func(c *record.Cell) bool { return passed[c.Test] }), false, nil
}

// confirm marks the cells that a repetition showed again.
func confirm(cells, second []*record.Cell) {
	again := map[string]*record.Cell{}
	for _, c := range second {
		again[c.Test] = c
	}
	for _, c := range cells {
		c.Confirmed = c.Confirmed || again[c.Test] != nil && endedAlike(c, again[c.Test])
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
		if err := i.r.Lab.Monitor().Gate(ctx); err != nil {
			return err
		}
		if i.r.givenUp(u, len(u.tests)-n) {
			rest := u
			rest.tests = u.tests[n:]
			i.r.finishUnit(rest)
			return i.r.recordUnended(u)
		}
		one := u
		one.tests = []*record.TestRun{t}
		cells, err := i.runInFreshJVM(ctx, one)
		if err != nil {
			return err
		}
		if u.wavers && len(cells) == 1 && cells[0].Outcome.Failed() {
			for range maxRepeated {
				again, err := i.runInFreshJVM(ctx, one)
				if err != nil {
					return err
				}
				if len(again) != 1 || decideByRepetition(cells, again[0]) {
					break
				}
				cells = append(cells, again[0])
			}
			cells = cells[:1]
		}
		if len(cells) == 1 && u.reading == record.White {
			c, _, err := strikeEachAlone(one, cells[0], func(u unit) ([]*record.Cell, bool, error) {
				cells, err := i.runInFreshJVM(ctx, u)
				return cells, false, err
			})
			if err != nil {
				return err
			}
			cells[0] = c
		}
		for _, c := range cells {
			if c.Outcome == record.Hang {
				i.r.hung(u, c.Test)
			}
			i.r.shows(c)
			i.r.differs(c, u.was[c.Test], ranOne{one, t})
		}
		if err := i.r.record(cells); err != nil {
			return err
		}
	}
	return nil
}

// runInFreshJVM runs a unit of one test in a fresh JVM; no cells if the test is not fit
// to be injected into.
func (i *injector) runInFreshJVM(ctx context.Context, u unit) ([]*record.Cell, error) {
	if err := i.fresh(ctx); err != nil {
		return nil, err
	}
	u, err := i.warmUp(ctx, u)
	if err != nil || len(u.tests) == 0 {
		return nil, err
	}
	i.clean, i.doubtful = false, true
	cells, died, err := i.run(ctx, u)
	if err == nil && !died && u.reading == record.White {
		cells, _, err = i.heardAgain(ctx, u, cells)
	}
	for _, c := range cells {
		c.Confirmed, c.Certain = true, !i.r.confirmsLater(c)
	}
	return cells, err
}

// confirmsLater tells whether a run that was alone in a JVM is confirmed with the others of its
// catch all the same: which runs are alone depends on what ran before them, and how often an
// injection fires depends on whether the test has run before as it is. Not on the other rungs, and
// not where it ended the JVM or took it to its limits, which takes long.
func (r *Injection) confirmsLater(c *record.Cell) bool {
	o := &r.Options
	return (r.phase == injections || r.phase == fineInjections) && (o.Isolation == SharedJVM || o.Isolation == "") &&
		(c.Outcome == record.Pass || c.Outcome == record.Fail)
}

// maxRepeated is how often a run that failed alone is repeated, at most, until it fails as it
// did before.
const maxRepeated = 2

// decideByRepetition tells whether the last repetition of a failing run, of which cells has what it
// showed until then, decides what it counts as, and makes its first cell that: flaky, if it passed,
// or if it fails in another place each time, and else failing.
func decideByRepetition(cells []*record.Cell, last *record.Cell) (decided bool) {
	first := cells[0]
	doubt := func(why string) {
		first.Outcome, first.Confirmed, first.Certain = record.Flaky, false, false
		first.Message = strings.TrimSuffix("under this injection it "+why+": "+first.Message, ": ")
	}
	if last.Outcome == record.Pass {
		doubt("passes in one run and not in the next")
		return true
	}
	for _, c := range cells {
		// that it hangs at one time and fails at another is failing
		if endedAlike(c, last) || c.Outcome != last.Outcome {
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
func (i *injector) run(ctx context.Context, u unit) (cells []*record.Cell, died bool, err error) {
	q := worker.Request{
		Timeout: lab.TimeLimit(u.tests, u.patience() == alone), Stall: lab.StallLimit(u.tests),
		Arm: i.r.injectionOf(u),
	}
	if i.r.cuts(u) {
		q.Work = lab.WorkLimit(u.tests)
	}
	byID := map[string]*record.TestRun{}
	for _, t := range u.tests {
		q.Tests = append(q.Tests, t.ID)
		byID[t.ID] = t
	}
	asked := time.Now()
	res, err := i.r.Lab.Run(ctx, i.j, q)
	if err != nil {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		return nil, false, fmt.Errorf("injecting %s into %s: %w", u.typ, u.catch.ID, err)
	}
	if res.Died == nil { // else it is unknown what the last test took
		i.r.tally.count(func(t *Counts) {
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
			if c.Outcome == record.NotFired && c.Message == record.NotAgain {
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
			cells = append(cells, i.r.cell(u, t,
				&worker.Test{Outcome: worker.Missing, Reason: "the test was not there under injection"}))
		}
	}
	return cells, res.Died != nil, nil
}

// injectionOf is what a unit throws, and where.
func (r *Injection) injectionOf(u unit) *worker.Injection {
	x := &worker.Injection{Key: u.catch.ID, Targets: u.targets, Exception: u.typ, White: u.reading == record.White,
		Only:     u.only,
		Subclass: u.stub, SubclassName: u.stubName}
	x.Not = typesBefore(r.Snap, u.catch)
	x.Makers, x.Plain = r.makersOf(u.typ, x.Not)
	return x
}

// cell is the matrix entry of one injected run.
func (r *Injection) cell(u unit, t *record.TestRun, res *worker.Test) *record.Cell {
	c := &record.Cell{
		Trial: record.Trial{
			Catch: u.catch.ID, Test: t.Test, Module: r.Lab.Module.Name, Env: r.Lab.Env,
			Outcome: lab.OutcomeOf(res.Outcome), Message: withoutStubs(lab.FailureText(res)),
			Stack: withoutStubs(lab.WithoutFolders(res.Failure.Stack)), Duration: res.Duration,
			Deps: r.Read.Entered(t.Methods, &res.Record), // a clause may run what no baseline did
			At:   time.Now(),
		},
		Format: record.CellFormat, Reading: u.reading, Type: u.typ, Injected: u.typ, Point: u.point,
	}
	c.Lines = record.MarkLines(r.Snap, c.Stack)
	c.Below, c.Aside = r.Read.BelowCell(c.Catch, t, &res.Record)
	f := res.Injection
	if f != nil {
		noteThrown(c, f)
		if f.Problem != "" && f.Times == 0 {
			c.Outcome, c.Message = record.NotFired, f.Problem
			return c
		}
	}
	switch {
	case c.Outcome == record.Skipped:
		c.Outcome, c.Message = record.NotFired, strings.TrimSuffix("the test skips itself: "+c.Message, ": ")
	case c.Fired == 0 && (c.Outcome == record.Pass || c.Outcome == record.Fail):
		c.Broken = c.Outcome == record.Fail && res.Failure.Exception != ""
		noteNotFired(c, f)
	case c.Fired == 0:
		// The JVM ended before it could say how often the injection fired; the
		// try is entered by this test, so it did.
		c.Fired = 1
	}
	switch {
	case c.Outcome == record.Hang && r.cuts(u):
		noteCut(c, t, res)
	case c.Outcome.Failed() && c.Provenance == record.Invented:
		c.Outcome, c.Why = record.Undecided, "no code is known that makes such an exception"
	case c.Outcome == record.Fail && f != nil && f.Prepared && comparesPrepared(c.Message, f):
		c.Outcome, c.Why = record.Undecided, "it compares an exception that is made before the try, and is another "+
			"object in each run"
	}
	return c
}

// sidesOfComparison is how often a failure names the class of an exception at least that compares
// two of them: once on each side. What wraps it names it once.
const sidesOfComparison = 2

// comparesPrepared tells whether a run failed for comparing an exception that was made before the
// try: the one that is thrown is that of the run before.
func comparesPrepared(message string, f *worker.Fired) bool {
	for _, class := range []string{f.Exception, f.Cause} {
		if class != "" && strings.Count(message, class) >= sidesOfComparison {
			return true
		}
	}
	return false
}

// noteThrown notes in a cell what its run threw.
func noteThrown(c *record.Cell, f *worker.Fired) {
	c.Fired, c.Provenance, c.Struck, c.Executions = f.Times, f.Provenance, f.Struck, f.Executions
	if c.Reading == record.White {
		c.Whites = f.Wanted
	}
	if f.Exception == "" {
		return
	}
	c.Injected = withoutStubs(f.Exception)
	switch {
	case strings.HasPrefix(f.Constructor, "("):
		c.Constructed = fmt.Sprintf("new %s%s, message %q", c.Injected, f.Constructor, f.Message)
	case f.Provenance == record.Copied:
		c.Constructed = fmt.Sprintf("%s, message %q, %s", c.Injected, f.Message, f.Constructor)
	default:
		c.Constructed = fmt.Sprintf("%s %s, message %q", c.Injected, f.Constructor, f.Message)
	}
	if f.Cause != "" {
		c.Constructed += ", cause " + withoutStubs(f.Cause)
	}
}

// noteNotFired says in a cell why its run threw nothing.
func noteNotFired(c *record.Cell, f *worker.Fired) {
	failed := c.Message
	switch {
	case c.Point != nil:
		c.Outcome, c.Message = record.NotFired, "the test does not come to this place"
	case f != nil && f.Told != "" && f.Wanted == 0:
		c.Outcome, c.Why = record.Undecided, "its executions of the try cannot be told apart: "+f.Told
	case f != nil && f.Wanted > 0:
		c.Outcome, c.Why = record.Undecided, "its executions of the try are not the same in two runs"
	case f != nil && f.White > 0:
		c.Outcome, c.Message = record.NotFired, catchesNo(c.Type)
	default:
		c.Outcome, c.Message = record.NotFired, record.NotAgain
	}
	if failed != "" {
		c.Message = failed
	}
}

// withoutStubs names abstract exception classes where a text names the subclasses
// that were made of them to be thrown: nobody else knows those.
func withoutStubs(text string) string { return strings.ReplaceAll(text, rewrite.StubSuffix, "") }

// put keeps cells for good.
func (r *Injection) put(cells []*record.Cell) error {
	var errs []error
	for _, c := range cells {
		errs = append(errs, r.Memory.PutCell(c))
		r.made.Store(c.Key(), true)
		r.mu.Lock()
		delete(r.asking, c.Catch)
		r.mu.Unlock()
	}
	return errors.Join(errs...)
}

// record keeps the cells of runs for good, and counts them, but for those that a baseline is wanted
// for.
func (r *Injection) record(cells []*record.Cell) error {
	if r.wantsBaseline() {
		cells = slices.DeleteFunc(slices.Clone(cells), forWantOfBaseline)
	}
	err := r.put(cells)
	r.tally.count(func(t *Counts) {
		if r.phase == confirmation || r.phase == fineConfirmation {
			t.Confirmed += len(cells)
		} else {
			t.Cells += len(cells)
		}
	})
	if len(cells) > 0 {
		var keys []record.CellKey
		for _, c := range cells {
			keys = append(keys, c.Key())
		}
		r.Lab.Monitor().Step("", record.ShortCatch(cells[len(cells)-1].Catch), r.did(keys...))
	}
	return err
}
