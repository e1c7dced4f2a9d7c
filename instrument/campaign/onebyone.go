package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catchlens/instrument/lab"
	"catchlens/instrument/record"
	"catchlens/instrument/worker"
)

// This file finds the tests of a class that the settings leave out, and runs the tests of a class
// one by one after a JVM ended in one of them.

// mayLeaveOut tells whether the settings may leave out some tests of a class, by name
// or tag: then it is asked for its tests before it runs.
func (r *moduleRun) mayLeaveOut(class string) bool {
	t := &r.m.Test
	for _, x := range t.Exclusions {
		if x.Tag != "" || strings.Contains(x.Test, "#") && strings.HasPrefix(x.Test, class) ||
			strings.Contains(x.Pattern, "#") {
			return true
		}
	}
	return t.OneByOne() || t.Integration != nil && t.Integration.Run && t.Integration.OneByOne()
}

// selects tells whether the settings of the module run a test.
func (r *moduleRun) selects(t *worker.Discovered) bool {
	byName, _ := r.m.Test.Selects(t.Class, t.Method)
	byTag, _ := r.m.Test.SelectsTags(t.Class, t.Tags)
	return byName && byTag
}

// leaveOut finds the tests of a class that the settings leave out: requests for the whole class
// pass over these (request), so that the others keep their order, their instance and their
// fixtures. all: none is left.
func (r *moduleRun) leaveOut(ctx context.Context, j *worker.JVM, class string) (_ *worker.JVM, all bool, err error) {
	if !r.mayLeaveOut(class) {
		return j, false, nil
	}
	j, found, err := r.discover(ctx, j, class)
	if err != nil {
		return j, false, err
	}
	var without []string
	for i := range found {
		if !r.selects(&found[i]) {
			without = append(without, found[i].ID)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.without[class] = without
	return j, len(found) > 0 && len(without) == len(found), nil
}

// oneByOne runs the selected tests of a class that are not among done, each
// alone, and returns all.
func (r *moduleRun) oneByOne(ctx context.Context, j *worker.JVM, read *lab.Reader, class string,
	done []*record.TestRun) (*worker.JVM, []*record.TestRun, error) {
	have := map[string]bool{}
	for _, run := range done {
		have[run.ID] = true
	}
	last := "" // the JVM ended in it, or before the next
	if len(done) > 0 {
		last = done[len(done)-1].ID
	}
	j, found, err := r.discover(ctx, j, class)
	if err != nil {
		return j, done, r.survive(ctx, err)
	}
	for i := range found {
		t := &found[i]
		if have[t.ID] || !r.selects(t) {
			continue
		}
		var runs []*record.TestRun
		if t.Dynamic {
			j, runs, err = r.invocations(ctx, j, read, t.ID, have, last)
		} else {
			j, runs, _, err = r.some(ctx, j, read, worker.Request{Tests: []string{t.ID}})
		}
		if err != nil {
			return j, nil, r.survive(ctx, err)
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
func (r *moduleRun) discover(ctx context.Context, j *worker.JVM,
	class string) (*worker.JVM, []worker.Discovered, error) {
	found, _, err := j.Discover(ctx, r.adapter, []string{class}, r.m.Test.PlatformParameters)
	if died := new(worker.Died); !errors.As(err, &died) || ctx.Err() != nil {
		return j, found, err
	}
	if j, err = j.Restart(ctx); err != nil {
		return j, nil, err
	}
	found, _, err = j.Discover(ctx, r.adapter, []string{class}, r.m.Test.PlatformParameters)
	return j, found, err
}

// invocations runs the invocations of a dynamic test, those after one in which a JVM ends one by
// one. have has the IDs of what was run before a JVM ended, last of these at the end: if that is an
// invocation, those after it are run.
func (r *moduleRun) invocations(ctx context.Context, j *worker.JVM, read *lab.Reader, id string, have map[string]bool,
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
		if j, runs, died, err = r.some(ctx, j, read, worker.Request{Invocations: []string{id}}); err != nil || !died ||
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
		if j, one, _, err = r.some(ctx, j, read, worker.Request{Tests: []string{next}}); err != nil {
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
func (r *moduleRun) some(ctx context.Context, j *worker.JVM, read *lab.Reader,
	q worker.Request) (_ *worker.JVM, runs []*record.TestRun, died bool, err error) {
	q.Timeout = baselineTimeout
	for again := false; ; again = true {
		res, err := j.Run(ctx, r.request(q))
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
