package injection

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
)

// cellsOf is a memory of cells.
type cellsOf struct {
	record.Memory
	cells map[record.CellKey]*record.Cell
}

func (m cellsOf) CellVersions(k record.CellKey) []*record.Cell {
	if c := m.cells[k]; c != nil {
		return []*record.Cell{c}
	}
	return nil
}

func (m cellsOf) PutCell(c *record.Cell) error {
	m.cells[c.Key()] = c
	return nil
}

// twinned are two catches whose clauses do the same, with what is known of one test with the first.
func twinned(known ...record.Cell) (r *Injection, second *snapshot.Catch, m cellsOf) {
	first := &snapshot.Catch{ID: "first", Types: []string{"java.io.IOException"}}
	second = &snapshot.Catch{ID: "second", Types: []string{"java.lang.InterruptedException"}}
	m = cellsOf{cells: map[record.CellKey]*record.Cell{}}
	for _, c := range known {
		c.Catch, c.Type, c.Test, c.Format = first.ID, first.Types[0], "test", record.CellFormat
		m.cells[c.Key()] = &c
	}
	r = New(Over{Lab: labOf(nil), Memory: m, Recall: recall.New(nil, m, "", "")}, Options{})
	r.making.twins = map[string][]*snapshot.Catch{second.ID: {first}}
	r.phase = injections
	return r, second, m
}

// A test that passes with one clause passes with another that does the same. Nothing else that is
// known of it counts for both.
func TestKnownOfTwins(t *testing.T) {
	pass := record.Cell{Trial: record.Trial{Outcome: record.Pass}, Fired: 2}
	with := func(change func(*record.Cell)) record.Cell {
		c := pass
		change(&c)
		return c
	}
	all := func(c *record.Cell) { c.Reading, c.Whites, c.Executions = record.White, 2, 2 }
	for _, c := range []struct {
		name  string
		cell  record.Cell
		known bool
	}{
		{"it passes", pass, true},
		{"all its executions were white", with(all), true},
		{"some were", with(func(c *record.Cell) { all(c); c.Executions = 3 }), false},
		{"it fails", with(func(c *record.Cell) { c.Outcome = record.Fail }), false},
		{"it fails with what is made up", with(func(c *record.Cell) { c.Outcome = record.Undecided }), false},
		{"it hangs", with(func(c *record.Cell) { c.Outcome = record.Hang }), false},
		{"nothing was thrown", with(func(c *record.Cell) { c.Outcome, c.Fired = record.NotFired, 0 }), false},
		{"it passes in a fresh JVM alone", with(func(c *record.Cell) { c.Differs = "fail" }), false},
	} {
		r, second, m := twinned(c.cell)
		u := unit{catch: second, typ: second.Types[0], tests: []*record.TestRun{{Test: "test"}, {Test: "other"}}}
		rest, err := r.withoutKnownOfTwins(u)
		if left := len(rest.tests); err != nil || (left == 1) != c.known || left == 0 {
			t.Errorf("%s: %d tests are left, %v", c.name, len(rest.tests), err)
		}
		got := m.cells[u.key("test")]
		if (got != nil) != c.known || got != nil && (got.Outcome != record.Pass || got.Certain || got.All()) {
			t.Errorf("%s: recorded is %+v", c.name, got)
		}
		u.reading = record.White
		if rest, _ := r.withoutKnownOfTwins(u); len(rest.tests) != 2 {
			t.Errorf("%s: it counts for white executions", c.name)
		}
	}
}

// What a fresh JVM shows of one clause it shows of the other where neither runs in the test as it
// is; what is about to be shown is waited for.
func TestConfirmedByTwin(t *testing.T) {
	for _, c := range []struct {
		name         string
		certain, now bool
		usages       map[string]record.Usage
		waits, known bool
	}{
		{"it is certain", true, false, nil, false, true},
		{"it is confirmed now", false, true, nil, true, false},
		{"it is not confirmed", false, false, nil, false, false},
		{"the test makes the twin run", true, true, map[string]record.Usage{"first": {White: 1}}, false, false},
		{"the test makes the catch run", true, true, map[string]record.Usage{"second": {White: 1}}, false, false},
	} {
		cell := record.Cell{Trial: record.Trial{Outcome: record.Pass}, Fired: 1, Certain: c.certain}
		r, second, m := twinned(cell)
		run := &record.TestRun{Test: "test", Usages: c.usages}
		d := cell
		d.Catch, d.Type, d.Test, d.Certain = second.ID, second.Types[0], "test", false
		now := map[record.CellKey]bool{{Catch: "first", Type: "java.io.IOException", Test: "test"}: c.now}
		waits, known, err := r.confirmedByTwin(second, &d, run, now)
		if got := m.cells[d.Key()]; err != nil || waits != c.waits || known != c.known ||
			(got != nil && got.Certain) != c.known {
			t.Errorf("%s: waits %v, known %v, %v; recorded is %+v", c.name, waits, known, err, got)
		}
	}
}

// Exceptions of the program's own may do something when they are made.
func TestMayHaveTwins(t *testing.T) {
	for _, c := range []struct {
		types []string
		want  bool
	}{
		{[]string{"java.io.IOException"}, true},
		{[]string{"p.Failed"}, false},
		{[]string{"java.io.IOException", "java.lang.InterruptedException"}, false},
	} {
		if got := mayHaveTwins(&snapshot.Catch{Types: c.types}); got != c.want {
			t.Errorf("%q: %v", c.types, got)
		}
	}
}

// The units of a catch wait for those of one that does the same.
func TestWaitsForTwin(t *testing.T) {
	first, second := stepped("a", 3), stepped("b", 1)
	second[0].after = []string{"a"}
	q := newQueue(slices.Concat(second, first))
	for range first {
		u := must(q.Take(nil))
		if u.catch.ID != "a" {
			t.Fatal("it does not wait")
		}
		q.done(u)
	}
	if u := must(q.Take(nil)); u.catch.ID != "b" {
		t.Errorf("%s is left", u.catch.ID)
	}
}
