//go:build slow && linux

package fault_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/bench/projects"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"

	"golang.org/x/sys/unix"
)

// BenchmarkSuites compares the tests of real projects in a JVM whose JDK and libraries carry
// injection points, none of them armed, with the same in a JVM without, in turns. The workspace's
// own classes are as they are in both. Of the processor time of the whole JVM it reports the median
// ratio for its start, for the tests from there on, for both, and for the same tests once more in
// that JVM, when what they need is loaded and mostly compiled; noise is the median of how far apart
// two runs of the same kind are that follow each other, as a ratio of both. Run it with
// -benchtime=5x or more on a machine that does nothing else; CATCHLENS_PROJECTS names other
// projects than the quick ones.
func BenchmarkSuites(b *testing.B) {
	home := testjdk.JDK(b, 17)
	bundles := [2]string{baseBundle(b, home, plan.Library), baseBundle(b, home, plan.Throws)}
	kinds := [2]plan.Kinds{plan.Library, plan.Throws}
	eachProject(b, home, []string{"commons-codec", "commons-csv", "joda-time"}, func(name string, s *suite) {
		b.Run(name, func(b *testing.B) {
			var took [2][]spent
			for n := 0; b.Loop(); n++ {
				for i := range 2 {
					k := (n + i) % 2 // who comes first changes
					took[k] = append(took[k], s.run(b, bundles[k], kinds[k]))
				}
				x, y := took[0][n], took[1][n]
				b.Logf("with %v, without %v", x, y)
			}
			for _, part := range parts {
				ratio, noise := compare(took, part.of)
				b.ReportMetric(ratio, part.name)
				b.ReportMetric(noise, part.name+"-noise")
			}
			b.ReportMetric(0, "ns/op")
		})
	})
}

// BenchmarkPoints counts how often the tests of real projects come by an injection point, points,
// and reports the processor time of the same tests once more in that JVM, in seconds: what a point
// costs BenchmarkDisarmed says. One run is enough, -benchtime=1x.
func BenchmarkPoints(b *testing.B) {
	home := testjdk.JDK(b, 17)
	bundle := baseBundle(b, home, plan.Library)
	eachProject(b, home, []string{"commons-codec", "commons-csv", "joda-time", "commons-io", "commons-lang3"},
		func(name string, s *suite) {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					n, again := s.count(b, bundle)
					b.ReportMetric(float64(n), "points")
					b.ReportMetric(again.Seconds(), "s")
				}
				b.ReportMetric(0, "ns/op")
			})
		})
}

// eachProject calls f for the suites of real projects: of those that CATCHLENS_PROJECTS names, if
// it does.
func eachProject(b *testing.B, home string, names []string, f func(name string, s *suite)) {
	if v := os.Getenv("CATCHLENS_PROJECTS"); v != "" {
		names = strings.Split(v, ",")
	}
	root, err := projects.Root()
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		ws, err := discovery.Open(context.Background(), []string{filepath.Join(root, name)}, workspace.Options{})
		if err != nil || len(ws.Modules) != 1 {
			b.Fatalf("%s: %v (bench/projects/fetch.sh lays it out)", name, err)
		}
		f(name, newSuite(b, home, ws.Modules[0]))
	}
}

// BenchmarkStart compares the start of a JVM that has injection points in the JDK's classes with
// one that has none, in turns: medians of processor time in milliseconds, and the median of the
// differences of the pairs. Run it with -benchtime=50x or more.
func BenchmarkStart(b *testing.B) {
	home := testjdk.JDK(b, 17)
	bundles := [2]string{baseBundle(b, home, plan.Library), baseBundle(b, home, plan.Throws)}
	start := func(k int) float64 {
		before := childTime(b)
		j, err := worker.Start(context.Background(),
			worker.Spec{JDK: home, Cache: cache(b), ClassPath: []string{b.TempDir()}, Bundles: bundles[k : k+1],
				Rewriter: func(_, _ string, _ []byte) ([]byte, worker.Meta, bool) {
					return nil, worker.Meta{},
						false
				}})
		if err != nil {
			b.Fatal(err)
		}
		took := childTime(b) - before
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
		return took.Seconds() * 1000
	}
	start(0) // compiles the agent, if need be
	var took [2][]float64
	var more []float64
	for n := 0; b.Loop(); n++ {
		var pair [2]float64
		for i := range 2 {
			k := (n + i) % 2
			pair[k] = start(k)
			took[k] = append(took[k], pair[k])
		}
		more = append(more, pair[0]-pair[1])
	}
	b.ReportMetric(median(took[0]), "ms-with")
	b.ReportMetric(median(took[1]), "ms-without")
	b.ReportMetric(median(more), "ms-more")
	b.ReportMetric(0, "ns/op")
}

// spent is the processor time of a JVM until it is started, for its tests, and for these once more.
type spent struct{ start, tests, again time.Duration }

func (s spent) String() string {
	return fmt.Sprintf("%.3f+%.2f+%.2f s", s.start.Seconds(), s.tests.Seconds(), s.again.Seconds())
}

// parts are what is compared.
var parts = []struct {
	name string
	of   func(spent) time.Duration
}{
	{"whole", func(s spent) time.Duration { return s.start + s.tests }},
	{"start", func(s spent) time.Duration { return s.start }},
	{"tests", func(s spent) time.Duration { return s.tests }},
	{"again", func(s spent) time.Duration { return s.again }},
}

// compare is the median ratio of the pairs, and that of neighbours of the same kind, the larger to
// the smaller.
func compare(took [2][]spent, of func(spent) time.Duration) (ratio, noise float64) {
	var ratios, same []float64
	for n := range took[0] {
		ratios = append(ratios, of(took[0][n]).Seconds()/of(took[1][n]).Seconds())
		for k := range took {
			if n > 0 {
				x, y := of(took[k][n]).Seconds(), of(took[k][n-1]).Seconds()
				same = append(same, max(x/y, y/x))
			}
		}
	}
	return median(ratios), median(same)
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
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
	case !slices.ContainsFunc(s.path, func(p string) bool {
		return strings.HasPrefix(filepath.Base(p),
			"junit-platform-launcher")
	}):
		jars, _, err := buildtool.PlatformLauncher(context.Background(), m)
		if err != nil {
			b.Fatal(err)
		}
		s.path = append(slices.Clip(s.path), jars...)
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

// run runs all tests twice in a JVM of their own and returns the processor time of that JVM.
func (s *suite) run(b *testing.B, bundle string, library plan.Kinds) (t spent) {
	b.Helper()
	before := childTime(b)
	j := s.start(b, bundle, library)
	for _, part := range []*time.Duration{&t.tests, &t.again} {
		started := childTime(b)
		if t.start == 0 {
			t.start = started - before
		}
		s.runTests(b, j, worker.Request{})
		*part = childTime(b) - started
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	return t
}

// count is how often the tests come by an injection point, in a JVM of their own, and the processor
// time of the same tests once more there.
func (s *suite) count(b *testing.B, bundle string) (n int64, again time.Duration) {
	b.Helper()
	j := s.start(b, bundle, plan.Library)
	var q worker.Request
	fault.Observe(&q, nil)
	for _, t := range s.runTests(b, j, q).Tests {
		if t.Fault != nil {
			n += t.Fault.Ran
		}
	}
	before := childTime(b)
	s.runTests(b, j, worker.Request{})
	again = childTime(b) - before
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	return n, again
}

// start starts a JVM whose JDK and libraries have the probes of some kinds.
func (s *suite) start(b *testing.B, bundle string, library plan.Kinds) *worker.JVM {
	b.Helper()
	m := s.module
	spec := worker.Spec{JDK: s.home, Cache: cache(b), ClassPath: s.path,
		JVMArgs: m.Test.JVMArgs, SystemProperties: m.Test.SystemProperties, Environment: m.Test.Environment,
		EnableAssertions: m.Test.EnableAssertions,
		Place:            worker.Place{ModuleDir: m.Dir, Copy: worker.CopyPolicy{Exclude: []string{"target"}}},
		Bundles:          []string{bundle},
		TestTimeout:      5 * time.Minute,
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
	return j
}

// runTests runs all tests as a request says.
func (s *suite) runTests(b *testing.B, j *worker.JVM, q worker.Request) *worker.RunResult {
	b.Helper()
	q.Adapter, q.Classes = s.adapter, s.classes
	r, err := j.Run(context.Background(), q)
	if err == nil && r.Died != nil {
		err = r.Died
	}
	if err != nil {
		b.Fatalf("%s: %v", s.module.Dir, err)
	}
	if s.tests == 0 {
		s.tests = len(r.Tests)
		b.Logf("%d tests", s.tests)
	}
	if len(r.Tests) != s.tests || s.tests == 0 {
		b.Fatalf("%d tests ran, %d before", len(r.Tests), s.tests)
	}
	return r
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

// childTime is the processor time of all processes that this one has started, and of theirs: of
// those that have ended, and of those that run.
func childTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano()+u.Stime.Nano()) + running(b, os.Getpid())
}

// running is the processor time of the children of a process that run, and of theirs.
func running(b *testing.B, pid int) (sum time.Duration) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(lists) == 0 {
		b.Fatalf("children of %d: %v", pid, err)
	}
	for _, list := range lists {
		data, _ := os.ReadFile(list) // a thread may have ended
		for _, text := range strings.Fields(string(data)) {
			child, err := strconv.Atoi(text)
			if err != nil {
				b.Fatal(err)
			}
			var used unix.Timespec
			// clock_getcpuclockid(3): the clock of a process is ^pid << 3, and 2 for what the
			// scheduler counts.
			if err := unix.ClockGettime(int32(^child<<3|2), &used); err != nil {
				b.Fatal(err)
			}
			sum += time.Duration(used.Nano()) + running(b, child)
		}
	}
	return sum
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
