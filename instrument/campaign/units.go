package campaign

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"catchlens/analysis/exceptions"
	"catchlens/analysis/facts"
	"catchlens/analysis/snapshot"
	"catchlens/instrument/plan"
	"catchlens/instrument/rewrite"
	"catchlens/instrument/worker"
)

// This file divides the injections of short-circuit testing into units of work: a catch, an exception type, and
// tests, with what they are run with and how long they may take.

// unit is one catch, one exception type, and the tests to run with it.
type unit struct {
	catch    *snapshot.Catch
	typ      string // source form
	targets  []worker.Target
	stub     []byte // a concrete subclass, where the type is abstract
	stubName string
	tests    []*TestRun
	rung     rung
	rounds   int // how often tests were taken out of it after a canary failed
	// suspect: other tests have ended their JVMs under this injection, and it has not been seen yet what these do.
	suspect bool
	// wavers: its tests have failed and have passed under this injection.
	wavers bool
	caused bool // the exceptions have causes
	// own is a failing run of the test of the unit: the exceptions have the message of the one that
	// the catch catches when the test runs as it is, if that is what the run failed for; message
	// is that, "" for one as real ones have.
	own     *Cell
	message string
	// was holds, of what is confirmed, the cells that a verdict rests on, by test.
	was map[string]*Cell
	// cold runs begin in a fresh JVM with the injection, not with the tests as they are.
	cold bool
	// point is the place in the try that its targets are, nil for the start.
	point *Point
	home  int // the JVM, from 1, that is to run it if that can be; 0: any
}

// injection names what a unit injects.
func (u unit) injection() injection {
	j := injection{catch: u.catch.ID, typ: u.typ}
	if u.point != nil {
		j.point = u.point.At
	}
	return j
}

type injection struct {
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
	maxUnitTests    = 40 // tests of one request
	maxDoubted      = 2  // failing runs of a unit that are repeated before all of them are believed
	maxHangs        = 3  // hanging tests of a unit, after which the rest is left out
	minTimeout      = 10 * time.Second
	aloneTimeout    = 40 * time.Second // at least, in a JVM that has yet to load everything; what hangs here hangs
	maxTimeout      = time.Minute
	timeoutMultiple = 10
)

// soonestFirst orders units so that verdicts come early: those first that decide source
// independence, the shortest of them first, and then the others.
func soonestFirst(units []unit) {
	slices.SortStableFunc(units, func(a, b unit) int {
		if a.white() != b.white() {
			return map[bool]int{true: -1, false: 1}[a.white()]
		}
		return cmp.Compare(a.duration(), b.duration())
	})
}

// white tells whether the unit's tests make the catch run.
func (u unit) white() bool { return len(u.tests) > 0 && u.tests[0].Usages[u.catch.ID].White > 0 }

// duration is what the tests took in the baseline.
func (u unit) duration() (d time.Duration) {
	for _, t := range u.tests {
		d += t.Duration
	}
	return d
}

// units lists what to run: for each catch whose try a stable test enters, each
// of those tests with each type of the catch (paper 001, figure 1).
func (r *moduleRun) units(runs []*TestRun) []unit {
	byCatch := entering(runs)
	var units []unit
	for _, c := range r.c.Snap.Catches {
		tests := byCatch[c.ID]
		if c.InTests || len(c.Handlers) == 0 || len(tests) == 0 || !r.scope.has(c.ID) {
			continue
		}
		targets := r.targets(c)
		if len(targets) == 0 {
			r.c.note("%s:%d: the class file's handler carries no probes, nothing can be injected", c.File.Path, c.Line)
			continue
		}
		whitesFirst(c, tests)
		for _, typ := range c.Types {
			units = append(units, r.unitsOf(c, typ, targets, tests)...)
		}
	}
	return units
}

// whitesFirst orders tests: those that make the catch run decide source independence and
// come first, short ones before long ones.
func whitesFirst(c *snapshot.Catch, tests []*TestRun) {
	sort.SliceStable(tests, func(i, j int) bool {
		a, b := tests[i], tests[j]
		if wa, wb := a.Usages[c.ID].White > 0, b.Usages[c.ID].White > 0; wa != wb {
			return wa
		}
		return a.Duration < b.Duration
	})
}

// entering lists, by catch, the stable tests that enter its try.
func entering(runs []*TestRun) map[string][]*TestRun {
	byCatch := map[string][]*TestRun{}
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

func (r *moduleRun) unitsOf(c *snapshot.Catch, typ string, targets []worker.Target, tests []*TestRun) []unit {
	var open []*TestRun
	for _, t := range tests {
		if cell, ok := r.known(c.ID, typ, t.Test, 0); ok && !r.scope.Again && r.enough(cell) {
			r.c.mu.Lock()
			r.c.sum.Reused++
			r.c.mu.Unlock()
			r.recallHang(cell)
			continue
		}
		open = append(open, t)
	}
	r.c.shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	u := unit{catch: c, typ: typ, targets: targets}
	u.stub, u.stubName = r.stub(typ)
	most := maxUnitTests
	if r.isolation() == ForkedJVM {
		u.rung, most = alone, 1
	}
	var units []unit
	for len(open) > 0 {
		n := min(most, len(open))
		if whites := slices.IndexFunc(open, func(t *TestRun) bool { return t.Usages[c.ID].White == 0 }); whites > 0 {
			n = min(n, whites) // what decides source independence by itself, for it to be known soon
		}
		v := u
		v.tests, open = open[:n], open[n:]
		units = append(units, v)
	}
	return units
}

// stub makes a concrete subclass of an abstract exception type; nil for others.
func (r *moduleRun) stub(typ string) ([]byte, string) {
	name := strings.ReplaceAll(typ, ".", "/")
	f, ok := r.c.Snap.Facts(name)
	if !ok || f.Access&accAbstract == 0 {
		return nil, ""
	}
	data, stubName, err := rewrite.AbstractStub(name, func(n string) *facts.Class { f, _ := r.c.Snap.Facts(n); return f })
	if err != nil {
		r.c.note("%s is abstract and no subclass of it can be made: %v", typ, err)
		return nil, ""
	}
	return data, strings.ReplaceAll(stubName, "/", ".")
}

const accAbstract = 0x0400

// targets are the tries of a catch's handlers.
func (r *moduleRun) targets(c *snapshot.Catch) []worker.Target {
	var out []worker.Target
	r.eachHandler(c, func(class string, p plan.Catch) { out = append(out, worker.Target{Class: class, Try: p.Try}) })
	return out
}

// eachHandler calls f for each handler of a catch, with its class (internal name) and
// its probe.
func (r *moduleRun) eachHandler(c *snapshot.Catch, f func(class string, p plan.Catch)) {
	for _, h := range c.Handlers {
		info := r.c.Snap.Class(h.Class)
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

// stallOf is for how long all threads of a test must be blocked, with nobody left who could end that,
// before it counts as a hang.
func stallOf(tests []*TestRun) time.Duration {
	stall := minStall
	for _, t := range tests {
		stall = max(stall, timeoutMultiple*t.Duration)
	}
	return stall
}

// timeoutOf is how long a test under injection may take: a multiple of what it
// took as it is. The first to exceed it is repeated alone, with more patience,
// before it counts as a hang: machines are busy.
func timeoutOf(tests []*TestRun, r rung) time.Duration {
	var most time.Duration
	for _, t := range tests {
		most = max(most, t.Duration)
	}
	least := minTimeout
	if r == alone {
		least = aloneTimeout
	}
	return min(max(timeoutMultiple*most, least), max(maxTimeout, 3*most))
}
