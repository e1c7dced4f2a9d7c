package buildtool

// This file compiles what Maven's multiReleaseOutput makes: classes for later releases of Java,
// in META-INF/versions of a class folder.

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

// compileVersions compiles a module's versioned sources against its main classes, which are in out,
// and lays their classes there. What keeps one from being compiled is among the diagnostics.
func (c *Compiler) compileVersions(ctx context.Context, main ModuleCompile, m *workspace.Module,
	out string) (notes []Diagnostic) {
	below := []string{out} // classes that a version sees: of earlier ones, and the main ones
	for _, v := range m.Versions {
		if v.Release > main.JDKFeature {
			notes = append(notes, Diagnostic{Severity: workspace.Warning, File: v.Sources[0],
				Message: fmt.Sprintf("not compiled: the JDK of the module does not know release %d", v.Release)})
			continue
		}
		mc := versionCompile(main, m, v)
		mc.ClassPath = slices.Concat(below, main.ClassPath)
		r, err := c.Compile(ctx, mc)
		if err == nil {
			err = layClasses(r.OutputDir, v.Outputs([]string{out})[0])
		}
		if err != nil {
			notes = append(notes, Diagnostic{Severity: workspace.Error, File: v.Sources[0],
				Message: "not compiled: " + err.Error()})
			continue
		}
		notes = append(notes, r.Diagnostics...)
		below = slices.Insert(below, 0, r.OutputDir)
	}
	return notes
}

// versionCompile describes versioned sources as a source set, but for the class path.
func versionCompile(main ModuleCompile, m *workspace.Module, v workspace.VersionedSources) ModuleCompile {
	mc := main
	mc.Key += "\x00versions " + strconv.Itoa(v.Release)
	mc.SourceRoots, mc.Release, mc.Resources = v.Sources, v.Release, nil
	mc.UserOutputs = v.Outputs(m.MainOutputs)
	return mc
}

// keptVersions tells whether the cache has the classes of the present text of all versioned sources
// that can be compiled.
func (c *Compiler) keptVersions(main ModuleCompile, m *workspace.Module) bool {
	return !slices.ContainsFunc(m.Versions, func(v workspace.VersionedSources) bool {
		r, ok := c.Kept(versionCompile(main, m, v))
		return v.Release <= main.JDKFeature &&
			(!ok || len(r.Failed) > 0 || !holdsSameClasses(r.OutputDir, v.Outputs([]string{c.OutputDir(main.Key)})[0]))
	})
}

// holdsSameClasses tells whether the class files of a folder are those of another one, too.
func holdsSameClasses(from, to string) bool {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(p) != ".class" {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err == nil && !sameContent(p, filepath.Join(to, rel)) {
			err = sealed.ErrDamaged
		}
		return err
	}) == nil
}

// sameContent tells whether two class files are alike.
func sameContent(a, b string) bool {
	x, err1 := bounded.Read(a, bounded.Class)
	y, err2 := bounded.Read(b, bounded.Class)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// layClasses makes the class files of a folder those of another one.
func layClasses(from, to string) error {
	err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(p) != ".class" {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if sameContent(p, filepath.Join(to, rel)) {
			return nil
		}
		return copyFile(p, filepath.Join(to, rel))
	})
	if err != nil {
		return err
	}
	return filepath.WalkDir(to, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(p) != ".class" {
			return nil // the folder is not there: nothing was compiled
		}
		rel, err := filepath.Rel(to, p)
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(from, rel)); err != nil {
			return os.Remove(p)
		}
		return nil
	})
}
