// Package chaintext says how a method is reached from the interface of its component, and which of
// these call chains tests take: in the hover of a method, its lens, and a page. Input is what
// package chains knows of the component, and a view for the places in sources. Nothing in it keeps
// state.
package chaintext

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/chains"
)

// Commands of lenses and hovers; the server executes them.
const (
	CommandShow = "catchlens.showCallChains" // arguments: class (internal name), method and descriptor
	CommandRun  = "catchlens.runCallChains"
)

const (
	// shownWays is how many chains a hover shows: it stands over the code.
	shownWays = 3
	// pageWays is how many a page shows: more are for `catchlens chains --to`.
	pageWays = 200
)

// Pending is the hover of a method, in Markdown, whose chains are not found yet.
const Pending = "The call chains to this method are being found."

// PendingCall is Pending of a call.
const PendingCall = "The call chains through this call are being found."

// stale tells whether what is known of the chains to a method is not of the code that is shown.
func stale(v codelens.View, c *chains.Component, m snapshot.MethodRef) bool {
	file, _ := v.Snap.SourceOf(m)
	return v.Outdated || c.Snap != v.Snap || file != nil && file.Stale
}

// Lens is what a lens above a method says; false: nothing, as no chain leads to it.
func Lens(v codelens.View, c *chains.Component, m snapshot.MethodRef) (codelens.Lens, bool) {
	to, ok := c.Find(m.Class, m.Method)
	if !ok {
		return codelens.Lens{}, false
	}
	n := c.Count(to)
	title := fmt.Sprintf("chains %d/%d", n.Taken, n.All)
	switch {
	case !c.Ran():
		title = fmt.Sprintf("chains ?/%d", n.All)
	case n.Unrecorded > 0:
		title += fmt.Sprintf(" · %d not recorded", n.Unrecorded)
	}
	if stale(v, c, m) {
		title += " · stale"
	}
	return codelens.Lens{Title: title, Command: CommandShow, Args: []string{m.Class, m.Method}}, true
}

// Hover says in Markdown how a method is reached, those ways first that no test takes. Nil actions
// leave the links to more out.
func Hover(v codelens.View, c *chains.Component, m snapshot.MethodRef, uri codelens.SourceURI,
	action codelens.Action) string {
	var b strings.Builder
	to, ok := begin(&b, "**%s**", v, c, m)
	if !ok {
		return b.String()
	}
	listChains(&b, v, c, c.ChainsTo(to, shownWays), c.Count(to), uri)
	writeNotes(&b, v, c, m, c.Count(to))
	writeActions(&b, c, []snapshot.MethodRef{m}, action)
	return b.String()
}

// HoverOfCall is Hover of a call: the chains that end with it. It is given as CallAt of the view's
// snapshot has it, in which the chains were found. The text is empty where the call stays in no
// component.
func HoverOfCall(v codelens.View, c *chains.Component, sites []int32, uri codelens.SourceURI,
	action codelens.Action) string {
	callees := slices.DeleteFunc(v.Snap.TargetsOf(sites),
		func(m snapshot.MethodRef) bool { return !c.Forest.InComponent(m.Class) })
	if len(callees) == 0 {
		return ""
	}
	g := c.Forest.Graph
	caller, call := v.Snap.CallerOf(sites[0]), &g.Method(g.NodeOfSite(sites[0])).Calls[g.Sites[sites[0]].Index]
	name := codelens.ShortMethod(snapshot.Dotted(call.Owner), call.Name+call.Desc)
	ways, n := c.ChainsThrough(sites, shownWays)
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n",
		codelens.Markdown("Call chains through this call of "+name+" in "+componentName(c)+tested(c, n)))
	if n.All == 0 {
		b.WriteString(explainNoChain(v, c, caller) + "\n")
		return b.String()
	}
	listChains(&b, v, c, ways, n, uri)
	writeNotes(&b, v, c, caller, n)
	writeActions(&b, c, callees, action)
	return b.String()
}

// listChains lists some of all chains.
func listChains(b *strings.Builder, v codelens.View, c *chains.Component, ways []chains.Chain, n chains.Count,
	uri codelens.SourceURI) {
	for i := range ways {
		b.WriteString("- " + wayText(v, c, &ways[i], uri))
		if c.Ran() {
			b.WriteString(": " + stateText(c, &ways[i]))
		}
		b.WriteString("\n")
	}
	if more := n.All - len(ways); more > 0 {
		fmt.Fprintf(b, "- … and %d more\n", more)
	}
}

func writeNotes(b *strings.Builder, v codelens.View, c *chains.Component, m snapshot.MethodRef, n chains.Count) {
	for _, note := range notes(v, c, m, n) {
		fmt.Fprintf(b, "\n%s\n", note)
	}
}

// writeActions writes the links to all chains, where there is one method to which they lead, and to
// running tests.
func writeActions(b *strings.Builder, c *chains.Component, to []snapshot.MethodRef, action codelens.Action) {
	var links []string
	if action != nil && len(to) == 1 {
		links = append(links, action("All call chains", CommandShow, to[0].Class, to[0].Method))
	}
	if action != nil && !c.Ran() {
		links = append(links, action("Run the tests for them", CommandRun))
	}
	if len(links) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(links, " · "))
	}
}

// Page is the Markdown document that the lens opens: the chains that lead to a method, one after
// the other, a frame a line.
func Page(v codelens.View, c *chains.Component, m snapshot.MethodRef, uri codelens.SourceURI) string {
	var b strings.Builder
	to, ok := begin(&b, "# %s", v, c, m)
	if !ok {
		return b.String()
	}
	for _, note := range notes(v, c, m, c.Count(to)) {
		b.WriteString(note + "\n\n")
	}
	ways := c.ChainsTo(to, pageWays)
	for i := range ways {
		w := &ways[i]
		fmt.Fprintf(&b, "## %s\n\n", strings.ToUpper(stateText(c, w)[:1])+stateText(c, w)[1:])
		for k := range w.Frames {
			fmt.Fprintf(&b, "1. %s%s\n", frameText(v, c, w, k, uri), parameters(c, w.Frames[k].Method))
		}
		if len(w.Tests) > 1 {
			b.WriteString("\n")
			for _, t := range w.Tests {
				fmt.Fprintf(&b, "* %s\n", codelens.Code(shortTest(t)))
			}
		}
		b.WriteString("\n")
	}
	if more := c.Count(to).All - len(ways); more > 0 {
		b.WriteString(moreText(more, m))
	}
	return b.String()
}

// moreText says in Markdown by which command chains to a method are listed that a page leaves out.
func moreText(n int, m snapshot.MethodRef) string {
	command := "catchlens chains --run --to " + codelens.ShortMethod(snapshot.Dotted(m.Class), m.Method)
	return fmt.Sprintf("And %d more: %s lists them.\n", n, codelens.Code(command))
}

// begin writes the headline of a method, in a form such as "# %s", and finds the method in the
// component; where it is not there, it says why.
func begin(b *strings.Builder, form string, v codelens.View, c *chains.Component,
	m snapshot.MethodRef) (to callgraph.NodeID, ok bool) {
	fmt.Fprintf(b, form+"\n\n", codelens.Markdown(headline(c, m)))
	if to, ok = c.Find(m.Class, m.Method); !ok {
		b.WriteString(explainNoChain(v, c, m) + "\n")
	}
	return to, ok
}

// headline says in plain text how many chains lead to a method.
func headline(c *chains.Component, m snapshot.MethodRef) string {
	text := "Call chains to " + codelens.ShortMethod(snapshot.Dotted(m.Class), m.Method) + " in " + componentName(c)
	to, ok := c.Find(m.Class, m.Method)
	if !ok {
		return text
	}
	return text + tested(c, c.Count(to))
}

// tested says how many chains there are, and how many of them tests have taken; nothing where there
// is none.
func tested(c *chains.Component, n chains.Count) string {
	switch {
	case n.All == 0:
		return ""
	case !c.Ran():
		return fmt.Sprintf(": %d, not known which are tested", n.All)
	case n.Unrecorded > 0:
		return fmt.Sprintf(": %d of %d tested, %d not recorded", n.Taken, n.All, n.Unrecorded)
	}
	return fmt.Sprintf(": %d of %d tested", n.Taken, n.All)
}

func componentName(c *chains.Component) string {
	if c.Name == "" {
		return "the package without a name"
	}
	return codelens.Plain(c.Name, false)
}

// explainNoChain says why no chain leads to a method.
func explainNoChain(v codelens.View, c *chains.Component, m snapshot.MethodRef) string {
	if stale(v, c, m) {
		return "Stale: the code has changed since the chains were found, and none led here."
	}
	if !v.Snap.Reaches(m) {
		return fmt.Sprintf("No call leads here from an entry point of the program (setting `entryPoints`: %s).",
			codelens.Code(v.Snap.EntryPoints()))
	}
	return fmt.Sprintf("No chain of at most %s leads here from a method that is called from outside.",
		codelens.Count(c.Forest.Complete, "call"))
}

// notRun is the note on a component of which no run has recorded chains.
const notRun = "No run has recorded yet which chains tests take: `catchlens chains --run` does."

// notes are sentences that hold for all chains to a method.
func notes(v codelens.View, c *chains.Component, m snapshot.MethodRef, n chains.Count) (out []string) {
	if stale(v, c, m) {
		out = append(out, "Stale: the code has changed since these chains were found.")
	}
	if !c.Ran() {
		out = append(out, notRun)
	}
	if n.Unrecorded > 0 {
		out = append(out, fmt.Sprintf("Runs record %d calls from where tests enter the workspace: what begins deeper "+
			"is not recorded.", c.Recorded()))
	}
	if c.Forest.Complete < c.Forest.Length {
		out = append(out, fmt.Sprintf("The component has too many chains: these have at most %s.",
			codelens.Count(c.Forest.Complete, "call")))
	}
	return out
}

// wayText is a chain in a line.
func wayText(v codelens.View, c *chains.Component, w *chains.Chain, uri codelens.SourceURI) string {
	parts := make([]string, len(w.Frames))
	for i := range w.Frames {
		parts[i] = frameText(v, c, w, i, uri)
	}
	return strings.Join(parts, " → ")
}

// frameText is a frame with a link to the call that it makes, the last one with a link to the
// method.
func frameText(v codelens.View, c *chains.Component, w *chains.Chain, i int, uri codelens.SourceURI) string {
	f := w.Frames[i]
	text, at := placeOf(v, c, f)
	text = methodName(refOf(c, f.Method)) + text
	if at.File == "" || uri == nil {
		return codelens.Code(text)
	}
	return "[" + codelens.Code(text) + "](" + uri(at) + ")"
}

// refOf is a method of a component as snapshots know it.
func refOf(c *chains.Component, n callgraph.NodeID) snapshot.MethodRef {
	g := c.Forest.Graph
	m := g.Method(n)
	return snapshot.MethodRef{Class: g.Class(n), Method: m.Name + m.Desc}
}

// placeOf is where a frame calls the next one, or, where no line of that is known, where its method
// stands; without a file, where there is no source. The text says which call it is.
func placeOf(v codelens.View, c *chains.Component, f chains.Frame) (text string, at snapshot.Frame) {
	ref := refOf(c, f.Method)
	file, name := v.Snap.SourceOf(ref)
	line := int(f.Line)
	if file != nil && !sameText(file, c, ref) {
		line = 0 // of the call, in a text of before
	}
	if line > 0 {
		text = fmt.Sprintf(":%d", line)
	}
	if line > 0 && f.Of > 0 {
		text += fmt.Sprintf(" (%d of %d)", f.Nth, f.Of)
	}
	if file == nil {
		return text, at
	}
	switch {
	case line > 0:
	case !name.IsZero():
		line = file.Source.Line(name.Start)
	case sameText(file, c, ref): // a constructor that stands nowhere is where its class begins
		line = int(c.Forest.Graph.Method(f.Method).FirstLine)
	}
	return text, snapshot.Frame{File: file.Path, Line: line}
}

// sameText tells whether the source of a method is the text that was compiled when the chains were
// found.
func sameText(file *snapshot.File, c *chains.Component, m snapshot.MethodRef) bool {
	old, _ := c.Snap.SourceOf(m)
	return old != nil && !file.Stale && !old.Stale && bytes.Equal(old.Text, file.Text)
}

// methodName is a method as a person knows it: a lambda expression has the name of the method that
// it stands in.
func methodName(m snapshot.MethodRef) string {
	class := snapshot.Dotted(m.Class)
	if in, ok := callchain.LambdaIn(m.Method); ok {
		return "lambda in " + codelens.ShortMethod(class, in)
	}
	return codelens.ShortMethod(class, m.Method)
}

func parameters(c *chains.Component, n callgraph.NodeID) string {
	m := refOf(c, n)
	if hasNoParameters(m) {
		return ""
	}
	return codelens.Markdown(codelens.ParameterTypes(m.Method))
}

// hasNoParameters tells whether parameters of a method say nothing to a person: the compiler made
// them, or there are none.
func hasNoParameters(m snapshot.MethodRef) bool {
	return strings.HasPrefix(m.Method, "<clinit>") || strings.HasPrefix(m.Method, "lambda$")
}

// stateText says in Markdown what runs say of a chain; its length where they say nothing.
func stateText(c *chains.Component, w *chains.Chain) string { return sayState(c, w, codelens.Code) }

// sayState says what runs say of a chain, names in some form; its length where they say nothing.
func sayState(c *chains.Component, w *chains.Chain, code func(string) string) string {
	switch w.State {
	case chains.Unknown:
		return codelens.Count(len(w.Frames)-1, "call")
	case chains.Taken:
		text := "tested by " + code(shortTest(w.Tests[0]))
		if n := len(w.Tests) - 1; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		return text
	}
	text := "untested"
	if w.State == chains.Unrecorded {
		text = "not recorded"
	}
	if w.Prefix == 0 {
		return text
	}
	last := refOf(c, w.Frames[w.Prefix-1].Method)
	return fmt.Sprintf("%s, nearest is %s, as far as %s", text, code(shortTest(w.Nearest)), code(methodName(last)))
}

// shortTest is the name of a test without its package.
func shortTest(test string) string {
	class, method, ok := strings.Cut(test, "#")
	class = class[strings.LastIndexByte(class, '.')+1:]
	if !ok {
		return codelens.Plain(class, false)
	}
	return codelens.Plain(class+"#"+method, false)
}
