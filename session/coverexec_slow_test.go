//go:build slow

package session_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file has JaCoCo say what its agent records of a workspace's tests, and what we do.

const coverApartTest = `package cov;
public class SignTest {
    @org.junit.Test(expected = NumberFormatException.class) public void leaves() { Cov.joined("x"); }
    @org.junit.Test public void passes() { org.junit.Assert.assertEquals(0, Cov.joined(null)); }
    @org.junit.Test public void less() { org.junit.Assert.assertEquals(-1, Cov.of(Cov.Sign.LESS)); }
}
`

// Execution data is, bit by bit, what JaCoCo's agent records of the same tests, where no line with
// a return is left by an exception: also of the class that javac makes for a switch over an enum,
// and where one test leaves a block by an exception, and another comes from elsewhere to what
// follows.
func TestExecIsWhatTheAgentRecords(t *testing.T) {
	c := newCovered(t, coverSignTest)
	c.edit(t, "    static int twice", `    enum Sign { LESS, MORE }
    static int of(Sign s) {
        switch (s) {
            case LESS: return -1;
            default: return 1;
        }
    }
    static int joined(String s) {
        int n;
        if (s != null) {
            n = Integer.parseInt(s);
        } else {
            n = 0;
        }
        return n;
    }
    static int twice`)
	sources, home := c.path("test/cov/SignTest.java"), testjdk.JDK(t, 17)
	if err := os.WriteFile(sources, []byte(coverApartTest), 0o666); err != nil {
		t.Fatal(err)
	}
	junit := []string{testjdk.Artifact(t, "junit:junit:4.13.2"), testjdk.Artifact(t, "org.hamcrest:hamcrest-core:1.3")}
	testjdk.Javac(t, home, 8, append(junit, c.path("out/main")), c.path("out/test"), sources)
	reload(t, c.s)
	suite, _ := cover(t, c.s)
	var b bytes.Buffer
	if leftOut, err := coverage.WriteExec(&b, suite, c.s.View().Snap); err != nil || len(leftOut) > 0 {
		t.Fatal(leftOut, err)
	}
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "ours.exec"), filepath.Join(dir, "theirs.exec")
	if err := os.WriteFile(ours, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	agent := testjdk.Artifact(t, "org.jacoco:org.jacoco.agent:0.8.15:runtime")
	cp := strings.Join(append(junit, c.path("out/main"), c.path("out/test")), string(os.PathListSeparator))
	if out, err := exec.Command(testjdk.Tool(home, "java"), "-javaagent:"+agent+"=excludes=*Test,destfile="+theirs,
		"-cp", cp, "org.junit.runner.JUnitCore", "cov.SignTest", "cov.TwiceTest").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, got := execDataOf(t, theirs), execDataOf(t, ours)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the agent's -, ours +:\n%s", diff)
	}
	if len(want) != 3 {
		t.Errorf("the agent has %d classes: %q", len(want), want)
	}
}

// execDataOf is what JaCoCo reads of a file with execution data: a line for each class.
func execDataOf(t *testing.T, file string) []string {
	t.Helper()
	home, cp := testjdk.JDK(t, 17), []string{t.TempDir(), testjdk.Artifact(t, "org.jacoco:org.jacoco.core:0.8.15")}
	testjdk.Javac(t, home, 17, cp[1:], cp[0], filepath.Join("..", "instrument", "coverage", "testdata", "jacoco",
		"Data.java"))
	out, err := exec.Command(testjdk.Tool(home, "java"), "-cp", strings.Join(cp, string(os.PathListSeparator)), "Data",
		file, "cov").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	return lines
}
