package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file says what calls do with class objects: see tokens.go.

// call passes what the arguments of a call have.
func (v *tokenVisit) call(c *facts.Call, result node, operands []uint64) {
	args := v.args[:0]
	for _, x := range operands {
		args = append(args, v.code.variable(x))
	}
	v.args = args
	if c.Kind == facts.Dynamic {
		v.lambda(c, result, args)
		return
	}
	if v.ofClass(c, result, args) {
		return
	}
	if asksClass(c) && result != 0 && len(operands) > 0 {
		v.texts.asks = append(v.texts.asks, classAsk{v.k, operands[0], declaredAs(c), result})
		return
	}
	for _, k := range v.targets(c) {
		v.pass(k, args, result)
	}
	if c.Kind == facts.Interface && len(args) == 1 {
		v.reads(c, result)
	}
	if v.mayApply && c.Kind == facts.Interface && len(args) > 0 && args[0] != 0 {
		v.applied = append(v.applied, lambdaCall{at: args[0], of: c.Owner, args: slices.Clone(args[1:]),
			result: result})
	}
	if owner := v.outside(c); owner != "" {
		v.throughOther(c, owner, result, args)
	}
}

// pass gives the parameters of a method what arguments have, and a result what it returns.
func (f *tokenFlow) pass(k int32, args []node, result node) {
	c := &f.codes[k]
	for i, a := range args {
		if i < len(c.params) {
			f.alias(a, c.variable(uint64(1+i)), c.params[i])
		}
	}
	if result != 0 {
		f.alias(c.ret(), result, f.tokensOf(classfile.Result(c.m.Desc)))
	}
}

// parameters are the kinds of tokens of the references among a method's parameters, its receiver
// first.
func (f *tokenFlow) parameters(m *facts.Method) []uint8 {
	kinds := make([]uint8, 0, 8)
	if m.Access&hierarchy.AccStatic == 0 {
		kinds = append(kinds, asLambda|holdsAny)
	}
	for _, d := range f.references(m.Desc) {
		kinds = append(kinds, f.tokensOf(d))
	}
	return kinds
}

// lambda passes what a lambda expression captures to its code, and makes the object.
func (v *tokenVisit) lambda(c *facts.Call, result node, args []node) {
	if c.Indy() == nil || c.Indy().Kind != facts.LambdaIndy {
		return
	}
	impl := &c.Indy().Impl
	k, ok := v.number[memberName{impl.Owner, impl.Name, impl.Desc}]
	if ok {
		v.pass(k, args, 0)
	}
	if result == 0 || !passesClasses(c) {
		return
	}
	l := lambdaObject{at: result, of: className(classfile.Result(c.Desc))}
	switch {
	case ok:
		code := &v.codes[k]
		l.kinds, l.ret = code.params, code.ret()
		for i := range l.kinds {
			l.params = append(l.params, code.variable(uint64(i+1)))
		}
	case natives.OfJDK(impl.Owner) && impl.Kind != RefNewInvokeSpecial: // Class::newInstance
		call := &facts.Call{MemberRef: &facts.MemberRef{Owner: impl.Owner, Name: impl.Name, Desc: impl.Desc},
			Kind: facts.Virtual}
		if impl.Kind == RefInvokeStatic {
			call.Kind = facts.Static
		}
		l.kinds, l.ret = v.parameters(&facts.Method{Desc: impl.Desc}), v.fresh()
		l.kinds[0] = anyToken | holdsAny
		if impl.Kind == RefInvokeStatic {
			l.kinds = l.kinds[1:]
		}
		for range l.kinds {
			l.params = append(l.params, v.fresh())
		}
		for i := range min(len(args), len(l.params)) {
			v.alias(args[i], l.params[i], l.kinds[i])
		}
		v.ofClass(call, l.ret, l.params)
	default:
		return
	}
	captured := len(v.references(c.Desc))
	if impl.Kind == RefNewInvokeSpecial {
		captured++
	}
	captured = min(captured, len(l.params))
	l.params, l.kinds = l.params[captured:], l.kinds[captured:]
	v.lambdas = append(v.lambdas, l)
}

// callLambda calls a lambda object.
func (f *tokenFlow) callLambda(l *lambdaObject, c *lambdaCall) {
	for i, p := range l.params {
		if c.any != 0 {
			f.alias(c.any, p, l.kinds[i])
		} else if i < len(c.args) {
			f.alias(c.args[i], p, l.kinds[i])
		}
	}
	f.alias(l.ret, c.result, anyToken|holdsAny)
	f.edge(l.ret, c.any, anyToken)
	f.edge(f.content(l.ret), c.any, anyToken)
}

// ofClass is for calls of methods that are given or called on class objects, or names, and have a
// meaning of their own. It tells whether this is one.
func (v *tokenVisit) ofClass(c *facts.Call, result node, args []node) bool {
	sink := func(kind UseKind, at node) {
		if at != 0 {
			v.sinks = append(v.sinks, tokenSink{kind, at, c, v.k})
		}
	}
	arg := func(i int) node {
		if i < len(args) {
			return args[i]
		}
		return 0
	}
	switch {
	case LoadsByName(c):
		v.loads(c, result, args, sink)
	case c.Owner == "java/lang/Class":
		v.declares(c, arg(0), result)
		switch {
		case MakesObjects(c):
			sink(MakesObject, arg(0))
		case c.Name == "getMethod", c.Name == "getDeclaredMethod":
			if _, ok := StringConstant(c); ok {
				sink(NamesMethod, arg(0))
			}
		case ReturnsMethods(c):
			sink(ListsMethods, arg(0))
		case c.Name == "asSubclass":
			v.narrowed(arg(0), result, asClass, v.classesBelow(ClassConstant(c)))
		case slices.Contains([]string{"getName", "getTypeName", "getCanonicalName", "describeConstable"}, c.Name):
			v.edge(arg(0), result, asName|toName)
		case c.Name == "cast":
			v.alias(arg(1), result, anyToken|holdsAny)
		}
	case c.Owner == LookupClass && c.Name == "ensureInitialized":
		sink(Initialises, arg(1))
	case c.Owner == LookupClass && strings.HasPrefix(c.Name, "find"):
		sink(LooksUp, arg(1))
	case c.Owner == "java/util/ServiceLoader" && strings.HasPrefix(c.Name, "load"):
		for _, a := range args {
			sink(LoadsService, a)
		}
	case c.Owner == "java/lang/reflect/Proxy" && c.Name == "newProxyInstance" && arg(1) != 0:
		sink(MakesProxy, args[1]+1)
	default:
		return false
	}
	return true
}

// loads is for calls that load a class by its name: the class is what names stand for. A name that
// is no constant may come out of a resource.
func (v *tokenVisit) loads(c *facts.Call, result node, args []node, sink func(UseKind, node)) {
	if result == 0 {
		result = v.fresh()
	}
	if ForNameConstant(c) == "" {
		for _, n := range v.texts.resources {
			v.gets(result, n, false)
		}
	}
	if name := nameAt(c); name < len(args) { // a class loader or module names none
		v.edge(args[name], result, asName|toClass)
		if ForNameConstant(c) == "" {
			v.assembles(c, uint64(max(args[name]/2-v.code.first, 0)), result)
		}
	}
	if c.Name == "forName" {
		sink(Initialises, result)
	}
}

// nameAt is the place of the name among the references of a call that loads a class by its name.
func nameAt(c *facts.Call) int {
	at := slices.Index(referenceParams(c.Desc), "Ljava/lang/String;")
	if c.Kind != facts.Static {
		at++
	}
	return max(at, 0)
}

// throughOther is for code outside of the workspace, of which only that of libraries is looked at,
// for what makes objects of a class that it is given. What goes in may come out, stays in the
// object that it is called on, in arrays and in collections, and is given to the lambda objects
// among it.
func (v *tokenVisit) throughOther(c *facts.Call, owner string, result node, args []node) {
	if v.ofLibrary(owner) && strings.Contains(c.Desc, "Ljava/lang/Class;") {
		for i, a := range args {
			if a != 0 && v.madeByLibrary(c, i) {
				for _, n := range []node{a, a + 1} { // of classes in a list, too
					v.sinks = append(v.sinks, tokenSink{MakesObject, n, c, v.k})
				}
			}
		}
	}
	if ofObject(c) {
		return
	}
	out := v.tokensOf(classfile.Result(c.Desc))
	if out == 0 {
		result = 0
	}
	holder := node(0) // has in common what is in all that hold it
	hold := func(x node) {
		v.union(holder, x)
		holder = x
	}
	params := v.references(c.Desc)
	kinds, types := make([]uint8, 0, 8), make([]string, 0, 8)
	for i, a := range args {
		desc, receiver := c.Owner, c.Kind != facts.Static && i == 0
		switch at := i; {
		case receiver:
		default:
			if c.Kind != facts.Static {
				at--
			}
			if at >= len(params) {
				return // not what the descriptor says
			}
			desc = params[at]
		}
		kinds, types = append(kinds, v.tokensOf(desc)), append(types, className(desc))
		if a != 0 && kinds[i]&holdsAny != 0 && (receiver || desc[0] == '[' || strings.HasPrefix(desc, "Ljava/util/")) {
			hold(a)
		}
	}
	if result != 0 && out&holdsAny != 0 {
		hold(result)
	}
	if holder == 0 {
		if result == 0 && !(v.mayApply && slices.ContainsFunc(kinds, func(k uint8) bool { return k&asLambda != 0 })) {
			return
		}
		holder = v.fresh()
	}
	all := holder + 1
	for i, a := range args {
		if a != 0 {
			v.edge(a, all, kinds[i])
			if kinds[i]&holdsAny != 0 {
				v.edge(a+1, all, anyToken)
			}
			if v.mayApply && kinds[i]&asLambda != 0 {
				v.applied = append(v.applied, lambdaCall{at: a, of: types[i], any: all, result: result})
			}
		}
	}
	v.edge(all, result, out)
}

// ofObject tells whether a call is of a method that each object has, by which it gives nothing that
// it holds.
func ofObject(c *facts.Call) bool {
	switch c.Name + c.Desc {
	case "equals(Ljava/lang/Object;)Z", "hashCode()I", "getClass()Ljava/lang/Class;":
		return c.Kind != facts.Static
	case "toString()Ljava/lang/String;":
		return c.Kind != facts.Static && c.Owner != "java/lang/CharSequence" && c.Owner != "java/lang/Object" &&
			c.Owner != "java/lang/String"
	}
	return false
}

// madeByLibrary tells whether a library's method makes objects of the class that one of the
// references given to it is.
func (v *tokenVisit) madeByLibrary(c *facts.Call, arg int) bool {
	n := libraryCall{calledName{memberName{c.Owner, c.Name, c.Desc}, c.Kind == facts.Static ||
		c.Kind == facts.Special}, arg}
	made, ok := v.libraries[n]
	if !ok {
		m := v.names.callee(v.names.h.Load(v.code.class.Name, ""), c, false)
		made = m != hierarchy.NoMethod && v.names.passedClass(m, arg)
		v.libraries[n] = made
	}
	return made
}
