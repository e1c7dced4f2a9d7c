package callchain

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file writes forests: as text, as JSON, and for Graphviz.

// Names are how methods and classes are called in a text.
type Names struct {
	g     *callgraph.Graph
	full  bool // with packages
	clean func(string) string
	// Note is what is said of a method behind its name in texts; nil, "": nothing.
	Note func(callgraph.NodeID) string
}

// NewNames names what a forest has: classes with their packages, if they are of several. clean
// makes text of class files fit to be shown; nil: it is as it is.
func NewNames(f *Forest, clean func(string) string) *Names {
	x := &Names{g: f.Graph, clean: clean}
	if clean == nil {
		x.clean = func(s string) string { return s }
	}
	packages := map[string]bool{}
	for _, n := range f.reachable() {
		class := f.Graph.Class(f.Nodes[n].Method)
		packages[class[:strings.LastIndexByte(class, '/')+1]] = true
	}
	x.full = len(packages) > 1
	return x
}

// class is the name of a class, given by its internal one.
func (x *Names) class(name string) string {
	at := strings.LastIndexByte(name, '/') + 1
	simple := classname.InSource(name[at:])
	if x.full {
		simple = strings.ReplaceAll(name[:at], "/", ".") + simple
	}
	return x.clean(simple)
}

// Method is the name of a method as code has it: class, name, and the types of its parameters. A
// lambda expression is named by where it stands.
func (x *Names) Method(n callgraph.NodeID) string {
	class, m := x.class(x.g.Class(n)), x.g.Method(n)
	in, ok := LambdaIn(m.Name)
	switch {
	case ok && m.FirstLine > 0:
		return fmt.Sprintf("lambda in %s.%s:%d", class, x.clean(classname.Method(in)), m.FirstLine)
	case m.Name == "<clinit>":
		return class + "." + classname.Method(m.Name)
	}
	return class + "." + x.clean(classname.Method(Signature(x.g, n)))
}

// LambdaIn is the name of the method that a lambda expression stands in, given by the name of the
// method that javac has made of it.
func LambdaIn(name string) (in string, ok bool) {
	rest, ok := strings.CutPrefix(name, "lambda$")
	if !ok {
		return "", false
	}
	switch in, _, ok = strings.Cut(rest, "$"); in {
	case "new":
		in = "<init>"
	case "static":
		in = "<clinit>"
	}
	return in, ok
}

// Signature is the name of a method with its parameters' types, these without packages.
func Signature(g *callgraph.Graph, n callgraph.NodeID) string {
	m := g.Method(n)
	d, err := classfile.ParseMethodDescriptor(m.Desc)
	if err != nil {
		return m.Name + m.Desc
	}
	params := make([]string, len(d.Params))
	for i, p := range d.Params {
		params[i] = shortType(p)
	}
	return m.Name + "(" + strings.Join(params, ", ") + ")"
}

// primitives are the names of the types that descriptors have a letter for.
var primitives = map[byte]string{'B': "byte", 'C': "char", 'D': "double", 'F': "float", 'I': "int", 'J': "long",
	'S': "short", 'Z': "boolean"}

// shortType is a type as code has it, without its package, given by its descriptor.
func shortType(desc string) string {
	inner := strings.TrimLeft(desc, "[")
	name := strings.TrimSuffix(strings.TrimPrefix(inner, "L"), ";")
	if p := primitives[inner[0]]; len(inner) == 1 {
		name = p
	}
	return classname.InSource(name[strings.LastIndexByte(name, '/')+1:]) + strings.Repeat("[]", len(desc)-len(inner))
}

// place says at which call of its caller an edge is: by line, or by number where the class file has
// no lines.
func (x *Names) place(e *Edge) string {
	if e.Site == NoSite {
		return ""
	}
	at := x.g.Position(x.g.NodeOfSite(e.Site), x.g.Sites[e.Site])
	if at.Line == 0 {
		return fmt.Sprintf("call %d: ", at.Ordinal+1)
	}
	if nth, of := OnLine(x.g, e.Site); of > 1 {
		return fmt.Sprintf("%d (%d of %d): ", at.Line, nth, of)
	}
	return fmt.Sprintf("%d: ", at.Line)
}

// OnLine tells which of the calls of one method that its caller makes on one line a call is, from
// 1, and how many they are. A finally block has copies: one for each way out of its try.
func OnLine(g *callgraph.Graph, site int32) (nth, of int) {
	s, m := g.Sites[site], g.Method(g.NodeOfSite(site))
	if m == nil || s.Origin != callgraph.FromCalls {
		return 1, 1
	}
	own := &m.Calls[s.Index]
	for i := range m.Calls {
		if x := &m.Calls[i]; x.Line == own.Line && *x.MemberRef == *own.MemberRef {
			of++
			if i <= int(s.Index) {
				nth++
			}
		}
	}
	return nth, of
}

// receiver says on what an edge calls.
func (x *Names) receiver(e *Edge) string {
	switch e.Receiver {
	case NoReceiver:
		return ""
	case LambdaReceiver:
		return " on a lambda"
	case AnyReceiver:
		return " on any object"
	}
	return " on " + x.class(x.g.H.Name(e.Receiver))
}

// Call says what an edge calls, behind where its caller does and before what it is called on.
func (x *Names) Call(e *Edge) string { return x.place(e) + x.Method(e.Callee) + x.receiver(e) }

// noted is what is said of a method.
func (x *Names) noted(n callgraph.NodeID) string {
	if x.Note == nil {
		return ""
	}
	return x.Note(n)
}

// note is what is said of a method, in parentheses.
func (x *Names) note(n callgraph.NodeID) string {
	if text := x.noted(n); text != "" {
		return " (" + text + ")"
	}
	return ""
}

// Text writes the trees of a forest, a line for each chain, indented by its length.
func (f *Forest) Text(w io.Writer, x *Names) error {
	b := bufio.NewWriter(w)
	var walk func(n NodeID, depth int)
	walk = func(n NodeID, depth int) {
		for i := range f.Nodes[n].Edges {
			e := &f.Nodes[n].Edges[i]
			fmt.Fprintf(b, "%s%s%s", strings.Repeat("  ", depth), x.Call(e), x.note(e.Callee))
			if e.Up >= 0 {
				fmt.Fprintf(b, ", back to %s\n", backEdgeText(e.Up))
				continue
			}
			fmt.Fprintln(b)
			walk(e.To, depth+1)
		}
	}
	for _, r := range f.Roots {
		fmt.Fprint(b, x.Method(f.Nodes[r.ID].Method))
		if r.Level > 0 {
			fmt.Fprintf(b, ", entered again at level %d", r.Level)
		}
		fmt.Fprintf(b, "%s\n", x.note(f.Nodes[r.ID].Method))
		walk(r.ID, 1)
	}
	return b.Flush()
}

// backEdgeText says where a back edge leads.
func backEdgeText(up int) string {
	switch up {
	case 0:
		return "itself"
	case 1:
		return "its caller"
	}
	return fmt.Sprintf("%d calls above", up)
}

// Document is a forest in JSON, with each distinct subtree once
// (docs/reference/schemas/chains.schema.json).
type Document struct {
	// Schema is the version of this form.
	Schema int `json:"schema"`
	// Length is how many calls a chain has at most, as it was asked for.
	Length int `json:"length"`
	// Complete is up to how many calls all chains are there: fewer than length where there would be
	// more chains than the budget.
	Complete int `json:"complete"`
	// Chains is how many chains the trees have, roots included.
	Chains uint64 `json:"chains"`
	// Over is how many chains there are with one call more than complete, at least.
	Over uint64 `json:"over,omitempty"`
	// Roots are the trees, one for each entry method and level.
	Roots []DocumentRoot `json:"roots"`
	// Nodes are methods with all that is called below them in a chain.
	Nodes []DocumentNode `json:"nodes"`
}

// DocumentRoot is a tree of a Document.
type DocumentRoot struct {
	// Node is the position of the entry method among the nodes.
	Node int `json:"node"`
	// Level is how often the component has been entered and left before.
	Level int `json:"level"`
}

// DocumentNode is a node of a Document.
type DocumentNode struct {
	// Class is the binary name of the class.
	Class string `json:"class"`
	// Method is the name and descriptor of the method.
	Method string `json:"method"`
	// Chains is how many chains begin here, this method alone included.
	Chains uint64 `json:"chains"`
	// Note is what is known of the method, such as that no test enters it.
	Note string `json:"note,omitempty"`
	// Calls are the calls in the method, in the order of its code.
	Calls []DocumentCall `json:"calls"`
}

// DocumentCall is a call of a Document: node or up is there.
type DocumentCall struct {
	// Line is that of the call, where the class file says it.
	Line int32 `json:"line,omitempty"`
	// Call is which call of the method it is, from 1; absent where calls are not told apart.
	Call int `json:"call,omitempty"`
	// Receiver is the binary name of the class of the object that it is called on, lambda, or any.
	Receiver string `json:"receiver,omitempty"`
	// Node is the position of what is called among the nodes.
	Node *int `json:"node,omitempty"`
	// Up is how many calls above its caller the method is that is called again.
	Up *int `json:"up,omitempty"`
	// Callee is that method.
	Callee string `json:"callee,omitempty"`
}

// JSON writes the forest as a Document. Of the names only the notes are taken.
func (f *Forest) JSON(w io.Writer, x *Names) error {
	nodes := f.reachable()
	at := map[NodeID]int{}
	for i, n := range nodes {
		at[n] = i
	}
	out := Document{Schema: 1, Length: f.Length, Complete: f.Complete, Chains: f.Chains(), Over: f.Over,
		Roots: []DocumentRoot{},
		Nodes: make([]DocumentNode, len(nodes))}
	for _, r := range f.Roots {
		out.Roots = append(out.Roots, DocumentRoot{at[r.ID], r.Level})
	}
	binary := func(class string) string { return strings.ReplaceAll(class, "/", ".") }
	for i, n := range nodes {
		m := f.Graph.Method(f.Nodes[n].Method)
		j := DocumentNode{Class: binary(f.Graph.Class(f.Nodes[n].Method)), Method: m.Name + m.Desc,
			Chains: f.Below(n), Note: x.noted(f.Nodes[n].Method), Calls: []DocumentCall{}}
		for _, e := range f.Nodes[n].Edges {
			var c DocumentCall
			if e.Site != NoSite {
				p := f.Graph.Position(f.Graph.NodeOfSite(e.Site), f.Graph.Sites[e.Site])
				c.Line, c.Call = p.Line, int(p.Ordinal)+1
			}
			switch e.Receiver {
			case NoReceiver:
			case LambdaReceiver:
				c.Receiver = "lambda"
			case AnyReceiver:
				c.Receiver = "any"
			default:
				c.Receiver = binary(f.Graph.H.Name(e.Receiver))
			}
			if to := at[e.To]; e.Up < 0 {
				c.Node = &to
			} else {
				callee := f.Graph.Method(e.Callee)
				c.Up, c.Callee = &e.Up, binary(f.Graph.Class(e.Callee))+"."+callee.Name+callee.Desc
			}
			j.Calls = append(j.Calls, c)
		}
		out.Nodes[i] = j
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}

// reachable lists the nodes that the trees have, each once, roots first.
func (f *Forest) reachable() (out []NodeID) {
	seen := map[NodeID]bool{}
	add := func(n NodeID) {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	for _, r := range f.Roots {
		add(r.ID)
	}
	for i := 0; i < len(out); i++ {
		for _, e := range f.Nodes[out[i]].Edges {
			if e.Up < 0 {
				add(e.To)
			}
		}
	}
	return out
}

// Dot writes the forest for Graphviz, with each distinct subtree once. Back edges are dashed.
func (f *Forest) Dot(w io.Writer, x *Names) error {
	b := bufio.NewWriter(w)
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	fmt.Fprintln(b, "digraph chains {\n\tnode [shape=box];")
	roots := map[NodeID]bool{}
	for _, r := range f.Roots {
		roots[r.ID] = true
	}
	for _, n := range f.reachable() {
		style := ""
		if roots[n] {
			style = ", style=bold"
		}
		fmt.Fprintf(b, "\tn%d [label=%s%s];\n", n, quote(x.Method(f.Nodes[n].Method)), style)
		for i := range f.Nodes[n].Edges {
			e := &f.Nodes[n].Edges[i]
			label := strings.TrimSuffix(x.place(e), ": ") + x.receiver(e)
			if e.Up >= 0 {
				fmt.Fprintf(b, "\tb%d_%d [label=%s, shape=plaintext];\n\tn%d -> b%d_%d [label=%s, style=dashed];\n",
					n, i, quote(x.Method(e.Callee)+", "+backEdgeText(e.Up)), n, n, i, quote(label))
				continue
			}
			fmt.Fprintf(b, "\tn%d -> n%d [label=%s];\n", n, e.To, quote(label))
		}
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}
