package rewrite

import (
	"fmt"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file places the probes of guards: branches whose outcome can be overridden. The
// probe takes the operands of the branch and returns whether to jump, which an ifne
// then does in the branch's place; of a switch it returns the operand. Neither needs a
// stack map frame that is not there.

func (e *editor) placeGuards(mp *methodPlan) (all []placed, err error) {
	for _, g := range mp.guards {
		if g.PC < 0 || int(g.PC) >= len(e.at) || e.at[g.PC] < 0 {
			return nil, fmt.Errorf("the plan has a guard at pc %d, where no instruction stands", g.PC)
		}
		i := e.at[g.PC]
		p := piece{n: g.N, branch: e.insns[i].op}
		switch op := p.branch; {
		case op.IsSwitch():
			p.probe = probeSelect
		case !op.IsConditional():
			return nil, fmt.Errorf("the plan has a guard at pc %d, where no branch stands", g.PC)
		case comparesReferences(op):
			p.probe = probeGuardRef
		default:
			p.probe = probeGuard
		}
		if p.probe != probeSelect {
			e.insns[i].op = classfile.OpIfne
		}
		all = append(all, placed{i, orderThrown, p})
	}
	return all, nil
}

func comparesReferences(op classfile.Opcode) bool {
	return op == classfile.OpIfAcmpeq || op == classfile.OpIfAcmpne || op == classfile.OpIfnull ||
		op == classfile.OpIfnonnull
}

// appendComparison completes the operands of a guard's branch to two, and says how it
// compares them: 0 to 5 are ==, !=, <, >=, > and <=, in the order of opcodes (JVMS 7).
func appendComparison(b []byte, p *piece) []byte {
	if p.probe != probeGuard && p.probe != probeGuardRef {
		return b
	}
	how := classfile.Opcode(0)
	switch op := p.branch; {
	case op >= classfile.OpIfnull:
		b = append(b, byte(classfile.OpAconstNull))
		how = op - classfile.OpIfnull
	case op >= classfile.OpIfAcmpeq:
		how = op - classfile.OpIfAcmpeq
	case op >= classfile.OpIfIcmpeq:
		how = op - classfile.OpIfIcmpeq
	default:
		b = append(b, byte(classfile.OpIconst0))
		how = op - classfile.OpIfeq
	}
	return append(b, byte(classfile.OpIconst0+how))
}
