package datareach

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file draws programs: facts for the analyses, and instructions for the
// interpreter of interpret_test.go.

const (
	objectClass = "java/lang/Object"
	methodDesc  = "(Ljava/lang/Object;)Ljava/lang/Object;"
	initDesc    = "(Ljava/lang/Object;)V"
	cloneDesc   = "()Ljava/lang/Object;"
	objectArray = "[Ljava/lang/Object;"
	collection  = "java/util/Collection" // what implements it is analysed by receiver with Containers
)

// instr is an instruction. Variables count from 1, parameters first; 0 is null.
type instr struct {
	op    facts.FlowOp // 0: initialises class
	to    int
	a, b  int
	args  []int
	class string // of a type, a field or a static method
	at    int    // in the method's calls, throws, handlers, initialisations
	cover uint16
}

// routine is what a method does. Any instruction may come after any other, but
// those that take what a handler caught are run when it catches.
type routine struct {
	class   string
	index   int // among the methods of the class
	facts   *facts.Method
	params  int
	locals  int // variables that instructions set
	vars    int
	list    []instr
	catches []instr // by handler
	// compared are the classes with whose field "m" the first parameter is compared, empty for
	// null; masks say by call, and after these by throw, for which outcomes it is made
	// (facts.Guard).
	compared []string
	masks    []uint32
	// own has the calls and throws that are made only if field "f" of this, as its class declares
	// it, is not null, or only if it is: 2 and 1; others 3.
	own []uint32
}

// drawn is a program.
type drawn struct {
	classes map[string]*facts.Class
	codes   map[string][]*routine // by class
	targets []exceptions.HandlerRef
	names   []string // of the classes with code
}

func (p *drawn) Class(name string) (*facts.Class, bool) { c, ok := p.classes[name]; return c, ok }

// supers lists a class and its superclasses.
func (p *drawn) supers(name string) (out []string) {
	for c := p.classes[name]; c != nil; c = p.classes[c.Super] {
		out = append(out, c.Name)
	}
	return out
}

func (p *drawn) isA(name, of string) bool {
	for _, s := range p.supers(name) {
		if s == of || slices.Contains(p.classes[s].Interfaces, of) {
			return true
		}
	}
	return false
}

// drawProgram draws classes K0, K1, ..., the first of which has the main method, an
// interface I and exceptions X0, ... One field "f", one static field "g" and one "m", in
// which the class initialiser, if there is one, stores a new object first of all, a
// class; virtual methods v0 and v1, static ones s0 and s1, constructors, class
// initialisers.
func drawProgram(t *rapid.T) *drawn {
	p := &drawn{classes: map[string]*facts.Class{}, codes: map[string][]*routine{}}
	for _, c := range [][2]string{
		{objectClass, ""}, {"java/lang/Throwable", objectClass}, {"java/lang/Exception", "java/lang/Throwable"},
		{"java/lang/Error", "java/lang/Throwable"}, {"java/lang/RuntimeException", "java/lang/Exception"},
		{"X0", "java/lang/Exception"}, {"X1", "X0"}, {"X2", "java/lang/RuntimeException"}, {"X3", "java/lang/Error"},
		{collection, objectClass},
	} {
		p.classes[c[0]] = &facts.Class{Name: c[0], Super: c[1]}
	}
	p.classes[objectClass].Methods = []facts.Method{{Name: "clone", Desc: cloneDesc, Access: hierarchy.AccNative}}
	p.classes[collection].Access = hierarchy.AccInterface | hierarchy.AccAbstract
	p.classes["I"] = &facts.Class{Name: "I", Super: objectClass, Access: hierarchy.AccInterface | hierarchy.AccAbstract}
	for i := range rapid.IntRange(2, 5).Draw(t, "classes") {
		c := &facts.Class{Name: fmt.Sprintf("K%d", i), Super: objectClass}
		if i > 1 && rapid.IntRange(0, 2).Draw(t, "extends") > 0 {
			c.Super = fmt.Sprintf("K%d", rapid.IntRange(1, i-1).Draw(t, "super"))
		}
		if rapid.IntRange(0, 3).Draw(t, "implements") > 0 {
			c.Interfaces = []string{"I"}
		}
		if rapid.IntRange(0, 2).Draw(t, "container") == 0 {
			c.Interfaces = append(c.Interfaces, collection)
		}
		c.Fields = []facts.FlowField{{Name: "f", Desc: "Ljava/lang/Object;"},
			{Name: "g", Desc: "Ljava/lang/Object;", Static: true},
			{Name: "m", Desc: "Ljava/lang/Object;", Static: true, Made: true}}
		p.classes[c.Name] = c
		p.names = append(p.names, c.Name)
	}
	for _, name := range append([]string{"I"}, p.names...) {
		p.methods(t, name)
	}
	return p
}

// methods draws the methods of a class.
func (p *drawn) methods(t *rapid.T, class string) {
	c := p.classes[class]
	add := func(name, desc string, access uint16, lines int) {
		m := facts.Method{Name: name, Desc: desc, Access: access,
			Details: &facts.MethodDetails{Declared: []string{"java/lang/Exception"}}}
		k := &routine{class: class, index: len(c.Methods), facts: &m}
		if access&hierarchy.AccAbstract == 0 {
			p.body(t, k, lines)
			for h := range m.Handlers() {
				p.targets = append(p.targets, exceptions.HandlerRef{Class: class, Method: k.index, Handler: h})
			}
		}
		c.Methods = append(c.Methods, m)
		p.codes[class] = append(p.codes[class], k)
	}
	lines := func() int { return rapid.IntRange(1, 7).Draw(t, "lines") }
	if class == "K0" {
		add("main", "()V", hierarchy.AccStatic, 12)
	}
	for i := range 2 {
		if rapid.IntRange(0, 5).Draw(t, "virtual") > 0 {
			access := uint16(hierarchy.AccPublic)
			if class == "I" && rapid.IntRange(0, 2).Draw(t, "default") > 0 {
				access |= hierarchy.AccAbstract
			}
			add(fmt.Sprintf("v%d", i), methodDesc, access, lines())
		}
		if class != "I" && rapid.Bool().Draw(t, "static") {
			add(fmt.Sprintf("s%d", i), methodDesc, hierarchy.AccStatic|hierarchy.AccPublic, lines())
		}
	}
	if class == "I" {
		return
	}
	add("<init>", initDesc, hierarchy.AccPublic, rapid.IntRange(0, 3).Draw(t, "lines"))
	if rapid.IntRange(0, 3).Draw(t, "clinit") > 0 {
		add("<clinit>", "()V", hierarchy.AccStatic, rapid.IntRange(1, 4).Draw(t, "lines"))
	}
	for i, k := range p.codes[class] {
		k.facts = &c.Methods[i]
	}
}

// body draws handlers and instructions of a method, and puts them into its facts.
func (p *drawn) body(t *rapid.T, k *routine, lines int) {
	m := k.facts
	k.params = strings.Count(m.Desc[:strings.IndexByte(m.Desc, ')')], "L")
	if m.Access&hierarchy.AccStatic == 0 {
		k.params++
	}
	k.locals = rapid.IntRange(1, 4).Draw(t, "locals")
	handlers := max(0, rapid.IntRange(-3, 2).Draw(t, "handlers"))
	if m.Name == "main" {
		handlers = 2
	}
	k.vars = k.params + k.locals + handlers
	for h := range handlers {
		typ := rapid.SampledFrom([]string{"java/lang/Throwable", "java/lang/Exception", "X0", "X1", "X2", "X3",
			""}).Draw(t, "caught")
		m.Details.Handlers = append(m.Handlers(), facts.Handler{Types: []string{typ}})
		m.Details.Table = append(m.Table(), facts.TableEntry{Handler: uint16(h), Type: typ})
		m.Details.Covers = append(m.Covers(), []uint16{uint16(h)})
		k.catches = append(k.catches, instr{op: facts.FlowCatch, to: k.params + k.locals + 1 + h, at: h})
	}
	if handlers == 2 {
		m.Details.Covers = append(m.Covers(), []uint16{0, 1})
	}
	if m.Name == "<init>" && rapid.IntRange(0, 3).Draw(t, "stores") > 0 {
		k.list = append(k.list, instr{op: facts.FlowStore, a: 1, b: 2, class: k.class})
	}
	if m.Name == "main" {
		for _, c := range p.names {
			m.Inits = append(m.Inits, facts.Init{Class: c})
			k.list = append(k.list, instr{at: len(m.Inits) - 1})
		}
	}
	for range lines {
		p.line(t, k)
	}
	if rapid.IntRange(0, 2).Draw(t, "throws") > 0 {
		p.throw(t, k, 0)
	}
	if m.Name == "<clinit>" {
		k.vars++
		m.Allocs = append(m.Allocs, facts.Alloc{Type: k.class})
	}
	guarded := len(m.Calls) + len(m.Throws())
	if guarded > 0 && strings.HasPrefix(m.Desc, "(L") {
		p.guards(t, k)
	}
	if guarded > 0 && k.class != "I" && m.Access&hierarchy.AccStatic == 0 && rapid.Bool().Draw(t, "own") {
		k.vars++
		k.list = append(k.list, instr{op: facts.FlowLoad, to: k.vars, a: 1, class: k.class})
		k.own = make([]uint32, guarded)
		for i := range k.own {
			k.own[i] = rapid.SampledFrom([]uint32{3, 3, 2, 2, 1}).Draw(t, "null")
		}
	}
	k.encode(p.classes[k.class])
}

// guards draws what the parameter of a method must be for some calls and throws to be made: one of
// the objects in fields "m", null, or something else.
func (p *drawn) guards(t *rapid.T, k *routine) {
	from := rapid.IntRange(0, len(p.names)).Draw(t, "compared")
	k.compared = append(k.compared, append([]string{""},
		p.names...)[from:min(len(p.names)+1, from+rapid.IntRange(1, 2).Draw(t, "fields"))]...)
	k.masks = make([]uint32, len(k.facts.Calls)+len(k.facts.Throws()))
	for i := range k.masks {
		if k.masks[i] = 1<<(len(k.compared)+1) - 1; rapid.Bool().Draw(t, "guarded") {
			k.masks[i] = 1 << rapid.IntRange(0, len(k.compared)).Draw(t, "outcome")
		}
	}
}

// line draws an instruction, or a few that belong together.
func (p *drawn) line(t *rapid.T, k *routine) {
	m := k.facts
	variable := func() int { return rapid.IntRange(1, k.vars).Draw(t, "variable") }
	local := func() int { return k.params + rapid.IntRange(1, k.locals).Draw(t, "local") }
	class := func() string { return rapid.SampledFrom(p.names).Draw(t, "class") }
	cover := uint16(rapid.IntRange(min(1, len(m.Covers())-1), len(m.Covers())-1).Draw(t, "cover"))
	if rapid.IntRange(0, 7).Draw(t, "uncovered") == 0 {
		cover = 0
	}
	call := func(kind facts.CallKind, owner, name, desc string, to int, args ...int) {
		m.Calls = append(m.Calls, facts.Call{Site: facts.Site{Ordinal: uint16(len(m.Calls)), Cover: cover}, Kind: kind,
			MemberRef: &facts.MemberRef{Owner: owner, Name: name, Desc: desc}, OwnerIsInterface: owner == "I"})
		k.list = append(k.list, instr{op: facts.FlowCall, to: to, args: args, at: len(m.Calls) - 1, cover: cover})
	}
	method := func(letter string) string {
		return letter + rapid.SampledFrom([]string{"0", "1"}).Draw(t, "method")
	}
	result := func() int { return local() * min(1, rapid.IntRange(0, 3).Draw(t, "used")) }
	switch rapid.SampledFrom([]int{0, 0, 0, 3, 3, 3, 7, 7, 7, 9, 9, 11, 12, 12, 12, 13, 13, 14, 14, 14, 15, 15, 16, 17,
		18, 18, 18, 19, 20}).Draw(t, "instruction") {
	case 0:
		c, v := class(), local()
		m.Allocs = append(m.Allocs, facts.Alloc{Type: c})
		k.list = append(k.list, instr{op: facts.FlowNew, to: v, class: c, at: len(m.Allocs) - 1})
		call(facts.Special, c, "<init>", initDesc, 0, v, variable())
	case 3:
		call(facts.Virtual, class(), method("v"), methodDesc, result(), variable(), variable())
	case 7:
		call(facts.Interface, "I", method("v"), methodDesc, result(), variable(), variable())
	case 9:
		v := local()
		call(facts.Static, class(), method("s"), methodDesc, v, variable())
		p.then(t, k, v, call)
	case 11:
		if super := p.classes[k.class].Super; k.class != "I" && m.Access&hierarchy.AccStatic == 0 &&
			super != objectClass {
			if m.Name == "<init>" {
				call(facts.Special, super, "<init>", initDesc, 0, 1, variable())
			} else {
				call(facts.Special, super, method("v"), methodDesc, result(), 1, variable())
			}
		}
	case 12:
		v := local()
		if k.class != "I" && m.Access&hierarchy.AccStatic == 0 && rapid.IntRange(0, 3).Draw(t, "own") > 0 {
			k.list = append(k.list, instr{op: facts.FlowLoad, to: v, a: 1, class: k.class})
		} else {
			k.list = append(k.list, instr{op: facts.FlowLoad, to: v, a: variable(), class: class()})
		}
		p.then(t, k, v, call)
	case 13:
		k.list = append(k.list, instr{op: facts.FlowStore, a: variable(), b: variable(), class: class()})
	case 14:
		op := rapid.SampledFrom([]facts.FlowOp{facts.FlowStaticLoad, facts.FlowStaticStore}).Draw(t, "static")
		v := local()
		made := 0
		if op == facts.FlowStaticLoad {
			made = min(1, rapid.IntRange(0, 3).Draw(t, "made"))
		}
		k.list = append(k.list, instr{op: op, to: v, a: variable(), b: made, class: class()})
		if made == 1 && rapid.IntRange(0, 3).Draw(t, "passed") > 0 {
			call(facts.Static, class(), method("s"), methodDesc, result(), v)
		} else {
			p.then(t, k, v, call)
		}
	case 15:
		switch v, x := local(), variable(); rapid.IntRange(0, 3).Draw(t, "array") {
		case 3:
			call(facts.Virtual, objectArray, "clone", cloneDesc, v, x)
		case 0:
			k.list = append(k.list, instr{op: facts.FlowNewArray, to: v})
		case 1:
			k.list = append(k.list, instr{op: facts.FlowElemLoad, to: v, a: x})
		default:
			k.list = append(k.list, instr{op: facts.FlowElemStore, a: v, b: x})
		}
	case 16:
		k.list = append(k.list, instr{op: facts.FlowMove, to: local(), a: variable()})
	case 17:
		k.list = append(k.list, instr{op: facts.FlowCast, to: local(), a: variable(),
			class: rapid.SampledFrom(append([]string{"I"}, p.names...)).Draw(t, "cast")})
	case 18:
		if strings.HasSuffix(m.Desc, "Object;") {
			k.list = append(k.list, instr{op: facts.FlowReturn, a: variable()})
		}
	case 19:
		p.throw(t, k, cover)
	case 20:
		m.Inits = append(m.Inits, facts.Init{Site: facts.Site{Cover: cover}, Class: class()})
		k.list = append(k.list, instr{at: len(m.Inits) - 1, cover: cover})
	}
}

// then draws what is done with something new: a call on it, or it is returned.
func (p *drawn) then(t *rapid.T, k *routine, v int,
	call func(kind facts.CallKind, owner, name, desc string, to int, args ...int)) {
	switch rapid.IntRange(0, 2).Draw(t, "then") {
	case 0:
		call(facts.Interface, "I", rapid.SampledFrom([]string{"v0", "v1"}).Draw(t, "method"), methodDesc, k.params+1, v,
			v)
	case 1:
		if strings.HasSuffix(k.facts.Desc, "Object;") {
			k.list = append(k.list, instr{op: facts.FlowReturn, a: v})
		}
	}
}

// throw draws a throw of a new exception, or of a caught one.
func (p *drawn) throw(t *rapid.T, k *routine, cover uint16) {
	m := k.facts
	th := facts.Throw{Site: facts.Site{Ordinal: uint16(len(m.Throws())), Cover: cover}}
	x := instr{op: facts.FlowThrow, at: len(m.Throws()), cover: cover}
	if len(m.Handlers()) > 0 && rapid.IntRange(0, 3).Draw(t, "again") == 0 {
		h := rapid.IntRange(0, len(m.Handlers())-1).Draw(t, "handler")
		th.Sources = []facts.Source{{Kind: facts.CaughtSource, Handler: uint16(h), Call: -1}}
		x.a = k.catches[h].to
	} else {
		x.class = rapid.SampledFrom([]string{"X0", "X1", "X2", "X3"}).Draw(t, "thrown")
		th.Sources = []facts.Source{{Kind: facts.NewSource, Type: x.class, Call: -1}}
		m.Allocs = append(m.Allocs, facts.Alloc{Type: x.class})
		k.vars++
		x.to, x.b = k.vars, len(m.Allocs)-1
	}
	m.Details.Throws = append(m.Throws(), th)
	k.list = append(k.list, x)
}

// encode makes Method.Flow.
func (k *routine) encode(c *facts.Class) {
	name := func(parts ...string) int {
		c.FlowNames = append(c.FlowNames, parts...)
		return len(c.FlowNames) - len(parts)
	}
	flow := binary.AppendUvarint(nil, uint64(k.vars))
	put := func(op facts.FlowOp, operands ...int) {
		flow = append(flow, byte(op))
		for _, x := range operands {
			flow = binary.AppendUvarint(flow, uint64(x))
		}
	}
	if k.facts.Name == "<clinit>" {
		put(facts.FlowNew, k.vars, len(k.facts.Allocs)-1)
		put(facts.FlowStaticStore, name(k.class, "m", "Ljava/lang/Object;"), k.vars)
	}
	if len(k.masks)+len(k.own) > 0 {
		tests := 0
		var values []byte
		if len(k.masks) > 0 {
			tests++
			values = binary.AppendUvarint(binary.AppendUvarint(values, 0), uint64(len(k.compared)))
		}
		for _, class := range k.compared {
			of := int64(0)
			if class != "" {
				of = facts.FieldConstant(name(class, "m", "Ljava/lang/Object;"))
			}
			values = binary.AppendVarint(values, of)
		}
		if len(k.own) > 0 {
			tests++
			field := facts.FieldOfThis(name(k.class, "f", "Ljava/lang/Object;"))
			values = binary.AppendVarint(binary.AppendUvarint(binary.AppendUvarint(values, uint64(field)<<3), 1), 0)
		}
		values = binary.AppendUvarint(values, uint64(len(k.masks)+len(k.own)))
		for i := range max(len(k.masks), len(k.own)) {
			at := i
			if calls := len(k.facts.Calls); i >= calls {
				at = facts.GuardOfThrow(i - calls)
			}
			guard := func(test int, mask uint32) {
				values = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(values, uint64(at)),
					uint64(test)), uint64(mask))
			}
			if len(k.masks) > 0 {
				guard(0, k.masks[i])
			}
			if len(k.own) > 0 {
				guard(tests-1, k.own[i])
			}
		}
		k.facts.Values = append(append([]byte{byte(tests)}, values...), 0) // nothing is kept for enums
	}
	for _, x := range append(slices.Clone(k.list), k.catches...) {
		switch x.op {
		case facts.FlowMove, facts.FlowElemLoad:
			put(x.op, x.to, x.a)
		case facts.FlowElemStore:
			put(x.op, x.a, x.b)
		case facts.FlowCast:
			put(x.op, x.to, x.a, name(x.class))
		case facts.FlowNew, facts.FlowCatch:
			put(x.op, x.to, x.at)
		case facts.FlowNewArray:
			put(x.op, x.to, name(objectArray), 1)
		case facts.FlowLoad:
			put(x.op, x.to, x.a, name(x.class, "f", "Ljava/lang/Object;"))
		case facts.FlowStore:
			put(x.op, x.a, name(x.class, "f", "Ljava/lang/Object;"), x.b)
		case facts.FlowStaticLoad:
			put(x.op, x.to, name(x.class, [...]string{"g", "m"}[x.b], "Ljava/lang/Object;"))
		case facts.FlowStaticStore:
			put(x.op, name(x.class, "g", "Ljava/lang/Object;"), x.a)
		case facts.FlowCall:
			put(x.op, append([]int{x.at, x.to, len(x.args)}, x.args...)...)
		case facts.FlowReturn:
			put(x.op, x.a)
		case facts.FlowThrow:
			if x.class != "" {
				put(facts.FlowNew, x.to, x.b)
			}
			put(x.op, x.at, x.a)
		}
	}
	k.facts.Flow = flow
}
