package session

import (
	"os"
	"path/filepath"
	"testing"

	"catchlens/test/scratch"
)

// A workspace has one name wherever it is cloned to, by whatever address, and however far
// below the top of its repository it is opened; other folders have others.
func TestWorkspaceKey(t *testing.T) {
	write := func(dir, origin string) string {
		scratch.Write(t, filepath.Join(dir, ".git", "config"), "[remote \"fork\"]\n\turl = https://host/other\n[remote \"origin\"]\n\turl = "+origin+"\n")
		return dir
	}
	key := func(roots ...string) string { return workspaceKey(roots) }
	here := write(filepath.Join(t.TempDir(), "app"), "https://user:secret@host/team/app.git")
	there := write(filepath.Join(t.TempDir(), "app-2"), "git@host:team/app.git")
	if key(here) != key(there) {
		t.Errorf("two clones: %s and %s", key(here), key(there))
	}
	if key(filepath.Join(here, "core")) != key(filepath.Join(there, "core")) || key(filepath.Join(here, "a", "core")) == key(filepath.Join(there, "core")) {
		t.Error("folders in clones are told apart by their place in them")
	}
	if other := write(filepath.Join(t.TempDir(), "app"), "git@host:team/other.git"); key(other) == key(here) {
		t.Error("two repositories have one key")
	}
	tree := filepath.Join(t.TempDir(), "app-fix")
	scratch.Write(t, filepath.Join(here, ".git", "worktrees", "app", "commondir"), "../..\n")
	scratch.Write(t, filepath.Join(tree, ".git"), "gitdir: "+filepath.Join(here, ".git", "worktrees", "app")+"\n")
	if key(tree) != key(here) {
		t.Error("another work tree of the repository has another key")
	}
	first, second := filepath.Join(t.TempDir(), "app"), filepath.Join(t.TempDir(), "application")
	if key(first) == key(second) {
		t.Error("two folders of which nothing is known have one key")
	}
	if local := write(filepath.Join(t.TempDir(), "app"), "/repositories/app"); identity(local) != local {
		t.Errorf("a clone of a folder is %q", identity(local))
	}
	for _, dir := range []string{first, second} {
		scratch.Write(t, filepath.Join(dir, "pom.xml"), `<project xmlns="http://maven.apache.org/POM/4.0.0"><parent><groupId>team</groupId></parent><artifactId>app</artifactId></project>`)
	}
	if key(first) != key(second) || identity(first) != "maven team:app" {
		t.Errorf("two folders with the coordinates %q and %q", identity(first), identity(second))
	}
	scratch.Write(t, filepath.Join(second, "pom.xml"), "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<project><groupId>team</groupId><artifactId>app</artifactId><name>J\xf6rg's</name></project>")
	if identity(second) != "maven team:app" {
		t.Errorf("a pom.xml in ISO 8859-1 has the coordinates %q", identity(second))
	}
	if strange := filepath.Join(t.TempDir(), "app"); os.MkdirAll(filepath.Join(strange, "pom.xml"), 0o700) != nil || os.MkdirAll(filepath.Join(strange, ".git", "config"), 0o700) != nil || identity(strange) != strange {
		t.Errorf("a folder with folders for files is %q", identity(strange))
	}
	if key(first, second) == key(first) {
		t.Error("two folders together are one of them")
	}
}
