package snapshot

import (
	"slices"
	"strings"
	"sync"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/clause"
	"catchlens/analysis/exceptions"
	"catchlens/analysis/facts"
)

// This file tells what the code of a catch says of where its exception comes from.

// clauses is what the analysis of clauses knows of the program, made when first asked for.
type clauses struct {
	once    sync.Once
	program *clause.Program
}

// asked is the answer for one catch, computed when first asked for.
type asked struct {
	once   sync.Once
	result *clause.Result
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
// exception-flow is asked for: that takes up to a second for a catch of many links.
func (s *Snapshot) Causes(c *Catch) *clause.Result {
	c.causes.once.Do(func() {
		c.causes.result = s.analyseClause(c, func(h exceptions.HandlerRef) clause.Origins { return s.origins(c, h) })
	})
	return c.causes.result
}

// Looks tells what a test looks at where it fails, and whether that can come from a catch. frames
// are those of the failure, innermost first, their classes in source form; null, if it is not "",
// names what was null there; ran are the methods of the test.
func (s *Snapshot) Looks(c *Catch, ran *clause.Ran, frames []clause.Frame, null string) clause.Looked {
	if s.Program == nil {
		return clause.Looked{}
	}
	var handlers []clause.Handler
	for _, h := range c.Handlers {
		handlers = append(handlers, clause.Handler{Class: h.Class, Method: h.Method, Handler: h.Handler})
	}
	named := slices.Clone(frames)
	for i := range named {
		named[i].Class = strings.ReplaceAll(named[i].Class, ".", "/")
	}
	return clause.Looks(s.clauseProgram(), handlers, s.inTests, ran, named, null)
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
// exceptions come to it.
func (s *Snapshot) origins(c *Catch, h exceptions.HandlerRef) clause.Origins {
	p := s.Program
	if p.Flow == nil || p.Graph.Find(h.Class, h.Method) == callgraph.NoNode {
		return clause.Origins{}
	}
	out := clause.Origins{Followed: true}
	for _, t := range c.Types {
		name := strings.ReplaceAll(t, ".", "/")
		out.Types = append(out.Types, name)
		if exceptions.LeavesOut(p.Studied, p.Graph.H, name) {
			out.Open = append(out.Open, name)
		}
	}
	comes := func(l exceptions.Landings) bool {
		return slices.ContainsFunc(
			l.Links,
			func(id exceptions.LinkID) bool { return p.Flow.Handler(p.Flow.Link(id).Target) == h },
		)
	}
	m := &p.ByName[h.Class].Facts.Methods[h.Method]
	out.Comes = func(pc int32) bool {
		if !inRange(m, h.Handler, pc) {
			return false
		}
		p.flowMu.Lock()
		defer p.flowMu.Unlock()
		for i := range m.Calls {
			if m.Calls[i].PC == pc && comes(p.Flow.CaughtAtCall(h.Class, h.Method, i)) {
				return true
			}
		}
		for i := range m.Throws() {
			if t := &m.Throws()[i]; t.PC == pc && comes(p.Flow.CaughtAtThrow(h.Class, h.Method, int(t.Ordinal))) {
				return true
			}
		}
		return false
	}
	return out
}

// inRange tells whether a pc stands in a range of a handler of the method.
func inRange(m *facts.Method, handler int, pc int32) bool {
	return slices.ContainsFunc(m.Table(), func(e facts.TableEntry) bool {
		return int(e.Handler) == handler && e.Start <= pc && pc < e.End
	})
}
