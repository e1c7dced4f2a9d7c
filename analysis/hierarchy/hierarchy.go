// Package hierarchy numbers the types and methods of a program densely and
// answers the questions that the JVM specification answers from them: who is a
// subtype of whom, which method a symbolic reference resolves to (JVMS 5.4.3.3,
// 5.4.3.4), and which one an invocation on a given class selects (JVMS 5.4.6).
//
// Input is a Source of per-class facts. Types are loaded when first asked for
// by name, together with all their supertypes; what nobody asks for costs
// nothing, so the class path may be as large as it likes. Output are TypeID and
// MethodID: positions in slices, in the order of loading, which is
// deterministic when the caller is.
//
// Missing classes become phantom types: direct subclasses of java/lang/Object,
// (of java/lang/Throwable where the use shows that they are exceptions),
// without methods. They are listed by Missing, each with the class that asked.
//
// Precision and soundness: dispatch is exact for the classes loaded, including
// default methods, private nestmates, signature-polymorphic methods and
// package-private methods, which only override inside their run-time package
// (JVMS 5.4.5). One class loader per package is assumed: two packages of the
// same name count as one.
//
// Cost: loading is linear in the methods of the class. IsSubtype is one array
// access for classes and a binary search among the superinterfaces otherwise.
// Select is a binary search in the class's method table, which is built when
// first needed and shares what it can with the superclass's.
//
// A Hierarchy may be read by many goroutines as long as none of them loads.
package hierarchy

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
)

// TypeID is the number of a class or interface.
type TypeID int32

// MethodID is the number of a method. The methods of a type are numbered
// without gaps in the order of the class file.
type MethodID int32

// SelectorID is the number of a method name together with a descriptor.
type SelectorID int32

// What lookups return when there is nothing.
const (
	NoType     TypeID     = -1
	NoMethod   MethodID   = -1
	NoSelector SelectorID = -1
)

// Access flags used here (JVMS 4.1, 4.5, 4.6).
const (
	AccPublic    = 0x0001
	AccPrivate   = 0x0002
	AccProtected = 0x0004
	AccStatic    = 0x0008
	AccFinal     = 0x0010
	AccVarargs   = 0x0080
	AccNative    = 0x0100
	AccInterface = 0x0200
	AccAbstract  = 0x0400

	AccAnnotation = 0x2000
)

// Source gives the facts of a class by its internal name.
type Source interface {
	Class(name string) (*facts.Class, bool)
}

// SourceFunc is a function that is a Source.
type SourceFunc func(name string) (*facts.Class, bool)

// Class calls the function.
func (f SourceFunc) Class(name string) (*facts.Class, bool) { return f(name) }

// Missing is a class that the Source does not have.
type Missing struct {
	Class        string
	ReferencedBy string // the class whose loading or code asked for it first; "" if unknown
}

// typeInfo is what is known of one type.
type typeInfo struct {
	name        string
	class       *facts.Class // nil for a phantom
	super       TypeID       // NoType for java/lang/Object
	display     []TypeID     // the chain of superclasses from java/lang/Object to the type itself
	ifaces      []TypeID     // all superinterfaces, transitively, ascending; the type itself not included
	firstMethod MethodID
	members     *members // nil as long as the methods are those that were loaded, see reshape.go
	ownStart    int32    // the type's own methods are own[ownStart:ownEnd], by selector
	ownEnd      int32
	subtypes    []TypeID // direct ones, in the order of loading
	table       *table   // see dispatch.go
	loading     bool
}

// ownMethod is a declared method under its selector.
type ownMethod struct {
	sel    SelectorID
	method MethodID
}

// selectorKey is what a selector stands for.
type selectorKey struct{ name, desc string }

// Hierarchy is a growing set of types. Make one with New.
type Hierarchy struct {
	src       Source
	types     []typeInfo
	byName    map[string]TypeID
	owner     []TypeID     // by MethodID
	selOf     []SelectorID // by MethodID
	own       []ownMethod
	selectors map[selectorKey]SelectorID
	keys      []selectorKey // by SelectorID
	resolved  map[resolveKey]MethodID
	missing   []Missing
	asked     map[string]bool // what Present was asked for before it was loaded
	malformed []string        // classes that inherit from themselves

	object, throwable TypeID
}

// New returns a hierarchy that knows java/lang/Object and java/lang/Throwable.
func New(src Source) *Hierarchy {
	h := &Hierarchy{
		src:       src,
		byName:    make(map[string]TypeID, 1<<14),
		selectors: make(map[selectorKey]SelectorID, 1<<15),
		resolved:  make(map[resolveKey]MethodID, 1<<15),
		object:    NoType,
	}
	h.object = h.load("java/lang/Object", "")
	h.throwable = h.load("java/lang/Throwable", "")
	return h
}

// Object and Throwable are the types of these names.
func (h *Hierarchy) Object() TypeID    { return h.object }
func (h *Hierarchy) Throwable() TypeID { return h.throwable }

// NumTypes and NumMethods tell how many numbers are in use.
func (h *Hierarchy) NumTypes() int   { return len(h.types) }
func (h *Hierarchy) NumMethods() int { return len(h.owner) }

// Load returns the type of that internal name, and loads it and its supertypes
// when they are new. Array types are java/lang/Object: they declare no method
// of their own (JVMS 4.4.2). by names the class whose code asks.
func (h *Hierarchy) Load(name, by string) TypeID {
	if t, ok := h.byName[name]; ok {
		return t
	}
	if strings.HasPrefix(name, "[") {
		return h.object
	}
	return h.load(name, by)
}

// LoadThrowable is Load for a class that is used as an exception: when it is
// missing it becomes a phantom below java/lang/Throwable.
func (h *Hierarchy) LoadThrowable(name, by string) TypeID {
	if t, ok := h.byName[name]; ok {
		h.reparentPhantom(t)
		return t
	}
	t := h.load(name, by)
	h.reparentPhantom(t)
	return t
}

// reparentPhantom puts a phantom that turns out to be an exception below
// Throwable, as long as nothing depends on its place.
func (h *Hierarchy) reparentPhantom(t TypeID) {
	ti := &h.types[t]
	if ti.class != nil || ti.super != h.object || t == h.object || t == h.throwable || len(ti.subtypes) > 0 {
		return
	}
	obj := &h.types[h.object]
	if i := slices.Index(obj.subtypes, t); i >= 0 {
		obj.subtypes = slices.Delete(slices.Clone(obj.subtypes), i, i+1) // a frozen copy may share it
	}
	ti.super = h.throwable
	ti.display = append(slices.Clone(h.types[h.throwable].display), t)
	h.types[h.throwable].subtypes = append(h.types[h.throwable].subtypes, t)
}

// load adds a type that is not known yet.
func (h *Hierarchy) load(name, by string) TypeID {
	t := TypeID(len(h.types))
	h.byName[name] = t
	h.types = append(h.types, typeInfo{name: name, super: NoType, loading: true, firstMethod: MethodID(len(h.owner))})
	class, ok := h.src.Class(name)
	if !ok {
		class = nil
		h.missing = append(h.missing, Missing{Class: name, ReferencedBy: by})
	}
	h.types[t].class = class
	h.declare(t, class)
	h.link(t, class)
	h.types[t].loading = false
	return t
}

// declare numbers the methods of a class and files them by selector.
func (h *Hierarchy) declare(t TypeID, class *facts.Class) {
	start := len(h.own)
	if class != nil {
		for i := range class.Methods {
			m := MethodID(len(h.owner))
			h.owner = append(h.owner, t)
			sel := h.intern(class.Methods[i].Name, class.Methods[i].Desc)
			h.selOf = append(h.selOf, sel)
			h.own = append(h.own, ownMethod{sel, m})
		}
		slices.SortStableFunc(h.own[start:], func(a, b ownMethod) int { return cmp.Compare(a.sel, b.sel) })
	}
	h.types[t].ownStart, h.types[t].ownEnd = int32(start), int32(len(h.own))
}

// link loads the supertypes of t and computes what IsSubtype needs.
func (h *Hierarchy) link(t TypeID, class *facts.Class) {
	super := NoType
	if t != 0 { // type 0 is java/lang/Object
		super = h.object
	}
	if class != nil && class.Super != "" && t != 0 {
		super = h.supertype(class.Super, t)
	}
	var ifaces []TypeID
	if class != nil {
		for _, n := range class.Interfaces {
			i := h.supertype(n, t)
			ifaces = append(append(ifaces, i), h.types[i].ifaces...)
			h.types[i].subtypes = append(h.types[i].subtypes, t)
		}
	}
	ti := &h.types[t]
	ti.super = super
	if super != NoType {
		ti.display = make([]TypeID, 0, len(h.types[super].display)+1)
		ti.display = append(ti.display, h.types[super].display...)
		inherited := h.types[super].ifaces
		if len(ifaces) == 0 {
			ti.ifaces = inherited
		} else {
			ifaces = append(ifaces, inherited...)
			slices.Sort(ifaces)
			ti.ifaces = slices.Compact(ifaces)
		}
		h.types[super].subtypes = append(h.types[super].subtypes, t)
	}
	ti.display = append(ti.display, t)
}

// supertype loads a direct supertype of t; a class that is its own supertype
// gets java/lang/Object instead and is remembered as malformed.
func (h *Hierarchy) supertype(name string, t TypeID) TypeID {
	s := h.Load(name, h.types[t].name)
	if h.types[s].loading && s != h.object {
		h.malformed = append(h.malformed, h.types[t].name)
		return h.object
	}
	return s
}

// intern returns the number of a selector, a new one if need be.
func (h *Hierarchy) intern(name, desc string) SelectorID {
	k := selectorKey{name, desc}
	if s, ok := h.selectors[k]; ok {
		return s
	}
	s := SelectorID(len(h.keys))
	h.selectors[k] = s
	h.keys = append(h.keys, k)
	return s
}

// Intern returns the number of a selector, a new one if need be.
func (h *Hierarchy) Intern(name, desc string) SelectorID { return h.intern(name, desc) }

// Selector returns the number of a selector, or NoSelector when no loaded
// class declares a method of that name and descriptor.
func (h *Hierarchy) Selector(name, desc string) SelectorID {
	if s, ok := h.selectors[selectorKey{name, desc}]; ok {
		return s
	}
	return NoSelector
}

// SelectorName returns the name and descriptor of a selector.
func (h *Hierarchy) SelectorName(s SelectorID) (name, desc string) {
	return h.keys[s].name, h.keys[s].desc
}

// Lookup returns a type that is loaded already, else NoType.
func (h *Hierarchy) Lookup(name string) TypeID {
	if t, ok := h.byName[name]; ok {
		return t
	}
	return NoType
}

// Name is the internal name of a type.
func (h *Hierarchy) Name(t TypeID) string { return h.types[t].name }

// Facts are the facts of a type, nil for a phantom.
func (h *Hierarchy) Facts(t TypeID) *facts.Class { return h.types[t].class }

// Phantom tells whether the Source does not have the type.
func (h *Hierarchy) Phantom(t TypeID) bool { return h.types[t].class == nil }

// Super is the superclass of a type, NoType for java/lang/Object.
func (h *Hierarchy) Super(t TypeID) TypeID { return h.types[t].super }

// Superinterfaces are all superinterfaces of a type, transitively, ascending.
// The slice must not be changed.
func (h *Hierarchy) Superinterfaces(t TypeID) []TypeID { return h.types[t].ifaces }

// Superclasses is the chain of classes from java/lang/Object to t itself. The
// slice must not be changed.
func (h *Hierarchy) Superclasses(t TypeID) []TypeID { return h.types[t].display }

// Supertypes are what Superclasses and Superinterfaces have, in this order.
func (h *Hierarchy) Supertypes(t TypeID) []TypeID {
	return slices.Concat(h.Superclasses(t), h.Superinterfaces(t))
}

// MethodsNamed are the methods of that name which a type or a supertype of it declares, whatever
// their descriptors and access, in the order of Supertypes.
func (h *Hierarchy) MethodsNamed(t TypeID, name string) iter.Seq[MethodID] {
	return func(yield func(MethodID) bool) {
		for _, c := range h.Supertypes(t) {
			class := h.Facts(c)
			for i := 0; class != nil && i < len(class.Methods); i++ {
				if class.Methods[i].Name == name && !yield(h.MethodAt(c, i)) {
					return
				}
			}
		}
	}
}

// Subtypes are the direct subtypes of t among the loaded types. The slice must
// not be changed.
func (h *Hierarchy) Subtypes(t TypeID) []TypeID { return h.types[t].subtypes }

// IsAnnotation tells whether t is an annotation interface.
func (h *Hierarchy) IsAnnotation(t TypeID) bool {
	c := h.types[t].class
	return c != nil && c.Access&AccAnnotation != 0
}

// IsInterface tells whether t is an interface.
func (h *Hierarchy) IsInterface(t TypeID) bool {
	c := h.types[t].class
	return c != nil && c.Access&AccInterface != 0
}

// Instantiable tells whether t can have instances: neither an interface, nor
// abstract, nor missing.
func (h *Hierarchy) Instantiable(t TypeID) bool {
	c := h.types[t].class
	return c != nil && c.Access&(AccInterface|AccAbstract) == 0
}

// IsSubtype tells whether a is b or a subtype of it.
func (h *Hierarchy) IsSubtype(a, b TypeID) bool {
	if a == b || b == h.object {
		return true
	}
	depth := len(h.types[b].display) - 1
	if d := h.types[a].display; depth < len(d) && d[depth] == b {
		return true
	}
	_, ok := slices.BinarySearch(h.types[a].ifaces, b)
	return ok
}

// CommonSuperclass is the most specific class that a and b both extend.
func (h *Hierarchy) CommonSuperclass(a, b TypeID) TypeID {
	da, db := h.types[a].display, h.types[b].display
	common := h.object
	for i := 0; i < len(da) && i < len(db) && da[i] == db[i]; i++ {
		common = da[i]
	}
	return common
}

// Owner is the type that declares a method.
func (h *Hierarchy) Owner(m MethodID) TypeID { return h.owner[m] }

// Index is the position of a method in its class file.
func (h *Hierarchy) Index(m MethodID) int {
	t := &h.types[h.owner[m]]
	if t.members != nil {
		return t.members.index(m)
	}
	return int(m - t.firstMethod)
}

// Method is the facts of a method.
func (h *Hierarchy) Method(m MethodID) *facts.Method {
	t := &h.types[h.owner[m]]
	if t.members != nil {
		return t.members.method(t.class, m)
	}
	return &t.class.Methods[m-t.firstMethod]
}

// MethodAt returns the number of the i-th method of t's class file, or NoMethod.
func (h *Hierarchy) MethodAt(t TypeID, i int) MethodID {
	if c := h.types[t].class; c == nil || i < 0 || i >= len(c.Methods) {
		return NoMethod
	}
	if x := h.types[t].members; x != nil {
		return x.ids[i]
	}
	return h.types[t].firstMethod + MethodID(i)
}

// Declared returns the method that t itself declares under a selector, or
// NoMethod.
func (h *Hierarchy) Declared(t TypeID, s SelectorID) MethodID {
	own := h.own[h.types[t].ownStart:h.types[t].ownEnd]
	i, ok := slices.BinarySearchFunc(own, s, func(o ownMethod, s SelectorID) int { return cmp.Compare(o.sel, s) })
	if !ok {
		return NoMethod
	}
	return own[i].method
}

// MissedBy says that code of a class asked for the i-th of Missing.
func (h *Hierarchy) MissedBy(i int, class string) {
	h.missing = slices.Clone(h.missing) // a copy may share it
	h.missing[i].ReferencedBy = class
}

// Missing lists the classes that the Source does not have, in the order in
// which they were asked for.
func (h *Hierarchy) Missing() []Missing { return h.missing }

// Malformed lists classes that are their own supertypes (JVMS 5.3.5).
func (h *Hierarchy) Malformed() []string { return h.malformed }

// Present tells whether a class is loaded or could be, without making it a
// phantom if not.
func (h *Hierarchy) Present(name string) bool {
	if t, ok := h.byName[name]; ok {
		return h.types[t].class != nil
	}
	if h.asked == nil {
		h.asked = map[string]bool{}
	}
	h.asked[name] = true
	_, ok := h.src.Class(name)
	return ok
}
