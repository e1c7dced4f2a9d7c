// Package news tells what a run has found that an earlier one had not: the catches that depend on
// the source now and did not then.
//
// Input is how all catches stood at the end of earlier runs (History) and a view of the present; a
// catch is known by its member and its tokens, as edits are followed elsewhere (javasource.Carry),
// and not by its line. Where nothing was known of a catch then, nothing is said of it.
package news

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// Catch is how a catch stood at the end of a run.
type Catch struct {
	Member string // with its type, as in a catch's ID
	Class  string
	Types  string
	Digest string // of its tokens
	Part   string // of codelens.Part

	stale bool // Part is of older code
}

// Run is how all catches stood at the end of a run.
type Run struct {
	Ended   time.Time
	Reading string // of the verdicts
	Catches []Catch
}

// History is what is kept of the runs of a workspace.
type History struct {
	Last    *Run
	Earlier *Run // the last that ended on another day than Last
}

// News is what is new.
type News struct {
	New   []*snapshot.Catch // by file and place
	Since string            // when it was compared with: "yesterday"
	Stale int               // of how many catches the verdict is of older code: they may be new
}

// RunOf is how the catches of a view stand.
func RunOf(v codelens.View, ended time.Time, reading string) *Run {
	r := &Run{Ended: ended, Reading: reading, Catches: []Catch{}}
	for _, c := range shown(v) {
		r.Catches = append(r.Catches, catchOf(v, c))
	}
	return r
}

// shown are the catches that are counted.
func shown(v codelens.View) (list []*snapshot.Catch) {
	for _, c := range v.Snap.Catches {
		if !c.InTests {
			list = append(list, c)
		}
	}
	return list
}

func catchOf(v codelens.View, c *snapshot.Catch) Catch {
	member := c.ID
	if i := strings.LastIndexByte(c.ID, '#'); i >= 0 {
		member = c.ID[:i]
	}
	part, _, _ := codelens.Part(v, c)
	if part == "copes" && v.Results.Partial {
		part = "unknown" // it copes so far: that a test which has not run fails is nothing that has changed
	}
	x := Catch{Member: member, Class: c.Class, Types: strings.Join(c.Types, " "), Part: part,
		stale: v.Stale(c)}
	if c.Source != nil {
		x.Digest = c.Source.Digest.String()
	}
	return x
}

// The parts of codelens.Part that say that a catch does not cope, which somebody may have accepted,
// and those that say that nothing is known of how it copes: what is found out of such a catch has
// not become so since.
var (
	bad     = map[string]bool{"depends": true, "accepted": true}
	unknown = map[string]bool{"unknown": true, "untested": true, "faults": true, "not-run": true,
		"not-compiled": true, "not-analysed": true}
)

// known tells whether it is known how a catch stands with its present code.
func (c Catch) known() bool { return !c.stale && !unknown[c.Part] }

// Of is what is new in a view, at the end of a run: compared with the last run that ended on an
// earlier day, else with the last one. nil: there is nothing to compare with, no run or none with
// verdicts in this reading.
func (h *History) Of(v codelens.View, now time.Time, reading string) *News {
	was := h.before(now)
	if was == nil || was.Reading != reading {
		return nil
	}
	n := &News{Since: since(was.Ended, now)}
	list := shown(v)
	present := make([]Catch, len(list))
	for i, c := range list {
		present[i] = catchOf(v, c)
	}
	pairs := pair(was.Catches, present)
	for i, c := range list {
		if present[i].stale && !unknown[present[i].Part] {
			n.Stale++
		}
		if present[i].Part != "depends" || present[i].stale {
			continue
		}
		if old, known := pairs[i]; known && (bad[was.Catches[old].Part] || unknown[was.Catches[old].Part]) {
			continue
		}
		n.New = append(n.New, c)
	}
	return n
}

// before is the run to compare with.
func (h *History) before(now time.Time) *Run {
	for _, r := range []*Run{h.Last, h.Earlier} {
		if r != nil && day(r.Ended).Before(day(now)) {
			return r
		}
	}
	return h.Last
}

// Add makes a run that has ended the last one. before is the last of those that it was compared
// with, or nil: a catch of which it is not known any more how it stands is kept as it stood then,
// for what becomes of it to be told by the run that finds it out.
func (h *History) Add(r, before *Run) {
	pairs := map[int]int{}
	if before != nil && before.Reading == r.Reading {
		pairs = pair(before.Catches, r.Catches)
	}
	for i := range r.Catches {
		c := &r.Catches[i]
		if c.known() {
			continue
		}
		if old, paired := pairs[i]; paired {
			c.Part = before.Catches[old].Part
		} else if c.stale {
			c.Part = "unknown"
		}
		c.stale = false
	}
	if h.Last != nil && day(h.Last.Ended).Before(day(r.Ended)) {
		h.Earlier = h.Last
	}
	h.Last = r
}

// day is the day of a time, where the user is.
func day(t time.Time) time.Time {
	y, m, d := t.Local().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// weekdays is how many days back the name of a weekday says which day it was.
const weekdays = 6

// since names the time of a run.
func since(then, now time.Time) string {
	switch days := int(day(now).Sub(day(then)).Hours() / 24); {
	case days <= 0:
		return "the last run"
	case days == 1:
		return "yesterday"
	case days <= weekdays:
		return then.Local().Weekday().String()
	}
	return then.Local().Format("2 January 2006")
}

// pair finds the catches of before among those of now, by their indexes: now to before. Unchanged
// ones are found first, in their member and then anywhere; of the others those of a member stay in
// it, in order; what is left of members that are gone is sought in new ones of the same class.
func pair(before, now []Catch) map[int]int {
	pairs, taken := map[int]int{}, map[int]bool{}
	members := [2]map[string]bool{{}, {}}
	for i, list := range [][]Catch{before, now} {
		for _, c := range list {
			members[i][c.Member] = true
		}
	}
	for _, key := range []func(c Catch, other map[string]bool) (string, bool){
		func(c Catch, _ map[string]bool) (string, bool) { return c.Member + "\n" + c.Digest, true },
		func(c Catch, _ map[string]bool) (string, bool) { return c.Digest, true },
		func(c Catch, _ map[string]bool) (string, bool) { return c.Member + "\n" + c.Types, true },
		func(c Catch, other map[string]bool) (string, bool) {
			return c.Class + "\n" + c.Types, !other[c.Member]
		},
	} {
		open := map[string][]int{}
		for i, c := range before {
			if k, ok := key(c, members[1]); ok && !taken[i] {
				open[k] = append(open[k], i)
			}
		}
		for i, c := range now {
			k, ok := key(c, members[0])
			if _, known := pairs[i]; known || !ok || len(open[k]) == 0 {
				continue
			}
			pairs[i], taken[open[k][0]] = open[k][0], true
			open[k] = open[k][1:]
		}
	}
	return pairs
}

// namedNew is how many new catches are named in a line: what a message of an editor has room for.
const namedNew = 3

// Text says what is new, in a line; "" for nil.
func (n *News) Text() string {
	if n == nil {
		return ""
	}
	if len(n.New) == 0 {
		text := "nothing new since " + n.Since
		if n.Stale > 0 {
			text += fmt.Sprintf(", %d not run since a change", n.Stale)
		}
		return text
	}
	var places []string
	for i, c := range n.New {
		if i == namedNew {
			places = append(places, fmt.Sprintf("and %d more", len(n.New)-i))
			break
		}
		places = append(places, fmt.Sprintf("%s:%d", path.Base(codelens.Plain(c.File.Path, false)), c.Line))
	}
	return fmt.Sprintf("%d new since %s: %s", len(n.New), n.Since, strings.Join(places, ", "))
}

// Verdict is how one catch stands, with its place, in a sentence: "C.java:7 fails if it comes
// earlier, as in CTest#m; 2 of 3 failures tested".
func Verdict(v codelens.View, c *snapshot.Catch) string {
	_, _, words := codelens.Part(v, c)
	text := fmt.Sprintf("%s:%d %s", path.Base(codelens.Plain(c.File.Path, false)), c.Line,
		codelens.Plain(words, false))
	if v.Results == nil || v.Results.ByCatch[c.ID] == nil {
		return text
	}
	verdict := v.Results.ByCatch[c.ID].Verdict
	if verdict.SourceIndependence == shortcircuit.Violated && len(verdict.Witnesses) > 0 {
		test := verdict.Witnesses[0].Test
		class, _, _ := strings.Cut(test, "#")
		text += ", as in " + codelens.Plain(test[strings.LastIndexByte(class, '.')+1:], false)
	}
	if tested, all := codelens.FailureCoverage(v, c); all > 0 {
		text += fmt.Sprintf("; %d of %s tested", tested, codelens.Count(all, "failure"))
	}
	if v.Stale(c) {
		text += "; the code has changed since"
	}
	return text
}

// Outcome is how the catches of a view stand, and what is new, in a line.
func Outcome(v codelens.View, n *News) string {
	text := codelens.Summary(v)
	if more := n.Text(); more != "" && text != "" {
		text += "; " + more
	}
	return text
}
