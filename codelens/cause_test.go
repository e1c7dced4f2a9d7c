package codelens

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// Diagnostic, hover and report name the cause of a violated verdict.
func TestCauseIsShown(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Fail, "NullPointerException")
	set := clause.Set{Line: 3, Value: "the result of Hub.open"}
	s.Verdict.Cause = &shortcircuit.Cause{What: clause.Prepared{Kind: clause.Local, Name: "conn",
		Sets: []clause.Set{set}}, Set: set,
		Use: clause.Use{Line: 7, Where: clause.InClause}, Class: "p.C", Method: "read", Line: 7,
		Exception: "java.lang.NullPointerException"}
	const text = "the clause uses conn in line 7 (NullPointerException in C.read:7), which the try sets to the " +
		"result of Hub.open in line 3"
	d := Diagnostics(v, c.File, nil)[0]
	if !strings.HasSuffix(d.Message, ": "+text+".") {
		t.Errorf("the diagnostic says %q", d.Message)
	}
	if r := d.Related[0]; r.Line != 3 || r.File != c.File.Path || r.Message != "what the try sets: conn" {
		t.Errorf("%+v", r)
	}
	got := reported(t, v, false).Catches[0].Contract.Cause
	if got == nil || got.Text != text || got.Kind != "local" || got.Name != "conn" || got.Set.Line != 3 ||
		got.Use.Where != "clause" ||
		got.Frame == nil || *got.Frame != (ReportFrame{"p.C", "read", 7}) {
		t.Errorf("%+v", got)
	}
	s.Verdict.Cause.Exception = ""
	if got := reported(t, v, false).Catches[0].Contract.Cause; got.Frame != nil {
		t.Errorf("a comparison has the frame %+v", got.Frame)
	}
}

// What says nothing about the clause is listed with the reason.
func TestUnexplainedIsShown(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Fail, "expected <b>")
	for range 5 {
		s.Verdict.Unexplained = append(s.Verdict.Unexplained,
			shortcircuit.Unexplained{Cell: s.Matrix[0], Why: "the test asks whether the try's work was done"})
	}
	hover := longHover(v, c, nil)
	for _, want := range []string{"decides nothing, as the test asks whether the try's work was done",
		"and 2 more that decide nothing"} {
		if !strings.Contains(hover, want) {
			t.Errorf("no %q in\n%s", want, hover)
		}
	}
	if strings.Contains(hover, "<b>") {
		t.Errorf("a test's text is not escaped:\n%s", hover)
	}
	got := reported(t, v, false).Catches[0].Contract.Unexplained
	if len(got) != 5 || got[0].Test != "p.CTest#m" || got[0].Why == "" || got[0].Outcome != "fail" {
		t.Errorf("%+v", got)
	}
}

// An answer that the code shows is not said to be confirmed in a JVM.
func TestAnswerByCode(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	s.Verdict.ByCode, s.Verdict.SourceCertain, s.Verdict.SourceIndependence = true, true, shortcircuit.Holds
	if hover := longHover(v, c, nil); !strings.Contains(hover, "In 1 passing test this try ran 1 time: 0 without "+
		"an exception (pink), 1 in which this catch caught one (white), 0 that another exception left (blue).") {
		t.Errorf("the page does not say what the executions did:\n%s", hover)
	}
	if hover := longHover(v, c, nil); !strings.Contains(hover, "Source independence: **holds**, by its code.") {
		t.Errorf("%s", hover)
	}
	if isConfirmed(v, c) {
		t.Error("its lens says that it is confirmed")
	}
	if !reported(t, v, false).Catches[0].Contract.ByCode {
		t.Error("the report does not say so")
	}
}
