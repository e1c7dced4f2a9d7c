package features

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file follows class objects through the code of a workspace, from the constants and names
// that stand for them to what makes an object of them: through parameters, results, fields, arrays,
// collections, and lambda expressions.
//
// It is a points-to analysis of class objects alone: fields are told apart by their declaration,
// calls go to each method that overrides the one that is named, in whatever classes, and statements
// have no order. All this depends on the code alone, not on what is reached and which objects there
// are, so that all call graphs have the same answers. A use counts where the method is reached that
// has the constant. What solves it, from the uses backwards, is in tokengraph.go.
//
// Code of the JDK is not looked at: what goes into one of its methods may come out of it, stays in
// the object that it is called on, and is given to the lambdas that come with it. So a collection
// is what it has taken, and aliases of it are followed both ways (content). Of libraries it is the
// same, and a class is followed through some calls to what makes an object of it (passed.go).
//
// What objects are asked for their class is followed back to where they are made, and so are names
// that are put together (assembled.go), as far as something of them is known.
// Names that stand in the resources of the workspace's modules count at each call that loads a
// class by a name that is no constant.

// UseKind is what code does with a class object.
type UseKind uint8

// The kinds.
const (
	MakesObject  UseKind = iota // asks it for an object or a constructor
	Initialises                 // loads it by its name, which initialises it
	LooksUp                     // looks up a member by MethodHandles.Lookup
	NamesMethod                 // asks it for a method by its name
	ListsMethods                // asks it for its methods
	MakesProxy                  // makes a proxy of the interface
	LoadsService                // asks ServiceLoader for its providers
)

// TokenUse is a use of a class object.
type TokenUse struct {
	Kind  UseKind
	Class string // internal name of the class that the object stands for
	By    string // the class whose code uses it
	// Call is the call that does. Method is the method that it stands in, which of ListsMethods
	// says what is done with them.
	Call   *facts.Call
	Method *facts.Method
}

// token is a class object: of a class, from a method (by number) that has a constant or name of it.
// Its number is even as a class object, and one more as a name.
type token struct {
	from  int32
	class string
}

// tokenCode is a method of the workspace. Its variables, by operand of its flow, are those from
// first on; first itself is what it returns.
type tokenCode struct {
	class  *facts.Class
	m      *facts.Method
	first  int32
	params []uint8 // what the references among its parameters may be, its receiver first
}

type memberName struct{ class, name, desc string }

// tokenSink is a use of what a node has, by a call in a method.
type tokenSink struct {
	kind   UseKind
	at     node
	call   *facts.Call
	method int32
}

// tokenFlow is the analysis.
type tokenFlow struct {
	tokenGraph
	names   *NameFlow
	source  func(class string) *facts.Class // of a class of the workspace as it is now, and of others
	classes map[string]bool                 // of the workspace
	texts   *texts                          // what strings may be, and what else is only looked up

	inWorkspace map[string]bool           // as they were given
	declared    map[memberName]memberName // fields by how they are named
	types       map[string]uint8          // what variables of a type may be
	params      map[string][]string       // by descriptor: the references among the parameters
	runs        map[calledName][]int32    // by what a call names: the methods of the workspace that it may run
	leaves      map[memberName]string     // by what a call names: the owner of other code that it may run, or ""
	supers      map[string]map[string]bool

	codes     []tokenCode
	number    map[memberName]int32
	selectors map[memberName][]int32 // methods by name and descriptor
	fields    map[memberName]node
	tokens    []token
	tokenNo   map[token]int
	given     []givenToken
	lambdas   []lambdaObject
	applied   []lambdaCall
	mayApply  bool // there are lambda expressions that take or give class objects
	sinks     []tokenSink
	libraries map[libraryCall]bool // whether it makes objects of what it is given
	uses      tokenUses
}

type calledName struct {
	memberName
	direct bool // no method that overrides it
}

// libraryCall is what a call names of a library, and the place of a reference among its arguments.
type libraryCall struct {
	calledName
	arg int
}

// givenToken is a token with the node that has it first.
type givenToken struct {
	at node
	n  int
}

// lambdaObject is what a lambda expression makes: its node, the parameters of its code that calls
// of it give, and what may be those, and the node of its result.
type lambdaObject struct {
	at     node
	of     string // the interface
	params []node
	kinds  []uint8
	ret    node
}

// lambdaCall is a call of a lambda object, whichever it is: with arguments by place, or, by other
// code, with anything that it has been given, which is one node.
type lambdaCall struct {
	at     node   // that lambda objects may come to
	of     string // the type that it has there
	args   []node
	any    node
	result node
}

// tokenUses are the uses of class objects, by the method that has the constant.
type tokenUses map[memberName][]TokenUse

// findTokenUses finds the uses of the class objects of some classes' code.
func findTokenUses(names *NameFlow, workspace, resources []string, source func(string) *facts.Class) *Tokens {
	f := &tokenFlow{
		names: names, source: source, classes: map[string]bool{}, inWorkspace: map[string]bool{},
		declared: map[memberName]memberName{}, types: map[string]uint8{}, params: map[string][]string{},
		runs:   map[calledName][]int32{},
		leaves: map[memberName]string{}, supers: map[string]map[string]bool{}, number: map[memberName]int32{},
		selectors: map[memberName][]int32{}, fields: map[memberName]node{}, tokenNo: map[token]int{},
		libraries: map[libraryCall]bool{}, uses: tokenUses{},
	}
	f.texts = newTexts(f, resources)
	f.variables(1) // none
	for _, n := range workspace {
		f.inWorkspace[n] = true
	}
	for _, n := range slices.Sorted(slices.Values(workspace)) {
		if c := source(n); c != nil && !f.classes[n] {
			f.classes[n], f.texts.sorted = true, append(f.texts.sorted, n)
			f.addClass(c)
			f.note(c)
		}
	}
	f.edges = make([]tokenEdge, 0, 2*len(f.parent))
	v := &tokenVisit{tokenFlow: f}
	for k := range f.codes {
		v.k, v.code = int32(k), &f.codes[k]
		facts.EachFlow(v.code.m.Flow, v.step)
	}
	f.solve()
	return &Tokens{f.uses, f.texts.read, f.texts.values, f.texts.unknown} // all else goes
}

// addClass lists the methods of a class.
func (f *tokenFlow) addClass(c *facts.Class) {
	for i := range c.Methods {
		m := &c.Methods[i]
		n := facts.FlowVariables(m.Flow)
		if n < 0 {
			continue // no code
		}
		f.mayApply = f.mayApply || slices.ContainsFunc(m.Calls, func(c facts.Call) bool { return passesClasses(&c) })
		k := int32(len(f.codes))
		f.codes = append(f.codes, tokenCode{class: c, m: m, first: f.variables(n + 1), params: f.parameters(m)})
		f.number[memberName{c.Name, m.Name, m.Desc}] = k
		if m.Name[0] != '<' {
			s := memberName{name: m.Name, desc: m.Desc}
			f.selectors[s] = append(f.selectors[s], k)
		}
	}
}

// solve finds what comes to the uses.
func (f *tokenFlow) solve() {
	if len(f.sinks) == 0 {
		return
	}
	f.freeze()
	f.callLambdas()
	ends := make([]node, len(f.sinks))
	for i := range f.sinks {
		f.sinks[i].at = f.standing(f.sinks[i].at)
		ends[i] = f.sinks[i].at
	}
	s := newTokenSolve(&f.tokenGraph, f.before(ends))
	s.through = f.through
	for i := range f.texts.asks {
		if a := &f.texts.asks[i]; s.place[f.standing(a.result)] != 0 {
			f.askClasses(a)
		}
	}
	for _, g := range f.given {
		var t tokenSet
		t.add(g.n)
		s.addTokens(f.standing(g.at), t)
	}
	s.run()
	f.useAll(s.at)
}

// through is what of some tokens an edge lets pass.
func (f *tokenFlow) through(e *tokenEdge, s tokenSet) tokenSet {
	const even, odd = 0x5555555555555555, 0xaaaaaaaaaaaaaaaa
	if e.above < 0 {
		return f.declaredBy(f.asked[-e.above-1], s)
	}
	if e.pass&(asClass|asName) == asClass|asName && e.above == 0 {
		return s
	}
	out := make(tokenSet, len(s))
	for i, w := range s {
		switch {
		case e.pass&toClass != 0:
			w = w&odd>>1 | w&even
		case e.pass&toName != 0:
			w = w&even<<1 | w&odd
		case e.pass&(asClass|asName) == asClass:
			w &= even
		case e.pass&(asClass|asName) == asName:
			w &= odd
		case e.pass&(asClass|asName) == 0:
			w = 0
		}
		out[i] = w
	}
	if e.above != 0 {
		out.each(func(n int) {
			if !f.isBelow(f.tokens[n/2].class, f.above[e.above-1]) {
				out[n/64] &^= 1 << (n % 64)
			}
		})
	}
	return out
}

// callLambdas follows the lambda objects, and adds what calls of them pass.
func (f *tokenFlow) callLambdas() {
	if len(f.lambdas) == 0 {
		return
	}
	applied := map[node][]lambdaCall{}
	for _, c := range f.applied {
		at := f.standing(c.at)
		applied[at] = append(applied[at], c)
	}
	all := make([]node, len(f.out))
	for i := range all {
		all[i] = node(i)
	}
	s := newTokenSolve(&f.tokenGraph, all)
	s.through = func(e *tokenEdge, t tokenSet) tokenSet {
		if e.pass&asLambda == 0 {
			return nil
		}
		return t
	}
	s.gets = func(n node, t tokenSet) {
		for _, c := range applied[n] {
			t.each(func(l int) {
				if !f.isBelow(f.lambdas[l].of, c.of) {
					return
				}
				before := len(f.edges)
				f.callLambda(&f.lambdas[l], &c)
				for i := before; i < len(f.edges); i++ { // edges that leave what has its tokens already
					e := &f.edges[i]
					if has := s.at(e.from); e.pass&asLambda != 0 && len(has) > 0 {
						s.addTokens(e.to, slices.Clone(has))
					}
				}
			})
		}
	}
	for i := range f.lambdas {
		var t tokenSet
		t.add(i)
		s.addTokens(f.lambdas[i].at, t)
	}
	s.run()
}

// passesClasses tells whether a call makes a lambda that takes or gives class objects, or names of
// classes it may load.
func passesClasses(c *facts.Call) bool {
	if c.Kind != facts.Dynamic || c.Indy() == nil || c.Indy().Kind != facts.LambdaIndy {
		return false
	}
	i := c.Indy()
	const class = "Ljava/lang/Class;"
	return i.Impl.Owner == "java/lang/Class" || strings.Contains(i.Instantiated, class) ||
		strings.Contains(i.Impl.Desc, class)
}

// fieldName is the field that a class names at a position: of the class of the workspace that
// declares it, where that is one.
func (f *tokenFlow) fieldName(c *facts.Class, at uint64) memberName {
	n := memberName{c.FlowNames[at], c.FlowNames[at+1], c.FlowNames[at+2]}
	declared, ok := f.declared[n]
	if !ok {
		declared = n
		for owner := f.source(n.class); owner != nil; owner = f.source(owner.Super) {
			if slices.ContainsFunc(owner.Fields,
				func(x facts.FlowField) bool { return x.Name == n.name && x.Desc == n.desc }) {
				declared.class = owner.Name
				break
			}
			if !f.inWorkspace[owner.Super] {
				break
			}
		}
		f.declared[n] = declared
	}
	return declared
}

// fresh is a node of a new variable.
func (f *tokenFlow) fresh() node { return 2 * f.variables(1) }

// variable is the node of a variable of a method; 0 for none.
func (c *tokenCode) variable(x uint64) node {
	if x == 0 {
		return 0
	}
	return 2 * (c.first + int32(x))
}

// ret is the node of what a method returns.
func (c *tokenCode) ret() node { return 2 * c.first }

// tokenVisit is the visit of a method.
type tokenVisit struct {
	*tokenFlow
	k    int32
	code *tokenCode
	args []node // of the call that is looked at
}

// gets gives a node a token of the method.
func (v *tokenVisit) gets(at node, class string, name bool) {
	if at == 0 {
		return
	}
	n := v.tokenOf(token{v.k, class})
	if name {
		n++
	}
	v.given = append(v.given, givenToken{at, n})
}

// tokenOf is the number of a token as a class object.
func (f *tokenFlow) tokenOf(t token) int {
	n, ok := f.tokenNo[t]
	if !ok {
		n = 2 * len(f.tokens)
		f.tokenNo[t] = n
		f.tokens = append(f.tokens, t)
	}
	return n
}

// step does what one operation does.
func (v *tokenVisit) step(op facts.FlowOp, x []uint64) {
	of := v.code.variable
	switch op {
	case facts.FlowClass, facts.FlowName:
		if name := v.code.class.FlowNames[x[1]]; name != "" && name[0] != '[' &&
			(op == facts.FlowClass || v.names.Present(name)) {
			v.gets(of(x[0]), name, op == facts.FlowName)
		}
	case facts.FlowMove:
		v.alias(of(x[1]), of(x[0]), anyToken|holdsAny)
	case facts.FlowCast:
		v.alias(of(x[1]), of(x[0]), v.tokensOf(v.code.class.FlowNames[x[2]]))
	case facts.FlowLoad:
		v.field(x[2], x[0], false)
	case facts.FlowStaticLoad:
		v.field(x[1], x[0], false)
	case facts.FlowStore:
		v.field(x[1], x[2], true)
	case facts.FlowStaticStore:
		v.field(x[0], x[1], true)
	case facts.FlowElemLoad:
		if to, from := of(x[0]), of(x[1]); to != 0 && from != 0 {
			v.edge(2*(from/2)+1, to, anyToken)
			v.union(to, from) // an array of arrays
		}
	case facts.FlowElemStore:
		if to, from := of(x[0]), of(x[1]); to != 0 && from != 0 {
			v.edge(from, to+1, anyToken)
			v.edge(from+1, to+1, anyToken)
		}
	case facts.FlowReturn:
		v.alias(of(x[0]), v.code.ret(), v.tokensOf(classfile.Result(v.code.m.Desc)))
	case facts.FlowCall:
		v.call(&v.code.m.Calls[x[0]], of(x[1]), x[3:])
	}
}

// field loads or stores a field.
func (v *tokenVisit) field(at, x uint64, store bool) {
	local, kinds := v.code.variable(x), v.tokensOf(v.code.class.FlowNames[at+2])
	if local == 0 || kinds == 0 {
		return
	}
	n := v.fieldName(v.code.class, at)
	f, ok := v.fields[n]
	if !ok {
		f = v.fresh()
		v.fields[n] = f
	}
	if store {
		v.alias(local, f, kinds)
	} else {
		v.alias(f, local, kinds)
	}
}

// useAll notes what calls do with the class objects that come to them. Of what makes and
// initialises classes it does not matter which call of a class's code does.
func (f *tokenFlow) useAll(at func(node) tokenSet) {
	type alike struct {
		kind UseKind
		by   string
	}
	known := map[alike]*tokenSet{}
	for i := range f.sinks {
		s := &f.sinks[i]
		tokens := at(s.at)
		if len(tokens) == 0 {
			continue
		}
		code, seen := &f.codes[s.method], &tokenSet{}
		if s.kind == MakesObject || s.kind == Initialises {
			a := alike{s.kind, code.class.Name}
			if known[a] == nil {
				known[a] = seen
			}
			seen = known[a]
		}
		tokens.each(func(n int) {
			if n%2 != 0 || !seen.add(n) {
				return // a name, or known
			}
			t := &f.tokens[n/2]
			from := &f.codes[t.from]
			by := memberName{from.class.Name, from.m.Name, from.m.Desc}
			f.uses[by] = append(f.uses[by], TokenUse{s.kind, t.class, code.class.Name, s.call, code.m})
		})
	}
	for _, list := range f.uses {
		slices.SortFunc(list, compareUses)
	}
}

// Tokens are what became of the class objects of a program.
type Tokens struct {
	uses   tokenUses
	read   map[memberName]bool // methods whose strings that depends on
	values map[[2]string]bool  // annotations' elements whose values it depends on
	// Unknown are the loads of classes by names of which nothing is known.
	Unknown []UnknownLoad
}

// ReadsOther tells whether two records of a class have other strings, or values of annotations, of
// those that uses depend on, or hand on strings in another way where any are followed.
func (t *Tokens) ReadsOther(a, b *facts.Class) bool {
	if t == nil {
		return false
	}
	was := map[memberName][]string{}
	of := func(c *facts.Class, m *facts.Method) memberName { return memberName{c.Name, m.Name, m.Desc} }
	for i := range a.Methods {
		if m := &a.Methods[i]; t.read[of(a, m)] {
			was[of(a, m)] = m.Strings()
		}
	}
	values := func(c *facts.Class) [][3]string {
		return slices.DeleteFunc(slices.Clone(c.Noted),
			func(n [3]string) bool { return !t.values[[2]string{n[0], n[1]}] })
	}
	return len(t.read) > 0 && otherFlow(a, b) ||
		!slices.Equal(values(a), values(b)) || slices.ContainsFunc(b.Methods, func(m facts.Method) bool {
		list, read := was[of(b, &m)]
		return read && !slices.Equal(list, m.Strings())
	})
}

// otherFlow tells whether methods that two records of a class have in common move values otherwise.
func otherFlow(a, b *facts.Class) bool {
	flows := map[[2]string][]byte{}
	for i := range a.Methods {
		flows[[2]string{a.Methods[i].Name, a.Methods[i].Desc}] = a.Methods[i].Flow
	}
	return !slices.Equal(a.FlowNames, b.FlowNames) || slices.ContainsFunc(b.Methods, func(m facts.Method) bool {
		flow, common := flows[[2]string{m.Name, m.Desc}]
		return common && !bytes.Equal(flow, m.Flow)
	})
}

// answers are the uses of the class objects of a method, in an order that depends on nothing else.
func (u tokenUses) answers(class string, m *facts.Method) []TokenUse {
	return u[memberName{class, m.Name, m.Desc}]
}

func compareUses(a, b TokenUse) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Class, b.Class), strings.Compare(a.By, b.By),
		strings.Compare(a.Method.Name+a.Method.Desc, b.Method.Name+b.Method.Desc), strings.Compare(a.text(), b.text()))
}

// text is what is read of the call that uses a class object, and, where that lists methods, of the
// code around it.
func (u *TokenUse) text() string {
	name, _ := StringConstant(u.Call)
	text := u.Call.Owner + "." + u.Call.Name + u.Call.Desc + " " + name
	if u.Kind == ListsMethods {
		text += string(u.Method.CodeDigest[:])
	}
	return text
}

// same tells whether two analyses have the same answers.
func (u tokenUses) same(other tokenUses) bool {
	return maps.EqualFunc(u, other, func(a, b []TokenUse) bool {
		return slices.EqualFunc(a, b, func(x, y TokenUse) bool { return compareUses(x, y) == 0 })
	})
}

// isBelow tells whether a class of the workspace is another one or has it above it.
func (f *tokenFlow) isBelow(class, above string) bool {
	if class == above || above == "java/lang/Object" {
		return true
	}
	all, ok := f.supers[class]
	if !ok {
		all = map[string]bool{}
		f.supers[class] = all
		if c := f.source(class); c != nil {
			for _, s := range append(slices.Clone(c.Interfaces), c.Super) {
				if s == "" || s == class || all[s] {
					continue
				}
				all[s] = true
				f.isBelow(s, "") // which finds those above it
				for n := range f.supers[s] {
					all[n] = true
				}
			}
		}
	}
	return all[above]
}

// resolve is the method of the workspace that a class has of a name and descriptor, itself or of a
// superclass; ok is false where the first that may have it is of other code, whose name is given.
func (f *tokenFlow) resolve(class, name, desc string) (k int32, ok bool, outside string) {
	for range maxDepth {
		if !f.classes[class] {
			return 0, false, class
		}
		if k, ok := f.number[memberName{class, name, desc}]; ok {
			return k, true, ""
		}
		class = f.source(class).Super
	}
	return 0, false, class
}

// targets are the methods of the workspace that a call may run.
func (f *tokenFlow) targets(c *facts.Call) []int32 {
	n := calledName{memberName{c.Owner, c.Name, c.Desc}, c.Kind == facts.Static || c.Kind == facts.Special}
	if r := c.Recv(); r != "" && f.classes[r] {
		n.class = r
	}
	out, ok := f.runs[n]
	if !ok {
		out = f.findTargets(n)
		f.runs[n] = out
	}
	return out
}

func (f *tokenFlow) findTargets(n calledName) (out []int32) {
	if k, ok, _ := f.resolve(n.class, n.name, n.desc); ok {
		out = append(out, k)
	}
	if n.direct {
		return out
	}
	for _, k := range f.selectors[memberName{name: n.name, desc: n.desc}] {
		if f.isBelow(f.codes[k].class.Name, n.class) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// outside is the owner of the code outside of the workspace that a call may run; "" if there is
// none.
func (f *tokenFlow) outside(c *facts.Call) string {
	if !f.classes[c.Owner] {
		return c.Owner
	}
	n := memberName{c.Owner, c.Name, c.Desc}
	owner, ok := f.leaves[n]
	if !ok {
		_, found, of := f.resolve(c.Owner, c.Name, c.Desc)
		if !found && of != "java/lang/Object" {
			owner = of
		}
		f.leaves[n] = owner
	}
	return owner
}

// references are referenceParams, with a memory.
func (f *tokenFlow) references(desc string) []string {
	list, ok := f.params[desc]
	if !ok {
		list = referenceParams(desc)
		f.params[desc] = list
	}
	return list
}

// referenceParams are the descriptors of those parameters that are references.
func referenceParams(desc string) (out []string) {
	for i := 1; i < len(desc) && desc[i] != ')'; i++ {
		start := i
		for desc[i] == '[' {
			i++
		}
		if desc[i] == 'L' {
			i += strings.IndexByte(desc[i:], ';')
		} else if i == start {
			continue
		}
		out = append(out, desc[start:i+1])
	}
	return out
}

// Tokens are the uses of the class objects that a method of a class has constants or names of.
func (f *NameFlow) Tokens(class string, m *facts.Method) []TokenUse {
	if f.tokens == nil {
		f.tokens = f.followTokens(f.h.Source(), f.workspace)
	}
	return f.tokens.uses.answers(class, m)
}

func (f *NameFlow) followTokens(src hierarchy.Source, workspace []string) *Tokens {
	return findTokenUses(f, workspace, f.resources, func(n string) *facts.Class {
		c, ok := src.Class(n)
		if !ok {
			return nil
		}
		return c
	})
}

// Program tells which classes are the workspace's, and which classes its resources name.
func (f *NameFlow) Program(workspace, resources []string) {
	f.workspace, f.resources, f.tokens = workspace, resources, nil
}

// passedClass tells whether a method outside of the workspace makes objects of a class that is its
// k-th reference.
func (f *NameFlow) passedClass(m hierarchy.MethodID, k int) bool {
	return len(f.makersOf(passing{m: m, k: k, calls: maxPassed, to: toMake})) > 0
}

// ofLibrary tells whether a class is neither the JDK's nor the workspace's.
func (f *tokenFlow) ofLibrary(class string) bool { return !f.classes[class] && !natives.OfJDK(class) }
