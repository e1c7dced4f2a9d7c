package codelens

import (
	"bufio"
	"cmp"
	"fmt"
	"io"

	"catchlens/analysis/classfile"
	"catchlens/instrument/coverage"
)

// CoverageText writes the totals, and a line for each package and file, for people.
func CoverageText(w io.Writer, c *coverage.Suite) error {
	b := bufio.NewWriter(w)
	row := func(name string, n coverage.Counts) {
		fmt.Fprintf(b, "%s  %s  %s  %s\n", share(n.LinesCovered, n.Lines), share(n.BranchesCovered, n.Branches),
			share(n.MethodsCovered, n.Methods), Plain(name, false))
	}
	fmt.Fprintf(b, "%-20s  %-20s  %-20s\n", "lines", "branches", "methods")
	row("all, by "+Count(len(c.Tests), "test"), c.Total)
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
			"tests.\n", Count(c.Beside, "covered line"))
	}
	for _, n := range c.NotRecorded {
		fmt.Fprintln(b, "not recorded:", Plain(n, false))
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
