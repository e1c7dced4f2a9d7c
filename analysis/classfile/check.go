package classfile

import "fmt"

// This file checks a whole class file.

// Check decodes everything in c that this package has an accessor for and
// reports what is malformed: constant pool entries (JVMS 4.4), descriptors,
// attributes, instructions and their constant pool operands, and that jumps,
// exception ranges and frames stand at instructions (the static constraints of
// JVMS 4.9.1). It does not verify types. Attributes with an unknown name are
// ignored.
func (c *Class) Check() error {
	if err := c.Pool.check(); err != nil {
		return err
	}
	for _, f := range c.Fields {
		if desc := c.MemberDesc(f); !ValidFieldDescriptor(desc) {
			return fmt.Errorf("field %s: descriptor %q", c.MemberName(f), desc)
		}
		if err := c.checkMember(f); err != nil {
			return fmt.Errorf("field %s: %w", c.MemberName(f), err)
		}
	}
	for _, m := range c.Methods {
		if err := c.checkMethod(m); err != nil {
			return fmt.Errorf("method %s%s: %w", c.MemberName(m), c.MemberDesc(m), err)
		}
	}
	return c.checkAttributes()
}

func (c *Class) checkAttributes() error {
	bootstrap, err := c.BootstrapMethods()
	if err != nil {
		return err
	}
	for i := 1; i < c.Pool.Len(); i++ {
		if t := c.Pool.Tag(uint16(i)); t == TagDynamic || t == TagInvokeDynamic {
			if b := be2(c.Pool.Raw(uint16(i))[1:]); int(b) >= len(bootstrap) {
				return fmt.Errorf("constant pool entry %d names bootstrap method %d of %d", i, b, len(bootstrap))
			}
		}
	}
	components, _, err := c.Record()
	if err != nil {
		return err
	}
	for _, comp := range components {
		if _, err := c.Annotations(comp.Attributes); err != nil {
			return err
		}
	}
	_, err = c.InnerClasses()
	for _, f := range []func() error{
		func() error { _, err := c.EnclosingMethod(); return err },
		func() error { _, err := c.NestHost(); return err },
		func() error { _, err := c.NestMembers(); return err },
		func() error { _, err := c.PermittedSubclasses(); return err },
		func() error { _, err := c.Signature(); return err },
		func() error { _, err := c.SourceFile(); return err },
		func() error { _, err := c.Module(); return err },
		func() error { _, err := c.Annotations(c.Attributes); return err },
	} {
		if err == nil {
			err = f()
		}
	}
	return err
}

func (c *Class) checkMember(m *Member) error {
	if _, err := c.MemberSignature(m); err != nil {
		return err
	}
	if _, err := c.Annotations(m.Attributes); err != nil {
		return err
	}
	if _, err := c.ConstantValue(m); err != nil {
		return err
	}
	_, err := c.Exceptions(m)
	return err
}

func (c *Class) checkMethod(m *Member) error {
	if _, err := ParseMethodDescriptor(c.MemberDesc(m)); err != nil {
		return err
	}
	if err := c.checkMember(m); err != nil {
		return err
	}
	code, err := c.Code(m)
	if code == nil {
		return err
	}
	starts, err := c.checkInstructions(code)
	if err != nil {
		return err
	}
	for _, e := range code.Exceptions {
		if !starts.has(int(e.StartPC)) || !starts.has(int(e.HandlerPC)) ||
			int(e.EndPC) < len(code.Bytecode) && !starts.has(int(e.EndPC)) {
			return fmt.Errorf("exception range [%d, %d) with handler %d is not of whole instructions", e.StartPC,
				e.EndPC, e.HandlerPC)
		}
		if e.CatchType != 0 {
			if _, err := c.Pool.ClassName(e.CatchType); err != nil {
				return err
			}
		}
	}
	if _, err := c.LineNumbers(code); err != nil {
		return err
	}
	if _, err := c.LocalVariables(code); err != nil {
		return err
	}
	frames, err := c.StackMap(m, code)
	for _, f := range frames {
		if !starts.has(f.PC) {
			return fmt.Errorf("stack map frame at pc %d, inside an instruction", f.PC)
		}
	}
	return err
}

// pcSet is the set of pcs at which instructions start.
type pcSet []uint64

func (s pcSet) has(pc int) bool { return pc>>6 < len(s) && s[pc>>6]>>(pc&63)&1 != 0 }
func (s pcSet) add(pc int)      { s[pc>>6] |= 1 << (pc & 63) }

func (c *Class) checkInstructions(code *Code) (pcSet, error) {
	starts := make(pcSet, len(code.Bytecode)/64+1)
	var targets []int
	for in, err := range Instructions(code.Bytecode) {
		if err != nil {
			return nil, err
		}
		starts.add(in.PC)
		if f := in.Op.Info().Format; f == FormatBranch2 || f == FormatBranch4 || in.Op.IsSwitch() {
			targets = append(append(targets, in.Target), in.Targets...)
		}
		if err := c.checkOperand(&in); err != nil {
			return nil, fmt.Errorf("%s at pc %d: %w", in.Op, in.PC, err)
		}
		if slot, ok := in.Local(); ok && slot >= int(code.MaxLocals) {
			return nil, fmt.Errorf("%s at pc %d: local variable %d of %d", in.Op, in.PC, slot, code.MaxLocals)
		}
	}
	for _, t := range targets {
		if !starts.has(t) {
			return nil, fmt.Errorf("jump to pc %d, inside an instruction", t)
		}
	}
	return starts, nil
}

// checkOperand checks that a constant pool operand has a kind that fits.
func (c *Class) checkOperand(in *Instruction) error {
	p, i := c.Pool, uint16(in.Index)
	switch in.Op {
	case OpLdc, OpLdcW:
		switch t := p.Tag(i); t {
		case TagInteger, TagFloat, TagString, TagClass, TagMethodHandle, TagMethodType, TagDynamic:
			return nil
		default:
			return p.tagError(i, TagString)
		}
	case OpLdc2W:
		if t := p.Tag(i); t != TagLong && t != TagDouble && t != TagDynamic {
			return p.tagError(i, TagLong)
		}
	case OpGetstatic, OpPutstatic, OpGetfield, OpPutfield:
		ref, err := p.MemberRef(i)
		if err == nil && !ref.Field {
			err = p.tagError(i, TagFieldref)
		}
		return err
	case OpInvokevirtual, OpInvokespecial, OpInvokestatic, OpInvokeinterface:
		ref, err := p.MemberRef(i)
		if err == nil && ref.Field {
			err = p.tagError(i, TagMethodref)
		}
		return err
	case OpInvokedynamic:
		_, err := p.InvokeDynamic(i)
		return err
	case OpNew, OpAnewarray, OpCheckcast, OpInstanceof, OpMultianewarray:
		_, err := p.ClassName(i)
		return err
	}
	return nil
}

// check decodes every entry.
func (p *ConstantPool) check() error {
	for i := 1; i < p.Len(); i++ {
		i := uint16(i)
		var err error
		switch p.Tag(i) {
		case TagUtf8:
			_, err = p.Utf8(i)
		case TagClass:
			_, err = p.ClassName(i)
		case TagString:
			_, err = p.String(i)
		case TagFieldref:
			err = p.checkRef(i, ValidFieldDescriptor)
		case TagMethodref, TagInterfaceMethodref:
			err = p.checkRef(i, validMethodDescriptor)
		case TagNameAndType:
			_, _, err = p.NameAndType(i)
		case TagMethodHandle:
			_, err = p.MethodHandle(i)
		case TagMethodType:
			_, err = p.MethodType(i)
		case TagDynamic:
			_, err = p.Dynamic(i)
		case TagInvokeDynamic:
			_, err = p.InvokeDynamic(i)
		case TagModule:
			_, err = p.ModuleName(i)
		case TagPackage:
			_, err = p.PackageName(i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *ConstantPool) checkRef(i uint16, valid func(string) bool) error {
	ref, err := p.MemberRef(i)
	if err == nil && !valid(ref.Desc) {
		err = formatErrorf(poolStart+int(p.offsets[i]), "constant pool entry %d has descriptor %q", i, ref.Desc)
	}
	return err
}

func validMethodDescriptor(desc string) bool {
	_, err := ParseMethodDescriptor(desc)
	return err == nil
}
