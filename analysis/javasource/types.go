package javasource

// This file parses type declarations and names the types.

import "strconv"

// typeDecl parses the type declaration whose keyword is token i. The scope is
// that of a local type, nil for others.
func (p *parser) typeDecl(outer *Type, s *scope, h *header, i, hi int) int {
	t := &Type{Outer: outer, Static: h.static}
	switch p.kind(i) {
	case kInterface:
		t.Kind, t.Static = Interface, true
		if i > 0 && p.kind(i-1) == kAt {
			t.Kind = Annotation
		}
	case kEnum:
		t.Kind, t.Static = Enum, true
	case kRecord:
		t.Kind, t.Static = Record, true
	}
	if outer == nil || outer.Kind == Interface || outer.Kind == Annotation {
		t.Static = true
	}
	if i++; p.kind(i).isIdent() {
		t.Name, t.NameSpan = p.name(i), p.span(i, i+1)
		i++
	}
	if p.kind(i) == kLess {
		var th header
		i = p.typeParams(&th, i)
		t.TypeParams, t.Bounds = th.typeParams, th.bounds
	}
	if t.Kind == Record && p.kind(i) == kLParen {
		end, after := p.toks.close(i)
		t.recordHeader = p.params(i+1, end)
		i = after
	}
	i = p.supertypes(t, i, hi)
	if outer == nil && p.implicit != nil && p.f.Package == "" {
		t.Outer = p.implicit // JEP 512: a member of the implicit class
	}
	p.register(t, s)
	if p.kind(i) != kLBrace {
		t.Span = p.span(h.start, i)
		p.f.Broken = true
		return max(i, h.start+1)
	}
	end, after := p.toks.close(i)
	t.Span, t.Body = p.span(h.start, after), p.span(i, after)
	p.body(t, i+1, end)
	return max(after, i+1)
}

// supertypes reads the extends, implements and permits clauses at token i.
func (p *parser) supertypes(t *Type, i, hi int) int {
	for {
		var list []string
		switch p.kind(i) {
		case kExtends:
			list, i = p.typeList(i+1, hi, kComma)
			if t.Kind == Interface {
				t.Interfaces = list
			} else if len(list) > 0 {
				t.Super = list[0]
			}
		case kImplements:
			t.Interfaces, i = p.typeList(i+1, hi, kComma)
		case kPermits:
			_, i = p.typeList(i+1, hi, kComma)
		default:
			return i
		}
	}
}

// body parses the members of t in tokens lo to hi.
func (p *parser) body(t *Type, lo, hi int) {
	if p.depth >= maxDepth {
		p.f.Broken = true
		return
	}
	p.depth++
	i := lo
	if t.Kind == Enum {
		i = p.enumConstants(t, i, hi)
	}
	for i < hi {
		i = p.declaration(t, i, hi)
	}
	p.depth--
}

// enumConstants parses the constants of an enum.
func (p *parser) enumConstants(t *Type, i, hi int) int {
	for i < hi {
		start := i
		for p.kind(i) == kAt && p.kind(i+1) != kInterface {
			i = p.annotation(i)
		}
		if p.kind(i) == kSemi {
			return i + 1
		}
		if !p.kind(i).isIdent() || !p.endsConstant(i+1) {
			return start // members without the semicolon before them
		}
		name := i
		i++
		m := p.initMember(t, true, start, i)
		s := scope{t: t, m: m}
		if p.kind(i) == kLParen {
			end, after := p.toks.close(i)
			p.code(i+1, end, s)
			i = after
		}
		if p.kind(i) == kLBrace {
			end, after := p.toks.close(i)
			c := &Type{Kind: EnumConstant, Name: p.name(name), NameSpan: p.span(name, name+1),
				Span: p.span(start, after), Body: p.span(i, after), Outer: t, Super: t.Name, Member: m, Static: true}
			p.register(c, &s)
			p.body(c, i+1, end)
			i = after
		}
		i = min(i, hi)
		m.Parts[len(m.Parts)-1] = p.span(start, i)
		p.ranges[len(p.ranges)-1].hi = i
		if p.kind(i) == kComma {
			i++
		}
	}
	return i
}

// endsConstant tells whether token i may follow the name of an enum constant.
func (p *parser) endsConstant(i int) bool {
	switch p.kind(i) {
	case kComma, kSemi, kLParen, kLBrace, kRBrace:
		return true
	}
	return false
}

// register names the type and enters it into the file and its outer type.
func (p *parser) register(t *Type, s *scope) {
	p.f.Types = append(p.f.Types, t)
	outer := t.Outer
	if s != nil {
		t.Member, t.Lambda = s.m, s.lambda
	}
	if outer == nil {
		t.BinaryName = internal(p.f.Package, t.Name)
		return
	}
	outer.Types = append(outer.Types, t)
	switch {
	case t.Kind == Anonymous || t.Kind == EnumConstant:
		outer.anonymous++
		t.BinaryName = outer.BinaryName + "$" + strconv.Itoa(outer.anonymous)
	case s != nil:
		t.Local = true
		if outer.locals == nil {
			outer.locals = make(map[string]int)
		}
		outer.locals[t.Name]++
		t.BinaryName = outer.BinaryName + "$" + strconv.Itoa(outer.locals[t.Name]) + t.Name
	default:
		t.BinaryName = outer.BinaryName + "$" + t.Name
	}
}
