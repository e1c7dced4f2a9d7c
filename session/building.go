package session

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/buildtool"
)

// This file has what a workspace needs beside what is on disk built: class paths by its build tool,
// generated sources by it, classes by the compiler.

// incomplete tells whether a class path lacks something.
func incomplete(ws *workspace.Workspace) bool {
	return slices.ContainsFunc(ws.Modules, func(m *workspace.Module) bool { return !m.ClassPathComplete })
}

// staleSources are the sources that are newer than their classes.
func staleSources(ws *workspace.Workspace) map[string]bool {
	stale := map[string]bool{}
	for _, m := range ws.Modules {
		f := m.SourcesNewerThanClasses()
		for _, path := range append(f.MainChanged, f.TestChanged...) {
			stale[path] = true
		}
	}
	return stale
}

// build resolves class paths and compiles. A failure of the build tool is a
// problem, not an error: the analysis goes on with what is there. compiled has
// the sources that were looked at, and whether their classes are those of their
// present text.
func (p *pipeline) build(ctx context.Context, ws *workspace.Workspace,
	say func(string)) (_ *workspace.Workspace, compiled map[string]bool, _ []workspace.Problem, _ error) {
	var problems []workspace.Problem
	incomplete, stale := false, false
	for _, m := range ws.Modules {
		incomplete = incomplete || !m.ClassPathComplete
		stale = stale || m.SourcesNewerThanClasses().Stale()
	}
	if key := buildFilesKey(ws); incomplete && key == p.unresolved.key.Load() {
		problems = append(problems, p.unresolved.problem)
	} else if incomplete {
		resolved, err := p.resolve(ctx, ws, say)
		if ctx.Err() != nil {
			return nil, nil, nil, ctx.Err()
		}
		if err != nil {
			problems = append(problems, p.unresolved.set(key,
				workspace.Problem{Severity: workspace.Warning, Message: notResolved + err.Error(), File: ws.Root}))
		}
		if resolved != nil {
			ws = buildtool.Recall(ctx, resolved, p.cache) // Resolve has read it again
		}
	}
	if stale {
		replaced, sets, err := p.compile(ctx, ws, say)
		if err != nil {
			return nil, nil, nil, err
		}
		if slices.ContainsFunc(ws.Modules, buildtool.LacksGenerated) && unresolvedNames(sets) {
			generated, lacking := p.generate(ctx, ws, say)
			if ctx.Err() != nil {
				return nil, nil, nil, ctx.Err()
			}
			problems = append(problems, lacking...)
			if generated != nil {
				if replaced, sets, err = p.compile(ctx, generated, say); err != nil {
					return nil, nil, nil, err
				}
			}
		}
		ws, compiled = replaced, currentSources(map[string]bool{}, sets)
		for _, set := range sets {
			if set.Err != nil {
				problems = append(problems,
					workspace.Problem{Severity: workspace.Warning, Message: notCompiled + set.Err.Error(),
						File: ws.Root})
			}
			problems = append(problems, compileProblems(set, missingCause(ws, sets, set))...)
		}
	}
	return ws, compiled, problems, nil
}

// resolve has the build tool tell the class paths of a workspace.
func (p *pipeline) resolve(ctx context.Context, ws *workspace.Workspace,
	say func(string)) (*workspace.Workspace, error) {
	defer p.host.doing("resolving class paths")()
	return buildtool.Resolve(ctx, ws, buildtool.ResolveOptions{CacheDir: p.cache, Progress: say})
}

// compile compiles what is out of date of a workspace, as buildtool.CompileWorkspace says.
func (p *pipeline) compile(ctx context.Context, ws *workspace.Workspace,
	say func(string)) (*workspace.Workspace, []buildtool.SetResult, error) {
	done := func() {}
	defer func() { done() }()
	begin := sync.OnceFunc(func() { done = p.host.doing("compiling") })
	return buildtool.CompileWorkspace(ctx, p.compiler, ws, func(text string) {
		begin()
		say(text)
	})
}

// refusal is what a build tool could not do: it is not asked again until what decides it
// changes or somebody asks for a run.
type refusal struct {
	key     atomic.Uint64     // of the build files (buildFilesKey) and the generators' inputs; 0: nothing was refused
	problem workspace.Problem // says what, and why
}

func (r *refusal) set(key uint64, p workspace.Problem) workspace.Problem {
	r.problem = p
	r.key.Store(key)
	return p
}

// unresolvedNames tells whether a compiler has missed classes or members of some.
func unresolvedNames(sets []buildtool.SetResult) bool {
	return slices.ContainsFunc(sets, func(set buildtool.SetResult) bool {
		return slices.ContainsFunc(set.Diagnostics,
			func(d buildtool.Diagnostic) bool { return d.Severity == workspace.Error && missingName(d.Code) })
	})
}

// missingName tells whether the compiler's code says that a name stands for nothing.
func missingName(code string) bool {
	return strings.HasPrefix(code, "compiler.err.cant.resolve") ||
		strings.HasPrefix(code, "compiler.err.doesnt.exist") ||
		strings.HasPrefix(code, "compiler.err.cant.access")
}

// generate has the build generate the sources that modules lack, of which there is one. The answer
// is nil if it generates none; the problem then names the plug-ins and the way out.
func (p *pipeline) generate(ctx context.Context, ws *workspace.Workspace,
	say func(string)) (*workspace.Workspace, []workspace.Problem) {
	defer p.host.doing("generating sources")()
	key := buildFilesKey(ws, buildtool.GeneratorInputs(ws))
	if key == p.ungenerated.key.Load() {
		return nil, []workspace.Problem{p.ungenerated.problem}
	}
	generated, err := buildtool.Generate(ctx, ws, buildtool.ResolveOptions{CacheDir: p.cache, Progress: say})
	if ctx.Err() != nil {
		return nil, nil
	}
	var lack *workspace.Module // the first
	made := false
	for i, m := range ws.Modules {
		if buildtool.LacksGenerated(m) {
			if lack == nil {
				lack = m
			}
			made = made || generated != nil && !buildtool.LacksGenerated(generated.Modules[i])
		}
	}
	var problems []workspace.Problem
	if err != nil {
		problems = append(problems, p.ungenerated.set(key,
			workspace.Problem{Severity: workspace.Warning, File: lack.BuildFiles[0], Message: fmt.Sprintf(
				"sources that the build generates (%s) are missing; `mvn generate-test-sources` makes them: %v",
				strings.Join(lack.Generators, ", "), err)}))
	}
	if !made {
		return nil, problems
	}
	return generated, problems
}

// missingCause says why classes that a source set names are missing, where the reason lies
// elsewhere than in its sources; "" if it does not.
func missingCause(ws *workspace.Workspace, sets []buildtool.SetResult, set buildtool.SetResult) string {
	m := ws.Module(set.Module)
	if m == nil {
		return ""
	}
	if !m.ClassPathComplete {
		return "the class path of " + m.Name + " is not complete"
	}
	if buildtool.LacksGenerated(m) {
		return "sources that the build generates are missing"
	}
	fails := func(name string) bool {
		return slices.ContainsFunc(sets, func(o buildtool.SetResult) bool {
			return o.Module == name && o.Set == buildtool.Main && (o.Err != nil || len(o.Failed) > 0)
		})
	}
	for _, name := range m.DependsOn {
		if fails(name) {
			return "not all of " + name + " compiles"
		}
	}
	if set.Set != buildtool.Main && fails(m.Name) {
		return "not all of its main code compiles"
	}
	return ""
}

// compileProblems are the compiler's errors on a source set. With a cause for missing classes
// (missingCause) the errors about these are one problem.
func compileProblems(set buildtool.SetResult, cause string) []workspace.Problem {
	var problems []workspace.Problem
	follow, at := 0, -1 // errors that follow, and the problem that stands for them
	for _, d := range set.Diagnostics {
		if d.Severity != workspace.Error {
			continue
		}
		if cause != "" && (missingName(d.Code) || d.Code == "compiler.err.method.does.not.override.superclass") {
			if follow++; follow > 1 {
				continue
			}
			at = len(problems)
		}
		problems = append(problems, workspace.Problem{Severity: workspace.Error, Message: d.Message, File: d.File,
			Line: d.Line})
	}
	if follow > 1 {
		problems[at].Message += fmt.Sprintf(" (and %d more such errors: %s)", follow-1, cause)
	}
	return problems
}

// currentSources adds the sources of some source sets, by path, and whether their
// classes are those of their present text.
func currentSources(m map[string]bool, sets []buildtool.SetResult) map[string]bool {
	for _, set := range sets {
		for source := range set.Classes {
			if m == nil {
				m = map[string]bool{}
			}
			m[source] = set.Err == nil && !slices.Contains(set.Failed, source)
		}
	}
	return m
}

// buildFilesKey digests the files that decide a workspace's class paths, by name,
// size and time, and what else is given; it is not 0.
func buildFilesKey(ws *workspace.Workspace, more ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, more)
	for _, f := range buildtool.DecidingFiles(ws.Root, ws.Modules) {
		if info, err := os.Stat(f); err == nil {
			fmt.Fprintln(h, f, info.Size(), info.ModTime().UnixNano())
		}
	}
	return h.Sum64() | 1
}
