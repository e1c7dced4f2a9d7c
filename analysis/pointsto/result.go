package pointsto

// This file answers questions about a finished analysis.

import (
	"math/bits"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// nodeInfo is what is kept for a node.
type nodeInfo struct {
	graph   callgraph.NodeID
	site    int32 // its first site in Result.sites
	nsites  int32
	opaque  bool
	created Set
	globals []Var
	loads   []Field
}

// siteInfo is what is kept for a site of a node.
type siteInfo struct {
	recv    Var
	call    int32 // flow call + 1, 0 for a site that is not dispatched
	unknown bool
	args    []Var
	callees []Node
}

// solution is the points-to graph.
type solution struct {
	s      *solver
	sets   solve.Solution
	always Set
	start  []int32 // by object: its fields are in list
	list   []objectField
}

// objectField is a field of an object.
type objectField struct {
	f Field
	v Var
}

// newSolution lists the fields of objects, and the objects that any code has.
func newSolution(s *solver) *solution {
	r := &solution{s: s, sets: s.Solution(), start: make([]int32, 64*s.NumBlocks()+1)}
	s.EachFieldVar(func(o Object, _ Field, _ int32) { r.start[o+1]++ })
	for i := 1; i < len(r.start); i++ {
		r.start[i] += r.start[i-1]
	}
	r.list = make([]objectField, r.start[len(r.start)-1])
	next := slices.Clone(r.start)
	s.EachFieldVar(func(o Object, f Field, v int32) {
		r.list[next[o]] = objectField{f, Var(v)}
		next[o]++
	})
	for o := range len(r.start) - 1 {
		slices.SortFunc(r.list[r.start[o]:r.start[o+1]], func(a, b objectField) int { return int(a.f - b.f) })
	}
	var always []Object
	for t := range typeNo(s.NumTypes()) {
		if i := s.TypeInfo(t); i.Merged != noObject && i.Lambda < 0 && (i.Array == "" || len(i.Array) == 2) {
			always = append(always, i.Merged)
		}
	}
	r.always = solve.SetOf(always)
	return r
}

func (r *Result) site(n Node, k int) *siteInfo { return &r.sites[int(r.nodes[n].site)+k] }

func (r *Result) callees(n Node, k int) []Callee {
	x := r.site(n, k)
	out := make([]Callee, 0, len(x.callees))
	for _, c := range x.callees {
		out = append(out, Callee{Node: c})
	}
	if x.call == 0 || x.recv == NoVar || len(out) == 0 {
		return out
	}
	s := r.solved.s
	c := s.calls[x.call-1]
	if c.fixed {
		return out
	}
	set := r.PointsTo(x.recv)
	var leads []led
	for i, b := range set.Blocks {
		leads = s.leadsTo(r.joint, &c, b, set.Bits[i], leads[:0])
		for _, to := range leads {
			if j, ok := slices.BinarySearch(x.callees, to.node); ok {
				out[j].Dispatched = true
				out[j].Via.Add(b, to.bits)
				if to.lambda {
					out[j].answer(to.result)
				}
			}
		}
	}
	return out
}

func (r *Result) fromCallees(n Node, k int) bool {
	x := r.site(n, k).call
	if x == 0 {
		return false
	}
	c := &r.solved.s.calls[x-1]
	return !c.apart && !c.copies
}

// led says which objects of a block lead to a node.
type led struct {
	node   Node
	bits   uint64
	lambda bool // they are lambda objects
	result Var  // of lambda objects: what the call returns on them, NoVar if that is not known
}

// leadsTo appends where a call leads on objects of a block. It looks up what the
// solver found, and changes nothing.
func (s *solver) leadsTo(j *joint, c *flowCall, b Block, w uint64, out []led) []led {
	for w = s.KnownToPass(c.filter, b, w); w != 0; {
		t, run := s.RunOf(Object(b)<<6 + Object(bits.TrailingZeros64(w)))
		out = s.leadsRun(j, c, t, w&run, out)
		w &^= run
	}
	return out
}

// leadsRun is leadsTo for objects of one type.
func (s *solver) leadsRun(j *joint, c *flowCall, t typeNo, w uint64, out []led) []led {
	k := s.TypeInfo(t).Lambda
	if k >= 0 {
		// Who asks leaves out what the site does not call: this, or what is next.
		to, result := s.Lambda(k).Inst, s.Returned(k)
		if node := j.nodeOf[to]; result == s.insts[to].ret {
			result = j.ret[node]
		}
		out = append(out, led{j.nodeOf[to], w, true, Var(result)})
	}
	m := hierarchy.MethodID(s.chosen.Get(uint64(c.m)<<32|uint64(t)) - 2)
	if m < 0 || int(m) >= len(j.method) || j.method[m] == 0 {
		return out
	}
	return append(out, led{j.method[m] - 1, w, k >= 0, Var(j.ret[j.method[m]-1])})
}

func (s *solution) numVars() int   { return s.s.NumVars() }
func (s *solution) numBlocks() int { return s.s.NumBlocks() }

func (s *solution) pointsTo(v Var) Set { return s.sets.PointsTo(int32(v)) }

func (s *solution) fieldOf(o Object, f Field) Var { return Var(s.s.FieldVarOf(o, f)) }

func (s *solution) eachField(o Object, yield func(f Field, v Var)) {
	for _, x := range s.list[s.start[o]:s.start[o+1]] {
		yield(x.f, x.v)
	}
}

func (r *solution) staticField(owner, name, desc string) (v Var, made bool) {
	s := r.s
	t := s.H.Lookup(owner)
	if t == hierarchy.NoType {
		return NoVar, false
	}
	c := s.H.ResolveField(t, name, desc)
	if c == hierarchy.NoType {
		return NoVar, false
	}
	f, ok := s.FindField(c, name, desc)
	if !ok || s.KnownStatic(f) == 0 {
		return NoVar, false
	}
	made = slices.ContainsFunc(s.H.Facts(c).Fields,
		func(f facts.FlowField) bool { return f.Name == name && f.Desc == desc && f.Made })
	return Var(s.KnownStatic(f)), made
}

func (s *solution) fieldName(f Field) string {
	i := s.s.FieldInfo(f)
	if i.Class == hierarchy.NoType {
		return i.Name
	}
	return s.s.H.Name(i.Class) + "." + i.Name
}

func (s *solution) typeOf(o Object) hierarchy.TypeID { return s.s.TypeInfo(s.s.TypeOfObject(o)).Class }

func (s *solution) typeName(o Object) string {
	i := s.s.TypeInfo(s.s.TypeOfObject(o))
	if i.Array != "" {
		return i.Array
	}
	return s.s.H.Name(i.Class)
}
