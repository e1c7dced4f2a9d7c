// Package coveragetext writes for people what tests cover: totals (Text), and what they do not come
// to (Missed). Input is what package coverage has added up.
package coveragetext

import (
	"bufio"
	"cmp"
	"fmt"
	"io"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/coverage"
)

// Text writes the totals, and a line for each package and file, for people.
func Text(w io.Writer, c *coverage.Suite) error {
	b := bufio.NewWriter(w)
	row := func(name string, n coverage.Counts) {
		fmt.Fprintf(b, "%s  %s  %s  %s\n", share(n.LinesCovered, n.Lines), share(n.BranchesCovered, n.Branches),
			share(n.MethodsCovered, n.Methods), codelens.Plain(name, false))
	}
	fmt.Fprintf(b, "%-20s  %-20s  %-20s\n", "lines", "branches", "methods")
	row("all, by "+codelens.Count(len(c.Tests), "test"), c.Total)
	for _, p := range c.Packages() {
		var n coverage.Counts
		for _, f := range p.Files {
			n.Add(f.Counts)
		}
		fmt.Fprintln(b)
		row(cmp.Or(classfile.SourceName(p.Name), "(no package)"), n)
		for _, f := range p.Files {
			row("  "+f.Path, f.Counts)
		}
	}
	if c.Beside > 0 {
		fmt.Fprintf(b, "\n%s ran only where no test is the cause: on threads that earlier tests left, or between "+
			"tests.\n", codelens.Count(c.Beside, "covered line"))
	}
	for _, n := range c.NotRecorded {
		fmt.Fprintln(b, "not recorded:", codelens.Plain(n, false))
	}
	return b.Flush()
}

// share writes how much of something is covered, in a column.
func share(covered, of int) string {
	if of == 0 {
		return fmt.Sprintf("%-20s", "  -")
	}
	return fmt.Sprintf("%6.1f%% %-12s", 100*float64(covered)/float64(of), fmt.Sprintf("%d/%d", covered, of))
}

// Missed writes, for people, what no test comes to: lines, a range of them in one, and ways
// of branches of lines that are covered; and how many tests left a line in the middle, which is why
// what follows it may not be covered.
func Missed(w io.Writer, c *coverage.Suite) error {
	b := bufio.NewWriter(w)
	for _, f := range c.Files {
		for i := 0; i < len(f.Lines); i++ {
			l := &f.Lines[i]
			at := fmt.Sprintf("%s:%d", codelens.Plain(f.Path, false), l.Number)
			if l.Covered == 0 {
				last := i
				for last+1 < len(f.Lines) && f.Lines[last+1].Covered == 0 &&
					!f.LeavesOut(f.Lines[last].Number, f.Lines[last+1].Number) {
					last++
				}
				if last > i {
					at += fmt.Sprint("-", f.Lines[last].Number)
				}
				fmt.Fprintf(b, "%s: not covered\n", at)
				i = last
				continue
			}
			if l.Left > 0 {
				fmt.Fprintf(b, "%s: left in the middle in %s\n", at, codelens.Count(l.Left, "test"))
			}
			labels := f.Labels(l)
			for _, branch := range l.Branches {
				for way, taken := range branch {
					if !taken {
						fmt.Fprintf(b, "%s: %s never taken\n", at, codelens.Plain(labels[way], false))
					}
				}
				labels = labels[len(branch):]
			}
		}
	}
	return b.Flush()
}
