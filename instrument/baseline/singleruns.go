package baseline

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file gives tries that run once in a JVM, in a static initialiser or to fill a cache, to
// the same test whatever the order of the tests and however they were divided by JVMs. In the
// repetitions of the baseline they belong to the tests that happened to come first.

const (
	// maxOnceTests is how many tests are run twice more for such tries, in all: tries that more
	// seem to enter are not settled.
	maxOnceTests = 5000
	// maxOwners is how many tests are run alone to find one that enters such a try.
	maxOwners = 3
	// maxCallers is how many callers of the try's method are looked at for such tests.
	maxCallers = 32
	// longOwner is the processor time from which on a test gets such a try only where no shorter
	// one enters it: each injected run of the try takes as long. What a test takes differs from
	// campaign to campaign; few take about as much as this, so that the try keeps its test.
	longOwner = time.Second
)

// once is a search for the tests of tries that run once.
type once struct {
	b       *Baseline
	all     map[string]*record.TestRun // the tests that passed, by name
	made    map[string]*record.TestRun // those of them that nobody else has yet, by name: they may be changed
	records map[string]*record.TestRun // what will be recorded, by name
	catches []*snapshot.Catch
	asked   map[string]bool                                        // what catches has or had, by ID
	entries func(c *snapshot.Catch, most int) []snapshot.MethodRef // as in a snapshot; nil: not known
	// what tests did alone in fresh JVMs, by name; nil: not what it should
	alone map[string]*record.TestRun
}

// settleOnce finds the tests of the tries that run once: those of static initialisers, and those
// that some test entered more often in one repetition than in the other, which wavering has. A test
// enters such a try as often as it does when it runs for the second time in one JVM, right after
// the first. If none does, the try belongs to the first test by name, of those that ran its class,
// that enters it alone in a fresh JVM, to one that takes long only if no other does; where no such
// test is found, all stays as it was.
func (b *Baseline) settleOnce(ctx context.Context, known, made map[string]*record.TestRun,
	wavering map[string]bool) error {
	o := &once{b: b, entries: b.Snap.Entries, all: map[string]*record.TestRun{}, made: map[string]*record.TestRun{},
		records: made, asked: map[string]bool{}, alone: map[string]*record.TestRun{}}
	for _, runs := range []map[string]*record.TestRun{known, made} {
		for name, run := range runs {
			if delete(o.all, name); run.Stable() && run.ID != "" {
				o.all[name] = run
			}
		}
	}
	entered := map[string]bool{}
	for name, run := range o.all {
		if made[name] == run {
			o.made[name] = run
			for id := range run.Usages {
				entered[id] = true
			}
		}
	}
	for _, c := range b.Snap.Catches {
		if !c.InTests && entered[c.ID] && (wavering[c.ID] || RunsOnce(c)) {
			o.add(c)
		}
	}
	if len(o.catches) == 0 {
		return nil
	}
	again, err := o.runAgain(ctx)
	if err != nil || again == nil {
		return err
	}
	b.Lab.Monitor().Begin("owners of tries that run once", len(o.catches))
	for _, c := range o.catches {
		if err := o.assignTests(ctx, c, again); err != nil {
			return err
		}
		b.Lab.Monitor().Step("", "", 1)
	}
	return nil
}

// bounded leaves out the catches whose tries too many tests seem to enter, and lists those that
// seem to enter the others, by name. How long they take plays no part: that depends on what else
// the machine does.
func (o *once) bounded() (tests []*record.TestRun) {
	entering := map[*snapshot.Catch][]*record.TestRun{}
	for _, c := range o.catches {
		for _, t := range o.made {
			if _, ok := t.Usages[c.ID]; ok {
				entering[c] = append(entering[c], t)
			}
		}
	}
	slices.SortFunc(o.catches, func(a, b *snapshot.Catch) int {
		return cmp.Or(cmp.Compare(len(entering[a]), len(entering[b])), strings.Compare(a.ID, b.ID))
	})
	chosen := map[*record.TestRun]bool{}
	for n, c := range o.catches {
		more := len(chosen)
		for _, t := range entering[c] {
			if !chosen[t] {
				more++
			}
		}
		if more > maxOnceTests {
			o.catches = o.catches[:n]
			break
		}
		for _, t := range entering[c] {
			chosen[t] = true
		}
	}
	tests = slices.SortedFunc(maps.Keys(chosen),
		func(a, b *record.TestRun) int { return strings.Compare(a.Test, b.Test) })
	return tests
}

// runAgain is what the tests that seem to enter the tries do the second time (secondRuns), by name;
// nil: there are none, or the JVM ended. Where one of them does not do with another try what it did
// in the baseline, that try is one of them, too: in both repetitions the same tests may have
// happened to come first.
func (o *once) runAgain(ctx context.Context) (again map[string]*record.TestRun, err error) {
	ran := map[string]bool{}
	for {
		tries := len(o.catches)
		tests := slices.DeleteFunc(o.bounded(), func(t *record.TestRun) bool { return ran[t.Test] })
		o.b.Log.Debug("tries that run once", "tries", tries, "settled", len(o.catches), "tests", len(tests))
		if len(tests) == 0 {
			return again, nil
		}
		second, err := o.secondRuns(ctx, tests)
		if err != nil || second == nil {
			return again, err
		}
		for _, t := range tests {
			ran[t.Test] = true
		}
		if again == nil {
			again = second
		} else {
			maps.Copy(again, second)
		}
		o.addDiffering(second)
	}
}

// addDiffering adds the catches of the workspace, outside tests, with whose try a test did
// something else the second time.
func (o *once) addDiffering(second map[string]*record.TestRun) {
	differ := map[string]bool{}
	for name, run := range second {
		wavers(differ, &record.TestRun{Usages: o.all[name].Usages}, run)
	}
	for _, c := range o.b.Snap.Catches {
		if differ[c.ID] && !c.InTests && !o.asked[c.ID] {
			o.add(c)
		}
	}
}

// add adds a catch.
func (o *once) add(c *snapshot.Catch) {
	o.catches = append(o.catches, c)
	o.asked[c.ID] = true
}

// secondRuns are what tests do when they run twice in one JVM, the second time, or by themselves
// where they do not pass after the others, by name; nil: a JVM ended. The JVMs divide the tests by
// their classes: what ran between plays no part in a second run.
func (o *once) secondRuns(ctx context.Context, tests []*record.TestRun) (map[string]*record.TestRun, error) {
	classes := lab.ByClass(tests)
	queue, second, died := lab.NewShare(classes), map[string]*record.TestRun{}, false
	var mu sync.Mutex
	o.b.Lab.Monitor().Begin("tests of tries that run once", len(tests))
	if err := o.b.Lab.Parallel(ctx, len(classes), func(ctx context.Context) error {
		j, err := o.b.Lab.Start(ctx, lab.Setup{})
		if err != nil {
			return err
		}
		defer func() { j.Close() }()
		for {
			class, ok := queue.Take(nil)
			if !ok {
				return nil
			}
			if j.Spins(ctx) {
				if j, err = j.Restart(ctx); err != nil {
					return err
				}
			}
			_, runs, err := o.run(ctx, j, class, true)
			if err != nil {
				return err
			}
			o.b.Lab.Monitor().Step("", class[0].Class, len(class))
			mu.Lock()
			maps.Copy(second, runs)
			died = died || runs == nil
			enough := died
			mu.Unlock()
			if enough {
				return nil
			}
		}
	}); err != nil || died {
		return nil, err
	}
	open := slices.DeleteFunc(slices.Clone(tests), func(t *record.TestRun) bool { return second[t.Test] != nil })
	if len(open) > maxDependent {
		return second, nil
	}
	by := make([]*record.TestRun, len(open)) // what tests do by themselves that do not pass after the others
	if err := o.b.Lab.Each(ctx, "tries that run once", len(open), func(ctx context.Context, n int) (err error) {
		by[n], err = o.b.passesAlone(ctx, open[n])
		return err
	}); err != nil {
		return nil, err
	}
	for n, t := range open {
		if by[n] != nil {
			second[t.Test] = by[n]
		}
	}
	return second, nil
}

// run runs tests in a JVM as they are, or each of them twice, one time right after the other so
// that what other tests have left plays no part in the second. It returns what those did that
// passed each time, by name; nil where the JVM ended.
func (o *once) run(ctx context.Context, j *worker.JVM, tests []*record.TestRun,
	twice bool) (first, second map[string]*record.TestRun, err error) {
	if err := o.b.Lab.Monitor().Gate(ctx); err != nil {
		return nil, nil, err
	}
	var ids []string
	names := map[string]string{}
	for _, t := range tests {
		ids = append(ids, t.ID)
		if twice {
			ids = append(ids, t.ID)
		}
		names[t.ID] = t.Test
	}
	runs, err := o.b.Lab.RunIn(ctx, j, worker.Request{Tests: ids, Timeout: lab.TimeLimit(tests, true)})
	if err != nil || runs == nil {
		return nil, nil, err
	}
	first, second = map[string]*record.TestRun{}, map[string]*record.TestRun{}
	seen := map[string]bool{}
	for _, run := range runs {
		name := names[run.ID]
		switch {
		case name == "":
		case !seen[name]:
			seen[name] = true
			if run.Outcome == record.Pass {
				first[name] = run
			}
		case run.Outcome == record.Pass && first[name] != nil:
			second[name] = run
		}
	}
	return first, second, nil
}

// assignTests gives the try of one catch its tests, by what they did when they ran again.
func (o *once) assignTests(ctx context.Context, c *snapshot.Catch, again map[string]*record.TestRun) error {
	enters := func(run *record.TestRun) bool { return run.UsageOf(c.ID).Total() > 0 }
	var not []*record.TestRun // seemed to enter it
	found := false
	for name, t := range o.all {
		switch u, ok := t.Usages[c.ID]; {
		case !ok || again[name] == nil:
			found = found || u.Total() > 0
		case enters(again[name]):
			found = true
		default:
			not = append(not, t)
		}
	}
	lost, had := o.lostUsages(c, again)
	kept := map[string]bool{}
	var owner *record.TestRun
	if !found || len(had) > 0 {
		for _, t := range o.candidates(c, again) {
			run, err := o.byItself(ctx, t)
			if err != nil {
				return err
			}
			if u := run.UsageOf(c.ID); enters(run) && (u.White > 0 || !lost.white) && (u.Blue > 0 || !lost.blue) {
				owner = o.writableRecord(t)
				break
			}
		}
		switch {
		case owner == nil && !found:
			return nil
		case owner == nil:
			kept = had
		}
	}
	not = slices.DeleteFunc(not, func(t *record.TestRun) bool { return kept[t.Test] })
	saw := map[record.Experienced]bool{} // links that will be known without those who do not enter the try
	for name, t := range o.made {
		if run := again[name]; enters(run) && !kept[name] {
			o.adoptRun(t, c, run, saw)
		}
	}
	for _, t := range not {
		delete(t.Usages, c.ID)
	}
	if owner != nil {
		o.adoptRun(owner, c, o.alone[owner.Test], saw)
	}
	for _, t := range not {
		if t == owner {
			continue
		}
		t.Links = slices.DeleteFunc(slices.Clone(t.Links),
			func(l record.Experienced) bool { return l.Catch == c.ID && saw[l] })
		if slices.ContainsFunc(t.Links, func(l record.Experienced) bool { return l.Catch == c.ID }) {
			t.Usages[c.ID] = record.Usage{} // nobody else has experienced them; too uncertain to inject into
		}
	}
	return nil
}

// kinds are kinds of usages.
type kinds struct{ white, blue bool }

// lostUsages tells which kinds of usages tests had of the try of a catch and none has when it runs
// again, and which tests, by name: that an exception came to the catch, or left the try by another
// way, is not to be forgotten.
func (o *once) lostUsages(c *snapshot.Catch, again map[string]*record.TestRun) (lost kinds, had map[string]bool) {
	var before, after kinds
	add := func(k *kinds, u record.Usage) { k.white, k.blue = k.white || u.White > 0, k.blue || u.Blue > 0 }
	for name, t := range o.all {
		u := t.Usages[c.ID]
		add(&before, u)
		if second := again[name]; second != nil {
			u = second.Usages[c.ID]
		}
		add(&after, u)
	}
	lost = kinds{before.white && !after.white, before.blue && !after.blue}
	had = map[string]bool{}
	for name, t := range o.all {
		if u := t.Usages[c.ID]; lost.white && u.White > 0 || lost.blue && u.Blue > 0 {
			had[name] = true
		}
	}
	return lost, had
}

// writableRecord is the record of a test, which may be changed.
func (o *once) writableRecord(t *record.TestRun) *record.TestRun {
	if o.made[t.Test] == nil {
		mine := *t
		mine.Usages = maps.Clone(t.Usages)
		o.all[t.Test], o.made[t.Test], o.records[t.Test] = &mine, &mine, &mine
	}
	return o.made[t.Test]
}

// adoptRun makes what a run did with a catch what its test does, and adds the links that it saw
// to a set.
func (o *once) adoptRun(t *record.TestRun, c *snapshot.Catch, run *record.TestRun, saw map[record.Experienced]bool) {
	t.Usages[c.ID] = run.Usages[c.ID]
	t.Methods = record.Union(t.Methods, run.Methods)
	t.Below, t.Aside = t.Below.With(run.Below), t.Aside.With(run.Aside)
	t.Links, t.Unknown = slices.Clone(t.Links), record.AddNames(t.Unknown, run.Unknown)
	for _, l := range run.Links {
		if l.Catch == c.ID && !slices.Contains(t.Links, l) {
			t.Links = append(t.Links, l)
		}
	}
	record.SortLinks(t.Links)
	for _, l := range t.Links {
		if l.Catch == c.ID {
			saw[l] = true
		}
	}
}

// candidates are tests that may enter the try of a catch if they are the first in a JVM, a few:
// those that ran other methods of its class than the one with the try, those that ran that one,
// each by name, and of each of the nearest callers the first by name that ran it; long ones where
// there are no others. What a test ran is what it ran when it ran again, where that is known: an
// initialiser may have run the others.
func (o *once) candidates(c *snapshot.Catch, again map[string]*record.TestRun) (tests []*record.TestRun) {
	own, others := []*record.TestRun(nil), []*record.TestRun(nil)
	callers := o.callers(c)
	calling := make([]*record.TestRun, len(callers)) // the first by name that ran each
	type role struct {
		own, other bool // it holds the try; it is another one of the class
		caller     int  // among callers, or -1
	}
	roles := map[record.MethodID]role{}
	for _, t := range o.shortFirst() {
		ranOwn, ranOther := false, false
		methods := t.Methods
		if second := again[t.Test]; second != nil {
			methods = second.Methods
		}
		for _, id := range methods {
			x, known := roles[id]
			if !known {
				k := o.b.Memory.Method(id)
				x.caller = slices.Index(callers, snapshot.MethodRef{Class: k.Class, Method: k.Method})
				if slices.ContainsFunc(c.Handlers, func(h exceptions.HandlerRef) bool { return h.Class == k.Class }) {
					x.own = k.Method == c.Method
					x.other = !x.own && k.Method != snapshot.Dispatch && !strings.HasPrefix(k.Method, "<clinit>")
				}
				roles[id] = x
			}
			ranOwn, ranOther = ranOwn || x.own, ranOther || x.other
			if x.caller >= 0 && calling[x.caller] == nil {
				calling[x.caller] = t
			}
		}
		if ranOther {
			others = append(others, t)
		}
		if ranOwn {
			own = append(own, t)
		}
	}
	for _, some := range [][]*record.TestRun{others, own, calling} {
		added := 0
		for _, t := range some {
			if t != nil && added < maxOwners && !slices.Contains(tests, t) {
				tests = append(tests, t)
				added++
			}
		}
	}
	return tests
}

// shortFirst lists the tests by name, those last that take long.
func (o *once) shortFirst() []*record.TestRun {
	long := func(t *record.TestRun) int {
		if t.Duration-t.Waited >= longOwner {
			return 1
		}
		return 0
	}
	return slices.SortedFunc(maps.Values(o.all), func(a, b *record.TestRun) int {
		return cmp.Or(cmp.Compare(long(a), long(b)), strings.Compare(a.Test, b.Test))
	})
}

// callers are the methods that lead to the one with the try of a catch, which is not among them,
// the nearest first.
func (o *once) callers(c *snapshot.Catch) []snapshot.MethodRef {
	if o.entries == nil {
		return nil
	}
	return slices.DeleteFunc(o.entries(c, maxCallers),
		func(m snapshot.MethodRef) bool { return m.Method == c.Method && m.Class == c.Handlers[0].Class })
}

// byItself is what a test does alone in a fresh JVM, where it is run once; nil: it does not pass.
func (o *once) byItself(ctx context.Context, t *record.TestRun) (*record.TestRun, error) {
	if run, ok := o.alone[t.Test]; ok {
		return run, nil
	}
	j, err := o.b.Lab.Start(ctx, lab.Setup{})
	if err != nil {
		return nil, err
	}
	defer j.Close()
	passed, _, err := o.run(ctx, j, []*record.TestRun{t}, false)
	if err != nil {
		return nil, err
	}
	o.alone[t.Test] = passed[t.Test]
	return passed[t.Test], nil
}
