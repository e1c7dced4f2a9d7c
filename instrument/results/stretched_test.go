package results

import (
	"errors"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/test/scratch"
)

// TestStretchedIsKept writes records, and reads them in another process's store and
// after merging.
func TestStretchedIsKept(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	put := func(x record.Stretched) {
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		x.Deps = []record.MethodID{s.Intern(record.MethodKey{Class: "p/C", Method: "m()V", Digest: [16]byte{1}})}
		x.Below = record.Below{x.Catch: x.Deps}
		if err := s.PutStretched(&x); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	one := record.Stretched{Trial: record.Trial{Catch: "c", Test: "t", Module: "m", Env: "e",
		Outcome: record.Fail, At: at}, To: "java.lang.Exception"}
	put(one)
	again := one
	again.Outcome, again.Took, again.Exceptions, again.At = record.Pass, []string{"c"}, []string{"x.Y"},
		at.Add(time.Second)
	put(again)
	large, small := []string{"b to x.Z", "c to java.lang.Exception", "d to x.Y"},
		[]string{"c to java.lang.Exception",
			"d to x.Y"}
	put(record.Stretched{Trial: record.Trial{Test: "t", Env: "e", Outcome: record.Fail, At: at}, With: large})
	put(record.Stretched{Trial: record.Trial{Test: "t", Env: "e", Outcome: record.Pass,
		At: at.Add(time.Second)}, With: small})
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := len(s.StretchedRuns()); n != 3 {
		t.Fatalf("%d records", n)
	}
	got, ok := s.Stretched("c", "java.lang.Exception", "t", nil, "e", anyCode)
	if !ok || got.Outcome != record.Pass || !cmp.Equal(got.Exceptions, []string{"x.Y"}) || len(got.Deps) != 1 ||
		len(got.Below["c"]) != 1 {
		t.Errorf("%+v", got)
	}
	if k := s.Method(got.Deps[0]); k.Class != "p/C" {
		t.Errorf("depends on %v", k)
	}
	if _, ok := s.Stretched("c", "java.lang.Exception", "t", nil, "other", anyCode); ok {
		t.Error("a record of another environment is taken for one of this")
	}
	for _, with := range [][]string{large, small} { // a run of fewer catches does not take the place of one of more
		if joint, ok := s.Stretched("", "", "t", with, "e", anyCode); !ok || !cmp.Equal(joint.With, with) {
			t.Errorf("with %q: %+v", with, joint)
		}
	}
	if by := stretchedBy(s.StretchedRuns()); len(by["c"]) != 3 || len(by["d"]) != 2 || len(by["b"]) != 1 {
		t.Errorf("by catch: %v", by)
	}
}

// Two catches that each may take Exception by themselves may do so where the test that
// enters both was run with both stretched, and it is open while that run is missing, or is of
// fewer catches, or one with more catches failed last and that was not confirmed.
func TestNotTogether(t *testing.T) {
	cache := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	snap := snapshotOf(t, cache, t.TempDir(), twoClosers)
	if len(snap.Catches) != 2 {
		t.Fatalf("%d catches, want 2", len(snap.Catches))
	}
	st := open(t, t.TempDir())
	usages, both := map[string]record.Usage{}, []string{}
	put := func(errs ...error) {
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range snap.Catches {
		usages[c.ID] = record.Usage{White: 1, Blue: 1}
		both = append(both, c.ID+" to "+shortcircuit.ExceptionClass)
		put(st.PutCell(&record.Cell{Format: record.CellFormat, Reading: record.White, Whites: 1, Executions: 1,
			Trial: record.Trial{Catch: c.ID, Test: "p.T#t", Outcome: record.Pass}, Type: c.Types[0], Fired: 1}))
		for _, test := range []string{"", "p.T#t"} {
			put(st.PutStretched(&record.Stretched{Trial: record.Trial{Catch: c.ID, Test: test,
				Outcome: record.Pass}, To: shortcircuit.ExceptionClass, Confirmed: true}))
		}
	}
	sort.Strings(both)
	put(st.PutTestRun(&record.TestRun{Test: "p.T#t", Class: "p.T", Outcome: record.Pass,
		Outcomes: []record.Outcome{record.Pass, record.Pass}, Usages: usages}))
	for n, x := range []struct {
		with    []string
		outcome record.Outcome
	}{{}, {both[:1], record.Pass}, {both, record.NotFired}, {both, record.Pass},
		{append(slices.Clone(both), "p.X.m()V#0 to java.lang.Exception"), record.Fail}, {both, record.Pass}} {
		with := x.with
		if with != nil {
			put(st.PutStretched(&record.Stretched{Trial: record.Trial{Test: "p.T#t", Outcome: x.outcome,
				At: time.Unix(int64(n), 0)}, With: with}))
		}
		want := shortcircuit.StretchUnknown
		if len(with) == 2 && x.outcome == record.Pass {
			want = shortcircuit.StretchYes
		}
		o := Lay(snap, st, func(string) string { return "" })
		for _, c := range snap.Catches {
			if got := o.ByCatch[c.ID].Stretch; got.Answer != want {
				t.Errorf("with %d stretched together, %s: %s: %+v, want %s", len(with), x.outcome, c.ID, got, want)
			}
		}
	}
}

// A failing run with two stretched catches rules a type of one out, also while the other one was
// edited since, until it is known what that does now.
func TestRuledOutByOtherCode(t *testing.T) {
	cache, root := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts")), t.TempDir()
	first := snapshotOf(t, cache, root, twoClosers)
	edited := snapshotOf(t, cache, root, strings.Replace(twoClosers, "return 1;", "return 5;", 1))
	st := open(t, t.TempDir())
	put := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	a, b := first.Catches[0].ID, first.Catches[1].ID
	run := func(snap *snapshot.Snapshot, at int64, alone record.Outcome) {
		usages, when := map[string]record.Usage{}, time.Unix(at, 0)
		var ran []record.MethodID
		for _, c := range snap.Catches {
			d, _ := snap.MethodDigest(snapshot.MethodRef{Class: "p/C", Method: c.Method})
			id := st.Intern(record.MethodKey{Class: "p/C", Method: c.Method, Digest: d})
			ran = append(ran, id)
			usages[c.ID] = record.Usage{White: 1, Blue: 1}
			put(st.PutCell(&record.Cell{Format: record.CellFormat, Reading: record.White, Whites: 1, Executions: 1,
				Trial: record.Trial{Catch: c.ID, Test: "p.T#t", Outcome: record.Pass,
					Deps: []record.MethodID{id}, At: when}, Type: c.Types[0], Fired: 1}))
			for _, test := range []string{"", "p.T#t"} {
				x := record.Stretched{Trial: record.Trial{Catch: c.ID, Test: test, Outcome: record.Pass,
					Deps: []record.MethodID{id}, At: when}, To: shortcircuit.ExceptionClass,
					Confirmed: true}
				if c.ID == b && test != "" {
					x.Outcome = alone
				}
				put(st.PutStretched(&x))
			}
		}
		slices.Sort(ran)
		put(st.PutTestRun(&record.TestRun{Test: "p.T#t", Class: "p.T", Outcome: record.Pass,
			Outcomes: []record.Outcome{record.Pass, record.Pass}, Usages: usages, Methods: ran, At: when}))
		if at == 0 {
			put(st.PutStretched(&record.Stretched{Trial: record.Trial{Test: "p.T#t", Outcome: record.Fail,
				Deps: ran, At: when},
				With: []string{a + " to " + shortcircuit.ExceptionClass,
					b + " to " + shortcircuit.ExceptionClass}, Confirmed: true}))
		}
	}
	check := func(what string, snap *snapshot.Snapshot, want shortcircuit.StretchAnswer) {
		t.Helper()
		if got := Lay(snap, st, func(string) string { return "" }).ByCatch[a].Stretch; got.Answer != want {
			t.Errorf("%s: %+v, want %s", what, got, want)
		}
	}
	run(first, 0, record.Pass)
	check("both stretched", first, shortcircuit.StretchNo)
	check("the other one was edited", edited, shortcircuit.StretchNo)
	run(edited, 1, record.Fail)
	check("the other one may not be stretched any more", edited, shortcircuit.StretchYes)
	check("as it was", first, shortcircuit.StretchNo)
}
