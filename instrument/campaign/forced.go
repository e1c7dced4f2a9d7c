package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"catchlens/analysis/classfile"
	"catchlens/analysis/facts"
	"catchlens/analysis/faults"
	"catchlens/analysis/snapshot"
	"catchlens/instrument/plan"
	"catchlens/instrument/rewrite"
	"catchlens/instrument/worker"
)

// This file forces explicit throws that no test and no fault makes happen: in a run of
// its own, the branch that decides about the throw goes the other way, once, in the
// extent of the try. The exception is then made by the program's own code and comes to
// the catch by its own way. Nobody knows whether the guard could ever hold: such a link
// is forced, never experienced.

// Forced is the FaultRun.Kind of a run in which a guard was overridden. Its Root is
// ForcedRoot of the throw site.
const Forced faults.Kind = "forced"

// ForcedRoot names an explicit throw site: internal class name, method with descriptor,
// ordinal.
func ForcedRoot(class, method string, ordinal int) string {
	return fmt.Sprintf("%s.%s#%d", class, method, ordinal)
}

// GuardsOf is the Touched.Test that says below which tries a test evaluates guards. Its
// rows are ForcedRoots; Others lists those whose guard led to the throw by itself.
func GuardsOf(test string) string { return test + " (guards)" }

// GuardedTest is the test of a GuardsOf; ok is false for any other name.
func GuardedTest(name string) (test string, ok bool) { return strings.CutSuffix(name, " (guards)") }

// maxForced is how many throws are forced for one catch, those of the workspace first.
const maxForced = 20

// forcing is a throw with its guards.
type forcing struct {
	guards []worker.FaultGuard
}

// forcedCatch is a catch with what is to be forced for it.
type forcedCatch struct {
	faultCatch
	throws []string // roots
}

// forcer is the state of one module's forced throws.
type forcer struct {
	*linkCampaign
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

// forced runs what is left when faults have been tried.
func (f *linkCampaign) forced(ctx context.Context, runs []*TestRun) error {
	x := &forcer{linkCampaign: f, classes: map[string]*guardedClass{}, throws: map[string]*forcing{}}
	x.find(runs)
	if len(x.catches) == 0 {
		return nil
	}
	if err := x.bundle(); err != nil {
		return fmt.Errorf("forced throws: %w", err)
	}
	if err := x.watch(ctx); err != nil {
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
	f.r.c.step("forced throws", "", 0, total)
	next := 0
	var mu sync.Mutex
	return f.r.parallel(ctx, len(x.catches), func(ctx context.Context) error {
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
func (x *forcer) find(runs []*TestRun) {
	seen := x.experienced(runs)
	for _, c := range x.r.c.Snap.Catches {
		if c.InTests || c.File.Stale || !x.r.scope.has(c.ID) {
			continue
		}
		fc := &forcedCatch{faultCatch: faultCatch{catch: c, tries: x.r.faultTries(c), tests: entersTry(c, runs)}}
		if len(fc.tries) == 0 || len(fc.tests) == 0 {
			continue
		}
		for _, l := range c.Links {
			class := strings.ReplaceAll(l.Site.Class, ".", "/")
			root := ForcedRoot(class, l.Site.Method, l.Site.Ordinal)
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
func entersTry(c *snapshot.Catch, runs []*TestRun) (tests []*TestRun) {
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
func (x *forcer) experienced(runs []*TestRun) map[string]bool {
	seen := map[string]bool{}
	add := func(links []Experienced) {
		for _, l := range links {
			seen[l.Catch+" "+ForcedRoot(l.Site.Class, l.Site.Method+l.Site.Desc, l.Site.Ordinal)] = true
		}
	}
	for _, t := range runs {
		add(t.Links)
	}
	x.r.mu.Lock()
	defer x.r.mu.Unlock()
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
		for _, y := range found {
			outcome := y.Value
			if y.Jump {
				outcome = 1
			}
			f.guards = append(f.guards, worker.FaultGuard{Class: class, Guard: y.N, Outcome: outcome})
		}
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
	snap, kinds := x.r.c.Snap, plan.Library
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
		g.plan.Declare(g.facts, x.declared, x.r.c.Snap.Facts)
		out, err := rewrite.Rewrite(g.data, g.plan)
		if err != nil {
			x.r.c.note("no throw of %s is forced: %v", classfile.SourceName(name), err)
			continue
		}
		if out.ClassNumberOffset >= 0 {
			entries = append(entries, worker.BundleEntry{Name: name, Original: worker.KeyOf(g.data), Rewritten: out.Bytes, Meta: metaOf(out, g.plan)})
		}
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	path := filepath.Join(x.r.scratch, "forced.bundle")
	if err := worker.WriteBundle(path, entries); err != nil {
		return err
	}
	x.withGuards = []string{path}
	return nil
}

// watch notes which guards the tests of the catches evaluate below which tries.
func (x *forcer) watch(ctx context.Context) error {
	h := sha256.New()
	for _, root := range x.order {
		fmt.Fprintln(h, root, x.throws[root].guards)
	}
	digest := hex.EncodeToString(h.Sum(nil)[:8])
	var open []*TestRun
	seen := map[string]bool{}
	for _, c := range x.catches {
		for _, t := range c.tests {
			if seen[t.Test] {
				continue
			}
			seen[t.Test] = true
			name := GuardsOf(t.Test)
			if y, ok := x.memory.Touched(x.r.m.Name, name, x.r.env, x.r.currentSet); ok && !x.r.scope.Again && y.Declared == digest {
				x.touched[name] = y
				continue
			}
			open = append(open, t)
		}
	}
	return x.eachTest(ctx, open, "which guards run", func(ctx context.Context, j *worker.JVM, t *TestRun) error {
		return x.watchOne(ctx, j, t, digest)
	})
}

func (x *forcer) watchOne(ctx context.Context, j *worker.JVM, t *TestRun, digest string) error {
	q := x.r.request(worker.Request{Tests: []string{t.ID}, Timeout: timeoutOf([]*TestRun{t}, alone)})
	var roots []string // by guard of the request
	q.Fault = &worker.Fault{Observe: true}
	for _, root := range x.order {
		for _, g := range x.throws[root].guards {
			if len(roots) < worker.MaxGuards {
				q.Fault.Guards, roots = append(q.Fault.Guards, g), append(roots, root)
			}
		}
	}
	res, err := j.Run(ctx, q)
	if err != nil || len(res.Tests) != 1 || res.Tests[0].Fault == nil {
		return x.r.survive(ctx, err)
	}
	y := &Touched{Test: GuardsOf(t.Test), Module: x.r.m.Name, Env: x.r.env, Catches: map[string][]string{}, Deps: t.Methods, At: time.Now(), Declared: digest}
	for _, touch := range res.Tests[0].Fault.Touches {
		i := touch.Root - worker.GuardRoot
		if i < 0 || i/2 >= len(roots) {
			continue
		}
		root := roots[i/2]
		if i%2 == 1 {
			y.Others = addName(y.Others, root)
		}
		if touch.Catch >= 0 && touch.Catch < len(x.r.c.Snap.Catches) {
			id := x.r.c.Snap.Catches[touch.Catch].ID
			y.Catches[id] = addName(y.Catches[id], root)
		}
	}
	old, ok := x.memory.Touched(y.Module, y.Test, y.Env, x.r.currentSet)
	x.r.mu.Lock()
	if ok {
		y.keep(old, x.throws)
	}
	x.touched[y.Test] = y
	x.r.mu.Unlock()
	return x.memory.PutTouched(y)
}

// keep takes over what an earlier look at the same code saw of throws that this one did
// not look for, since they are at other catches than those that were to run.
func (t *Touched) keep(old *Touched, looked map[string]*forcing) {
	for _, root := range old.Others {
		if looked[root] == nil {
			t.Others = addName(t.Others, root)
		}
	}
	for id, roots := range old.Catches {
		for _, root := range roots {
			if looked[root] == nil {
				t.Catches[id] = addName(t.Catches[id], root)
			}
		}
	}
	if !slices.Equal(t.Deps, old.Deps) {
		t.Deps = union(t.Deps, old.Deps)
	}
}

// planForced lists the throws to force for a catch: those of which a guard is evaluated
// below its try.
func (x *forcer) planForced(c *forcedCatch) {
	for _, root := range c.throws {
		s := strike{root: root, row: root, kind: Forced, guards: x.throws[root].guards}
		for _, t := range c.tests {
			if y := x.touched[GuardsOf(t.Test)]; y != nil && slices.Contains(y.Catches[c.catch.ID], root) {
				s.tests = append(s.tests, t)
			}
		}
		if len(s.tests) > 0 {
			c.plan = append(c.plan, s)
		}
	}
	if n := len(c.plan); n > maxForced {
		x.r.c.note("%s: %d of its %d throws that could be forced are left out", shortCatch(c.catch.ID), n-maxForced, n)
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
			if run != nil && run.Outcome == Hang {
				if c.hangs++; c.hangs == maxHangs {
					x.r.c.note("%s: after %d forced throws that make its tests hang, others are left out", shortCatch(c.catch.ID), maxHangs)
				}
				break
			}
			if run != nil && run.Forces(c.catch.ID) {
				break
			}
		}
		x.r.c.step("forced throws", shortCatch(c.catch.ID), 1, 0)
	}
	return nil
}

// Forces tells whether the exception of a forced throw came from it to a catch.
func (f *FaultRun) Forces(catch string) bool {
	return f.Kind == Forced && slices.ContainsFunc(f.Links, func(l Experienced) bool {
		return l.Catch == catch && ForcedRoot(l.Site.Class, l.Site.Method+l.Site.Desc, l.Site.Ordinal) == f.Root
	})
}
