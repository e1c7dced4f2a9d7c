package clause

import (
	"fmt"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file analyses one handler.

// Analyze looks at the handler of that number in a method of a class of the program. lines are
// those of its clause, origins the places from which exceptions come to it. The result is never
// nil; where the code cannot be read it says so and proves nothing.
func Analyze(p *Program, class string, method, handler int, lines Lines, origins Origins) *Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := open(p, class, method)
	if a == nil || handler < 0 || handler >= len(a.m.Handlers) {
		return unreadable()
	}
	a.handler, a.lines, a.origins = handler, lines, origins
	return a.run()
}

// open lowers a method, nil if it cannot be read.
func open(p *Program, class string, method int) *analysis {
	c := p.class(class)
	if c == nil || method < 0 || method >= len(c.Methods) {
		return nil
	}
	var b ir.Builder // callees are lowered with the program's own
	m, err := b.Build(c, c.Methods[method])
	if err != nil || m == nil {
		return nil
	}
	a := &analysis{p: p, m: m, class: class, handler: -1, node: p.node(class, method)}
	a.numbers, _ = c.LineNumbers(m.Code)
	a.locals, _ = c.LocalVariables(m.Code)
	if f := p.facts(class, method); f != nil {
		a.calls = callsByPC(f)
	}
	return a
}

func unreadable() *Result { return &Result{Why: "the class file cannot be read"} }

func callsByPC(f *facts.Method) map[int32]*facts.Call {
	calls := make(map[int32]*facts.Call, len(f.Calls))
	for i := range f.Calls {
		calls[f.Calls[i].PC] = &f.Calls[i]
	}
	return calls
}

// analysis is the work on one handler.
type analysis struct {
	p       *Program
	m       *ir.Method
	class   string
	handler int
	lines   Lines
	origins Origins
	node    callgraph.NodeID
	numbers []classfile.LineNumber
	locals  []classfile.LocalVariable
	calls   map[int32]*facts.Call

	after      []bool                       // by block: control can come here from the handler, outside of the try
	again      bool                         // control can come back to the try
	targets    map[int32][]callgraph.NodeID // by pc of a call in the method
	inTry      []tryCall                    // the calls in the try
	first      int32                        // see findFirst
	out        *Result
	against    string // the first reason why nothing is proven
	makings    makings
	receivers  map[ir.Value][]string // by call: see receiverTypes
	code       *codeRead             // nil until asked for
	users      users                 // of the whole method, nil until asked for
	usersAfter users                 // after the handler, nil until asked for
	answers
}

// addedSet is a set of something prepared.
type addedSet struct {
	kind      Kind
	name      string
	pc        int32
	value, by string
	line      int
	direct    bool
}

// tryCall is a call in the try.
type tryCall struct {
	v       ir.Value
	pc      int32
	text    string // as Class.method
	targets []callgraph.NodeID
	plain   bool // the tables understand it: it writes nothing but its operands
}

func (a *analysis) run() *Result {
	a.out = &Result{}
	a.findAfter()
	a.findTryCalls()
	a.findFirst()
	a.findLocals()
	a.findUses()
	if a.returns() {
		a.findOutliving()
	}
	if a.again && a.against == "" {
		a.object("leads to the try once more")
	}
	a.out.Thread, a.out.Ends, a.out.Throws = a.isThreadLife(), a.endsThread(), a.throws()
	switch {
	case a.against != "":
		a.out.Why = "the clause, or what follows it, " + a.against
	case !a.returns():
		a.out.Ground, a.out.Why = PassesOn, "the clause only throws the caught exception on, or another in its "+
			"place, and nothing it does before depends on what the try has done"
	default:
		a.out.Ground, a.out.Why = Unaffected, "the clause and what follows it in the method use nothing that the try "+
			"may have changed"
	}
	a.listAfter()
	a.out.order()
	a.markSettled()
	return a.out
}

// object notes a reason why the catch may depend on what the try has done.
func (a *analysis) object(format string, args ...any) {
	if a.against == "" {
		a.against = fmt.Sprintf(format, args...)
	}
}

// tries tells whether a pc is in a range of the handler.
func (a *analysis) tries(pc int32) bool {
	tries := a.indexed().tries
	return 0 <= pc && int(pc) < len(tries) && tries[pc]
}

// findAfter marks the blocks that control can reach from the handler without passing
// through the try again.
func (a *analysis) findAfter() {
	m := a.m
	a.after = make([]bool, len(m.Blocks))
	var work []ir.BlockID
	visit := func(b ir.BlockID) {
		if a.after[b] {
			return
		}
		if blk := &m.Blocks[b]; blk.PC < blk.End && a.tries(blk.PC) {
			a.again = true
			return
		}
		a.after[b] = true
		work = append(work, b)
	}
	for b := range m.Blocks {
		if int(m.Blocks[b].Handler) == a.handler {
			visit(ir.BlockID(b))
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range m.Succs(b) {
			visit(s)
		}
		for _, s := range m.HandlerSuccs(b) {
			visit(s)
		}
	}
}

// isAfter tells whether an instruction is one that runs after the exception was caught; none is
// where the code of the try is looked at.
func (a *analysis) isAfter(v ir.Value) bool {
	return v != ir.Undef && a.after != nil && a.after[a.m.BlockOf(v)]
}

// eachAfter calls f for each instruction after the handler.
func (a *analysis) eachAfter(f func(v ir.Value, in *ir.Instr)) {
	for b, marked := range a.after {
		if !marked {
			continue
		}
		blk := &a.m.Blocks[b]
		for v := ir.Value(blk.First); v < ir.Value(blk.Last); v++ {
			f(v, &a.m.Instrs[v])
		}
	}
}

// eachInstr calls f for each instruction of the method.
func (a *analysis) eachInstr(f func(v ir.Value, in *ir.Instr)) {
	for v := range a.m.Instrs {
		if ir.Value(v) != ir.Undef {
			f(ir.Value(v), &a.m.Instrs[v])
		}
	}
}

// eachInTry calls f for each instruction of the try.
func (a *analysis) eachInTry(f func(v ir.Value, in *ir.Instr)) {
	for b := range a.m.Blocks {
		blk := &a.m.Blocks[b]
		a.steps(int(blk.Last - blk.First))
		for v := ir.Value(blk.First); v < ir.Value(blk.Last); v++ {
			if in := &a.m.Instrs[v]; in.Op != ir.OpPhi && in.Op != ir.OpCatch && in.Op != ir.OpParam &&
				a.tries(int32(in.PC)) {
				f(v, in)
			}
		}
	}
}

// returns tells whether the method may return after the clause.
func (a *analysis) returns() bool {
	found := false
	a.eachAfter(func(_ ir.Value, in *ir.Instr) { found = found || in.Op == ir.OpReturn })
	return found
}

// throws tells whether the method ends with an exception after the clause, and neither returns nor
// comes to the try once more.
func (a *analysis) throws() bool {
	found := false
	a.eachAfter(func(_ ir.Value, in *ir.Instr) { found = found || in.Op == ir.OpThrow })
	return found && !a.again && !a.returns()
}

// findTargets asks the call graph for what the method calls.
func (a *analysis) findTargets() {
	a.targets = map[int32][]callgraph.NodeID{}
	if a.node != callgraph.NoNode {
		a.p.sites(a.node, func(pc int32,
			targets []callgraph.NodeID) {
			a.targets[pc] = append(a.targets[pc], targets...)
		})
	}
}

// findTryCalls lists what the try calls.
func (a *analysis) findTryCalls() {
	a.findTargets()
	a.eachInTry(func(v ir.Value, in *ir.Instr) {
		if in.Op != ir.OpInvoke {
			return
		}
		c := tryCall{v: v, pc: int32(in.PC), text: a.callText(v), targets: a.targets[int32(in.PC)]}
		if ref, err := a.m.Member(v); err == nil && in.Code != classfile.OpInvokedynamic {
			class := a.p.classify(ref.Owner, ref.Name)
			c.plain = class == harmlessCall || class == valueCall && a.changesNothing(v)
		} else if call := a.calls[c.pc]; call != nil && call.Indy() != nil {
			c.plain = call.Indy().Kind == facts.ConcatIndy || call.Indy().Kind == facts.LambdaIndy
		}
		a.inTry = append(a.inTry, c)
	})
}

// changesNothing tells whether a call of the tables changes no object that was there before
// the try: its operands never change, or the try has made them.
func (a *analysis) changesNothing(v ir.Value) bool {
	return !slices.ContainsFunc(a.m.Args(v), func(arg ir.Value) bool {
		return !a.trueOfAll(arg, func(o ir.Value, in *ir.Instr) bool {
			if in.Kind != ir.Ref || in.Op == ir.OpConst {
				return true
			}
			if name, _ := a.m.Type(o); a.p.unchanging(name) {
				return true
			}
			return (in.Op == ir.OpNew || in.Op == ir.OpNewArray) && a.tries(int32(in.PC))
		})
	})
}

// callText names the method that an instruction calls, as people do.
func (a *analysis) callText(v ir.Value) string {
	ref, err := a.m.Member(v)
	if err != nil || ref.Owner == "" {
		if call := a.calls[int32(a.m.Instrs[v].PC)]; call != nil && call.Indy() != nil &&
			call.Indy().Kind == facts.LambdaIndy {
			return "a lambda"
		}
		return ref.Name
	}
	if ref.Name == "<init>" {
		return "new " + shortClass(ref.Owner)
	}
	return shortClass(ref.Owner) + "." + ref.Name
}

// findFirst finds the first place of the try from which an exception can come; what stands
// before it has run whenever one does. Where control branches before, it is the start of
// the try. Errors of loading a class, and of memory, do not count.
func (a *analysis) findFirst() {
	a.first = a.start()
	for v := range a.m.Instrs {
		in := &a.m.Instrs[v]
		pc := int32(in.PC)
		if in.Op == ir.OpPhi || in.Op == ir.OpParam || pc < a.first {
			continue
		}
		switch in.Op {
		case ir.OpConst, ir.OpNew, ir.OpGetStatic, ir.OpPutStatic:
		case ir.OpGetField, ir.OpPutField:
			if !a.isReceiver(a.m.Args(ir.Value(v))[0]) {
				a.first = pc
				return
			}
		default:
			if in.Throws {
				a.first = pc
			}
			if in.Throws || in.Op == ir.OpIf || in.Op == ir.OpSwitch || in.Op == ir.OpReturn {
				return
			}
		}
	}
}

// differs drops what is set before any exception can come, and once; what stays makes a difference.
func (a *analysis) differs(name string, sets []Set) []Set {
	var out []Set
	for _, s := range sets {
		if s.PC >= a.first || a.comesBack(s.PC) {
			out = append(out, s)
		} else if !slices.Contains(a.out.Always, name) {
			a.out.Always = append(a.out.Always, name)
		}
	}
	return out
}

func (a *analysis) line(pc int32) int { return classfile.LineAt(a.numbers, int(pc)) }

// where tells where an instruction outside of the try stands.
func (a *analysis) where(pc int32) Where {
	switch line := a.line(pc); {
	case a.tries(pc):
		return Again
	case a.lines.First <= line && line <= a.lines.Last:
		return InClause
	}
	return After
}

func (a *analysis) use(v ir.Value) Use {
	pc := int32(a.m.Instrs[v].PC)
	return Use{PC: pc, Line: a.line(pc), Where: a.where(pc), Returned: a.m.Instrs[v].Op == ir.OpReturn}
}

// add joins what is prepared with what was found before.
func (a *analysis) add(p Prepared) {
	if a.added == nil {
		a.added = map[addedSet]bool{}
	}
	var sets []Set
	for _, s := range p.Sets {
		if key := (addedSet{p.Kind, p.Name, s.PC, s.Value, s.By, s.Line, s.Direct}); !a.added[key] {
			a.added[key] = true
			sets = append(sets, s)
		}
	}
	a.steps(len(p.Sets))
	if i := a.out.find(p.Kind, p.Name); i >= 0 {
		a.out.Prepared[i].Sets = append(a.out.Prepared[i].Sets, sets...)
		a.out.Prepared[i].Uses = append(a.out.Prepared[i].Uses, p.Uses...)
		return
	}
	p.Sets = sets
	a.out.Prepared = append(a.out.Prepared, p)
}

func (a *analysis) listAfter() {
	a.eachAfter(func(v ir.Value, in *ir.Instr) {
		if in.Op == ir.OpPhi || in.Op == ir.OpParam {
			return
		}
		if l := a.line(int32(in.PC)); l > 0 {
			a.out.After = append(a.out.After, l)
		}
	})
	slices.Sort(a.out.After)
	a.out.After = slices.Compact(a.out.After)
}

// start is where the try begins.
func (a *analysis) start() int32 {
	start := int32(len(a.m.Code.Bytecode))
	for i, e := range a.m.Code.Exceptions {
		if int(a.m.EntryHandler[i]) == a.handler {
			start = min(start, int32(e.StartPC))
		}
	}
	return start
}
