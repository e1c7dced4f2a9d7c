// Package classname shortens the names of classes for people, and says those of methods.
package classname

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Simple is a class's name without its package. The name has dots; that of a nested class keeps its
// dollar signs, as in Outer$Inner. That of a hidden class loses the address behind it, as in
// p.C$$Lambda/0x00007f.
func Simple(name string) string {
	for _, hidden := range [...]string{"/0x", ".0x"} {
		name, _, _ = strings.Cut(name, hidden) // no part of another class's name begins with a digit
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// InSource is a class's name without its package, as sources write it: Outer.Inner. A dollar sign
// that may be part of a simple name, or the compiler's, stays as it is: the name that the class
// file has is never wrong.
func InSource(name string) string {
	name = Simple(name)
	var b strings.Builder
	for i, r := range name {
		if r == '$' && nests(name, i) {
			r = '.'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Outermost is the class around all that a class is nested in, or the class itself, in the form of
// the name given.
func Outermost(name string) string {
	outer, _, _ := strings.Cut(name, "$")
	return outer
}

// Method is a name of a method, perhaps with its parameters, in which constructors and class
// initialisers are called as a person calls them.
func Method(name string) string {
	if rest, ok := strings.CutPrefix(name, "<init>"); ok {
		return "new" + rest
	}
	if name == "<clinit>" {
		return "static {}"
	}
	return name
}

// nests tells whether the dollar sign at a place parts a class from one in it. A simple name may
// begin with one, and a generator's suffix does ($$Lambda, Scala's $$anonfun). What a compiler
// numbers has no name (Outer$1), or is no type (Outer$1Local), and neither has what it numbers or
// adds in a function, whose name, and those of functions in it, stand before that in Kotlin
// (FileKt$main$1, FileKt$main$run$1, FileKt$main$$inlined$map$1).
func nests(name string, i int) bool {
	rest := name[i+1:]
	if i == 0 || rest == "" || name[i-1] == '$' || rest[0] == '$' || isDigit(rest[0]) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLower(first) || !hasAddition(rest)
}

// hasAddition tells whether a name has a part that a compiler numbers, or a suffix of a generator.
func hasAddition(name string) bool {
	for i := 1; i < len(name); i++ {
		if name[i-1] == '$' && (name[i] == '$' || isDigit(name[i])) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// InSourceAll are names as InSource has them, in the same order.
func InSourceAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = InSource(n)
	}
	return out
}
