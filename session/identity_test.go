package session

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/test/scratch"
)

// A workspace has one name wherever it is cloned to, by whatever address, and however far
// below the top of its repository it is opened; other folders have others.
func TestWorkspaceKey(t *testing.T) {
	write := func(dir, origin string) string {
		scratch.Write(t, filepath.Join(dir, ".git", "config"),
			"[remote \"fork\"]\n\turl = https://host/other\n[remote \"origin\"]\n\turl = "+origin+"\n")
		return dir
	}
	key := func(roots ...string) string { return workspaceKey(roots) }
	here := write(filepath.Join(t.TempDir(), "app"), "https://user:secret@host/team/app.git")
	there := write(filepath.Join(t.TempDir(), "app-2"), "git@host:team/app.git")
	if key(here) != key(there) {
		t.Errorf("two clones: %s and %s", key(here), key(there))
	}
	if key(filepath.Join(here, "core")) != key(filepath.Join(there, "core")) ||
		key(filepath.Join(here, "a", "core")) == key(filepath.Join(there, "core")) {
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
	if local := write(filepath.Join(t.TempDir(), "app"), "/repositories/app"); identities(local)[0] != local {
		t.Errorf("a clone of a folder is %q", identities(local)[0])
	}
	for _, dir := range []string{first, second} {
		scratch.Write(t, filepath.Join(dir, "pom.xml"),
			`<project xmlns="http://maven.apache.org/POM/4.0.0"><parent><groupId>team</groupId></parent><artifactId>app</artifactId></project>`)
	}
	if key(first) != key(second) || identities(first)[0] != "maven team:app" {
		t.Errorf("two folders with the coordinates %q and %q", identities(first)[0], identities(second)[0])
	}
	scratch.Write(t, filepath.Join(second, "pom.xml"),
		"<?xml version=\"1.0\" "+
			"encoding=\"ISO-8859-1\"?>\n<project><groupId>team</groupId><artifactId>app</artifactId>"+
			"<name>J\xf6rg's</name></project>")
	if identities(second)[0] != "maven team:app" {
		t.Errorf("a pom.xml in ISO 8859-1 has the coordinates %q", identities(second)[0])
	}
	if strange := filepath.Join(t.TempDir(), "app"); os.MkdirAll(filepath.Join(strange, "pom.xml"), 0o700) != nil ||
		os.MkdirAll(filepath.Join(strange, ".git", "config"), 0o700) != nil || identities(strange)[0] != strange {
		t.Errorf("a folder with folders for files is %q", identities(strange)[0])
	}
	if key(first, second) == key(first) {
		t.Error("two folders together are one of them")
	}
}

// A workspace that gets coordinates, and then an origin, keeps its results; what it records from
// then on is not in the folder that it had, and another one's folder is not touched.
func TestResultsFollowTheOrigin(t *testing.T) {
	cache, dir := t.TempDir(), filepath.Join(t.TempDir(), "app")
	put := func(name string) string {
		folder, err := resultsFolder(cache, []string{dir})
		if err != nil {
			t.Fatal(err)
		}
		st, err := results.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		if err := st.PutTestRun(&record.TestRun{Test: name, Outcome: record.Pass}); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	read := func(folder string) (tests []string) {
		st, err := results.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		for _, r := range st.Runs() {
			tests = append(tests, r.Test)
		}
		return tests
	}
	byPath := put("T#path")
	scratch.Write(t, filepath.Join(dir, "pom.xml"),
		"<project><groupId>team</groupId><artifactId>app</artifactId></project>")
	byMaven := put("T#maven")
	scratch.Write(t, filepath.Join(dir, ".git", "config"), "[remote \"origin\"]\n\turl = https://host/team/app.git\n")
	byGit := put("T#git")
	if again := put("T#again"); again != byGit {
		t.Errorf("%s, and then %s", byGit, again)
	}
	for folder, want := range map[string][]string{byPath: {"T#path"}, byMaven: {"T#maven", "T#path"},
		byGit: {"T#again", "T#git", "T#maven", "T#path"}} {
		if got := read(folder); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", filepath.Base(folder), got, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "results", copyPrefix+"*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A program of somebody else that has the same coordinates and an origin does not begin with the
// results of one that has none.
func TestResultsOfOthers(t *testing.T) {
	cache, mine, other := t.TempDir(), filepath.Join(t.TempDir(), "demo"), filepath.Join(t.TempDir(), "demo")
	for _, dir := range []string{mine, other} {
		scratch.Write(t, filepath.Join(dir, "pom.xml"),
			"<project><groupId>com.example</groupId><artifactId>demo</artifactId></project>")
	}
	folder, err := resultsFolder(cache, []string{mine})
	if err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, filepath.Join(folder, "results"), "mine")
	scratch.Write(t, filepath.Join(other, ".git", "config"),
		"[remote \"origin\"]\n\turl = https://host/other/demo.git\n")
	theirs, err := resultsFolder(cache, []string{other})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(theirs, "results")); err == nil {
		t.Error("it has the results of another program")
	}
	scratch.Write(t, filepath.Join(mine, ".git", "config"), "[remote \"origin\"]\n\turl = https://host/mine/demo.git\n")
	if folder, err = resultsFolder(cache, []string{mine}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "results")); err != nil {
		t.Errorf("a program that got an origin lost its results: %v", err)
	}
}

// Of two programs with the same coordinates on one machine each has its own results; a cache that
// came from another machine, or a program that was moved, keeps them.
func TestResultsOfTwins(t *testing.T) {
	cache := t.TempDir()
	folderOf := func(dir string) string {
		t.Helper()
		scratch.Write(
			t,
			filepath.Join(dir, "pom.xml"),
			"<project><groupId>com.example</groupId><artifactId>demo</artifactId></project>",
		)
		folder, err := resultsFolder(cache, []string{dir})
		if err != nil {
			t.Fatal(err)
		}
		return folder
	}
	first, second, moved := filepath.Join(
		t.TempDir(),
		"demo",
	), filepath.Join(
		t.TempDir(),
		"demo",
	), filepath.Join(
		t.TempDir(),
		"demo",
	)
	one := folderOf(first)
	two := folderOf(second)
	if two == one || folderOf(second) != two || folderOf(first) != one {
		t.Errorf("two programs have the results %s and %s", one, two)
	}
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	if got := folderOf(moved); got != one {
		t.Errorf("a program that was moved has the results %s, had %s", got, one)
	}
	if got := folderOf(second); got != two {
		t.Errorf("a program has the results %s as another one is gone, had %s", got, two)
	}
}

// What a killed process has left of a copy is removed, but not what somebody is making.
func TestCopiesOfKilledProcesses(t *testing.T) {
	cache, dir := t.TempDir(), filepath.Join(t.TempDir(), "app")
	left := filepath.Join(cache, "results", copyPrefix+"123")
	scratch.Write(t, filepath.Join(left, "0", "a"), "half")
	named, err := resultsFolder(cache, []string{filepath.Join(t.TempDir(), "copy+")})
	if err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, filepath.Join(left, "0", "a"), "half")
	unlock, err := copying(filepath.Join(cache, "results"))
	if err != nil {
		t.Fatal(err)
	}
	for _, copies := range []bool{true, false} {
		if _, err := resultsFolder(cache, []string{dir}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); (err == nil) != copies {
			t.Errorf("somebody copies: %v, the copy is there: %v", copies, err == nil)
		}
		if copies {
			unlock()
		}
	}
	if _, err := os.Stat(named); err != nil {
		t.Errorf("the results of a workspace whose folder is called copy+ are gone: %v", err)
	}
}
