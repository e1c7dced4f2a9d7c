package codelens

import (
	"fmt"
	"slices"
	"strings"

	"catchlens/analysis/features/natives"
	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
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

// failure names a group of links of a catch.
type failure struct {
	exception string
	call      string // in the try, with its line
	api       string // the method that code beside the JDK calls last, with its parameters
}

func failureOf(l *snapshot.Link) failure {
	f := failure{exception: l.Exception}
	chain := l.Chain()
	if len(chain) > 1 {
		f.call = fmt.Sprintf("%s.%s:%d", chain[1].Class, chain[1].Method, chain[0].Line)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if !natives.OfJDK(strings.ReplaceAll(chain[i].Class, ".", "/")) {
			last := chain[min(i+1, len(chain)-1)]
			f.api = ShortMethod(last.Class, last.Method) + ParameterTypes(last.Method)
			break
		}
	}
	return f
}

// name is how people call the method that fails: without its parameters.
func (f failure) name() string {
	name, _, _ := strings.Cut(f.api, "(")
	return name
}

// apart tells a failure from others of its exception and name.
func (f failure) apart() []string {
	return []string{f.api[len(f.name()):], ", called on line " + f.call[strings.LastIndexByte(f.call, ':')+1:]}
}

// failureLinks are the links of a catch that are of the same failure as one of them.
func failureLinks(v View, l *snapshot.Link) (out []*snapshot.Link) {
	of := failureOf(l)
	for _, other := range v.Links(l.Catch) {
		if other == l || other.Exception == l.Exception && failureOf(other) == of {
			out = append(out, other)
		}
	}
	return out
}

// mayJudge tells whether a link may be judged infeasible: nothing has made it happen.
func mayJudge(v View, l *snapshot.Link) bool {
	_, judged := v.Infeasible[l.ID]
	return !judged && experienced(v, l) == nil
}

// Judgements are what is offered for the links of a catch, at most so many of each kind: judgements
// to take back, failures of which no test has made a link happen, and single links.
func Judgements(v View, c *snapshot.Catch, most int) (out []Judgement) {
	var failures, single []Judgement
	seen := map[*snapshot.Link]bool{}
	for _, l := range v.Links(c) {
		if len(single) >= most || !mayJudge(v, l) {
			continue
		}
		from := Plain(l.Exception, false) + " from " + SiteName(*l.Site)
		single = append(single, Judgement{Title: "Judge infeasible: " + from, Link: l.ID, apart: siteApart(l)})
		if seen[l] {
			continue
		}
		group := failureLinks(v, l)
		for _, other := range group {
			seen[other] = true
		}
		if len(group) > 1 && !slices.ContainsFunc(group, func(l *snapshot.Link) bool { return !mayJudge(v, l) }) {
			f, tail := failureOf(l), " ("+Count(len(group), "link")+")"
			failures = append(failures, Judgement{Link: l.ID, Failure: true, apart: f.apart(), tail: tail,
				Title: "Judge infeasible: " + Plain(l.Exception, false) + " by " + f.name() + tail})
		}
	}
	all := slices.Concat(takeBacks(v, c, most), failures, single)
	tellApart(all)
	return all
}

// siteApart tells the throw of a link from others of its exception, method name and line.
func siteApart(l *snapshot.Link) []string {
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
				back := Judgement{Link: l.ID, TakeBack: true, apart: siteApart(l), tail: " cannot happen",
					Title: "Take back: " + Plain(l.Exception, false) + " from " + SiteName(*l.Site)}
				if len(ids) > 1 {
					f := failureOf(l)
					back.apart, back.tail = f.apart(), " cannot happen ("+Count(len(ids), "link")+")"
					back.Title = "Take back: " + Plain(l.Exception, false) + " by " + f.name()
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
	links := []*snapshot.Link{l}
	if ofFailure {
		links = failureLinks(v, l)
	}
	j := workspace.Infeasible{Catch: l.Catch.ID, Exception: l.Exception, Reason: reason,
		Note: fmt.Sprintf("catch (%s) in %s, line %d when it was judged",
			strings.Join(shortTypes(l.Catch.Types), " | "), l.Catch.File.Path, l.Catch.Line)}
	for _, x := range links {
		if e := experienced(v, x); e != nil {
			return j, fmt.Errorf("it is not infeasible: %s has made %s from %s arrive here", e.Tests[0], x.Exception,
				SiteName(*x.Site))
		}
		j.ThrowSites = append(j.ThrowSites, x.Site.Ref())
	}
	return j, nil
}
