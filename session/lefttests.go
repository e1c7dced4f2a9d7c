package session

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
)

// This file says which tests do not run as one class of a name is analysed.

// leftTests are test classes of a module in whose place those of their names in another one run.
type leftTests struct {
	what string // the classes, in words
	note string // why, and the way out
}

// LeftTests says, of each module, which test classes do not run as classes of their names in other
// modules do, why, and what runs them; none where all run. It is known before a run.
func LeftTests(snap *snapshot.Snapshot) (notes []string) {
	for _, l := range leftTestsOf(snap) {
		notes = append(notes, l.note)
	}
	return notes
}

func leftTestsOf(snap *snapshot.Snapshot) (all []leftTests) {
	if len(snap.LeftTests) == 0 {
		return nil
	}
	for _, m := range snap.Workspace.Modules {
		ran := map[string]bool{}
		var left []string
		by := ""
		for _, x := range m.Executions() {
			classes, of := lab.LeftTests(snap, x)
			for _, c := range classes {
				if !ran[c] {
					ran[c], left = true, append(left, c)
				}
			}
			by = cmp.Or(by, of)
		}
		if len(left) == 0 {
			continue
		}
		dir := m.Dir
		if rel, err := filepath.Rel(snap.Workspace.Root, m.Dir); err == nil {
			dir = filepath.ToSlash(rel)
		}
		what, names := left[0]+" in "+m.Name, "a class of its name is"
		if n := len(left); n > 1 {
			what = fmt.Sprintf("%s and %d more in %s", left[0], n-1, m.Name)
			names = "classes of their names are"
		}
		all = append(all, leftTests{what, fmt.Sprintf("the tests of %s are left out: %s in %s, and one class of a "+
			"name is analysed; `catchlens run %s`, or that folder by itself in an editor, runs them",
			what, names, by, dir)})
	}
	return all
}
