// Package linkdata writes links and their chains in the form in which a page keeps them.
//
// A page of a project with thousands of links would be megabytes of names that are there already.
// So each name, and each beginning of a chain, is written once, and then by its number; the page
// makes text of a catch's links when somebody opens them. The data are lines of JSON:
//
//	{"catch":"c-1"}                       what follows is of the catch with this anchor
//	"java.io.IOException"                 what follows are links with this exception
//	[how, site, begin, frame, frame, ...] a link
//
// A how, site or frame is written out the first time, and after that is its number: that of its
// first use among the first uses of all. A chain goes on from one that is there already: begin is
// its number, by when its last frame was added, among those of the catch; 0 is the empty chain.
package linkdata

import (
	"encoding/json"
	"html/template"
	"strconv"
)

// Link is what a page says of one link.
type Link struct {
	Site, Kind, Class, Status string
	Judged                    string // why it is judged infeasible
	Chains                    string // how many chains it has
	Chain                     []Frame
}

// Frame is a step of a chain, with the anchor of its line in the page, "" where it has none.
type Frame struct{ Text, Anchor string }

// Writer makes the lines, one after the other. Its memory grows with the names of a page and the
// chains of one catch, not with the links.
type Writer struct {
	numbers map[string]int // of what has been written out, by its text
	chains  map[step]int   // of the catch: their numbers
}

// step is a chain: its last frame, behind another chain.
type step struct{ before, frame int }

// Catch begins what is of a catch.
func (w *Writer) Catch(anchor string) template.JS {
	w.chains = map[step]int{}
	return line(text(map[string]string{"catch": anchor}))
}

// Exception begins links with an exception.
func (w *Writer) Exception(name string) template.JS { return line(text(name)) }

// Link is the line of a link.
func (w *Writer) Link(l *Link) template.JS {
	how, _ := w.value([]string{l.Class, l.Status, l.Kind, l.Judged, l.Chains})
	site, _ := w.value(l.Site)
	b := append(append(append([]byte{'['}, how...), ','), site...)
	at, rest := 0, l.Chain
	for len(rest) > 0 {
		number, ok := w.numbers[string(rest[0].text())]
		known := w.chains[step{at, number}]
		if !ok || known == 0 {
			break
		}
		at, rest = known, rest[1:]
	}
	b = strconv.AppendInt(append(b, ','), int64(at), 10)
	for _, f := range rest {
		shown, number := w.value(json.RawMessage(f.text()))
		b = append(append(b, ','), shown...)
		next := len(w.chains) + 1
		w.chains[step{at, number}] = next
		at = next
	}
	return line(append(b, ']'))
}

// text is a frame in the data: a name alone, or with its anchor.
func (f Frame) text() []byte {
	if f.Anchor == "" {
		return text(f.Text)
	}
	return text([]string{f.Text, f.Anchor})
}

// value is what stands for a value, itself the first time, and its number.
func (w *Writer) value(v any) (shown []byte, number int) {
	b := text(v)
	if n, ok := w.numbers[string(b)]; ok {
		return strconv.AppendInt(nil, int64(n), 10), n
	}
	if w.numbers == nil {
		w.numbers = map[string]int{}
	}
	n := len(w.numbers)
	w.numbers[string(b)] = n
	return b, n
}

// text is JSON in which nothing ends the element of a page that it stands in.
func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings always are
	}
	return b
}

func line(b []byte) template.JS { return template.JS(append(b, '\n')) }
