package planner

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/ir"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// eachGraph calls do for the graph of each method with code of the classes that keep accepts.
func eachGraph(t testing.TB, e classpath.Entry, keep func(class string) bool, do func(m *ir.Method, g *Graph)) {
	t.Helper()
	builder := &ir.Builder{}
	err := e.Each(func(name string) error {
		if !keep(name) {
			return nil
		}
		data, _, err := e.Find(name)
		if err != nil {
			return err
		}
		c, err := classfile.Parse(data)
		if err != nil {
			return err
		}
		for _, member := range c.Methods {
			m, err := builder.Build(c, member)
			if err != nil {
				return err
			}
			if m == nil || m.Code == nil {
				continue
			}
			g, err := OfMethod(m)
			if err != nil {
				t.Errorf("%s.%s%s: %v", name, m.Name, m.Desc, err)
				continue
			}
			do(m, g)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// jdk opens the classes of JDK 17.
func jdk(t testing.TB) classpath.Entry {
	t.Helper()
	jdk, err := classpath.OpenJDK(testjdk.JDK(t, 17), classpath.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { jdk.Close() })
	return jdk.Entry()
}

// checkMethods runs all techniques over random walks through methods, of which there are at least
// a number.
func checkMethods(t *testing.T, e classpath.Entry, keep func(class string) bool, atLeast int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	methods, handlers := 0, 0
	eachGraph(t, e, keep, func(m *ir.Method, g *Graph) {
		methods++
		if slices.ContainsFunc(g.Edges, func(e Edge) bool { return e.Exceptional }) {
			handlers++
		}
		var walks [][]int32
		for range 4 {
			walks = append(walks, randomWalk(g, r))
		}
		if err := checkVariants(g, walks); err != nil {
			t.Errorf("%s.%s%s: %v", m.Class.Name(), m.Name, m.Desc, err)
		}
	})
	if methods < atLeast || handlers < atLeast/50 {
		t.Errorf("%d methods, %d with handlers", methods, handlers)
	}
}

// Every technique gives the coverage of all blocks and edges on the methods of a package.
func TestMethods(t *testing.T) {
	inPackage := func(class string) bool { return strings.HasPrefix(class, "java/util/zip/") }
	checkMethods(t, jdk(t), inPackage, 400)
}

// Control leaves where an instruction throws, where a method returns, and in every cycle; it goes
// on to every successor and handler.
func TestOfMethod(t *testing.T) {
	cycles := 0
	inPackage := func(class string) bool { return strings.HasPrefix(class, "java/util/zip/") }
	eachGraph(t, jdk(t), inPackage, func(m *ir.Method, g *Graph) {
		whole, quiet := simple.NewDirectedGraph(), simple.NewDirectedGraph()
		for b := range ir.BlockID(len(m.Blocks)) {
			succs := slices.Concat(m.Succs(b), m.HandlerSuccs(b))
			if leaves := g.Leaves[b]; !leaves && (m.Blocks[b].Throws || len(succs) == 0) {
				t.Errorf("%s.%s: block %d does not leave", m.Class.Name(), m.Name, b)
			}
			for _, to := range succs {
				if g.EdgeBetween(int32(b), int32(to)) < 0 {
					t.Errorf("%s.%s: no edge %d>%d", m.Class.Name(), m.Name, b, to)
				}
				if b == to {
					cycles++
					continue
				}
				edge := simple.Edge{F: simple.Node(b), T: simple.Node(to)}
				whole.SetEdge(edge)
				if !g.Leaves[b] && !g.Leaves[to] {
					quiet.SetEdge(edge)
				}
			}
		}
		if _, err := topo.Sort(whole); err != nil {
			cycles++
		}
		if _, err := topo.Sort(quiet); err != nil {
			t.Errorf("%s.%s: a cycle does not leave: %v", m.Class.Name(), m.Name, err)
		}
	})
	if cycles < 50 {
		t.Errorf("only %d methods have a cycle", cycles)
	}
}
