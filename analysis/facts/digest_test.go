package facts

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// digestBase is the class that the tests of CodeDigest vary. m is the method
// looked at.
const digestBase = `package p;
import java.util.function.*;
class D {
    /*members*/
    int m(String s) {
        try {
            Supplier<String> f = () -> s + "a";
            Function<String, Runnable> g = t -> () -> System.out.println(t);
            g.apply(f.get()).run();
            switch (s) { case "x": return 1; case "y": return 2; default: return s.length(); }
        } catch (IllegalStateException e) {
            return -1;
        }
    }
}
`

// manyConstants fills the constant pool beyond what ldc can reach.
func manyConstants() string {
	var w strings.Builder
	w.WriteString("String[] all() { return new String[] {")
	for i := range 300 {
		fmt.Fprintf(&w, "\"c%d\",", i)
	}
	w.WriteString("}; }")
	return w.String()
}

func TestCodeDigest(t *testing.T) {
	replace := func(old, new string) string {
		text := strings.Replace(digestBase, old, new, 1)
		if text == digestBase {
			t.Fatalf("%q is not in the base", old)
		}
		return text
	}
	same := map[string]string{
		"lines above":     replace("class D {", "\n\n\nclass D {\n\n"),
		"a lambda above":  replace("/*members*/", "Runnable r() { return () -> {}; } Runnable q = () -> r();"),
		"constants above": replace("/*members*/", manyConstants()),
		"a field and method": replace("/*members*/",
			"static long counter = 5L; static double twice(double d) { return 2 * d; }"),
		"a renamed variable": strings.ReplaceAll(digestBase, " e)", " other)"),
		"the method's name":  replace("int m(", "int renamed("),
	}
	different := map[string]string{
		"a string":            replace(`case "x"`, `case "z"`),
		"a number":            replace("return -1", "return -2"),
		"the caught type":     replace("IllegalStateException", "IllegalArgumentException"),
		"the try block":       replace("try {", "s.length(); try {"),
		"a call":              replace("g.apply(f.get())", "g.apply(f.toString())"),
		"a lambda's body":     replace(`s + "a"`, `s + "b"`),
		"a nested lambda":     replace("println(t)", "print(t)"),
		"a synchronized flag": replace("int m(", "synchronized int m("),
		"a parameter":         replace("m(String s)", "m(String s, int unused)"),
		"a branch":            replace("return 1;", ""),
	}
	for _, cfg := range []configuration{{"javac", testjdk.Javac, 17, 8}, {"javac", testjdk.Javac, 25, 25},
		{"ecj", testjdk.ECJCompile, 17, 17}} {
		sums := digestsOf(t, cfg, map[string]string{"base": digestBase}, same, different)
		for what := range same {
			if sums[what] != sums["base"] {
				t.Errorf("%s, release %d: %s changes the digest of m", cfg.name, cfg.release, what)
			}
		}
		for what := range different {
			if sums[what] == sums["base"] {
				t.Errorf("%s, release %d: %s does not change the digest of m", cfg.name, cfg.release, what)
			}
		}
	}
}

// digestsOf compiles variants of digestBase, each in a package of its own, and
// returns their digests of m. They share names with the variants.
func digestsOf(t *testing.T, cfg configuration, variants ...map[string]string) map[string][16]byte {
	t.Helper()
	dir := t.TempDir()
	var files []string
	packages := map[string]string{} // package -> name of the variant
	for _, v := range variants {
		for _, name := range slices.Sorted(maps.Keys(v)) {
			p := fmt.Sprintf("p%d", len(files))
			src := filepath.Join(dir, p, "D.java")
			if err := os.Mkdir(filepath.Dir(src), 0o777); err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(v[name], "package p;", "package "+p+";", 1)
			if err := os.WriteFile(src, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			files = append(files, src)
			packages[p] = name
		}
	}
	sums := map[string][16]byte{}
	for _, r := range compileRecords(t, cfg, files...) {
		for _, m := range r.Methods {
			if m.Name == "m" || m.Name == "renamed" {
				sums[packages[strings.TrimSuffix(r.Name, "/D")]] = m.CodeDigest
			}
		}
	}
	if len(sums) != len(files) {
		t.Fatalf("%d digests of %d variants", len(sums), len(files))
	}
	return sums
}

// Debug information and frames are no part of the digest.
func TestCodeDigestWithoutDebugInformation(t *testing.T) {
	out := t.TempDir()
	src := filepath.Join(t.TempDir(), "D.java")
	if err := os.WriteFile(src, []byte(digestBase), 0o666); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, out, src)
	data, err := os.ReadFile(filepath.Join(out, "p", "D.class"))
	if err != nil {
		t.Fatal(err)
	}
	record := func(strip bool) *Class {
		c, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range c.Methods {
			code, err := c.Code(m)
			if err != nil {
				t.Fatal(err)
			}
			if strip {
				code.Attributes = nil
				if err := c.SetCode(m, code); err != nil {
					t.Fatal(err)
				}
			}
		}
		r, problems := FromClass(c, data, Options{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return r
	}
	with, without := record(false), record(true)
	for i := range with.Methods {
		if with.Methods[i].CodeDigest != without.Methods[i].CodeDigest {
			t.Errorf("%s: the digest depends on debug information", with.Methods[i].Name)
		}
		if without.Methods[i].FirstLine != 0 || with.Methods[i].FirstLine == 0 {
			t.Errorf("%s: first lines %d and %d", with.Methods[i].Name, with.Methods[i].FirstLine,
				without.Methods[i].FirstLine)
		}
	}
}
