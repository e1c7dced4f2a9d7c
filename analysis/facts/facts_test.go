package facts

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// tinyClass is class T of version 48, without methods.
var tinyClass = []byte{
	0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 48,
	0, 5,
	1, 0, 1, 'T', 7, 0, 1,
	1, 0, 16, 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'O', 'b', 'j', 'e', 'c', 't', 7, 0, 3,
	0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0,
}

// withMethod adds the static method m()V to class T and returns the record of
// m and the problems.
func withMethod(t *testing.T, code func(c *classfile.Class) *classfile.Code) (*Method, []Problem) {
	t.Helper()
	c, err := classfile.Parse(tinyClass)
	if err != nil {
		t.Fatal(err)
	}
	body := code(c)
	m := &classfile.Member{Access: classfile.AccStatic, NameIndex: utf8(t, c, "m"), DescIndex: utf8(t, c, "()V")}
	if err := c.SetCode(m, body); err != nil {
		t.Fatal(err)
	}
	c.Methods = append(c.Methods, m)
	r, problems := FromClass(c, tinyClass, Options{Implicit: true})
	checkInvariants(t, r, &r.Methods[0])
	return &r.Methods[0], problems
}

func utf8(t *testing.T, c *classfile.Class, s string) uint16 {
	t.Helper()
	i, err := c.Pool.AddUtf8(s)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func methodref(t *testing.T, c *classfile.Class, name string) uint16 {
	t.Helper()
	i, err := c.Pool.AddMethodref("U", name, "()V")
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func hi(i uint16) byte { return byte(i >> 8) }
func lo(i uint16) byte { return byte(i) }

// The subroutine of a finally is inlined twice and holds one call: a record
// names each instruction once.
func TestSubroutine(t *testing.T) {
	m, problems := withMethod(t, func(c *classfile.Class) *classfile.Code {
		a, b := methodref(t, c, "a"), methodref(t, c, "b")
		return &classfile.Code{MaxStack: 1, MaxLocals: 2, Bytecode: []byte{
			184, hi(a), lo(a), // 0: invokestatic a
			168, 0, 10, // 3: jsr 13
			177,       // 6: return
			75,        // 7: astore_0, the handler
			168, 0, 5, // 8: jsr 13
			42,                // 11: aload_0
			191,               // 12: athrow
			76,                // 13: astore_1
			184, hi(b), lo(b), // 14: invokestatic b
			169, 1, // 17: ret 1
		}, Exceptions: []classfile.ExceptionEntry{{StartPC: 0, EndPC: 3, HandlerPC: 7}}}
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var calls []string
	for _, c := range m.Calls {
		calls = append(calls, c.Name)
	}
	if !slices.Equal(calls, []string{"a", "b"}) || m.Calls[1].Ordinal != 1 || m.Calls[1].Cover != 0 {
		t.Errorf("calls %v, second %+v", calls, m.Calls[1])
	}
	want := []Source{{Kind: CaughtSource, Handler: 0, Call: -1}}
	if len(m.Throws()) != 1 || !reflect.DeepEqual(m.Throws()[0].Sources, want) || !m.Handlers()[0].Rethrows {
		t.Errorf("throws %+v, handlers %+v", m.Throws(), m.Handlers())
	}
}

// A thrown object that comes out of different copies of a subroutine: an athrow
// in the subroutine of what the caller left in local variable 0.
func TestThrowInSubroutine(t *testing.T) {
	m, problems := withMethod(t, func(c *classfile.Class) *classfile.Code {
		a := methodref(t, c, "a")
		return &classfile.Code{MaxStack: 1, MaxLocals: 2, Bytecode: []byte{
			1, 75, // 0: aconst_null, astore_0
			184, hi(a), lo(a), // 2: invokestatic a
			168, 0, 8, // 5: jsr 13
			177,       // 8: return
			75,        // 9: astore_0, the handler
			168, 0, 3, // 10: jsr 13
			76,  // 13: astore_1
			42,  // 14: aload_0
			191, // 15: athrow
		}, Exceptions: []classfile.ExceptionEntry{{StartPC: 2, EndPC: 5, HandlerPC: 9}}}
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if len(m.Throws()) != 1 || len(m.Throws()[0].Sources) != 2 {
		t.Fatalf("throws %+v, want one of null and what handler 0 caught", m.Throws())
	}
	kinds := []SourceKind{m.Throws()[0].Sources[0].Kind, m.Throws()[0].Sources[1].Kind}
	slices.Sort(kinds)
	if !slices.Equal(kinds, []SourceKind{CaughtSource, NullSource}) {
		t.Errorf("sources %+v", m.Throws()[0].Sources)
	}
}

// Ordinals count the instructions in the class file, unreachable ones too: they
// are what a rewriter counts.
func TestOrdinalsCountDeadCode(t *testing.T) {
	m, _ := withMethod(t, func(c *classfile.Class) *classfile.Code {
		a, b := methodref(t, c, "a"), methodref(t, c, "b")
		return &classfile.Code{MaxStack: 1, MaxLocals: 0, Bytecode: []byte{
			167, 0, 7, // 0: goto 7
			184, hi(a), lo(a), // 3: invokestatic a, dead
			177,               // 6: return
			184, hi(b), lo(b), // 7: invokestatic b
			1, 191, // 10: aconst_null, athrow
		}}
	})
	if len(m.Calls) != 1 || m.Calls[0].Name != "b" || m.Calls[0].Ordinal != 1 {
		t.Errorf("calls %+v, want b with ordinal 1", m.Calls)
	}
	if len(m.Throws()) != 1 || m.Throws()[0].Ordinal != 0 || m.Throws()[0].Sources[0].Kind != NullSource {
		t.Errorf("throws %+v", m.Throws())
	}
	// implicit: invokestatic throws nothing by itself; athrow of null does
	if len(m.Implicit()) != 1 || m.Implicit()[0].PC != 11 {
		t.Errorf("implicit %+v", m.Implicit())
	}
}

// Dynamic constants may name each other as arguments of their bootstrap
// methods, in any number and in circles: each is looked at once.
func TestDynamicConstantsInDynamicConstants(t *testing.T) {
	m, problems := withMethod(t, func(c *classfile.Class) *classfile.Code {
		ref, err := c.Pool.AddMethodref("U", "boot", "()V")
		if err != nil {
			t.Fatal(err)
		}
		h, err := c.Pool.AddMethodHandle(classfile.RefInvokeStatic, ref)
		if err != nil {
			t.Fatal(err)
		}
		// The pool has no method to add a dynamic constant; a parsed one has it.
		const n = 40
		nt, err := c.Pool.AddNameAndType("x", "Ljava/lang/Object;")
		if err != nil {
			t.Fatal(err)
		}
		first := uint16(c.Pool.Len())
		data, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		pool := data[10 : len(data)-len(tail(c))]
		extended := slices.Concat(data[:8], []byte{hi(first + n), lo(first + n)}, pool)
		for i := range uint16(n) {
			extended = append(extended, byte(classfile.TagDynamic), 0, byte(i), hi(nt), lo(nt))
		}
		parsed, err := classfile.Parse(append(extended, tail(c)...))
		if err != nil {
			t.Fatal(err)
		}
		*c = *parsed
		table := make([]classfile.BootstrapMethod, n)
		for i := range table {
			table[i].Handle = h
			for k := range uint16(n) {
				table[i].Args = append(table[i].Args, first+k)
			}
		}
		if err := c.SetBootstrapMethods(table); err != nil {
			t.Fatal(err)
		}
		return &classfile.Code{MaxStack: 1, Bytecode: []byte{18, byte(first), 87, 177}}
	})
	if len(problems) > 0 || len(m.Handles()) != 40 || m.Handles()[0].Name != "boot" {
		t.Errorf("%d handles, problems %v", len(m.Handles()), problems)
	}
}

// tail is what follows the constant pool of a class without members.
func tail(c *classfile.Class) []byte {
	return []byte{0, 0x21, hi(c.ThisIndex), lo(c.ThisIndex), hi(c.SuperIndex), lo(c.SuperIndex), 0, 0, 0, 0, 0, 0, 0, 0}
}

// What records say and how they are encoded belongs to FormatVersion: a change
// without a new version would let old stores pass for new ones.
func TestFormatVersion(t *testing.T) {
	m1, _ := withMethod(t, func(c *classfile.Class) *classfile.Code {
		a := methodref(t, c, "a")
		s, err := c.Pool.AddString("text")
		if err != nil {
			t.Fatal(err)
		}
		n, err := c.Pool.AddClass("java/lang/IllegalStateException")
		if err != nil {
			t.Fatal(err)
		}
		i, err := c.Pool.AddMethodref("java/lang/IllegalStateException", "<init>",
			"(Ljava/lang/String;Ljava/lang/Throwable;)V")
		if err != nil {
			t.Fatal(err)
		}
		return &classfile.Code{MaxStack: 5, MaxLocals: 1, Bytecode: []byte{
			184, hi(a), lo(a), // 0: invokestatic a
			177,               // 3: return
			75,                // 4: astore_0, the handler
			187, hi(n), lo(n), // 5: new
			89,          // 8: dup
			18, byte(s), // 9: ldc
			42,                // 11: aload_0
			183, hi(i), lo(i), // 12: invokespecial <init>
			191, // 15: athrow
		}, Exceptions: []classfile.ExceptionEntry{{StartPC: 0, EndPC: 3, HandlerPC: 4}}}
	})
	b := NewStoreBuilder()
	text := b.enc.record(&Class{Name: "T", Super: "java/lang/Object", Methods: []Method{*m1}})
	const version, sum = 30, "fdb7c35a6929f6fc"
	if got := fmt.Sprintf("%x", sha256.Sum256(text))[:16]; FormatVersion != version || got != sum {
		t.Errorf("version %d encodes to %s, version %d encoded to %s: raise FormatVersion and state both here",
			FormatVersion, got, version, sum)
	}
}

// Malformed bytecode costs the sites of its method and is reported.
func TestMalformedCode(t *testing.T) {
	m, problems := withMethod(t, func(c *classfile.Class) *classfile.Code {
		return &classfile.Code{MaxStack: 1, Bytecode: []byte{87, 177}} // pop of an empty stack
	})
	if len(problems) != 1 || problems[0].Class != "T" || problems[0].Method != "m()V" ||
		!strings.Contains(problems[0].String(), "pc 0") {
		t.Errorf("problems %v", problems)
	}
	if m.Name != "m" || m.CodeDigest == [16]byte{} || len(m.Covers()) != 1 {
		t.Errorf("record %+v", m)
	}
}

func FuzzFromClass(f *testing.F) {
	f.Add(tinyClass)
	for _, r := range [][]byte{{184, 0, 5, 177}, {1, 191}} {
		c, _ := classfile.Parse(tinyClass)
		n, _ := c.Pool.AddUtf8("m")
		d, _ := c.Pool.AddUtf8("()V")
		m := &classfile.Member{Access: classfile.AccStatic, NameIndex: n, DescIndex: d}
		c.SetCode(m, &classfile.Code{MaxStack: 1, Bytecode: r,
			Exceptions: []classfile.ExceptionEntry{{StartPC: 0, EndPC: 1, HandlerPC: 1}}})
		c.Methods = append(c.Methods, m)
		data, _ := c.Bytes()
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := classfile.Parse(data)
		if err != nil {
			return
		}
		r, _ := FromClass(c, data, Options{Implicit: true})
		for i := range r.Methods {
			checkInvariants(t, r, &r.Methods[i])
		}
		b := NewStoreBuilder()
		enc := slices.Clone(b.enc.record(r))
		names := slices.Sorted(func(yield func(string) bool) {
			for s := range b.numbers {
				if !yield(s) {
					return
				}
			}
		})
		if len(names) != len(b.ends) {
			t.Errorf("%d strings, %d ends", len(names), len(b.ends))
		}
		var d decoder
		got, err := d.decode(enc, b.text)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("decoded %+v, %v\nwant %+v", got, err, r)
		}
	})
}

// text is the inverse of number.
func (b *StoreBuilder) text(i uint32) (string, error) {
	if int(i) >= len(b.ends) {
		return "", errRecord
	}
	from := uint32(0)
	if i > 0 {
		from = b.ends[i-1]
	}
	return string(b.blob[from:b.ends[i]]), nil
}

func FuzzDecode(f *testing.F) {
	b := NewStoreBuilder()
	f.Add(slices.Clone(b.enc.record(&Class{Name: "p/A", Super: "java/lang/Object", Methods: []Method{
		{Name: "m", Desc: "()V", HasCode: true,
			Calls: []Call{{MemberRef: &MemberRef{Owner: "p/B", Name: "n", Desc: "()V"}, Site: Site{Cover: 1}}},
			Details: &MethodDetails{Covers: [][]uint16{nil, {0}}, Handlers: []Handler{{PC: 3, Types: []string{""}}},
				Table: []TableEntry{{0, 3, 0, ""}}}}}})))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var d decoder
		if r, err := d.decode(data, b.text); err == nil && r == nil {
			t.Error("neither a record nor an error")
		}
	})
}
