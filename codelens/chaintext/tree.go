package chaintext

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/chains"
)

// This file words the trees of chains that editors show in a view of its own, in plain text.

// states are the words by which programs know what runs say of a chain.
var states = map[chains.State]string{chains.Untested: "untested", chains.Unrecorded: "not-recorded",
	chains.Taken: "tested", chains.Unknown: "unknown"}

// RowText is what a row of a tree says.
type RowText struct {
	Name   string // of the method, with the types of its parameters
	Detail string // the line of the call, what tests take of the chain, and of those below
	State  string // untested, not-recorded, tested or unknown
	// Call is where the method is called, of an entry method where it stands; Method is where it
	// stands. They have no file where there is no source.
	Call, Method snapshot.Frame
}

// RowOf words a row of a tree of a component.
func RowOf(v codelens.View, c *chains.Component, r *chains.Row) RowText {
	last := len(r.Frames) - 1
	out := RowText{Name: rowName(c, r.Frames[last].Method), State: states[r.State]}
	_, out.Method = placeOf(v, c, r.Frames[last])
	out.Call = out.Method
	var detail []string
	if last > 0 {
		var text string
		if text, out.Call = placeOf(v, c, r.Frames[last-1]); text != "" {
			detail = append(detail, "line "+text[1:])
		}
	}
	if r.State != chains.Unknown {
		detail = append(detail, sayState(c, &r.Chain, func(name string) string { return name }))
	}
	if r.Left || len(r.Rows) > 0 {
		below := codelens.Count(r.All, "chain")
		if r.State != chains.Unknown {
			below = fmt.Sprintf("%d of %s tested", r.Taken, below)
		}
		detail = append(detail, below)
	}
	out.Detail = strings.Join(detail, " · ")
	return out
}

// rowName is the name of a method of a component with the types of its parameters.
func rowName(c *chains.Component, n callgraph.NodeID) string {
	m := refOf(c, n)
	name := methodName(m)
	if hasNoParameters(m) {
		return name
	}
	return name + codelens.ParameterTypes(m.Method)
}

// FindName is the text of a method in which the words of a filter are looked for: its name with its
// class and package, as it is and as it is shown, in lower case.
func FindName(c *chains.Component, n callgraph.NodeID) string {
	return strings.ToLower(snapshot.Dotted(refOf(c, n).Class) + " " + rowName(c, n))
}

// TreeTitle says how many chains a tree has of which a reader sees all or some: those that lead to
// a method, or, where that has no name, all of the component.
func TreeTitle(c *chains.Component, m snapshot.MethodRef) string {
	if m.Method != "" {
		return headline(c, m)
	}
	return "Call chains in " + componentName(c) + tested(c, c.Total())
}

// TreeNotes are sentences that hold for all chains of a tree, or say why there is none. That no run
// has recorded them editors say themselves, with the command of theirs that does it.
func TreeNotes(v codelens.View, c *chains.Component, m snapshot.MethodRef) (out []string) {
	n := c.Total()
	if m.Method != "" {
		to, ok := c.Find(m.Class, m.Method)
		if !ok {
			return []string{plain(explainNoChain(v, c, m))}
		}
		n = c.Count(to)
	}
	for _, note := range notes(v, c, m, n) {
		if note != notRun {
			out = append(out, plain(note))
		}
	}
	return out
}

// plain takes the marks of code out of a sentence of this package.
func plain(sentence string) string { return strings.ReplaceAll(sentence, "`", "") }
