package build

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/datareach"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file follows exceptions and makes links of what was found.

// listTargets lists the handlers of every catch.
func (s *builder) listTargets() {
	for _, c := range s.Catches {
		s.Program.Targets = append(s.Program.Targets, c.Handlers...)
	}
}

// followExceptions finds the e-c links of every catch; not if ctx ends meanwhile.
func (s *builder) followExceptions(ctx context.Context) {
	started := time.Now()
	p := s.Program
	var owner []*snapshot.Catch
	for _, c := range s.Catches {
		for range c.Handlers {
			owner = append(owner, c)
		}
	}
	p.Studied = s.Config.Studied
	p.Studied.Own = func(class string) bool { return p.ByName[class] != nil }
	cancelled := func() bool { return ctx.Err() != nil }
	if p.Flow = exceptions.Analyze(p.Graph, p.Targets, p.Studied, cancelled); p.Flow == nil {
		return
	}
	if snapshot.Analyses[s.Config.CallGraph].Reach {
		if p.Reach = datareach.Confirm(p.Graph, s.made.points, p.Flow, s.LibraryBytes, cancelled); p.Reach == nil {
			return
		}
		p.Flow = p.Reach.Result()
		s.Stats.Reach = p.Reach.Stats()
		s.Stats.ReachSeconds = s.Stats.Reach.Seconds
	} else {
		s.made.points = nil
	}
	s.makeLinks(ctx, owner)
	s.countDiscarded(ctx, owner)
	for _, c := range s.Catches {
		s.Stats.Links += len(c.Links)
	}
	s.Stats.FlowSeconds = time.Since(started).Seconds()
}

// leastLinks are the first two of some links by CompareLinks, nil where there are none.
type leastLinks [2]*snapshot.Link

func (t *leastLinks) add(l *snapshot.Link) {
	switch {
	case t[0] == nil || snapshot.CompareLinks(l, t[0]) < 0:
		t[0], t[1] = l, t[0]
	case l != t[0] && (t[1] == nil || snapshot.CompareLinks(l, t[1]) < 0):
		t[1] = l
	}
}

// makeLinks makes the links of every catch, of some if ctx ends meanwhile; owner says whose each
// target is.
func (s *builder) makeLinks(ctx context.Context, owner []*snapshot.Catch) {
	arriving := make([]leastLinks, len(owner))
	seen := s.newSeenThrows()
	eachCatch(ctx, owner, func() func(c *snapshot.Catch, from, to int) {
		m := linkMaker{snap: s, seen: seen, sites: map[exceptions.ThrowSite]*snapshot.Site{},
			dotted: map[string]string{}}
		return func(c *snapshot.Catch, from, to int) { m.links(c, from, arriving[from:to]) }
	})
	eachCatch(ctx, owner, func() func(c *snapshot.Catch, from, to int) {
		return func(c *snapshot.Catch, _, _ int) {
			for _, l := range c.Links {
				l.Cause = s.causeOf(l, arriving)
			}
			slices.SortFunc(c.Links, snapshot.CompareLinks)
		}
	})
}

// eachCatch calls a function for each of the owners of targets, whose targets stand together, from
// one up to another. Calls do not wait for each other; worker makes one processor's function. None
// begins after the end of ctx.
func eachCatch(ctx context.Context, owner []*snapshot.Catch, worker func() func(c *snapshot.Catch, from, to int)) {
	type targets struct{ from, to int }
	var list []targets
	for from, to := 0, 0; from < len(owner); from = to {
		for to = from + 1; to < len(owner) && owner[to] == owner[from]; to++ {
		}
		list = append(list, targets{from, to})
	}
	defect.Each(len(list), func() bool { return ctx.Err() != nil }, func() func(int) {
		do := worker()
		return func(i int) { do(owner[list[i].from], list[i].from, list[i].to) }
	})
}

// causeOf is the ID of the first of the links of the workspace whose exception that of a link may
// wrap, "" if there is none; arriving has the first links of each target.
func (s *builder) causeOf(l *snapshot.Link, arriving []leastLinks) string {
	var causes leastLinks
	for i := range s.Program.Flow.CauseHandlers(l.Arrivals()[0]) {
		for _, cause := range arriving[i] {
			if cause != nil && cause != l {
				causes.add(cause)
			}
		}
	}
	if causes[0] == nil {
		return ""
	}
	return causes[0].ID
}

// linkMaker makes links, those of one site with the same names.
type linkMaker struct {
	snap   *builder
	seen   *seenThrows
	sites  map[exceptions.ThrowSite]*snapshot.Site
	dotted map[string]string
	text   []byte
}

// links makes the links of a catch, whose first target is given. It notes those that arrive at each
// target.
func (m *linkMaker) links(c *snapshot.Catch, target int, arriving []leastLinks) {
	seen := map[string]*snapshot.Link{}
	for i := range arriving {
		ids := m.snap.Program.Flow.LinksAt(target + i)
		c.Links = slices.Grow(c.Links, len(ids))
		for _, id := range ids {
			x := m.snap.Program.Flow.Link(id)
			if !m.seen.has(m.snap, c, &x.Site) {
				continue
			}
			l := m.link(c, id, &x)
			if known := seen[l.ID]; known != nil { // through another copy of the handler
				known.Arrive(m.snap.Snapshot, id)
				l = known
			} else {
				seen[l.ID] = l
				c.Links = append(c.Links, l)
			}
			arriving[i].add(l)
		}
	}
}

func (m *linkMaker) link(c *snapshot.Catch, id exceptions.LinkID, x *exceptions.Link) *snapshot.Link {
	p := m.snap.Program
	l := &snapshot.Link{Catch: c, Site: m.site(x.Site), Exception: m.dotted[x.Exception],
		Own: p.ByName[x.Site.Class] != nil}
	if l.Exception == "" {
		l.Exception = snapshot.Dotted(x.Exception)
		m.dotted[x.Exception] = l.Exception
	}
	if x.Root != nil {
		l.Root = m.site(*x.Root)
	}
	l.Arrive(m.snap.Snapshot, id)
	l.ID, m.text = snapshot.IDOfLink(m.text, c, l.Site)
	return l
}

func (m *linkMaker) site(t exceptions.ThrowSite) *snapshot.Site {
	site := m.sites[t]
	if site == nil {
		made := m.snap.SiteOf(t)
		site = &made
		m.sites[t] = site
	}
	return site
}

// countDiscarded counts the discarded links of every catch, of some if ctx ends meanwhile; owner
// says whose each target is.
func (s *builder) countDiscarded(ctx context.Context, owner []*snapshot.Catch) {
	if s.Program.Reach == nil {
		return
	}
	for i := 0; i < len(owner) && ctx.Err() == nil; {
		var targets []int
		for c := owner[i]; i < len(owner) && owner[i] == c; i++ {
			targets = append(targets, i)
		}
		owner[i-1].Discarded = len(s.Dropped(targets))
	}
}

// unknownText says what is loaded that is not known. Each load may be of any class: of several none
// is named, as nothing tells which of them could lead to a catch.
func unknownText(loads []features.UnknownLoad) string {
	places := map[features.UnknownLoad]bool{}
	for _, l := range loads {
		places[l] = true
	}
	switch len(places) {
	case 0:
		return ""
	case 1:
		load := &loads[0]
		simple := func(class string) string { return class[strings.LastIndexAny(class, "/$")+1:] }
		return fmt.Sprintf("what %s.%s in %s.%s loads", simple(load.Owner), load.Name, simple(load.Class), load.Method)
	}
	return fmt.Sprintf("what is loaded by name in %d places", len(places))
}

// markUnreached sets Unreached of the catches, which stays set where it is, and says what may lead
// to them unseen.
func (s *builder) markUnreached() {
	if t := s.Program.Graph.Tokens; t != nil {
		s.UnknownLoad = unknownText(t.Unknown)
	}
	for _, c := range s.Catches {
		c.Unreached = c.Unreached || len(c.Handlers) > 0 &&
			!slices.ContainsFunc(c.Handlers, func(h exceptions.HandlerRef) bool {
				return s.Program.Graph.Find(h.Class, h.Method) != callgraph.NoNode
			})
	}
}
