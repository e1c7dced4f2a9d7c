package javatext

import (
	"strings"
	"testing"
)

// A condition is quoted only if the throw is in its body.
func TestGuardAbove(t *testing.T) {
	for text, want := range map[string]string{
		"if (n < 0)\n throw new E();":                                     "if (n < 0)",
		"if (n < 0) throw new E();":                                       "if (n < 0)",
		"if (a(n)) {\n // why\n throw new E();":                           "if (a(n))",
		"} else if (a\n   && b(n)) {\n int m = n; // m\n throw new E(m);": "if (a && b(n))",
		"if (\"\\u000a\".equals(s)) {\n throw new E();":                   "if (\"\\u000a\".equals(s))",
		"if (n >= 0)\n return n;\nthrow new E();":                         "",
		"if (n >= 0) return n; // that was it\nthrow new E();":            "",
		"if (n >= 0) { return n; }\nthrow new E();":                       "",
		"if (a) {\n while (b) {\n throw new E();":                         "",
		"if (a) go();\nelse throw new E();":                               "",
		"throw new E();":                                                  "",
		"if (a) {\n\n\n\n\n throw new E();":                               "",
	} {
		lines := strings.Split(text, "\n")
		if got := GuardAbove(lines, len(lines)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := GuardAbove([]string{"throw x;"}, 2); got != "" {
		t.Errorf("a line that is not there: %q", got)
	}
}

// Statements begin where they do, whatever stands in literals, comments and parentheses.
func TestStatements(t *testing.T) {
	for text, want := range map[string][]string{
		"\n  a();\n  b(x -> { c(); });\n":                                            {"a();", "b("},
		"if (x) { a(); } else { b(); }\nc();":                                        {"if", "c();"},
		"if (x) { a(); }\nc();":                                                      {"if", "c();"},
		"try { a(); } catch (E e) { } finally { b(); } c();":                         {"try", "c();"},
		"// a; b;\nString s = \";{\"; /* ; */ char c = ';';\nf(s);":                  {"String", "char", "f("},
		"int[] n = { 1, 2 }; new T() { void m() { } }.go(); g(\"\"\"\n ; } \"\"\");": {"int[]", "new T", "g("},
		"do { a(); } while (b()); c();":                                              {"do", "c();"},
		"":                                                                           nil,
	} {
		starts := Statements(text)
		ok := len(starts) == len(want)
		for i := 0; ok && i < len(want); i++ {
			ok = strings.HasPrefix(text[starts[i]:], want[i])
		}
		if !ok {
			t.Errorf("%q: statements at %v, want %q", text, starts, want)
		}
	}
}
