package codelens

import (
	"encoding/json"
	"io"
	"net/url"
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
	ID    string       `json:"id"`
	Short sarifMessage `json:"shortDescription"`
	Level struct {
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
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Message  *sarifMessage `json:"message,omitempty"`
	Physical struct {
		Artifact struct {
			URI    string `json:"uri"`
			BaseID string `json:"uriBaseId"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine   int `json:"startLine"`
			StartColumn int `json:"startColumn,omitempty"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// Rules are the diagnostics with what they mean, in a sentence each.
var rules = []struct {
	Code, Text, Level string
}{
	{CodeSourceDependent, "A catch whose handling depends on where in the try the exception comes from.", "warning"},
	{CodeNeverEntered, "A catch that no test makes run.", "note"},
	{CodeNoHandler, "A catch without a handler in the class file.", "note"},
	{CodeUnpredicted, "An exception that a test made arrive and the analysis did not predict.", "note"},
}

func sarifLevel(s Severity) string {
	switch s {
	case SeverityError:
		return "error"
	case SeverityWarning:
		return "warning"
	default:
		return "note"
	}
}

// SARIF writes the diagnostics of all files outside tests.
func SARIF(w io.Writer, v View, version string, locate TestLocator) error {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "catchlens", Version: version}
	for _, r := range rules {
		rule := sarifRule{ID: r.Code, Short: sarifMessage{r.Text}}
		rule.Level.Level = r.Level
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	run.Bases = map[string]any{"SRCROOT": map[string]any{"description": sarifMessage{"the workspace folder"}}}
	notes := []map[string]any{}
	for _, p := range Problems(v) {
		notes = append(notes, map[string]any{"level": problemLevel(p.Severity), "message": sarifMessage{Plain(p.place()+": "+p.Message, false)}})
	}
	run.Invoked = []map[string]any{{"executionSuccessful": true, "toolExecutionNotifications": notes}}
	for _, f := range v.Snap.Files {
		for _, d := range Diagnostics(v, f, locate) {
			r := sarifResult{RuleID: d.Code, Level: sarifLevel(d.Severity), Message: sarifMessage{d.Message},
				Fingerprints: map[string]string{"catch/v1": d.Catch.ID + " " + d.Code}}
			r.Locations = []sarifLocation{sarifAt(f.Path, d.Catch.Line, d.Catch.Column)}
			for i, rel := range d.Related {
				l := sarifAt(rel.File, rel.Line, 0)
				l.ID, l.Message = i+1, &sarifMessage{rel.Message}
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
	var l sarifLocation
	l.Physical.Artifact.URI = (&url.URL{Path: path}).EscapedPath()
	l.Physical.Artifact.BaseID = "SRCROOT"
	l.Physical.Region.StartLine, l.Physical.Region.StartColumn = max(line, 1), column
	return l
}
