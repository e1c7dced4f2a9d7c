package lab

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/sealed"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// What a lab would make before its first JVM is there once it has been prepared, and is not made
// again; where preparing is cancelled, nothing is there that is not whole.
func TestPrepare(t *testing.T) {
	m := &workspace.Module{}
	m.JDKHome, m.TestClassPath = testjdk.JDK(t, 17), []string{testjdk.Artifact(t, "junit:junit:4.13.2")}
	m.Test.Framework = workspace.JUnit4
	o := Options{CacheDir: t.TempDir()}
	base := baseBundle(probedDir(o.CacheDir, m))
	jars := filepath.Join(agentDir(o.CacheDir), "*.jar")

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	Prepare(cancelled, m, o)
	if made, _ := filepath.Glob(jars); sealed.CheckFile(base) == nil || len(made) > 0 {
		t.Errorf("cancelled: %v, and %s: %v", made, base, sealed.CheckFile(base))
	}

	Prepare(t.Context(), m, o)
	if made, _ := filepath.Glob(jars); len(made) != 2 || sealed.CheckFile(base) != nil {
		t.Fatalf("prepared: %v, and %s: %v", made, base, sealed.CheckFile(base))
	}
	const few = 5000 // of the 6,400 classes of the base module
	entries, err := worker.ReadBundle(base)
	if err != nil || len(entries) < few {
		t.Errorf("%d classes of the base module, want %d at least; %v", len(entries), few, err)
	}
	before, err := os.Stat(base)
	if err != nil {
		t.Fatal(err)
	}
	Prepare(t.Context(), m, o)
	if after, err := os.Stat(base); err != nil || !os.SameFile(before, after) {
		t.Errorf("it was made again: %v", err)
	}
}
