package session

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/defect"
)

// A pipeline makes the snapshots of a workspace. It owns what leads there: it reads what is on
// disk, has built what is out of date, analyses it, and refines the links. It asks its host for
// what else is known, and has it show what was made.
type pipeline struct {
	host   host
	roots  []string
	cache  string // the user's cache folder
	once   bool   // few snapshots are wanted (Options.Once)
	log    *slog.Logger
	kept   keeper
	guard  *defect.Guard
	facts  *factcache.Cache
	hashes *classpath.DigestCache // of jars and JDKs, kept in the cache folder

	building sync.Mutex // held by the one who makes a snapshot
	compiler *buildtool.Compiler
	// unresolved are class paths that the build tool could not tell, ungenerated sources that
	// it could not generate (building).
	unresolved, ungenerated refusal
	built                   *snapshot.Snapshot // the newest, before it was refined; building is held
	numbers                 atomic.Int64       // of snapshots
	// found has room for one workspace, as it was read, for which test JVMs are prepared; nil: for
	// none
	found   chan *workspace.Workspace
	refiner refiner
}

// A host is whom a pipeline works for.
type host interface {
	// trusted tells whether the workspace's code may be run, and its build tool; mayUseJDK whether
	// a JDK may that catchlens.toml names by its folder.
	trusted() bool
	mayUseJDK(home string) bool
	// settings are those of the next analysis.
	settings() snapshot.Settings
	// observed is what runs observed with the class paths that the modules have now, those of other
	// processes, too.
	observed(ws *workspace.Workspace) results.Observed
	// doing shows an activity until stop is called.
	doing(activity string) (stop func())
	// shown is the snapshot that is shown; nil: none is yet.
	shown() *snapshot.Snapshot
	// show shows a snapshot that was made with what was observed, in the time since began.
	show(snap *snapshot.Snapshot, with results.Observed, began time.Time)
	// showInstead shows a snapshot instead of another one, if that is shown still and ctx has not
	// ended.
	showInstead(ctx context.Context, of, snap *snapshot.Snapshot) (shown bool)
	// lookAgain asks for another snapshot, in the background.
	lookAgain()
}

// newPipeline makes the pipeline of some folders. It reads nothing of them yet.
func newPipeline(h host, roots []string, cache string, once bool, kept keeper,
	guard *defect.Guard, log *slog.Logger) *pipeline {
	p := &pipeline{host: h, roots: roots, cache: cache, once: once, kept: kept, guard: guard, log: log,
		facts:   factcache.OpenCache(filepath.Join(cache, "facts")),
		hashes:  classpath.LoadDigestCache(filepath.Join(cache, "digests")),
		refiner: refiner{limits: standardLimits(), wake: make(chan struct{}, 1), busy: make(chan struct{}, 1)}}
	p.compiler = buildtool.NewCompiler(buildtool.CompilerOptions{CacheDir: CompiledDir(cache),
		Log: func(m string) { log.Debug("compiler", "says", m) }})
	return p
}

// close waits for what is kept of the snapshots that were made, and ends the compiler. Nothing is
// made any more.
func (p *pipeline) close() error {
	p.building.Lock() // an analysis that somebody else asked for has been cancelled
	defer p.building.Unlock()
	shown := p.host.shown()
	for _, snap := range []*snapshot.Snapshot{p.built, p.refiner.refined(), shown} {
		if snap != nil {
			p.await(snap)
		}
	}
	if shown != nil {
		if err := p.hashes.Save(filepath.Join(p.cache, "digests")); err != nil {
			p.log.Warn("hashes of jars are not kept", "error", err)
		}
	}
	return p.compiler.Close()
}

// await waits until what was computed for a snapshot is kept.
func (p *pipeline) await(snap *snapshot.Snapshot) {
	p.guard.Run("keeping what an analysis found out about libraries", snap.Wait)
}

// run makes the next snapshot of what is on disk and shows it. If the workspace is trusted, missing
// class paths are resolved and sources that are newer than their classes compiled before; the
// workspace as it is is then shown first where nothing is shown yet. building is held.
func (p *pipeline) run(ctx context.Context, say func(string)) error {
	ws, err := discovery.Open(ctx, p.roots, workspace.Options{MayUseJDK: p.host.mayUseJDK})
	if err != nil {
		return err
	}
	ws = buildtool.Recall(ctx, ws, p.cache) // what an earlier session was allowed to ask the build tool
	p.tellFound(ws)
	// Somebody may look at the workspace as it is while the build tool and the compiler work.
	first := p.host.shown() == nil && !p.once
	stale := staleSources(ws)
	if due := p.host.trusted() && (len(stale) > 0 || incomplete(ws)); !due || first {
		kept, sets, err := ws, []buildtool.SetResult(nil), error(nil)
		if len(stale) > 0 {
			kept, sets, err = buildtool.KeptWorkspace(ctx, p.compiler, ws) // what an earlier session compiled
		}
		if err == nil && kept != ws {
			stale = staleSources(kept)
		}
		if err == nil {
			err = p.analyse(ctx, kept, stale, currentSources(nil, sets), say)
		}
		if err != nil && (!due || ctx.Err() != nil) {
			return err
		}
		if !due {
			return nil
		}
	}
	built, compiled, problems, err := p.build(ctx, ws, say)
	if err != nil {
		return err
	}
	built.Problems = append(built.Problems, problems...)
	return p.analyse(ctx, built, staleSources(built), compiled, say)
}

// current tells whether a snapshot that is shown is of what is on disk, as far as a build decides
// it.
func (p *pipeline) current(shown *snapshot.Snapshot) bool {
	changed := !buildtool.GeneratedCurrent(shown.Workspace, buildtool.ResolveOptions{CacheDir: p.cache})
	for _, m := range shown.Workspace.Modules {
		changed = changed || !m.ClassPathComplete || m.SourcesNewerThanClasses().Stale()
	}
	return !changed
}

// askAgain lets the build tool be asked again for what it has refused.
func (p *pipeline) askAgain() {
	p.unresolved.key.Store(0)
	p.ungenerated.key.Store(0)
}

// analyse makes a snapshot and shows it. A source is stale if the compiler says so (compiled, by
// path), and where it was not asked, if its file is newer than its classes (stale): a class that
// comes out as it was keeps its older time.
func (p *pipeline) analyse(ctx context.Context, ws *workspace.Workspace, stale, compiled map[string]bool,
	say func(string)) error {
	set := p.host.settings()
	if t := ws.Config.Studied; t != nil {
		set = set.Or(snapshot.Settings{CallGraph: t.CallGraph, Exceptions: t.Exceptions, Sites: t.Sites,
			EntryPoints: t.EntryPoints})
	}
	cfg, err := set.Config()
	if err != nil {
		ws.Problems = append(ws.Problems,
			workspace.Problem{Severity: workspace.Warning, Message: err.Error(), File: ws.Config.File})
	}
	for path, current := range compiled {
		stale[path] = !current
	}
	observed, began := p.host.observed(ws), time.Now()
	snap, err := p.makeSnapshot(ctx, ws, cfg, build.Options{
		Cache: p.facts, Digests: p.hashes, StaleSources: stale, Progress: say,
		Extra: observed.Extra, Generated: observed.Generated, Edits: !p.once, Number: p.numbers.Add(1),
	})
	if err != nil {
		return err
	}
	p.host.show(snap, observed, began)
	go p.await(snap) // a panic is told now; close waits itself
	p.log.Info("analysed", "snapshot", snap.Number, "classes", snap.Stats.Classes, "methods", snap.Stats.Methods,
		"links", snap.Stats.Links,
		"scan", snap.Stats.ScanSeconds, "graph", snap.Stats.GraphSeconds, "flow", snap.Stats.FlowSeconds, "total",
		snap.Stats.TotalSec, "reused", snap.Stats.Reuse)
	return nil
}
