package lab

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// What JVMs need of the agent is compiled before one starts: itself, and the adapter where the
// class path has all that this takes.
func TestAgentIsBuiltAhead(t *testing.T) {
	junit := []string{testjdk.Artifact(t, "junit:junit:4.13.2"), testjdk.Artifact(t, "org.hamcrest:hamcrest-core:1.3")}
	cache := t.TempDir()
	m := &workspace.Module{}
	m.JDKHome = testjdk.JDK(t, 17)
	l := &Lab{Execution: Execution{Module: m},
		options: Options{CacheDir: cache}, adapter: agent.JUnitPlatform, classPath: junit}
	built := func() (names []string) {
		t.Helper()
		l.buildAgent(t.Context()).Wait()
		files, err := os.ReadDir(l.agentDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if name, _, isJar := strings.Cut(f.Name(), ".jar"); isJar && !strings.Contains(f.Name(), ".jar.") {
				names = append(names, name[:strings.LastIndexByte(name, '-')])
			}
		}
		return names
	}
	if got := built(); !slices.Equal(got, []string{"agent"}) {
		t.Errorf("without a launcher: %q", got)
	}
	l.adapter = agent.JUnit4
	if got := built(); !slices.Equal(got, []string{"adapter-junit4", "agent"}) {
		t.Errorf("with all that it takes: %q", got)
	}
}

// Classes of a library are rewritten side by side; a bundle has them in their own order.
func TestRewriteAllInOrder(t *testing.T) {
	const n, workers = 1000, 4
	entries, err := rewriteAll(t.Context(), func(f func(name string, data []byte)) error {
		for k := range n {
			f(fmt.Sprint("p/C", k), []byte{byte(k), byte(k >> 8)}) // no class file: it stays as it is
		}
		return nil
	}, workers)
	if err != nil || len(entries) != n {
		t.Fatalf("%d classes, %v", len(entries), err)
	}
	for k, e := range entries {
		if e.Name != fmt.Sprint("p/C", k) || e.Original != worker.KeyOf([]byte{byte(k), byte(k >> 8)}) ||
			e.Rewritten != nil {
			t.Fatalf("class %d is %+v", k, e)
		}
	}
	closed := func(func(string, []byte)) error { return os.ErrClosed }
	if _, err := rewriteAll(t.Context(), closed, workers); err != os.ErrClosed {
		t.Errorf("the error is %v", err)
	}
}
