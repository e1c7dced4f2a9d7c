package results

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/instrument/record"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fill(t testing.TB, s *Store, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		var ids []record.MethodID
		for m := i; m < i+5; m++ {
			ids = append(ids, s.Intern(record.MethodKey{Class: "p/C", Method: fmt.Sprintf("m%d()V", m),
				Digest: [16]byte{byte(m)}}))
		}
		name := fmt.Sprintf("p.T#t%d", i)
		if err := s.PutTestRun(&record.TestRun{Test: name, Env: "e", Outcome: record.Pass, Methods: ids, At: at,
			Usages: map[string]record.Usage{"c": {Pink: i}},
			Coverage: record.Coverage{Chained: true, Chains: []record.CallChain{{Level: 1, Methods: ids[1:2]},
				{Level: uint8(i & 1), Methods: ids[:3], Calls: []uint16{uint16(i), 700}}}}}); err != nil {
			t.Fatal(err)
		}
		if err := s.PutCell(&record.Cell{Format: record.CellFormat,
			Trial: record.Trial{Catch: "c", Test: name, Env: "e", Outcome: record.Fail, Deps: ids[:2], At: at},
			Type:  "E", Fired: 1}); err != nil {
			t.Fatal(err)
		}
	}
}

// content is everything in a store, with method numbers resolved.
func content(s *Store) map[string]string {
	m := map[string]string{}
	keys := func(ids []record.MethodID) map[record.MethodKey]bool {
		set := map[record.MethodKey]bool{}
		for _, id := range ids {
			set[s.Method(id)] = true
		}
		return set
	}
	for _, r := range s.Runs() {
		m[r.Test] = fmt.Sprint(r.Outcome, r.Usages, keys(r.Methods), r.Chained)
		var chains []string
		for _, c := range r.Chains {
			text := fmt.Sprint(c.Level, c.Calls)
			for _, id := range c.Methods {
				text += s.Method(id).Method
			}
			chains = append(chains, text)
		}
		slices.Sort(chains)
		m[r.Test] += fmt.Sprint(chains)
	}
	for _, c := range s.Cells() {
		m[c.Catch+c.Test+c.Type] = fmt.Sprint(c.Outcome, c.Fired, keys(c.Deps))
	}
	return m
}

func TestReopen(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s, 0, 20)
	want := content(s)
	s.Close()
	if diff := cmp.Diff(want, content(open(t, dir))); diff != "" {
		t.Error(diff)
	}
	if len(want) != 40 {
		t.Errorf("%d records, want 40", len(want))
	}
}

// A process killed at any byte loses at most the record it was writing.
func TestTruncation(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s, 0, 3)
	s.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if len(files) != 1 {
		t.Fatalf("segments: %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for n := 0; n <= len(data); n++ {
		cut := t.TempDir()
		os.WriteFile(filepath.Join(cut, "a"+segmentSuffix), data[:n], 0o600)
		got := len(content(open(t, cut)))
		if got < last {
			t.Fatalf("%d bytes give %d records, fewer bytes gave %d", n, got, last)
		}
		last = got
	}
	if last != 6 {
		t.Errorf("whole file gives %d records, want 6", last)
	}
	// A flipped bit ends the segment there and harms nothing else.
	data[len(data)/2] ^= 4
	cut := t.TempDir()
	os.WriteFile(filepath.Join(cut, "a"+segmentSuffix), data, 0o600)
	d := open(t, cut)
	if got := len(content(d)); got == 0 || got >= 6 {
		t.Errorf("damaged in the middle: %d records", got)
	}
	fill(t, d, 7, 8)
	d.Close()
	if _, ok := open(t, cut).TestRun("", "p.T#t7", "e"); !ok {
		t.Error("a record written beside a damaged segment is lost")
	}
}

// Two servers on one workspace see each other's records and lose none.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); fill(t, a, 0, 50) }()
	go func() { defer wg.Done(); fill(t, b, 50, 100) }()
	wg.Wait()
	for _, s := range []*Store{a, b} {
		if err := s.Refresh(); err != nil {
			t.Fatal(err)
		}
		if n := len(content(s)); n != 200 {
			t.Errorf("%d records, want 200", n)
		}
	}
	if diff := cmp.Diff(content(a), content(b)); diff != "" {
		t.Error(diff)
	}
}

func TestCompact(t *testing.T) {
	dir := t.TempDir()
	for i := 0; i < 6; i++ {
		s := open(t, dir)
		fill(t, s, i*10, i*10+12) // two tests again each time
		s.Close()
	}
	live := open(t, dir) // its segment must survive the merge
	fill(t, live, 70, 75)
	s := open(t, dir)
	want := content(s)
	s.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if len(files) > compactAt+2 {
		t.Errorf("%d segments are left", len(files))
	}
	if n := len(want); n != (62+5)*2 {
		t.Errorf("%d records, want %d", n, (62+5)*2)
	}
	fill(t, live, 75, 80)
	if n := len(content(open(t, dir))); n != (62+10)*2 {
		t.Errorf("after the merge: %d records, want %d", n, (62+10)*2)
	}
}

// What a newer version wrote survives that an older one opens the store, and so
// does everything that stands beside it.
func TestCompactKeepsWhatIsNewer(t *testing.T) {
	dir := t.TempDir()
	frames := [][]byte{
		appendFrame(nil, 'Z', []byte("of a kind that is not known")),
		appendFrame(nil, kindCell, []byte(`{"Catch":"c","Type":"E","Test":"newer","Env":"e","Outcome":"pass","Deps":0,"Invented":[1]}`)),
	}
	for i := 0; i < 8; i++ {
		s := open(t, dir)
		fill(t, s, i*10, i*10+10)
		name := s.out.name
		s.Close()
		if i < len(frames) {
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(frames[i]); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
	s := open(t, dir)
	if n := len(content(s)); n != 8*20+1 {
		t.Errorf("%d records, want %d", n, 8*20+1)
	}
	s.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if len(files) > len(frames)+compactAt+1 {
		t.Errorf("%d segments are left", len(files))
	}
	var all []byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	for _, f := range frames {
		if n := bytes.Count(all, f); n != 1 {
			t.Errorf("%q stands in the store %d times, want once", f[frameHeader:], n)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir)
	for i := 0; i < 10000; i++ {
		var ids []record.MethodID
		for m := 0; m < 300; m++ {
			ids = append(ids, s.Intern(record.MethodKey{Class: "org/example/SomeClass",
				Method: fmt.Sprintf("method%d(I)V", (m*37+i)%5000)}))
		}
		if err := s.PutTestRun(&record.TestRun{Test: fmt.Sprint("t", i), Env: "e", Outcome: record.Pass,
			Methods: ids}); err != nil {
			b.Fatal(err)
		}
	}
	s.Close()
	var size int64
	files, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	for _, f := range files {
		if i, err := os.Stat(f); err == nil {
			size += i.Size()
		}
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		open(b, dir).Close()
	}
	b.ReportMetric(float64(size)/1e6, "MB-on-disk")
}
