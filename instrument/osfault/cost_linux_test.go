//go:build slow && linux && (amd64 || arm64)

package osfault

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"catchlens/instrument/agent"
	"catchlens/instrument/worker"
	"catchlens/internal/testjdk"
)

// CATCHLENS_COST=PROJECT:PACKAGE,... measures what the engine costs while nothing
// is armed: the tests of a package of a project of bench/projects, pair by pair
// with and without it. CPU time is that of the JVM, its helper and this process.
func TestCost(t *testing.T) {
	list := os.Getenv("CATCHLENS_COST")
	if list == "" {
		t.Skip("CATCHLENS_COST names nothing to measure")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range strings.Split(list, ",") {
		project, pkg, _ := strings.Cut(item, ":")
		dir := filepath.Join(cache, "catchlens-bench", project)
		spec := worker.Spec{JDK: testjdk.JDK(t, 17), Cache: agentCache(t), ModuleDir: dir, TestTimeout: 5 * time.Minute,
			ClassPath: []string{filepath.Join(dir, "target/test-classes"), filepath.Join(dir, "target/classes")}}
		jars, _ := filepath.Glob(filepath.Join(dir, "lib/*.jar"))
		spec.ClassPath = append(spec.ClassPath, jars...)
		classes := testClasses(t, spec.ClassPath[0], pkg)
		var ratios []float64
		for pair := range 5 {
			var took [2]time.Duration
			var held uint64
			for i := range 2 {
				with := (pair+i)%2 == 1
				cpu, h := runCost(t, spec, classes, with)
				if with {
					took[1], held = cpu, h
				} else {
					took[0] = cpu
				}
			}
			ratios = append(ratios, float64(took[1])/float64(took[0]))
			t.Logf("%s: without %v, with %v, %d calls held: %.2f µs a call", item, took[0], took[1], held,
				float64((took[1]-took[0]).Nanoseconds())/1000/float64(held))
		}
		slices.Sort(ratios)
		t.Logf("%s: %d classes, median ratio %.3f of %.3f", item, len(classes), ratios[len(ratios)/2], ratios)
	}
}

// testClasses are the test classes below a package.
func testClasses(t *testing.T, root, pkg string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(strings.ReplaceAll(pkg, ".", "/"))), func(path string, d fs.DirEntry, err error) error {
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

// runCost runs the classes in a JVM of its own and returns the CPU time from its
// start to its end.
func runCost(t *testing.T, spec worker.Spec, classes []string, with bool) (time.Duration, uint64) {
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

func cpuTime(t *testing.T) time.Duration {
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
