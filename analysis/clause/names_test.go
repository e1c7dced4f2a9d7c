package clause

import "testing"

// A variable without a name in the class file has that of the source where only one can be meant.
func TestNameFromSource(t *testing.T) {
	for _, c := range []struct{ set, use, want string }{
		{"lastOffset = startOffset;", "fileOffset = lastOffset + 1;", "lastOffset"},
		{"int n = read();", "return n;", "n"},
		{"n += 2;", "f(n);", "n"},
		{"n <<= 1;", "f(n);", "n"},
		{"f(n++);", "f(n);", "n"},
		{"--n;", "f(n);", "n"},
		{"for (String s : all) {", "log(s);", "s"},
		{"this.a = b = c;", "f(this.a, b, c);", "b"},
		{"a = b = c;", "f(a, b);", "local variable 3"},      // either
		{"a = b = c;", "f(this.a, b);", "b"},                // a is a field there
		{"if (a == b) c = d;", "f(a, c);", "c"},             // == assigns nothing
		{"if (a <= b) f();", "f(a);", "local variable 3"},   // nor does <=
		{"open(", "f(a);", "local variable 3"},              // the name stands in another line
		{"a = open();", "f(aa);", "local variable 3"},       // no word of the use
		{"Foo::bar, x = y", "x", "x"},                       // a reference to a method is no loop
		{"a = 1; b = 2;", "f(b); // a", "local variable 3"}, // comments are read as code
	} {
		r := &Result{Prepared: []Prepared{
			{Kind: Local, Name: "local 3", Sets: []Set{{Line: 1}}, Uses: []Use{{Line: 2}, {Line: 0}, {Line: 9}}},
			{Kind: Local, Name: "named", Sets: []Set{{Line: 1}}, Uses: []Use{{Line: 2}}},
		}}
		r.NameFromSource([]string{c.set, c.use})
		if got := r.Prepared[0].Shown(); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.set, c.use, got, c.want)
		}
		if got := r.Prepared[1]; got.Shown() != "named" || got.InSource != "" {
			t.Errorf("a variable that has a name is called %q", got.Shown())
		}
	}
}
