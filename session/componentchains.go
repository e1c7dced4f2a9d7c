package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/chains"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file keeps the call chains of those components that an editor shows: found in the background
// after each analysis, and told from what tests took whenever results come. What there was stays
// until then.

const (
	// keptComponents is how many components are kept: those of the files that somebody looks at. A
	// forest of a package of commons-io takes up to some megabytes.
	keptComponents = 8
	// chainsBudget is how many chains a component may have: a hover reads them all.
	chainsBudget = 100_000
	// chainsPause is how long forests are left as they are after one look: while somebody types,
	// and while a campaign runs, there is a new snapshot or result several times a second.
	chainsPause = time.Second
	// chainsShare times as long as a look has taken nothing is looked at: a fifth of a processor is
	// left to it.
	chainsShare = 4
)

// componentKeeper keeps call chains of components.
type componentKeeper struct {
	mu    sync.Mutex
	asked []component        // at most keptComponents; the one that was wanted last comes first
	open  map[component]bool // of the documents that are open
	have  map[component]*keptComponent
	found map[component]bool // at some time
	holds int                // see hold
	wake  chan struct{}
	start sync.Once
}

// newComponentKeeper keeps nothing yet.
func newComponentKeeper() *componentKeeper {
	return &componentKeeper{open: map[component]bool{}, have: map[component]*keptComponent{},
		found: map[component]bool{}, wake: make(chan struct{}, 1)}
}

// component is a component by what defines it.
type component struct {
	name    string
	pattern string // "": the package of that name
}

// keptComponent is what is known of a component, and of what that was found.
type keptComponent struct {
	*chains.Component // nil where finding it has failed
	snap              *snapshot.Snapshot
	above             map[callgraph.NodeID]int
	runs              []*record.TestRun
}

// Chains implements API.
func (s *Session) Chains(class string) (found *chains.Component, pending bool) {
	c, ok := s.componentOf(class)
	if !ok || s.life.Err() != nil {
		return nil, false
	}
	k := s.components
	k.begin(s)
	known := k.want(c)
	if known == nil {
		k.look()
		return nil, true
	}
	return known.Component, false
}

// KnownChains implements API.
func (s *Session) KnownChains(class string) *chains.Component {
	if c, ok := s.componentOf(class); ok {
		if known := s.components.known(c); known != nil {
			return known.Component
		}
	}
	return nil
}

// KeepChains implements API.
func (s *Session) KeepChains(classes []string, find bool) {
	var open []component
	for _, class := range classes {
		if c, ok := s.componentOf(class); ok {
			open = append(open, c)
		}
	}
	if s.components.retain(open, find) && s.life.Err() == nil {
		s.components.begin(s)
		s.components.look()
	}
}

// componentOf is the component that a class belongs to; false for classes of tests and libraries,
// and as long as there is no call graph.
func (s *Session) componentOf(class string) (c component, ok bool) {
	v := s.View()
	if v.Snap == nil {
		return c, false
	}
	k := v.Snap.Class(class)
	if k == nil || k.InTests || v.Snap.CallGraph() == nil {
		return c, false
	}
	if v.Judged != nil {
		for _, p := range v.Judged.Components {
			if callchain.Matches(p, class) {
				return component{name: p, pattern: p}, true
			}
		}
	}
	return component{name: strings.ReplaceAll(hierarchy.Package(class), "/", ".")}, true
}

// begin has what is kept kept up to date from the first time on.
func (k *componentKeeper) begin(s *Session) {
	k.start.Do(func() {
		s.events.subscribe(func(e Event) {
			if e&(SnapshotChanged|ResultsChanged) != 0 {
				k.look()
			}
		})
		s.work.Go(func() { k.keep(s) })
	})
}

// want is what is known of a component, which is kept from now on. It takes the place of the one
// that was not wanted for longest, if there is one of those that no open document has.
func (k *componentKeeper) want(c component) *keptComponent {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.Index(k.asked, c); i >= 0 {
		k.asked = slices.Delete(k.asked, i, i+1)
	} else if last := len(k.asked) - 1; last == keptComponents-1 {
		for i := last; i >= 0; i-- {
			if !k.open[k.asked[i]] {
				last = i
				break
			}
		}
		delete(k.have, k.asked[last])
		k.asked = slices.Delete(k.asked, last, last+1)
	}
	k.asked = slices.Insert(k.asked, 0, c)
	return k.have[c]
}

// known is what is known of a component.
func (k *componentKeeper) known(c component) *keptComponent {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.have[c]
}

// retain forgets all but the components of the documents that are open. With find, those of them
// that are not kept yet are from now on, as many as there is room for. It tells whether there is
// one.
func (k *componentKeeper) retain(open []component, find bool) (more bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = map[component]bool{}
	for _, c := range open {
		k.open[c] = true
	}
	k.asked = slices.DeleteFunc(k.asked, func(c component) bool { return !k.open[c] })
	maps.DeleteFunc(k.have, func(c component, _ *keptComponent) bool { return !k.open[c] })
	for _, c := range open {
		if find && len(k.asked) < keptComponents && !slices.Contains(k.asked, c) {
			k.asked, more = append(k.asked, c), true
		}
	}
	return more
}

// look has all components looked at.
func (k *componentKeeper) look() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// missing tells whether one is asked for that was never found.
func (k *componentKeeper) missing() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.asked, func(c component) bool { return !k.found[c] })
}

// keep keeps them up to date until the session ends.
func (k *componentKeeper) keep(s *Session) {
	k.eachLook(s.life, func() {
		if k.update(s) {
			s.events.tell(ChainsChanged)
		}
	})
}

// eachLook calls update whenever look was called, with pauses, until life ends.
func (k *componentKeeper) eachLook(life context.Context, update func()) {
	for {
		select {
		case <-life.Done():
			return
		case <-k.wake:
		}
		began := time.Now()
		update()
		pause := time.NewTimer(max(chainsPause, chainsShare*time.Since(began)))
		again := false
		for waiting := !k.missing(); waiting; {
			select {
			case <-life.Done():
				return
			case <-pause.C:
				waiting = false
			case <-k.wake:
				again, waiting = true, !k.missing()
			}
		}
		if again {
			k.look()
		}
		pause.Stop()
	}
}

// update looks at all that are asked for, those first of which nothing is known. It tells whether
// it has found something new.
func (k *componentKeeper) update(s *Session) (changed bool) {
	v := s.View()
	if v.Snap == nil || v.Snap.CallGraph() == nil {
		return false
	}
	runs := s.currentRuns(v.Snap.Workspace, func(run *record.TestRun) bool { return run.Chained })
	k.mu.Lock()
	asked := slices.Clone(k.asked)
	slices.SortStableFunc(asked, func(a, b component) int { return rankOf(k.have[a]) - rankOf(k.have[b]) })
	k.mu.Unlock()
	for _, c := range asked {
		if s.life.Err() != nil {
			return false
		}
		k.mu.Lock()
		old, wanted := k.have[c], slices.Contains(k.asked, c)
		runs := k.counted(old, runs)
		k.mu.Unlock()
		if !wanted || old != nil && old.snap == v.Snap && slices.Equal(old.runs, runs) {
			continue
		}
		next := s.componentChains(c, v.Snap, runs, old)
		k.mu.Lock()
		if k.found[c] = true; slices.Contains(k.asked, c) {
			k.have[c] = next
			changed = true
		}
		k.mu.Unlock()
	}
	return changed
}

// hold has what tests have taken left as it is until release, while they are being asked for it: of
// a part of them, chains are not known to be untested.
func (k *componentKeeper) hold() (release func()) {
	k.mu.Lock()
	k.holds++
	k.mu.Unlock()
	return func() {
		k.mu.Lock()
		k.holds--
		k.mu.Unlock()
		k.look()
	}
}

// counted are those runs that count for a component: those of before while the rest is under way.
// The lock is held.
func (k *componentKeeper) counted(old *keptComponent, runs []*record.TestRun) []*record.TestRun {
	switch {
	case k.holds == 0:
		return runs
	case old != nil:
		return old.runs
	}
	return nil
}

func rankOf(c *keptComponent) int {
	if c == nil {
		return 0
	}
	return 1
}

// componentChains finds the chains of a component, and which of them tests took. A defect
// costs this component's chains alone: there are none until there is a new snapshot or result.
func (s *Session) componentChains(c component, snap *snapshot.Snapshot, runs []*record.TestRun,
	old *keptComponent) *keptComponent {
	out := &keptComponent{snap: snap, runs: runs}
	s.guard.Run("finding the call chains of "+c.name, func() { out = s.findChains(c, snap, runs, old) })
	return out
}

// findChains is componentChains, and panics where there is a defect.
func (s *Session) findChains(c component, snap *snapshot.Snapshot, runs []*record.TestRun,
	old *keptComponent) *keptComponent {
	out := &keptComponent{snap: snap, runs: runs}
	var f *callchain.Forest
	if old != nil && old.Component != nil && old.snap == snap {
		f, out.above = old.Forest, old.above
	} else {
		own := func(class string) bool {
			k := snap.Class(class)
			return k != nil && !k.InTests
		}
		in := func(class string) bool {
			if !own(class) {
				return false
			}
			if c.pattern == "" {
				return strings.ReplaceAll(hierarchy.Package(class), "/", ".") == c.name
			}
			return callchain.Matches(c.pattern, class)
		}
		f = callchain.Build(snap.CallGraph(), callchain.Options{Points: snap.PointsTo(), Component: in,
			Length: worker.ChainCalls, Granularity: callchain.BySite, Budget: chainsBudget})
		out.above = callchain.CallsAbove(snap.CallGraph(), own, in, worker.ChainCalls+1)
	}
	out.Component = chains.NewComponent(c.name, snap, chains.OfRuns(s.store, f, runs), out.above, worker.ChainCalls)
	return out
}

// RunChains implements API.
func (s *Session) RunChains(ctx context.Context, p Progress) (Summary, error) {
	defer s.components.hold()()
	return s.cover(ctx, CoverScope{}, true, p)
}
