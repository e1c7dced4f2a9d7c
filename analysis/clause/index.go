package clause

import "github.com/catchlens/catchlens/analysis/ir"

// This file keeps what is asked for again and again of a method, so that a large one takes time by
// the square of its size at most.

// answers are those that were found while a handler was analysed; nil: nothing was asked.
type answers struct {
	comes      map[int32]bool         // by pc: Origins.Comes
	behaviours map[ir.Value]behaviour // by call in the try
	relations  map[question]relation
	index      *index                   // see indexed
	touched    map[ir.Value][]Set       // by object: see touches
	stores     map[variable][]Set       // see storesOf
	added      map[addedSet]bool        // see add
	tryView    *analysis                // see behaviourOf
	origin     map[ir.Value][]ir.Origin // see originsOf
	same       map[[2]ir.Value]bool     // see sameObject
}

// index is what is known of the code of a method by pc.
type index struct {
	tries    []bool       // it is in a range of the handler
	block    []ir.BlockID // the first block that holds it, -1 for none
	computed []ir.Value   // what the instruction there computes, Undef where it leaves nothing behind
	origins  []answer     // by value: see isOrigin
	throws   []answer     // by block: it has an origin
	beside   []answer     // by block: see comesBeside, with no trail
	back     []answer     // by block: see comesBack
}

// answer is that to a question of yes or no.
type answer uint8

const (
	notAsked answer = iota
	yes
	no
)

// answer answers the question that is kept at p; find looks for the answer.
func (a *analysis) answer(p *answer, find func() bool) bool {
	if *p == notAsked {
		if *p = no; find() {
			*p = yes
		}
	}
	return *p == yes
}

// indexed makes the index.
func (a *analysis) indexed() *index {
	if a.index != nil {
		return a.index
	}
	n := len(a.m.Code.Bytecode)
	x := &index{tries: make([]bool, n), block: make([]ir.BlockID, n), computed: make([]ir.Value, n),
		origins: make([]answer, len(a.m.Instrs)), throws: make([]answer, len(a.m.Blocks)),
		beside: make([]answer, len(a.m.Blocks)), back: make([]answer, len(a.m.Blocks))}
	for i, e := range a.m.Code.Exceptions {
		if int(a.m.EntryHandler[i]) == a.handler {
			for pc := int(e.StartPC); pc < min(int(e.EndPC), n); pc++ {
				x.tries[pc] = true
			}
		}
	}
	for pc := range x.block {
		x.block[pc] = -1
	}
	for b := len(a.m.Blocks) - 1; b >= 0; b-- {
		for pc := a.m.Blocks[b].PC; pc < a.m.Blocks[b].End; pc++ {
			x.block[pc] = ir.BlockID(b)
		}
	}
	for v := len(a.m.Instrs) - 1; v > 0; v-- {
		if in := &a.m.Instrs[v]; in.Op != ir.OpPhi && in.Kind != ir.NoValue && int(in.PC) < n {
			x.computed[in.PC] = ir.Value(v)
		}
	}
	a.index = x
	return x
}

// originsOf are the instructions that a value comes from.
func (a *analysis) originsOf(v ir.Value) []ir.Origin {
	origins, known := a.origin[v]
	if !known {
		if a.origin == nil {
			a.origin = map[ir.Value][]ir.Origin{}
		}
		origins = a.m.Origins(v, v, nil, nil)
		a.steps(len(origins))
		a.origin[v] = origins
	}
	return origins
}

// steps counts work whose amount depends on how large a method is.
func (a *analysis) steps(n int) { a.p.steps += n }
