package handed

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file reads what is the same whatever is followed: the types of methods, and who loads what.

// method returns what is known of a node's method; nil for a synthetic node.
func (f *Flow) method(n callgraph.NodeID) *method {
	if m, ok := f.infos[n]; ok {
		return m
	}
	of := f.g.Method(n)
	if of == nil {
		f.infos[n] = nil
		return nil
	}
	t := f.h.Owner(f.g.Nodes[n].Method)
	m := &method{facts: of, class: f.h.Facts(t), owner: t, result: resultType(of.Desc), own: f.isOwn(t),
		sites: make([][]callgraph.SetID, len(of.Calls))}
	if of.Access&hierarchy.AccStatic == 0 {
		m.params = append(m.params, f.h.Name(t))
	}
	m.params = append(m.params, parameters(of.Desc)...)
	for _, site := range f.g.SitesOf(n) {
		if site.Origin == callgraph.FromCalls && site.Set != callgraph.NoSet && site.Kind != callgraph.ClassInit &&
			site.Kind != callgraph.Bootstrap {
			m.sites[site.Index] = append(m.sites[site.Index], site.Set)
		}
	}
	m.arrays = f.hasArrays(m)
	f.infos[n] = m
	return m
}

// isOwn tells whether a class is the program's.
func (f *Flow) isOwn(t hierarchy.TypeID) bool { return f.own(f.h.Name(t)) }

// isException tells whether a type, by its internal name, is Throwable or below.
func (f *Flow) isException(name string) bool {
	is, ok := f.exceptions[name]
	if !ok {
		t := f.h.Lookup(name)
		is = t != hierarchy.NoType && f.h.IsSubtype(t, f.h.Throwable())
		f.exceptions[name] = is
	}
	return is
}

// element is the name of the class of an array's elements, by the array's descriptor; "" for
// others.
func element(desc string) string {
	rest := strings.TrimLeft(desc, "[")
	if len(rest) == len(desc) || rest == "" || rest[0] != 'L' {
		return ""
	}
	return rest[1 : len(rest)-1]
}

// hasArrays tells whether a method has something to do with arrays of exceptions: it is passed or
// loads some, or a call gives it some.
func (f *Flow) hasArrays(m *method) bool {
	is := func(desc string) bool { e := element(desc); return e != "" && f.isException(e) }
	return slices.ContainsFunc(m.params, is) || slices.ContainsFunc(m.class.FlowNames, is) ||
		slices.ContainsFunc(m.facts.Calls, func(c facts.Call) bool { return is(resultType(c.Desc)) })
}

// isBlurry tells whether a variable of a node may come from where the static type is no
// exception's, and what is kept there with it.
func (f *Flow) isBlurry(n callgraph.NodeID, m *method, v uint64) bool {
	if m.blurry == nil {
		f.findBlurry(n, m)
	}
	return int(v) < len(m.blurry) && m.blurry[v]
}

// findBlurry finds the variables that are given what parameters, fields, elements and calls give
// whose type is an interface, a variable of types or Object. What calls give is followed.
func (f *Flow) findBlurry(n callgraph.NodeID, m *method) {
	m.blurry = make([]bool, len(m.params)+1)
	set := func(v uint64) bool {
		if int(v) >= len(m.blurry) {
			m.blurry = append(m.blurry, make([]bool, int(v)+1-len(m.blurry))...)
		}
		was := m.blurry[v]
		m.blurry[v] = v != 0
		return !was && v != 0
	}
	for i, p := range m.params {
		if f.isBlurred(p) {
			set(uint64(i) + 1)
		}
	}
	names := m.class.FlowNames
	for changed, first := true, true; changed; first = false {
		changed = false
		facts.EachFlow(m.facts.Flow, func(op facts.FlowOp, x []uint64) {
			hit := false
			switch op {
			case facts.FlowMove, facts.FlowCast:
				hit = int(x[1]) < len(m.blurry) && m.blurry[x[1]]
			case facts.FlowLoad:
				hit = first && f.isBlurred(typeOf(names[x[2]+2]))
			case facts.FlowStaticLoad:
				hit = first && f.isBlurred(typeOf(names[x[1]+2]))
			case facts.FlowElemLoad:
				hit = first
			case facts.FlowCall:
				hit = first && x[1] != 0 && f.givesBlurred(m, int(x[0]))
			}
			changed = hit && set(x[0+callResult(op)]) || changed
		})
	}
}

// callResult is 1 for a call, whose result is its second operand: that of others is the first.
func callResult(op facts.FlowOp) int {
	if op == facts.FlowCall {
		return 1
	}
	return 0
}

// isBlurred tells whether objects may be kept with others in a place of a type.
func (f *Flow) isBlurred(name string) bool {
	return name == object || name != noReference && name[0] != '[' && !f.isException(name) && f.mayBeUnchecked(name)
}

// givesBlurred tells whether a call may give what is kept where static types are no exceptions':
// whether a method that it calls returns that.
func (f *Flow) givesBlurred(m *method, call int) bool {
	c := &m.facts.Calls[call]
	if !f.isBlurred(resultType(c.Desc)) {
		return false
	}
	if features.HidesFields(c.Owner) {
		return readsFields(c.Name)
	}
	for _, set := range m.sites[call] {
		for _, t := range f.g.Targets(set) {
			if f.returnsBlurred(t) {
				return true
			}
		}
	}
	return false
}

// returnsBlurred tells whether a node returns what is kept where static types are no exceptions'.
func (f *Flow) returnsBlurred(n callgraph.NodeID) bool {
	if f.returning == nil {
		f.returning = make([]uint8, f.g.NumNodes())
	}
	if f.returning[n] == 0 {
		f.returning[n] = 2 // what calls itself may
		if !f.findReturned(n) {
			f.returning[n] = 1
		}
	}
	return f.returning[n] == 2
}

// findReturned is returnsBlurred for the first time.
func (f *Flow) findReturned(n callgraph.NodeID) (is bool) {
	m := f.method(n)
	switch {
	case m == nil: // between a lambda and its code
		for _, site := range f.g.SitesOf(n) {
			is = is || slices.ContainsFunc(f.g.Targets(site.Set), f.returnsBlurred)
		}
		return is
	case m.result == noReference || !f.isBlurred(m.result):
		return false
	case m.facts.Access&hierarchy.AccNative != 0:
		return m.class.Name == "java/lang/reflect/Array" ||
			features.HidesFields(m.class.Name) && readsFields(m.facts.Name)
	}
	facts.EachFlow(m.facts.Flow, func(op facts.FlowOp, x []uint64) {
		is = is || op == facts.FlowReturn && f.isBlurry(n, m, x[0])
	})
	return is
}

// fieldName is a field by its name and descriptor.
type fieldName struct{ name, desc string }

// loads says which nodes may load what: fields, by those that their classes name, and what is kept
// where static types are no exceptions'.
type loads struct {
	fields  map[fieldName][]callgraph.NodeID
	blurred []callgraph.NodeID
	lambdas []parameter
}

// parameter is a parameter of the code of a lambda, or of a method that is referred to: it is of an
// exception's type, and what it is called with is not.
type parameter struct {
	node   callgraph.NodeID
	at     int
	filter string
}

// loadsOf reads the methods of the graph whose classes name exceptions or are the program's, when
// it is asked first.
func (f *Flow) loadsOf() *loads {
	if f.loads != nil {
		return f.loads
	}
	f.loads = &loads{fields: map[fieldName][]callgraph.NodeID{}}
	names := map[hierarchy.TypeID]bool{}
	for n := range callgraph.NodeID(f.g.NumNodes()) {
		if f.g.Nodes[n].Method == hierarchy.NoMethod {
			continue
		}
		f.addLambdas(f.g.Method(n))
		t := f.h.Owner(f.g.Nodes[n].Method)
		named, ok := names[t]
		if !ok {
			named = f.isOwn(t) || slices.ContainsFunc(f.h.Facts(t).FlowNames, f.namesException)
			names[t] = named
		}
		if named {
			f.addLoads(n)
		}
	}
	return f.loads
}

// addLambdas notes the parameters of the lambdas that a method makes.
func (f *Flow) addLambdas(m *facts.Method) {
	for i := range m.Calls {
		x := m.Calls[i].Indy()
		if x == nil || x.Kind != facts.LambdaIndy {
			continue
		}
		given := parameters(x.SAMDesc)
		if len(given) == 0 || f.node(x.Impl) == callgraph.NoNode {
			continue
		}
		to := f.method(f.node(x.Impl))
		for k := 1; k <= min(len(given), len(to.params)); k++ {
			at := len(to.params) - k
			if f.isException(to.params[at]) && !f.isException(given[len(given)-k]) {
				f.loads.lambdas = append(f.loads.lambdas, parameter{f.node(x.Impl), at, to.params[at]})
			}
		}
	}
}

// passesOn tells whether objects that are passed to a node go on there: whether it is the program's
// own, has a parameter of an exception's type, or stands between a lambda and its code.
func (f *Flow) passesOn(n callgraph.NodeID) bool {
	if f.taking == nil {
		f.taking = make([]uint8, f.g.NumNodes())
	}
	if f.taking[n] == 0 {
		f.taking[n] = 1
		if m := f.method(n); m == nil || m.own || slices.ContainsFunc(m.params, f.isException) {
			f.taking[n] = 2
		}
	}
	return f.taking[n] == 2
}

// namesException tells whether a name or descriptor is of an exception, or of arrays of some.
func (f *Flow) namesException(name string) bool {
	if strings.HasSuffix(name, ";") {
		name = strings.TrimLeft(name, "[")
		name = name[1 : len(name)-1]
	}
	return f.isException(name)
}

// addLoads notes what a node may load.
func (f *Flow) addLoads(n callgraph.NodeID) {
	l, m := f.loads, f.method(n)
	last := func(list []callgraph.NodeID) bool { return len(list) > 0 && list[len(list)-1] == n }
	facts.EachFlow(m.facts.Flow, func(op facts.FlowOp, x []uint64) {
		at := -1
		switch op {
		case facts.FlowLoad:
			at = int(x[2])
		case facts.FlowStaticLoad:
			at = int(x[1])
		case facts.FlowCast:
			if !last(l.blurred) && f.isException(m.class.FlowNames[x[2]]) && f.isBlurry(n, m, x[1]) {
				l.blurred = append(l.blurred, n)
			}
		case facts.FlowElemLoad:
			if !last(l.blurred) && m.arrays {
				l.blurred = append(l.blurred, n)
			}
		}
		if at < 0 {
			return
		}
		k := fieldName{m.class.FlowNames[at+1], m.class.FlowNames[at+2]}
		if (m.own || f.isException(typeOf(k.desc))) && !last(l.fields[k]) {
			l.fields[k] = append(l.fields[k], n)
		}
	})
}

// parameters lists the types of the reference parameters of a method, by its descriptor.
func parameters(desc string) (out []string) {
	for _, p := range classfile.Parameters(desc) {
		if d := typeOf(p); d != noReference {
			out = append(out, d)
		}
	}
	return slices.Clip(out)
}

// typeOf is the type of a descriptor: the name of a class, or the descriptor of an array.
func typeOf(desc string) string {
	switch {
	case desc != "" && desc[0] == 'L':
		return desc[1 : len(desc)-1]
	case desc != "" && desc[0] == '[':
		return desc
	}
	return noReference
}

// resultType is the type of what a method returns.
func resultType(desc string) string { return typeOf(classfile.Result(desc)) }
