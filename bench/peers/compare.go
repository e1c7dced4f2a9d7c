package peers

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file compares two results.

// result is what an analysis says is reached.
type result struct {
	methods map[string]bool
	edges   map[[2]string]bool // caller, callee
}

func newResult() *result {
	return &result{methods: map[string]bool{}, edges: map[[2]string]bool{}}
}

func (r *result) method(name string) { r.methods[name] = true }

func (r *result) edge(from, to string) { r.edges[[2]string{from, to}] = true }

// report writes what only one of the two has, by package and class, and the full
// lists to files.
func report(out io.Writer, p *peer, ours, theirs *result) error {
	a, b := onlyMethods(ours, theirs), onlyMethods(theirs, ours)
	fmt.Fprintf(out, "\nMethods: %d in both, %d only in catchlens %s, %d only in %s.\n", len(ours.methods)-len(a),
		len(a), *against, len(b), p.name)
	table(out, "only in catchlens", a)
	table(out, "only in "+p.name, b)
	begins(out, "only in catchlens", beginnings(ours, theirs))
	begins(out, "only in "+p.name, beginnings(theirs, ours))
	c, d := onlyEdges(ours, theirs), onlyEdges(theirs, ours)
	fmt.Fprintf(out, "\nEdges between methods that both reach: %d only in catchlens %s, %d only in %s.\n", len(c),
		*against, len(d), p.name)
	table(out, "callee, only in catchlens", callees(c))
	table(out, "callee, only in "+p.name, callees(d))
	for name, list := range map[string][]string{"methods-only-catchlens": a, "methods-only-peer": b,
		"edges-only-catchlens": c, "edges-only-peer": d} {
		if err := os.WriteFile(filepath.Join(p.in.dir, p.slug()+"-"+name+".txt"), []byte(strings.Join(list, "\n")+"\n"),
			0o644); err != nil {
			return err
		}
	}
	return nil
}

// onlyMethods lists the methods of a that b does not have.
func onlyMethods(a, b *result) []string {
	var out []string
	for m := range a.methods {
		if !b.methods[m] {
			out = append(out, m)
		}
	}
	slices.Sort(out)
	return out
}

// onlyEdges lists the edges of a that b does not have although it reaches both
// ends. Class initialisers are left out: they are edges of catchlens's graph,
// because what they throw comes back, and of nobody else's.
func onlyEdges(a, b *result) []string {
	var out []string
	for e := range a.edges {
		if !b.edges[e] && b.methods[e[0]] && b.methods[e[1]] && !strings.HasSuffix(e[1], ": void <clinit>()") {
			out = append(out, e[0]+" -> "+e[1])
		}
	}
	slices.Sort(out)
	return out
}

func callees(edges []string) []string {
	var out []string
	for _, e := range edges {
		_, to, _ := strings.Cut(e, " -> ")
		out = append(out, to)
	}
	return out
}

// shown is how many rows of each table are written.
const shown = 12

// table sums methods up by package, with the classes that have most of them.
func table(out io.Writer, title string, methods []string) {
	if len(methods) == 0 {
		return
	}
	packages, classes := map[string]int{}, map[string]map[string]int{}
	for _, m := range methods {
		class, _, _ := strings.Cut(m, ":")
		p, c := "", class
		if i := strings.LastIndexByte(class, '.'); i >= 0 {
			p, c = class[:i], class[i+1:]
		}
		packages[p]++
		if classes[p] == nil {
			classes[p] = map[string]int{}
		}
		classes[p][c]++
	}
	fmt.Fprintf(out, "\n| package, %s | methods | classes with most |\n|---|---|---|\n", title)
	order := byCount(packages)
	for _, p := range order[:min(shown, len(order))] {
		var most []string
		for _, c := range byCount(classes[p])[:min(4, len(classes[p]))] {
			most = append(most, fmt.Sprintf("%s %d", c, classes[p][c]))
		}
		fmt.Fprintf(out, "| %s | %d | %s |\n", p, packages[p], strings.Join(most, ", "))
	}
	if n := len(order) - shown; n > 0 {
		fmt.Fprintf(out, "| %d more | | |\n", n)
	}
}

// byCount lists the keys, those with the largest count first.
func byCount(counts map[string]int) []string {
	var keys []string
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return keys
}
