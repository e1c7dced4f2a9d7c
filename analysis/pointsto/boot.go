package pointsto

// This file begins each analysis with the same two programs. The first is what the VM starts by
// itself: of the 21,000 methods that it reaches in JDK 17 nothing depends on the program. The
// second is what the workspace calls of libraries and the JDK for certain (certaincalls.go), and
// all that follows from it: with a driver of a database among the tests of commons-csv that is
// nearly everything. What was found about either can be kept for the next process.
//
// The constraints of a program are those of these two and more, so its solution goes on
// from there (follow.go says why that is right). What a program may add to methods of
// these are providers of services and observed calls, which are added then. What
// it could change are classes for which their code asked in vain: where it has one
// of them, nothing that was kept is used.
//
// Whether a part was solved or read, the numbers of everything are the same,
// and so is each result; which receivers are told apart, too, though that depends on which come
// first. Only without receivers is a second part used that has some of the calls of now:
// the others follow it then.

import (
	"io"
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/defect"
)

// Boot is what analyses keep for others.
type Boot struct {
	JDK       Part // what the VM starts by itself
	Libraries Part // what the workspace calls for certain; its classes are the libraries' and the JDK's
}

// Part is what is kept of a program that is solved before that of the workspace. Fields may be nil,
// but Has of a part with Keep. A state belongs to all that decides what the facts of its
// classes are, and to the executable that wrote it.
type Part struct {
	// Has tells whether a class that there is comes from where the part's classes are from.
	Has func(class string) bool
	// Providers are the implementations of a service that are there: some of those of
	// Config.Providers, of which they are all where this is nil.
	Providers func(service string) []string
	// State returns what was written for a policy, nil if there is nothing, and what to call when
	// it was read. It is ignored if it is damaged.
	State func(p Policy) (state []byte, done func())
	// Keep lets a state be written that can be used next time, if there was none that could.
	Keep func(p Policy, write func(io.Writer) error)
}

// solved is a solver whose work is done. The source of h and cfg.Cancelled are asked from two
// goroutines.
func solved(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, b *Boot) *solver {
	if b == nil {
		b = &Boot{}
	}
	now := &certainCalls{known: make(chan struct{})}
	s, kept := b.guessed(h, cfg, p, now)
	defer now.wait()
	if s != nil {
		return s
	}
	covers := func(k *keptOf) bool {
		kept = k
		now.wait()
		return now.whole && k.covers(now.calls, p)
	}
	if kept != nil && covers(kept) {
		s = b.Libraries.read(h, cfg, p, covers)
	}
	if s == nil {
		s = b.solveLibraries(h, cfg, p, now)
	} else if len(kept.calls) < len(now.calls) {
		s.solveCertain(b.Libraries.config(cfg), now.calls)
	}
	if !s.GaveUp() {
		s.solveProgram(cfg)
	}
	return s
}

// certainCalls is what certainOf finds, on another goroutine.
type certainCalls struct {
	known chan struct{} // closed when it is
	work  defect.Group
	calls []certain
	whole bool // it was not cancelled
}

func (c *certainCalls) find(src hierarchy.Source, cfg callgraph.Config, p Policy) {
	defer close(c.known)
	c.calls, c.whole = certainOf(src, cfg, p)
}

func (c *certainCalls) wait() { c.work.Wait() }

// found tells whether it is known.
func (c *certainCalls) found() bool {
	select {
	case <-c.known:
		return true
	default:
		return false
	}
}

// guessed goes on from what was kept of libraries while it is not known yet whether the calls of
// now are the same. If they are not, the solver is nil and h is new; what is kept is nil if it
// cannot be used anyway. The calls are looked for when that is read: until then the other
// processors have the classes to read.
func (b *Boot) guessed(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy,
	now *certainCalls) (s *solver, kept *keptOf) {
	s = b.Libraries.read(h, cfg, p, func(k *keptOf) bool {
		kept = k
		return true
	})
	now.work.Go(func() { now.find(h.Source(), cfg, p) })
	if s == nil {
		return nil, nil
	}
	differs := sync.OnceValue(func() bool {
		now.wait()
		return !now.whole || !slices.Equal(now.calls, kept.calls)
	})
	guess := cfg
	guess.Cancelled = func() bool {
		return now.found() && differs() || cfg.Cancelled != nil && cfg.Cancelled()
	}
	if !now.found() || !differs() {
		s.solveProgram(guess)
	}
	if differs() {
		h.Reset()
		return nil, kept
	}
	s.Config = cfg
	return s, kept
}

// solveProgram goes on with the entries and what was observed.
func (s *solver) solveProgram(cfg callgraph.Config) {
	s.Config = cfg
	missing := len(s.H.Missing())
	s.AskAgain()
	s.observedOfBooted()
	s.seedProgram()
	s.Solve()
	s.missed(missing)
}

// solveLibraries solves what the VM starts by itself, or reads that, and after it what the
// workspace calls for certain.
func (b *Boot) solveLibraries(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, now *certainCalls) *solver {
	s := b.JDK.read(h, cfg, p, func(k *keptOf) bool { return len(k.calls) == 0 })
	read := s != nil
	if !read {
		s = newSolver(h, b.JDK.config(cfg), p)
		s.Booting = true
		s.seedVM()
		s.Solve()
		s.Booting = false
		b.JDK.keep(s, nil)
	}
	before := len(s.insts)
	s.workspaceOf(cfg.Workspace)
	now.wait()
	if !now.whole {
		s.GiveUp()
	}
	if s.GaveUp() {
		return s
	}
	s.solveCertain(b.Libraries.config(cfg), now.calls)
	if added := len(s.insts) - before; read && added > before/16 { // else reading it takes as long as solving it
		b.Libraries.keep(s, now.calls)
	}
	return s
}

// config is what a part may know of a program.
func (b *Part) config(cfg callgraph.Config) callgraph.Config {
	only := callgraph.Config{Providers: cfg.Providers, Cancelled: cfg.Cancelled}
	if b.Providers != nil {
		only.Providers = b.Providers
	}
	return only
}

// keep lets a solver whose work is done be written.
func (b *Part) keep(s *solver, calls []certain) {
	if b.Keep == nil || s.GaveUp() {
		return
	}
	if k := s.keptOf(b.Has, calls); k != nil {
		b.Keep(s.policy, func(w io.Writer) error { return s.write(w, k) })
	}
}

// observedOfBooted adds the observed calls of methods that are visited.
func (s *solver) observedOfBooted() {
	from := map[string]bool{}
	for _, e := range s.Config.Extra.Edges {
		from[e.From.Class] = true
	}
	if len(from) == 0 {
		return
	}
	for k := range int32(len(s.insts)) {
		id := s.insts[k].method
		if id == hierarchy.NoMethod || !from[s.H.Name(s.H.Owner(id))] {
			continue
		}
		v := s.visitorOf(k)
		s.ops = append(s.ops[:0], make([]callOp, len(v.Method.Calls))...)
		facts.EachFlow(v.Method.Flow, func(op facts.FlowOp, x []uint64) {
			if op == facts.FlowCall {
				s.ops[x[0]] = callOp{result: v.Variable(x[1])}
			}
		})
		v.observed(id)
	}
}
