package workspace

import (
	"path/filepath"
	"slices"
)

// Taken says which of the files below source folders a build compiles, by Ant patterns of their
// paths below the folder. The zero value takes all.
type Taken struct {
	Includes, Excludes []string         `json:",omitempty"` // no Includes: all
	In                 map[string]Taken `json:",omitempty"` // by source folder: what counts there in place of the above
}

// Takes tells whether the build compiles a file below a source folder.
func (t Taken) Takes(root, file string) bool {
	if own, ok := t.In[root]; ok {
		t = own
	}
	if len(t.Includes)+len(t.Excludes) == 0 {
		return true
	}
	rel, err := filepath.Rel(root, file)
	if err != nil {
		return true
	}
	rel = filepath.ToSlash(rel)
	matches := func(p string) bool { return antFile(p).MatchString(rel) }
	return (len(t.Includes) == 0 || slices.ContainsFunc(t.Includes, matches)) &&
		!slices.ContainsFunc(t.Excludes, matches)
}
