package features

import "github.com/catchlens/catchlens/analysis/hierarchy"

// This file lists the methods that serialisation calls.

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

// SerialConstructor is the constructor that reading a serialised object of class t
// calls: its own where it is externalizable, else that of its first superclass
// that is not serialisable (java.io.ObjectInputStream). NoMethod where that is
// Object's.
func SerialConstructor(h *hierarchy.Hierarchy, t hierarchy.TypeID) hierarchy.MethodID {
	sel := h.Selector("<init>", "()V")
	s, e := h.Lookup("java/io/Serializable"), h.Lookup("java/io/Externalizable")
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
