package features

import (
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file lists the methods that serialisation calls, and of which classes.

// SerialCaller is the class of the JDK that calls SerialMethods.
const SerialCaller = "java/io/ObjectStreamClass"

// SerialMethod is a method of serialisable classes that SerialCaller calls by reflection, and its
// method that does.
type SerialMethod struct{ Caller, Name, Desc string }

// SerialMethods are all such methods.
var SerialMethods = [...]SerialMethod{
	{"invokeReadObject", "readObject", "(Ljava/io/ObjectInputStream;)V"},
	{"invokeReadObjectNoData", "readObjectNoData", "()V"},
	{"invokeWriteObject", "writeObject", "(Ljava/io/ObjectOutputStream;)V"},
	{"invokeReadResolve", "readResolve", "()Ljava/lang/Object;"},
	{"invokeWriteReplace", "writeReplace", "()Ljava/lang/Object;"},
}

// SerialCalls are the places in SerialMethods of those that a method of a class calls.
func SerialCalls(class string, m *facts.Method) (out []int) {
	if class != SerialCaller {
		return nil
	}
	for i, s := range SerialMethods {
		if m.Name == s.Caller {
			out = append(out, i)
		}
	}
	return out
}

// OverridesReading tells whether a method, of a subclass of ObjectInputStream, makes what
// readObject gives, in place of what stands in the stream.
func OverridesReading(m *facts.Method) bool {
	return m.Name == "readObjectOverride" && m.Desc == "()Ljava/lang/Object;"
}

// Serialisable tells whether objects of a class may be serialised.
func Serialisable(h *hierarchy.Hierarchy, t hierarchy.TypeID) bool {
	s := h.Lookup(SerialisableClass)
	return s != hierarchy.NoType && h.IsSubtype(t, s)
}

// SerialisableClass is the interface of what may be serialised.
const SerialisableClass = "java/io/Serializable"

// SerialImplementations are the methods of a serialisable class and its superclasses that the i-th
// of SerialMethods stands for.
func SerialImplementations(h *hierarchy.Hierarchy, t hierarchy.TypeID, i int) (out []hierarchy.MethodID) {
	sel := h.Selector(SerialMethods[i].Name, SerialMethods[i].Desc)
	if sel == hierarchy.NoSelector {
		return nil
	}
	for _, c := range h.Superclasses(t) {
		if m := h.Declared(c, sel); m != hierarchy.NoMethod &&
			h.Method(m).Access&(hierarchy.AccStatic|hierarchy.AccAbstract) == 0 {
			out = append(out, m)
		}
	}
	return out
}

// RecordMakers are the constructors of a record, one of which reading a serialised one calls; none
// of another class.
func RecordMakers(h *hierarchy.Hierarchy, t hierarchy.TypeID) (out []hierarchy.MethodID) {
	class := h.Facts(t)
	if class == nil || class.Super != "java/lang/Record" {
		return nil
	}
	for i := range class.Methods {
		if class.Methods[i].Name == "<init>" {
			out = append(out, h.MethodAt(t, i))
		}
	}
	return out
}

// SerialConstructor is the constructor that reading a serialised object of class t
// calls: its own where it is externalizable, else that of its first superclass
// that is not serialisable (java.io.ObjectInputStream). NoMethod where that is
// Object's.
func SerialConstructor(h *hierarchy.Hierarchy, t hierarchy.TypeID) hierarchy.MethodID {
	sel := h.Selector("<init>", "()V")
	s, e := h.Lookup(SerialisableClass), h.Lookup("java/io/Externalizable")
	if e == hierarchy.NoType || !h.IsSubtype(t, e) {
		for t != hierarchy.NoType && h.IsSubtype(t, s) {
			t = h.Super(t)
		}
	}
	if sel == hierarchy.NoSelector || t == hierarchy.NoType || t == h.Object() {
		return hierarchy.NoMethod
	}
	return h.Declared(t, sel)
}
