package misuse

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file finds throws of methods that are called in a wrong order: before the object was
// connected, or once more afterwards. What has been called on an object stands in a field that
// nobody writes but its constructors, methods that open it and methods that close it, and these
// constants only. Where a method cannot return with some values that such a field has when it
// begins, and throws with these only, another method was to be called before, or was not. That is
// said of the JDK alone: connect of another library may fail without a word, or be done later.

// orderOf are the classes of which isBound and isConnected are asked. Their documentation says that
// an object stays bound and connected when it is closed.
var orderOf = map[string]bool{
	"java/net/Socket": true, "java/net/ServerSocket": true, "sun/security/ssl/SSLSocketImpl": true,
}

// knownOrder are fields of sockets that hold 0 until one of some methods has bound the socket to a
// port: what is stored is no constant, and not 0 (NetHooks and Net.localAddress give a port). They
// are written by the class and its superclasses alone, as nobody else gets at the object.
var knownOrder = map[state][]string{
	{class: "sun/nio/ch/NioSocketImpl", name: "localport", desc: "I"}: {"bind"},
}

// openingNames begin the names of methods that make an object ready for use, by the conventions of
// the JDK.
var openingNames = [...]string{"create", "connect", "bind", "open", "listen", "accept"}

// opening tells whether a method makes an object ready for use, by its name.
func opening(name string) bool { return named(name, openingNames[:]) }

// values are what a state may be, each with the methods that make it so. A constructor makes it 0.
type values map[int32][]string

const constructor = "<init>"

// ordered are the values of a state that says which methods have been called, nil of any other.
func (f *finder) ordered(s state) values {
	switch {
	case s.call && s.name == isBound:
		return values{0: {constructor}, 1: {"bind"}}
	case s.call && s.name == isConnected:
		return values{0: {constructor}, 1: {"connect"}}
	case knownOrder[s] != nil:
		return values{0: {constructor}, 1: knownOrder[s]}
	}
	k := f.stores[s]
	if s.call || k == nil || k.computed || k.missed || s.desc != "Z" && s.desc != "I" || !f.private(s) {
		return nil
	}
	out := values{0: {constructor}}
	for v, by := range k.constant {
		for _, m := range by {
			if m != constructor && !opening(m) && !closing(m) {
				return nil
			}
			out[v] = append(out[v], m)
		}
	}
	return out
}

// by are the methods that make a state one of some values and of which something holds.
func (vs values) by(holds func(method string) bool, of func(v int32) bool) (out []string) {
	for v, methods := range vs {
		for _, m := range methods {
			if of(v) && holds(m) {
				out = append(out, m)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// checkOrder notes the throws of a method that are reached only with some values of a state that
// says which methods have been called.
func (f *finder) checkOrder(low *ir.Method, s state) {
	if !natives.OfJDK(f.class.Name()) {
		return
	}
	vs := f.ordered(s)
	if len(vs) < 2 {
		return
	}
	seen, returns := map[int32][]bool{}, map[int32]bool{}
	for v := range vs {
		seen[v] = reached(low, s, v)
		for b, there := range seen[v] {
			at := last(low, ir.BlockID(b))
			returns[v] = returns[v] || there && at != ir.Undef && low.Instrs[at].Op == ir.OpReturn
		}
	}
	later := afterChange(low, s)
	for b := range low.Blocks {
		at := last(low, ir.BlockID(b))
		if at == ir.Undef || low.Instrs[at].Op != ir.OpThrow || later[b] {
			continue
		}
		k := Key{low.Name + low.Desc, int32(low.Instrs[at].PC)}
		proper := false
		for v := range vs {
			proper = proper || seen[v][b] && returns[v]
		}
		if c := vs.judge(func(v int32) bool { return seen[v][b] }); !proper && c.Why != "" && f.out[k].Why == "" {
			f.out[k] = c
		}
	}
}

// judge says what makes a throw happen that is reached with some values of a state; without words
// where that is not known to be a wrong order.
func (vs values) judge(reached func(v int32) bool) (c Check) {
	left := func(v int32) bool { return !reached(v) }
	opens, again, closed := vs.by(opening, left), vs.by(opening, reached), vs.by(closing, reached)
	switch {
	case len(closed) > 0 && !reached(0) && len(again) == 0:
		return Check{"only if called after " + anyOf(closed), true}
	case len(closed) > 0:
		return Check{}
	case reached(0) && len(opens) > 0:
		return Check{"only if called before " + anyOf(opens), false}
	case !reached(0) && len(again) > 0:
		return Check{"only if called after " + anyOf(again), false}
	}
	return Check{}
}

// anyOf names methods in a sentence.
func anyOf(methods []string) string {
	if n := len(methods) - 1; n > 0 {
		return strings.Join(methods[:n], ", ") + " or " + methods[n]
	}
	return methods[0]
}

// mayMiss tells whether a method can return without having stored in a flag that has a value when
// it begins: that the method was called does not say what the flag is.
func mayMiss(low *ir.Method, s state, value int32) bool {
	seen := follow(low, s, value, func(b ir.BlockID) bool { return storesIn(low, b, s) })
	for b := range low.Blocks {
		at := last(low, ir.BlockID(b))
		if seen[b] && !storesIn(low, ir.BlockID(b), s) && at != ir.Undef && low.Instrs[at].Op == ir.OpReturn {
			return true
		}
	}
	return false
}

// storesIn tells whether a block stores in a field of this.
func storesIn(low *ir.Method, b ir.BlockID, s state) bool {
	for v := low.Blocks[b].First; v < low.Blocks[b].Last; v++ {
		if low.Instrs[v].Op == ir.OpPutField {
			if to, ok := onThis(low, ir.Value(v)); ok && to == s {
				return true
			}
		}
	}
	return false
}

// afterChange are the blocks that control may come to after a store in a state, or after a call
// that may open or close the object: what the state was when the method began tells nothing there,
// and what such a call could not do decides, too.
func afterChange(low *ir.Method, s state) []bool {
	later := make([]bool, len(low.Blocks))
	var work []ir.BlockID
	mark := func(b ir.BlockID) {
		if !later[b] {
			later[b] = true
			work = append(work, b)
		}
	}
	for b := range low.Blocks {
		if storesIn(low, ir.BlockID(b), s) || callsChange(low, ir.BlockID(b)) {
			mark(ir.BlockID(b))
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, list := range [...][]ir.BlockID{low.Succs(b), low.HandlerSuccs(b)} {
			for _, n := range list {
				mark(n)
			}
		}
	}
	return later
}

// callsChange tells whether a block calls what may open an object, or close this.
func callsChange(low *ir.Method, b ir.BlockID) bool {
	for v := low.Blocks[b].First; v < low.Blocks[b].Last; v++ {
		if low.Instrs[v].Op != ir.OpInvoke {
			continue
		}
		ref, err := low.Member(ir.Value(v))
		if err != nil || opening(ref.Name) || closing(ref.Name) && givesThis(low, ir.Value(v)) {
			return true
		}
	}
	return false
}
