package factcache

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// What one process asked for of a jar is read ahead by the next one with the same class path,
// for the same kind of analysis only, and counts as asked for by neither.
func TestReadAhead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	folder, jar := compileFixtures(t)
	dir := t.TempDir()
	first, cache := provide(t, dir, jar)
	for _, name := range fixtureNames[:3] {
		if _, ok := first.Class(name); !ok {
			t.Fatalf("no class %s", name)
		}
	}
	first.Class("p/Missing")
	first.Close() // so that only what was asked for is there
	if err := cache.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := first.NoteAsked("pta"); err != nil {
		t.Fatal(err)
	}
	ahead := func(kind string, paths ...string) (n int, p *Provider) {
		p, _ = provide(t, dir, paths...)
		p.ReadAhead(kind)
		p.ahead.running.Wait()
		k := p.entries[0].container
		if k == nil {
			return 0, p
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, s := range k.slots {
			if s.record != nil {
				n++
			}
		}
		return n, p
	}
	n, p := ahead("pta", jar)
	if got := p.Stats(); n != 3 || got != (Stats{}) {
		t.Errorf("%d classes read ahead, %+v asked for", n, got)
	}
	if r, ok := p.Class(fixtureNames[0]); !ok || r.Name != fixtureNames[0] || p.Stats() != (Stats{Asked: 1, Found: 1}) {
		t.Errorf("%v, %+v", ok, p.Stats())
	}
	if n, _ := ahead("rta", jar); n != 0 {
		t.Errorf("%d classes read ahead for another kind of analysis", n)
	}
	if n, _ := ahead("pta", jar, folder); n != 0 {
		t.Errorf("%d classes read ahead with another class path", n)
	}

	// What is kept may have been written by nobody knows whom.
	if err := os.WriteFile(first.askedFile("pta"), []byte("\n../../x\np/Gone\n\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, p := ahead("pta", jar); n != 0 || len(p.Problems()) != 0 {
		t.Errorf("%d classes, problems %v", n, p.Problems())
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*"+askedSuffix))
	if len(files) != 1 {
		t.Fatalf("files %q", files)
	}
	for i := range maxAsked + 3 { // of workspaces that came before and after
		path := filepath.Join(filepath.Dir(files[0]), fmt.Sprint(i, askedSuffix))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Duration(i-5)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	cache.prune()
	left, _ := filepath.Glob(filepath.Join(dir, "*", "*"+askedSuffix))
	if _, err := os.Stat(filepath.Join(filepath.Dir(files[0]), fmt.Sprint(3, askedSuffix))); len(left) != maxAsked ||
		err == nil {
		t.Errorf("%d files are left, the old one: %v", len(left), err)
	}
}
