package codelens

import (
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file writes SARIF 2.1.0 (OASIS), for code scanning services.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string           `json:"columnKind"`
	Bases      map[string]any   `json:"originalUriBaseIds"`
	Results    []sarifResult    `json:"results"`
	Invoked    []map[string]any `json:"invocations"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Short   sarifMessage `json:"shortDescription"`
	Help    sarifMessage `json:"help"`
	HelpURI string       `json:"helpUri,omitempty"`
	Level   struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	Flows        []sarifFlow       `json:"codeFlows,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

// sarifFlow is how an exception comes to a catch: the calls from its try, outermost first, the
// throw, and the catch.
type sarifFlow struct {
	Message sarifMessage      `json:"message"`
	Threads []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct {
	Steps []sarifStep `json:"locations"`
}

type sarifStep struct {
	Location sarifLocation `json:"location"`
}

type sarifLocation struct {
	ID       int            `json:"id,omitempty"`
	Message  *sarifMessage  `json:"message,omitempty"`
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId"`
	} `json:"artifactLocation"`
	Region sarifRegion `json:"region"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// rule is a kind of diagnostics: how grave they are, what they mean, in a sentence, what to do.
type rule struct {
	Code       string
	Severity   Severity
	Text, Help string
}

// rules has one for every code of Codes.
var rules = []rule{
	{CodeSourceDependent, SeverityWarning,
		"A catch whose handling depends on where in the try the exception comes from.",
		"Prepare before the try what the catch clause uses, or let it cope with what is not there yet. The first " +
			"related location is what it used."},
	{CodeNeverEntered, SeverityHint, "A catch that no test makes run.",
		"Write a test in which one of the exceptions arrives, by one of the code flows, or take the clause out."},
	{CodeNoHandler, SeverityHint, "A catch without a handler in the class file.",
		"The compiler left the clause out, as nothing in its try can throw what it takes. Take it out."},
	{CodeUnpredicted, SeverityInformation, "An exception that a test made arrive and the analysis did not predict.",
		"This is a gap of the analysis: please report it with the related location."},
	{CodeStretchable, SeverityHint, "A catch that may take a wider type, as the tests show.",
		"Let the clause catch the type that the message names, if what else it then takes is to be handled alike."},
	{CodeNotResilient, SeverityHint, "A catch that is no perfect plan B for its try.",
		"Nothing, for most catches: a test that enters the try asks for what only the try does."},
}

var sarifLevel = map[Severity]string{SeverityError: "error", SeverityWarning: "warning",
	SeverityInformation: "note", SeverityHint: "note"}

// maxFlows is how many code flows a result has: viewers show them one below the other.
const maxFlows = 3

// SARIF writes the diagnostics of all files outside tests. A run that has not ended, or was ended
// before it had run the tests that it was to run, is no successful execution. docs is the URL at
// which the folder docs of this project is published: rules link to their pages there. "" if it is
// published nowhere.
func SARIF(w io.Writer, v View, version, docs string, locate TestLocator) error {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "catchlens", Version: version}
	for _, r := range rules {
		rule := sarifRule{ID: r.Code, Short: sarifMessage{sarifText(r.Text)}}
		rule.Help = sarifMessage{r.Help}
		if docs != "" {
			rule.HelpURI = strings.TrimSuffix(docs, "/") + "/" + DocPage(r.Code)
		}
		rule.Level.Level = sarifLevel[r.Severity]
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	run.Bases = map[string]any{"SRCROOT": map[string]any{"description": sarifMessage{"the workspace folder"}}}
	notes := []map[string]any{}
	for _, p := range Problems(v) {
		notes = append(notes, map[string]any{"level": problemLevel(p.Severity),
			"message": sarifMessage{sarifText(Plain(p.place()+": "+p.Message, false))}})
	}
	run.Invoked = []map[string]any{{"executionSuccessful": !v.partial() || v.Results.Chosen,
		"toolExecutionNotifications": notes}}
	for _, f := range v.Snap.Files {
		for _, d := range Diagnostics(v, f, locate) {
			r := sarifResult{RuleID: d.Code, Level: sarifLevel[d.Severity], Message: sarifMessage{sarifText(d.Message)},
				Fingerprints: map[string]string{"catch/v1": d.Catch.ID + " " + d.Code}}
			at := sarifAt(f.Path, d.Catch.Line, d.Catch.Column)
			if covered := string(f.Text[min(d.Start, len(f.Text)):min(d.End, len(f.Text))]); !strings.Contains(covered,
				"\n") {
				at.Physical.Region.EndColumn = d.Catch.Column + len(utf16.Encode([]rune(covered)))
			}
			r.Locations = []sarifLocation{at}
			r.Flows = sarifFlows(v, d.Catch)
			for i, rel := range d.Related {
				l := sarifAt(rel.File, rel.Line, 0)
				l.ID, l.Message = i+1, &sarifMessage{sarifText(rel.Message)}
				r.Related = append(r.Related, l)
			}
			run.Results = append(run.Results, r)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func problemLevel(severity string) string {
	if severity == "info" {
		return "note"
	}
	return severity
}

func sarifAt(path string, line, column int) sarifLocation {
	l := sarifLocation{Physical: &sarifPhysical{}}
	l.Physical.Artifact.URI = (&url.URL{Path: path}).EscapedPath()
	l.Physical.Artifact.BaseID = "SRCROOT"
	l.Physical.Region.StartLine, l.Physical.Region.StartColumn = max(line, 1), column
	return l
}

// sarifFlows are the ways of the first exceptions that can come to a catch, those that no test has
// made happen before the others.
func sarifFlows(v View, c *snapshot.Catch) (flows []sarifFlow) {
	links := slices.Clone(v.Links(c))
	slices.SortStableFunc(links, func(a, b *snapshot.Link) int {
		rank := func(l *snapshot.Link) int {
			if experienced(v, l) != nil {
				return 1
			}
			return 0
		}
		return rank(a) - rank(b)
	})
	for _, l := range links[:min(len(links), maxFlows)] {
		var steps []sarifStep
		chain := l.Chain()
		for i, f := range chain {
			text := "calls"
			if i == len(chain)-1 {
				text = "throws " + l.Exception
			}
			step := sarifLocation{Message: &sarifMessage{sarifText(Plain(text, false))},
				Logical: []sarifLogical{{Plain(f.Class+"."+f.Method, false), "function"}}}
			if v.Snap.ByPath[f.File] != nil { // and not sources of libraries
				step.Physical = sarifAt(f.File, f.Line, 0).Physical
			}
			steps = append(steps, sarifStep{step})
		}
		end := sarifAt(c.File.Path, c.Line, c.Column)
		end.Message = &sarifMessage{"catches it"}
		steps = append(steps, sarifStep{end})
		flows = append(flows, sarifFlow{sarifMessage{sarifText(Plain(l.Exception+" from "+
			chainText(chain[len(chain)-1:], ""), false))}, []sarifThreadFlow{{steps}}})
	}
	return flows
}

// sarifText keeps a viewer from making links of what a message quotes: in SARIF, "[text](address)"
// is one (2.1.0, section 3.11.6), whoever wrote it.
func sarifText(text string) string {
	if !strings.Contains(text, "](") {
		return text
	}
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(text)
}
