package buildtool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classpath"
)

// A module-info.java is compiled after the other sources, when it or the packages change. One that
// is wrong leaves no module, and what the build has made of it counts.
func TestDescribeModule(t *testing.T) {
	f := newFixture(t, 17, map[string]string{"p/A.java": "package p; public class A {}",
		"module-info.java": "/* module no { */\n@Deprecated open module m.one {\n exports p; requires static " +
			"java.sql; // requires x;\n}"})
	f.m.Release = 8
	check := func(when, name, packages string) {
		t.Helper()
		f.compile()
		m, err := classpath.ModuleOf(f.c.OutputDir(f.m.Key), 17)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m != nil {
			for _, e := range m.Exports {
				got += e.Package + " "
			}
			got = m.Name + ": " + strings.TrimSpace(got)
		}
		if want := strings.TrimSuffix(name+": "+packages, ": "); got != want {
			t.Errorf("%s: module %q, want %q", when, got, want)
		}
	}
	check("at first", "m.one", "p")
	f.write("module-info.java", "module m.one { exports p; exports q; }")
	check("without a package that it exports", "", "")
	f.write("q/B.java", "package q; public class B {}")
	check("with the package", "m.one", "p q")
	f.write("module-info.java", "module m.two { requires m.absent; }")
	check("without a module that it requires", "", "")
	f.m.UserOutputs = []string{filepath.Join(f.dir, "out")}
	f.write("module-info.java", "module m.three { exports q; }")
	check("before the build", "m.three", "q")
	if err := os.Mkdir(f.m.UserOutputs[0], 0o777); err != nil {
		t.Fatal(err)
	}
	check("where the build makes none", "", "")
	built, err := os.ReadFile(filepath.Join(f.c.OutputDir(f.m.Key), "p", "A.class"))
	if err == nil { // older than the source, whatever is in it
		err = os.WriteFile(filepath.Join(f.m.UserOutputs[0], moduleClass), built, 0o666)
	}
	if err == nil {
		err = os.Chtimes(filepath.Join(f.m.UserOutputs[0], moduleClass), time.Time{}, time.Now().Add(-time.Hour))
	}
	if err != nil {
		t.Fatal(err)
	}
	check("where that of the build is older", "m.three", "q")
}
