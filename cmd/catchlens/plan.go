package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/instrument/planner/plancache"
	"github.com/catchlens/catchlens/instrument/planner/testspec"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/session"
)

type planCmd struct {
	where
	Technique string `help:"Technique for all methods, or HYBRID: the cheapest for each, as a file for --testspec. Default: the one used in test JVMs." placeholder:"TECHNIQUE"`
	Count     bool   `help:"For HYBRID: run the tests once, counting how often code is executed."`
	Testspec  string `type:"path" help:"File that names a technique for each method." placeholder:"FILE"`
	PlanCache bool   `help:"Cache probe plans by control-flow shape, and use cached ones."`
	output
}

// hybridTechnique has a technique chosen for each method.
const hybridTechnique = "HYBRID"

// Run runs no tests but for --count; what it writes is its output and, where that is asked for,
// kept plans.
func (c *planCmd) Run(ctx context.Context) error {
	if c.Technique == hybridTechnique {
		return c.hybrid(ctx)
	}
	if c.Count {
		return errors.New("--count is for --technique HYBRID")
	}
	spec, err := c.spec()
	if err != nil {
		return err
	}
	s, err := c.open("", version, false, 0)
	if err == nil {
		err = reload(ctx, s, "analysing", progress)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	plans := plancache.Open("", nil) // has no files
	if c.PlanCache {
		cache, err := session.CacheDir(c.Cache)
		if err != nil {
			return err
		}
		plans = plancache.Open(session.PlansDir(cache), func(problem string) { slog.Warn(problem) })
	}
	p := planned{spec: spec, plans: plans}
	err = c.writeOutput(func(w io.Writer) error {
		for _, class := range s.View().Snap.Classes() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !class.InTests {
				p.class(w, s.View().Snap, class.Name)
			}
		}
		return p.total(w)
	})
	if err != nil || !c.PlanCache {
		return err
	}
	if n := plans.Counts(); n.Found+n.Made > 0 {
		fmt.Fprintln(os.Stderr, session.PlansFound(n))
	}
	return plans.Flush()
}

// hybrid writes the technique that is cheapest for each method, and why.
func (c *planCmd) hybrid(ctx context.Context) error {
	if c.Testspec != "" || c.PlanCache {
		return errors.New("--technique HYBRID writes a file for --testspec; leave out --testspec and --plan-cache")
	}
	s, err := c.openWith("", session.Options{Version: version, Trusted: true, RunFollows: c.Count})
	if err == nil {
		err = reload(ctx, s, "analysing", progress)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	if c.Count {
		p, done := runProgress("counting")
		sum, err := s.CountExecutions(ctx, p)
		done()
		if err := covered(ctx, sum, err); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, coverageLine(sum.Tests, sum.Times.Starts, sum.Failed))
	}
	plan, changed, err := s.HybridPlan(ctx)
	if errors.Is(err, session.ErrNotCounted) {
		return fmt.Errorf("%w; --count runs the tests once and counts", err)
	}
	if err != nil {
		return err
	}
	if changed > 0 {
		fmt.Fprintf(os.Stderr, "note: %s changed since executions were counted, and counts as not executed\n",
			codelens.Count(changed, "method"))
	}
	return c.writeOutput(func(w io.Writer) error {
		_, err := plan.WriteTo(w)
		return err
	})
}

// spec is what says how methods are planned.
func (c *planCmd) spec() (*testspec.Spec, error) {
	if c.Testspec != "" {
		if c.Technique != "" {
			return nil, errors.New("--testspec says the techniques; leave out --technique")
		}
		return readSpec(c.Testspec)
	}
	technique := coverage.Technique
	if c.Technique != "" {
		var err error
		if technique, err = planner.TechniqueOf(c.Technique); err != nil {
			return nil, fmt.Errorf("--technique: %w", err)
		}
	}
	return testspec.New([]testspec.Rule{{Class: "**", Method: testspec.AllMethods, Technique: technique}}), nil
}

// readSpec reads the file of --testspec.
func readSpec(file string) (*testspec.Spec, error) {
	text, err := bounded.Read(file, bounded.Text)
	if err != nil {
		return nil, fmt.Errorf("--testspec: %w", err)
	}
	return testspec.Parse(file, string(text))
}

// planned plans the methods of classes, and counts.
type planned struct {
	spec  *testspec.Spec
	plans *plancache.Cache

	methods, untested, failed int
	nodes, edges, probes      int
}

// class plans the methods of a class, and writes a line for each.
func (p *planned) class(w io.Writer, snap *snapshot.Snapshot, name string) {
	data, err := snap.ClassBytes(name)
	if err != nil {
		return
	}
	c, err := classfile.Parse(data)
	if err != nil {
		return
	}
	for _, m := range c.Methods {
		g, err := coverage.GraphOf(c, m)
		if g == nil && err == nil {
			continue
		}
		method := codelens.Plain(classfile.SourceName(name)+"."+c.MemberName(m)+c.MemberDesc(m), false)
		rule := p.spec.RuleOf(classfile.SourceName(name), c.MemberName(m))
		if rule == nil {
			p.untested++
			continue
		}
		var plan *planner.Plan
		if err == nil {
			o := planner.Options{}
			if rule.Technique == planner.MinimumBranch {
				o.Place = planner.OnEdges
			}
			plan, err = p.plans.Make(g, rule.Technique, o)
		}
		if err != nil {
			p.failed++
			fmt.Fprintf(w, "%s: not planned: %v\n", method, err)
			continue
		}
		why := ""
		if rule.Line > 0 {
			why = fmt.Sprintf(", by line %d", rule.Line)
		}
		p.methods++
		p.nodes += int(g.Blocks)
		p.edges += len(g.Edges)
		p.probes += len(plan.Probes)
		fmt.Fprintf(w, "%s: %s%s: %s, %d of them from the start; %s, %s\n", method, rule.Technique, why,
			codelens.Count(len(plan.Probes), "probe"), len(plan.Seeds()),
			codelens.Count(int(g.Blocks), "block"), codelens.Count(len(g.Edges), "edge"))
	}
}

// total writes what was planned in all.
func (p *planned) total(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %s, %d blocks, %d edges\n", codelens.Count(p.methods, "method"),
		codelens.Count(p.probes, "probe"), p.nodes, p.edges)
	if p.untested > 0 {
		fmt.Fprintf(w, "%s without a rule\n", codelens.Count(p.untested, "method"))
	}
	if p.failed > 0 {
		fmt.Fprintf(w, "%s not planned\n", codelens.Count(p.failed, "method"))
	}
	return err
}
