//go:build slow && linux && (amd64 || arm64)

package osfault

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// BenchmarkSuite compares, pair by pair, the tests of a package of commons-io, which
// do little but I/O, with the engine, nothing being armed, and without it: the median
// ratio of CPU time, that of the JVM, its helper and this process, and the calls held
// in a run. Run it with -benchtime=5x.
func BenchmarkSuite(b *testing.B) {
	const pkg = "org.apache.commons.io.input"
	dir := scratch.Project(b, "commons-io")
	spec := worker.Spec{JDK: testjdk.JDK(b, 17), Cache: agentCache(b), Place: worker.Place{ModuleDir: dir},
		TestTimeout: 5 * time.Minute,
		ClassPath:   []string{filepath.Join(dir, "target/test-classes"), filepath.Join(dir, "target/classes")}}
	jars, _ := filepath.Glob(filepath.Join(dir, "lib/*.jar"))
	spec.ClassPath = append(spec.ClassPath, jars...)
	classes := testClasses(b, spec.ClassPath[0], pkg)
	var ratios []float64
	var held uint64
	for b.Loop() {
		var without, with time.Duration
		if len(ratios)%2 == 0 {
			without, _ = runSuite(b, spec, classes, false)
			with, held = runSuite(b, spec, classes, true)
		} else {
			with, held = runSuite(b, spec, classes, true)
			without, _ = runSuite(b, spec, classes, false)
		}
		ratios = append(ratios, float64(with)/float64(without))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(float64(held), "held")
}

// testClasses are the test classes below a package.
func testClasses(t testing.TB, root, pkg string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(strings.ReplaceAll(pkg, ".", "/"))),
		func(path string, d fs.DirEntry, err error) error {
			if name, ok := strings.CutSuffix(path, "Test.class"); err == nil && ok && !strings.Contains(name, "$") {
				rel, _ := filepath.Rel(root, name+"Test")
				names = append(names, strings.ReplaceAll(filepath.ToSlash(rel), "/", "."))
			}
			return err
		})
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d test classes in %s, %v", root, len(names), pkg, err)
	}
	return names
}

// runSuite runs the classes in a JVM of its own and returns the CPU time from its
// start to its end.
func runSuite(t testing.TB, spec worker.Spec, classes []string, with bool) (time.Duration, uint64) {
	t.Helper()
	if with {
		e, err := NewEngine()
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Prepare(&spec); err != nil {
			t.Fatal(err)
		}
	}
	before := cpuTime(t)
	j, err := worker.Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Run(context.Background(), worker.Request{Adapter: agent.JUnitPlatform, Classes: classes})
	if err != nil {
		t.Fatal(err)
	}
	if r.Died != nil {
		t.Fatal(r.Died)
	}
	var held uint64
	if p, ok := j.Supervisor().(*prepared); ok {
		held = p.Held()
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return cpuTime(t) - before, held
}

func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var sum int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			t.Fatal(err)
		}
		sum += u.Utime.Nano() + u.Stime.Nano()
	}
	return time.Duration(sum)
}
