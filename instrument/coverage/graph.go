package coverage

import (
	"errors"
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/planner"
)

// Node is a piece of straight-line code, or a way out of a branch.
type Node struct {
	Place plan.CoverPlace
	PC    int32 // where the code begins, or the way leads to
	From  int32 // the branch; -1 of straight-line code
	// Of straight-line code, its instructions by their index in Method.instructions.
	first, end int
}

// Branch tells whether the node is a way out of a branch.
func (n *Node) Branch() bool { return n.From >= 0 }

// position is where in the code a node stands: control goes forward but for edges of loops.
func (n *Node) position() int32 {
	if n.Branch() {
		return n.From
	}
	return n.PC
}

// flow is the control flow of a method while its graph is made.
type flow struct {
	code  *classfile.Code
	lines []classfile.LineNumber
	insns []classfile.Instruction
	at    []int32 // pc -> index in insns, -1
	nodes []Node
	of    []int32 // instruction -> node that it belongs to
	edges []planner.Edge
	jumps []int // what targets returned last
}

// errSubroutine is why a method with jsr has no probes.
var errSubroutine = errors.New("it has subroutines (jsr)")

// mayThrow tells whether an instruction may complete abruptly (JVMS 6.5), whatever makes it so:
// linking included.
func mayThrow(p *classfile.ConstantPool, in *classfile.Instruction) bool {
	switch op := in.Op; {
	case op == classfile.OpLdc || op == classfile.OpLdcW || op == classfile.OpLdc2W:
		switch p.Tag(uint16(in.Index)) {
		case classfile.TagInteger, classfile.TagFloat, classfile.TagLong, classfile.TagDouble:
			return false
		}
		return true
	case op >= classfile.OpIaload && op <= classfile.OpSaload, op >= classfile.OpIastore && op <= classfile.OpSastore:
		return true
	case op == classfile.OpIdiv || op == classfile.OpLdiv || op == classfile.OpIrem || op == classfile.OpLrem:
		return true
	case op.IsReturn(): // of a synchronized method
		return true
	}
	return in.Op >= classfile.OpGetstatic && in.Op <= classfile.OpMultianewarray
}

func decode(c *classfile.Class, code *classfile.Code) (*flow, error) {
	f := &flow{code: code, at: make([]int32, len(code.Bytecode)+1)}
	for i := range f.at {
		f.at[i] = -1
	}
	n := 0
	for range classfile.Instructions(code.Bytecode) {
		n++
	}
	f.insns = make([]classfile.Instruction, 0, n)
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			return nil, err
		}
		if in.Op.IsJsr() || in.Op == classfile.OpRet {
			return nil, errSubroutine
		}
		f.at[in.PC] = int32(len(f.insns))
		f.insns = append(f.insns, in)
	}
	if len(f.insns) == 0 || f.insns[len(f.insns)-1].Op.FallsThrough() {
		return nil, errors.New("control may fall off the end of the code")
	}
	var err error
	if f.lines, err = c.LineNumbers(code); err != nil {
		return nil, err
	}
	for i := range f.insns {
		for _, pc := range f.targets(i) {
			if pc < 0 || pc >= len(code.Bytecode) || f.at[pc] < 0 {
				return nil, errors.New("a branch leads into an instruction")
			}
		}
	}
	for _, x := range code.Exceptions {
		if int(x.HandlerPC) >= len(code.Bytecode) || f.at[x.HandlerPC] < 0 {
			return nil, errors.New("a handler begins inside an instruction")
		}
	}
	return f, nil
}

// targets returns the pcs that a branch or switch jumps to, each once, ascending. They hold until
// it is called again.
func (f *flow) targets(i int) []int {
	in := &f.insns[i]
	switch {
	case in.Op.IsSwitch():
		f.jumps = append(append(f.jumps[:0], in.Target), in.Targets...)
		slices.Sort(f.jumps)
		return slices.Compact(f.jumps)
	case in.Op.IsConditional() || in.Op.IsGoto():
		f.jumps = append(f.jumps[:0], in.Target)
		return f.jumps
	}
	return nil
}

// makeNodes makes the nodes of straight-line code.
func (f *flow) makeNodes(p *classfile.ConstantPool) {
	leads := make([]bool, len(f.insns))
	leads[0] = true
	for i := range f.insns {
		in := &f.insns[i]
		ts := f.targets(i)
		for _, pc := range ts {
			leads[f.at[pc]] = true
		}
		if i+1 < len(f.insns) && (len(ts) > 0 || !in.Op.FallsThrough()) {
			leads[i+1] = true
		}
	}
	for _, x := range f.code.Exceptions {
		leads[f.at[x.HandlerPC]] = true
	}
	f.of = make([]int32, len(f.insns))
	threw := false
	for i := range f.insns {
		in := &f.insns[i]
		if leads[i] || threw && f.lineOf(i) != f.lineOf(i-1) {
			f.nodes = append(f.nodes, Node{Place: plan.AtInstruction, PC: int32(in.PC), From: -1, first: i})
			threw = false
		}
		n := len(f.nodes) - 1
		f.of[i], f.nodes[n].end = int32(n), i+1
		threw = threw || mayThrow(p, in)
	}
}

func (f *flow) lineOf(i int) int { return classfile.LineAt(f.lines, f.insns[i].PC) }

// connect makes the nodes of ways out of branches, and all edges.
func (f *flow) connect(p *classfile.ConstantPool) {
	link := func(from, to int32, exceptional bool) {
		f.edges = append(f.edges, planner.Edge{From: from, To: to, Exceptional: exceptional})
	}
	way := func(from int32, place plan.CoverPlace, branch, pc int) {
		f.nodes = append(f.nodes, Node{Place: place, PC: int32(pc), From: int32(branch)})
		n := int32(len(f.nodes) - 1)
		link(from, n, false)
		link(n, f.of[f.at[pc]], false)
	}
	for n := range int32(len(f.nodes)) {
		node := f.nodes[n]
		for i := node.first; i < node.end; i++ {
			if mayThrow(p, &f.insns[i]) {
				for _, x := range f.code.Exceptions {
					if pc := f.insns[i].PC; int(x.StartPC) <= pc && pc < int(x.EndPC) {
						link(n, f.of[f.at[x.HandlerPC]], true)
					}
				}
			}
		}
		last := &f.insns[node.end-1]
		switch {
		case last.Op.IsConditional():
			way(n, plan.OnFall, last.PC, last.Next())
			way(n, plan.OnJump, last.PC, last.Target)
		case last.Op.IsSwitch():
			for _, pc := range f.targets(node.end - 1) {
				way(n, plan.OnJump, last.PC, pc)
			}
		case last.Op.IsGoto():
			link(n, f.of[f.at[last.Target]], false)
		case last.Op.FallsThrough():
			link(n, f.of[node.end], false)
		}
	}
}

// reach gives each node that control comes to 0, and -1 to the others.
func (f *flow) reach() []int32 {
	first := make([]int32, len(f.nodes)+1) // where a node's successors begin in next
	for _, e := range f.edges {
		first[e.From+1]++
	}
	for n := range f.nodes {
		first[n+1] += first[n]
	}
	next, end := make([]int32, len(f.edges)), slices.Clone(first)
	for _, e := range f.edges {
		next[end[e.From]] = e.To
		end[e.From]++
	}
	reached := slices.Repeat([]int32{-1}, len(f.nodes))
	for todo := []int32{0}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if reached[n] < 0 {
			reached[n] = 0
			todo = append(todo, next[first[n]:first[n+1]]...)
		}
	}
	return reached
}

// graph drops the nodes that control does not reach, and makes the graph of the others. Control may
// leave where an instruction may throw, whatever catches it, since it may also not come back; where
// the code goes back to, as a loop may turn for ever; and where it ends.
func (f *flow) graph(p *classfile.ConstantPool) (*planner.Graph, error) {
	number := f.reach()
	kept := make([]Node, 0, len(f.nodes))
	for n, node := range f.nodes {
		if number[n] >= 0 {
			number[n] = int32(len(kept))
			kept = append(kept, node)
		}
	}
	leaves := make([]bool, len(kept))
	for n, node := range kept {
		for i := node.first; i < node.end; i++ {
			leaves[n] = leaves[n] || mayThrow(p, &f.insns[i])
		}
	}
	edges := make([]planner.Edge, 0, len(f.edges))
	for _, e := range f.edges {
		from, to := number[e.From], number[e.To]
		if from < 0 {
			continue
		}
		edges = append(edges, planner.Edge{From: from, To: to, Exceptional: e.Exceptional})
		if a, b := &kept[from], &kept[to]; !b.Branch() && b.PC <= a.position() {
			leaves[to] = true // every cycle has such an edge
		}
	}
	for i := range f.of {
		f.of[i] = number[f.of[i]]
	}
	f.nodes = kept
	return planner.NewGraph(len(kept), []int32{0}, edges, leaves)
}
