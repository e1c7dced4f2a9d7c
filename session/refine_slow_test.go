//go:build slow

package session_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// TestRefined follows what an editor shows with the default settings: links of rta at once,
// what obj-dr leaves of them soon after, and no more than that after edits.
func TestRefined(t *testing.T) {
	dir, cache := filedrop(t), scratch.CacheDir(t)
	s := openWith(t, dir, session.Options{CacheDir: cache, Trusted: true})
	if got := s.Status().CallGraph; got != "rta" {
		t.Errorf("at once: %s", got)
	}
	coarse := countsOf(s)
	waitRefined(t, s)
	refined := countsOf(s)
	most, where := 0, ""
	for id, n := range refined {
		if n > coarse[id] {
			t.Errorf("%s: %d links refined, %d before", id, n, coarse[id])
		}
		if lost := coarse[id] - n; lost > most {
			most, where = lost, id
		}
	}
	t.Logf("%s: %d links, %d refined", where, coarse[where], refined[where])
	if most < 100 {
		t.Errorf("no catch lost more than %d links", most)
	}
	edit(t, dir, "FileStore.java", "package filedrop;", "// a line above\n\npackage filedrop;")
	reload(t, s)
	if st := s.Status(); st.CallGraph != "obj-dr" || st.Activity != "" {
		t.Errorf("after a line above: %s at once, %q", st.CallGraph, st.Activity)
	}
	for _, e := range []struct{ what, file, old, new string }{
		{"a call of a library", "Settings.java", "duration.toMillis();",
			"duration.toMillis();\n            duration.isZero();"},
		{"a call", "Wire.java", "StringBuilder line = new StringBuilder();",
			"in.available();\n        StringBuilder line = new StringBuilder();"},
		{"a constant while links are being refined", "Wire.java", "LONGEST_LINE = 1000;", "LONGEST_LINE = 1024;"},
	} { // the second before the first is refined
		if strings.HasSuffix(e.what, "refined") {
			time.Sleep(1200 * time.Millisecond)
		}
		edit(t, dir, e.file, e.old, e.new)
		reload(t, s)
		if got := s.Status().CallGraph; got != "rta" {
			t.Errorf("%s: %s at once", e.what, got)
		}
		stale := 0
		v := s.View()
		for _, c := range v.Snap.Catches {
			if n := len(c.Links); n > refined[c.ID] {
				t.Errorf("%s: %s shows %d links, had %d", e.what, c.ID, n, refined[c.ID])
			}
			if strings.HasSuffix(codelens.Title(v, c), "stale") != (len(c.Withheld) > 0) {
				t.Errorf("%s: %s, %d links withheld", e.what, codelens.Title(v, c), len(c.Withheld))
			}
			if len(c.Withheld) > 0 {
				stale++
			}
		}
		if stale == 0 {
			t.Errorf("%s: no catch is stale", e.what)
		}
	}
	waitRefined(t, s)
	once := openWith(t, dir, session.Options{CacheDir: cache, Trusted: true, Once: true})
	if got := once.Status().CallGraph; got != "obj-dr" {
		t.Errorf("a command has %s", got)
	}
	if got, want := catchesOf(s), catchesOf(once); !slices.Equal(got, want) {
		t.Errorf("refined after edits:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if v := s.View(); slices.ContainsFunc(v.Snap.Catches, v.Stale) {
		t.Error("catches are stale")
	}

	again, refined := openWith(t, dir, session.Options{CacheDir: cache, Trusted: true}), countsOf(once)
	for id, n := range countsOf(again) {
		if n > refined[id] {
			t.Errorf("after a restart: %s shows %d links, had %d", id, n, refined[id])
		}
	}
}

// waitRefined waits until refined links are shown.
func waitRefined(t *testing.T, s *session.Session) {
	t.Helper()
	refining := false
	for end := time.Now().Add(2 * time.Minute); s.Status().CallGraph != "obj-dr"; time.Sleep(5 * time.Millisecond) {
		refining = refining || s.Status().Activity == "refining links"
		if time.Now().After(end) {
			t.Fatalf("links of %s, refining: %v", s.Status().CallGraph, refining)
		}
	}
	if !refining {
		t.Error("nobody was told that links are being refined")
	}
}

// countsOf are the numbers of links by catch.
func countsOf(s *session.Session) map[string]int {
	n := map[string]int{}
	for _, c := range s.View().Snap.Catches {
		n[c.ID] = len(c.Links)
	}
	return n
}
