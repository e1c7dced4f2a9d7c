package codelens

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/catchlens/catchlens/internal/testschema"
)

// reported is a report that the schema of reports describes, all of it.
func reported(t *testing.T, v View, withTests bool) *Report {
	t.Helper()
	r := MakeReport(v, "1", withTests)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	testschema.LoadStrict(t, testschema.Report).Check(t, "the report", text)
	return r
}

// sarifOf is the SARIF log of a view, checked against the schema of its format.
func sarifOf(t *testing.T, v View, locate TestLocator) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := SARIF(&b, v, "1", "https://docs.invalid/", locate); err != nil {
		t.Fatal(err)
	}
	testschema.Load(t, testschema.SARIF).Check(t, "the SARIF log", b.Bytes())
	return b.Bytes()
}

// What is no report does not validate: a word that is none of those there are, a field that is not
// there, one that nothing describes.
func TestReportSchema(t *testing.T) {
	v, _ := view()
	text, err := json.Marshal(reported(t, v, false))
	if err != nil {
		t.Fatal(err)
	}
	s := testschema.Load(t, testschema.Report)
	for _, x := range []struct{ old, with string }{
		{`"outcome":"unknown"`, `"outcome":"maybe"`},
		{`"schema":1`, `"schema":2`},
		{`"root":null,`, ``},
		{`"links":[`, `"links":null,"other":[`},
		{`"line":4`, `"line":"4"`},
	} {
		changed := bytes.Replace(text, []byte(x.old), []byte(x.with), 1)
		if bytes.Equal(changed, text) {
			t.Fatalf("the report has no %s:\n%s", x.old, text)
		}
		if len(s.ProblemsOf(changed)) == 0 {
			t.Errorf("with %q the report validates", x.with)
		}
	}
	more := bytes.Replace(text, []byte(`"schema":1`), []byte(`"schema":1,"more":true`), 1)
	if problems := s.ProblemsOf(more); len(problems) > 0 {
		t.Errorf("what later versions may add: %q", problems)
	}
	if len(testschema.LoadStrict(t, testschema.Report).ProblemsOf(more)) == 0 {
		t.Error("what nothing describes validates strictly")
	}
}
