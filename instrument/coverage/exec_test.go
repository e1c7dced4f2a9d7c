package coverage

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// JacocoClass is what WriteExec writes of a class, for tests outside of the package. hits are those
// of each test, by method.
func (c *Class) JacocoClass(data []byte, hits ...[][]bool) (id uint64, probes []bool, err error) {
	probes, err = c.jacocoHits(func(i int, _ *Method) (tests [][]bool) {
		for _, methods := range hits {
			tests = append(tests, methods[i])
		}
		return tests
	})
	return jacocoClassID(data), probes, err
}

// JaCoCo is the class path of a program that uses JaCoCo, which a test has compiled from a file of
// testdata/jacoco.
func JaCoCo(t *testing.T, home, source string) string {
	t.Helper()
	cp := []string{t.TempDir()}
	for _, jar := range []string{"org.jacoco:org.jacoco.core:0.8.15", "org.jacoco:org.jacoco.report:0.8.15",
		"org.ow2.asm:asm:9.10.1", "org.ow2.asm:asm-commons:9.10.1", "org.ow2.asm:asm-tree:9.10.1"} {
		cp = append(cp, testjdk.Artifact(t, jar))
	}
	testjdk.Javac(t, home, 17, cp[1:], cp[0], filepath.Join("testdata", "jacoco", source))
	return strings.Join(cp, string(os.PathListSeparator))
}

// JaCoCo's probes of a class have the numbers and places that JaCoCo itself gives them, and its id
// is JaCoCo's: in classes of javac, ECJ and others, for old and new versions.
func TestJaCoCosNumbers(t *testing.T) {
	home := testjdk.JDK(t, 17)
	cp := JaCoCo(t, home, "Numbers.java")
	probes, old := 0, 0
	for _, artifact := range []string{"org.apache.commons:commons-lang3:3.17.0", "junit:junit:3.8.2",
		"commons-codec:commons-codec:1.17.1",
		"org.testng:testng:7.5.1", "org.junit.jupiter:junit-jupiter-engine:5.10.2"} {
		jar := testjdk.Artifact(t, artifact)
		out, err := exec.Command(testjdk.Tool(home, "java"), "-cp", cp, "Numbers", jar).Output()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			name, rest, _ := strings.Cut(line, " ")
			want[name] = rest
		}
		eachClass(t, jar, func(name string, data []byte) {
			got, n, err := numbersOf(data)
			if errors.Is(err, errSubroutine) {
				old++ // JaCoCo writes them anew before it counts: they are left out
				return
			}
			if err != nil || got != want[name] {
				t.Errorf("%s %s: %v\n%s\nJaCoCo says\n%s", artifact, name, err, got, want[name])
			}
			probes += n
		})
	}
	if probes < 10_000 || old == 0 {
		t.Errorf("%d probes were compared, %d classes have subroutines", probes, old)
	}
}

// eachClass calls do with each class file of a jar.
func eachClass(t *testing.T, jar string, do func(name string, data []byte)) {
	t.Helper()
	z, err := zip.OpenReader(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".class") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		do(f.Name, data)
	}
}

// numbersOf is what Numbers.java prints of a class, and how many probes it has.
func numbersOf(data []byte) (text string, probes int, err error) {
	c, err := classfile.Parse(data)
	if err != nil {
		return "", 0, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%x", jacocoClassID(data))
	for _, m := range c.Methods {
		code, err := c.Code(m)
		if err != nil {
			return "", 0, err
		}
		if code == nil {
			continue
		}
		f, err := decode(c, code)
		if err != nil {
			return "", 0, err
		}
		for _, p := range f.jacocoProbes() {
			fmt.Fprintf(&b, " %d:%d>%d", probes, p.from, p.to)
			probes++
		}
	}
	fmt.Fprintf(&b, " of %d", probes)
	return b.String(), probes, nil
}
