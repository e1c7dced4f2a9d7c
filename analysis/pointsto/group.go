package pointsto

// This file does calls on large sets of objects, once for all variables that have the same set: the
// arguments flow to variables of a group, and from there to the methods. Package solve says why.

import "github.com/catchlens/catchlens/analysis/pointsto/solve"

// callGroup is what is kept of a group of calls besides its variables.
type callGroup struct {
	apart   int32   // those of the objects on which each call is made by itself: a large set
	callees []int32 // instances, without those of the group that it leads to
}

// Bits of keyOfCall.
const (
	localCalls  = int64(1) << 32 // flowCall.local takes two of them
	openCall    = int64(1) << 34
	foreignCall = int64(1) << 35
)

// CallMany makes a call on what is new of a set by going on to the group of it.
func (s *solver) CallMany(call, set int32, blocks []Block, words []uint64) {
	c := s.calls[call]
	if c.fixed {
		for i, b := range blocks {
			s.Call(call, b, words[i])
		}
		return
	}
	params := int32(s.info(c.m).params) - 1
	k, fresh, made := s.Group(int64(c.m)|s.keyOfCall(&c), set, c.group, params)
	if made {
		s.groupCalls(k, call, fresh)
	}
	s.calls[call].group = k
	vars, params := s.GroupVars(k)
	if !c.apart {
		for i := range min(int32(c.nargs), params) {
			s.Flow(s.ipool[c.args+i], vars+i, noFilter)
		}
		s.Flow(vars+params, c.result, noFilter)
	}
	apart := s.groups[k].apart
	if apart == 0 {
		return
	}
	for i, b := range blocks {
		if w := words[i] & s.BitsOf(apart, b); w != 0 {
			s.Call(call, b, w)
		}
	}
}

// groupCalls makes the calls of a group on objects that are new to it, as one of the
// calls makes them.
func (s *solver) groupCalls(k, call int32, fresh solve.Set) {
	s.groups = append(s.groups, make([]callGroup, s.NumGroups()-len(s.groups))...)
	calls := map[int32]bool{}
	var apart []uint64
	for i, b := range fresh.Blocks {
		w := fresh.Bits[i]
		at := s.led(call, b, w)
		apart = append(apart, w&s.leads.blocks[at].own)
		for x := s.leads.blocks[at].first; x != 0; x = s.leads.parts[x].next {
			if w&s.leads.parts[x].objects == 0 {
				continue
			}
			if callee := s.arrive(x, b, w); !calls[callee] {
				calls[callee] = true
				s.groupCallee(k, callee)
			}
		}
	}
	s.groups[k].apart = s.With(s.groups[s.GroupBefore(k)].apart, fresh.Blocks, apart)
}

// groupCallee adds a callee to a group.
func (s *solver) groupCallee(k, callee int32) {
	g := &s.groups[k]
	g.callees = append(g.callees, callee)
	in := &s.insts[callee]
	vars, params := s.GroupVars(k)
	base, ret := in.base, in.ret
	for i := range min(params, int32(in.params)-1) {
		s.Flow(vars+i, base+1+i, noFilter)
	}
	s.Flow(ret, vars+params, noFilter)
}

// calleesOf calls yield for the callees of a group, which may come more than once.
func (s *solver) calleesOf(k int32, yield func(inst int32)) {
	for ; k != 0; k = s.GroupBefore(k) {
		for _, x := range s.groups[k].callees {
			yield(x)
		}
	}
}
