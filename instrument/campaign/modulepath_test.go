package campaign

import (
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/test/scratch"
)

// labOf is a lab that runs nothing.
func labOf(m *workspace.Module) *lab.Lab {
	return &lab.Lab{Execution: lab.Execution{Module: m}, Probes: &lab.Probes{}}
}

// Sources of tests can describe a Java module, too.
func TestDescribesModule(t *testing.T) {
	main, test := t.TempDir(), t.TempDir()
	m := &workspace.Module{}
	m.MainSources, m.TestSources = []string{main}, []string{test}
	if describesModule(m) {
		t.Error("sources without module-info.java describe a module")
	}
	scratch.Write(t, filepath.Join(test, "module-info.java"), "module p {}")
	if !describesModule(m) {
		t.Error("the module-info.java of the tests is not seen")
	}
	for _, x := range []struct {
		kind workspace.Kind
		path workspace.ModulePath
		says bool
	}{{workspace.Maven, workspace.MainDescribed, true}, {workspace.Maven, "", false}, {workspace.Plain, "", true}} {
		r := &moduleRun{c: New(nil, nil, Options{}),
			lab: labOf(&workspace.Module{Kind: x.kind,
				SourceFolders: workspace.SourceFolders{TestSources: []string{test}},
				Test:          workspace.TestSettings{ModulePath: x.path}})}
		r.noteModule(1)
		if notes := r.c.summary().Notes; (len(notes) == 1) != x.says {
			t.Errorf("%s, module path %q: notes %q", x.kind, x.path, notes)
		}
	}
	if n := failing([]*record.TestRun{{Outcome: record.Fail}, {Outcome: record.Pass},
		{Outcome: record.Flaky}}); n != 1 {
		t.Errorf("%d tests fail, want 1", n)
	}
}
