package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/catchlens/catchlens/session"
)

// A panic on a goroutine that helps an analysis costs that analysis: the user is told in a
// sentence, the server lives, and the next request is answered.
func TestDefectOfAWorker(t *testing.T) {
	root, file := compiled(t, fixture)
	var opened atomic.Pointer[session.Session]
	c := connectTo(t, func(f []string, o session.Options) (session.API, error) {
		o.Guard.Recovers = true
		s, err := session.Open(f, o)
		opened.Store(s)
		return s, err
	}, plainCaps, map[string]any{"callGraph": "rta"}, root)
	uri := c.open(file, fixture)
	c.until(uri, some)
	snap := opened.Load().View().Snap
	reload := func(what string, done func() bool) {
		t.Helper()
		c.call("workspace/executeCommand", map[string]any{"command": commandReload}, nil)
		for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	again := func() bool { return opened.Load().View().Snap != snap }
	reload("nothing is analysed", again)

	// A source that is as it was, and that is not there, is what the goroutines that read sources
	// trip over.
	snap = opened.Load().View().Snap
	const path = "src/p/C.java"
	read := snap.ByPath[path]
	if read == nil {
		t.Fatalf("there is no %s", path)
	}
	delete(snap.ByPath, path)
	reload("nobody is told of the panic", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return slices.ContainsFunc(c.told["window/showMessage"], func(p json.RawMessage) bool {
			return strings.Contains(string(p), "Analysing exceptions failed because of a bug in catchlens "+
				"(runtime error: invalid memory address or nil pointer dereference); the log has the details")
		})
	})
	snap.ByPath[path] = read
	if again() {
		t.Error("the analysis that panicked is shown")
	}
	c.until(uri, some)
	reload("nothing is analysed after the panic", again)
	c.until(uri, some)
	c.quit()
}
