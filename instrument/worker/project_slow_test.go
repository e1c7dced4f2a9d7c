//go:build slow

package worker

import (
	"archive/zip"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// jarBundle rewrites every class of a jar; tests are its outer classes named *Test.
func jarBundle(t testing.TB, jar string, k plan.Kinds) (entries []BundleEntry, tests []string) {
	z, err := zip.OpenReader(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".class")
		if !ok || strings.HasSuffix(name, "module-info") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		e := BundleEntry{Name: name, Original: KeyOf(data)}
		if out, m, ok := rewriteClass(t, data, k); ok {
			e.Rewritten, e.Meta = out, m
		}
		entries = append(entries, e)
		if strings.HasSuffix(name, "Test") && !strings.Contains(name, "$") {
			tests = append(tests, strings.ReplaceAll(name, "/", "."))
		}
	}
	return entries, tests
}

// TestRealProject runs the tests of commons-codec, as they are, without probes
// and with every probe in the project and every throw of the JDK: the outcomes
// are the same. Then one by one, which must agree too.
func TestRealProject(t *testing.T) {
	home := testjdk.JDK(t, 17)
	main, tests := testjdk.Artifact(t, "commons-codec:commons-codec:1.17.1"), testjdk.Artifact(t,
		"commons-codec:commons-codec:1.17.1:tests")
	spec := Spec{JDK: home, Cache: testCache(t),
		ClassPath: append([]string{tests, main, testjdk.Artifact(t, "org.apache.commons:commons-lang3:3.17.0"),
			testjdk.Artifact(t, "commons-io:commons-io:2.18.0")},
			artifacts(t, junit5Jars, junit4Jars)...), TestTimeout: time.Minute,
		Log: func(s string) { t.Log("agent:", s) }}
	entries, classes := jarBundle(t, main, plan.Full)
	more, names := jarBundle(t, tests, plan.Full)
	classes = append(classes, names...)
	classes = slices.DeleteFunc(classes, func(c string) bool {
		for _, long := range []string{"Performance", "Overflow", ".Base64Test", ".BaseNCodecTest", "MurmurHash3",
			"MessageDigestAlgorithms", "BeiderMorseEncoder"} {
			if strings.Contains(c, long) { // seconds each, or more than a gigabyte
				return true
			}
		}
		return false
	})
	sort.Strings(classes)
	baseline := func(spec Spec) (*JVM, map[string]Test, time.Duration) {
		j := startJVM(t, spec)
		begin := time.Now()
		r := run(t, j, Request{Adapter: agent.JUnitPlatform, Classes: classes})
		took := time.Since(begin)
		if r.Died != nil {
			t.Fatalf("%+v", r.Died)
		}
		by := map[string]Test{}
		for _, x := range r.Tests {
			if _, twice := by[x.ID]; !twice || x.Outcome != Pass {
				by[x.ID] = x
			}
		}
		for _, f := range r.Fixtures {
			if f.Outcome != Pass {
				t.Errorf("fixture of %s: %+v", f.Class, f.Failure)
			}
		}
		return j, by, took
	}
	_, without, plainTime := baseline(spec)
	jdk, _ := jdkBundle(t, home, plan.Throws)
	app := filepath.Join(t.TempDir(), "app.bundle")
	if err := WriteBundle(app, append(entries, more...)); err != nil {
		t.Fatal(err)
	}
	spec.Bundles = []string{app, jdk}
	spec.LateBundle = filepath.Join(t.TempDir(), "late.bundle")
	spec.Rewriter = func(loader, name string, data []byte) ([]byte, Meta,
		bool) {
		return rewriteClass(t, data, plan.Throws)
	}
	j, with, probedTime := baseline(spec)
	if len(with) < 800 || len(with) != len(without) {
		t.Errorf("%d tests with probes, %d without", len(with), len(without))
	}
	links, tries, outcomes := 0, 0, map[Outcome]int{}
	for id, a := range without {
		b := with[id]
		if a.Outcome != b.Outcome || a.Failure.Exception != b.Failure.Exception {
			t.Errorf("%s: %s %+v without probes, %s %+v with", id, a.Outcome, a.Failure, b.Outcome, b.Failure)
		}
		outcomes[a.Outcome]++
		for _, l := range b.Record.Links {
			if l.Site.Kind == Unknown {
				t.Errorf("%s: %s caught by %s from nowhere", id, l.Exception, l.Catch.Name)
			}
			links++
		}
		for _, c := range b.Record.Classes {
			tries += len(c.Tries)
		}
		if b.Record.Lost > 0 {
			t.Errorf("%s: %d events lost", id, b.Record.Lost)
		}
	}
	slow := map[string]time.Duration{}
	for _, x := range with {
		slow[x.Class] += x.Duration
	}
	for c, d := range slow {
		if d > time.Second {
			t.Logf("%s %v, %v without probes", c, d, func() (s time.Duration) {
				for _, x := range without {
					if x.Class == c {
						s += x.Duration
					}
				}
				return s
			}())
		}
	}
	t.Logf("%v; %d links, %d tries; %v without probes, %v with", outcomes, links, tries, plainTime, probedTime)
	s, _ := j.Stats(t.Context())
	t.Logf("%+v", s)
	// One by one, each in a window of its own.
	var ids []string
	for id := range with {
		if with[id].Duration < 100*time.Millisecond {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	begin := time.Now()
	r := run(t, j, Request{Adapter: agent.JUnitPlatform, Tests: ids})
	var own time.Duration
	for _, x := range r.Tests {
		own += x.Duration
		if x.Outcome != with[x.ID].Outcome {
			t.Errorf("%s alone: %s %+v, in its class %s", x.ID, x.Outcome, x.Failure, with[x.ID].Outcome)
		}
	}
	t.Logf("%d tests alone: %v, of which in tests %v", len(r.Tests), time.Since(begin), own)
}
