package results

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/damage"
)

// recorded is a folder with a segment of some records of each kind of dependency.
func recorded(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		m := []record.MethodID{s.Intern(record.MethodKey{Class: "p/A", Method: fmt.Sprint("m", i),
			Digest: [16]byte{byte(i)}}),
			s.Intern(record.MethodKey{Class: "p/A", Method: "all"})}
		run := &record.TestRun{Module: "m", Test: fmt.Sprint("t", i), Env: "e", Outcome: "pass", Methods: m}
		cell := &record.Cell{Trial: record.Trial{Catch: fmt.Sprint("c", i%3), Test: run.Test, Env: "e",
			Outcome: "fail", Deps: m}, Type: "E"}
		if err := s.PutTestRun(run); err != nil {
			t.Fatal(err)
		}
		if err := s.PutCell(cell); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// found are the records of a store by what they are of, with the methods that they depend on.
func found(t *testing.T, dir string) map[string]any {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keys := func(ids []record.MethodID) (k []record.MethodKey) {
		for _, id := range ids {
			k = append(k, s.Method(id))
		}
		return k
	}
	all := map[string]any{}
	for _, r := range s.Runs() {
		all["run "+r.Test] = []any{r.Module, r.Env, r.Outcome, keys(r.Methods)}
	}
	for _, c := range s.Cells() {
		all["cell "+c.Catch+c.Type+c.Test] = []any{c.Env, c.Outcome, keys(c.Deps)}
	}
	return all
}

// Of a damaged segment some records are there, as they were written, and no other: each bit counts,
// those of lengths and kinds, too.
func TestDamagedSegment(t *testing.T) {
	dir := recorded(t)
	want := found(t, dir)
	if len(want) != 24 {
		t.Fatalf("%d records", len(want))
	}
	segments, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	whole, err := os.ReadFile(segments[0])
	if err != nil || len(segments) != 1 {
		t.Fatal(segments, err)
	}
	check := func(what string) {
		got := found(t, dir)
		for name, entry := range got {
			if !reflect.DeepEqual(entry, want[name]) {
				t.Fatalf("%s: %s is %v, was %v", what, name, entry, want[name])
			}
		}
	}
	r := rand.New(rand.NewPCG(26, 5))
	for at := 0; at < len(whole); at += 1 + r.IntN(15) {
		text := append([]byte{}, whole...)
		text[at] ^= 1 << r.IntN(8)
		if err := os.WriteFile(segments[0], text, 0o600); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprint("byte ", at))
	}
	for _, kind := range damage.Kinds {
		os.RemoveAll(segments[0])
		if err := os.WriteFile(segments[0], whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := damage.Do(r, segments, segments[0], kind); err != nil {
			t.Fatal(err)
		}
		check(string(kind))
	}
}

// What recording does beside a folder in the place of a segment, or of its lock, is what it does
// without it.
func TestFoldersAmongSegments(t *testing.T) {
	dir := recorded(t)
	want := found(t, dir)
	for _, name := range []string{"20200101T000000.0-1" + segmentSuffix,
		"20200101T000000.0-2" + segmentSuffix + ".lock"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "full"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got := found(t, dir); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, was %v", got, want)
	}
}

// FuzzStore reads a segment of any content. Opening a folder takes most of the time: it makes some
// 3,000 executions a second, on one core.
func FuzzStore(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "20200101T000000.0-1"+segmentSuffix)
	good := appendFrame([]byte(segmentMagic), kindMethod, []byte("p/A\x00m()V\x000123456789abcdef"))
	good = appendFrame(good, kindSet, []byte{0})
	good = appendFrame(good, kindTestRun,
		[]byte(`{"Module":"m","Test":"t","Env":"e","Outcome":"pass","Methods":1,"Below":{"c":1}}`))
	good = appendFrame(good, kindCell, []byte(`{"Catch":"c","Type":"E","Test":"t","Env":"e","Outcome":"pass","Deps":1}`))
	f.Add(good)
	f.Add([]byte(segmentMagic))
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		s.Runs()
		s.Cells()
		s.Close()
	})
}
