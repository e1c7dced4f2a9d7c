package classfile

import (
	"bytes"
	"slices"
	"testing"
)

// FuzzParse: whatever parses is written back as it was, is read completely
// without a panic, and keeps its code and frames when they are re-encoded.
func FuzzParse(f *testing.F) {
	for _, v := range variants[1:4] {
		for _, data := range v.classes(f) {
			f.Add(data)
		}
	}
	f.Add(moduleInfo(f))
	for _, minor := range []uint16{0, 3} {
		h := newHandmade(f, 45, minor)
		h.method("f", "(I)V", &Code{MaxStack: 1, MaxLocals: 3, Bytecode: subroutine,
			Exceptions: []ExceptionEntry{{0, 3, 4, 0}}})
		f.Add(h.bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			return
		}
		out, err := c.Bytes()
		if err != nil || !bytes.Equal(out, data) {
			t.Fatalf("written back differently: %v", err)
		}
		checked := c.Check() == nil
		for _, m := range c.Methods {
			code, err := c.Code(m)
			if err != nil || code == nil {
				continue
			}
			info, _ := c.Attr(m.Attributes, "Code")
			if again, err := c.encodeCode(code); err != nil || !bytes.Equal(again, info) {
				t.Fatalf("code is written back differently: %v", err)
			}
			frames, err := c.StackMap(m, code)
			if err != nil {
				continue
			}
			if err := c.SetStackMap(m, code, frames); err != nil && checked {
				t.Fatal(err)
			} else if err != nil {
				continue
			}
			if again, err := c.StackMap(m, code); err != nil || !slices.EqualFunc(again, frames, equalFrames) {
				t.Fatalf("frames %v became %v: %v", frames, again, err)
			}
		}
	})
}

// FuzzStackMap: frames that are read, written and read again are equal.
func FuzzStackMap(f *testing.F) {
	for _, info := range []string{
		"\x00\x00", "\x00\x01\x05", "\x00\x02\x45\x01\x3f", "\x00\x02\xfd\x00\x05\x01\x04\xf9\x00\x01",
		"\x00\x01\xff\x00\x10\x00\x02\x07\x00\x02\x03\x00\x02\x08\x00\x03\x06", "\x00\x01\xf7\x01\x00\x05",
		"\x00\x01\xfb\x01\x00",
	} {
		f.Add([]byte(info), "(IJLa/B;)V")
	}
	for _, data := range variants[1].classes(f) {
		c := mustParse(f, data)
		for _, m := range c.Methods {
			if code, err := c.Code(m); err == nil && code != nil {
				if info, ok := c.Attr(code.Attributes, "StackMapTable"); ok {
					f.Add(info, c.MemberDesc(m))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, info []byte, desc string) {
		h := newHandmade(t, 52, 0)
		name, err := h.c.Pool.AddUtf8(desc)
		if err != nil {
			return
		}
		first, err := h.c.InitialFrame(&Member{NameIndex: name, DescIndex: name})
		if err != nil {
			return
		}
		frames, err := ParseStackMap(h.c.Pool, info, first, 0xffff)
		if err != nil {
			return
		}
		enc, err := EncodeStackMap(h.c.Pool, frames, first)
		if err != nil {
			t.Fatal(err)
		}
		if len(enc) > len(info) {
			t.Errorf("%d bytes became %d", len(info), len(enc))
		}
		again, err := ParseStackMap(h.c.Pool, enc, first, 0xffff)
		if err != nil || !slices.EqualFunc(again, frames, equalFrames) {
			t.Fatalf("frames %v became %v: %v", frames, again, err)
		}
	})
}

// FuzzDecode: instructions lie inside the code, one after the other.
func FuzzDecode(f *testing.F) {
	f.Add(subroutine)
	for _, data := range variants[1].classes(f) {
		c := mustParse(f, data)
		for _, m := range c.Methods {
			if code, err := c.Code(m); err == nil && code != nil {
				f.Add(code.Bytecode)
			}
		}
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		next := 0
		for in, err := range Instructions(code) {
			if in.PC != next {
				t.Fatalf("instruction at %d, expected at %d", in.PC, next)
			}
			if err != nil {
				return
			}
			if in.Len < 1 || in.Next() > len(code) || in.Target < 0 || in.Target >= len(code) ||
				len(in.Keys) != len(in.Targets) {
				t.Fatalf("%+v in code of %d bytes", in, len(code))
			}
			next = in.Next()
		}
		if next != len(code) {
			t.Fatalf("decoding ends at %d of %d without an error", next, len(code))
		}
	})
}
