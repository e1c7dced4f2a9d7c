package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sources for another release are named, by their folder in the module; a module descriptor is
// none.
func TestUnseenSources(t *testing.T) {
	m := &Module{}
	m.Dir = t.TempDir()
	for release, file := range map[int]string{9: "src/main/java9/module-info.java", 11: "src/main/java11/p/A.java"} {
		path := filepath.Join(m.Dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		root := filepath.Join(append([]string{m.Dir}, strings.Split(file, "/")[:3]...)...)
		m.Versions = append(m.Versions, VersionedSources{Release: release, Sources: []string{root}})
	}
	notes := m.UnseenSources()
	if len(notes) != 1 || !strings.Contains(notes[0], "src/main/java11, for META-INF/versions/11 ") {
		t.Errorf("%q", notes)
	}
}
