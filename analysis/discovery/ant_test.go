package discovery

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// What a target of Ant's sets for its tests, and what is copied with a filter before it, is named
// with the target; other targets, and copies as they are, are not.
func TestAntNotes(t *testing.T) {
	for name, c := range map[string]struct{ targets, want string }{
		"nothing set": {`<target name="test"><junit fork="yes"><batchtest/></junit></target>`, ""},
		"not for tests": {`<target name="run"><java><sysproperty key="a" value="b"/></java></target>` +
			`<target name="dist"><copy todir="x" filtering="true"/></target>`, ""},
		"a copy as it is": {`<target name="test"><copy todir="x"/><junit/></target>`, ""},
		"settings": {`<target name="test"><junit><sysproperty key="home" value="x"/><jvmarg value="-Da=b"/>` +
			`</junit></target>`,
			"target test has: <jvmarg> -Da=b, <sysproperty> home"},
		"assertions": {`<target name="test"><junit><assertions><enable/></assertions><jvmarg value="-ea"/>` +
			`<jvmarg line="-ea:p... -enableassertions"/></junit></target>`, ""},
		"fewer assertions": {`<target name="test"><junit><assertions><enable/><disable package="p"/></assertions>` +
			`<jvmarg line="-ea -Xmx1g"/></junit></target>`,
			"target test has: <assertions>, <jvmarg> -ea -Xmx1g"},
		"a filter after": {`<target name="test"><junit/><copy todir="x" filtering="true"/></target>`, ""},
		"filtering as Ant says it": {`<target name="test"><copy todir="x" filtering="Yes"/><junit/></target>`,
			"target test has: <copy> with a filter in test"},
		"a macro": {`<macrodef name="tests"><sequential><junit><sysproperty key="home" value="x"/></junit><tests/>` +
			`</sequential></macrodef><target name="test"><tests/></target>`, "target test has: <sysproperty> home"},
		"a call": {`<target name="p"><copy todir="x" filtering="on"/></target>` +
			`<target name="test"><antcall target="p"/><junit/></target>`,
			"target test has: <copy> with a filter in p"},
		"a call of tests": {`<target name="all"><antcall target="test"/></target>` +
			`<target name="test"><junit><env key="a" value="b"/></junit></target>`, "target test has: <env> a"},
		"a runner": {`<target name="test"><java classname="org.junit.runner.JUnitCore">` +
			`<sysproperty key="home" value="x"/></java></target>`, "target test has: <sysproperty> home"},
		"a filter before": {`<target name="prepare"><copy todir="x"><filterset/></copy></target>` +
			`<target name="mid" depends="prepare, test"/>` +
			`<target name="test" depends="mid"><sequential><junitlauncher/></sequential></target>`,
			"target test has: <copy> with a filter in prepare"},
	} {
		files := testfiles.Files{"src/p/A.java": "package p; class A { }",
			"build.xml": "<project>" + c.targets + "</project>"}
		m := open(t, testOptions(t), files.In(t, t.TempDir())).Modules[0]
		got := strings.Join(m.Test.NotRun, "; ")
		if !strings.HasSuffix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A build file of Ant's that cannot be read is no reason to warn. An edit of it asks for a new
// look, and so does one that is new.
func TestAntBuildFile(t *testing.T) {
	dir := testfiles.Files{"src/p/A.java": "package p; class A { }"}.In(t, t.TempDir())
	ws := open(t, testOptions(t), dir)
	before := ws.ScanFiles()
	file := filepath.Join(dir, "build.xml")
	for _, text := range []string{"<project><target>", "<project/>"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		now := ws.ScanFiles()
		if got := now.Changed(before).Build; !slices.Equal(got, []string{file}) {
			t.Errorf("%s: changed build files %q", text, got)
		}
		before = now
		ws = open(t, testOptions(t), dir)
		if !slices.Contains(ws.Modules[0].BuildFiles, file) {
			t.Errorf("%s: build files %q", text, ws.Modules[0].BuildFiles)
		}
		for _, p := range ws.Problems {
			if p.File == file && p.Severity != workspace.Info {
				t.Errorf("%s: %s: %s", text, p.Severity, p.Message)
			}
		}
	}
}
