package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/campaign"
	"github.com/catchlens/catchlens/instrument/chains"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/planner/plancache"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
)

// Cover implements API.
func (s *Session) Cover(ctx context.Context, scope CoverScope, p Progress) (*coverage.Suite, Summary, error) {
	sum, err := s.cover(ctx, scope, false, p)
	if err != nil {
		return nil, sum, err
	}
	if s.covering.wanted.Load() {
		s.addUp() // who is told that the run has ended may ask what it covered
	}
	snap := s.View().Snap
	runs := s.currentRuns(snap.Workspace, func(run *record.TestRun) bool { return run.Covers })
	return coverage.OfRuns(snap, s.store, runs, nil), sum, nil
}

// CoverChains runs the tests of which it is not known, or not current, which call chains they take;
// again has all of them run. It returns which chains of a forest all take. It grants nothing: an
// untrusted session returns ErrUntrusted. The error also says why no test ran.
func (s *Session) CoverChains(ctx context.Context, f *callchain.Forest, again bool,
	p Progress) (*chains.Tested, Summary, error) {
	sum, err := s.cover(ctx, CoverScope{Again: again}, true, p)
	if err != nil {
		return nil, sum, err
	}
	return s.TestedChains(f), sum, nil
}

// TestedChains says which chains of a forest tests took in runs that are known and of the present
// code.
func (s *Session) TestedChains(f *callchain.Forest) *chains.Tested {
	runs := s.currentRuns(s.View().Snap.Workspace, func(run *record.TestRun) bool { return run.Chained })
	return chains.OfRuns(s.store, f, runs)
}

// cover runs the tests whose coverage is not known or not current.
func (s *Session) cover(ctx context.Context, scope CoverScope, ofChains bool, p Progress) (Summary, error) {
	return s.runTests(ctx, scope, func(c *campaign.Campaign) { c.Options.Chains = ofChains }, p)
}

// runTests runs the tests of a scope once, as they are, for what change makes of their campaign.
func (s *Session) runTests(ctx context.Context, scope CoverScope, change func(*campaign.Campaign),
	p Progress) (Summary, error) {
	defer s.continuous.preempt()()
	started := time.Now()
	ctx, p, end, err := s.begin(ctx, false, p)
	if err != nil {
		return Summary{}, err
	}
	defer end()
	s.pipe.refiner.hold() // coverage does not need it
	defer s.pipe.refiner.release()
	snap := s.View().Snap
	c, sc, _, err := s.campaignOf(snap, Scope{Again: scope.Again, Faults: "off"})
	if err != nil {
		return Summary{}, err
	}
	if sc.Classes, err = s.chosen(scope); err != nil {
		return Summary{}, err
	}
	c.Options.OnlyCoverage, c.Options.BaselineRuns = true, 1
	c.Options.Planning.Technique = scope.Technique
	if sc.Classes != nil {
		c.Options.BaselineDone = nil // of some classes it is not the whole baseline
	}
	change(c)
	done, err := c.Run(ctx, sc, func(q campaign.Progress) {
		p(q.Percent(), tell(q, 1))
	})
	s.layNow()
	sum := s.summaryOf(done, "")
	left := leftTestsOf(snap)
	sum.NotRun = notRun(snap, c.Options.Leave, left)
	if sc.Classes == nil {
		sum.Notes = append(sum.Notes, notesOf(left)...)
	}
	if note := s.keepPlans(); note != "" {
		sum.Notes = append(sum.Notes, note)
	}
	sum.Elapsed = time.Since(started)
	if err == nil && done.Tests == 0 && sc.Classes == nil {
		err = nothingRan(snap)
	}
	return sum, err
}

// chosen are the test classes of a scope, each with the tests of it that are asked for, none for
// all; nil: all classes. It fails where there is no such test.
func (s *Session) chosen(scope CoverScope) (map[string][]string, error) {
	if len(scope.Classes)+len(scope.Tests) == 0 {
		return nil, nil
	}
	classes := map[string][]string{}
	found := map[string]bool{}
	for _, t := range s.Tests() {
		if !slices.Contains(scope.Tests, t.Test) {
			continue
		}
		found[t.Test] = true
		classes[t.Class] = record.AddName(classes[t.Class], t.Test)
	}
	for _, test := range scope.Tests {
		if !found[test] {
			return nil, fmt.Errorf("there is no test %s", test)
		}
	}
	for _, class := range scope.Classes {
		classes[class] = nil
	}
	return classes, nil
}

// planning says how coverage probes are planned: by what keeps plans, where there is one.
func (s *Session) planning() (p coverage.Planning) {
	if s.covering.plans != nil {
		p.By = s.covering.plans.Make
	}
	return p
}

// keepPlans writes the plans that were made, and says how many were found; "" if none was asked
// for.
func (s *Session) keepPlans() string {
	if s.covering.plans == nil {
		return ""
	}
	n := s.covering.plans.Counts()
	if n.Found+n.Made == 0 {
		return ""
	}
	if err := s.covering.plans.Flush(); err != nil {
		return "the plans of coverage probes are not kept: " + err.Error()
	}
	return PlansFound(n)
}

// PlansFound says how many plans were found in a cache.
func PlansFound(n plancache.Counts) string {
	return fmt.Sprintf("plans of coverage probes: %d found by the shape of the control flow, %d made", n.Found,
		n.Made)
}

// currentRuns are the runs that are wanted and of the present code.
func (s *Session) currentRuns(ws *workspace.Workspace, wanted func(*record.TestRun) bool) (runs []*record.TestRun) {
	for _, m := range ws.Modules {
		for _, x := range m.Executions() {
			env := s.envOf(x.Name)
			r := recall.New(s.View().Snap, s.store, x.Name, env)
			for _, run := range r.Runs() {
				if wanted(run) && run.Env == env && r.Current(run.Methods) {
					runs = append(runs, run)
				}
			}
		}
	}
	return runs
}
