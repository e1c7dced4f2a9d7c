//go:build slow

package worker

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// jdkBundle rewrites every class of a JDK into a bundle.
func jdkBundle(t testing.TB, home string, k plan.Kinds) (path string, classes int) {
	r, err := jimage.Open(jimage.PathIn(home))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var entries []BundleEntry
	err = r.Each(func(l jimage.Location, err error) error {
		if err != nil || l.Ext != "class" || l.Base == "module-info" {
			return err
		}
		data, err := r.Read(l)
		if err != nil {
			return err
		}
		name := l.Parent + "/" + l.Base
		e := BundleEntry{Name: name, Original: KeyOf(data)}
		if !NoProbes(name) {
			if out, m, ok := rewriteClass(t, data, k); ok {
				e.Rewritten, e.Meta = out, m
				classes++
			}
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "jdk.bundle")
	if err := WriteBundle(path, entries); err != nil {
		t.Fatal(err)
	}
	return path, classes
}

// TestWholeJDK runs tests on JDKs all of whose classes carry probes, and says
// what that costs at the start.
func TestWholeJDK(t *testing.T) {
	for _, home := range testjdk.All(t) {
		for _, c := range []struct {
			name string
			k    plan.Kinds
		}{{"throws", plan.Throws}, {"full", plan.Full}} {
			t.Run(filepath.Base(home)+" "+c.name, func(t *testing.T) { testWholeJDK(t, home, c.k) })
		}
	}
}

func testWholeJDK(t *testing.T, home string, k plan.Kinds) {
	spec := plainSpec(t, home)
	start := func(spec Spec) (*JVM, time.Duration) {
		begin := time.Now()
		return startJVM(t, spec), time.Since(begin)
	}
	without, plain := start(spec)
	without.Close()
	bundle, classes := jdkBundle(t, home, k)
	if classes < 5000 {
		t.Errorf("only %d classes", classes)
	}
	spec.Bundles = []string{bundle}
	spec.LateBundle = filepath.Join(t.TempDir(), "late.bundle")
	spec.Rewriter = func(loader, name string, data []byte) ([]byte, Meta, bool) {
		if loader == "boot" || loader == "platform" {
			return rewriteClass(t, data, k)
		}
		return handMade(loader, name, data)
	}
	spec.JVMArgs = []string{"-Xverify:all"}
	startJVM(t, spec).Close()
	spec.JVMArgs = nil
	probes, probed := start(spec)
	probes.Close() // what it has rewritten late, the next one finds in its bundle
	j := startJVM(t, spec)
	took, n := j.StartUp()
	t.Logf("%d classes; start %v, with probes %v; %d classes at the start in %v", classes, plain, probed, n, took)
	r := run(t, j, Request{Adapter: agent.Plain, Classes: []string{"Plain"}})
	if r.Died != nil {
		t.Fatalf("%+v", r.Died)
	}
	for m, want := range map[string]Outcome{"testA": Pass, "testB": Pass, "testC": Pass, "testD": Pass,
		"testFails": Fail, "testExits": Exit, "testStray": Pass} {
		if x := byMethod(t, r, m); x.Outcome != want {
			t.Errorf("%s: %s %+v", m, x.Outcome, x.Failure)
		}
	}
	// The site of a FileNotFoundException stays native although all of the JDK's throws have
	// probes.
	x := byMethod(t, r, "testB")
	if got := show(x.Record); !strings.Contains(got,
		"native java/io/FileInputStream.open0 -> Plain 0 java/io/FileNotFoundException x1\n") {
		t.Errorf("testB recorded\n%s", got)
	}
	s, err := j.Stats(t.Context())
	if err != nil || s.Failed > 0 || s.Missed > 0 {
		t.Errorf("%+v, %v", s, err)
	}
	t.Logf("%+v", s)
	if homes := testjdk.All(t); home == homes[len(homes)-1] && k == plan.Full {
		t.Run("threads", func(t *testing.T) { threadsWholeJDK(t, home, bundle) })
	}
}

// threadsWholeJDK: virtual threads, pools and fixtures with probes in every class of a JDK.
func threadsWholeJDK(t *testing.T, home, bundle string) {
	spec := plainSpec(t, home)
	spec.ClassPath = []string{compileTests(t, home, nil, "testdata/plain/Virtual.java")}
	spec.Bundles = []string{bundle}
	spec.Rewriter = func(loader, name string, data []byte) ([]byte, Meta, bool) {
		if loader == "boot" || loader == "platform" {
			return rewriteClass(t, data, plan.Full)
		}
		return handMade(loader, name, data)
	}
	testThreads(t, spec)
}

// TestNoProbeClassesExist: each name of the list is a class of some JDK here, but
// for those that are made at run time.
func TestNoProbeClassesExist(t *testing.T) {
	missing := map[string]bool{}
	for _, n := range NoProbeClasses {
		missing[n] = !strings.Contains(n, "reflect/Generated") && n != "catchlens/" &&
			n != "java/lang/invoke/LambdaForm$"
	}
	for _, home := range testjdk.All(t) {
		r, err := jimage.Open(jimage.PathIn(home))
		if err != nil {
			t.Fatal(err)
		}
		err = r.Each(func(l jimage.Location, err error) error {
			if name := l.Parent + "/" + l.Base; err == nil && l.Ext == "class" && NoProbes(name) {
				for n := range missing {
					if strings.HasPrefix(name, strings.TrimSuffix(n, "*")) {
						missing[n] = false
					}
				}
			}
			return err
		})
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	for n, m := range missing {
		if m {
			t.Errorf("%s is a class of no JDK here", n)
		}
	}
}
