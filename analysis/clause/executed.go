package clause

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/ir"
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
	trails  *Trails
}

// Trails says which code of methods ran in a test.
type Trails struct {
	// Key tells it from others.
	Key uint64
	// Once: the test ran the try that is looked at once.
	Once bool
	// Of is that of a method, nil where it is not known.
	Of func(Method) *Trail
}

// of is Of where there may be no Trails.
func (t *Trails) of(m Method) *Trail {
	if t == nil {
		return nil
	}
	return t.Of(m)
}

// Trail says which code of a method ran in a test, in any execution of it.
type Trail struct {
	// Start tells whether control came to the straight-line code that holds a pc, and where that
	// begins.
	Start func(pc int32) (start int32, ran bool)
	// Took tells whether control went from the branch at a pc to another pc.
	Took func(branch, to int32) bool
}

// NewRan makes a Ran of a list of methods, which is asked for when it is needed; key tells it from
// others.
func NewRan(key uint64, list func(yield func(Method) bool)) *Ran { return &Ran{key: key, list: list} }

// With is what ran with which code of it did. nil stays nil.
func (r *Ran) With(t *Trails) *Ran {
	if r == nil {
		return nil
	}
	out := *r
	out.trails = t
	return &out
}

// hasWritten tells whether a method may have run up to one of its instructions that write a field.
func (r *Ran) hasWritten(w Writer) bool {
	if !r.Has(w.Method) {
		return false
	}
	if r == nil {
		return true
	}
	trail := r.trails.of(w.Method)
	return trail == nil || slices.ContainsFunc(w.Stores, func(pc int32) bool {
		_, ran := trail.Start(pc)
		return ran
	})
}

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
		if len(p.Writers) > 0 && len(p.Sets) > 0 && !slices.ContainsFunc(p.Writers, ran.hasWritten) {
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
// calls has; of what has none, that is not known, and it is left out, too. So is what is Seen.
func (r *Result) InTry(ran *Ran) *Result {
	out := *r
	out.Prepared = nil
	for _, p := range r.Prepared {
		if len(p.Sets) > 0 {
			p.Sets = slices.DeleteFunc(slices.Clone(p.Sets), func(s Set) bool {
				return s.Skipped && (s.Seen != NotKnown || ran == nil || !slices.ContainsFunc(s.Calls, ran.Has))
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
func (p *Program) writersOf(key fieldKey) (out []Writer) {
	p.index()
	for _, f := range p.writers[key] {
		if m, ok := p.method(f.node); ok {
			w := f.write
			w.Method = m
			out = append(out, w)
		}
	}
	return out
}

// trail marks what a test ran of what stands behind conditions. It ran in the execution of the try
// that caught if it ran and the try ran once, and in each one if all ways that the test took to an
// origin lead to it.
func (a *analysis) trail(s *Set) {
	t := a.origins.Trails.of(a.method())
	if t == nil || !s.Skipped {
		return
	}
	start, ran := t.Start(s.PC)
	switch {
	case !ran:
		s.Seen = NotRun
	case a.origins.Trails.Once && !a.throwsWithin(start, s.PC), !a.comesBeside(s.PC, t):
		s.Skipped = false
	default:
		s.Seen = Elsewhere
	}
}

// method names the method that is analysed.
func (a *analysis) method() Method { return Method{a.class, a.m.Name + a.m.Desc} }

// throwsWithin tells whether an instruction from one pc up to another is an origin.
func (a *analysis) throwsWithin(from, to int32) bool {
	b := a.blockAt(from)
	for ; b >= 0 && int(b) < len(a.m.Blocks) && a.m.Blocks[b].PC < to; b++ {
		for v := ir.Value(a.m.Blocks[b].First); v < ir.Value(a.m.Blocks[b].Last); v++ {
			in := &a.m.Instrs[v]
			if pc := int32(in.PC); from <= pc && pc < to && in.Op != ir.OpPhi && in.Op != ir.OpParam &&
				in.Op != ir.OpCatch && a.isOrigin(v) {
				return true
			}
		}
	}
	return false
}

// method names the method of a node; ok is false where it has none.
func (p *Program) method(n callgraph.NodeID) (name Method, ok bool) {
	m := p.graph.Method(n)
	if m == nil {
		return Method{}, false
	}
	return Method{p.graph.Class(n), m.Name + m.Desc}, true
}
