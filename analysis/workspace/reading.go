package workspace

// This file holds what the readers of build files share.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options are what Open takes from its surroundings. The zero value means the
// process's own environment and home.
type Options struct {
	Env             func(string) string // os.Getenv
	Home            string              // the user's home folder
	LocalRepository string              // Maven's local repository; "" as Maven's settings say
	GradleHome      string              // Gradle's user home; "" as GRADLE_USER_HOME or ~/.gradle say
	JDKs            []string            // further JDK homes to consider
	Config          *Config             // instead of reading catchlens.toml (an unsaved buffer)
	// MayUseJDK tells whether a JDK may be used that catchlens.toml names by its folder: its
	// programs would be run. nil: any.
	MayUseJDK func(home string) bool
}

// WithDefaults are the options with the environment and the homes of the process
// where none are given.
func (o Options) WithDefaults() Options {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Home == "" {
		o.Home = homeOf()
	}
	if o.GradleHome == "" {
		if o.GradleHome = o.Env("GRADLE_USER_HOME"); o.GradleHome == "" {
			o.GradleHome = filepath.Join(o.Home, ".gradle")
		}
	}
	return o
}

// Bounds of what is read of one workspace.
const (
	MaxModules  = 5000
	MaxDepth    = 40 // folders that a search goes up or down
	maxProblems = 2000
)

// Reading is one reading of a workspace: what the readers of build files are given, and where they
// put what they find.
type Reading struct {
	Options  Options // with defaults
	JDKs     []JDK   // all that were found, best first
	Config   *Config // of the root at work
	Root     string  // the root at work
	Modules  []*Module
	Problems []Problem
	reported map[Problem]bool
}

// Report notes a problem, each once.
func (r *Reading) Report(p Problem) {
	if r.reported[p] || len(r.reported) >= maxProblems {
		return
	}
	if r.reported == nil {
		r.reported = map[Problem]bool{}
	}
	r.reported[p] = true
	r.Problems = append(r.Problems, p)
}

// ChooseJDK fills in the JDK of a module, and tells why it is not the one that is wanted.
func (r *Reading) ChooseJDK(m *Module, w JDKWish) {
	dir := m.Dir
	if s := r.Config.JDK; s != nil {
		w.override, w.File, dir = *s, r.Config.File, r.Root
	}
	if c := r.Config.Module[m.Name]; c != nil && c.JDK != nil {
		w.override, w.File, dir = *c.JDK, r.Config.File, m.Dir
	}
	compiles := func(j JDK) bool { return j.Feature == w.Release && j.HasCompiler }
	if w.Exact == "" && w.Release > 0 && m.UsesPreview() && slices.ContainsFunc(r.JDKs, compiles) {
		w.Exact = SpecVersion(w.Release) // javac compiles them for its own release alone
	}
	j, problems := chooseJDK(r.JDKs, w, dir, r.Options)
	for _, p := range problems {
		r.Report(p)
	}
	m.JDKHome, m.JDKVersion = j.Home, j.Version
}

// HoldsNoProject tells by a folder's name that no project of the user's is in it.
func HoldsNoProject(name string) bool {
	switch name {
	case "node_modules", "target", "__pycache__":
		return true
	}
	return strings.HasPrefix(name, ".")
}
