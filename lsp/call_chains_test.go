package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/catchlens/catchlens/codelens/chaintext"
	"github.com/catchlens/catchlens/instrument/chains"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
)

// remembering is a session that goes on giving the first chains that it has found, as a session
// does while it looks for those of new code.
type remembering struct {
	session.API
	mu    sync.Mutex
	first *chains.Component
}

func (r *remembering) Chains(class string) (*chains.Component, bool) {
	found, pending := r.API.Chains(class)
	return r.remember(found), pending
}

func (r *remembering) KnownChains(class string) *chains.Component {
	return r.remember(r.API.KnownChains(class))
}

func (r *remembering) remember(found *chains.Component) *chains.Component {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == nil {
		r.first = found
	}
	return r.first
}

// What is shown of chains of former code says so, and has no line of that.
func TestStaleChains(t *testing.T) {
	const text = `package p;

public class C {
    public static void open() { close(); }
    private static void close() { }
}
`
	root := t.TempDir()
	file := filepath.Join(root, "src", "p", "C.java")
	compile := func(text string) {
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(root, "classes"), file)
	}
	compile(text)
	opened := func(folders []string, o session.Options) (session.API, error) {
		s, err := session.Open(folders, o)
		return &remembering{API: s}, err
	}
	s := &scenario{t: t, root: root, texts: map[string]string{file: text}, c: connectTo(t, opened, plainCaps,
		map[string]any{"callGraph": "rta", "entryPoints": "public", "chains": true}, root)}
	uri := s.c.open(file, text)
	const now = "**Call chains to C.close in p: 1, not known which are tested**\n\n" +
		"- [`C.open:4`](URI#L4) → [`C.close`](URI#L5)\n"
	s.await(func() bool { return len(s.c.lenses(uri)) == 2 })
	hover := func() string { return strings.ReplaceAll(s.hover(uri, file, "void ^close()"), uri, "URI") }
	if got := titles(s.c.lenses(uri)); got[1] != "4:24 chains ?/1" || !strings.HasPrefix(hover(), now) {
		t.Fatalf("lenses %q, hover\n%s", got, hover())
	}

	moved := strings.Replace(text, "public class", "/** Another line\n    above. */\npublic class", 1)
	s.edit(uri, file, "public class", "/** Another line\n    above. */\npublic class")
	compile(moved)
	s.c.call("workspace/executeCommand", map[string]any{"command": commandReload, "arguments": []any{}}, nil)
	s.await(func() bool {
		got := titles(s.c.lenses(uri))
		return len(got) == 2 && strings.HasSuffix(got[1], "stale")
	})
	const stale = "**Call chains to C.close in p: 1, not known which are tested**\n\n" +
		"- [`C.open`](URI#L6) → [`C.close`](URI#L7)\n\nStale: the code has changed"
	if got := titles(s.c.lenses(uri)); got[1] != "6:24 chains ?/1 · stale" || !strings.HasPrefix(hover(), stale) {
		t.Errorf("lenses %q, hover\n%s", got, hover())
	}
	s.c.quit()
}

// await waits until something is so.
func (s *scenario) await(so func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("it has not come to this")
		}
	}
}

// Chains are looked at again when a document is opened or closed, and not for what is typed.
func TestTypingFindsNoChains(t *testing.T) {
	o := &sessions{}
	c := attach(t, context.Background(), o, `{}`)
	uri := c.open("/somewhere/C.java", "class C { }")
	ses := o.first()
	for end := time.Now().Add(patience); ses.kept.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is kept for a document that is opened")
		}
	}
	time.Sleep(2 * refreshQuiet) // what was under way comes
	before := ses.kept.Load()
	for i := range 3 {
		c.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": uri, "version": i + 2},
			"contentChanges": []any{map[string]any{"text": strings.Repeat(" ", i) + "class C { }"}}})
		time.Sleep(2 * refreshQuiet)
	}
	if n := ses.kept.Load(); n != before {
		t.Errorf("an edit has had chains looked at, %d times", n-before)
	}
	c.quit()
}

// A hover shows few of many chains and a page more, and both say how many there are besides; of a
// component with too many chains those with fewer calls are shown.
func TestManyCallChains(t *testing.T) {
	const ways, width = 205, 20 // of calls in a method of Fan
	var many, fan strings.Builder
	many.WriteString("package p;\n\npublic class Many {\n")
	for i := range ways {
		fmt.Fprintf(&many, "    public static void e%d() { target(); }\n", i)
	}
	many.WriteString("    private static void target() { }\n}\n")
	fan.WriteString("package q;\n\npublic class Fan {\n")
	for depth, access := range []string{"public", "private", "private", "private", "private"} {
		for i := range width {
			fmt.Fprintf(&fan, "    %s static void %c%d() {", access, 'a'+depth, i)
			for k := range width {
				if depth < 4 {
					fmt.Fprintf(&fan, " %c%d();", 'b'+depth, k)
				}
			}
			fan.WriteString(" }\n")
		}
	}
	fan.WriteString("}\n")
	root := t.TempDir()
	texts := map[string]string{filepath.Join(root, "src", "p", "Many.java"): many.String(),
		filepath.Join(root, "src", "q", "Fan.java"): fan.String()}
	for file, text := range texts {
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(root, "classes"), file)
	}
	s := &scenario{t: t, root: root, texts: texts, c: connectTo(t, session.Open, plainCaps,
		map[string]any{"callGraph": "rta", "entryPoints": "public", "chains": true}, root)}
	file := filepath.Join(root, "src", "p", "Many.java")
	uri := s.c.open(file, texts[file])
	hover := s.chains(uri, file, "void ^target()")
	if n := strings.Count(hover, "\n- [`Many.e"); n != 3 || !strings.Contains(hover, "\n- … and 202 more\n") {
		t.Errorf("a hover of %d chains has %d:\n%s", ways, n, hover)
	}
	s.await(func() bool { return len(s.c.lenses(uri)) == ways+1 })
	page := s.page(uri, fmt.Sprintf("chains ?/%d", ways))
	if n := strings.Count(page, "Many.target"); n < 200 || n > 202 || !strings.Contains(page, "\nAnd 5 more: ") {
		t.Errorf("a page of %d chains names the method %d times:\n%s", ways, n, page)
	}
	// A line of the method names it, too; one that is in none is answered by an error.
	var shown struct{ Text string }
	s.c.call("workspace/executeCommand", map[string]any{"command": chaintext.CommandShow,
		"arguments": []any{uri, ways + 3}}, &shown)
	if shown.Text != page {
		t.Errorf("by its line the method has the page\n%s", shown.Text)
	}
	if err := s.c.conn.Call(context.Background(), "workspace/executeCommand",
		map[string]any{"command": chaintext.CommandShow, "arguments": []any{uri, 1}}, nil); err == nil ||
		!strings.Contains(err.Error(), "no compiled method") {
		t.Errorf("a line without a method is answered by %v", err)
	}
	file = filepath.Join(root, "src", "q", "Fan.java")
	uri = s.c.open(file, texts[file])
	// 8,420 chains have at most two calls, 168,420 at most three.
	hover = s.chains(uri, file, "void ^c0()")
	if !strings.Contains(hover, "**Call chains to Fan.c0 in q: 400, ") ||
		!strings.Contains(hover, "The component has too many chains: these have at most 2 calls.") {
		t.Errorf("of 3.4 million chains the hover says\n%s", hover)
	}
	s.c.quit()
}

// The view's request answers with the tree of a method, or of the whole component, at any line of
// the method: what is chosen of it by words, calls and state, with the line of each call. A class
// that is not known, or a line without a method, is an error.
func TestCallChainTree(t *testing.T) {
	const text = `package p;

public class C {
    public static void open(int n) { close(); middle(); }
    private static void middle() {
        close(); // (3)
    }
    private static void close() { }
}
`
	root, file := compiled(t, text)
	c := connectTo(t, session.Open, plainCaps, map[string]any{"callGraph": "rta", "entryPoints": "public",
		"callChainNotifications": true}, root)
	uri := c.open(file, text)
	ask := func(params map[string]any) (out callChainsJSON) {
		t.Helper()
		params["textDocument"] = map[string]any{"uri": uri}
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			if c.call("catchlens/callChains", params, &out); !out.Pending {
				return out
			}
			if time.Now().After(end) {
				t.Fatal("the chains are not found")
			}
		}
	}
	for ready := false; !ready; time.Sleep(5 * time.Millisecond) {
		ready = len(c.catches().Catches) > 0 || c.catches().Analysed
	}
	tree := func(rows []chainRowJSON) string {
		var b strings.Builder
		var write func(rows []chainRowJSON, depth int)
		write = func(rows []chainRowJSON, depth int) {
			for _, r := range rows {
				fmt.Fprintf(&b, "%s%s | %s | %s | %d, %d\n", strings.Repeat("  ", depth), r.Name, r.Detail, r.State,
					r.Call.Line+1, r.Method.Line+1)
				if r.Call.URI != uri || r.Method.URI != uri || len(r.Tests) > 0 || r.Left {
					t.Errorf("%+v", r)
				}
				write(r.Rows, depth+1)
			}
		}
		write(rows, 0)
		return b.String()
	}
	const toClose = "Call chains to C.close in p: 2, not known which are tested"
	const open = "C.open(int) | 2 chains | unknown | 4, 4\n"
	const direct = "  C.close() | line 4 | unknown | 4, 8\n"
	const through = "  C.middle() | line 4 · 1 chain | unknown | 4, 5\n    C.close() | line 6 | unknown | 6, 8\n"
	for _, want := range []struct {
		params map[string]any
		title  string
		tree   string
	}{
		{map[string]any{"line": 7}, toClose, open + direct + through},
		{map[string]any{"line": 5, "whole": true}, "Call chains in p: 5, not known which are tested",
			"C.new() |  | unknown | 3, 3\n" + strings.Replace(open, "2", "4", 1) + direct +
				strings.Replace(through, "1 chain", "2 chains", 1)},
		{map[string]any{"line": 7, "calls": 1}, toClose,
			strings.Replace(open, "2 chains", "1 chain", 1) + direct},
		{map[string]any{"line": 7, "filter": "C.MIDDLE open(int)"},
			toClose,
			strings.Replace(open, "2 chains", "1 chain", 1) + through},
		{map[string]any{"line": 7, "only": "tested"}, toClose, ""},
		{map[string]any{"line": 7, "below": []string{"p/C.open(I)V", "1:p/C.middle()V"}},
			toClose, "C.close() | line 6 | unknown | 6, 8\n"},
	} {
		got := ask(want.params)
		if got.Title != want.title || tree(got.Rows) != want.tree {
			t.Errorf("%v: %s\n%s\nwant %s\n%s", want.params, got.Title, tree(got.Rows), want.title, want.tree)
		}
		if got.Class != "p/C" || got.Length != 4 || got.Ran || got.Notes == nil || len(got.Notes) > 0 ||
			got.Rows == nil {
			t.Errorf("%v: %+v", want.params, got)
		}
	}
	for _, params := range []map[string]any{{"textDocument": map[string]any{"uri": uri}, "line": 0},
		{"class": "p/Gone"}} {
		if err := c.conn.Call(context.Background(), "catchlens/callChains", params, nil); err == nil {
			t.Errorf("%v has an answer", params)
		}
	}
	c.mu.Lock()
	if len(c.told[methodCallChainsChanged]) == 0 {
		t.Error("the client was not told that there are chains now")
	}
	c.mu.Unlock()
	c.quit()
}

// keeping is a session that remembers how often KeepChains was called.
type keeping struct {
	session.API
	kept atomic.Int32
}

func (k *keeping) KeepChains(classes []string, find bool) {
	k.API.KeepChains(classes, find)
	k.kept.Add(1)
}

// The tree that a client shows stays known when its file is closed, as VS Code closes what it has
// shown in a preview; of a client that is not told of changes it is forgotten.
func TestTreeOfClosedFile(t *testing.T) {
	const text = "package p;\n\npublic class C {\n    public static void open() { }\n}\n"
	root, file := compiled(t, text)
	for _, told := range []bool{true, false} {
		ses := &keeping{}
		open := func(folders []string, o session.Options) (session.API, error) {
			var err error
			ses.API, err = session.Open(folders, o)
			return ses, err
		}
		c := connectTo(t, open, plainCaps, map[string]any{"callGraph": "rta", "entryPoints": "public",
			"callChainNotifications": told}, root)
		s := &scenario{t: t, root: root, c: c}
		uri := c.open(file, text)
		var out callChainsJSON
		ask := func() bool {
			c.call("catchlens/callChains", map[string]any{"class": "p/C", "whole": true}, &out)
			return !out.Pending
		}
		for ready := false; !ready; time.Sleep(5 * time.Millisecond) {
			ready = c.catches().Analysed
		}
		s.await(ask)
		time.Sleep(2 * refreshQuiet) // what was under way comes
		before := ses.kept.Load()
		c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
		s.await(func() bool { return ses.kept.Load() > before })
		if known := ask(); known != told || known && len(out.Rows) == 0 {
			t.Errorf("told of changes %v: once its file is closed the tree is known %v, %+v", told, known, out)
		}
		c.quit()
	}
}
