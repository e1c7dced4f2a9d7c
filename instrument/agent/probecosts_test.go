package agent

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// A probe that removes itself costs a thousand times what one costs that stays, or more, on each
// JDK: the first has to be linked. Options for every JVM do not count: these have nothing compiled,
// and more printed.
func TestProbeCosts(t *testing.T) {
	t.Setenv("JAVA_TOOL_OPTIONS", "-Xint -Xlog:gc")
	for _, feature := range []int{17, 25} {
		static, demand, err := Builder{JDK: testjdk.JDK(t, feature), Cache: t.TempDir()}.ProbeCosts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("JDK %d: %.3f and %.0f ns", feature, static, demand)
		if static > 5 || demand < 100 || demand < 1000*static {
			t.Errorf("JDK %d: %v ns for a probe that stays, %v ns for one that goes away", feature, static, demand)
		}
	}
}

// A JVM that measures and does not end is ended: nobody would know what probes cost.
func TestProbeCostsEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the JVM is a shell script here")
	}
	most := maxMeasuring
	maxMeasuring = time.Second
	defer func() { maxMeasuring = most }()
	real, home := testjdk.JDK(t, 17), t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"release", "bin/javac"} {
		if err := os.Symlink(filepath.Join(real, name), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "bin/java"), []byte("#!/bin/sh\nexec sleep 120\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, _, err := (Builder{JDK: home, Cache: t.TempDir()}).ProbeCosts(t.Context()); err == nil ||
		time.Since(began) > 100*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}
