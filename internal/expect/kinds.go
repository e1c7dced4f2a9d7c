package expect

// This file is the table of what can be expected.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Kind says what arguments one kind of expectation takes. What each kind
// claims is in testdata/known/README.md; a test holds the two together.
type Kind struct {
	File     bool     // it speaks about the file, not about a line
	Min, Max int      // how many positional arguments; Max -1: any number
	Numbers  bool     // positional arguments are numbers
	Words    []string // the values that positional arguments may take; none: any
	Named    []string // the names that named arguments may have
}

// Kinds are the kinds of expectation by name.
var Kinds = map[string]Kind{
	// The file as a whole.
	"release": {File: true, Min: 1, Max: 1, Numbers: true},

	// Throw sites.
	"site":   {Min: 1, Max: 1},
	"throws": {Min: 1, Max: -1},

	// Methods.
	"reachingThrows": {Max: -1},

	// Catches, static.
	"types":     {Min: 1, Max: -1},
	"links":     {Min: 1, Max: -1},
	"nolinks":   {},
	"includes":  {Min: 1, Max: -1},
	"excludes":  {Min: 1, Max: -1},
	"linkcount": {Max: 1, Numbers: true, Named: []string{"min", "max"}},
	"arrives":   {Min: 1, Max: -1},
	"cause":     {Min: 2, Max: 2},
	"handlers":  {Min: 1, Max: 1, Numbers: true},
	"synthetic": {Min: 1, Max: 1, Words: []string{"finally", "resource", "synchronized", "switch"}},

	// Catches, dynamic.
	"verdict": {Min: 1, Max: -1, Words: []string{
		"source-independent", "source-dependent", "purely-resilient", "not-resilient", "unknown"}},
	"paper":       {Min: 1, Max: 1, Words: []string{"source-independent", "source-dependent", "unknown"}},
	"ground":      {Min: 1, Max: 1, Words: []string{"pure-resilience", "white-usage"}},
	"usages":      {Named: []string{"pink", "white", "blue"}},
	"matrix":      {Named: []string{"pass", "fail", "hang", "exit", "crash", "not-fired", "flaky"}},
	"witness":     {Min: 1, Max: -1},
	"experienced": {Max: -1},
	"wraps":       {Min: 1, Max: -1},
	"wrapsNot":    {Min: 1, Max: -1},
	"stretchable": {Min: 1, Max: 1, Words: []string{"yes", "no", "unknown"}},
	"stretchto":   {Min: 1, Max: 1},
}

// refines says of each call graph which ones it refines directly: what it
// predicts is a part of what they predict.
var refines = map[string][]string{
	"cha": nil, "rta": {"cha"}, "pta": {"rta"}, "inpta": {"pta"}, "pta-dr": {"pta"},
	"inpta-dr": {"inpta", "pta-dr"}, "obj-dr": {"inpta-dr"},
}

// atLeast reports whether a call graph is another one or refines it.
func atLeast(graph, other string) bool {
	return graph == other || slices.ContainsFunc(refines[graph], func(g string) bool { return atLeast(g, other) })
}

// graphsOf are the call graphs of which a configuration word is true: of "pta"
// that one, of "pta+" also those that refine it. ok is false for other words.
func graphsOf(word string) (graphs []string, ok bool) {
	base, more := strings.CutSuffix(word, "+")
	if _, ok := refines[base]; !ok {
		return nil, false
	}
	for g := range refines {
		if g == base || more && atLeast(g, base) {
			graphs = append(graphs, g)
		}
	}
	return graphs, true
}

// configWords are the words that a configuration may consist of, apart from
// call graphs (graphsOf) and those with a number (isConfigWord).
var configWords = []string{
	"io", "checked", "all", "checked+own", // studied exceptions
	"native", "explicit", "implicit", // sites, in addition to native and explicit
	"javac", "ecj", // compilers
	"observed", // what runs observed of reflection is given to the analysis
}

// isConfigWord reports whether s can stand between [ and ]: a word of the table, a
// call graph (pta) or it and those that refine it (pta+),
// release8 and so on (the --release compiled for), jdk17 and so on (the JDK
// analysed or run).
func isConfigWord(s string) bool {
	if _, ok := graphsOf(s); ok || slices.Contains(configWords, s) {
		return true
	}
	for _, prefix := range []string{"release", "jdk"} {
		if len(s) > len(prefix) && s[:len(prefix)] == prefix {
			_, err := strconv.ParseUint(s[len(prefix):], 10, 16)
			return err == nil
		}
	}
	return false
}

// check compares the arguments of an expectation with what its kind takes.
func (k Kind) check(e Expectation) error {
	positional := e.Strings()
	if len(positional) < k.Min || k.Max >= 0 && len(positional) > k.Max {
		return fmt.Errorf("%s: %d positional arguments do not fit", e.Kind, len(positional))
	}
	if len(e.Args) == 0 && len(k.Named) > 0 {
		return fmt.Errorf("%s without an argument says nothing", e.Kind)
	}
	for _, v := range positional {
		if k.Numbers && !isNumber(v) {
			return fmt.Errorf("%s: %q is no number", e.Kind, v)
		}
		if len(k.Words) > 0 && !slices.Contains(k.Words, v) {
			return fmt.Errorf("%s: %q is none of %q", e.Kind, v, k.Words)
		}
	}
	seen := make(map[string]bool)
	for _, a := range e.Args {
		if a.Name == "" {
			continue
		}
		if !slices.Contains(k.Named, a.Name) || seen[a.Name] {
			return fmt.Errorf("%s: argument %s= is unknown or stands there twice", e.Kind, a.Name)
		}
		seen[a.Name] = true
		if !isNumber(a.Value) {
			return fmt.Errorf("%s: %s=%q is no number", e.Kind, a.Name, a.Value)
		}
	}
	return nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}
