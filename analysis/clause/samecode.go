package clause

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/ir"
)

// Same tells whether two handlers do the same, whatever they caught and wherever it came from: they
// are of one method, their code is equal and looks at no exception, and they go on at one place
// with equal values, or return them. Code that branches is not compared, nor code that may throw:
// what it throws tells its line.
func Same(p *Program, a, b Handler) bool {
	if a == b {
		return true
	}
	if a.Class != b.Class || a.Method != b.Method {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	method := open(p, a.Class, a.Method)
	if method == nil {
		return false
	}
	m := method.m
	x, y := handlerBlock(m, a.Handler), handlerBlock(m, b.Handler)
	if x < 0 || y < 0 {
		return false
	}
	s := sameCode{m: m, is: map[ir.Value]ir.Value{}}
	return s.blocks(x, y)
}

// handlerBlock is the one block that a handler begins, -1 where there are several or none.
func handlerBlock(m *ir.Method, handler int) ir.BlockID {
	found := ir.BlockID(-1)
	for n := range m.Blocks {
		if int(m.Blocks[n].Handler) == handler {
			if found >= 0 {
				return -1
			}
			found = ir.BlockID(n)
		}
	}
	return found
}

// sameCode compares two pieces of code of one method.
type sameCode struct {
	m  *ir.Method
	is map[ir.Value]ir.Value // what a value of the first is in the second
}

// blocks compares the code from two blocks on.
func (s *sameCode) blocks(a, b ir.BlockID) bool {
	for range len(s.m.Blocks) {
		if !s.instructions(a, b) {
			return false
		}
		next, other := s.m.Succs(a), s.m.Succs(b)
		switch {
		case len(next) == 0 && len(other) == 0:
			return true
		case len(next) != 1 || len(other) != 1:
			return false
		case next[0] == other[0]:
			return s.joined(next[0], a, b)
		}
		if len(s.m.Preds(next[0])) != 1 || len(s.m.Preds(other[0])) != 1 {
			return false // others come to one of them
		}
		a, b = next[0], other[0]
	}
	return false
}

// instructions compares those of two blocks.
func (s *sameCode) instructions(a, b ir.BlockID) bool {
	x, y := &s.m.Blocks[a], &s.m.Blocks[b]
	if x.Last-x.First != y.Last-y.First {
		return false
	}
	for n := range x.Last - x.First {
		v, w := ir.Value(x.First+n), ir.Value(y.First+n)
		in, other := &s.m.Instrs[v], &s.m.Instrs[w]
		if in.Op != other.Op || in.Op == ir.OpThrow || in.Op == ir.OpMonitor || in.Throws && in.Op != ir.OpReturn {
			return false
		}
		if in.Op == ir.OpCatch {
			continue // no value of one is one of the other
		}
		if in.Code != other.Code || in.Kind != other.Kind || in.Aux != other.Aux ||
			!s.values(s.m.Args(v), s.m.Args(w)) ||
			in.Op == ir.OpPhi && !slices.Equal(s.m.Preds(a), s.m.Preds(b)) {
			return false
		}
		s.is[v] = w
	}
	return true
}

// values compares operands. A caught exception is equal to none.
func (s *sameCode) values(a, b []ir.Value) bool {
	return slices.EqualFunc(a, b, func(v, w ir.Value) bool {
		if s.m.Instrs[v].Op == ir.OpCatch {
			return false
		}
		if is, inside := s.is[v]; inside {
			return is == w
		}
		return v == w
	})
}

// joined compares what comes to a block from two others.
func (s *sameCode) joined(at, a, b ir.BlockID) bool {
	from := func(block ir.BlockID) int {
		return slices.IndexFunc(s.m.Preds(at), func(p ir.Pred) bool { return p.Block == block && !p.Exceptional })
	}
	x, y := from(a), from(b)
	if x < 0 || y < 0 {
		return false
	}
	for v := s.m.Blocks[at].First; v < s.m.Blocks[at].Last; v++ {
		if s.m.Instrs[v].Op != ir.OpPhi {
			break
		}
		args := s.m.Args(ir.Value(v))
		if !s.values(args[x:x+1], args[y:y+1]) {
			return false
		}
	}
	return true
}
