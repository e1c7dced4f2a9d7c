package callgraph

import (
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells which class initialisers run (JVMS 5.5): by instructions, by method handles, and
// by reflection.

// visitInit adds the class initialisers that x, the instruction i among those of a method
// of the class by, may run.
func (b *builder) visitInit(by hierarchy.TypeID, class string, x *facts.Init, i int) {
	t := b.load(x.Class, class)
	b.reference(t)
	if t = features.Initialised(b.h, by, t, x.Field); t != hierarchy.NoType {
		b.initializes(t, FromInits, i)
	}
}

// initializes lets an instruction of the method being visited, i among those of its origin, run
// the initialisers of a class.
func (b *builder) initializes(t hierarchy.TypeID, from Origin, i int) {
	if s := b.initSet(t); len(b.sets[s].members) > 0 {
		b.site(s, ClassInit, from, i)
	}
}

// initSet is the set of class initialisers that initialising t runs.
func (b *builder) initSet(t hierarchy.TypeID) SetID {
	b.effects.note(initializes, int32(t))
	if s := b.state(t).initSet; s != NoSet {
		return s
	}
	b.effects.enter()
	defer b.effects.leave()
	s := b.newSet()
	b.state(t).initSet = s
	for _, m := range features.Initializers(b.h, t) {
		b.add(s, b.reach(m))
	}
	return s
}

// invokeStatic lets what invokes methods by reflection initialise the class of a static method that
// code of the class by gets at. What an initialiser throws there is not wrapped as what the method
// throws is.
func (b *builder) invokeStatic(m hierarchy.MethodID, by string) {
	if features.InvokeInitializes(b.h, m, by) {
		for _, n := range b.sets[b.initSet(b.h.Owner(m))].members {
			b.add(b.pools.accessed, n)
		}
	}
}

// askFields lets what reads and writes fields by reflection, and handles, initialise the classes
// of static fields that a call asks for, in each of some classes.
func (b *builder) askFields(class string, c *facts.Call, owners func() []string) {
	f, ok := features.FieldAsked(c)
	if !ok {
		return
	}
	by := b.h.Lookup(class)
	for _, n := range owners() {
		t := b.load(n, class)
		b.reference(t)
		for _, d := range features.AskedStatics(b.h, t, f, by) {
			s := b.initSet(d)
			if len(b.sets[s].members) == 0 {
				continue
			}
			for _, m := range b.sets[s].members {
				b.add(b.pools.accessed, m)
			}
			if f.Handle {
				n := b.wrapper(s)
				b.inits[n] = s
				b.add(b.pools.handles, n)
				b.add(b.pools.unreflected, n)
			}
		}
	}
}
