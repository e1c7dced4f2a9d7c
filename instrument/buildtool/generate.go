package buildtool

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
	"time"

	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

// LacksGenerated tells whether the build of a module has plug-ins that may generate sources, of
// which none is there, and Generate has not found out that they generate none.
func LacksGenerated(m *workspace.Module) bool {
	own := func(d string) bool { return !ofProcessors(d) }
	return m.Kind == workspace.Maven && len(m.Generators) > 0 && !m.Generated &&
		!slices.ContainsFunc(m.GeneratedTestSources, own) &&
		!slices.ContainsFunc(m.GeneratedSources, own)
}

// ofProcessors tells whether a folder of generated sources is what annotation processors write:
// compiling makes these anew.
func ofProcessors(folder string) bool {
	b := filepath.Base(folder)
	return b == "annotations" || b == "test-annotations"
}

// Generate has Maven run the phases up to generate-test-sources for the builds that have modules
// which lack generated sources, in a copy of their folders: nothing is written into the workspace.
// It answers the workspace with the folders of sources that came of it, which stay in the cache
// until an input of theirs changes: a build file, or any file of the module that is no source. What
// failed is tried again. Maven runs offline first. The error has Maven's last lines, and what was
// generated all the same is answered beside it. With opt.KeptOnly nothing is started, and what is
// not there is no error.
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
		g := newGeneration(w, opt, root, roots[root])
		found := g.findKept()
		if !opt.KeptOnly && (found.Modules == nil || found.Failed) {
			var err error
			if found, err = g.run(ctx); ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				errs = append(errs, err)
			}
		}
		for i, m := range out.Modules {
			if !LacksGenerated(m) || !slices.Contains(g.mods, m) {
				continue
			}
			s, ok := found.Modules[relative(root, m.Dir)]
			if ok || found.Modules != nil && !found.Failed {
				c := *m
				c.Generated = true
				c.GeneratedSources = append(slices.Clone(m.GeneratedSources), g.folders(s.Main)...)
				c.GeneratedTestSources = append(slices.Clone(m.GeneratedTestSources), g.folders(s.Test)...)
				out.Modules[i] = &c
			}
		}
	}
	return &out, errors.Join(errs...)
}

// GeneratorInputs digests what decides what Generate makes for the modules that lack generated
// sources; "" if none does.
func GeneratorInputs(w *workspace.Workspace) string {
	h, lacking := sha256.New(), false
	roots := buildRoots(w, workspace.Maven, "pom.xml")
	for _, root := range sortedKeys(roots) {
		if slices.ContainsFunc(roots[root], LacksGenerated) {
			lacking = true
			fmt.Fprintln(h, newGeneration(w, ResolveOptions{}, root, roots[root]).key)
		}
	}
	if !lacking {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// GeneratedCurrent tells whether what Generate added to a workspace is of the inputs as they are
// now.
func GeneratedCurrent(w *workspace.Workspace, opt ResolveOptions) bool {
	for root, mods := range buildRoots(w, workspace.Maven, "pom.xml") {
		if slices.ContainsFunc(mods, func(m *workspace.Module) bool { return m.Generated }) &&
			newGeneration(w, opt, root, mods).findKept().Modules == nil {
			return false
		}
	}
	return true
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

func newGeneration(w *workspace.Workspace, opt ResolveOptions, root string, mods []*workspace.Module) *generation {
	sum := sha256.Sum256([]byte(root))
	g := &generation{w: w, opt: opt, root: root, mods: mods,
		dir: filepath.Join(opt.CacheDir, "generated", hex.EncodeToString(sum[:12]))}
	g.key = g.digest()
	return g
}

// relative is a folder below another one, with slashes.
func relative(root, folder string) string {
	rel, err := filepath.Rel(root, folder)
	if err != nil {
		return folder
	}
	return filepath.ToSlash(rel)
}

// generatedSources are folders of generated sources of a module, relative to the folder of their
// generation.
type generatedSources struct{ Main, Test []string }

// digest is of what a generation depends on: as resolveKey, and files of modules with generators
// below no source folder, by name, size and time.
func (g *generation) digest() string {
	h := sha256.New()
	fmt.Fprintln(h, resolveKey(g.root, g.mods, "generate 2"))
	for _, m := range g.mods {
		if len(m.Generators) == 0 {
			continue
		}
		sources := slices.Concat(m.MainSources, m.TestSources)
		_ = filepath.WalkDir(m.Dir, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case d.IsDir() && p != m.Dir &&
				(slices.Contains(sources, p) || notCopied(p) || fileExists(filepath.Join(p, "pom.xml"))):
				return filepath.SkipDir
			case d.Type().IsRegular() && d.Name() != workspace.ConfigName:
				if info, err := d.Info(); err == nil {
					fmt.Fprintln(h, p, info.Size(), info.ModTime().UnixNano())
				}
			}
			return nil
		})
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// notCopied tells whether a folder holds nothing that generating sources needs: what a build writes
// beside its pom.xml, unless that is a project of its own, and the administration of version
// control.
func notCopied(folder string) bool {
	switch name := filepath.Base(folder); name {
	case "target", "build", "out", "bin":
		return fileExists(filepath.Join(filepath.Dir(folder), "pom.xml")) &&
			!fileExists(filepath.Join(folder, "pom.xml"))
	default:
		return name == "node_modules" || strings.HasPrefix(name, ".") && name != ".mvn"
	}
}

const generatedIndex = "index.json"

// generated is what is kept of a generation.
type generated struct {
	Modules map[string]generatedSources // by folder, relative to the build's; those that have some
	Failed  bool                        // for some module
}

// findKept is what was generated before of the same inputs; its Modules are nil if nothing was.
func (g *generation) findKept() (was generated) {
	if sealed.CheckFolder(filepath.Join(g.dir, g.key)) != nil {
		return generated{}
	}
	data, err := bounded.Read(filepath.Join(g.dir, g.key, generatedIndex), bounded.Text)
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

// abandoned is the age at which nobody makes a folder any more.
const abandoned = 24 * time.Hour

// run generates and keeps what came.
func (g *generation) run(ctx context.Context) (made generated, err error) {
	tool, err := findTool(g.root, g.w.Root, "mvnw", "mvn")
	if err != nil {
		return generated{}, fmt.Errorf("cannot have Maven generate the sources of %s: %w", g.root, err)
	}
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return generated{}, err
	}
	scratch, err := os.MkdirTemp(g.dir, "part-copy-") // there it goes one day if this process is killed
	if err != nil {
		return generated{}, err
	}
	defer os.RemoveAll(scratch)
	scratch, err = filepath.EvalSymlinks(scratch)
	if err != nil {
		return generated{}, err
	}
	g.opt.Progress("generating sources as the build in " + g.root + " does")
	if err := copySources(ctx, scratch, g.root); err != nil {
		return generated{}, fmt.Errorf("cannot copy %s to generate its sources: %w", g.root, err)
	}
	args := []string{tool, "-B", "-fae", "-f", filepath.Join(scratch, "pom.xml"), "-DskipTests", "-Dstyle.color=never",
		"generate-test-sources"}
	// Wrapper and mvn take the folder that the wrapper's script lies in for the project's
	// otherwise.
	env := cleanEnv(append(toolJDK(g.w), "MAVEN_BASEDIR="+scratch)...)
	failed := runTool(ctx, g.opt, scratch, env, append(args, "-o")...)
	if failed != nil && !g.opt.Offline && ctx.Err() == nil {
		failed = runTool(ctx, g.opt, scratch, env, args...)
	}
	if ctx.Err() != nil {
		return generated{}, context.Cause(ctx)
	}
	there, err := discovery.Open(ctx, []string{scratch}, g.opt.Open)
	if err != nil {
		return generated{}, err
	}
	part, err := os.MkdirTemp(g.dir, "part-")
	if err != nil {
		return generated{}, err
	}
	defer os.RemoveAll(part)
	made.Modules = map[string]generatedSources{}
	for _, m := range there.Modules {
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
					return generated{}, err
				}
				*set.to = append(*set.to, filepath.ToSlash(rel))
			}
		}
		if len(s.Main)+len(s.Test) > 0 {
			made.Modules[relative(scratch, m.Dir)] = s
		}
	}
	if failed != nil {
		made.Failed = true
		failed = fmt.Errorf("maven could not generate the sources of %s: %w", g.root, failed)
		if len(made.Modules) == 0 {
			return generated{}, failed
		}
	}
	if err := g.publish(part, made); err != nil {
		if other := g.findKept(); other.Modules != nil && !other.Failed { // another process was quicker
			return other, nil
		}
		return generated{}, err
	}
	return made, failed
}

// publish makes a folder the one that is kept, and removes those of earlier inputs and what
// processes that were killed have left. The errors are those of the file system.
func (g *generation) publish(part string, made generated) error {
	data, err := json.Marshal(made)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(part, generatedIndex), data, 0o600); err != nil {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(g.dir, "*"))
	for _, o := range old {
		info, err := os.Stat(o)
		if err == nil && (!strings.HasPrefix(filepath.Base(o), "part-") || time.Since(info.ModTime()) > abandoned) {
			os.RemoveAll(o)
		}
	}
	final := filepath.Join(g.dir, g.key)
	return errors.Join(sealed.SumFolder(part, final), sealed.Move(part, final))
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
