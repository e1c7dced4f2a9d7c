//go:build slow && unix

package fault_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"catchlens/analysis/classpath"
	"catchlens/analysis/workspace"
	"catchlens/bench/projects"
	"catchlens/instrument/agent"
	"catchlens/instrument/build"
	"catchlens/instrument/plan"
	"catchlens/instrument/worker"
	"catchlens/internal/testjdk"
)

// BenchmarkSuites compares the tests of real projects in a JVM whose JDK and libraries
// carry injection points, none of them armed, with the same in a JVM without, in turns: it
// reports the median ratio of the processor time of the whole JVM, its start included. The
// workspace's own classes are as they are in both. Run it with -benchtime=5x or more on a
// machine that does nothing else; CATCHLENS_PROJECTS names other projects than the quick ones.
func BenchmarkSuites(b *testing.B) {
	names := []string{"commons-codec", "commons-csv", "joda-time"}
	if v := os.Getenv("CATCHLENS_PROJECTS"); v != "" {
		names = strings.Split(v, ",")
	}
	home := testjdk.JDK(b, 17)
	with, without := baseBundle(b, home, plan.Library), baseBundle(b, home, plan.Throws)
	root, err := projects.Root()
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		ws, err := workspace.Open(context.Background(), []string{filepath.Join(root, name)}, workspace.Options{})
		if err != nil || len(ws.Modules) != 1 {
			b.Fatalf("%s: %v (bench/projects/fetch.sh lays it out)", name, err)
		}
		s := newSuite(b, home, ws.Modules[0])
		b.Run(name, func(b *testing.B) {
			var ratios []float64
			for n := 0; b.Loop(); n++ {
				var x, y time.Duration
				if n%2 == 0 {
					x = s.run(b, with, plan.Library)
					y = s.run(b, without, plan.Throws)
				} else {
					y = s.run(b, without, plan.Throws)
					x = s.run(b, with, plan.Library)
				}
				ratios = append(ratios, x.Seconds()/y.Seconds())
				b.Logf("with %.2f s, without %.2f s: %.3f", x.Seconds(), y.Seconds(), x.Seconds()/y.Seconds())
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// suite are the tests of a module, with how many of them there are.
type suite struct {
	home    string
	module  *workspace.Module
	path    []string // class path
	adapter agent.Adapter
	classes []string // with tests, binary names
	tests   int      // that ran the first time
}

func newSuite(b *testing.B, home string, m *workspace.Module) *suite {
	s := &suite{home: home, module: m, path: m.FullTestClassPath(), adapter: agent.JUnitPlatform}
	switch {
	case m.Test.Framework == workspace.JUnit3:
		s.adapter = agent.JUnit3
	case m.Test.Framework == workspace.JUnit4:
		s.adapter = agent.JUnit4
	case !slices.ContainsFunc(s.path, func(p string) bool { return strings.HasPrefix(filepath.Base(p), "junit-platform-launcher") }):
		jar, err := build.PlatformLauncher(context.Background(), m)
		if err != nil {
			b.Fatal(err)
		}
		s.path = append(slices.Clip(s.path), jar)
	}
	found := map[string]bool{}
	for _, dir := range m.TestOutputs {
		p := classpath.Open([]string{dir}, classpath.Options{})
		for _, e := range p.Entries {
			if err := e.Each(func(name string) error {
				if ok, _ := m.Test.Selects(name, ""); ok && !strings.Contains(name, "$") {
					found[strings.ReplaceAll(name, "/", ".")] = true
				}
				return nil
			}); err != nil {
				b.Fatal(err)
			}
		}
	}
	s.classes = slices.Sorted(maps.Keys(found))
	if len(s.classes) == 0 {
		b.Fatalf("%s has no test classes", m.Dir)
	}
	return s
}

// run runs all tests in a JVM of their own and returns the processor time of that JVM.
func (s *suite) run(b *testing.B, bundle string, library plan.Kinds) time.Duration {
	b.Helper()
	before := childTime(b)
	m := s.module
	spec := worker.Spec{JDK: s.home, Cache: cache(b), ClassPath: s.path,
		JVMArgs: m.Test.JVMArgs, SystemProperties: m.Test.SystemProperties, Environment: m.Test.Environment, EnableAssertions: m.Test.EnableAssertions,
		ModuleDir: m.Dir, Copy: worker.CopyPolicy{Exclude: []string{"target"}}, Bundles: []string{bundle}, TestTimeout: 5 * time.Minute,
		Rewriter: func(_, name string, data []byte) ([]byte, worker.Meta, bool) {
			if s.own(name) || worker.NoProbes(name) {
				return nil, worker.Meta{}, false
			}
			return probed(b, data, library)
		}}
	j, err := worker.Start(context.Background(), spec)
	if err != nil {
		b.Fatal(err)
	}
	r, err := j.Run(context.Background(), worker.Request{Adapter: s.adapter, Classes: s.classes})
	if err == nil && r.Died != nil {
		err = r.Died
	}
	if err != nil {
		b.Fatalf("%s: %v", m.Dir, err)
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	if s.tests == 0 {
		s.tests = len(r.Tests)
		b.Logf("%d tests", s.tests)
	}
	if len(r.Tests) != s.tests || s.tests == 0 {
		b.Fatalf("%d tests ran, %d before", len(r.Tests), s.tests)
	}
	return childTime(b) - before
}

// own tells whether a class is the module's.
func (s *suite) own(name string) bool {
	for _, dir := range slices.Concat(s.module.TestOutputs, s.module.MainOutputs) {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)+".class")); err == nil {
			return true
		}
	}
	return false
}

// childTime is the processor time of all processes that have ended.
func childTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// baseBundle is a bundle of the JDK's base module with probes of some kinds.
func baseBundle(b *testing.B, home string, kinds plan.Kinds) string {
	jdk, err := classpath.OpenJDK(home, classpath.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer jdk.Close()
	var entries []worker.BundleEntry
	image := jdk.Entry().(*classpath.Image)
	err = image.Each(func(name string) error {
		if m, ok, err := image.ModuleOf(name); err != nil || !ok || m != "java.base" {
			return err
		}
		data, _, err := image.Find(name)
		if err != nil {
			return err
		}
		e := worker.BundleEntry{Name: name, Original: worker.KeyOf(data)}
		if !worker.NoProbes(name) {
			if out, meta, ok := probed(b, data, kinds); ok {
				e.Rewritten, e.Meta = out, meta
			}
		}
		entries = append(entries, e)
		return nil
	})
	path := filepath.Join(b.TempDir(), "base.bundle")
	if err == nil {
		err = worker.WriteBundle(path, entries)
	}
	if err != nil {
		b.Fatal(err)
	}
	return path
}
