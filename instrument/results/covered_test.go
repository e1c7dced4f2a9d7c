package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/instrument/record"
)

// putCovered records runs, each of which covered parts of three methods, and one aside.
func putCovered(t *testing.T, s *Store, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		var all []record.Covered
		for m := i; m < i+3; m++ {
			id := s.Intern(record.MethodKey{Class: "p/C", Method: fmt.Sprintf("m%d()V", m), Digest: [16]byte{byte(m)}})
			hits := make([]byte, m%4) // a method all of whose probes were missed has no byte
			for n := range hits {
				hits[n] = byte(m*31 + n)
			}
			all = append(all, record.Covered{Method: id, Shape: uint32(m) << 20, Hits: hits})
		}
		if err := s.PutTestRun(&record.TestRun{Test: fmt.Sprint("p.T#t", i), Env: "e", Outcome: record.Pass, At: at,
			Coverage: record.Coverage{Covers: true, Covered: record.UnionCovered(nil, all),
				CoveredAside: all[:1]}}); err != nil {
			t.Fatal(err)
		}
	}
}

// coveredOf is what each run of a store covered, with the names of methods.
func coveredOf(s *Store) map[string][]string {
	m := map[string][]string{}
	for _, r := range s.Runs() {
		list := []string{fmt.Sprint(r.Covers)}
		for _, c := range r.Covered {
			list = append(list, fmt.Sprint(s.Method(c.Method), c.Shape, c.Hits))
		}
		for _, c := range r.CoveredAside {
			list = append(list, fmt.Sprint("aside", s.Method(c.Method), c.Shape, c.Hits))
		}
		m[r.Test] = list
	}
	return m
}

// What was covered is the same in another process, also after segments were merged.
func TestCoveredIsKept(t *testing.T) {
	dir := t.TempDir()
	want := map[string][]string{}
	for i := range 6 { // more than are left unmerged
		s := open(t, dir)
		putCovered(t, s, i*10, i*10+12)
		for test, list := range coveredOf(s) {
			want[test] = list
		}
		s.Close()
	}
	if diff := cmp.Diff(want, coveredOf(open(t, dir))); diff != "" {
		t.Error(diff)
	}
	if len(want) != 62 || len(want["p.T#t7"]) != 5 {
		t.Errorf("%d runs, the seventh has %q", len(want), want["p.T#t7"])
	}
}

// Of a file that is cut short each run has all that it covered, or is not there.
func TestCoveredOfACutFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	putCovered(t, s, 0, 5)
	want := coveredOf(s)
	s.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if len(files) != 1 {
		t.Fatalf("segments: %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for n := range len(data) + 1 {
		cut := t.TempDir()
		if err := os.WriteFile(filepath.Join(cut, "a"+segmentSuffix), data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		got := coveredOf(open(t, cut))
		for test, list := range got {
			if diff := cmp.Diff(want[test], list); diff != "" {
				t.Fatalf("%d bytes, %s: %s", n, test, diff)
			}
		}
		runs = len(got)
	}
	if runs != 5 {
		t.Errorf("the whole file has %d runs, want 5", runs)
	}
}

// A list of what was covered that ends too early, or names a method that the file does not have,
// is refused, and no part of it is taken.
func TestCoveredThatIsDamaged(t *testing.T) {
	s := open(t, t.TempDir())
	id := s.Intern(record.MethodKey{Class: "p/C", Method: "m()V"})
	seg := &segment{local: []record.MethodID{id}, sets: [][]record.MethodID{{id}, {id, id}}}
	name := namer(func([]record.MethodID) int { return 1 })
	whole := name.covered([]record.Covered{{Method: id, Shape: 7, Hits: []byte{1, 2, 3}}})
	if got, err := seg.covered(whole); err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	for n := 1; n < len(whole); n++ {
		if got, err := seg.covered(whole[:n]); !errors.Is(err, errDamaged) {
			t.Errorf("the first %d bytes: %v, %v", n, got, err)
		}
	}
	for what, first := range map[string]byte{"the empty set": 0, "a set of two methods": 2,
		"a set that is not there": 3} {
		text := append([]byte{first}, whole[1:]...)
		if got, err := seg.covered(text); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
}
