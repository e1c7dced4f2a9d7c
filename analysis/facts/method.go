package facts

// This file collects the sites of a method from its register code.

import (
	"slices"
	"sort"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// methodBuilder makes the sites of one method.
type methodBuilder struct {
	b     *builder
	r     *Method
	d     *MethodDetails // of r, see builder.method
	low   *ir.Method
	lines []classfile.LineNumber
	code  *classfile.Code

	order    []ir.BlockID // by pc
	copies   bool         // some block occurs several times, inlined for different jsr
	pcs      sitePCs
	coverNo  []uint16 // number in the record of low.Covers, 0 where not yet used
	cover0   int      // where this method's covers start in b.covers, and so on
	call0    int
	throw0   int
	alloc0   int
	init0    int
	handle0  int
	implicit int // instructions so far that may throw implicitly
	impl0    int
	athrows  []ir.Value

	fillersKnown bool
	fillCalls    []ir.Value // see fillers
	origins      []ir.Origin
}

// build fills in everything of r and its details that comes from code. low is nil where the
// bytecode is malformed.
func (m *methodBuilder) build(b *builder, r *Method, d *MethodDetails, low *ir.Method, code *classfile.Code,
	lines []classfile.LineNumber) {
	m.b, m.r, m.d, m.low, m.code, m.lines = b, r, d, low, code, lines
	m.cover0, m.call0, m.throw0 = len(b.covers), len(b.calls), len(b.throws)
	m.alloc0, m.init0, m.impl0, m.implicit = len(b.allocs), len(b.inits), len(b.implicit), 0
	m.handle0 = len(b.handles)
	class0, flow0, values0, string0 := len(b.classes), len(b.flowCode), len(b.valueCode), len(b.strings)
	b.classes = append(b.classes, b.annotated...)
	m.d.Noted = len(b.annotated)
	m.athrows, m.fillersKnown = m.athrows[:0], false
	b.covers = append(b.covers, nil)
	if low != nil {
		m.tables()
		m.coverNo = append(m.coverNo[:0], make([]uint16, len(low.Covers))...)
		m.arrange()
		for _, id := range m.order {
			m.block(id)
		}
		m.throws()
		m.flow()
		m.values()
		m.made()
		m.storesMarked()
	}
	if len(b.covers) == m.cover0+1 {
		b.covers = b.covers[:m.cover0]
	} else {
		m.d.Covers = b.covers[m.cover0:]
	}
	m.d.Throws, m.d.Implicit = b.throws[m.throw0:], b.implicit[m.impl0:]
	m.d.Handles, m.d.Classes, m.d.Strings = b.handles[m.handle0:], b.classes[class0:], b.strings[string0:]
	r.Calls, r.Allocs, r.Inits = b.calls[m.call0:], b.allocs[m.alloc0:], b.inits[m.init0:]
	r.Flow, r.Values = b.flowCode[flow0:], b.valueCode[values0:]
}

func (m *methodBuilder) line(pc int32) int32 {
	return int32(classfile.LineAt(m.lines, int(pc)))
}

// tables records handlers and the exception table.
func (m *methodBuilder) tables() {
	b, pool := m.b, m.b.c.Pool
	if len(m.low.Handlers) == 0 {
		return
	}
	h0, t0 := len(b.handlers), len(b.table)
	for _, h := range m.low.Handlers {
		b.handlers = append(b.handlers, Handler{PC: h.PC, Line: m.line(h.PC)})
	}
	for i, e := range m.code.Exceptions {
		name := ""
		if e.CatchType != 0 {
			var err error
			if name, err = pool.ClassName(e.CatchType); err != nil {
				b.problem(m.r.Name+m.r.Desc, err)
			}
		}
		h := m.low.EntryHandler[i]
		b.table = append(b.table, TableEntry{Start: int32(e.StartPC), End: int32(e.EndPC), Handler: h, Type: name})
		if hr := &b.handlers[h0+int(h)]; !slices.Contains(hr.Types, name) {
			hr.Types = append(hr.Types, name)
		}
	}
	m.d.Handlers, m.d.Table = b.handlers[h0:], b.table[t0:]
	vars, err := b.c.LocalVariables(m.code)
	if err != nil {
		b.problem(m.r.Name+m.r.Desc, err)
	}
	for i := range m.d.Handlers {
		m.storeOf(&m.d.Handlers[i], vars)
	}
}

// storeOf finds the instruction that takes the caught exception off the stack.
func (m *methodBuilder) storeOf(h *Handler, vars []classfile.LocalVariable) {
	h.StoreLine = h.Line
	for pc, n := int(h.PC), 0; pc < len(m.code.Bytecode) && n < 8; n++ {
		in, err := classfile.Decode(m.code.Bytecode, pc)
		if err != nil {
			return
		}
		pc = in.Next()
		switch in.Op {
		case classfile.OpNop, classfile.OpDup, classfile.OpCheckcast:
			continue
		}
		h.StoreLine = m.line(int32(in.PC))
		slot, ok := in.Local()
		if !ok {
			return
		}
		for _, v := range vars {
			if int(v.Slot) == slot && int(v.StartPC) <= pc && pc < int(v.StartPC)+int(v.Length) {
				h.Param = v.Name
			}
		}
		return
	}
}

// arrange puts the blocks into the order of the bytecode, and prepares the
// count of instructions where some of them are unreachable or occur twice.
func (m *methodBuilder) arrange() {
	blocks := m.low.Blocks
	m.order = m.order[:0]
	sorted, covered := true, int32(0)
	m.copies = false
	for i := range blocks {
		m.order = append(m.order, ir.BlockID(i))
		sorted = sorted && (i == 0 || blocks[i].PC >= blocks[i-1].PC)
		covered += blocks[i].End - blocks[i].PC
		m.copies = m.copies || blocks[i].Context != 0
	}
	if !sorted {
		slices.SortStableFunc(m.order, func(a, b ir.BlockID) int { return int(blocks[a].PC - blocks[b].PC) })
	}
	m.pcs.used = m.copies || int(covered) != len(m.code.Bytecode) || m.low.Code != m.code
	if m.pcs.used {
		m.pcs.scan(m.code.Bytecode)
	}
}

// sitePCs lists the pcs of a method's instructions by kind of site, for
// ordinals where the register code does not hold each instruction once.
type sitePCs struct {
	used                             bool
	invokes, athrows, news, implicit []int32
}

func (s *sitePCs) scan(code []byte) {
	s.invokes, s.athrows, s.news, s.implicit = s.invokes[:0], s.athrows[:0], s.news[:0], s.implicit[:0]
	for in, err := range classfile.Instructions(code) {
		if err != nil {
			return
		}
		switch pc := int32(in.PC); {
		case in.Op.IsInvoke():
			s.invokes = append(s.invokes, pc)
		case in.Op == classfile.OpAthrow:
			s.athrows = append(s.athrows, pc)
		case in.Op == classfile.OpNew:
			s.news = append(s.news, pc)
		}
		if implicitKinds(in.Op) != 0 {
			s.implicit = append(s.implicit, int32(in.PC))
		}
	}
}

// site makes the common part of a site; sofar is how many of its kind came
// before, all the pcs of its kind.
func (m *methodBuilder) site(in *ir.Instr, cover uint16, sofar int, all []int32) Site {
	pc := int32(in.PC)
	if m.pcs.used {
		sofar = sort.Search(len(all), func(i int) bool { return all[i] >= pc })
	}
	return Site{PC: pc, Line: m.line(pc), Cover: cover, Ordinal: uint16(sofar)}
}

// cover returns the number in the record of a cover of the register code.
func (m *methodBuilder) cover(c uint16) uint16 {
	if c == 0 {
		return 0
	}
	if m.coverNo[c] == 0 {
		b := m.b
		m.coverNo[c] = uint16(len(b.covers) - m.cover0)
		from := len(b.coverIdx)
		b.coverIdx = append(b.coverIdx, m.low.Covers[c]...)
		b.covers = append(b.covers, b.coverIdx[from:])
	}
	return m.coverNo[c]
}

// block collects the sites of one block.
func (m *methodBuilder) block(id ir.BlockID) {
	blk := &m.low.Blocks[id]
	b := m.b
	for v := ir.Value(blk.First); v < ir.Value(blk.Last); v++ {
		in := &m.low.Instrs[v]
		if b.opts.Implicit {
			m.implicitSite(blk, v, in)
		}
		switch in.Op {
		case ir.OpThrow:
			m.athrows = append(m.athrows, v)
			continue
		case ir.OpInvoke, ir.OpNew, ir.OpGetStatic, ir.OpPutStatic:
		case ir.OpConst:
			if in.Code != classfile.OpLdc && in.Code != classfile.OpLdc2W {
				continue
			}
		default:
			continue
		}
		if m.copies && m.repeated(id) {
			continue
		}
		cover := m.coverIfNeeded(blk, in)
		switch in.Op {
		case ir.OpInvoke:
			m.call(v, in, cover)
		case ir.OpNew:
			name, err := b.c.Pool.ClassName(uint16(in.Aux))
			if err != nil {
				b.problem(m.r.Name+m.r.Desc, err)
				continue
			}
			b.allocs = append(b.allocs, Alloc{m.site(in, cover, len(b.allocs)-m.alloc0, m.pcs.news), name})
			m.init(in, cover, name)
		case ir.OpGetStatic, ir.OpPutStatic:
			if ref, err := m.low.Member(v); err == nil {
				m.initField(in, cover, uint16(in.Aux), ref)
			}
		case ir.OpConst:
			m.constant(in, cover)
		}
	}
}

// coverIfNeeded numbers the cover of sites only, so that Covers holds no list
// that nothing refers to.
func (m *methodBuilder) coverIfNeeded(blk *ir.Block, in *ir.Instr) uint16 {
	if !in.Throws {
		return 0
	}
	return m.cover(blk.Cover)
}

// repeated tells whether the block is a further copy of one that came before.
// Copies follow each other in m.order.
func (m *methodBuilder) repeated(id ir.BlockID) bool {
	at := slices.Index(m.order, id)
	blocks := m.low.Blocks
	for k := at - 1; k >= 0 && blocks[m.order[k]].PC == blocks[id].PC; k-- {
		if blocks[m.order[k]].End == blocks[id].End {
			return true
		}
	}
	return false
}

// init records that an instruction may initialise a class.
func (m *methodBuilder) init(in *ir.Instr, cover uint16, class string) {
	if class == "" || class[0] == '[' || class == m.b.name && m.initialised() {
		return
	}
	m.addInit(in, cover, class, 0)
}

// initialised tells whether the method's class is initialised, or being initialised by the same
// thread, whenever the method runs: all but instance methods of interfaces. A class initialiser may
// have made objects of a subclass whose interfaces are not initialised yet (JVMS 5.5).
func (m *methodBuilder) initialised() bool {
	return m.b.c.Access&classfile.AccInterface == 0 || m.r.Access&classfile.AccStatic != 0
}

// addInit adds an initialisation; field is the position in builder.refs of the field, one more, 0
// for none.
func (m *methodBuilder) addInit(in *ir.Instr, cover uint16, class string, field uint32) {
	b := m.b
	s := m.site(in, cover, 0, nil)
	s.Ordinal = uint16(len(b.inits) - m.init0)
	b.inits, b.initFields = append(b.inits, Init{Site: s, Class: class}), append(b.initFields, field)
}

// initField records that an instruction may initialise the class that declares a static
// field, ref, the entry at of the constant pool, 0 for one that a method handle names.
func (m *methodBuilder) initField(in *ir.Instr, cover, at uint16, ref classfile.MemberRef) {
	if ref.Owner == "" || ref.Owner[0] == '[' ||
		ref.Owner == m.b.name && m.initialised() && m.b.c.FindField(ref.Name, ref.Desc) != nil {
		return
	}
	m.addInit(in, cover, ref.Owner, m.b.ref(at, ref))
}

// constant records what a load of a constant refers to.
func (m *methodBuilder) constant(in *ir.Instr, cover uint16) {
	b, pool, i := m.b, m.b.c.Pool, uint16(in.Aux)
	from := len(b.handles)
	switch pool.Tag(i) {
	case classfile.TagClass:
		if name, err := pool.ClassName(i); err == nil {
			b.classes = append(b.classes, name)
		}
	case classfile.TagMethodHandle, classfile.TagDynamic:
		b.handles = b.handlesOf(b.handles, i)
	}
	m.initHandles(in, cover, b.handles[from:])
}

// initHandles records the initialisations that calling method handles causes
// (JVMS 5.5): those of static members and constructors.
func (m *methodBuilder) initHandles(in *ir.Instr, cover uint16, hs []Handle) {
	for _, h := range hs {
		switch classfile.RefKind(h.Kind) {
		case classfile.RefGetStatic, classfile.RefPutStatic:
			m.initField(in, cover, 0, classfile.MemberRef{Owner: h.Owner, Name: h.Name, Desc: h.Desc})
		case classfile.RefInvokeStatic, classfile.RefNewInvokeSpecial:
			m.init(in, cover, h.Owner)
		}
	}
}
