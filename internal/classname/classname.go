// Package classname shortens the names of classes for people.
package classname

import "strings"

// Simple is a class's name without its package. The name has dots; that of a nested class keeps its
// dollar signs, as in Outer$Inner.
func Simple(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// InSource is a class's name without its package, as sources write it: Outer.Inner. What the
// compiler numbers stays as it is, as in Outer$1.
func InSource(name string) string {
	name = Simple(name)
	var b strings.Builder
	for i, r := range name {
		if r == '$' && i > 0 && i+1 < len(name) && (name[i+1] < '0' || name[i+1] > '9') && name[i-1] != '$' {
			r = '.'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// InSourceAll are names as InSource has them, in the same order.
func InSourceAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = InSource(n)
	}
	return out
}
