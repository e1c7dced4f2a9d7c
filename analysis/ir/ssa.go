package ir

// This file finds the definition that reaches each read, and places phis (after
// Braun et al., Simple and Efficient Construction of Static Single Assignment
// Form, CC 2013): a variable is looked up when it is read, a phi is made where
// the search meets a join, and its operands are looked up once all blocks are
// filled. Phis that turn out to join one value only are removed.

// phi is a phi that is not placed yet. During construction its Value is
// phiBase plus its index in Builder.phis.
type phi struct {
	block  BlockID
	v      int32 // variable
	args   int32 // index of the first operand in phiArgs, one per predecessor
	kind   Kind
	live   bool
	queued bool  // see simplify
	place  Value // where it stands in the end
}

const phiBase Value = 1 << 29

// read returns the value of a variable, of the given kind, at the start of a
// block.
func (b *Builder) read(id BlockID, v int, k Kind) Value {
	if v < len(b.assigned) && !b.assigned[v] {
		return max(b.in[v]-1, Undef) // what it is at the start of the method
	}
	b.walk = b.walk[:0]
	var got Value
	for {
		at := int(id)*b.vars + v
		if got = b.in[at]; got != 0 {
			break
		}
		preds := b.m.Preds(id)
		if len(preds) == 0 {
			got = Undef + 1
			b.in[at] = got
			break
		}
		if len(preds) > 1 {
			got = b.newPhi(id, v, k) + 1
			b.in[at] = got
			break
		}
		b.walk = append(b.walk, int32(at))
		p := preds[0]
		id = p.Block
		if !p.Exceptional {
			if got = b.def[int(id)*b.vars+v]; got != 0 {
				break
			}
		}
	}
	for _, at := range b.walk {
		b.in[at] = got
	}
	return got - 1
}

// readEdge returns the value of a variable along an edge.
func (b *Builder) readEdge(p Pred, v int, k Kind) Value {
	if !p.Exceptional {
		if got := b.def[int(p.Block)*b.vars+v]; got != 0 {
			return got - 1
		}
	}
	return b.read(p.Block, v, k)
}

func (b *Builder) newPhi(id BlockID, v int, k Kind) Value {
	b.phis = append(b.phis, phi{block: id, v: int32(v), kind: k})
	return phiBase + Value(len(b.phis)-1)
}

// kindOf is the kind of a value, placed or not.
func (b *Builder) kindOf(v Value) Kind {
	if v >= phiBase {
		return b.phis[v-phiBase].kind
	}
	return b.m.Instrs[v].Kind
}

// finish looks up the phis' operands, removes needless phis and puts the rest
// where they belong.
func (b *Builder) finish() error {
	if len(b.phis) == 0 {
		return nil
	}
	m := &b.m
	for i := 0; i < len(b.phis); i++ { // grows on the way
		p := b.phis[i]
		b.phis[i].args = int32(len(b.phiArgs))
		for _, e := range m.Preds(p.block) {
			b.phiArgs = append(b.phiArgs, b.readEdge(e, int(p.v), p.kind))
		}
		if len(b.phis) > maxPhis || len(b.phiArgs) > maxPhiArgs {
			return errAt(int(m.Blocks[p.block].PC), "too many values of variables meet")
		}
	}
	b.simplify()
	if live := b.markLive(); live == 0 {
		for i, v := range m.operands {
			m.operands[i] = b.resolve(v)
		}
		return nil
	}
	b.place()
	return nil
}

// resolve follows the replacements of removed phis.
func (b *Builder) resolve(v Value) Value {
	for v >= phiBase {
		to := b.forward[v-phiBase]
		if to == v {
			break
		}
		if to >= phiBase { // halve the path
			b.forward[v-phiBase] = b.forward[to-phiBase]
		}
		v = to
	}
	return v
}

// phiUse is an element of a list of the phis that have a phi as operand.
type phiUse struct{ user, next int32 }

// simplify replaces each phi whose operands are one value, or itself, by that
// value, and looks again at the phis that had it as operand. The work is
// bounded by a multiple of the operands; what it does not get to stays as it
// is, which is correct all the same.
func (b *Builder) simplify() {
	n := len(b.phis)
	b.forward, b.useHead, b.useTail = resize(b.forward, n), resize(b.useHead, n), resize(b.useTail, n)
	b.uses, b.queue = b.uses[:0], b.queue[:0]
	for i := range n {
		b.forward[i], b.useHead[i] = phiBase+Value(i), -1
	}
	for i := range n {
		b.queue = append(b.queue, int32(i))
		b.phis[i].queued = true
		for _, a := range b.argsOf(i) {
			if a >= phiBase {
				b.addUses(int32(a-phiBase), phiUse{int32(i), -1})
			}
		}
	}
	budget := 32*len(b.phiArgs) + 1024
	for at := 0; at < len(b.queue) && budget > 0; at++ {
		i := b.queue[at]
		b.phis[i].queued = false
		args := b.argsOf(int(i))
		budget -= len(args)
		if b.forward[i] != phiBase+Value(i) {
			continue
		}
		same, ok := b.onlyArg(phiBase+Value(i), args)
		if !ok {
			continue
		}
		b.forward[i] = same
		for u := b.useHead[i]; u >= 0; u = b.uses[u].next {
			if user := b.uses[u].user; !b.phis[user].queued && b.forward[user] == phiBase+Value(user) {
				b.phis[user].queued = true
				b.queue = append(b.queue, user)
			}
		}
		if same >= phiBase && b.useHead[i] >= 0 { // its uses are uses of what replaces it
			j := same - phiBase
			if b.useHead[j] < 0 {
				b.useHead[j] = b.useHead[i]
			} else {
				b.uses[b.useTail[j]].next = b.useHead[i]
			}
			b.useTail[j] = b.useTail[i]
		}
	}
}

// addUses appends a use to the list of phi i.
func (b *Builder) addUses(i int32, u phiUse) {
	at := int32(len(b.uses))
	b.uses = append(b.uses, u)
	if b.useHead[i] < 0 {
		b.useHead[i] = at
	} else {
		b.uses[b.useTail[i]].next = at
	}
	b.useTail[i] = at
}

// onlyArg returns the one value that a phi's operands are, the phi itself left
// out; Undef where there is no other.
func (b *Builder) onlyArg(self Value, args []Value) (Value, bool) {
	same := Value(-1)
	for _, a := range args {
		if a = b.resolve(a); a == self || a == same {
			continue
		}
		if same >= 0 {
			return Undef, false
		}
		same = a
	}
	return max(same, Undef), true
}

func (b *Builder) argsOf(i int) []Value {
	p := &b.phis[i]
	return b.phiArgs[p.args : p.args+b.m.Blocks[p.block].preds.n]
}

// markLive marks the phis that instructions need, and returns their number.
func (b *Builder) markLive() int {
	b.walk = b.walk[:0]
	mark := func(v Value) {
		if v = b.resolve(v); v >= phiBase && !b.phis[v-phiBase].live {
			b.phis[v-phiBase].live = true
			b.walk = append(b.walk, int32(v-phiBase))
		}
	}
	for _, v := range b.m.operands {
		if v >= phiBase {
			mark(v)
		}
	}
	count := 0
	for len(b.walk) > 0 {
		i := b.walk[len(b.walk)-1]
		b.walk = b.walk[:len(b.walk)-1]
		count++
		for _, a := range b.argsOf(int(i)) {
			mark(a)
		}
	}
	return count
}

// place rewrites the method with the live phis at the start of their blocks.
func (b *Builder) place() {
	m := &b.m
	b.renum = resize(b.renum, len(m.Instrs))
	perBlock := resize(b.scratch, len(m.Blocks)+1) // the phis of a block: a linked list in walk
	b.scratch = perBlock
	for i := range perBlock {
		perBlock[i] = -1
	}
	next := resize(b.walk, len(b.phis))
	b.walk = next
	for i := len(b.phis) - 1; i >= 0; i-- {
		if p := &b.phis[i]; p.live {
			next[i] = perBlock[p.block]
			perBlock[p.block] = int32(i)
		}
	}
	out := append(b.instrs2[:0], Instr{})
	b.renum[0] = Undef
	for id := range m.Blocks {
		blk := &m.Blocks[id]
		first := int32(len(out))
		for i := perBlock[id]; i >= 0; i = next[i] {
			p := &b.phis[i]
			p.place = Value(len(out))
			out = append(out, Instr{
				PC: uint16(blk.PC), Op: OpPhi, Kind: p.kind, Aux: p.v, args: p.args, NArgs: uint16(blk.preds.n),
			})
		}
		shift := Value(int32(len(out)) - blk.First)
		for v := blk.First; v < blk.Last; v++ {
			b.renum[v] = Value(v) + shift
		}
		out = append(out, m.Instrs[blk.First:blk.Last]...)
		blk.First, blk.Last = first, int32(len(out))
	}
	args := b.args2[:0]
	for i := range out {
		in := &out[i]
		src := m.operands
		if in.Op == OpPhi {
			src = b.phiArgs
		}
		from := src[in.args : in.args+int32(in.NArgs)]
		in.args = int32(len(args))
		for _, v := range from {
			if v = b.resolve(v); v >= phiBase {
				v = b.phis[v-phiBase].place
			} else {
				v = b.renum[v]
			}
			args = append(args, v)
		}
	}
	b.instrs2, m.Instrs = m.Instrs, out
	b.args2, m.operands = m.operands, args
}
