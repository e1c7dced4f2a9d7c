package javasource

// This file parses compilation units and type bodies.

import (
	"strings"
	"sync"
)

// maxDepth limits how deeply types, try statements and lambdas nest; what lies
// deeper is read as flat code.
const maxDepth = 250

// Parse reads the structure of a source file, without its calls. It never fails;
// File.Broken tells whether it had to guess. The source must be UTF-8 (see DecodeSource);
// malformed bytes count as letters. The result holds nothing of the text but names.
func Parse(src []byte) *File { return parse(src, false) }

// ParseCalls is Parse with the calls of the file, which take more memory than all the rest.
func ParseCalls(src []byte) *File { return parse(src, true) }

func parse(src []byte, calls bool) *File {
	text, escapes := translate(src)
	f := &File{LineStarts: findLineStarts(src), Size: len(src)}
	p := &parser{f: f, text: text, toks: tokenPool.Get().(*tokens), withCalls: calls}
	p.toks.reset()
	f.Broken = lex(text, p.toks)
	p.pos, p.posEnd = p.toks.start, p.toks.end
	if escapes != nil {
		p.pos = append([]int32(nil), p.pos...)
		p.posEnd = append([]int32(nil), p.posEnd...)
		escapes.original(p.pos)
		escapes.original(p.posEnd)
	}
	lines := &lineIndex{src: src, starts: f.LineStarts}
	if !pairBrackets(p.toks, p.pos, lines) {
		f.Broken = true
	}
	p.unit()
	p.finish()
	if cap(p.toks.kinds) < maxPooled {
		tokenPool.Put(p.toks)
	}
	return f
}

// maxPooled limits the number of tokens that memory is kept for.
const maxPooled = 1 << 18

var tokenPool = sync.Pool{New: func() any { return &tokens{names: map[string]string{}} }}

type parser struct {
	f           *File
	text        string // Unicode escapes translated
	toks        *tokens
	pos, posEnd []int32 // of the tokens in the source
	depth       int
	implicit    *Type
	ranges      []memberRange
	tryTokens   []tryTokens
	withCalls   bool
	calls       []Call // memory for calls, in blocks
}

// memberRange is a token range that belongs to a member.
type memberRange struct {
	m      *Member
	lo, hi int
}

// kind returns the kind of token i, kEOF outside.
func (p *parser) kind(i int) kind {
	if uint(i) >= uint(len(p.toks.kinds)) {
		return kEOF
	}
	return p.toks.kinds[i]
}

// word returns the text of token i.
func (p *parser) word(i int) string { return p.text[p.toks.start[i]:p.toks.end[i]] }

// name is word for what outlives the parser: a copy, which does not hold the text.
func (p *parser) name(i int) string {
	s := p.word(i)
	kept, ok := p.toks.names[s]
	if !ok {
		kept = strings.Clone(s)
		p.toks.names[kept] = kept
	}
	return kept
}

// span returns the source span of tokens lo to hi, exclusive.
func (p *parser) span(lo, hi int) Span {
	if hi <= lo {
		return Span{int(p.pos[lo]), int(p.pos[lo])}
	}
	return Span{int(p.pos[lo]), int(p.posEnd[hi-1])}
}

// unit parses the whole file.
func (p *parser) unit() {
	last := len(p.toks.kinds) - 1
	i := p.annotationsBeforePackage(0)
	if p.kind(i) != kPackage {
		i = 0
	}
	for i < last {
		switch {
		case p.kind(i) == kPackage:
			p.f.Package, i = p.qualified(i + 1)
			i = p.skipSemi(i)
		case p.kind(i) == kImport:
			i = p.importDecl(i)
		case p.kind(i) == kSemi || p.kind(i) == kRBrace:
			i++
		case p.moduleDecl(i) > i:
			i = p.moduleDecl(i)
		default:
			i = p.declaration(nil, i, last)
		}
	}
}

// annotationsBeforePackage returns the index after the annotations at i.
func (p *parser) annotationsBeforePackage(i int) int {
	for p.kind(i) == kAt && p.kind(i+1).isIdent() {
		i = p.annotation(i)
	}
	return i
}

// annotation returns the index after the annotation whose @ is token i.
func (p *parser) annotation(i int) int {
	i++
	for p.kind(i).isIdent() && p.kind(i+1) == kDot {
		i += 2
	}
	if p.kind(i).isIdent() {
		i++
	}
	if p.kind(i) == kLParen {
		_, i = p.toks.close(i)
	}
	return i
}

// qualified reads a dotted name.
func (p *parser) qualified(i int) (string, int) {
	start := i
	for p.kind(i).isIdent() && p.kind(i+1) == kDot && p.kind(i+2).isIdent() {
		i += 2
	}
	if !p.kind(i).isIdent() {
		return "", i
	}
	if i == start {
		return p.name(i), i + 1
	}
	return p.join(start, i+1), i + 1
}

// join returns the texts of tokens lo to hi without white space, but with one
// space between words.
func (p *parser) join(lo, hi int) string {
	switch {
	case hi <= lo:
		return ""
	case hi == lo+1:
		return p.name(lo)
	}
	var b strings.Builder
	for i := lo; i < hi; i++ {
		if i > lo && p.wordlike(i-1) && p.wordlike(i) || i > lo && p.kind(i-1) == kQuestion && p.wordlike(i) {
			b.WriteByte(' ')
		}
		b.WriteString(p.word(i))
	}
	return b.String()
}

func (p *parser) wordlike(i int) bool {
	k := p.kind(i)
	return k.isIdent() || k >= kPackage
}

func (p *parser) skipSemi(i int) int {
	if p.kind(i) == kSemi {
		return i + 1
	}
	return i
}

// importDecl parses the import at token i.
func (p *parser) importDecl(i int) int {
	start := i
	i++
	im := Import{}
	if p.kind(i) == kStatic {
		im.Static = true
		i++
	} else if p.kind(i) == kIdent && p.word(i) == "module" && p.kind(i+1).isIdent() {
		im.Module = true
		i++
	}
	im.Name, i = p.qualified(i)
	if p.kind(i) == kDot && p.kind(i+1) == kOp && p.word(i+1) == "*" {
		im.OnDemand = true
		i += 2
	}
	i = p.skipSemi(i)
	im.Span = p.span(start, i)
	if im.Name != "" {
		p.f.Imports = append(p.f.Imports, im)
	}
	return max(i, start+1)
}

// moduleDecl returns the index after the module declaration at i, or i.
func (p *parser) moduleDecl(start int) int {
	i := p.annotationsBeforePackage(start)
	if p.kind(i) == kIdent && p.word(i) == "open" {
		i++
	}
	if p.kind(i) != kIdent || p.word(i) != "module" || !p.kind(i+1).isIdent() {
		return start
	}
	name, i := p.qualified(i + 1)
	if name == "" || p.kind(i) != kLBrace {
		return start
	}
	_, after := p.toks.close(i)
	return after
}

// A header collects what stands before a declaration's name.
type header struct {
	start      int // first token
	static     bool
	isDefault  bool
	typeParams []string
	bounds     []string
}

// declaration parses one member of t, or of the compilation unit if t is nil,
// that starts at token i. It returns the index after it, which is above i.
func (p *parser) declaration(t *Type, i, hi int) int {
	h := header{start: i}
	for i < hi {
		switch k := p.kind(i); {
		case k == kAt && p.kind(i+1) == kInterface:
			return p.typeDecl(t, nil, &h, i+1, hi)
		case k == kAt:
			i = min(p.annotation(i), hi)
			continue
		case k == kStatic:
			h.static = true
			i++
			continue
		case k == kDefault:
			h.isDefault = true
			i++
			continue
		case k == kModifier || k == kFinal || k == kSynchronized:
			i++
			continue
		case k == kSealed && p.startsDeclaration(i+1):
			i++
			continue
		case k == kNon && p.kind(i+1) == kOp && p.kind(i+2) == kSealed:
			i += 3
			continue
		case p.typeDeclAt(i):
			return p.typeDecl(t, nil, &h, i, hi)
		case k == kImport || k == kPackage: // something unfinished stands before it
			p.f.Broken = true
			if t == nil && i > h.start {
				return i
			}
			return p.importDecl(i)
		case k == kLBrace:
			return p.initializer(t, &h, i)
		case k == kSemi || k == kRBrace:
			return i + 1
		}
		return p.memberDecl(t, &h, i, hi)
	}
	return hi
}

// startsDeclaration tells whether token i may follow the modifier sealed.
func (p *parser) startsDeclaration(i int) bool {
	switch p.kind(i) {
	case kClass, kInterface, kModifier, kStatic, kFinal, kAt:
		return true
	}
	return false
}

// typeDeclAt tells whether a class, interface, enum or record declaration has
// its keyword at token i.
func (p *parser) typeDeclAt(i int) bool {
	switch p.kind(i) {
	case kClass, kInterface:
		return p.kind(i + 1).isIdent()
	case kEnum: // others are identifiers already
		return true
	case kRecord: // an identifier before Java 16
		if !p.kind(i + 1).isIdent() {
			return false
		}
		n := i + 2
		if p.kind(n) == kLess {
			n = p.skipAngles(n)
		}
		if p.kind(n) != kLParen {
			return false
		}
		_, after := p.toks.close(n)
		return p.kind(after) == kLBrace || p.kind(after) == kImplements
	}
	return false
}

// skipAngles returns the index after the type arguments or parameters whose <
// is token i, or i+1 where they make no sense.
func (p *parser) skipAngles(i int) int {
	const longest = 2000 // tokens; what is longer is a mistake
	depth := 0
	for n := i; n < i+longest; n++ {
		switch k := p.kind(n); k {
		case kLess:
			depth++
		case kGreater:
			depth--
			if depth == 0 {
				return n + 1
			}
		case kAt:
			n = p.annotation(n) - 1
		case kIdent, kDot, kComma, kQuestion, kExtends, kSuper, kAmp, kPrimitive, kLBracket, kRBracket:
		default:
			if !k.isIdent() {
				return i + 1
			}
		}
	}
	return i + 1
}

// typeParams reads the type parameters whose < is token i into h.
func (p *parser) typeParams(h *header, i int) int {
	after := p.skipAngles(i)
	depth, expect := 0, true
	for n := i; n < after; n++ {
		switch k := p.kind(n); {
		case k == kLess:
			depth++
		case k == kGreater:
			depth--
		case k == kAt:
			n = p.annotation(n) - 1
		case k == kComma && depth == 1:
			expect = true
		case k.isIdent() && depth == 1 && expect:
			expect = false
			h.typeParams = append(h.typeParams, p.name(n))
			bound := ""
			if p.kind(n+1) == kExtends {
				bound, n = p.typeText(n+2, after)
				n--
			}
			h.bounds = append(h.bounds, bound)
		}
	}
	return after
}

// typeText reads a type at token i: its text without annotations and spaces,
// and the index after it.
func (p *parser) typeText(i, hi int) (string, int) {
	var b strings.Builder
	start, plain, end := i, true, i
	complete := false // the tokens so far are a type; a dot may continue it
loop:
	for i < hi {
		switch k := p.kind(i); {
		case k == kAt && p.kind(i+1) != kInterface:
			plain = false
			b.WriteString(p.join(start, i))
			i = p.annotation(i)
			start = i
			continue
		case k.isIdent(), k == kPrimitive, k == kVoid:
			if complete {
				break loop
			}
			complete = true
			i++
		case k == kDot && complete:
			complete = false
			i++
		case k == kEllipsis && complete:
			i++
		case k == kLess && complete:
			i = p.skipAngles(i)
		case k == kLBracket && complete && p.kind(i+1) == kRBracket:
			i += 2
		default:
			break loop
		}
		end = i
	}
	if plain {
		return p.join(start, end), end
	}
	if end > start {
		b.WriteString(p.join(start, end))
	}
	return b.String(), i
}

// typeList reads types separated by commas (or by &, | where sep says so).
func (p *parser) typeList(i, hi int, sep kind) ([]string, int) {
	var list []string
	for i < hi {
		text, after := p.typeText(i, hi)
		if text != "" {
			list = append(list, text)
		}
		i = after
		if p.kind(i) != sep {
			break
		}
		i++
	}
	return list, i
}

// initializer parses the initialiser block whose { is token i.
func (p *parser) initializer(t *Type, h *header, i int) int {
	end, after := p.toks.close(i)
	t = p.owner(t, h.start)
	m := p.initMember(t, h.static, h.start, after)
	p.code(i+1, end, scope{t: t, m: m})
	return max(after, i+1)
}

// owner returns the type that a member belongs to: t, or where there is none
// the implicit class (JEP 512), or after unbalanced braces the type before.
func (p *parser) owner(t *Type, i int) *Type {
	if t != nil {
		return t
	}
	if p.implicit == nil {
		if p.f.Broken {
			for n := len(p.f.Types) - 1; n >= 0; n-- {
				if p.f.Types[n].Outer == nil {
					return p.f.Types[n]
				}
			}
		}
		p.implicit = &Type{Kind: Implicit, Span: Span{0, p.f.Size}, Body: Span{int(p.pos[i]), p.f.Size}}
		p.f.Types = append(p.f.Types, p.implicit)
	}
	return p.implicit
}

// initMember returns the member that holds a class's instance or static
// initialisers, to which it adds the tokens lo to hi.
func (p *parser) initMember(t *Type, static bool, lo, hi int) *Member {
	kind, name := InstanceInit, BlockName
	if static {
		kind, name = StaticInit, ClinitName
	}
	part := p.span(lo, hi)
	slot := &t.inits[kind-InstanceInit]
	m := *slot
	if m == nil {
		m = &Member{Kind: kind, Type: t, Name: name, Static: static, Span: part,
			NameSpan: p.span(lo, lo+1), ThisCall: -1, SuperCall: -1}
		t.Members = append(t.Members, m)
		*slot = m
	}
	m.Parts = append(m.Parts, part)
	p.ranges = append(p.ranges, memberRange{m, lo, hi})
	return m
}

// memberDecl parses a method, constructor or field at token i.
func (p *parser) memberDecl(t *Type, h *header, i, hi int) int {
	first := i
	if p.kind(i) == kLess {
		i = p.typeParams(h, i)
	}
	name, typeStart := -1, i
	for i < hi {
		switch k := p.kind(i); {
		case k.isIdent():
			name = i
			i++
		case k == kPrimitive, k == kVoid, k == kDot, k == kRBracket, k == kOp && name < 0:
			i++
		case k == kAt:
			i = min(p.annotation(i), hi)
		case k == kLess:
			i = p.skipAngles(i)
		case k == kLBracket:
			_, i = p.toks.close(i)
		case k == kLParen && name >= 0:
			return p.method(t, h, name, name == typeStart, i, hi)
		case k == kLBrace && name >= 0:
			return p.methodBody(t, h, p.newMember(t, h, name, name == typeStart, i), i, hi)
		case (k == kAssign || k == kSemi || k == kComma) && name >= 0:
			return p.field(t, h, first, i, hi)
		default:
			return p.resync(t, first, i, hi)
		}
	}
	return hi
}

// resync skips what is no declaration. Statements that stand where members
// should (after a brace too many) are read as code of the initialiser.
func (p *parser) resync(t *Type, first, i, hi int) int {
	if i > first {
		return i
	}
	p.f.Broken = true
	lo := i
	for i < hi {
		switch k := p.kind(i); k {
		case kSemi:
			i++
		case kLParen, kLBracket:
			_, i = p.toks.close(i)
			continue
		case kLBrace:
			_, i = p.toks.close(i)
			if k := p.kind(i); k == kCatch || k == kFinally || k == kStatement {
				continue
			}
		case kModifier, kStatic, kAt, kClass, kInterface, kImport:
			if i == lo {
				i++
			}
		default:
			i++
			continue
		}
		break
	}
	i = max(i, lo+1)
	owner := p.owner(t, lo)
	p.code(lo, i, scope{t: owner, m: p.initMember(owner, false, lo, i)})
	return i
}

// newMember makes the member whose name is token name. Its body or parameters
// start at token i.
func (p *parser) newMember(t *Type, h *header, name int, noType bool, i int) *Member {
	t = p.owner(t, h.start)
	m := &Member{Kind: Method, Type: t, Name: p.name(name), NameSpan: p.span(name, name+1),
		TypeParams: h.typeParams, Bounds: h.bounds, Static: h.static, ThisCall: -1, SuperCall: -1}
	if noType && (m.Name == t.Name || t.Kind == Anonymous || p.kind(i) == kLBrace) && t.Kind != Implicit {
		m.Kind, m.Name = Constructor, InitName
		if p.kind(i) == kLBrace && t.Kind == Record {
			m.Kind = CompactConstructor
			m.ParamTypes = t.recordHeader
		}
	}
	t.Members = append(t.Members, m)
	return m
}

// method parses the method or constructor whose parameter list's ( is token i.
func (p *parser) method(t *Type, h *header, name int, noType bool, i, hi int) int {
	m := p.newMember(t, h, name, noType, i)
	end, after := p.toks.close(i)
	if end >= after { // not closed: the parameters end before the body at the latest
		for n := i + 1; n < end; n++ {
			if p.kind(n) == kLBrace {
				end, after = n, n
			}
		}
	}
	m.ParamTypes = p.params(i+1, end)
	i = after
	for p.kind(i) == kLBracket && p.kind(i+1) == kRBracket { // int f()[]
		i += 2
	}
	if p.kind(i) == kThrows {
		_, i = p.typeList(i+1, hi, kComma)
	}
	return p.methodBody(t, h, m, i, hi)
}

// methodBody parses what follows a method's header.
func (p *parser) methodBody(t *Type, h *header, m *Member, i, hi int) int {
	switch p.kind(i) {
	case kLBrace:
		end, after := p.toks.close(i)
		m.Body = p.span(i, after)
		p.code(i+1, end, scope{t: m.Type, m: m})
		i = after
	case kDefault: // of an annotation's element
		for i < hi && p.kind(i) != kSemi {
			i++
		}
		i = p.skipSemi(i)
	case kSemi:
		i++
	}
	i = min(max(i, h.start+1), hi)
	m.Span = p.span(h.start, i)
	m.Parts = []Span{m.Span}
	p.ranges = append(p.ranges, memberRange{m, h.start, i})
	return i
}

// params returns the types of the formal parameters in tokens lo to hi.
func (p *parser) params(lo, hi int) []string {
	var types []string
	for i := lo; i < hi; {
		for i < hi && (p.kind(i) == kFinal || p.kind(i) == kAt) {
			if p.kind(i) == kAt {
				i = p.annotation(i)
			} else {
				i++
			}
		}
		text, after := p.typeText(i, hi)
		i = after
		receiver := false
		for i < hi && p.kind(i) != kComma { // name, dimensions after it
			switch p.kind(i) {
			case kThis:
				receiver = true
			case kLBracket:
				text += "[]"
			case kLParen:
				_, i = p.toks.close(i)
				continue
			}
			i++
		}
		if text != "" && !receiver {
			types = append(types, text)
		}
		i++
	}
	return types
}

// startsMember tells whether a token that follows an expression without a
// bracket around it must be the start of the next member.
func (p *parser) startsMember(i int) bool {
	switch k := p.kind(i); {
	case k == kModifier || k == kStatic || k == kImport:
		return true
	case k == kVoid || k == kPrimitive:
		return p.kind(i + 1).isIdent()
	case k == kClass || k == kInterface:
		return p.kind(i-1) != kDot
	case k == kAt:
		return p.startsLine(i)
	case k.isIdent():
		return p.kind(i+1).isIdent() && p.kind(i-1) != kInstanceof && p.startsLine(i)
	}
	return false
}

// startsLine tells whether a token is the first of its line.
func (p *parser) startsLine(i int) bool {
	return i == 0 || p.f.line(int(p.pos[i-1])) != p.f.line(int(p.pos[i]))
}

// field parses the rest of a field declaration, from the token after the first
// name on. Only its initialisers matter.
func (p *parser) field(t *Type, h *header, first, i, hi int) int {
	start, end := i, i
	for end < hi && p.kind(end) != kSemi {
		switch k := p.kind(end); {
		case k == kLParen || k == kLBrace || k == kLBracket:
			_, after := p.toks.close(end)
			end = max(after, end+1)
			continue
		case p.startsMember(end):
			// The semicolon is missing: the next member starts here.
			p.f.Broken = true
			goto found
		}
		end++
	}
found:
	end = min(end, hi)
	after := end
	if after < hi && p.kind(after) == kSemi {
		after++
	}
	if p.kind(start) == kSemi {
		return after
	}
	owner := p.owner(t, h.start)
	static := h.static || owner.Kind == Interface || owner.Kind == Annotation
	m := p.initMember(owner, static, h.start, after)
	p.code(start, end, scope{t: owner, m: m})
	return max(after, first+1)
}
