package main

import (
	"bytes"
	"strings"
	"testing"
)

// output is what govulncheck writes: of a vulnerability that is required, imported and called, and
// of one that is not called.
const output = `{"config":{"protocol_version":"v1.0.0","scan_level":"symbol"}}
{"osv":{"id":"GO-2000-0001","summary":"bad"}}
{"finding":{"osv":"GO-2000-0001","fixed_version":"v1.1.0","trace":[{"module":"a.example/m","version":"v1.0.0"}]}}
{"finding":{"osv":"GO-2000-0001","fixed_version":"v1.1.0","trace":[{"module":"a.example/m","version":"v1.0.0",
 "package":"a.example/m/p"}]}}
{"finding":{"osv":"GO-2000-0001","fixed_version":"v1.1.0","trace":[{"module":"a.example/m","version":"v1.0.0",
 "package":"a.example/m/p","function":"Read","receiver":"*File"},
 {"module":"own.example/m","package":"own.example/m/lsp","function":"open"}]}}
{"finding":{"osv":"GO-2000-0001","fixed_version":"v1.1.0","trace":[{"module":"a.example/m","version":"v1.0.0",
 "package":"a.example/m/p","function":"Write"},
 {"module":"own.example/m","package":"own.example/m/lsp","function":"open"}]}}
{"finding":{"osv":"GO-2000-0002","trace":[{"module":"b.example/m","version":"v1.0.0","package":"b.example/m"}]}}
`

// What is called is an error unless it is accepted; what is only there is none.
func TestJudge(t *testing.T) {
	found, err := findings([]byte(output))
	if err != nil || len(found) != 5 {
		t.Fatalf("%d findings: %v", len(found), err)
	}
	for _, x := range []struct {
		accepted  map[string]string
		err, want string
	}{
		{nil, "the program calls what is vulnerable (1)", "GO-2000-0001: a.example/m/p.File.Read of a.example/m " +
			"v1.0.0, called from own.example/m/lsp.open: fixed in v1.1.0\n"},
		{map[string]string{"GO-2000-0001": "it reads nothing", "GO-2000-0002": "of before"}, "",
			"accepted: it reads nothing\nGO-2000-0002 is accepted and not called any more\n1 known"},
	} {
		var b bytes.Buffer
		err := judge(&b, found, x.accepted)
		if (err == nil) != (x.err == "") || err != nil && !strings.Contains(err.Error(), x.err) ||
			!strings.Contains(b.String(), x.want) {
			t.Errorf("%v: %v, %s", x.accepted, err, &b)
		}
	}
	if _, err := findings([]byte(`{"finding":`)); err == nil {
		t.Error("half an answer is taken")
	}
}
