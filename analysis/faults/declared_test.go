package faults_test

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/faults"
)

func TestParseMethod(t *testing.T) {
	for _, x := range []struct{ text, class, method, desc string }{
		{"com.acme.Client.send", "com/acme/Client", "send", ""},
		{" Client.send(I)V ", "Client", "send", "(I)V"},
		{"p.Outer$Inner.<init>(Ljava/lang/String;)V", "p/Outer$Inner", "<init>", "(Ljava/lang/String;)V"},
	} {
		class, method, desc, ok := faults.ParseMethod(x.text)
		if !ok || class != x.class || method != x.method || desc != x.desc {
			t.Errorf("%q is %q %q %q, %t", x.text, class, method, desc, ok)
		}
	}
	for _, bad := range []string{"", "send", ".send", "p.Client.", "p.Client#send", "p.Client.send(I",
		"p.Client send.x"} {
		if class, method, desc, ok := faults.ParseMethod(bad); ok {
			t.Errorf("%q is %q %q %q", bad, class, method, desc)
		}
	}
}

// A fault strikes its method and those that override it: no other overload, no static
// method of a subclass, no constructor of one.
func TestDeclaredStrikes(t *testing.T) {
	const static = 0x0008
	d := faults.Declared{Class: "p/A", Method: "m", Desc: "(I)V"}
	isA := func(super string) bool { return super == "p/A" }
	no := func(string) bool { return false }
	for _, x := range []struct {
		class, name, desc string
		access            uint16
		isA               func(string) bool
		want              bool
	}{
		{"p/A", "m", "(I)V", 0, no, true},
		{"p/A", "m", "(I)V", static, no, true},
		{"p/B", "m", "(I)V", 0, isA, true},
		{"p/B", "m", "(I)V", static, isA, false},
		{"p/C", "m", "(I)V", 0, no, false},
		{"p/A", "m", "(J)V", 0, no, false},
		{"p/A", "n", "(I)V", 0, no, false},
	} {
		if got := d.Strikes(x.class, x.name, x.desc, x.access, x.isA); got != x.want {
			t.Errorf("%s.%s%s: %t", x.class, x.name, x.desc, got)
		}
	}
	d = faults.Declared{Class: "p/A", Method: "<init>"}
	if d.Strikes("p/B", "<init>", "()V", 0, isA) {
		t.Error("the constructor of a subclass is struck")
	}
}

// Faults that do something else have another digest.
func TestDigestOf(t *testing.T) {
	a := faults.Declared{Name: "a", Class: "p/A", Method: "m", Exception: "p/X"}
	b := a
	b.Message = "other"
	if faults.DigestOf(nil) != "" || faults.DigestOf([]faults.Declared{a}) == faults.DigestOf([]faults.Declared{b}) ||
		a.Definition() == b.Definition() {
		t.Error("two faults have one digest")
	}
}

func TestDeclaredAt(t *testing.T) {
	for number, want := range map[int]int{faults.DeclaredEntry: 0, faults.DeclaredEntry + 7: 7,
		faults.DeclaredCall + 7: 7} {
		if i, ok := faults.DeclaredAt(number); !ok || i != want {
			t.Errorf("%d is %d, %t", number, i, ok)
		}
	}
	if _, ok := faults.DeclaredAt(len(faults.Table) - 1); ok || len(faults.Table) > faults.DeclaredEntry {
		t.Error("numbers of roots are those of faults of users")
	}
}
