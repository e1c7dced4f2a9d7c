package results

import (
	"errors"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/record"
)

// What was recorded with other code is kept behind the newest, over compaction and
// reopening; what was recorded again with the same code replaces the earlier.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	start := time.Now()
	at := func(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }
	for n, code := range []byte{1, 2, 1, 3, 4, 5, 5} {
		s := open(t, dir)
		m := []record.MethodID{s.Intern(record.MethodKey{Class: "p/C", Method: "m()V", Digest: [16]byte{code}})}
		one := &record.TestRun{Test: "p.T#t", Env: "e", Outcome: record.Pass,
			Outcomes: []record.Outcome{record.Pass, record.Pass}, Methods: m, Message: fmt.Sprint(code, n),
			At: at(n)}
		first := *one
		first.Outcomes, first.At, first.Methods = one.Outcomes[:1], at(n).Add(-time.Millisecond), nil
		for _, r := range []*record.TestRun{&first, one} {
			if err := s.PutTestRun(r); err != nil {
				t.Fatal(err)
			}
		}
		for _, point := range []*record.Point{nil, {N: 2, At: 2}} {
			c := &record.Cell{Trial: record.Trial{Catch: "c", Test: "p.T#t", Env: "e", Outcome: record.Pass,
				Deps: m, Message: fmt.Sprint(code, n), At: at(n)}, Type: "E",
				Point: point}
			if err := s.PutCell(c); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
	}
	s := open(t, dir)
	const want = "[5 6 4 4 3 3 1 2]"
	var runs, cells, places []string
	for _, r := range s.RunVersions("", "p.T#t") {
		runs = append(runs, r.Message)
	}
	for _, c := range s.CellVersions(record.CellKey{Catch: "c", Type: "E", Test: "p.T#t"}) {
		cells = append(cells, c.Message)
	}
	for _, c := range s.CellVersions(record.CellKey{Catch: "c", Type: "E", Test: "p.T#t", Point: 2}) {
		places = append(places, c.Message)
	}
	for _, got := range []string{fmt.Sprint(runs), fmt.Sprint(cells), fmt.Sprint(places)} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if n := len(s.Runs()) + len(s.Cells()); n != 3 {
		t.Errorf("%d newest records, want 3", n)
	}
}

// A record that took another way through the same code replaces the one before it: an
// edit of what only the later one ran must not bring the earlier one back.
func TestVersionsOfOneCode(t *testing.T) {
	s := open(t, t.TempDir())
	start := time.Now()
	id := func(method string, code byte) record.MethodID {
		return s.Intern(record.MethodKey{Class: "p/C", Method: method, Digest: [16]byte{code}})
	}
	try, below, edited := id("try()V", 1), id("below()V", 1), id("try()V", 2)
	for n, deps := range [][]record.MethodID{{try}, {try, below}, {below, edited}} {
		c := &record.Cell{Trial: record.Trial{Catch: "c", Test: "p.T#t", Env: "e", Outcome: record.Pass,
			Deps: deps, Message: fmt.Sprint(n), At: start.Add(time.Duration(n) * time.Second)}, Type: "E"}
		if err := s.PutCell(c); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, c := range s.CellVersions(record.CellKey{Catch: "c", Type: "E", Test: "p.T#t"}) {
		got = append(got, c.Message)
	}
	if want := "[2 1]"; fmt.Sprint(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A test that is gone from the code that it ran with does not come back with it.
func TestGoneFromTheSameCode(t *testing.T) {
	s := open(t, t.TempDir())
	m := []record.MethodID{s.Intern(record.MethodKey{Class: "p/T", Method: "t()V", Digest: [16]byte{1}})}
	ran := &record.TestRun{Test: "p.T#t", Env: "e", Outcome: record.Pass, Methods: m, At: time.Now()}
	for _, methods := range [][]record.MethodID{nil, m} {
		gone := &record.TestRun{Test: "p.T#t", Env: "e", Outcome: record.Gone, Methods: methods,
			At: ran.At.Add(time.Second)}
		for _, r := range []*record.TestRun{ran, gone} {
			if err := s.PutTestRun(r); err != nil {
				t.Fatal(err)
			}
		}
		want := 2 // gone from other code: that of a branch, which may be back
		if methods != nil {
			want = 1
		}
		if got := s.RunVersions("", "p.T#t"); len(got) != want || got[0].Outcome != record.Gone {
			t.Errorf("gone from %v: %d versions, want %d", methods, len(got), want)
		}
	}
}

// anyCode takes records of whatever code for those of the present one.
func anyCode([]record.MethodID) bool { return true }

// Two clones with different code that share a store each find their own runs with faults
// and stretched catches, whichever recorded last, also after compaction; what is run again
// with the same code replaces what was there.
func TestVersionsOfTwoClones(t *testing.T) {
	dir, start := t.TempDir(), time.Now()
	key := record.MethodKey{Class: "p/C", Method: "m()V"}
	deps := func(s *Store, clone byte) []record.MethodID {
		k := key
		k.Digest[0] = clone
		return []record.MethodID{s.Intern(k)}
	}
	fault := record.FaultRun{Trial: record.Trial{Catch: "c", Test: "p.T#t", Env: "e"}, Root: "r",
		Kind: faults.DiskRead, Engine: "jvm"}
	for n, clone := range []byte{1, 2, 1, 2, 1, 2, 1, 2} { // more processes than segments are left as they are
		s := open(t, dir)
		at, m := start.Add(time.Duration(n)*time.Second), deps(s, clone)
		f, text := fault, fmt.Sprint(clone, n)
		f.Deps, f.At, f.Message = m, at, text
		err := errors.Join(s.PutFaultRun(&f),
			s.PutTouched(&record.Touched{Test: "p.T#t", Env: "e", Deps: m, At: at, Declared: text}),
			s.PutStretched(&record.Stretched{Trial: record.Trial{Catch: "c", Test: "p.T#t", Env: "e", Deps: m,
				At: at, Message: text}, To: "E"}))
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	s := open(t, dir)
	for clone, want := range map[byte]string{1: "1 6", 2: "2 7"} {
		id := deps(s, clone)[0]
		current := func(ids []record.MethodID) bool { return ids[0] == id }
		f, okF := s.FaultRun(fault.Key(), "e", current)
		x, okX := s.Touched("", "p.T#t", "e", current)
		w, okW := s.Stretched("c", "E", "p.T#t", nil, "e", current)
		if !okF || !okX || !okW || f.Message != want || x.Declared != want || w.Message != want {
			t.Errorf("clone %d: %v %v %v, want %s", clone, f, x, w, want)
		}
	}
	if n := len(s.FaultRuns()) + len(s.AllTouched()) + len(s.StretchedRuns()); n != 3 {
		t.Errorf("%d newest records, want 3", n)
	}
}

// What is put after the clock has been set back is the newest, also for who opens the store later,
// and where the clock has been set while the process runs, whose own goes on.
func TestPutAfterTheClockWasSetBack(t *testing.T) {
	for when, future := range map[string]time.Time{"before the process began": time.Now().Add(time.Hour),
		"while it runs": ahead(t, time.Now(), time.Hour)} {
		dir := t.TempDir()
		s := open(t, dir)
		for _, x := range []struct {
			message string
			at      time.Time
		}{{"of the future", future}, {"now", time.Now()}, {"now again", time.Now()}} {
			trial := record.Trial{Catch: "c", Test: "p.T#t", Env: "e", Outcome: record.Pass, Message: x.message,
				At: x.at}
			if err := errors.Join(s.PutCell(&record.Cell{Trial: trial, Type: "E"}),
				s.PutTestRun(&record.TestRun{Test: "p.T#t", Env: "e", Outcome: record.Pass, Message: x.message,
					At: x.at})); err != nil {
				t.Fatal(err)
			}
		}
		for _, store := range []string{"it", "who opens it again"} {
			if got := s.Cells()[0].Message + ", " + s.Runs()[0].Message; got != "now again, now again" {
				t.Errorf("set back %s: for %s the newest are %s", when, store, got)
			}
			s.Close()
			s = open(t, dir)
		}
	}
}

// ahead is a reading of a clock that has been set ahead: time.Time holds it in seconds above the 30
// bits of nanoseconds, and what the process measures apart from it.
func ahead(t *testing.T, now time.Time, by time.Duration) time.Time {
	t.Helper()
	set := now
	*(*uint64)(unsafe.Pointer(&set)) += uint64(by/time.Second) << 30
	if wall, own := set.Round(0).Sub(now.Round(0)), set.Sub(now); wall != by || own != 0 {
		t.Fatalf("set %s ahead by %s: it is %s and %s", now, by, wall, own)
	}
	return set
}
