package baseline

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

var silent = slog.New(slog.DiscardHandler)

// methodMemory is a memory that knows methods by their numbers.
type methodMemory struct {
	record.Memory
	methods []record.MethodKey
}

func (m methodMemory) Method(id record.MethodID) record.MethodKey { return m.methods[id] }

// A try that runs once in a JVM belongs to the same test, whichever came first in the
// repetitions of the baseline, and one that runs again to all that enter it again.
func TestSettleOnce(t *testing.T) {
	// methods of the class: the initialiser, one that all tests run, and the one with the try; and
	// none
	const init, other, own, dispatch = 0, 1, 2, 3
	memory := methodMemory{methods: []record.MethodKey{{Class: "p/C", Method: "<clinit>()V"},
		{Class: "p/C", Method: "get()I"}, {Class: "p/C", Method: "parse()I"},
		{Class: "p/C", Method: snapshot.Dispatch}}}
	link := record.Experienced{Catch: "c", Exception: "E"}
	c := &snapshot.Catch{ID: "c", Class: "p.C", Method: "parse()I", Handlers: []exceptions.HandlerRef{{Class: "p/C"}}}
	usage := record.Usage{Pink: 3, White: 1}
	run := func(name string, u *record.Usage, methods ...record.MethodID) *record.TestRun {
		r := &record.TestRun{Test: name, ID: name, Outcome: record.Pass, Usages: map[string]record.Usage{},
			Methods: methods}
		if u != nil {
			r.Usages["c"], r.Links = *u, []record.Experienced{link}
		}
		return r
	}
	settled := func(first string, again, alone map[string]*record.TestRun) map[string]*record.TestRun {
		all := map[string]*record.TestRun{}
		for _, name := range []string{"a", "b", "d"} {
			if all[name] = run(name, nil, other); name == "a" {
				all[name] = run(name, nil)
			}
			if name == first {
				all[name] = run(name, &usage, init, other, own)
			}
		}
		o := &once{b: &Baseline{Memory: memory, Log: silent}, all: maps.Clone(all), made: maps.Clone(all),
			records: all, alone: alone}
		if err := o.assignTests(t.Context(), c, again); err != nil {
			t.Fatal(err)
		}
		return all
	}
	enter := func(runs map[string]*record.TestRun) (names []string) {
		for name, run := range runs {
			if u, ok := run.Usages["c"]; ok {
				names = append(names, name)
				if u != usage || len(run.Links) != 1 {
					t.Errorf("%s: %+v with %d links", name, u, len(run.Links))
				}
			} else if len(run.Links) != 0 {
				t.Errorf("%s does not enter the try and has its link", name)
			}
		}
		slices.Sort(names)
		return names
	}
	for _, first := range []string{"a", "b", "d"} {
		// "a" reads a field only: nothing but coming first makes it enter the try. "b" and "d" run
		// the class.
		again := run(first, nil, other)
		if first == "a" {
			again = run(first, nil)
		}
		alone := map[string]*record.TestRun{"a": run("a", nil), "b": run("b", &usage, init, own),
			"d": run("d", &usage, init, own)}
		if got := enter(settled(first, map[string]*record.TestRun{first: again}, alone)); !slices.Equal(got,
			[]string{"b"}) {
			t.Errorf("%s came first: %q enter the try, want b", first, got)
		}
	}
	if got := enter(settled("d", map[string]*record.TestRun{"d": run("d", &usage)}, nil)); !slices.Equal(got,
		[]string{"d"}) {
		t.Errorf("the try of a test that enters it again belongs to %q", got)
	}
	// "d" met an exception that only what comes first meets; "b" enters the try each time and meets
	// none.
	all := map[string]*record.TestRun{"b": run("b", &usage, other, own), "d": run("d", &usage, other, own)}
	all["b"].Links = nil
	quiet := run("b", &usage, other, own)
	quiet.Links = nil
	o := &once{b: &Baseline{Memory: memory, Log: silent}, all: maps.Clone(all), made: maps.Clone(all), records: all}
	again := map[string]*record.TestRun{"b": quiet, "d": run("d", nil, other)}
	if err := o.assignTests(t.Context(), c, again); err != nil {
		t.Fatal(err)
	}
	if u, ok := all["d"].Usages["c"]; !ok || u != (record.Usage{}) || len(all["d"].Links) != 1 ||
		all["b"].Usages["c"] != usage {
		t.Errorf("the link that only the first test experienced is lost: %+v, %+v", all["d"], all["b"])
	}
	o.all = map[string]*record.TestRun{"a": run("a", nil, init, dispatch), "b": run("b", nil, other, dispatch)}
	if got := o.candidates(c, nil); len(got) != 1 || got[0].Test != "b" {
		t.Errorf("a test that only initialises the class is taken for one that runs it: %d candidates", len(got))
	}
	o.all = map[string]*record.TestRun{}
	for name, took := range map[string][2]time.Duration{"b": {3 * time.Second, 0},
		"d": {2 * time.Second, 1500 * time.Millisecond}, "e": {time.Millisecond, 0}, "f": {time.Second, 0}} {
		o.all[name] = run(name, nil, other)
		o.all[name].Duration, o.all[name].Waited = took[0], took[1]
	}
	tried := ""
	for _, t := range o.candidates(c, nil) {
		tried += t.Test
	}
	if tried != "deb" {
		t.Errorf("tried are %q, want deb: those first that do not take long", tried)
	}
	nobody := map[string]*record.TestRun{"a": nil, "b": nil, "d": nil}
	pink := record.Usage{Pink: 1}
	if got := enter(settled("d", map[string]*record.TestRun{"d": run("d", &pink)}, nobody)); !slices.Equal(got,
		[]string{"d"}) {
		t.Errorf("the only test in which the catch runs loses it: %q", got)
	}
	if got := enter(settled("d", map[string]*record.TestRun{"d": run("d", nil)}, nobody)); !slices.Equal(got,
		[]string{"d"}) {
		t.Errorf("where no test enters the try alone, it belongs to %q", got)
	}
	// Nobody runs the class of a try that fills a cache once the cache is filled, but "b" and "d"
	// run the method that looks there.
	const looks = 4
	memory.methods = append(memory.methods, record.MethodKey{Class: "p/Cache", Method: "look()I"})
	for _, first := range []string{"a", "d"} {
		all := map[string]*record.TestRun{"a": run("a", nil), "b": run("b", nil, looks), "d": run("d", nil, looks)}
		again := map[string]*record.TestRun{first: run(first, nil, all[first].Methods...)}
		all[first] = run(first, &usage, init, own, looks)
		o := &once{b: &Baseline{Memory: memory, Log: silent}, all: maps.Clone(all), made: maps.Clone(all),
			records: all,
			alone:   map[string]*record.TestRun{"b": run("b", &usage, init, own, looks)},
			entries: func(*snapshot.Catch, int) []snapshot.MethodRef {
				return []snapshot.MethodRef{{Class: "p/C", Method: "parse()I"}, {Class: "p/Other", Method: "never()V"},
					{Class: "p/Cache", Method: "look()I"}}
			}}
		if err := o.assignTests(t.Context(), c, again); err != nil {
			t.Fatal(err)
		}
		if got := enter(all); !slices.Equal(got, []string{"b"}) {
			t.Errorf("%s filled the cache: %q enter the try, want b", first, got)
		}
	}
}

// What one of two repetitions entered and the other did not, or not as often, makes a catch waver.
func TestWavers(t *testing.T) {
	got := map[string]bool{}
	wavers(got, &record.TestRun{Usages: map[string]record.Usage{"both": {Pink: 2}, "more": {Pink: 2},
		"first": {Pink: 1}}},
		&record.TestRun{Usages: map[string]record.Usage{"both": {Pink: 2}, "more": {Pink: 3}, "second": {Pink: 1}}})
	if want := map[string]bool{"first": true, "second": true, "more": true}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A try that the second run of a test enters less often than the baseline is one of those that run
// once, though no two repetitions differed; tries in tests are not.
func TestDifferingTries(t *testing.T) {
	snap := &snapshot.Snapshot{Catches: []*snapshot.Catch{{ID: "same"}, {ID: "less"}, {ID: "known"},
		{ID: "test", InTests: true}, {ID: "gone"}}}
	usages := func(n ...int) map[string]record.Usage {
		m := map[string]record.Usage{}
		for k, pink := range n {
			if pink > 0 {
				m[snap.Catches[k].ID] = record.Usage{Pink: pink}
			}
		}
		return m
	}
	o := &once{b: &Baseline{Snap: snap, Log: silent}, asked: map[string]bool{},
		all: map[string]*record.TestRun{"a": {Usages: usages(1, 2, 3, 4, 5)}}}
	o.add(snap.Catches[2])
	o.addDiffering(map[string]*record.TestRun{"a": {Usages: usages(1, 1, 1, 1, 0)}})
	var got []string
	for _, c := range o.catches {
		got = append(got, c.ID)
	}
	if want := []string{"known", "less", "gone"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Tries that too many tests enter are not settled, and do not keep others from it, however long the
// tests took.
func TestSettleBounded(t *testing.T) {
	run := func(name string, took time.Duration, catches ...string) *record.TestRun {
		r := &record.TestRun{Test: name, Duration: took, Usages: map[string]record.Usage{}}
		for _, c := range catches {
			r.Usages[c] = record.Usage{Pink: 1}
		}
		return r
	}
	o := &once{made: map[string]*record.TestRun{"d": run("d", time.Hour, "few"), "e": run("e", 1)},
		catches: []*snapshot.Catch{{ID: "many"}, {ID: "few"}}}
	for i := range maxOnceTests {
		name := fmt.Sprintf("many%d", i)
		o.made[name] = run(name, 1, "many")
	}
	tests := o.bounded()
	if len(o.catches) != 1 || o.catches[0].ID != "few" || len(tests) != 1 || tests[0].Test != "d" {
		t.Errorf("%d catches, %d tests", len(o.catches), len(tests))
	}
}
