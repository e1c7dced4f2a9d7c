package peers

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// This file finds where two results begin to differ: calls of a method that only
// one has, by a method that both have. What lies behind such a call is different
// because of it, and needs no word of its own.

// beginning is a method that only one result reaches, called by one that both do.
type beginning struct {
	method string
	caller string // one of them; "" where nothing in the graph calls it
	behind int    // methods behind it that no beginning before it in the list leads to
}

// beginnings lists where a begins to have methods that b has not, those with most
// behind them first.
func beginnings(a, b *result) []beginning {
	calls, callers := map[string][]string{}, map[string][]string{}
	for e := range a.edges {
		if !b.methods[e[1]] {
			calls[e[0]] = append(calls[e[0]], e[1])
			callers[e[1]] = append(callers[e[1]], e[0])
		}
	}
	var all []beginning
	for _, m := range onlyMethods(a, b) {
		first, shared := "", false
		for _, c := range callers[m] {
			if b.methods[c] && (first == "" || c < first) {
				first, shared = c, true
			}
		}
		if shared || len(callers[m]) == 0 {
			all = append(all, beginning{method: m, caller: first})
		}
	}
	for i := range all {
		all[i].behind = len(behind(all[i].method, calls, nil))
	}
	most := func(x, y beginning) int {
		return cmp.Or(cmp.Compare(y.behind, x.behind), cmp.Compare(x.method, y.method))
	}
	slices.SortFunc(all, most)
	seen := map[string]bool{}
	for i := range all {
		all[i].behind = len(behind(all[i].method, calls, seen))
	}
	slices.SortFunc(all, most)
	return all
}

// behind lists a method and what it calls, without what was seen before, and adds it
// to what was seen, if that is not nil.
func behind(method string, calls map[string][]string, seen map[string]bool) []string {
	if seen == nil {
		seen = map[string]bool{}
	}
	var out []string
	for work := []string{method}; len(work) > 0; {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[m] {
			seen[m] = true
			out = append(out, m)
			work = append(work, calls[m]...)
		}
	}
	return out
}

// begins writes the first of them.
func begins(out io.Writer, title string, list []beginning) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(out, "\n| %s, begins at | called by | methods behind |\n|---|---|---|\n", title)
	for _, b := range list[:min(2*shown, len(list))] {
		fmt.Fprintf(out, "| `%s` | `%s` | %d |\n", b.method, b.caller, b.behind)
	}
	if n := len(list) - 2*shown; n > 0 {
		fmt.Fprintf(out, "| %d more | | |\n", n)
	}
}
