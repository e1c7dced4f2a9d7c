package workspace

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// UnseenSources names the sources of a multi-release jar, a sentence for each release: they are
// compiled, and neither analysed nor run, as the class folder that tests see is no jar. A
// module-info.java alone is not worth a sentence.
func (m *Module) UnseenSources() (notes []string) {
	for _, v := range m.Versions {
		for _, dir := range v.Sources {
			if !hasCode(dir) {
				continue
			}
			at, err := filepath.Rel(m.Dir, dir)
			if err != nil {
				at = dir
			}
			notes = append(notes, fmt.Sprintf("the sources in %s, for META-INF/versions/%d of the jar, are compiled "+
				"and not analysed, and no test runs them: their catches have no lens", filepath.ToSlash(at), v.Release))
		}
	}
	return notes
}

// hasCode tells whether a folder has Java files beside module-info.java.
func hasCode(dir string) (found bool) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if !d.IsDir() && strings.HasSuffix(path, ".java") && d.Name() != "module-info.java" {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}
