//go:build slow && linux && (amd64 || arm64)

package osfault

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"
)

var (
	junit4 = []string{"junit:junit:4.13.2", "org.hamcrest:hamcrest-core:1.3"}
	junit5 = []string{"org.junit.jupiter:junit-jupiter-api:5.10.2", "org.junit.jupiter:junit-jupiter-engine:5.10.2",
		"org.junit.platform:junit-platform-commons:1.10.2", "org.junit.platform:junit-platform-engine:1.10.2",
		"org.junit.platform:junit-platform-launcher:1.10.2", "org.opentest4j:opentest4j:1.3.0",
		"org.apiguardian:apiguardian-api:1.1.2"}
)

func artifacts(t *testing.T, lists ...[]string) []string {
	t.Helper()
	var paths []string
	for _, l := range lists {
		for _, c := range l {
			paths = append(paths, testjdk.Artifact(t, c))
		}
	}
	return paths
}

// apiClasses compiles the artifact as its pom.xml does.
func apiClasses(t *testing.T, home string) string {
	t.Helper()
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "fault-api", "src", "main", "java", "catchlens", "fault", "*.java"))
	if err != nil || len(files) < 8 {
		t.Fatalf("the sources of fault-api: %d, %v", len(files), err)
	}
	out := t.TempDir()
	testjdk.Javac(t, home, 8, artifacts(t, junit4, junit5), out, files...)
	return out
}

func agentCache(t testing.TB) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "catchlens-test", "agent")
}

// The artifact in tests of JUnit 5 and 4, with catchlens below and without: what
// each test must say stands beside it. With JUnit 4 there is no JUnit 5 on the
// class path, so the annotation does without.
func TestAPI(t *testing.T) {
	for _, c := range []struct {
		name    string
		adapter agent.Adapter
		jars    []string
		source  string
	}{
		{"JUnit 5", agent.JUnitPlatform, junit5, "JournalTest"},
		{"JUnit 4", agent.JUnit4, junit4, "Journal4Test"},
	} {
		for _, home := range testjdk.All(t) {
			jars := append([]string{apiClasses(t, home)}, artifacts(t, c.jars)...)
			classes := t.TempDir()
			source := filepath.Join("testdata", "api", c.source+".java")
			testjdk.Javac(t, home, 8, jars, classes, source, filepath.Join("testdata", "api", "Journal.java"))
			spec := worker.Spec{JDK: home, Cache: agentCache(t), ClassPath: append([]string{classes}, jars...)}
			checkAPI(t, c.name+" without", spec, c.adapter, "p."+c.source, source, "without: ")
			e, err := NewEngine()
			if err != nil {
				testjdk.Missing(t, "%v", err)
			}
			if err := e.Prepare(&spec); err != nil {
				t.Fatal(err)
			}
			checkAPI(t, c.name, spec, c.adapter, "p."+c.source, source, "")
			if len(e.specs) > 0 {
				t.Errorf("%s: the engine remembers %d JVMs that are gone", c.name, len(e.specs))
			}
		}
	}
}

// expectations reads "//@ outcome[: text][; without: outcome]" of each test.
func expectations(t *testing.T, source, prefix string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, part := range strings.Split(string(text), "@Test //@ ")[1:] {
		line, rest, _ := strings.Cut(part, "\n")
		with, without, ok := strings.Cut(line, "; without: ")
		_, rest, void := strings.Cut(rest, "void ")
		name, _, _ := strings.Cut(rest, "(")
		if !ok || !void {
			t.Fatalf("%s: %q", source, line)
		}
		want[name] = with
		if prefix != "" {
			want[name] = without
		}
	}
	return want
}

func checkAPI(t *testing.T, what string, spec worker.Spec, adapter agent.Adapter, class, source, prefix string) {
	t.Helper()
	j, err := worker.Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	r, err := j.Run(context.Background(), worker.Request{Adapter: adapter, Classes: []string{class}})
	if err != nil {
		t.Fatal(err)
	}
	want := expectations(t, source, prefix)
	for _, x := range r.Tests {
		outcome, text, _ := strings.Cut(want[x.Method], ": ")
		delete(want, x.Method)
		switch said := x.Failure.Exception + ": " + x.Failure.Message; {
		case string(x.Outcome) != outcome:
			t.Errorf("%s: %s: %s (%s %s), want %s", what, x.Method, x.Outcome, said, x.Reason, outcome)
		case outcome == "skipped" && !strings.Contains(x.Reason, "faults need catchlens"):
			t.Errorf("%s: %s is skipped because of %q", what, x.Method, x.Reason)
		case text == "never struck" && !strings.Contains(said,
			"java.lang.AssertionError: the fault never struck: DISK_READ path /"),
			text == "IllegalArgumentException" && !strings.Contains(said, "one target"),
			text == "the test's own failure" && !strings.Contains(said, "by itself"):
			t.Errorf("%s: %s failed by %q, want %q", what, x.Method, said, text)
		}
	}
	for name := range want {
		t.Errorf("%s: %s did not run: %+v", what, name, r)
	}
}

// The engine as campaigns use it: armed for one request, disarmed after it.
func TestEngine(t *testing.T) {
	home := testjdk.All(t)[0]
	jars := append([]string{apiClasses(t, home)}, artifacts(t, junit4)...)
	classes := t.TempDir()
	testjdk.Javac(t, home, 8, jars, classes, filepath.Join("testdata", "api", "Journal4Test.java"),
		filepath.Join("testdata", "api", "Journal.java"))
	e, err := NewEngine()
	if err != nil {
		testjdk.Missing(t, "%v", err)
	}
	spec := worker.Spec{JDK: home, Cache: agentCache(t), ClassPath: append([]string{classes}, jars...)}
	if err := e.Prepare(&spec); err != nil {
		t.Fatal(err)
	}
	j, err := worker.Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	q := worker.Request{Adapter: agent.JUnit4, Tests: []string{"p.Journal4Test#worksOtherwise"}}
	for _, c := range []struct {
		f    fault.Fault
		want fault.Fired
	}{
		{fault.Fault{Kind: faults.DiskFull, Path: "journal.log"},
			fault.Fired{Times: 1, Operation: "write", Object: inWorkingDir(j, "journal.log")}},
		{fault.Fault{Kind: faults.DiskFull},
			fault.Fired{Times: 1, Operation: "write", Object: inWorkingDir(j, "journal.log")}},
		{fault.Fault{Kind: faults.DiskRead, Path: "journal.log"}, fault.Fired{}},
		{fault.Fault{Kind: faults.Reset}, fault.Fired{}}, // the agent's own connections are spared
	} {
		if err := e.Arm(j, &q, c.f); err != nil {
			t.Fatal(err)
		}
		r, err := j.Run(context.Background(), q)
		if err != nil || len(r.Tests) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		if fired := e.Disarm(j, &r.Tests[0]); !reflect.DeepEqual(fired, c.want) ||
			(r.Tests[0].Outcome == worker.Fail) != (c.want.Times > 0) {
			t.Errorf("%+v: %+v and the test says %s, want %+v", c.f, fired, r.Tests[0].Outcome, c.want)
		}
	}
	for _, f := range []fault.Fault{{Kind: faults.NameResolution}, {Kind: faults.Reset, Peer: "nowhere.example"},
		{Kind: faults.DiskRead, Root: "x"}} {
		if err := e.Arm(j, &q, f); err == nil {
			t.Errorf("%+v was armed", f)
		}
	}
}
