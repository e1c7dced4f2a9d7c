package facts

// This file finds what athrow instructions throw and wrap.

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// throws records the athrow instructions that were met.
func (m *methodBuilder) throws() {
	b := m.b
	for _, v := range m.athrows {
		in := &m.low.Instrs[v]
		blk := &m.low.Blocks[m.low.BlockOf(v)]
		obj := m.low.Args(v)[0]
		origins := m.low.Origins(obj, v, m.sameObject, nil)
		n := len(b.throws)
		var t *Throw
		if n > m.throw0 && b.throws[n-1].PC == int32(in.PC) { // a copy of the last one
			t = &b.throws[n-1]
		} else {
			s := m.site(in, m.cover(blk.Cover), n-m.throw0, m.pcs.athrows)
			b.throws = append(b.throws, Throw{Site: s})
			t = &b.throws[n]
		}
		// The lists grow within the record; copyOut wants them in the order of
		// the throws, so they go into the common slices at the end.
		if len(origins) == 0 && len(t.Sources) == 0 {
			// Nothing but null, on a branch where a test excludes it: the
			// athrow cannot be reached.
			t.Sources = append(t.Sources, Source{Kind: NullSource, Call: -1})
		}
		for _, o := range origins {
			if s := m.source(o); !slices.Contains(t.Sources, s) {
				t.Sources = append(t.Sources, s)
			}
		}
		if len(m.d.Handlers) > 0 {
			for _, h := range m.causesOf(origins, v) {
				if !slices.Contains(t.Causes, h) {
					t.Causes = append(t.Causes, h)
				}
			}
			slices.Sort(t.Causes)
		}
	}
	for i := m.throw0; i < len(b.throws); i++ {
		t := &b.throws[i]
		b.sources = append(b.sources, t.Sources...)
		b.causes = append(b.causes, t.Causes...)
		for _, s := range t.Sources {
			if s.Kind == CaughtSource {
				m.d.Handlers[s.Handler].Rethrows = true
			}
		}
	}
}

// source classifies one origin of a thrown object.
func (m *methodBuilder) source(o ir.Origin) Source {
	in := &m.low.Instrs[o.Value]
	cast := ""
	if o.Cast != 0 {
		cast, _ = m.b.c.Pool.ClassName(uint16(o.Cast))
	}
	name, exact := m.low.Type(o.Value)
	switch {
	case in.Op == ir.OpNew && exact:
		return Source{Kind: NewSource, Type: name, Call: -1}
	case in.Op == ir.OpCatch:
		return Source{Kind: CaughtSource, Type: cast, Handler: uint16(in.Aux), Call: -1}
	case in.Op == ir.OpConst && in.Code == classfile.OpAconstNull:
		return Source{Kind: NullSource, Call: -1}
	}
	s := Source{Kind: TypedSource, Type: name, Call: -1}
	if cast != "" {
		s.Type = cast
	}
	if s.Type == "" || s.Type == "java/lang/Object" {
		s.Type = "java/lang/Throwable"
	}
	if in.Op == ir.OpInvoke {
		s.Call = m.callAt(int32(in.PC))
	}
	return s
}

// callAt returns the index in the record of the call at pc, or -1.
func (m *methodBuilder) callAt(pc int32) int32 {
	calls := m.b.calls[m.call0:]
	i, ok := slices.BinarySearchFunc(calls, pc, func(c Call, pc int32) int { return int(c.PC - pc) })
	if !ok {
		return -1
	}
	return int32(i)
}

// sameObject returns the receiver of calls that return it: Throwable's
// initCause and fillInStackTrace (the documentation binds overriders to that).
func (m *methodBuilder) sameObject(v ir.Value) ir.Value {
	in := &m.low.Instrs[v]
	if in.Op != ir.OpInvoke || in.Code != classfile.OpInvokevirtual {
		return ir.Undef
	}
	ref, err := m.low.Member(v)
	if err == nil && (ref.Name == "initCause" && strings.HasPrefix(ref.Desc, "(Ljava/lang/Throwable;)L") ||
		ref.Name == "fillInStackTrace" && strings.HasPrefix(ref.Desc, "()L")) {
		return m.low.Args(v)[0]
	}
	return ir.Undef
}

// causesOf returns the handlers whose caught object is wrapped in one of the
// origins of what v throws.
func (m *methodBuilder) causesOf(origins []ir.Origin, v ir.Value) []uint16 {
	w := wrapFinder{m: m}
	for _, o := range origins {
		w.wrappedIn(o.Value, 0)
	}
	return w.handlers
}

// wrapFinder looks for caught objects that an object wraps.
type wrapFinder struct {
	m        *methodBuilder
	handlers []uint16
	seen     []ir.Value // objects looked into
}

// maxWrapDepth bounds how many objects deep causes are looked for.
const maxWrapDepth = 4

// wrappedIn looks at all calls that put something into the object v (its
// constructors, initCause, addSuppressed), and, where v is the result of a
// call, at what that call was given.
func (w *wrapFinder) wrappedIn(v ir.Value, depth int) {
	if slices.Contains(w.seen, v) || depth > maxWrapDepth {
		return
	}
	w.seen = append(w.seen, v)
	low := w.m.low
	in := &low.Instrs[v]
	if in.Op == ir.OpInvoke {
		ref, err := low.Member(v)
		if err != nil || strings.HasSuffix(ref.Desc, ")Ljava/lang/String;") {
			return
		}
		args := low.Args(v)
		if in.Code != classfile.OpInvokestatic && in.Code != classfile.OpInvokedynamic {
			args = args[1:]
		}
		w.given(args, v, depth)
	}
	if in.Op != ir.OpNew && in.Op != ir.OpCatch && in.Op != ir.OpInvoke && in.Op != ir.OpParam {
		return
	}
	for _, call := range w.m.fillers() {
		if w.fills(call, v) {
			w.given(low.Args(call)[1:], call, depth)
		}
	}
}

// fillers returns the calls that may put a throwable into another one.
func (m *methodBuilder) fillers() []ir.Value {
	if m.fillersKnown {
		return m.fillCalls
	}
	m.fillersKnown, m.fillCalls = true, m.fillCalls[:0]
	for i := range m.low.Instrs {
		in := &m.low.Instrs[i]
		if in.Op != ir.OpInvoke || in.NArgs < 2 ||
			in.Code != classfile.OpInvokespecial && in.Code != classfile.OpInvokevirtual {
			continue
		}
		ref, err := m.low.Member(ir.Value(i))
		if err == nil && (ref.Name == "<init>" || ref.Name == "initCause" || ref.Name == "addSuppressed") {
			m.fillCalls = append(m.fillCalls, ir.Value(i))
		}
	}
	return m.fillCalls
}

// fills tells whether a call of m.fillers puts its arguments into the object v.
func (w *wrapFinder) fills(call, v ir.Value) bool {
	low := w.m.low
	recv := low.Args(call)[0]
	if recv == v || low.Instrs[recv].Op == ir.OpNew {
		return recv == v
	}
	for _, o := range low.Origins(recv, call, w.m.sameObject, nil) {
		if o.Value == v {
			return true
		}
	}
	return false
}

// given looks at references that a call at at is given.
func (w *wrapFinder) given(args []ir.Value, at ir.Value, depth int) {
	low := w.m.low
	for _, a := range args {
		if low.Instrs[a].Kind != ir.Ref {
			continue
		}
		for _, o := range low.Origins(a, at, w.m.sameObject, nil) {
			if in := &low.Instrs[o.Value]; in.Op == ir.OpCatch {
				if h := uint16(in.Aux); !slices.Contains(w.handlers, h) {
					w.handlers = append(w.handlers, h)
				}
			} else if in.Op == ir.OpNew || in.Op == ir.OpInvoke {
				w.wrappedIn(o.Value, depth+1)
			}
		}
	}
}
