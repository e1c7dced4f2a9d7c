package datareach

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/analysis/unshared"
)

// This file asks package unshared what does not happen with objects that nobody else knows. A frame
// may have a state, which stands for a parameter of its own among what is known of its parameters:
// in what it does not do, and with what states it calls others, is followed.

// stateParam is the parameter that stands for the state in which a method is entered.
const stateParam = ownParams + len(circumstances)

// followStates lets unshared objects be followed; without a reader of class files none are.
func (a *Analysis) followStates(read func(class string) ([]byte, error), cancelled func() bool) {
	if read == nil {
		return
	}
	a.unshared = unshared.New(a.g, read, a.bounds.states, unshared.Questions{
		Throws:    func(n callgraph.NodeID, throw int) bool { return a.flow.ThrowsAny(n, throw, a.groups) },
		Climbs:    func(site int32) bool { return a.original[site] || a.flow.Climbs(site, a.groups) },
		Modelled:  a.modelled,
		Null:      a.alwaysNull,
		Cancelled: cancelled,
	})
}

// alwaysNull tells whether a static field of the JDK is null in the whole program.
func (a *Analysis) alwaysNull(owner, name, desc string) bool {
	h := a.g.H
	t := h.Lookup(owner)
	if t == hierarchy.NoType || desc[0] != 'L' || desc == "Ljava/lang/String;" {
		return false
	}
	c := h.ResolveField(t, name, desc)
	if c == hierarchy.NoType || !facts.NullFields(h.Name(c)) {
		return false
	}
	v, _ := a.d.StaticField(owner, name, desc)
	return v == pointsto.NoVar || len(a.d.PointsTo(v).Blocks) == 0
}

// effects are those of a frame, nil where nothing is known.
func (s *frames) effects(x *frame) *unshared.Effects {
	a := s.a
	if a.unshared == nil {
		return nil
	}
	var state unshared.StateID
	for _, k := range s.knownOf(x) {
		if k.param == stateParam {
			state = unshared.StateID(k.value)
		}
	}
	return a.unshared.Effects(a.d.GraphNode(x.no), state)
}

// effect is what is known of the call of a group in a frame; ok is false where nothing is.
func (s *frames) effect(x *frame, g *group) (e unshared.CallEffect, ok bool) {
	of := s.effects(x)
	if of == nil {
		return e, false
	}
	site := &s.a.g.Sites[g.site]
	if site.Origin != callgraph.FromCalls || site.Kind != callgraph.Call {
		return e, false
	}
	e, ok = of.Calls[site.Index]
	return e, ok
}

// leadsTo tells whether an edge is one on which a state is passed.
func (s *frames) leadsTo(x *arc, e unshared.CallEffect) bool {
	return e.Target != callgraph.NoNode && s.a.d.GraphNode(x.callee) == e.Target && (!x.dispatched || x.passes)
}

// callIn makes the calls of a group of which something is known in the frame's state.
func (s *frames) callIn(f int32, g *group, e unshared.CallEffect, bars bool) {
	if e.Never {
		return
	}
	done, n := s.done[:0], s.nodeOf(s.at(f))
	only := e.Only && slices.ContainsFunc(n.arcs[g.first:g.end], func(x arc) bool { return s.leadsTo(&x, e) })
	for i := g.first; i < g.end; i++ {
		receivers, a := whole, &n.arcs[i]
		leads := s.leadsTo(a, e)
		if bars && a.barred || only && !leads {
			continue
		}
		if a.dispatched {
			if receivers = s.receivers(f, g, a); receivers == none {
				continue
			}
		}
		values := s.passed(f, a)
		if leads {
			values = append(values, known{stateParam, int64(e.State)})
			s.values = values
		}
		main := s.at(f).main && g.climbs
		done = append(done, made{i - g.first, s.enter(a.callee, s.params(f, g, a, receivers), values, main)})
	}
	s.done = done
	s.lead(f, g, done, 0)
}
