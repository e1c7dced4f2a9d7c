//go:build slow

package session_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/session"
)

// copyResults records in another store what a store has, with another digest for
// one method, so that the method is not the snapshot's any more. Without below, the
// records are those of a version that did not record what ran below a try.
func copyResults(t *testing.T, from *results.Store, changed snapshot.MethodRef, below bool) *results.Store {
	t.Helper()
	to, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	set := func(ids []record.MethodID) []record.MethodID {
		if ids == nil {
			return nil
		}
		out := make([]record.MethodID, 0, len(ids))
		for _, id := range ids {
			k := from.Method(id)
			if k.Class == changed.Class && k.Method == changed.Method {
				k.Digest[0]++
			}
			out = append(out, to.Intern(k))
		}
		slices.Sort(out)
		return out
	}
	sets := func(b record.Below) record.Below {
		out := record.Below{}
		for c, ids := range b {
			if below {
				out[c] = set(ids)
			}
		}
		return out
	}
	covered := func(all []record.Covered) []record.Covered {
		out := slices.Clone(all)
		for i, c := range all {
			out[i].Method = set([]record.MethodID{c.Method})[0]
		}
		return record.UnionCovered(nil, out)
	}
	for _, r := range from.Runs() {
		c := *r
		c.Covered, c.CoveredAside = covered(r.Covered), covered(r.CoveredAside)
		c.Methods, c.Below, c.Aside = set(r.Methods), sets(r.Below), sets(r.Aside)
		if err := to.PutTestRun(&c); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range from.Cells() {
		c := *r
		c.Deps, c.Below, c.Aside = set(r.Deps), sets(r.Below), sets(r.Aside)
		if err := to.PutCell(&c); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// testStaleByMethod changes every method of filedrop, one at a time: how many catches does it
// make stale? What a change of code that ran below a try makes stale is a small
// part of what the call graph lets the try reach.
func testStaleByMethod(t *testing.T, cache string, s *session.Session) {
	snap := s.View().Snap
	folders, _ := filepath.Glob(filepath.Join(cache, "results", "*"))
	if len(folders) != 1 {
		t.Fatalf("results are in %q", folders)
	}
	store, err := results.Open(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	known, all := 0, 0
	for _, r := range store.Runs() {
		for id := range r.Usages {
			if all++; r.Below[id] != nil {
				known++
			}
		}
	}
	cells, knownCells := store.Cells(), 0
	for _, c := range cells {
		if c.Below[c.Catch] != nil {
			knownCells++
		}
	}
	t.Logf("what ran below is known of %d of %d pairs of test and catch, and of %d of %d injected runs", known, all,
		knownCells, len(cells))
	env := func(string) string { return cells[0].Env }
	stale := func(ref snapshot.MethodRef, below bool) (n int) {
		st := copyResults(t, store, ref, below)
		defer st.Close()
		for _, x := range results.Lay(snap, st, env).ByCatch {
			if x.Stale {
				n++
			}
		}
		return n
	}
	methods, reach, static, ran := 0, 0, 0, 0
	for _, c := range snap.Classes() {
		if c.InTests {
			continue
		}
		for i := range c.Facts.Methods {
			m := &c.Facts.Methods[i]
			ref := snapshot.MethodRef{Class: c.Name, Method: m.Name + m.Desc}
			methods++
			reach += len(snap.Touching([]snapshot.MethodRef{ref}))
			a, b := stale(ref, false), stale(ref, true)
			static, ran = static+a, ran+b
			if b > a {
				t.Errorf("%s %s: %d catches are stale by what ran, %d by the call graph", c.Name, m.Name, b, a)
			}
			if strings.HasSuffix(c.Name, "/AuditLog") && m.Name == "record" {
				t.Logf("AuditLog.record: %d of %d catches, %d without what ran below the tries", b, len(snap.Catches),
					a)
			}
		}
	}
	for _, c := range snap.Classes() {
		if !c.InTests && strings.HasSuffix(c.Name, "/AuditLog") &&
			stale(snapshot.MethodRef{Class: c.Name, Method: snapshot.Dispatch}, true) == 0 {
			t.Error("nothing is stale where calls on an AuditLog may run other methods")
		}
	}
	if known*10 < all*9 || knownCells*10 < len(cells)*9 {
		t.Errorf("what ran below is known of %d of %d pairs and %d of %d injected runs only", known, all, knownCells,
			len(cells))
	}
	if ran*2 > static {
		t.Errorf("%d pairs of method and catch are stale by what ran, %d by the call graph: recording it is not "+
			"worth its cost", ran, static)
	}
	t.Logf("%d methods: %d pairs of method and catch by reach, %d of them where a test entered the method, %d by "+
		"what ran", methods, reach, static, ran)
}
