package facts

// This file records invocations.

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// call records one invoke instruction.
func (m *methodBuilder) call(v ir.Value, in *ir.Instr, cover uint16) {
	b := m.b
	ref, err := m.low.Member(v)
	if err != nil {
		b.problem(m.r.Name+m.r.Desc, err)
		return
	}
	c := Call{Site: m.site(in, cover, len(b.calls)-m.call0, m.pcs.invokes), OwnerIsInterface: ref.Interface}
	var d CallDetails
	args := m.low.Args(v)
	switch in.Code {
	case classfile.OpInvokevirtual:
		c.Kind = Virtual
	case classfile.OpInvokeinterface:
		c.Kind = Interface
	case classfile.OpInvokespecial:
		c.Kind = Special
	case classfile.OpInvokestatic:
		c.Kind = Static
		m.init(in, cover, ref.Owner)
	case classfile.OpInvokedynamic:
		c.Kind = Dynamic
		d.Indy = m.indy(uint16(in.Aux))
		m.initHandles(in, cover, d.Indy.Handles)
	}
	if c.Kind == Virtual || c.Kind == Interface {
		d.Recv, c.RecvExact = m.receiver(args[0], v, ref.Owner)
	}
	if c.Kind != Static && c.Kind != Dynamic {
		args = args[1:]
	}
	d.Args = m.constArgs(args)
	b.addCall(c, uint16(in.Aux), ref, d)
}

// callParts are the positions in builder.refs and builder.callDetails of what a call
// points to; details is one more, 0 for none.
type callParts struct{ ref, details uint32 }

// addCall adds a call of the entry at of the constant pool, which is ref.
func (b *builder) addCall(c Call, at uint16, ref classfile.MemberRef, d CallDetails) {
	parts := callParts{ref: b.ref(at, ref) - 1}
	c.MemberRef = &b.refs[parts.ref]
	if d.Recv != "" || d.Args != nil || d.Indy != nil {
		b.callDetails = append(b.callDetails, d)
		parts.details = uint32(len(b.callDetails))
		c.Details = &b.callDetails[parts.details-1]
	}
	b.calls, b.callParts = append(b.calls, c), append(b.callParts, parts)
}

// ref is the position in builder.refs, one more, of the entry at of the constant pool, which is
// ref; a new one where at is 0.
func (b *builder) ref(at uint16, ref classfile.MemberRef) uint32 {
	if at != 0 && b.refAt[at] != 0 {
		return b.refAt[at]
	}
	b.refs = append(b.refs, MemberRef{Owner: ref.Owner, Name: ref.Name, Desc: ref.Desc})
	b.refAt[at] = uint32(len(b.refs))
	return b.refAt[at]
}

// copyCalls copies the calls and initialisations of the class with what they point to.
func (b *builder) copyCalls() ([]Call, []Init) {
	calls, inits, refs, details, consts := clone(b.calls), clone(b.inits), clone(b.refs), clone(b.callDetails),
		clone(b.consts)
	for i, at := range b.initFields {
		if at > 0 {
			inits[i].Field = &refs[at-1]
		}
	}
	for i := range details {
		details[i].Args = cut(&consts, len(details[i].Args))
	}
	for i, p := range b.callParts {
		calls[i].MemberRef = &refs[p.ref]
		if p.details > 0 {
			calls[i].Details = &details[p.details-1]
		}
	}
	return calls, inits
}

// receiver returns the class of a receiver where more is known than the owner
// that the instruction names.
func (m *methodBuilder) receiver(recv, at ir.Value, owner string) (name string, exact bool) {
	if m.copies {
		return "", false // the copies of a subroutine may differ
	}
	switch m.low.Instrs[recv].Op {
	case ir.OpPhi, ir.OpCheckCast:
		name, exact = m.joinedType(recv, at)
	default:
		name, exact = m.low.Type(recv)
	}
	if name == "" || name[0] == '[' || !exact && (name == owner || name == "java/lang/Object") {
		return "", false
	}
	return name, exact
}

// joinedType is the one type of all origins of a value, null left out.
func (m *methodBuilder) joinedType(v, at ir.Value) (name string, exact bool) {
	m.origins = m.low.Origins(v, at, nil, m.origins[:0])
	exact = true
	for _, o := range m.origins {
		in := &m.low.Instrs[o.Value]
		if in.Op == ir.OpConst && in.Code == classfile.OpAconstNull {
			continue
		}
		t, ex := m.low.Type(o.Value)
		if !ex && o.Cast != 0 {
			t, _ = m.b.c.Pool.ClassName(uint16(o.Cast))
		}
		if t == "" || name != "" && t != name {
			return "", false
		}
		name, exact = t, exact && ex
	}
	return name, exact && name != ""
}

// constArgs returns the constants among arguments, nil where there is none.
func (m *methodBuilder) constArgs(args []ir.Value) []Const {
	if m.copies {
		return nil
	}
	b := m.b
	from := len(b.consts)
	any := false
	for _, a := range args {
		c := m.constOf(a)
		any = any || c.Kind != NoConst
		b.consts = append(b.consts, c)
	}
	if !any {
		b.consts = b.consts[:from]
		return nil
	}
	return b.consts[from:]
}

// constOf returns the constant that a value is, casts looked through.
func (m *methodBuilder) constOf(v ir.Value) Const {
	in := &m.low.Instrs[v]
	for in.Op == ir.OpCheckCast {
		in = &m.low.Instrs[m.low.Args(v)[0]]
		if in.Op == ir.OpCheckCast {
			return Const{}
		}
	}
	if in.Op != ir.OpConst {
		return Const{}
	}
	switch in.Code {
	case classfile.OpAconstNull:
		return Const{Kind: NullConst}
	case classfile.OpLdc:
		pool, i := m.b.c.Pool, uint16(in.Aux)
		switch pool.Tag(i) {
		case classfile.TagString:
			s, _ := pool.String(i)
			return Const{StringConst, s}
		case classfile.TagClass:
			s, _ := pool.ClassName(i)
			return Const{ClassConst, s}
		}
	}
	return Const{}
}

// maxCondys bounds the dynamic constants that one constant may consist of;
// compilers nest one or two.
const maxCondys = 1024

// handlesOf appends the method handles that a loadable constant consists of: a
// handle itself, of a dynamic constant its bootstrap method and arguments, each
// dynamic constant once.
func (b *builder) handlesOf(to []Handle, i uint16) []Handle {
	b.condys = b.condys[:0]
	return b.moreHandles(to, i)
}

func (b *builder) moreHandles(to []Handle, i uint16) []Handle {
	pool := b.c.Pool
	switch pool.Tag(i) {
	case classfile.TagMethodHandle:
		if h, err := pool.MethodHandle(i); err == nil {
			to = append(to, handleOf(h))
		}
	case classfile.TagDynamic:
		d, err := pool.Dynamic(i)
		if err != nil || slices.Contains(b.condys, i) || len(b.condys) == maxCondys {
			return to
		}
		b.condys = append(b.condys, i)
		if bm := b.bootstrap(d.Bootstrap); bm != nil {
			to = b.moreHandles(to, bm.Handle)
			for _, a := range bm.Args {
				to = b.moreHandles(to, a)
			}
		}
	}
	return to
}

func handleOf(h classfile.MethodHandle) Handle {
	return Handle{uint8(h.Kind), h.Owner, h.Name, h.Desc, h.Interface}
}

// bootstrapKinds classifies bootstrap methods by owner and name.
var bootstrapKinds = map[[2]string]IndyKind{
	{"java/lang/invoke/LambdaMetafactory", "metafactory"}:               LambdaIndy,
	{"java/lang/invoke/LambdaMetafactory", "altMetafactory"}:            LambdaIndy,
	{"java/lang/invoke/StringConcatFactory", "makeConcat"}:              ConcatIndy,
	{"java/lang/invoke/StringConcatFactory", "makeConcatWithConstants"}: ConcatIndy,
	{"java/lang/runtime/ObjectMethods", "bootstrap"}:                    RecordIndy,
	{"java/lang/runtime/SwitchBootstraps", "typeSwitch"}:                SwitchIndy,
	{"java/lang/runtime/SwitchBootstraps", "enumSwitch"}:                SwitchIndy,
}

// indy describes the call site of an InvokeDynamic entry.
func (m *methodBuilder) indy(i uint16) *Indy {
	b, pool := m.b, m.b.c.Pool
	r := &Indy{}
	d, err := pool.InvokeDynamic(i)
	if err != nil {
		return r
	}
	bm := b.bootstrap(d.Bootstrap)
	if bm == nil {
		return r
	}
	h, err := pool.MethodHandle(bm.Handle)
	if err != nil {
		return r
	}
	r.Bootstrap = handleOf(h)
	r.Kind = bootstrapKinds[[2]string{h.Owner, h.Name}]
	for _, a := range bm.Args {
		r.Handles = b.handlesOf(r.Handles, a)
	}
	if r.Kind == LambdaIndy && !b.lambda(r, d, bm.Args, h.Name == "altMetafactory") {
		r.Kind = OtherIndy
	}
	return r
}

// recipe is what a call site of StringConcatFactory puts together, with its constants in their
// places and \x01 for each argument; UnknownString where it cannot be read.
func (b *builder) recipe(i uint16) string {
	d, _ := b.c.Pool.InvokeDynamic(i)
	out := UnknownString
	for k, a := range b.bootstrap(d.Bootstrap).Args {
		s, err := b.c.Pool.String(a)
		if err != nil {
			return UnknownString
		}
		if k == 0 {
			out = s
		} else {
			out = strings.Replace(out, "\x02", s, 1)
		}
	}
	return out
}

// Flags of LambdaMetafactory.altMetafactory.
const (
	flagSerializable = 1
	flagMarkers      = 2
	flagBridges      = 4
)

// lambda reads the static arguments of LambdaMetafactory's methods; false where
// they are not what those take.
func (b *builder) lambda(r *Indy, d classfile.DynamicRef, args []uint16, alt bool) bool {
	pool := b.c.Pool
	if len(args) < 3 {
		return false
	}
	impl, err1 := pool.MethodHandle(args[1])
	sam, err2 := pool.MethodType(args[0])
	inst, err3 := pool.MethodType(args[2])
	md, err4 := classfile.ParseMethodDescriptor(d.Desc)
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return false
	}
	r.Interface, r.SAM = classfile.DescriptorClass(md.Return), d.Name
	r.SAMDesc, r.Instantiated, r.Impl = sam, inst, handleOf(impl)
	if !alt || len(args) < 4 {
		return true
	}
	flags, err := pool.Integer(args[3])
	if err != nil {
		return false
	}
	rest := args[4:]
	// list reads a count and that many constants.
	list := func(get func(uint16) (string, error)) (names []string) {
		if len(rest) == 0 {
			return nil
		}
		n, err := pool.Integer(rest[0])
		if rest = rest[1:]; err != nil || n < 0 || int(n) > len(rest) {
			return nil
		}
		for _, a := range rest[:n] {
			if s, err := get(a); err == nil {
				names = append(names, s)
			}
		}
		rest = rest[n:]
		return names
	}
	if flags&flagMarkers != 0 {
		r.Markers = list(pool.ClassName)
	}
	if flags&flagBridges != 0 {
		r.Bridges = list(pool.MethodType)
	}
	if flags&flagSerializable != 0 && !slices.Contains(r.Markers, "java/io/Serializable") {
		r.Markers = append(r.Markers, "java/io/Serializable")
	}
	return true
}
