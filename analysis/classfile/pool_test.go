package classfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestPoolAdd(t *testing.T) {
	data := variants[1].classes(t)["Old"]
	keep := bytes.Clone(data)
	c := mustParse(t, data)
	p := c.Pool
	before := p.Len()
	// What is there is found.
	for i := 1; i < before; i++ {
		i := uint16(i)
		var got uint16
		var err error
		switch p.Tag(i) {
		case TagUtf8:
			s, e := p.Utf8(i)
			if e != nil {
				t.Fatal(e)
			}
			got, err = p.AddUtf8(s)
		case TagClass:
			s, _ := p.ClassName(i)
			got, err = p.AddClass(s)
		case TagString:
			s, _ := p.String(i)
			got, err = p.AddString(s)
		case TagInteger:
			v, _ := p.Integer(i)
			got, err = p.AddInteger(v)
		case TagLong:
			v, _ := p.Long(i)
			got, err = p.AddLong(v)
		case TagNameAndType:
			n, d, _ := p.NameAndType(i)
			got, err = p.AddNameAndType(n, d)
		case TagFieldref, TagMethodref, TagInterfaceMethodref:
			r, _ := p.MemberRef(i)
			switch {
			case r.Field:
				got, err = p.AddFieldref(r.Owner, r.Name, r.Desc)
			case r.Interface:
				got, err = p.AddInterfaceMethodref(r.Owner, r.Name, r.Desc)
			default:
				got, err = p.AddMethodref(r.Owner, r.Name, r.Desc)
			}
		default:
			continue
		}
		if err != nil || got != i {
			t.Errorf("entry %d (tag %d) is added as %d, %v", i, p.Tag(i), got, err)
		}
	}
	if p.Len() != before {
		t.Errorf("%d entries became %d", before, p.Len())
	}
	// What is not there is appended once.
	add := func(i uint16, err error) uint16 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	m := add(p.AddMethodref("x/Y", "z", "(JJJF)V"))
	if add(p.AddMethodref("x/Y", "z", "(JJJF)V")) != m || p.Len() != before+6 {
		t.Errorf("%d entries became %d by one method reference", before, p.Len())
	}
	if ref, err := p.MemberRef(m); err != nil || ref != (MemberRef{"x/Y", "z", "(JJJF)V", false, false}) {
		t.Errorf("reference %v, %v", ref, err)
	}
	h := add(p.AddMethodHandle(RefInvokeStatic, m))
	if mh, err := p.MethodHandle(h); err != nil || mh.Kind != RefInvokeStatic || mh.Name != "z" {
		t.Errorf("handle %v, %v", mh, err)
	}
	d := add(p.AddInvokeDynamic(7, "n", "()V"))
	if ref, err := p.InvokeDynamic(d); err != nil || ref != (DynamicRef{7, "n", "()V"}) {
		t.Errorf("dynamic %v, %v", ref, err)
	}
	if mt, err := p.MethodType(add(p.AddMethodType("(I)I"))); err != nil || mt != "(I)I" {
		t.Errorf("method type %q, %v", mt, err)
	}
	l := add(p.AddLong(1 << 50))
	if p.Tag(l+1) != TagNone || p.Tag(l) != TagLong {
		t.Error("a long takes two slots")
	}
	if !bytes.Equal(data, keep) {
		t.Error("adding entries wrote into the parsed bytes")
	}
	out, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again := mustParse(t, out)
	if err := again.Pool.check(); err != nil || again.Pool.Len() != p.Len() {
		t.Errorf("%d entries read back as %d, %v", p.Len(), again.Pool.Len(), err)
	}
	p.Truncate(before)
	if out, err := c.Bytes(); err != nil || !bytes.Equal(out, keep) {
		t.Errorf("truncated pool is not the old one (%v)", err)
	}
	if i, err := p.AddMethodref("x/Y", "z", "(JJJF)V"); err != nil || i != m {
		t.Errorf("after truncation entry %d instead of %d, %v", i, m, err)
	}
}

func TestFreshInteger(t *testing.T) {
	for _, early := range []bool{true, false} {
		c := mustParse(t, variants[1].classes(t)["Old"])
		if early {
			if _, err := c.Pool.AddInteger(-77); err != nil {
				t.Fatal(err)
			}
		}
		a, _ := c.Pool.AddFreshInteger(-77)
		b, _ := c.Pool.AddFreshInteger(-77)
		n, err := c.Pool.AddInteger(-77)
		if err != nil || a == b || n == a || n == b {
			t.Errorf("entries %d, %d, %d, %v", a, b, n, err)
		}
		c.Pool.Truncate(c.Pool.Len()) // nothing to cut
		if _, err := c.Pool.AddUtf8("one more after the others"); err != nil {
			t.Fatal(err)
		}
		off, err := c.IntegerOffset(b)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		copy(out[off:], put4(nil, 123456))
		again := mustParse(t, out)
		va, _ := again.Pool.Integer(a)
		vb, _ := again.Pool.Integer(b)
		vn, _ := again.Pool.Integer(n)
		if va != -77 || vb != 123456 || vn != -77 {
			t.Errorf("patched values %d, %d, %d", va, vb, vn)
		}
		if _, err := c.IntegerOffset(c.ThisIndex); err == nil {
			t.Error("a class entry has an integer offset")
		}
	}
}

func TestPoolFull(t *testing.T) {
	p := NewConstantPool()
	for i := range maxPoolLen - 1 {
		if _, err := p.AddFreshInteger(int32(i)); err != nil {
			t.Fatal(i, err)
		}
	}
	if p.Len() != 65535 {
		t.Fatalf("%d entries", p.Len())
	}
	for name, err := range map[string]error{
		"integer": second(p.AddInteger(1 << 30)),
		"fresh":   second(p.AddFreshInteger(1)),
		"method":  second(p.AddMethodref("a", "b", "()V")),
	} {
		if !errors.Is(err, ErrPoolFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.Truncate(maxPoolLen - 1)
	if _, err := p.AddLong(1); !errors.Is(err, ErrPoolFull) {
		t.Errorf("a long in one slot: %v", err)
	}
	if _, err := NewConstantPool().AddUtf8(strings.Repeat("é", 32768)); err == nil {
		t.Error("a string of 65536 bytes is accepted")
	}
	if _, err := NewConstantPool().AddUtf8(strings.Repeat("x", 65535)); err != nil {
		t.Errorf("a string of 65535 bytes: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestPoolAccessorsRefuse asks each accessor for entries of other kinds, for
// index 0 and for indices past the end.
func TestPoolAccessorsRefuse(t *testing.T) {
	c := mustParse(t, variants[1].classes(t)["Modern"])
	p := c.Pool
	accessors := map[Tag]func(i uint16) error{
		TagUtf8:          func(i uint16) error { return second(p.Utf8(i)) },
		TagInteger:       func(i uint16) error { return second(p.Integer(i)) },
		TagFloat:         func(i uint16) error { return second(p.Float(i)) },
		TagLong:          func(i uint16) error { return second(p.Long(i)) },
		TagDouble:        func(i uint16) error { return second(p.Double(i)) },
		TagClass:         func(i uint16) error { return second(p.ClassName(i)) },
		TagString:        func(i uint16) error { return second(p.String(i)) },
		TagNameAndType:   func(i uint16) error { _, _, err := p.NameAndType(i); return err },
		TagMethodHandle:  func(i uint16) error { return second(p.MethodHandle(i)) },
		TagMethodType:    func(i uint16) error { return second(p.MethodType(i)) },
		TagDynamic:       func(i uint16) error { return second(p.Dynamic(i)) },
		TagInvokeDynamic: func(i uint16) error { return second(p.InvokeDynamic(i)) },
		TagModule:        func(i uint16) error { return second(p.ModuleName(i)) },
		TagPackage:       func(i uint16) error { return second(p.PackageName(i)) },
	}
	for tag, f := range accessors {
		for i := range p.Len() + 10 {
			if err := f(uint16(i)); (err == nil) != (p.Tag(uint16(i)) == tag) {
				t.Errorf("accessor of tag %d on entry %d of tag %d: %v", tag, i, p.Tag(uint16(i)), err)
			}
		}
	}
	for i := range p.Len() + 10 {
		ref, err := p.MemberRef(uint16(i))
		tag := p.Tag(uint16(i))
		is := tag == TagFieldref || tag == TagMethodref || tag == TagInterfaceMethodref
		if (err == nil) != is || ref.Field != (tag == TagFieldref) || ref.Interface != (tag == TagInterfaceMethodref) {
			t.Errorf("reference %v at entry %d of tag %d: %v", ref, i, tag, err)
		}
	}
}

func TestModifiedUTF8(t *testing.T) {
	for _, x := range []struct{ s, enc string }{
		{"", ""},
		{"plain", "plain"},
		{"a\x00b", "a\xc0\x80b"},
		{"\x7f\u0080\u07ff\u0800\uffff", "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
		{"\U0001d11e", "\xed\xa0\xb4\xed\xb4\x9e"},
		{"\U0010ffff", "\xed\xaf\xbf\xed\xbf\xbf"},
		{"\xed\xa0\xb4x", "\xed\xa0\xb4x"},                                 // high surrogate alone
		{"\xed\xb4\x9e\xed\xa0\xb4", "\xed\xb4\x9e\xed\xa0\xb4"},           // in the wrong order
		{"\xed\xa0\xb4\U0001d11e", "\xed\xa0\xb4\xed\xa0\xb4\xed\xb4\x9e"}, // high before a pair
		{"\ud7ff\ue000", "\xed\x9f\xbf\xee\x80\x80"},                       // around the surrogates
		{strings.Repeat("\u20ac", 100) + "z", strings.Repeat("\xe2\x82\xac", 100) + "z"},
	} {
		if got := EncodeUTF8(nil, x.s); string(got) != x.enc {
			t.Errorf("%q is encoded as %q, want %q", x.s, got, x.enc)
		}
		if got, ok := DecodeUTF8([]byte(x.enc)); !ok || got != x.s {
			t.Errorf("%q is decoded as %q (%v), want %q", x.enc, got, ok, x.s)
		}
	}
	for _, bad := range []string{"\x00", "a\x00", "\x80", "\xc0", "\xe2\x82", "\xf0\x9d\x84\x9e", "\xff", "\xc2x",
		"\xe2\x82x", "\xe2x\x82"} {
		if s, ok := DecodeUTF8([]byte(bad)); ok {
			t.Errorf("%q is decoded as %q", bad, s)
		}
	}
	if got := EncodeUTF8(nil, "a\xffb\xed\xa0"); string(got) != "a\ufffdb\ufffd\ufffd" {
		t.Errorf("bytes that are no UTF-8 are encoded as %q", got)
	}
}

func TestDescriptors(t *testing.T) {
	d, err := ParseMethodDescriptor("(I[[JLa/B;D[Lc/D;Z)[Ljava/lang/String;")
	if err != nil || strings.Join(d.Params, " ") != "I [[J La/B; D [Lc/D; Z" || d.Return != "[Ljava/lang/String;" ||
		d.Slots() != 7 {
		t.Errorf("%+v, %v, %d slots", d, err, d.Slots())
	}
	if d, err := ParseMethodDescriptor("()V"); err != nil || d.Params != nil || d.Return != "V" {
		t.Errorf("%+v, %v", d, err)
	}
	for _, bad := range []string{"", "I", "()", "(", "(I", "(V)V", "()VV", "(La/B)V", "(L;)V", "([)V", "()[V", "(X)V",
		"()La", "(I)", ")V(", "(" + strings.Repeat("[", 256) + "I)V", "(" + strings.Repeat("J", 128) + ")V"} {
		if d, err := ParseMethodDescriptor(bad); err == nil {
			t.Errorf("%q is parsed as %+v", bad, d)
		}
	}
	for desc, class := range map[string]string{"La/B;": "a/B", "[I": "[I", "[[La/B;": "[[La/B;"} {
		if got := DescriptorClass(desc); got != class {
			t.Errorf("class of %s is %s", desc, got)
		}
		if got := ClassDescriptor(class); got != desc {
			t.Errorf("descriptor of %s is %s", class, got)
		}
	}
	for desc, result := range map[string]string{"()V": "V", "(I[[JLa/B;D)[Lc/D;": "[Lc/D;", "(La/B)c;)La/(D;": "La/(D;",
		"(LV;)J": "J", "(": "", "(I": "", "(La/B": "", "": "", "([)V": "", "V": ""} {
		if got := Result(desc); got != result {
			t.Errorf("%q returns %q, want %q", desc, got, result)
		}
	}
	for _, prim := range []string{"I", "V", ""} {
		if got := DescriptorClass(prim); got != "" {
			t.Errorf("class of %q is %q", prim, got)
		}
	}
	for name, elem := range map[string]string{"a/B": "a/B", "[[La/B;": "a/B", "[J": ""} {
		if got := ElementClass(name); got != elem {
			t.Errorf("element of %s is %s", name, got)
		}
	}
	if SourceName("a/b/C$D") != "a.b.C$D" || InternalName("a.b.C$D") != "a/b/C$D" || PackageOf("a/b/C") != "a/b" ||
		PackageOf("C") != "" {
		t.Error("name conversions")
	}
}
