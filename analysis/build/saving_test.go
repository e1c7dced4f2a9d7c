package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/factcache"
)

// An analysis that is cancelled while exceptions are followed leaves the next process what it found
// out about classes, and nothing half-written. When Build returns, nothing is written any more.
func TestCancelledSaves(t *testing.T) {
	p := newReuseProject(t, "rta")
	p.compiled = map[string][]byte{}
	want := onlyLink(t, p.build(t, reuseSource, nil))
	cache := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	follow := func(text string) {
		if text == "following exceptions" {
			cancel()
		}
	}
	if _, err := Snapshot(ctx, p.ws, p.cfg, Options{Cache: factcache.OpenCache(cache), Progress: follow},
		nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want that it is cancelled", err)
	}
	stores := 0
	err := filepath.WalkDir(cache, func(path string, d os.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case err != nil || d.IsDir():
		case strings.HasSuffix(name, ".facts"), strings.HasSuffix(name, ".folder"):
			stores++
		default:
			t.Errorf("there is %s", name)
		}
		return err
	})
	if err != nil || stores != 2 {
		t.Fatalf("%d stores, want those of the JDK and of the output folder: %v", stores, err)
	}
	again := factcache.OpenCache(cache)
	defer again.Forget()
	s, err := Snapshot(context.Background(), p.ws, p.cfg, Options{Cache: again}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait()
	if st := builderOf(s).made.libs.provider.Stats(); st.Found < 1000 || st.Computed > 0 {
		t.Errorf("of %d classes %d had to be read, want none of many", st.Found, st.Computed)
	}
	if l := onlyLink(t, s); l.ID != want.ID {
		t.Errorf("link %s, want %s", l.ID, want.ID)
	}
}
