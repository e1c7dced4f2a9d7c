package verdicts

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// This file chooses the verdicts that are judged.

// What catchlens claims of a catch.
const (
	sourceDependent   = "source-dependent"
	sourceIndependent = "source-independent"
	purelyResilient   = "purely resilient"
)

// claim is one verdict to judge.
type claim struct {
	what  string
	catch *reportCatch
}

// witness names what a claim stands on, so that a judgement holds only as long as that is
// the same: the test of the first witness and what was thrown. Claims that hold have none.
// Witnesses in which every execution was struck are those of pure resilience, unless there
// are no others.
func (c claim) witness() string {
	all := c.catch.contract.Witnesses
	if c.what != sourceDependent || len(all) == 0 {
		return ""
	}
	w := all[max(0, slices.IndexFunc(all, func(w witness) bool { return w.Reading == "white" }))]
	return w.Test + " with " + w.Injected
}

// claimsOf are all source-dependent verdicts of a report and n drawn ones of each other
// kind, outside tests, in the order of the catches. The draw takes those whose digests with
// the seed are the smallest: a verdict that comes or goes leaves the others drawn.
func claimsOf(r *report, n int, seed string) []claim {
	var all []claim
	for _, what := range []string{sourceDependent, sourceIndependent, purelyResilient} {
		var of []claim
		for i := range r.Catches {
			c := &r.Catches[i]
			if !c.InTests && c.claims(what) {
				of = append(of, claim{what, c})
			}
		}
		if what != sourceDependent {
			of = drawn(of, n, seed)
		}
		slices.SortFunc(of, func(a, b claim) int { return strings.Compare(a.catch.ID, b.catch.ID) })
		all = append(all, of...)
	}
	return all
}

// claims tells whether the report claims that of the catch. A verdict that follows from
// another one is claimed, too: what is purely resilient is source-independent.
func (c *reportCatch) claims(what string) bool {
	switch what {
	case sourceDependent:
		return c.contract.SourceIndependence == "violated"
	case sourceIndependent:
		return c.contract.SourceIndependence == "holds"
	}
	return c.contract.PureResilience == "holds"
}

func drawn(from []claim, n int, seed string) []claim {
	digest := func(c claim) string {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(seed+" "+c.catch.ID)))
	}
	sorted := slices.Clone(from)
	slices.SortFunc(sorted, func(a, b claim) int { return strings.Compare(digest(a), digest(b)) })
	return sorted[:min(n, len(sorted))]
}
