package features

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells which class initialisers an instruction, a handle or a reflective call runs
// (JVMS 5.5).

// Initialised is the class that an instruction in a method of the class by initialises
// which names the class or interface t and, where it is not nil, a static field: the one
// that declares the field (JVMS 5.5). NoType where that is initialised whenever code of by
// runs.
func Initialised(h *hierarchy.Hierarchy, by, t hierarchy.TypeID, field *facts.MemberRef) hierarchy.TypeID {
	if field == nil {
		return t
	}
	if d := h.ResolveField(t, field.Name, field.Desc); d != hierarchy.NoType {
		t = d
	}
	if initialisedBefore(h, by, t) {
		return hierarchy.NoType
	}
	return t
}

// initialisedBefore tells whether a class or interface, t, is initialised, or being initialised by
// the same thread, whenever code of the class by runs: by itself and its superclasses. Interfaces
// come after these, and the initialiser of a superclass may call code of by.
func initialisedBefore(h *hierarchy.Hierarchy, by, t hierarchy.TypeID) bool {
	return !h.IsInterface(by) && !h.IsInterface(t) && h.IsSubtype(by, t)
}

// Initializers are the class initialisers that initialising t runs: those of t,
// its superclasses, and superinterfaces with default methods (JVMS 5.5).
func Initializers(h *hierarchy.Hierarchy, t hierarchy.TypeID) (out []hierarchy.MethodID) {
	clinit := h.Selector("<clinit>", "()V")
	if clinit == hierarchy.NoSelector {
		return nil
	}
	for _, c := range h.Superclasses(t) {
		if m := h.Declared(c, clinit); m != hierarchy.NoMethod {
			out = append(out, m)
		}
	}
	if !h.IsInterface(t) {
		for _, i := range h.Superinterfaces(t) {
			if m := h.Declared(i, clinit); m != hierarchy.NoMethod && hasDefaults(h, i) {
				out = append(out, m)
			}
		}
	}
	return out
}

// LambdaInitializers are the class initialisers that making an object of a lambda's
// class runs: those of its interfaces, as initialising a class that implements them
// does. Whoever links the invokedynamic initialises that class.
func LambdaInitializers(h *hierarchy.Hierarchy, ifaces []hierarchy.TypeID) (out []hierarchy.MethodID) {
	clinit := h.Selector("<clinit>", "()V")
	if clinit == hierarchy.NoSelector {
		return nil
	}
	for _, i := range ifaces {
		for _, t := range append([]hierarchy.TypeID{i}, h.Superinterfaces(i)...) {
			if m := h.Declared(t, clinit); m != hierarchy.NoMethod && !slices.Contains(out, m) && hasDefaults(h, t) {
				out = append(out, m)
			}
		}
	}
	return out
}

// HandleInitializes tells whether invoking a handle that a class has, of a static method
// or a constructor, may run class initialisers: not those of the class itself or above.
func HandleInitializes(h *hierarchy.Hierarchy, kind uint8, m hierarchy.MethodID, class string) bool {
	owner := h.Owner(m)
	if kind != RefInvokeStatic && kind != RefNewInvokeSpecial || len(Initializers(h, owner)) == 0 {
		return false
	}
	t := h.Lookup(class)
	return t == hierarchy.NoType || h.IsInterface(owner) || !h.IsSubtype(t, owner)
}

// InvokeInitializes tells whether reflection, or a handle of it, may initialise the class of a
// method where code of a class gets at it: of a static one.
func InvokeInitializes(h *hierarchy.Hierarchy, m hierarchy.MethodID, class string) bool {
	return h.Method(m).Access&hierarchy.AccStatic != 0 && HandleInitializes(h, RefInvokeStatic, m, class)
}

// hasDefaults tells whether an interface declares an instance method with code.
func hasDefaults(h *hierarchy.Hierarchy, i hierarchy.TypeID) bool {
	for k := range h.Facts(i).Methods {
		if h.Facts(i).Methods[k].Access&(hierarchy.AccAbstract|hierarchy.AccStatic) == 0 {
			return true
		}
	}
	return false
}

// AskedField is a static field for which code asks a class, and whose reading or writing may
// initialise one.
type AskedField struct {
	Name     string // "": all of the class
	Declared bool   // it means those that the class itself declares
	Handle   bool   // it gets a method handle that reads or writes the field
}

// FieldAsked tells for which field a call of Class, or of MethodHandles.Lookup, asks; ok is
// false where for none.
func FieldAsked(c *facts.Call) (f AskedField, ok bool) {
	switch c.Name {
	case "getFields", "getDeclaredFields":
		return AskedField{Declared: c.Name == "getDeclaredFields"}, c.Owner == "java/lang/Class"
	case "getField", "getDeclaredField":
		f.Name, ok = StringConstant(c)
		f.Declared = c.Name == "getDeclaredField"
		return f, ok && c.Owner == "java/lang/Class"
	case "findStaticGetter", "findStaticSetter", "findStaticVarHandle":
		f.Name, ok = StringConstant(c)
		f.Handle = c.Name != "findStaticVarHandle"
	}
	return f, ok
}

// AskedStatics are the classes and interfaces that are initialised when code of the class by
// reads or writes a static field for which it has asked t.
func AskedStatics(h *hierarchy.Hierarchy, t hierarchy.TypeID, f AskedField,
	by hierarchy.TypeID) (out []hierarchy.TypeID) {
	of := []hierarchy.TypeID{t}
	if !f.Declared {
		of = h.Supertypes(t)
	}
	for _, d := range of {
		if class := h.Facts(d); class != nil && declaresStatic(class, f.Name) && !initialisedBefore(h, by, d) {
			out = append(out, d)
		}
	}
	return out
}

// declaresStatic tells whether a class declares a static field of that name, any one where it is
// "".
func declaresStatic(class *facts.Class, name string) bool {
	return slices.ContainsFunc(class.Fields,
		func(f facts.FlowField) bool { return f.Static && (name == "" || f.Name == name) }) ||
		slices.ContainsFunc(class.Primitives, func(f facts.FieldName) bool { return name == "" || f.Name == name })
}

// AccessesByHandle tells whether a call in a class reads or writes what a VarHandle stands for,
// which may initialise a class. The JDK has handles of fields of its own classes.
func AccessesByHandle(c *facts.Call, class string) bool {
	return c.Owner == "java/lang/invoke/VarHandle" && c.Kind == facts.Virtual && !natives.OfJDK(class)
}
