package discovery

import (
	"strings"
	"testing"

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
