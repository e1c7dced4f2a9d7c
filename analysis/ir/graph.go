package ir

// This file builds the control flow graph from the static blocks: reachable
// blocks only, subroutines inlined, numbered in reverse postorder.

import "github.com/catchlens/catchlens/analysis/classfile"

// node is a block of the graph: a static block within a chain of subroutine
// calls.
type node struct {
	static   int32
	ctx      int32 // index into Builder.contexts
	normal   span  // in nodeEdge: node numbers
	handlers span
	rpo      int32 // -1 before it is opened
	listed   int32 // start of the list of edges that last named the node, plus 1
}

// context is a chain of subroutine calls; 0 is the empty one.
type context struct {
	parent int32
	target int32 // static block where the subroutine starts
	back   int32 // static block after the jsr
	slot   int32 // local variable that the subroutine keeps its return address in, -1 unknown
}

type inlineKey struct{ static, ctx int32 }

type dfsFrame struct {
	node int32
	next int32 // number of edges not yet followed
}

// graph explores the blocks that control can reach.
func (b *Builder) graph() error {
	b.nodes, b.nodeEdge = b.nodes[:0], b.nodeEdge[:0]
	b.nodeOf = resize(b.nodeOf, len(b.statics))
	for i := range b.nodeOf {
		b.nodeOf[i] = -1
	}
	b.contexts = append(b.contexts[:0], context{parent: -1, target: -1, back: -1, slot: -1})
	if b.hasJsr {
		b.inlined = make(map[inlineKey]int32)
		b.findSubroutines()
	}
	b.post, b.dfs = b.post[:0], b.dfs[:0]
	if err := b.visit(b.entry, 0); err != nil {
		return err
	}
	for len(b.dfs) > 0 {
		top := &b.dfs[len(b.dfs)-1]
		n := &b.nodes[top.node]
		if top.next == 0 {
			b.post = append(b.post, top.node)
			b.dfs = b.dfs[:len(b.dfs)-1]
			continue
		}
		// The last edge first, so that reverse postorder puts the first
		// successor right after its block and handlers last.
		top.next--
		e := n.normal.at + top.next
		key := b.nodeEdge[e]
		if b.nodes[key].rpo < 0 {
			if err := b.open(key); err != nil {
				return err
			}
		}
	}
	return b.layout()
}

// visit makes the node of a static block in a context known and returns it
// through b.nodeOf; open explores it.
func (b *Builder) visit(static, ctx int32) error {
	id, err := b.nodeFor(static, ctx)
	if err != nil {
		return err
	}
	return b.open(id)
}

// nodeFor returns the node of a static block in a context, made where needed.
func (b *Builder) nodeFor(static, ctx int32) (int32, error) {
	if b.hasJsr && ctx != 0 && !b.retReach[static] {
		ctx = 0 // the subroutine has been left for good
	}
	if ctx == 0 {
		if id := b.nodeOf[static]; id >= 0 {
			return id, nil
		}
	} else if id, ok := b.inlined[inlineKey{static, ctx}]; ok {
		return id, nil
	}
	id := int32(len(b.nodes))
	if id >= maxNodes {
		return 0, errAt(int(b.statics[static].start), "subroutines nested too deeply")
	}
	b.nodes = append(b.nodes, node{static: static, ctx: ctx, rpo: -1})
	if ctx == 0 {
		b.nodeOf[static] = id
	} else {
		b.inlined[inlineKey{static, ctx}] = id
	}
	return id, nil
}

// open finds the successors of a node and pushes it on the search's stack.
func (b *Builder) open(id int32) error {
	b.nodes[id].rpo = 0 // open
	start := int32(len(b.nodeEdge))
	if err := b.addNormal(id); err != nil {
		return err
	}
	mid := int32(len(b.nodeEdge))
	if err := b.addHandlers(id); err != nil {
		return err
	}
	end := int32(len(b.nodeEdge))
	n := &b.nodes[id]
	n.normal, n.handlers = span{start, mid - start}, span{mid, end - mid}
	b.dfs = append(b.dfs, dfsFrame{id, end - start})
	return nil
}

// addEdge appends an edge to the lists of the node that is being opened, whose
// list of this kind starts at from.
func (b *Builder) addEdge(from int32, static, ctx int32) error {
	id, err := b.nodeFor(static, ctx)
	if err != nil {
		return err
	}
	if n := &b.nodes[id]; n.listed != from+1 {
		n.listed = from + 1
		b.nodeEdge = append(b.nodeEdge, id)
	}
	return nil
}

// addNormal adds the edges to where control goes when the block completes
// normally.
func (b *Builder) addNormal(id int32) error {
	s, ctx := b.statics[b.nodes[id].static], b.nodes[id].ctx
	from := int32(len(b.nodeEdge))
	if s.first < 0 {
		return b.addEdge(from, b.blockAt[s.end], ctx)
	}
	act := specs[b.code[s.last]].act
	if act == actIf || fallsThrough(act) {
		if int(s.end) >= len(b.code) {
			return errAt(int(s.last), "control falls off the end of the code")
		}
		if err := b.addEdge(from, b.blockAt[s.end], ctx); err != nil || act != actIf {
			return err
		}
	}
	if act == actReturn || act == actThrow {
		return nil
	}
	in, err := classfile.Decode(b.code, int(s.last))
	if err != nil {
		return err
	}
	switch {
	case in.Op == classfile.OpRet:
		return b.addRet(&in, ctx, from)
	case act == actWide: // a wide load, store or iinc
		if int(s.end) >= len(b.code) {
			return errAt(int(s.last), "control falls off the end of the code")
		}
		return b.addEdge(from, b.blockAt[s.end], ctx)
	case act == actJsr:
		return b.addJsr(&in, ctx, from)
	}
	if err := b.addEdge(from, b.blockAt[in.Target], ctx); err != nil {
		return err
	}
	for _, t := range in.Targets {
		if err := b.addEdge(from, b.blockAt[t], ctx); err != nil {
			return err
		}
	}
	return nil
}

// fallsThrough tells whether control goes on to the next instruction only.
func fallsThrough(a action) bool {
	switch a {
	case actIf, actGoto, actSwitch, actReturn, actThrow, actJsr, actRet, actWide:
		return false
	}
	return true
}

// addHandlers adds the edges to handlers.
func (b *Builder) addHandlers(id int32) error {
	s, ctx := b.statics[b.nodes[id].static], b.nodes[id].ctx
	if s.cover == 0 {
		return nil
	}
	from := int32(len(b.nodeEdge))
	hs := b.coverAllHs[s.cover]
	for i, h := range hs {
		if s.throws && i < len(b.coverHs[s.cover]) || !b.liveH[h] {
			if err := b.addEdge(from, b.handlerB[h], ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// layout numbers the nodes in reverse postorder and writes blocks and edges.
func (b *Builder) layout() error {
	m := &b.m
	count := len(b.post)
	for i, id := range b.post {
		b.nodes[id].rpo = int32(count - 1 - i)
	}
	m.Blocks = resize(m.Blocks, count)
	m.edges = resize(m.edges, len(b.nodeEdge))
	predCount := resize(b.scratch, count)
	clear(predCount)
	b.scratch = predCount
	for i, e := range b.nodeEdge {
		to := b.nodes[e].rpo
		m.edges[i] = BlockID(to)
		predCount[to]++
	}
	at := int32(0)
	for i := count - 1; i >= 0; i-- {
		n := &b.nodes[b.post[i]]
		s := &b.statics[n.static]
		m.Blocks[n.rpo] = Block{
			PC: s.start, End: s.end, Cover: s.cover, Throws: s.throws, Context: n.ctx, Handler: s.handler,
			succs: n.normal, handlers: n.handlers, preds: span{at, 0},
		}
		if s.handler >= 0 {
			m.Handlers[s.handler].Blocks++
		}
		at += predCount[n.rpo]
	}
	m.preds = resize(m.preds, int(at))
	for i := range m.Blocks {
		for _, t := range m.Succs(BlockID(i)) {
			b.addPred(t, Pred{BlockID(i), false})
		}
		for _, t := range m.HandlerSuccs(BlockID(i)) {
			b.addPred(t, Pred{BlockID(i), true})
		}
	}
	return nil
}

func (b *Builder) addPred(to BlockID, p Pred) {
	s := &b.m.Blocks[to].preds
	b.m.preds[s.at+s.n] = p
	s.n++
}
