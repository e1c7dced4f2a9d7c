package buildtool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// shared serves most tests: a JVM for each would take long.
var shared *Compiler

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "catchlens-build-test")
	if err != nil {
		panic(err)
	}
	shared = NewCompiler(CompilerOptions{CacheDir: dir, HeapMB: 256, Idle: time.Minute})
	code := m.Run()
	shared.Close()
	os.RemoveAll(dir)
	os.Exit(code)
}

// fixture is a source set on disk.
type fixture struct {
	t   *testing.T
	dir string
	c   *Compiler
	m   ModuleCompile
}

func newFixture(t *testing.T, feature int, files map[string]string) *fixture {
	t.Helper()
	home := testjdk.JDK(t, feature)
	f := &fixture{t: t, dir: t.TempDir(), c: shared}
	f.m = ModuleCompile{Key: f.dir, JDKHome: home, JDKFeature: feature,
		SourceRoots: []string{filepath.Join(f.dir, "src")}, Release: 11, ReleaseIsFlag: true}
	for name, text := range files {
		f.write(name, text)
	}
	return f
}

func (f *fixture) path(name string) string {
	return filepath.Join(f.dir, "src", filepath.FromSlash(name))
}

func (f *fixture) write(name, text string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o777); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(text), 0o666); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) compile() Result {
	f.t.Helper()
	r, err := f.c.Compile(context.Background(), f.m)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// want checks the short names of compiled sources and of failed ones.
func (f *fixture) want(r Result, compiled, failed string) {
	f.t.Helper()
	short := func(list []string) string {
		var out []string
		for _, p := range list {
			rel, _ := filepath.Rel(filepath.Join(f.dir, "src"), p)
			out = append(out, filepath.ToSlash(strings.TrimSuffix(rel, ".java")))
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	if got := short(r.Compiled); got != compiled {
		f.t.Errorf("compiled %q, want %q; diagnostics: %v", got, compiled, r.Diagnostics)
	}
	if got := short(r.Failed); got != failed {
		f.t.Errorf("failed %q, want %q; diagnostics: %v", got, failed, r.Diagnostics)
	}
}

func (f *fixture) classes() string {
	var out []string
	root := f.c.OutputDir(f.m.Key)
	_ = filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	slices.Sort(out)
	return strings.Join(out, " ")
}

const (
	srcA = "package p;\npublic class A { public static final int K = 1; public int f() { return 1; } class Inner {} }\n"
	srcB = "package p;\npublic class B extends A { public int g() { return f() + 1; } }\n"
	srcC = "package p;\npublic class C { int h() { Runnable r = new Runnable() { public void run() {} }; return new " +
		"B().g(); } }\n"
	srcD = "package q;\npublic class D { int k() { return 5; } }\n"
	srcE = "package q;\npublic class E { int k() { return p.A.K; } }\n"
)

func sources5() map[string]string {
	return map[string]string{"p/A.java": srcA, "p/B.java": srcB, "p/C.java": srcC, "q/D.java": srcD, "q/E.java": srcE}
}

func TestIncremental(t *testing.T) {
	for _, feature := range []int{17, 25} {
		t.Run("", func(t *testing.T) {
			f := newFixture(t, feature, sources5())
			r := f.compile()
			f.want(r, "p/A p/B p/C q/D q/E", "")
			if got, want := f.classes(),
				"p/A$Inner.class p/A.class p/B.class p/C$1.class p/C.class q/D.class q/E.class"; got != want {
				t.Errorf("classes %q, want %q", got, want)
			}
			if got := r.Classes[f.path("p/C.java")]; !slices.Equal(got, []string{"p/C$1.class", "p/C.class"}) {
				t.Errorf("classes of C: %q", got)
			}
			if !r.Full || !r.APIChanged || r.API == "" {
				t.Errorf("full %v, API changed %v %q", r.Full, r.APIChanged, r.API)
			}

			f.want(f.compile(), "", "") // nothing to do

			// A body shows to nobody.
			f.write("p/A.java", strings.Replace(srcA, "return 1", "return 2", 1))
			r = f.compile()
			f.want(r, "p/A", "")
			if r.APIChanged || r.Full || !slices.Equal(r.Changed, []string{"p/A.class"}) {
				t.Errorf("API changed %v, full %v, changed %q", r.APIChanged, r.Full, r.Changed)
			}

			// A constant is copied into E; B inherits it, and C uses B. D has
			// nothing to do with it.
			f.write("p/A.java", strings.Replace(srcA, "K = 1", "K = 7", 1))
			r = f.compile()
			f.want(r, "p/A p/B p/C q/E", "")
			if !r.APIChanged {
				t.Error("the API did not change")
			}

			// A comment changes the file, and no class.
			f.write("q/D.java", srcD+"// x\n")
			r = f.compile()
			f.want(r, "q/D", "")
			if len(r.Changed) != 0 {
				t.Errorf("changed %q", r.Changed)
			}

			// Removing a nested class removes its file.
			f.write("p/A.java", strings.Replace(srcA, "class Inner {}", "", 1))
			r = f.compile()
			if !slices.Equal(r.Removed, []string{"p/A$Inner.class"}) || strings.Contains(f.classes(), "Inner") {
				t.Errorf("removed %q, classes %s", r.Removed, f.classes())
			}

			// Removing a source removes its classes.
			if err := os.Remove(f.path("q/D.java")); err != nil {
				t.Fatal(err)
			}
			r = f.compile()
			f.want(r, "", "")
			if strings.Contains(f.classes(), "q/D") {
				t.Errorf("classes %s", f.classes())
			}
		})
	}
}

// What a build leaves out is not compiled: nobody hears that it does not compile.
func TestLeftOutSources(t *testing.T) {
	f := newFixture(t, 17, map[string]string{"p/A.java": "package p; class A {}",
		"p/Old.java": "package p; class Old { Gone g; }", "p/gone/B.java": "package p.gone; class B extends Gone {}"})
	f.m.Taken = workspace.Taken{Excludes: []string{"**/Old.java", "p/gone/"}}
	r := f.compile()
	if f.want(r, "p/A", ""); len(r.Diagnostics) > 0 {
		t.Errorf("diagnostics %+v", r.Diagnostics)
	}
}

func TestFailedFilesKeepTheirClasses(t *testing.T) {
	f := newFixture(t, 17, sources5())
	f.compile()
	before, err := os.ReadFile(filepath.Join(f.c.OutputDir(f.m.Key), "q", "D.class"))
	if err != nil {
		t.Fatal(err)
	}
	// D has a syntax error, A a good change: A counts, D stays as it was.
	f.write("q/D.java", "package q;\npublic class D {\n\tint k() { return ; }\n}\n")
	f.write("p/A.java", strings.Replace(srcA, "return 1", "return 3", 1))
	r := f.compile()
	f.want(r, "p/A", "q/D")
	after, err := os.ReadFile(filepath.Join(r.OutputDir, "q", "D.class"))
	if err != nil || string(after) != string(before) {
		t.Errorf("the last good class of D is gone (%v)", err)
	}
	if len(r.Diagnostics) != 1 {
		t.Fatalf("diagnostics: %v", r.Diagnostics)
	}
	d := r.Diagnostics[0]
	if d.Severity != workspace.Error || d.File != f.path("q/D.java") || d.Line != 3 || d.Column != 12 || d.Code == "" ||
		d.Message == "" {
		t.Errorf("diagnostic %+v, want line 3, column 12 (a tab is one column)", d)
	}
	// Unchanged, it is not tried again, and its errors are still said.
	r = f.compile()
	f.want(r, "", "q/D")
	if len(r.Diagnostics) != 1 {
		t.Errorf("diagnostics: %v", r.Diagnostics)
	}
	// A loses a method that B needs: B fails with it, everything else stands.
	f.write("p/A.java", "package p;\npublic class A { public static final int K = 1; }\n")
	r = f.compile()
	if !slices.Contains(r.Failed, f.path("p/B.java")) || !slices.Contains(r.Compiled, f.path("p/A.java")) {
		t.Errorf("compiled %q, failed %q", r.Compiled, r.Failed)
	}
	// All is well again.
	f.write("p/A.java", srcA)
	f.write("q/D.java", srcD)
	r = f.compile()
	if len(r.Failed) != 0 || len(r.Diagnostics) != 0 {
		t.Errorf("failed %q, diagnostics %v", r.Failed, r.Diagnostics)
	}
}

// What fails only as another source is left out comes behind the error of that one, also when
// nothing is compiled again.
func TestErrorsThatFollowComeLast(t *testing.T) {
	f := newFixture(t, 17, map[string]string{
		"p/A.java": "package p;\nclass A { int g() { return q.D.k(); } }\n",
		"q/D.java": "package q;\npublic class D { public static int k() { return ; } }\n"})
	for range 2 {
		r := f.compile()
		f.want(r, "", "p/A q/D")
		if len(r.Diagnostics) < 2 || r.Diagnostics[0].File != f.path("q/D.java") || r.Diagnostics[0].Follows ||
			!r.Diagnostics[1].Follows {
			t.Errorf("diagnostics %+v, want that of D, then what follows from it", r.Diagnostics)
		}
	}
}

func TestNeverCompiledBorrowsFromTheBuild(t *testing.T) {
	f := newFixture(t, 17, sources5())
	user := filepath.Join(f.dir, "target", "classes")
	var files []string
	for n := range sources5() {
		files = append(files, f.path(n))
	}
	slices.Sort(files)
	testjdk.Javac(t, f.m.JDKHome, 11, nil, user, files...)
	if err := os.WriteFile(filepath.Join(user, "x.properties"), []byte("a=1"), 0o666); err != nil {
		t.Fatal(err)
	}
	snapshot := tree(t, user)
	f.m.UserOutputs = []string{user}
	f.write("p/B.java", "package p;\npublic class B extends A { int g( }\n")
	r := f.compile()
	f.want(r, "p/A p/C q/D q/E", "p/B")
	if got := f.classes(); !strings.Contains(got, "p/B.class") || !strings.Contains(got, "x.properties") {
		t.Errorf("classes %s", got)
	}
	if tree(t, user) != snapshot {
		t.Error("the user's output folder was written")
	}
}

// tree lists files with sizes and times.
func tree(t *testing.T, root string) string {
	var b strings.Builder
	err := filepath.Walk(root, func(p string, fi os.FileInfo, err error) error {
		if err == nil {
			b.WriteString(p + fi.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEncodingAndParameters(t *testing.T) {
	f := newFixture(t, 17, nil)
	f.write("p/U.java", "package p; class U { String s = \"\xe9\"; void m(int named) {} }")
	f.m.Encoding, f.m.Parameters = "ISO-8859-1", true
	r := f.compile()
	data, err := os.ReadFile(filepath.Join(r.OutputDir, "p", "U.class"))
	if err != nil {
		t.Fatal(err, r.Diagnostics)
	}
	if !strings.Contains(string(data), "\xc3\xa9") || !strings.Contains(string(data), "MethodParameters") {
		t.Error("the class holds no é or no parameter names")
	}
	f.m.Encoding = "no-such-charset"
	r = f.compile()
	if len(r.Diagnostics) == 0 || !strings.Contains(r.Diagnostics[0].Message, "no-such-charset") {
		t.Errorf("diagnostics %v", r.Diagnostics)
	}
}

// Preview features are compiled for the release of the JDK that there is, whatever the build says:
// javac takes them for no other.
func TestPreviewFeatures(t *testing.T) {
	f := newFixture(t, 17, map[string]string{"p/S.java": "package p; class S { int m(Object o) { return switch (o) { " +
		"case String s -> s.length(); default -> 0; }; } }"})
	for _, release := range []int{0, 16, 21} {
		m := &workspace.Module{Name: "m", Dir: f.dir,
			SourceFolders: workspace.SourceFolders{MainSources: f.m.SourceRoots},
			Compilation: workspace.Compilation{JDKHome: f.m.JDKHome, CompilerArgs: []string{"--enable-preview"},
				Release: release, ReleaseIsFlag: release != 16}}
		f.m = ModuleCompileOf(&workspace.Workspace{Root: f.dir, Modules: []*workspace.Module{m}}, m, Main, nil)
		if r := f.compile(); len(r.Classes) != 1 || len(r.Failed) > 0 {
			t.Errorf("release %d: failed %v, %v", release, r.Failed, r.Diagnostics)
		}
	}
}

func TestNoCompiler(t *testing.T) {
	f := newFixture(t, 17, sources5())
	f.m.JDKHome = t.TempDir()
	_, err := f.c.Compile(context.Background(), f.m)
	if !errors.Is(err, ErrNoCompiler) || !strings.Contains(err.Error(), f.m.JDKHome) {
		t.Errorf("error %v", err)
	}
}

func TestCancelAndRestart(t *testing.T) {
	f := newFixture(t, 17, sources5())
	f.c = NewCompiler(shared.opt)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.c.Compile(ctx, f.m); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	f.want(f.compile(), "p/A p/B p/C q/D q/E", "")
	// The JVM is killed from outside: the next compilation starts another.
	f.c.mu.Lock()
	f.c.pool[0].srv.proc.Kill()
	f.c.mu.Unlock()
	f.write("p/A.java", srcA+"//")
	f.want(f.compile(), "p/A", "")
	if err := f.c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.c.Compile(context.Background(), f.m); err == nil {
		f.write("p/A.java", srcA)
		if _, err = f.c.Compile(context.Background(), f.m); err == nil {
			t.Error("a closed compiler compiles")
		}
	}
}

// What a compilation left is found again without a compiler: what changed since is
// among the failed; classes of the build tool that fit more sources win.
func TestKept(t *testing.T) {
	f := newFixture(t, 17, sources5())
	none := NewCompiler(CompilerOptions{CacheDir: shared.opt.CacheDir})
	none.closed = true // it must not start a JVM
	if r, ok := none.Kept(f.m); ok {
		t.Errorf("kept before anything was compiled: %+v", r)
	}
	was := f.compile()
	r, ok := none.Kept(f.m)
	if !ok || r.OutputDir != was.OutputDir || r.API != was.API || len(r.Classes) != 5 {
		t.Errorf("kept %v: %+v", ok, r)
	}
	f.want(r, "", "")

	f.write("p/A.java", strings.Replace(srcA, "return 1", "return 2", 1))
	f.write("q/N.java", "package q; class N {}")
	if err := os.Remove(f.path("p/C.java")); err != nil {
		t.Fatal(err)
	}
	r, ok = none.Kept(f.m)
	f.want(r, "", "p/A q/N")
	if _, gone := r.Classes[f.path("p/C.java")]; !ok || gone || len(r.Classes) != 5 {
		t.Errorf("kept after changes %v: %v", ok, r.Classes)
	}

	// The whole workspace: no class folder, then one in which only N is missing.
	m := &workspace.Module{Name: "m", Dir: f.dir,
		SourceFolders: workspace.SourceFolders{MainSources: f.m.SourceRoots,
			MainOutputs: []string{filepath.Join(f.dir, "out")}},
		Compilation: workspace.Compilation{JDKHome: f.m.JDKHome, Encoding: "UTF-8"}}
	w := &workspace.Workspace{Root: f.dir, Modules: []*workspace.Module{m}}
	kept := func() string {
		t.Helper()
		got, _, err := KeptWorkspace(context.Background(), none, w)
		if err != nil {
			t.Fatal(err)
		}
		return got.Modules[0].MainOutputs[0]
	}
	if got := kept(); got != m.MainOutputs[0] {
		t.Errorf("%s is used, but nothing was compiled for this module", got)
	}
	mc := ModuleCompileOf(w, m, Main, nil)
	if _, err := shared.Compile(context.Background(), mc); err != nil {
		t.Fatal(err)
	}
	if got := kept(); got != shared.OutputDir(mc.Key) {
		t.Errorf("%s is used, not what was compiled", got)
	}
	f.write("p/A.java", srcA)
	f.write("q/D.java", srcD+"// edited")
	testjdk.Javac(t, f.m.JDKHome, 17, nil, m.MainOutputs[0], f.path("p/A.java"), f.path("p/B.java"), f.path("q/D.java"),
		f.path("q/E.java"), f.path("q/N.java"))
	later := time.Now().Add(2 * time.Second)
	if err := os.Chtimes(f.path("q/N.java"), later, later); err != nil {
		t.Fatal(err)
	}
	if got := kept(); got != m.MainOutputs[0] {
		t.Errorf("%s is used, though the build tool's classes fit more sources", got)
	}
}
