package session

import (
	"context"
	"fmt"
	"time"

	"catchlens/analysis/workspace"
	"catchlens/instrument/campaign"
	"catchlens/instrument/coverage"
	"catchlens/instrument/recall"
	"catchlens/instrument/record"
)

// Cover runs the tests whose coverage is not known or not current, once each, and returns what all
// cover; again has all of them run. It grants nothing: an untrusted session returns ErrUntrusted.
// The error also says why no test ran, and what was recorded until then stays.
func (s *Session) Cover(ctx context.Context, again bool, p Progress) (*coverage.Suite, Summary, error) {
	started := time.Now()
	ctx, p, end, err := s.begin(ctx, p)
	if err != nil {
		return nil, Summary{}, err
	}
	defer end()
	s.pipe.refiner.hold() // coverage does not need it
	defer s.pipe.refiner.release()
	snap := s.View().Snap
	c, sc, _, err := s.campaignOf(snap, Scope{Again: again, Faults: "off"})
	if err != nil {
		return nil, Summary{}, err
	}
	c.Options.OnlyCoverage, c.Options.BaselineRuns = true, 1
	done, err := c.Run(ctx, sc, func(q campaign.Progress) {
		p(q.Percent(), fmt.Sprintf("%s, %d of %d: %s", q.Phase, q.Done, q.Total, q.Text))
	})
	s.layNow()
	sum := s.summaryOf(done, "")
	sum.Elapsed = time.Since(started)
	if err == nil && done.Tests == 0 {
		err = nothingRan(snap)
	}
	if err != nil {
		return nil, sum, err
	}
	return coverage.OfRuns(snap, s.store, s.coverageRuns(snap.Workspace)), sum, nil
}

// coverageRuns are the runs that coverage is known of and that are of the present code.
func (s *Session) coverageRuns(ws *workspace.Workspace) (runs []*record.TestRun) {
	for _, m := range ws.Modules {
		for _, x := range m.Executions() {
			env := s.envOf(x.Name)
			r := recall.New(s.View().Snap, s.store, x.Name, env)
			for _, run := range r.Runs() {
				if run.Covers && run.Env == env && r.Current(run.Methods) {
					runs = append(runs, run)
				}
			}
		}
	}
	return runs
}
