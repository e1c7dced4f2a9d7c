package facts

// This file decodes what encode.go encodes.

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errRecord = errors.New("malformed record")

// decoder decodes one record. Reading past the end, and numbers that are too
// large, make it panic with a run-time error, which decode turns into an error:
// records are protected by a checksum, so that it happens only to files that
// were made to break it.
type decoder struct {
	in   []byte
	strs []string // the record's strings; 0 is ""
	last siteState

	parts
	text       []string
	known      int // of refs, those that have been read
	indys      []Indy
	fields     []FlowField
	primitives []FieldName
	flow       []byte
	values     []byte
}

// maxCount bounds the elements of one kind in a record.
const maxCount = 1 << 26

// decode returns the record that in holds. str gives the strings of the store.
func (d *decoder) decode(in []byte, str func(uint32) (string, error)) (r *Class, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("%w: %v", errRecord, p)
		}
	}()
	d.in = in
	n := d.count()
	d.strs = append(d.strs[:0], "")
	id := uint32(0)
	for range n {
		id += uint32(d.uint())
		s, err := str(id)
		if err != nil {
			return nil, err
		}
		d.strs = append(d.strs, s)
	}
	var counts recordCounts
	counts.each(func(p *int) { *p = d.count() })
	if sum := counts.sum(); sum > len(in) {
		return nil, errRecord
	}
	d.allocate(&counts)
	r = &Class{Methods: some[Method](counts.methods)}
	d.class(r)
	return r, nil
}

func (n *recordCounts) sum() (sum int) {
	n.each(func(p *int) { sum += *p })
	return sum
}

func (d *decoder) allocate(n *recordCounts) {
	d.text, d.handlers, d.table = some[string](n.strings), some[Handler](n.handlers), some[TableEntry](n.table)
	d.covers, d.coverIdx, d.calls = some[[]uint16](n.covers), some[uint16](n.coverIdx), some[Call](n.calls)
	d.refs, d.known = some[MemberRef](n.refs), 0
	d.callDetails, d.details = some[CallDetails](n.callDetails), some[MethodDetails](n.details)
	d.consts, d.throws, d.sources = some[Const](n.consts), some[Throw](n.throws), some[Source](n.sources)
	d.causes, d.allocs, d.inits = some[uint16](n.causes), some[Alloc](n.allocs), some[Init](n.inits)
	d.handles, d.implicit, d.indys = some[Handle](n.handles), some[Implicit](n.implicit), some[Indy](n.indys)
	d.fields, d.primitives = some[FlowField](n.fields), some[FieldName](n.primitives)
	d.flow, d.values = some[byte](n.flow), some[byte](n.values)
}

func some[T any](n int) []T {
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

func (d *decoder) byte() byte {
	b := d.in[0]
	d.in = d.in[1:]
	return b
}

func (d *decoder) uint() uint64 {
	if b := d.in[0]; b < 0x80 {
		d.in = d.in[1:]
		return uint64(b)
	}
	v, n := binary.Uvarint(d.in)
	if n <= 0 {
		panic("varint")
	}
	d.in = d.in[n:]
	return v
}

func (d *decoder) int() int64 {
	u := d.uint()
	return int64(u>>1) ^ -int64(u&1)
}

func (d *decoder) count() int {
	n := d.uint()
	if n > maxCount {
		panic("count")
	}
	return int(n)
}

func (d *decoder) str() string    { return d.strs[d.uint()] }
func (d *decoder) flag() bool     { return d.byte() != 0 }
func (d *decoder) bytes(b []byte) { d.in = d.in[copy(b, d.in[:len(b)]):] }

func (d *decoder) stringList() []string {
	list := cut(&d.text, d.count())
	for i := range list {
		list[i] = d.str()
	}
	return list
}

func (d *decoder) class(r *Class) {
	r.Name, r.Super = d.str(), d.str()
	r.Interfaces = d.stringList()
	r.Access, r.Major = uint16(d.uint()), uint16(d.uint())
	r.SourceFile = d.str()
	d.bytes(r.Digest[:])
	r.Outer, r.OuterMethod, r.OuterDesc = d.str(), d.str(), d.str()
	r.Signature = d.str()
	r.Annotations = d.stringList()
	r.Named = d.stringList()
	r.Fields = cut(&d.fields, d.count())
	for i := range r.Fields {
		f := &r.Fields[i]
		f.Name, f.Desc, f.Signature, f.Static, f.Synthetic = d.str(), d.str(), d.str(), d.flag(), d.flag()
		if f.Made = d.flag(); f.Made {
			f.NullTo = int32(d.uint())
		}
		f.Marks, f.Stored = d.str(), d.flag()
	}
	r.Primitives = cut(&d.primitives, d.count())
	for i := range r.Primitives {
		f := &r.Primitives[i]
		f.Name, f.Desc = d.str(), d.str()
	}
	r.FlowNames = d.stringList()
	for range d.count() {
		r.Noted = append(r.Noted, [3]string{d.str(), d.str(), d.str()})
	}
	r.ValueNames = d.stringList()
	for i := range r.Methods {
		d.method(&r.Methods[i])
	}
}

func (d *decoder) method(m *Method) {
	m.Name, m.Desc = d.str(), d.str()
	flags := d.uint()
	m.Access, m.ThrowsVariable, m.HasCode = uint16(flags>>methodFlags), flags&methodThrowsVariable != 0,
		flags&methodCode != 0
	if flags&methodSignature != 0 {
		m.Signature = d.str()
	}
	if flags&methodDigest != 0 {
		d.bytes(m.CodeDigest[:])
	}
	if m.HasCode {
		m.FirstLine = int32(d.int())
		d.code(m)
	}
	if flags&methodDetails != 0 {
		m.Details = &cut(&d.details, 1)[0]
		d.methodDetails(m.Details, m.FirstLine)
	}
}

// sites begins a list of sites of a method and returns their number.
func (d *decoder) sites(firstLine int32) int {
	d.last = siteState{line: int64(firstLine), ordinal: -1}
	return d.count()
}

func (d *decoder) code(m *Method) {
	m.Calls = cut(&d.calls, d.sites(m.FirstLine))
	for i := range m.Calls {
		d.call(&m.Calls[i])
	}
	m.Allocs = cut(&d.allocs, d.sites(m.FirstLine))
	for i := range m.Allocs {
		d.site(&m.Allocs[i].Site)
		m.Allocs[i].Type = d.str()
	}
	m.Inits = cut(&d.inits, d.sites(m.FirstLine))
	for i := range m.Inits {
		d.init(&m.Inits[i])
	}
	m.Flow = cut(&d.flow, d.count())
	d.bytes(m.Flow)
	m.Values = cut(&d.values, d.count())
	d.bytes(m.Values)
}

func (d *decoder) init(x *Init) {
	d.site(&x.Site)
	if d.flag() {
		x.Field = d.ref()
		x.Class = x.Field.Owner
	} else {
		x.Class = d.str()
	}
}

func (d *decoder) methodDetails(m *MethodDetails, firstLine int32) {
	m.Declared, m.Annotations = d.stringList(), d.stringList()
	if m.Handlers = cut(&d.handlers, d.count()); len(m.Handlers) > 0 {
		d.tables(m)
	}
	m.Throws = cut(&d.throws, d.sites(firstLine))
	for i := range m.Throws {
		d.throw(&m.Throws[i])
	}
	m.Handles = cut(&d.handles, d.count())
	for i := range m.Handles {
		d.handle(&m.Handles[i])
	}
	m.Classes = d.stringList()
	m.Noted = int(min(d.uint(), uint64(len(m.Classes))))
	m.Strings = d.stringList()
	m.Implicit = cut(&d.implicit, d.sites(firstLine))
	for i := range m.Implicit {
		d.site(&m.Implicit[i].Site)
		m.Implicit[i].Kind = ImplicitKind(d.uint())
	}
}

func (d *decoder) tables(m *MethodDetails) {
	for i := range m.Handlers {
		h := &m.Handlers[i]
		h.PC, h.Line = int32(d.uint()), int32(d.uint())
		h.Types = d.stringList()
		h.StoreLine = int32(d.uint())
		h.Param = d.str()
		h.Rethrows = d.flag()
	}
	m.Table = cut(&d.table, d.count())
	for i := range m.Table {
		t := &m.Table[i]
		t.Start, t.End = int32(d.uint()), int32(d.uint())
		t.Handler = uint16(d.uint())
		t.Type = d.str()
	}
	m.Covers = cut(&d.covers, d.count())
	for i := range m.Covers {
		list := cut(&d.coverIdx, d.count())
		for k := range list {
			list[k] = uint16(d.uint())
		}
		m.Covers[i] = list
	}
}

func (d *decoder) site(s *Site) {
	l := &d.last
	l.pc += int64(d.uint())
	l.line += d.int()
	s.Cover = uint16(d.uint())
	l.ordinal += d.int() + 1
	s.PC, s.Line, s.Ordinal = int32(l.pc), int32(l.line), uint16(l.ordinal)
}

func (d *decoder) call(c *Call) {
	flags := d.byte()
	c.Kind = CallKind(flags & callKindMask)
	c.OwnerIsInterface = flags&callOwnerItf != 0
	c.RecvExact = flags&callRecvExact != 0
	c.DropsClass = flags&callDrops != 0
	d.site(&c.Site)
	c.MemberRef = d.ref()
	if flags&(callRecv|callArgs) == 0 && c.Kind != Dynamic {
		return
	}
	c.Details = &cut(&d.callDetails, 1)[0]
	if flags&callRecv != 0 {
		c.Details.Recv = d.str()
	}
	if flags&callArgs != 0 {
		c.Details.Args = cut(&d.consts, d.count())
		for i := range c.Details.Args {
			a := &c.Details.Args[i]
			if a.Kind = ConstKind(d.byte()); a.Kind == StringConst || a.Kind == ClassConst {
				a.Value = d.str()
			}
		}
	}
	if c.Kind == Dynamic {
		c.Details.Indy = &cut(&d.indys, 1)[0]
		d.indy(c.Details.Indy)
	}
}

// ref decodes a method or field that is named.
func (d *decoder) ref() *MemberRef {
	n := d.count()
	if n > d.known {
		panic("reference")
	}
	if n > 0 {
		return &d.refs[n-1]
	}
	r := &d.refs[d.known]
	d.known++
	r.Owner, r.Name, r.Desc = d.str(), d.str(), d.str()
	return r
}

func (d *decoder) indy(i *Indy) {
	i.Kind = IndyKind(d.byte())
	d.handle(&i.Bootstrap)
	if i.Kind == LambdaIndy {
		i.Interface, i.SAM, i.SAMDesc, i.Instantiated = d.str(), d.str(), d.str(), d.str()
		i.Markers, i.Bridges = d.stringList(), d.stringList()
		d.handle(&i.Impl)
	}
	i.Handles = cut(&d.handles, d.count())
	for k := range i.Handles {
		d.handle(&i.Handles[k])
	}
}

func (d *decoder) handle(h *Handle) {
	kind := d.byte()
	h.Kind, h.OwnerIsInterface = kind>>1, kind&1 != 0
	h.Owner, h.Name, h.Desc = d.str(), d.str(), d.str()
}

func (d *decoder) throw(t *Throw) {
	d.site(&t.Site)
	t.Sources = cut(&d.sources, d.count())
	for i := range t.Sources {
		s := &t.Sources[i]
		s.Kind = SourceKind(d.byte())
		s.Type = d.str()
		s.Handler = uint16(d.uint())
		s.Call = int32(d.int())
	}
	t.Causes = cut(&d.causes, d.count())
	for i := range t.Causes {
		t.Causes[i] = uint16(d.uint())
	}
}
