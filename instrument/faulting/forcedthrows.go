package faulting

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file forces explicit throws that no test and no fault makes happen: in a run of
// its own, the branch that decides about the throw goes the other way, once, in the
// extent of the try. The exception is then made by the program's own code and comes to
// the catch by its own way. Nobody knows whether the guard could ever hold: such a link
// is forced, never experienced.

// maxForced is how many throws are forced for one catch, those of the workspace first.
const maxForced = 20

// forcing is a throw with its guards.
type forcing struct {
	guards []worker.FaultGuard
	// watched names the throw with these in Touched.Watched: by where they are in the code, as
	// their numbers depend on which other throws of the class have guards.
	watched string
}

// forcedCatch is a catch with what is to be forced for it.
type forcedCatch struct {
	faultCatch
	throws []string // roots
}

// forcer is the state of one module's forced throws.
type forcer struct {
	*Faulting
	classes map[string]*guardedClass
	throws  map[string]*forcing // by root; nil: without a guard
	order   []string            // of throws with guards
	catches []*forcedCatch
}

// guardedClass is a class with guards.
type guardedClass struct {
	data  []byte
	class *classfile.Class
	facts *facts.Class
	plan  *plan.Class
}

// Force forces the throws of links that nothing has experienced, of a baseline's runs, when faults
// have been tried. The error is like that of Strike.
func (f *Faulting) Force(ctx context.Context, runs []*record.TestRun) error {
	f.begin()
	x := &forcer{Faulting: f, classes: map[string]*guardedClass{}, throws: map[string]*forcing{}}
	x.find(runs)
	if len(x.catches) == 0 {
		return nil
	}
	if err := x.bundle(); err != nil {
		return fmt.Errorf("forced throws: %w", err)
	}
	if err := x.watchGuards(ctx); err != nil {
		return err
	}
	total := 0
	for _, c := range x.catches {
		x.planForced(c)
		total += len(c.plan)
	}
	if total == 0 {
		return nil
	}
	f.Lab.Monitor().Begin("forced throws", total)
	next := 0
	var mu sync.Mutex
	return f.Lab.Parallel(ctx, len(x.catches), func(ctx context.Context) error {
		s := striker{f: f}
		defer s.close()
		for {
			mu.Lock()
			if next == len(x.catches) {
				mu.Unlock()
				return nil
			}
			c := x.catches[next]
			next++
			mu.Unlock()
			if err := x.force(ctx, &s, c); err != nil {
				return err
			}
		}
	})
}

// find lists the catches with links from explicit throws that nothing has experienced.
func (x *forcer) find(runs []*record.TestRun) {
	seen := x.experienced(runs)
	for _, c := range x.Snap.Catches {
		if c.InTests || c.File.Stale || !x.Asked(c.ID) {
			continue
		}
		fc := &forcedCatch{faultCatch: faultCatch{catch: c, tries: x.faultTries(c), tests: entersTry(c, runs)}}
		if len(fc.tries) == 0 || len(fc.tests) == 0 {
			continue
		}
		for _, l := range c.Links {
			class := strings.ReplaceAll(l.Site.Class, ".", "/")
			root := record.ForcedRoot(class, l.Site.Method, l.Site.Ordinal)
			if l.Site.Kind != "explicit" || seen[c.ID+" "+root] || slices.Contains(fc.throws, root) {
				continue
			}
			if x.guard(class, l.Site.Method, l.Site.Ordinal, root) != nil {
				fc.throws = append(fc.throws, root)
			}
		}
		if len(fc.throws) > 0 {
			x.catches = append(x.catches, fc)
		}
	}
}

// entersTry lists the stable tests that enter a try, the shortest first.
func entersTry(c *snapshot.Catch, runs []*record.TestRun) (tests []*record.TestRun) {
	for _, t := range runs {
		if t.Stable() && t.Usages[c.ID].Total() > 0 {
			tests = append(tests, t)
		}
	}
	sort.SliceStable(tests, func(i, j int) bool { return tests[i].Duration < tests[j].Duration })
	return tests[:min(len(tests), minObserved)]
}

// experienced are the links that baselines and faults have made happen, by catch and
// ForcedRoot.
func (x *forcer) experienced(runs []*record.TestRun) map[string]bool {
	seen := map[string]bool{}
	add := func(links []record.Experienced) {
		for _, l := range links {
			seen[l.Catch+" "+record.ForcedRoot(l.Site.Class, l.Site.Method+l.Site.Desc, l.Site.Ordinal)] = true
		}
	}
	for _, t := range runs {
		add(t.Links)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	add(x.struck)
	return seen
}

// guard finds the guards of a throw; nil if it has none, or its class cannot be read.
func (x *forcer) guard(class, method string, ordinal int, root string) *forcing {
	if f, known := x.throws[root]; known {
		return f
	}
	x.throws[root] = nil
	g := x.class(class)
	if g == nil || len(x.order) >= worker.MaxGuards/4 {
		return nil
	}
	for _, t := range g.plan.Throws {
		m := &g.facts.Methods[t.Method]
		if m.Name+m.Desc != method || int(t.Ordinal) != ordinal {
			continue
		}
		code, err := g.class.Code(g.class.Methods[t.Method])
		if err != nil || code == nil {
			return nil
		}
		found, err := g.plan.AddGuards(code.Bytecode, t)
		if err != nil || len(found) == 0 {
			return nil
		}
		f := &forcing{}
		h := sha256.New()
		fmt.Fprintln(h, root)
		for _, y := range found {
			outcome := y.Value
			if y.Jump {
				outcome = 1
			}
			f.guards = append(f.guards, worker.FaultGuard{Class: class, Guard: y.N, Outcome: outcome})
			fmt.Fprintln(h, y.PC, outcome)
		}
		f.watched = hex.EncodeToString(h.Sum(nil)[:6])
		x.throws[root] = f
		x.order = append(x.order, root)
		return f
	}
	return nil
}

// class reads a class; nil if it cannot be read, or is to carry no probes.
func (x *forcer) class(name string) *guardedClass {
	if g, known := x.classes[name]; known {
		return g
	}
	x.classes[name] = nil
	snap, kinds := x.Snap, plan.Library
	var data []byte
	var err error
	if snap.Class(name) != nil {
		kinds = plan.Full
		data, err = snap.ClassBytes(name)
	} else if !worker.NoProbes(name) {
		data, err = snap.LibraryBytes(name)
	}
	if err != nil || len(data) == 0 {
		return nil
	}
	c, err := classfile.Parse(data)
	if err != nil {
		return nil
	}
	g := &guardedClass{data: data, class: c}
	g.facts, _ = facts.FromClass(c, data, facts.Options{})
	g.plan = plan.ForClass(g.facts, kinds)
	x.classes[name] = g
	return g
}

// bundle rewrites the classes that have guards, for the JVMs that start from now on.
func (x *forcer) bundle() error {
	var entries []worker.BundleEntry
	for name, g := range x.classes {
		if g == nil || len(g.plan.Guards) == 0 {
			continue
		}
		g.plan.SortGuards()
		g.plan.Declare(g.facts, x.declared, x.Snap.Facts)
		out, err := rewrite.Rewrite(g.data, g.plan)
		if err != nil {
			x.note("no throw of %s is forced: %v", classfile.SourceName(name), err)
			continue
		}
		if out.ClassNumberOffset >= 0 {
			entries = append(entries, lab.BundleEntry(name, g.data, out, g.plan))
		}
	}
	b, err := x.Lab.WriteBundle("forced", entries)
	if err != nil {
		return err
	}
	x.withGuards = []lab.Bundle{b}
	return nil
}

// watchGuards notes which guards the tests of the catches evaluate below which tries, as far as
// that is not known: a test is run again only for throws that nobody has looked for in it.
func (x *forcer) watchGuards(ctx context.Context) error {
	wanted := map[*record.TestRun][]string{} // roots
	var tests []*record.TestRun
	for _, c := range x.catches {
		for _, t := range c.tests {
			if wanted[t] == nil {
				tests = append(tests, t)
			}
			for _, root := range c.throws {
				wanted[t] = record.AddName(wanted[t], root)
			}
		}
	}
	open := tests[:0]
	for _, t := range tests {
		if y, ok := x.recallTouched(record.GuardsOf(t.Test)); ok &&
			!x.Again {
			x.touched[y.Test] = y
			wanted[t] = slices.DeleteFunc(wanted[t], func(root string) bool { return hasWatched(y, x.throws[root]) })
		}
		if len(wanted[t]) > 0 {
			open = append(open, t)
		}
	}
	return x.eachTest(ctx, open, "guards", func(ctx context.Context, j *worker.JVM, t *record.TestRun) error {
		return x.watchOne(ctx, j, t, wanted[t])
	})
}

// hasWatched tells whether a throw has been looked for, with the guards that it has now.
func hasWatched(t *record.Touched, f *forcing) bool {
	_, found := slices.BinarySearch(t.Watched, f.watched)
	return found
}

// watchOne notes of throws, by their roots, below which tries a test evaluates their guards. It
// makes as many requests as that needs.
func (x *forcer) watchOne(ctx context.Context, j *worker.JVM, t *record.TestRun, wanted []string) error {
	for len(wanted) > 0 && j.Alive() {
		var guards []worker.FaultGuard
		var roots []string // by guard
		n := 0
		for ; n < len(wanted) && (n == 0 || len(guards)+len(x.throws[wanted[n]].guards) <= worker.MaxGuards); n++ {
			for _, g := range x.throws[wanted[n]].guards {
				guards, roots = append(guards, g), append(roots, wanted[n])
			}
		}
		most := min(len(guards), worker.MaxGuards)
		if err := x.watchSome(ctx, j, t, guards[:most], roots[:most]); err != nil {
			return err
		}
		wanted = wanted[n:]
	}
	return nil
}

// watchSome is watchOne with one request, for the guards given, with the throw that each is of.
func (x *forcer) watchSome(ctx context.Context, j *worker.JVM, t *record.TestRun, guards []worker.FaultGuard,
	roots []string) error {
	q := worker.Request{Tests: []string{t.ID}, Timeout: lab.TimeLimit([]*record.TestRun{t}, true)}
	q.Fault = &worker.Fault{Observe: true, Guards: guards}
	res, err := x.Lab.Run(ctx, j, q)
	if err != nil || len(res.Tests) != 1 || res.Tests[0].Fault == nil {
		return lab.Survive(ctx, err)
	}
	y := &record.Touched{Test: record.GuardsOf(t.Test), Module: x.Lab.Module.Name, Env: x.Lab.Env,
		Catches: map[string][]string{}, Deps: t.Methods, At: time.Now()}
	looked := map[string]bool{}
	for _, root := range roots {
		looked[root] = true
		y.Watched = record.AddName(y.Watched, x.throws[root].watched)
	}
	for _, touch := range res.Tests[0].Fault.Touches {
		i := touch.Root - worker.GuardRoot
		if i < 0 || i/2 >= len(roots) {
			continue
		}
		root := roots[i/2]
		if i%2 == 1 {
			y.Others = record.AddName(y.Others, root)
		}
		if touch.Catch >= 0 && touch.Catch < len(x.Snap.Catches) {
			id := x.Snap.Catches[touch.Catch].ID
			y.Catches[id] = record.AddName(y.Catches[id], root)
		}
	}
	old, ok := x.recallTouched(y.Test)
	x.mu.Lock()
	if ok {
		keepTouched(y, old, looked)
	}
	x.touched[y.Test] = y
	x.mu.Unlock()
	return x.Memory.PutTouched(y)
}

// keepTouched takes over what an earlier look at the same code saw of throws that this one did not
// look for.
func keepTouched(t, old *record.Touched, looked map[string]bool) {
	for _, w := range old.Watched {
		t.Watched = record.AddName(t.Watched, w)
	}
	for _, root := range old.Others {
		if !looked[root] {
			t.Others = record.AddName(t.Others, root)
		}
	}
	for id, roots := range old.Catches {
		for _, root := range roots {
			if !looked[root] {
				t.Catches[id] = record.AddName(t.Catches[id], root)
			}
		}
	}
	if !slices.Equal(t.Deps, old.Deps) {
		t.Deps = record.Union(t.Deps, old.Deps)
	}
}

// planForced lists the throws to force for a catch: those of which a guard is evaluated
// below its try.
func (x *forcer) planForced(c *forcedCatch) {
	for _, root := range c.throws {
		s := strike{root: root, row: root, kind: record.Forced, guards: x.throws[root].guards}
		for _, t := range c.tests {
			if y := x.touched[record.GuardsOf(t.Test)]; y != nil && slices.Contains(y.Catches[c.catch.ID], root) {
				s.tests = append(s.tests, t)
			}
		}
		if len(s.tests) > 0 {
			c.plan = append(c.plan, s)
		}
	}
	x.toldFirst(&c.faultCatch, false)
	if n := len(c.plan); n > maxForced {
		x.note("%s: %d of its %d throws that could be forced are left out", record.ShortCatch(c.catch.ID), n-maxForced,
			n)
		c.plan = c.plan[:maxForced]
	}
}

// force forces the throws of a catch, each in the tests that evaluate its guard until
// its exception comes to the catch.
func (x *forcer) force(ctx context.Context, s *striker, c *forcedCatch) error {
	for _, y := range c.plan {
		for _, t := range y.tests[:min(len(y.tests), maxFaultTests)] {
			if c.hangs >= maxHangs {
				break
			}
			run, err := s.recall(ctx, &c.faultCatch, y, t, false)
			if err != nil {
				return err
			}
			if run != nil && run.Outcome == record.Hang {
				if c.hangs++; c.hangs == maxHangs {
					x.note("%s: after %d forced throws that make its tests hang, others are left out",
						record.ShortCatch(c.catch.ID), maxHangs)
				}
				break
			}
			if run != nil && run.Forces(c.catch.ID) {
				break
			}
		}
		x.Lab.Monitor().Step("", record.ShortCatch(c.catch.ID), 1)
	}
	return nil
}
