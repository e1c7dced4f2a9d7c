package session

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// A run of all stops where a module does not compile; one of some catches only where that is
// theirs, or one that theirs needs, and leaves out what does not compile otherwise.
func TestLeaveOut(t *testing.T) {
	root := t.TempDir()
	module := func(name string, needs ...string) *workspace.Module {
		return &workspace.Module{Name: name, Dir: filepath.Join(root, name),
			SourceFolders: workspace.SourceFolders{MainSources: []string{filepath.Join(root, name, "src")}},
			DependsOn:     needs}
	}
	problem := func(severity workspace.Severity, file string, line int, message string) snapshot.Problem {
		return snapshot.Problem{Severity: string(severity), File: filepath.Join(root, filepath.FromSlash(file)),
			Line: line, Message: message}
	}
	inModule := func(name string) *snapshot.Catch {
		return &snapshot.Catch{ID: name, File: &snapshot.File{Module: name}}
	}
	snap := func(problems ...snapshot.Problem) *snapshot.Snapshot {
		return &snapshot.Snapshot{Problems: problems,
			ByID: map[string]*snapshot.Catch{"core": inModule("core"), "app": inModule("app"),
				"tool": inModule("tool")},
			Workspace: &workspace.Workspace{Root: root,
				Modules: []*workspace.Module{module("app", "core"), module("core"), module("tool"),
					module("all", "app")}}}
	}
	incomplete := func(name string, s *snapshot.Snapshot) *snapshot.Snapshot {
		for _, m := range s.Workspace.Modules {
			if m.ClassPathComplete = m.Name != name; !m.ClassPathComplete {
				m.Missing = []string{"g:a:1 (jar) is not there; build it", "g:b:1 (jar) is not there; build it"}
			}
		}
		return s
	}
	core := problem(workspace.Error, "core/src/p/A.java", 3, "';' expected")
	app := problem(workspace.Error, "app/src/p/B.java", 0, "no A")
	for name, c := range map[string]struct {
		snap    *snapshot.Snapshot
		catches []string
		left    string
		err     string // what it has
	}{
		"nothing wrong": {snap(problem(workspace.Warning, "core/src/p/A.java", 1, "deprecated"),
			problem(workspace.Error, "core/pom.xml", 1, "bad")), nil, "", ""},
		"all": {snap(core), nil, "",
			"core does not compile; correct it and run again: core/src/p/A.java:3: ';' expected"},
		"all, what others need": {snap(app, app, core, core), nil, "",
			"core does not compile; correct it and run again: core/src/p/A.java:3: ';' expected (and one more error)"},
		"its own":                {snap(core), []string{"core"}, "", "core does not compile"},
		"what it needs":          {snap(core), []string{"app"}, "", "core does not compile"},
		"another":                {snap(core), []string{"tool"}, "all app core", ""},
		"a module that needs it": {snap(app), []string{"core"}, "all app", ""},
		"one of two":             {snap(app), []string{"tool", "app"}, "", " app/src/p/B.java: no A"},
		"a class path":           {incomplete("app", snap(app)), nil, "all app", ""},
		"one, and what needs it": {incomplete("core", snap(core, app)), nil, "all app core", ""},
		"one, and an error": {incomplete("app", snap(app, core)), nil, "",
			"core does not compile; correct it and run again: core/src/p/A.java:3: ';' expected"},
		"one, its own": {incomplete("app", snap(app)), []string{"app"}, "",
			"the class path of app is incomplete: g:a:1 (jar) is not there (and 1 more)"},
		"one that compiles": {incomplete("app", snap()), nil, "", ""},
	} {
		left, err := leaveOut(c.snap, c.catches)
		if got := strings.Join(slices.Sorted(maps.Keys(left)), " "); got != c.left {
			t.Errorf("%s: left out %q, want %q", name, got, c.left)
		}
		var e *NotCompiledError
		if (err != nil) != (c.err != "") ||
			err != nil && (!errors.As(err, &e) || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %s", name, err, c.err)
		}
	}
}
