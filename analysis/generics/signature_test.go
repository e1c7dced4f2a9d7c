package generics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// text writes a type in the way of Java, to compare.
func (t typ) text() string {
	list := func(args []typ) string {
		var out []string
		for _, a := range args {
			out = append(out, a.text())
		}
		return strings.Join(out, ", ")
	}
	switch t.kind {
	case class:
		if len(t.args) > 0 {
			return t.name + "<" + list(t.args) + ">"
		}
		return t.name
	case variable:
		return t.name
	case extends:
		if len(t.args) == 0 {
			return "?"
		}
		return "? extends " + list(t.args)
	case super:
		return "? super " + list(t.args)
	case array:
		return list(t.args) + "[]"
	}
	return "-"
}

func parametersText(list []parameter) (out string) {
	for _, p := range list {
		out += p.name + ":" + p.bound.text() + " "
	}
	return out
}

func TestParseMethod(t *testing.T) {
	for _, x := range []struct{ signature, want string }{
		{"<R:Ljava/lang/Object;E:Ljava/lang/Exception;>(Lp/Getter<TR;TE;>;)TR;^TE;",
			"R:java/lang/Object E:java/lang/Exception | p/Getter<R, E> | R | E"},
		{"<S::Lp/Getter<*TE;>;E:Ljava/lang/Throwable;>(TS;I[J)V^TE;^Ljava/io/IOException;",
			"S:p/Getter<?, E> E:java/lang/Throwable | S, -, -[] | - | E, java/io/IOException"},
		{"(Lp/Outer<TT;>.Inner<-Ljava/lang/String;>;)Ljava/util/Map$Entry<+TT;[TT;>;",
			"| p/Outer$Inner<? super java/lang/String> | java/util/Map$Entry<? extends T, T[]> | "},
		{"<T:Ljava/lang/Object;:Ljava/lang/Comparable<-TT;>;>()TT;", "T:java/lang/Object |  | T | "},
	} {
		s, ok := parseMethod(x.signature)
		var params, throws []string
		for _, p := range s.params {
			params = append(params, p.text())
		}
		for _, p := range s.throws {
			throws = append(throws, p.text())
		}
		got := fmt.Sprintf("%s| %s | %s | %s", parametersText(s.of), strings.Join(params, ", "), s.result.text(),
			strings.Join(throws, ", "))
		if !ok || got != x.want {
			t.Errorf("%s: %v\n%s, want\n%s", x.signature, ok, got, x.want)
		}
	}
}

func TestParseClass(t *testing.T) {
	s, ok := parseClass("<E:Ljava/lang/Exception;>Ljava/lang/Object;Lp/Getter<Ljava/lang/String;TE;>;")
	if !ok || len(s.supers) != 2 || s.supers[1].text() != "p/Getter<java/lang/String, E>" ||
		parametersText(s.of) != "E:java/lang/Exception " {
		t.Errorf("%+v, %v", s, ok)
	}
}

// What is malformed is told to be so, and what is cut short ends.
func TestMalformed(t *testing.T) {
	const whole = "<S::Lp/Getter<*TE;>;E:Ljava/lang/Throwable;>(TS;I[J)V^TE;"
	for i := range len(whole) {
		if _, ok := parseMethod(whole[:i]); ok && whole[:i] != "<S::Lp/Getter<*TE;>;E:Ljava/lang/Throwable;>(TS;I[J)V" {
			t.Errorf("%q is taken for a signature", whole[:i])
		}
	}
	for _, text := range []string{"", "I)V", "<T>()V", "(Lp/A<)V", "()V^TE", "()VV"} {
		if s, ok := parseMethod(text); ok {
			t.Errorf("%q is taken for a signature: %+v", text, s)
		}
	}
	if got := parseType("Lp/A;Lp/B;"); got.kind != unknown {
		t.Errorf("two types are one: %+v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("<R:Ljava/lang/Object;>(Lp/Getter<TR;+TE;>;[I)TR;^TE;")
	f.Add("<E:Ljava/lang/Exception;>Ljava/lang/Object;Lp/Outer<TE;>.Inner<*>;")
	f.Fuzz(func(t *testing.T, text string) {
		parseMethod(text)
		parseClass(text)
		parseType(text)
		classfile.Parameters(text)
	})
}

func TestPositions(t *testing.T) {
	const desc = "(I[JLp/A;DLp/B;)V"
	for k, want := range []int{-1, 1, 2, -1, 3} {
		if got := position(desc, k, true); got != want {
			t.Errorf("parameter %d of %s is at %d, want %d", k, desc, got, want)
		}
		if want >= 0 && parameterAt(desc, want, true) != k {
			t.Errorf("position %d of %s is parameter %d, want %d", want, desc, parameterAt(desc, want, true), k)
		}
	}
	if references(desc) != 3 || parameterAt(desc, 0, true) != -1 || parameterAt(desc, 0, false) != 1 {
		t.Errorf("%s: %d references, first %d", desc, references(desc), parameterAt(desc, 0, false))
	}
}
