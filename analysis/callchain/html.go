package callchain

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// This file writes forests as a page for a browser, that needs nothing from elsewhere.

// Page is what a page shows.
type Page struct {
	// Title stands above the trees, in plain text.
	Title string
	// From are the entry methods whose trees are shown; nil: all. To are methods that all chains
	// shown lead to; nil: any.
	From, To []callgraph.NodeID
	// Mark is what is said of a chain, given by its number (Path), and whether that is bad; nil:
	// nothing is.
	Mark func(number uint64) (text string, bad bool)
	// OnlyBad shows at first only chains that are bad, and what they begin with.
	OnlyBad bool
}

// pageHead is the page up to the title. Trees open and close by themselves; the script is for all
// at once and for what is looked for.
const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
:root { color-scheme: light dark; --bg: #fff; --fg: #1f2328; --soft: #59636e; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --bg: #0d1117; --fg: #e6edf3; --soft: #9198a1; --bad: #f85149; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
body { background: var(--bg); color: var(--fg); }
code { font-family: ui-monospace, monospace; }
ul { list-style: none; margin: 0; padding-left: 1.6em; }
ul.trees { padding-left: 0; }
li.leaf { padding-left: 1.1em; }
summary { cursor: pointer; }
.line, .mark { color: var(--soft); }
.mark { margin-left: .6em; }
.bad > .mark, .bad > details > summary > .mark { color: var(--bad); }
.hidden, .only li:not(.bad):not(.above) { display: none; }
</style>
</head>
<body>
<main>
<h1>%s</h1>
<p><input id="find" type="search" placeholder="method" aria-label="Show chains with this method">
<button id="open">Open all</button> <button id="close">Close all</button>%s</p>
<ul class="trees" id="trees">
`

// pageBad is what chooses chains that are bad.
const pageBad = ` <label><input id="only" type="checkbox"%s> only untested</label>`

const pageFoot = `</ul>
</main>
<script>
const trees = document.getElementById('trees'), find = document.getElementById('find'), only = document.getElementById('only');
const all = open => trees.querySelectorAll('details').forEach(d => { d.open = open; });
document.getElementById('open').onclick = () => all(true);
document.getElementById('close').onclick = () => all(false);
if (only) (only.onchange = () => trees.classList.toggle('only', only.checked))();
find.oninput = () => {
  const text = find.value.toLowerCase();
  for (const li of trees.children) li.classList.toggle('hidden', !li.textContent.toLowerCase().includes(text));
};
</script>
</body>
</html>
`

// HTML writes the trees of a forest as a page, a line for each chain.
func (f *Forest) HTML(w io.Writer, x *Names, p *Page) error {
	b := bufio.NewWriter(w)
	title, choice := html.EscapeString(p.Title), ""
	if p.Mark != nil {
		choice = fmt.Sprintf(pageBad, map[bool]string{true: " checked"}[p.OnlyBad])
	}
	fmt.Fprintf(b, pageHead, title, title, choice)
	h := &pageWriter{f: f, x: x, p: p, b: b, leads: f.Leads(p.To...)}
	first := uint64(0)
	for _, r := range f.Roots {
		m := f.Nodes[r.ID].Method
		if p.From == nil || slices.Contains(p.From, m) {
			text := "<code>" + html.EscapeString(x.Method(m)) + "</code>"
			if r.Level > 0 {
				text += fmt.Sprintf(", entered again at level %d", r.Level)
			}
			h.node(r.ID, first, text, 0)
		}
		first = add(first, f.Below(r.ID))
	}
	b.WriteString(pageFoot)
	return b.Flush()
}

// pageWriter writes the trees of a page.
type pageWriter struct {
	f     *Forest
	x     *Names
	p     *Page
	b     *bufio.Writer
	leads []bool // see Leads
}

// bad tells of a chain whether it is bad itself, and whether one that goes on from it is.
func (h *pageWriter) bad(n NodeID, number uint64) (itself, below bool) {
	if h.p.Mark == nil {
		return false, false
	}
	for i := number; i < add(number, h.f.Below(n)); i++ {
		if _, bad := h.p.Mark(i); bad {
			if i == number {
				itself = true
				continue
			}
			return itself, true
		}
	}
	return itself, false
}

// node writes a chain with those that go on from it.
func (h *pageWriter) node(n NodeID, number uint64, text string, depth int) {
	if h.leads != nil && !h.leads[n] {
		return
	}
	node := &h.f.Nodes[n]
	if note := h.x.note(node.Method); note != "" {
		text += html.EscapeString(note)
	}
	if h.p.Mark != nil {
		said, _ := h.p.Mark(number)
		text += ` <span class="mark">` + html.EscapeString(said) + "</span>"
	}
	var classes []string
	itself, below := h.bad(n, number)
	if itself {
		classes = append(classes, "bad")
	}
	if below {
		classes = append(classes, "above")
	}
	if len(node.Edges) == 0 {
		fmt.Fprintf(h.b, "<li class=\"%s\">%s</li>\n", strings.Join(append(classes, "leaf"), " "), text)
		return
	}
	open := ""
	if depth == 0 {
		open = " open"
	}
	fmt.Fprintf(h.b, "<li class=\"%s\"><details%s><summary>%s</summary>\n<ul>\n", strings.Join(classes, " "), open,
		text)
	next := number + 1
	for i := range node.Edges {
		e := &node.Edges[i]
		call := "<code>" + html.EscapeString(h.x.Method(e.Callee)) + "</code>" + html.EscapeString(h.x.receiver(e))
		if place := h.x.place(e); place != "" {
			call = `<span class="line">` + html.EscapeString(place) + "</span>" + call
		}
		if e.Up >= 0 {
			fmt.Fprintf(h.b, "<li class=\"leaf\">%s, back to %s</li>\n", call, backEdgeText(e.Up))
			continue
		}
		h.node(e.To, next, call, depth+1)
		next = add(next, h.f.Below(e.To))
	}
	h.b.WriteString("</ul></details></li>\n")
}
