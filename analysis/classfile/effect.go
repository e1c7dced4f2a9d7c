package classfile

// This file computes what an instruction does to the height of the stack.

// StackEffect returns how many slots in takes from the stack and how many it
// leaves there. A jsr leaves its return address at its target.
func (p *ConstantPool) StackEffect(in *Instruction) (pops, pushes int, err error) {
	info := in.Op.Info()
	pops, pushes = slotsOfKinds(info.Pops), slotsOfKinds(info.Pushes)
	switch op := in.Op; {
	case op >= OpGetstatic && op <= OpPutfield:
		ref, err := p.MemberRef(uint16(in.Index))
		if err != nil {
			return 0, 0, err
		}
		if op == OpGetstatic || op == OpGetfield {
			pushes += SlotsOf(ref.Desc)
		} else {
			pops += SlotsOf(ref.Desc)
		}
	case op.IsInvoke():
		desc, err := p.invokeDesc(in)
		if err != nil {
			return 0, 0, err
		}
		d, err := ParseMethodDescriptor(desc)
		if err != nil {
			return 0, 0, err
		}
		pops += d.Slots()
		pushes += SlotsOf(d.Return)
	case op == OpLdc || op == OpLdcW:
		pushes = 1
	case op == OpLdc2W:
		pushes = 2
	case op == OpMultianewarray:
		pops = int(in.Const)
	}
	return pops, pushes, nil
}

func (p *ConstantPool) invokeDesc(in *Instruction) (string, error) {
	if in.Op == OpInvokedynamic {
		ref, err := p.InvokeDynamic(uint16(in.Index))
		return ref.Desc, err
	}
	ref, err := p.MemberRef(uint16(in.Index))
	return ref.Desc, err
}

// slotsOfKinds counts the slots of OpInfo's kinds; '?' counts none.
func slotsOfKinds(kinds string) int {
	n := len(kinds)
	for _, k := range kinds {
		switch k {
		case 'J', 'D':
			n++
		case '?':
			n--
		}
	}
	return n
}
