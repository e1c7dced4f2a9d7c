package datareach

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file runs programs. Which instruction comes next is a matter of chance; one
// that the JVM would not allow is left out, as if the program had asked before.

// value is an object.
type value struct {
	class  string
	fields map[string]*value
	thrown *thrownAt
}

// thrownAt is where an exception was thrown first.
type thrownAt struct {
	class           string
	method, ordinal int
}

// called is a call that is being executed: where it stands, and what it calls.
type called struct {
	class        string
	method       int
	origin       callgraph.Origin
	index        int
	callee       string
	calledMethod int
}

// happened is what happened in some runs: calls with those that they happened
// in, and exceptions that arrived.
type happened struct {
	calls    map[string][]called
	arrivals map[arrived]bool
}

// arrived is an exception that arrived at a handler.
type arrived struct {
	target exceptions.HandlerRef
	from   thrownAt
}

// machine executes one run.
type machine struct {
	p           *drawn
	rng         *rand.Rand
	budget      int
	statics     map[string]*value
	initialised map[string]bool // those whose initialisation has begun
	erroneous   map[string]bool // those of which it failed: nothing reads their fields any more
	stack       []called
	seen        *happened
}

type outOfBudget struct{}

// runs executes a program some times.
func (p *drawn) runs(seed uint64, times int) *happened {
	seen := &happened{calls: map[string][]called{}, arrivals: map[arrived]bool{}}
	main := p.codes["K0"][0]
	for i := range times {
		m := &machine{p: p, rng: rand.New(rand.NewPCG(seed, uint64(i))), budget: 250, statics: map[string]*value{},
			initialised: map[string]bool{}, erroneous: map[string]bool{}, seen: seen}
		func() {
			defer func() {
				if x := recover(); x != nil && x != (outOfBudget{}) {
					panic(x)
				}
			}()
			m.initialise("K0", nil)
			m.run(main, nil)
		}()
	}
	return seen
}

// activation is a method that is being executed.
type activation struct {
	code   *routine
	vars   []*value // by variable, 0 is null
	caught []*value // by handler
}

// run executes a method. It returns a result or an exception.
func (m *machine) run(k *routine, args []*value) (result, exception *value) {
	a := &activation{code: k, vars: make([]*value, k.vars+1), caught: make([]*value, len(k.catches))}
	copy(a.vars[1:], args)
	for at := 0; ; at++ {
		if m.budget--; m.budget < 0 {
			panic(outOfBudget{})
		}
		if m.rng.IntN(12) == 0 {
			at = m.rng.IntN(len(k.list) + 1)
		}
		if at >= len(k.list) {
			return nil, nil
		}
		x := &k.list[at]
		if m.rng.IntN(12) == 0 || (x.op == facts.FlowThrow || x.op == facts.FlowReturn) && m.rng.IntN(3) > 0 {
			continue
		}
		if x.op == facts.FlowReturn {
			return a.vars[x.a], nil
		}
		if e := m.step(a, x); e != nil {
			if !m.catch(a, x.cover, e) {
				return nil, e
			}
			at = m.rng.IntN(len(k.list)+1) - 1
		}
	}
}

// catch looks for a handler.
func (m *machine) catch(a *activation, cover uint16, e *value) bool {
	f := a.code.facts
	for _, i := range f.Covers()[cover] {
		if t := f.Table()[i]; t.Type == "" || m.p.isA(e.class, t.Type) {
			h := int(t.Handler)
			m.seen.arrivals[arrived{exceptions.HandlerRef{Class: a.code.class, Method: a.code.index, Handler: h},
				*e.thrown}] = true
			a.caught[h] = e
			a.vars[a.code.catches[h].to] = e
			return true
		}
	}
	return false
}

// step executes an instruction other than a return.
func (m *machine) step(a *activation, x *instr) (exception *value) {
	from := a.vars[x.a]
	switch x.op {
	case 0:
		return m.initialise(a.code.facts.Inits[x.at].Class,
			&called{class: a.code.class, method: a.code.index, origin: callgraph.FromInits, index: x.at})
	case facts.FlowMove:
		a.vars[x.to] = from
	case facts.FlowCast:
		if from == nil || m.p.isA(from.class, x.class) {
			a.vars[x.to] = from
		}
	case facts.FlowNew:
		a.vars[x.to] = &value{class: x.class, fields: map[string]*value{}}
	case facts.FlowNewArray:
		a.vars[x.to] = &value{class: objectArray, fields: map[string]*value{}}
	case facts.FlowLoad, facts.FlowElemLoad, facts.FlowStore, facts.FlowElemStore:
		owner := x.class
		if x.op == facts.FlowElemLoad || x.op == facts.FlowElemStore {
			owner = objectArray
		}
		if from == nil || from.class != owner && !m.p.isA(from.class, owner) {
			return nil
		}
		if x.op == facts.FlowLoad || x.op == facts.FlowElemLoad {
			a.vars[x.to] = from.fields[owner]
		} else {
			from.fields[owner] = a.vars[x.b]
		}
	case facts.FlowStaticLoad:
		if x.b == 1 {
			if made := m.statics[x.class+".m"]; made != nil {
				a.vars[x.to] = made
			}
			return nil
		}
		a.vars[x.to] = m.statics[x.class]
	case facts.FlowStaticStore:
		m.statics[x.class] = from
	case facts.FlowThrow:
		if !m.reaches(a, len(a.code.facts.Calls)+x.at) {
			return nil
		}
		src := a.code.facts.Throws()[x.at].Sources[0]
		if src.Kind == facts.CaughtSource {
			return a.caught[src.Handler]
		}
		return &value{class: x.class, fields: map[string]*value{}, thrown: &thrownAt{a.code.class, a.code.index, x.at}}
	case facts.FlowCall:
		if !m.reaches(a, x.at) {
			return nil
		}
		return m.invoke(a, x)
	}
	return nil
}

// reaches tells whether control reaches a call, or a throw after these, with field "f" of this and
// the first parameter as they are; not where this is compared with a field of a class whose
// initialisation has not begun, or has failed. The field is null until that has stored something.
func (m *machine) reaches(a *activation, call int) bool {
	k := a.code
	if len(k.own) > 0 {
		null := a.vars[1] == nil || a.vars[1].fields[k.class] == nil
		if null && k.own[call]&1 == 0 || !null && k.own[call]&2 == 0 {
			return false
		}
	}
	if len(k.masks) == 0 {
		return true
	}
	at := 1
	if k.facts.Access&hierarchy.AccStatic == 0 {
		at = 2
	}
	outcome := len(k.compared)
	for i, class := range k.compared {
		with := m.statics[class+".m"]
		if class != "" && (!m.initialised[class] || m.erroneous[class]) {
			return false
		}
		if a.vars[at] == with {
			outcome = i
		}
	}
	return k.masks[call]>>outcome&1 == 1
}

// find is the method that a class has or inherits; those of I come last.
func (m *machine) find(class, name string) *routine {
	for _, c := range append(m.p.supers(class), "I") {
		if c == "I" && !m.p.isA(class, "I") {
			continue
		}
		for _, k := range m.p.codes[c] {
			if k.facts.Name == name {
				return k
			}
		}
	}
	return nil
}

// invoke executes a call.
func (m *machine) invoke(a *activation, x *instr) (exception *value) {
	c := &a.code.facts.Calls[x.at]
	var args []*value
	for _, v := range x.args {
		args = append(args, a.vars[v])
	}
	if c.Owner == objectArray { // clone
		if args[0] != nil && args[0].class == objectArray {
			a.vars[x.to] = &value{class: objectArray, fields: maps.Clone(args[0].fields)}
		}
		return nil
	}
	callee := m.find(c.Owner, c.Name)
	if callee == nil {
		return nil
	}
	if c.Kind != facts.Static {
		if args[0] == nil || !m.p.isA(args[0].class, c.Owner) || c.Name == "<init>" && callee.class != c.Owner {
			return nil
		}
		if c.Kind != facts.Special {
			callee = m.find(args[0].class, c.Name)
		}
	}
	if callee == nil || callee.facts.Access&hierarchy.AccAbstract != 0 {
		return nil
	}
	result, e := m.call(called{class: a.code.class, method: a.code.index, origin: callgraph.FromCalls, index: x.at},
		callee, args)
	if e == nil && x.to != 0 {
		a.vars[x.to] = result
	}
	return e
}

// call notes a call and executes it.
func (m *machine) call(at called, callee *routine, args []*value) (result, exception *value) {
	if len(m.stack) > 9 {
		panic(outOfBudget{})
	}
	at.callee, at.calledMethod = callee.class, callee.index
	m.stack = append(m.stack, at)
	if key := fmt.Sprint(m.stack); m.seen.calls[key] == nil {
		m.seen.calls[key] = slices.Clone(m.stack)
	}
	result, exception = m.run(callee, args)
	m.stack = m.stack[:len(m.stack)-1]
	return result, exception
}

// initialise runs the class initialisers that have not begun, that of a superclass first. What is
// no error ends the run: the error that the JVM makes of it is no throw site of the program. Field
// "m" gets its object before the rest of the initialiser runs, or after it.
func (m *machine) initialise(class string, at *called) (exception *value) {
	i := slices.IndexFunc(m.p.codes[class], func(k *routine) bool { return k.facts.Name == "<clinit>" })
	if m.initialised[class] || at == nil || at.class == class {
		return nil
	}
	m.initialised[class] = i >= 0
	if super := m.p.classes[class].Super; super != objectClass {
		if e := m.initialise(super, at); e != nil {
			m.erroneous[class] = true
			return e
		}
	}
	if i < 0 {
		return nil
	}
	store := func() { m.statics[class+".m"] = &value{class: class, fields: map[string]*value{}} }
	early := m.rng.IntN(2) == 0
	if early {
		store()
	}
	if _, e := m.call(*at, m.p.codes[class][i], nil); e != nil {
		if !m.p.isA(e.class, "java/lang/Error") {
			panic(outOfBudget{})
		}
		m.erroneous[class] = true
		return e
	}
	if !early {
		store()
	}
	return nil
}
