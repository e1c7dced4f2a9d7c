package factcache

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// ownClasses compiles C0 to C19 into a folder. Those that are edited have a method more.
func ownClasses(t *testing.T, folder string, edited ...int) (names []string) {
	t.Helper()
	var text strings.Builder
	for i := range 20 {
		body := "void f() { try { f(); } catch (RuntimeException e) { throw new Error(e); } }"
		if slices.Contains(edited, i) {
			body += " int g() { return 1; }"
		}
		fmt.Fprintf(&text, "class C%d { %s }\n", i, body)
		names = append(names, fmt.Sprint("C", i))
	}
	src := filepath.Join(t.TempDir(), "All.java")
	if err := os.WriteFile(src, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 25), 25, nil, folder, src)
	return names
}

// The next process computes the records of class files in folders only if they have changed. They
// are written again when an eighth of them have.
func TestFoldersAreKept(t *testing.T) {
	folder, dir := filepath.Join(t.TempDir(), "classes"), t.TempDir()
	names := ownClasses(t, folder)
	process := func(flush bool) (records map[string]*facts.Class, computed int) {
		t.Helper()
		p, cache := provide(t, dir, folder)
		records = map[string]*facts.Class{}
		for _, n := range names {
			r, origin, err := p.Load(n)
			if r == nil || origin != 0 || err != nil {
				t.Fatalf("%s: %v, %d, %v", n, r, origin, err)
			}
			records[n] = r
		}
		p.Close()
		if flush {
			if err := cache.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		return records, p.Stats().Computed
	}
	expect := func(what string, flush bool, computed int) map[string]*facts.Class {
		t.Helper()
		got, n := process(flush)
		if n != computed {
			t.Errorf("%s: %d records were computed, want %d", what, n, computed)
		}
		return got
	}
	expect("at first, without writing", false, 20)
	want := expect("at first", true, 20)
	if list := stores(t, dir); len(list) != 1 || filepath.Ext(list[0]) != folderSuffix {
		t.Fatalf("files %q", list)
	}
	got := expect("unchanged", true, 0)
	for _, n := range names {
		if !reflect.DeepEqual(got[n], want[n]) {
			t.Errorf("%s: the stored record differs", n)
		}
	}
	ownClasses(t, folder, 3, 7)
	if c := expect("two have changed", true, 2)["C3"]; len(c.Methods) != 3 {
		t.Errorf("the record does not follow the class file: %+v", c)
	}
	expect("of two changes too few are written", true, 2)
	ownClasses(t, folder, 3, 7, 8)
	expect("three have changed", true, 3)
	got = expect("three changes are written", true, 0)
	if c := got["C8"]; len(c.Methods) != 3 || len(got["C9"].Methods) != 2 {
		t.Errorf("the records do not follow the class files: %+v", c)
	}

	other := filepath.Join(t.TempDir(), "other")
	ownClasses(t, other)
	p, _ := provide(t, dir, other)
	if p.Class("C1"); p.Stats().Computed != 1 {
		t.Error("a record of another folder was taken")
	}

	if err := os.Truncate(stores(t, dir)[0], 1000); err != nil {
		t.Fatal(err)
	}
	expect("damaged", true, 20)
	expect("mended", true, 0)
}

// A class file with problems has them in each process.
func TestFolderOfProblems(t *testing.T) {
	folder, dir := filepath.Join(t.TempDir(), "classes"), t.TempDir()
	ownClasses(t, folder)
	if err := os.WriteFile(filepath.Join(folder, "C1.class"), []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p, cache := provide(t, dir, folder)
		p.Class("C0")
		if _, _, err := p.Load("C1"); err == nil || len(p.Problems()) != 1 {
			t.Errorf("%v, problems %v", err, p.Problems())
		}
		if err := cache.Flush(); err != nil {
			t.Fatal(err)
		}
	}
}

// Of stores of folders those that were used last are kept.
func TestFoldersArePruned(t *testing.T) {
	dir := t.TempDir()
	cache := OpenCache(dir)
	if err := os.MkdirAll(cache.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range maxFolders + 2 {
		if err := os.WriteFile(filepath.Join(cache.dir, fmt.Sprint(i, folderSuffix)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cache.prune()
	if n := len(stores(t, dir)); n != maxFolders {
		t.Errorf("%d are left", n)
	}
}
