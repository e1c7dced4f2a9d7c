package buildtool

// This file holds what asking Maven and asking Gradle have in common: finding
// the tool, and keeping answers.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

// ResolveOptions are the settings of ResolveMaven and ResolveGradle.
type ResolveOptions struct {
	CacheDir string       // the user's private cache folder; required
	Progress func(string) // what is being done, in plain words; may be nil
	Offline  bool         // never let the tool use the network
	Refresh  bool         // do not use a kept answer
	KeptOnly bool         // start nothing: only answers that were kept count, and their lack is no error
	Timeout  time.Duration
	Open     workspace.Options // as the workspace was opened
}

func (o ResolveOptions) withDefaults() ResolveOptions {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Timeout == 0 {
		o.Timeout = 15 * time.Minute
	}
	return o
}

// Resolve asks the build tools of every module whose class path is not
// complete and answers the workspace with exact class paths, read again: a build
// tool that was asked has fetched what other settings stand in, those of parent POMs
// for the compiler and the tests among them. What could not be resolved is an error;
// the workspace then has the rest.
func Resolve(ctx context.Context, w *workspace.Workspace, opt ResolveOptions) (*workspace.Workspace, error) {
	var errs []string
	var resolved []workspace.ResolvedClassPath
	out := w
	for _, k := range []struct {
		kind    workspace.Kind
		resolve func(context.Context, *workspace.Workspace, ResolveOptions) ([]workspace.ResolvedClassPath, error)
	}{{workspace.Maven, ResolveMaven}, {workspace.Gradle, ResolveGradle}} {
		if !slices.ContainsFunc(w.Modules,
			func(m *workspace.Module) bool { return m.Kind == k.kind && !m.ClassPathComplete }) {
			continue
		}
		paths, err := k.resolve(ctx, out, opt)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			errs = append(errs, err.Error())
		}
		out = out.WithClassPaths(paths)
		resolved = append(resolved, paths...)
	}
	if len(resolved) > 0 && !opt.KeptOnly {
		if fresh, err := discovery.Open(ctx, w.Roots, opt.Open); err == nil {
			opt.KeptOnly, opt.Refresh = true, false // the answers that w came with
			if fresh, err = Resolve(ctx, fresh, opt); err == nil {
				out = fresh.WithClassPaths(resolved)
			}
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(errs) > 0 {
		return out, fmt.Errorf("%s", strings.Join(errs, "\n"))
	}
	return out, nil
}

// Recall answers a workspace with the class paths and the generated sources that are kept of what
// build tools did before. It starts no process.
func Recall(ctx context.Context, w *workspace.Workspace, cacheDir string) *workspace.Workspace {
	opt := ResolveOptions{CacheDir: cacheDir, KeptOnly: true}
	for _, recall := range []func(context.Context, *workspace.Workspace, ResolveOptions) (*workspace.Workspace,
		error){Resolve, Generate} {
		if known, err := recall(ctx, w, opt); err == nil {
			w = known
		}
	}
	return w
}

// buildRoots groups the modules of a kind by the folder where their build
// starts: the topmost build file among those that decide them.
func buildRoots(w *workspace.Workspace, kind workspace.Kind, names ...string) map[string][]*workspace.Module {
	roots := map[string][]*workspace.Module{}
	for _, m := range w.Modules {
		if m.Kind != kind {
			continue
		}
		root := m.Dir
		for d := m.Dir; ; d = filepath.Dir(d) {
			for _, n := range names {
				if fileExists(filepath.Join(d, n)) {
					root = d
				}
			}
			if slices.Contains(w.Roots, d) || d == filepath.Dir(d) {
				break
			}
		}
		roots[root] = append(roots[root], m)
	}
	return roots
}

// findTool finds the wrapper script in dir or one of the folders above it (not
// above the workspace's root), else the program on PATH.
func findTool(dir, stop, wrapper, program string) (string, error) {
	names := []string{wrapper}
	if runtime.GOOS == "windows" {
		names = []string{wrapper + ".cmd", wrapper + ".bat"}
	}
	for d := dir; ; d = filepath.Dir(d) {
		for _, n := range names {
			p := filepath.Join(d, n)
			if fi, err := os.Stat(p); err == nil && fi.Mode().IsRegular() &&
				(runtime.GOOS == "windows" || fi.Mode()&0o111 != 0) {
				return p, nil
			}
		}
		if d == stop || d == filepath.Dir(d) {
			break
		}
	}
	p, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("neither %s in %s nor %s on PATH was found", wrapper, dir, program)
	}
	return p, nil
}

// resolveKey digests everything that a kept answer depends on.
func resolveKey(root string, modules []*workspace.Module, more ...string) string {
	h := sha256.New()
	fmt.Fprintf(h, "5\x00%s\x00%s\x00%q\n", root, runtime.GOOS, more)
	for _, m := range modules {
		fmt.Fprintf(h, "module %s %s %s\n", m.Name, m.Dir, m.JDKHome)
	}
	deciding := map[string]bool{}
	for _, f := range DecidingFiles(root, modules) {
		deciding[f] = true
	}
	if home, err := os.UserHomeDir(); err == nil {
		deciding[filepath.Join(home, ".m2", "settings.xml")] = true
		deciding[filepath.Join(home, ".gradle", "gradle.properties")] = true
	}
	for _, f := range sortedKeys(deciding) {
		data, _ := bounded.Read(f, bounded.Text)
		fmt.Fprintf(h, "%s %x\n", f, sha256.Sum256(data))
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// recall returns an answer from the cache whose jars all still exist.
func recall(cache, key string) ([]workspace.ResolvedClassPath, bool) {
	data, err := sealed.Read(filepath.Join(cache, "classpaths", key+".json"), key)
	if err != nil {
		return nil, false
	}
	var list []workspace.ResolvedClassPath
	if json.Unmarshal(data, &list) != nil || len(list) == 0 {
		return nil, false
	}
	for _, r := range list {
		for _, p := range slices.Concat(r.ClassPath, r.RuntimeClassPath, r.TestClassPath, r.ProcessorPath) {
			if strings.HasSuffix(p, ".jar") && !fileExists(p) {
				return nil, false
			}
		}
	}
	return list, true
}

func keep(cache, key string, list []workspace.ResolvedClassPath) error {
	dir := filepath.Join(cache, "classpaths")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Module < list[j].Module })
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return sealed.Write(filepath.Join(dir, key+".json"), key, data)
}

// runTool runs a build tool below a time limit. What it downloads is progress.
func runTool(ctx context.Context, opt ResolveOptions, dir string, env []string, argv ...string) error {
	_, err := runToolSaying(ctx, opt, dir, env, argv...)
	return err
}

// runToolSaying is runTool; said are the last lines of the tool's output.
func runToolSaying(ctx context.Context, opt ResolveOptions, dir string, env []string,
	argv ...string) (said string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, opt.Timeout,
		fmt.Errorf("%s did not end within %v", argv[0], opt.Timeout))
	defer cancel()
	out := &tail{max: 256 << 10, line: func(l string) {
		if name := downloaded(cleanLine(l)); name != "" {
			opt.Progress("downloading " + name)
		}
	}}
	err = toolRun{dir: dir, argv: argv, env: env, output: out}.run(ctx)
	return out.lastLines(60), err
}

// download is a line in which Maven ("Downloading from central: URL") or Gradle ("Download URL")
// says what it gets.
var download = regexp.MustCompile(`^(?:\[INFO\] )?Download(?:ing from [^ ]+:)? [a-z]+://[^ ]*/([^ /?#]+)`)

// downloaded is the name of the file that a build tool says in a line to download; "" if the line
// says something else, which is for those who know the tool.
func downloaded(line string) string {
	if m := download.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// toolJDK is the JDK that runs the build: the first module's, as the build
// itself would be run.
func toolJDK(w *workspace.Workspace) []string {
	if os.Getenv("JAVA_HOME") != "" {
		return nil
	}
	for _, j := range w.JDKs {
		if j.HasCompiler {
			return []string{"JAVA_HOME=" + j.Home}
		}
	}
	return nil
}
