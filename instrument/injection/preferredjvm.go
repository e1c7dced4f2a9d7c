package injection

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file saves running tests as they are before they are injected into: each test
// has a JVM that its injected runs are preferably done in, one where it has run already
// if there is any.

// atHome divides units by the JVMs, from 1 to jvms, that their tests are at home in: in the one
// that has run them, if warm has it, or that all tests of their class get. Work that begins with a
// fresh JVM has no home.
func atHome(units []unit, jvms int, warm []map[string]bool) []unit {
	if jvms < 2 {
		return units
	}
	homes := homes(units, jvms, warm)
	var out []unit
	for _, u := range units {
		if u.rung >= fresh {
			out = append(out, u)
			continue
		}
		for n := 1; n <= jvms; n++ {
			one := u
			one.home = n
			one.tests = slices.DeleteFunc(slices.Clone(u.tests),
				func(t *record.TestRun) bool { return homes[t.ID] != n })
			if len(one.tests) > 0 {
				out = append(out, one)
			}
		}
	}
	return out
}

// homes gives each test of the units a JVM, by ID: classes that take long are given away
// first, each to the JVM that has least to do.
func homes(units []unit, jvms int, warm []map[string]bool) map[string]int {
	homes := map[string]int{}
	for n, passed := range warm[:min(len(warm), jvms)] {
		for id := range passed {
			homes[id] = n + 1
		}
	}
	load := make([]time.Duration, jvms)
	weights := map[string]time.Duration{} // by test class
	classes := map[string][]*record.TestRun{}
	for _, u := range units {
		for _, t := range u.tests {
			if n := homes[t.ID]; n > 0 {
				load[n-1] += t.Duration + time.Millisecond
				continue
			}
			weights[t.Class] += t.Duration + time.Millisecond
			classes[t.Class] = append(classes[t.Class], t)
		}
	}
	names := make([]string, 0, len(classes))
	for c := range classes {
		names = append(names, c)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	for _, c := range names {
		least := 0
		for n := range load {
			if load[n] < load[least] {
				least = n
			}
		}
		load[least] += weights[c]
		for _, t := range classes[c] {
			homes[t.ID] = least + 1
		}
	}
	return homes
}

// begin takes over the injector's JVM, where one was kept for it.
func (i *injector) begin(n int) {
	i.home = n + 1
	if j, passed := i.r.Lab.TakeOver(n); j != nil {
		i.j, i.warm = j, passed
		i.heard, i.donated = map[string]bool{}, map[string]bool{}
	}
}

// prefers tells whether a unit is at home in the injector's JVM, or nowhere.
func (i *injector) prefers(u unit) bool { return u.home == 0 || u.home == i.home }

// Sizes of a segment, between two canaries. A segment may grow while its canary would
// take more than a quarter of what its runs took, each to twice the size of the one before.
const (
	segmentTime   = 4 * time.Second // of injected runs
	segmentRuns   = 150
	segmentGrowth = 4 // times the size of the first segment, at most
	canaryShare   = 4
	runCost       = time.Millisecond // what a run costs beside its test, about
)

// full tells whether the open segment is to end.
func (i *injector) full() bool {
	if len(i.cells) < segmentRuns && i.spent < segmentTime {
		return false
	}
	size := max(1, i.size)
	if len(i.cells) >= 2*size*segmentRuns || i.spent >= time.Duration(size)*segmentTime {
		return true
	}
	var canary time.Duration
	for id, t := range i.tests {
		took, ran := i.took[id]
		if !ran {
			took = t.Duration
		}
		canary += took + runCost
	}
	return canary*canaryShare <= i.spent+time.Duration(len(i.cells))*runCost
}

// runCanary runs the canary of a full segment.
func (i *injector) runCanary(ctx context.Context) error {
	if !i.full() {
		return nil
	}
	i.size = min(2*max(1, i.size), segmentGrowth)
	return i.canary(ctx) // which has it start anew where a test does not pass
}
