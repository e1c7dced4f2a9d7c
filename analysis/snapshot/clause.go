package snapshot

import (
	"slices"
	"strings"
	"sync"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file tells what the code of a catch says of where its exception comes from.

// clauses is what the analysis of clauses knows of the program, made when first asked for.
type clauses struct {
	once    defect.Once
	program *clause.Program
}

// asked is the answer for one catch, computed when first asked for.
type asked struct {
	once   defect.Once
	result *clause.Result
}

// causes are the answers for one catch by what was thrown, and the links that exception-flow leads
// from places in its try to it, computed when first asked for.
type causes struct {
	mu       sync.Mutex
	byThrown map[cause]*clause.Result
	links    map[place][]exceptions.LinkID
}

// cause is what the answer of causes depends on.
type cause struct {
	thrown string
	trails uint64 // clause.Trails.Key; 0: none
}

// place is a pc in the try of a handler.
type place struct {
	handler exceptions.HandlerRef
	pc      int32
}

// Clause analyses the clause of a catch and what follows it, over all handlers that the
// compiler made of it. The result must not be changed. It proves nothing where class files
// have changed since the snapshot was made, nor in a snapshot that Build has not made.
func (s *Snapshot) Clause(c *Catch) *clause.Result {
	c.clause.once.Do(func() {
		c.clause.result = s.analyseClause(c, func(exceptions.HandlerRef) clause.Origins { return clause.Origins{} })
	})
	return c.clause.result
}

// Causes is Clause with the places of the try from which exceptions come to the catch, which
// exception-flow is asked for: that takes up to a second for a catch of many links. Only exceptions
// of the class that was thrown count, in source form, and of those below it; all that the catch
// takes where it is "" or a class that is not known. trails says what a test ran of what stands
// behind conditions, nil where that is not known.
func (s *Snapshot) Causes(c *Catch, thrown string, trails *clause.Trails) *clause.Result {
	if s.Program != nil && s.Program.Graph.H.Lookup(strings.ReplaceAll(thrown, ".", "/")) == hierarchy.NoType {
		thrown = ""
	}
	c.causes.mu.Lock()
	defer c.causes.mu.Unlock()
	key := cause{thrown: thrown}
	if trails != nil {
		key.trails = trails.Key
	}
	result, ok := c.causes.byThrown[key]
	if !ok {
		result = s.analyseClause(c, func(h exceptions.HandlerRef) clause.Origins {
			out := s.origins(c, h, thrown)
			out.Trails = trails
			return out
		})
		if c.causes.byThrown == nil {
			c.causes.byThrown = map[cause]*clause.Result{}
		}
		c.causes.byThrown[key] = result
	}
	return result
}

// Conditional lists the methods of which a run must record what of their code ran, for causes to be
// told: catches are there whose tries set something up behind conditions, and they write fields
// behind conditions that tries set up by calling them. By class, internal name, and by name and
// descriptor.
func (s *Snapshot) Conditional() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	add := func(class, method string) {
		if out[class] == nil {
			out[class] = map[string]bool{}
		}
		out[class][method] = true
	}
	for _, c := range s.Catches {
		if c.InTests || c.File.Stale {
			continue
		}
		for _, p := range s.Clause(c).Prepared {
			if slices.ContainsFunc(p.Sets, func(set clause.Set) bool { return set.Skipped }) {
				for _, h := range c.Handlers {
					if info := s.Class(h.Class); info != nil {
						m := &info.Facts.Methods[h.Method]
						add(h.Class, m.Name+m.Desc)
					}
				}
			}
			for _, w := range p.Writers {
				if w.Branches {
					add(w.Class, w.Method.Method)
				}
			}
		}
	}
	return out
}

// Looks tells what a test looks at where it fails, and whether that can come from a catch. frames
// are those of the failure, innermost first, their classes in source form; null, if it is not "",
// names what was null there; ran are the methods of the test.
func (s *Snapshot) Looks(c *Catch, ran *clause.Ran, frames []clause.Frame, null string) clause.Looked {
	if s.Program == nil {
		return clause.Looked{}
	}
	named := slices.Clone(frames)
	for i := range named {
		named[i].Class = strings.ReplaceAll(named[i].Class, ".", "/")
	}
	return clause.Looks(s.clauseProgram(), clauseHandlers(c), s.inTests, ran, named, null)
}

// CallsAlone tells whether the clause of a catch, or what follows it, calls a method of this name,
// and its try does not (clause.CallsAlone).
func (s *Snapshot) CallsAlone(c *Catch, name string) bool {
	return s.Program != nil && clause.CallsAlone(s.clauseProgram(), clauseHandlers(c), name)
}

func clauseHandlers(c *Catch) (out []clause.Handler) {
	for _, h := range c.Handlers {
		out = append(out, clause.Handler{Class: h.Class, Method: h.Method, Handler: h.Handler})
	}
	return out
}

// SameClause tells whether the clauses of two catches do the same, whatever they caught
// (clause.Same). It is no where a compiler made several handlers of one, or class files have
// changed.
func (s *Snapshot) SameClause(c, d *Catch) bool {
	if s.Program == nil || len(c.Handlers) != 1 || len(d.Handlers) != 1 {
		return false
	}
	of := func(c *Catch) clause.Handler {
		h := c.Handlers[0]
		return clause.Handler{Class: h.Class, Method: h.Method, Handler: h.Handler}
	}
	return clause.Same(s.clauseProgram(), of(c), of(d))
}

// inTests tells whether a class, by its internal name, is one of tests.
func (s *Snapshot) inTests(class string) bool {
	k := s.Class(class)
	return k != nil && k.InTests
}

func (s *Snapshot) analyseClause(c *Catch, origins func(exceptions.HandlerRef) clause.Origins) *clause.Result {
	if s.Program == nil {
		return clause.Join(nil)
	}
	source := c.File.Source
	lines := clause.Lines{First: source.Line(c.Source.Body.Start), Last: source.Line(c.Source.Body.End)}
	p := s.clauseProgram()
	var all []*clause.Result
	for _, h := range c.Handlers {
		all = append(all, clause.Analyze(p, h.Class, h.Method, h.Handler, lines, origins(h)))
	}
	out := clause.Join(all)
	if !c.File.Stale {
		out.NameFromSource(strings.Split(string(c.File.Text), "\n"))
	}
	return out
}

func (s *Snapshot) clauseProgram() *clause.Program {
	p := s.Program
	p.clauses.once.Do(func() {
		names := make([]string, len(p.Classes))
		for i, c := range p.Classes {
			names[i] = c.Name
		}
		p.clauses.program = clause.NewProgram(p.Graph, names, s.ClassBytes)
	})
	return p.clauses.program
}

// origins asks exception-flow for the calls and throws in the try of a handler from which
// exceptions of a class come to it; thrown is in source form, "" for all that the catch takes.
func (s *Snapshot) origins(c *Catch, h exceptions.HandlerRef, thrown string) clause.Origins {
	p := s.Program
	if p.Flow == nil || p.Graph.Find(h.Class, h.Method) == callgraph.NoNode {
		return clause.Origins{}
	}
	types := c.Types
	if thrown != "" {
		types = []string{thrown}
	}
	out := clause.Origins{Followed: true, Thrown: thrown != ""}
	for _, t := range types {
		name := strings.ReplaceAll(t, ".", "/")
		out.Types = append(out.Types, name)
		if exceptions.LeavesOut(p.Studied, p.Graph.H, name) {
			out.Open = append(out.Open, name)
		}
	}
	m := &p.ByName[h.Class].Facts.Methods[h.Method]
	out.Comes = func(pc int32) bool {
		if !inRange(m, h.Handler, pc) {
			return false
		}
		p.flowMu.Lock()
		defer p.flowMu.Unlock()
		return slices.ContainsFunc(s.linksFrom(c, h, m, pc), func(id exceptions.LinkID) bool {
			return thrown == "" || s.mayBringClass(p.Flow.Link(id), out.Types[0])
		})
	}
	return out
}

// linksFrom lists the links that lead from the call or throw at a pc to a handler of the catch.
func (s *Snapshot) linksFrom(c *Catch, h exceptions.HandlerRef, m *facts.Method, pc int32) []exceptions.LinkID {
	at, flow := place{h, pc}, s.Program.Flow
	links, asked := c.causes.links[at]
	if asked {
		return links
	}
	add := func(l exceptions.Landings) {
		for _, id := range l.Links {
			if flow.Handler(flow.Link(id).Target) == h {
				links = append(links, id)
			}
		}
	}
	for i := range m.Calls {
		if m.Calls[i].PC == pc {
			add(flow.CaughtAtCall(h.Class, h.Method, i))
		}
	}
	for i := range m.Throws() {
		if t := &m.Throws()[i]; t.PC == pc {
			add(flow.CaughtAtThrow(h.Class, h.Method, int(t.Ordinal)))
		}
	}
	if c.causes.links == nil {
		c.causes.links = map[place][]exceptions.LinkID{}
	}
	c.causes.links[at] = links
	return links
}

// mayBringClass tells whether what a link brings may be of a class, or below it: of a class above
// it only where the code that throws does not make an object of just that class. Internal name.
func (s *Snapshot) mayBringClass(l exceptions.Link, class string) bool {
	h := s.Program.Graph.H
	known, wanted := h.Lookup(l.Exception), h.Lookup(class)
	if known == hierarchy.NoType || wanted == hierarchy.NoType || h.IsSubtype(known, wanted) {
		return true
	}
	return h.IsSubtype(wanted, known) && !s.makesJust(l)
}

// makesJust tells whether the throw of a link throws new objects of just the link's class.
func (s *Snapshot) makesJust(l exceptions.Link) bool {
	if l.Site.Kind == exceptions.Implicit {
		return true
	}
	f, ok := s.Facts(l.Site.Class)
	if !ok || l.Site.Kind != exceptions.Explicit {
		return false
	}
	for i := range f.Methods {
		m := &f.Methods[i]
		if m.Name+m.Desc != l.Site.Method {
			continue
		}
		for _, t := range m.Throws() {
			if int(t.Ordinal) == l.Site.Ordinal {
				return !slices.ContainsFunc(t.Sources, func(x facts.Source) bool {
					return x.Kind == facts.TypedSource || x.Kind == facts.CaughtSource
				})
			}
		}
	}
	return false
}

// inRange tells whether a pc stands in a range of a handler of the method.
func inRange(m *facts.Method, handler int, pc int32) bool {
	return slices.ContainsFunc(m.Table(), func(e facts.TableEntry) bool {
		return int(e.Handler) == handler && e.Start <= pc && pc < e.End
	})
}
