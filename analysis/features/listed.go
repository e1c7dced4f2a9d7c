package features

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds the methods that code gets as a list, by Class.getMethods or getDeclaredMethods
// of a class that the method names, and what it does with methods: it makes handles of them
// (MethodHandles.Lookup.unreflect), or invokes them.
//
// What is done with the list's elements is not followed: they come out of arrays and streams. A
// method that lists some does what it does with any Method, and what those do that it calls, or
// makes lambdas of, with a parameter for one. This depends on the
// code alone.
//
// Not seen are lists that a method keeps or returns, collections that are passed on, methods that
// override the one that is given a Method, and what takes one as an Executable, a Member or an
// AnnotatedElement.

// methodUse is what code does with reflected methods.
type methodUse uint8

const (
	makesHandles methodUse = 1 << iota
	invokes
)

// reflectedMethod stands in the descriptors of what takes methods, or arrays of them.
const reflectedMethod = "L" + MethodClass + ";"

// ReturnsMethods tells whether a call gives the methods of a class.
func ReturnsMethods(c *facts.Call) bool {
	return c.Owner == "java/lang/Class" && (c.Name == "getMethods" || c.Name == "getDeclaredMethods")
}

// ListedMethod is a method of the class that was asked for its methods.
type ListedMethod struct {
	Of     hierarchy.TypeID
	Method hierarchy.MethodID
}

// listed are the methods that t declares, or the public ones, inherited ones too.
func listed(h *hierarchy.Hierarchy, t hierarchy.TypeID, public bool) (out []hierarchy.MethodID) {
	of := []hierarchy.TypeID{t}
	if public {
		of = h.Supertypes(t)
	}
	for _, c := range of {
		class := h.Facts(c)
		if class == nil || c == h.Object() && h.IsInterface(t) {
			continue
		}
		for i := range class.Methods {
			m := &class.Methods[i]
			inherited := m.Access&hierarchy.AccPublic != 0 &&
				(c == t || !h.IsInterface(c) || m.Access&hierarchy.AccStatic == 0)
			if !strings.HasPrefix(m.Name, "<") && (!public || inherited) {
				out = append(out, h.MethodAt(c, i))
			}
		}
	}
	return out
}
