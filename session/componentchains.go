package session

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"catchlens/analysis/callchain"
	"catchlens/analysis/callgraph"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/snapshot"
	"catchlens/instrument/chains"
	"catchlens/instrument/record"
	"catchlens/instrument/worker"
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
	asked []component // the one that was asked for last comes first
	have  map[string]*keptComponent
	wake  chan struct{}
	start sync.Once
}

// component is a component by what defines it.
type component struct {
	name    string
	pattern string // "": the package of that name
}

// keptComponent is what is known of a component, and of what that was found.
type keptComponent struct {
	*chains.Component
	snap  *snapshot.Snapshot
	above map[callgraph.NodeID]int
	runs  []*record.TestRun
}

// Chains implements API.
func (s *Session) Chains(class string) *chains.Component {
	v := s.View()
	if v.Snap == nil {
		return nil
	}
	k := v.Snap.Class(class)
	if k == nil || k.InTests || v.Snap.CallGraph() == nil {
		return nil
	}
	c := component{name: strings.ReplaceAll(hierarchy.Package(class), "/", ".")}
	if v.Judged != nil {
		for _, p := range v.Judged.Components {
			if callchain.Matches(p, class) {
				c = component{name: p, pattern: p}
				break
			}
		}
	}
	return s.components.ask(s, c)
}

// ask is what is known of a component. It has it found out, and kept up to date.
func (k *componentKeeper) ask(s *Session, c component) *chains.Component {
	if s.life.Err() != nil {
		return nil
	}
	k.start.Do(func() {
		s.events.subscribe(func(e Event) {
			if e&(SnapshotChanged|ResultsChanged) != 0 {
				k.look()
			}
		})
		s.work.Go(func() { k.keep(s) })
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.Index(k.asked, c); i != 0 {
		if i > 0 {
			k.asked = slices.Delete(k.asked, i, i+1)
		}
		k.asked = slices.Insert(k.asked, 0, c)
		for _, old := range k.asked[min(len(k.asked), keptComponents):] {
			delete(k.have, old.name)
		}
		k.asked = k.asked[:min(len(k.asked), keptComponents)]
	}
	if have := k.have[c.name]; have != nil {
		return have.Component
	}
	k.look()
	return nil
}

// look has all components looked at.
func (k *componentKeeper) look() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// missing tells whether one is asked for of which nothing is known.
func (k *componentKeeper) missing() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.asked, func(c component) bool { return k.have[c.name] == nil })
}

// keep keeps them up to date until the session ends.
func (k *componentKeeper) keep(s *Session) {
	for {
		select {
		case <-s.life.Done():
			return
		case <-k.wake:
		}
		began := time.Now()
		if k.update(s) {
			s.events.tell(ChainsChanged)
		}
		pause := time.NewTimer(max(chainsPause, chainsShare*time.Since(began)))
		again := false
		for waiting := !k.missing(); waiting; {
			select {
			case <-s.life.Done():
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
	slices.SortStableFunc(asked, func(a, b component) int { return rankOf(k.have[a.name]) - rankOf(k.have[b.name]) })
	k.mu.Unlock()
	for _, c := range asked {
		if s.life.Err() != nil {
			return false
		}
		k.mu.Lock()
		old := k.have[c.name]
		k.mu.Unlock()
		if old != nil && old.snap == v.Snap && slices.Equal(old.runs, runs) {
			continue
		}
		next := s.componentChains(c, v.Snap, runs, old)
		k.mu.Lock()
		if slices.Contains(k.asked, c) {
			k.have[c.name] = next
			changed = true
		}
		k.mu.Unlock()
	}
	return changed
}

func rankOf(c *keptComponent) int {
	if c == nil {
		return 0
	}
	return 1
}

// componentChains finds the chains of a component, and which of them tests took.
func (s *Session) componentChains(c component, snap *snapshot.Snapshot, runs []*record.TestRun,
	old *keptComponent) *keptComponent {
	out := &keptComponent{snap: snap, runs: runs}
	var f *callchain.Forest
	if old != nil && old.snap == snap {
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
	out.Component = chains.NewComponent(c.name, chains.OfRuns(s.store, f, runs), out.above, worker.ChainCalls)
	return out
}

// RunChains implements API.
func (s *Session) RunChains(ctx context.Context, p Progress) (Summary, error) {
	return s.cover(ctx, CoverScope{}, true, p)
}
