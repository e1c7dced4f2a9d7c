package features

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
)

// This file tells which classes code makes objects of that are like one that it has.

// makers are the methods of Class by which an object of a class is made.
var makers = []string{"newInstance", "getConstructor", "getDeclaredConstructor", "getConstructors",
	"getDeclaredConstructors"}

// MakesObjects tells whether a call asks a class for an object or a constructor.
func MakesObjects(c *facts.Call) bool {
	return c.Owner == "java/lang/Class" && slices.Contains(makers, c.Name)
}

// asksClass tells whether a call is one of Object.getClass.
func asksClass(c *facts.Call) bool {
	return c.Name == "getClass" && c.Desc == "()Ljava/lang/Class;" && c.Kind != facts.Static
}

// MayMakeAlike tells whether a method both asks an object for its class and a class for objects or
// constructors, so that MadeAlike may have an answer.
func MayMakeAlike(m *facts.Method) bool {
	asks, makes := false, false
	for i := range m.Calls {
		asks, makes = asks || asksClass(&m.Calls[i]), makes || MakesObjects(&m.Calls[i])
	}
	return asks && makes
}

// Alike is an object whose class is asked for objects or constructors.
type Alike struct {
	Object uint64 // the operand of Method.Flow that it is
	Type   string // internal name of the class that it is declared as: its class is that or one below
}

// MadeAlike finds the objects whose class, which getClass gives, a method itself asks for an
// object or a constructor. Code of the JDK is not looked at, nor objects that are declared as a
// class of the JDK: nearly all that a program has may be an Object for cha and rta.
func MadeAlike(class *facts.Class, m *facts.Method) (out []Alike) {
	if natives.OfJDK(class.Name) || !MayMakeAlike(m) {
		return nil
	}
	classOf := map[uint64][]Alike{} // by operand: the objects whose class it is
	for changed := true; changed; {
		changed = false
		give := func(to uint64, objects ...Alike) {
			for _, a := range objects {
				if to != 0 && !slices.Contains(classOf[to], a) {
					classOf[to], changed = append(classOf[to], a), true
				}
			}
		}
		facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
			switch {
			case op == facts.FlowMove, op == facts.FlowCast:
				give(x[0], classOf[x[1]]...)
			case op != facts.FlowCall || len(x) < 4:
			case asksClass(&m.Calls[x[0]]):
				if t := declaredAs(&m.Calls[x[0]]); t[0] != '[' && !natives.OfJDK(t) {
					give(x[1], Alike{x[3], t})
				}
			case MakesObjects(&m.Calls[x[0]]):
				for _, a := range classOf[x[3]] {
					if !slices.Contains(out, a) {
						out = append(out, a)
					}
				}
			}
		})
	}
	return out
}

// declaredAs is the class that the receiver of a call is declared as.
func declaredAs(c *facts.Call) string {
	if r := c.Recv(); r != "" {
		return r
	}
	return c.Owner
}
