package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
)

const evil = "src/[x](command:evil)\x1b[31m\n.java"

// hostile is a session whose every word comes from a workspace that means no good.
type hostile struct{ scripted }

func (*hostile) Compiles(context.Context, string, []byte) error { return errors.New(evil) }
func (*hostile) Judge(string, bool, string) error               { return errors.New("no link in " + evil) }
func (*hostile) Reload(_ context.Context, p session.Progress) error {
	p(-1, evil)
	return errors.New("cannot read " + evil)
}
func (*hostile) Run(_ context.Context, _ session.Scope, p session.Progress) (session.Summary, error) {
	p(10, evil)
	return session.Summary{Notes: []string{evil}}, nil
}
func (*hostile) Status() session.Status {
	return session.Status{JDK: evil, Unconfined: evil, Activity: evil}
}

// No message, progress, answer or error makes a link of a workspace's text, or
// hands its control characters to a terminal.
func TestForeignTextInMessages(t *testing.T) {
	c := connectTo(t, func([]string, session.Options) (session.API, error) { return &hostile{}, nil }, plainCaps,
		map[string]any{"statusNotifications": true, "callGraph": evil}, t.TempDir())
	var answers []string
	for _, command := range []string{codelens.CommandRunAll, codelens.CommandInfeasible, commandStatus, evil} {
		var raw json.RawMessage
		if err := c.conn.Call(context.Background(), "workspace/executeCommand",
			map[string]any{"command": command, "arguments": []any{"a"}}, &raw); err != nil {
			answers = append(answers, err.Error())
		} else {
			answers = append(answers, string(raw))
		}
	}
	c.notify("workspace/didChangeConfiguration",
		map[string]any{"settings": map[string]any{"catchlens": map[string]any{}}})
	told := func(method, with string) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, m := range c.told[method] {
			if strings.Contains(string(m), with) {
				return true
			}
		}
		return false
	}
	for _, w := range [][2]string{{"window/showMessage", "cannot read"}, {"window/showMessage", "call graph"},
		{"$/progress", "command:"}, {"catchlens/status", "command:"}} {
		for end := time.Now().Add(patience); !told(w[0], w[1]); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("no %s with %q", w[0], w[1])
			}
		}
	}
	c.mu.Lock()
	for method, all := range c.told {
		for _, m := range all {
			answers = append(answers, method+" "+string(m))
		}
	}
	c.mu.Unlock()
	n := 0
	for _, a := range answers {
		if strings.Contains(a, "command:evil") {
			n++
		}
		if strings.Contains(a, "](") || strings.Contains(a, "\x1b") || strings.Contains(a, `\u001b`) {
			t.Errorf("foreign text: %s", a)
		}
	}
	if n < 8 {
		t.Errorf("only %d messages had the text: %q", n, answers)
	}
	c.quit()
}
