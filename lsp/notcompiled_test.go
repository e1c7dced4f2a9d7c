package lsp

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// Errors of the compiler are told at their lines, by file; what concerns no source is not, nor are
// warnings.
func TestNotCompiled(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "A.java"), filepath.Join(t.TempDir(), "a b.java")
	snap := &snapshot.Snapshot{Problems: []snapshot.Problem{{Severity: "error", File: a, Line: 3,
		Message: "';' expected"}, {Severity: "error", File: a, Line: 9, Message: "no <T>"},
		{Severity: "error", File: b, Message: "no line"}, {Severity: "warning", File: a, Line: 1, Message: "old"},
		{Severity: "error", File: "pom.xml", Line: 1, Message: "bad"}}}
	d := &Server{caps: clientCapabilities{codeDescription: true}, opt: Options{DocsURL: "https://docs.invalid/"}}
	got := d.notCompiled(snap)
	if len(got) != 2 || len(got[canonical(pathURI(a))]) != 2 || len(got[canonical(pathURI(b))]) != 1 {
		t.Fatalf("got %+v", got)
	}
	first := got[canonical(pathURI(a))][0]
	if first.Range.Start.Line != 2 || first.Severity != 1 || first.Code != codeNotCompiled ||
		first.Message != "does not compile, so what was compiled before is shown: ';' expected" {
		t.Errorf("first: %+v", first)
	}
	if first.CodeDescription == nil || !strings.HasSuffix(first.CodeDescription.Href, "#not-compiled") {
		t.Errorf("first leads to %+v", first.CodeDescription)
	}
	if got[canonical(pathURI(b))][0].Range.Start.Line != 0 {
		t.Error("an error without a line is not at the first one")
	}
	if len(d.notCompiled(&snapshot.Snapshot{})) != 0 || len(d.notCompiled(snap)) != 2 {
		t.Error("errors of another snapshot are told")
	}
}
