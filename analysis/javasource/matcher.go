package javasource

// This file matches types with classes and members with methods.

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
)

// Access flags (JVMS 4.1, 4.6).
const (
	accStatic    = 0x0008
	accSynthetic = 0x1000
)

// body names a sequence of code: that of a member outside of its lambdas, or
// that of a lambda outside of those in it.
type body struct {
	m *Member
	l *Lambda
}

type matcher struct {
	*Matches
	taken    map[MethodRef]bool // methods that some body is in
	roots    map[body][]*Try    // try statements that stand in no other of the body
	children map[*Try][]*Try    // those directly in another of the same body
	lambdas  map[body][]*Lambda // lambdas directly in the body
	copies   map[*Try]bool      // the finally block holds catches
	catching map[*Lambda]bool   // it, or a lambda in it, has catches
	// synthetics are the synthetic methods of the class at hand, by name.
	synthetics map[string][]int
}

// index sorts the try statements and lambdas by what they stand in.
func (m *matcher) index() {
	m.roots = make(map[body][]*Try)
	m.children = make(map[*Try][]*Try)
	m.lambdas = make(map[body][]*Lambda)
	m.copies = make(map[*Try]bool)
	m.catching = make(map[*Lambda]bool)
	for _, c := range m.File.Catches {
		for l := c.Lambda; l != nil; l = l.Parent {
			m.catching[l] = true
		}
	}
	for _, t := range m.File.Tries {
		if t.Parent != nil && t.Parent.Lambda == t.Lambda {
			m.children[t.Parent] = append(m.children[t.Parent], t)
		} else {
			b := body{t.Member, t.Lambda}
			m.roots[b] = append(m.roots[b], t)
		}
		if len(t.Catches) == 0 {
			continue
		}
		for in := t; in != nil && in.Lambda == t.Lambda; in = in.Parent {
			if in.Place.Part == InFinally && in.Place.Try.Lambda == t.Lambda {
				m.copies[in.Place.Try] = true
			}
		}
	}
	for _, t := range m.File.Types {
		for _, mem := range t.Members {
			for _, l := range mem.Lambdas {
				b := body{mem, l.Parent}
				m.lambdas[b] = append(m.lambdas[b], l)
			}
		}
	}
}

// linesFit tells whether the text is the one that the classes were compiled
// from, as far as line numbers show: nearly every handler is on the line of a
// catch of its types.
func (m *matcher) linesFit(classes []*facts.Class) bool {
	onLine := make(map[int][]*Catch)
	for _, c := range m.File.Catches {
		for n := m.File.Line(c.Keyword.Start); n <= m.File.Line(c.Body.Start); n++ {
			onLine[n] = append(onLine[n], c)
		}
	}
	tops := make(map[string]bool)
	for _, t := range m.File.Types {
		tops[t.BinaryName] = true
	}
	fits, misfits := 0, 0
	for _, c := range classes {
		top, _, _ := strings.Cut(c.Name, "$")
		if !tops[top] && !tops[c.Name] {
			continue
		}
		for i := range c.Methods {
			method := &c.Methods[i]
			for j := range method.Handlers() {
				h := &method.Handlers()[j]
				if h.Line == 0 || !typed(h) || compilerPattern(c, method, j) != Unexplained {
					continue
				}
				if slices.ContainsFunc(onLine[int(h.Line)],
					func(x *Catch) bool { return typesScore(x, h.Types) > impossible }) {
					fits++
				} else {
					misfits++
				}
			}
		}
	}
	return misfits*20 <= fits
}

// types finds the classes of all types.
func (m *matcher) types(classes []*facts.Class) {
	local := make(map[string][]*facts.Class) // local and anonymous classes by directly enclosing class
	for _, c := range classes {
		if outer, _, ok := localName(c); ok && c.Access&accSynthetic == 0 {
			local[outer] = append(local[outer], c)
		}
	}
	for _, t := range m.File.Types {
		switch {
		case t.Kind == Implicit:
			m.setClass(t, m.implicitClass(classes))
		case t.Outer == nil:
			m.setClass(t, m.byName[t.BinaryName])
		case t.Member == nil: // a member type
			if c := m.Classes[t.Outer]; c != nil {
				m.setClass(t, m.byName[c.Name+"$"+t.Name])
			}
		}
		// The enclosing types come first, so t's class is known by now, if it
		// is a local one too.
		if c := m.Classes[t]; c != nil {
			m.locals(t, local[c.Name])
		}
	}
}

func (m *matcher) setClass(t *Type, c *facts.Class) {
	if c != nil {
		m.Classes[t] = c
	}
}

// implicitClass finds the class of a compact source file: the one top-level
// class that no type of the file is named like.
func (m *matcher) implicitClass(classes []*facts.Class) *facts.Class {
	named := make(map[string]bool)
	for _, t := range m.File.Types {
		named[t.BinaryName] = true
	}
	for _, c := range classes {
		if c.Outer == "" && !named[c.Name] && !strings.Contains(c.Name, "/") &&
			strings.TrimSuffix(c.SourceFile, ".java") == c.Name {
			return c
		}
	}
	return nil
}

// localName splits the name of a local or anonymous class into the directly
// enclosing class and the part after the number.
func localName(c *facts.Class) (outer, name string, ok bool) {
	i := strings.LastIndexByte(c.Name, '$')
	for i > 0 {
		rest := c.Name[i+1:]
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits > 0 {
			outer = c.Name[:i]
			if c.OuterMethod != "" || c.Outer != "" && strings.HasPrefix(c.Name, c.Outer+"$") {
				outer = c.Outer
			}
			return outer, rest[digits:], true
		}
		// a $ may be part of a local class's own name
		if c.Outer == "" || i <= len(c.Outer) {
			return "", "", false
		}
		i = strings.LastIndexByte(c.Name[:i], '$')
	}
	return "", "", false
}

// pairing is a possible pair of something of the source with something of the
// class file.
type pairing struct{ source, class, score int }

// assign pairs up greedily: better scores first, then in order on both sides.
func assign(pairs []pairing, sources, classes int, found func(source, class int)) {
	sort.SliceStable(pairs, func(i, j int) bool { return pairs[i].score > pairs[j].score })
	usedS, usedC := make([]bool, sources), make([]bool, classes)
	for _, p := range pairs {
		if !usedS[p.source] && !usedC[p.class] {
			usedS[p.source], usedC[p.class] = true, true
			found(p.source, p.class)
		}
	}
}

// locals finds the classes of the local and anonymous types directly in t.
func (m *matcher) locals(t *Type, classes []*facts.Class) {
	var types []*Type
	for _, x := range t.Types {
		if x.Member != nil {
			types = append(types, x)
		}
	}
	if len(types) == 0 || len(classes) == 0 {
		return
	}
	sort.Slice(classes, func(i, j int) bool {
		a, b := classes[i].Name, classes[j].Name
		if len(a) != len(b) {
			return len(a) < len(b) // numbers in order
		}
		return a < b
	})
	var pairs []pairing
	for i, x := range types {
		for j, c := range classes {
			if s, ok := m.localScore(x, c); ok {
				pairs = append(pairs, pairing{i, j, s})
			}
		}
	}
	assign(pairs, len(types), len(classes), func(i, j int) { m.Classes[types[i]] = classes[j] })
}

// localScore tells how well a local or anonymous type fits a class.
func (m *matcher) localScore(t *Type, c *facts.Class) (score int, ok bool) {
	_, name, _ := localName(c)
	if t.Local && name != t.Name || !t.Local && name != "" {
		return 0, false
	}
	if !t.Local {
		super := simpleName(erase(t.Super))
		fits := classSimpleName(c.Super) == super || t.Kind == EnumConstant && c.Super == m.className(t.Outer)
		for _, i := range c.Interfaces {
			fits = fits || classSimpleName(i) == super
		}
		if !fits {
			return 0, false
		}
	}
	if c.OuterMethod != "" {
		if c.OuterMethod == t.Member.Name {
			score += 3
		} else {
			score -= 3
		}
	} else if t.Member.Kind == StaticInit || t.Member.Kind == InstanceInit {
		score += 3
	}
	score += m.linesScore(t, c)
	for _, mem := range t.Members {
		if mem.Kind == Method {
			score += memberEvidence(mem, c)
		}
	}
	return score, true
}

// linesScore compares a class's lines with the place of a type.
func (m *matcher) linesScore(t *Type, c *facts.Class) int {
	if !m.lines {
		return 0
	}
	first, last := m.File.Line(t.Span.Start), m.File.Line(t.Span.End)
	in, out := 0, 0
	for i := range c.Methods {
		n := int(c.Methods[i].FirstLine)
		switch {
		case n == 0 || c.Methods[i].Access&accSynthetic != 0:
		case n >= first && n <= last:
			in++
		default:
			out++
		}
	}
	switch {
	case in > 0 && out == 0:
		return 20
	case out > 0:
		return -20
	}
	return 0
}

// memberEvidence tells how well a method's name and catches occur in a class.
func memberEvidence(mem *Member, c *facts.Class) int {
	score := -4
	for i := range c.Methods {
		method := &c.Methods[i]
		if method.Name != mem.Name || method.Access&accSynthetic != 0 {
			continue
		}
		score = 1
		for _, clause := range mem.Catches {
			if clause.Lambda != nil || clause.dead() {
				continue
			}
			found := false
			for h := range method.Handlers() {
				found = found || typesScore(clause, method.Handlers()[h].Types) > impossible
			}
			if found {
				score++
			} else {
				score -= 30
			}
		}
	}
	return score
}

func (m *matcher) className(t *Type) string {
	if c := m.Classes[t]; c != nil {
		return c.Name
	}
	return t.BinaryName
}

// classSimpleName returns the simple name in an internal name.
func classSimpleName(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if i := strings.LastIndexByte(name, '$'); i >= 0 && i+1 < len(name) {
		rest := strings.TrimLeft(name[i+1:], "0123456789")
		if rest != "" {
			return rest
		}
	}
	return name
}

// class matches the members of t with the methods of c, and their catches with
// the handlers.
func (m *matcher) class(t *Type, c *facts.Class) {
	var instance, static *Member
	groups := make(map[string][]*Member)
	for _, mem := range t.Members {
		switch mem.Kind {
		case InstanceInit:
			instance = mem
		case StaticInit:
			static = mem
		default:
			groups[mem.Name] = append(groups[mem.Name], mem)
		}
	}
	memberOf := make([]*Member, len(c.Methods))
	methods := make(map[string][]int)
	m.synthetics = make(map[string][]int)
	for i := range c.Methods {
		by := methods
		if c.Methods[i].Access&accSynthetic != 0 {
			by = m.synthetics
		}
		by[c.Methods[i].Name] = append(by[c.Methods[i].Name], i)
	}
	for name, members := range groups {
		m.overloads(members, c, methods[name], memberOf)
	}
	for i := range c.Methods {
		switch name, mem := c.Methods[i].Name, memberOf[i]; {
		case name == ClinitName && static != nil:
			m.routine(c, i, []segment{whole(static)})
		case name == InitName && (mem != nil || c.Methods[i].Access&accSynthetic == 0):
			m.routine(c, i, constructorSegments(instance, mem))
		case mem != nil:
			m.routine(c, i, []segment{whole(mem)})
		}
	}
}

// overloads pairs the members of one name with the methods of that name.
func (m *matcher) overloads(members []*Member, c *facts.Class, methods []int, memberOf []*Member) {
	var pairs []pairing
	for i, mem := range members {
		for j, index := range methods {
			if s, ok := m.memberScore(mem, &c.Methods[index]); ok {
				pairs = append(pairs, pairing{i, j, s})
			}
		}
	}
	assign(pairs, len(members), len(methods), func(i, j int) { memberOf[methods[j]] = members[i] })
}

// memberScore tells how well a member fits a method of the same name.
func (m *matcher) memberScore(mem *Member, method *facts.Method) (score int, ok bool) {
	params := paramDescriptors(method.Desc)
	extra := len(params) - len(mem.ParamTypes)
	if extra < 0 || extra > 0 && mem.Name != InitName {
		return 0, false
	}
	// Constructors have the outer instance, or an enum constant's name and
	// number, before the parameters, and captured variables after them.
	usual := 0
	if mem.Name == InitName {
		usual = leadingParams(mem.Type)
	}
	best := -1 << 30
	for skip := 0; skip <= min(extra, 2); skip++ {
		s := 0
		if skip != usual || extra > usual && !mem.Type.Local {
			s = -20
		}
		for i, text := range mem.ParamTypes {
			if paramFits(mem, text, params[skip+i]) {
				s += 4
			} else {
				s -= 10
			}
		}
		best = max(best, s)
	}
	if n := int(method.FirstLine); m.lines && n >= m.File.Line(mem.Span.Start) && n <= m.File.Line(mem.Span.End) {
		best += 3
	}
	return best - extra, true
}

// leadingParams returns how many parameters compilers usually put before the
// declared ones of a constructor.
func leadingParams(t *Type) int {
	switch {
	case t.Kind == Enum:
		return 2
	case t.Static || t.Outer == nil:
		return 0
	case t.Local && (t.Member.Static || t.Member.Kind == StaticInit):
		return 0
	}
	return 1
}

// paramFits tells whether a parameter type as written may have the descriptor.
func paramFits(mem *Member, text, desc string) bool {
	text = simpleErasure(text)
	base, dims := strings.CutSuffix(text, "[]")
	for dims {
		if desc == "" || desc[0] != '[' {
			return false
		}
		desc = desc[1:]
		base, dims = strings.CutSuffix(base, "[]")
	}
	for n := 0; n < 8; n++ {
		bound, ok := typeVariable(mem, base)
		if !ok {
			break
		}
		if base = simpleErasure(bound); base == "" {
			base = "Object"
		}
	}
	return descriptorSimpleName(desc) == base
}

// typeVariable returns the bound of the type variable of that name in scope.
func typeVariable(mem *Member, name string) (bound string, ok bool) {
	for i, p := range mem.TypeParams {
		if p == name {
			return mem.Bounds[i], true
		}
	}
	for t := mem.Type; t != nil; t = t.Outer {
		for i, p := range t.TypeParams {
			if p == name {
				return t.Bounds[i], true
			}
		}
		if t.Member != nil {
			if bound, ok = typeVariable(t.Member, name); ok {
				return bound, true
			}
		}
	}
	return "", false
}

var primitives = map[byte]string{'B': "byte", 'C': "char", 'D': "double", 'F': "float", 'I': "int",
	'J': "long", 'S': "short", 'Z': "boolean"}

// descriptorSimpleName returns a descriptor's type as simpleErasure does.
func descriptorSimpleName(desc string) string {
	if desc == "" {
		return ""
	}
	switch desc[0] {
	case '[':
		return descriptorSimpleName(desc[1:]) + "[]"
	case 'L':
		return classSimpleName(strings.TrimSuffix(desc[1:], ";"))
	}
	return primitives[desc[0]]
}

// paramDescriptors splits the parameters of a method descriptor (JVMS 4.3.3).
// A malformed one ends where it stops making sense.
func paramDescriptors(desc string) []string {
	var list []string
	for i := 1; i < len(desc) && desc[i] != ')'; {
		start := i
		for i < len(desc) && desc[i] == '[' {
			i++
		}
		if i < len(desc) && desc[i] == 'L' {
			n := strings.IndexByte(desc[i:], ';')
			if n < 0 {
				return list
			}
			i += n
		}
		i++
		list = append(list, desc[start:min(i, len(desc))])
	}
	return list
}

// A segment is a part of a body, given by the offsets that its statements
// start in.
type segment struct {
	body
	from, to int
}

// whole is the segment of all of a member outside of lambdas.
func whole(m *Member) segment { return segment{body{m, nil}, 0, 1 << 62} }

// constructorSegments lists what a constructor's code consists of (JLS 12.5;
// with JEP 513 statements may come before the constructor call). The member is
// nil for a default constructor; instance may be nil.
func constructorSegments(instance, mem *Member) []segment {
	var list []segment
	switch {
	case mem == nil:
		if instance != nil {
			list = append(list, whole(instance))
		}
	case mem.ThisCall >= 0 || instance == nil:
		list = append(list, whole(mem))
	case mem.SuperCall >= 0:
		// The call's arguments are evaluated before the initialisers.
		end := mem.SuperCall
		list = append(list, segment{body{mem, nil}, 0, end}, whole(instance), segment{body{mem, nil}, end, 1 << 62})
	default:
		list = append(list, whole(instance), whole(mem))
	}
	return list
}

// routine matches the catches and lambdas of the segments with the handlers
// and lambdas of a method.
func (m *matcher) routine(c *facts.Class, index int, segments []segment) {
	ref := MethodRef{c.Name, index}
	if m.taken[ref] {
		return
	}
	m.taken[ref] = true
	for i, s := range segments {
		if s.l != nil {
			m.Lambdas[s.l] = append(m.Lambdas[s.l], ref)
		} else if i == 0 || segments[i-1].m != s.m {
			if list := m.Methods[s.m]; len(list) == 0 || list[len(list)-1] != ref {
				m.Methods[s.m] = append(list, ref)
			}
		}
	}
	m.handlers(c, index, segments)
	m.lambdaBodies(c, index, segments)
}

// trusted tells whether a method's line numbers fit the segments.
func (m *Matches) trusted(method *facts.Method, segments []segment) bool {
	n := int(method.FirstLine)
	if n == 0 || !m.lines {
		return false
	}
	for _, s := range segments {
		span := s.m.Span
		if s.l != nil {
			span = s.l.Span
		} else if s.m.Kind != Method {
			span = s.m.Type.Span
		}
		if n >= m.File.Line(span.Start) && n <= m.File.Line(span.End) {
			return true
		}
	}
	return false
}

// lambdaBodies finds the methods of the lambdas directly in the segments.
func (m *matcher) lambdaBodies(c *facts.Class, index int, segments []segment) {
	var lambdas []*Lambda
	for _, s := range segments {
		for _, l := range m.lambdas[s.body] {
			if l.Arrow >= s.from && l.Arrow < s.to && len(m.Lambdas[l]) == 0 {
				lambdas = append(lambdas, l)
			}
		}
	}
	if len(lambdas) == 0 {
		return
	}
	impls := m.lambdaMethods(c, &c.Methods[index])
	if len(impls) == 0 || len(lambdas) > maxCells/len(impls) {
		return
	}
	var byLines []pairing
	if m.lines {
		for i := range lambdas {
			for j := range impls {
				if s := m.lambdaScore(lambdas[i], &c.Methods[impls[j]], true); s > impossible {
					byLines = append(byLines, pairing{i, j, s})
				}
			}
		}
	}
	// Lines first: the order differs where finally blocks are copied.
	chosen := make([]int, len(lambdas))
	for i := range chosen {
		chosen[i] = -1
	}
	assign(byLines, len(lambdas), len(impls), func(i, j int) { chosen[i] = j })
	if m.missing(lambdas, chosen) > 0 {
		aligner := aligner{n: len(lambdas), m: len(impls), leaveItem: 1, leaveOther: func(int) int { return 0 },
			score: func(i, j int) int { return m.lambdaScore(lambdas[i], &c.Methods[impls[j]], false) }}
		other := make([]int, len(lambdas))
		for i := range other {
			other[i] = -1
		}
		for j, i := range aligner.run() {
			if i >= 0 {
				other[i] = j
			}
		}
		if m.missing(lambdas, other) < m.missing(lambdas, chosen) {
			chosen = other
		}
	}
	for i, j := range chosen {
		if j >= 0 {
			m.routine(c, impls[j], []segment{{body{lambdas[i].Member, lambdas[i]}, 0, 1 << 62}})
		}
	}
}

// missing counts the lambdas with catches that were not found.
func (m *matcher) missing(lambdas []*Lambda, chosen []int) int {
	n := 0
	for i, j := range chosen {
		if j < 0 && m.catching[lambdas[i]] {
			n++
		}
	}
	return n
}

// lambdaMethods lists the methods that the method's lambda expressions became,
// each once, in the order of creation.
func (m *matcher) lambdaMethods(c *facts.Class, method *facts.Method) []int {
	var list []int
	seen := make(map[int]bool)
	for i := range method.Calls {
		indy := method.Calls[i].Indy()
		if indy == nil || indy.Kind != facts.LambdaIndy || indy.Impl.Owner != c.Name {
			continue
		}
		for _, j := range m.synthetics[indy.Impl.Name] {
			if c.Methods[j].Desc == indy.Impl.Desc && !seen[j] && !m.taken[MethodRef{c.Name, j}] {
				seen[j] = true
				list = append(list, j)
			}
		}
	}
	return list
}

// lineScore is what a fitting line number counts.
const lineScore = 40

// lambdaScore tells how well a lambda fits a method; impossible if not at all.
func (m *matcher) lambdaScore(l *Lambda, method *facts.Method, lines bool) int {
	extra := len(paramDescriptors(method.Desc)) - l.Params
	if extra < 0 {
		return impossible
	}
	score := 10 - min(extra, 4)
	if n := int(method.FirstLine); lines && n > 0 {
		first, last := m.File.Line(l.Span.Start), m.File.Line(l.Span.End)
		if n < first || n > last {
			return impossible
		}
		score += lineScore
		if first2 := m.File.Line(l.Body.Start); n >= first2 {
			score += 2
		}
		// Of nested ones the innermost fits best.
		score -= min(n-first, 20)
	}
	want := 0
	for _, t := range m.roots[body{l.Member, l}] {
		want += len(t.Catches)
	}
	have := 0
	for i := range method.Handlers() {
		if typed(&method.Handlers()[i]) {
			have++
		}
	}
	if (want > 0) != (have > 0) {
		score -= 5
	}
	return score
}

// typed tells whether a handler catches a named type.
func typed(h *facts.Handler) bool { return len(h.Types) > 0 && h.Types[0] != "" }

// String names a method for messages.
func (r MethodRef) String() string { return r.Class + "#" + strconv.Itoa(r.Method) }
