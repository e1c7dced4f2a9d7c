package codelens

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// Tests that fail or are flaky are listed by reason in each report, escaped, and a
// run without such tests says nothing of them.
func TestUndecidedTests(t *testing.T) {
	v, _ := view()
	text := func() string {
		var b strings.Builder
		Text(t.Context(), &b, v, TextOptions{Links: false})
		return b.String()
	}
	if v.Results = nil; strings.Contains(text(), "verdict") || reported(t, v, false).Tests != nil {
		t.Error("something is said of tests before the first run")
	}
	v.Results = &results.Overlay{ByCatch: map[string]*results.State{}, Tests: map[record.Outcome]int{record.Pass: 5}}
	if strings.Contains(text(), "verdict") {
		t.Errorf("all tests pass:\n%s", text())
	}
	for i := range 3 {
		v.Results.Undecided = append(v.Results.Undecided,
			results.Undecided{TestRun: &record.TestRun{Test: fmt.Sprintf("p.NetTest#a%d", i), Outcome: record.Flaky,
				Outcomes: []record.Outcome{record.Fail, record.Pass},
				Message:  "java.net.UnknownHostException: <proxy>\nsecond line"}})
	}
	v.Results.Undecided = append(v.Results.Undecided,
		results.Undecided{TestRun: &record.TestRun{Test: "p.OtherTest#b", Outcome: record.Fail,
			Outcomes: []record.Outcome{record.Fail, record.Fail},
			Message:  "\x1b[31mred " + strings.Repeat("x", 300)}, Stale: true})
	v.Results.Tests = map[record.Outcome]int{record.Pass: 5, record.Flaky: 3, record.Fail: 1}
	got := text()
	for _, want := range []string{
		"1 test that does not pass without any exception thrown in and 3 tests that do not end alike each time " +
			"decide no verdict:\n",
		"  flaky: p.NetTest#a0 and 2 more: java.net.UnknownHostException: <proxy>\n",
		"  fail: p.OtherTest#b: ",
		" ... (stale)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the text report lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") || strings.Contains(got, "second line") ||
		strings.Contains(got, strings.Repeat("x", 200)) {
		t.Errorf("a message is shown as it is:\n%q", got)
	}
	var page strings.Builder
	if err := HTMLReport(t.Context(), &page, v, ""); err != nil {
		t.Fatal(err)
	}
	if s := page.String(); !strings.Contains(s, "<li>p.NetTest#a2</li>") || strings.Contains(s, "<proxy>") {
		t.Error("the HTML report lacks a flaky test, or shows its message unescaped")
	}
	data, err := json.Marshal(reported(t, v, false))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"counts":{"fail":1,"flaky":3,"pass":5}`,
		`{"test":"p.NetTest#a0","outcome":"flaky","outcomes":["fail","pass"],"message":"java.net.UnknownHostException`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the JSON report lacks %s:\n%s", want, data)
		}
	}
	for i := range 2 * maxTestGroups {
		v.Results.Undecided = append(v.Results.Undecided,
			results.Undecided{TestRun: &record.TestRun{Test: fmt.Sprintf("p.MoreTest#c%d", i), Outcome: record.Hang,
				Message: fmt.Sprint("hung ", i)}})
	}
	if got := text(); !strings.Contains(got,
		fmt.Sprintf("  %d more for other reasons: the HTML and the JSON report list all\n", maxTestGroups+2)) {
		t.Errorf("many reasons:\n%s", got)
	}
}
