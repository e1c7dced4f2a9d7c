package verdicts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file compares the links before the first run with those after it.

// linkComparison counts the links of catches outside tests.
type linkComparison struct {
	before, after int // predicted
	lost          int // predicted before, and no more
	experienced   int // predicted since, and experienced
	called        int // predicted since, of code that the run showed to be called; see shown and ranWithin
	grown         int // other ones that are predicted since
	unpredicted   int // experienced, and not predicted after the run
	lines         []string
}

// linkOf is a link with the catch that it is at.
type linkOf struct {
	catch *reportCatch
	link  *reportLink
}

func predicted(r *report) map[string]linkOf {
	all := map[string]linkOf{}
	for i := range r.Catches {
		c := &r.Catches[i]
		for k := range c.Links {
			if l := &c.Links[k]; l.Predicted && !c.InTests {
				all[c.ID+" "+l.ID] = linkOf{c, l}
			}
		}
	}
	return all
}

// shown is a method out of which an exception came to a catch: what else it throws may come there,
// too. Other code that a run shows to be called has catches that no call led to before, or ran
// within the try (ranWithin).
type shown struct{ catch, class, method string }

// ranWithin are the methods, as nameOfMethod has them, that runs saw within the try or the clause
// of a catch, by its ID, and that no call of the analysis had led to. What a link comes by way of
// one of them, the run showed to be called there; that a method ran somewhere else shows nothing.
type ranWithin map[string]map[string]bool

// leadsTo tells whether the shortest chain of a link goes by way of such a method.
func (r ranWithin) leadsTo(l linkOf) bool {
	ran := r[l.catch.ID]
	return ran[l.link.ThrowSite.Class+"."+l.link.ThrowSite.Method] ||
		slices.ContainsFunc(l.link.Chain, func(f stackFrame) bool { return ran[f.Class+"."+f.Method] })
}

// ranIn collects, of the methods in missed, those that runs saw within each catch: where they did
// not follow what ran there, those that the tests entered that entered its try.
func ranIn(tests []*record.TestRun, name func(record.MethodID) string, missed map[string]bool) ranWithin {
	within := ranWithin{}
	for _, t := range tests {
		for catch := range t.Usages {
			ids := t.Below[catch]
			if ids == nil {
				ids = t.Methods
			}
			for _, id := range slices.Concat(ids, t.Aside[catch]) {
				if n := name(id); missed[n] {
					if within[catch] == nil {
						within[catch] = map[string]bool{}
					}
					within[catch][n] = true
				}
			}
		}
	}
	return within
}

// compareLinks compares the report of an analysis before the first run with one after it.
func compareLinks(before, after *report, ran ranWithin) linkComparison {
	was, is := predicted(before), predicted(after)
	c := linkComparison{before: len(was), after: len(is)}
	for name := range was {
		if _, ok := is[name]; !ok {
			c.lost++
		}
	}
	reached := map[string]bool{}
	for _, k := range before.Catches {
		reached[k.ID] = k.Reached
	}
	threw := map[shown]bool{}
	for _, l := range is {
		if l.link.Outcome == "experienced" {
			threw[shown{l.catch.ID, l.link.ThrowSite.Class, l.link.ThrowSite.Method}] = true
		}
	}
	grown := map[string]int{}
	sample := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		l := is[name]
		switch _, ok := was[name]; {
		case ok:
		case l.link.Outcome == "experienced":
			c.experienced++
		case !reached[l.catch.ID] || threw[shown{l.catch.ID, l.link.ThrowSite.Class, l.link.ThrowSite.Method}],
			ran.leadsTo(l):
			c.called++
		default:
			c.grown++
			grown[l.catch.ID]++
			sample[l.catch.ID] = fmt.Sprintf("%s from %s", l.link.Exception, l.link.chainText())
		}
	}
	for _, id := range slices.Sorted(maps.Keys(grown)) {
		c.lines = append(c.lines, fmt.Sprintf("%s: %d new, such as %s", id, grown[id], sample[id]))
	}
	c.addUnpredicted(after)
	return c
}

func (c *linkComparison) addUnpredicted(after *report) {
	for _, k := range after.Catches {
		for i := range k.Links {
			if l := &k.Links[i]; !l.Predicted && !k.InTests {
				c.unpredicted++
				c.lines = append(c.lines,
					fmt.Sprintf("%s: unpredicted %s thrown by %s", k.ID, l.Exception, l.ThrowSite))
			}
		}
	}
}

// chainText is the shortest chain of a link, or its throw site where there is none.
func (l *reportLink) chainText() string {
	var steps []string
	for _, f := range l.Chain {
		steps = append(steps, f.Class+"."+f.Method)
	}
	if len(steps) == 0 {
		return l.ThrowSite.String()
	}
	return strings.Join(steps, " > ")
}
