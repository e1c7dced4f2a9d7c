package session

import (
	"archive/zip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
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
		var broken *NotCompiledError
		if !errors.As(err, &nothing) && !errors.As(err, &broken) {
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
	save(t, s, test, "package p;\nimport org.junit.Test;\npublic class CTest { @Test public void m() { new "+
		"C().m(1); } }\n")
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
	save(t, s, test, "package p;\nimport org.junit.Test;\npublic class CTest { @Test public void m() { new "+
		"C().m(1) } }\n")
	check("tests that do not compile", "does not compile", "CTest.java:3", "';' expected")
}

// Errors about missing classes of which the cause is elsewhere are one row.
func TestCompileProblems(t *testing.T) {
	e := func(line int, code string) buildtool.Diagnostic {
		return buildtool.Diagnostic{Severity: workspace.Error, File: "A.java", Line: line, Code: code, Message: code}
	}
	set := buildtool.SetResult{Module: "m", Set: buildtool.Test,
		Result: buildtool.Result{Failed: []string{"A.java"}, Diagnostics: []buildtool.Diagnostic{
			e(1, "compiler.err.doesnt.exist"), e(2, "compiler.err.doesnt.exist"),
			{Severity: workspace.Warning, Message: "w"},
			e(3, "compiler.err.expected"), e(4, "compiler.err.cant.resolve.location")}}}
	complete := workspace.ClassPaths{ClassPathComplete: true}
	main := func(name string) buildtool.SetResult {
		return buildtool.SetResult{Module: name, Set: buildtool.Main,
			Result: buildtool.Result{Failed: []string{"B.java"}}}
	}
	for _, c := range []struct {
		module workspace.Module
		other  buildtool.SetResult
		cause  string
	}{
		{workspace.Module{}, main("x"), "the class path of m is not complete"},
		{workspace.Module{ClassPaths: complete, Kind: workspace.Maven,
			SourceFolders: workspace.SourceFolders{Generators: []string{"g"}}}, main("x"),
			"sources that the build generates are missing"},
		{workspace.Module{ClassPaths: complete, DependsOn: []string{"y", "x"}}, main("x"), "not all of x compiles"},
		{workspace.Module{ClassPaths: complete}, main("m"), "not all of its main code compiles"},
		{workspace.Module{ClassPaths: complete, DependsOn: []string{"y"}}, main("x"), ""},
	} {
		c.module.Name = "m"
		ws := &workspace.Workspace{Modules: []*workspace.Module{&c.module}}
		got := compileProblems(set, missingCause(ws, []buildtool.SetResult{c.other, set}, set))
		if c.cause == "" {
			if len(got) != 4 || got[0].Message != "compiler.err.doesnt.exist" {
				t.Errorf("no other cause: %v", got)
			}
		} else if len(got) != 2 || got[1].Line != 3 ||
			!strings.Contains(got[0].Message, "(and 2 more such errors: "+c.cause+")") {
			t.Errorf("%s: %v", c.cause, got)
		}
	}
}

// writeFiles writes files below a folder, which may be executed.
func writeFiles(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
}

// What the build tool said is still said by later analyses, though it is asked once.
func TestUnresolvedStaysSaid(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Gradle is a shell script")
	}
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	root := t.TempDir()
	writeFiles(t, root, map[string]string{
		"build.gradle":         "apply plugin: 'java'\n",
		"src/main/java/C.java": "class C { }\n",
		"gradlew": "#!/bin/sh\necho asked >> asked\nprintf '* What went wrong:\\nno such " +
			"plugin\\n'\nexit 1\n",
	})
	s, err := Open([]string{root}, Options{CacheDir: scratch.CacheDir(t), Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 2 {
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, p := range s.View().Snap.Problems {
			if strings.HasPrefix(p.Message, notResolved) && strings.HasSuffix(p.Message, "no such plugin") {
				said++
			}
		}
		if said != 1 {
			t.Errorf("analysis %d says %d times why: %v", n+1, said, s.View().Snap.Problems)
		}
	}
	if asked, _ := os.ReadFile(filepath.Join(root, "asked")); string(asked) != "asked\n" {
		t.Errorf("Gradle was asked: %q", asked)
	}
}

// Sources that the build generates are generated where they are missed, in a workspace that is
// trusted; what cannot be is said once an analysis, with the way out, and the build tool is asked
// once for the same input.
func TestGeneratedSources(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Maven is a shell script")
	}
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	for _, fails := range []bool{false, true} {
		root, asked := t.TempDir(), filepath.Join(t.TempDir(), "asked")
		script := "#!/bin/sh\necho \"$*\" >> " + asked +
			"\nmkdir -p target/generated-sources/g\necho 'class V { }' > target/generated-sources/g/V.java\n"
		if fails {
			script = "#!/bin/sh\necho \"$*\" >> " + asked + "\necho '[ERROR] no grammar'\nexit 1\n"
		}
		writeFiles(t, root, map[string]string{
			"pom.xml": "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version><build><plugins>" +
				"<plugin><groupId>g</groupId><artifactId>grammars</artifactId><executions><execution>" +
				"<phase>generate-sources</phase><goals><goal>make</goal></goals></execution></executions></plugin>" +
				"</plugins></build></project>",
			"src/main/java/C.java": "class C { Object m() { try { return new V(); } catch (RuntimeException e) { " +
				"return new V(); } } }\n",
			"mvnw": script,
		})
		s, err := Open([]string{root}, Options{CacheDir: scratch.CacheDir(t), Trusted: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range 2 {
			if err := s.Reload(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			said, errs := 0, 0
			for _, p := range s.View().Snap.Problems {
				if p.Severity == string(workspace.Error) {
					errs++
				}
				if strings.Contains(p.Message,
					"the build generates (grammars) are missing; `mvn generate-test-sources` makes them") &&
					strings.Contains(p.Message, "no grammar") {
					said++
				}
			}
			if c := s.View().Snap.Catches; len(c) != 1 || (len(c[0].Handlers) == 1) == fails || (said == 1) != fails ||
				(errs > 0) != fails {
				t.Errorf("it fails: %v; %d catches, said %d times, problems %v", fails, len(c), said,
					s.View().Snap.Problems)
			}
		}
		// Another input: what could not be is tried again, and a run takes no sources of the old
		// one.
		if err := os.WriteFile(filepath.Join(root, "grammar.txt"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		again, want := s.upToDate, 2
		if fails {
			again, want = s.Reload, 4 // offline, and then not
		}
		if err := again(context.Background(), func(int, string) {}); err != nil {
			t.Fatal(err)
		}
		if data, _ := os.ReadFile(asked); strings.Count(string(data), "generate-test-sources") != want {
			t.Errorf("it fails: %v; Maven was asked: %q", fails, data)
		}
	}
}
