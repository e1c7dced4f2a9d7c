package results

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/test/scratch"
)

// Tests that entered a method as it is now count, and those that entered it as it was only where
// there is no other; a test that is gone does not.
func TestEntering(t *testing.T) {
	snap := snapshotOf(t, factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts")), t.TempDir(), twoClosers)
	st := open(t, t.TempDir())
	help := snapshot.MethodRef{Class: "p/C", Method: "help()I"}
	main := snapshot.MethodRef{Class: "p/C", Method: "main([Ljava/lang/String;)V"}
	closes := snapshot.MethodRef{Class: "p/A", Method: "close()V"}
	id := func(m snapshot.MethodRef, edited bool) record.MethodID {
		d, ok := snap.MethodDigest(m)
		if !ok {
			t.Fatalf("no method %v", m)
		}
		if edited {
			d[0]++
		}
		return st.Intern(record.MethodKey{Class: m.Class, Method: m.Method, Digest: d})
	}
	put := func(test string, o record.Outcome, methods ...record.MethodID) {
		slices.Sort(methods)
		if err := st.PutTestRun(&record.TestRun{Test: test, Env: "e", Outcome: o, Outcomes: []record.Outcome{o},
			Methods: methods, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	put("p.T#b", record.Pass, id(help, false), id(main, true))
	put("p.T#a", record.Pass, id(help, false), id(main, true))
	put("p.T#old", record.Pass, id(help, true))
	put("p.T#gone", record.Gone, id(help, false), id(closes, false))

	o := Lay(snap, st, func(string) string { return "e" })
	for _, c := range []struct {
		of    snapshot.MethodRef
		tests []string
		stale bool
	}{
		{help, []string{"p.T#a", "p.T#b"}, false},
		{main, []string{"p.T#a", "p.T#b"}, true},
		{closes, nil, false},
	} {
		if e := o.Entering(c.of); !slices.Equal(e.Tests, c.tests) || e.Stale != c.stale {
			t.Errorf("%v: %v, stale %v; want %v, %v", c.of, e.Tests, e.Stale, c.tests, c.stale)
		}
	}
	if e := (&Overlay{}).Entering(help); len(e.Tests) > 0 {
		t.Errorf("an overlay of nothing: %v", e)
	}
}
