package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Where two modules have classes of the same name, the catches of the second say so, and those of
// its other classes have their links.
func TestSameClassInTwoModules(t *testing.T) {
	p := newReuseProject(t, "rta")
	jdk := testjdk.JDK(t, 17)
	p.ws.Modules = nil
	for _, name := range []string{"a", "b"} {
		dir := filepath.Join(p.dir, name)
		m := &workspace.Module{Name: name, Dir: dir,
			Compilation: workspace.Compilation{JDKHome: jdk},
			SourceFolders: workspace.SourceFolders{MainSources: []string{filepath.Join(dir, "src")},
				MainOutputs: []string{filepath.Join(dir, "out")}}}
		p.ws.Modules = append(p.ws.Modules, m)
		const body = "{ static void run(int n) { new Runnable() { public void run() { try { if (n > 3) throw new " +
			"IllegalStateException(); } catch (IllegalStateException e) { } } }.run(); }\n" +
			"public static void main(String[] args) { run(args.length); } }\n"
		only := "Only" + strings.ToUpper(name)
		testjdk.JavacTexts(t, jdk, 17, nil, filepath.Join(dir, "src"), filepath.Join(dir, "out"), map[string]string{
			"p/Same.java":         "package p; public class Same " + body,
			"p/" + only + ".java": "package p; public class " + only + " " + body})
	}
	s, err := Snapshot(context.Background(), p.ws, p.cfg, Options{Cache: p.cache}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait()
	checkHidden(t, "built", s)
	refined, err := Refine(context.Background(), s, "pta", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkHidden(t, "refined", refined)
}

func checkHidden(t *testing.T, how string, s *snapshot.Snapshot) {
	t.Helper()
	var got []string
	for _, f := range s.Files {
		for _, c := range f.Catches {
			got = append(got, fmt.Sprintf("%s: compiled %v, hidden by %q, %d links", f.Path, c.Compiled, c.HiddenBy,
				len(c.Links)))
		}
	}
	want := `a/src/p/OnlyA.java: compiled true, hidden by "", 1 links
a/src/p/Same.java: compiled true, hidden by "", 1 links
b/src/p/OnlyB.java: compiled true, hidden by "", 1 links
b/src/p/Same.java: compiled false, hidden by "a", 0 links`
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("%s, catches:\n%s\nwant\n%s", how, g, want)
	}
	if len(s.Problems) != 1 || s.Problems[0].Message != "classes p.Same and 1 more are in a and in b: only what is "+
		"in a is analysed" {
		t.Errorf("%s, problems: %+v", how, s.Problems)
	}
}

// The test classes in whose place another module's are analysed are told by their own code, and by
// what they inherit in their own module.
func TestLeftTests(t *testing.T) {
	p := newReuseProject(t, "rta")
	jdk := testjdk.JDK(t, 17)
	p.ws.Modules = nil
	const with, without = " { @org.junit.Test public void m() { } }", " { public void m() { } }"
	for name, files := range map[string]map[string]string{
		"a": {"p/Both.java": "package p; public class Both" + with,
			"p/OnlyInB.java":  "package p; public class OnlyInB" + without,
			"p/Base.java":     "package p; public class Base" + without,
			"p/Inherits.java": "package p; public class Inherits { }",
			"p/OnlyInA.java":  "package p; public class OnlyInA" + with},
		"b": {"p/Both.java": "package p; public class Both" + with,
			"p/OnlyInB.java":  "package p; public class OnlyInB" + with,
			"p/Base.java":     "package p; public abstract class Base" + with,
			"p/Inherits.java": "package p; public class Inherits extends Base { }",
			"p/OnlyInA.java":  "package p; public class OnlyInA" + without,
			"p/Own.java":      "package p; public class Own" + with},
	} {
		dir := filepath.Join(p.dir, name)
		m := &workspace.Module{Name: name, Dir: dir, Compilation: workspace.Compilation{JDKHome: jdk},
			SourceFolders: workspace.SourceFolders{TestSources: []string{filepath.Join(dir, "test")},
				TestOutputs: []string{filepath.Join(dir, "out")}}}
		p.ws.Modules = append(p.ws.Modules, m)
		files["org/junit/Test.java"] = "package org.junit; @java.lang.annotation.Retention(" +
			"java.lang.annotation.RetentionPolicy.RUNTIME) public @interface Test { }"
		testjdk.JavacTexts(t, jdk, 17, nil, filepath.Join(dir, "test"), filepath.Join(dir, "out"), files)
	}
	slices.SortFunc(p.ws.Modules, func(a, b *workspace.Module) int { return strings.Compare(a.Name, b.Name) })
	s, err := Snapshot(context.Background(), p.ws, p.cfg, Options{Cache: p.cache}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait()
	refined, err := Refine(context.Background(), s, "pta", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Snapshot(context.Background(), p.ws, p.cfg, Options{Cache: p.cache}, s)
	if err != nil {
		t.Fatal(err)
	}
	again.Wait()
	for i, c := range again.LeftTests {
		if i < len(s.LeftTests) && c.Facts != s.LeftTests[i].Facts {
			t.Errorf("%s of %s was read anew", c.Name, c.Module)
		}
	}
	for how, s := range map[string]*snapshot.Snapshot{"built": s, "refined": refined, "built again": again} {
		var got []string
		for _, c := range s.LeftTests {
			got = append(got, c.Module+" "+c.Name+", "+c.By)
		}
		if g := strings.Join(got, "; "); g != "b p/Both, the tests of a; b p/Inherits, the tests of a; "+
			"b p/OnlyInB, the tests of a" {
			t.Errorf("%s: %s", how, g)
		}
	}
	edited := filepath.Join(p.dir, "b", "test", "p", "OnlyInB.java")
	if err := os.WriteFile(edited, []byte("package p; public class OnlyInB"+without), 0o644); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, jdk, 17, nil, filepath.Join(p.dir, "b", "out"), edited)
	if again, err = Snapshot(context.Background(), p.ws, p.cfg, Options{Cache: p.cache}, again); err != nil {
		t.Fatal(err)
	}
	again.Wait()
	for _, c := range again.LeftTests {
		if c.Name == "p/OnlyInB" {
			t.Error("a class without tests any more is left out as a test")
		}
	}
}
