package features

import "iter"

// This file tells which classes ServiceLoader makes objects of, and how.

// ProviderMethod is the name of the method of a provider that ServiceLoader calls in place of its
// constructor, where it has one.
const ProviderMethod = "provider"

// Providers are the classes that list names for a service, nil where nobody knows them. Objects of
// XMLSignatures are made where code asks for them.
func Providers(list func(service string) []string, service string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if list == nil {
			return
		}
		for _, p := range list(service) {
			if p != XMLSignatures && !yield(p) {
				return
			}
		}
	}
}
