package buildtool

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/tempdir"
)

// This file asks the compiler about a text that is not on disk.

// Check compiles one source of a source set with another text, against the classes
// that are there, and keeps nothing. It returns the compiler's errors; their File is
// path. Where the text is not one that a compiler takes by itself (its class path is
// not complete, a processor wants the other sources), errors say so that would not be
// there otherwise: an answer without errors is certain, one with errors is not.
func (c *Compiler) Check(ctx context.Context, m ModuleCompile, path string, text []byte) ([]Diagnostic, error) {
	own, err := tempdir.New("check-")
	if err != nil {
		return nil, err
	}
	defer own.Remove()
	dir := own.Path
	out, generated := filepath.Join(dir, "classes"), filepath.Join(dir, generatedName)
	for _, d := range []string{out, generated} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	j := &job{c: c, m: m, st: &state{}}
	classPath := slices.Concat([]string{c.OutputDir(m.Key)}, m.UserOutputs, m.ClassPath)
	classPath = slices.DeleteFunc(classPath, func(p string) bool { _, err := os.Stat(p); return err != nil })
	options := append(j.options(), "-classpath", strings.Join(classPath, string(os.PathListSeparator)))
	a, err := c.javac(ctx, m.JDKHome, javacRequest{options: options, output: out, generated: generated,
		files: []string{file}, encoding: "UTF-8"})
	if err != nil {
		return nil, err
	}
	var errs []Diagnostic
	for _, d := range a.notes {
		if d.Severity == workspace.Error {
			if filepath.Clean(d.File) == file {
				d.File = path
			}
			errs = append(errs, d)
		}
	}
	if !a.ok && len(errs) == 0 {
		errs = []Diagnostic{{Severity: workspace.Error, File: path, Message: "javac: " + a.trouble}}
	}
	return errs, nil
}
