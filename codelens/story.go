package codelens

import (
	"fmt"
	"io"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/classname"
	"github.com/catchlens/catchlens/internal/markdown"
)

// This file tells of three catches, for people who see this for the first time.

// chapters are what Story tells of: the first catch that is counted as one of the terms, the terms
// in the order in which they are looked for.
var chapters = []struct {
	title string
	terms []string
}{
	{"A handler that does not cope", []string{"source-dependent", "source-dependent (fine-grain)"}},
	{"A handler that copes", []string{"purely resilient", "source-independent"}},
	{"A handler that no test gets to", []string{noneEnters, faultedEnters}},
}

// Story writes of up to three catches, one of each kind, what their hovers say, each with its
// place; of those of a kind the one with the most failures that a test made happen, or could.
func Story(w io.Writer, v View) {
	told := 0
	for _, chapter := range chapters {
		c := tellingCatch(v, chapter.terms)
		if c == nil {
			continue
		}
		told++
		fmt.Fprintf(w, "%d. %s: %s:%d  catch (%s)\n\n", told, chapter.title, Plain(c.File.Path, false), c.Line,
			Plain(strings.Join(classname.InSourceAll(c.Types), " | "), false))
		for line := range strings.Lines(Plain(markdown.Text(CatchHover(v, c, nil, nil)), true)) {
			if line = strings.TrimRight(line, "\n"); line != "" {
				line = "   " + line
			}
			fmt.Fprintln(w, line)
		}
		fmt.Fprintln(w)
	}
}

// tellingCatch finds the catch outside tests of the first term that any is counted as.
func tellingCatch(v View, terms []string) (best *snapshot.Catch) {
	most := [2]int{-1, -1}
	for _, term := range terms {
		for _, c := range v.Snap.Catches {
			if c.InTests || countedAs(v, c) != term {
				continue
			}
			tested, all := FailureCoverage(v, c)
			if tested > most[0] || tested == most[0] && all > most[1] {
				best, most = c, [2]int{tested, all}
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}
