package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/record"
)

// No fault stands beside a catch that it cannot reach; those that can, do, by the engine that was
// used.
func TestFaultsThatReach(t *testing.T) {
	s, text := openOne(t, filepath.Join("testdata", "reaching", "Reaching.java"), 17, 17)
	lines, snap := strings.Split(string(text), "\n"), s.View().Snap
	put := func(engine string) {
		t.Helper()
		m := snap.Workspace.Modules[0].Name
		run := &record.TestRun{Module: m, Test: "reaching.T#t", Class: "reaching.T", Outcome: record.Pass,
			At: time.Now()}
		fault := &record.FaultRun{Trial: record.Trial{Module: m, Catch: snap.Catches[0].ID, Test: run.Test,
			Outcome: record.Pass, At: time.Now()}, Root: "java/io/FileInputStream.read0",
			Kind: faults.DiskRead, Engine: engine}
		for _, err := range []error{s.store.PutTestRun(run), s.store.PutFaultRun(fault)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	possible := func(id string) (kinds []string) {
		for _, k := range s.overlayResults(snap).ByCatch[id].Faults.Possible {
			kinds = append(kinds, string(k))
		}
		return kinds
	}
	put("jvm")
	seen := 0
	for _, c := range snap.Catches {
		_, want, ok := strings.Cut(lines[c.Line-1], "//@ ")
		if !ok {
			t.Errorf("nothing is expected in line %d", c.Line)
			continue
		}
		seen++
		got := possible(c.ID)
		list := strings.Fields(want)
		lacks := slices.ContainsFunc(list[1:], func(k string) bool { return !slices.Contains(got, k) })
		if list[0] == "none" && len(got) > 0 || list[0] == "only" && !slices.Equal(got, list[1:]) ||
			list[0] == "some" && lacks {
			t.Errorf("line %d: %q, want %s", c.Line, got, want)
		}
	}
	if n := strings.Count(string(text), "//@ "); seen != n || n < 10 {
		t.Errorf("%d catches of %d expectations", seen, n)
	}
	put("os") // takes the place of the other run
	for _, c := range snap.Catches {
		got, line := possible(c.ID), lines[c.Line-1]
		if strings.Contains(line, "some missing permission") &&
			(!slices.Contains(got, "missing") || slices.Contains(got, "disk-read")) {
			t.Errorf("line %d: an open that fails for a read is none of the os engine's: %q", c.Line, got)
		}
		if strings.Contains(line, "only name-resolution") && !slices.Equal(got, []string{"name-resolution"}) {
			t.Errorf("line %d: what that engine leaves to the JVM counts: %q", c.Line, got)
		}
	}
}
