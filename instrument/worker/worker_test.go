package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// placeholder is the class number's constant in the Java sources of the tests.
const placeholder = 0x5eed0001

// handMade is the rewriter for sources that call the probes themselves: it finds
// the constant.
func handMade(_, name string, original []byte) ([]byte, Meta, bool) {
	pattern := binary.BigEndian.AppendUint32([]byte{3}, placeholder)
	i := bytes.Index(original, pattern)
	if i < 0 {
		return nil, Meta{}, false
	}
	return original, Meta{NumberOffset: i + 1, Tries: 2, Handlers: 2, Sites: 1, Methods: 1}, true
}

// testCache keeps the compiled agent over runs of the tests.
func testCache(t testing.TB) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "catchlens-test", "agent")
}

// compileTests compiles Java sources that call the probes.
func compileTests(t testing.TB, jdk string, cp []string, files ...string) string {
	t.Helper()
	jar, err := agent.Builder{JDK: jdk, Cache: testCache(t)}.Jar(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	testjdk.Javac(t, jdk, 8, append([]string{jar}, cp...), out, files...)
	return out
}

func plainSpec(t testing.TB, jdk string) Spec {
	t.Helper()
	return Spec{JDK: jdk, Cache: testCache(t),
		ClassPath: []string{compileTests(t, jdk, nil, "testdata/plain/Plain.java")},
		Rewriter:  handMade, TestTimeout: time.Minute,
		Log: func(s string) {
			if testing.Verbose() {
				fmt.Println("agent:", s)
			}
		}}
}

func startJVM(t testing.TB, spec Spec) *JVM {
	t.Helper()
	j, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func run(t testing.TB, j *JVM, q Request) *RunResult {
	t.Helper()
	r, err := j.Run(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// awaitTest returns when a test has begun, or the JVM has ended.
func awaitTest(ctx context.Context, j *JVM, id string) {
	for begun := false; !begun && j.Alive() && ctx.Err() == nil; {
		time.Sleep(10 * time.Millisecond)
		j.mu.Lock()
		begun = j.lastTest == id
		j.mu.Unlock()
	}
}

// byMethod finds the result of a test method.
func byMethod(t testing.TB, r *RunResult, method string) Test {
	t.Helper()
	for _, x := range r.Tests {
		if x.Method == method || strings.HasSuffix(x.ID, "#"+method) {
			return x
		}
	}
	t.Fatalf("no result of %s among %d", method, len(r.Tests))
	return Test{}
}

// show prints a record the way that tests compare it.
func show(r Record) string {
	var b strings.Builder
	for _, c := range r.Classes {
		for _, k := range []struct {
			name string
			list []Count
		}{{"try", c.Tries}, {"caught", c.Caught}, {"uncaught", c.Uncaught}} {
			for _, x := range k.list {
				fmt.Fprintf(&b, "%s %s %d x%d\n", c.Class.Name, k.name, x.N, x.Times)
			}
		}
		for _, m := range c.Methods {
			fmt.Fprintf(&b, "%s method %d\n", c.Class.Name, m)
		}
	}
	lines := []string{}
	for _, l := range r.Links {
		s := fmt.Sprintf("%s -> %s %d %s x%d\n", showSite(l.Site), l.Catch.Name, l.Handler, l.Exception, l.Times)
		lines = append(lines, s)
	}
	sortStrings(lines)
	return b.String() + strings.Join(lines, "")
}

func sortStrings(s []string) {
	for i := range s {
		for k := i; k > 0 && s[k] < s[k-1]; k-- {
			s[k], s[k-1] = s[k-1], s[k]
		}
	}
}

func showSite(s Site) string {
	switch s.Kind {
	case Explicit:
		return fmt.Sprintf("explicit %s %d", s.Class.Name, s.N)
	case Native, Implicit:
		return fmt.Sprintf("%s %s.%s", s.Kind, s.Name, s.Method)
	}
	return string(s.Kind)
}

// TestRecords runs a whole class and compares outcomes and records.
func TestRecords(t *testing.T) {
	j := startJVM(t, plainSpec(t, testjdk.JDK(t, 17)))
	r := run(t, j, Request{Adapter: agent.Plain, Classes: []string{"Plain"}})
	if r.Died != nil {
		t.Fatalf("%+v", r.Died)
	}
	want := map[string]string{
		"testA": "Plain try 0 x2\nPlain method 0\n",
		"testB": "Plain try 0 x1\nPlain caught 0 x1\nPlain method 0\n" +
			"native java/io/FileInputStream.open0 -> Plain 0 java/io/FileNotFoundException x1\n",
		"testC": "Plain try 0 x1\nPlain try 1 x1\nPlain caught 1 x1\nPlain uncaught 0 x1\nPlain method 0\n" +
			"explicit Plain 0 -> Plain 1 java/lang/IllegalArgumentException x1\n",
		"testD": "Plain try 0 x1\nPlain caught 1 x1\nPlain caught 3 x1\nPlain uncaught 0 x1\nPlain method 0\n" +
			"Plain$1 caught 2 x1\nPlain$1 method 5\n" +
			"explicit Plain 0 -> Plain 1 java/lang/IllegalArgumentException x1\n" +
			"explicit Plain 0 -> Plain$1 2 java/lang/IllegalArgumentException x1\n" +
			"implicit Plain.testD -> Plain 3 java/lang/NullPointerException x1\n",
	}
	for m, w := range want {
		x := byMethod(t, r, m)
		if x.Outcome != Pass {
			t.Errorf("%s: %s %+v", m, x.Outcome, x.Failure)
		}
		if got := show(x.Record); got != w {
			t.Errorf("%s recorded\n%swant\n%s", m, got, w)
		}
	}
	if x := byMethod(t, r, "testA"); x.Stdout != "hello from A\n" || x.StdoutTotal != 13 {
		t.Errorf("testA printed %q", x.Stdout)
	}
	x := byMethod(t, r, "testFails")
	if x.Outcome != Fail || x.Failure.Exception != "java.lang.IllegalStateException" ||
		x.Failure.Message != "on purpose" ||
		!strings.Contains(x.Failure.Stack, "Caused by: java.lang.RuntimeException: deeper") ||
		!strings.Contains(x.Failure.Stack, "at Plain.testFails(Plain.java:") ||
		strings.Contains(x.Failure.Stack, "catchlens") ||
		!strings.HasPrefix(x.Stderr, "to err") {
		t.Errorf("testFails: %+v", x)
	}
	if x := byMethod(t, r, "testExits"); x.Outcome != Exit || x.ExitStatus != 3 {
		t.Errorf("testExits: %+v", x)
	}
	if x := byMethod(t, r, "testLeaks"); len(x.LeakedThreads) != 1 || x.LeakedThreads[0] != "leaky" {
		t.Errorf("testLeaks: %q", x.LeakedThreads)
	}
	if x := byMethod(t, r, "testStray"); x.Record.Stray == 0 || len(x.Record.Classes) != 0 {
		t.Errorf("testStray: %d stray, %s", x.Record.Stray, show(x.Record))
	}
	if !j.Alive() {
		t.Error("the JVM did not survive")
	}
	// One by one, in one batch: each with its own window, and the system's state restored.
	r = run(t, j, Request{Adapter: agent.Plain,
		Tests: []string{"Plain#testExits", "Plain#testPropertyGone", "Plain#testA", "Plain#none"}})
	outcomes := []Outcome{}
	for _, x := range r.Tests {
		outcomes = append(outcomes, x.Outcome)
	}
	if fmt.Sprint(outcomes) != "[exit pass pass missing]" {
		t.Errorf("one by one: %v", outcomes)
	}
	if got := show(byMethod(t, r, "testA").Record); got != want["testA"] {
		t.Errorf("testA alone recorded\n%s", got)
	}
}

// A fresh loader has statics of its own; the same one serves until the next.
func TestFreshLoader(t *testing.T) {
	spec := plainSpec(t, testjdk.JDK(t, 17))
	spec.ClassPath = []string{compileTests(t, spec.JDK, nil, "testdata/plain/Counting.java")}
	j := startJVM(t, spec)
	for n, c := range []struct {
		fresh bool
		want  Outcome
	}{{false, Pass}, {false, Fail}, {true, Pass}, {false, Fail}, {true, Pass}} {
		r := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Counting#testFirst"}, FreshLoader: c.fresh})
		if len(r.Tests) != 1 || r.Tests[0].Outcome != c.want {
			t.Errorf("request %d: %+v, want %s", n, r.Tests, c.want)
		}
	}
}
