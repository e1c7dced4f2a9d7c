package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/testfiles"
)

// A resource that the build has not copied as it is now makes its class folder stale.
func TestResourcesChanged(t *testing.T) {
	dir := testfiles.Files{"res/a.txt": "a", "res/.hidden": "", "res/b.properties": "${x}", "out/a.txt": "a",
		"out/b.properties": "value"}.In(t, t.TempDir())
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	built := time.Now().Add(-time.Hour)
	for _, f := range []string{"res/a.txt", "res/b.properties"} {
		if err := os.Chtimes(in(f), built.Add(-time.Hour), built.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(in("out/"+filepath.Base(f)), built, built); err != nil {
			t.Fatal(err)
		}
	}
	sets := []ResourceSet{{Dir: in("res"), Includes: []string{"*.properties"}, Filtered: true},
		{Dir: in("res"), Excludes: []string{"*.properties"}}}
	changed := func() bool { return resourcesChanged([]string{in("res")}, sets, []string{in("out")}) }
	if changed() {
		t.Error("nothing has changed")
	}
	touch := func(f, text string) {
		if err := os.WriteFile(in(f), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if touch("res/a.txt", "a"); changed() {
		t.Error("a file that was written anew, as it was, has changed")
	}
	if touch("res/a.txt", "b"); !changed() {
		t.Error("another text of the same size has not changed")
	}
	if touch("out/a.txt", "b"); changed() {
		t.Error("it is stale after the build")
	}
	if touch("res/b.properties", "${x}"); !changed() {
		t.Error("a filtered file that is newer than its copy is not stale")
	}
	if touch("out/b.properties", "w"); changed() {
		t.Error("a filtered file is stale after the build")
	}
	if touch("res/c.txt", "c"); !changed() {
		t.Error("a file that is not in the class folder is not stale")
	}
}

func FuzzFilter(f *testing.F) {
	f.Add([]byte("a=${b}\n@b@ \\${b} [[b]] ${${b}} @"), "b")
	f.Fuzz(func(t *testing.T, text []byte, value string) {
		filter := &ResourceFilter{Delimiters: [][2]string{{"${", "}"}, {"@", "@"}, {"[[", "]]"}}, Escape: `\`,
			Lookup: func(key string) (string, bool) { return value, key == "b" }}
		m := &Module{ResourceFolders: ResourceFolders{ResourceFilter: filter}}
		if got := m.Filter("a.txt", text); value == "${b}" && len(got) > 8*len(text)+8 {
			t.Errorf("%d bytes of %d", len(got), len(text))
		}
	})
}
