package solve

// This file reads what variables point to.

import "slices"

// Objects are those that a variable points to. They are valid until more is added to the solver, or
// Objects is called again.
func (s *Solver) Objects(v int32) Set {
	b, w := s.view(s.pts[s.Find(v)])
	return Set{b, w}
}

// FieldVarOf is the variable of a field of an object, 0 where there is none.
func (s *Solver) FieldVarOf(o Object, f Field) int32 {
	if f != Elements {
		return s.fieldVars.Get(uint64(o)<<24 | uint64(f))
	}
	if int(o) < len(s.elemOf) {
		return s.elemOf[o]
	}
	return 0
}

// EachFieldVar calls yield for each field of each object that has a variable.
func (s *Solver) EachFieldVar(yield func(o Object, f Field, v int32)) {
	for o, v := range s.elemOf {
		if v != 0 {
			yield(Object(o), Elements, v)
		}
	}
	s.fieldVars.Each(func(k uint64, v int32) { yield(Object(k>>24), Field(k&(1<<24-1)), v) })
}

// Gather lets a variable that nothing was done with have what others point to, once. Who adds
// constraints later does so in vain.
func (s *Solver) Gather(to int32, from []int32) {
	for _, v := range from {
		s.copy(s.Find(v), to, NoFilter)
	}
	s.arena.release(s.delta[to])
	s.delta[to] = setRef{}
}

// Alias makes a variable that nothing was done with but this another name of one.
func (s *Solver) Alias(alias, of int32) {
	if of = s.Find(of); s.rep[alias] == alias {
		s.rep[alias] = of
	} else {
		s.unite(s.Find(alias), of)
	}
}

// Save gives up memory that is made again where it is needed, before s is forked.
func (s *Solver) Save() { s.spare, s.tarjan = nil, tarjan{} }

// Forget gives up what only solving needs.
func (s *Solver) Forget() {
	for v := range s.rep {
		s.rep[v] = s.Find(int32(v))
	}
	s.edges, s.spare, s.edgeOf, s.uses, s.useOf = nil, nil, nil, nil, nil
	s.delta, s.pos, s.at, s.dirty, s.later = nil, nil, nil, nil, nil
	s.tarjan, s.scratch = tarjan{}, scratch{}
}

// Solution is what the variables of a solver point to that has nothing to solve any more. It does
// not change, and may be read by many goroutines.
type Solution struct {
	s     *Solver
	large []Set // by number, those that variables have
}

// Solution is what the variables point to. Forget has to be called before. The large sets that no
// variable has are given up: of the solver's methods that use sets none may be called any more.
func (s *Solver) Solution() Solution {
	x := Solution{s, make([]Set, len(s.large.sets))}
	for _, r := range s.pts {
		if r.lg == isLarge && x.large[r.off].Blocks == nil {
			b, w := s.large.list(int32(r.off))
			x.large[r.off] = Set{slices.Clone(b), slices.Clone(w)}
		}
	}
	s.large = shared{}
	return x
}

// PointsTo is what a variable points to.
func (x *Solution) PointsTo(v int32) Set {
	r := x.s.pts[x.s.rep[v]]
	if r.lg == isLarge {
		return x.large[r.off]
	}
	b, w := x.s.arena.view(r)
	return Set{b, w}
}

// SetKey is a number below 1<<33 that variables have in common which are known to point to the
// same.
func (x *Solution) SetKey(v int32) uint64 {
	v = x.s.rep[v]
	if p := x.s.pts[v]; p.lg == isLarge {
		return 1<<32 | uint64(p.off)
	}
	return uint64(v)
}

// Pairs counts those of variable and object.
func (x *Solution) Pairs() (n int64) {
	sizes := make([]int64, len(x.large)) // thousands of variables have the same large set
	for v := range x.s.rep {
		r := x.s.pts[x.s.rep[v]]
		if r.lg != isLarge {
			n += int64(x.PointsTo(int32(v)).Len())
			continue
		}
		if sizes[r.off] == 0 {
			sizes[r.off] = int64(x.large[r.off].Len())
		}
		n += sizes[r.off]
	}
	return n
}
