package faulting

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// On JDK 17 the native code that writes to files writes to sockets as well: what
// is tried is what strikes the one that ran.
func TestPlanTellsFilesFromSockets(t *testing.T) {
	const write = "sun/nio/ch/FileDispatcherImpl.write0"
	for row, want := range map[string][]faults.Kind{
		write:                                    {faults.DiskFull, faults.DiskWrite, faults.Quota},
		write + "@sun/nio/ch/SocketDispatcher":   {faults.BrokenPipe, faults.Reset},
		"java/io/FileInputStream.readBytes":      {faults.DiskRead},
		"sun/nio/ch/FileDispatcherImpl.unknown0": nil,
	} {
		run := &record.TestRun{Test: "p.T#t"}
		f := &Faulting{Feature: 17, touched: map[string]*record.Touched{run.Test: {Test: run.Test,
			Catches: map[string][]string{"c": {row}}}}}
		c := &faultCatch{catch: &snapshot.Catch{ID: "c"}, tests: []*record.TestRun{run}}
		f.plan(c, func(test string) string { return test })
		var got []faults.Kind
		for _, s := range c.plan {
			if s.row != row {
				t.Errorf("%s: planned for %s", row, s.row)
			}
			got = append(got, s.kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is struck with %v, want %v", row, got, want)
		}
	}
}

// What a fault leaves in the JVM must not be taken for the next one's doing.
func TestFaultThatLasts(t *testing.T) {
	for _, x := range []struct {
		run  record.FaultRun
		want bool
	}{
		{record.FaultRun{Kind: faults.DiskRead, Trial: record.Trial{Outcome: record.Pass}, Fired: 1}, false},
		{record.FaultRun{Kind: faults.DiskRead, Trial: record.Trial{Outcome: record.Fail}, Fired: 1}, false},
		{record.FaultRun{Kind: faults.DiskRead, Trial: record.Trial{Outcome: record.Hang}, Fired: 1}, true},
		{record.FaultRun{Kind: faults.NameResolution, Trial: record.Trial{Outcome: record.Pass}, Fired: 1}, true},
		{record.FaultRun{Kind: faults.Interrupted, Trial: record.Trial{Outcome: record.Pass}, Fired: 1}, false},
		{record.FaultRun{Kind: faults.Interrupted, Trial: record.Trial{Outcome: record.Pass}, Fired: 1,
			Object: "pool-1-thread-1"}, true},
		{record.FaultRun{Kind: faults.NameResolution, Trial: record.Trial{Outcome: record.Pass}}, false},
	} {
		if got := x.run.SpoilsJVM(); got != x.want {
			t.Errorf("%s, %s, struck %d times: lasts %v", x.run.Kind, x.run.Outcome, x.run.Fired, got)
		}
	}
}

// What other threads do is tried where links of the catch come from it, or from the outcome of a
// task; what runs in the try always, that which links come from first.
func TestPlanOrder(t *testing.T) {
	native := func(class, method string) *snapshot.Link {
		return &snapshot.Link{Exception: "java.io.IOException",
			Site: &snapshot.Site{Class: class, Method: method + "()V", Kind: "native"}}
	}
	const accept, read, force = "sun/nio/ch/Net.accept", "java/io/FileInputStream.readBytes",
		"sun/nio/ch/FileDispatcherImpl.force0"
	run := &record.TestRun{Test: "p.T#t"}
	for _, x := range []struct {
		links []*snapshot.Link
		want  string
	}{
		{nil, "readBytes disk-read"},
		{[]*snapshot.Link{native("sun.nio.ch.Net", "accept")},
			"readBytes disk-read, accept open-files aside, accept net-down aside"},
		{[]*snapshot.Link{native("java.util.concurrent.FutureTask", "report")},
			"readBytes disk-read, force0 sync aside, accept open-files aside, accept net-down aside"},
	} {
		f := &Faulting{Feature: 17, touched: map[string]*record.Touched{run.Test: {Test: run.Test,
			Catches: map[string][]string{"c": {read}}, Others: []string{force, accept}}}}
		c := &faultCatch{catch: &snapshot.Catch{ID: "c", Links: x.links}, tests: []*record.TestRun{run}}
		f.plan(c, func(test string) string { return test })
		var got []string
		for _, s := range c.plan {
			text := s.root[strings.LastIndexByte(s.root, '.')+1:] + " " + string(s.kind)
			if s.others {
				text += " aside"
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
	f := &Faulting{Feature: 17, touched: map[string]*record.Touched{run.Test: {Test: run.Test,
		Catches: map[string][]string{"c": {read, force, accept}}}}}
	c := &faultCatch{catch: &snapshot.Catch{ID: "c", Links: []*snapshot.Link{native("sun.nio.ch.Net", "accept")}},
		tests: []*record.TestRun{run}}
	f.plan(c, func(test string) string { return test })
	if c.plan[0].root != accept || c.plan[0].maxHangs() <= c.plan[len(c.plan)-1].maxHangs() {
		t.Errorf("first %s, last %s", c.plan[0].root, c.plan[len(c.plan)-1].root)
	}
}

// Tests that run other code below the try are looked at, too, however long they take.
func TestObservedTests(t *testing.T) {
	var tests []*record.TestRun
	for i := range 40 {
		r := &record.TestRun{Test: fmt.Sprint(i), Duration: time.Duration(i + 1), Below: record.Below{"c": {1, 2}}}
		if i == 30 {
			r.Below["c"] = []record.MethodID{1, 7}
		}
		tests = append(tests, r)
	}
	slices.Reverse(tests)
	var got []string
	chosen, more := observed(tests, "c")
	for _, r := range chosen {
		got = append(got, r.Test)
	}
	if want := "0 to 6, 30, 38 and 39"; !strings.HasPrefix(strings.Join(got, " "), "0 1 2 3 4 5") ||
		!slices.Contains(got, "30") || len(got) != minObserved+maxLongest || got[len(got)-1] != "39" {
		t.Errorf("%q, want %s", got, want)
	}

	// Others are looked at where a link's operation has run in none of these.
	native := func(method string) *snapshot.Link {
		return &snapshot.Link{Site: &snapshot.Site{Class: "java.io.FileInputStream", Method: method,
			Kind: "native"}}
	}
	for _, links := range [][]*snapshot.Link{{native("read0()I")}, {native("read0()I"), native("skip0(J)J")}} {
		f := &Faulting{touched: map[string]*record.Touched{
			"0": {Catches: map[string][]string{"c": {"java/io/FileInputStream.read0"}}},
		}}
		c := &faultCatch{catch: &snapshot.Catch{ID: "c", Links: links}, tests: chosen, more: more}
		if added := f.lookFurther([]*faultCatch{c}); added != (len(links) == 2) ||
			added && len(c.tests) != len(chosen)+maxFurther {
			t.Errorf("%d links: %v, %d tests", len(links), added, len(c.tests))
		} else if added && (c.tests[7] != more[0] || c.tests[len(c.tests)-1].Test != "39") {
			t.Errorf("in the order %v", c.tests)
		}
	}
}

// Catches of one try are struck together.
func TestCatchesOfOneTry(t *testing.T) {
	try := func(n uint16) []worker.FaultTry {
		return []worker.FaultTry{{Class: "C", Try: n, Handlers: []uint16{1, 2}}}
	}
	a, b, c := &faultCatch{tries: try(1)}, &faultCatch{tries: try(2)}, &faultCatch{tries: try(1)}
	findSiblings([]*faultCatch{a, b, c})
	if len(a.beside) != 1 || a.beside[0] != c || len(c.beside) != 1 || c.beside[0] != a || len(b.beside) != 0 {
		t.Errorf("%v %v %v", a.beside, b.beside, c.beside)
	}
}

// A run that hangs counts whatever it showed, and what is left out because of it is said.
func TestFaultsThatHang(t *testing.T) {
	f := &Faulting{}
	c := &faultCatch{catch: &snapshot.Catch{ID: "p/C#m()V"}}
	run := func(o record.Outcome, arrived bool) *record.FaultRun {
		return &record.FaultRun{Trial: record.Trial{Outcome: o}, Arrived: arrived, Fired: 1}
	}
	for n, x := range []struct {
		run   *record.FaultRun
		want  struckResult
		last  bool
		hangs int
		notes int
	}{
		{nil, inVain, false, 0, 0},
		{run(record.Pass, false), inVain, false, 0, 0},
		{run(record.Fail, true), reachedCatch, true, 0, 0},
		{run(record.Hang, true), reachedCatch, true, 1, 0},
		{run(record.Hang, false), nothingToTell, true, 2, 0},
		{run(record.Hang, true), reachedCatch, true, 3, 1},
		{run(record.Hang, true), reachedCatch, true, 4, 1},
	} {
		result, last := f.noteOutcome(c, x.run)
		if result != x.want || last != x.last || c.hangs != x.hangs || len(f.Notes()) != x.notes {
			t.Errorf("%d: result %d, last %t, %d hangs, notes %q", n, result, last, c.hangs, f.Notes())
		}
	}
	for c.hangs < maxLinkHangs {
		f.noteOutcome(c, run(record.Hang, false))
	}
	if notes := f.Notes(); len(notes) != 2 || !strings.Contains(strings.Join(notes, "; "), "all others") {
		t.Errorf("notes %q", notes)
	}
}

// What a test experiences in a fresh JVM without a fault does not come of one.
func TestLinksOfFreshJVM(t *testing.T) {
	own, other := record.Experienced{Catch: "c", Exception: "java/io/IOException"}, record.Experienced{Catch: "d",
		Exception: "java/io/IOException"}
	run := &record.TestRun{Test: "p.T#t"}
	for _, cold := range []bool{true, false} {
		s := striker{f: &Faulting{touched: map[string]*record.Touched{
			record.FirstRunOf(run.Test): {Links: []record.Experienced{other}},
		}}, cold: cold}
		f := &record.FaultRun{Links: []record.Experienced{own, other}}
		if s.began(f, run, true); f.Cold != cold || !f.Persistent || slices.Contains(f.Links, other) == cold ||
			!slices.Contains(f.Links, own) {
			t.Errorf("cold %v: %+v", cold, f)
		}
	}
}

// A try in a static initialiser counts for each test that enters it; tests that do not enter a try
// again begin in fresh JVMs, also where another one does.
func TestRanOnce(t *testing.T) {
	c := &snapshot.Catch{ID: "p/C.<clinit>#0", Method: "<clinit>()V"}
	first := &record.TestRun{Test: "first", Usages: map[string]record.Usage{c.ID: {Pink: 1}},
		Below: record.Below{c.ID: nil}}
	jar := &record.TestRun{Test: "jar", Below: record.Below{c.ID: nil}}
	if !enters(first, c.ID) || !enters(jar, c.ID) || enters(&record.TestRun{}, c.ID) {
		t.Error("a test that enters the try does not count, or one that does not counts")
	}
	f := &Faulting{touched: map[string]*record.Touched{"first": {},
		"jar": {Catches: map[string][]string{c.ID: nil}}}}
	for _, tests := range [][]*record.TestRun{{first}, {first, jar}} {
		once, again := f.ranOnce(&faultCatch{catch: c, tests: tests})
		if len(once) != 1 || once[0] != first || again != (len(tests) == 2) {
			t.Errorf("%d tests: %v, %v", len(tests), once, again)
		}
	}
}

// What runs on a pipe has faults of its own; what has none is what it is elsewhere.
func TestRowOnPipe(t *testing.T) {
	f := &Faulting{}
	for name, want := range map[string]string{"writeBytes": "java/io/FileOutputStream.writeBytes@pipe",
		"open0": "java/io/FileOutputStream.open0"} {
		r := faults.Named("java/io/FileOutputStream", name)[0]
		if got := f.rowOf(r.ID, true); got != want || f.rowOf(r.ID, false) != r.String() {
			t.Errorf("%s on a pipe is %s, want %s, and %s elsewhere", name, got, want, f.rowOf(r.ID, false))
		}
	}
}

// Where the JDK throws a fault's exception anew, its method is left out next, once; what other
// methods throw says nothing of the fault.
func TestAvoids(t *testing.T) {
	read := func(class, method, catch string) *record.FaultRun {
		site := record.SiteRef{Class: class, Method: method, Kind: "explicit"}
		return &record.FaultRun{Trial: record.Trial{Catch: "c"}, Root: "sun/nio/ch/SocketDispatcher.read0",
			Kind: faults.Reset, Fired: 1,
			Links: []record.Experienced{{Catch: catch, Site: site}}}
	}
	var x strike
	for _, run := range []*record.FaultRun{nil, {Trial: record.Trial{Catch: "c"}, Fired: 1},
		read("sun/nio/ch/NioSocketImpl", "implRead", "d"), read("p/A", "m", "c")} {
		if x.avoids(run) {
			t.Errorf("after %+v it leaves out %v", run, x.avoid)
		}
	}
	run := read("sun/nio/ch/NioSocketImpl", "implRead", "c")
	if !x.avoids(run) || x.avoids(run) || !slices.Equal(x.avoid, []string{"sun.nio.ch.NioSocketImpl.implRead"}) {
		t.Errorf("it leaves out %v", x.avoid)
	}
	run.Avoid = x.avoid
	plain := &record.FaultRun{Trial: record.Trial{Catch: run.Catch}, Root: run.Root, Kind: run.Kind}
	if run.Key() == plain.Key() {
		t.Error("runs with and without ways left out are taken for the same")
	}
}

// In fresh JVMs, of which a catch has few, each operation is struck before one is struck again,
// those of links first.
func TestOneByOne(t *testing.T) {
	plan := []strike{{row: "a", kind: faults.Missing, linked: true},
		{row: "a", kind: faults.Permission, linked: true},
		{row: "b", kind: faults.DiskRead, linked: true}, {row: "c", kind: faults.Reset}}
	oneByOne(plan)
	var got []faults.Kind
	for _, x := range plan {
		got = append(got, x.kind)
	}
	if want := []faults.Kind{faults.Missing, faults.DiskRead, faults.Permission, faults.Reset}; !slices.Equal(got,
		want) {
		t.Errorf("struck in the order %v, want %v", got, want)
	}
}

// Ways are looked for in the shortest tests, in those that run most below the try, and in the
// longest.
func TestWayTests(t *testing.T) {
	f := &Faulting{touched: map[string]*record.Touched{}}
	var tests []*record.TestRun
	for i := range maxWayTests + 4 {
		tests = append(tests, &record.TestRun{Test: fmt.Sprint(i)})
	}
	busy := tests[maxWayTests]
	f.touched[busy.Test] = &record.Touched{Catches: map[string][]string{"c": {"a", "b"}}}
	got := f.wayTests(tests, "c")
	if len(got) != maxWayTests || got[0] != tests[0] || !slices.Contains(got, busy) ||
		got[len(got)-1] != tests[len(tests)-1] || len(f.wayTests(tests[:2], "c")) != 2 {
		t.Errorf("%d tests, from %s to %s", len(got), got[0].Test, got[len(got)-1].Test)
	}
}
