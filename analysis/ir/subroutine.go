package ir

// This file inlines the subroutines of class files up to version 50 (jsr and
// ret, JVMS 4.10.2.5): each block of a subroutine is copied for each chain of
// jsr that leads to it. The compilers that wrote jsr used it for finally, so
// chains are short. A block from which no ret can be reached has left its
// subroutine and needs no copy.

import "github.com/catchlens/catchlens/analysis/classfile"

// addJsr adds the edge into a subroutine.
func (b *Builder) addJsr(in *classfile.Instruction, ctx, from int32) error {
	target := b.blockAt[in.Target]
	if in.Next() >= len(b.code) {
		return errAt(in.PC, "a subroutine would come back to the end of the code")
	}
	// A subroutine cannot be active twice: one that is called again has been
	// left without ret.
	for c := ctx; c > 0; c = b.contexts[c].parent {
		if b.contexts[c].target == target {
			ctx = b.contexts[c].parent
			break
		}
	}
	inner, err := b.contextFor(context{ctx, target, b.blockAt[in.Next()], b.returnSlot(target)})
	if err != nil {
		return err
	}
	return b.addEdge(from, target, inner)
}

// contextFor returns the number of a context.
func (b *Builder) contextFor(c context) (int32, error) {
	for i := range b.contexts {
		if b.contexts[i] == c {
			return int32(i), nil
		}
	}
	if len(b.contexts) > 4096 {
		return 0, errAt(int(b.statics[c.target].start), "subroutines nested too deeply")
	}
	b.contexts = append(b.contexts, c)
	return int32(len(b.contexts) - 1), nil
}

// returnSlot returns the local variable that the subroutine at a static block
// stores its return address in, or -1 where it does not begin with that.
func (b *Builder) returnSlot(static int32) int32 {
	in, err := classfile.Decode(b.code, int(b.statics[static].start))
	if err != nil || specs[in.Op].act != actStore || specs[in.Op].kind != Ref {
		return -1
	}
	slot, _ := in.Local()
	return int32(slot)
}

// addRet adds the edge back behind the jsr. A ret may leave several
// subroutines at once; the local variable tells which.
func (b *Builder) addRet(in *classfile.Instruction, ctx, from int32) error {
	if ctx == 0 {
		return errAt(in.PC, "ret outside of a subroutine")
	}
	for c := ctx; c > 0; c = b.contexts[c].parent {
		if b.contexts[c].slot == int32(in.Index) {
			return b.addEdge(from, b.contexts[c].back, b.contexts[c].parent)
		}
	}
	return b.addEdge(from, b.contexts[ctx].back, b.contexts[ctx].parent)
}

// findSubroutines computes retReach: the static blocks from which a ret can be
// reached, calls of other subroutines stepped over.
func (b *Builder) findSubroutines() {
	n := len(b.statics)
	b.retReach = resize(b.retReach, n)
	clear(b.retReach)
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			if !b.retReach[i] && b.reachesRet(int32(i)) {
				b.retReach[i], changed = true, true
			}
		}
	}
}

func (b *Builder) reachesRet(i int32) bool {
	s := &b.statics[i]
	for _, h := range b.coverAllHs[s.cover] {
		if b.retReach[b.handlerB[h]] {
			return true
		}
	}
	if s.first < 0 {
		return b.retReach[b.blockAt[s.end]]
	}
	in, err := classfile.Decode(b.code, int(s.last))
	if err != nil {
		return false
	}
	if in.Op == classfile.OpRet {
		return true
	}
	if (in.Op.FallsThrough() || in.Op.IsJsr()) && int(s.end) < len(b.code) && b.retReach[b.blockAt[s.end]] {
		return true
	}
	if in.Op.IsGoto() || in.Op.IsConditional() || in.Op.IsSwitch() {
		if b.retReach[b.blockAt[in.Target]] {
			return true
		}
		for _, t := range in.Targets {
			if b.retReach[b.blockAt[t]] {
				return true
			}
		}
	}
	return false
}
