package plan

import (
	"reflect"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
)

// nested is a method like
//
//	try {                              // [0, 30)
//	    try { a(); return; b(); }      // [0, 10) and [12, 20), finally's code between
//	    catch (A | B e) { throw e; }   // 40
//	    catch (C e) { }                // 50
//	    finally { }                    // 60
//	} catch (D e) { throw x ? e : new E(); }  // 70
func nested() facts.Method {
	return facts.Method{
		Name: "m", Desc: "()V",
		Details: &facts.MethodDetails{
			Handlers: []facts.Handler{
				{PC: 40, Types: []string{"A", "B"}},
				{PC: 50, Types: []string{"C"}},
				{PC: 60, Types: []string{""}},
				{PC: 70, Types: []string{"D"}},
			},
			Table: []facts.TableEntry{
				{Start: 0, End: 10, Handler: 0, Type: "A"}, {Start: 12, End: 20, Handler: 0, Type: "A"},
				{Start: 0, End: 10, Handler: 0, Type: "B"}, {Start: 12, End: 20, Handler: 0, Type: "B"},
				{Start: 12, End: 20, Handler: 1, Type: "C"}, {Start: 0, End: 10, Handler: 1, Type: "C"},
				{Start: 0, End: 10, Handler: 2}, {Start: 12, End: 20, Handler: 2},
				{Start: 0, End: 30, Handler: 3, Type: "D"},
			},
			Throws: []facts.Throw{
				{Site: facts.Site{PC: 45, Ordinal: 0}, Sources: []facts.Source{{Kind: facts.CaughtSource, Handler: 0}}},
				{Site: facts.Site{PC: 65, Ordinal: 1},
					Sources: []facts.Source{{Kind: facts.CaughtSource, Handler: 2},
						{Kind: facts.CaughtSource, Handler: 1}}},
				{Site: facts.Site{PC: 80, Ordinal: 2},
					Sources: []facts.Source{{Kind: facts.CaughtSource, Handler: 3},
						{Kind: facts.NewSource, Type: "E"}}},
				{Site: facts.Site{PC: 90, Ordinal: 3}, Sources: []facts.Source{{Kind: facts.TypedSource, Type: "F"}}},
			},
		},
	}
}

func testClass() *facts.Class {
	return &facts.Class{Name: "p/C", Digest: [16]byte{1, 2, 3},
		Methods: []facts.Method{{Name: "native"}, nested(), {Name: "none"}, nested()}}
}

func TestForClass(t *testing.T) {
	c := ForClass(testClass(), Full)
	// The two catches with the same two ranges are one try, the outer one
	// another; the finally handler has no probe.
	inner := []Range{{0, 10}, {12, 20}}
	wantTries := []Try{
		{0, 1, inner, []uint16{0, 1}}, {1, 1, []Range{{0, 30}}, []uint16{3}},
		{2, 3, inner, []uint16{0, 1}}, {3, 3, []Range{{0, 30}}, []uint16{3}},
	}
	if !reflect.DeepEqual(c.Tries, wantTries) {
		t.Errorf("tries %+v\nwant  %+v", c.Tries, wantTries)
	}
	wantCatches := []Catch{
		{0, 1, 0, 0, 40}, {1, 1, 1, 0, 50}, {2, 1, 3, 1, 70},
		{3, 3, 0, 2, 40}, {4, 3, 1, 2, 50}, {5, 3, 3, 3, 70},
	}
	if !reflect.DeepEqual(c.Catches, wantCatches) {
		t.Errorf("catches %+v\nwant    %+v", c.Catches, wantCatches)
	}
	// What can only be a rethrow has no probe.
	wantThrows := []Throw{{0, 1, 2, 80, true}, {1, 1, 3, 90, false}, {2, 3, 2, 80, true}, {3, 3, 3, 90, false}}
	if !reflect.DeepEqual(c.Throws, wantThrows) {
		t.Errorf("throws %+v\nwant   %+v", c.Throws, wantThrows)
	}
	if c.Methods != 4 || c.Empty() || len(c.Dropped) > 0 {
		t.Errorf("methods %d, empty %v, dropped %v", c.Methods, c.Empty(), c.Dropped)
	}
	if s := c.Tries[0].Start(); s != 0 || !c.Tries[0].Contains(9) || c.Tries[0].Contains(10) ||
		!c.Tries[0].Contains(12) || c.Tries[0].Contains(20) {
		t.Errorf("the first try starts at %d or contains something else than its ranges", s)
	}
}

func TestKinds(t *testing.T) {
	for _, k := range []Kinds{None, Enters, Tries, Throws, Full} {
		c := ForClass(testClass(), k)
		if (len(c.Tries) > 0) != (k&Tries != 0) || (len(c.Catches) > 0) != (k&Tries != 0) ||
			(len(c.Throws) > 0) != (k&Throws != 0) {
			t.Errorf("kinds %d: %d tries, %d catches, %d throws", k, len(c.Tries), len(c.Catches), len(c.Throws))
		}
		if c.Empty() != (k == None) {
			t.Errorf("kinds %d: empty is %v", k, c.Empty())
		}
	}
	if c := ForClass(&facts.Class{Name: "C"}, Full); !c.Empty() {
		t.Error("a class without methods has probes")
	}
	if c := ForClass(&facts.Class{Name: "C", Methods: make([]facts.Method, 2)}, Throws); !c.Empty() {
		t.Error("a class without throws has throw probes")
	}
}

// TestEditKeepsNumbers: what other classes and later methods do changes no
// number of a method before.
func TestEditKeepsNumbers(t *testing.T) {
	before := testClass()
	after := testClass()
	after.Methods = append(after.Methods, nested())
	a, b := ForClass(before, Full), ForClass(after, Full)
	if !reflect.DeepEqual(a.Tries, b.Tries[:len(a.Tries)]) || !reflect.DeepEqual(a.Throws, b.Throws[:len(a.Throws)]) {
		t.Error("a method behind renumbered those before it")
	}
}

// manyThrows is a method with n throw sites, many with n tries.
func manyThrows(n int) facts.Method {
	m := facts.Method{Name: "m", Desc: "()V", Details: &facts.MethodDetails{}}
	for i := range n {
		m.Details.Throws = append(m.Throws(),
			facts.Throw{Site: facts.Site{PC: int32(i), Ordinal: uint16(i)},
				Sources: []facts.Source{{Kind: facts.NewSource}}})
	}
	return m
}

func manyTries(n int) facts.Method {
	m := facts.Method{Name: "m", Desc: "()V", Details: &facts.MethodDetails{}}
	for i := range n {
		m.Details.Handlers = append(m.Handlers(), facts.Handler{PC: int32(i), Types: []string{"A"}})
		m.Details.Table = append(m.Table(),
			facts.TableEntry{Start: int32(i), End: int32(i + 1), Handler: uint16(i), Type: "A"})
	}
	return m
}

// TestTooMany: numbers are u2; a method that would go beyond is left out whole
// and named, the methods behind it are not.
func TestTooMany(t *testing.T) {
	c := ForClass(&facts.Class{Name: "C",
		Methods: []facts.Method{manyThrows(40000), manyThrows(40000), manyThrows(25536)}}, Throws)
	if len(c.Throws) != 65536 || c.Throws[65535].N != 65535 || c.Throws[65535].Method != 2 {
		t.Errorf("%d throw sites", len(c.Throws))
	}
	if len(c.Dropped) != 1 || c.Dropped[0].Method != 1 || !strings.Contains(c.Dropped[0].Why, "65,536") {
		t.Errorf("dropped %+v, want method 1", c.Dropped)
	}
	c = ForClass(&facts.Class{Name: "C", Methods: []facts.Method{manyTries(60000), manyTries(6000), manyTries(5000)}},
		Tries)
	if len(c.Tries) != 65000 || len(c.Catches) != 65000 || len(c.Dropped) != 1 || c.Dropped[0].Method != 1 {
		t.Errorf("%d tries, dropped %+v", len(c.Tries), c.Dropped)
	}
}

func BenchmarkForClass(b *testing.B) {
	f := testClass()
	for b.Loop() {
		ForClass(f, Full)
	}
}
