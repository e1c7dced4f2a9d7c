package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/cputime"
)

// This file makes links as precise as can be had, where the settings leave the call graph
// to it (snapshot.Auto). An editor sees what is quick to compute at once, and soon after what
// a refined call graph leaves of it; a command waits for that.

// refineQuiet is how long nothing must change before links are refined.
const refineQuiet = time.Second

// refining is the activity, also while it is waited for nothing to change.
const refining = "refining links"

// limits are what refining with one call graph may take.
type limits struct {
	cpu  time.Duration // processor time of the process meanwhile
	heap uint64        // of the process, in bytes that are in use
}

// limitError is why a refinement that met a limit was cancelled.
type limitError struct{ took string }

func (e limitError) Error() string { return "it takes more than " + e.took }

// metLimit tells whether a context ended because a limit was met.
func metLimit(ctx context.Context) (why limitError, met bool) {
	met = errors.As(context.Cause(ctx), &why)
	return why, met
}

// refiner is the state of refining.
type refiner struct {
	limits limits
	wake   chan struct{} // there may be something to refine
	busy   chan struct{} // has an element while somebody refines

	mu       sync.Mutex
	held     int                // by so many: nothing is begun
	cancel   context.CancelFunc // of what is under way; may be nil
	tooMuch  int                // so many of snapshot.Refined have met a limit
	limitKey string             // under which that is kept; "" as long as it was not asked
	last     *snapshot.Snapshot // the last refined one
	ruledOut *build.RuledOut    // by it
}

// hold lets no refining begin until release is called.
func (r *refiner) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held++
}

// stop cancels what is under way.
func (r *refiner) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil {
		r.cancel()
	}
}

// release lets what is shown then be refined, after a while.
func (r *refiner) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held--
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// forget is for other settings: what has met a limit is tried again, and what is under way
// rules nothing out.
func (r *refiner) forget() {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tooMuch, r.limitKey, r.last, r.ruledOut = 0, "", nil, nil
}

// keep notes a refined snapshot and what it rules out, unless ctx has ended.
func (r *refiner) keep(ctx context.Context, snap *snapshot.Snapshot, out *build.RuledOut) (kept bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	r.last, r.ruledOut = snap, out
	return true
}

// refined is the last refined snapshot; nil: there is none.
func (r *refiner) refined() *snapshot.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// graph is what links are refined with; "": they are not, any more.
func (r *refiner) graph() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tooMuch == len(snapshot.Refined) {
		return ""
	}
	return snapshot.Refined[r.tooMuch]
}

// noteLimit notes that a call graph has met a limit, unless what decides that (limitKey) has
// changed since it was begun.
func (r *refiner) noteLimit(graph, key string) (noted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if key != r.limitKey {
		return false
	}
	if r.tooMuch < len(snapshot.Refined) && snapshot.Refined[r.tooMuch] == graph {
		r.tooMuch++
	}
	if r.last = nil; r.tooMuch == len(snapshot.Refined) {
		r.ruledOut = nil
	}
	return true
}

// key is limitKey.
func (r *refiner) key() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.limitKey
}

// within gives what refines a context that ends when a limit is met, with a limitError as the
// cause, until stop is called.
func (l limits) within(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if heapInUse() > l.heap/2 {
		runtime.GC() // what was in use when garbage was last collected may be long gone
	}
	before := cputime.Used()
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			if cputime.Used()-before > l.cpu {
				cancel(limitError{l.cpuText()})
			} else if heapInUse() > l.heap {
				cancel(limitError{l.heapText()})
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// heapInUse is how many bytes of the heap the last collection of garbage found in use. All objects,
// garbage included, are half as many again or more.
func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(sample); sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// makeSnapshot makes the next snapshot that is shown: refined where few are wanted, or where
// that is nothing to wait for. building is held.
func (p *pipeline) makeSnapshot(ctx context.Context, ws *workspace.Workspace, cfg snapshot.Config,
	opt build.Options) (*snapshot.Snapshot, error) {
	snap, err := p.buildSnapshot(ctx, ws, cfg, opt)
	if err != nil {
		return nil, err
	}
	p.built = snap
	r := &p.refiner
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || p.once || !cfg.Auto {
		return snap, nil
	}
	if refined := build.RefineSame(snap, p.numbers.Add(1), r.last); refined != nil {
		r.last = refined
		return refined, nil
	}
	snap.Unedited = snap.SameCode(r.last)
	return snap, nil
}

// buildSnapshot builds the next snapshot, which is not refined where more will follow.
func (p *pipeline) buildSnapshot(ctx context.Context, ws *workspace.Workspace, cfg snapshot.Config,
	opt build.Options) (*snapshot.Snapshot, error) {
	r := &p.refiner
	if !cfg.Auto {
		return p.buildAfter(ctx, ws, cfg, opt)
	}
	p.recallLimit(ws, cfg)
	coarse := cfg.CallGraph
	for graph := r.graph(); p.once && graph != ""; graph = r.graph() {
		cfg.CallGraph = graph
		within, stop := r.limits.within(ctx)
		snap, err := p.buildAfter(within, p.noting(ws, graph), cfg, opt)
		why, met := metLimit(within)
		stop()
		if err == nil || !met {
			return snap, err
		}
		p.meets(graph, r.key(), why)
	}
	cfg.CallGraph = coarse
	opt.Withhold = p.recallRuledOut(cfg)
	return p.buildAfter(ctx, p.noting(ws, r.graph()), cfg, opt)
}

// meets notes that a call graph begun with a key (see met) has met a limit, for later processes
// too, and logs it. What it has left in memory does not count for the next one.
func (p *pipeline) meets(graph, key string, why limitError) {
	if !p.refiner.noteLimit(graph, key) {
		return
	}
	p.keepLimit()
	debug.FreeOSMemory()
	p.log.Warn("links are not refined", "call graph", graph, "error", why)
}

func (l limits) cpuText() string  { return fmt.Sprintf("%g s of processor time", l.cpu.Seconds()) }
func (l limits) heapText() string { return fmt.Sprintf("%d MB of memory", l.heap>>20) }

// describe says which limits there are: what an earlier process met is not known.
func (l limits) describe() string {
	return limitError{l.cpuText() + " or " + l.heapText()}.Error()
}

// noting adds to a workspace's problems that a better call graph than this, or than none where
// it is "", met a limit.
func (p *pipeline) noting(ws *workspace.Workspace, graph string) *workspace.Workspace {
	if graph == snapshot.Refined[0] {
		return ws
	}
	instead := "they are refined with " + graph
	if graph == "" {
		instead = "they stay those of " + snapshot.CallGraphs[0]
	}
	w := *ws
	w.Problems = append(w.Problems[:len(w.Problems):len(w.Problems)],
		workspace.Problem{Severity: workspace.Info, File: ws.Root,
			Message: fmt.Sprintf("links are not refined with the call graph %s: %s; %s", snapshot.Refined[0],
				p.refiner.limits.describe(), instead)})
	return &w
}

// refinable tells whether what is shown can be refined, and how. Without links there is nothing
// to rule out.
func (p *pipeline) refinable() (from *snapshot.Snapshot, graph string, ok bool) {
	from, graph = p.host.shown(), p.refiner.graph()
	return from, graph, !p.once && graph != "" && from != nil && from.Config.Auto &&
		from.Config.CallGraph == snapshot.CallGraphs[0] &&
		slices.ContainsFunc(from.Catches, func(c *snapshot.Catch) bool { return len(c.Links)+len(c.Withheld) > 0 })
}

// refine shows the refined snapshot of the one that is shown, unless another one is shown
// meanwhile. It waits for somebody else who does.
func (p *pipeline) refine(ctx context.Context) {
	r := &p.refiner
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-ctx.Done():
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.mu.Lock()
	held, last, key := r.held > 0, r.last, r.limitKey
	r.cancel = cancel
	r.mu.Unlock()
	from, graph, ok := p.refinable()
	if held || !ok {
		return
	}
	within, stop := r.limits.within(ctx)
	defer stop()
	snap, err := build.Refine(within, from, graph, p.numbers.Add(1), last)
	if err != nil {
		if why, met := metLimit(within); met {
			p.meets(graph, key, why)
			p.host.lookAgain() // what was withheld is shown, or another way is tried
		}
		return
	}
	out := build.NewRuledOut(from, snap)
	if !r.keep(ctx, snap, out) {
		p.await(snap) // for Close, which does not know it
		return
	}
	if !p.host.showInstead(ctx, from, snap) {
		return
	}
	p.log.Info("refined", "snapshot", snap.Number, "of", from.Number, "callGraph", graph, "links", snap.Stats.Links,
		"before", from.Stats.Links,
		"graph", snap.Stats.GraphSeconds, "flow", snap.Stats.FlowSeconds, "total", snap.Stats.TotalSec, "reused",
		snap.Stats.Reuse)
	p.keepRuledOut(from.Config, out)
	if snap.Stats.Reuse != snapshot.ReuseAll {
		debug.FreeOSMemory() // what refining needed beside its result
	}
}
