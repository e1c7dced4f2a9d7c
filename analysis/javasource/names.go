package javasource

// This file resolves type names as written to internal names.

import (
	"slices"
	"strings"
)

// internal makes an internal name of a package and a simple or nested name.
func internal(pkg, name string) string {
	if pkg == "" {
		return name
	}
	return strings.ReplaceAll(pkg, ".", "/") + "/" + name
}

// erase removes type arguments from a type as written.
func erase(text string) string {
	if strings.IndexByte(text, '<') < 0 {
		return text
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '<':
			depth++
		case '>':
			depth--
		default:
			if depth == 0 {
				b.WriteByte(text[i])
			}
		}
	}
	return b.String()
}

// simpleName returns what follows the last dot.
func simpleName(text string) string { return text[strings.LastIndexByte(text, '.')+1:] }

// simpleErasure reduces a parameter's type to its erased simple name, with []
// for each dimension.
func simpleErasure(text string) string {
	text = erase(text)
	if t, ok := strings.CutSuffix(text, "..."); ok {
		text = t + "[]"
	}
	return simpleName(text)
}

// erasedParams renders a parameter list for identities.
func erasedParams(types []string) string {
	if len(types) == 0 {
		return "()"
	}
	var b strings.Builder
	b.WriteByte('(')
	for i, t := range types {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(simpleErasure(t))
	}
	b.WriteByte(')')
	return b.String()
}

// Resolve returns the internal names that a type name in the given type may
// mean, most likely first (JLS 6.4, 6.5): a type of the file that is in scope,
// a single-type import, a type of the same package, of java.lang, of an import
// on demand, a member type that the given type inherits from a superclass named
// in this file. What the classes of the workspace would tell (which of the
// candidates exist, members of superclasses' superclasses) is not known here.
func (f *File) Resolve(name string, in *Type) []string { return newNameIndex(f).resolve(name, in) }

// resolve is File.Resolve.
func (x *nameIndex) resolve(name string, in *Type) []string {
	r := resolver{parts: strings.Split(erase(name), ".")}
	r.nested = strings.Join(r.parts[1:], "$")
	first := r.parts[0]
	if t := x.visible(first, in); t != nil {
		r.add(r.within(t.BinaryName))
		return r.found
	}
	for _, name := range x.imported[first] {
		for _, s := range qualifiedNames(name) {
			r.add(r.within(s))
		}
	}
	if len(r.found) > 0 {
		return r.found
	}
	if len(r.parts) > 1 {
		for _, s := range qualifiedNames(strings.Join(r.parts, ".")) {
			r.add(s)
		}
	}
	if langThrowables[first] {
		r.add("java/lang/" + first)
	}
	r.add(r.within(internal(x.file.Package, first)))
	r.add(r.within("java/lang/" + first))
	for _, im := range x.file.Imports {
		if im.OnDemand {
			r.onDemand(im)
		}
	}
	for t := in; t != nil; t = t.Outer {
		if t.Super != "" && t.Kind != EnumConstant && simpleName(erase(t.Super)) != first {
			for _, s := range x.resolve(t.Super, nil) {
				r.add(r.within(s + "$" + first))
			}
		}
	}
	return r.found
}

// resolver collects candidates for one name.
type resolver struct {
	parts  []string // of the name
	nested string   // the parts after the first, in binary form
	found  []string
}

func (r *resolver) add(s string) {
	if !slices.Contains(r.found, s) {
		r.found = append(r.found, s)
	}
}

// within returns what the whole name is if its first part is head.
func (r *resolver) within(head string) string {
	if r.nested == "" {
		return head
	}
	return head + "$" + r.nested
}

// onDemand adds what an import on demand (of a package or of a class's member
// types) may bring.
func (r *resolver) onDemand(im Import) {
	last := simpleName(im.Name)
	if last != "" && last[0] >= 'A' && last[0] <= 'Z' {
		for _, s := range qualifiedNames(im.Name) {
			r.add(r.within(s + "$" + r.parts[0]))
		}
	}
	if !im.Static {
		r.add(r.within(internal(im.Name, r.parts[0])))
	}
}

// langThrowables are the throwable classes of java.lang that code names most.
// A class of the same package may hide them, but hardly ever does.
var langThrowables = func() map[string]bool {
	m := make(map[string]bool)
	for _, s := range strings.Fields(`Throwable Exception Error RuntimeException
		ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException
		AssertionError BootstrapMethodError ClassCastException
		ClassNotFoundException CloneNotSupportedException
		ExceptionInInitializerError IllegalAccessException IllegalAccessError
		IllegalArgumentException IllegalMonitorStateException
		IllegalStateException IncompatibleClassChangeError
		IndexOutOfBoundsException InstantiationException InternalError
		InterruptedException LinkageError MatchException
		NegativeArraySizeException NoClassDefFoundError NoSuchFieldError
		NoSuchFieldException NoSuchMethodError NoSuchMethodException
		NullPointerException NumberFormatException OutOfMemoryError
		ReflectiveOperationException SecurityException StackOverflowError
		StringIndexOutOfBoundsException UnsatisfiedLinkError
		UnsupportedOperationException VerifyError VirtualMachineError`) {
		m[s] = true
	}
	return m
}()

// qualifiedNames returns the internal names that a qualified name may mean. By
// convention packages start with a small letter and classes do not. Where the
// name follows it, that split comes first, and the last part as the only class
// second; otherwise every split is possible.
func qualifiedNames(name string) []string {
	parts := strings.Split(name, ".")
	last := len(parts) - 1
	for i, s := range parts {
		if s != "" && (s[0] < 'a' || s[0] > 'z') {
			if i == last {
				return []string{splitName(parts, i)}
			}
			return []string{splitName(parts, i), splitName(parts, last)}
		}
	}
	var names []string
	for i := last; i >= 0; i-- {
		names = append(names, splitName(parts, i))
	}
	return names
}

// splitName makes an internal name of which the first n parts are the package.
func splitName(parts []string, n int) string {
	class := strings.Join(parts[n:], "$")
	if n == 0 {
		return class
	}
	return strings.Join(parts[:n], "/") + "/" + class
}
