package campaign

import (
	"fmt"
	"path/filepath"
	"testing"

	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
	"catchlens/test/scratch"
)

// The environment is that of a module wherever it stands, and another one with another
// library, resource, setting or JDK.
func TestEnvironment(t *testing.T) {
	module := func(jdk, jar, resource, property string) *workspace.Module {
		root := t.TempDir()
		dir := filepath.Join(root, "work", "app")
		scratch.Write(t, filepath.Join(root, "jdk", "release"), jdk)
		scratch.Write(t, filepath.Join(root, "lib", "a.jar"), jar)
		scratch.Write(t, filepath.Join(dir, "res", "a.properties"), resource)
		return &workspace.Module{Name: "app", Dir: dir, JDKHome: filepath.Join(root, "jdk"), BuildFiles: []string{filepath.Join(root, "work", "pom.xml")},
			TestClassPath: []string{filepath.Join(root, "lib", "a.jar"), filepath.Join(root, "work", "core", "classes")}, Resources: []string{filepath.Join(dir, "res")},
			Test: workspace.TestSettings{WorkingDir: dir, SystemProperties: map[string]string{"p": property, "base": filepath.Join(dir, "x") + ":" + filepath.Join(root, "work", "y")}}}
	}
	first := module("17", "jar", "res", "p")
	if a, b := Environment(first, nil), Environment(module("17", "jar", "res", "p"), nil); a != b {
		t.Errorf("in two places: %s and %s", a, b)
	}
	edited := *first
	ours, folder := filepath.Join(t.TempDir(), "classes"), first.TestClassPath[1]
	for _, path := range [][]string{{first.TestClassPath[0], ours}, {first.TestClassPath[0], ours, folder}} {
		edited.TestClassPath, edited.StandsFor = path, map[string]string{ours: folder}
		if Environment(&edited, nil) != Environment(first, nil) || ClassPathKey(&edited, nil) != ClassPathKey(first, nil) {
			t.Errorf("with our own classes of another module the environment is another one: %q", path)
		}
	}
	more := *first
	more.Test.AdditionalClassPath = []string{filepath.Join(folder, "more")}
	edited = more
	edited.Test.AdditionalClassPath, edited.StandsFor = []string{filepath.Join(ours, "more")}, map[string]string{filepath.Join(ours, "more"): filepath.Join(folder, "more")}
	if Environment(&more, nil) == Environment(first, nil) || Environment(&edited, nil) != Environment(&more, nil) {
		t.Error("what is added to the class path is told apart by where our own classes stand, or not at all")
	}
	edited = *first
	edited.Test.AdditionalClassPath = []string{}
	if Environment(&edited, nil) != Environment(first, nil) {
		t.Error("no additional class path is not the same as an empty one")
	}
	for what, m := range map[string]*workspace.Module{"JDK": module("18", "jar", "res", "p"), "library": module("17", "JAR", "res", "p"),
		"resource": module("17", "jar", "RES", "p"), "property": module("17", "jar", "res", "P")} {
		if Environment(m, nil) == Environment(first, nil) {
			t.Errorf("another %s is the same environment", what)
		}
		if other, want := ClassPathKey(m, nil) != ClassPathKey(first, nil), what == "JDK" || what == "library"; other != want {
			t.Errorf("another %s is another class path: %t", what, other)
		}
	}
	all := folders{{"/home/me/app", "{module}"}, {"/home/me", "{home}"}}
	for text, want := range map[string]string{"/home/me/app": "{module}", "-Dx=/home/me/app/a:/home/me/b": "-Dx={module}/a:{home}/b", "/home/me/apples": "{home}/apples", "/home/men": "/home/men"} {
		if got := all.without(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// Tests that are recorded as hanging count, each once however often it is looked up: the
// tests that are left are not tried.
func TestRecallHang(t *testing.T) {
	r := &moduleRun{deaths: map[injection]int{}, hangs: map[injection]map[string]bool{}, untried: map[injection]int{}}
	u := unit{typ: "E"}
	u.catch = &snapshot.Catch{ID: "c"}
	for n := range maxHangs {
		r.recallHang(&Cell{Catch: "c", Type: "E", Test: fmt.Sprint(n), Outcome: Fail})
	}
	if r.givenUp(u, 1) {
		t.Error("failures count as hangs")
	}
	for range maxHangs {
		r.recallHang(&Cell{Catch: "c", Type: "E", Test: "0", Outcome: Hang})
		r.hung(u, "0")
	}
	if r.givenUp(u, 1) || r.deaths[u.injection()] != 1 {
		t.Errorf("one test that hangs counts as %d, and %d deaths", len(r.hangs[u.injection()]), r.deaths[u.injection()])
	}
	for n := range maxHangs {
		r.recallHang(&Cell{Catch: "c", Type: "E", Test: fmt.Sprint(n), Outcome: Hang})
	}
	if !r.givenUp(u, 2) || r.untried[u.injection()] != 2 || r.givenUp(unit{catch: u.catch, typ: "F"}, 1) {
		t.Errorf("hangs %v, left out %v", r.hangs, r.untried)
	}
}
