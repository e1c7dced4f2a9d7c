package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/session"
)

// gated is a session whose analyses wait for a word.
type gated struct {
	session.API
	gate chan struct{}
}

func (g gated) Reload(ctx context.Context, p session.Progress) error {
	select {
	case <-g.gate:
	case <-ctx.Done():
		return ctx.Err()
	}
	return g.API.Reload(ctx, p)
}

// While other folders are being analysed, what was known of those that stay is
// shown, marked as stale; nothing is shown of those that went.
func TestFoldersChange(t *testing.T) {
	first, inFirst := compiled(t, fixture)
	other := strings.Replace(fixture, "package p;", "package q;", 1)
	second, inSecond := compiled(t, other)
	gate := make(chan struct{}, 1)
	c := connectTo(t, func(f []string, o session.Options) (session.API, error) {
		s, err := session.Open(f, o)
		return gated{s, gate}, err
	}, plainCaps, nil, first)
	a, b := c.open(inFirst, fixture), c.open(inSecond, other)
	gate <- struct{}{}
	fresh := func(ls []lens) bool { return some(ls) && !strings.Contains(ls[0].Command.Title, "stale") }
	known := titles(c.until(a, fresh))
	stale := func(ls []lens) bool {
		return len(titles(ls)) == len(known) &&
			!slices.ContainsFunc(titles(ls), func(s string) bool { return !strings.HasSuffix(s, " · stale") })
	}
	change := func(added, removed []string) {
		folders := func(dirs []string) []any {
			out := []any{}
			for _, d := range dirs {
				out = append(out, map[string]any{"uri": pathURI(d), "name": filepath.Base(d)})
			}
			return out
		}
		c.notify("workspace/didChangeWorkspaceFolders",
			map[string]any{"event": map[string]any{"added": folders(added), "removed": folders(removed)}})
	}
	// always asks for lenses for a while: they are never gone.
	always := func(uri string, fit func([]lens) bool) {
		t.Helper()
		for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if ls := c.lenses(uri); !fit(ls) {
				t.Fatalf("the lenses are %q", titles(ls))
			}
		}
	}

	change([]string{second}, nil)
	always(a, some)
	c.until(a, stale)
	if got := c.lenses(b); len(got) != 0 {
		t.Errorf("a folder that is not analysed yet has lenses: %q", titles(got))
	}
	var hover *struct{ Contents struct{ Value string } }
	at := c.lenses(a)[0].Range.Start
	c.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": a}, "position": at}, &hover)
	if hover == nil || !strings.Contains(hover.Contents.Value, "FileNotFoundException") {
		t.Errorf("no hover meanwhile: %v", hover)
	}
	gate <- struct{}{}
	c.until(b, fresh)
	if got := titles(c.until(a, fresh)); !slices.Equal(got, known) {
		t.Errorf("afterwards %q, before %q", got, known)
	}

	change(nil, []string{first})
	c.until(a, func(ls []lens) bool { return len(ls) == 0 })
	always(b, stale)
	gate <- struct{}{}
	c.until(b, fresh)

	// A change that changes nothing leaves the session alone.
	change([]string{second}, []string{first})
	always(b, fresh)
	change(nil, []string{second})
	c.until(b, func(ls []lens) bool { return len(ls) == 0 })
	c.quit()
}

// catchlens/status is for clients that say that they know it.
func TestStatusIsForThoseWhoAsk(t *testing.T) {
	root, file := compiled(t, fixture)
	for _, asked := range []bool{false, true} {
		options := map[string]any{"hints": false}
		if asked {
			options["statusNotifications"] = true
		}
		c := connectTo(t, session.Open, plainCaps, options, root)
		c.until(c.open(file, fixture), some)
		told := func() int {
			c.mu.Lock()
			defer c.mu.Unlock()
			return len(c.told["catchlens/status"])
		}
		if !asked {
			time.Sleep(2 * refreshQuiet)
			if told() != 0 {
				t.Error("a client that does not know catchlens/status is sent it")
			}
		} else {
			for end := time.Now().Add(patience); told() == 0; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("a client that asks for catchlens/status is not sent it")
				}
			}
		}
		var st struct{ CallGraph string }
		c.call("workspace/executeCommand", map[string]any{"command": "catchlens.status"}, &st)
		if st.CallGraph != "rta" {
			t.Errorf("catchlens.status answers %+v", st)
		}
		c.quit()
	}
}
