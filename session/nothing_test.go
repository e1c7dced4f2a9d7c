package session

import (
	"archive/zip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"catchlens/analysis/workspace"
	"catchlens/instrument/build"
	"catchlens/internal/testjdk"
)

// A run that ran nothing says why: the framework is missing, or the tests do not
// compile. That there is no test is no error.
func TestNothingRan(t *testing.T) {
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	s, file, _ := opened(t, true)
	s.SetTrusted(true)
	check := func(what string, want ...string) {
		t.Helper()
		err := s.Reload(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Run(context.Background(), Scope{}, nil)
		var nothing *NothingRanError
		if len(want) == 0 {
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
			return
		}
		if !errors.As(err, &nothing) {
			t.Fatalf("%s: %v", what, err)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v does not name %q", what, err, w)
			}
		}
	}
	check("no tests")

	test := filepath.Join(s.roots[0], "test", "p", "CTest.java")
	os.MkdirAll(filepath.Dir(test), 0o755)
	save(t, s, test, "package p;\nimport org.junit.Test;\npublic class CTest { @Test public void m() { new C().m(1); } }\n")
	check("no framework", "CTest.java needs a test framework", "add JUnit or TestNG")

	jar, err := os.Create(filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(file))), "junit-4.13.2.jar"))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(jar)
	if _, err = z.Create("org/junit/"); err == nil {
		err = errors.Join(z.Close(), jar.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	save(t, s, test, "package p;\nimport org.junit.Test;\npublic class CTest { @Test public void m() { new C().m(1) } }\n")
	check("tests that do not compile", "do not compile", "CTest.java:3", "';' expected")
}

// Errors that an incomplete class path causes are one row.
func TestCompileProblems(t *testing.T) {
	e := func(line int, code string) build.Diagnostic {
		return build.Diagnostic{Severity: workspace.Error, File: "A.java", Line: line, Code: code, Message: code}
	}
	set := build.SetResult{Module: "m", Result: build.Result{Diagnostics: []build.Diagnostic{
		e(1, "compiler.err.doesnt.exist"), e(2, "compiler.err.doesnt.exist"), {Severity: workspace.Warning, Message: "w"},
		e(3, "compiler.err.expected"), e(4, "compiler.err.cant.resolve.location")}}}
	lines := func(complete bool) (out []int, first string) {
		ws := &workspace.Workspace{Modules: []*workspace.Module{{Name: "m", ClassPathComplete: complete}}}
		problems := compileProblems(ws, set)
		for _, p := range problems {
			out = append(out, p.Line)
		}
		return out, problems[0].Message
	}
	if got, first := lines(false); len(got) != 2 || got[1] != 3 || !strings.Contains(first, "2 more such errors: the class path of m is not complete") {
		t.Errorf("an incomplete class path: lines %v, %q", got, first)
	}
	if got, first := lines(true); len(got) != 4 || first != "compiler.err.doesnt.exist" {
		t.Errorf("a complete class path: lines %v, %q", got, first)
	}
}
