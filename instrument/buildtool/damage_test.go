//go:build unix

package buildtool

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/damage"
	"github.com/catchlens/catchlens/internal/sealed"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// contentsBelow are the files of a folder by their paths.
func contentsBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, err := damage.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	for _, p := range all {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, p)
		contents[filepath.ToSlash(rel)] = string(data)
	}
	return contents
}

// Whatever is damaged of what a compiler keeps, the next compilation leaves the same classes and
// resources as the first, in a process that has seen the files before and in one that has not.
func TestDamagedClasses(t *testing.T) {
	f := newFixture(t, 17, map[string]string{
		"p/A.java":         "package p; public class A { int f() { return new B().g(); } class Inner {} }",
		"p/B.java":         "package p; public class B { int g() { return 1; } }",
		"module-info.java": "module m { exports p; }",
	})
	cache := t.TempDir()
	resources := filepath.Join(f.dir, "resources")
	if err := os.MkdirAll(filepath.Join(resources, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.properties", "deep/b.txt"} {
		if err := os.WriteFile(filepath.Join(resources, name), []byte("text of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.m.Resources = []string{resources}
	f.c = NewCompiler(CompilerOptions{CacheDir: cache, HeapMB: 256, Idle: time.Minute})
	defer f.c.Close()
	out := f.compile().OutputDir
	want := contentsBelow(t, out)
	if len(want) != 6 {
		t.Fatalf("%d files: %v", len(want), want)
	}
	r := rand.New(rand.NewPCG(26, 1))
	files := func() []string {
		all, err := damage.Files(cache)
		if err != nil {
			t.Fatal(err)
		}
		// TestDamagedServer
		return slices.DeleteFunc(all, func(p string) bool { return strings.Contains(p, "javac-server") })
	}
	done := 0
	for i, path := range files() {
		for _, kind := range damage.Kinds {
			changed, err := damage.Do(r, files(), path, kind)
			if err != nil {
				t.Fatal(path, kind, err)
			}
			if !changed {
				continue
			}
			done++
			if _, ok := f.c.Kept(f.m); ok { // what it answers of, is as it was
				for rel, text := range contentsBelow(t, out) {
					if text != want[rel] {
						t.Fatalf("%s, %s: what is kept has another %s", path, kind, rel)
					}
				}
			}
			if (i+done)%3 == 0 {
				f.c.files = sealed.Checker{} // as of another process
			}
			if r := f.compile(); len(r.Failed) > 0 {
				t.Fatalf("%s, %s: %v", path, kind, r.Diagnostics)
			}
			if got := contentsBelow(t, out); !sameContents(got, want) {
				t.Fatalf("%s, %s: %d files instead of %d, or others", path, kind, len(got), len(want))
			}
		}
	}
	t.Logf("%d damages", done)
	if done < 50 {
		t.Errorf("only %d damages", done)
	}
}

// The compiler's own classes are verified before a JVM starts with them.
func TestDamagedServer(t *testing.T) {
	cache, home := t.TempDir(), testjdk.JDK(t, 17)
	fresh := func() map[string]string {
		dir, err := serverClasses(context.Background(), cache, home)
		if err != nil {
			t.Fatal(err)
		}
		return contentsBelow(t, dir)
	}
	want := fresh()
	r := rand.New(rand.NewPCG(26, 4))
	for _, kind := range []damage.Kind{damage.Bit, damage.Folder, damage.Other} {
		all, err := damage.Files(cache)
		if err != nil {
			t.Fatal(err)
		}
		path := all[r.IntN(len(all))]
		if _, err := damage.Do(r, all, path, kind); err != nil {
			t.Fatal(err)
		}
		if got := fresh(); len(want) < 4 || !sameContents(got, want) {
			t.Errorf("%s, %s: %d files of %d, or others", path, kind, len(got), len(want))
		}
	}
}

// A damaged class of a source that does not compile any more is gone, and not used.
func TestDamagedLastGood(t *testing.T) {
	f := newFixture(t, 17, map[string]string{"A.java": "class A {}", "B.java": "class B {}"})
	r := f.compile()
	f.write("A.java", "class A { nonsense }")
	if r = f.compile(); len(r.Failed) != 1 {
		t.Fatal(r.Failed)
	}
	class := filepath.Join(r.OutputDir, "A.class")
	if err := os.Truncate(class, 10); err != nil {
		t.Fatal(err)
	}
	if r = f.compile(); len(r.Failed) != 1 || len(r.Classes[f.path("A.java")]) != 0 {
		t.Errorf("failed %v, classes %v", r.Failed, r.Classes)
	}
	if _, err := os.Stat(class); !os.IsNotExist(err) {
		t.Errorf("the damaged class: %v", err)
	}
}

// A kept answer of a build tool that is damaged, or of another build, is none.
func TestDamagedClassPath(t *testing.T) {
	cache := t.TempDir()
	list := []workspace.ResolvedClassPath{{Module: "m", ClassPath: []string{filepath.Join(cache, "classes")}}}
	for _, key := range []string{"one", "two"} {
		if err := keep(cache, key, list); err != nil {
			t.Fatal(err)
		}
		list[0].Module = "other"
	}
	all, err := damage.Files(cache)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(26, 2))
	for range 30 {
		for _, kind := range damage.Kinds {
			changed, err := damage.Do(r, all, all[0], kind)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := recall(cache, "one"); changed && ok {
				t.Fatalf("%s: %v", kind, got)
			}
			list[0].Module = "m"
			if err := keep(cache, "one", list); err != nil {
				t.Fatal(kind, err)
			}
			if got, ok := recall(cache, "one"); !ok || got[0].Module != "m" {
				t.Fatalf("after %s it is not kept again: %v", kind, got)
			}
		}
	}
}

// Sources that a build has generated are generated again where one of them is damaged.
func TestDamagedGenerated(t *testing.T) {
	g := &generation{dir: t.TempDir(), key: "k"}
	fresh := func() {
		if err := keepGenerated(g); err != nil {
			t.Fatal(err)
		}
		if got := g.findKept(); got.Modules == nil {
			t.Fatal("it is not kept")
		}
	}
	fresh()
	all, err := damage.Files(g.dir)
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	r := rand.New(rand.NewPCG(26, 3))
	for _, path := range all {
		for _, kind := range damage.Kinds {
			changed, err := damage.Do(r, all, path, kind)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.findKept(); changed && got.Modules != nil {
				t.Errorf("%s, %s: %v", path, kind, got)
			}
			fresh()
		}
	}
}

func keepGenerated(g *generation) error {
	part, err := os.MkdirTemp(g.dir, "part-")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(part, "G.java"), []byte("class G {}"), 0o600); err != nil {
		return err
	}
	return g.publish(part, generated{Modules: map[string]generatedSources{".": {Main: []string{"x"}}}})
}

func sameContents(a, b map[string]string) bool {
	for k, v := range b {
		if a[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}

// A pipe in the place of a source keeps nobody waiting.
func TestPipeAmongSources(t *testing.T) {
	f := newFixture(t, 17, map[string]string{"A.java": "class A {}"})
	if err := syscall.Mkfifo(f.path("B.java"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := f.c.Compile(ctx, f.m)
	if err != nil || len(r.Failed) > 0 {
		t.Error(r.Failed, err)
	}
}
