package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file runs the tests of a class as they are, but for those that the settings leave out; one
// by one after a JVM ended in one of them.

// ClassFailed is the name under which the failure of a whole test class is recorded.
func (in *Probes) ClassFailed(class string) string { return in.named(class, class+"#(class)") }

// ClassRun is what running a test class showed.
type ClassRun struct {
	Runs []*record.TestRun // of its tests, or one of the failure of the class as a whole
	// Empty: it ran and had no test, as it is ignored or all its tests are left out.
	Empty   bool
	Methods []record.MethodID // that ran with an empty one
}

// RunClass runs one test class in a JVM. A JVM that ends in it is replaced by the one that is
// returned, and the tests that it did not come to are run one by one.
func (l *Lab) RunClass(ctx context.Context, j *worker.JVM, read *Reader,
	class string) (*worker.JVM, ClassRun, error) {
	j, nothing, err := l.leaveOut(ctx, j, class)
	if err != nil {
		return j, ClassRun{}, Survive(ctx, err)
	}
	if nothing {
		return j, ClassRun{Empty: true}, nil
	}
	res, err := l.Run(ctx, j, worker.Request{Classes: []string{class}, Timeout: l.LongestTest(), Quiet: QuietTime})
	if err != nil {
		if ctx.Err() != nil {
			return j, ClassRun{}, context.Cause(ctx)
		}
		return j, ClassRun{}, fmt.Errorf("running %s: %w", class, err)
	}
	runs := read.Collect(res)
	for _, f := range res.Fixtures {
		if f.Failure.Exception != "" && len(runs) == 0 {
			runs = append(runs, l.classFailure(read, class, &f))
		}
	}
	if res.Died == nil {
		run := ClassRun{Runs: runs, Empty: len(runs) == 0}
		if run.Empty {
			for _, f := range res.Fixtures {
				run.Methods = read.Entered(run.Methods, &f.Record)
			}
		}
		return j, run, nil
	}
	if killed(res.Died) {
		runs = slices.DeleteFunc(runs, func(run *record.TestRun) bool { return run.Outcome == record.Crash })
	}
	if j, err = j.Restart(ctx); err != nil {
		return j, ClassRun{}, err
	}
	j, runs, err = l.oneByOne(ctx, j, read, class, runs)
	return j, ClassRun{Runs: runs}, err
}

// classFailure is the record of a class that failed as a whole, in a fixture.
func (l *Lab) classFailure(read *Reader, class string, f *worker.Fixture) *record.TestRun {
	coverage := l.Probes.recorded()
	coverage.Covered, coverage.CoveredAside = read.covered(nil, f.Record.Covered), read.covered(nil, f.Record.Aside)
	coverage.Chains = record.UnionChains(nil, read.callChains(f.Record.Contexts))
	return &record.TestRun{Module: l.Module.Name, Test: l.Probes.ClassFailed(class), Class: class, Env: l.Env,
		Coverage: coverage, Outcome: record.Fail, Outcomes: []record.Outcome{record.Fail},
		Message: f.Failure.Exception + ": " + WithoutFolders(f.Failure.Message),
		Stack:   WithoutFolders(f.Failure.Stack), Usages: map[string]record.Usage{},
		Methods: read.Entered(nil, &f.Record), Shape: l.Probes.Shape(class), At: time.Now()}
}

// killed tells whether a JVM was ended from outside: by the system, which needed its
// memory, or by a person. What ran in it then is run once more before that is believed.
func killed(d *worker.Died) bool { return d != nil && d.Kind == worker.DiedOOM && d.Signal == 9 }

// mayLeaveOut tells whether the settings may leave out some tests of a class, by name
// or tag: then it is asked for its tests before it runs.
func (l *Lab) mayLeaveOut(class string) bool {
	t := &l.Module.Test
	for _, x := range t.Exclusions {
		if x.Tag != "" || strings.Contains(x.Test, "#") && strings.HasPrefix(x.Test, class) ||
			strings.Contains(x.Pattern, "#") {
			return true
		}
	}
	return t.OneByOne() || t.Integration != nil && t.Integration.Run && t.Integration.OneByOne()
}

// selects tells whether the settings of the module run a test.
func (l *Lab) selects(t *worker.Discovered) bool {
	byName, _ := l.Module.Test.Selects(t.Class, t.Method)
	byTag, _ := l.Module.Test.SelectsTags(t.Class, t.Tags)
	return byName && byTag
}

// leaveOut finds the tests of a class that the settings leave out: requests for the whole class
// pass over these (request), so that the others keep their order, their instance and their
// fixtures. all: none is left.
func (l *Lab) leaveOut(ctx context.Context, j *worker.JVM, class string) (_ *worker.JVM, all bool, err error) {
	if !l.mayLeaveOut(class) {
		return j, false, nil
	}
	j, found, err := l.discover(ctx, j, class)
	if err != nil {
		return j, false, err
	}
	var without []string
	for i := range found {
		if !l.selects(&found[i]) {
			without = append(without, found[i].ID)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.without[class] = without
	return j, len(found) > 0 && len(without) == len(found), nil
}

// remainingTests are the tests of a class that a request for the whole class runs, without those
// that have run. The patterns of a build name the class that is asked for: those of a suite are in
// other ones.
func (l *Lab) remainingTests(class string, found []worker.Discovered, have map[string]bool) (out []*worker.Discovered) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range found {
		if id := found[i].ID; !have[id] && !slices.Contains(l.without[class], id) {
			out = append(out, &found[i])
		}
	}
	return out
}

// oneByOne runs the selected tests of a class that are not among done, each
// alone, and returns all.
func (l *Lab) oneByOne(ctx context.Context, j *worker.JVM, read *Reader, class string,
	done []*record.TestRun) (*worker.JVM, []*record.TestRun, error) {
	have := map[string]bool{}
	for _, run := range done {
		have[run.ID] = true
	}
	last := "" // the JVM ended in it, or before the next
	if len(done) > 0 {
		last = done[len(done)-1].ID
	}
	j, found, err := l.discover(ctx, j, class)
	if err != nil {
		return j, done, Survive(ctx, err)
	}
	for _, t := range l.remainingTests(class, found, have) {
		var runs []*record.TestRun
		if t.Dynamic {
			j, runs, err = l.invocations(ctx, j, read, t.ID, have, last)
		} else {
			j, runs, _, err = l.some(ctx, j, read, worker.Request{Tests: []string{t.ID}})
		}
		if err != nil {
			return j, nil, Survive(ctx, err)
		}
		for _, run := range runs {
			if !have[run.ID] {
				have[run.ID] = true
				done = append(done, run)
			}
		}
	}
	return j, done, nil
}

// discover lists the tests of a class, in another JVM if this one ends meanwhile.
func (l *Lab) discover(ctx context.Context, j *worker.JVM,
	class string) (*worker.JVM, []worker.Discovered, error) {
	found, _, err := j.Discover(ctx, l.request(worker.Request{Classes: []string{class}}))
	if died := new(worker.Died); !errors.As(err, &died) || ctx.Err() != nil {
		return j, found, err
	}
	if j, err = j.Restart(ctx); err != nil {
		return j, nil, err
	}
	found, _, err = j.Discover(ctx, l.request(worker.Request{Classes: []string{class}}))
	return j, found, err
}

// invocations runs the invocations of a dynamic test, those after one in which a JVM ends one by
// one. have has the IDs of what was run before a JVM ended, last of these at the end: if that is an
// invocation, those after it are run.
func (l *Lab) invocations(ctx context.Context, j *worker.JVM, read *Reader, id string, have map[string]bool,
	last string) (*worker.JVM, []*record.TestRun, error) {
	of := func(invocation string) bool {
		rest, ok := strings.CutPrefix(invocation, id)
		return ok && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "["))
	}
	var runs []*record.TestRun
	if begun := slices.ContainsFunc(slices.Collect(maps.Keys(have)), of); begun && !of(last) {
		return j, nil, nil
	} else if !begun {
		var died bool
		var err error
		if j, runs, died, err = l.some(ctx, j, read, worker.Request{Invocations: []string{id}}); err != nil || !died ||
			len(runs) == 0 {
			return j, runs, err
		}
		last = runs[len(runs)-1].ID
	}
	for {
		next, name := following(last)
		if next == "" {
			return j, runs, nil
		}
		var one []*record.TestRun
		var err error
		if j, one, _, err = l.some(ctx, j, read, worker.Request{Tests: []string{next}}); err != nil {
			return j, runs, err
		}
		if len(one) != 1 || !strings.HasSuffix(one[0].Test, name) {
			return j, runs, nil // there is none
		}
		runs, last = append(runs, one[0]), next
	}
}

// numbered is the ID of a numbered invocation of the JUnit Platform.
var numbered = regexp.MustCompile(`^(.*:#)(\d+)\]$`)

// following is the ID of the invocation after one, and the end of its name; "" if IDs do not tell.
func following(invocation string) (id, name string) {
	m := numbered.FindStringSubmatch(invocation)
	if m == nil {
		return "", ""
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return "", ""
	}
	return fmt.Sprintf("%s%d]", m[1], n+1), fmt.Sprintf("[%d]", n+1)
}

// some runs some tests, once more if their JVM is killed meanwhile. A JVM that ended (died) is
// replaced.
func (l *Lab) some(ctx context.Context, j *worker.JVM, read *Reader,
	q worker.Request) (_ *worker.JVM, runs []*record.TestRun, died bool, err error) {
	q.Timeout, q.Quiet = l.LongestTest(), QuietTime
	for again := false; ; again = true {
		res, err := l.Run(ctx, j, q)
		if err != nil {
			return j, nil, false, err
		}
		runs := read.Collect(res)
		if res.Died != nil {
			if j, err = j.Restart(ctx); err != nil {
				return j, nil, true, err
			}
		}
		if !killed(res.Died) || again {
			return j, runs, res.Died != nil, nil
		}
	}
}
