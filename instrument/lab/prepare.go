package lab

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/defect"
	"github.com/catchlens/catchlens/internal/sealed"
)

// This file makes what test JVMs need beside the classes of a workspace: the agent, the adapter of
// the tests' framework, the rewritten classes of the JDK's base module.

// Prepare makes what the tests of an execution of a module need and what does not depend on its
// classes, unless the cache has it: a lab that is made meanwhile waits for it, and finds it. It
// leaves one processor to whoever does something else. What cannot be made, the lab says.
func Prepare(ctx context.Context, m *workspace.Module, o Options) {
	var both defect.Group
	both.Go(func() {
		adapter, classPath := adapterOf(m), m.FullTestClassPath()
		if lacksLauncher(adapter, m.Kind, classPath) {
			jars, _, err := o.Launcher(ctx, m)
			if classPath = append(slices.Clip(classPath), jars...); err != nil {
				classPath = nil
			}
		}
		buildAgent(ctx, agent.Builder{JDK: m.JDKHome, Cache: agentDir(o.CacheDir)}, adapter, classPath)
	})
	both.Go(func() { writeBase(ctx, m, o.CacheDir, 1) })
	both.Wait()
}

// buildAgent compiles the agent and, where there is a class path to compile it against, an adapter,
// unless the cache has them.
func buildAgent(ctx context.Context, b agent.Builder, a agent.Adapter, classPath []string) {
	if _, err := b.Jar(ctx); err == nil && len(classPath) > 0 {
		b.Adapter(ctx, a, classPath)
	}
}

// agentDir is where a cache folder keeps compiled agents.
func agentDir(cache string) string { return filepath.Join(cache, "agent") }

// probedDir is where a cache folder keeps rewritten classes of libraries and of a module's JDK.
func probedDir(cache string, m *workspace.Module) string {
	return filepath.Join(cache, "probed", jdkKey(m))
}

// baseBundle is where such a folder has those of the JDK's base module.
func baseBundle(probed string) string { return filepath.Join(probed, "base", "java.base.bundle") }

// writeBase rewrites the base module of a module's JDK, unless the cache has it, in so many
// goroutines. The plan of a class that is met is made again; most never are.
func writeBase(ctx context.Context, m *workspace.Module, cache string, workers int) error {
	path := baseBundle(probedDir(cache, m))
	return sealed.Make(ctx, path, func() error {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		jdk, err := classpath.OpenJDK(m.JDKHome, classpath.Options{})
		if err != nil {
			return err
		}
		defer jdk.Close()
		entries, err := rewriteAll(ctx, jdk.EachBaseClass, workers)
		if err != nil {
			return err
		}
		return worker.WriteBundle(path, entries)
	})
}

// rewriteAll rewrites all classes of a library. The result has them in the order in which they
// come.
func rewriteAll(ctx context.Context, each func(f func(name string, data []byte)) error,
	workers int) ([]worker.BundleEntry, error) {
	var entries []worker.BundleEntry
	var classes [][]byte
	err := each(func(name string, data []byte) {
		entries = append(entries, worker.BundleEntry{Name: name})
		classes = append(classes, data)
	})
	if err != nil {
		return nil, err
	}
	var next atomic.Int32
	err = Concurrently(ctx, workers, func(ctx context.Context) error {
		for k := int(next.Add(1)) - 1; k < len(entries) && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
			entries[k] = rewriteLibrary(entries[k].Name, classes[k])
		}
		return ctx.Err()
	})
	return entries, err
}

// rewriteLibrary rewrites a class of a library as it is, without faults of the user's own.
func rewriteLibrary(name string, data []byte) worker.BundleEntry {
	e := worker.BundleEntry{Name: name, Original: worker.KeyOf(data)}
	if worker.NoProbes(name) {
		return e
	}
	c, err := classfile.Parse(data)
	if err != nil {
		return e
	}
	f, _ := facts.FromClass(c, data, facts.Options{})
	p := plan.ForClass(f, plan.Library)
	if r, err := rewrite.Rewrite(data, p); err == nil && r.ClassNumberOffset >= 0 {
		e.Rewritten, e.Meta = r.Bytes, metaOf(r, p)
	}
	return e
}
