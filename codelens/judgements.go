package codelens

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file is about links that the user judges infeasible.

// Judge makes a configuration's judgements those of the view.
func (v *View) Judge(cfg *workspace.Config) {
	v.Judged, v.Infeasible = cfg, map[string]string{}
	for _, j := range cfg.Infeasible {
		for _, id := range judgedLinks(j) {
			v.Infeasible[id] = j.Reason
		}
	}
}

// judgedLinks are the IDs of the links of a judgement.
func judgedLinks(j workspace.Infeasible) (ids []string) {
	if j.Link != "" {
		return []string{j.Link}
	}
	for _, site := range j.ThrowSites {
		if id, ok := snapshot.LinkID(j.Catch, site); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// Judges tells whether a judgement is, among others, of a link.
func Judges(j workspace.Infeasible, link string) bool { return slices.Contains(judgedLinks(j), link) }

// markImpossible begins the title of a code action that judges infeasible, in plain words.
const markImpossible = "Mark as impossible: "

// Judgement is what can be judged at a catch: one link, or all of a failure, which a person counts
// as one: the same exception by the same call in the try and the same method that code beside the
// JDK calls last.
type Judgement struct {
	Title    string
	Link     string   // ID of the first link
	Failure  bool     // of all links of its failure
	TakeBack bool     // it has been judged
	apart    []string // what tells it from others of its title, the shortest first
	tail     string   // of the title, behind that
}

// Name is what is judged, without what is done: the exception and its place.
func (j Judgement) Name() string { return j.Title[strings.Index(j.Title, ": ")+2:] }

// tellApart adds to titles that several judgements have what tells these apart.
func tellApart(all []Judgement) {
	for round := 0; ; round++ {
		times, more := map[string]int{}, false
		for _, j := range all {
			times[j.Title]++
		}
		for i := range all {
			if j := &all[i]; times[j.Title] > 1 && round < len(j.apart) {
				j.Title = strings.TrimSuffix(j.Title, j.tail) + j.apart[round] + j.tail
				more = true
			}
		}
		if !more {
			return
		}
	}
}

// distinguish tells a failure from others of its exception and name.
func (f *Failure) distinguish() []string {
	return []string{ParameterTypes(f.Method), fmt.Sprintf(", called on line %d", f.Line)}
}

// failureWith is the failure of a catch that has a link.
func failureWith(v View, l *snapshot.Link) *Failure {
	for _, f := range Failures(v, l.Catch) {
		if slices.Contains(f.Links, l) {
			return &f
		}
	}
	f := Failure{Failure: l.Failure()}
	f.take(v, l)
	return &f
}

// mayJudge tells whether a link may be judged infeasible: nothing has made it happen.
func mayJudge(v View, l *snapshot.Link) bool {
	_, judged := v.Infeasible[l.ID]
	return !judged && experienced(v, l) == nil
}

// Judgements are what is offered for the links of a catch, at most so many of each kind: judgements
// to take back, failures of which no test has made a link happen, and single links, of what counts.
func Judgements(v View, c *snapshot.Catch, most int) (out []Judgement) {
	var failures, single []Judgement
	seen := map[*snapshot.Link]bool{}
	for _, l := range v.Links(c) {
		if len(single) >= most || !mayJudge(v, l) || apartOf(v, l) != "" {
			continue
		}
		from := Plain(l.Exception, false) + " from " + SiteName(*l.Site)
		single = append(single, Judgement{Title: markImpossible + from, Link: l.ID, apart: distinguishSites(l)})
		if seen[l] {
			continue
		}
		f := failureWith(v, l)
		for _, other := range f.Links {
			seen[other] = true
		}
		if n := len(f.Links); n > 1 &&
			!slices.ContainsFunc(f.Links, func(l *snapshot.Link) bool { return !mayJudge(v, l) }) {
			tail := " (" + Count(n, "link") + ")"
			failures = append(failures, Judgement{Link: l.ID, Failure: true, apart: f.distinguish(), tail: tail,
				Title: markImpossible + Plain(f.Exception, false) + " by " + f.name() + tail})
		}
	}
	all := slices.Concat(takeBacks(v, c, most), failures, single)
	tellApart(all)
	return all
}

// distinguishSites tells the throw of a link from others of its exception, method name and line.
func distinguishSites(l *snapshot.Link) []string {
	return []string{ParameterTypes(l.Site.Method), fmt.Sprintf(", throw %d of the method", l.Site.Ordinal+1)}
}

// takeBacks are the judgements on links of a catch that can be taken back, one for each that the
// user made.
func takeBacks(v View, c *snapshot.Catch, most int) (out []Judgement) {
	if v.Judged == nil {
		return nil
	}
	for _, j := range v.Judged.Infeasible {
		ids := judgedLinks(j)
		for _, l := range v.Links(c) {
			if len(out) < most && slices.Contains(ids, l.ID) {
				back := Judgement{Link: l.ID, TakeBack: true, apart: distinguishSites(l), tail: " cannot happen",
					Title: "Take back: " + Plain(l.Exception, false) + " from " + SiteName(*l.Site)}
				if len(ids) > 1 {
					f := failureWith(v, l)
					back.apart, back.tail = f.distinguish(), " cannot happen ("+Count(len(ids), "link")+")"
					back.Title = "Take back: " + Plain(f.Exception, false) + " by " + f.name()
				}
				back.Title += back.tail
				out = append(out, back)
				break
			}
		}
	}
	return out
}

// Infeasible is the judgement on a link, or on all of its failure, as catchlens.toml has it. The
// error says which test has made one of them happen.
func Infeasible(v View, l *snapshot.Link, ofFailure bool, reason string) (workspace.Infeasible, error) {
	links, exception := []*snapshot.Link{l}, l.Exception
	if ofFailure {
		f := failureWith(v, l)
		links, exception = f.Links, f.Exception
	}
	j := workspace.Infeasible{Catch: l.Catch.ID, Exception: exception, Reason: reason,
		Note: fmt.Sprintf("catch (%s) in %s, line %d when it was judged",
			strings.Join(classname.InSourceAll(l.Catch.Types), " | "), l.Catch.File.Path, l.Catch.Line)}
	for _, x := range links {
		if e := experienced(v, x); e != nil {
			return j, fmt.Errorf("it is not impossible: %s has made %s from %s arrive here", e.Tests[0], x.Exception,
				SiteName(*x.Site))
		}
		j.ThrowSites = append(j.ThrowSites, x.Site.Ref())
	}
	return j, nil
}
