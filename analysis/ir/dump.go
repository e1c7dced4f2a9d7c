package ir

// This file prints register code, for tests and for people.

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// String lists the blocks with their edges and instructions. Values are v1, v2,
// ... by their number; edges to handlers stand after "!".
func (m *Method) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%s%s\n", m.Name, m.Desc)
	for id := range m.Blocks {
		b := &m.Blocks[id]
		fmt.Fprintf(&w, "b%d [%d,%d)", id, b.PC, b.End)
		if b.Context != 0 {
			fmt.Fprintf(&w, " inlined %d", b.Context)
		}
		for _, s := range m.Succs(BlockID(id)) {
			fmt.Fprintf(&w, " b%d", s)
		}
		for _, s := range m.HandlerSuccs(BlockID(id)) {
			fmt.Fprintf(&w, " !b%d", s)
		}
		w.WriteByte('\n')
		for v := Value(b.First); v < Value(b.Last); v++ {
			w.WriteString("  " + m.instrText(v) + "\n")
		}
	}
	return w.String()
}

func (m *Method) instrText(v Value) string {
	in := &m.Instrs[v]
	text := in.Op.String()
	if in.Op == OpConst || in.Op == OpArith || in.Op == OpInvoke || in.Op == OpIf || in.Op == OpMonitor {
		text = in.Code.String()
	}
	if in.Kind != NoValue {
		text = fmt.Sprintf("v%d = %s", v, text)
	}
	if a := m.auxText(v); a != "" {
		text += " " + a
	}
	for _, a := range m.Args(v) {
		text += fmt.Sprintf(" v%d", a)
	}
	return text
}

// auxText names what Aux refers to.
func (m *Method) auxText(v Value) string {
	in := &m.Instrs[v]
	pool := m.Class.Pool
	switch in.Op {
	case OpParam, OpCatch, OpRetAddr:
		return fmt.Sprint(in.Aux)
	case OpInvoke, OpGetField, OpPutField, OpGetStatic, OpPutStatic:
		ref, _ := m.Member(v)
		if ref.Owner == "" {
			return ref.Name
		}
		return ref.Owner + "." + ref.Name
	case OpNew, OpCheckCast, OpInstanceOf:
		name, _ := pool.ClassName(uint16(in.Aux))
		return name
	case OpNewArray:
		name, _ := m.Type(v)
		return name
	case OpConst:
		if in.Code == classfile.OpAconstNull {
			return ""
		}
		if in.Code != classfile.OpLdc && in.Code != classfile.OpLdc2W {
			return fmt.Sprint(in.Aux)
		}
		if s, err := pool.String(uint16(in.Aux)); err == nil {
			return fmt.Sprintf("%q", s)
		}
		if s, err := pool.ClassName(uint16(in.Aux)); err == nil {
			return s
		}
		return fmt.Sprintf("#%d", in.Aux)
	case OpArith:
		if in.Code == classfile.OpIinc {
			return fmt.Sprint(in.Aux)
		}
	}
	return ""
}
