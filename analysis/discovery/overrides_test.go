package discovery

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

func TestConfigOverrides(t *testing.T) {
	opt := testOptions(t)
	dir := testfiles.Files{
		"catchlens.toml": `release = 11
excludeTests = [{ test = "p.NetTest", reason = "needs the network" }]
[test]
jvmArgs = ["-Xmx1g"]
systemProperties = { a = "1" }
[test.environment]
HOME2 = "/x"
[module."core"]
sources = ["java"]
classPath = ["lib/*", "extra.jar"]
[module.core.test]
framework = "testng"
[module.gone]
release = 8
`,
		"pom.xml":     "<project><groupId>x</groupId><artifactId>core</artifactId><version>1</version></project>",
		"java/A.java": "", "src/main/java/B.java": "", "lib/b.jar": "", "lib/a.jar": "", "lib/x.txt": "",
	}.In(t, t.TempDir())
	ws := open(t, opt, dir)
	m := ws.Module("core")
	equal(t, "sources", rel(dir, m.MainSources), "java")
	equal(t, "class path", rel(dir, m.ClassPath), "lib/a.jar lib/b.jar extra.jar")
	if m.Release != 11 || m.Test.Framework != workspace.TestNG || m.Test.JVMArgs[0] != "-Xmx1g" ||
		m.Test.SystemProperties["a"] != "1" || m.Test.Environment["HOME2"] != "/x" {
		t.Errorf("%+v", m)
	}
	equal(t, "needs trust", strings.Join(m.Test.NeedsTrust, " "), "jvmArgs environment")
	if ok, why := m.Test.Selects("p.NetTest", ""); ok || !strings.Contains(why, "network") {
		t.Errorf("NetTest: %v %s", ok, why)
	}
	wantProblem(t, ws.Problems, workspace.ConfigName, `"gone"`)
	// What the user wrote also wins over what the build tool reports.
	w2 := ws.WithClassPaths([]workspace.ResolvedClassPath{{Module: "core", ClassPath: []string{"/r.jar"},
		TestClassPath: []string{"/t.jar"}}})
	equal(t, "class path", rel(dir, w2.Module("core").ClassPath), "lib/a.jar lib/b.jar extra.jar")
	if m.Test.Frameworks != nil && ws.Module("core") != m {
		t.Error("the first workspace changed")
	}
}
