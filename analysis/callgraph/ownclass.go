package callgraph

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file models reflection on the class that an object has: getClass and, on
// what that gives, newInstance or a constructor, in one method.

// linkConstructors makes the constructors callable by reflection of all classes with instances that
// are what an object is declared as whose class a method asks for them. That is no effect which
// Patch could miss: where code changes on which names depend, it gives up.
func (b *builder) linkConstructors(class *facts.Class, m *facts.Method) {
	if !natives.OfJDK(class.Name) && features.MayMakeAlike(m) {
		b.names.DependsOn(b.h.Lookup(class.Name))
	}
	for _, a := range features.MadeAlike(class, m) {
		b.alikeOf(b.load(a.Type, class.Name))
	}
}

// alikeOf is alike for one class.
func (b *builder) alikeOf(of hierarchy.TypeID) {
	if b.state(of).alike {
		return
	}
	b.state(of).alike = true
	b.effects.enter()
	defer b.effects.leave()
	for _, t := range slices.Clone(b.state(of).receivers) {
		b.reflectConstructors(t, "")
	}
}
