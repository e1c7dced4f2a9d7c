package lsp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An editor that asks for a reason is told of what; whoever judges is told what was judged, where
// that is written and how to take it back, and then that it was.
func TestJudgementIsTold(t *testing.T) {
	root, file := compiled(t, fixture)
	c := connect(t, plainCaps, root)
	uri := c.open(file, fixture)
	c.until(uri, some)
	at := c.catches().Catches[0].Range.Start
	type command struct {
		Title     string
		Arguments []string
	}
	offered := func(title string) *command {
		t.Helper()
		var actions []struct {
			Title   string
			Command *command
		}
		c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
			"range":   map[string]any{"start": at, "end": at},
			"context": map[string]any{"diagnostics": []any{}}}, &actions)
		for _, a := range actions {
			if strings.HasPrefix(a.Title, title) {
				return a.Command
			}
		}
		return nil
	}
	execute := func(args ...string) error {
		return c.conn.Call(context.Background(), "workspace/executeCommand",
			map[string]any{"command": "catchlens.judgeInfeasible", "arguments": args}, nil)
	}
	told := func(text string) {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			c.mu.Lock()
			all, _ := json.Marshal(c.told["window/showMessage"])
			c.mu.Unlock()
			var messages []struct{ Message string }
			json.Unmarshal(all, &messages)
			for _, m := range messages {
				if m.Message == text {
					return
				}
			}
			if time.Now().After(end) {
				t.Fatalf("not told %q, but %q", text, messages)
			}
		}
	}
	judge := offered("Mark as impossible: ")
	if judge == nil || len(judge.Arguments) != 3 {
		t.Fatalf("offered is %+v", judge)
	}
	link, what := judge.Arguments[0], judge.Arguments[2]
	if !strings.HasPrefix(what, "java.io.FileNotFoundException ") || !strings.Contains(what, "FileInputStream.") {
		t.Errorf("%q does not name the exception and its place", what)
	}
	if err := execute(link, ""); err == nil || !strings.Contains(err.Error(), "nothing to take back") {
		t.Errorf("taking back what was not judged: %v", err)
	}
	if err := execute(link, "files are there"); err != nil {
		t.Fatal(err)
	}
	told("catchlens: marked as impossible: " + what + ". This is written in catchlens.toml. " +
		`The code action "Take back" at the catch undoes it.`)
	settings := filepath.Join(root, "catchlens.toml")
	if text, err := os.ReadFile(settings); err != nil || !strings.Contains(string(text), "files are there") {
		t.Errorf("%s, %v", text, err)
	}
	back := offered("Take back: ")
	if back == nil || len(back.Arguments) != 2 {
		t.Fatalf("to take it back, %+v is offered", back)
	}
	if err := execute(back.Arguments...); err != nil {
		t.Fatal(err)
	}
	told("catchlens: taken back: " + strings.TrimPrefix(back.Title, "Take back: ") +
		". This is no longer in catchlens.toml, and it counts again.")
	if text, err := os.ReadFile(settings); err == nil && strings.Contains(string(text), "files are there") {
		t.Errorf("it is still there: %s", text)
	}
	// An editor that asks for no reason executes the action as it is.
	if err := execute(judge.Arguments...); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(settings); err != nil || !strings.Contains(string(text), noReason) {
		t.Errorf("%s, %v", text, err)
	}
	c.quit()
}
