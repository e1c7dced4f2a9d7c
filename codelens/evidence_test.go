package codelens

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// The hover of a violation names test, usage, exception, how often it was thrown and
// the failure; that of an answer that holds the tests behind it; and what is missing.
func TestEvidence(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 2, Pink: 1}, record.Fail, "AssertionError: expected <b>")
	s.Verdict.Deciding[0].Constructed = `new java.io.IOException(java.lang.String), message "Input/output error"`
	hover := longHover(v, c, nil)
	for _, want := range []string{"**violated**, not yet confirmed", "`CTest#m` (2 white, 1 pink)", "thrown once",
		`message "Input/output error"`, "AssertionError"} {
		if !strings.Contains(hover, want) {
			t.Errorf("no %q in\n%s", want, hover)
		}
	}
	if strings.Contains(hover, "<b>") {
		t.Errorf("a test's text is not escaped:\n%s", hover)
	}
	v, s = laid(v, c, record.Usage{White: 1}, record.Pass, "")
	s.Verdict.SourceCertain = true
	hover = longHover(v, c, nil)
	for _, want := range []string{"**holds**, confirmed in a fresh JVM", "It rests on `CTest#m` (1 white).",
		"Missing for pure resilience: a test in which the try ends without an exception"} {
		if !strings.Contains(hover, want) {
			t.Errorf("no %q in\n%s", want, hover)
		}
	}
	s.Matrix[0].Differs = "fail in a JVM with other injected runs before it: x"
	if hover = longHover(v, c, nil); !strings.Contains(hover, "depends on what was run before") {
		t.Errorf("nothing of the other outcome in\n%s", hover)
	}
}

func TestReportOfEvidence(t *testing.T) {
	v, c := view()
	v, _ = laid(v, c, record.Usage{White: 2}, record.Fail, "x")
	r := reported(t, v, false).Catches[0].Contract
	if len(r.Witnesses) != 1 || r.Witnesses[0].Usage.White != 2 || r.Witnesses[0].Confirmed || len(r.Deciding) != 1 ||
		r.Deciding[0].Outcome != "fail" {
		t.Errorf("%+v", r)
	}
	if len(r.Missing) != 0 || r.SourceIndependence != string(shortcircuit.Violated) || r.SourceIndependenceCertain {
		t.Errorf("%+v", r)
	}
}

// Frames of the workspace only, in order, of the failure before its causes.
func TestStackFrames(t *testing.T) {
	for line, want := range map[string]string{
		"\tat p.C$In.m(C.java:12)":      "p.C$In m C.java 12",
		"\tat p.C.<init>(C.java)":       "p.C <init> C.java ",
		"\tat p.C.m(Native Method)":     "p.C m Native Method ",
		"java.lang.Error: at the start": "",
	} {
		got := ""
		if m := stackFrame.FindStringSubmatch(line); m != nil {
			got = strings.Join(m[1:], " ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
