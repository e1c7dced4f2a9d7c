package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// checking is a session whose compiler is asked nothing: it answers with an error.
type checking struct {
	session.API
	says error
}

func (c *checking) Compiles(context.Context, string, []byte) error { return c.says }

// entered is a session one of whose tests enters every try.
type entered struct{ checking }

func (e *entered) View() codelens.View {
	v := e.API.View()
	if v.Snap == nil {
		return v
	}
	v.Results = &results.Overlay{ByCatch: map[string]*results.State{}}
	for _, c := range v.Snap.Catches {
		v.Results.ByCatch[c.ID] = &results.State{Ran: true, Tests: []string{"p.CTest#reads"}}
	}
	return v
}

const readsTest = "package p;\n\npublic class CTest {\n    @org.junit.Test\n    public void reads() throws Exception " +
	"{\n        try { new C().read(null); } catch (NullPointerException e) { }\n    }\n}\n"

// linkClient is an editor with the fixture, and the command for the first test of it that is
// offered, or "".
func linkClient(t *testing.T, capabilities string, says error) (c *client, root, link string) {
	root = t.TempDir()
	file, test := filepath.Join(root, "src", "p", "C.java"), filepath.Join(root, "test", "p", "CTest.java")
	scratch.Write(t, file, fixture)
	scratch.Write(t, test, readsTest)
	scratch.Workspace(t, root, testjdk.JDK(t, 17), 17, []string{file}, []string{test}, "",
		func(t testing.TB, home string, release int, classPath []string, out string, files ...string) {
			testjdk.Javac(t, home, release, append(classPath, testjdk.Artifact(t, "junit:junit:4.13.2")), out, files...)
		})
	c = connectTo(t, func(f []string, o session.Options) (session.API, error) {
		s, err := session.Open(f, o)
		return &entered{checking{s, says}}, err
	}, capabilities, nil, root)
	uri := c.open(file, fixture)
	c.until(uri, some)
	at := map[string]int{"line": 10, "character": 12}
	var actions []struct {
		Title, Kind string
		Command     struct {
			Command   string
			Arguments []string
		}
	}
	c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
		"context": map[string]any{"diagnostics": []any{}},
		"range":   map[string]any{"start": at, "end": at}}, &actions)
	for _, a := range actions {
		if a.Command.Command == codelens.CommandWriteTest {
			if a.Title != "Write a test for this link: IllegalStateException from C.check:20" || a.Kind != actionKind {
				t.Errorf("action %+v", a)
			}
			return c, root, a.Command.Arguments[0]
		}
	}
	return c, root, ""
}

// misused is a catch to which only a reader that was closed brings something, and its test.
const misused = "package p;\n\npublic class C {\n    static java.io.BufferedReader shared;\n" +
	"    int read() {\n        try { return shared.read(); } catch (java.io.IOException e) { return -1; }\n    }\n}\n"

// Neither a test nor a judgement is offered of what counts nowhere, as it asks for the misuse of an
// object: the lens says that there is no failure to test.
func TestNoTestOfMisuse(t *testing.T) {
	root := t.TempDir()
	file, test := filepath.Join(root, "src", "p", "C.java"), filepath.Join(root, "test", "p", "CTest.java")
	scratch.Write(t, file, misused)
	scratch.Write(t, test, strings.Replace(readsTest, "try { new C().read(null); } catch (NullPointerException e) { }",
		"C.shared = new java.io.BufferedReader(new java.io.StringReader(\"a\")); new C().read();", 1))
	scratch.Workspace(t, root, testjdk.JDK(t, 17), 17, []string{file}, []string{test}, "",
		func(t testing.TB, home string, release int, classPath []string, out string, files ...string) {
			testjdk.Javac(t, home, release, append(classPath, testjdk.Artifact(t, "junit:junit:4.13.2")), out, files...)
		})
	c := connectTo(t, func(f []string, o session.Options) (session.API, error) {
		s, err := session.Open(f, o)
		return &entered{checking{s, nil}}, err
	}, plainCaps, nil, root)
	uri := c.open(file, misused)
	c.until(uri, func(l []lens) bool {
		return len(l) > 0 && strings.HasPrefix(l[0].Command.Title, "no failure to test")
	})
	at := map[string]int{"line": 5, "character": 42}
	var actions []struct{ Title string }
	c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
		"context": map[string]any{"diagnostics": []any{}},
		"range":   map[string]any{"start": at, "end": at}}, &actions)
	if len(actions) == 0 {
		t.Error("no actions at all")
	}
	for _, a := range actions {
		if strings.HasPrefix(a.Title, "Write a test") || strings.HasPrefix(a.Title, "Mark as impossible") {
			t.Errorf("offered: %s", a.Title)
		}
	}
	c.quit()
}

func (c *client) writeTest(link string) (wroteTest, error) {
	var got wroteTest
	err := c.conn.Call(context.Background(), "workspace/executeCommand",
		map[string]any{"command": codelens.CommandWriteTest, "arguments": []string{link}}, &got)
	return got, err
}

// The editor is handed a method to insert behind the test that it is made of, in one edit of the
// text that was analysed.
func TestWriteTest(t *testing.T) {
	c, root, link := linkClient(t, plainCaps, nil)
	file := filepath.Join(root, "test", "p", "CTest.java")
	var asked string // read after the answer
	c.answer("workspace/applyEdit", func(p json.RawMessage) any {
		asked = string(p)
		return map[string]any{"applied": true}
	})
	got, err := c.writeTest(link)
	if err != nil || !got.Applied || got.From != "CTest#reads" || !strings.HasSuffix(got.URI, "/test/p/CTest.java") {
		t.Fatalf("%+v, %v", got, err)
	}
	c.mu.Lock()
	var edit struct{ Edit workspaceEdit }
	err = json.Unmarshal([]byte(asked), &edit)
	c.mu.Unlock()
	edits := edit.Edit.Changes[got.URI]
	if err != nil || len(edits) != 1 || edits[0].Range.Start.Line != 6 || edits[0].Range.Start != edits[0].Range.End {
		t.Fatalf("%s, %v", asked, err)
	}
	for _, part := range []string{"    @org.junit.Test\n    public void readsWithIllegalStateException() throws " +
		"Exception {", "new C().read(null);", "// It is thrown where this holds: if (n < 0)", "fail("} {
		if !strings.Contains(edits[0].NewText, part) {
			t.Errorf("no %q in\n%s", part, edits[0].NewText)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != readsTest {
		t.Error("the server has written the file itself")
	}
	// What is edited, in the editor or by somebody else, is not written into.
	c.open(file, "// edited\n"+readsTest)
	if _, err := c.writeTest(link); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("in an edited buffer: %v", err)
	}
	c.quit()
}

// Nothing is written that does not compile, nor for links that are gone.
func TestWriteTestRefused(t *testing.T) {
	c, _, link := linkClient(t, plainCaps, errors.New("the compiler does not take it: line 3"))
	if _, err := c.writeTest(link); err == nil || !strings.Contains(err.Error(), "line 3") ||
		strings.Contains(err.Error(), "fault-api") || c.wasAsked("workspace/applyEdit") {
		t.Errorf("what does not compile: %v", err)
	}
	if _, err := c.writeTest("gone"); err == nil || !strings.Contains(err.Error(), "not known any more") {
		t.Errorf("a link that is gone: %v", err)
	}
	c.quit()
}
