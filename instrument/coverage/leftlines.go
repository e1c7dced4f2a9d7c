package coverage

import (
	"slices"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells which lines tests left in their middle: control came to them, and to nothing
// that follows in the method, as when a call throws. It may also be that the test ended meanwhile,
// or the JVM. An execution that left the line hides behind another one of the same test that did
// not: what is counted is the least.

// leftLines are, for each node, the line that control was on if it came to the node and to none of
// what follows; 0 for nodes that end the method or cannot be left in the middle, and for code that
// the compiler added.
func (m *Method) leftLines() []int {
	hide, _ := m.filter()
	lines := make([]int, len(m.Nodes))
	for n := range m.Nodes {
		node := &m.Nodes[n]
		if node.Branch() {
			continue
		}
		// Nothing of another line follows what may throw within a node.
		if last := node.end - 1; hide[last] == shown {
			lines[n] = m.instructions[last].line
		}
	}
	return lines
}

// linesLeft lists the lines that were left in their middle, with leftLines; covered are the nodes
// that control came to (Covered).
func (m *Method) linesLeft(covered []bool, lines []int) (all []int) {
	goes, ends := make([]bool, len(m.Nodes)), make([]bool, len(m.Nodes))
	for i := range ends {
		ends[i] = true
	}
	for _, e := range m.Graph.Edges {
		if !e.Exceptional {
			ends[e.From] = false
			goes[e.From] = goes[e.From] || covered[e.To]
		}
	}
	for n, is := range covered {
		if is && !ends[n] && !goes[n] && lines[n] > 0 {
			all = append(all, lines[n])
		}
	}
	return all
}

// countLeft counts for each line of the methods how many of the runs left it in the middle. Tests
// hit few sets of a method's probes, so each set is looked at once.
func countLeft(methods map[record.MethodID]*MethodCoverage, runs []*record.TestRun) {
	left := map[record.MethodID]map[string][]int{} // by hits: indices of lines
	for _, run := range runs {
		for _, c := range run.Covered {
			m := methods[c.Method]
			if m == nil || c.Shape != m.plan.Shape {
				continue
			}
			byHits := left[c.Method]
			if byHits == nil {
				byHits = map[string][]int{}
				left[c.Method] = byHits
			}
			lines, known := byHits[string(c.Hits)]
			if !known {
				lines = m.linesLeft(c)
				byHits[string(c.Hits)] = lines
			}
			for _, i := range lines {
				m.Lines[i].Left++
			}
		}
	}
}

// linesLeft are the indices of the lines that one run left in the middle.
func (v *MethodCoverage) linesLeft(c record.Covered) (indices []int) {
	left := v.plan.linesLeft(v.plan.Covered(v.hits([]record.Covered{c})), v.plan.leftLines())
	for i := range v.Lines {
		if slices.Contains(left, v.Lines[i].Number) {
			indices = append(indices, i)
		}
	}
	return indices
}
