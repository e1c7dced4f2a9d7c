package unshared

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file makes calls.

// harmless are methods, none of which can be overridden, that let nobody know one of their
// arguments, by class, name and position: natives, requireNonNull, which returns it, and the
// cleaner, which keeps a phantom reference. That gives nothing back (PhantomReference.get).
var harmless = map[[2]string]int{
	{"java/lang/Object", "getClass"}: 0, {"java/lang/Object", "notify"}: 0, {"java/lang/Object", "notifyAll"}: 0,
	{"java/lang/System", "identityHashCode"}: 0, {"java/lang/Thread", "holdsLock"}: 0,
	{"java/lang/ref/Reference", "reachabilityFence"}: 0,
	{"java/lang/ref/Cleaner", "register"}:            1,
	{"java/util/Objects", "requireNonNull"}:          0,
}

// invoke makes a call. It returns the heap in which the called method may have thrown an exception;
// now is nil after it where it never returns.
func (r *run) invoke(v ir.Value) (thrown *heap) {
	low := r.code.low
	in, args := &low.Instrs[v], low.Args(v)
	given := make([]value, len(args))
	for i, a := range args {
		given[i] = r.values[a]
	}
	ref, err := low.Member(v)
	if err != nil || in.Code == classfile.OpInvokedynamic {
		r.calls[v] = callState{target: callgraph.NoNode}
		r.strange(args, given, -1)
		return r.end(v)
	}
	if in.Code != classfile.OpInvokestatic {
		if given[0] = given[0].without(null); given[0].none() {
			r.now = nil
			return nil
		}
	}
	if spared, ok := harmless[[2]string{ref.Owner, ref.Name}]; ok {
		r.calls[v] = callState{target: callgraph.NoNode}
		r.strange(args, given, spared)
		if ref.Name == "requireNonNull" && in.Kind == ir.Ref {
			if given[0] = given[0].without(null); given[0].none() {
				r.now = nil
				return nil
			}
			r.set(v, given[0])
			return r.now
		}
		return r.end(v)
	}
	target, only := r.target(v, in.Code, ref, given)
	follows := r.known(args, given)
	if target == callgraph.NoNode || !follows && !(in.Kind == ir.Ref && r.p.gives[target]) {
		r.calls[v] = callState{target: callgraph.NoNode}
		r.strange(args, given, -1)
		return r.end(v)
	}
	s, ids := r.enters(args, given)
	if len(s.objects) > maxPassed || len(r.p.states) > r.p.maxStates {
		r.calls[v] = callState{target: callgraph.NoNode}
		r.strange(args, given, -1)
		return r.end(v)
	}
	r.calls[v] = callState{target: callgraph.NoNode}
	sum := r.p.summary(target, s, r.depth+1)
	r.taint = min(r.taint, sum.taint)
	if follows && sum.known {
		r.calls[v] = callState{target: target, only: only, state: r.p.number(s)}
	}
	if !sum.known {
		r.strange(args, given, -1)
		return r.end(v)
	}
	return r.apply(v, sum, ids)
}

// known tells whether nobody else knows an object that one of some arguments may be.
func (r *run) known(args []ir.Value, given []value) bool {
	for i, g := range given {
		if r.code.low.Instrs[args[i]].Kind == ir.Ref && slices.ContainsFunc(g.objects(), r.now.known) {
			return true
		}
	}
	return false
}

// strange lets others know the arguments of a call of which nothing is known, all but one.
func (r *run) strange(args []ir.Value, given []value, spared int) {
	for i, a := range args {
		if r.code.low.Instrs[a].Kind == ir.Ref && i != spared {
			r.now = r.now.letGo(given[i])
		}
	}
}

// end ends a call of which nothing is known that it gives, or in which heap it throws but the one
// after it.
func (r *run) end(v ir.Value) *heap {
	if k := r.code.low.Instrs[v].Kind; k != ir.NoValue {
		r.set(v, unknown(k))
	}
	return r.now
}

// target is the only method that a call may lead to, with Java code that the call graph has; NoNode
// where it may be another. only tells that the class of the receiver says so.
func (r *run) target(v ir.Value, op classfile.Opcode, ref classfile.MemberRef,
	given []value) (n callgraph.NodeID, only bool) {
	g := r.p.g
	n = callgraph.NoNode
	if op == classfile.OpInvokevirtual || op == classfile.OpInvokeinterface {
		if list := given[0].list; len(list) == 1 && list[0] > 0 {
			o := r.now.at(int(list[0] - 1))
			if o == nil {
				return n, false
			}
			m := g.H.Resolve(g.H.Lookup(ref.Owner), ref.Name, ref.Desc)
			if m != hierarchy.NoMethod {
				m = g.H.Select(o.class, m)
			}
			if m != hierarchy.NoMethod {
				n, only = g.NodeOf(m), true
			}
		}
	}
	if !only {
		call, ok := r.code.calls[int32(r.code.low.Instrs[v].PC)]
		if !ok || r.code.sites[call] < 0 {
			return n, false
		}
		if to := g.Targets(g.Sites[r.code.sites[call]].Set); len(to) == 1 {
			n = to[0]
		}
	}
	if n == callgraph.NoNode {
		return n, false
	}
	m := g.Method(n)
	if m == nil || m.Name != ref.Name || m.Desc != ref.Desc || !m.HasCode || r.p.ask.Modelled(n) ||
		(op == classfile.OpInvokestatic) != (m.Access&classfile.AccStatic != 0) {
		return callgraph.NoNode, false
	}
	return n, only
}

// enters is what a called method finds. ids are the numbers in this activation of its objects.
func (r *run) enters(args []ir.Value, given []value) (*state, []int) {
	x := renumbering{enters: true, from: r.now, of: map[int]int{}}
	s := &state{args: make([]value, len(given))}
	for i, g := range given {
		if r.code.low.Instrs[args[i]].Kind == ir.Ref {
			g = x.value(g)
		} else {
			g = small(g)
		}
		s.args[i] = g
	}
	s.objects = x.finish()
	return s, x.ids
}

// Numbers beyond these are not told apart where a method is entered: states of objects are small,
// and a method that calls itself with a greater number each time must end.
const (
	leastNumber    = -1
	greatestNumber = 8
)

// small is a value as a method finds it that is entered.
func small(v value) value {
	if len(v.list) > 0 && (v.list[0] < leastNumber || v.list[len(v.list)-1] > greatestNumber) {
		return value{any: true}
	}
	return v
}

// renumbering gives objects numbers in the order in which they are met.
type renumbering struct {
	enters bool // a method is entered
	from   *heap
	of     map[int]int
	ids    []int
	out    []*object
}

// value is a reference with new numbers. What others know is something else.
func (x *renumbering) value(v value) value {
	if len(v.objects()) == 0 {
		return v
	}
	var out value
	for _, n := range v.list {
		if n > 0 {
			if id := int(n - 1); !x.from.known(id) {
				n = other
			} else {
				to, ok := x.of[id]
				if !ok {
					to = len(x.ids)
					x.of[id] = to
					x.ids = append(x.ids, id)
				}
				n = int64(to) + 1
			}
		}
		out = joined(out, value{list: []int64{n}})
	}
	return out
}

// finish copies the objects that were met, and what they lead to.
func (x *renumbering) finish() []*object {
	for i := len(x.out); i < len(x.ids); i++ {
		o := x.from.at(x.ids[i])
		if o == nil || o.gone {
			x.out = append(x.out, o)
			continue
		}
		now := &object{class: o.class, fields: make([]field, len(o.fields))}
		for k, f := range o.fields {
			if f.key.isReference() {
				f.value = x.value(f.value)
			} else if x.enters {
				f.value = small(f.value)
			}
			now.fields[k] = f
		}
		x.out = append(x.out, now)
	}
	return x.out
}

// summary is what a call does.
type summary struct {
	known bool
	// returned and thrown have the objects that were there, by number, and after these new ones;
	// nil where it never ends so.
	returned, thrown *heap
	result           value
	taint            int
}

// apply does what a call does. It returns the heap in which it may have thrown an exception.
func (r *run) apply(v ir.Value, sum *summary, ids []int) (thrown *heap) {
	before := r.now
	if sum.thrown != nil {
		x := r.arriving(v, sum.thrown, ids)
		thrown = x.heap()
	}
	if r.now = before; sum.returned == nil {
		r.now = nil
		return thrown
	}
	x := r.arriving(v, sum.returned, ids)
	switch r.code.low.Instrs[v].Kind {
	case ir.NoValue:
	case ir.Ref:
		r.set(v, x.value(sum.result))
	default:
		r.set(v, sum.result)
	}
	r.now = x.heap()
	return thrown
}

// arrival is a heap of a called method that comes back to its caller.
type arrival struct {
	r    *run
	from *heap
	ids  []int       // numbers in the caller, of the objects that the call was given
	of   map[int]int // and of all, by number in from
	// lost tells that one of the new objects cannot be told from one of an earlier call: then none
	// is followed.
	lost bool
}

// arriving gives the objects of a heap that a call leaves numbers in this activation.
func (r *run) arriving(v ir.Value, h *heap, ids []int) *arrival {
	x := &arrival{r: r, from: h, ids: ids, of: map[int]int{}}
	for i, id := range ids {
		x.of[i] = id
	}
	several := map[hierarchy.TypeID]int{}
	for i := len(ids); i < len(h.objects); i++ {
		if o := h.objects[i]; o != nil {
			id := r.idOf(made{at: v, class: o.class, k: several[o.class]})
			several[o.class]++
			x.of[i] = id
			x.lost = x.lost || r.now.at(id) != nil || r.many[id] || id >= r.entry+maxMade
		}
	}
	for i := len(ids); i < len(h.objects) && x.lost; i++ {
		if h.objects[i] != nil {
			r.lose(x.of[i])
		}
	}
	return x
}

// isLost tells whether an object of the called method is one that is not followed.
func (x *arrival) isLost(i int) bool { return x.lost && i >= len(x.ids) }

// value is a reference with the numbers of the caller.
func (x *arrival) value(v value) (out value) {
	for _, n := range v.list {
		if n > 0 {
			if i := int(n - 1); x.from.at(i) == nil || x.isLost(i) {
				n = other
			} else {
				n = int64(x.of[i]) + 1
			}
		}
		out = joined(out, value{list: []int64{n}})
	}
	return out
}

// heap is the caller's heap after the call.
func (x *arrival) heap() *heap {
	var leave []value
	now := x.r.now
	out := &heap{objects: slices.Clone(now.objects)}
	for i, o := range x.from.objects {
		if o == nil {
			continue
		}
		to := &object{class: o.class, gone: o.gone}
		for _, f := range o.fields {
			if f.key.isReference() {
				f.value = x.value(f.value)
			}
			to.fields = append(to.fields, f)
		}
		// others have come to know it where objects were lost
		left := i < len(x.ids) && now.at(x.of[i]).gone
		if left || x.isLost(i) {
			for _, f := range to.fields {
				if f.key.isReference() {
					leave = append(leave, f.value)
				}
			}
			to = &object{class: o.class, gone: true}
		}
		if !x.isLost(i) {
			for len(out.objects) <= x.of[i] {
				out.objects = append(out.objects, nil)
			}
			out.objects[x.of[i]] = to
		}
	}
	return out.letGo(leave...)
}

// summarised makes the summary of an activation that has ended.
func (r *run) summarised() *summary {
	out := &summary{known: true, taint: r.taint}
	var entered []value
	for id := range r.entry {
		entered = append(entered, object1(id))
	}
	if r.returned != nil {
		x := renumbering{from: r.returned, of: map[int]int{}}
		r.keepEntered(&x)
		result := r.result
		if isReference(classfile.Result(r.code.low.Desc)) {
			result = x.value(result)
		}
		out.returned, out.result = &heap{objects: x.finish()}, result
	}
	if r.thrown != nil {
		h := r.thrown.keeping(entered)
		for id := r.entry; id < len(h.objects); id++ {
			h = h.letGo(object1(id))
		}
		x := renumbering{from: h, of: map[int]int{}}
		r.keepEntered(&x)
		out.thrown = &heap{objects: x.finish()[:r.entry]}
	}
	return out
}

// keepEntered gives the objects that were there their own numbers, those that others know too.
func (r *run) keepEntered(x *renumbering) {
	for id := range r.entry {
		x.of[id] = id
		x.ids = append(x.ids, id)
	}
}
