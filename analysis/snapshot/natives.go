package snapshot

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// NativeMethod is one that the call graph reaches and no row of package natives speaks of: it is
// taken to throw what it declares and to call nothing.
type NativeMethod struct {
	MethodRef          // Class is dotted
	Declared  []string // exceptions, dotted
	OfJDK     bool
}

// NativesWithoutRow lists the native methods that code of the workspace may get to and that have no
// row: those of the JDK last, by class and method. What VarHandle and MethodHandle do is known at
// each call, and they are not in it; methods of Unsafe are, though what they read and write is
// known. reached counts all native methods that it may get to.
func (s *Snapshot) NativesWithoutRow() (list []NativeMethod, reached int) {
	if s.Program == nil || s.Program.Graph == nil {
		return nil, 0
	}
	g := s.Program.Graph
	for n := range callgraph.NodeID(g.NumNodes()) {
		m := g.Method(n)
		if m == nil || m.Access&hierarchy.AccNative == 0 {
			continue
		}
		reached++
		class := g.Class(n)
		if _, ok := natives.Model(class, m.Name, m.Desc, true); ok ||
			hierarchy.IsSignaturePolymorphic(class, m.Access, m.Desc) {
			continue
		}
		x := NativeMethod{MethodRef: s.methodOf(n), OfJDK: natives.OfJDK(class)}
		for _, e := range m.Declared() {
			x.Declared = append(x.Declared, Dotted(e))
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b NativeMethod) int {
		switch {
		case a.OfJDK && !b.OfJDK:
			return 1
		case b.OfJDK && !a.OfJDK:
			return -1
		}
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Method, b.Method))
	})
	return list, reached
}
