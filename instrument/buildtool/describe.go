package buildtool

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/internal/bounded"
)

// This file compiles the module-info.java of a source set, after its other sources.

const (
	moduleSource = "module-info.java"
	moduleClass  = "module-info.class"
)

var (
	javaComment    = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	moduleDeclared = regexp.MustCompile(`\bmodule\s+([\w.]+)\s*\{`)
	moduleRequires = regexp.MustCompile(`\brequires\s+(?:(?:transitive|static)\s+)*([\w.]+)\s*;`)
)

// describeModule brings module-info.class among the classes up to date. The build's own stands
// where it is not older than its source. Where the build has made class folders and none in them,
// as where another tool adds it to the jar, there is none here either. What javac says of the
// source is for the log alone: without a module-info.class, tests run on the class path.
func (j *job) describeModule(ctx context.Context) error {
	source := moduleSourceOf(j.m.SourceRoots)
	if source == "" || j.m.JDKFeature > 0 && j.m.JDKFeature < 9 {
		return nil
	}
	if built, has := j.describedByBuild(source); built {
		if !has && j.st.Described != "" { // from before there was a build
			j.removeClass(moduleClass)
			j.st.Described = ""
			return j.st.save(j.dir)
		}
		return nil
	}
	text, err := bounded.Read(source, bounded.Source)
	if err != nil {
		return nil // it is gone since
	}
	if decoded, err := javasource.DecodeSource(text, j.m.Encoding); err == nil {
		text = decoded
	}
	plain := javaComment.ReplaceAllString(string(text), " ")
	declared := moduleDeclared.FindStringSubmatch(plain)
	if declared == nil {
		return nil
	}
	module := &classfile.Module{Name: declared[1]}
	for _, r := range moduleRequires.FindAllStringSubmatch(plain, -1) {
		module.Requires = append(module.Requires, classfile.ModuleRequires{Name: r[1]})
	}
	h := sha256.New()
	fmt.Fprintf(h, "2 %q %s %d %s %q", text, j.st.ClassPath, j.m.Release, j.m.JDKHome, j.packages())
	for _, p := range j.m.ClassPath { // folders of other modules, whose digests have their classes alone
		if info, err := os.Stat(filepath.Join(p, moduleClass)); err == nil {
			fmt.Fprintln(h, p, info.Size(), info.ModTime().UnixNano())
		}
	}
	described := hex.EncodeToString(h.Sum(nil)[:12])
	if j.st.Described == described {
		return nil
	}
	modules, err := classpath.Needed(module, j.m.ClassPath, j.m.JDKFeature, true)
	if err != nil {
		j.c.opt.Log(fmt.Sprintf("%s is not compiled: %v", source, err))
		return nil
	}
	if err := j.compileModule(ctx, source, module.Name, modules); err != nil {
		return err
	}
	j.st.Described = described
	return j.st.save(j.dir)
}

// packages are those of the classes, which a module cannot export or open where they are empty, as
// folders.
func (j *job) packages() []string {
	have := map[string]bool{}
	for _, s := range j.st.Sources {
		for _, c := range s.Classes {
			have[path.Dir(c)] = true
		}
	}
	return sortedKeys(have)
}

// compileModule compiles a module-info.java; where that fails there is no module-info.class
// afterwards. The error is for an ended context.
func (j *job) compileModule(ctx context.Context, source, name string, modules []string) error {
	staging, err := os.MkdirTemp(j.dir, "staging-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	generated := filepath.Join(staging, generatedName)
	if err := os.Mkdir(generated, 0o700); err != nil {
		return err
	}
	options := []string{"-proc:none", "-implicit:none", "--patch-module", name + "=" + j.out}
	if j.m.ReleaseIsFlag && j.m.Release > 0 { // a build that compiles for Java 8 compiles this one for 9
		options = append(options, "--release", strconv.Itoa(max(9, j.m.Release)))
	}
	if len(modules) > 0 {
		options = append(options, "--module-path", strings.Join(modules, string(os.PathListSeparator)))
	}
	j.m.begins()
	a, err := j.c.javac(ctx, j.m.JDKHome,
		javacRequest{options: options, output: staging, generated: generated, files: []string{source},
			encoding: cmp.Or(j.m.Encoding, "UTF-8")})
	switch {
	case ctx.Err() != nil:
		return err
	case err == nil && a.ok:
		if _, known := j.st.Files[moduleClass]; known && j.unchanged(staging, moduleClass) {
			return nil
		}
		return j.move(staging, moduleClass)
	case err != nil:
		j.c.opt.Log(fmt.Sprintf("%s is not compiled: %v", source, err))
	default:
		for _, n := range a.notes {
			j.c.opt.Log(fmt.Sprintf("%s is not compiled: %s", source, n.Message))
		}
	}
	j.removeClass(moduleClass) // it may be older than the source
	return nil
}

// describedByBuild tells whether what the build has made says all: that it has a module-info.class
// of this source, or that it has none.
func (j *job) describedByBuild(source string) (says, has bool) {
	info, err := os.Stat(source)
	if err != nil {
		return false, false
	}
	built := slices.DeleteFunc(slices.Clone(j.m.UserOutputs),
		func(d string) bool { _, err := os.Stat(d); return err != nil })
	for _, d := range built {
		if class, err := os.Stat(filepath.Join(d, moduleClass)); err == nil {
			return !class.ModTime().Before(info.ModTime()), true
		}
	}
	return len(built) > 0, false
}

// moduleSourceOf is the module-info.java of some source roots; "": there is none.
func moduleSourceOf(roots []string) string {
	for _, r := range roots {
		file := filepath.Join(r, moduleSource)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}
