package javasource

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/expect"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// compiled is the fixtures as one compiler at one release made them.
type compiled struct {
	name     string
	compiler string // javac or ecj
	release  int
	files    []string
	classes  []*facts.Class
}

// compileFixtures compiles testdata/match with both compilers.
// levels are the releases that each compiler compiles the fixtures for.
var levels = map[string][]int{"javac": {8, 17, 25}, "ecj": {8, 25}}

func compileFixtures(t *testing.T) []compiled {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "match", "*.java"))
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	home := testjdk.JDK(t, 25)
	var all []compiled
	for name, compiler := range map[string]testjdk.Compiler{"javac": testjdk.Javac, "ecj": testjdk.ECJCompile} {
		for _, release := range levels[name] {
			c := compiled{name: fmt.Sprintf("%s-%d", name, release), compiler: name, release: release}
			for _, f := range files {
				if n, err := expect.MinRelease(f); err != nil {
					t.Fatal(err)
				} else if n <= release {
					c.files = append(c.files, f)
				}
			}
			dir := t.TempDir()
			compiler(t, home, release, nil, dir, c.files...)
			c.classes = readClasses(t, dir)
			all = append(all, c)
		}
	}
	return all
}

// edits returns versions of a source with the same catches on other lines.
func edits(src []byte) map[string][]byte {
	text := string(src)
	return map[string][]byte{
		"moved down by 1 line":    []byte("\n" + text),
		"moved down by 500 lines": []byte(strings.Repeat("\n", 500) + text),
		"with lines before try":   []byte(strings.ReplaceAll(text, "try {", "\n\n\ntry {")),
		"with lines before catch": []byte(strings.ReplaceAll(text, "} catch", "\n\n} catch")),
		"with blocks on one line": []byte(strings.ReplaceAll(text, "try {\n", "try {")),
	}
}

// stripped returns the classes without debug information.
func stripped(classes []*facts.Class) []*facts.Class {
	var all []*facts.Class
	for _, c := range classes {
		d := *c
		d.Methods = append([]facts.Method(nil), c.Methods...)
		for i := range d.Methods {
			m := &d.Methods[i]
			m.FirstLine = 0
			var details facts.MethodDetails
			if m.Details != nil {
				details = *m.Details
			}
			details.Handlers, details.Throws = slices.Clone(details.Handlers), slices.Clone(details.Throws)
			m.Details = &details
			for j := range details.Handlers {
				details.Handlers[j].Line, details.Handlers[j].Param = 0, ""
			}
			m.Calls = append([]facts.Call(nil), m.Calls...)
			for j := range m.Calls {
				m.Calls[j].Line = 0
			}
			for j := range details.Throws {
				details.Throws[j].Line = 0
			}
		}
		all = append(all, &d)
	}
	return all
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// nthCatch returns the catch that an expectation speaks about.
func nthCatch(t *testing.T, f *File, e expect.Expectation) *Catch {
	t.Helper()
	var onLine []*Catch
	for _, c := range f.Catches {
		if f.Line(c.Keyword.Start) == e.Line {
			onLine = append(onLine, c)
		}
	}
	n := max(e.Index, 1)
	if n > len(onLine) || e.Index == 0 && len(onLine) != 1 {
		t.Fatalf("%s: %d catches on the line, expectation is about #%d", e.Position(), len(onLine), e.Index)
	}
	return onLine[n-1]
}

func TestMatchFixtures(t *testing.T) {
	set := expect.Load(t, []string{"handlers", "types"}, filepath.Join("testdata", "match"))
	for _, c := range compileFixtures(t) {
		t.Run(c.name, func(t *testing.T) {
			byFile := make(map[string]*Matches)
			for _, name := range c.files {
				f := ParseCalls(readFile(t, name))
				if f.Broken {
					t.Errorf("%s: parsed as broken", name)
				}
				byFile[name] = Match(f, c.classes)
				checkExplained(t, name, byFile[name])
				bare := Match(f, stripped(c.classes))
				checkSame(t, name+" without debug information", byFile[name], bare)
				checkSites(t, name, byFile[name], bare)
				for what, text := range edits(readFile(t, name)) {
					checkSame(t, name+" "+what, byFile[name], Match(Parse(text), c.classes))
				}
			}
			checkHandlers(t, set, c, byFile)
			checkTypes(t, set, c, byFile)
		})
	}
}

// checkHandlers compares the numbers of handlers with the expectations.
func checkHandlers(t *testing.T, set *expect.Set, c compiled, byFile map[string]*Matches) {
	active, err := set.Active("handlers", c.compiler, "release"+strconv.Itoa(c.release))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range active {
		if m := byFile[e.File]; m != nil {
			want, _ := e.Int("")
			catch := nthCatch(t, m.File, e)
			if got := len(m.Handlers[catch]); got != want {
				t.Errorf("%s: %s has handlers(%d), want %s", e.Position(), catch.ID, got, e)
			}
		}
	}
}

// checkTypes compares the types of handlers with the expectations.
func checkTypes(t *testing.T, set *expect.Set, c compiled, byFile map[string]*Matches) {
	active, err := set.Active("types", c.compiler, "release"+strconv.Itoa(c.release))
	if err != nil {
		t.Fatal(err)
	}
	classes := make(map[string]*facts.Class)
	for _, x := range c.classes {
		classes[x.Name] = x
	}
	for _, e := range active {
		m := byFile[e.File]
		if m == nil {
			continue
		}
		want := strings.ReplaceAll(strings.Join(e.Strings(), " "), ".", "/")
		for _, ref := range m.Handlers[nthCatch(t, m.File, e)] {
			got := strings.Join(classes[ref.Class].Methods[ref.Method].Handlers()[ref.Handler].Types, " ")
			if got != want {
				t.Errorf("%s: handler %v catches %s, want %s", e.Position(), ref, got, want)
			}
		}
	}
}

// checkExplained fails for typed handlers that are neither a catch's nor known
// to be a compiler's.
func checkExplained(t *testing.T, name string, m *Matches) {
	t.Helper()
	for _, s := range m.Synthetic {
		if s.Kind == Unexplained {
			t.Errorf("%s: unexplained %s", name, describe(m, s.HandlerRef))
		}
	}
}

func describe(m *Matches, ref HandlerRef) string {
	method := &m.byName[ref.Class].Methods[ref.Method]
	h := method.Handlers()[ref.Handler]
	return fmt.Sprintf("handler of %s.%s%s at %d line %d %v %s", ref.Class, method.Name, method.Desc, h.PC, h.Line,
		h.Types, h.Param)
}

// checkSame fails unless both matches give each catch the same handlers.
func checkSame(t *testing.T, name string, want, got *Matches) {
	t.Helper()
	index := make(map[string]*Catch)
	for _, c := range got.File.Catches {
		index[c.ID] = c
	}
	for _, c := range want.File.Catches {
		a, b := fmt.Sprint(want.Handlers[c]), fmt.Sprint(got.Handlers[index[c.ID]])
		if a != b {
			t.Errorf("%s: %s (line %d) has %s, want %s", name, c.ID, want.File.Line(c.Keyword.Start), b, a)
			for _, r := range want.Handlers[c] {
				t.Log("   want", describe(want, r))
			}
		}
	}
}
