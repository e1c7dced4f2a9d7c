package coverage

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/planner"
)

// Version is part of what names the shape of a method: it changes whenever the probes of a method
// may get other numbers.
const Version = 1

// Technique is the one that classes are planned with.
const Technique = planner.MinimumNode

// Class has the coverage plans of a class, by method index; nil for a method without any.
type Class struct {
	*classfile.Class
	Methods []*Method
	Skipped []plan.Drop // methods with code and without a plan
}

// Method is the coverage plan of a method.
type Method struct {
	Nodes []Node
	Graph *planner.Graph
	Plan  *planner.Plan
	// Shape names the probes and what they stand for: what was recorded with another one says
	// nothing.
	Shape uint32

	instructions []instruction
	node         []int32 // of each instruction, -1: control does not reach it
	tries        []tryRange
}

// instruction is what is shown of one.
type instruction struct {
	classfile.Instruction
	line int
	ref  string // owner.name and descriptor of the member that it names
}

func refOf(p *classfile.ConstantPool, in *classfile.Instruction) string {
	if in.Op < classfile.OpGetstatic || in.Op > classfile.OpInvokeinterface {
		return ""
	}
	r, err := p.MemberRef(uint16(in.Index))
	if err != nil {
		return ""
	}
	return r.Owner + "." + r.Name + r.Desc
}

// OfClass makes the coverage plans of a class with a node technique.
func OfClass(c *classfile.Class, t planner.Technique) *Class {
	return ofClass(c, t, planner.Make, true, nil)
}

// Planning says how methods get coverage probes.
type Planning struct {
	By Maker // nil: planner.Make
	// Technique is the one that is asked for, of a class named as in Class.getName and a method.
	// Nil, or false: that of the package.
	Technique func(class, method string) (t planner.Technique, ok bool)
}

// Inserted is the technique by which a JVM gets probes where another one is asked for: its probes
// stay where they are, and stand at nodes, which tell the ways of branches too.
func Inserted(t planner.Technique) planner.Technique {
	switch t {
	case planner.StaticBranch, planner.DemandNode, planner.DemandBranch:
		return planner.StaticNode
	case planner.AgrawalBranch, planner.DemandAgrawalNode:
		return planner.AgrawalNode
	case planner.MinimumBranch:
		return planner.MinimumNode
	}
	return t
}

// Maker makes the plan of a graph: planner.Make, or what finds such a plan.
type Maker func(g *planner.Graph, t planner.Technique, o planner.Options) (*planner.Plan, error)

// PlanClass makes the coverage plans of a class as OfClass does, for putting probes into it: what
// they cover cannot be told by lines. by is what makes them; nil: planner.Make. only tells of which
// methods; nil: of all.
func PlanClass(c *classfile.Class, t planner.Technique, by Maker, only func(*classfile.Member) bool) *Class {
	if by == nil {
		by = planner.Make
	}
	return ofClass(c, t, by, false, only)
}

// PlanMethod makes the plan of a method as PlanClass does, nil for one without code.
func PlanMethod(c *classfile.Class, m *classfile.Member, t planner.Technique, by Maker) (*Method, error) {
	if by == nil {
		by = planner.Make
	}
	return ofMethod(c, m, t, by, false)
}

func ofClass(c *classfile.Class, t planner.Technique, by Maker, lines bool,
	only func(*classfile.Member) bool) *Class {
	out := &Class{Class: c, Methods: make([]*Method, len(c.Methods))}
	for i, m := range c.Methods {
		if only != nil && !only(m) {
			continue
		}
		method, err := ofMethod(c, m, t, by, lines)
		if err != nil {
			out.Skipped = append(out.Skipped, plan.Drop{Method: uint16(i), Why: err.Error()})
			continue
		}
		out.Methods[i] = method
	}
	return out
}

const (
	// probeBytes is how many bytes a coverage probe takes at most: the variable, the number and
	// the store, and a jump where it stands behind the method's code.
	probeBytes = 16
	// maxCode is how long the code of a method with coverage probes may be: other probes come on
	// top, and a method that the JVM takes has 65,535 bytes at most (JVMS 4.7.3). A longer one
	// would lose all of its probes.
	maxCode = 60_000
)

// ofMethod makes the plan of a method, nil for one without code; with what lines are told by, if
// they are asked for.
func ofMethod(c *classfile.Class, m *classfile.Member, t planner.Technique, by Maker,
	lines bool) (*Method, error) {
	code, err := c.Code(m)
	if err != nil || code == nil {
		return nil, err
	}
	f, g, err := graphOf(c, code)
	if err != nil {
		return nil, err
	}
	p, err := by(g, t, planner.Options{})
	if err != nil {
		return nil, err
	}
	if n := len(code.Bytecode) + probeBytes*len(p.Covers); n > maxCode {
		return nil, fmt.Errorf("it is too long: up to %d bytes with coverage probes, and %d leave room for others",
			n, maxCode)
	}
	out := &Method{Nodes: f.nodes, Graph: g, Plan: p, node: f.of}
	out.Shape = out.shape()
	if lines {
		out.read(c, f)
	}
	return out, nil
}

// GraphOf returns the graph that coverage of a method is planned on, nil for one without code. The
// error says why it has none.
func GraphOf(c *classfile.Class, m *classfile.Member) (*planner.Graph, error) {
	code, err := c.Code(m)
	if err != nil || code == nil {
		return nil, err
	}
	_, g, err := graphOf(c, code)
	return g, err
}

func graphOf(c *classfile.Class, code *classfile.Code) (*flow, *planner.Graph, error) {
	f, err := decode(c, code)
	if err != nil {
		return nil, nil, err
	}
	f.makeNodes(c.Pool)
	f.connect(c.Pool)
	g, err := f.graph(c.Pool)
	return f, g, err
}

// read keeps what lines are told by.
func (m *Method) read(c *classfile.Class, f *flow) {
	m.instructions = make([]instruction, 0, len(f.insns))
	for i := range f.insns {
		m.instructions = append(m.instructions, instruction{f.insns[i], f.lineOf(i), refOf(c.Pool, &f.insns[i])})
	}
	for _, x := range f.code.Exceptions {
		m.tries = append(m.tries, tryRange{m.indexOf(int(x.StartPC)), m.indexOf(int(x.EndPC)),
			m.indexOf(int(x.HandlerPC)), x.CatchType == 0})
	}
}

// shape is the digest of the nodes, and of which of them have a probe.
func (m *Method) shape() uint32 {
	b := []byte{Version, byte(m.Plan.Technique)}
	for i := range m.Nodes {
		n := &m.Nodes[i]
		b = binary.LittleEndian.AppendUint32(b, uint32(n.PC))
		b = binary.LittleEndian.AppendUint32(b, uint32(n.From))
		b = append(b, byte(n.Place))
	}
	for _, n := range m.Plan.Covers {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return crc32.ChecksumIEEE(b)
}

// AddTo puts the probes of all methods into a plan of the same class.
func (c *Class) AddTo(p *plan.Class) {
	for i, m := range c.Methods {
		if m != nil && !p.AddCovers(uint16(i), m.covers()) {
			c.Skipped = append(c.Skipped, p.Dropped[len(p.Dropped)-1])
			c.Methods[i] = nil
		}
	}
}

// covers are the probes of the method, in the order of the plan's counters.
func (m *Method) covers() []plan.Cover {
	covers := make([]plan.Cover, 0, len(m.Plan.Covers))
	for _, n := range m.Plan.Covers {
		node := &m.Nodes[n]
		v := plan.Cover{Place: node.Place, PC: node.PC, From: -1}
		if node.Place == plan.OnJump {
			v.From = node.From
		}
		covers = append(covers, v)
	}
	return covers
}

// HitsOf tells which probes of another plan of the method would have been hit, from those of this
// one that were; both packed as record.Covered has them.
func (m *Method) HitsOf(other *Method, packed []byte) []byte {
	covered, hits := m.Covered(unpack(packed, len(m.Plan.Covers))), make([]bool, len(other.Plan.Covers))
	for i, node := range other.Plan.Covers {
		hits[i] = covered[node]
	}
	return pack(hits)
}

// unpack tells which of so many probes were hit.
func unpack(packed []byte, probes int) []bool {
	hits := make([]bool, probes)
	for i := range hits {
		hits[i] = i>>3 < len(packed) && packed[i>>3]>>(i&7)&1 != 0
	}
	return hits
}

func pack(hits []bool) []byte {
	packed := make([]byte, (len(hits)+7)/8)
	for i, hit := range hits {
		if hit {
			packed[i>>3] |= 1 << (i & 7)
		}
	}
	return packed
}

// Covered returns which nodes control came to, from which probes of the method were hit.
func (m *Method) Covered(hits []bool) []bool { return m.Plan.Coverage(hits) }
