package callchain

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
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
	// Tested says of a chain, given by its number (Path), whether a test took it; nil: nobody
	// knows.
	Tested func(number uint64) bool
	// Mark is what is said of that, in plain text: the chain comes last of those that it goes on
	// from. It is there with Tested.
	Mark func(path []uint64) string
	// Takers are the tests that took a chain, given by its number: from the start, and entered
	// again. The page finds chains by their names. It is there with Tested.
	Takers func(number uint64) (first, again []string)
	// OnlyUntested shows at first only chains that no test took, and what they begin with.
	OnlyUntested bool
	// Link leads to a line of the source of a method, or, with line 0, to where it stands; "":
	// there is no source. Nil: nothing leads anywhere.
	Link func(n callgraph.NodeID, line int32) string
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
.source { float: right; color: var(--soft); font-size: .85em; margin-left: 1em; }
.hidden { display: none; }
</style>
</head>
<body>
<main>
<h1>%s</h1>
<p><input id="find" type="search" placeholder="methods, tests" aria-label="Show chains with these words">
%s<label>at most <select id="calls">%s</select> calls</label>
<button id="open">Open all</button> <button id="close">Close all</button> <span id="found" role="status"></span></p>
<ul class="trees" id="trees">
`

// pageStates is what chooses chains by whether tests took them; the first or second is chosen.
const pageStates = `<select id="only" aria-label="Tested or untested">
<option value="all">tested or not</option><option value="bad"%s>untested</option><option value="good">tested</option>
</select>
`

// pageFoot is the page after the trees; the names of tests come in.
const pageFoot = `</ul>
</main>
<script type="application/json" id="tests">%s</script>
<script>
const trees = document.getElementById('trees'), find = document.getElementById('find'), only = document.getElementById('only');
const calls = document.getElementById('calls'), found = document.getElementById('found');
const all = open => trees.querySelectorAll('details').forEach(d => { d.open = open; });
document.getElementById('open').onclick = () => all(true);
document.getElementById('close').onclick = () => all(false);
const line = li => li.querySelector(':scope > details > summary') ?? li;
const below = li => li.querySelector(':scope > details > ul')?.children ?? [];
const tests = JSON.parse(document.getElementById('tests').textContent).map(t => t.toLowerCase());
// A chain is shown if it is as chosen, or one that goes on from it is: each word is in its methods, or in a
// test that takes it. An edge back is no chain: it is there with the chain that it begins at.
const show = (li, above, depth, words, most, state) => {
  if (li.classList.contains('back')) return 0;
  const takers = li.dataset.tests?.split(' ') ?? [];
  const names = above + '\n' + line(li).querySelector('code').textContent.toLowerCase();
  const bad = li.classList.contains('bad');
  const chosen = depth <= most && (state === 'all' || bad === (state === 'bad')) &&
    words.every(w => names.includes(w.text) || takers.some(t => w.tests[t]));
  let shown = chosen ? 1 : 0;
  for (const child of below(li)) shown += show(child, names, depth + 1, words, most, state);
  li.classList.toggle('hidden', shown === 0);
  return shown;
};
const choose = () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(w => w !== '')
    .map(text => ({ text, tests: tests.map(t => t.includes(text)) }));
  let n = 0;
  for (const li of trees.children) n += show(li, '', 0, words, Number(calls.value), only?.value ?? 'all');
  found.textContent = n === 1 ? '1 chain' : n + ' chains';
};
find.oninput = calls.onchange = choose;
if (only) only.onchange = choose;
choose();
</script>
</body>
</html>
`

// HTML writes the trees of a forest as a page, a line for each chain.
func (f *Forest) HTML(w io.Writer, x *Names, p *Page) error {
	b := bufio.NewWriter(w)
	title, choice, lengths := html.EscapeString(p.Title), "", ""
	if p.Tested != nil {
		choice = fmt.Sprintf(pageStates, map[bool]string{true: " selected"}[p.OnlyUntested])
	}
	for n := f.Complete; n >= 0; n-- {
		lengths += fmt.Sprintf("<option>%d</option>", n)
	}
	fmt.Fprintf(b, pageHead, title, title, choice, lengths)
	h := &pageWriter{f: f, x: x, p: p, b: b, leads: f.Leads(p.To...), tests: []string{}, numbers: map[string]int{}}
	first := uint64(0)
	for _, r := range f.Roots {
		m := f.Nodes[r.ID].Method
		if p.From == nil || slices.Contains(p.From, m) {
			text := h.name(m, "")
			if r.Level > 0 {
				text += fmt.Sprintf(", entered again at level %d", r.Level)
			}
			h.node(r.ID, []uint64{first}, text, h.source(m, m, 0))
		}
		first = add(first, f.Below(r.ID))
	}
	tests, err := json.Marshal(h.tests)
	if err != nil {
		return err
	}
	b.WriteString(strings.Replace(pageFoot, "%s", string(tests), 1))
	return b.Flush()
}

// pageWriter writes the trees of a page.
type pageWriter struct {
	f     *Forest
	x     *Names
	p     *Page
	b     *bufio.Writer
	leads []bool // see Leads

	tests   []string       // that rows name by their numbers
	numbers map[string]int // of tests
}

// name is a method with what stands behind it.
func (h *pageWriter) name(n callgraph.NodeID, behind string) string {
	return "<code>" + html.EscapeString(h.x.Method(n)) + "</code>" + html.EscapeString(behind)
}

// source leads to a line of some method, for the row of another one; it stands before the row, as
// what opens and closes has no links in it.
func (h *pageWriter) source(of, at callgraph.NodeID, line int32) string {
	if h.p.Link == nil {
		return ""
	}
	to := h.p.Link(at, line)
	if to == "" {
		return ""
	}
	return fmt.Sprintf(`<a class="source" href="%s" aria-label="Source: %s">source</a>`, html.EscapeString(to),
		html.EscapeString(h.x.Method(of)))
}

// takers is the attribute that names the tests that took a chain; nothing where none did.
func (h *pageWriter) takers(number uint64) string {
	var numbers []string
	first, again := h.p.Takers(number)
	for _, test := range slices.Concat(first, again) {
		n, known := h.numbers[test]
		if !known {
			n = len(h.tests)
			h.numbers[test] = n
			h.tests = append(h.tests, test)
		}
		numbers = append(numbers, strconv.Itoa(n))
	}
	if numbers == nil {
		return ""
	}
	return ` data-tests="` + strings.Join(numbers, " ") + `"`
}

// node writes a chain with those that go on from it. The chain is the last of a path.
func (h *pageWriter) node(n NodeID, path []uint64, text, source string) {
	if h.leads != nil && !h.leads[n] {
		return
	}
	node, number := &h.f.Nodes[n], path[len(path)-1]
	if note := h.x.note(node.Method); note != "" {
		text += html.EscapeString(note)
	}
	var classes []string
	takers := ""
	if h.p.Tested != nil {
		text += ` <span class="mark">` + html.EscapeString(h.p.Mark(path)) + "</span>"
		if !h.p.Tested(number) {
			classes = append(classes, "bad")
		}
		takers = h.takers(number)
	}
	if len(node.Edges) == 0 {
		fmt.Fprintf(h.b, "<li class=\"%s\"%s>%s%s</li>\n", strings.Join(append(classes, "leaf"), " "), takers,
			source, text)
		return
	}
	open := ""
	if len(path) == 1 {
		open = " open"
	}
	fmt.Fprintf(h.b, "<li class=\"%s\"%s>%s<details%s><summary>%s</summary>\n<ul>\n", strings.Join(classes, " "),
		takers, source, open, text)
	next := number + 1
	for i := range node.Edges {
		e := &node.Edges[i]
		line := int32(0)
		at := e.Callee // where there is no line of the call
		if e.Site != NoSite {
			if line = h.f.Graph.Position(h.f.Graph.NodeOfSite(e.Site), h.f.Graph.Sites[e.Site]).Line; line > 0 {
				at = node.Method
			}
		}
		call, from := h.name(e.Callee, h.x.receiver(e)), h.source(e.Callee, at, line)
		if place := h.x.place(e); place != "" {
			call = `<span class="line">` + html.EscapeString(place) + "</span>" + call
		}
		if e.Up >= 0 {
			fmt.Fprintf(h.b, "<li class=\"back leaf\">%s%s, back to %s</li>\n", from, call, backEdgeText(e.Up))
			continue
		}
		h.node(e.To, append(path[:len(path):len(path)], next), call, from)
		next = add(next, h.f.Below(e.To))
	}
	h.b.WriteString("</ul></details></li>\n")
}
