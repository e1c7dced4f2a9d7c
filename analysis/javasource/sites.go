package javasource

// This file matches throw statements and calls with those of class files.

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
)

// MatchThrow returns the athrow instructions that a throw statement may have
// become: one in the usual case, several where a compiler copied it (finally,
// initialisers) or where lines and types leave it open, none where it is dead
// code or the class is unknown.
func (m *Matches) MatchThrow(t *Throw) []SiteRef {
	s := siteQuery{m: m, body: body{t.Member, t.Lambda}, keyword: t.Keyword, span: t.Span}
	for _, other := range m.File.Throws {
		if other.Member == t.Member && other.Lambda == t.Lambda && other.Type == t.Type {
			s.peer(other == t, other.Keyword)
		}
	}
	return s.run(func(c *facts.Class, method *facts.Method, index int) []found {
		var list []found
		for i := range method.Throws() {
			x := &method.Throws()[i]
			if m.ownThrow(c, index, x) && throwsType(x, t.Type) {
				list = append(list, found{i, x.Line})
			}
		}
		return list
	})
}

// ownThrow tells whether an athrow may be the source's: compilers rethrow what
// their own handlers caught.
func (m *Matches) ownThrow(c *facts.Class, method int, t *facts.Throw) bool {
	for i := range t.Sources {
		s := &t.Sources[i]
		if s.Kind != facts.CaughtSource || m.Catches[HandlerRef{c.Name, method, int(s.Handler)}] != nil {
			return s.Kind != facts.NewSource || s.Type != "java/lang/MatchException"
		}
	}
	return len(t.Sources) == 0
}

// throwsType tells whether an athrow may be `throw new T(...)`; "" is any
// other throw statement.
func throwsType(t *facts.Throw, name string) bool {
	if name == "" || len(t.Sources) == 0 {
		return true
	}
	want := simpleName(erase(name))
	for i := range t.Sources {
		if s := &t.Sources[i]; s.Kind == facts.NewSource && classSimpleName(s.Type) == want {
			return true
		}
	}
	return false
}

// MatchCall returns the invoke instructions that a call of m.File may have become, with
// the same reservations as MatchThrow.
func (m *Matches) MatchCall(c *Call) []SiteRef {
	s := siteQuery{m: m, body: body{c.Member, c.Lambda}, keyword: c.NameSpan, span: c.Span}
	for _, other := range m.File.Calls {
		if other.Member == c.Member && other.Lambda == c.Lambda && other.Name == c.Name &&
			other.TypeName == c.TypeName && other.Args == c.Args {
			s.peer(other == c, other.NameSpan)
		}
	}
	for _, exact := range []bool{true, false} { // an argument list may be variable
		refs := s.run(func(class *facts.Class, method *facts.Method, _ int) []found {
			var list []found
			for i := range method.Calls {
				x := &method.Calls[i]
				if m.calls(class, x, c) && (!exact || len(paramDescriptors(x.Desc)) == c.Args) {
					list = append(list, found{i, x.Line})
				}
			}
			return list
		})
		if len(refs) > 0 {
			return refs
		}
	}
	return s.run(func(_ *facts.Class, method *facts.Method, _ int) []found {
		var list []found
		for i := range method.Calls { // private members of other classes before Java 11
			if x := &method.Calls[i]; strings.HasPrefix(x.Name, "access$") && x.Line > 0 {
				list = append(list, found{i, x.Line})
			}
		}
		return list
	})
}

// calls tells whether an invoke instruction may be the call.
func (m *Matches) calls(class *facts.Class, x *facts.Call, c *Call) bool {
	if x.Kind == facts.Dynamic || x.Name != c.Name {
		return false
	}
	if c.Name != InitName {
		return true
	}
	if c.TypeName == "" { // this(...), super(...)
		return x.Owner == class.Name || x.Owner == class.Super
	}
	for _, t := range c.Member.Type.Types { // new T(...) { ... }
		if t.Kind == Anonymous && t.NameSpan == c.NameSpan {
			return m.Classes[t] != nil && m.Classes[t].Name == x.Owner
		}
	}
	return classSimpleName(x.Owner) == simpleName(erase(c.TypeName))
}

// found is an instruction that may be the one sought.
type found struct {
	site int
	line int32
}

// siteQuery seeks the instructions of a statement or expression.
type siteQuery struct {
	m             *Matches
	body          body
	keyword, span Span
	// Among the statements of the source that look alike: how many there are,
	// how many before this one, and the same on its line.
	peers, before, linePeers, lineBefore int
	passed                               bool
}

// peer takes notice of a statement that looks alike, in source order.
func (s *siteQuery) peer(self bool, keyword Span) {
	sameLine := s.m.File.Line(keyword.Start) == s.m.File.Line(s.keyword.Start)
	s.passed = s.passed || self
	s.peers++
	if sameLine {
		s.linePeers++
	}
	if !s.passed {
		s.before++
		if sameLine {
			s.lineBefore++
		}
	}
}

// methods returns where the code of the body is.
func (s *siteQuery) methods() []MethodRef {
	if s.body.l != nil {
		return s.m.Lambdas[s.body.l]
	}
	return s.m.Methods[s.body.m]
}

// run collects what pick offers, as far as lines and order allow.
func (s *siteQuery) run(pick func(c *facts.Class, method *facts.Method, index int) []found) []SiteRef {
	var refs []SiteRef
	for _, ref := range s.methods() {
		c := s.m.byName[ref.Class]
		method := &c.Methods[ref.Method]
		list := pick(c, method, ref.Method)
		kept := list[:0:0]
		trusted := s.m.trusted(method, []segment{{body: s.body}})
		if trusted {
			kept = s.byLine(list)
		}
		switch {
		case len(kept) > 0:
			list = kept
		case len(list) == s.peers:
			list = list[s.before : s.before+1]
		case trusted:
			list = s.statement(list)
		}
		for _, x := range list {
			refs = append(refs, SiteRef{ref.Class, ref.Method, x.site})
		}
	}
	return refs
}

// statement keeps what is on the last line before: some compilers give all of a
// statement the line that it starts on.
func (s *siteQuery) statement(list []found) []found {
	line := int32(s.m.File.Line(s.keyword.Start))
	best := int32(0)
	for _, x := range list {
		if x.line < line {
			best = max(best, x.line)
		}
	}
	var kept []found
	for _, x := range list {
		if x.line == best && best > 0 {
			kept = append(kept, x)
		}
	}
	return kept
}

// byLine keeps what stands on the line of the keyword, or where nothing does,
// on the lines of the whole.
func (s *siteQuery) byLine(list []found) []found {
	f := s.m.File
	on := func(first, last int) []found {
		var kept []found
		for _, x := range list {
			if n := int(x.line); n >= first && n <= last {
				kept = append(kept, x)
			}
		}
		return kept
	}
	line := f.Line(s.keyword.Start)
	kept := on(line, line)
	if len(kept) == 0 {
		return on(f.Line(s.span.Start), f.Line(s.span.End))
	}
	if len(kept) == s.linePeers {
		return kept[s.lineBefore : s.lineBefore+1]
	}
	return kept
}
