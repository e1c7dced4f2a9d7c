package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/buildtool"
)

// This file asks the compiler whether it takes an edit.

// Compiles implements API.
func (s *Session) Compiles(ctx context.Context, path string, text []byte) error {
	if !s.trusted() {
		return ErrUntrusted
	}
	v := s.View()
	if v.Snap == nil {
		return errors.New("the first analysis is not done yet")
	}
	ws := v.Snap.Workspace
	module, inTests := newTest(ws, path)
	if f := v.Snap.ByPath[path]; f != nil {
		module, inTests = f.Module, f.InTests
	} else if module == "" {
		return fmt.Errorf("%s is not a source of the workspace", path)
	}
	for _, m := range ws.Modules {
		if m.Name != module {
			continue
		}
		set, outputs := buildtool.Main, m.MainOutputs
		if inTests {
			set, outputs = buildtool.Test, append(append([]string{}, m.TestOutputs...), outputs...)
		}
		c := buildtool.ModuleCompileOf(ws, m, set, nil)
		c.ClassPath = append(append([]string{}, outputs...), c.ClassPath...)
		errs, err := s.pipe.compiler.Check(ctx, c, filepath.Join(ws.Root, filepath.FromSlash(path)), text)
		if err != nil {
			return err
		}
		if len(errs) > 0 {
			return fmt.Errorf("the compiler does not take it: line %d: %s", errs[0].Line, errs[0].Message)
		}
		return nil
	}
	return fmt.Errorf("%s belongs to no module", path)
}

// newTest is the module in whose folders for test sources a path is; "" for none.
func newTest(ws *workspace.Workspace, path string) (module string, inTests bool) {
	file := filepath.Join(ws.Root, filepath.FromSlash(path))
	for _, m := range ws.Modules {
		for _, root := range m.TestSources {
			if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
				return m.Name, true
			}
		}
	}
	return "", false
}
