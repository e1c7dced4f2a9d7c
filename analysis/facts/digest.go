package facts

// This file computes CodeDigest, the key of a method's code (DESIGN D6).
//
// What enters it: the descriptor and those flags that change what the method
// does, the instructions with resolved constants, targets as numbers of
// instructions, and the exception table. What does not: the method's name,
// debug information, frames, the numbering of the constant pool, and whatever
// depends on it (ldc or ldc_w, goto or goto_w, padding of switches), and the
// name of the class itself where it owns a member or is a constant. The
// synthetic methods of lambdas (lambda$f$12, lambda$0) are named by their own
// digest wherever the class refers to them; $deserializeLambda$, which holds
// their names as strings, by the lambdas that it makes.

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// digester computes the digests of one class's methods.
type digester struct {
	c       *classfile.Class
	b       *builder
	done    []bool
	sums    [][16]byte
	active  []bool              // being computed: a lambda that contains itself
	lambdas map[string]int      // name and descriptor of synthetic lambda methods -> method index
	texts   [][]byte            // free buffers
	condys  map[uint16][32]byte // digests of dynamic constants, by pool index
	index   []int32             // by pc: number of the instruction
}

func (d *digester) reset(c *classfile.Class, b *builder) {
	n := len(c.Methods)
	d.c, d.b, d.lambdas, d.condys = c, b, nil, nil
	d.done, d.active = append(d.done[:0], make([]bool, n)...), append(d.active[:0], make([]bool, n)...)
	d.sums = append(d.sums[:0], make([][16]byte, n)...)
}

// semanticFlags are the access flags that change what executing code does.
const semanticFlags = classfile.AccStatic | classfile.AccSynchronized | classfile.AccNative | classfile.AccAbstract |
	classfile.AccStrict

// method returns the digest of the method with that index.
func (d *digester) method(i int) [16]byte {
	if d.done[i] {
		return d.sums[i]
	}
	d.active[i] = true
	var text []byte
	if n := len(d.texts); n > 0 {
		text, d.texts = d.texts[n-1][:0], d.texts[:n-1]
	}
	m := d.c.Methods[i]
	text = append(text, 1) // version of the form
	text = binary.LittleEndian.AppendUint16(text, m.Access&semanticFlags)
	text = appendText(text, d.c.MemberDesc(m))
	if code, err := d.c.Code(m); err == nil && code != nil {
		if d.c.MemberName(m) == "$deserializeLambda$" && m.Access&classfile.AccSynthetic != 0 {
			text = d.sites(text, code)
		} else {
			text = d.code(text, code)
		}
	}
	sum := sha256.Sum256(text)
	d.texts = append(d.texts, text)
	d.active[i], d.done[i] = false, true
	d.sums[i] = [16]byte(sum[:16])
	return d.sums[i]
}

func appendText(to []byte, s string) []byte {
	to = binary.AppendUvarint(to, uint64(len(s)))
	return append(to, s...)
}

// sites appends the invokedynamic call sites of code, sorted.
func (d *digester) sites(text []byte, code *classfile.Code) []byte {
	var all [][]byte
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err == nil && in.Op == classfile.OpInvokedynamic {
			all = append(all, d.constant(nil, uint16(in.Index)))
		}
	}
	slices.SortFunc(all, bytes.Compare)
	for _, s := range all {
		text = append(text, s...)
	}
	return text
}

// code appends instructions and exception table.
func (d *digester) code(text []byte, code *classfile.Code) []byte {
	bytecode := code.Bytecode
	index := append(d.index[:0], make([]int32, len(bytecode)+1)...)
	n := int32(0)
	for in, err := range classfile.Instructions(bytecode) {
		if err != nil {
			return append(text, bytecode...) // malformed: its bytes are all there is
		}
		index[in.PC] = n
		n++
	}
	index[len(bytecode)] = n
	d.index = nil // a lambda's digest may be computed on the way
	for in := range classfile.Instructions(bytecode) {
		text = d.instruction(text, &in, index)
	}
	for _, e := range code.Exceptions {
		for _, pc := range [3]uint16{e.StartPC, e.EndPC, e.HandlerPC} {
			text = binary.AppendUvarint(text, uint64(index[pc]))
		}
		name := ""
		if e.CatchType != 0 {
			name, _ = d.c.Pool.ClassName(e.CatchType)
		}
		text = appendText(text, name)
	}
	d.index = index
	return text
}

func (d *digester) instruction(text []byte, in *classfile.Instruction, index []int32) []byte {
	op := in.Op
	switch op {
	case classfile.OpLdcW:
		op = classfile.OpLdc
	case classfile.OpGotoW:
		op = classfile.OpGoto
	case classfile.OpJsrW:
		op = classfile.OpJsr
	}
	text = append(text, byte(op))
	switch op.Info().Format {
	case classfile.FormatS1, classfile.FormatS2, classfile.FormatArrayType:
		text = binary.AppendVarint(text, int64(in.Const))
	case classfile.FormatPool1, classfile.FormatPool2, classfile.FormatInterface, classfile.FormatDynamic:
		text = d.constant(text, uint16(in.Index))
	case classfile.FormatMultiArray:
		text = d.constant(text, uint16(in.Index))
		text = binary.AppendVarint(text, int64(in.Const))
	case classfile.FormatLocal, classfile.FormatIinc:
		text = binary.AppendUvarint(text, uint64(in.Index))
		text = binary.AppendVarint(text, int64(in.Const))
	case classfile.FormatBranch2, classfile.FormatBranch4:
		text = binary.AppendUvarint(text, uint64(index[in.Target]))
	case classfile.FormatTable, classfile.FormatLookup:
		text = binary.AppendUvarint(text, uint64(index[in.Target]))
		text = binary.AppendUvarint(text, uint64(len(in.Keys)))
		for i, k := range in.Keys {
			text = binary.AppendVarint(text, int64(k))
			text = binary.AppendUvarint(text, uint64(index[in.Targets[i]]))
		}
	}
	return text
}

// constant appends a constant pool entry, resolved.
func (d *digester) constant(text []byte, i uint16) []byte {
	pool := d.c.Pool
	tag := pool.Tag(i)
	text = append(text, byte(tag))
	switch tag {
	case classfile.TagInteger, classfile.TagFloat, classfile.TagLong, classfile.TagDouble:
		text = append(text, pool.Raw(i)[1:]...)
	case classfile.TagClass:
		if name, err := pool.ClassName(i); err == nil {
			text = d.owner(text, name)
		}
	case classfile.TagString, classfile.TagMethodType:
		if u, err := pool.RawUtf8(binary.BigEndian.Uint16(pool.Raw(i)[1:])); err == nil {
			text = binary.AppendUvarint(text, uint64(len(u)))
			text = append(text, u...)
		}
	case classfile.TagFieldref, classfile.TagMethodref, classfile.TagInterfaceMethodref:
		if ref, err := pool.MemberRef(i); err == nil {
			text = d.member(text, ref)
		}
	case classfile.TagMethodHandle:
		if h, err := pool.MethodHandle(i); err == nil {
			text = append(text, byte(h.Kind))
			text = d.member(text, h.MemberRef)
		}
	case classfile.TagInvokeDynamic:
		text = d.dynamic(text, i, tag)
	case classfile.TagDynamic:
		sum, ok := d.condys[i]
		if !ok {
			if d.condys == nil {
				d.condys = make(map[uint16][32]byte)
			}
			d.condys[i] = sum // stands for it where it occurs within itself
			sum = sha256.Sum256(d.dynamic(nil, i, tag))
			d.condys[i] = sum
		}
		text = append(text, sum[:]...)
	}
	return text
}

// dynamic appends a dynamic constant or a call site with its bootstrap method.
func (d *digester) dynamic(text []byte, i uint16, tag classfile.Tag) []byte {
	get := d.c.Pool.InvokeDynamic
	if tag == classfile.TagDynamic {
		get = d.c.Pool.Dynamic
	}
	ref, err := get(i)
	if err != nil {
		return text
	}
	text = appendText(appendText(text, ref.Name), ref.Desc)
	bm := d.b.bootstrap(ref.Bootstrap)
	if bm == nil {
		return text
	}
	text = d.constant(text, bm.Handle)
	text = binary.AppendUvarint(text, uint64(len(bm.Args)))
	for _, a := range bm.Args {
		text = d.constant(text, a)
	}
	return text
}

// owner appends the name of a class, of this class a mark.
func (d *digester) owner(text []byte, name string) []byte {
	if name == d.b.name {
		return append(text, 0)
	}
	return appendText(text, name)
}

// member appends a reference to a field or method; one to a lambda's method as
// that method's digest.
func (d *digester) member(text []byte, ref classfile.MemberRef) []byte {
	text = d.owner(text, ref.Owner)
	if strings.HasPrefix(ref.Name, "lambda$") && ref.Owner == d.b.name {
		if i, ok := d.lambda(ref.Name, ref.Desc); ok {
			if d.active[i] {
				return append(text, "lambda of itself"...)
			}
			sum := d.method(i)
			return append(append(text, 0), sum[:]...)
		}
	}
	return appendText(appendText(text, ref.Name), ref.Desc)
}

// lambda finds the synthetic method of a lambda.
func (d *digester) lambda(name, desc string) (int, bool) {
	if d.lambdas == nil {
		d.lambdas = make(map[string]int)
		for i, m := range d.c.Methods {
			if n := d.c.MemberName(m); m.Access&classfile.AccSynthetic != 0 && strings.HasPrefix(n, "lambda$") {
				d.lambdas[n+d.c.MemberDesc(m)] = i
			}
		}
	}
	i, ok := d.lambdas[name+desc]
	return i, ok
}
