package faulting

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file goes on where the operation of a link has been struck, or could not be, and the
// exception that it throws by itself has not come to the catch.
//
// A fault strikes the first matching operation in the extent of the try. What throws its
// exception anew on that way may not stand on another one: the operation is struck once more on
// each way to it that has not been tried, in the tests that run it.
//
// Some operations run only after another one has failed: they clean up. What ran below the try
// after each fault has been noted (FaultRun.Later). The first operation fails as it did, and from
// then on the one that cleans up fails each time: a device that has broken stays broken (paper 003,
// section 3.2).

// The JDK polls a socket where a signal has interrupted what waits for the peer. Threads that wait
// below the try are woken by such signals, and the polling fails.

// Limits of what is tried for one catch and one operation.
const (
	maxWays     = 6 // runs in which an operation is struck on another way
	maxWayTests = 8 // tests in which ways are looked for
	maxAfter    = 3 // operations after whose failure it is struck
	maxBelow    = 8 // of those below the method that cleans up, in one test each
)

// inJVM tells whether a strike is the JVM engine's, which alone tells ways apart.
func (f *Faulting) inJVM(x strike) bool { return f.serves(x) == fault.JVM{}.Name() }

// afterText is what is struck first, as FaultRun.After has it.
func (x *strike) afterText() string {
	if x.after.Root == "" {
		return ""
	}
	return x.after.Root + " " + string(x.after.Kind)
}

// leftOf lists the native operations, by name, that links of a catch come from which nothing has
// experienced.
func (f *Faulting) leftOf(c *faultCatch) (left []string) {
	seen := map[string]bool{}
	add := func(links []record.Experienced) {
		for _, l := range links {
			if l.Catch == c.catch.ID && l.Site.Kind == "native" {
				seen[l.Site.Class+"."+l.Site.Method] = true
			}
		}
	}
	for _, t := range c.tests {
		add(t.Links)
	}
	f.mu.Lock()
	add(f.struck)
	f.mu.Unlock()
	for _, l := range c.catch.Links {
		for _, r := range snapshot.FaultRoots(l) {
			if name := r.String(); l.Site.Kind == "native" && !seen[name] && !slices.Contains(left, name) {
				left = append(left, name)
			}
		}
	}
	return left
}

// strikeRemaining strikes for the links of a catch that are left.
func (s *striker) strikeRemaining(ctx context.Context, c *faultCatch) error {
	for _, root := range s.f.leftOf(c) {
		if err := s.strikeOtherPaths(ctx, c, root); err != nil {
			return err
		}
	}
	for _, root := range s.f.leftOf(c) {
		if err := s.strikeAfterOthers(ctx, c, root); err != nil {
			return err
		}
	}
	return s.strikePolling(ctx, c)
}

// strikePolling strikes the polling of threads that are woken while they wait below the try of a
// catch, first in the tests that take longest; in each also apart from what has thrown its
// exception anew.
func (s *striker) strikePolling(ctx context.Context, c *faultCatch) error {
	x, ok := s.f.strikeOf(fault.Poll)
	if !ok || !s.f.inJVM(x) {
		return nil
	}
	x.wake = true
	waits := func(t *record.TestRun) bool {
		seen := s.f.touched[t.Test]
		return seen != nil && slices.ContainsFunc(seen.Catches[c.catch.ID], fault.Waits)
	}
	for n, i := 0, len(c.tests)-1; n < maxWays && i >= 0 && slices.Contains(s.f.leftOf(c), fault.Poll); {
		if !waits(c.tests[i]) {
			i--
			continue
		}
		n++
		run, err := s.recall(ctx, c, x, c.tests[i], false)
		if err != nil {
			return err
		}
		if s.f.noteOutcome(c, run); run != nil && run.Outcome == record.Hang {
			return nil
		}
		if !x.avoids(run) {
			i--
		}
	}
	return nil
}

// avoids leaves the operation alone from now on below what has thrown its exception anew in a run;
// false if nothing has, or that is so already.
func (x *strike) avoids(run *record.FaultRun) bool {
	if run == nil || run.Fired == 0 {
		return false
	}
	m := run.ThrownAnewBy()
	if m == "" || slices.Contains(x.avoid, m) {
		return false
	}
	x.avoid = append(slices.Clone(x.avoid), m)
	return true
}

// strikeOtherPaths strikes an operation that has been struck for a catch on the ways to it that
// have not been tried, until its exception comes to the catch: first on those that lead through
// nothing that has thrown it anew.
func (s *striker) strikeOtherPaths(ctx context.Context, c *faultCatch, root string) error {
	i := slices.IndexFunc(c.plan, func(x strike) bool { return x.root == root && !x.others })
	if i < 0 || !s.f.inJVM(c.plan[i]) {
		return nil
	}
	x := c.plan[i]
	x.past = nil
	for _, run := range c.runs {
		if run.Root == root && run.Way != 0 && !run.Others {
			x.past = insertPath(x.past, run.Way)
			x.avoids(run)
		}
	}
	if len(x.past) == 0 {
		return nil
	}
	tests := s.f.wayTests(x.tests, c.catch.ID)
	n := 0
	done, err := s.strikeEachPath(ctx, c, &x, tests, &n)
	if err != nil || done || len(x.avoid) == 0 {
		return err
	}
	x.avoid = nil // its other calls may not throw anew
	_, err = s.strikeEachPath(ctx, c, &x, tests, &n)
	return err
}

// wayTests are the tests in which ways to an operation are looked for, of those that run it, the
// shortest first: the shortest, those that run the most operations below the try, and so come by it
// in different places, and the longest, which wait where others do not.
func (f *Faulting) wayTests(tests []*record.TestRun, catch string) []*record.TestRun {
	if len(tests) <= maxWayTests {
		return tests
	}
	const short = maxWayTests - 2*maxLongest
	rest, longest := tests[short:len(tests)-maxLongest], tests[len(tests)-maxLongest:]
	return slices.Concat(tests[:short], f.busiest(rest, catch)[:maxLongest], longest)
}

// busiest orders tests by how many operations run below the try of a catch, most first.
func (f *Faulting) busiest(tests []*record.TestRun, catch string) []*record.TestRun {
	rows := func(t *record.TestRun) int {
		if x := f.touched[t.Test]; x != nil {
			return len(x.Catches[catch])
		}
		return 0
	}
	out := slices.Clone(tests)
	slices.SortStableFunc(out, func(a, b *record.TestRun) int { return cmp.Compare(rows(b), rows(a)) })
	return out
}

// strikeEachPath strikes on one way after the other in the tests, n times so far; done: the link
// has been made to happen, or nothing more can be tried. In the first round, where x.avoid has
// methods, it grows.
func (s *striker) strikeEachPath(ctx context.Context, c *faultCatch, x *strike, tests []*record.TestRun,
	n *int) (done bool, err error) {
	for avoiding := len(x.avoid) > 0; *n < maxWays && len(tests) > 0; {
		run, err := s.recall(ctx, c, *x, tests[0], false)
		switch {
		case err != nil:
			return true, err
		case run == nil || run.Fired == 0 || run.Way == 0: // all ways of this test have been tried
			tests = tests[1:]
			continue
		}
		if s.f.noteOutcome(c, run); run.Outcome == record.Hang || !slices.Contains(s.f.leftOf(c), x.root) {
			return true, nil
		}
		x.past = insertPath(x.past, run.Way)
		if avoiding {
			x.avoids(run)
		}
		*n++
	}
	return false, nil
}

// insertPath is an ascending list with one more way.
func insertPath(ways []uint32, way uint32) []uint32 {
	i, found := slices.BinarySearch(ways, way)
	if found {
		return ways
	}
	return slices.Insert(slices.Clone(ways), i, way)
}

// strikeAfterOthers strikes an operation that ran below the try after faults in others, from when
// these fail on: each time, and else once, where what fails next (another close) takes the
// exception's place. The other may have run elsewhere first, where nothing is cleaned up that way:
// then both are only struck below the method that cleans up.
func (s *striker) strikeAfterOthers(ctx context.Context, c *faultCatch, root string) error {
	var tried []fault.Operation
	for _, run := range slices.Clone(c.runs) {
		first := fault.Operation{Root: run.Root, Kind: run.Kind}
		i := slices.IndexFunc(run.Later,
			func(row string) bool { return row == root || strings.HasPrefix(row, root+"@") })
		if i < 0 || run.Root == root || run.After != "" || run.Outcome == record.Hang || slices.Contains(tried, first) {
			continue
		}
		k := slices.IndexFunc(c.tests, func(t *record.TestRun) bool { return t.Test == run.Test })
		x, ok := s.f.strikeOf(run.Later[i])
		if k < 0 || !ok || !s.f.inJVM(x) {
			continue
		}
		if tried = append(tried, first); len(tried) > maxAfter {
			break
		}
		x.after, x.tests = first, c.tests[k:k+1]
		if done, err := s.afterOne(ctx, c, x); done || err != nil {
			return err
		}
	}
	return s.afterBelow(ctx, c, root)
}

// afterBelow strikes an operation after others that run below the method that cleans up by it, in
// the tests that run most below the try.
func (s *striker) afterBelow(ctx context.Context, c *faultCatch, root string) error {
	class, method := s.f.cleansUp(c.catch, root)
	if method == nil {
		return nil
	}
	n := 0
	for _, row := range s.f.operationsOf(class, method) {
		x, ok := s.f.strikeOf(root)
		first, known := s.f.strikeOf(row)
		if !ok || !known || first.root == root || !s.f.inJVM(x) {
			continue
		}
		x.through, x.after = strings.ReplaceAll(class, "/", ".")+"."+
			method.Name, fault.Operation{Root: first.root, Kind: first.kind}
		in := slices.DeleteFunc(slices.Clone(c.tests), func(t *record.TestRun) bool {
			seen := s.f.touched[t.Test]
			return seen == nil || !slices.Contains(seen.Catches[c.catch.ID], row)
		})
		in = s.f.busiest(in, c.catch.ID)
		for i := range in[:min(len(in), maxLongest)] {
			if n++; n > maxBelow {
				return nil
			}
			x.tests = in[i : i+1]
			if done, err := s.afterOne(ctx, c, x); done || err != nil {
				return err
			}
		}
	}
	return nil
}

// afterOne strikes an operation after another one, each time and once; done: the link has been made
// to happen.
func (s *striker) afterOne(ctx context.Context, c *faultCatch, x strike) (done bool, err error) {
	for _, always := range []bool{true, false} {
		after, err := s.recall(ctx, c, x, x.tests[0], always)
		if err != nil {
			return false, err
		}
		if s.f.noteOutcome(c, after); !slices.Contains(s.f.leftOf(c), x.root) {
			return true, nil
		}
		if after == nil || after.Way == 0 { // what fails first has not run
			return false, nil
		}
	}
	return false, nil
}

// cleansUp is the method in which a link of the catch from an operation has the handler that cleans
// up by it: the last one of its chain that has handlers, with its class; nil where none of the JDK
// has.
func (f *Faulting) cleansUp(c *snapshot.Catch, root string) (class string, _ *facts.Method) {
	for _, l := range c.Links {
		if l.Site.Kind != "native" || !slices.ContainsFunc(snapshot.FaultRoots(l),
			func(r *faults.Root) bool { return r.String() == root }) {
			continue
		}
		chain := l.Chain()
		for i := len(chain) - 1; i > 0; i-- {
			class := strings.ReplaceAll(chain[i].Class, ".", "/")
			if !natives.OfJDK(class) {
				break
			}
			if m := f.method(class, chain[i].Method); m != nil && len(m.Table()) > 0 {
				return class, m
			}
		}
	}
	return "", nil
}

// method is one of a class by its name and descriptor; nil: there is none.
func (f *Faulting) method(class, name string) *facts.Method {
	c, ok := f.Snap.Facts(class)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(c.Methods, func(m facts.Method) bool { return m.Name+m.Desc == name })
	if i < 0 {
		return nil
	}
	return &c.Methods[i]
}

// maxSteps is how many calls lead from a method to the operations that operationsOf finds.
const maxSteps = 4

// operationsOf lists the operations that a method of the JDK calls, rows of the table, nearest
// first: by the methods that calls name, without those that override them.
func (f *Faulting) operationsOf(class string, method *facts.Method) (rows []string) {
	type place struct {
		class  string
		method *facts.Method
	}
	next, seen := []place{{class, method}}, map[string]bool{}
	for range maxSteps {
		var further []place
		for _, p := range next {
			for i := range p.method.Calls {
				x := &p.method.Calls[i]
				if r := faults.Find(p.class, x.Owner, x.Name, x.Desc); r != nil {
					if !slices.Contains(rows, r.Row()) {
						rows = append(rows, r.Row())
					}
					continue
				}
				key := x.Owner + "." + x.Name + x.Desc
				if seen[key] || !natives.OfJDK(x.Owner) {
					continue
				}
				seen[key] = true
				if m := f.method(x.Owner, x.Name+x.Desc); m != nil {
					further = append(further, place{x.Owner, m})
				}
			}
		}
		next = further
	}
	return rows
}

// strikeOf is the first fault that the universe has for a row of the table.
func (f *Faulting) strikeOf(row string) (strike, bool) {
	for _, r := range faults.Roots(f.Feature) {
		if r.Row() != row {
			continue
		}
		for _, k := range r.Kinds {
			if _, ok := r.Report(k, f.Feature); ok {
				return strike{root: r.String(), row: row, kind: k, linked: true}, true
			}
		}
	}
	return strike{}, false
}
