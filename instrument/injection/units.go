package injection

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file divides the injections of short-circuit testing into units of work: a catch, an
// exception type, and tests, with what they are run with and how long they may take.

// unit is one catch, one exception type, and the tests to run with it.
type unit struct {
	catch    *snapshot.Catch
	typ      string // source form
	targets  []worker.Target
	stub     []byte // a concrete subclass, where the type is abstract
	stubName string
	tests    []*record.TestRun
	rung     rung
	rounds   int // how often tests were taken out of it after a canary failed
	// suspect: other tests have ended their JVMs under this injection, and it has not been seen yet
	// what these do.
	suspect bool
	// wavers: its tests have failed and have passed under this injection.
	wavers bool
	// reading tells which executions are struck; only, of the reading White, which of them alone,
	// from 1; 0: all.
	reading record.Reading
	only    int
	// was holds, of what is confirmed, the cells that a verdict rests on, by test.
	was map[string]*record.Cell
	// differed: its tests have ended otherwise in a fresh JVM than before.
	differed bool
	// cold runs begin in a fresh JVM with the injection, not with the tests as they are.
	cold  bool
	apart bool   // what is confirmed in a JVM for itself
	then  []unit // what is confirmed in the same JVM after it
	// point is the place in the try that its targets are, nil for the start.
	point *record.Point
	// step is its place among those of its catch and rank: it waits for those with lower ones, as
	// what they show may make it needless. 0: it waits for none.
	step int
	// after are the catches that do the same, by ID, whose units it waits for.
	after []string
	// later says whether it waits for all others, as a run with the same exception did not end;
	// unended is such a run itself, which is made again alone if nothing else decides.
	later   later
	unended *record.Cell
	home    int // the JVM, from 1, that is to run it if that can be; 0: any
}

// key names the cell of a test of the unit.
func (u unit) key(test string) record.CellKey {
	k := record.CellKey{Catch: u.catch.ID, Type: u.typ, Test: test, Reading: u.reading}
	if u.point != nil {
		k.Point = u.point.At
	}
	return k
}

// injection names what a unit injects.
func (u unit) injection() injected {
	j := injected{catch: u.catch.ID, typ: u.typ}
	if u.point != nil {
		j.point = u.point.At
	}
	return j
}

type injected struct {
	catch, typ string
	point      int // 0: the start of the try
}

// rung says how a unit is isolated from others.
type rung uint8

const (
	shared rung = iota // in a segment with others
	single             // in a segment of its own
	fresh              // in a fresh JVM of its own
	alone              // each test in a fresh JVM
)

// Sizes of what runs between two looks.
const (
	maxUnitTests = 40 // tests of one request
	maxDoubted   = 2  // failing runs of a unit that are repeated before all of them are believed
	maxHangs     = 3  // hanging tests of a unit, after which the rest is left out
)

// soonestFirst orders units so that verdicts come early: those first that decide source
// independence, by executions that were white before those by all, and then the others. Of these
// the catches come first whose runs take least in all, one catch after the other: a verdict needs
// all of them, unless a failing one decides, for which the shortest ones come first.
func soonestFirst(units []unit) {
	type part struct {
		rank  int
		catch string
	}
	takes := map[part]time.Duration{}
	of := func(u unit) part { return part{u.rank(), u.catch.ID} }
	for _, u := range units {
		takes[of(u)] += u.duration()
	}
	slices.SortStableFunc(units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(takes[of(a)], takes[of(b)]),
			strings.Compare(a.catch.ID, b.catch.ID),
			cmp.Compare(a.duration(), b.duration()))
	})
}

// rank is the place of the unit among others: 0 comes first.
func (u unit) rank() int {
	switch {
	case u.reading == record.White:
		return 0
	case u.makesCatchRun():
		return 1
	}
	return 2
}

// makesCatchRun tells whether the unit's tests make the catch run.
func (u unit) makesCatchRun() bool {
	return len(u.tests) > 0 && u.tests[0].Usages[u.catch.ID].White > 0
}

// duration is what the tests took in the baseline, with those of what follows.
func (u unit) duration() (d time.Duration) {
	for _, t := range u.tests {
		d += t.Duration
	}
	for _, v := range u.then {
		d += v.duration()
	}
	return d
}

// units lists what to run: for each catch whose try a stable test enters, each of those tests with
// each type of the catch (paper 001, figure 1), as far as a verdict asks for it. The error is one
// of the memory.
func (r *Injection) units(runs []*record.TestRun) (units []unit, err error) {
	byCatch := entering(runs)
	for _, c := range r.Snap.Catches {
		tests := byCatch[c.ID]
		if c.InTests || len(c.Handlers) == 0 || len(tests) == 0 || !r.Asked(c.ID) {
			continue
		}
		targets := r.targets(c)
		if len(targets) == 0 {
			r.tally.note("%s:%d: the class file's handler carries no probes, nothing can be injected", c.File.Path,
				c.Line)
			continue
		}
		whitesFirst(c, tests)
		for _, typ := range c.Types {
			some, err := r.unitsOf(c, typ, targets, tests)
			if err != nil {
				return nil, err
			}
			units = append(units, some...)
		}
	}
	return units, nil
}

// whitesFirst orders tests: those that make the catch run decide source independence and
// come first, short ones before long ones.
func whitesFirst(c *snapshot.Catch, tests []*record.TestRun) {
	sort.SliceStable(tests, func(i, j int) bool {
		a, b := tests[i], tests[j]
		if wa, wb := a.Usages[c.ID].White > 0, b.Usages[c.ID].White > 0; wa != wb {
			return wa
		}
		return a.Duration < b.Duration
	})
}

// entering lists, by catch, the stable tests that enter its try.
func entering(runs []*record.TestRun) map[string][]*record.TestRun {
	byCatch := map[string][]*record.TestRun{}
	for _, run := range runs {
		if !run.Stable() {
			continue
		}
		for id, u := range run.Usages {
			if u.Total() > 0 {
				byCatch[id] = append(byCatch[id], run)
			}
		}
	}
	return byCatch
}

// unitsOf lists what to run for a catch and a type: the tests that make the catch run with their
// white executions struck, and all tests with every execution struck; of both what a verdict asks
// for. Where all executions of a test are white it strikes every one with these, as a rule. The
// error is one of the memory.
func (r *Injection) unitsOf(c *snapshot.Catch, typ string, targets []worker.Target,
	tests []*record.TestRun) ([]unit, error) {
	u := unit{catch: c, typ: typ, targets: targets}
	u.stub, u.stubName = r.stub(typ)
	whites := slices.DeleteFunc(slices.Clone(tests), func(t *record.TestRun) bool { return t.Usages[c.ID].White == 0 })
	pinks := slices.DeleteFunc(slices.Clone(tests), func(t *record.TestRun) bool { return t.Usages[c.ID].White > 0 })
	u.reading = record.White
	none, struck := divide(r.openUnit(u, whites), func(t *record.TestRun) bool { return !r.catchesNone(t, c, typ) })
	if err := r.notCaught(u, none.tests); err != nil {
		return nil, err
	}
	asks := r.needsRuns(c)
	struck, needless := divide(struck, func(t *record.TestRun) bool { return !asks(t.Test, typ, record.White) })
	r.drop(needless)
	units := r.divided(u, struck.tests)
	u.reading = record.Every
	for _, twin := range r.twins(c) {
		u.after = append(u.after, twin.ID)
	}
	for _, some := range [][]*record.TestRun{whites, pinks} {
		open, needless := divide(r.openUnit(u, some), func(t *record.TestRun) bool {
			w := t.Usages[c.ID]
			return !asks(t.Test, typ, record.Every) || w.Pink+w.Blue == 0 && slices.Contains(struck.tests, t)
		})
		r.drop(needless)
		units = append(units, r.divided(u, open.tests)...)
	}
	return units, nil
}

// openUnit is a unit with those of some tests of which it is not known how they end as it says.
func (r *Injection) openUnit(u unit, tests []*record.TestRun) unit {
	u.tests = r.openOf(u, tests)
	return u
}

// openOf lists the tests of which it is not known how they end as a unit says.
func (r *Injection) openOf(u unit, tests []*record.TestRun) (open []*record.TestRun) {
	for _, t := range tests {
		if cell, ok := r.Recall.Cell(u.key(t.Test)); ok && r.enough(cell) && cell.Cut == 0 &&
			!r.toRepeat(cell) {
			r.tally.count(func(t *Counts) { t.Reused++ })
			r.recallHang(cell)
			continue
		}
		open = append(open, t)
	}
	r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	return open
}

// divided makes units of tests. The first has one test and each further one twice as many as the
// one before, as what a few show may make the others needless.
func (r *Injection) divided(u unit, tests []*record.TestRun) (units []unit) {
	most := maxUnitTests
	if r.isolation() == ForkedJVM {
		u.rung, most = alone, 1
	}
	for n, done := 1, 0; len(tests) > 0; n *= 2 {
		size := min(most, len(tests), n)
		v := u
		v.tests, tests = tests[:size], tests[size:]
		v.step, done = stepAfter(done), done+size
		units = append(units, v)
	}
	return units
}

// stub makes a concrete subclass of an abstract exception type; nil for others.
func (r *Injection) stub(typ string) ([]byte, string) {
	name := strings.ReplaceAll(typ, ".", "/")
	f, ok := r.Snap.Facts(name)
	if !ok || f.Access&accAbstract == 0 {
		return nil, ""
	}
	data, stubName, err := rewrite.AbstractStub(name,
		func(n string) *facts.Class { f, _ := r.Snap.Facts(n); return f })
	if err != nil {
		r.tally.note("%s is abstract and no subclass of it can be made: %v", typ, err)
		return nil, ""
	}
	return data, strings.ReplaceAll(stubName, "/", ".")
}

const accAbstract = 0x0400

// targets are the tries and the handlers of a catch.
func (r *Injection) targets(c *snapshot.Catch) []worker.Target { return r.followedOf(c) }

// eachHandler calls f for each handler of a catch, with its class (internal name) and
// its probe.
func (r *Injection) eachHandler(c *snapshot.Catch, f func(class string, p plan.Catch)) {
	for _, h := range c.Handlers {
		info := r.Snap.Class(h.Class)
		if info == nil {
			continue
		}
		for _, p := range plan.ForClass(info.Facts, plan.Full).Catches {
			if (exceptions.HandlerRef{Class: h.Class, Method: int(p.Method), Handler: int(p.Handler)}) == h {
				f(h.Class, p)
			}
		}
	}
}

// patience is the rung that a unit's timeouts are of.
func (u unit) patience() rung {
	if u.cold {
		return alone
	}
	return u.rung
}
