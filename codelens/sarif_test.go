package codelens

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/docs"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/golden"
)

// No text that a message quotes is a link, and what cannot be one stays as it is.
func TestSarifText(t *testing.T) {
	for text, want := range map[string]string{
		"int[] f(byte[] b) fails":          "int[] f(byte[] b) fails",
		"see [here](https://evil.example)": `see \[here\](https://evil.example)`,
		"[a[b]](1)":                        `\[a\[b\]\](1)`,
		`\[a](1)`:                          `\\\[a\](1)`,
		"] (no link)":                      "] (no link)",
	} {
		if got := sarifText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A result has the range of its keyword, and the ways of exceptions that no test has made happen
// first, with a place for each frame that has one in the workspace.
func TestSarifResult(t *testing.T) {
	v, c := view()
	v, st := laid(v, c, record.Usage{White: 1}, record.Fail, "it broke")
	st.Links["own"] = &results.Experienced{}
	type place struct {
		Artifact struct{ URI string } `json:"artifactLocation"`
		Region   struct{ StartLine, StartColumn, EndColumn int }
	}
	type location struct {
		Message  struct{ Text string }
		Physical *place `json:"physicalLocation"`
		Logical  []struct {
			Name string `json:"fullyQualifiedName"`
		} `json:"logicalLocations"`
	}
	var log struct {
		Runs []struct {
			Invocations []struct{ ExecutionSuccessful bool }
			Results     []struct {
				Locations []location
				CodeFlows []struct {
					ThreadFlows []struct {
						Locations []struct{ Location location }
					}
				}
			}
		}
	}
	written := func() {
		t.Helper()
		text := sarifOf(t, v, nil)
		log.Runs = nil
		if err := json.Unmarshal(text, &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
			t.Fatalf("%v: %s", err, text)
		}
	}
	written()
	r := log.Runs[0].Results[0]
	if at := r.Locations[0].Physical; at.Region.StartLine != 4 || at.Region.StartColumn != 22 ||
		at.Region.EndColumn != 22+len("catch") {
		t.Errorf("the keyword stands at %+v", at.Region)
	}
	var flows []string
	for _, f := range r.CodeFlows {
		var steps []string
		for _, s := range f.ThreadFlows[0].Locations {
			at := "-"
			if p := s.Location.Physical; p != nil {
				at = fmt.Sprintf("%s:%d", p.Artifact.URI, p.Region.StartLine)
			}
			steps = append(steps, s.Location.Message.Text+" "+at)
		}
		flows = append(flows, strings.Join(steps, ", "))
	}
	want := []string{
		"calls src/p/C.java:4, throws java.io.FileNotFoundException -, catches it src/p/C.java:4",
		"calls src/p/C.java:4, throws java.io.IOException -, catches it src/p/C.java:4",
	}
	if !slices.Equal(flows, want) {
		t.Errorf("code flows %q, want %q", flows, want)
	}
	if !log.Runs[0].Invocations[0].ExecutionSuccessful {
		t.Error("a run that has ended is no successful execution")
	}
	v.Results.Partial = true
	if written(); log.Runs[0].Invocations[0].ExecutionSuccessful {
		t.Error("a run that was ended is a successful execution")
	}
	v.Results.Chosen = true
	if written(); !log.Runs[0].Invocations[0].ExecutionSuccessful {
		t.Error("a run of some catches that has ended is no successful execution")
	}
}

// Every code has one rule of the SARIF report: those that are shown only when asked for are in it,
// too, where catchlens.toml asks for them.
func TestRuleOfEachCode(t *testing.T) {
	ruled := map[string]int{}
	for _, r := range rules {
		ruled[r.Code]++
	}
	for _, code := range Codes {
		if ruled[code] != 1 {
			t.Errorf("%s has %d rules in sarif.go, want 1: what it means, how grave it is, and what to do", code,
				ruled[code])
		}
	}
	for _, code := range workspace.MoreHints {
		if !slices.Contains(Codes, code) {
			t.Errorf("%s of MoreHints is no code of Codes in diagnostics.go", code)
		}
	}
	if len(ruled) != len(Codes) {
		t.Errorf("%d rules for %d codes", len(ruled), len(Codes))
	}
}

// Each section of the page of diagnostics begins with what its rule says: how grave it is, what it
// means, and what to do.
func TestGoldenDiagnostics(t *testing.T) {
	page, err := docs.Pages.ReadFile("reference/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, r := range rules {
		head := regexp.MustCompile("(?m)^## " + r.Code + "\n+(?:> .*\n)*\n?")
		if n := len(head.FindAllString(text, -1)); n != 1 {
			t.Fatalf("%d sections for %s", n, r.Code)
		}
		says := "**" + severityWords[r.Severity] + ".** " + r.Text + " *What to do:* " + r.Help
		text = head.ReplaceAllLiteralString(text, "## "+r.Code+"\n\n"+quoted(says)+"\n")
	}
	golden.Check(t, filepath.Join("..", "docs", "reference", "diagnostics.md"), []byte(text))
}

// severityWords are those that the protocol and editors have.
var severityWords = map[Severity]string{SeverityError: "Error", SeverityWarning: "Warning",
	SeverityInformation: "Information", SeverityHint: "Hint"}

// quoted writes a text as a quotation whose lines have at most 100 columns.
func quoted(text string) string {
	var b strings.Builder
	line := ">"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 100 {
			b.WriteString(line + "\n")
			line = ">"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}

// Each rule links to its section of the published pages, and to nothing where there are none.
func TestSARIFLinksToPages(t *testing.T) {
	v, _ := view()
	page, err := docs.Pages.ReadFile("reference/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{"", "https://docs.invalid/at", "https://docs.invalid/at/"} {
		var b bytes.Buffer
		if err := SARIF(&b, v, "1", base, nil); err != nil {
			t.Fatal(err)
		}
		var log struct {
			Runs []struct {
				Tool struct {
					Driver struct {
						Rules []struct{ ID, HelpURI string }
					}
				}
			}
		}
		if err := json.Unmarshal(b.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		for _, r := range log.Runs[0].Tool.Driver.Rules {
			want := ""
			if base != "" {
				want = "https://docs.invalid/at/reference/diagnostics.md#" + r.ID
			}
			if r.HelpURI != want || !bytes.Contains(page, []byte("\n## "+r.ID+"\n")) {
				t.Errorf("%s is explained at %q, want %q, a section that is there", r.ID, r.HelpURI, want)
			}
		}
	}
}
