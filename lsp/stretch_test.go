package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
)

// judged is a session whose tests have said that each catch may take Exception.
type judged struct {
	session.API
	refuses error // what the compiler says
}

func (j *judged) View() codelens.View {
	v := j.API.View()
	if v.Snap == nil {
		return v
	}
	v.Results = &results.Overlay{ByCatch: map[string]*results.State{}}
	for _, c := range v.Snap.Catches {
		v.Results.ByCatch[c.ID] = &results.State{Ran: true,
			Stretch: shortcircuit.Stretch{Answer: shortcircuit.StretchYes, To: "java.lang.Exception", CaseA: true},
			Verdict: shortcircuit.Verdict{SourceIndependence: shortcircuit.Holds, Why: "all tests pass"}}
	}
	return v
}

func (j *judged) Compiles(context.Context, string, []byte) error { return j.refuses }

// stretchClient is an editor with the file open, and the command of the second catch.
func stretchClient(t *testing.T, capabilities string, refuses error) (c *client, uri, id string) {
	root, file := compiled(t, fixture)
	c = connectTo(t, func(f []string, o session.Options) (session.API, error) {
		s, err := session.Open(f, o)
		return &judged{s, refuses}, err
	}, capabilities, nil, root)
	uri = c.open(file, fixture)
	c.until(uri, some)
	var actions []struct {
		Title, Kind string
		Command     struct {
			Command   string
			Arguments []string
		}
	}
	at := map[string]int{"line": 10, "character": 12}
	c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
		"context": map[string]any{"diagnostics": []any{}, "only": []string{"refactor"}},
		"range":   map[string]any{"start": at, "end": at}}, &actions)
	if len(actions) != 1 || actions[0].Title != "Catch any Exception here (verified)" ||
		actions[0].Kind != "refactor.rewrite" {
		t.Fatalf("actions %+v", actions)
	}
	return c, uri, actions[0].Command.Arguments[0]
}

// answer has the client answer a request of the server. f is called with mu held.
func (c *client) answer(method string, f func(json.RawMessage) any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers == nil {
		c.answers = map[string]func(json.RawMessage) any{}
	}
	c.answers[method] = f
}

func (c *client) wasAsked(method string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.asked, method)
}

func (c *client) stretch(id string) (stretched, error) {
	var got stretched
	err := c.conn.Call(context.Background(), "workspace/executeCommand",
		map[string]any{"command": codelens.CommandStretch, "arguments": []string{id}}, &got)
	return got, err
}

// A client that shows edits to be confirmed is sent one, with the evidence, and nobody is asked
// beside.
func TestStretchPreview(t *testing.T) {
	caps := strings.Replace(plainCaps, `"workspace":{`,
		`"workspace":{"workspaceEdit":{"documentChanges":true,"changeAnnotationSupport":{"groupsOnLabel":true}},`, 1)
	c, uri, id := stretchClient(t, caps, nil)
	var edit struct{ Edit workspaceEdit }
	applied := false
	c.answer("workspace/applyEdit", func(p json.RawMessage) any {
		if err := json.Unmarshal(p, &edit); err != nil {
			t.Error(err)
		}
		return map[string]any{"applied": applied}
	})
	if got, err := c.stretch(id); err != nil || got.Applied {
		t.Errorf("not confirmed: %+v, %v", got, err)
	}
	c.mu.Lock()
	applied = true
	c.mu.Unlock()
	got, err := c.stretch(id)
	if err != nil || !got.Applied || c.wasAsked("window/showMessageRequest") {
		t.Fatalf("%+v, %v", got, err)
	}
	d := edit.Edit.DocumentChanges
	if len(d) != 1 || d[0].TextDocument.URI != uri || *d[0].TextDocument.Version != 1 || len(d[0].Edits) != 1 {
		t.Fatalf("%+v", edit)
	}
	a := edit.Edit.ChangeAnnotations[d[0].Edits[0].AnnotationID]
	if !a.NeedsConfirmation || !strings.Contains(a.Description, "all tests pass") ||
		a.Label != "Catch any Exception here (verified)" {
		t.Errorf("annotation %+v", a)
	}
	c.quit()
}

// The user is asked with the evidence and the change, and the edit is of the text that was asked
// about.
func TestStretchVersioned(t *testing.T) {
	caps := strings.Replace(plainCaps, `"workspace":{`, `"workspace":{"workspaceEdit":{"documentChanges":true},`, 1)
	c, uri, id := stretchClient(t, caps, nil)
	var edit struct{ Edit workspaceEdit }
	c.answer("window/showMessageRequest", func(p json.RawMessage) any {
		var q struct{ Message string }
		if err := json.Unmarshal(p, &q); err != nil {
			t.Error(err)
		}
		if want := "\n- } catch (IllegalStateException e) {\n+ } catch (Exception e) {"; !strings.Contains(q.Message,
			"all tests pass") || !strings.HasSuffix(q.Message, want) ||
			!strings.HasPrefix(q.Message, "C.java:11: Catch any Exception here (verified)? ") {
			t.Errorf("asked %q", q.Message)
		}
		return map[string]string{"title": confirmStretch}
	})
	c.answer("workspace/applyEdit", func(p json.RawMessage) any {
		if err := json.Unmarshal(p, &edit); err != nil {
			t.Error(err)
		}
		return map[string]any{"applied": true}
	})
	got, err := c.stretch(id)
	if err != nil || !got.Applied || !strings.Contains(got.Evidence, "no test can tell the difference") {
		t.Fatalf("%+v, %v", got, err)
	}
	d := edit.Edit.DocumentChanges
	if len(d) != 1 || d[0].TextDocument.URI != uri || d[0].TextDocument.Version == nil ||
		*d[0].TextDocument.Version != 1 || len(d[0].Edits) != 1 {
		t.Fatalf("%+v", edit)
	}
	e := d[0].Edits[0]
	if e.NewText != "Exception" || e.Range.Start.Line != e.Range.End.Line || len(edit.Edit.ChangeAnnotations) > 0 {
		t.Errorf("%+v", e)
	}
	// What is changed during the question stays: closed files have no version that tells.
	c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	edit.Edit = workspaceEdit{}
	c.answer("window/showMessageRequest", func(json.RawMessage) any {
		if err := os.WriteFile(strings.TrimPrefix(uri, "file://"), []byte("\n"+fixture), 0o666); err != nil {
			t.Error(err)
		}
		return map[string]string{"title": confirmStretch}
	})
	if _, err := c.stretch(id); err == nil || !strings.Contains(err.Error(), "has changed") ||
		edit.Edit.DocumentChanges != nil {
		t.Errorf("changed during the question: %v, %+v", err, edit)
	}
	c.quit()
}

// Not to agree leaves the text alone.
func TestStretchAsks(t *testing.T) {
	c, uri, id := stretchClient(t, plainCaps, nil)
	edits := 0 // changed by the server's requests, read between them
	answer := any(nil)
	c.answer("window/showMessageRequest", func(json.RawMessage) any { return answer })
	c.answer("workspace/applyEdit", func(p json.RawMessage) any {
		edits++
		if !strings.Contains(string(p), `"changes":{"`+uri) {
			t.Errorf("%s", p)
		}
		return map[string]any{"applied": true}
	})
	if got, err := c.stretch(id); err != nil || got.Applied || edits != 0 {
		t.Errorf("without an answer: %+v, %v, %d edits", got, err, edits)
	}
	c.mu.Lock()
	answer = map[string]string{"title": confirmStretch}
	c.mu.Unlock()
	if got, err := c.stretch(id); err != nil || !got.Applied || edits != 1 {
		t.Errorf("agreed: %+v, %v, %d edits", got, err, edits)
	}
	// What has been edited since is refused, and no longer offered.
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 2},
		"contentChanges": []any{
			map[string]any{"text": strings.Replace(fixture, "check(n);", "check(n + 1);", 1)}}})
	if _, err := c.stretch(id); err == nil || !strings.Contains(err.Error(), "changed") || edits != 1 {
		t.Errorf("after an edit: %v", err)
	}
	c.quit()
}

func TestStretchRefusedByCompiler(t *testing.T) {
	c, _, id := stretchClient(t, plainCaps, errors.New("the compiler does not take it: line 3: incompatible types"))
	if _, err := c.stretch(id); err == nil || !strings.Contains(err.Error(), "incompatible types") {
		t.Errorf("error %v", err)
	}
	if c.wasAsked("workspace/applyEdit") {
		t.Error("the text was changed")
	}
	if _, err := c.stretch("p/Gone.m()#0"); err == nil || !strings.Contains(err.Error(), "not known any more") {
		t.Errorf("of a catch that is gone: %v", err)
	}
	c.quit()
}

// A finding is accepted by an edit of the text as the editor has it, beside the catch.
func TestAcceptAction(t *testing.T) {
	c, uri, _ := stretchClient(t, plainCaps, nil)
	var actions []struct {
		Title, Kind string
		Edit        struct {
			Changes map[string][]struct {
				Range   rangeJSON
				NewText string
			}
		}
	}
	at := map[string]int{"line": 10, "character": 12}
	c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
		"context": map[string]any{"diagnostics": []any{}, "only": []string{"quickfix"}},
		"range":   map[string]any{"start": at, "end": at}}, &actions)
	found := 0
	for _, a := range actions {
		if a.Title != "Accept this verdict: never entered" {
			continue
		}
		found++
		e := a.Edit.Changes[uri]
		end := uint32(len(strings.TrimRight(strings.Split(fixture, "\n")[10], " ")))
		if len(e) != 1 || e[0].NewText != " // catchlens:accept never-entered" ||
			e[0].Range.Start != (positionJSON{10, end}) || e[0].Range.End != e[0].Range.Start {
			t.Errorf("%+v", a)
		}
	}
	if found != 1 {
		t.Errorf("actions %+v", actions)
	}
	c.quit()
}
