//go:build slow

package buildtool

// This test runs the real Gradle.

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/workspace"
)

func TestGradleAnswers(t *testing.T) {
	if _, err := exec.LookPath("gradle"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("gradle is not on PATH")
		}
		t.Skip("gradle is not on PATH")
	}
	// Java plug-in without external dependencies: forms that Gradle 4 to 9 know.
	dir := writeTree(t, t.TempDir(), map[string]string{
		"settings.gradle":   "rootProject.name = 'g1'\ninclude 'core', 'app'\n",
		"build.gradle":      "subprojects { apply plugin: 'java' }\n",
		"core/build.gradle": "dependencies { implementation files('lib/x.jar') }\n",
		"core/lib/x.jar":    "",
		"app/build.gradle": `dependencies { implementation project(':core') }
sourceSets { main { java { exclude 'a/Broken' + '.java' } } }
compileJava { exclude '**/package-info.java'; options.compilerArgs += ['-Xlint'] }
test { jvmArgs '-Xss3m'; systemProperty 'k', 'v'; maxHeapSize = '700m'
    environment 'WHERE', project.name + '-x'; workingDir = new File(projectDir, 'run'); exclude { it.name == 'T.class' }
    def slow = 'Slow'; exclude "**/${slow}*"; useJUnit { excludeCategories 'a.' + slow }; forkEvery = 1 }
`,
		"core/src/main/java/c/C.java": "package c; public class C {}",
		"app/src/main/java/a/A.java":  "package a; public class A {}",
		"app/src/test/java/a/T.java":  "package a; class T {}",
	})
	ctx := context.Background()
	opt := ResolveOptions{CacheDir: t.TempDir(), Offline: true, Progress: func(s string) { t.Log(s) }}
	ws, err := discovery.Open(ctx, []string{dir}, opt.Open)
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	got, err := Resolve(ctx, ws, opt)
	if err != nil {
		t.Fatal(err)
	}
	if tree(t, dir) != before {
		t.Error("the workspace was written")
	}
	short := func(list []string) string {
		return strings.ReplaceAll(strings.Join(list, " "), dir+string(filepath.Separator), "")
	}
	app := got.Module(":app")
	if s := short(app.TestClassPath); s != "core/build/classes/java/main core/build/resources/main core/lib/x.jar" {
		t.Errorf("test class path %q", s)
	}
	if s := short(append(app.MainOutputs,
		app.TestOutputs...)); s != "app/build/classes/java/main app/build/resources/main app/build/classes/java/test "+
		"app/build/resources/test" {
		t.Errorf("outputs %q", s)
	}
	if got := strings.Join(app.Taken.Excludes, " "); got != "a/Broken.java **/package-info.java" ||
		len(app.TestTaken.Excludes) != 0 {
		t.Errorf("sources left out %q, of tests %q", got, app.TestTaken.Excludes)
	}
	tests := short(append(append(append(app.Test.Excludes, app.Test.ExcludedGroups...), app.Test.Environment["WHERE"],
		app.Test.WorkingDir), app.Test.NotRun...))
	if tests != "**/Slow* a.Slow app-x app/run "+workspace.ConditionsOfTests || !app.Test.ForkPerClass ||
		!app.Test.EnableAssertions || app.Test.Skipped != "" {
		t.Errorf("tests %q, %+v", tests, app.Test)
	}
	if s := strings.Join(app.Test.JVMArgs, " "); s != "-Xmx700m -Xss3m" || app.Test.SystemProperties["k"] != "v" ||
		!app.ClassPathComplete {
		t.Errorf("JVM arguments %q, properties %v, complete %v", s, app.Test.SystemProperties, app.ClassPathComplete)
	}
}
