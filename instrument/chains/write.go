package chains

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callchain"
)

// This file writes which chains tests have taken: as text and as JSON.

// Text writes the chains that are shown, a line for each, indented by its length, with how many
// tests took it. Of untested ones those stand there that a tested chain, or nothing, leads to, with
// how many go on from there and the nearest test.
func (t *Tested) Text(w io.Writer, names *callchain.Names, show Show) error {
	b := bufio.NewWriter(w)
	line := func(path []step, what string) {
		s := path[len(path)-1]
		text := names.Method(s.method)
		if s.edge != nil {
			text = names.Call(s.edge)
		}
		fmt.Fprintf(b, "%s%s%s\n", strings.Repeat("  ", len(path)-1), text, what)
	}
	if !show.Untested {
		t.each(&show, func(path []step) { line(path, " ("+t.words(path[len(path)-1].number)+")") })
		return b.Flush()
	}
	written := 0 // of the path before, how many are there
	var before []uint64
	t.each(&show, func(path []step) {
		n := t.prefix(path)
		if n != len(path)-1 {
			return
		}
		missing, wanted := 0, false
		t.below(&show, path, func(ends bool) {
			missing++
			wanted = wanted || ends
		})
		if !wanted {
			return
		}
		for written = 0; written < min(len(before), n) && before[written] == path[written].number; written++ {
		}
		for k := written; k < n; k++ {
			line(path[:k+1], "")
		}
		what := " (untested: no test enters it"
		if n > 0 {
			what = " (untested; nearest test: " + t.nearest(path[n-1].number)
		}
		switch {
		case missing == 2:
			what += "; 1 longer chain"
		case missing > 2:
			what += fmt.Sprintf("; %d longer chains", missing-1)
		}
		line(path, what+")")
		before = before[:0]
		for _, s := range path {
			before = append(before, s.number)
		}
	})
	return b.Flush()
}

// below calls f for a chain that is shown and those that go on from it, all untested.
func (t *Tested) below(show *Show, path []step, f func(ends bool)) {
	first := path[len(path)-1]
	leads := t.Forest.Leads(show.To...)
	var walk func(s step)
	walk = func(s step) {
		if leads != nil && !leads[s.node] {
			return
		}
		f(show.ends([]step{s}))
		next := s.number + 1
		edges := t.Forest.Nodes[s.node].Edges
		for i := range edges {
			walk(step{&edges[i], edges[i].Callee, edges[i].To, next})
			next += t.Forest.Below(edges[i].To)
		}
	}
	walk(first)
}

// words say how many tests took a chain.
func (t *Tested) words(number uint64) string {
	first, again := t.Takers(number)
	switch {
	case len(again) == 0 && len(first) == 0:
		return "untested"
	case len(again) == 0:
		return tests(len(first))
	case len(first) == 0:
		return "entered again only: " + tests(len(again))
	}
	return tests(len(first)) + ", entered again: " + tests(len(again))
}

// Mark says for a page which tests took a chain, or how much of it one took that comes near: the
// last of the chains of a path.
func (t *Tested) Mark(path []uint64) string {
	last := path[len(path)-1]
	first, again := t.Takers(last)
	if all := slices.Concat(first, again); len(all) > 0 {
		text := t.words(last) + ": " + all[0]
		if len(all) > 1 {
			text += ", …"
		}
		return text
	}
	n := 0
	for n < len(path) && t.IsTested(path[n]) {
		n++
	}
	if n == 0 {
		return "untested"
	}
	return fmt.Sprintf("untested; %s takes the first %d of %d methods", t.nearest(path[n-1]), n, len(path))
}

func tests(n int) string {
	if n == 1 {
		return "1 test"
	}
	return fmt.Sprintf("%d tests", n)
}

// Document is which chains tests have taken, in JSON
// (docs/reference/schemas/tested-chains.schema.json).
type Document struct {
	// Schema is the version of this form.
	Schema int `json:"schema"`
	// Length is how many calls a chain has at most.
	Length int `json:"length"`
	// All is how many chains there are of those that are asked for, tested or not.
	All int `json:"all"`
	// Tested is how many of them a test has taken.
	Tested int `json:"tested"`
	// Tests is how many tests recorded the chains that they took.
	Tests int `json:"tests"`
	// Chains are those that are asked for.
	Chains []DocumentChain `json:"chains"`
	// Unpredicted are chains that ran and that the analysis did not find.
	Unpredicted []DocumentUnpredicted `json:"unpredicted"`
}

// DocumentChain is a chain of a Document.
type DocumentChain struct {
	// Methods are those of the chain, from the entry method down.
	Methods []DocumentFrame `json:"methods"`
	// Tests took it with no method of the component on the stack before.
	Tests []string `json:"tests"`
	// Again are tests that took it when the component had been entered, and left, before.
	Again []string `json:"again"`
	// Prefix is how many of the methods are the longest beginning that a test has taken.
	Prefix int `json:"prefix"`
	// Nearest is a test that took that beginning, where the chain itself is untested.
	Nearest string `json:"nearest,omitempty"`
}

// DocumentFrame is a method of a DocumentChain.
type DocumentFrame struct {
	// Class is the binary name of the class.
	Class string `json:"class"`
	// Method is the name and descriptor of the method.
	Method string `json:"method"`
	// Line is that of the call in the method above, where the class file says it.
	Line int32 `json:"line,omitempty"`
	// Call is which call of the method above it is, from 1; absent where calls are not told apart.
	Call int `json:"call,omitempty"`
}

// DocumentUnpredicted is a chain that the analysis did not find.
type DocumentUnpredicted struct {
	// Chain names its methods and calls.
	Chain string `json:"chain"`
	// Level is 1 if the component had been entered, and left, before, else 0.
	Level int `json:"level"`
	// Test is one that took it.
	Test string `json:"test"`
}

// JSON writes the chains that are shown as a Document.
func (t *Tested) JSON(w io.Writer, show Show) error {
	out := Document{Schema: 1, Length: t.Forest.Complete, Tests: len(t.Tests), Chains: []DocumentChain{},
		Unpredicted: []DocumentUnpredicted{}}
	out.All, out.Tested = t.Count(&show)
	g := t.Forest.Graph
	t.each(&show, func(path []step) {
		number := path[len(path)-1].number
		if !show.ends(path) || show.Untested && t.IsTested(number) {
			return
		}
		c := DocumentChain{Prefix: t.prefix(path)}
		c.Tests, c.Again = t.Takers(number)
		c.Tests, c.Again = append([]string{}, c.Tests...), append([]string{}, c.Again...)
		if c.Prefix > 0 && c.Prefix < len(path) {
			c.Nearest = t.nearest(path[c.Prefix-1].number)
		}
		for _, s := range path {
			m := g.Method(s.method)
			f := DocumentFrame{Class: strings.ReplaceAll(g.Class(s.method), "/", "."), Method: m.Name + m.Desc}
			if s.edge != nil && s.edge.Site != callchain.NoSite {
				at := g.Position(g.NodeOfSite(s.edge.Site), g.Sites[s.edge.Site])
				f.Line, f.Call = at.Line, int(at.Ordinal)+1
			}
			c.Methods = append(c.Methods, f)
		}
		out.Chains = append(out.Chains, c)
	})
	for _, u := range t.Unpredicted {
		out.Unpredicted = append(out.Unpredicted, DocumentUnpredicted(u))
	}
	b := json.NewEncoder(w)
	b.SetIndent("", " ")
	b.SetEscapeHTML(false)
	return b.Encode(out)
}
