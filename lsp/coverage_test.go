package lsp

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/session"
)

const branching = `package p;

public class C {
    static int of(int n) {
        if (n > 0 && /* 𝄞 */ n < 9) {
            return 1;
        }
        return n;
    }

    static int other(int n) {
        return n + 1;
    }
}
`

// covers is a session of which some tests are said to have covered methods of the class p.C.
type covers struct {
	session.API
	store *results.Store
	now   atomic.Pointer[session.Coverage]
}

func (c *covers) Coverage() *session.Coverage { return c.now.Load() }

// add adds up what tests cover: each is the name of a test and those of the methods whose probes it
// hits, all or, with a *, the first only (of "of", n > 0 is false). A test that begins with - is of
// older code, and the methods behind a - were others then.
func (c *covers) add(t *testing.T, snap *snapshot.Snapshot, tests ...string) {
	t.Helper()
	data, err := snap.ClassBytes("p/C")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	class := coverage.OfClass(parsed, coverage.Technique)
	runs := func(yield func(*record.TestRun, bool) bool) {
		for _, words := range tests {
			f := strings.Fields(words)
			name, old := strings.CutPrefix(f[0], "-")
			module, name, named := strings.Cut(name, "/")
			if !named {
				module, name = "m", module
			}
			run := &record.TestRun{Module: module, Test: name, Outcome: record.Pass}
			run.Covers = true
			for _, method := range f[1:] {
				method, other := strings.CutPrefix(method, "-")
				method, first := strings.CutSuffix(method, "*")
				run.Covered = append(run.Covered, c.covered(t, snap, class, method, first, other))
			}
			if !yield(run, !old) {
				return
			}
		}
	}
	c.now.Store(session.CoverageOf(snap, c.store, runs))
}

func (c *covers) covered(t *testing.T, snap *snapshot.Snapshot, class *coverage.Class, method string,
	first, other bool) record.Covered {
	t.Helper()
	for i, m := range class.Methods {
		if m == nil || class.MemberName(class.Class.Methods[i]) != method {
			continue
		}
		key := record.MethodKey{Class: "p/C", Method: method + class.MemberDesc(class.Class.Methods[i])}
		key.Digest, _ = snap.MethodDigest(snapshot.MethodRef{Class: key.Class, Method: key.Method})
		if other {
			key.Digest[0]++
		}
		hits := make([]byte, (len(m.Plan.Covers)+7)/8)
		for n := range m.Plan.Covers {
			if !first || n == 0 {
				hits[n>>3] |= 1 << (n & 7)
			}
		}
		return record.Covered{Method: c.store.Intern(key), Shape: m.Shape, Hits: hits}
	}
	t.Fatalf("there is no method %s", method)
	return record.Covered{}
}

func (c *client) coverage(uri string, more map[string]any) (out coverageJSON) {
	c.t.Helper()
	p := map[string]any{"textDocument": map[string]any{"uri": uri}}
	for k, v := range more {
		p[k] = v
	}
	c.call(methodCoverage, p, &out)
	return out
}

// shownLines are the lines of an answer: number from 1, state, tests, and the ways not taken.
func shownLines(a coverageJSON) (all []string) {
	for _, l := range a.Lines {
		text := fmt.Sprintf("%d %s %d", l.Line+1, l.State, l.Tests)
		for _, b := range l.Branches {
			for _, w := range b.Ways {
				if !w.Taken {
					text += fmt.Sprintf(" [%d-%d %s]", b.Range.Start.Character, b.Range.End.Character, w.Label)
				}
			}
		}
		all = append(all, text)
	}
	return all
}

func covering(a coverageJSON) string {
	var names []string
	for _, t := range a.Tests {
		if t.Stale {
			t.Test += " (stale)"
		}
		names = append(names, t.Test)
	}
	return strings.Join(names, " ")
}

// The lines of a document have their states, tests and branches where they stand in the editor:
// after an edit what it touches is stale, and the rest has moved.
func TestCoverage(t *testing.T) {
	root, file := compiled(t, branching)
	store, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	fake := &covers{store: store}
	c := connectTo(t, func(f []string, o session.Options) (session.API, error) {
		s, err := session.Open(f, o)
		fake.API = s
		return fake, err
	}, plainCaps, map[string]any{"coverageNotifications": true}, root)
	uri := pathURI(file)
	if a := c.coverage(uri, nil); a.Known || a.Lines == nil {
		t.Errorf("before anything is known: %+v", a)
	}
	for end := time.Now().Add(patience); fake.View().Snap == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is analysed")
		}
	}
	snap := fake.View().Snap
	fake.add(t, snap, "a of*", "b of")
	closed := c.coverage(uri, nil)
	if !closed.Known || closed.Version != nil || covering(closed) != "a b" {
		t.Errorf("of a file in no editor: %+v", closed)
	}
	check := func(what string, got coverageJSON, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, shownLines(got)); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
	const ofA = "5 partly 2 [12-17 n > 0: true] [30-35 n < 9: true] [30-35 n < 9: false]"
	check("all tests", closed, "3 missed 0", "5 covered 2", "6 covered 1", "8 covered 2", "12 missed 0")
	check("one test", c.coverage(uri, map[string]any{"test": "a"}), "3 missed 0", ofA, "6 missed 1",
		"8 covered 2", "12 missed 0")
	check("no such test", c.coverage(uri, map[string]any{"test": "c"}))
	if got := covering(c.coverage(uri, map[string]any{"line": 5})); got != "b" {
		t.Errorf("tests of line 6: %s", got)
	}
	ofB := shownLines(c.coverage(uri, map[string]any{"test": "b"}))
	fake.add(t, snap, "a of*", "n/a of")
	check("a test of one module", c.coverage(uri, map[string]any{"test": "a", "module": "m"}), "3 missed 0", ofA,
		"6 missed 1", "8 covered 2", "12 missed 0")
	check("one of its name in another", c.coverage(uri, map[string]any{"test": "a", "module": "n"}), ofB...)
	check("none in a third", c.coverage(uri, map[string]any{"test": "a", "module": "o"}))
	if got := c.coverage(uri, map[string]any{"line": 5}).Tests; len(got) != 1 || got[0].Module != "n" {
		t.Errorf("tests of line 6: %+v", got)
	}
	fake.add(t, snap, "a of*", "-b of* -other")
	check("of former code", c.coverage(uri, nil), "3 missed 0", ofA, "6 missed 0", "8 covered 2", "12 stale 0")
	if got := covering(c.coverage(uri, map[string]any{"line": 4})); got != "a b (stale)" {
		t.Errorf("tests of line 5: %s", got)
	}
	total := func(what string, want countJSON) {
		t.Helper()
		var files coverageFilesJSON
		if c.call(methodCoverageFiles, nil, &files); len(files.Files) != 1 || files.Files[0].Lines != want {
			t.Errorf("%s: %+v, want lines %v", what, files.Files, want)
		}
	}
	total("a test that ran another method", countJSON{2, 5})
	check("by a test of the former method", c.coverage(uri, map[string]any{"test": "b"}), "3 missed 0",
		"5 stale 2", "6 missed 0", "8 stale 2", "12 stale 0")
	check("by a test that does not run that method", c.coverage(uri, map[string]any{"test": "a"}), "3 missed 0",
		ofA, "6 missed 0", "8 covered 2", "12 missed 0")
	fake.add(t, snap, "a of*", "-b of")
	check("ways and a line that only former code took", c.coverage(uri, nil), "3 missed 0",
		strings.Replace(ofA, "partly", "stale", 1), "6 stale 1", "8 covered 2", "12 missed 0")
	total("a line that only former code came to", countJSON{2, 5})
	fake.add(t, snap, "a of*", "b of")
	c.open(file, branching)
	edit := func(version int, text string) coverageJSON {
		c.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": uri, "version": version},
			"contentChanges": []any{map[string]any{"text": text}}})
		return c.coverage(uri, nil)
	}
	moved := edit(2, strings.Replace(branching, "public class", "// a\n// b\npublic class", 1))
	check("two lines before", moved, "5 missed 0", "7 covered 2", "8 covered 1", "10 covered 2", "14 missed 0")
	if moved.Version == nil || *moved.Version != 2 {
		t.Errorf("version %v", moved.Version)
	}
	check("an edited method", edit(3, strings.Replace(branching, "return 1;", "return 2;", 1)), "3 missed 0",
		"5 stale 2", "8 stale 2", "12 missed 0")
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		c.mu.Lock()
		told := len(c.told[methodCoverageChanged])
		c.mu.Unlock()
		if told > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the client is not told that coverage has changed")
		}
	}
	var files coverageFilesJSON
	c.call(methodCoverageFiles, nil, &files)
	if len(files.Files) != 1 || files.Files[0].URI != uri || files.Files[0].Lines != (countJSON{3, 5}) ||
		!slices.Equal(files.Files[0].Tests, []int{0, 1}) || len(files.Tests) != 2 {
		t.Errorf("files: %+v", files)
	}
	c.quit()
}

// Each line of a text is followed to where it stands after edits, of members that have changed as
// such.
func TestMoveLines(t *testing.T) {
	text := func(s string) lineText { return lineText{[]byte(s), javasource.Parse([]byte(s))} }
	const old = "class C {\n  int x = 1;\n  void a() {\n    b();\n  }\n  void b() {\n    a();\n  }\n}\n"
	for _, x := range []struct{ name, now, want string }{
		{"as it was", old, "1 2 3 4 5 6 7 8 9 10"},
		{"a line before", "\n" + old, "2 3 4 5 6 7 8 9 10 11"},
		{"members in another order",
			"class C {\n  int x = 1;\n  void b() {\n    a();\n  }\n  void a() {\n    b();\n  }\n}\n",
			"1 2 6 7 8 3 4 5 9 10"},
		{"two members edited", strings.NewReplacer("b();", "b(); b();", "a();", "a();\n    a();").Replace(old),
			"1 2 3* - 5* 6* 7* 9* 10 11"},
		{"a comment in a member", strings.Replace(old, "    b();", "    // b\n    b();", 1), "1 2 3 5 6 7 8 9 10 11"},
		{"a member gone", strings.Replace(old, "  void a() {\n    b();\n  }\n", "", 1), "1 2 - - - 3 4 5 6 7"},
		{"a field edited", strings.Replace(old, "x = 1", "x = 2", 1), "1 - 3 4 5 6 7 8 9 10"},
	} {
		m := moveLines(text(old), text(x.now))
		var got []string
		for n := range 10 {
			switch l := m.to(n + 1); {
			case l.line == 0:
				got = append(got, "-")
			case l.changed:
				got = append(got, fmt.Sprint(l.line, "*"))
			default:
				got = append(got, fmt.Sprint(l.line))
			}
		}
		if s := strings.Join(got, " "); s != x.want {
			t.Errorf("%s: %s, want %s", x.name, s, x.want)
		}
	}
}
