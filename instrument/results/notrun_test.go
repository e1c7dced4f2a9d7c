package results

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// A test class has run once all records of it are there: they are written one after another, and a
// process may be killed between them; and with the tests that it has: one may have come since.
func TestNotRun(t *testing.T) {
	run := func(test string, o record.Outcome, repetitions int) *record.TestRun {
		return &record.TestRun{Test: test, Class: "p.T", Outcome: o,
			Outcomes: slices.Repeat([]record.Outcome{o}, repetitions)}
	}
	for name, x := range map[string]struct {
		runs []*record.TestRun
		want []string
	}{
		"nothing has run": {nil, []string{"p.T"}},
		"it has":          {[]*record.TestRun{run("p.T#a", record.Pass, 1), run("p.T#b", record.Pass, 2)}, nil},
		"its records are cut short": {[]*record.TestRun{run("p.T#a", record.Pass, 0),
			run("p.T#b", record.Pass, 1)}, []string{"p.T"}},
		"a test has come since": {[]*record.TestRun{{Test: "p.T#a", Class: "p.T", Shape: "former",
			Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass}}}, []string{"p.T"}},
		"a test has been renamed": {[]*record.TestRun{{Test: "p.T#a", Class: "p.T", Shape: "former",
			Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass}}, {Test: "p.T#b", Class: "p.T",
			Shape: "of p.T", Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass}}}, nil},
		"only one of its tests ran since": {[]*record.TestRun{{Test: "p.T#a", Class: "p.T", Shape: "former",
			Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass}}, {Test: "p.T#b", Class: "p.T",
			Shape: "of p.T", Alone: true, Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass}}},
			[]string{"p.T"}},
		"no test has come": {[]*record.TestRun{{Test: "p.T#a", Class: "p.T", Shape: "of p.T",
			Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass}}}, nil},
		"it turned out to have none": {[]*record.TestRun{run("p.T", record.Gone, 0)}, nil},
	} {
		ran := hasRun(x.runs, func(class string) string { return "of " + class })
		if got := ran.without([]string{"p/T", "p/T$Inner"}); !slices.Equal(got, x.want) {
			t.Errorf("%s: not run are %q, want %q", name, got, x.want)
		}
	}
}

// Whether a class that has not run may enter a try is answered for all catches at once, and as
// NotRun answers it for each: by calls, and by methods of classes above.
func TestMayEnter(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId>" +
			"<version>1</version></project>",
		"src/main/java/p/C.java": `package p;
public class C {
    public static int first(int x) { try { return 1 / x; } catch (ArithmeticException e) { return 0; } }
    public static int second(int x) { try { return 1 / x; } catch (ArithmeticException e) { return 0; } }
    public static int third(int x) { try { return 1 / x; } catch (ArithmeticException e) { return 0; } }
}`,
		"src/test/java/org/junit/Test.java": "package org.junit; @java.lang.annotation.Retention(" +
			"java.lang.annotation.RetentionPolicy.RUNTIME) public @interface Test { }",
		"src/test/java/p/Base.java": "package p; public abstract class Base { @org.junit.Test public void m() " +
			"{ C.first(1); } }",
		"src/test/java/p/OneTest.java": "package p; public class OneTest extends Base { }",
		"src/test/java/p/TwoTest.java": "package p; public class TwoTest { @org.junit.Test public void m() " +
			"{ C.second(1); } @org.junit.Test public void n() { C.first(1); } }",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
	jdk, main := testjdk.JDK(t, 17), filepath.Join(root, "target", "classes")
	testjdk.Javac(t, jdk, 17, nil, main, filepath.Join(root, "src/main/java/p/C.java"))
	tests, err := filepath.Glob(filepath.Join(root, "src/test/java/*/*.java"))
	if err != nil {
		t.Fatal(err)
	}
	tests = append(tests, filepath.Join(root, "src/test/java/org/junit/Test.java"))
	testjdk.Javac(t, jdk, 17, []string{main}, filepath.Join(root, "target", "test-classes"), tests...)
	snap := snapshotIn(t, factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts")), root, "tests")
	for want, ran := range map[string][]string{
		"first: OneTest TwoTest, second: TwoTest, third: ": nil,
		"first: TwoTest, second: TwoTest, third: ":         {"p.OneTest"},
		"first: OneTest, second: , third: ":                {"p.TwoTest"},
		"first: , second: , third: ":                       {"p.OneTest", "p.TwoTest"},
	} {
		var runs []*record.TestRun
		for _, class := range ran {
			runs = append(runs, &record.TestRun{Class: class, Outcome: record.Pass,
				Outcomes: []record.Outcome{record.Pass}})
		}
		o := &Overlay{}
		o.askOf(snap, runs, nil)
		var got []string
		for _, c := range snap.Catches {
			left, known := o.NotRun(c)
			if !known || o.NoneLeft(c) != (len(left) == 0) {
				t.Errorf("%v have run: of %s are left %q, and none is: %v", ran, c.ID, left, o.NoneLeft(c))
			}
			method, _, _ := strings.Cut(strings.TrimPrefix(c.ID, "p/C."), "(")
			got = append(got, method+": "+strings.ReplaceAll(strings.Join(left, " "), "p.", ""))
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%v have run: left are %q, want %q", ran, got, want)
		}
	}
	if (&Overlay{}).NoneLeft(snap.Catches[0]) {
		t.Error("without a call graph none is left")
	}
}
