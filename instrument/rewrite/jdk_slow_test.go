//go:build slow

package rewrite

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file lets JVMs judge every class of the JDKs and of real libraries, and
// runs real programs on JDKs full of probes.

// TestWholeJDK puts every kind of probe into every class of each JDK, verifies
// them all, and runs java -version, javac and a real test suite with them.
func TestWholeJDK(t *testing.T) {
	for _, home := range testjdk.All(t) {
		if testjdk.Feature(t, home) < 9 {
			continue
		}
		t.Run(fmt.Sprint(testjdk.Feature(t, home)), func(t *testing.T) {
			p := patchJDK(t, home, plan.Full|plan.Roots, func(*jimage.Location) bool { return true })
			p.checkSkipped(t)
			t.Logf("%d classes, %d tries, %d catches, %d throw sites, %d guards", len(p.names), p.probes[probeTryEnter],
				p.probes[probeCaught], p.probes[probeThrown], p.probes[probeGuard])
			if n := p.link(t, linkHarness(t, home), nil, "--add-modules", "ALL-SYSTEM"); n != len(p.names) ||
				n < 24000 {
				t.Errorf("linked %d classes of %d, want all, and 24000 at least", n, len(p.names))
			}
			t.Run("version", func(t *testing.T) {
				if out := p.java(t, append(fullVerification, "-version")...); !strings.Contains(out,
					"64-Bit Server VM") {
					t.Errorf("java -version says %q", out)
				}
			})
			t.Run("javac", func(t *testing.T) { testPatchedJavac(t, p) })
			t.Run("suite", func(t *testing.T) { testPatchedSuite(t, p) })
		})
	}
}

// java runs the patched JDK.
func (p *patchedJDK) java(t testing.TB, args ...string) string {
	t.Helper()
	return runJava(t, p.home, append(p.options(), args...)...)
}

// testPatchedJavac compiles a program with the patched JDK's javac, and compares
// the classes with those of the JDK's own.
func testPatchedJavac(t *testing.T, p *patchedJDK) {
	source := filepath.Join("testdata", "Shapes.java")
	want, got := t.TempDir(), t.TempDir()
	testjdk.Javac(t, p.home, 0, nil, want, source)
	p.java(t, "-m", "jdk.compiler/com.sun.tools.javac.Main", "-g", "-nowarn", "-proc:none", "-encoding", "UTF-8",
		"-Xlint:-options", "-d", got, source)
	files, _ := filepath.Glob(filepath.Join(want, "*.class"))
	if len(files) < 5 {
		t.Fatalf("%d classes compiled, want 5 at least", len(files))
	}
	for _, f := range files {
		a, _ := os.ReadFile(f)
		b, err := os.ReadFile(filepath.Join(got, filepath.Base(f)))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs (%v)", filepath.Base(f), err)
		}
	}
}

// Libraries with their tests, and what the tests need.
const (
	codec      = "commons-codec:commons-codec:1.17.1"
	codecTests = codec + ":tests"
	lang       = "org.apache.commons:commons-lang3:3.17.0"
	console    = "org.junit.platform:junit-platform-console-standalone:1.11.4"
	hamcrest   = "org.hamcrest:hamcrest-core:1.3"
)

var libraries = []string{
	codec, codecTests, lang, lang + ":tests",
	"org.apache.commons:commons-csv:1.12.0", "org.apache.commons:commons-csv:1.12.0:tests",
	"commons-io:commons-io:2.18.0", "commons-io:commons-io:2.18.0:tests",
	"joda-time:joda-time:2.10.14", "junit:junit:4.13.2", "org.testng:testng:7.5.1", testjdk.ECJArtifact,
}

// patchJar rewrites the classes of a jar into a folder.
func (p *patchedJDK) patchJar(t testing.TB, jar, dir string) (names []string) {
	t.Helper()
	z, err := zip.OpenReader(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
		name, isClass := strings.CutSuffix(f.Name, ".class")
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "META-INF/versions/") ||
			strings.HasSuffix(name, "module-info") {
			continue
		}
		if isClass {
			if out := p.rewrite(t, data, plan.Full); out != nil {
				data = out
				names = append(names, strings.ReplaceAll(name, "/", "."))
			}
		}
		if err := writeClass(filepath.Join(dir, filepath.FromSlash(f.Name)), data); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

var testCounts = regexp.MustCompile(`(\d+) tests (successful|failed)`)

// testPatchedSuite runs the tests of commons-codec, with probes in the library
// and its tests, on the patched JDK: as many must pass as without any probe.
func testPatchedSuite(t *testing.T, p *patchedJDK) {
	dir := t.TempDir()
	p.patchJar(t, testjdk.Artifact(t, codec), dir)
	p.patchJar(t, testjdk.Artifact(t, codecTests), dir)
	p.checkSkipped(t)
	path := func(first ...string) string {
		more := []string{testjdk.Artifact(t, lang), testjdk.Artifact(t, hamcrest),
			testjdk.Artifact(t, "commons-io:commons-io:2.18.0")}
		return strings.Join(append(first, more...), string(os.PathListSeparator))
	}
	args := func(classPath, scan string) []string {
		return []string{"-jar", testjdk.Artifact(t, console), "execute", "--details=summary", "--disable-banner",
			"-cp", classPath, "--scan-classpath", scan, "-n",
			`org\.apache\.commons\.codec\.(net\..*|language\.[MS].*)Test`}
	}
	original := path(testjdk.Artifact(t, codecTests), testjdk.Artifact(t, codec))
	want := testCounts.FindAllString(runSuite(t, p.home, args(original, testjdk.Artifact(t, codecTests))), -1)
	got := testCounts.FindAllString(runSuite(t, p.home, append(p.options(), args(path(dir), dir)...)), -1)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(want) != 2 {
		t.Errorf("with probes %v, without %v", got, want)
	}
	t.Log(want)
}

// runSuite runs the tests; those that fail make the console launcher fail, too.
func runSuite(t *testing.T, home string, args []string) string {
	t.Helper()
	out, _ := tryJava(t, home, args)
	if !strings.Contains(out, "tests found") {
		t.Fatalf("no tests ran:\n%.3000s", out)
	}
	return out
}

// TestLibraries verifies every class of real libraries with every kind of probe.
func TestLibraries(t *testing.T) {
	home := testjdk.JDK(t, 17)
	p := patchJDK(t, home, plan.Full|plan.Roots, func(*jimage.Location) bool { return false })
	var dirs []string
	for _, l := range libraries {
		dir := t.TempDir()
		dirs = append(dirs, dir)
		p.names = append(p.names, p.patchJar(t, testjdk.Artifact(t, l), dir)...)
	}
	p.checkSkipped(t)
	// Some need what is not there; without probes it must be the same ones.
	path := func(entries []string) string {
		entries = append([]string{linkHarness(t, home)}, entries...)
		return strings.Join(append(entries, testjdk.Artifact(t, hamcrest), testjdk.Artifact(t, console)),
			string(os.PathListSeparator))
	}
	var jars []string
	for _, l := range libraries {
		jars = append(jars, testjdk.Artifact(t, l))
	}
	_, missing := linkNames(t, home, nil, path(jars), p.names)
	n := p.link(t, path(dirs), func(name string) bool { return missing[name] != "" })
	t.Logf("linked %d of %d classes; %d need classes that are not there", n, len(p.names), len(missing))
	if n < 3500 || len(missing) > 100 {
		t.Errorf("linked %d classes, want 3500 at least", n)
	}
}
