package lsp

import (
	"bytes"

	"github.com/catchlens/catchlens/analysis/javasource"
)

// This file follows lines of a source to where they stand after edits. Members are followed by
// their names and parameters, and those whose tokens differ have changed as a whole; in them, and
// outside of members, lines before the first difference and after the last are followed.

// movedLine is where a line stands now.
type movedLine struct {
	line    int  // from 1; 0: an edit has taken it away, or it has none
	changed bool // its member is another one than it was
}

// movedLines says it of all lines.
type movedLines struct{ lines []movedLine } // by number, from 1

func (m *movedLines) to(line int) movedLine {
	if line <= 0 || line >= len(m.lines) {
		return movedLine{}
	}
	return m.lines[line]
}

// moveLines follows the lines of a text into another version of it.
func moveLines(old, now lineText) *movedLines {
	n := len(old.source.LineStarts)
	m := &movedLines{make([]movedLine, n+1)}
	if bytes.Equal(old.text, now.text) {
		for i := range n {
			m.lines[i+1] = movedLine{line: i + 1}
		}
		return m
	}
	m.follow(old, now, 1, n, 1, len(now.source.LineStarts), false)
	members := map[string]*javasource.Member{}
	for _, t := range now.source.Types {
		for _, x := range t.Members {
			members[x.ID] = x
		}
	}
	// A member is inside what encloses it, which comes before: it has the last word on its lines.
	for _, t := range old.source.Types {
		for _, x := range t.Members {
			is := members[x.ID]
			for i, part := range x.Parts {
				if is == nil || i >= len(is.Parts) {
					m.drop(old.source, part)
					continue
				}
				m.follow(old, now, old.source.Line(part.Start), old.source.Line(part.End),
					now.source.Line(is.Parts[i].Start), now.source.Line(is.Parts[i].End), is.Digest != x.Digest)
			}
		}
	}
	return m
}

func (m *movedLines) drop(source *javasource.File, s javasource.Span) {
	for line := source.Line(s.Start); line <= source.Line(s.End); line++ {
		m.lines[line] = movedLine{}
	}
}

// follow follows the lines from first to last of the old text to those from begin to end of the
// new one: from both ends until lines differ.
func (m *movedLines) follow(old, now lineText, first, last, begin, end int, changed bool) {
	same := func(a, b int) bool { return old.line(a) == now.line(b) }
	a, b := first, begin
	for ; a <= last && b <= end && same(a, b); a, b = a+1, b+1 {
		m.lines[a] = movedLine{b, changed}
	}
	y, z := last, end
	for ; y >= a && z >= b && same(y, z); y, z = y-1, z-1 {
		m.lines[y] = movedLine{z, changed}
	}
	for line := a; line <= y; line++ {
		m.lines[line] = movedLine{}
	}
}
