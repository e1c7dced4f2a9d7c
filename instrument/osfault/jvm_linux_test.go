//go:build linux && (amd64 || arm64)

package osfault

// This file starts the JVM that the tests break things under.

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// jvm runs testdata/java/Ops.java, one operation a line.
type jvm struct {
	t   *testing.T
	s   *Supervisor
	p   *sandbox.Process
	in  io.Writer
	out *bufio.Scanner
	dir string // where it may write
}

func startJVM(t *testing.T, home string, change func(*Supervisor)) *jvm {
	t.Helper()
	return startUnder(t, home, change)
}

// startUnder starts the JVM by another command, given without the JVM's own;
// {dir} in it is the folder that the JVM may write to.
func startUnder(t *testing.T, home string, change func(*Supervisor), wrapper ...string) *jvm {
	t.Helper()
	if err := Available(); err != nil {
		testjdk.Missing(t, "the os engine: %v", err)
	}
	classes := t.TempDir()
	testjdk.Javac(t, home, 8, nil, classes, filepath.Join("testdata", "java", "Ops.java"))
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	j := &jvm{t: t, s: New(), in: inW, out: bufio.NewScanner(outR), dir: dir}
	if change != nil {
		change(j.s)
	}
	var command []string
	for _, w := range wrapper {
		command = append(command, strings.ReplaceAll(w, "{dir}", dir))
	}
	command = append(command, testjdk.Tool(home, "java"), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", classes,
		"Ops")
	j.p, err = sandbox.Start(sandbox.Command{Path: command[0], Args: command[1:],
		Env: os.Environ(), Dir: dir, Stdin: inR, Stdout: outW, Stderr: os.Stderr, Write: []string{dir},
		Trap: Traps(), Supervise: j.s.Serve})
	inR.Close()
	outW.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		inW.Close()
		j.p.Kill()
		j.s.Close()
		outR.Close()
	})
	return j
}

// do carries out one operation and returns what the JVM said.
func (j *jvm) do(words ...string) string {
	j.t.Helper()
	if _, err := io.WriteString(j.in, strings.Join(words, " ")+"\n"); err != nil {
		j.t.Fatal(err)
	}
	if !j.out.Scan() {
		j.t.Fatalf("the JVM ended in %v: %+v", words, j.p.Wait())
	}
	return j.out.Text()
}

// want carries out one operation that must say this.
func (j *jvm) want(said string, words ...string) {
	j.t.Helper()
	if got := j.do(words...); got != said {
		j.t.Errorf("%s: %q, want %q", strings.Join(words, " "), got, said)
	}
}

// file makes a file below the JVM's folder.
func (j *jvm) file(name, content string) string {
	j.t.Helper()
	path := filepath.Join(j.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		j.t.Fatal(err)
	}
	return path
}

// arm switches on a fault of a kind.
func (j *jvm) arm(kind string, change func(*Fault)) *Armed {
	j.t.Helper()
	f, err := Of(kind)
	if err != nil {
		j.t.Fatal(err)
	}
	change(&f)
	a, err := j.s.Arm(f)
	if err != nil {
		j.t.Fatal(err)
	}
	return a
}

func path(p string) func(*Fault) { return func(f *Fault) { f.Path = p } }
