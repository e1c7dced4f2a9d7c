package clause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file looks at what the clause and what follows it read of fields, arrays and
// other objects.

// findUses looks at each instruction after the handler.
func (a *analysis) findUses() {
	a.eachAfter(func(v ir.Value, in *ir.Instr) {
		switch in.Op {
		case ir.OpGetField, ir.OpGetStatic:
			if in.Op == ir.OpGetField && a.fresh(a.m.Args(v)[0]) {
				return
			}
			if ref, err := a.m.Member(v); err == nil {
				use := a.use(v)
				use.Returned = a.onlyReturned(v)
				a.reads(ref, use, "")
			}
		case ir.OpArrayLoad:
			a.readsElement(v)
		case ir.OpInvoke:
			a.call(v, in)
		case ir.OpReturn:
			if args := a.m.Args(v); len(args) == 1 && a.m.Instrs[args[0]].Kind == ir.Ref {
				a.usesObject(args[0], v, "returns")
			}
		}
	})
}

// onlyReturned tells whether the method does nothing with a value but return it.
func (a *analysis) onlyReturned(v ir.Value) bool {
	uses := a.usesOf(v)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(u Use) bool { return !u.Returned })
}

// reads looks at a field that is read after the handler, by the method itself or by
// what it calls.
func (a *analysis) reads(ref classfile.MemberRef, use Use, by string) {
	key, member := a.p.field(ref)
	if member != nil && member.Access&classfile.AccFinal != 0 {
		return
	}
	if member == nil && libraryConstant(ref) {
		return
	}
	sets, how := a.writesOf(key, member)
	if how == never {
		return
	}
	if by != "" {
		by = ", by way of " + by
	}
	a.object("reads %s%s, which the try may change", key, by)
	if len(sets) > 0 {
		a.add(Prepared{Kind: Field, Name: key.String(), Sets: sets, Uses: []Use{use}, Writers: a.p.writersOf(key)})
	}
}

// libraryConstant tells whether a field of a library is a constant, by its name.
func libraryConstant(ref classfile.MemberRef) bool {
	for _, r := range ref.Name {
		if r >= 'a' && r <= 'z' {
			return ref.Owner == "java/lang/System" // out, err, in
		}
	}
	return true
}

// writing tells whether a try writes a field.
type writing uint8

const (
	never  writing = iota
	maybe          // it calls something of which too little is known
	writes         // it does, or a call of it leads to where that is done
)

// writesOf lists where the try writes a field.
func (a *analysis) writesOf(key fieldKey, member *classfile.Member) (sets []Set, how writing) {
	a.eachInTry(func(v ir.Value, in *ir.Instr) {
		if k, ok := a.p.written(a.m, v); ok && k == key {
			pc := int32(in.PC)
			args := a.m.Args(v)
			sets = append(sets, Set{PC: pc, Line: a.line(pc), Value: a.stored(v), Calls: a.callsOf(args[len(args)-1])})
		}
	})
	if sets = a.differs(key.String(), sets); len(sets) > 0 {
		how = writes
	}
	known := member != nil && a.node != callgraph.NoNode
	var reaching []bool
	if known {
		reaching = a.p.reaching(key)
	}
	sure := known && member.Access&classfile.AccVolatile == 0 && !a.p.blind // an updater may write a volatile field
	for _, c := range a.inTry {
		switch {
		case known && slices.ContainsFunc(c.targets, func(n callgraph.NodeID) bool { return reaching[n] }):
			if how = writes; a.callsOwn(c) { // by way of a library is too far for a name
				sets = append(sets, Set{PC: c.pc, Line: a.line(c.pc), By: c.text,
					Direct: a.p.allWrite(c.targets, key), Calls: a.callsAt(c.pc)})
			}
		case !c.plain && (!sure || len(c.targets) == 0):
			how = max(how, maybe)
		}
	}
	return sets, how
}

// stored puts into words what an instruction writes to a field.
func (a *analysis) stored(v ir.Value) string {
	args := a.m.Args(v)
	ref, _ := a.m.Member(v)
	return boolText(a.valueText(args[len(args)-1]), ref.Desc)
}

// allWrite tells whether each of the methods of the workspace writes a field by itself, and there
// is one.
func (p *Program) allWrite(targets []callgraph.NodeID, key fieldKey) (all bool) {
	for _, n := range targets {
		if p.own[p.graph.Class(n)] {
			all = slices.ContainsFunc(p.writers[key], func(w fieldWriter) bool { return w.node == n })
			if !all {
				return false
			}
		}
	}
	return all
}

// callsOwn tells whether a call leads to a method of the workspace.
func (a *analysis) callsOwn(c tryCall) bool {
	return slices.ContainsFunc(c.targets, func(n callgraph.NodeID) bool { return a.p.own[a.p.graph.Class(n)] })
}

// readsElement looks at an array that is read after the handler.
func (a *analysis) readsElement(v ir.Value) {
	array := a.m.Args(v)[0]
	if a.fresh(array) || !a.tryActs() && !a.tryStores() {
		return
	}
	name := a.nameOf(array)
	var sets []Set
	a.eachInTry(func(s ir.Value, in *ir.Instr) {
		if in.Op == ir.OpArrayStore && a.sameObject(a.m.Args(s)[0], array) {
			pc := int32(in.PC)
			value := a.m.Args(s)[2]
			sets = append(sets, Set{PC: pc, Line: a.line(pc), Value: a.valueText(value), Calls: a.callsOf(value)})
		}
	})
	a.object("reads an element of %s, which the try may change", orArray(name))
	if len(sets) > 0 && name != "" {
		use := a.use(v)
		use.Returned = a.onlyReturned(v)
		a.add(Prepared{Kind: Element, Name: name, Sets: sets, Uses: []Use{use}})
	}
}

func orArray(name string) string {
	if name == "" {
		return "an array"
	}
	return name
}

// tryActs tells whether the try calls something that may change other objects.
func (a *analysis) tryActs() bool {
	return slices.ContainsFunc(a.inTry, func(c tryCall) bool { return !c.plain })
}

// tryStores tells whether the try changes an element of an array.
func (a *analysis) tryStores() bool {
	found := false
	a.eachInTry(func(_ ir.Value, in *ir.Instr) { found = found || in.Op == ir.OpArrayStore })
	return found
}

// usesObject looks at an object that is used after the handler for what it holds.
func (a *analysis) usesObject(v, at ir.Value, how string) {
	if a.plain(v) {
		return
	}
	name := a.nameOf(v)
	sets := a.touches(v)
	if len(sets) == 0 && !a.tryActs() && !a.worksOn(v) {
		return
	}
	what := name
	if what == "" {
		what = "an object"
	}
	a.object("%s %s, whose state the try may change", how, what)
	if len(sets) > 0 && name != "" {
		a.add(Prepared{Kind: Object, Name: name, Sets: sets, Uses: []Use{a.use(at)}})
	}
}

// worksOn tells whether the try has to do with an object: it is given to a call, or stored into.
func (a *analysis) worksOn(v ir.Value) bool {
	return len(a.touches(v)) > 0 || slices.ContainsFunc(a.inTry, func(c tryCall) bool {
		return slices.ContainsFunc(a.m.Args(c.v), func(arg ir.Value) bool { return a.sameObject(arg, v) })
	})
}

// touches lists where the try may change an object: calls on it or with it that do more than read,
// stores into it or into what it gives.
func (a *analysis) touches(v ir.Value) []Set {
	v = a.strip(v)
	sets, known := a.touched[v]
	if !known {
		if a.touched == nil {
			a.touched = map[ir.Value][]Set{}
		}
		sets = a.findTouches(v)
		a.touched[v] = sets
	}
	return sets
}

// findTouches is touches where the answer is not known.
func (a *analysis) findTouches(v ir.Value) (sets []Set) {
	add := func(pc int32, by, value string) {
		set := Set{PC: pc, Line: a.line(pc), By: by, Value: value}
		if by != "" {
			set.Calls = a.callsAt(pc)
		}
		sets = append(sets, set)
	}
	for i := range a.inTry {
		if c := &a.inTry[i]; a.changes(c, v) {
			add(c.pc, c.text, "")
		}
	}
	a.eachInTry(func(s ir.Value, in *ir.Instr) {
		if in.Op == ir.OpPutField && a.relates(a.m.Args(s)[0], v, maxGiven) == partOf {
			ref, _ := a.m.Member(s)
			add(int32(in.PC), "", "its field "+ref.Name)
		} else if in.Op == ir.OpArrayStore && a.relates(a.m.Args(s)[0], v, maxGiven) == partOf {
			add(int32(in.PC), "", "an element")
		}
	})
	return sets
}

// sameObject tells whether two values may be one object, by the instructions, fields or
// variables that they come from.
func (a *analysis) sameObject(x, y ir.Value) bool {
	pair, asked := [2]ir.Value{x, y}, map[[2]ir.Value]bool{}
	if same, known := a.same[pair]; known {
		return same
	}
	if a.same == nil {
		a.same = map[[2]ir.Value]bool{}
	}
	a.same[pair] = a.samePair(pair, asked)
	if !a.same[pair] {
		for p := range asked { // one of them would have made the pair the same
			a.same[p] = false
		}
	}
	return a.same[pair]
}

// samePair is sameObject but for pairs that were asked for: where loops walk lists, x = x.next, a
// pair leads to itself. Whether one is the same depends on whether any that it leads to is, so
// that what was asked for adds nothing.
func (a *analysis) samePair(pair [2]ir.Value, asked map[[2]ir.Value]bool) bool {
	x, y := pair[0], pair[1]
	if asked[pair] || a.m.Instrs[x].Kind != ir.Ref || a.m.Instrs[y].Kind != ir.Ref {
		return false
	}
	if same, known := a.same[pair]; known {
		return same
	}
	asked[pair] = true
	origins, fields := map[ir.Value]bool{}, []ir.Value{}
	for _, p := range a.originsOf(x) {
		a.steps(1)
		switch a.m.Instrs[p.Value].Op {
		case ir.OpConst:
		case ir.OpGetField, ir.OpGetStatic:
			fields = append(fields, p.Value)
			fallthrough
		default:
			origins[p.Value] = true
		}
	}
	for _, q := range a.originsOf(y) {
		a.steps(1)
		if origins[q.Value] {
			return true
		}
		if op := a.m.Instrs[q.Value].Op; op != ir.OpGetField && op != ir.OpGetStatic {
			continue
		}
		a.steps(len(fields))
		for _, p := range fields {
			if a.sameField(p, q.Value, asked) {
				return true
			}
		}
	}
	return false
}

// sameField is samePair for values that are read of fields.
func (a *analysis) sameField(p, q ir.Value, asked map[[2]ir.Value]bool) bool {
	i, j := &a.m.Instrs[p], &a.m.Instrs[q]
	if i.Op != j.Op {
		return false
	}
	r, err := a.m.Member(p)
	s, err2 := a.m.Member(q)
	if err != nil || err2 != nil || r.Name != s.Name || r.Owner != s.Owner {
		return false
	}
	return i.Op == ir.OpGetStatic || a.samePair([2]ir.Value{a.m.Args(p)[0], a.m.Args(q)[0]}, asked)
}

// strip follows casts.
func (a *analysis) strip(v ir.Value) ir.Value {
	for a.m.Instrs[v].Op == ir.OpCheckCast {
		v = a.m.Args(v)[0]
	}
	return v
}

// nameOf names the variable or the field that holds an object, "" if that is not known.
func (a *analysis) nameOf(v ir.Value) string {
	v = a.strip(v)
	switch in := &a.m.Instrs[v]; in.Op {
	case ir.OpParam:
		slot := slotOfParam(a.m, int(in.Aux))
		if slot == 0 && !a.m.IsStatic() {
			return "this"
		}
		return a.localName(slot, int(a.start()))
	case ir.OpGetField, ir.OpGetStatic:
		if ref, err := a.m.Member(v); err == nil {
			key, _ := a.p.field(ref)
			return key.String()
		}
	case ir.OpPhi:
		if int(in.Aux) < int(a.m.Code.MaxLocals) {
			return a.ownName(a.localName(int(in.Aux), int(a.start())))
		}
	case ir.OpNew, ir.OpNewArray, ir.OpInvoke:
		return a.ownName(a.storedIn(v))
	}
	return ""
}

// ownName is the name of a variable, "" for those that the compiler adds: they have no name
// where others have.
func (a *analysis) ownName(name string) string {
	if len(a.locals) > 0 && strings.HasPrefix(name, unnamed) {
		return ""
	}
	return name
}

// storedIn is the variable that takes a value right after it was computed.
func (a *analysis) storedIn(v ir.Value) string {
	done := int(a.m.Instrs[v].PC)
	if a.m.Instrs[v].Op == ir.OpNew {
		for u := range a.m.Instrs {
			if in := &a.m.Instrs[u]; in.Op == ir.OpInvoke && in.Code == classfile.OpInvokespecial &&
				a.m.Args(ir.Value(u))[0] == v {
				done = int(in.PC)
				break
			}
		}
	}
	in, err := classfile.Decode(a.m.Code.Bytecode, done)
	for err == nil {
		if in, err = classfile.Decode(a.m.Code.Bytecode, in.Next()); err != nil || in.Op != classfile.OpCheckcast {
			break
		}
	}
	if slot, ok := in.Local(); err == nil && ok && changesLocal(in.Op) {
		return a.localName(slot, in.Next())
	}
	return ""
}

// fresh tells whether a value is one that the code after the handler makes: the try
// cannot know it.
func (a *analysis) fresh(v ir.Value) bool {
	return a.trueOfAll(v, func(o ir.Value, in *ir.Instr) bool {
		if !a.isAfter(o) {
			return false
		}
		switch in.Op {
		case ir.OpNew, ir.OpNewArray, ir.OpCatch:
			return true
		case ir.OpInvoke:
			return a.makes(o, in)
		}
		return false
	})
}

// plain tells whether a value cannot have been changed by the try: it is no object, one
// that never changes, or one that is made after the handler.
func (a *analysis) plain(v ir.Value) bool {
	return a.trueOfAll(v, func(o ir.Value, in *ir.Instr) bool {
		if in.Kind != ir.Ref || in.Op == ir.OpConst || in.Op == ir.OpCatch {
			return true
		}
		if name, _ := a.m.Type(o); a.p.unchanging(name) {
			return true
		}
		return o != v && a.fresh(o) || o == v && a.fresh(v)
	})
}

// trueOfAll tells whether something is true of all origins of a value.
func (a *analysis) trueOfAll(v ir.Value, f func(o ir.Value, in *ir.Instr) bool) bool {
	if a.m.Instrs[v].Kind != ir.Ref {
		return f(v, &a.m.Instrs[v])
	}
	for _, o := range a.originsOf(v) {
		if in := &a.m.Instrs[o.Value]; !a.castPlain(o) && !f(o.Value, in) {
			return false
		}
	}
	return true
}

// castPlain tells whether an origin was cast to a class whose objects never change.
func (a *analysis) castPlain(o ir.Origin) bool {
	if o.Cast == 0 {
		return false
	}
	name, err := a.m.Class.Pool.ClassName(uint16(o.Cast))
	return err == nil && a.p.unchanging(name)
}

func (a *analysis) plainArgs(v ir.Value) bool {
	return !slices.ContainsFunc(a.m.Args(v), func(arg ir.Value) bool { return !a.plainArg(arg) })
}

// plainArg is plain for an operand of a call, with the elements of an array that was
// made for it.
func (a *analysis) plainArg(v ir.Value) bool {
	if !a.plain(v) {
		return false
	}
	in := &a.m.Instrs[a.strip(v)]
	if in.Op != ir.OpNewArray {
		return true
	}
	for s := range a.m.Instrs {
		if x := &a.m.Instrs[s]; x.Op == ir.OpArrayStore && a.m.Args(ir.Value(s))[0] == v &&
			!a.plain(a.m.Args(ir.Value(s))[2]) {
			return false
		}
	}
	return true
}

// call looks at a call after the handler.
func (a *analysis) call(v ir.Value, in *ir.Instr) {
	pc := int32(in.PC)
	if in.Code == classfile.OpInvokedynamic {
		a.dynamic(v, pc)
		return
	}
	ref, err := a.m.Member(v)
	if err != nil {
		a.object("calls what cannot be read")
		return
	}
	args := a.m.Args(v)
	class := a.p.classify(ref.Owner, ref.Name)
	if class != unknownCall {
		if class == harmlessCall && in.Code != classfile.OpInvokestatic {
			args = args[1:]
		}
		for n, arg := range args {
			if class == valueCall && n == 0 && ref.Name == "<init>" {
				continue
			}
			if !a.plainArg(arg) {
				a.usesObject(arg, v, "gives "+a.callText(v))
			}
		}
		return
	}
	for n, arg := range args {
		made := n == 0 && ref.Name == "<init>"
		if !made && a.m.Instrs[arg].Kind == ir.Ref && !a.isReceiver(arg) && a.worksOn(arg) {
			a.usesObject(arg, v, "gives "+a.callText(v))
		}
	}
	a.follow(v, a.targets[pc])
}

// isReceiver tells whether a value is the object of the method: what calls read of its fields
// is looked at field by field.
func (a *analysis) isReceiver(v ir.Value) bool {
	in := &a.m.Instrs[a.strip(v)]
	return in.Op == ir.OpParam && in.Aux == 0 && !a.m.IsStatic()
}

// dynamic looks at an invokedynamic after the handler.
func (a *analysis) dynamic(v ir.Value, pc int32) {
	call := a.calls[pc]
	if call == nil || call.Indy() == nil {
		a.object("calls what cannot be read")
		return
	}
	switch call.Indy().Kind {
	case facts.ConcatIndy:
		for _, arg := range a.m.Args(v) {
			if !a.plain(arg) {
				a.usesObject(arg, v, "makes text of")
				a.follow(v, a.targets[pc])
			}
		}
	case facts.LambdaIndy:
		a.object("makes a lambda, which is not followed")
	default:
		a.object("calls code that is made at run time")
	}
}

// follow looks at what methods of the workspace read that are called after the handler.
func (a *analysis) follow(v ir.Value, targets []callgraph.NodeID) {
	text := a.callText(v)
	if a.node == callgraph.NoNode || len(targets) == 0 {
		a.object("calls %s, of which nothing is known", text)
		return
	}
	for _, n := range targets {
		if a.plainTarget(v, n) {
			continue
		}
		r := a.p.reading(n)
		if r.opaque != "" {
			a.object("calls %s, which %s", text, r.opaque)
		}
		for _, ref := range r.fields {
			a.reads(ref, a.use(v), text)
		}
	}
}

// plainTarget tells whether a call that the code names by a class of the workspace leads to
// a method of the tables, with plain arguments: getMessage of the workspace's own exception.
func (a *analysis) plainTarget(v ir.Value, target callgraph.NodeID) bool {
	f := a.p.graph.Method(target)
	if f == nil {
		return false
	}
	args := a.m.Args(v)
	switch a.p.classify(a.p.graph.Class(target), f.Name) {
	case valueCall:
		if f.Name == "<init>" {
			args = args[1:]
		}
	case harmlessCall:
		if a.m.Instrs[v].Code != classfile.OpInvokestatic {
			args = args[1:]
		}
	default:
		return false
	}
	return !slices.ContainsFunc(args, func(arg ir.Value) bool { return !a.plainArg(arg) })
}

// findOutliving looks for fields of the class that the try writes: what it writes before the
// exception stays, and the clause does not undo it.
func (a *analysis) findOutliving() {
	for name, steps := a.class, 0; name != "" && steps < maxSuperclasses; steps++ {
		c := a.p.class(name)
		if c == nil {
			return
		}
		for _, f := range c.Fields {
			if f.Access&classfile.AccFinal != 0 && a.m.Name != "<init>" || f.Access&classfile.AccSynthetic != 0 {
				continue
			}
			key := fieldKey{name, c.MemberName(f)}
			sets, how := a.outliving(key, f)
			if how != writes {
				continue
			}
			a.object("leaves %s as the try has set it", key)
			if len(sets) > 0 && a.out.find(Field, key.String()) < 0 {
				a.add(Prepared{Kind: Field, Name: key.String(), Sets: sets, Writers: a.p.writersOf(key)})
			}
		}
		name = c.SuperName()
	}
}

// outliving lists where the try writes a field of the class, that of the object which a constructor
// makes included.
func (a *analysis) outliving(key fieldKey, f *classfile.Member) (sets []Set, how writing) {
	more, how := a.writesOf(key, f)
	if a.m.Name != "<init>" {
		return more, how
	}
	a.eachInTry(func(v ir.Value, in *ir.Instr) {
		if in.Op != ir.OpPutField && in.Op != ir.OpPutStatic {
			return
		}
		ref, err := a.m.Member(v)
		if err != nil {
			return
		}
		if k, _ := a.p.field(ref); k == key {
			sets = append(sets, Set{PC: int32(in.PC), Line: a.line(int32(in.PC)), Value: a.stored(v)})
		}
	})
	if sets = a.differs(key.String(), sets); len(sets) > 0 {
		how = writes
	}
	return append(sets, more...), how
}

// reading is what a method and the workspace's methods that it calls read.
type reading struct {
	fields []classfile.MemberRef
	opaque string // why that is not all; "": it is
}

// maxFollowed bounds how many methods are followed from one call: more is no helper of
// a clause, and a reader would not check it either.
const maxFollowed = 64

// reading follows the code of a method and of those of the workspace that it calls.
func (p *Program) reading(n callgraph.NodeID) *reading {
	if r := p.reads[n]; r != nil {
		return r
	}
	r := &reading{}
	p.reads[n] = r
	seen := map[callgraph.NodeID]bool{n: true}
	for work := []callgraph.NodeID{n}; len(work) > 0; {
		n, work = work[0], work[1:]
		if len(seen) > maxFollowed {
			r.opaque = "leads to too many methods"
			return r
		}
		next, opaque := p.readsOf(n, r)
		if opaque != "" {
			r.opaque = opaque
			return r
		}
		for _, t := range next {
			if !seen[t] {
				seen[t] = true
				work = append(work, t)
			}
		}
	}
	return r
}

// readsOf adds what one method reads and lists what it calls of the workspace; opaque says
// what is not understood.
func (p *Program) readsOf(n callgraph.NodeID, r *reading) (next []callgraph.NodeID, opaque string) {
	name := p.graph.Class(n)
	f := p.graph.Method(n)
	c := p.class(name)
	if c == nil || f == nil {
		return nil, "runs code outside of the workspace"
	}
	member := c.FindMethod(f.Name, f.Desc)
	if member == nil || !f.HasCode {
		return nil, "runs native code"
	}
	m := p.build(c, member)
	if m == nil {
		return nil, "cannot be read"
	}
	a := &analysis{p: p, m: m, class: name, node: n, calls: callsByPC(f), after: make([]bool, len(m.Blocks))}
	for b := range a.after {
		a.after[b] = true
	}
	a.findTargets()
	for v := range m.Instrs {
		in := &m.Instrs[v]
		switch in.Op {
		case ir.OpGetField, ir.OpGetStatic:
			if ref, err := m.Member(ir.Value(v)); err == nil &&
				(in.Op == ir.OpGetStatic || !madeHere(m, m.Args(ir.Value(v))[0], ir.Value(v))) {
				r.fields = append(r.fields, ref)
			}
		case ir.OpArrayLoad:
			if !a.fresh(m.Args(ir.Value(v))[0]) {
				return nil, "reads elements of an array"
			}
		case ir.OpInvoke:
			if next, opaque = a.calleesOf(ir.Value(v), in, next); opaque != "" {
				return nil, opaque
			}
		}
	}
	return next, ""
}

// calleesOf adds the methods of the workspace that a call leads to; opaque says what of it
// is not understood.
func (a *analysis) calleesOf(v ir.Value, in *ir.Instr, next []callgraph.NodeID) (_ []callgraph.NodeID, opaque string) {
	text := a.callText(v)
	ref, err := a.m.Member(v)
	if in.Code == classfile.OpInvokedynamic {
		call := a.calls[int32(in.PC)]
		if call != nil && call.Indy() != nil && call.Indy().Kind == facts.ConcatIndy && a.plainArgs(v) {
			return next, ""
		}
		return nil, "makes a lambda or text of objects"
	}
	if err != nil {
		return nil, "cannot be read"
	}
	if class := a.p.classify(ref.Owner, ref.Name); class != unknownCall {
		args := a.m.Args(v)
		if ref.Name == "<init>" || class == harmlessCall && in.Code != classfile.OpInvokestatic {
			args = args[1:]
		}
		if slices.ContainsFunc(args, func(arg ir.Value) bool { return !a.plainArg(arg) }) {
			return nil, fmt.Sprintf("gives %s an object", text)
		}
		return next, ""
	}
	targets := a.targets[int32(in.PC)]
	if len(targets) == 0 {
		return nil, fmt.Sprintf("calls %s, of which nothing is known", text)
	}
	for _, t := range targets {
		if a.plainTarget(v, t) {
			continue
		}
		if !a.p.own[a.p.graph.Class(t)] {
			return nil, fmt.Sprintf("calls %s, which may read anything", text)
		}
		next = append(next, t)
	}
	return next, ""
}
