package session

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/lab"
)

// This file says which tests of the build do not run here, and which of them as one class of a name
// is analysed.

// leftTests are tests of a module that do not run here.
type leftTests struct {
	what string // the classes, in words
	note string // why, and the way out
}

// LeftTests says, of each module, which tests do not run, why, and what runs them: classes in whose
// place others of their names are analysed, and tests in other languages. It is known before a run.
func LeftTests(snap *snapshot.Snapshot) []string { return notesOf(leftTestsOf(snap)) }

func notesOf(left []leftTests) (notes []string) {
	for _, l := range left {
		notes = append(notes, l.note)
	}
	return notes
}

// leftBy are the tests that a run leaves out: none are looked for where nobody hears of them, as it
// is in the background or asks for some catches alone.
func leftBy(snap *snapshot.Snapshot, scope Scope) []leftTests {
	if scope.background || len(scope.Catches) > 0 {
		return nil
	}
	return leftTestsOf(snap)
}

// leftTestsOf are the tests that do not run here as of what the build's sources are. It reads those
// in other languages, so that a run asks once.
func leftTestsOf(snap *snapshot.Snapshot) (all []leftTests) {
	for _, m := range snap.Workspace.Modules {
		all = append(all, sameNamed(snap, m)...)
		all = append(all, otherTests(snap, snap.LeftTests, snap.Workspace.Root, m)...)
	}
	return all
}

// sameNamed are the tests of a module in whose place those of the same names run.
func sameNamed(snap *snapshot.Snapshot, m *workspace.Module) []leftTests {
	if len(snap.LeftTests) == 0 {
		return nil
	}
	seen := map[string]bool{}
	var left []string
	by := ""
	for _, x := range m.Executions() {
		classes, of := lab.LeftTests(snap, x)
		for _, c := range classes {
			if !seen[c] {
				seen[c], left = true, append(left, c)
			}
		}
		by = cmp.Or(by, of)
	}
	if len(left) == 0 {
		return nil
	}
	names := "a class of its name is"
	if len(left) > 1 {
		names = "classes of their names are"
	}
	tests := leftIn(m, left, names+" in "+by+", and one class of a name is analysed")
	if m.Dir != snap.Workspace.Root && by != m.Name { // else the same would be in that folder
		tests.note += fmt.Sprintf("; `catchlens run %s`, or that folder by itself in an editor, runs them",
			shellWord(m.Dir))
	}
	return []leftTests{tests}
}

// leftIn are tests of a module, by the names of their classes or files, that are left out for a
// reason.
func leftIn(m *workspace.Module, names []string, why string) leftTests {
	what := names[0]
	if n := len(names) - 1; n > 0 {
		what += fmt.Sprintf(" and %d more", n)
	}
	what += " in " + m.Name
	return leftTests{what, fmt.Sprintf("the tests of %s are left out: %s", what, why)}
}

// shellWord is a path as it stands in a command, wherever that is run.
func shellWord(path string) string {
	if strings.ContainsAny(path, " \t\"'`$&;()<>|*?[]#!~\\{}") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// workspacePath names a file or folder as reports do: by its path in the workspace.
func workspacePath(root, file string) string {
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}
