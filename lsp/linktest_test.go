package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"catchlens/codelens"
	"catchlens/internal/testjdk"
	"catchlens/session"
	"catchlens/test/scratch"
)

// checking is a session whose compiler is asked nothing: it answers with an error.
type checking struct {
	session.API
	says error
}

func (c *checking) Compiles(context.Context, string, []byte) error { return c.says }

// linkClient is an editor with the fixture, and the command for the first test of it that is
// offered, or "".
func linkClient(t *testing.T, capabilities string, says error) (c *client, root, link string) {
	root = t.TempDir()
	file, test := filepath.Join(root, "src", "p", "C.java"), filepath.Join(root, "test", "p", "CTest.java")
	scratch.Write(t, file, fixture)
	scratch.Write(t, test, "package p;\n\npublic class CTest {\n    @org.junit.Test public void reads() throws Exception { new C().read(null); }\n}\n")
	scratch.Workspace(t, root, testjdk.JDK(t, 17), 17, []string{file}, []string{test}, "", testjdk.Javac)
	c = connectTo(t, func(f []string, o session.Options) (session.API, error) {
		s, err := session.Open(f, o)
		return &checking{s, says}, err
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
	c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri}, "context": map[string]any{"diagnostics": []any{}},
		"range": map[string]any{"start": at, "end": at}}, &actions)
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

var createCaps = strings.Replace(plainCaps, `"workspace":{`, `"workspace":{"workspaceEdit":{"documentChanges":true,"resourceOperations":["create"]},`, 1)

func (c *client) writeTest(link string) (wroteTest, error) {
	var got wroteTest
	err := c.conn.Call(context.Background(), "workspace/executeCommand", map[string]any{"command": codelens.CommandWriteTest, "arguments": []string{link}}, &got)
	return got, err
}

// The editor is handed a new file and its text, under a name that no file has, nor a
// buffer that is not saved.
func TestWriteTest(t *testing.T) {
	c, root, link := linkClient(t, createCaps, nil)
	scratch.Write(t, filepath.Join(root, "test", "p", "CReadThrowTest.java"), "package p;\n")
	c.open(filepath.Join(root, "test", "p", "CReadThrow2Test.java"), "not saved\n")
	var asked string // read after the answer
	c.answer("workspace/applyEdit", func(p json.RawMessage) any {
		asked = string(p)
		return map[string]any{"applied": true}
	})
	got, err := c.writeTest(link)
	if err != nil || !got.Applied || got.Calls != "C.read" || !strings.HasSuffix(got.URI, "/test/p/CReadThrow3Test.java") {
		t.Fatalf("%+v, %v", got, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var edit struct {
		Edit struct {
			DocumentChanges []struct {
				Kind, URI    string
				TextDocument versionedDocument
				Edits        []textEdit
			}
		}
	}
	if err := json.Unmarshal([]byte(asked), &edit); err != nil {
		t.Fatal(err)
	}
	d := edit.Edit.DocumentChanges
	if len(d) != 2 || d[0].Kind != "create" || d[0].URI != got.URI || d[1].TextDocument.URI != got.URI || len(d[1].Edits) != 1 {
		t.Fatalf("%s", asked)
	}
	for _, part := range []string{"package p;\n", "public class CReadThrow3Test {", "    public void illegalStateExceptionInRead() throws Exception {", "c.read(file);", "// It is thrown where this holds: if (n < 0)", "fail("} {
		if !strings.Contains(d[1].Edits[0].NewText, part) {
			t.Errorf("no %q in\n%s", part, d[1].Edits[0].NewText)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "test", "p", "CReadThrow3Test.java")); err == nil {
		t.Error("the server has written the file itself")
	}
}

// Nothing is written that does not compile, nor by editors that cannot create files, nor for
// links that are gone.
func TestWriteTestRefused(t *testing.T) {
	c, _, link := linkClient(t, createCaps, errors.New("the compiler does not take it: line 3"))
	if _, err := c.writeTest(link); err == nil || !strings.Contains(err.Error(), "line 3") || strings.Contains(err.Error(), "fault-api") || c.wasAsked("workspace/applyEdit") {
		t.Errorf("what does not compile: %v", err)
	}
	if _, err := c.writeTest("gone"); err == nil || !strings.Contains(err.Error(), "not known any more") {
		t.Errorf("a link that is gone: %v", err)
	}
	c.quit()
	c, _, offered := linkClient(t, plainCaps, nil)
	if offered != "" {
		t.Error("an editor that cannot create files is offered a test")
	}
	if _, err := c.writeTest(link); err == nil || !strings.Contains(err.Error(), "cannot create files") {
		t.Errorf("an editor that cannot create files: %v", err)
	}
	c.quit()
}
