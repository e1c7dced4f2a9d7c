//go:build slow

package session_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// TestEditedEqualsOpened edits sources while a session is open: after each reload all
// that it knows, chains with their lines included, is what a session knows that
// opens the workspace then.
func TestEditedEqualsOpened(t *testing.T) {
	dir := filedrop(t)
	s := open(t, dir, scratch.CacheDir(t), true)
	fresh := scratch.CacheDir(t)
	for _, e := range []struct{ what, file, old, new string }{
		{"a line above", "FileStore.java", "package filedrop;", "// a line above\n\npackage filedrop;"},
		{"a constant", "Wire.java", "LONGEST_LINE = 1000;", "LONGEST_LINE = 1024;"},
		{"a call that throws nothing", "Settings.java", "duration.toMillis();",
			"duration.toMillis();\n            duration.isZero();"},
		{"a call that throws", "Wire.java", "StringBuilder line = new StringBuilder();",
			"in.available();\n        StringBuilder line = new StringBuilder();"},
		{"a throw", "Wire.java", "return new LimitedInputStream(in, size);",
			"if (size < 0) {\n            throw new IllegalStateException();\n        }\n        return new " +
				"LimitedInputStream(in, size);"},
		{"a method, and a line above the call of another", "Settings.java", "    private Duration duration(String key)",
			"    static int twice(int n) {\n        return 2 * n;\n    }\n\n    private Duration duration(String key)"},
		{"a call less", "Wire.java", "in.available();\n", "\n"},
		{"a throw less", "Wire.java", "            throw new IllegalStateException();\n", "            return null;\n"},
	} {
		edit(t, dir, e.file, e.old, e.new)
		reload(t, s)
		got, want := catchesOf(s), catchesOf(open(t, dir, fresh, true))
		if len(got) != len(want) {
			t.Errorf("%s: %d catches, want %d", e.what, len(got), len(want))
			continue
		}
		wrong := 0
		for i := range got {
			if got[i] != want[i] {
				if wrong++; wrong == 1 {
					t.Errorf("%s: catch %d:\n%s\nwant\n%s", e.what, i, got[i], want[i])
				}
			}
		}
		if wrong > 1 {
			t.Errorf("%s: %d catches are different", e.what, wrong)
		}
		t.Logf("%s: reused %v", e.what, s.View().Snap.Stats.Reuse)
	}
}

// catchesOf is what a session knows of each catch, in order, as the JSON report has
// it.
func catchesOf(s *session.Session) (list []string) {
	for _, c := range codelens.MakeReport(s.View(), "", true).Catches {
		text, err := json.Marshal(c)
		if err != nil {
			panic(err)
		}
		list = append(list, string(text))
	}
	slices.Sort(list)
	return list
}
