package main

import (
	"errors"
	"testing"

	"github.com/catchlens/catchlens/session"
)

// Commands that run tests say so when they open the workspace, so that test JVMs are prepared
// beside the analysis; the others do not, nor may they execute anything.
func TestOpenSaysWhetherTestsRun(t *testing.T) {
	defer func(open func([]string, session.Options) (*session.Session, error)) { openSession = open }(openSession)
	dir := t.TempDir()
	for _, x := range []struct {
		args          []string
		trusted, runs bool
	}{
		{[]string{"run", dir}, true, true},
		{[]string{"run", dir, "--faults-only"}, true, true},
		{[]string{"coverage", dir}, true, true},
		{[]string{"chains", dir, "--run"}, true, true},
		{[]string{"plan", dir, "--technique", "HYBRID", "--count"}, true, true},
		{[]string{"plan", dir, "--technique", "HYBRID"}, true, false}, // measures what probes cost, in a JVM of its own
		{[]string{"plan", dir}, false, false},
		{[]string{"analyze", dir}, false, false},
		{[]string{"report", dir}, false, false},
		{[]string{"chains", dir}, false, false},
		{[]string{"compare", dir}, false, false},
		{[]string{"audit", dir}, false, false},
		{[]string{"explain", "A.java:1", "--dir", dir}, false, false},
		{[]string{"dump", "links", dir}, false, false},
		{[]string{"dump", "natives", dir}, false, false},
	} {
		var opened []session.Options
		openSession = func(_ []string, opt session.Options) (*session.Session, error) {
			opened = append(opened, opt)
			return nil, errors.New("seen enough")
		}
		run(append(x.args, "--cache", t.TempDir()))
		if len(opened) != 1 {
			t.Errorf("%q opens %d workspaces", x.args, len(opened))
		} else if o := opened[0]; o.Trusted != x.trusted || o.RunFollows != x.runs {
			t.Errorf("%q: trusted is %v, want %v; a run follows is %v, want %v", x.args, o.Trusted, x.trusted,
				o.RunFollows, x.runs)
		}
	}
}
