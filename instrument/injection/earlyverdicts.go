package injection

import (
	"context"
	"iter"
	"maps"
	"reflect"
	"slices"
	"sort"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file gives verdicts on catches whose code was edited, or that somebody asks for, before the
// baseline is complete: the tests that are known to enter their tries run once, or, where no test
// has run yet, the test classes that may by the call graph, and the injections follow at once, in
// the same JVM. What is recorded then is as good as what the injections record later, and not run
// again; what only a baseline can decide is not recorded. The baseline has one run of each test
// instead of several, which the passes that follow make up for.

const (
	// MaxAhead is how many catches may have changed, or be asked for, for this to be worth it, and
	// maxAheadTime what their tests may take: with more, the usual order is as fast.
	MaxAhead     = 8
	maxAheadTime = 10 * time.Second
	// maxNearTime is for how long test classes are begun where no test is known: what they show is
	// used even if there are more of them than that time is enough for.
	maxNearTime = maxAheadTime / 2
)

// Ahead runs what the verdicts of edited catches need, or of catches that are asked for by
// themselves, before there is a baseline, if little is needed, says that they are there
// (Options.Settled), and confirms them. The error is that of a JVM that does not start, of the
// memory, or of ctx; what was recorded until then stays.
func (r *Injection) Ahead(ctx context.Context) error {
	before := r.Counts()
	r.early = true
	defer func() {
		now := r.Counts()
		r.early, r.first.counted = false, now.Cells+now.Reused-before.Cells-before.Reused
	}()
	catches, err := r.ahead(ctx)
	if len(catches) == 0 || err != nil {
		return err
	}
	r.settled()
	if err := r.confirmAll(ctx, r.known(catches)); err != nil {
		return err
	}
	r.settled()
	return nil
}

// known lists the tests that enter the tries of some catches, as far as runs of the present code
// are recorded, by catch ID.
func (r *Injection) known(catches []*snapshot.Catch) map[string][]*record.TestRun {
	byCatch := entering(slices.DeleteFunc(r.Recall.Runs(), func(run *record.TestRun) bool {
		return run.Env != r.Lab.Env || !r.Recall.Current(run.Methods)
	}))
	maps.DeleteFunc(byCatch, func(id string, _ []*record.TestRun) bool {
		return !slices.ContainsFunc(catches, func(c *snapshot.Catch) bool { return c.ID == id })
	})
	return byCatch
}

// settled says that verdicts are recorded.
func (r *Injection) settled() {
	if r.Options.Settled != nil {
		r.Options.Settled()
	}
}

// ahead is Ahead up to the first verdicts, and lists the catches that there may be some of.
func (r *Injection) ahead(ctx context.Context) (catches []*snapshot.Catch, err error) {
	o := &r.Options
	if r.Again && r.All || o.Isolation != SharedJVM && o.Isolation != "" || o.Shuffled {
		return nil, nil
	}
	catches, tests := r.edited()
	var classes []string
	if len(tests) == 0 {
		if catches, classes = r.nearest(); len(classes) == 0 {
			return nil, nil
		}
	}
	r.phase = injections
	r.making.runs = r.Recall.Runs() // which tests make real exceptions, as far as is known
	defer func() { r.phase = "" }()
	look := firstLook
	switch {
	case len(classes) > 0:
		look = firstNear
	case r.Again:
		look = firstAgain
	}
	r.Lab.Monitor().Begin(look, 0) // how much it has to do is known when its tests have run as they are
	r.Lab.Monitor().Step("", record.ShortCatch(catches[0].ID), 0)
	i := injector{r: r, q: newQueue(nil), records: true}
	defer i.close()
	if len(classes) > 0 {
		err = i.firstOf(ctx, catches, classes)
	} else {
		err = i.first(ctx, catches, tests)
	}
	if err != nil {
		return nil, lab.Survive(ctx, err)
	}
	return catches, nil
}

// edited lists the catches of the scope with tests whose records are of other code, or that are to
// run again, and these tests. Where the scope is everything, only catches count whose own method
// has changed. None: there are too many, or there is nothing to do.
func (r *Injection) edited() (catches []*snapshot.Catch, tests []*record.TestRun) {
	byCatch := map[string][]*record.TestRun{}
	for _, run := range r.Recall.Runs() {
		if run.Env != r.Lab.Env || run.Outcome != record.Pass || !r.isTest(run) ||
			!r.Again && r.Recall.Current(run.Methods) {
			continue
		}
		for id, u := range run.Usages {
			if u.Total() > 0 {
				byCatch[id] = append(byCatch[id], run)
			}
		}
	}
	edited := r.editedMethods(byCatch)
	var took time.Duration
	chosen := map[string]bool{}
	for _, c := range r.Snap.Catches {
		if c.InTests || len(c.Handlers) == 0 || len(byCatch[c.ID]) == 0 || !r.Asked(c.ID) ||
			r.All && !slices.ContainsFunc(edited,
				func(m snapshot.MethodRef) bool { return r.Snap.Holds(c, m) }) {
			continue
		}
		if catches = append(catches, c); len(catches) > MaxAhead {
			return nil, nil
		}
		for _, t := range byCatch[c.ID] {
			if chosen[t.ID] {
				continue
			}
			chosen[t.ID] = true
			tests = append(tests, t)
			if took += t.Duration; took > maxAheadTime {
				return nil, nil
			}
		}
	}
	sort.Slice(tests, func(i, j int) bool { return tests[i].ID < tests[j].ID })
	return catches, tests
}

// nearest lists catches that are asked for by themselves when the tests of the module have not run,
// and those test classes that may enter their tries by the call graph and have not, nearest first.
func (r *Injection) nearest() (catches []*snapshot.Catch, classes []string) {
	if r.All || r.Enough || len(r.Recall.Runs()) > 0 && !r.Part {
		return nil, nil
	}
	ran := map[string]bool{} // classes of which a run is recorded
	for _, run := range r.Recall.Runs() {
		ran[run.Class], ran[run.Asked] = true, true
	}
	for _, c := range r.Snap.Catches {
		if c.InTests || len(c.Handlers) == 0 || !r.Asked(c.ID) {
			continue
		}
		if catches = append(catches, c); len(catches) > MaxAhead {
			return nil, nil
		}
		for _, class := range r.Lab.ClassesOf(r.Snap.TestsTo(c)) {
			if !slices.Contains(classes, class) && !ran[class] {
				classes = append(classes, class)
			}
		}
	}
	return catches, classes
}

// Ran has, by class, what the tests did of the classes that Ahead has run as they are.
func (r *Injection) Ran() map[string][]*record.TestRun { return r.first.ran }

// isTest tells whether a recorded test can be run by itself: it has an ID, and its class
// is there.
func (r *Injection) isTest(run *record.TestRun) bool {
	return run.ID != "" && slices.Contains(r.Lab.Classes, run.AskedClass())
}

// editedMethods lists the methods of which tests ran another version than the present
// one, of those in which a try of the catches stands.
func (r *Injection) editedMethods(byCatch map[string][]*record.TestRun) (edited []snapshot.MethodRef) {
	holders := map[string]bool{} // classes
	for _, c := range r.Snap.Catches {
		if len(byCatch[c.ID]) > 0 {
			for _, h := range c.Handlers {
				holders[h.Class] = true
			}
		}
	}
	var sets [][]record.MethodID
	for _, tests := range byCatch {
		sets = append(sets, record.MethodSets(tests)...)
	}
	for k := range r.Recall.Methods(slices.Values(sets)) {
		m := snapshot.MethodRef{Class: k.Class, Method: k.Method}
		if d, ok := r.Snap.MethodDigest(m); holders[k.Class] && (!ok || d != k.Digest) {
			edited = append(edited, m)
		}
	}
	return edited
}

// first runs tests as they are, records what they did, and injects into the tries of
// the catches. What does not end as it should is left to the baseline.
func (i *injector) first(ctx context.Context, catches []*snapshot.Catch, tests []*record.TestRun) error {
	r := i.r
	if err := r.Lab.Monitor().Gate(ctx); err != nil {
		return err
	}
	if err := i.fresh(ctx); err != nil {
		return err
	}
	res, err := i.asIs(ctx, tests)
	if err != nil || res.Died != nil {
		return err
	}
	known := map[string]*record.TestRun{}
	for _, t := range tests {
		known[t.ID] = t
	}
	var runs []*record.TestRun
	for _, run := range r.Lab.Reader().Collect(res) {
		was := known[run.ID]
		if was == nil || run.Outcome != record.Pass {
			continue
		}
		run.Test, run.Asked = was.Test, was.Asked // a test run by itself is not told how its class names it
		run.Shape = was.Shape                     // what came to its class has not run
		i.warm[run.ID] = true
		if runs = append(runs, run); r.Again && r.doesAsKnown(was, run) {
			r.first.repeated[was.Test] = true
			mine := *was // what is recorded may be shown
			if mine.AddSeen(run); reflect.DeepEqual(&mine, was) {
				continue
			}
			run = &mine
		}
		if err := r.Memory.PutTestRun(run); err != nil {
			return err
		}
	}
	return i.firstInjections(ctx, catches, entering(runs))
}

// firstOf is first where no test is known: test classes run, the nearest first, until maxNearTime
// is over; nothing is thrown where they have not ended after maxAheadTime. What they show is
// recorded as of tests that have run once: the baseline runs all tests as if they had not.
func (i *injector) firstOf(ctx context.Context, catches []*snapshot.Catch, classes []string) error {
	r := i.r
	if err := i.fresh(ctx); err != nil {
		return err
	}
	if err := r.Lab.Monitor().Gate(ctx); err != nil {
		return err
	}
	in, cancel := context.WithTimeout(ctx, maxAheadTime)
	defer cancel()
	var runs []*record.TestRun
	began := time.Now()
	for class := range whileNear(classes, func() time.Duration { return time.Since(began) }) {
		j, run, err := r.Lab.RunClass(in, i.j, r.Lab.Reader(), class)
		ended := j != i.j
		i.j = j
		switch {
		case in.Err() != nil && ctx.Err() == nil, err == nil && ended:
			return nil // of what takes long, or ends its JVM, the baseline tells
		case err != nil:
			return err
		}
		if r.first.ran[class] = run.Runs; run.Empty {
			delete(r.first.ran, class)
		}
		for _, t := range run.Runs {
			if t.Outcome != record.Pass || t.ID == "" {
				continue
			}
			if err := r.Memory.PutTestRun(t); err != nil {
				return err
			}
			i.warm[t.ID] = true
			runs = append(runs, t)
		}
	}
	r.making.runs, r.making.makers = runs, nil
	return i.firstInjections(ctx, catches, entering(runs))
}

// whileNear yields the first of some classes, and others until maxNearTime is over: what begins
// later may not end within maxAheadTime, and then nothing that ran before it would count.
func whileNear(classes []string, since func() time.Duration) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n, class := range classes {
			if n > 0 && since() > maxNearTime || !yield(class) {
				return
			}
		}
	}
}

// wantsBaseline tells whether tests are left that no baseline has run yet.
func (r *Injection) wantsBaseline() bool { return r.early || r.Part }

// forWantOfBaseline tells whether a run decides nothing because its exception is made up: a test
// that no baseline has run yet may make a real one. Such a run is not recorded: the injections that
// follow the baseline would not repeat it.
func forWantOfBaseline(c *record.Cell) bool {
	return c.Outcome == record.Undecided && c.Provenance == record.Invented
}

// doesAsKnown tells whether what is known of a test that passed is of the present code, and the
// test did the same with the tries that are asked for. By itself it is often the first in its JVM,
// and then it also runs static initialisers that belong to others. Of coverage only what the
// baseline records tells what was covered in them.
func (r *Injection) doesAsKnown(known, run *record.TestRun) bool {
	if !r.Recall.Current(known.Methods) ||
		(known.Covers || known.Chained) && len(record.Union(known.Methods, run.Methods)) != len(known.Methods) {
		return false
	}
	for _, runs := range [][2]*record.TestRun{{known, run}, {run, known}} {
		if !hasAll(runs[1].Links, r.linksOfAsked(runs[0].Links)) {
			return false
		}
		for id, u := range runs[0].Usages {
			if r.Asked(id) && u != runs[1].Usages[id] {
				return false
			}
		}
	}
	return !slices.ContainsFunc(run.Unknown, func(id string) bool {
		return (id == record.AnyCatch || r.Asked(id)) && !slices.Contains(known.Unknown, id)
	})
}

// hasAll tells whether some links have all of others.
func hasAll(some, others []record.Experienced) bool {
	return !slices.ContainsFunc(others, func(l record.Experienced) bool { return !slices.Contains(some, l) })
}

// linksOfAsked are those of some links that lead to catches that are asked for.
func (r *Injection) linksOfAsked(links []record.Experienced) []record.Experienced {
	return slices.DeleteFunc(slices.Clone(links), func(l record.Experienced) bool { return !r.Asked(l.Catch) })
}

// Repeated tells whether Ahead has run a test, by name, as it is, and it did what is known of it:
// its baseline stands, with what it saw besides.
func (r *Injection) Repeated(test string) bool { return r.first.repeated[test] }

// firstInjections injects into the tries of the catches. What it puts back is counted
// again, and run, after the baseline.
func (i *injector) firstInjections(ctx context.Context, catches []*snapshot.Catch,
	byCatch map[string][]*record.TestRun) error {
	r := i.r
	r.making.byCatch = byCatch
	var units []unit
	for _, c := range catches {
		targets := r.targets(c)
		if len(targets) == 0 || len(byCatch[c.ID]) == 0 {
			continue
		}
		whitesFirst(c, byCatch[c.ID])
		for _, typ := range c.Types {
			some, err := r.unitsOf(c, typ, targets, byCatch[c.ID])
			if err != nil {
				return err
			}
			units = append(units, some...)
		}
	}
	total := r.plan(units)
	r.Lab.Monitor().Total(total)
	for _, u := range units {
		if err := r.Lab.Monitor().Gate(ctx); err != nil {
			return err
		}
		if u = r.withoutNeedless(u); len(u.tests) == 0 {
			continue
		}
		if err := i.unit(ctx, u); err != nil {
			return err
		}
	}
	return i.canary(ctx)
}
