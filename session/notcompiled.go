package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
)

// This file keeps a run from using old classes of sources that do not compile.

// NotCompiledError is returned by Run where sources that it needs do not compile: their classes are
// old, or missing.
type NotCompiledError struct {
	Module string // its name
	Cause  string // the first error, with its place
	More   int    // further errors in the module
}

// Error implements error.
func (e *NotCompiledError) Error() string {
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
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		broken[m.Name] = &NotCompiledError{Module: m.Name, Cause: place + ": " + p.Message}
	}
	return broken
}

// leaveOut tells which modules a run must leave out, since they or modules that they need do not
// compile. The error says that nothing is left that was asked for: without catches named, all
// modules are.
func leaveOut(snap *snapshot.Snapshot, catches []string) (left map[string]*NotCompiledError, err error) {
	left, first := leftModules(snap)
	if len(catches) == 0 && first != nil {
		return nil, first
	}
	for _, id := range catches {
		if c := snap.ByID[id]; c != nil && left[c.File.Module] != nil {
			return nil, left[c.File.Module]
		}
	}
	return left, nil
}

// leftModules are the modules that do not compile, and those that need one of these, by name; first
// is the error to mend first, nil if all compile.
func leftModules(snap *snapshot.Snapshot) (left map[string]*NotCompiledError, first *NotCompiledError) {
	left = notCompiledModules(snap)
	if len(left) == 0 {
		return nil, nil
	}
	first = slices.MinFunc(values(left), func(a, b *NotCompiledError) int { return strings.Compare(a.Cause, b.Cause) })
	for _, m := range snap.Workspace.Modules { // an error of a module that others need comes first
		if e := left[m.Name]; e != nil &&
			!slices.ContainsFunc(m.DependsOn, func(d string) bool { return left[d] != nil }) {
			first = e
			break
		}
	}
	for grown := true; grown; {
		grown = false
		for _, m := range snap.Workspace.Modules {
			for _, d := range m.DependsOn {
				if left[m.Name] == nil && left[d] != nil {
					left[m.Name], grown = left[d], true
				}
			}
		}
	}
	return left, first
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
