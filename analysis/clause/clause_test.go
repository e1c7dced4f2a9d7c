package clause_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/internal/expect"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file compiles the programs of testdata with javac and ECJ and compares what the
// analysis says of each catch with the expectations beside it.

var kinds = []string{"clause", "prepared", "thread", "ends", "throws"}

func init() {
	expect.Kinds["clause"] = expect.Kind{Min: 1, Max: 1, Words: []string{"passes-on", "unaffected", "open"}}
	expect.Kinds["prepared"] = expect.Kind{Max: -1}
	expect.Kinds["thread"], expect.Kinds["ends"], expect.Kinds["throws"] = expect.Kind{}, expect.Kind{}, expect.Kind{}
}

// compilation is a compiler and a release.
type compilation struct {
	name    string
	compile testjdk.Compiler
	jdk     int
	release int
}

// compilations are those of the fast test; slow_test.go has more.
var compilations = []compilation{{"javac", joinsObjects, 17, 17}, {"ecj", testjdk.ECJCompile, 17, 8}}

func TestClauses(t *testing.T) { checkCompilations(t, compilations) }

func checkCompilations(t *testing.T, compilations []compilation) {
	set := expect.Load(t, kinds, filepath.Join("testdata", "clauses"))
	for _, c := range compilations {
		t.Run(fmt.Sprintf("%s-%d", c.name, c.release), func(t *testing.T) { checkCompilation(t, set, c) })
	}
}

// compiled is a program of testdata.
type compiled struct {
	*clause.Program
	classes []*facts.Class
	out     string // where its class files are
}

func compile(t *testing.T, set *expect.Set, c compilation) compiled {
	return compileFiles(t, set.Files(), c)
}

func compileFiles(t *testing.T, files []string, c compilation) compiled {
	home, out := testjdk.JDK(t, c.jdk), t.TempDir()
	c.compile(t, home, c.release, nil, out, files...)
	program := programtest.Open(t, home, facts.Options{}, 1, out)
	graph := rta.Build(hierarchy.New(program),
		callgraph.Config{Workspace: program.Workspace, Providers: program.Providers,
			Entries: features.MainEntries(program, program.Workspace)})
	p := compiled{out: out, Program: clause.NewProgram(graph, program.Workspace, func(class string) ([]byte, error) {
		data, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(class)+".class"))
		if errors.Is(err, fs.ErrNotExist) {
			return program.Bytes(class)
		}
		return data, err
	})}
	for _, n := range program.Workspace {
		class, _ := program.Class(n)
		p.classes = append(p.classes, class)
	}
	return p
}

func checkCompilation(t *testing.T, set *expect.Set, c compilation) {
	p := compile(t, set, c)
	got := map[string]*clause.Result{} // by file and line
	for _, file := range set.Files() {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source := javasource.Parse(text)
		matches := javasource.Match(source, p.classes)
		for _, sc := range source.Catches {
			var all []*clause.Result
			lines := clause.Lines{First: source.Line(sc.Body.Start), Last: source.Line(sc.Body.End)}
			for _, h := range matches.Handlers[sc] {
				all = append(all, clause.Analyze(p.Program, h.Class, h.Method, h.Handler, lines, clause.Origins{}))
			}
			got[fmt.Sprintf("%s:%d", file, source.Line(sc.Keyword.Start))] = clause.Join(all)
		}
	}
	words := []string{c.name, fmt.Sprintf("release%d", c.release), fmt.Sprintf("jdk%d", c.jdk)}
	claimed := map[string]bool{}
	for _, kind := range kinds {
		list, err := set.Active(kind, words...)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			claimed[kind+e.Position()] = true
			checkExpectation(t, e, got[e.Position()])
		}
	}
	for at, r := range got {
		for _, kind := range kinds[:2] {
			if !claimed[kind+at] {
				t.Errorf("%s: nothing is expected of kind %s: clause(%q) %s (%s)", at, kind, ground(r),
					expect.Format("prepared", preparedText(r)...), r.Why)
			}
		}
		if r.Thread && !claimed["thread"+at] {
			t.Errorf("%s: thread", at)
		}
		if r.Ends && !claimed["ends"+at] {
			t.Errorf("%s: ends", at)
		}
		if passesOn := r.Ground == clause.PassesOn; r.Throws != (passesOn || claimed["throws"+at]) {
			t.Errorf("%s: throws: %v", at, r.Throws)
		}
	}
}

func checkExpectation(t *testing.T, e expect.Expectation, r *clause.Result) {
	if r == nil {
		t.Errorf("%s: there is no catch", e.Position())
		return
	}
	switch e.Kind {
	case "clause":
		if want := e.Strings()[0]; ground(r) != want {
			t.Errorf("%s: clause(%q), not %q: %s", e.Position(), ground(r), want, r.Why)
		}
	case "prepared":
		want := e.Strings()
		slices.Sort(want)
		if have := preparedText(r); !slices.Equal(have, want) {
			t.Errorf("%s: %s, not %s: %s", e.Position(), expect.Format("prepared", have...), e, r.Why)
		}
	case "ends":
		if !r.Ends {
			t.Errorf("%s: the thread does not end with it", e.Position())
		}
	case "throws":
		if !r.Throws {
			t.Errorf("%s: the method does not end with an exception after it", e.Position())
		}
	case "thread":
		if !r.Thread {
			t.Errorf("%s: no thread", e.Position())
		}
	}
}

func ground(r *clause.Result) string {
	if r.Ground == clause.Unproven {
		return "open"
	}
	return string(r.Ground)
}

// preparedText writes what is prepared as expectations do: kind, name, what the try
// sets it to or which call does, and where it is used.
var accessor = regexp.MustCompile(`access\$\d+`)

func preparedText(r *clause.Result) (out []string) {
	for _, p := range r.Prepared {
		var sets, uses []string
		for _, s := range p.Sets {
			text := accessor.ReplaceAllString(s.By, "access") // compilers number them
			if text == "" {
				text = s.Value
			}
			if text == "" {
				text = "?"
			}
			if s.Line == 0 {
				text += " without a line"
			}
			if !slices.Contains(sets, text) {
				sets = append(sets, text)
			}
		}
		for _, u := range p.Uses {
			text := string(u.Where)
			if u.Returned {
				text += " returns"
			}
			if !slices.Contains(uses, text) {
				uses = append(uses, text)
			}
		}
		out = append(out, fmt.Sprintf("%s %s: %s > %s", p.Kind, p.Name, strings.Join(sets, ", "),
			strings.Join(uses, ",")))
	}
	slices.Sort(out)
	return out
}
