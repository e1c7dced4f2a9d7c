package features

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells what proxies of interfaces call, be it of invocation or of method handles.

// Names of what runs the methods of a proxy.
const (
	InvocationHandler = "java/lang/reflect/InvocationHandler"
	HandlerInvoke     = "(Ljava/lang/Object;Ljava/lang/reflect/Method;[Ljava/lang/Object;)Ljava/lang/Object;"
)

// MakesHandleProxy tells whether a call in a class outside the JDK makes an object of an interface
// that invokes a method handle: MethodHandleProxies.asInterfaceInstance, or LambdaMetafactory
// called by the program itself.
func MakesHandleProxy(class string, c *facts.Call) bool {
	return (c.Owner == "java/lang/invoke/MethodHandleProxies" && c.Name == "asInterfaceInstance" ||
		c.Owner == "java/lang/invoke/LambdaMetafactory") && c.Kind != facts.Dynamic && !natives.OfJDK(class)
}

// AbstractSelectors are the selectors of the abstract methods of an interface and those above it.
func AbstractSelectors(h *hierarchy.Hierarchy, t hierarchy.TypeID) (out []hierarchy.SelectorID) {
	for _, i := range append([]hierarchy.TypeID{t}, h.Superinterfaces(t)...) {
		f := h.Facts(i)
		for k := 0; f != nil && k < len(f.Methods); k++ {
			if m := &f.Methods[k]; m.Access&hierarchy.AccAbstract != 0 {
				out = append(out, h.Intern(m.Name, m.Desc))
			}
		}
	}
	return out
}

// ProxiedOfObject are the methods of Object that proxies pass to their handlers
// (java.lang.reflect.Proxy).
var ProxiedOfObject = [...]struct{ Name, Desc string }{{"hashCode", "()I"}, {"equals", "(Ljava/lang/Object;)Z"},
	{"toString", "()Ljava/lang/String;"}}

// Operands of a call of Proxy.newProxyInstance in a flow, behind its index, result and number.
const (
	proxyInterfaces = 4
	proxyHandler    = 5
	proxyOperands   = 6
)

// eachProxyCall calls f with the operands of each call of Proxy.newProxyInstance in a method.
// It tells whether the method makes proxies in no other way.
func eachProxyCall(m *facts.Method, f func(x []uint64)) bool {
	only := true
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		if op != facts.FlowCall || m.Calls[x[0]].Owner != "java/lang/reflect/Proxy" {
			return
		}
		switch c := &m.Calls[x[0]]; {
		case c.Name == "newProxyInstance" && len(x) == proxyOperands:
			f(x)
		case c.Name == "newProxyInstance" || c.Name == "getProxyClass":
			only = false
		}
	})
	return only
}

// NamesProxied tells whether all the interfaces of the proxies that a method makes stand in it as
// class constants: in arrays that it makes and does nothing else with.
func NamesProxied(m *facts.Method) bool {
	var arrays []uint64
	if !eachProxyCall(m, func(x []uint64) { arrays = append(arrays, x[proxyInterfaces]) }) {
		return false
	}
	made, constant, other := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{0: true}
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		switch to := resultOf(op, x); op {
		case facts.FlowNewArray:
			made[to] = true
		case facts.FlowClass:
			constant[to] = true
		default:
			other[to] = true
		}
	})
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowMove, facts.FlowCast, facts.FlowStaticStore:
			other[x[1]] = true
		case facts.FlowStore:
			other[x[2]] = true
		case facts.FlowReturn:
			other[x[0]] = true
		case facts.FlowElemStore:
			other[x[0]] = other[x[0]] || !constant[x[1]] || other[x[1]]
			other[x[1]] = other[x[1]] || !constant[x[1]]
		case facts.FlowCall:
			for k, a := range x[3:] {
				if made[a] && (m.Calls[x[0]].Owner != "java/lang/reflect/Proxy" || k+3 != proxyInterfaces) {
					other[a] = true
				}
			}
		}
	})
	return len(arrays) > 0 && !slices.ContainsFunc(arrays, func(a uint64) bool { return !made[a] || other[a] })
}

// resultOf is the operand that an operation of a flow gives a value, 0 for none.
func resultOf(op facts.FlowOp, x []uint64) uint64 {
	switch op {
	case facts.FlowCall:
		return x[1]
	case facts.FlowStore, facts.FlowStaticStore, facts.FlowElemStore, facts.FlowReturn, facts.FlowThrow:
		return 0
	}
	return x[0]
}

// HandlerTypes are the internal names of the classes that the handlers are declared as which a
// method of a class passes to Proxy.newProxyInstance: that of an object that it makes, of itself,
// of a parameter, a field, a result or a cast. Nil where the code does not tell one of them, or
// makes proxies in another way.
func HandlerTypes(class *facts.Class, m *facts.Method) (types []string) {
	var handlers []uint64
	known := eachProxyCall(m, func(x []uint64) { handlers = append(handlers, x[proxyHandler]) })
	for i := 0; known && i < len(handlers); i++ { // moves add to them
		found, from := declaredTypes(class, m, handlers[i])
		types, known = append(types, found...), len(found)+len(from) > 0
		for _, o := range from {
			if !slices.Contains(handlers, o) {
				handlers = append(handlers, o)
			}
		}
	}
	if !known {
		return nil
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// declaredTypes are the classes that an operand of a method's flow is declared as where it gets its
// value, and the operands that it is a copy of. Both are empty where the code does not tell all.
func declaredTypes(class *facts.Class, m *facts.Method, operand uint64) (types []string, from []uint64) {
	unknown := false
	add := func(desc string) {
		if len(desc) > 1 && desc[0] == 'L' {
			types = append(types, desc[1:len(desc)-1])
		} else {
			unknown = true
		}
	}
	params := referenceParams(m.Desc)
	if m.Access&hierarchy.AccStatic == 0 {
		params = append([]string{"L" + class.Name + ";"}, params...)
	}
	if operand > 0 && int(operand) <= len(params) {
		add(params[operand-1])
	}
	const descriptor = 2 // of the three names of a field
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		if operand == 0 || resultOf(op, x) != operand {
			return
		}
		switch op {
		case facts.FlowMove:
			from = append(from, x[1])
		case facts.FlowCast:
			add("L" + class.FlowNames[x[2]] + ";")
		case facts.FlowNew:
			add("L" + m.Allocs[x[1]].Type + ";")
		case facts.FlowLoad:
			add(class.FlowNames[x[2]+descriptor])
		case facts.FlowStaticLoad:
			add(class.FlowNames[x[1]+descriptor])
		case facts.FlowCall:
			add(classfile.Result(m.Calls[x[0]].Desc))
		default:
			unknown = true
		}
	})
	if unknown {
		return nil, nil
	}
	return types, from
}
