package features

import (
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds the classes that code names by strings which it does not itself give
// to Class.forName or loadClass, but passes to a method that does.
//
// A string constant that is an argument of a call names a class if there is one of that
// name, and the method that the call names passes that parameter on: to forName or
// loadClass, to another such method, or into a field of a class that loads classes by
// names that are no constants (the factories of XML parsers, sun.security.x509.OIDMap,
// enum constants with the name of what they make). All this depends on the code alone,
// not on what is reached and which objects there are, so that all call graphs have the
// same names. Following strings as objects was measured: see docs/internals/soundness.md.
//
// Classes of the JDK that java.security.Provider.Service gets are left out: each provider
// lists some hundred, any of which each getInstance would be taken to make. SecurityServices
// finds those that are asked for.
//
// Not seen are names that pass through arrays, through fields that another class loads
// from, and through methods that override the one that is named. Class constants are followed
// in the same way to what makes proxies of them: passedinterfaces.go.

// NameFlow finds named classes. It remembers what it found.
type NameFlow struct {
	h       *hierarchy.Hierarchy
	present map[string]bool
	loads   map[hierarchy.TypeID]bool
	passed  map[passing]bool
	makers  map[passing][]hierarchy.MethodID
	uses    map[passing]methodUse
	// flows are the classes with the code that answers depend on, besides that of the
	// method asked for.
	flows map[hierarchy.TypeID]bool

	workspace, resources []string
	tokens               *Tokens // nil until somebody asks

	services map[string][]SecurityService // by engine; read from the JDK when first asked for
	engines  map[string]bool              // the outermost classes of their code
}

// passing asks whether a method passes on the k-th of its references, receiver
// included, within some calls. jdk: the name is that of a class of the JDK.
type passing struct {
	m     hierarchy.MethodID
	k     int
	calls int
	jdk   bool
	to    purpose
}

// maxPassed bounds the calls through which a name is followed.
const maxPassed = 5

// NewNameFlow makes a NameFlow. It loads classes into h.
func NewNameFlow(h *hierarchy.Hierarchy) *NameFlow {
	return &NameFlow{h: h, present: map[string]bool{}, loads: map[hierarchy.TypeID]bool{}, passed: map[passing]bool{},
		makers: map[passing][]hierarchy.MethodID{}, uses: map[passing]methodUse{}, flows: map[hierarchy.TypeID]bool{}}
}

// Fork is a NameFlow of a copy of the hierarchy in which other classes than those
// that answers depend on may have other code.
func (f *NameFlow) Fork(h *hierarchy.Hierarchy) *NameFlow {
	n := NewNameFlow(h)
	n.workspace, n.resources, n.tokens = f.workspace, f.resources, f.tokens
	maps.Copy(n.flows, f.flows)
	maps.Copy(n.loads, f.loads) // of classes that change none is another, see ReadAny
	return n
}

// ReadAny tells whether answers depend on the code of a class that changes, or class objects are
// used otherwise then. src and workspace are the program as it is now.
func (f *NameFlow) ReadAny(h *hierarchy.Hierarchy, changed []ChangedMethods, src hierarchy.Source,
	workspace []string) bool {
	if f.tokens != nil && len(changed) > 0 {
		now := f.followTokens(src, workspace)
		if !f.tokens.uses.same(now.uses) {
			return true
		}
		f.tokens = now
	}
	return slices.ContainsFunc(changed, func(c ChangedMethods) bool {
		t := h.Lookup(c.Class.Name)
		loads, asked := f.loads[t]
		return f.flows[t] || asked && loads != loadsByUnknown(c.Class)
	})
}

// Found are the uses of class objects, nil where nobody has asked.
func (f *NameFlow) Found() *Tokens { return f.tokens }

// DependsOn notes that answers depend on the code of a class, beside its calls.
func (f *NameFlow) DependsOn(t hierarchy.TypeID) { f.flows[t] = true }

// Read are the names of the classes with code that answers depend on.
func (f *NameFlow) Read() map[string]bool {
	out := make(map[string]bool, len(f.flows))
	for t := range f.flows {
		out[f.h.Name(t)] = true
	}
	return out
}

// Classes are the internal names of the classes that a method of class t names by
// strings and other code loads.
func (f *NameFlow) Classes(t hierarchy.TypeID, m *facts.Method) (out []string) {
	for i := range m.Calls {
		c := &m.Calls[i]
		if len(c.Args()) == 0 || LoadsByName(c) {
			continue
		}
		for k := range c.Args() {
			name := f.argument(c, k)
			if name == "" || slices.Contains(out, name) {
				continue
			}
			p := passing{k: referenceAt(c, k), calls: maxPassed, jdk: natives.OfJDK(name)}
			if p.m = f.callee(t, c, p.jdk); f.passes(p) {
				out = append(out, name)
			}
		}
	}
	return out
}

// argument is the class that a constant argument of a call may name; "" if there is none.
func (f *NameFlow) argument(c *facts.Call, k int) string {
	if a := &c.Args()[k]; namesClass(a) {
		if name := strings.ReplaceAll(a.Value, ".", "/"); f.Present(name) {
			return name
		}
	}
	return ""
}

// TakesClassName tells whether one of a call's constant arguments has the form of the
// name of a class.
func TakesClassName(c *facts.Call) bool {
	for k := range c.Args() {
		if namesClass(&c.Args()[k]) {
			return true
		}
	}
	return false
}

// namesClass tells whether a constant is a string that has the form of a class's name.
func namesClass(a *facts.Const) bool {
	if a.Kind != facts.StringConst {
		return false
	}
	return facts.NamesClass(a.Value)
}

// Present tells whether there is a class of that name.
func (f *NameFlow) Present(name string) bool {
	is, ok := f.present[name]
	if !ok {
		is = f.h.Present(name)
		f.present[name] = is
	}
	return is
}

// referenceAt is the place of the k-th parameter of a call among its references.
func referenceAt(c *facts.Call, k int) int {
	n := 0
	if c.Kind != facts.Static {
		n++
	}
	for i := 1; k > 0 && i < len(c.Desc) && c.Desc[i] != ')'; i++ {
		k--
		start := i
		for c.Desc[i] == '[' {
			i++
		}
		if c.Desc[i] == 'L' {
			i += strings.IndexByte(c.Desc[i:], ';')
		} else if i == start {
			continue
		}
		n++
	}
	return n
}

// providerService is the class whose objects tell what a security provider has.
const providerService = "java/security/Provider$Service"

// callee is the method that a call names, of a lambda its code; NoMethod for those of which the
// names of classes of the JDK are left out, and jdk says that it is about such a name.
func (f *NameFlow) callee(t hierarchy.TypeID, c *facts.Call, jdk bool) hierarchy.MethodID {
	if c.Kind == facts.Dynamic {
		if c.Indy() == nil || c.Indy().Kind != facts.LambdaIndy || !f.Present(c.Indy().Impl.Owner) {
			return hierarchy.NoMethod
		}
		impl := &c.Indy().Impl
		return f.h.Resolve(f.h.Load(impl.Owner, ""), impl.Name, impl.Desc)
	}
	if jdk && c.Owner == providerService || !f.Present(c.Owner) {
		return hierarchy.NoMethod
	}
	owner := f.h.Load(c.Owner, "")
	if c.Kind == facts.Special && c.Name != "<init>" {
		return f.h.ResolveSpecial(t, owner, c.Name, c.Desc)
	}
	return f.h.Resolve(owner, c.Name, c.Desc)
}

// loadsAround tells whether a class, or one around it, loads classes by names that
// are no constants.
func (f *NameFlow) loadsAround(t hierarchy.TypeID) bool {
	for range maxPassed {
		class := f.h.Facts(t)
		if class == nil {
			return false
		}
		if f.loadsItself(t, class) {
			return true
		}
		if class.Outer == "" || !f.Present(class.Outer) {
			return false
		}
		t = f.h.Load(class.Outer, "")
	}
	return false
}

func (f *NameFlow) loadsItself(t hierarchy.TypeID, class *facts.Class) bool {
	is, ok := f.loads[t]
	if ok {
		return is
	}
	is = loadsByUnknown(class)
	f.loads[t] = is
	return is
}

// loadsByUnknown tells whether code of a class loads one by a name that is no constant.
func loadsByUnknown(class *facts.Class) bool {
	for i := range class.Methods {
		m := &class.Methods[i]
		for k := range m.Calls {
			if c := &m.Calls[k]; LoadsByName(c) && ForNameConstant(c) == "" {
				return true
			}
		}
	}
	return false
}

// passes tells whether a method passes on one of its references.
func (f *NameFlow) passes(p passing) bool {
	if p.m == hierarchy.NoMethod || p.calls == 0 {
		return false
	}
	is, ok := f.passed[p]
	if !ok {
		f.flows[f.h.Owner(p.m)] = true
		is = f.follow(p)
		f.passed[p] = is
	}
	return is
}

// follow is passes without memory.
func (f *NameFlow) follow(p passing) bool {
	return f.loadsClass(&walk{passing: p, t: f.h.Owner(p.m), method: f.h.Method(p.m)}, uint64(p.k+1))
}

// walk follows a reference in one method.
type walk struct {
	passing
	t      hierarchy.TypeID // of the method
	method *facts.Method
	named  bool // it names the class itself, and what it makes of that is known without this
	has    map[uint64]bool
	makers []hierarchy.MethodID // what makes proxies of it
}

// loadsClass goes from a variable along the moves of a method, in any order, to what it is given
// to. It tells whether what is given a name loads a class by it.
func (f *NameFlow) loadsClass(w *walk, from uint64) bool {
	if len(w.method.Flow) == 0 {
		return false
	}
	w.has = map[uint64]bool{from: true}
	for n := 0; n != len(w.has); {
		n = len(w.has)
		if f.step(w) {
			return true
		}
	}
	return false
}

// step adds the variables that get the reference from those that have it; true where it
// is a name that is passed on.
func (f *NameFlow) step(w *walk) bool {
	class, has := f.h.Facts(w.t), w.has
	found := false
	facts.EachFlow(w.method.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowMove, facts.FlowCast:
			if has[x[1]] {
				has[x[0]] = true
			}
		case facts.FlowStore:
			found = found || has[x[2]] && f.keeps(w, class, int(x[1]))
		case facts.FlowStaticStore:
			found = found || has[x[1]] && f.keeps(w, class, int(x[0]))
		case facts.FlowElemStore:
			if has[x[1]] && w.to != toLoad {
				has[x[0]] = true
			}
		case facts.FlowCall:
			c := &w.method.Calls[x[0]]
			for k, a := range x[3:] {
				if has[a] && !found {
					found = f.given(w, c, k, x[1])
				}
			}
		}
	})
	return found
}

// keeps is for a reference that is stored into a field that a class names at k.
func (f *NameFlow) keeps(w *walk, class *facts.Class, k int) bool {
	if w.to == toLoad {
		return f.mayNameClass(class, k)
	}
	w.made(f.keepers(w.passing, class, k))
	return false
}

// made notes methods that make proxies of the reference.
func (w *walk) made(by []hierarchy.MethodID) {
	for _, m := range by {
		if !slices.Contains(w.makers, m) {
			w.makers = append(w.makers, m)
		}
	}
}

// given tells whether a call passes on its k-th reference, a name: what a lambda captures goes
// to its code. The result of a call that trims, changes or checks a string has it, too, and that
// of one for which it is the default.
func (f *NameFlow) given(w *walk, c *facts.Call, k int, result uint64) bool {
	switch {
	case w.to.makes(c, k):
		if !w.named {
			w.made([]hierarchy.MethodID{w.m})
		}
		return false
	case w.to == toLoad && LoadsByName(c):
		return true
	case w.to != toLoad && c.Owner == "java/lang/Class" && c.Name == "asSubclass":
		w.has[result] = true
		return false
	case w.to == toProxy && c.Owner == "java/lang/invoke/MethodHandleProxies":
		// which makes a proxy in JDK 17, and is looked at itself
		return false
	}
	if objects := c.Owner == "java/util/Objects"; objects || c.Owner == "java/lang/String" {
		if result != 0 && (objects || strings.HasSuffix(c.Desc, ")Ljava/lang/String;")) {
			w.has[result] = true
		}
		return false
	}
	if result != 0 && namesDefault(c, k) {
		w.has[result] = true
		return false
	}
	next := passing{m: f.callee(w.t, c, w.jdk), k: k, calls: w.calls - 1, jdk: w.jdk, to: w.to}
	if w.to == toLoad {
		return f.passes(next)
	}
	w.made(f.makersOf(next))
	return false
}

// namesDefault tells whether the k-th reference of a call is what it answers where nothing is
// known: the last one of System.getProperty and Properties.getProperty.
func namesDefault(c *facts.Call, k int) bool {
	return c.Name == "getProperty" && c.Desc == "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;" &&
		(c.Owner == "java/lang/System" && k == 1 || c.Owner == "java/util/Properties" && k == 2)
}

// mayNameClass tells whether a string in the field that a class names at k may be the name of
// a class that is loaded: a field of a class that loads some.
func (f *NameFlow) mayNameClass(class *facts.Class, k int) bool {
	if class.FlowNames[k+2] != "Ljava/lang/String;" || !f.Present(class.FlowNames[k]) {
		return false
	}
	return f.loadsAround(f.h.Load(class.FlowNames[k], ""))
}

// ListedMethods are the methods that a call of Class.getMethods or getDeclaredMethods in a method
// of t lists, of those of the classes named, and whether the code makes handles of them or invokes
// them. Code of the JDK is not looked at.
func (f *NameFlow) ListedMethods(t hierarchy.TypeID, m *facts.Method, c *facts.Call,
	classes func() []string) (out []ListedMethod, handles, invoked bool) {
	if !ReturnsMethods(c) || natives.OfJDK(f.h.Name(t)) || len(classes()) == 0 {
		return nil, false, false
	}
	use := f.usesMethods(t, m, maxPassed)
	if use == 0 {
		return nil, false, false
	}
	for _, n := range classes() {
		of := f.h.Load(n, f.h.Name(t))
		for _, id := range listed(f.h, of, c.Name == "getMethods") {
			out = append(out, ListedMethod{of, id})
		}
	}
	return out, use&makesHandles != 0, use&invokes != 0
}

// ListedOf is ListedMethods for a use of a class object.
func (f *NameFlow) ListedOf(u *TokenUse) (out []ListedMethod, handles, invoked bool) {
	return f.ListedMethods(f.h.Load(u.By, ""), u.Method, u.Call, func() []string { return []string{u.Class} })
}

// usesMethods is what a method of t does with reflected methods, within some calls.
func (f *NameFlow) usesMethods(t hierarchy.TypeID, m *facts.Method, calls int) (use methodUse) {
	for i := range m.Calls {
		c := &m.Calls[i]
		owner, name, desc := c.Owner, c.Name, c.Desc
		if c.Kind == facts.Dynamic {
			if c.Indy() == nil || c.Indy().Kind != facts.LambdaIndy {
				continue
			}
			owner, name, desc = c.Indy().Impl.Owner, c.Indy().Impl.Name, c.Indy().Impl.Desc
		}
		switch {
		case owner == LookupClass && (name == "unreflect" || name == "unreflectSpecial"):
			use |= makesHandles
		case InvokesMethod(owner, name):
			use |= invokes
		case calls > 0 && !natives.OfJDK(owner) &&
			strings.Contains(strings.TrimSuffix(desc, classfile.Result(desc)), reflectedMethod):
			use |= f.usesGiven(passing{m: f.callee(t, c, false), calls: calls - 1})
		}
	}
	return use
}

// usesGiven is what a method that is given one does with reflected methods.
func (f *NameFlow) usesGiven(p passing) methodUse {
	if p.m == hierarchy.NoMethod {
		return 0
	}
	if f.h.Method(p.m).Access&hierarchy.AccAbstract != 0 {
		return makesHandles | invokes // whatever implements it
	}
	use, ok := f.uses[p]
	if !ok {
		t := f.h.Owner(p.m)
		f.flows[t] = true
		use = f.usesMethods(t, f.h.Method(p.m), p.calls)
		f.uses[p] = use
	}
	return use
}
