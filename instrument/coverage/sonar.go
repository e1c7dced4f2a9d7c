package coverage

import (
	"bufio"
	"fmt"
	"io"
)

// WriteSonar writes a report in the generic form that SonarQube reads
// (sonar.coverageReportPaths, version 1): lines, and ways out of their branches.
func WriteSonar(w io.Writer, c *Suite) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<coverage version="1">`+"\n")
	for _, f := range c.Files {
		fmt.Fprintf(b, "<file path=%s>\n", quoted(f.Path))
		for _, l := range f.Lines {
			fmt.Fprintf(b, `<lineToCover lineNumber="%d" covered="%t"`, l.Number, l.Covered > 0)
			if ways, taken := l.countBranches(); ways > 0 {
				fmt.Fprintf(b, ` branchesToCover="%d" coveredBranches="%d"`, ways, taken)
			}
			b.WriteString("/>\n")
		}
		b.WriteString("</file>\n")
	}
	b.WriteString("</coverage>\n")
	return b.Flush()
}

// countBranches are how many ways all branches of the line have, and how many of them were taken.
func (l *Line) countBranches() (ways, taken int) {
	for _, b := range l.Branches {
		ways += len(b)
		taken += b.Taken()
	}
	return ways, taken
}
