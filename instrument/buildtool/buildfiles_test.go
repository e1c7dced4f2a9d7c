package buildtool

import (
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
)

// Files that a build tool reads beside its build files: a change of each is seen,
// and changes the key of a kept answer.
func TestDecidingFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "odd [name]*")
	module := &workspace.Module{Name: "m", Dir: filepath.Join(dir, "m"),
		BuildFiles: []string{filepath.Join(dir, "m", "build.gradle")}}
	modules := []*workspace.Module{module}
	writeTree(t, dir, map[string]string{"m/build.gradle": ""})
	before := resolveKey(dir, modules, "gradle")
	for _, f := range []string{
		"gradle/libs.versions.toml", "gradle/tests.versions.toml", "gradle.lockfile", "m/gradle.lockfile",
		"buildscript-gradle.lockfile",
		"gradle/dependency-locks/compileClasspath.lockfile", "gradle/wrapper/gradle-wrapper.properties",
		".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml", ".mvn/wrapper/maven-wrapper.properties",
	} {
		path := filepath.Join(dir, filepath.FromSlash(f))
		if !IsBuildFile(path) {
			t.Errorf("%s is not looked at when it changes", f)
		}
		writeTree(t, dir, map[string]string{f: "1"})
		after := resolveKey(dir, modules, "gradle")
		if after == before {
			t.Errorf("%s does not matter to a kept answer", f)
		}
		writeTree(t, dir, map[string]string{f: "2"})
		if before = resolveKey(dir, modules, "gradle"); before == after {
			t.Errorf("the content of %s does not matter to a kept answer", f)
		}
	}
	for _, f := range []string{"m/notes.toml", "libs.versions.toml", "mvn/maven.config", "a.lockfile", "m/script.kts",
		"README.md", "src/pom.xml.bak"} {
		if IsBuildFile(filepath.Join(dir, filepath.FromSlash(f))) {
			t.Errorf("%s counts as a build file", f)
		}
		writeTree(t, dir, map[string]string{f: "1"})
		if resolveKey(dir, modules, "gradle") != before {
			t.Errorf("%s matters to a kept answer", f)
		}
	}
}
