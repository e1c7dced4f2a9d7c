package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
)

// This file tells whether a method that loads a class by its name may give somebody the means to
// make an object of it.

// describers are the methods of Class that tell something about a class and give neither itself
// nor a constructor. Those that begin with "is" are more of them.
var describers = []string{"getName", "getSimpleName", "getTypeName", "getCanonicalName", "getPackageName",
	"getModifiers", "getClassLoader", "getProtectionDomain", "desiredAssertionStatus", "getEnumConstants",
	"getResource", "getResourceAsStream", "cast", "hashCode", "equals", "toString"}

// memberFinders are the methods of Class that give a method or field, which knows its class
// (Member.getDeclaringClass).
var memberFinders = []string{"getMethod", "getDeclaredMethod", "getField", "getDeclaredField"}

// memberUses are the methods of Method, Field and AccessibleObject that use the member for what it
// is, and give nobody the class.
var memberUses = []string{"invoke", "get", "getBoolean", "getInt", "getLong", "set", "setBoolean", "setInt", "setLong",
	"setAccessible", "trySetAccessible", "canAccess", "isAccessible", "getName", "getModifiers", "toString"}

// LendsClass tells whether the class that call i of a method of a class loads by its name may get
// to where objects of it are made: the method asks it for constructors, stores it, returns it or
// passes it on, or does so with a method or field of it. Code of the JDK is known not to ask the
// methods that it finds for their class, to make objects of that.
func LendsClass(class string, m *facts.Method, i int) bool {
	if c := &m.Calls[i]; DropsClass(c) || !natives.OfJDK(c.Owner) {
		return !DropsClass(c)
	}
	l := lending{m: m, ofJDK: natives.OfJDK(class), at: map[uint64]bool{}, members: map[uint64]bool{}}
	for n := -1; n != len(l.at)+len(l.members) && !l.lends; {
		n = len(l.at) + len(l.members)
		facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
			if op == facts.FlowCall && x[0] == uint64(i) && x[1] != 0 {
				l.at[x[1]] = true
			}
			l.step(op, x)
		})
	}
	return l.lends
}

// lending follows one class, and the methods and fields that it is asked for, through a method.
type lending struct {
	m       *facts.Method
	ofJDK   bool
	at      map[uint64]bool // the variables that may be the class
	members map[uint64]bool // those that may be a method or field of it
	lends   bool
}

// step looks at one operation of the flow.
func (l *lending) step(op facts.FlowOp, x []uint64) {
	switch op {
	case facts.FlowMove, facts.FlowCast:
		if l.at[x[1]] {
			l.at[x[0]] = true
		}
		if l.members[x[1]] {
			l.members[x[0]] = true
		}
	case facts.FlowCall:
		for k, v := range x[3:] {
			if l.at[v] && (k > 0 || !l.describes(&l.m.Calls[x[0]], x[1])) ||
				l.members[v] && (k > 0 || !usesMember(&l.m.Calls[x[0]])) {
				l.lends = true
			}
		}
	default:
		l.lends = l.lends || op.ReadsAny(x, func(v uint64) bool { return l.at[v] || l.members[v] })
	}
}

// describes tells whether a call that the class is the receiver of gives nobody an object of it.
// result is the variable of what it gives.
func (l *lending) describes(c *facts.Call, result uint64) bool {
	if c.Owner != "java/lang/Class" || c.Kind == facts.Static {
		return false
	}
	if slices.Contains(memberFinders, c.Name) {
		if result != 0 && !l.ofJDK {
			l.members[result] = true
		}
		return true
	}
	return slices.Contains(describers, c.Name) || strings.HasPrefix(c.Name, "is")
}

// usesMember tells whether a call that a method or field is the receiver of gives nobody its class.
func usesMember(c *facts.Call) bool {
	return slices.Contains([]string{"java/lang/reflect/Method", "java/lang/reflect/Field",
		"java/lang/reflect/AccessibleObject"}, c.Owner) && slices.Contains(memberUses, c.Name)
}
