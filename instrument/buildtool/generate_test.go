package buildtool

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
)

// generatingMaven is a stand-in for Maven: it notes what it was asked in a file, generates a class
// from a template in each module that has one, and fails where a module has a file of that name.
const generatingMaven = `#!/bin/sh
printf '%%s\n' "$*" >> %[1]s
[ "$MAVEN_BASEDIR" = "$PWD" ] || { echo "the project is in $MAVEN_BASEDIR"; exit 1; }
for m in core app; do
  [ -f $m/pom.xml ] || { echo "no $m here"; exit 1; }
  [ -f build/pom.xml ] || { echo "the parent's folder is not here"; exit 1; }
  [ ! -e $m/target/classes ] && [ ! -e $m/build ] && [ ! -e .git ] || { echo "$m: copied too much"; exit 1; }
  if [ -f $m/fail ]; then echo "[ERROR] the grammar of $m is wrong"; status=1
  elif [ -f $m/template.txt ]; then
    mkdir -p $m/target/generated-sources/gen/p/build $m/target/generated-sources/annotations
    cp $m/template.txt $m/target/generated-sources/gen/p/build/Version.java
  fi
done
exit $status
`

// Sources that a build generates are generated in a copy, kept until an input changes, and what
// fails is said and tried again; a module that has generated sources is left alone.
func TestGenerate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Maven is a shell script")
	}
	asked := filepath.Join(t.TempDir(), "asked")
	module := func(name, plugins string) string {
		return "<project><parent><groupId>g</groupId><artifactId>root</artifactId><version>1</version></parent>" +
			"<artifactId>" + name + "</artifactId><build><plugins>" + plugins + "</plugins></build></project>"
	}
	generator := "<plugin><groupId>g</groupId><artifactId>templates</artifactId><executions><execution><goals>" +
		"<goal>filter-sources</goal></goals></execution></executions></plugin>"
	dir := writeTree(t, t.TempDir(), map[string]string{
		"pom.xml": "<project><parent><groupId>g</groupId><artifactId>top</artifactId>" +
			"<version>1</version><relativePath>build</relativePath></parent><groupId>g</groupId>" +
			"<artifactId>root</artifactId><version>1</version><packaging>pom</packaging><modules>" +
			"<module>core</module><module>app</module></modules></project>",
		"core/pom.xml":          module("core", generator),
		"core/template.txt":     "package p.build; public class Version { }\n",
		"core/src/main/java/C":  "",
		"core/target/classes/X": "",
		"core/build/x.jar":      "",
		"build/pom.xml": "<project><groupId>g</groupId><artifactId>top</artifactId><version>1</version>" +
			"<packaging>pom</packaging></project>",
		"app/pom.xml": module("app", "<plugin><groupId>g</groupId><artifactId>other</artifactId><executions>"+
			"<execution><phase>verify</phase><goals><goal>generate</goal></goals></execution></executions></plugin>"+
			strings.Replace(generator, "templates", "grammars", 1)),
		"app/src/main/java/A": "",
		"app/fail":            "",
		".git/HEAD":           "",
		"mvnw":                fmt.Sprintf(generatingMaven, asked),
	})
	ws, opt := openWorkspace(t, dir)
	times := func() int {
		data, _ := os.ReadFile(asked)
		return strings.Count(string(data), "generate-test-sources")
	}
	generate := func(w *workspace.Workspace, opt ResolveOptions) (*workspace.Workspace, error) {
		t.Helper()
		got, err := Generate(t.Context(), w, opt)
		if got == nil {
			t.Fatal(err)
		}
		return got, err
	}
	check := func(w *workspace.Workspace, text string) {
		t.Helper()
		if s := w.Module("core").GeneratedSources; len(s) != 1 {
			t.Errorf("generated sources of core: %q", s)
		} else if data, err := os.ReadFile(filepath.Join(s[0], "p", "build", "Version.java")); string(data) != text {
			t.Errorf("generated: %q, %v", data, err)
		}
	}
	if g := ws.Module("core").Generators; len(g) != 1 || g[0] != "templates" {
		t.Errorf("generators of core: %q", g)
	}
	kept := opt
	kept.KeptOnly = true
	if w, err := generate(ws, kept); err != nil || !LacksGenerated(w.Module("core")) || times() != 0 {
		t.Errorf("before anything was generated: %v, asked %d times", err, times())
	}

	got, err := generate(ws, opt) // offline, and then not
	check(got, "package p.build; public class Version { }\n")
	if err == nil || !strings.Contains(err.Error(), "the grammar of app is wrong") ||
		!LacksGenerated(got.Module("app")) || times() != 2 {
		t.Errorf("app fails: %v, asked %d times", err, times())
	}
	if _, err := os.Stat(filepath.Join(dir, "core", "target", "generated-sources")); err == nil {
		t.Error("the workspace was written to")
	}
	check(Recall(t.Context(), ws, opt.CacheDir), "package p.build; public class Version { }\n")
	if _, err := generate(ws, opt); err == nil || times() != 4 {
		t.Errorf("what failed is not tried again: %v, asked %d times", err, times())
	}

	if !GeneratedCurrent(got, opt) {
		t.Error("not current")
	}
	if err := os.Remove(filepath.Join(dir, "app", "fail")); err != nil {
		t.Fatal(err)
	}
	before := GeneratorInputs(ws)
	writeTree(t, dir, map[string]string{"core/template.txt": "package p.build; public class Version { int n; }\n"})
	if now := GeneratorInputs(ws); GeneratedCurrent(got, opt) || before == "" || now == before {
		t.Error("another template changes nothing")
	}
	for range 2 {
		w, err := generate(ws, opt)
		check(w, "package p.build; public class Version { int n; }\n")
		if err != nil || times() != 5 || LacksGenerated(w.Module("app")) ||
			len(w.Module("app").GeneratedSources) != 0 || GeneratorInputs(w) != "" {
			t.Errorf("another template: %v, asked %d times; app: %+v", err, times(), w.Module("app"))
		}
	}
	if old, _ := filepath.Glob(filepath.Join(opt.CacheDir, "generated", "*", "*")); len(old) != 2 { // with its sums
		t.Errorf("kept: %q", old)
	}

	writeTree(t, dir, map[string]string{"core/target/generated-sources/gen/p/Own.java": "",
		"app/target/generated-test-sources/gen/T.java": ""})
	own, _ := openWorkspace(t, dir)
	if w, err := generate(own, opt); err != nil || w != own || times() != 5 {
		t.Errorf("with the build's own: %v, asked %d times", err, times())
	}
}
