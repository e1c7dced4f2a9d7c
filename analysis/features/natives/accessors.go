package natives

import (
	"slices"
	"strings"
)

// This file tells for which native method a class stands that core reflection generates as a
// program runs.

// accessors are the generated classes: before JDK 18 one for each method or constructor that was
// called more often than sun.reflect.inflationThreshold says (15 times), and one for each class
// that is deserialised. They end in a number that differs from run to run.
var accessors = []struct{ prefix, method, native, name string }{
	{"GeneratedMethodAccessor", "invoke", "NativeMethodAccessorImpl", "invoke0"},
	{"GeneratedConstructorAccessor", "newInstance", "NativeConstructorAccessorImpl", "newInstance0"},
	{"GeneratedSerializationConstructorAccessor", "newInstance", "NativeConstructorAccessorImpl", "newInstance0"},
}

// reflectionPackages are those of core reflection, since JDK 9 and before.
var reflectionPackages = []string{"jdk/internal/reflect/", "sun/reflect/"}

// Accessor is the native method that does the same as a method of a generated accessor and whose
// row (Model) says what it throws. ok is false for all other methods.
func Accessor(class, method string) (native Method, ok bool) {
	for _, p := range reflectionPackages {
		name, found := strings.CutPrefix(class, p)
		if !found {
			continue
		}
		for _, a := range accessors {
			if n, found := strings.CutPrefix(name, a.prefix); found && method == a.method && n != "" &&
				strings.Trim(n, "0123456789") == "" {
				return Method{p + a.native, a.name}, true
			}
		}
	}
	return Method{}, false
}

// ThrowsOneOf tells whether a row says that its method throws an exception, given by its class with
// its superclasses, the class first.
func (r *Row) ThrowsOneOf(classes []string) bool {
	return slices.ContainsFunc(r.Throws, func(t string) bool {
		name, any := strings.CutSuffix(t, AnySubtype)
		return any && slices.Contains(classes, name) || len(classes) > 0 && classes[0] == name
	})
}
