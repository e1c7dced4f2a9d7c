package codelens

import (
	"strings"
	"testing"

	"catchlens/analysis/faults"
	"catchlens/instrument/campaign"
)

// Tests arm what the fault API has, and nothing else that may have struck.
func TestArmable(t *testing.T) {
	for k, want := range map[faults.Kind]bool{faults.DiskFull: true, faults.Reset: true, "": false, faults.NetDown: false, campaign.Forced: false, "remote-down": false} {
		if got := armable(k); got != want {
			t.Errorf("%q: %t", k, got)
		}
	}
}

// A condition is quoted only if the throw is in its body.
func TestGuardAbove(t *testing.T) {
	for text, want := range map[string]string{
		"if (n < 0)\n throw new E();":                                     "if (n < 0)",
		"if (n < 0) throw new E();":                                       "if (n < 0)",
		"if (a(n)) {\n // why\n throw new E();":                           "if (a(n))",
		"} else if (a\n   && b(n)) {\n int m = n; // m\n throw new E(m);": "if (a && b(n))",
		"if (\"\\u000a\".equals(s)) {\n throw new E();":                   "if (\"/u000a\".equals(s))",
		"if (n >= 0)\n return n;\nthrow new E();":                         "",
		"if (n >= 0) return n; // that was it\nthrow new E();":            "",
		"if (n >= 0) { return n; }\nthrow new E();":                       "",
		"if (a) {\n while (b) {\n throw new E();":                         "",
		"if (a) go();\nelse throw new E();":                               "",
		"throw new E();":                                                  "",
		"if (a) {\n\n\n\n\n throw new E();":                               "",
	} {
		lines := strings.Split(text, "\n")
		if got := guardAbove(lines, len(lines)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := guardAbove([]string{"throw x;"}, 2); got != "" {
		t.Errorf("a line that is not there: %q", got)
	}
}

// Names begin as Java's do, in any script, and are no keywords.
func TestNamesOfTests(t *testing.T) {
	if got := lower("Änderung") + capital("über disk full") + lower("") + capital(""); got != "änderungÜberDiskFull" {
		t.Errorf("%q", got)
	}
	w := testWriter{named: map[string]bool{"port": true}}
	for class, want := range map[string]string{"p/Assert": "assertValue", "p/Case": "caseValue", "p/Outer$Final": "finalValue", "p/Port": "port2", "p/Record": "record"} {
		if got := w.variable(class); got != want {
			t.Errorf("%s: %q, want %q", class, got, want)
		}
	}
}
