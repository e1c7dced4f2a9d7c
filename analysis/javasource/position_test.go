package javasource

import (
	"strings"
	"testing"
)

func TestLinesAndColumns(t *testing.T) {
	src := []byte("a\r\nbä😀c\rd\n\ne")
	f := Parse(src)
	for _, x := range []struct{ offset, line, col, line16, char16 int }{
		{0, 1, 1, 0, 0}, {1, 1, 2, 0, 1}, {3, 2, 1, 1, 0}, {4, 2, 2, 1, 1}, {6, 2, 4, 1, 2}, {10, 2, 8, 1, 4},
		{11, 2, 9, 1, 5},
		{12, 3, 1, 2, 0}, {14, 4, 1, 3, 0}, {15, 5, 1, 4, 0}, {16, 5, 2, 4, 1},
	} {
		if line, col := f.LineCol(x.offset); line != x.line || col != x.col {
			t.Errorf("LineCol(%d) = %d:%d, want %d:%d", x.offset, line, col, x.line, x.col)
		}
		if line, char := f.UTF16(src, x.offset); line != x.line16 || char != x.char16 {
			t.Errorf("UTF16(%d) = %d:%d, want %d:%d", x.offset, line, char, x.line16, x.char16)
		}
		if got := f.OffsetUTF16(src, x.line16, x.char16); got != x.offset {
			t.Errorf("OffsetUTF16(%d, %d) = %d, want %d", x.line16, x.char16, got, x.offset)
		}
	}
	if n := f.OffsetUTF16(src, 1, 3); n != 6 {
		t.Errorf("within a surrogate pair: %d, want 6", n)
	}
	if n := f.OffsetUTF16(src, 1, 99); n != 11 {
		t.Errorf("past the line's end: %d, want 11", n)
	}
	if n := f.OffsetUTF16(src, 99, 0); n != 16 {
		t.Errorf("past the end: %d, want 16", n)
	}
	if n := f.OffsetUTF16(src, -1, 0); n != 0 {
		t.Errorf("before the start: %d, want 0", n)
	}
	if line, col := f.LineCol(99); line != 5 || col != 2 {
		t.Errorf("LineCol past the end: %d:%d", line, col)
	}
	if line, _ := f.LineCol(-5); line != 1 {
		t.Errorf("LineCol before the start: line %d", line)
	}
}

func TestDecodeSource(t *testing.T) {
	for _, x := range []struct{ data, encoding, want string }{
		{"ä", "", "ä"}, {"\xEF\xBB\xBFä", "UTF-8", "ä"}, {"a\xFFb\xC3", "utf8", "a\uFFFDb\uFFFD"},
		{"\xE4\x80", "ISO-8859-1", "ä\u0080"}, {"\xE4\x80", "latin1", "ä\u0080"}, {"\xE4\x80", "windows-1252", "ä€"},
		{"\xE4\x80", "Cp1252", "ä€"},
		{"\xA4", "ISO-8859-15", "€"}, {"\xFE\xFF\x00a\x00\xE4", "UTF-16", "aä"},
		{"\xFF\xFEa\x00\xE4\x00", "UTF-16", "aä"}, {"\x00a\x00\xE4", "UTF-16", "aä"},
		{"a\x00\xE4\x00", "UTF-16LE", "aä"}, {"\x00a", "UTF-16BE", "a"}, {"\x82\xA0", "Shift_JIS", "あ"},
		{"\x82\xA0", "SJIS", "あ"}, {"\xA4\xA2", "EUC-JP", "あ"},
		{"\xD6\xD0", "GBK", "中"}, {"\xD6\xD0", "GB18030", "中"}, {"\xCF", "KOI8-R", "о"}, {"\xCF", "Cp1251", "П"},
		{"\x84", "Cp850", "ä"}, {"a", "US-ASCII", "a"},
	} {
		got, err := DecodeSource([]byte(x.data), x.encoding)
		if err != nil || string(got) != x.want {
			t.Errorf("DecodeSource(%q, %s) = %q, %v; want %q", x.data, x.encoding, got, err, x.want)
		}
	}
	for _, enc := range []string{"UTF-16", "Shift_JIS", "GB18030", "ISO-2022-JP", "windows-1252"} {
		for n := range 4 { // odd ends and malformed bytes never fail
			if got, err := DecodeSource([]byte("\xFF\xFE\x81")[:n%4], enc); err != nil ||
				n > 0 && strings.ContainsRune(string(got), 0) {
				t.Errorf("%s of %d malformed bytes: %q, %v", enc, n, got, err)
			}
		}
	}
	got, err := DecodeSource([]byte("aä"), "no-such-encoding")
	if err == nil || string(got) != "aä" || !strings.Contains(err.Error(), "no-such-encoding") {
		t.Errorf("unknown encoding: %q, %v", got, err)
	}
}

func TestResolve(t *testing.T) {
	f := Parse([]byte(`package p.q;
import java.io.IOException;
import java.util.Map.Entry;
import java.util.concurrent.*;
import static a.b.Outer.Nested;
import static a.b.Outer.*;
class A extends Base {
  static class Own extends Exception { static class Deep extends Own { } }
  class B { class C { } }
}
class Second { }`))
	inC := f.Types[4]
	for name, want := range map[string]string{
		"IOException":               "java/io/IOException",
		"Entry.X":                   "java/util/Map$Entry$X",
		"Own":                       "p/q/A$Own",
		"Own.Deep":                  "p/q/A$Own$Deep",
		"Second":                    "p/q/Second",
		"Nested":                    "a/b/Outer$Nested",
		"java.sql.SQLException":     "java/sql/SQLException",
		"Outer.Inner":               "Outer$Inner",
		"RuntimeException":          "java/lang/RuntimeException",
		"ExecutionException":        "p/q/ExecutionException",
		"A":                         "p/q/A",
		"List<String>":              "p/q/List",
		"java.util.Map.Entry<A, B>": "java/util/Map$Entry",
	} {
		got := f.Resolve(name, inC)
		if len(got) == 0 || got[0] != want {
			t.Errorf("%s means %v, want first %s", name, got, want)
		}
	}
	for name, want := range map[string][]string{
		"ExecutionException": {"java/util/concurrent/ExecutionException", "java/lang/ExecutionException",
			"a/b/Outer$ExecutionException", "p/q/Base$ExecutionException"},
		"RuntimeException": {"p/q/RuntimeException"},
		"Outer.Inner":      {"p/q/Outer$Inner", "java/util/concurrent/Outer$Inner"},
	} {
		got := strings.Join(f.Resolve(name, inC), " ")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s means %s, want also %s", name, got, w)
			}
		}
	}
	if got := f.Resolve("IOException", inC); len(got) != 1 {
		t.Errorf("an imported name means %v", got)
	}
}

func TestDeclares(t *testing.T) {
	f := Parse([]byte("package p; class A { class B { } } class C$D { }"))
	for class, want := range map[string]bool{"p/A": true, "p/A$B": true, "p/A$1": true, "p/C$D": true, "p/C": false,
		"p/AB": false,
		"A":    false, "p/$A": false, "q/A$B": false, "": false, "p/": false} {
		if got := f.Declares(class); got != want {
			t.Errorf("Declares(%q) = %v", class, got)
		}
	}
}
