package facts

import (
	"reflect"
	"slices"
	"testing"
)

const callsSource = `package p;
class C {
    int n(String s) { return 1; }
    int twice(C c) { return c.n("a") + c.n("b") + n(null); }
    Runnable run() { new C().n("c"); return () -> n("d"); }
}`

// Calls of one method reference share it, as the record is made and as it is read; what few
// calls have is there for those only; and making another record changes nothing.
func TestCallsShareReferences(t *testing.T) {
	made := recordOf(t, callsSource)
	b := NewStoreBuilder()
	enc := slices.Clone(b.enc.record(made))
	recordOf(t, "package p; class C { void m(C other) { System.out.println(\"x\"); other.m(this); } }")
	var d decoder
	read, err := d.decode(enc, b.text)
	if err != nil || !reflect.DeepEqual(read, made) {
		t.Fatalf("decoded %+v, %v\nwant %+v", read, err, made)
	}
	for what, r := range map[string]*Class{"made": made, "read": read} {
		var n []*Call // the calls of n
		at := map[MemberRef]*MemberRef{}
		details := 0
		for i := range r.Methods {
			for j := range r.Methods[i].Calls {
				c := &r.Methods[i].Calls[j]
				if was := at[*c.MemberRef]; was != nil && was != c.MemberRef {
					t.Errorf("%s: two references of %s.%s", what, c.Owner, c.Name)
				}
				at[*c.MemberRef] = c.MemberRef
				if c.Details != nil {
					details++
				}
				if c.Name == "n" {
					n = append(n, c)
				}
			}
		}
		var args []Const
		for _, c := range n {
			args = append(args, c.Args()...)
		}
		want := []Const{{StringConst, "a"}, {StringConst, "b"}, {Kind: NullConst}, {StringConst, "c"},
			{StringConst, "d"}}
		if !slices.Equal(args, want) || details != len(want)+1 { // and the lambda
			t.Errorf("%s: constants %v, %d calls with details", what, args, details)
		}
		if n[0].Recv() != "" || n[3].Recv() != "p/C" || !n[3].RecvExact {
			t.Errorf("%s: receivers %q and %q", what, n[0].Recv(), n[3].Recv())
		}
	}
}

// A call with other arguments shares nothing that is changed with the call that it was.
func TestWithArgs(t *testing.T) {
	text, null := []Const{{StringConst, "a"}}, []Const{{Kind: NullConst}}
	ref := &MemberRef{"p/A", "m", "(Ljava/lang/String;)V"}
	plain := Call{MemberRef: ref}
	named := plain.WithArgs(text)
	if plain.Details != nil || !slices.Equal(named.Args(), text) || named.MemberRef != ref {
		t.Errorf("%+v, with arguments %+v", plain, named)
	}
	other := named.WithArgs(null)
	if !slices.Equal(named.Args(), text) || !slices.Equal(other.Args(), null) {
		t.Errorf("%+v, with others %+v", named.Args(), other.Args())
	}
	if none := named.WithArgs(nil); !reflect.DeepEqual(none, plain) || len(named.Args()) != 1 {
		t.Errorf("without arguments %+v, want %+v", none, plain)
	}
	narrow := Call{MemberRef: ref, Details: &CallDetails{Recv: "p/B", Args: text, Indy: &Indy{}}}
	if bare := narrow.WithArgs(nil); bare.Recv() != "p/B" || bare.Indy() != narrow.Indy() || bare.Args() != nil ||
		narrow.Args() == nil {
		t.Errorf("without arguments %+v of %+v", bare.Details, narrow.Details)
	}
}

// What edits are compared by leaves the records as they are.
func TestCompareChangesNothing(t *testing.T) {
	a, b, untouched := recordOf(t, callsSource), recordOf(t, "\n"+callsSource), recordOf(t, callsSource)
	if d := Compare(a, b, ReadsValues, func(*Call) bool { return false }); !d.None() {
		t.Errorf("moved by a line: %+v", d)
	}
	SameExceptions(&a.Methods[1], &b.Methods[1])
	if !reflect.DeepEqual(a, untouched) {
		t.Errorf("compared: %+v\nwant %+v", a, untouched)
	}
}
