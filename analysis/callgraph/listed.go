package callgraph

import (
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
)

// This file lets reflection and handles call the methods that code gets as a list (package
// features, listed.go).

// listMethods lets handles, and Method.invoke, call what a call lists.
func (b *builder) listMethods(class string, m *facts.Method, c *facts.Call, classes func() []string) {
	list, handles, invoked := b.names.ListedMethods(b.h.Lookup(class), m, c, classes)
	b.listed(class, list, handles, invoked)
}

// listed lets handles, and Method.invoke, call methods that code of a class lists.
func (b *builder) listed(class string, list []features.ListedMethod, handles, invoked bool) {
	for _, l := range list {
		if handles {
			b.add(b.pools.named, b.handleOn(l.Of, l.Method, class))
		}
		if invoked {
			b.add(b.pools.methods, b.calledOn(l.Of, l.Method))
			b.invokeStatic(l.Method, class)
		}
	}
}
