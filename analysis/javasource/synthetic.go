package javasource

// This file recognises handlers that compilers add.

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
)

// syntheticKind says why an unmatched handler exists. known tells whether some
// source code is in the method.
func syntheticKind(c *facts.Class, method *facts.Method, h int, known bool) SyntheticKind {
	if !typed(&method.Handlers()[h]) {
		return AnyHandler
	}
	if k := compilerPattern(c, method, h); k != Unexplained {
		return k
	}
	if !known {
		return NoSource
	}
	return Unexplained
}

// compilerPattern recognises the code that compilers put into typed handlers;
// Unexplained if it is none of it. Source code may look the same.
func compilerPattern(c *facts.Class, method *facts.Method, index int) SyntheticKind {
	h := &method.Handlers()[index]
	if len(h.Types) != 1 {
		return Unexplained
	}
	switch h.Types[0] {
	case "java/lang/Throwable":
		return throwablePattern(method, index)
	case "java/lang/NoSuchFieldError":
		// javac: the static initialiser of a synthetic class; ECJ: a method
		// $SWITCH_TABLE$...
		if c.Access&accSynthetic != 0 || method.Access&accSynthetic != 0 ||
			strings.HasPrefix(method.Name, "$SWITCH_TABLE$") {
			return EnumSwitch
		}
	case "java/lang/ClassNotFoundException":
		// javac: a method class$; ECJ: in place. Both wrap it.
		if calls := callsFrom(method, h.PC, 2); len(calls) > 0 && calls[0].Owner == "java/lang/NoClassDefFoundError" {
			return ClassLiteral
		}
		if method.Name == "class$" && method.Access&accSynthetic != 0 {
			return ClassLiteral
		}
	}
	return Unexplained
}

// throwablePattern recognises what closes resources and what wraps the
// exceptions of record accessors.
func throwablePattern(method *facts.Method, index int) SyntheticKind {
	h := &method.Handlers()[index]
	calls := callsFrom(method, h.PC, 2)
	switch {
	case len(calls) == 2 && calls[0].Name == "toString" && calls[1].Owner == "java/lang/MatchException":
		return Pattern
	case suppresses(method, h.PC):
		return Resource
	}
	// javac: store t, call r.close() within a range of its own (see
	// suppresses), throw t.
	for i := range method.Table() {
		e := &method.Table()[i]
		if e.Type == "java/lang/Throwable" && e.Start > h.PC && e.Start <= h.PC+8 &&
			suppresses(method, method.Handlers()[e.Handler].PC) {
			return Resource
		}
	}
	// javac 7 to 10: primary = t; throw t
	for i := range method.Throws() {
		if t := &method.Throws()[i]; t.PC >= h.PC+4 && t.PC <= h.PC+12 && (len(calls) == 0 || calls[0].PC > t.PC) {
			if h.Rethrows {
				return Resource
			}
		}
	}
	return Unexplained
}

// suppresses tells whether the code at a handler is the compilers' way to add
// the exception of close() to the one in flight.
func suppresses(method *facts.Method, pc int32) bool {
	calls := callsFrom(method, pc, 1)
	return len(calls) == 1 && calls[0].PC <= pc+8 &&
		calls[0].Name == "addSuppressed" && calls[0].Desc == "(Ljava/lang/Throwable;)V"
}

// callsFrom returns the first calls at or after a pc, n at most.
func callsFrom(method *facts.Method, pc int32, n int) []*facts.Call {
	var list []*facts.Call
	for i := range method.Calls {
		if method.Calls[i].PC >= pc {
			if list = append(list, &method.Calls[i]); len(list) == n {
				break
			}
		}
	}
	return list
}
