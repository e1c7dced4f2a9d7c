package codelens

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens/parttext"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// This file makes the JSON report (docs/reference/report.md).

// Report is the object that --format json prints.
type Report struct {
	Schema        int             `json:"schema"`
	Tool          ReportTool      `json:"tool"`
	Workspace     ReportWorkspace `json:"workspace"`
	Configuration ReportConfig    `json:"configuration"`
	Catches       []ReportCatch   `json:"catches"`
	Matrix        []ReportCell    `json:"matrix"`
	FaultCatch    ReportFault     `json:"faultCatch"`
	Totals        ReportTotals    `json:"totals"`
	Tests         *ReportTests    `json:"tests,omitempty"`
	Problems      []ReportProblem `json:"problems"`
}

// ReportTool names the program.
type ReportTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ReportWorkspace says what was analysed.
type ReportWorkspace struct {
	Root    string   `json:"root"`
	Modules []string `json:"modules"`
	JDK     string   `json:"jdk"`
}

// ReportConfig is the configuration of the static analysis.
type ReportConfig struct {
	CallGraph   string   `json:"callGraph"`
	Exceptions  string   `json:"exceptions"`
	Sites       []string `json:"sites"`
	EntryPoints string   `json:"entryPoints"`
}

// ReportCatch is one catch.
type ReportCatch struct {
	ID       string   `json:"id"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Class    string   `json:"class"`
	Method   string   `json:"method"`
	Types    []string `json:"types"`
	Handlers int      `json:"handlers"`
	InTests  bool     `json:"inTests"`
	// Reached tells whether a call from the entry points leads to the code of the catch, by the
	// call graph.
	Reached  bool            `json:"reached"`
	Failures []ReportFailure `json:"failures"`
	Links    []ReportLink    `json:"links"`
	Coverage ReportCoverage  `json:"coverage"`
	// FailureCoverage counts failures as Coverage does links.
	FailureCoverage ReportFailures `json:"failureCoverage"`
	Contract        ReportContract `json:"contract"`
	Usages          ReportUsages   `json:"usages"`
	// Faults are the kinds of faults that have come to the catch, of those that can.
	Faults *ReportFaults `json:"faults,omitempty"`
	// Discarded is how many throw sites DataReach ruled out.
	Discarded int `json:"discarded"`
	// Misuse is how many of the links need the misuse of an object.
	Misuse int `json:"misuse"`
}

// ReportFailure is what a person counts: links with the same call in the try, the same API method
// that code outside the JDK calls last, and the same exception.
type ReportFailure struct {
	Line      int      `json:"line"`  // of the call in the try
	Class     string   `json:"class"` // of the API method
	Method    string   `json:"method"`
	Exception string   `json:"exception"`
	Outcome   string   `json:"outcome"` // the strongest of its links
	Tests     []string `json:"tests"`   // those that made it happen
	Apart     string   `json:"apart,omitempty"`
	Links     int      `json:"links"` // how many it has
}

// ReportCause is an exception that that of a link may have as its cause.
type ReportCause struct {
	Exception string     `json:"exception"`
	ThrowSite ReportSite `json:"throwSite"`
}

// ReportLink is one e-c link.
type ReportLink struct {
	ID            string        `json:"id"`
	ThrowSite     ReportSite    `json:"throwSite"`
	Root          *ReportSite   `json:"root"`
	Cause         *string       `json:"cause"`
	Wraps         []ReportCause `json:"wraps,omitempty"`
	Exception     string        `json:"exception"`
	Predicted     bool          `json:"predicted"`
	Outcome       string        `json:"outcome"`
	ExperiencedBy []string      `json:"experiencedBy"`
	Faults        []string      `json:"faults,omitempty"` // kinds of faults that made it happen, or struck in vain
	// of latent: where the exception came; of not-reached: the nearest point reached
	Where       string         `json:"where,omitempty"`
	Tests       []string       `json:"tests"`
	UserVerdict *ReportVerdict `json:"userVerdict"`
	// what misuse of an object it needs, in words
	Misuse string `json:"misuse,omitempty"`
	// of a link that nothing experienced: a test that runs the throw
	ExecutedBy    string        `json:"executedBy,omitempty"`
	Chain         []ReportFrame `json:"chain"`
	Chains        int           `json:"chains"`
	ChainsLimited bool          `json:"chainsLimited"`
	// Failure is the position of its failure among those of the catch; of a link that the analysis
	// did not predict: none.
	Failure *int `json:"failure,omitempty"`
	// Lines are all lines of the try with a call from which the exception may come, or the throw.
	Lines []int `json:"lines"`
}

// ReportFaults is the fault-catch coverage of one catch.
type ReportFaults struct {
	Possible []string `json:"possible"`
	Seen     []string `json:"seen"`
	Stale    bool     `json:"stale"`
}

// ReportSite is a throw site.
type ReportSite struct {
	Class   string `json:"class"`
	Method  string `json:"method"`
	Ordinal int    `json:"ordinal"`
	Line    int    `json:"line"`
	Kind    string `json:"kind"`
	// the user's own fault that strikes at the start of the method; Ordinal is -1 then
	Fault string `json:"fault,omitempty"`
}

// ReportVerdict is the user's judgement of a link.
type ReportVerdict struct {
	Infeasible bool   `json:"infeasible"`
	Reason     string `json:"reason"`
}

// ReportFrame is one step of a chain.
type ReportFrame struct {
	Class  string `json:"class"`
	Method string `json:"method"`
	Line   int    `json:"line"`
}

// ReportCoverage counts links without those judged infeasible.
type ReportCoverage struct {
	Experienced int `json:"experienced"`
	Predicted   int `json:"predicted"`
}

// ReportFailures counts failures without those that stand apart or are judged infeasible.
type ReportFailures struct {
	Tested int `json:"tested"`
	All    int `json:"all"`
}

// ReportContract is the verdict of short-circuit testing.
type ReportContract struct {
	// Reading is the one that SourceIndependence is in, OtherReading what it is in the other one,
	// and why.
	Reading            string             `json:"reading"`
	OtherReading       ReportOtherReading `json:"otherReading"`
	SourceIndependence string             `json:"sourceIndependence"`
	PureResilience     string             `json:"pureResilience"`
	Stretchable        string             `json:"stretchable"`
	// Stretching says why, and to what.
	Stretching ReportStretching `json:"stretching"`
	// SourceIndependenceCertain and PureResilienceCertain: what the answer rests on was
	// seen in fresh JVMs.
	SourceIndependenceCertain bool            `json:"sourceIndependenceCertain"`
	PureResilienceCertain     bool            `json:"pureResilienceCertain"`
	Stale                     bool            `json:"stale"`
	Why                       string          `json:"why"`
	Witnesses                 []ReportWitness `json:"witnesses"`
	// Missing says of each unknown answer which test would decide it; Deciding are the
	// runs that the answers rest on.
	Missing  []string         `json:"missing"`
	Deciding []ReportDeciding `json:"deciding"`
	// Code is what the code of the clause says, without any run; ByCode: source independence holds
	// by that.
	Code   ReportClause `json:"code"`
	ByCode bool         `json:"byCode"`
	// Cause is why a source-dependent catch is; null for others.
	Cause *ReportDependence `json:"cause"`
	// Unexplained are failing runs for which nothing shows that the clause is why.
	Unexplained []ReportUnexplained `json:"unexplained"`
}

// ReportDependence is what the clause of a source-dependent catch, or what follows it, used and the
// try had not prepared.
type ReportDependence struct {
	Text string    `json:"text"`
	Kind string    `json:"kind"` // local | field | element | object
	Name string    `json:"name"`
	Set  ReportSet `json:"set"` // in the try
	Use  ReportUse `json:"use"` // line 0: code elsewhere uses the field, see frame
	// Exception is what was thrown in the frame in the user's code; "" where a test only compares.
	Exception string       `json:"exception"`
	Frame     *ReportFrame `json:"frame"`
}

// ReportUnexplained is a failing run that says nothing about the clause.
type ReportUnexplained struct {
	Test     string        `json:"test"`
	Injected string        `json:"injected"`
	Outcome  string        `json:"outcome"`
	Message  string        `json:"message"`
	Why      string        `json:"why"`
	Stack    []ReportFrame `json:"stack"`
}

// ReportClause is what the code of a catch says of where its exception comes from.
type ReportClause struct {
	// passes-on | unaffected; "": the code does not show that the catch is independent
	Ground   string           `json:"ground"`
	Why      string           `json:"why"`
	Prepared []ReportPrepared `json:"prepared"`
}

// ReportPrepared is something that the try may have set up when the exception comes.
type ReportPrepared struct {
	Kind string      `json:"kind"` // local | field | element | object
	Name string      `json:"name"`
	Sets []ReportSet `json:"sets"` // in the try
	Uses []ReportUse `json:"uses"` // in the clause and what follows it; none: a field that outlives the method
}

// ReportSet is a place in the try that sets something up.
type ReportSet struct {
	Line  int    `json:"line"`
	Value string `json:"value,omitempty"` // in words
	By    string `json:"by,omitempty"`    // the call that does it
}

// ReportUse is a place that uses what the try may have set up.
type ReportUse struct {
	Line  int    `json:"line"`
	Where string `json:"where"` // clause | after | again
}

// ReportOtherReading is source independence in the reading that is not the main one.
type ReportOtherReading struct {
	Reading            string `json:"reading"`
	SourceIndependence string `json:"sourceIndependence"`
	Why                string `json:"why"`
}

// ReportStretching is the decision on catch stretching (paper 001, 3.4).
type ReportStretching struct {
	To        string                 `json:"to"` // the widest type that is safe, "": none is known
	Already   bool                   `json:"already"`
	Usages    bool                   `json:"usages"` // decided by the usages alone
	Why       string                 `json:"why"`
	Tests     int                    `json:"tests"`
	Takes     []string               `json:"takes"`
	Witnesses []ReportStretchWitness `json:"witnesses"`
}

// ReportStretchWitness is a run that rules a type out.
type ReportStretchWitness struct {
	Test    string   `json:"test"`
	To      string   `json:"to"` // "": of a run with several stretched catches
	Took    []string `json:"took"`
	Outcome string   `json:"outcome"`
	Message string   `json:"message"`
}

// ReportStruck says what an injected run struck, and with what.
type ReportStruck struct {
	// every: every execution of the try; white: those that had ended in this catch
	Reading    string   `json:"reading"`
	Struck     []string `json:"struck,omitempty"` // the first executions, where they were counted
	Provenance string   `json:"provenance,omitempty"`
	Undecided  string   `json:"undecided,omitempty"` // why the run decides nothing
}

func reportStruck(c record.Cell) ReportStruck {
	r := ReportStruck{"every", c.Struck, string(c.Provenance), c.Why}
	if c.Reading == record.White {
		r.Reading = string(c.Reading)
	}
	return r
}

// ReportWitness is a run that decided a verdict.
type ReportWitness struct {
	Test      string `json:"test"`
	Injected  string `json:"injected"`
	Fired     int    `json:"fired"`
	Outcome   string `json:"outcome"`
	Message   string `json:"message"`
	Confirmed bool   `json:"confirmed"`
	// Constructed is how the exception was made, Usage what the test's executions of
	// the try do in the baseline, Stack the failure's frames in the workspace.
	Constructed string `json:"constructed"`
	ReportStruck
	Place string        `json:"place,omitempty"` // of fine-grain injection
	Usage ReportUsages  `json:"usage"`
	Stack []ReportFrame `json:"stack"`
}

// ReportDeciding is a run that a verdict rests on.
type ReportDeciding struct {
	Test    string       `json:"test"`
	Type    string       `json:"type"`
	Outcome string       `json:"outcome"`
	Fired   int          `json:"fired"`
	Certain bool         `json:"certain"`
	Usage   ReportUsages `json:"usage"`
}

// ReportUsages are the usages of section 3.3.1 of paper 001.
type ReportUsages struct {
	Pink  int `json:"pink"`
	White int `json:"white"`
	Blue  int `json:"blue"`
}

// ReportCell is one matrix cell.
type ReportCell struct {
	Catch   string `json:"catch"`
	Test    string `json:"test"`
	Type    string `json:"type"`
	Fired   int    `json:"fired"`
	Outcome string `json:"outcome"`
	Place   string `json:"place,omitempty"` // of fine-grain injection
	ReportStruck
}

// ReportFault holds the fault-catch coverage metrics (paper 003, 2.3); zero without
// faults.
type ReportFault struct {
	Average        float64 `json:"average"`
	Overall        float64 `json:"overall"`
	CoveredCatches float64 `json:"coveredCatches"`
}

// ReportTotals are the sums over all catches outside tests.
type ReportTotals struct {
	Catches     int                `json:"catches"`
	Predicted   int                `json:"predicted"`
	Experienced int                `json:"experienced"`
	Unpredicted int                `json:"unpredicted"`
	Misuse      int                `json:"misuse"`
	Failures    ReportFailures     `json:"failures"`
	Native      ReportCoverage     `json:"native"`
	Explicit    ReportForcedTotals `json:"explicit"`
}

// ReportForcedTotals are totals of explicit sites.
type ReportForcedTotals struct {
	Predicted   int `json:"predicted"`
	Experienced int `json:"experienced"`
	Forced      int `json:"forced"`
}

// ReportProblem is an input problem.
type ReportProblem struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"` // 1-based; left out if unknown
}

// place is where a problem stands: its file, and the line if that is known.
func (p ReportProblem) place() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return p.File
}

// MakeReport builds the report of a view, all of it in memory: WriteReport writes it link by link.
// Catches in tests are included only with withTests, and never counted.
func MakeReport(v View, version string, withTests bool) *Report {
	r := reportFrame(v, version, withTests)
	for c := range reportedCatches(v, withTests) {
		rc := reportCatch(v, c)
		for l := range reportLinks(v, c) {
			rc.Links = append(rc.Links, l)
		}
		r.Catches = append(r.Catches, rc)
	}
	return r
}

// reportedCatches yields the catches that a report lists.
func reportedCatches(v View, withTests bool) iter.Seq[*snapshot.Catch] {
	return func(yield func(*snapshot.Catch) bool) {
		for _, c := range v.Snap.Catches {
			if (withTests || !c.InTests) && !yield(c) {
				return
			}
		}
	}
}

// reportFrame is the report without its catches.
func reportFrame(v View, version string, withTests bool) *Report {
	st := v.Snap.Config.Studied
	r := &Report{
		Schema: 1,
		Tool:   ReportTool{"catchlens", version},
		Workspace: ReportWorkspace{
			Root: v.Snap.Workspace.Root, Modules: []string{}, JDK: v.Snap.JDKVersion,
		},
		Configuration: ReportConfig{
			CallGraph: v.Snap.Config.CallGraph, Exceptions: st.Exceptions.String(), Sites: st.Sites.Names(),
			EntryPoints: v.Snap.Config.EntryPoints,
		},
		Catches: []ReportCatch{}, Matrix: []ReportCell{},
	}
	for _, m := range v.Snap.Workspace.Modules {
		r.Workspace.Modules = append(r.Workspace.Modules, m.Name)
	}
	for c := range reportedCatches(v, withTests) {
		if s := v.state(c); s != nil {
			for _, cell := range s.Matrix {
				r.Matrix = append(r.Matrix,
					ReportCell{cell.Catch, cell.Test, cell.Type, cell.Fired, string(cell.Outcome), "",
						reportStruck(cell)})
			}
			for _, cell := range s.Fine {
				r.Matrix = append(r.Matrix,
					ReportCell{cell.Catch, cell.Test, cell.Type, cell.Fired, string(cell.Outcome),
						shortcircuit.PlaceText(cell), reportStruck(cell)})
			}
		}
	}
	r.Totals, r.Problems = Totals(v), Problems(v)
	r.FaultCatch, _ = FaultCatch(v)
	r.Tests = reportTests(v)
	return r
}

// judgementProblems lists judgements that a run has contradicted (REPORT.md), and
// those of links and catches that are not there.
func judgementProblems(v View) []ReportProblem {
	var out []ReportProblem
	for _, c := range v.Snap.Catches {
		for _, l := range v.Links(c) {
			if reason, ok := v.Infeasible[l.ID]; ok && experienced(v, l) != nil {
				out = append(out, ReportProblem{Severity: "warning", File: c.File.Path, Line: c.Line,
					Message: "link " + l.ID + " was marked as impossible (" + reason + ") and has been experienced"})
			}
		}
	}
	if v.Judged == nil {
		return out
	}
	links, catches := map[string]bool{}, map[string]bool{}
	for _, c := range v.Snap.Catches {
		catches[c.ID] = true
		for _, l := range slices.Concat(c.Links, c.Withheld) {
			links[l.ID] = true
		}
	}
	for _, x := range v.Judged.Infeasible {
		if ids := judgedLinks(x); !slices.ContainsFunc(ids, func(id string) bool { return links[id] }) {
			what := "link " + x.Link
			if x.Link == "" {
				what = x.Exception + " at " + x.Catch
			}
			out = append(out, ReportProblem{Severity: "info", File: v.Judged.File, Line: x.Line,
				Message: what + ", marked as impossible here, is not predicted now: the code has changed, or other " +
					"settings leave it out"})
		}
	}
	for _, x := range v.Judged.Accept {
		if !catches[x.Catch] {
			out = append(out, ReportProblem{Severity: "warning", File: v.Judged.File, Line: x.Line,
				Message: "there is no catch " + x.Catch +
					": this accepts nothing (the IDs of catches stand in the JSON report)"})
		}
	}
	return out
}

// Totals sums up the catches outside tests.
func Totals(v View) ReportTotals {
	var t ReportTotals
	for _, c := range v.Snap.Catches {
		if c.InTests {
			continue
		}
		t.Catches++
		e, p := v.Coverage(c)
		t.Experienced += e
		t.Predicted += p
		t.Unpredicted += len(v.unpredicted(c))
		tested, all := FailureCoverage(v, c)
		t.Failures.Tested += tested
		t.Failures.All += all
		for _, l := range v.Links(c) {
			if v.misuse(l) != "" {
				t.Misuse++
			}
			if !v.counts(l) {
				continue
			}
			seen := 0
			if experienced(v, l) != nil {
				seen = 1
			}
			switch kindOf(l.Site.Kind) {
			case "native":
				t.Native.Predicted++
				t.Native.Experienced += seen
			case "explicit":
				t.Explicit.Predicted++
				t.Explicit.Experienced += seen
				if x, ok := tried(v, l); ok && x.Outcome == results.IsForced {
					t.Explicit.Forced++
				}
			}
		}
	}
	return t
}

// Problems lists what was wrong with the input, and judgements that a run has
// contradicted.
func Problems(v View) []ReportProblem {
	out := []ReportProblem{}
	if v.Results != nil && v.Results.Partial {
		out = append(out, ReportProblem{Severity: "warning",
			Message: notAllRun + ": what no test does is not known; run the tests to the end"})
	}
	for _, p := range v.Snap.Problems {
		out = append(out, ReportProblem{p.Severity, p.Message, p.File, p.Line})
	}
	return append(out, judgementProblems(v)...)
}

// reportLinks yields the links of a catch, those that were not predicted last.
func reportLinks(v View, c *snapshot.Catch) iter.Seq[ReportLink] {
	return func(yield func(ReportLink) bool) {
		number := map[snapshot.Failure]int{}
		for i, f := range Failures(v, c) {
			number[f.Failure] = i
		}
		for _, l := range v.Links(c) {
			rl, n := reportLink(v, l), number[l.Failure()]
			rl.Failure = &n
			if !yield(rl) {
				return
			}
		}
		for _, u := range v.unpredicted(c) {
			if !yield(unpredictedLink(u)) {
				return
			}
		}
	}
}

// reportCatch is a catch without its links.
func reportCatch(v View, c *snapshot.Catch) ReportCatch {
	rc := ReportCatch{
		ID: c.ID, File: c.File.Path, Line: c.Line, Column: c.Column, Class: c.Class, Method: c.Method,
		Types: c.Types, Handlers: len(c.Handlers), InTests: c.InTests, Reached: len(c.Handlers) > 0 && !c.Unreached,
		Failures: []ReportFailure{}, Links: []ReportLink{}, Discarded: c.Discarded,
		Contract: ReportContract{Reading: string(shortcircuit.Usage),
			OtherReading:       ReportOtherReading{string(shortcircuit.Paper), "unknown", "no test has been run"},
			SourceIndependence: "unknown", PureResilience: "unknown", Stretchable: "unknown",
			Stretching: ReportStretching{Why: "no test has been run", Takes: []string{},
				Witnesses: []ReportStretchWitness{}},
			Why: "no test has been run", Witnesses: []ReportWitness{}, Missing: []string{},
			Deciding: []ReportDeciding{}, Unexplained: []ReportUnexplained{}},
	}
	rc.Coverage.Experienced, rc.Coverage.Predicted = v.Coverage(c)
	misused, _ := v.misused(c)
	rc.Misuse = len(misused)
	failures := Failures(v, c)
	rc.FailureCoverage.Tested, rc.FailureCoverage.All = countFailures(failures)
	for i := range failures {
		rc.Failures = append(rc.Failures, reportFailure(v, &failures[i]))
	}
	rc.Contract.Code = reportClause(v.Snap.Clause(c))
	s := v.state(c)
	if s == nil || !s.Ran {
		return rc
	}
	if c.Compiled && len(s.Faults.Possible) > 0 {
		rc.Faults = &ReportFaults{strings.Split(kindNames(s.Faults.Possible), ", "), []string{}, s.Faults.Stale}
		if len(s.Faults.Seen) > 0 {
			rc.Faults.Seen = strings.Split(kindNames(s.Faults.Seen), ", ")
		}
	}
	rc.Usages = ReportUsages{s.Usage.Pink, s.Usage.White, s.Usage.Blue}
	rc.Contract.SourceIndependence = string(s.Verdict.SourceIndependence)
	rc.Contract.PureResilience = string(s.Verdict.PureResilience)
	rc.Contract.SourceIndependenceCertain, rc.Contract.PureResilienceCertain = s.Verdict.SourceCertain,
		s.Verdict.ResilienceCertain
	rc.Contract.Stale = v.Stale(c)
	rc.Contract.Why = v.verdictWhy(c, s)
	rc.Contract.Missing = append(rc.Contract.Missing, v.missing(c, s)...)
	rc.Contract.ByCode, rc.Contract.Cause = s.Verdict.ByCode, reportDependence(s.Verdict.Cause)
	for _, u := range s.Verdict.Unexplained {
		rc.Contract.Unexplained = append(rc.Contract.Unexplained, reportUnexplained(v, u))
	}
	rc.Contract.Reading = string(s.Verdict.Reading)
	rc.Contract.OtherReading = ReportOtherReading{string(s.Verdict.OtherReading()), string(s.Verdict.Other),
		s.Verdict.OtherWhy}
	rc.Contract.Deciding = reportDeciding(s, s.Verdict)
	if s.Stretch.Answer != "" {
		rc.Contract.Stretchable, rc.Contract.Stretching = string(s.Stretch.Answer), reportStretching(v, &s.Stretch)
	}
	if s.Verdict.SourceIndependence == shortcircuit.Violated || s.Verdict.PureResilience == shortcircuit.Violated {
		for _, w := range s.Verdict.Witnesses {
			rc.Contract.Witnesses = append(rc.Contract.Witnesses, reportWitness(v, s, w))
		}
	}
	return rc
}

func reportFailure(v View, f *Failure) ReportFailure {
	out := ReportFailure{f.Line, f.Class, f.Method, f.Exception, string(f.Outcome), []string{}, string(f.Apart),
		len(f.Links)}
	for _, l := range f.Links {
		if x := experienced(v, l); x != nil {
			out.Tests = append(out.Tests, x.Tests...)
		}
	}
	slices.Sort(out.Tests)
	out.Tests = slices.Compact(out.Tests)
	return out
}

func reportDependence(c *shortcircuit.Cause) *ReportDependence {
	if c == nil {
		return nil
	}
	out := &ReportDependence{Text: c.Text(), Kind: string(c.What.Kind), Name: c.What.Shown(), Exception: c.Exception,
		Set: ReportSet{c.Set.Line, c.Set.Value, c.Set.By}, Use: ReportUse{c.Use.Line, string(c.Use.Where)}}
	if c.Exception != "" {
		out.Frame = &ReportFrame{c.Class, c.Method, c.Line}
	}
	return out
}

func reportUnexplained(v View, u shortcircuit.Unexplained) ReportUnexplained {
	out := ReportUnexplained{u.Cell.Test, u.Cell.Injected, string(u.Cell.Outcome), u.Cell.Message, u.Why,
		[]ReportFrame{}}
	for _, f := range WorkspaceFrames(v.Snap, u.Cell.Stack, maxChain) {
		out.Stack = append(out.Stack, ReportFrame{f.Class, f.Method, f.Line})
	}
	return out
}

func reportClause(r *clause.Result) ReportClause {
	out := ReportClause{Ground: string(r.Ground), Why: r.Why, Prepared: []ReportPrepared{}}
	for _, p := range r.Prepared {
		rp := ReportPrepared{Kind: string(p.Kind), Name: p.Name, Sets: []ReportSet{}, Uses: []ReportUse{}}
		for _, x := range p.Sets {
			rp.Sets = append(rp.Sets, ReportSet{x.Line, x.Value, x.By})
		}
		for _, x := range p.Uses {
			rp.Uses = append(rp.Uses, ReportUse{x.Line, string(x.Where)})
		}
		out.Prepared = append(out.Prepared, rp)
	}
	return out
}

func reportStretching(v View, s *shortcircuit.Stretch) ReportStretching {
	r := ReportStretching{To: s.To, Already: s.Already, Usages: s.CaseA, Why: parttext.SoFar(v.Results, s.Why),
		Tests: s.Tests, Takes: append([]string{}, s.Takes...), Witnesses: []ReportStretchWitness{}}
	for _, w := range s.Witnesses {
		r.Witnesses = append(r.Witnesses,
			ReportStretchWitness{w.Test, w.To, append([]string{}, w.Exceptions...), string(w.Outcome), w.Message})
	}
	return r
}

// countedLinks is how many links a catch may have for their chains to be counted
// in a report: counting those of thousands takes minutes. Beyond it the one that
// is shown counts, and chainsLimited says that there may be more.
const countedLinks = 50

func reportLink(v View, l *snapshot.Link) ReportLink {
	rl := ReportLink{
		ID: l.ID, ThrowSite: reportSite(*l.Site), Exception: l.Exception, Predicted: true, Outcome: "unknown",
		ExperiencedBy: []string{}, Tests: []string{}, Chain: []ReportFrame{}, Lines: []int{},
	}
	if len(l.Catch.Links) <= countedLinks {
		rl.Chains, rl.ChainsLimited = l.CountChains()
	} else {
		rl.Chains, rl.ChainsLimited = 1, true
	}
	rl.Lines = append(rl.Lines, l.Lines()...)
	if l.Root != nil {
		root := reportSite(*l.Root)
		rl.Root = &root
	} else if r := rootOf(v, l); r != nil {
		rl.Root = r
	}
	if l.Cause != "" {
		rl.Cause = &l.Cause
	}
	wraps, _ := l.Wraps()
	for _, w := range wraps {
		rl.Wraps = append(rl.Wraps, ReportCause{w.Exception, reportSite(w.Site)})
	}
	for _, f := range l.Chain() {
		rl.Chain = append(rl.Chain, ReportFrame{f.Class, f.Method, f.Line})
	}
	if reason, ok := v.Infeasible[l.ID]; ok {
		rl.UserVerdict = &ReportVerdict{true, reason}
	}
	rl.Misuse = v.misuse(l)
	if x := experienced(v, l); x != nil {
		rl.experienced(x)
	} else if t, ok := tried(v, l); ok {
		if t.Outcome != "" {
			rl.Outcome = string(t.Outcome)
		}
		rl.Where, rl.ExecutedBy = t.Where, t.Executes
		if t.Test != "" {
			rl.Tests, rl.Faults = []string{t.Test}, []string{string(t.Kind)}
		}
	}
	return rl
}

// experienced says who made the link happen.
func (l *ReportLink) experienced(x *results.Experienced) {
	l.Outcome, l.ExperiencedBy, l.Tests = "experienced", experiencedBy(x), append([]string{}, x.Tests...)
	for _, k := range x.Kinds {
		l.Faults = append(l.Faults, string(k))
	}
}

// unpredictedLink is what runs saw at a catch and the analysis did not predict.
func unpredictedLink(u *results.Unpredicted) ReportLink {
	at := u.Seen.Site
	l := ReportLink{
		ID: "unpredicted:" + u.Catch.ID + ":" + at.Class + "." + at.Method + at.Desc + ":" + u.Seen.Exception,
		ThrowSite: ReportSite{sourceName(at.Class), at.Method + at.Desc, max(at.Ordinal, 0), at.Line, kindOf(at.Kind),
			at.Fault},
		Exception: sourceName(u.Seen.Exception), Chain: []ReportFrame{}, Lines: []int{},
	}
	l.experienced(&u.Experienced)
	return l
}

// kindOf is the kind of a site in reports: the user's own faults are counted among
// explicit throws.
func kindOf(kind string) string {
	if kind == "declared" {
		return "explicit"
	}
	return kind
}

func reportSite(s snapshot.Site) ReportSite {
	return ReportSite{s.Class, s.Method, s.Ordinal, s.Line, kindOf(s.Kind), s.Fault}
}
