package injection

import (
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// unitOf is a unit of a catch, with a test of these usages.
func unitOf(catch, test string, u record.Usage) unit {
	return unit{catch: &snapshot.Catch{ID: catch}, typ: "E", reading: record.Every,
		tests: []*record.TestRun{{Test: test, Usages: map[string]record.Usage{catch: u}}}}
}

// namesOf lists the first tests of units.
func namesOf(units []unit) (names []string) {
	for _, u := range units {
		names = append(names, u.tests[0].Test)
	}
	return names
}

// Of a catch with runs that were ended one unit of other tests runs first, and then one of those
// that were ended, the one that answers most; of other catches all.
func TestSoonToEnd(t *testing.T) {
	ended := func(u unit) unit {
		u.unended, u.rung = &record.Cell{}, alone
		return u
	}
	pink, white := record.Usage{Pink: 1}, record.Usage{White: 1}
	first, other, many := unitOf("c", "a", pink), unitOf("c", "other", pink), unitOf("c", "many", pink)
	many.tests = append(many.tests, other.tests...)
	mixed, pure := unitOf("c", "b", record.Usage{Pink: 1, White: 1}), unitOf("c", "z", white)
	elsewhere, without := unitOf("d", "d", pink), unitOf("e", "e", pink)
	reopened := other // it was needless, and is not
	other.later, many.later = afterOthers, afterOthers
	for n, x := range []struct {
		again     bool // others have been run since
		units     []unit
		now, left []string
	}{
		{false, []unit{ended(first), many, reopened, ended(elsewhere), without}, []string{"other", "d", "e"},
			[]string{"a", "many"}},
		{true, []unit{ended(first), many, ended(mixed), ended(pure)}, []string{"z"}, []string{"a", "many", "b"}},
		{true, []unit{ended(first), ended(mixed)}, []string{"b"}, []string{"a"}},
		{true, []unit{other, many}, []string{"other", "many"}, nil},
	} {
		r := forTests()
		r.cut[first.injection()], r.begunAgain["c"], r.phase = true, x.again, injections
		now := r.soonToEnd(slices.Clone(x.units))
		if got := namesOf(now); !slices.Equal(got, x.now) || !slices.Equal(namesOf(r.dropped), x.left) {
			t.Errorf("%d: %v now, %v later; want %v and %v", n, got, namesOf(r.dropped), x.now, x.left)
		}
		for _, u := range now {
			if r.putOff(u) {
				t.Errorf("%d: %s is put off again", n, u.tests[0].Test)
			}
		}
		left := r.dropped
		r.dropped = nil
		if next := r.soonToEnd(left); len(next) > 0 && next[0].unended == nil {
			t.Errorf("%d: then %v", n, namesOf(next))
		}
	}
}

// After a run that did not end the others with the same exception are put off, once. Runs inside
// the try, alone, or in JVMs of their own are not, nor what is confirmed.
func TestPutOffUnended(t *testing.T) {
	u := unitOf("c", "a", record.Usage{Pink: 1})
	again, apart, inside := u, u, u
	again.later, apart.rung, inside.point = afterOthers, alone, &record.Point{}
	for _, x := range []struct {
		cut       bool
		phase     string
		isolation Isolation
		want      bool
	}{
		{false, injections, "", false}, {true, injections, "", true}, {true, injections, SharedJVM, true},
		{true, confirmation, "", false}, {true, injections, ForkedJVM, false}, {true, injections, FreshLoader, false},
	} {
		r := forTests()
		r.Isolation, r.phase, r.cut[u.injection()] = x.isolation, x.phase, x.cut
		if got := r.putOff(u); got != x.want || len(r.dropped) > 0 != x.want || r.putOff(again) ||
			r.putOff(apart) || r.putOff(inside) {
			t.Errorf("%+v: %v", x, got)
		}
	}
}

// A run that was ended, and that nobody asked for, is not recalled: somebody may ask now.
func TestUnendedIsOpen(t *testing.T) {
	r, second, m := twinned()
	u := unit{catch: second, typ: second.Types[0], reading: record.Every}
	r.Shuffle = func(int, func(i, j int)) {}
	tests := []*record.TestRun{{Test: "test"}}
	for _, c := range []struct {
		cut  time.Duration
		open int
	}{{0, 0}, {time.Second, 1}} {
		m.PutCell(&record.Cell{Trial: record.Trial{Catch: second.ID, Test: "test", Outcome: record.Undecided},
			Type: u.typ, Reading: u.reading, Format: record.CellFormat, Cut: c.cut})
		if open := r.openOf(u, tests); len(open) != c.open {
			t.Errorf("ended after %s: %d are open", c.cut, len(open))
		}
	}
}

// A run that was ended says in how long it did not end, and shows nothing else: with an exception
// that is made up it makes no other run needless.
func TestNoteCut(t *testing.T) {
	c := &record.Cell{Trial: record.Trial{Catch: "c", Test: "a", Outcome: record.Hang, Message: "at p.C.m"},
		Provenance: record.Invented, Fired: 1}
	noteCut(c, &record.TestRun{Duration: 5 * time.Millisecond},
		&worker.Test{Worked: 2040 * time.Millisecond, Elapsed: time.Minute})
	const why = "it did not end within 2s of processor time, 408 times what it takes by itself"
	if c.Outcome != record.Undecided || c.Why != why || c.Message != "" || c.Cut == 0 {
		t.Errorf("%+v", c)
	}
	r := forTests()
	if r.shows(c); len(r.shown) > 0 {
		t.Error("a run that did not end shows something")
	}
	noteCut(c, &record.TestRun{Duration: 8 * time.Second}, &worker.Test{Elapsed: 10 * time.Second})
	if c.Why != "it did not end within 10s" {
		t.Error(c.Why)
	}
}
