// Package inlayhints words what an editor shows at the end of lines in a try: the exceptions that
// may come from them to its catch. They are the failures that its lens counts.
package inlayhints

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/classname"
)

// Hint is what stands at the end of a line.
type Hint struct {
	Line           int // from 1, of the snapshot's text
	Label, Tooltip string
}

// shown is how many exceptions a label names: more than that hide the line that they are about.
const shown = 3

// tested stands behind an exception that a test has made happen.
const tested = " ✓"

// kind is an exception that may come from a line.
type kind struct {
	exception string
	catch     *snapshot.Catch
	tested    bool
}

// Of are the hints of some catches of a file, by line. An exception is marked as tested where it is
// certain that it came from that line, and with the present code. A source that is newer than its
// classes has none: the lines that these name are of another text.
func Of(v codelens.View, catches []*snapshot.Catch) []Hint {
	lines := map[int][]kind{}
	for _, c := range catches {
		if c.File.Stale {
			continue
		}
		stale := v.Stale(c)
		for _, f := range codelens.Failures(v, c) {
			if f.Line == 0 || !f.Counts() {
				continue
			}
			from := f.Lines()
			for _, line := range from {
				k := kind{f.Exception, c, f.Outcome == codelens.Experienced && len(from) == 1 && !stale}
				at := slices.IndexFunc(lines[line],
					func(o kind) bool { return o.exception == k.exception && o.catch == c })
				if at < 0 {
					lines[line] = append(lines[line], k)
				} else { // another method throws it, too: all are to be tested
					lines[line][at].tested = lines[line][at].tested && k.tested
				}
			}
		}
	}
	var out []Hint
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		out = append(out, hint(line, lines[line]))
	}
	return out
}

// hint is that of a line; what no test has made happen comes first.
func hint(line int, kinds []kind) Hint {
	slices.SortFunc(kinds, func(a, b kind) int {
		if a.tested != b.tested {
			if b.tested {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(a.exception, b.exception), a.catch.Line-b.catch.Line)
	})
	var names, whole []string
	for _, k := range kinds {
		mark, said := "", "not tested"
		if k.tested {
			mark, said = tested, "tested"
		}
		name := codelens.Plain(classname.InSource(k.exception), false)
		if !slices.Contains(names, name) && !slices.Contains(names, name+tested) { // to another catch
			names = append(names, name+mark)
		}
		whole = append(whole, fmt.Sprintf("%s, to catch (%s): %s", codelens.Plain(k.exception, false),
			codelens.Plain(strings.Join(classname.InSourceAll(k.catch.Types), " | "), false), said))
	}
	if len(names) > shown {
		names = append(names[:shown], fmt.Sprintf("and %d more", len(names)-shown))
	}
	return Hint{line, "may throw " + strings.Join(names, ", "), strings.Join(whole, "\n")}
}
