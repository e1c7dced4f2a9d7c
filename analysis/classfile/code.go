package classfile

import (
	"fmt"
	"sort"
)

// This file reads and writes the Code attribute (JVMS 4.7.3) and its debug
// tables.

// MaxCodeLength is the largest length of a method's bytecode (JVMS 4.7.3).
const MaxCodeLength = 65535

// Code is a method's body. Its slices refer to the class file's bytes: replace
// them, never write into them.
type Code struct {
	MaxStack, MaxLocals uint16
	Bytecode            []byte
	Exceptions          []ExceptionEntry // in the order in which the JVM searches
	Attributes          []Attribute
}

// ExceptionEntry is a row of the exception table: exceptions at pcs in
// [StartPC, EndPC) of the class CatchType go to HandlerPC.
type ExceptionEntry struct {
	StartPC, EndPC, HandlerPC uint16
	CatchType                 uint16 // Class entry; 0 catches everything
}

// Code decodes the body of m. It is nil for abstract and native methods.
func (c *Class) Code(m *Member) (*Code, error) {
	info, ok := c.Attr(m.Attributes, "Code")
	if !ok {
		if m.Access&(AccAbstract|AccNative) == 0 {
			return nil, formatErrorf(0, "method %s%s has no Code", c.MemberName(m), c.MemberDesc(m))
		}
		return nil, nil
	}
	r := cursor{data: info, what: "Code"}
	code := &Code{}
	var n uint32
	if c.narrowCode() {
		code.MaxStack, code.MaxLocals, n = uint16(r.u1()), uint16(r.u1()), uint32(r.u2())
	} else {
		code.MaxStack, code.MaxLocals, n = r.u2(), r.u2(), r.u4()
	}
	if r.err == nil && (n == 0 || n > MaxCodeLength) {
		r.fail("code length is %d", n)
	}
	code.Bytecode = r.bytes(n)
	if k := int(r.u2()); k > 0 && r.need(8*k) {
		code.Exceptions = make([]ExceptionEntry, k)
		for i := range code.Exceptions {
			e := ExceptionEntry{r.u2(), r.u2(), r.u2(), r.u2()}
			if e.StartPC >= e.EndPC || uint32(e.EndPC) > n || uint32(e.HandlerPC) >= n {
				r.fail("exception range [%d, %d) with handler %d in code of %d bytes", e.StartPC, e.EndPC, e.HandlerPC,
					n)
				break
			}
			code.Exceptions[i] = e
		}
	}
	code.Attributes = parseAttributes(&r, c.Pool)
	if err := r.end(); err != nil {
		return nil, err
	}
	return code, nil
}

// narrowCode reports the layout of Code before version 45.3: u1, u1, u2 for
// the stack, the locals and the length (as HotSpot's class file parser has it).
func (c *Class) narrowCode() bool { return c.Major == minMajor && c.Minor < 3 }

// SetCode makes code the body of m, replacing the Code attribute in place.
func (c *Class) SetCode(m *Member, code *Code) error {
	info, err := c.encodeCode(code)
	if err != nil {
		return fmt.Errorf("method %s.%s%s: %w", c.Name(), c.MemberName(m), c.MemberDesc(m), err)
	}
	attrs, err := c.SetAttr(m.Attributes, "Code", info)
	if err != nil {
		return err
	}
	m.Attributes = attrs
	return nil
}

// ErrCodeTooLarge is wrapped by SetCode's error when the bytecode exceeds
// MaxCodeLength.
var ErrCodeTooLarge = fmt.Errorf("code larger than %d bytes", MaxCodeLength)

func (c *Class) encodeCode(code *Code) ([]byte, error) {
	n := len(code.Bytecode)
	if n > MaxCodeLength {
		return nil, ErrCodeTooLarge
	}
	if n == 0 {
		return nil, fmt.Errorf("no bytecode")
	}
	if len(code.Exceptions) > 0xffff {
		return nil, fmt.Errorf("%d exception table entries", len(code.Exceptions))
	}
	size := 12 + n + 8*len(code.Exceptions)
	for _, a := range code.Attributes {
		size += 6 + len(a.Info)
	}
	b := make([]byte, 0, size)
	if c.narrowCode() {
		if code.MaxStack > 0xff || code.MaxLocals > 0xff {
			return nil, fmt.Errorf("stack or locals do not fit a class file of version 45.%d", c.Minor)
		}
		b = put2(append(b, byte(code.MaxStack), byte(code.MaxLocals)), uint16(n))
	} else {
		b = put4(put2(put2(b, code.MaxStack), code.MaxLocals), uint32(n))
	}
	b = append(b, code.Bytecode...)
	b = put2(b, uint16(len(code.Exceptions)))
	for _, e := range code.Exceptions {
		b = put2(put2(put2(put2(b, e.StartPC), e.EndPC), e.HandlerPC), e.CatchType)
	}
	return putAttributes(b, code.Attributes)
}

// LineNumber says that the code from PC on comes from a source line.
type LineNumber struct {
	PC   uint16
	Line uint16 // 1-based; 0 occurs where a tool left it unknown
}

// LineNumbers merges all LineNumberTables of code (there may be several, JVMS
// 4.7.12), sorted by pc; of rows with the same pc the last one in the file
// comes last.
func (c *Class) LineNumbers(code *Code) ([]LineNumber, error) {
	var lines []LineNumber
	for _, a := range code.Attributes {
		if !c.Pool.utf8Is(a.NameIndex, "LineNumberTable") {
			continue
		}
		r := cursor{data: a.Info, what: "LineNumberTable"}
		n := int(r.u2())
		if lines == nil && r.need(4*n) {
			lines = make([]LineNumber, 0, n)
		}
		for range n {
			l := LineNumber{r.u2(), r.u2()}
			if r.err == nil && int(l.PC) >= len(code.Bytecode) {
				r.fail("pc %d in code of %d bytes", l.PC, len(code.Bytecode))
			}
			if r.err != nil {
				break
			}
			lines = append(lines, l)
		}
		if err := r.end(); err != nil {
			return nil, err
		}
	}
	byPC := func(i, j int) bool { return lines[i].PC < lines[j].PC }
	if !sort.SliceIsSorted(lines, byPC) {
		sort.SliceStable(lines, byPC)
	}
	return lines, nil
}

// LineAt returns the line of pc in lines as LineNumbers sorts them, 0 when
// unknown.
func LineAt(lines []LineNumber, pc int) int {
	i := sort.Search(len(lines), func(i int) bool { return int(lines[i].PC) > pc })
	if i == 0 {
		return 0
	}
	return int(lines[i-1].Line)
}

// LocalVariable is a row of a LocalVariableTable (JVMS 4.7.13): in pcs
// [StartPC, StartPC+Length) the slot holds the named variable.
type LocalVariable struct {
	StartPC, Length uint16
	Name, Desc      string
	Slot            uint16
}

// LocalVariables merges all LocalVariableTables of code, in file order.
func (c *Class) LocalVariables(code *Code) ([]LocalVariable, error) {
	var vars []LocalVariable
	for _, a := range code.Attributes {
		if !c.Pool.utf8Is(a.NameIndex, "LocalVariableTable") {
			continue
		}
		r := cursor{data: a.Info, what: "LocalVariableTable"}
		n := int(r.u2())
		if !r.need(10 * n) {
			return nil, r.err
		}
		for range n {
			v := LocalVariable{StartPC: r.u2(), Length: r.u2()}
			var err error
			if v.Name, err = c.Pool.Utf8(r.u2()); err != nil {
				return nil, err
			}
			if v.Desc, err = c.Pool.Utf8(r.u2()); err != nil {
				return nil, err
			}
			v.Slot = r.u2()
			if int(v.StartPC)+int(v.Length) > len(code.Bytecode) {
				r.fail("range [%d, +%d) in code of %d bytes", v.StartPC, v.Length, len(code.Bytecode))
				return nil, r.err
			}
			vars = append(vars, v)
		}
		if err := r.end(); err != nil {
			return nil, err
		}
	}
	return vars, nil
}
