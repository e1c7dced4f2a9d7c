package coverage_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// execData are the probes of each class in a file of JaCoCo's.
func execData(t *testing.T, file []byte) map[string][]bool {
	t.Helper()
	at, classes := 0, map[string][]bool{}
	take := func(n int) []byte {
		if at+n > len(file) {
			t.Fatalf("cut short at %d", len(file))
		}
		at += n
		return file[at-n : at]
	}
	text := func() string { return string(take(int(binary.BigEndian.Uint16(take(2))))) }
	for at < len(file) {
		switch kind := take(1)[0]; kind {
		case 0x01:
			if head := take(4); binary.BigEndian.Uint32(head) != 0xC0C01007 {
				t.Fatalf("the header is %x", head)
			}
		case 0x10:
			text()
			take(16)
		case 0x11:
			id := binary.BigEndian.Uint64(take(8))
			name := text()
			n, size := binary.Uvarint(file[at:])
			take(size)
			bits := take(int(n+7) / 8)
			probes := make([]bool, n)
			for i := range probes {
				probes[i] = bits[i/8]>>(i%8)&1 != 0
			}
			classes[fmt.Sprintf("%s %x", name, id)] = probes
		default:
			t.Fatalf("a block %x", kind)
		}
	}
	return classes
}

// What JaCoCo's agent records of a run is what is written for it, but for what follows in a block
// that an exception left.
func TestExecOfRuns(t *testing.T) {
	for _, c := range []struct {
		jdk, release int
		main         string
		tests        []string // arguments that main is run with, once for each
		beyond       int      // probes that are hit in ours alone, each in a block that an exception left
	}{
		{17, 11, "Filters", nil, 0}, {17, 17, "Filters", nil, 0}, {25, 25, "Filters", nil, 0},
		{17, 17, "Labels", nil, 0}, {17, 17, "Records", nil, 0},
		{25, 25, "Patterns", nil, 0}, {17, 17, "Leaving", nil, 2},
		{17, 17, "Apart", []string{"leave", "pass"}, 0}, {17, 17, "Apart", nil, 1},
		{17, 17, "Apart", []string{"begin", "finish"}, 0}, {17, 17, "Apart", []string{"loop", "finish"}, 0},
	} {
		t.Run(fmt.Sprint(c.main, "/", c.jdk, "/", c.release, "/", strings.Join(c.tests, ",")), func(t *testing.T) {
			home, classes := testjdk.JDK(t, c.jdk), t.TempDir()
			source := filepath.Join("testdata", c.main+".java")
			all, hits := runParts(t, home, c.release, testjdk.Javac, source, classes, c.tests...)
			recorded := execByAgent(t, home, classes, c.main, c.tests...)
			same, beyond := 0, 0
			for n, k := range all {
				var tests [][][]bool
				for _, hit := range hits {
					tests = append(tests, k.hits(func(p int) bool { return hit[[2]int{n, p}] }))
				}
				id, probes, err := k.JacocoClass(k.data, tests...)
				if err != nil {
					t.Fatal(err)
				}
				theirs, ran := recorded[fmt.Sprintf("%s %x", k.Name(), id)]
				if !ran {
					theirs = make([]bool, len(probes))
				}
				if len(theirs) != len(probes) {
					t.Fatalf("%s: %d probes, JaCoCo has %d", k.Name(), len(probes), len(theirs))
				}
				for i := range probes {
					switch {
					case probes[i] == theirs[i]:
						same++
					case probes[i]:
						beyond++
						t.Logf("%s: probe %d is hit in ours alone", k.Name(), i)
					default:
						t.Errorf("%s: probe %d is hit in JaCoCo's alone", k.Name(), i)
					}
				}
			}
			if same == 0 || beyond != c.beyond || len(recorded) == 0 {
				t.Errorf("%d probes are alike, %d are hit in ours alone (want %d)", same, beyond, c.beyond)
			}
		})
	}
}

// What JaCoCo says of a line stands beside what we do, where it is something else: of lines that an
// exception leaves, and of patterns.
func TestBesideJaCoCo(t *testing.T) {
	for _, c := range []struct {
		jdk, release int
		main         string
	}{{17, 17, "Thrown"}, {25, 25, "Patterns"}} {
		t.Run(c.main, func(t *testing.T) {
			home, classes := testjdk.JDK(t, c.jdk), t.TempDir()
			source := filepath.Join("testdata", c.main+".java")
			testjdk.Javac(t, home, c.release, nil, classes, source)
			out, err := exec.Command(testjdk.Tool(home, "java"), "-cp",
				coverage.JaCoCo(t, testjdk.JDK(t, 17), "Read.java"), "Read",
				runWithAgent(t, home, classes, c.main), classes).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			said := map[string]string{}
			for line := range strings.Lines(string(out)) {
				place, what, _ := strings.Cut(strings.TrimSpace(line), " ")
				said[place] = what
			}
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			other := 0
			for i, line := range strings.Split(string(text), "\n") {
				_, want, _ := strings.Cut(line, "//# ")
				want, theirs, differs := strings.Cut(want, " //=")
				if differs {
					want = strings.TrimSpace(theirs)
					other++
				}
				if got := said[fmt.Sprintf("%s.java:%d", c.main, i+1)]; got != want {
					t.Errorf("%s:%d: JaCoCo says %q, want %q", source, i+1, got, want)
				}
			}
			if other == 0 {
				t.Error("JaCoCo says the same of all lines")
			}
		})
	}
}

// execByAgent is what JaCoCo's agent records of a program that runs once with each argument.
func execByAgent(t *testing.T, home, classes, main string, args ...string) map[string][]bool {
	t.Helper()
	text, err := os.ReadFile(runWithAgent(t, home, classes, main, args...))
	if err != nil {
		t.Fatal(err)
	}
	return execData(t, text)
}

// runWithAgent runs a program once with each argument, and returns the file that JaCoCo's agent
// writes.
func runWithAgent(t *testing.T, home, classes, main string, args ...string) (file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(t.TempDir(), "jacoco.exec")
	testjdk.Javac(t, home, 8, nil, dir, filepath.Join("testdata", "catchlens", "rt", "Probe.java"))
	agent := testjdk.Artifact(t, "org.jacoco:org.jacoco.agent:0.8.15:runtime")
	command := append([]string{"-javaagent:" + agent + "=excludes=catchlens.*,destfile=" + file, "-cp",
		classes + string(os.PathListSeparator) + dir, "catchlens.rt.Probe", main}, args...)
	out, err := exec.Command(testjdk.Tool(home, "java"), command...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}
