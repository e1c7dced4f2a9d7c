//go:build slow

package buildtool

// This file compiles a real library from its sources.

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// TestRealLibrary compiles commons-lang3 whole, then after an edit of one
// body and one of a much used declaration. The classes are those of the
// published jar.
func TestRealLibrary(t *testing.T) {
	f := newFixture(t, 17, nil)
	z, err := zip.OpenReader(testjdk.Artifact(t, "org.apache.commons:commons-lang3:3.17.0:sources"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, e := range z.File {
		if !strings.HasSuffix(e.Name, ".java") {
			continue
		}
		in, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		f.write(e.Name, string(text))
	}
	f.m.Release = 8
	cold := f.compile()
	if len(cold.Failed) > 0 {
		t.Fatalf("failed %q: %v", cold.Failed, cold.Diagnostics[0])
	}
	have := map[string]bool{}
	for _, c := range strings.Fields(f.classes()) {
		have[c] = true
	}
	jar, err := zip.OpenReader(testjdk.Artifact(t, "org.apache.commons:commons-lang3:3.17.0"))
	if err != nil {
		t.Fatal(err)
	}
	defer jar.Close()
	n := 0
	for _, e := range jar.File {
		if strings.HasSuffix(e.Name, ".class") && !strings.HasSuffix(e.Name, "-info.class") {
			// Maven asks for classes of packages, javac alone writes none
			n++
			if !have[e.Name] {
				t.Errorf("%s is not compiled", e.Name)
			}
		}
	}
	if n < 350 {
		t.Errorf("only %d classes in the jar", n)
	}
	edit := func(name, old, new string) Result {
		t.Helper()
		p := f.path(name)
		text, err := os.ReadFile(p)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%s does not hold %q: %v", filepath.Base(p), old, err)
		}
		f.write(name, strings.Replace(string(text), old, new, 1))
		return f.compile()
	}
	body := edit("org/apache/commons/lang3/CharUtils.java", "return ch < 128;", "return 128 > ch;")
	f.want(body, "org/apache/commons/lang3/CharUtils", "")
	decl := edit("org/apache/commons/lang3/CharUtils.java", "public static boolean isAscii(",
		"public static void added() { }\n    public static boolean isAscii(")
	if len(decl.Failed) > 0 || len(decl.Compiled) < 2 || len(decl.Compiled) > 50 || !decl.APIChanged {
		t.Errorf("after a new method in CharUtils: compiled %d, failed %d", len(decl.Compiled), len(decl.Failed))
	}
	wide := edit("org/apache/commons/lang3/StringUtils.java", "public static String abbreviate(",
		"public static void added() { }\n    public static String abbreviate(")
	if len(wide.Failed) > 0 || len(wide.Compiled) < 20 {
		t.Errorf("after a new method in StringUtils: compiled %d, failed %d", len(wide.Compiled), len(wide.Failed))
	}
	nothing := f.compile()
	t.Logf("whole %v (%d sources), one body %v, CharUtils' declarations %v (%d sources), StringUtils' %v (%d), "+
		"nothing %v", cold.Duration, len(cold.Compiled),
		body.Duration, decl.Duration, len(decl.Compiled), wide.Duration, len(wide.Compiled), nothing.Duration)
}
