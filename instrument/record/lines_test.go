package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// classes are code: classes by name.
type classes map[string]*snapshot.Class

func (c classes) Class(name string) *snapshot.Class { return c[name] }

func (c classes) MethodDigest(m snapshot.MethodRef) ([16]byte, bool) {
	if k := c[m.Class]; k != nil {
		for i := range k.Facts.Methods {
			if x := &k.Facts.Methods[i]; x.Name+x.Desc == m.Method {
				return x.CodeDigest, true
			}
		}
	}
	return [16]byte{}, false
}

// compile is the code of one source p/C.java.
func compile(t *testing.T, text string) classes {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "C.java")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, dir, file)
	out := classes{}
	files, _ := filepath.Glob(filepath.Join(dir, "p", "*.class"))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		k, problems := facts.FromClass(c, data, facts.Options{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		out[k.Name] = &snapshot.Class{Name: k.Name, Facts: k}
	}
	return out
}

const moving = `package p;
public class C {
    int size(String s) {
        int n = 1;
        n += s.length();
        return n;
    }
    int size(Object o) {
        return o.hashCode()
            + 1;
    }
    static class Inner {
        Inner() { throw new IllegalStateException(); }
    }
}
`

// Lines of a trace are found again wherever an edit has moved them, within a method, too; what the
// workspace does not have, and what has other code now, stays as it was recorded.
func TestMovedLines(t *testing.T) {
	const stack = "java.lang.NullPointerException: at p.C.size(C.java:5)\n" +
		"\tat java.base/java.util.Objects.requireNonNull(Objects.java:9)\n" +
		"\tat p.C.size(C.java:5)\n\tat app//p.C.size(C.java:9)\n\tat p.C$Inner.<init>(C.java:13)\n" +
		"\tat p.Other.size(Other.java:5)\n\tat p.C.size(Native Method)\n"
	before := compile(t, moving)
	trial := &record.Trial{Stack: stack, Lines: record.MarkLines(before, stack)}
	if len(trial.Lines) != 3 {
		t.Errorf("marks %v", trial.Lines)
	}
	for name, x := range map[string]struct {
		edit  func(string) string
		lines string // of the frames in C and Inner
	}{
		"nothing":      {func(s string) string { return s }, "5 9 13"},
		"a line above": {func(s string) string { return "// first\n\n" + s }, "7 11 15"},
		"a line within": {func(s string) string {
			return strings.Replace(s, "int n = 1;", "int n = 1;\n\n", 1)
		}, "7 11 15"},
		"a method above": {func(s string) string {
			return strings.Replace(s, "int size(S", "void m() { }\nint size(S", 1)
		}, "6 10 14"},
		"other code": {func(s string) string {
			return strings.Replace(s, "n += s.length();", "\nn -= s.length();", 1)
		}, "5 10 14"},
	} {
		now := record.NewLocator(compile(t, x.edit(moving))).Stack(trial)
		var got []string
		for line := range strings.Lines(now) {
			if at := strings.Index(line, "(C.java:"); at >= 0 && strings.HasPrefix(line, "\t") {
				got = append(got, strings.TrimRight(line[at+len("(C.java:"):], ")\n"))
			}
		}
		if strings.Join(got, " ") != x.lines {
			t.Errorf("%s: lines %v, want %s", name, got, x.lines)
		}
		for _, same := range []string{"at p.C.size(C.java:5)\n\tat java.base/", "Objects.java:9)", "Other.java:5)",
			"(Native Method)"} {
			if !strings.Contains(now, same) {
				t.Errorf("%s: no %q in\n%s", name, same, now)
			}
		}
	}
}
