package rewrite

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// stretchFixture is testdata/stretch, compiled.
type stretchFixture struct {
	dir     string
	factsOf func(string) *facts.Class
}

func newStretchFixture(t *testing.T, compile func(dir, file string)) stretchFixture {
	t.Helper()
	x := stretchFixture{dir: t.TempDir()}
	compile(x.dir, filepath.Join("testdata", "stretch", "Stretch.java"))
	image, err := jimage.Open(jimage.PathIn(testjdk.JDK(t, 17)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { image.Close() })
	x.factsOf = func(name string) *facts.Class {
		data, err := os.ReadFile(filepath.Join(x.dir, name+".class"))
		for _, module := range []string{"java.base", "java.rmi"} {
			if err == nil {
				break
			}
			ok := false
			if data, ok, err = image.ReadFile(module, name+".class"); err == nil && !ok {
				err = os.ErrNotExist
			}
		}
		if err != nil {
			return nil
		}
		_, f := planFor(t, data, plan.None)
		return f
	}
	return x
}

// handlersAt are the typed handlers of a class whose lines are among those given.
func handlersAt(f *facts.Class, lines map[int32]string) map[int32][]Stretching {
	found := map[int32][]Stretching{}
	for i := range f.Methods {
		for k, h := range f.Methods[i].Handlers() {
			for _, line := range []int32{h.Line, h.StoreLine} {
				if _, ok := lines[line]; ok && h.Types[0] != "" {
					found[line] = append(found[line], Stretching{i, k, "java/lang/Exception"})
					break
				}
			}
		}
	}
	return found
}

func TestStretch(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "stretch", "Stretch.java"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[int32]string{} // by line
	for i, line := range strings.Split(string(text), "\n") {
		if _, comment, ok := strings.Cut(line, "{ //@ "); ok {
			want[int32(i+1)] = comment
		}
	}
	if len(want) < 25 {
		t.Fatalf("%d expectations", len(want))
	}
	home := testjdk.JDK(t, 17)
	newest := testjdk.AtLeast(t, 25)
	for name, compile := range map[string]func(dir, file string){
		"javac8":  func(dir, file string) { testjdk.Javac(t, home, 8, nil, dir, file) },
		"javac17": func(dir, file string) { testjdk.Javac(t, home, 17, nil, dir, file) },
		"javac25": func(dir, file string) { testjdk.Javac(t, newest, 17, nil, dir, file) },
		"ecj":     func(dir, file string) { testjdk.ECJCompile(t, home, 8, nil, dir, file) },
	} {
		t.Run(name, func(t *testing.T) { testStretched(t, newStretchFixture(t, compile), home, want) })
	}
}

func testStretched(t *testing.T, x stretchFixture, home string, want map[int32]string) {
	file := filepath.Join(x.dir, "Stretch.class")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	original := runJava(t, home, append(fullVerification, "-cp", x.dir, "Stretch")...)
	p, f := planFor(t, data, plan.Full)
	handlers := handlersAt(f, want)
	var all []Stretching
	for line, expected := range want {
		list := handlers[line]
		if len(list) == 0 {
			t.Errorf("line %d has no handler", line)
			continue
		}
		_, err := Stretch(data, f, list, x.factsOf)
		var narrow *NarrowUse
		switch {
		case expected == "yes" && err != nil:
			t.Errorf("line %d: %v", line, err)
		case expected == "yes":
			all = append(all, list...)
		case err == nil && strings.HasPrefix(expected, "keeps") && len(variables(t, data)) == 0:
		case err == nil || !strings.Contains(err.Error(), expected):
			t.Errorf("line %d: error %v, want %q", line, err, expected)
		case errors.As(err, &narrow) == strings.HasPrefix(expected, "a lambda"):
			t.Errorf("line %d: %v is of another kind", line, err)
		}
	}
	stretched, err := Stretch(data, f, all, x.factsOf)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Rewrite(stretched, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Skipped) > 0 {
		t.Errorf("with probes: %v", r.Skipped)
	}
	checkStretched(t, "stretched", original, x.runWith(t, home, stretched))
	probed := append([]byte(nil), r.Bytes...)
	binary.BigEndian.PutUint32(probed[r.ClassNumberOffset:], 0)
	checkStretched(t, "stretched, with probes", original, x.runWith(t, home, probed))
}

// runWith runs the fixture with another class file.
func (x stretchFixture) runWith(t *testing.T, home string, class []byte) string {
	t.Helper()
	dir := t.TempDir()
	testjdk.Javac(t, home, 8, nil, dir, filepath.Join("testdata", "harness", "catchlens", "rt", "Probe.java"),
		filepath.Join("testdata", "harness", "catchlens", "rt", "record", "Chains.java"))
	if err := writeClass(filepath.Join(dir, "Stretch.class"), class); err != nil {
		t.Fatal(err)
	}
	return runJava(t, home, append(fullVerification, "-cp", dir+string(os.PathListSeparator)+x.dir, "Stretch")...)
}

// checkStretched compares what each shape printed: alike where nothing or the
// clause's own type is thrown, and else the clause's answer where the original let
// the exception out.
func checkStretched(t *testing.T, what, original, stretched string) {
	t.Helper()
	a, b := strings.Split(strings.TrimSpace(original), "\n"), strings.Split(strings.TrimSpace(stretched), "\n")
	if len(a) < 50 || len(a) != len(b) {
		t.Fatalf("%s: %d lines, the original %d", what, len(b), len(a))
	}
	for i := range a {
		shape, kind, _ := strings.Cut(a[i], " ")
		if !strings.HasPrefix(kind, "2 ") {
			if a[i] != b[i] {
				t.Errorf("%s: %q, the original %q", what, b[i], a[i])
			}
			continue
		}
		if !strings.HasPrefix(kind, "2 out IllegalStateException") || !strings.HasPrefix(b[i], shape+" 2 clause") {
			t.Errorf("%s: %q, the original %q", what, b[i], a[i])
		}
	}
}

// variables are the names of all local variables that a class file has.
func variables(t *testing.T, data []byte) (names []string) {
	t.Helper()
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Methods {
		code, err := c.Code(m)
		if err != nil || code == nil {
			continue
		}
		vars, err := c.LocalVariables(code)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range vars {
			names = append(names, v.Name)
		}
	}
	return names
}
