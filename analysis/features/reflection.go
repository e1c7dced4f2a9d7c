package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells what calls of reflection and method handles name, and what they may call.

// invokesOthers are the classes of the JDK that invoke handles which programs give
// them: the combinators and MethodHandle.invokeWithArguments. The other classes
// that invoke handles do it with those that they look up themselves.
var invokesOthers = []string{"java/lang/invoke/MethodHandle", "java/lang/invoke/MethodHandleImpl",
	"java/lang/invoke/MethodHandleProxies"}

// Pool names what an invocation of a method handle may call.
type Pool uint8

// The pools.
const (
	ReflectedMethods      Pool = iota // what Method.invoke may call
	ReflectedConstructors             // what Constructor.newInstance may call
	LookedUp                          // handles that constants name
	AnyHandle                         // these, and handles made of reflected methods and constructors
	RecordConstructors                // those of serialisable records
	ProxiedDefaults                   // default methods of proxied interfaces
)

// HandlePool is what an invocation of a method handle in a class may call.
// Adapters change a handle's arity, so that any handle may be meant; those of
// core reflection hold reflected methods only.
func HandlePool(class string) Pool {
	switch {
	case strings.HasPrefix(class, "jdk/internal/reflect/DirectMethodHandleAccessor"):
		return ReflectedMethods
	case strings.HasPrefix(class, "jdk/internal/reflect/DirectConstructorHandleAccessor"):
		return ReflectedConstructors
	case class == "java/lang/reflect/Proxy":
		return ProxiedDefaults // invokeDefault
	case class == "java/io/ObjectInputStream":
		return RecordConstructors // readRecord
	}
	outer, _, _ := strings.Cut(class, "$")
	if natives.OfJDK(class) && !slices.Contains(invokesOthers, outer) {
		return LookedUp
	}
	return AnyHandle
}

// NamedClasses lists the class constants of a method and the names that it gives to forName and
// loadClass, if it does something with the class. A class that is only asked for by name need not
// exist, and is left out where it does not.
func NamedClasses(h *hierarchy.Hierarchy, m *facts.Method) []string {
	out := slices.Clone(m.ClassConstants(h.Present))
	for i := range m.Calls {
		if c := &m.Calls[i]; DropsClass(c) {
			continue
		} else if n := ForNameConstant(c); n != "" && h.Present(n) {
			out = append(out, n)
		}
	}
	return out
}

// LoadsByName tells whether a call loads a class by its name.
func LoadsByName(c *facts.Call) bool {
	return c.Owner == "java/lang/Class" && c.Name == "forName" ||
		c.Name == "loadClass" && strings.HasPrefix(c.Desc, "(Ljava/lang/String;")
}

// ForNameConstant is the class that a call loads by a constant name, or "".
func ForNameConstant(c *facts.Call) string {
	if LoadsByName(c) {
		for _, a := range c.Args() {
			if a.Kind == facts.StringConst {
				return strings.ReplaceAll(a.Value, ".", "/")
			}
		}
	}
	return ""
}

// ClassConstant is the first class constant among a call's arguments, or "".
func ClassConstant(c *facts.Call) string {
	for _, a := range c.Args() {
		if a.Kind == facts.ClassConst {
			return a.Value
		}
	}
	return ""
}

// InitializedConstant is the class, given as a constant, that a call initialises, or "":
// of Unsafe, of MethodHandles.Lookup, or of the JDK's SharedSecrets, by which its packages
// reach each other's code.
func InitializedConstant(c *facts.Call) string {
	if (c.Name == "ensureClassInitialized" || c.Name == "ensureInitialized") && natives.OfJDK(c.Owner) {
		return ClassConstant(c)
	}
	return ""
}

const LookupClass = "java/lang/invoke/MethodHandles$Lookup"

// MethodClass is the class of the methods that reflection calls.
const MethodClass = "java/lang/reflect/Method"

// InvokesMethod tells whether a method of a class is Method.invoke.
func InvokesMethod(class, name string) bool { return class == MethodClass && name == "invoke" }

// InvokesHandle tells whether a method whose calls have any descriptor is one of MethodHandle, and
// not of VarHandle.
func InvokesHandle(h *hierarchy.Hierarchy, m hierarchy.MethodID) bool {
	return h.Name(h.Owner(m)) == "java/lang/invoke/MethodHandle"
}

// LookupUtil is the class by which the JDK's own code (of 25, most of
// java.util.concurrent) calls find methods of MethodHandles.Lookup.
const LookupUtil = "jdk/internal/invoke/MhUtil"

// LookupOwner is the class whose member a call of a find method names, in code of a
// class; "" if no constant does. Without a class LookupUtil takes that of the lookup.
func LookupOwner(c *facts.Call, class string) string {
	if c.Owner == LookupUtil && strings.HasPrefix(c.Desc, "(L"+LookupClass+";Ljava/lang/String;") {
		return class
	}
	return ClassConstant(c)
}

// LookupOwners are the classes whose members a find method or bind of a call in a method
// of a class may name. bind is given an object: it may be of the class itself, of one that
// the method makes, and of one that it names.
func LookupOwners(h *hierarchy.Hierarchy, c *facts.Call, class string, m *facts.Method) []string {
	if c.Name == "bind" && c.Owner == LookupClass && !natives.OfJDK(class) {
		out := append(NamedClasses(h, m), class)
		for i := range m.Allocs {
			if t := m.Allocs[i].Type; t != "" && t[0] != '[' {
				out = append(out, t)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if owner := LookupOwner(c, class); owner != "" && strings.HasPrefix(c.Name, "find") {
		return []string{owner}
	}
	return nil
}

// namingClasses begin the names of the classes whose methods get names of classes,
// methods and fields as strings.
var namingClasses = []string{"java/lang/Class", "java/lang/invoke/", "java/lang/reflect/", "java/util/ServiceLoader",
	"java/util/concurrent/atomic/", "java/net/URL", "jdk/internal/", "sun/misc/"}

// TakesNames tells whether the strings among the arguments of a call may name
// something; those of other calls mean nothing to any algorithm.
func TakesNames(c *facts.Call) bool {
	return c.Name == "loadClass" || TakesClassName(c) || AsksForService(c) != "" ||
		slices.ContainsFunc(namingClasses, func(p string) bool { return strings.HasPrefix(c.Owner, p) })
}

// StringConstant is the first string constant among a call's arguments.
func StringConstant(c *facts.Call) (string, bool) {
	for _, a := range c.Args() {
		if a.Kind == facts.StringConst {
			return a.Value, true
		}
	}
	return "", false
}

// DropsClass tells whether nothing is done with the class that a call loads by its name: the method
// drops it, and it is the JDK that loads it. A method of the program that is named loadClass may
// make objects of it itself.
func DropsClass(c *facts.Call) bool { return c.DropsClass && natives.OfJDK(c.Owner) }

// DefaultConstructor is the constructor without parameters of a class that has instances;
// NoMethod where there is none.
func DefaultConstructor(h *hierarchy.Hierarchy, t hierarchy.TypeID) hierarchy.MethodID {
	sel := h.Selector("<init>", "()V")
	if sel == hierarchy.NoSelector || !h.Instantiable(t) {
		return hierarchy.NoMethod
	}
	return h.Declared(t, sel)
}
