package faulting

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file chooses what a catch is struck with: the tests, the operations, and their order.

// findSiblings finds the catches of the same try.
func findSiblings(catches []*faultCatch) {
	byTry := map[string][]*faultCatch{}
	for _, c := range catches {
		k := fmt.Sprint(c.tries)
		byTry[k] = append(byTry[k], c)
	}
	for _, group := range byTry {
		for _, c := range group {
			c.beside = slices.DeleteFunc(slices.Clone(group), func(x *faultCatch) bool { return x == c })
		}
	}
}

// observed chooses the tests of a catch whose operations are noted, the shortest first: those that
// run code below the try which no shorter one runs, the shortest otherwise, and the longest, which
// wait where others do not. The second result are those that it leaves, the shortest first.
func observed(tests []*record.TestRun, catch string) (out, more []*record.TestRun) {
	sort.SliceStable(tests, func(i, j int) bool { return tests[i].Duration < tests[j].Duration })
	seen, chosen, n := map[record.MethodID]bool{}, make([]bool, len(tests)), 0
	for i, t := range tests {
		more := false
		for _, m := range t.Below[catch] {
			more = more || !seen[m]
			seen[m] = true
		}
		if more && n < maxObserved {
			chosen[i] = true
			n++
		}
	}
	for i, t := range tests {
		if !chosen[i] && n < minObserved {
			chosen[i] = true
			n++
		}
		if chosen[i] || i >= len(tests)-maxLongest {
			out = append(out, t)
		} else {
			more = append(more, t)
		}
	}
	return out, more
}

// lookFurther adds tests to catches with links from operations that have run below the try in none
// of those that were looked at; tells whether it has added any.
func (f *Faulting) lookFurther(catches []*faultCatch) (added bool) {
	for _, c := range catches {
		n := min(len(c.more), maxFurther)
		if n == 0 || !f.unseen(c) {
			continue
		}
		added = true
		c.tests = append(slices.Clone(c.tests), c.more[:n]...)
		slices.SortStableFunc(c.tests, func(a, b *record.TestRun) int { return cmp.Compare(a.Duration, b.Duration) })
	}
	return added
}

// unseen tells whether a link of a catch comes from a native operation that ran below its try in no
// test that was looked at.
func (f *Faulting) unseen(c *faultCatch) bool {
	ran := map[string]bool{}
	for _, t := range c.tests {
		if x := f.touched[t.Test]; x != nil {
			for _, row := range x.Catches[c.catch.ID] {
				name, _, _ := strings.Cut(row, "@") // on a pipe
				ran[name] = true
			}
		}
	}
	return slices.ContainsFunc(c.catch.Links, func(l *snapshot.Link) bool {
		return l.Site.Kind == "native" &&
			slices.ContainsFunc(snapshot.FaultRoots(l), func(r *faults.Root) bool { return !ran[r.String()] })
	})
}

// linked are the operations that links of a catch come from, by name, and whether
// what other threads do may come to it as the outcome of a task.
func linked(c *snapshot.Catch) (roots map[string]bool, tasks bool) {
	roots = map[string]bool{}
	for _, l := range c.Links {
		for _, r := range snapshot.FaultRoots(l) {
			roots[r.String()] = true
		}
		tasks = tasks || strings.HasPrefix(l.Site.Class, "java.util.concurrent.")
	}
	return roots, tasks
}

// struckResult is what a fault did for a catch.
type struckResult uint8

const (
	reachedCatch  struckResult = iota // its exception came to the catch
	inVain                            // it struck, and its exception did not
	nothingToTell                     // it did not strike, or made a test hang: so would other kinds
)

// maxHangs is how many hanging runs a catch may have before the strike is left out.
func (x *strike) maxHangs() int {
	if x.linked {
		return maxLinkHangs
	}
	return maxHangs
}

// rank orders strikes.
func (x *strike) rank() (n int) {
	if x.others {
		n += 2
	}
	if !x.linked {
		n++
	}
	return n
}
