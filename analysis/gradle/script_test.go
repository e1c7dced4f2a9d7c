package gradle

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
)

func FuzzGradleScript(f *testing.F) {
	f.Add("plugins { id 'java' }\ndependencies { implementation \"g:a:${v}\" }")
	f.Add("test { jvmArgs('-a', \"b\"); filter { includeTestsMatching 'x' } }")
	f.Add("a { b { c('''x''' /* */ // y\n } ")
	f.Add("sourceSets[\"main\"].java.srcDirs = [\"${\"x\"}\"]")
	root := f.TempDir() // one for all: a folder for each execution takes most of the time
	f.Fuzz(func(t *testing.T, src string) {
		b := &build{byPath: map[string]*project{}, catalog: &versionCatalog{},
			r: &workspace.Reading{}, root: root}
		p := b.add(":", b.root, nil)
		stmts := parseScript(src)
		b.shared(p, p, stmts)
		b.apply(p, nil, stmts)
	})
}
