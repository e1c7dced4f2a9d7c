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

	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
	"catchlens/codelens"
	"catchlens/instrument/results"
	"catchlens/internal/cputime"
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
	ruledOut *snapshot.RuledOut // by it
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
func (r *refiner) keep(ctx context.Context, snap *snapshot.Snapshot, out *snapshot.RuledOut) (kept bool) {
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

// met notes that a call graph has met a limit, unless what decides that (limitKey) has changed
// since it was begun.
func (r *refiner) met(graph, key string) (noted bool) {
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
func (s *Session) makeSnapshot(ctx context.Context, ws *workspace.Workspace, cfg snapshot.Config,
	opt snapshot.Options) (*snapshot.Snapshot, error) {
	snap, err := s.buildSnapshot(ctx, ws, cfg, opt)
	if err != nil {
		return nil, err
	}
	s.built = snap
	r := &s.refiner
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || s.opt.Once || !cfg.Auto {
		return snap, nil
	}
	if refined := snapshot.RefineSame(snap, s.numbers.Add(1), r.last); refined != nil {
		r.last = refined
		return refined, nil
	}
	snap.Unedited = snap.SameCode(r.last)
	return snap, nil
}

// buildSnapshot builds the next snapshot, which is not refined where more will follow.
func (s *Session) buildSnapshot(ctx context.Context, ws *workspace.Workspace, cfg snapshot.Config,
	opt snapshot.Options) (*snapshot.Snapshot, error) {
	r := &s.refiner
	if !cfg.Auto {
		return s.buildAfter(ctx, ws, cfg, opt)
	}
	s.recallLimit(ws, cfg)
	coarse := cfg.CallGraph
	for graph := r.graph(); s.opt.Once && graph != ""; graph = r.graph() {
		cfg.CallGraph = graph
		within, stop := r.limits.within(ctx)
		snap, err := s.buildAfter(within, s.noting(ws, graph), cfg, opt)
		why, met := metLimit(within)
		stop()
		if err == nil || !met {
			return snap, err
		}
		s.meets(graph, r.key(), why)
	}
	cfg.CallGraph = coarse
	opt.Withhold = s.recallRuledOut(cfg)
	return s.buildAfter(ctx, s.noting(ws, r.graph()), cfg, opt)
}

// meets notes that a call graph begun with a key (see met) has met a limit, for later processes
// too, and logs it. What it has left in memory does not count for the next one.
func (s *Session) meets(graph, key string, why limitError) {
	if !s.refiner.met(graph, key) {
		return
	}
	s.keepLimit()
	debug.FreeOSMemory()
	s.log.Warn("links are not refined", "call graph", graph, "error", why)
}

func (l limits) cpuText() string  { return fmt.Sprintf("%g s of processor time", l.cpu.Seconds()) }
func (l limits) heapText() string { return fmt.Sprintf("%d MB of memory", l.heap>>20) }

// met says which limits there are: what an earlier process met is not known.
func (l limits) met() string {
	return limitError{l.cpuText() + " or " + l.heapText()}.Error()
}

// noting adds to a workspace's problems that a better call graph than this, or than none where
// it is "", met a limit.
func (s *Session) noting(ws *workspace.Workspace, graph string) *workspace.Workspace {
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
				s.refiner.limits.met(), instead)})
	return &w
}

// refinable tells whether what is shown can be refined, and how. Without links there is nothing
// to rule out.
func (s *Session) refinable() (from *snapshot.Snapshot, graph string, ok bool) {
	from, graph = s.View().Snap, s.refiner.graph()
	return from, graph, !s.opt.Once && graph != "" && from != nil && from.Config.Auto &&
		from.Config.CallGraph == snapshot.CallGraphs[0] &&
		slices.ContainsFunc(from.Catches, func(c *snapshot.Catch) bool { return len(c.Links)+len(c.Withheld) > 0 })
}

// keepRefined refines what is shown when nothing has changed for a while.
func (s *Session) keepRefined() {
	defer s.work.Done()
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.refiner.wake:
		}
		for quiet := false; !quiet; {
			select {
			case <-s.life.Done():
				return
			case <-s.refiner.wake:
			case <-time.After(refineQuiet):
				quiet = true
			}
		}
		s.refine(s.life)
	}
}

// refineNow is for a run of all catches: it waits for a snapshot that somebody makes, and
// refines it.
func (s *Session) refineNow(ctx context.Context, p Progress) {
	s.building.Lock() // whoever was about it is done then
	_, _, due := s.refinable()
	s.building.Unlock()
	if due {
		defer s.doing(refining)()
		p(-1, refining)
		s.refine(ctx)
	}
}

// refine shows the refined snapshot of the one that is shown, unless another one is shown
// meanwhile. It waits for somebody else who does.
func (s *Session) refine(ctx context.Context) {
	r := &s.refiner
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
	from, graph, ok := s.refinable()
	if held || !ok {
		return
	}
	within, stop := r.limits.within(ctx)
	defer stop()
	snap, err := snapshot.Refine(within, from, graph, s.numbers.Add(1), last)
	if err != nil {
		if why, met := metLimit(within); met {
			s.meets(graph, key, why)
			s.changes.add(nil) // what was withheld is shown, or another way is tried
		}
		return
	}
	out := snapshot.NewRuledOut(from, snap)
	if !r.keep(ctx, snap, out) {
		snap.Wait() // for Close, which does not know it
		return
	}
	if !s.publishInstead(ctx, from, snap, s.lay(snap)) {
		return
	}
	s.log.Info("refined", "snapshot", snap.Number, "of", from.Number, "callGraph", graph, "links", snap.Stats.Links,
		"before", from.Stats.Links,
		"graph", snap.Stats.GraphSeconds, "flow", snap.Stats.FlowSeconds, "total", snap.Stats.TotalSec, "reused",
		snap.Stats.Reuse)
	s.events.tell(SnapshotChanged | ActivityChanged)
	s.wakeOverlay()
	s.keepRuledOut(from.Config, out)
	if snap.Stats.Reuse != snapshot.ReuseAll {
		debug.FreeOSMemory() // what refining needed beside its result
	}
}

// publishInstead shows a snapshot instead of another one, if that is shown still and ctx has
// not ended.
func (s *Session) publishInstead(ctx context.Context, of, snap *snapshot.Snapshot,
	overlay *results.Overlay) (shown bool) {
	s.judging.Lock()
	defer s.judging.Unlock()
	cfg, _ := workspace.LoadConfig(snap.Workspace.Root)
	s.replaceView(func(v *codelens.View) {
		if shown = v.Snap == of && ctx.Err() == nil; shown {
			v.Snap, v.Results = snap, overlay
			v.Judge(cfg)
		}
	})
	return shown
}
