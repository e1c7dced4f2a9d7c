package facts

// This file encodes records for the store. A record is
//
//	count of its distinct strings, their numbers in the store as ascending deltas
//	counts of the elements of each kind, for the decoder's slices
//	the fields, integers as varints, strings as numbers in the record's list
//
// where string 0 is "". A method or field that a call or an initialisation names stands where the
// record first names it; later ones have its number. PCs, lines and ordinals are stored as
// differences to the site before. decode.go reads it; FormatVersion changes with it.

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// FormatVersion is the version of the store's format and of the meaning of
// records. A store of another version is rebuilt.
const FormatVersion = 30

// Flags of an encoded method; its access flags are above them.
const (
	methodThrowsVariable = 1 << iota
	methodCode
	methodDetails
	methodDigest
	methodSignature
	methodFlags = iota // number of flags
)

// encoder encodes one record after the other.
type encoder struct {
	global func(string) uint32 // numbers a string of the store
	locals map[string]uint32   // the record's strings -> position in names
	names  []string            // the record's strings in the order of their first use
	list   []uint32            // their numbers in the store
	order  []int               // positions in names by ascending number
	rank   []uint32            // by position in names: number in the record's list
	uses   []uint32            // positions in names of all strings in the order of their use
	used   int                 // how many of uses the second pass has written
	refs   map[*MemberRef]int  // what calls and initialisations of the record name -> its number, from 1 on
	second bool
	out    []byte
	last   siteState
}

// siteState is the site before, per kind of site.
type siteState struct{ pc, line, ordinal int64 }

// record returns the encoded record; the memory is used again by the next call.
// Fields are walked twice: the first time to find the strings.
func (e *encoder) record(r *Class) []byte {
	if e.locals == nil {
		e.locals = make(map[string]uint32)
		e.refs = make(map[*MemberRef]int)
	}
	clear(e.locals)
	e.names, e.uses, e.out, e.second = e.names[:0], e.uses[:0], e.out[:0], false
	e.class(r)
	e.list, e.order = e.list[:0], e.order[:0]
	for i, s := range e.names {
		e.list = append(e.list, e.global(s))
		e.order = append(e.order, i)
	}
	slices.SortFunc(e.order, func(a, b int) int { return cmp.Compare(e.list[a], e.list[b]) })
	e.rank = append(e.rank[:0], e.list...)
	e.out = e.out[:0]
	e.uint(uint64(len(e.order)))
	last := uint32(0)
	for rank, i := range e.order {
		e.rank[i] = uint32(rank + 1)
		e.uint(uint64(e.list[i] - last))
		last = e.list[i]
	}
	e.counts(r)
	e.used, e.second = 0, true
	e.class(r)
	clear(e.refs) // they keep the record in memory
	return e.out
}

func (e *encoder) uint(v uint64) { e.out = binary.AppendUvarint(e.out, v) }
func (e *encoder) int(v int64)   { e.out = binary.AppendVarint(e.out, v) }

func (e *encoder) str(s string) {
	if s == "" {
		e.out = append(e.out, 0)
		return
	}
	if e.second {
		e.uint(uint64(e.rank[e.uses[e.used]]))
		e.used++
		return
	}
	i, ok := e.locals[s]
	if !ok {
		i = uint32(len(e.names))
		e.locals[s] = i
		e.names = append(e.names, s)
	}
	e.uses = append(e.uses, i)
}

func (e *encoder) strs(list []string) {
	e.uint(uint64(len(list)))
	for _, s := range list {
		e.str(s)
	}
}

// recordCounts are the numbers of elements in all methods of a record.
type recordCounts struct {
	methods, strings, handlers, table, covers, coverIdx, calls, refs, callDetails, details, consts, throws, sources,
	causes,
	allocs, inits, handles, implicit, indys, fields, primitives, flow, values int
}

// each calls f for each count, in the order in which they are stored.
func (n *recordCounts) each(f func(*int)) {
	for _, p := range [...]*int{
		&n.methods, &n.strings, &n.handlers, &n.table, &n.covers, &n.coverIdx, &n.calls, &n.refs, &n.callDetails,
		&n.details, &n.consts,
		&n.throws, &n.sources, &n.causes, &n.allocs, &n.inits, &n.handles, &n.implicit, &n.indys,
		&n.fields, &n.primitives, &n.flow, &n.values,
	} {
		f(p)
	}
}

// counts encodes how many elements of each kind there are, after a walk of the fields.
func (e *encoder) counts(r *Class) {
	n := recordCounts{methods: len(r.Methods), refs: len(e.refs),
		strings: len(r.Interfaces) + len(r.Annotations) + len(r.Named) + len(r.FlowNames) +
			len(r.ValueNames),
		fields: len(r.Fields), primitives: len(r.Primitives)}
	for i := range r.Methods {
		m := &r.Methods[i]
		if m.Details != nil {
			n.addDetails(m.Details)
		}
		n.calls += len(m.Calls)
		for j := range m.Calls {
			if d := m.Calls[j].Details; d != nil {
				n.callDetails++
				n.consts += len(d.Args)
				if d.Indy != nil {
					n.indys++
					n.strings += len(d.Indy.Markers) + len(d.Indy.Bridges)
					n.handles += len(d.Indy.Handles)
				}
			}
		}
		n.allocs += len(m.Allocs)
		n.inits += len(m.Inits)
		n.flow += len(m.Flow)
		n.values += len(m.Values)
	}
	n.each(func(p *int) { e.uint(uint64(*p)) })
}

func (n *recordCounts) addDetails(d *MethodDetails) {
	n.details++
	n.strings += len(d.Declared) + len(d.Annotations) + len(d.Classes) + len(d.Strings)
	n.handlers += len(d.Handlers)
	for _, h := range d.Handlers {
		n.strings += len(h.Types)
	}
	n.table += len(d.Table)
	n.covers += len(d.Covers)
	for _, c := range d.Covers {
		n.coverIdx += len(c)
	}
	n.throws += len(d.Throws)
	for _, t := range d.Throws {
		n.sources += len(t.Sources)
		n.causes += len(t.Causes)
	}
	n.handles += len(d.Handles)
	n.implicit += len(d.Implicit)
}

func (e *encoder) class(r *Class) {
	clear(e.refs)
	e.str(r.Name)
	e.str(r.Super)
	e.strs(r.Interfaces)
	e.uint(uint64(r.Access))
	e.uint(uint64(r.Major))
	e.str(r.SourceFile)
	e.out = append(e.out, r.Digest[:]...)
	e.str(r.Outer)
	e.str(r.OuterMethod)
	e.str(r.OuterDesc)
	e.str(r.Signature)
	e.strs(r.Annotations)
	e.strs(r.Named)
	e.uint(uint64(len(r.Fields)))
	for _, f := range r.Fields {
		e.str(f.Name)
		e.str(f.Desc)
		e.str(f.Signature)
		e.flag(f.Static)
		e.flag(f.Synthetic)
		e.flag(f.Made)
		if f.Made {
			e.uint(uint64(f.NullTo))
		}
		e.str(f.Marks)
		e.flag(f.Stored)
	}
	e.uint(uint64(len(r.Primitives)))
	for _, f := range r.Primitives {
		e.str(f.Name)
		e.str(f.Desc)
	}
	e.strs(r.FlowNames)
	e.uint(uint64(len(r.Noted)))
	for _, n := range r.Noted {
		e.str(n[0])
		e.str(n[1])
		e.str(n[2])
	}
	e.strs(r.ValueNames)
	for i := range r.Methods {
		e.method(&r.Methods[i])
	}
}

func (e *encoder) method(m *Method) {
	e.str(m.Name)
	e.str(m.Desc)
	flags := uint64(m.Access) << methodFlags
	if m.ThrowsVariable {
		flags |= methodThrowsVariable
	}
	if m.HasCode {
		flags |= methodCode
	}
	if m.Details != nil {
		flags |= methodDetails
	}
	digest := m.CodeDigest != [16]byte{}
	if digest {
		flags |= methodDigest
	}
	if m.Signature != "" {
		flags |= methodSignature
	}
	e.uint(flags)
	if m.Signature != "" {
		e.str(m.Signature)
	}
	if digest {
		e.out = append(e.out, m.CodeDigest[:]...)
	}
	if m.HasCode {
		e.int(int64(m.FirstLine))
		e.code(m)
	}
	if m.Details != nil {
		e.details(m.Details, m.FirstLine)
	}
}

// sites begins a list of n sites of a method.
func (e *encoder) sites(n int, firstLine int32) {
	e.uint(uint64(n))
	e.last = siteState{line: int64(firstLine), ordinal: -1}
}

func (e *encoder) code(m *Method) {
	e.sites(len(m.Calls), m.FirstLine)
	for i := range m.Calls {
		e.call(&m.Calls[i])
	}
	e.sites(len(m.Allocs), m.FirstLine)
	for i := range m.Allocs {
		e.site(&m.Allocs[i].Site)
		e.str(m.Allocs[i].Type)
	}
	e.sites(len(m.Inits), m.FirstLine)
	for i := range m.Inits {
		e.init(&m.Inits[i])
	}
	e.uint(uint64(len(m.Flow)))
	e.out = append(e.out, m.Flow...)
	e.uint(uint64(len(m.Values)))
	e.out = append(e.out, m.Values...)
}

// init encodes an initialisation: of one that names a field, only that.
func (e *encoder) init(x *Init) {
	e.site(&x.Site)
	e.flag(x.Field != nil)
	if x.Field != nil {
		e.ref(x.Field)
	} else {
		e.str(x.Class)
	}
}

func (e *encoder) details(d *MethodDetails, firstLine int32) {
	e.strs(d.Declared)
	e.strs(d.Annotations)
	e.uint(uint64(len(d.Handlers)))
	if len(d.Handlers) > 0 {
		e.tables(d)
	}
	e.sites(len(d.Throws), firstLine)
	for i := range d.Throws {
		e.throw(&d.Throws[i])
	}
	e.uint(uint64(len(d.Handles)))
	for i := range d.Handles {
		e.handle(&d.Handles[i])
	}
	e.strs(d.Classes)
	e.uint(uint64(d.Noted))
	e.strs(d.Strings)
	e.sites(len(d.Implicit), firstLine)
	for i := range d.Implicit {
		e.site(&d.Implicit[i].Site)
		e.uint(uint64(d.Implicit[i].Kind))
	}
}

// tables encodes handlers, exception table and covers.
func (e *encoder) tables(d *MethodDetails) {
	for _, h := range d.Handlers {
		e.uint(uint64(h.PC))
		e.uint(uint64(h.Line))
		e.strs(h.Types)
		e.uint(uint64(h.StoreLine))
		e.str(h.Param)
		e.flag(h.Rethrows)
	}
	e.uint(uint64(len(d.Table)))
	for _, t := range d.Table {
		e.uint(uint64(t.Start))
		e.uint(uint64(t.End))
		e.uint(uint64(t.Handler))
		e.str(t.Type)
	}
	e.uint(uint64(len(d.Covers)))
	for _, c := range d.Covers {
		e.uint(uint64(len(c)))
		for _, i := range c {
			e.uint(uint64(i))
		}
	}
}

func (e *encoder) flag(b bool) {
	if b {
		e.out = append(e.out, 1)
	} else {
		e.out = append(e.out, 0)
	}
}

// site encodes a site relative to the one before it.
func (e *encoder) site(s *Site) {
	l := &e.last
	e.uint(uint64(int64(s.PC) - l.pc))
	e.int(int64(s.Line) - l.line)
	e.uint(uint64(s.Cover))
	e.int(int64(s.Ordinal) - l.ordinal - 1)
	*l = siteState{int64(s.PC), int64(s.Line), int64(s.Ordinal)}
}

// Flags of an encoded call, above the three bits of its kind.
const (
	callKindMask  = 7
	callOwnerItf  = 8
	callRecv      = 16
	callRecvExact = 32
	callArgs      = 64
	callDrops     = 128
)

func (e *encoder) call(c *Call) {
	flags := byte(c.Kind)
	if c.OwnerIsInterface {
		flags |= callOwnerItf
	}
	recv, args := c.Recv(), c.Args()
	if recv != "" {
		flags |= callRecv
	}
	if c.RecvExact {
		flags |= callRecvExact
	}
	if args != nil {
		flags |= callArgs
	}
	if c.DropsClass {
		flags |= callDrops
	}
	e.out = append(e.out, flags)
	e.site(&c.Site)
	e.ref(c.MemberRef)
	if recv != "" {
		e.str(recv)
	}
	if args != nil {
		e.uint(uint64(len(args)))
		for _, a := range args {
			e.out = append(e.out, byte(a.Kind))
			if a.Kind == StringConst || a.Kind == ClassConst {
				e.str(a.Value)
			}
		}
	}
	if c.Kind == Dynamic {
		e.indy(c.Indy())
	}
}

// ref encodes a method or field that is named: 0 and the names the first time, then the number.
func (e *encoder) ref(r *MemberRef) {
	n := e.refs[r]
	e.uint(uint64(n))
	if n == 0 {
		e.refs[r] = len(e.refs) + 1
		e.str(r.Owner)
		e.str(r.Name)
		e.str(r.Desc)
	}
}

func (e *encoder) indy(i *Indy) {
	e.out = append(e.out, byte(i.Kind))
	e.handle(&i.Bootstrap)
	if i.Kind == LambdaIndy {
		e.str(i.Interface)
		e.str(i.SAM)
		e.str(i.SAMDesc)
		e.str(i.Instantiated)
		e.strs(i.Markers)
		e.strs(i.Bridges)
		e.handle(&i.Impl)
	}
	e.uint(uint64(len(i.Handles)))
	for k := range i.Handles {
		e.handle(&i.Handles[k])
	}
}

func (e *encoder) handle(h *Handle) {
	kind := h.Kind << 1
	if h.OwnerIsInterface {
		kind |= 1
	}
	e.out = append(e.out, kind)
	e.str(h.Owner)
	e.str(h.Name)
	e.str(h.Desc)
}

func (e *encoder) throw(t *Throw) {
	e.site(&t.Site)
	e.uint(uint64(len(t.Sources)))
	for i := range t.Sources {
		s := &t.Sources[i]
		e.out = append(e.out, byte(s.Kind))
		e.str(s.Type)
		e.uint(uint64(s.Handler))
		e.int(int64(s.Call))
	}
	e.uint(uint64(len(t.Causes)))
	for _, h := range t.Causes {
		e.uint(uint64(h))
	}
}
