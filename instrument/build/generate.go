package build

// This file has Maven generate the sources that a build makes before it compiles.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catchlens/analysis/workspace"
)

// LacksGenerated tells whether the build of a module has plug-ins that generate sources, of
// which none is there.
func LacksGenerated(m *workspace.Module) bool {
	return m.Kind == workspace.Maven && len(m.Generators) > 0 && len(m.GeneratedTestSources) == 0 &&
		!slices.ContainsFunc(m.GeneratedSources, func(d string) bool { return !ofProcessors(d) })
}

// ofProcessors tells whether a folder of generated sources is what annotation processors write:
// compiling makes these anew.
func ofProcessors(folder string) bool {
	b := filepath.Base(folder)
	return b == "annotations" || b == "test-annotations"
}

// Generate has Maven run the phases up to generate-test-sources for the builds that have
// modules which lack generated sources, in a copy of their folders: nothing is written
// into the workspace. It answers the workspace with the folders of sources that came of it, which stay in the
// cache until an input of theirs changes: a build file, or any file of the module that is no source. What failed
// is tried again. Maven runs offline first. The error has Maven's last lines, and what was generated all the same is answered beside it.
// With opt.KeptOnly nothing is started, and what is not there is no error.
func Generate(ctx context.Context, w *workspace.Workspace, opt ResolveOptions) (*workspace.Workspace, error) {
	if !slices.ContainsFunc(w.Modules, LacksGenerated) {
		return w, nil
	}
	opt = opt.withDefaults()
	out := *w
	out.Modules = slices.Clone(w.Modules)
	var errs []error
	roots := buildRoots(w, workspace.Maven, "pom.xml")
	for _, root := range sortedKeys(roots) {
		if !slices.ContainsFunc(roots[root], LacksGenerated) {
			continue
		}
		sum := sha256.Sum256([]byte(root))
		g := &generation{w: w, opt: opt, root: root, mods: roots[root], dir: filepath.Join(opt.CacheDir, "generated", hex.EncodeToString(sum[:12]))}
		g.key = g.digest()
		was := g.kept()
		found := was.Modules
		if !opt.KeptOnly && (found == nil || was.Failed) {
			var err error
			if found, err = g.run(ctx); ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				errs = append(errs, err)
			}
		}
		for i, m := range out.Modules {
			if s, ok := found[m.Name]; ok && LacksGenerated(m) {
				c := *m
				c.GeneratedSources = append(slices.Clone(m.GeneratedSources), g.folders(s.Main)...)
				c.GeneratedTestSources = g.folders(s.Test)
				out.Modules[i] = &c
			}
		}
	}
	return &out, errors.Join(errs...)
}

// generation is what the build in one folder generates.
type generation struct {
	w    *workspace.Workspace
	opt  ResolveOptions
	root string
	mods []*workspace.Module
	dir  string // of the cache, for this root
	key  string // of what it depends on
}

// generatedSources are folders of generated sources of a module, relative to the folder of their generation.
type generatedSources struct{ Main, Test []string }

// digest is of what a generation depends on: as resolveKey, and files of modules with generators
// below no source folder, by name, size and time.
func (g *generation) digest() string {
	h := sha256.New()
	fmt.Fprintln(h, resolveKey(g.root, g.mods, "generate"))
	for _, m := range g.mods {
		if len(m.Generators) == 0 {
			continue
		}
		sources := slices.Concat(m.MainSources, m.TestSources)
		_ = filepath.WalkDir(m.Dir, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case d.IsDir() && p != m.Dir && (slices.Contains(sources, p) || notCopied(p) || fileExists(filepath.Join(p, "pom.xml"))):
				return filepath.SkipDir
			case d.Type().IsRegular():
				if info, err := d.Info(); err == nil {
					fmt.Fprintln(h, p, info.Size(), info.ModTime().UnixNano())
				}
			}
			return nil
		})
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// notCopied tells whether a folder holds nothing that generating sources needs: what a
// build writes beside its pom.xml, and the administration of version control.
func notCopied(folder string) bool {
	switch name := filepath.Base(folder); name {
	case "target", "build", "out", "bin":
		return fileExists(filepath.Join(filepath.Dir(folder), "pom.xml"))
	default:
		return name == "node_modules" || strings.HasPrefix(name, ".") && name != ".mvn"
	}
}

const generatedIndex = "index.json"

// generated is what is kept of a generation.
type generated struct {
	Modules map[string]generatedSources // by name; those that have some
	Failed  bool                        // for some module
}

// kept is what was generated before of the same inputs; its Modules are nil if nothing was.
func (g *generation) kept() (was generated) {
	data, err := os.ReadFile(filepath.Join(g.dir, g.key, generatedIndex))
	if err != nil || json.Unmarshal(data, &was) != nil {
		return generated{}
	}
	return was
}

func (g *generation) folders(list []string) (dirs []string) {
	for _, d := range list {
		dirs = append(dirs, filepath.Join(g.dir, g.key, filepath.FromSlash(d)))
	}
	return dirs
}

// run generates and keeps what came; the results of earlier inputs go.
func (g *generation) run(ctx context.Context) (map[string]generatedSources, error) {
	tool, err := findTool(g.root, g.w.Root, "mvnw", "mvn")
	if err != nil {
		return nil, fmt.Errorf("cannot have Maven generate the sources of %s: %w", g.root, err)
	}
	scratch, err := os.MkdirTemp("", "catchlens-generate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	scratch, err = filepath.EvalSymlinks(scratch)
	if err != nil {
		return nil, err
	}
	g.opt.Progress("generating sources as the build in " + g.root + " does")
	if err := copySources(ctx, scratch, g.root); err != nil {
		return nil, fmt.Errorf("cannot copy %s to generate its sources: %w", g.root, err)
	}
	args := []string{tool, "-B", "-fae", "-f", filepath.Join(scratch, "pom.xml"), "-DskipTests", "-Dstyle.color=never", "generate-test-sources"}
	failed := runTool(ctx, g.opt, scratch, cleanEnv(toolJDK(g.w)...), append(args, "-o")...)
	if failed != nil && !g.opt.Offline && ctx.Err() == nil {
		failed = runTool(ctx, g.opt, scratch, cleanEnv(toolJDK(g.w)...), args...)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	made, err := workspace.Open(ctx, []string{scratch}, g.opt.Open)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return nil, err
	}
	part, err := os.MkdirTemp(g.dir, "part-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(part)
	found := map[string]generatedSources{}
	for _, m := range made.Modules {
		var s generatedSources
		for _, set := range []struct {
			from []string
			to   *[]string
		}{{m.GeneratedSources, &s.Main}, {m.GeneratedTestSources, &s.Test}} {
			for _, d := range set.from {
				rel, err := filepath.Rel(scratch, d)
				if err != nil || !filepath.IsLocal(rel) || ofProcessors(d) {
					continue
				}
				if err := os.CopyFS(filepath.Join(part, rel), os.DirFS(d)); err != nil {
					return nil, err
				}
				*set.to = append(*set.to, filepath.ToSlash(rel))
			}
		}
		if len(s.Main)+len(s.Test) > 0 {
			found[m.Name] = s
		}
	}
	if failed != nil {
		failed = fmt.Errorf("maven could not generate the sources of %s: %w", g.root, failed)
		if len(found) == 0 {
			return nil, failed
		}
	}
	data, err := json.Marshal(generated{found, failed != nil})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(part, generatedIndex), data, 0o600); err != nil {
		return nil, err
	}
	old, _ := filepath.Glob(filepath.Join(g.dir, "*"))
	for _, o := range old {
		if b := filepath.Base(o); b != filepath.Base(part) && !strings.HasPrefix(b, "part-") {
			os.RemoveAll(o)
		}
	}
	if err := os.Rename(part, filepath.Join(g.dir, g.key)); err != nil {
		return nil, err
	}
	return found, failed
}

// copySources copies a folder without links and without what notCopied names; files
// keep their times.
func copySources(ctx context.Context, to, from string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		switch {
		case d.IsDir() && rel != "." && notCopied(p):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(dst, 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := copyFile(p, dst); err != nil {
			return err
		}
		return os.Chmod(dst, info.Mode().Perm()|0o200)
	})
}
