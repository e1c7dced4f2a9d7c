// Package excerpt chooses the lines of a source that a page shows.
package excerpt

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/catchlens/catchlens/analysis/javasource"
)

// Anchors are names in a page of the lines of its files, and know those that something leads to.
// The zero value knows no file.
type Anchors struct {
	files map[string]file // by path
	lines map[string]map[int]bool
}

type file struct {
	name  string
	lines int
}

// Add adds a file, its name and how many lines it has.
func (a *Anchors) Add(path, name string, lines int) {
	if a.files == nil {
		a.files, a.lines = map[string]file{}, map[string]map[int]bool{}
	}
	a.files[path], a.lines[path] = file{name, lines}, map[int]bool{}
}

// Lead is the anchor of a line that something leads to, "" where the page has none: a class may be
// of a source that has become shorter since.
func (a *Anchors) Lead(path string, line int) string {
	f, ok := a.files[path]
	if !ok || line <= 0 || line > f.lines {
		return ""
	}
	a.lines[path][line] = true
	return a.Anchor(path, line)
}

// Anchor is the anchor of a line, "" where nothing leads to it.
func (a *Anchors) Anchor(path string, line int) string {
	if !a.lines[path][line] {
		return ""
	}
	return fmt.Sprintf("%s-%d", a.files[path].name, line)
}

// Name is that of a file.
func (a *Anchors) Name(path string) string { return a.files[path].name }

// Led are the lines of a file that something leads to, in no order.
func (a *Anchors) Led(path string) []int { return slices.Collect(maps.Keys(a.lines[path])) }

// Split is a source split at line feeds, those at its end left out.
func Split(text []byte) [][]byte { return bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n")) }

// Lines tells of n lines of a source which of them are shown, where somebody wants to see those
// that are asked for: these, the methods and initialisers that they stand in, and the heads of the
// types around them. A single line between two that are shown is shown, too: to say that it is left
// out would take as much room. Lines are counted from 0 in what is returned, from 1 in asked.
func Lines(src *javasource.File, n int, asked []int) []bool {
	shown := make([]bool, n)
	show := func(first, last int) {
		for i := max(first, 1); i <= min(last, n); i++ {
			shown[i-1] = true
		}
	}
	asked = slices.Sorted(slices.Values(asked))
	for _, line := range asked {
		show(line, line)
	}
	if src != nil {
		holds := func(s javasource.Span) (first, last int, ok bool) {
			first, last = src.Line(s.Start), src.Line(s.End-1)
			i, _ := slices.BinarySearch(asked, first)
			return first, last, i < len(asked) && asked[i] <= last
		}
		for _, t := range src.Types {
			if _, _, ok := holds(t.Span); ok && t.Name != "" {
				show(src.Line(t.NameSpan.Start), src.Line(t.Body.Start))
			}
			for _, m := range t.Members {
				for _, part := range m.Parts {
					if first, last, ok := holds(part); ok {
						show(first, last)
					}
				}
			}
		}
	}
	for i := 1; i+1 < n; i++ {
		shown[i] = shown[i] || shown[i-1] && shown[i+1]
	}
	return shown
}
