package peers

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSootType(t *testing.T) {
	for desc, want := range map[string]string{"I": "int", "[[J": "long[][]", "Ljava/lang/String;": "java.lang.String",
		"[La/B$C;": "a.B$C[]", "V": "void"} {
		if got := sootType(desc); got != want {
			t.Errorf("%s: %s, want %s", desc, got, want)
		}
	}
}

// What Tai-e writes is read, and what only one side has is told.
func TestCompare(t *testing.T) {
	in := &input{name: "p", dir: t.TempDir()}
	p, err := newTaie(in, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.out(), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"reachable-methods.txt": "<a.B: void <init>()>\n<a.B: int f(java.lang.String)>\n<c.D: void g()>\n",
		"call-edges.txt": "<a.B: int f(java.lang.String)>/c.D.g/0\t<c.D: void g()>\n<a.B: void " +
			"<init>()>/a.B.f/0\t<a.B: int f(java.lang.String)>\n",
	} {
		if err := os.WriteFile(filepath.Join(p.out(), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	theirs, err := p.result(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(theirs.methods) != 3 || len(theirs.edges) != 2 ||
		!theirs.edges[[2]string{"a.B: void <init>()", "a.B: int f(java.lang.String)"}] {
		t.Fatalf("read %+v", theirs)
	}
	ours := newResult()
	ours.method("a.B: void <init>()")
	ours.method("a.B: int f(java.lang.String)")
	ours.method("e.F: void h()")
	ours.edge("a.B: int f(java.lang.String)", "e.F: void h()")
	*against = "rta"
	var out strings.Builder
	if err := report(&out, p, ours, theirs); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Methods: 2 in both, 1 only in catchlens rta, 1 only in Tai-e ci.", "| e | 1 | F 1 |",
		"| c | 1 | D 1 |",
		"Edges between methods that both reach: 0 only in catchlens rta, 1 only in Tai-e ci."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
}

// A project on which Tai-e fails otherwise is given the classes of its tests, by name, and no
// reflection.
func TestTaieWithoutReflection(t *testing.T) {
	tests, in := t.TempDir(), &input{name: "commons-lang3", dir: t.TempDir()}
	for _, name := range []string{"module-info", "a/package-info", "a/BTest", "a/BTest$C"} {
		path := filepath.Join(tests, filepath.FromSlash(name)+".class")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if in.tests, err = classesIn(tests); err != nil {
		t.Fatal(err)
	}
	p, err := newTaie(in, "")
	if err != nil {
		t.Fatal(err)
	}
	k := slices.Index(p.java, "--input-classes")
	if k < 0 || !slices.ContainsFunc(p.java,
		func(a string) bool { return strings.HasSuffix(a, "reflection-inference:null") }) {
		t.Fatalf("options %q", p.java)
	}
	list, err := os.ReadFile(p.java[k+1])
	if got := strings.Fields(string(list)); err != nil || !slices.Equal(got, []string{"a.BTest$C", "a.BTest"}) {
		t.Errorf("classes %q, %v", got, err)
	}
}

func TestOwnTime(t *testing.T) {
	p, err := newTaie(&input{dir: t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.out(), 0o755); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(p.out(), "tai-e.log")
	if err := os.WriteFile(log, []byte("[pta] starts ...\n[pta] elapsed time: 12.50s; CPU usage\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if d, err := p.ownTime(p); err != nil || d.Seconds() != 12.5 {
		t.Errorf("%v, %v", d, err)
	}
	if err := os.WriteFile(log, []byte("[pta] starts ...\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.ownTime(p); err == nil {
		t.Error("no error for a log of a run that did not end")
	}
}

// What RunSpark writes is read.
func TestSparkResult(t *testing.T) {
	p := &peer{in: &input{dir: t.TempDir()}, files: "spark"}
	if err := os.MkdirAll(p.out(), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.out(), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("time.txt", "2.5")
	write("methods.txt", "a.B: int f()\nc.D: void g()\n")
	write("edges.txt", "a.B: int f()\tc.D: void g()\n")
	if d, err := sparkTime(p); err != nil || d.Seconds() != 2.5 {
		t.Errorf("%v, %v", d, err)
	}
	r, err := sparkResult(p)
	if err != nil || len(r.methods) != 2 || !r.edges[[2]string{"a.B: int f()", "c.D: void g()"}] {
		t.Errorf("read %+v, %v", r, err)
	}
	write("edges.txt", "a.B: int f()\n")
	if _, err := sparkResult(p); err == nil {
		t.Error("no error for an edge without a callee")
	}
}

// How long the call graph took is in the log of catchlens analyze --verbose.
func TestGraphTime(t *testing.T) {
	m := graphTime.FindStringSubmatch(`time=2026-11-21T18:00:00.000Z level=INFO msg=analysed snapshot=1 classes=2 scan=0.07 graph=1.25 flow=0.5 total=2`)
	if m == nil || m[1] != "1.25" {
		t.Errorf("read %q", m)
	}
}

// What lies behind a difference is told with it.
func TestBeginnings(t *testing.T) {
	a, b := newResult(), newResult()
	for _, m := range []string{"main", "f", "g", "h", "k", "alone"} {
		a.method(m)
	}
	for _, m := range []string{"main", "f"} {
		b.method(m)
	}
	for _, e := range [][2]string{{"main", "f"}, {"f", "g"}, {"g", "h"}, {"main", "h"}, {"h", "k"}} {
		a.edge(e[0], e[1])
	}
	got := beginnings(a, b)
	want := []beginning{{"g", "f", 3}, {"alone", "", 1}, {"h", "main", 0}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if rest := beginnings(b, a); len(rest) != 0 {
		t.Errorf("%v, want none", rest)
	}
}

// Whether a heap serves is told by how the peer ends, and by the processor time that it takes.
func TestWithTwice(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	defer func(was string) { *jdk = was }(*jdk)
	*jdk = home
	for _, c := range []struct {
		name, java string
		best       time.Duration
		want       string
	}{
		{"it ends in time", "exit 0", time.Minute,
			"P: a heap of 100 MB, twice what catchlens takes in all, serves after "},
		{"its best time is not known", "exit 0", 0, "serves after "},
		{"no memory", "exit 3", time.Minute, "is used up after "},
		{"too slow", "while :; do :; done", time.Second, "does not serve, and is given up after "},
	} {
		if err := os.WriteFile(filepath.Join(home, "bin", "java"), []byte("#!/bin/sh\n"+c.java+"\n"),
			0o755); err != nil {
			t.Fatal(err)
		}
		p := &peer{name: "P", in: &input{dir: t.TempDir()},
			ownTime: func(*peer) (time.Duration, error) { return 0, nil }}
		got, err := p.withTwice(t.Context(), c.best, 100)
		if err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "bin", "java"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := &peer{name: "P", in: &input{dir: t.TempDir()}}
	if got, err := p.withTwice(t.Context(), time.Minute, 100); err == nil {
		t.Errorf("a peer that fails: %q", got)
	}
}
