package facts

import (
	"reflect"
	"slices"
	"testing"
)

const detailsSource = `package p;
import java.io.*;
abstract class C {
    abstract int bare();
    abstract int declares() throws IOException;
    int plain(int i) { return i + bare(); }
    int tries() { try { return declares(); } catch (IOException e) { throw new UncheckedIOException(e); } }
    Class<?> names() { return String.class; }
    @Deprecated void noted() { bare(); }
    int triesAgain() { try { return declares(); } catch (IOException e) { return 0; } finally { bare(); } }
}`

// Only methods that have some have details, and each method its own, as the record is made and
// as it is read; making another record changes nothing.
func TestDetailsOfMethods(t *testing.T) {
	made := recordOf(t, detailsSource)
	b := NewStoreBuilder()
	enc := slices.Clone(b.enc.record(made))
	recordOf(t, "package p; class C { void m() throws Exception { try { m(); } catch (Error e) { throw e; } } }")
	var d decoder
	read, err := d.decode(enc, b.text)
	if err != nil || !reflect.DeepEqual(read, made) {
		t.Fatalf("decoded %+v, %v\nwant %+v", read, err, made)
	}
	for what, r := range map[string]*Class{"made": made, "read": read} {
		var with, code []string
		of := map[string]*Method{}
		for i := range r.Methods {
			m := &r.Methods[i]
			of[m.Name] = m
			if m.Details != nil {
				with = append(with, m.Name)
			}
			if m.HasCode {
				code = append(code, m.Name)
			}
			if len(m.Covers()) == 0 || len(m.Covers()[0]) > 0 {
				t.Errorf("%s: %s has the covers %v", what, m.Name, m.Covers())
			}
		}
		if want := []string{"declares", "tries", "names", "noted", "triesAgain"}; !slices.Equal(with, want) {
			t.Errorf("%s: details of %q, want of %q", what, with, want)
		}
		if want := []string{"<init>", "plain", "tries", "names", "noted", "triesAgain"}; !slices.Equal(code, want) {
			t.Errorf("%s: code of %q, want of %q", what, code, want)
		}
		if m := of["plain"]; m.Declared() != nil || m.Annotations() != nil || m.Handlers() != nil || m.Table() != nil ||
			m.Throws() != nil ||
			m.Handles() != nil || m.Classes() != nil || m.Noted() != 0 || m.Implicit() != nil || len(m.Covers()) != 1 {
			t.Errorf("%s: %+v has details", what, m)
		}
		if m := of["tries"]; len(m.Handlers()) != 1 || m.Handlers()[0].Param != "e" || len(m.Table()) != 1 ||
			len(m.Covers()) != 2 ||
			len(m.Throws()) != 1 || m.Throws()[0].Sources[0].Type != "java/io/UncheckedIOException" ||
			m.Declared() != nil {
			t.Errorf("%s: tries has %+v", what, m.Details)
		}
		if m := of["triesAgain"]; len(m.Handlers()) != 2 ||
			!slices.Equal(m.Handlers()[0].Types, []string{"java/io/IOException"}) || len(m.Throws()) != 1 {
			t.Errorf("%s: triesAgain has %+v", what, m.Details)
		}
		if got := of["declares"].Declared(); !slices.Equal(got, []string{"java/io/IOException"}) {
			t.Errorf("%s: declares %q", what, got)
		}
		if got := of["names"].Classes(); !slices.Equal(got, []string{"java/lang/String"}) || of["names"].Noted() != 0 {
			t.Errorf("%s: names %q", what, got)
		}
		if got := of["noted"].Annotations(); !slices.Equal(got, []string{"java/lang/Deprecated"}) {
			t.Errorf("%s: annotated with %q", what, got)
		}
	}
}

// What throws and catches alike is told without a change of either record.
func TestSameExceptionsChangesNothing(t *testing.T) {
	a, b, untouched := recordOf(t, detailsSource), recordOf(t, "\n"+detailsSource), recordOf(t, detailsSource)
	for i := range a.Methods {
		if !SameExceptions(&a.Methods[i], &b.Methods[i]) {
			t.Errorf("%s throws something else a line further down", a.Methods[i].Name)
		}
	}
	at := func(name string) *Method {
		return &a.Methods[slices.IndexFunc(a.Methods, func(m Method) bool { return m.Name == name })]
	}
	tries := *at("tries")
	tries.Name, tries.Desc = at("triesAgain").Name, at("triesAgain").Desc
	if SameExceptions(&tries, at("triesAgain")) {
		t.Error("methods with different handlers throw alike")
	}
	names := *at("names")
	names.Details = nil // a class constant is nothing that is thrown
	if !SameExceptions(&names, at("names")) {
		t.Error("a class constant counts as an exception")
	}
	if !reflect.DeepEqual(a, untouched) {
		t.Errorf("compared: %+v\nwant %+v", a, untouched)
	}
}

// Programs hold hundreds of thousands of calls and tens of thousands of methods: what only few
// have belongs into their details.
func TestSizesOfRecords(t *testing.T) {
	for _, x := range []struct {
		of   reflect.Type
		most uintptr // bytes, with pointers of 8
	}{{reflect.TypeFor[Call](), 32}, {reflect.TypeFor[Method](), 200}} {
		if x.of.Size() > x.most {
			t.Errorf("%v has %d bytes, more than %d", x.of, x.of.Size(), x.most)
		}
	}
}
