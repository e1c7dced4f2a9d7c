package record

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/test/scratch"
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
		return &workspace.Module{Name: "app", Dir: dir,
			Compilation: workspace.Compilation{JDKHome: filepath.Join(root, "jdk")},
			BuildFiles:  []string{filepath.Join(root, "work", "pom.xml")},
			ClassPaths: workspace.ClassPaths{TestClassPath: []string{filepath.Join(root, "lib", "a.jar"),
				filepath.Join(root, "work", "core", "classes")}},
			ResourceFolders: workspace.ResourceFolders{Resources: []string{filepath.Join(dir, "res")}},
			Test: workspace.TestSettings{WorkingDir: dir,
				SystemProperties: map[string]string{"p": property,
					"base": filepath.Join(dir, "x") + ":" + filepath.Join(root, "work", "y")}}}
	}
	first := module("17", "jar", "res", "p")
	if a, b := Environment(first, nil), Environment(module("17", "jar", "res", "p"), nil); a != b {
		t.Errorf("in two places: %s and %s", a, b)
	}
	edited := *first
	ours, folder := filepath.Join(t.TempDir(), "classes"), first.TestClassPath[1]
	for _, path := range [][]string{{first.TestClassPath[0], ours}, {first.TestClassPath[0], ours, folder}} {
		edited.TestClassPath, edited.StandsFor = path, map[string]string{ours: folder}
		if Environment(&edited, nil) != Environment(first, nil) ||
			ClassPathKey(&edited, nil) != ClassPathKey(first, nil) {
			t.Errorf("with our own classes of another module the environment is another one: %q", path)
		}
	}
	more := *first
	more.Test.AdditionalClassPath = []string{filepath.Join(folder, "more")}
	edited = more
	edited.Test.AdditionalClassPath, edited.StandsFor = []string{filepath.Join(ours,
		"more")}, map[string]string{filepath.Join(ours, "more"): filepath.Join(folder, "more")}
	if Environment(&more, nil) == Environment(first, nil) || Environment(&edited, nil) != Environment(&more, nil) {
		t.Error("what is added to the class path is told apart by where our own classes stand, or not at all")
	}
	edited = *first
	edited.Test.AdditionalClassPath = []string{}
	if Environment(&edited, nil) != Environment(first, nil) {
		t.Error("no additional class path is not the same as an empty one")
	}
	for what, m := range map[string]*workspace.Module{"JDK": module("18", "jar", "res", "p"),
		"library":  module("17", "JAR", "res", "p"),
		"resource": module("17", "jar", "RES", "p"), "property": module("17", "jar", "res", "P")} {
		if Environment(m, nil) == Environment(first, nil) {
			t.Errorf("another %s is the same environment", what)
		}
		if other, want := ClassPathKey(m, nil) != ClassPathKey(first, nil), what == "JDK" ||
			what == "library"; other != want {
			t.Errorf("another %s is another class path: %t", what, other)
		}
	}
	for what, m := range map[string]*workspace.Module{"the JDK": module("18", "jar", "res", "p"),
		"a library":  module("17", "JAR", "res", "p"),
		"a resource": module("17", "jar", "RES", "p"), "the test settings": module("17", "jar", "res", "P")} {
		if got := EnvironmentChanges(Environment(first, nil), Environment(m, nil)); !slices.Equal(got, []string{what}) {
			t.Errorf("%s has changed: said is %q", what, got)
		}
	}
	suite := *first
	suite.Test.SuiteInputs = []string{filepath.Join(first.Dir, "testng.xml")}
	var environments []string
	for _, content := range []string{"<suite/>", "<suite name='other'/>", "<suite/>"} {
		scratch.Write(t, suite.Test.SuiteInputs[0], content)
		environments = append(environments, Environment(&suite, nil))
	}
	if e := environments; e[0] == e[1] || e[0] != e[2] {
		t.Errorf("with one suite, another one and the first again, environments are %q", e)
	}
	set := *first
	set.ResourceSets = []workspace.ResourceSet{{Dir: filepath.Join(t.TempDir(), "filtered"), Filtered: true}}
	environments = nil
	for _, content := range []string{"a", "b", "a"} {
		scratch.Write(t, filepath.Join(set.ResourceSets[0].Dir, "a.properties"), content)
		environments = append(environments, Environment(&set, nil))
	}
	if e := environments; e[0] == e[1] || e[0] != e[2] {
		t.Errorf("with one filtered resource, another one and the first again, environments are %q", e)
	}
	if got := EnvironmentChanges("a3f3d5fb69fe5bad", Environment(first, nil)); got != nil {
		t.Errorf("of a record of an earlier version %q is said to have changed", got)
	}
	all := folders{{"/home/me/app", "{module}"}, {"/home/me", "{home}"}}
	for text, want := range map[string]string{"/home/me/app": "{module}",
		"-Dx=/home/me/app/a:/home/me/b": "-Dx={module}/a:{home}/b", "/home/me/apples": "{home}/apples",
		"/home/men": "/home/men"} {
		if got := all.without(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// What tests see on their class path beside classes is part of the environment, wherever it comes
// from: the build's folder, ours in its place, another module's.
func TestEnvironmentOfOutputs(t *testing.T) {
	lay := func(files map[string]string) *workspace.Module {
		dir := t.TempDir()
		m := &workspace.Module{Name: "app", Dir: dir,
			SourceFolders: workspace.SourceFolders{MainOutputs: []string{filepath.Join(dir, "classes")},
				TestOutputs: []string{filepath.Join(dir, "test")}},
			ClassPaths: workspace.ClassPaths{TestClassPath: []string{filepath.Join(dir, "core")},
				StandsFor: map[string]string{}}}
		for file, text := range files {
			scratch.Write(t, filepath.Join(dir, file), text)
		}
		return m
	}
	first := lay(map[string]string{"classes/p/A.class": "1", "classes/v.properties": "v",
		"core/META-INF/services/x": "s"})
	same := lay(map[string]string{"classes/p/A.class": "2", "test/v.properties": "v", "core/META-INF/services/x": "s"})
	if a, b := Environment(first, nil), Environment(same, nil); a != b {
		t.Errorf("with other classes, and a file in another of the folders: %s and %s", a, b)
	}
	for what, files := range map[string]map[string]string{
		"a file":           {"classes/v.properties": "w", "core/META-INF/services/x": "s"},
		"another's file":   {"classes/v.properties": "v", "core/META-INF/services/x": "t"},
		"a file more":      {"classes/v.properties": "v", "core/META-INF/services/x": "s", "test/more.txt": ""},
		"a file less":      {"classes/v.properties": "v"},
		"the name of file": {"classes/w.properties": "v", "core/META-INF/services/x": "s"},
	} {
		if got := EnvironmentChanges(Environment(first, nil), Environment(lay(files), nil)); !slices.Equal(got,
			[]string{"a resource"}) {
			t.Errorf("%s has changed: said is %q", what, got)
		}
	}
}
