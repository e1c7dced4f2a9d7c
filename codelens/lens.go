// Package codelens decides what a person is shown: lens titles, hovers,
// diagnostics, code actions and reports. Everything in it is a pure function of
// a snapshot and the results laid over it; nothing in it knows the editor
// protocol, starts anything or keeps state.
//
// Text that comes from a workspace (names, exception messages, test output) is
// data: it is escaped for the medium it is shown in (DESIGN D9), see escape.go.
package codelens

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens/parttext"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// Commands that lenses and code actions carry; the server executes them.
const (
	CommandRunCatch   = "catchlens.runCatch"   // argument: catch ID
	CommandRunAll     = "catchlens.runAll"     //
	CommandShowChains = "catchlens.showChains" // argument: catch ID
	CommandShowMatrix = "catchlens.showMatrix" // argument: catch ID; or a document's URI and a line of it (0-based)
	CommandExplain    = "catchlens.explain"    //
	CommandInfeasible = "catchlens.judgeInfeasible"
)

// Lens is one code lens: a title that stands at a catch, and what a click does.
type Lens struct {
	Catch   *snapshot.Catch
	Title   string
	Command string   // "" for a title that does nothing
	Args    []string // arguments of the command
}

// Lenses returns those of a catch: what is known of it, and "run" where that can tell more.
func Lenses(v View, c *snapshot.Catch) []Lens {
	lenses := []Lens{{Catch: c, Title: Title(v, c), Command: CommandShowChains, Args: []string{c.ID}}}
	if len(c.Handlers) > 0 && !c.InTests {
		title := "run"
		if s := v.state(c); s != nil && s.Ran && !s.Stale {
			title = "run again"
		}
		lenses = append(lenses, Lens{Catch: c, Title: title, Command: CommandRunCatch, Args: []string{c.ID}})
	}
	return lenses
}

// View is what is shown: a snapshot, the results laid over it, and the catches
// that unsaved edits have touched.
type View struct {
	Snap    *snapshot.Snapshot
	Results *results.Overlay // nil: no results
	// Edited holds IDs of catches whose try or catch unsaved edits have changed since the snapshot.
	Edited map[string]bool
	// Outdated: all of this is of other workspace folders; the present ones are not analysed yet.
	Outdated bool
	// Runs is what a campaign runs at the moment; nil: nothing.
	Runs *Runs
	// Words is one of the values of the setting words; "": the first.
	Words string
	// MoreHints are codes of hints that are shown only when asked for.
	MoreHints []string
	// Infeasible holds the user's judgements, link ID to reason.
	Infeasible map[string]string
	// Judged is the catchlens.toml with the judgements; nil: none.
	Judged *workspace.Config
}

// Runs is what a campaign runs: some catches, or all where none are named.
type Runs struct{ Catches []string }

// Of tells whether a catch is among what is run.
func (r *Runs) Of(c *snapshot.Catch) bool {
	return r != nil && (len(r.Catches) == 0 || slices.Contains(r.Catches, c.ID))
}

// partial tells whether a first baseline has not run all tests.
func (v View) partial() bool { return v.Results != nil && v.Results.Partial }

// unknownYet tells whether a first baseline has not run all tests, and those that it has run decide
// nothing on a catch, or do not make it run. Of a catch that was asked for by itself, what they
// show is an answer once all have run that may enter its try by the call graph.
func (v View) unknownYet(c *snapshot.Catch, s *results.State) bool {
	return v.partial() && s.Verdict.SourceIndependence == shortcircuit.Unknown &&
		(s.Verdict.PureResilience == shortcircuit.Unknown || s.Usage.White == 0) &&
		(v.Runs.Of(c) || !parttext.NoneLeft(v.Results, c))
}

// soFar is added to what all tests agree on, while there are tests that have not been run.
const soFar = " so far"

func (v View) soFar() string {
	if v.partial() {
		return soFar
	}
	return ""
}

// notAllRun is said of such a catch where nothing runs.
const notAllRun = "not all tests have been run"

// verdictWhy says why the verdict on a catch is what it is.
func (v View) verdictWhy(c *snapshot.Catch, s *results.State) string {
	if v.unknownYet(c, s) {
		return notAllRun + " yet"
	}
	return parttext.SoFar(v.Results, s.Verdict.Why) + parttext.Of(v.Results, c)
}

// missing lists the tests that would decide an unknown answer.
func (v View) missing(c *snapshot.Catch, s *results.State) []string {
	if v.unknownYet(c, s) {
		return nil
	}
	return s.Verdict.Missing
}

func (v View) state(c *snapshot.Catch) *results.State {
	if v.Results == nil {
		return nil
	}
	return v.Results.ByCatch[c.ID]
}

// Stale tells whether what is shown of a catch belongs to older code.
func (v View) Stale(c *snapshot.Catch) bool {
	if v.Outdated || v.Edited[c.ID] || c.File.Stale {
		return true
	}
	s := v.state(c)
	return s != nil && s.Stale
}

// Links lists the links of a catch that are predicted and shown: those that were ruled out before
// an edit are if a run has experienced them.
func (v View) Links(c *snapshot.Catch) []*snapshot.Link {
	if s := v.state(c); s != nil && len(s.Returned) > 0 {
		return slices.Concat(c.Links, s.Returned)
	}
	return c.Links
}

// unpredicted lists the links of a catch that runs experienced and the analysis did not predict.
func (v View) unpredicted(c *snapshot.Catch) (list []*results.Unpredicted) {
	if v.Results == nil {
		return nil
	}
	for i := range v.Results.Unpredicted {
		if u := &v.Results.Unpredicted[i]; u.Catch == c {
			list = append(list, u)
		}
	}
	return list
}

// Coverage counts a catch's links without those that the user judged infeasible (REPORT.md).
func (v View) Coverage(c *snapshot.Catch) (experienced, predicted int) {
	s := v.state(c)
	for _, l := range v.Links(c) {
		if !v.counts(l) {
			continue
		}
		predicted++
		if s != nil && s.Links[l.ID] != nil {
			experienced++
		}
	}
	return experienced, predicted
}

// Title is the text of the first lens of a catch.
func Title(v View, c *snapshot.Catch) string {
	if c.HiddenBy != "" {
		return "not analysed: a class of the same name is in " + c.HiddenBy
	}
	if !c.Compiled {
		return "not compiled yet: there is no class file"
	}
	if len(c.Handlers) == 0 {
		return "no handler: nothing can reach this catch in the class files"
	}
	t := plainTitle(v, c)
	if v.inPaper() {
		t = paperTitle(v, c)
	}
	if v.Stale(c) || len(c.Withheld) > 0 && !v.Snap.Unedited {
		t += " · stale"
	}
	return t
}

func coverageTitle(v View, c *snapshot.Catch) string {
	e, p := v.Coverage(c)
	u := len(v.unpredicted(c))
	switch {
	case u > 0 && p == 0:
		return Count(u, "e-c link") + " experienced, not predicted"
	case u > 0:
		return fmt.Sprintf("%d/%d %s, %d more experienced, not predicted", e, p, plural(p, "e-c link"), u)
	case p == 0 && uncalled(v, c):
		return "no e-c links: no call from " + entryPoints[v.Snap.EntryPoints()] + " found"
	case p == 0 && (v.Snap.LeavesOut(c) || reached(v, c)):
		return "no studied e-c links"
	case p == 0:
		return "no e-c links"
	case e > 0:
		return fmt.Sprintf("%d/%d %s", e, p, plural(p, "e-c link"))
	default:
		return fmt.Sprintf("%d %s, none experienced", p, plural(p, "e-c link"))
	}
}

// entryPoints names one of each setting's.
var entryPoints = map[string]string{"tests": "a test", "mains": "a main", "public": "a public method"}

// uncalled tells whether no entry point leads to a catch, by the call graph and by all runs.
func uncalled(v View, c *snapshot.Catch) bool {
	s := v.state(c)
	return c.Unreached && len(c.Links) == 0 && (s == nil || len(s.Tests) == 0 && !s.Reached)
}

// What is said where no test decides: those that fail or are flaky as they are decide nothing.
const (
	noTestEnters    = "no test enters this try"
	noPassingEnters = "no test that passes enters this catch"
	sometimesEnters = "no test enters this catch in every run"
	noneEnters      = "no test enters this catch"
	faultedEnters   = "no test enters this catch without a fault"
)

// reached tells whether a run of the present code made a catch run.
func reached(v View, c *snapshot.Catch) bool {
	s := v.state(c)
	return s != nil && s.Reached
}

// faulted tells whether a fault of the environment has brought an exception to a catch.
func faulted(s *results.State) bool {
	for _, l := range s.Links {
		if l.Fault {
			return true
		}
	}
	return false
}

func verdictTitle(v View, c *snapshot.Catch) string {
	s := v.state(c)
	if s == nil || !s.Ran || c.InTests {
		return ""
	}
	switch {
	case s.Verdict.SourceIndependence == shortcircuit.Violated:
		if _, ok := v.accepted(c, CodeSourceDependent); ok {
			return "source-dependent (accepted)"
		}
		if s.Verdict.ByFineGrain {
			return "source-dependent (fine-grain)"
		}
		return "source-dependent"
	case v.unknownYet(c, s):
		if v.Runs.Of(c) {
			return "running…"
		}
		return notAllRun
	case s.Verdict.PureResilience == shortcircuit.Holds && s.Verdict.Throws:
		return resilientBeyond + v.soFar()
	case s.Verdict.PureResilience == shortcircuit.Holds:
		return "purely resilient" + v.soFar()
	case s.Verdict.SourceIndependence == shortcircuit.Holds && s.Verdict.ByCode:
		return "source-independent" // whatever other tests do
	case s.Verdict.SourceIndependence == shortcircuit.Holds:
		return "source-independent" + v.soFar()
	case s.Sometimes && s.Usage.White == 0:
		return sometimesEnters + v.soFar()
	case s.Reached && (len(s.Tests) == 0 || s.Usage.White == 0):
		return noPassingEnters + v.soFar()
	case len(s.Tests) == 0:
		return noTestEnters + v.soFar()
	case s.Usage.White == 0 && faulted(s):
		return faultedEnters + v.soFar()
	case s.Usage.White == 0:
		return noneEnters + v.soFar()
	case len(s.Matrix) == 0:
		return ""
	case v.Runs.Of(c):
		return "running…"
	default:
		return "contract unknown" + v.soFar()
	}
}

// isConfirmed tells whether the answer that verdictTitle names was seen in fresh JVMs.
func isConfirmed(v View, c *snapshot.Catch) bool {
	s := v.state(c)
	switch {
	case s == nil || c.InTests || v.partial() && s.Verdict.SourceIndependence != shortcircuit.Violated:
		return false
	case s.Verdict.SourceIndependence != shortcircuit.Violated && s.Verdict.PureResilience == shortcircuit.Holds:
		return s.Verdict.ResilienceCertain
	default:
		return s.Verdict.SourceCertain && !s.Verdict.ByCode
	}
}

func plural(n int, word string) string {
	switch {
	case n == 1:
		return word
	case strings.HasSuffix(word, "ch"):
		return word + "es"
	}
	return word + "s"
}

// Count is a number with its noun.
func Count(n int, word string) string { return fmt.Sprintf("%d %s", n, plural(n, word)) }
