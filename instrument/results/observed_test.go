package results

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/instrument/record"
)

func put(t *testing.T, s *Store, os ...record.Observed) {
	t.Helper()
	for _, o := range os {
		if err := s.PutObserved(o); err != nil {
			t.Fatal(err)
		}
	}
}

// names lists what an analysis gets where every module has a class path.
func names(s *Store, classPath string) []string {
	o := s.Observed(func(string) string { return classPath })
	var out []string
	for _, g := range o.Generated {
		out = append(out, fmt.Sprintf("%s %s", g.Name, g.Data))
	}
	for _, e := range o.Extra.Edges {
		out = append(out, fmt.Sprintf("%v from %q", e.To, e.From.Class))
	}
	return out
}

func TestObserved(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	proxy := record.Observed{Module: "m", ClassPath: "1", Class: "jdk/proxy/$Proxy$1", Data: []byte("bytes"), At: at}
	put(t, s, proxy,
		record.Observed{Module: "m", ClassPath: "1", Class: "p/C", Method: "hidden(I)V", At: at},
		record.Observed{Module: "m", ClassPath: "2", Class: "p/D", Method: "other()V", At: at})
	want := []string{"jdk/proxy/$Proxy$1 bytes", `{p/C hidden (I)V} from ""`}
	check := func(when string, s *Store) {
		t.Helper()
		if diff := cmp.Diff(want, names(s, "1")); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
		if diff := cmp.Diff([]string{`{p/D other ()V} from ""`}, names(s, "2")); diff != "" {
			t.Errorf("%s, another class path: %s", when, diff)
		}
		if got := names(s, "3"); got != nil {
			t.Errorf("%s, a class path that nothing ran with: %q", when, got)
		}
	}
	check("at once", s)
	version := s.ObservedVersion()
	// Seen again, soon and later: nothing new.
	put(t, s, proxy)
	again := proxy
	again.At = at.Add(2 * seenAgain)
	put(t, s, again)
	check("seen again", s)
	if got := s.ObservedVersion(); got != version {
		t.Errorf("version %d after %d although nothing new was observed", got, version)
	}
	other := open(t, dir) // another server, while the first still runs
	check("another process", other)
	put(t, other, record.Observed{Module: "m", ClassPath: "2", Class: "p/D", Method: "other()V", At: at})
	if err := s.Refresh(); err != nil {
		t.Fatal(err)
	}
	check("what the other recorded", s)
	s.Close()
	other.Close()
	for range compactAt + 2 { // segments enough to be merged
		s := open(t, dir)
		fill(t, s, 0, 1)
		s.Close()
	}
	check("after merging", open(t, dir))
	if got := open(t, dir).observed[keyOfObserved(&proxy)].At; !got.Equal(again.At) {
		t.Errorf("last seen %v, want %v", got, again.At)
	}
}

// The machine sleeps for two days while the process runs: its own clock has stood still, that of
// the disk has not, and what is seen then is said again.
func TestObservedAgainAfterTheMachineSlept(t *testing.T) {
	before := time.Now()
	after := ahead(t, before, 2*seenAgain)
	dir := t.TempDir()
	s := open(t, dir)
	o := record.Observed{Module: "m", ClassPath: "1", Class: "p/C", Method: "run()V", At: before}
	put(t, s, o)
	o.At = after
	put(t, s, o)
	for _, store := range []string{"it", "who opens it again"} {
		if got := s.observed[keyOfObserved(&o)].At; !got.Equal(after.Round(0)) {
			t.Errorf("for %s it was last seen %v, want %v", store, got, after.Round(0))
		}
		s.Close()
		s = open(t, dir)
	}
	s.Close()
}

// Classes that differ from run to run do not grow without end; what was seen last
// stays.
func TestObservedIsBounded(t *testing.T) {
	s := open(t, t.TempDir())
	for i := range maxObserved + 10 {
		o := record.Observed{Module: "m", ClassPath: "1", Class: fmt.Sprintf("p/C$%d", i), Data: []byte{1},
			At: at.Add(time.Duration(i) * time.Second)}
		s.addObserved(&o)
	}
	if n := len(s.observed); n > maxObserved || n < maxObserved*8/10 {
		t.Errorf("%d of %d are kept", n, maxObserved+10)
	}
	last := observedKey{module: "m", classPath: "1", class: fmt.Sprintf("p/C$%d", maxObserved+9)}
	if s.observed[last] == nil || s.observed[observedKey{module: "m", classPath: "1", class: "p/C$0"}] != nil {
		t.Error("the last one is gone, or the first one is kept")
	}
	total := 0
	for _, o := range s.observed {
		total += len(o.Data)
	}
	if total != s.observedBytes {
		t.Errorf("%d bytes, counted %d", total, s.observedBytes)
	}
}
