package lsp

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/codelens/catchlist"
	"github.com/catchlens/catchlens/session"
)

func (c *client) catches() catchesJSON {
	c.t.Helper()
	var out catchesJSON
	c.call("catchlens/catches", nil, &out)
	return out
}

// listed is how often the client was told that the list has changed.
func (c *client) listed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.told[methodCatchesChanged])
}

// The list has every catch where it stands in the editor, before and after an edit, with the words
// of its lens; the client is told when it has changed.
func TestCatches(t *testing.T) {
	root, file := compiled(t, fixture)
	gate := make(chan struct{}, 1)
	c := connectTo(t, func(f []string, o session.Options) (session.API, error) {
		s, err := session.Open(f, o)
		return gated{s, gate}, err
	}, plainCaps, map[string]any{"catchNotifications": true}, root)
	if before := c.catches(); before.Analysed || before.Catches == nil || len(before.Catches) != 0 {
		t.Errorf("before the first analysis: %+v", before)
	}
	gate <- struct{}{}
	for end := time.Now().Add(patience); len(c.catches().Catches) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("there is no list")
		}
	}
	list := c.catches().Catches
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	for _, e := range list {
		if e.Version != nil || e.URI != pathURI(file) || e.File != "src/p/C.java" || e.Method != "C.read" ||
			!e.Runnable || e.Look || !slices.Contains(catchlist.Kinds, e.Kind) {
			t.Errorf("of a file in no editor: %+v", e)
		}
	}
	uri := c.open(file, fixture)
	lenses := c.until(uri, some)
	at := func(line uint32) *catchJSON {
		for _, e := range c.catches().Catches {
			if e.Range.Start.Line == line {
				return &e
			}
		}
		return nil
	}
	first, told := at(7), c.listed()
	if first == nil || first.Version == nil || *first.Version != 1 || first.Title != lenses[0].Command.Title ||
		first.Range != lenses[0].Range || !slices.Equal(first.Exceptions, []string{"FileNotFoundException"}) {
		t.Fatalf("%+v; the lens is %+v", first, lenses[0])
	}
	edit := func(version int, text string) {
		c.notify("textDocument/didChange",
			map[string]any{"textDocument": map[string]any{"uri": uri, "version": version},
				"contentChanges": []any{map[string]any{"text": text}}})
	}
	edit(2, strings.Replace(fixture, "check(n);", "check(n); open(null);", 1)+"\n")
	if e := at(10); e == nil || !e.Stale || *e.Version != 2 || !strings.HasSuffix(e.Title, " · stale") {
		t.Errorf("after an edit of its try: %+v", e)
	}
	for end := time.Now().Add(patience); c.listed() == told; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the client is not told that the list has changed")
		}
	}
	edit(3, strings.Replace(fixture, "catch (IllegalStateException e)", "finally", 1))
	if list := c.catches().Catches; len(list) != 1 || list[0].ID != first.ID {
		t.Errorf("after a catch was taken away: %+v", list)
	}
	c.quit()
}
