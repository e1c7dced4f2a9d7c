package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// This file keeps a run from using old classes of sources that do not compile.

// NotCompiledError is returned by Run where sources that it needs do not compile: their classes are
// old, or missing.
type NotCompiledError struct {
	Module string // its name
	Cause  string // the first error, with its place
	More   int    // further errors in the module
	// Lacks is what the module's class path lacks, in words: there is nothing to correct in its
	// sources. "" where its class path is complete.
	Lacks string
}

// Error implements error.
func (e *NotCompiledError) Error() string {
	if e.Lacks != "" {
		return fmt.Sprintf("the class path of %s is incomplete: %s", e.Module, e.Lacks)
	}
	more := ""
	switch {
	case e.More == 1:
		more = " (and one more error)"
	case e.More > 1:
		more = fmt.Sprintf(" (and %d more errors)", e.More)
	}
	return fmt.Sprintf("%s does not compile; correct it and run again: %s%s", e.Module, e.Cause, more)
}

// notCompiledModules are the modules of a snapshot with sources that do not compile, by name.
func notCompiledModules(snap *snapshot.Snapshot) map[string]*NotCompiledError {
	broken := map[string]*NotCompiledError{}
	for _, p := range snap.Problems {
		if p.Severity != string(workspace.Error) || !strings.HasSuffix(p.File, ".java") {
			continue
		}
		m, _ := snap.Workspace.ModuleOf(p.File)
		if m == nil {
			continue
		}
		if e := broken[m.Name]; e != nil {
			e.More++
			continue
		}
		place := p.File
		if rel, err := filepath.Rel(snap.Workspace.Root, p.File); err == nil && filepath.IsLocal(rel) {
			place = filepath.ToSlash(rel) // as catches are named
		}
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, p.Line)
		}
		broken[m.Name] = &NotCompiledError{Module: m.Name, Cause: place + ": " + p.Message, Lacks: missingEntries(m)}
	}
	return broken
}

// missingEntries says what the class path of a module lacks, without the way out; "" if it is
// complete.
func missingEntries(m *workspace.Module) string {
	if m.ClassPathComplete || len(m.Missing) == 0 {
		return ""
	}
	first, _, _ := strings.Cut(m.Missing[0], "; ")
	if n := len(m.Missing) - 1; n > 0 {
		first += fmt.Sprintf(" (and %d more)", n)
	}
	return first
}

// leaveOut tells which modules a run must leave out, since they or modules that they need do not
// compile. The error says that nothing is left that was asked for: without catches named, all
// modules are, but for those that do not compile as a class path is incomplete, which no edit
// mends, and those that need them.
func leaveOut(snap *snapshot.Snapshot, catches []string) (left map[string]*NotCompiledError, err error) {
	left, wrong := leftModules(snap)
	if len(catches) == 0 && len(wrong) > 0 {
		return nil, firstOf(snap.Workspace, wrong)
	}
	for _, id := range catches {
		if c := snap.ByID[id]; c != nil && left[c.File.Module] != nil {
			return nil, left[c.File.Module]
		}
	}
	return left, nil
}

// leftModules are the modules that do not compile, and those that need one of these, by name; wrong
// are those with an error in their sources that is to be corrected.
func leftModules(snap *snapshot.Snapshot) (left, wrong map[string]*NotCompiledError) {
	broken := notCompiledModules(snap)
	if len(broken) == 0 {
		return nil, nil
	}
	left, wrong = map[string]*NotCompiledError{}, map[string]*NotCompiledError{}
	for name, e := range broken {
		if e.Lacks != "" {
			left[name] = e
		}
	}
	leaveDependents(snap.Workspace, left)
	for name, e := range broken {
		if left[name] == nil {
			left[name], wrong[name] = e, e
		}
	}
	leaveDependents(snap.Workspace, left)
	return left, wrong
}

// firstOf is the error to be corrected first: that of a module that others need comes before
// theirs.
func firstOf(ws *workspace.Workspace, broken map[string]*NotCompiledError) *NotCompiledError {
	for _, m := range ws.Modules {
		if e := broken[m.Name]; e != nil &&
			!slices.ContainsFunc(m.DependsOn, func(d string) bool { return broken[d] != nil }) {
			return e
		}
	}
	return slices.MinFunc(values(broken),
		func(a, b *NotCompiledError) int { return strings.Compare(a.Cause, b.Cause) })
}

// leaveDependents adds the modules that need one of those left out, with its error.
func leaveDependents(ws *workspace.Workspace, left map[string]*NotCompiledError) {
	for grown := true; grown; {
		grown = false
		for _, m := range ws.Modules {
			for _, d := range m.DependsOn {
				if left[m.Name] == nil && left[d] != nil {
					left[m.Name], grown = left[d], true
				}
			}
		}
	}
}

// deeper is why the sources of a module do not compile, where that is that a library is missing;
// else the error itself.
func deeper(snap *snapshot.Snapshot, err error) error {
	var broken *NotCompiledError
	var nothing *NothingRanError
	if errors.As(err, &broken) && errors.As(nothingRan(snap), &nothing) && nothing.Module == broken.Module {
		return nothing
	}
	return err
}

func values[K comparable, V any](m map[K]V) (all []V) {
	for _, v := range m {
		all = append(all, v)
	}
	return all
}
