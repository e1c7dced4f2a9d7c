package callgraph_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// internalPackages are those whose natives the program calls by reflection.
var internalPackages = []string{"java.base/java.lang", "java.base/jdk.internal.misc",
	"java.base/jdk.internal.reflect", "java.base/jdk.internal.perf", "jdk.management/com.sun.management.internal"}

// What natives throw in real JVMs, where a program misuses them, is what their rows, or their
// declarations where there is none, say that they throw.
func TestThrowsOfNatives(t *testing.T) {
	for _, home := range testjdk.All(t) {
		feature := testjdk.Feature(t, home)
		if feature < 17 {
			continue // the program has a record
		}
		dir := t.TempDir()
		testjdk.Javac(t, home, 0, nil, dir, filepath.Join("testdata", "ThrowingNatives.java"))
		args := []string{"-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", dir}
		for _, p := range internalPackages {
			args = append(args, "--add-opens", p+"=ALL-UNNAMED")
		}
		out, err := exec.Command(testjdk.Tool(home, "java"), append(args, "ThrowingNatives")...).Output()
		if err != nil {
			t.Fatalf("JDK %d: %v", feature, err)
		}
		p := programtest.Open(t, home, facts.Options{}, 0, dir)
		seen := 0
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line) // class, method, is it native, exception
			if len(f) != 4 {
				t.Errorf("JDK %d: %q: the call throws nothing", feature, line)
				continue
			}
			if f[2] != "true" {
				continue // this JDK asks in Java
			}
			seen++
			if throws := throwsOf(p, f[0], f[1]); !covers(p, throws, f[3]) {
				t.Errorf("JDK %d: the native %s.%s throws %s: the analysis knows of %q", feature, f[0], f[1], f[3],
					throws)
			}
		}
		if seen < 110 { // of 155 calls, two or three are caught by code in Java
			t.Errorf("JDK %d: %d natives threw", feature, seen)
		}
	}
}

// throwsOf lists what the overloads of a native are said to throw, with AnySubtype where subclasses
// are.
func throwsOf(p *programtest.Program, class, name string) (out []string) {
	c, ok := p.Class(class)
	if !ok {
		return nil
	}
	for i := range c.Methods {
		m := &c.Methods[i]
		if m.Name != name || m.Access&hierarchy.AccNative == 0 {
			continue
		}
		row, ok := natives.Model(class, name, m.Desc, true)
		if ok && len(row.Throws) > 0 {
			out = append(out, row.Throws...)
			continue
		}
		for _, d := range m.Declared() {
			out = append(out, d+natives.AnySubtype)
		}
	}
	return out
}

// covers tells whether an exception is one of those that throwsOf lists.
func covers(p *programtest.Program, throws []string, exception string) bool {
	if slices.Contains(throws, exception) {
		return true
	}
	for exception != "" {
		if slices.Contains(throws, exception+natives.AnySubtype) {
			return true
		}
		c, ok := p.Class(exception)
		if !ok {
			return false
		}
		exception = c.Super
	}
	return false
}
