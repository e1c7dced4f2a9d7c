package features

import (
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds the classes that code of a workspace loads by names which it puts together: from
// constants and names of classes, by concatenation, builders, formats and what String can do
// (texts.go), through parameters, results, fields and arrays.
//
// It goes backwards from what is given to forName or loadClass. A string is a set of alternatives,
// each of which is a text or, where only a part of it is known, a pattern. A pattern stands for the
// classes of the workspace whose names match; where the object that is made of the class is cast,
// for those at or below what it is cast to. A pattern without any letter is not known:
// UnknownLoads.

// alternative is what a string may be.
type alternative struct {
	text    string // itself, or, of a pattern, a regular expression
	pattern bool
	made    bool // it is no constant as it stands, which is followed anyway (tokens.go)
	letters bool // of a pattern: something of it is known
}

// anything is a string of which nothing is known.
var anything = alternative{text: ".*", pattern: true, made: true}

// maxAlternatives bounds what a string is followed as, maxPattern the length of a pattern, and
// maxTextSteps the values that are looked at for one load. What is more is not known: programs that
// were looked at have at most a dozen names at one load.
const (
	maxAlternatives = 64
	maxPattern      = 2000
	maxTextSteps    = 4000
)

// textOp is an operation of a flow, with the text of the string that it makes.
type textOp struct {
	op   facts.FlowOp
	x    []uint64
	text string
}

// textCode is the code of a method: its operations, and by variable those that give it a value.
type textCode struct {
	ops  []textOp
	defs map[uint64][]int
}

// textPlace is an operand of a method, or one of its operations.
type textPlace struct {
	k int32
	v uint64
}

// texts finds what strings may be.
type texts struct {
	f      *tokenFlow
	codes  map[int32]*textCode
	calls  map[memberName][]textPlace // operations, by name and descriptor; nil until they are listed
	stores map[memberName][]textPlace // operands, by field
	loads  map[memberName][]textPlace // variables, by field
	open   map[int32]bool             // methods that lambda expressions and handles stand for
	// lambdas are the lambda expressions by the method of the interface
	lambdas map[string][]*facts.Indy
	active  map[textPlace]bool
	steps   int
	read    map[memberName]bool // methods whose strings have been read

	resources []string               // classes that the workspace's resources name
	sorted    []string               // its classes, by name
	noted     map[[2]string][]string // by annotation and element: the classes that values of it name
	values    map[[2]string]bool     // of these, what has been read
	asks      []classAsk
	unknown   []UnknownLoad
}

func newTexts(f *tokenFlow, resources []string) *texts {
	return &texts{f: f, codes: map[int32]*textCode{}, active: map[textPlace]bool{}, read: map[memberName]bool{},
		resources: resources, noted: map[[2]string][]string{}, values: map[[2]string]bool{}}
}

// code is the code of a method.
func (t *texts) code(k int32) *textCode {
	c := t.codes[k]
	if c == nil {
		c = t.readCode(k)
		t.codes[k] = c
	}
	return c
}

func (t *texts) readCode(k int32) *textCode {
	m := t.f.codes[k].m
	c := &textCode{defs: map[uint64][]int{}}
	list := m.Strings()
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		o := textOp{op: op, x: slices.Clone(x), text: facts.UnknownString}
		if (op == facts.FlowString || op == facts.FlowCall && isConcatenation(&m.Calls[x[0]])) && len(list) > 0 {
			o.text, list = list[0], list[1:]
		}
		if to := defined(&o); to != 0 {
			c.defs[to] = append(c.defs[to], len(c.ops))
		}
		c.ops = append(c.ops, o)
	})
	return c
}

func isConcatenation(c *facts.Call) bool { return c.Indy() != nil && c.Indy().Kind == facts.ConcatIndy }

// defined is the variable that an operation gives a value, 0 for none.
func defined(o *textOp) uint64 {
	switch o.op {
	case facts.FlowCall:
		return o.x[1]
	case facts.FlowStore, facts.FlowStaticStore, facts.FlowElemStore, facts.FlowReturn, facts.FlowThrow:
		return 0
	}
	return o.x[0]
}

// list lists calls, stores and the code of lambda expressions of the workspace.
func (t *texts) list() {
	if t.calls != nil {
		return
	}
	t.calls, t.stores, t.open = map[memberName][]textPlace{}, map[memberName][]textPlace{}, map[int32]bool{}
	t.loads, t.lambdas = map[memberName][]textPlace{}, map[string][]*facts.Indy{}
	for k := range t.f.codes {
		code, n := &t.f.codes[k], 0
		facts.EachFlow(code.m.Flow, func(op facts.FlowOp, x []uint64) {
			switch op {
			case facts.FlowCall:
				c := &code.m.Calls[x[0]]
				s := memberName{name: c.Name, desc: c.Desc}
				t.calls[s] = append(t.calls[s], textPlace{int32(k), uint64(n)})
			case facts.FlowStore:
				t.store(code, x[1], textPlace{int32(k), x[2]})
			case facts.FlowStaticStore:
				t.store(code, x[0], textPlace{int32(k), x[1]})
			case facts.FlowLoad, facts.FlowStaticLoad:
				field := t.f.fieldName(code.class, x[len(x)-1])
				t.loads[field] = append(t.loads[field], textPlace{int32(k), x[0]})
			}
			n++
		})
		for _, h := range code.m.Handles() {
			t.opens(h)
		}
		for i := range code.m.Calls {
			if indy := code.m.Calls[i].Indy(); indy != nil {
				t.opens(indy.Impl)
				for _, h := range indy.Handles {
					t.opens(h)
				}
				if indy.Kind == facts.LambdaIndy {
					t.lambdas[indy.SAM] = append(t.lambdas[indy.SAM], indy)
				}
			}
		}
	}
}

// opens notes that a handle stands for methods.
func (t *texts) opens(h facts.Handle) {
	for _, k := range t.f.targets(callOf(h)) {
		t.open[k] = true
	}
}

// callOf is a call of what a handle stands for.
func callOf(h facts.Handle) *facts.Call {
	kind := facts.Special
	switch classfile.RefKind(h.Kind) {
	case classfile.RefInvokeVirtual:
		kind = facts.Virtual
	case classfile.RefInvokeInterface:
		kind = facts.Interface
	case classfile.RefInvokeStatic:
		kind = facts.Static
	}
	return &facts.Call{MemberRef: &facts.MemberRef{Owner: h.Owner, Name: h.Name, Desc: h.Desc}, Kind: kind}
}

func (t *texts) store(code *tokenCode, at uint64, from textPlace) {
	n := t.f.fieldName(code.class, at)
	t.stores[n] = append(t.stores[n], from)
}

// value is what a variable of a method may be, as a string; what a builder has been given is its
// value.
func (t *texts) value(k int32, v uint64) []alternative {
	return t.each(k, v, t.defined)
}

// each is what the operations that give a variable its value say, where it comes from a parameter
// those that callers have.
func (t *texts) each(k int32, v uint64, of func(k int32, o *textOp) []alternative) (out []alternative) {
	p := textPlace{k, v}
	if t.steps++; v == 0 || t.active[p] || t.steps > maxTextSteps {
		return []alternative{anything}
	}
	t.active[p] = true
	defer delete(t.active, p)
	c := t.code(k)
	from, known := []textPlace(nil), true
	if int(v) <= len(t.f.codes[k].params) {
		from, known = t.arguments(k, int(v)-1)
	}
	for _, i := range c.defs[v] {
		o := &c.ops[i]
		switch o.op {
		case facts.FlowMove, facts.FlowCast:
			from = append(from, textPlace{k, o.x[1]})
		case facts.FlowLoad, facts.FlowStaticLoad:
			stores := t.storesOf(k, o.x[len(o.x)-1])
			from, known = append(from, stores...), known && len(stores) > 0
		case facts.FlowElemLoad:
			elements := t.elements(k, o.x[1])
			from, known = append(from, elements...), known && len(elements) > 0
		default:
			out = join(out, of(k, o))
		}
	}
	for _, p := range from {
		out = join(out, t.each(p.k, p.v, of))
	}
	if !known || len(out) == 0 {
		out = join(out, []alternative{anything})
	}
	return out
}

// join is what either may be.
func join(a, b []alternative) []alternative {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	if len(a) > maxAlternatives {
		return []alternative{anything}
	}
	return a
}

// arguments are what callers give a method as a reference. known is false where there may be
// others.
func (t *texts) arguments(k int32, at int) (out []textPlace, known bool) {
	t.list()
	code := &t.f.codes[k]
	for _, p := range t.calls[memberName{name: code.m.Name, desc: code.m.Desc}] {
		by := &t.f.codes[p.k]
		o := &t.code(p.k).ops[p.v]
		if c := &by.m.Calls[o.x[0]]; at+3 < len(o.x) && slices.Contains(t.f.targets(c), k) {
			out = append(out, textPlace{p.k, o.x[3+at]})
		}
	}
	return out, len(out) > 0 && !t.open[k] && !t.calledBack(code)
}

// calledBack tells whether code outside of the workspace may call a method that it does not name:
// one that a class above it there may declare, or main.
func (t *texts) calledBack(c *tokenCode) bool {
	if c.m.Access&(hierarchy.AccStatic|hierarchy.AccPrivate) != 0 || c.m.Name[0] == '<' {
		return c.m.Name == "main"
	}
	t.f.isBelow(c.class.Name, "") // which finds the classes above
	for above := range t.f.supers[c.class.Name] {
		if !t.f.classes[above] && above != "java/lang/Object" {
			return true
		}
	}
	return false
}

// storesOf are what is stored in a field that code of a method names.
func (t *texts) storesOf(k int32, at uint64) []textPlace {
	t.list()
	return t.stores[t.f.fieldName(t.f.codes[k].class, at)]
}

// elements are what is stored in the arrays that a variable of a method may be, which the program
// makes; none where it may be another, or other code may store in one.
func (t *texts) elements(k int32, v uint64) []textPlace {
	made, ok := t.arrays(k, v)
	if !ok {
		return nil
	}
	a := arrayUses{texts: t, seen: map[textPlace]bool{}}
	for _, p := range made {
		if !a.follow(p) {
			return nil
		}
	}
	return a.stored
}

// arrays are where the program makes the arrays that a variable of a method may be; ok is false
// where it may be another.
func (t *texts) arrays(k int32, v uint64) (made []textPlace, ok bool) {
	p := textPlace{k, v}
	if t.steps++; t.active[p] || t.steps > maxTextSteps || v == 0 || int(v) <= len(t.f.codes[k].params) {
		return nil, false
	}
	t.active[p] = true
	defer delete(t.active, p)
	c := t.code(k)
	for _, i := range c.defs[v] {
		var from []textPlace
		switch o := &c.ops[i]; o.op {
		case facts.FlowNewArray:
			made = append(made, p)
		case facts.FlowMove, facts.FlowCast:
			from = []textPlace{{k, o.x[1]}}
		case facts.FlowLoad, facts.FlowStaticLoad:
			from = t.storesOf(k, o.x[len(o.x)-1])
		default:
			return nil, false
		}
		for _, a := range from {
			more, ok := t.arrays(a.k, a.v)
			if !ok {
				return nil, false
			}
			made = append(made, more...)
		}
	}
	return made, len(made) > 0
}

// arrayUses follows an array to what is stored in it.
type arrayUses struct {
	*texts
	seen   map[textPlace]bool
	stored []textPlace
}

// follow follows the variable of a method. It is false where other code gets the array.
func (a *arrayUses) follow(p textPlace) bool {
	if a.seen[p] {
		return true
	}
	a.seen[p] = true
	if a.steps++; a.steps > maxTextSteps {
		return false
	}
	a.list()
	code := &a.f.codes[p.k]
	ops := a.code(p.k).ops
	for i := range ops {
		o := &ops[i]
		to := []textPlace(nil)
		switch {
		case o.op == facts.FlowElemStore && o.x[0] == p.v && o.x[1] != p.v:
			a.stored = append(a.stored, textPlace{p.k, o.x[1]})
		case o.op == facts.FlowElemLoad:
		case (o.op == facts.FlowMove || o.op == facts.FlowCast) && o.x[1] == p.v:
			to = []textPlace{{p.k, o.x[0]}}
		case o.op == facts.FlowStore && o.x[2] == p.v:
			to = a.loads[a.f.fieldName(code.class, o.x[1])]
		case o.op == facts.FlowStaticStore && o.x[1] == p.v:
			to = a.loads[a.f.fieldName(code.class, o.x[0])]
		case o.op == facts.FlowCall:
			if slices.Contains(o.x[3:], p.v) && !readsArray(&code.m.Calls[o.x[0]]) {
				return false
			}
		case o.op.ReadsAny(o.x, func(x uint64) bool { return x == p.v }):
			return false
		}
		for _, next := range to {
			if !a.follow(next) {
				return false
			}
		}
	}
	return true
}

// readsArray tells whether what is called stores nothing in an array that it is given, and keeps
// none.
func readsArray(c *facts.Call) bool {
	return c.Owner == "java/lang/String" || c.Owner == "java/text/MessageFormat"
}

// assembles gives the result of a call that loads a class by a name the classes that the name, an
// operand of the method, may be of, as far as it is put together.
func (v *tokenVisit) assembles(c *facts.Call, name uint64, result node) {
	if name == 0 || int64(name) > int64(facts.FlowVariables(v.code.m.Flow)) {
		return // of a reference to the method
	}
	v.texts.steps = 0
	unknown := false
	for _, a := range v.texts.value(v.k, name) {
		switch {
		case a.pattern && !a.letters:
			unknown = true
		case a.pattern:
			for _, class := range v.matching(c, a.text) {
				v.gets(result, class, false)
			}
		case a.made || !facts.NamesClass(a.text):
			if class := strings.ReplaceAll(a.text, ".", "/"); a.text != "" && !strings.ContainsAny(a.text, "/;[ ") &&
				v.names.Present(class) {
				v.gets(result, class, false)
			}
		}
	}
	if unknown {
		v.texts.unknown = append(v.texts.unknown,
			UnknownLoad{v.code.class.Name, v.code.m.Name, c.Owner, c.Name})
	}
}

// matching are the classes of the workspace whose binary names a pattern matches, of those that
// what is made of the class is cast to, if it is.
func (v *tokenVisit) matching(c *facts.Call, pattern string) (out []string) {
	re, err := regexp.Compile("^(?s:" + pattern + ")$")
	if err != nil {
		return nil
	}
	casts := v.castsOf(c)
	for _, class := range v.texts.sorted {
		if !re.MatchString(strings.ReplaceAll(class, "/", ".")) {
			continue
		}
		if len(casts) == 0 || v.source(class).Access&hierarchy.AccAbstract == 0 &&
			slices.ContainsFunc(casts, func(above string) bool { return v.isBelow(class, above) }) {
			out = append(out, class)
		}
	}
	return out
}

// castsOf are the classes that the objects are cast to which a method makes of the class that one
// of its calls loads; none where it may do something else with them, or with the class.
func (v *tokenVisit) castsOf(load *facts.Call) (casts []string) {
	const class, object = 1, 2 // of what there is: the class or a constructor, or an object made of it
	has, others := map[uint64]int{}, false
	ops := v.texts.code(v.k).ops
	for n := -1; n != len(has); {
		n, casts, others = len(has), nil, false
		for i := range ops {
			o := &ops[i]
			switch o.op {
			case facts.FlowMove:
				if has[o.x[1]] != 0 {
					has[o.x[0]] = has[o.x[1]]
				}
			case facts.FlowCast:
				if of := has[o.x[1]]; of == object {
					casts = append(casts, v.code.class.FlowNames[o.x[2]])
				} else if of == class {
					has[o.x[0]] = class
				}
			case facts.FlowCall:
				c := &v.code.m.Calls[o.x[0]]
				if c == load {
					has[o.x[1]] = class
					continue
				}
				for at, a := range o.x[3:] {
					if has[a] != 0 && !(at == 0 && v.follows(c, o.x[1], has)) {
						others = true
					}
				}
			default:
				others = others || o.op.ReadsAny(o.x, func(x uint64) bool { return has[x] != 0 })
			}
		}
	}
	if delete(has, 0); others {
		return nil
	}
	return casts
}

// follows tells whether a call on a class, or on a constructor of it, gives what is followed, or
// nothing that matters.
func (v *tokenVisit) follows(c *facts.Call, result uint64, has map[uint64]int) bool {
	const class, object = 1, 2
	switch {
	case c.Name == "newInstance":
		has[result] = object
	case c.Owner == "java/lang/Class" && (c.Name == "getConstructor" || c.Name == "getDeclaredConstructor" ||
		c.Name == "asSubclass"):
		has[result] = class
	case c.Name == "setAccessible", c.Owner == "java/lang/Class" && strings.HasSuffix(c.Desc, ")Ljava/lang/String;"):
	default:
		return false
	}
	return true
}

// classAsk is a call that asks an object, an operand of a method, for its class.
type classAsk struct {
	k        int32
	object   uint64
	declared string // the class that the object is declared as
	result   node
}

// askClasses gives the result of a call the classes of the objects that it asks, as far as they are
// followed to where the workspace makes them: those at or below the class of the workspace that
// they are declared as, where they also come from elsewhere.
func (f *tokenFlow) askClasses(a *classAsk) {
	v := &tokenVisit{tokenFlow: f, k: a.k, code: &f.codes[a.k]}
	f.texts.steps = 0
	for _, made := range f.texts.each(a.k, a.object, f.texts.madeOf) {
		if !made.pattern {
			v.gets(a.result, made.text, false)
			continue
		}
		for _, n := range f.texts.sorted {
			if f.classes[a.declared] && f.source(n).Access&hierarchy.AccAbstract == 0 && f.isBelow(n, a.declared) {
				v.gets(a.result, n, false)
			}
		}
	}
}

// madeOf are the classes, by internal name, of the objects that an operation makes.
func (t *texts) madeOf(k int32, o *textOp) []alternative {
	code := &t.f.codes[k]
	switch o.op {
	case facts.FlowNew:
		return []alternative{{text: code.m.Allocs[o.x[1]].Type}}
	case facts.FlowCall:
		if c := &code.m.Calls[o.x[0]]; c.Kind != facts.Dynamic {
			return t.results(c, t.madeOf)
		}
	}
	return []alternative{anything}
}

// results are what methods and lambda expressions of the workspace return that a call runs.
func (t *texts) results(c *facts.Call, of func(k int32, o *textOp) []alternative) (out []alternative) {
	t.list()
	targets := slices.Clone(t.f.targets(c))
	for _, l := range t.lambdas[c.Name] {
		if c.Kind != facts.Interface || !t.f.isBelow(l.Interface, c.Owner) && !t.f.isBelow(c.Owner, l.Interface) {
			continue
		}
		impl := callOf(l.Impl)
		more := t.f.targets(impl)
		if len(more) == 0 || t.f.outside(impl) != "" {
			return []alternative{anything}
		}
		targets = append(targets, more...)
	}
	for _, target := range targets {
		ops := t.code(target).ops
		for i := range ops {
			if ops[i].op == facts.FlowReturn {
				out = join(out, t.each(target, ops[i].x[0], of))
			}
		}
	}
	if len(out) == 0 || t.f.outside(c) != "" {
		out = join(out, []alternative{anything})
	}
	return out
}

// UnknownLoad is a call of the workspace's code that loads a class by a name of which nothing is
// known.
type UnknownLoad struct {
	Class, Method string // that it stands in; Class is the internal name
	Owner, Name   string // of what is called
}
