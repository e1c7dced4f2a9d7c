package chains

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file finds what ran in a forest.

// matcher finds the chains of a component that ran in forests of a call graph.
type matcher struct {
	g      *callgraph.Graph
	points *pointsto.Result
	c      *component
	nodes  map[string]callgraph.NodeID // by name in a run
	callAt map[string]map[int]int      // by that, and the code index in the rewritten class
}

// stacks is the class whose calls are those of probes.
const stacks = "recorded/Stacks"

// newMatcher reads the rewritten classes of a component, which keep has moved to a folder.
func newMatcher(g *callgraph.Graph, c *component, dir string) (*matcher, error) {
	m := &matcher{g: g, c: c, nodes: map[string]callgraph.NodeID{}, callAt: map[string]map[int]int{}}
	classes := map[string]bool{}
	for _, n := range callchain.Methods(g, c.has) {
		class := g.Class(n)
		if !classes[class] {
			classes[class] = true
			if err := m.readCalls(class, rewrittenFile(dir, class)); err != nil {
				return nil, err
			}
		}
		name := nameOf(class, g.Method(n))
		m.nodes[name] = n
		if have, want := len(m.callAt[name]), len(g.Method(n).Calls); have != want {
			return nil, fmt.Errorf("%s has %d calls, rewritten %d", name, want, have)
		}
	}
	return m, nil
}

func nameOf(class string, m *facts.Method) string {
	return strings.ReplaceAll(class, "/", ".") + " " + m.Name + m.Desc
}

func (m *matcher) readCalls(class, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	parsed, err := classfile.Parse(data)
	if err != nil {
		return err
	}
	f, problems := facts.FromClass(parsed, data, facts.Options{})
	if len(problems) > 0 {
		return fmt.Errorf("%s: %s", class, problems[0].Message)
	}
	for i := range f.Methods {
		at, n := map[int]int{}, 0
		for _, call := range f.Methods[i].Calls {
			if call.Owner != stacks {
				at[int(call.PC)] = n
				n++
			}
		}
		m.callAt[nameOf(class, &f.Methods[i])] = at
	}
	return nil
}

// executed reads a line of a run; false where it has a method that the call graph does not.
func (m *matcher) executed(line string) (x callchain.Executed, ok bool) {
	fields := strings.Split(line, "\t")
	level, err := strconv.Atoi(fields[0])
	if err != nil {
		return x, false
	}
	x.Level = level
	for i, frame := range fields[1:] {
		at := strings.LastIndexByte(frame, ' ')
		n, known := m.nodes[frame[:at]]
		if !known {
			return x, false
		}
		x.Methods = append(x.Methods, n)
		if i == len(fields)-2 {
			break
		}
		pc, err := strconv.Atoi(frame[at+1:])
		call, known := m.callAt[frame[:at]][pc]
		if err != nil || !known {
			return x, false
		}
		x.Calls = append(x.Calls, call)
	}
	return x, true
}

// found are the chains of a forest that are among lines of runs.
func (m *matcher) found(f *callchain.Forest, ran ...[]string) map[uint64]bool {
	out := map[uint64]bool{}
	for _, lines := range ran {
		for _, line := range lines {
			if x, ok := m.executed(line); ok {
				if n, ok := f.Find(&x); ok {
					out[n] = true
				}
			}
		}
	}
	return out
}

// report writes what ran and is in no forest: from any entry method on, with all that is left out
// (where conditions came out by chance) or without.
func (m *matcher) report(w io.Writer, ran *runs) {
	for _, x := range []struct {
		name  string
		lines []string
		all   bool
	}{{"tests", ran.tests, false}, {"main", ran.main, false}, {"abstracted", ran.abstracted, true}} {
		f := callchain.Build(m.g, callchain.Options{Component: m.c.has, Length: maxCalls, Granularity: callchain.BySite,
			Points: m.points, All: x.all})
		lost := 0
		for _, line := range x.lines {
			e, ok := m.executed(line)
			if ok {
				_, ok = f.Find(&e)
			}
			if !ok {
				lost++
				fmt.Fprintf(w, "%s, %s: not predicted: %s\n", m.c.name, x.name, line)
			}
		}
		fmt.Fprintf(w, "%s, %s: %d chains ran, %d of them are not predicted\n", m.c.name, x.name, len(x.lines), lost)
	}
}
