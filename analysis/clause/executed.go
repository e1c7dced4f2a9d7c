package clause

import (
	"slices"

	"catchlens/analysis/callgraph"
)

// This file leaves out what a test did not run: a field that only the listener of another test
// writes is not what this test looks at.

// Method names a method of the workspace: its class by internal name, its name and descriptor.
type Method struct{ Class, Method string }

// Ran are the methods of the workspace that ran in a test. nil: any may have.
type Ran struct {
	key     uint64
	list    func(yield func(Method) bool)
	methods map[Method]bool
}

// NewRan makes a Ran of a list of methods, which is asked for when it is needed; key tells it from
// others.
func NewRan(key uint64, list func(yield func(Method) bool)) *Ran { return &Ran{key: key, list: list} }

// Has tells whether a method ran.
func (r *Ran) Has(m Method) bool {
	if r == nil {
		return true
	}
	if r.methods == nil {
		r.methods = map[Method]bool{}
		r.list(func(m Method) bool {
			r.methods[m] = true
			return true
		})
	}
	return r.methods[m]
}

// In is the result for a test in which these methods ran. A call in the try sets up no field that
// none of them writes, and what nothing sets up is not prepared.
func (r *Result) In(ran *Ran) *Result {
	out := *r
	out.Prepared = nil
	for _, p := range r.Prepared {
		if len(p.Writers) > 0 && len(p.Sets) > 0 && !slices.ContainsFunc(p.Writers, ran.Has) {
			if p.Sets = slices.DeleteFunc(slices.Clone(p.Sets),
				func(s Set) bool { return s.By != "" }); len(p.Sets) == 0 {
				continue
			}
		}
		out.Prepared = append(out.Prepared, p)
	}
	return &out
}

// InTry is the result for a test in the try of which these methods ran, nil where that is not
// known: without what did not run there. What the exception may come past has run where one of its
// calls has; of what has none, that is not known, and it is left out, too.
func (r *Result) InTry(ran *Ran) *Result {
	out := *r
	out.Prepared = nil
	for _, p := range r.Prepared {
		if len(p.Sets) > 0 {
			p.Sets = slices.DeleteFunc(slices.Clone(p.Sets), func(s Set) bool {
				return s.Skipped && (ran == nil || !slices.ContainsFunc(s.Calls, ran.Has))
			})
			if len(p.Sets) == 0 {
				continue
			}
		}
		out.Prepared = append(out.Prepared, p)
	}
	return &out
}

// callsAt lists the methods of the workspace that the call at a pc leads to: none where it may lead
// elsewhere.
func (a *analysis) callsAt(pc int32) (out []Method) {
	for _, n := range a.targets[pc] {
		m, ok := a.p.method(n)
		if !ok || !a.p.own[m.Class] {
			return nil
		}
		out = append(out, m)
	}
	return out
}

// writersOf names the methods that write a field.
func (p *Program) writersOf(key fieldKey) (out []Method) {
	p.index()
	for _, n := range p.writers[key] {
		if m, ok := p.method(n); ok {
			out = append(out, m)
		}
	}
	return out
}

// method names the method of a node; ok is false where it has none.
func (p *Program) method(n callgraph.NodeID) (name Method, ok bool) {
	m := p.graph.Method(n)
	if m == nil {
		return Method{}, false
	}
	return Method{p.graph.Class(n), m.Name + m.Desc}, true
}
