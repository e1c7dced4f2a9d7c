// Package catchlist lists the catches of a workspace for a person who looks for what to do: the
// worst first. Everything in it is a pure function of what package codelens shows.
package catchlist

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/classname"
)

// Entry is a catch of the list. Texts are plain (codelens.Plain).
type Entry struct {
	Catch *snapshot.Catch
	// Kind is one of Kinds: what the catch is listed under. Group says it in words, as the last
	// line of a report does.
	Kind, Group string
	// Title is the text of its lens, Verdict the part of it on how it copes.
	Title, Verdict string
	// Method is the method that it stands in (C.read), Exceptions the types that it takes, by their
	// simple names.
	Method      string
	Exceptions  []string
	Tested, All int // failures
	Unpredicted int // links that runs experienced and the analysis does not predict
	Stale       bool
	Running     bool // by a run that is under way
	Runnable    bool // a run may tell something of it
}

// Look tells whether a catch asks for a look: it depends on the source, or what no analysis
// predicted came to it.
func (e Entry) Look() bool { return e.Kind == depends || e.Kind == unpredicted }

// Kinds that are told from others.
const (
	depends     = "depends"
	unpredicted = "unpredicted"
	notRun      = "not-run"
)

// Kinds lists the kinds of entries, the worst first: but for "unpredicted" they are the keys of
// codelens.Part.
var Kinds = []string{depends, unpredicted, "untested", "faults", "unknown", notRun, "copes", "accepted", "no-handler",
	"not-compiled", "not-analysed"}

// unpredictedWords say what is listed under "unpredicted".
const unpredictedWords = "met what was not predicted"

// Of lists the catches outside tests, the worst kind first; of a kind, those with the most failures
// that no test made happen, then in the order of files and lines. A run that is under way changes
// what is listed of a catch only by Running, and by what it finds.
func Of(v codelens.View) []Entry {
	if v.Snap == nil {
		return nil
	}
	surprises := map[*snapshot.Catch]int{}
	if v.Results != nil {
		for _, u := range v.Results.Unpredicted {
			if !u.Pending && !u.Stale {
				surprises[u.Catch]++
			}
		}
	}
	var list []Entry
	for _, c := range v.Snap.Catches {
		if !c.InTests {
			list = append(list, entry(v, c, surprises[c]))
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)),
			cmp.Compare(b.All-b.Tested, a.All-a.Tested), cmp.Compare(a.Catch.File.Path, b.Catch.File.Path),
			cmp.Compare(a.Catch.Line, b.Catch.Line), cmp.Compare(a.Catch.Column, b.Catch.Column))
	})
	return list
}

// entry is what the list says of a catch to which so many unpredicted links came.
func entry(v codelens.View, c *snapshot.Catch, surprises int) Entry {
	e := Entry{Catch: c, Unpredicted: surprises, Running: v.Runs.Of(c), Stale: v.Stale(c),
		Runnable: len(c.Handlers) > 0,
		Method:   codelens.Plain(codelens.ShortMethod(c.Class, c.Method), false)}
	v.Runs = nil // or what is not decided would leave its group while it is run, and come back
	e.Kind, e.Group, e.Verdict = codelens.Part(v, c)
	if surprises > 0 && e.Kind != depends {
		e.Kind, e.Group = unpredicted, unpredictedWords
	}
	e.Title = codelens.Plain(codelens.Title(v, c), false)
	e.Tested, e.All = codelens.FailureCoverage(v, c)
	for _, t := range c.Types {
		e.Exceptions = append(e.Exceptions, codelens.Plain(classname.InSource(t), false))
	}
	return e
}
