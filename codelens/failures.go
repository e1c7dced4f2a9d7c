package codelens

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/results"
)

// This file puts links together into what a person counts
// (docs/internals/decisions/D10-a-person-counts-failures.md).

// Failure is a group of links of a catch, and what is known of it.
type Failure struct {
	snapshot.Failure
	Links   []*snapshot.Link
	Outcome Outcome
	// Shows is the link of which Outcome is known, the first of several.
	Shows *snapshot.Link
	// Apart: it is shown beside the others, and counted in none of their numbers.
	Apart Apart
}

// Outcome says what has become of a failure or link.
type Outcome string

// The outcomes that are none of package results.
const (
	Experienced Outcome = "experienced"
	Unknown     Outcome = "unknown"
	Judged      Outcome = "infeasible" // by the user
)

// outcomeOrder is from the strongest to the weakest: a failure has the strongest of its links, and
// so the last only where the user judged all of them.
var outcomeOrder = []Outcome{Experienced, Outcome(results.Masked), Outcome(results.Latent),
	Outcome(results.IsForced), Outcome(results.ViaThread), Outcome(results.NotReached), Outcome(results.NoTest),
	Unknown, Judged}

// Outcomes lists all, the strongest first.
func Outcomes() []Outcome { return slices.Clone(outcomeOrder) }

// Apart says why a link is counted with no others; "": it is counted.
type Apart string

const (
	// ThrownByTests is what code of tests throws itself: nothing of it happens in production.
	ThrownByTests Apart = "thrown-by-tests"
	// Misused is what an object throws only when it is misused, as after it was closed
	// (snapshot.Misuse), and no run has made happen.
	Misused Apart = "misuse"
)

// apartOf says why a link stands apart.
func apartOf(v View, l *snapshot.Link) Apart {
	switch {
	case !l.Catch.InTests && l.ByTests():
		return ThrownByTests
	case v.misuse(l) != "":
		return Misused
	}
	return ""
}

// misuse says in words what misuse of an object a link needs, which is counted in no numbers; ""
// where it needs none, or a run has made it happen.
func (v View) misuse(l *snapshot.Link) string {
	if experienced(v, l) != nil {
		return ""
	}
	return v.Snap.Misuse(l)
}

// counts tells whether a link is one that tests can be asked for: the user has not judged it
// infeasible, and it needs no misuse of an object.
func (v View) counts(l *snapshot.Link) bool {
	_, judged := v.Infeasible[l.ID]
	return !judged && v.misuse(l) == ""
}

// misused are the links of a catch that need the misuse of an object; others are the rest.
func (v View) misused(c *snapshot.Catch) (misused, others []*snapshot.Link) {
	for _, l := range v.Links(c) {
		if v.misuse(l) != "" {
			misused = append(misused, l)
		} else {
			others = append(others, l)
		}
	}
	return misused, others
}

// outcomeOf is what is known of a link.
func outcomeOf(v View, l *snapshot.Link) Outcome {
	if _, judged := v.Infeasible[l.ID]; judged {
		return Judged
	}
	if experienced(v, l) != nil {
		return Experienced
	}
	if t, ok := tried(v, l); ok && t.Outcome != "" {
		return Outcome(t.Outcome)
	}
	return Unknown
}

// Failures are those of a catch, in the order of the calls in its try. A failure stands apart where
// all of its links do; where some do, the others say what its outcome is.
func Failures(v View, c *snapshot.Catch) (list []Failure) {
	at := map[snapshot.Failure]int{}
	for _, l := range v.Links(c) {
		key := l.Failure()
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			list = append(list, Failure{Failure: key})
		}
		list[i].take(v, l)
	}
	slices.SortStableFunc(list, func(a, b Failure) int {
		return cmp.Or(snapshot.CompareCalls(a.Call, b.Call), cmp.Compare(a.Exception, b.Exception))
	})
	return list
}

// take makes a link a member.
func (f *Failure) take(v View, l *snapshot.Link) { f.add(l, apartOf(v, l), outcomeOf(v, l)) }

// add makes a link a member. What stands apart decides nothing beside what does not.
func (f *Failure) add(l *snapshot.Link, apart Apart, outcome Outcome) {
	rank := func(o Outcome) int { return slices.Index(outcomeOrder, o) }
	switch {
	case f.Shows == nil, f.Apart != "" && apart == "":
		f.Outcome, f.Shows, f.Apart = outcome, l, apart
	case f.Apart == "" && apart != "":
	case rank(outcome) < rank(f.Outcome):
		f.Outcome, f.Shows = outcome, l
	}
	f.Links = append(f.Links, l)
}

// Counts tells whether a failure is one of those that tests can be asked for.
func (f *Failure) Counts() bool { return f.Apart == "" && f.Outcome != Judged }

// FailureCoverage counts a catch's failures without those that stand apart or are judged
// infeasible.
func FailureCoverage(v View, c *snapshot.Catch) (tested, all int) {
	return countFailures(Failures(v, c))
}

func countFailures(list []Failure) (tested, all int) {
	for i := range list {
		if !list[i].Counts() {
			continue
		}
		all++
		if list[i].Outcome == Experienced {
			tested++
		}
	}
	return tested, all
}

// Lines are those of the try with a call from which a failure may come: first that of its own, then
// those from which other chains of its links start.
func (f *Failure) Lines() []int {
	var others []int
	for _, l := range f.Links {
		for _, line := range l.Lines() {
			if line != f.Line && !slices.Contains(others, line) {
				others = append(others, line)
			}
		}
	}
	slices.Sort(others)
	return append([]int{f.Line}, others...)
}

// name is how people call the method that fails: without its parameters.
func (f *Failure) name() string { return ShortMethod(f.Class, f.Method) }
