package rewrite

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/instrument/plan"
)

// This file places the probes of call chains. A method is given when it begins what stands for it
// on the stack of its component, and keeps that in a variable behind all others. It says so before
// each call and where it ends: before each return, and in a handler of everything that stands last
// in the exception table. A constructor has two of these handlers, as this is another type before
// the call of another constructor than behind it. No handler may cover that call: it has a probe of
// its own, by which the agent knows that what the other constructor throws leaves this one, too.

// chainFrame is the class of what stands for a method on the stack.
const chainFrame = "catchlens/rt/record/Chains$Frame"

// withoutChains is in front of the reason for which a method has no probes of call chains alone.
const withoutChains = "call chains: "

// chainProbes is what the editor knows of the probes of call chains of its method.
type chainProbes struct {
	frame uint16 // its class in the constant pool; 0: the method has none
	slot  uint16 // of the variable
	// constructed is the instruction behind the call of another constructor by which this object
	// becomes one; 0: the method has none.
	constructed int32
}

// placeChain places them, but for the handlers. Where they have no place, the method keeps its
// other probes.
func (e *editor) placeChain(mp *methodPlan) ([]placed, error) {
	if len(mp.chain) == 0 {
		return nil, nil
	}
	all, err := e.placeChainProbes(&mp.chain[0])
	var skip errSkip
	if errors.As(err, &skip) {
		e.chain = chainProbes{}
		e.skipped = append(e.skipped, SkippedMethod{e.index, -1, withoutChains + skip.why})
		return nil, nil
	}
	return all, err
}

func (e *editor) placeChainProbes(c *plan.Chain) ([]placed, error) {
	class, err := e.class.Pool.AddClass(chainFrame)
	if err != nil {
		return nil, err
	}
	e.chain = chainProbes{frame: class, slot: e.code.MaxLocals}
	if e.coverage.array != 0 {
		e.chain.slot++
	}
	if e.code.MaxLocals >= math.MaxUint16-2 {
		return nil, errSkip{"it has no room for one more variable"}
	}
	text := chainInfo(c)
	if len(classfile.EncodeUTF8(nil, text)) > math.MaxUint16 {
		return nil, errSkip{"the names of what it calls are too long for a string constant"}
	}
	info, err := e.class.Pool.AddString(text)
	if err != nil {
		return nil, err
	}
	if err := e.findConstructed(); err != nil {
		return nil, err
	}
	all := []placed{{0, orderBegin, piece{probe: probeBegin, n: uint16(e.index), name: info}}}
	if i := e.chain.constructed; i > 0 && e.insns[i].op != classfile.OpInvokedynamic && !isInvoke(e.insns[i].op) &&
		!isReturn(e.insns[i].op) {
		all = append(all, placed{i, orderCall, piece{probe: probeCall}})
	}
	for _, x := range c.Calls {
		p, err := e.placeCall(&x)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	for i := range e.insns[:len(e.insns)-1] {
		if isReturn(e.insns[i].op) {
			all = append(all, placed{int32(i), orderCall, piece{probe: probeEnd}})
		}
	}
	return all, nil
}

// chainInfo is what the probe of a method's beginning says of it, which Probe.begin explains.
func chainInfo(c *plan.Chain) string {
	names := make([]string, 1, 1+len(c.Calls))
	names[0] = c.Names
	for _, x := range c.Calls {
		if x.Name != "" {
			for len(names) <= int(x.N) {
				names = append(names, "")
			}
			names = append(names, x.Name)
		}
	}
	return strings.Join(names, ";")
}

func (e *editor) placeCall(x *plan.ChainCall) (placed, error) {
	at, err := e.instructionAt(x.PC)
	if err != nil {
		return placed{}, err
	}
	if op := e.insns[at].op; !isInvoke(op) && op != classfile.OpInvokedynamic {
		return placed{}, fmt.Errorf("the plan has a call at pc %d, where none stands", x.PC)
	}
	p := piece{probe: probeCall, n: x.N}
	if at == e.chain.constructed-1 {
		p.probe = probeConstruct
	} else if slots, ok := e.receiverAt(at); x.Receiver && ok {
		p.probe, p.above = probeCallOn, slots
	}
	return placed{at, orderCall, p}, nil
}

// receiverAt is how many slots of the stack a call has above the object on which it is made; false
// if it is on none, or if there are more than instructions for the stack can move.
func (e *editor) receiverAt(at int32) (slots uint8, ok bool) {
	in := &e.insns[at]
	if in.op != classfile.OpInvokevirtual && in.op != classfile.OpInvokeinterface {
		return 0, false
	}
	d, err := classfile.Decode(e.code.Bytecode, int(in.pc))
	if err != nil {
		return 0, false
	}
	ref, err := e.class.Pool.MemberRef(uint16(d.Index))
	if err != nil {
		return 0, false
	}
	desc, err := classfile.ParseMethodDescriptor(ref.Desc)
	if err != nil || desc.Slots() > 2 {
		return 0, false
	}
	return uint8(desc.Slots()), true
}

// appendReceiver puts the object below so many slots on top of the stack once more.
func appendReceiver(b []byte, above uint8) []byte {
	switch above {
	case 0:
		return append(b, byte(classfile.OpDup))
	case 1:
		return append(b, byte(classfile.OpDup2), byte(classfile.OpPop))
	}
	return append(b, byte(classfile.OpDup2X1), byte(classfile.OpPop2), byte(classfile.OpDupX2))
}

func isReturn(op classfile.Opcode) bool { return op >= classfile.OpIreturn && op <= classfile.OpReturn }

// appendEnds adds the handlers of everything. It comes before all other handlers are appended,
// since these are inside.
func (e *editor) appendEnds() error {
	if e.chain.frame == 0 {
		return nil
	}
	end := int32(len(e.code.Bytecode))
	i := e.chain.constructed
	// The table is built from its end.
	if err := e.appendEnd(pcRange{e.insns[i].pc, end}, nil); err != nil || i == 0 {
		return err
	}
	return e.appendEnd(pcRange{0, e.insns[i-1].pc}, []classfile.VType{{Tag: classfile.VUninitializedThis}})
}

func (e *editor) appendEnd(r pcRange, locals []classfile.VType) error {
	b := uncaughtBlock{try: -1, ranges: []pcRange{r}, locals: locals, piece: piece{probe: probeFail}}
	var err error
	if b.piece.size, err = e.pieceSize(&b.piece); err != nil {
		return err
	}
	e.needStack(&b.piece)
	// It is enclosed by every try, whatever the index of that.
	e.table = append(e.table, tableEntry{r, handlerRef{-1, int32(len(e.blocks)), 0}, len(e.code.Exceptions), -1})
	e.blocks = append(e.blocks, b)
	return nil
}

// findConstructed finds the call of another constructor by which this object becomes one: the first
// that is for no object that new has made. Where the frames say otherwise, the method is skipped.
func (e *editor) findConstructed() error {
	if e.class.MemberName(e.method) != "<init>" || e.class.Name() == "java/lang/Object" {
		return nil
	}
	made := 0
	for i := range e.insns[:len(e.insns)-1] {
		in := &e.insns[i]
		switch {
		case in.op == classfile.OpNew:
			made++
		case in.op == classfile.OpInvokespecial && e.callsConstructor(in):
			if made--; made < 0 {
				e.chain.constructed = int32(i + 1)
				return e.checkConstructed(e.insns[i+1].pc)
			}
		}
	}
	return errSkip{"no constructor is called in it"}
}

func (e *editor) callsConstructor(in *insn) bool {
	d, err := classfile.Decode(e.code.Bytecode, int(in.pc))
	if err != nil {
		return false
	}
	ref, err := e.class.Pool.MemberRef(uint16(d.Index))
	return err == nil && ref.Name == "<init>"
}

func (e *editor) checkConstructed(first int32) error {
	for i := range e.frames {
		f := &e.frames[i]
		before := slices.ContainsFunc(f.Locals, func(t classfile.VType) bool {
			return t.Tag == classfile.VUninitializedThis
		})
		if before != (int32(f.PC) < first) || before && f.Locals[0].Tag != classfile.VUninitializedThis {
			return errSkip{"another constructor is called on some ways only"}
		}
	}
	return nil
}

// emitChain writes a probe of call chains.
func (e *editor) emitChain(b []byte, p *piece) ([]byte, error) {
	var err error
	switch p.probe {
	case probeBegin:
		class, err := e.classNumberIndex()
		if err != nil {
			return nil, err
		}
		if b, err = e.appendNumber(appendLoad(appendLoad(b, p.name), class), p.n); err != nil {
			return nil, err
		}
	case probeCall, probeCallOn, probeConstruct:
		if p.probe == probeCallOn {
			b = appendReceiver(b, p.above)
		}
		if b, err = e.appendNumber(e.appendFrame(b, classfile.OpAload), p.n); err != nil {
			return nil, err
		}
	default:
		b = e.appendFrame(b, classfile.OpAload)
	}
	method, err := e.probeIndex(p.probe)
	if err != nil {
		return nil, err
	}
	b = be.AppendUint16(append(b, byte(classfile.OpInvokestatic)), method)
	if p.probe == probeBegin {
		b = e.appendFrame(b, classfile.OpAstore)
	}
	return b, nil
}

// appendFrame loads or stores the variable.
func (e *editor) appendFrame(b []byte, op classfile.Opcode) []byte {
	if e.chain.slot > math.MaxUint8 {
		return be.AppendUint16(append(b, byte(classfile.OpWide), byte(op)), e.chain.slot)
	}
	return append(b, byte(op), byte(e.chain.slot))
}

// withFrame adds the variable to the locals of a frame.
func (e *editor) withFrame(locals []classfile.VType) []classfile.VType {
	if e.chain.frame == 0 {
		return locals
	}
	slots := 0
	for _, t := range locals {
		slots += t.Slots()
	}
	out := slices.Clone(locals)
	for ; slots < int(e.chain.slot); slots++ {
		out = append(out, classfile.VType{Tag: classfile.VTop})
	}
	return append(out, classfile.VType{Tag: classfile.VObject, Class: chainFrame, PoolIndex: e.chain.frame})
}
