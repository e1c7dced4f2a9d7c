package pointsto

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/heap"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// This file compares the solver with a naive fixed point on random constraints.

// tinyHierarchy has A, B and C below A, D, and E that overrides finalize.
func tinyHierarchy() *hierarchy.Hierarchy {
	super := map[string]string{"java/lang/Object": "", "java/lang/Throwable": "java/lang/Object",
		"A": "java/lang/Object", "B": "A", "C": "A", "D": "java/lang/Object", "E": "D",
		"I": "java/lang/Object", "J": "java/lang/Object", "java/lang/Cloneable": "java/lang/Object"}
	interfaces := map[string][]string{"C": {"J"}, "J": {"I"}, "E": {"java/lang/Cloneable"}}
	return hierarchy.New(hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		s, ok := super[name]
		c := &facts.Class{Name: name, Super: s, Interfaces: interfaces[name]}
		if name == "I" || name == "J" || name == "java/lang/Cloneable" {
			c.Access = hierarchy.AccInterface
		}
		if name == "java/lang/Object" || name == "E" {
			c.Methods = []facts.Method{{Name: "finalize", Desc: "()V", Access: hierarchy.AccProtected}}
		}
		return c, ok
	}))
}

// constraint is one of the random constraints.
type constraint struct {
	kind   string
	a, b   int32
	f      Field
	filter int32
}

// naive is the reference: sets of objects by variable and by field of an object.
type naive struct {
	s     *solver
	vars  map[int32]map[Object]bool
	heap  map[[2]int32]map[Object]bool
	grown bool
	// lambdas are the interfaces of each.
	lambdas [][]hierarchy.TypeID
}

func (n *naive) at(v int32) map[Object]bool {
	if n.vars[v] == nil {
		n.vars[v] = map[Object]bool{}
	}
	return n.vars[v]
}

func (n *naive) field(o Object, f Field) map[Object]bool {
	k := [2]int32{int32(o), int32(f)}
	if n.heap[k] == nil {
		n.heap[k] = map[Object]bool{}
	}
	return n.heap[k]
}

func (n *naive) include(to, from map[Object]bool, filter int32) {
	for o := range from {
		if !to[o] && n.passes(filter, o) {
			to[o] = true
			n.grown = true
		}
	}
}

func (n *naive) passes(filter int32, o Object) bool {
	class, t := n.s.ClassOfFilter(filter), n.s.TypeInfo(n.s.TypeOfObject(o))
	switch {
	case filter == noFilter:
		return true
	case class == hierarchy.NoType:
		return n.s.Passes(filter, n.s.TypeOfObject(o))
	case t.Array != "":
		return slices.Contains([]string{"java/lang/Object", "java/lang/Cloneable", "java/io/Serializable"},
			n.s.H.Name(class))
	case t.Lambda >= 0:
		return slices.ContainsFunc(n.lambdas[t.Lambda],
			func(c hierarchy.TypeID) bool { return n.s.H.IsSubtype(c, class) })
	}
	return n.s.H.IsSubtype(t.Class, class)
}

// newLambda makes an object of a lambda expression.
func (n *naive) newLambda(names ...string) Object {
	var ifaces []hierarchy.TypeID
	for _, name := range names {
		ifaces = append(ifaces, n.s.H.Load(name, ""))
	}
	n.lambdas = append(n.lambdas, ifaces)
	return n.s.MakeObject(n.s.LambdaType(ifaces[0], int32(len(n.lambdas)-1), ifaces))
}

func (n *naive) isArray(o Object) bool { return n.s.TypeInfo(n.s.TypeOfObject(o)).Array != "" }

// run applies the constraints until nothing changes.
func (n *naive) run(list []constraint) {
	for n.grown = true; n.grown; {
		n.grown = false
		for _, c := range list {
			switch c.kind {
			case "copy":
				n.include(n.at(c.b), n.at(c.a), c.filter)
			case "load", "store":
				for o := range n.at(c.a) {
					if !n.passes(n.s.OwnersOf(c.f), o) {
						continue
					}
					if c.kind == "load" {
						n.include(n.at(c.b), n.field(o, c.f), noFilter)
					} else {
						n.include(n.field(o, c.f), n.at(c.b), noFilter)
					}
				}
			case "elements", "fill":
				for o := range n.at(c.a) {
					if !n.isArray(o) {
						continue
					}
					if c.kind == "elements" {
						n.include(n.at(c.b), n.field(o, Elements), noFilter)
					} else {
						desc := n.s.TypeInfo(n.s.TypeOfObject(o)).Array
						n.include(n.field(o, Elements), n.at(c.b), n.s.FilterDesc(desc[1:]))
					}
				}
			}
		}
	}
}

func TestAgainstNaiveFixedPoint(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := newSolver(tinyHierarchy(), callgraph.Config{}, Insensitive)
		s.Bounds = solve.Bounds{Few: int(seed % 4), Joins: 1 + int(seed%3)} // small sets are large ones, too
		n := &naive{s: s, vars: map[int32]map[Object]bool{}, heap: map[[2]int32]map[Object]bool{}}
		names := []string{"A", "B", "C", "D", "E"}
		filters := []int32{noFilter, noFilter, noFilter}
		filterNames := append([]string{"[LA;", "[Ljava/lang/Object;", "I", "J", "java/lang/Cloneable"}, names...)
		rng.Shuffle(len(filterNames), func(i, j int) {
			filterNames[i], filterNames[j] = filterNames[j],
				filterNames[i]
		})
		late := rng.IntN(len(filterNames)) // from here on filters are made when there are objects
		for _, name := range filterNames[:late] {
			filters = append(filters, s.FilterName(name, ""))
		}
		var fields []Field
		for i := range 4 {
			fields = append(fields, s.ResolveField(s.H.Load(names[i], ""), "f", "Ljava/lang/Object;"))
		}
		vars := int32(5 + rng.IntN(40))
		first := s.NewVars(int(vars))
		pick := func() int32 { return first + rng.Int32N(vars) }
		var list []constraint
		for range 10 + rng.IntN(150) {
			if late < len(filterNames) && rng.IntN(8) == 0 {
				filters = append(filters, s.FilterName(filterNames[late], ""))
				late++
			}
			c := constraint{a: pick(), b: pick(), f: fields[rng.IntN(len(fields))],
				filter: filters[rng.IntN(len(filters))]}
			switch k := rng.IntN(12); {
			case k < 2: // a new object
				ty := s.ClassType(s.H.Load(names[rng.IntN(len(names))], ""))
				var o Object
				switch rng.IntN(8) {
				case 0:
					o = n.newLambda([]string{"I", "J", "java/lang/Cloneable"}[rng.IntN(3)], "D")
				case 1, 2:
					ty = s.ArrayType([]string{"[LA;", "[Ljava/lang/Object;", "[LB;", "[[LA;",
						heap.UnknownArray}[rng.IntN(5)])
					fallthrough
				default:
					o = s.MakeObject(ty)
				}
				s.AddObject(c.a, o)
				n.at(c.a)[o] = true
				continue
			case k < 7:
				c.kind = "copy"
				s.Flow(c.a, c.b, c.filter)
			case k < 8:
				c.kind = "load"
				s.Watch(c.a, solve.UseLoad, c.b, int32(c.f))
			case k < 9:
				c.kind = "store"
				s.Watch(c.a, solve.UseStore, c.b, int32(c.f))
			case k < 10:
				c.kind = "elements"
				s.Watch(c.a, solve.UseElemLoad, c.b, 0)
			case k < 11:
				c.kind = "fill"
				s.Watch(c.a, solve.UseElemStore, c.b, 0)
			default: // what was asked so far is solved, cycles are found
				if rng.IntN(2) == 0 {
					s.Solve()
				} else {
					s.Reorder()
				}
				continue
			}
			list = append(list, c)
		}
		s.Solve()
		n.run(list)
		for v := first; v < first+vars; v++ {
			got := map[Object]bool{}
			for o := range s.Objects(v).All() {
				got[o] = true
			}
			if want := n.at(v); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("seed %d: variable %d points to %v, want %v", seed, v-first, got, want)
			}
		}
	}
}

// Filters tell classes, arrays and finalizers apart.
func TestFilters(t *testing.T) {
	s := newSolver(tinyHierarchy(), callgraph.Config{}, Insensitive)
	object := func(name string) Object {
		if name[0] == '[' {
			return s.MakeObject(s.ArrayType(name))
		}
		return s.MakeObject(s.ClassType(s.H.Load(name, "")))
	}
	passes := func(f int32, o Object) bool { return s.Passing(f, Block(o>>6), 1<<(o&63)) != 0 }
	for _, c := range []struct {
		filter, object string
		want           bool
	}{
		{"A", "A", true}, {"A", "B", true}, {"B", "A", false}, {"A", "D", false}, {"A", "[LA;", false},
		{"[LA;", "[LB;", true}, {"[LB;", "[LA;", false}, {"[Ljava/lang/Object;", "[LA;", true},
		{"[Ljava/lang/Object;", "[I", false},
		{"[Ljava/lang/Object;", "[[I", true}, {"[[LA;", "[[LB;", true}, {"[LA;", heap.UnknownArray, true},
		{"[I", heap.UnknownArray, false}, {"[I", "[I", true},
		{"java/lang/Object", "[I", true}, {"java/lang/Cloneable", "[I", true}, {"java/lang/Cloneable", "D", false},
		{"J", "C", true}, {"I", "[LC;", false},
	} {
		if got := passes(s.FilterName(c.filter, ""), object(c.object)); got != c.want {
			t.Errorf("%s passes %s: %v", c.object, c.filter, got)
		}
	}
	for _, c := range []struct {
		filter string
		want   bool
	}{{"I", true}, {"J", true}, {"java/lang/Cloneable", false}, {"C", false}, {"[LA;", false}} {
		if got := passes(s.FilterName(c.filter, ""), (&naive{s: s}).newLambda("J")); got != c.want {
			t.Errorf("a lambda of J passes %s: %v", c.filter, got)
		}
	}
	if f := s.FilterFinalizers(); passes(f, object("D")) || !passes(f, object("E")) {
		t.Error("E alone has a finalizer")
	}
}

// Objects of a type come in runs that grow; no two types share a run, and types
// of one object have only one.
func TestObjects(t *testing.T) {
	s := newSolver(tinyHierarchy(), callgraph.Config{}, Insensitive)
	seen := map[Object]string{}
	for i := range 300 {
		for _, name := range []string{"A", "D"} {
			o := s.MakeObject(s.ClassType(s.H.Load(name, "")))
			if by, ok := seen[o]; ok {
				t.Fatalf("object %d is of %s and %s", o, by, name)
			}
			seen[o] = name
			no, run := s.RunOf(o)
			if no != s.ClassType(s.H.Load(name, "")) || run>>(o&63)&1 == 0 {
				t.Fatalf("object %d (%d of %s) has type %d and run %x", o, i, name, no, run)
			}
		}
	}
	e := s.ClassType(s.H.Load("java/lang/Throwable", ""))
	if a, b := s.MakeObject(e), s.MakeObject(e); a != b {
		t.Error("two exceptions of a type")
	}
	if a, b := s.MakeObject(s.ArrayType("[I")), s.MakeObject(s.ArrayType("[I")); a != b {
		t.Error("two arrays of int")
	}
}
