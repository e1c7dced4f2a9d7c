package callgraph

// This file makes what code does with class objects (package features) part of a graph.

import (
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
)

// visitTokens adds what becomes of the class objects that a method has constants or names of.
func (b *builder) visitTokens(class string, m *facts.Method) {
	for _, u := range b.names.Tokens(class, m) {
		t, ok := b.loadIfPresent(u.Class)
		if !ok {
			continue
		}
		switch u.Kind {
		case features.MakesObject:
			b.reflectConstructors(t, u.By)
		case features.Initialises:
			b.initialisedByName(t)
		case features.LooksUp:
			b.lookupIn(u.Class, u.By, u.Call)
		case features.NamesMethod:
			if name, ok := features.StringConstant(u.Call); ok {
				b.reflectMethods(t, name, u.By)
			}
		case features.ListsMethods:
			list, handles, invoked := b.names.ListedOf(&u)
			b.listed(u.By, list, handles, invoked)
		case features.MakesProxy:
			if b.h.IsInterface(t) {
				b.proxies(u.By, []string{u.Class}, proxyMaker{u.By, u.Method})
			}
		case features.LoadsService:
			b.services(u.By, u.Class)
		}
	}
}
