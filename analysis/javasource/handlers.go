package javasource

// This file matches the catches of a piece of code with the handlers of the
// method it became.

import (
	"sort"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
)

// maxItems limits how many copies of catches in finally blocks are laid out,
// and maxCells the size of an alignment.
const (
	maxItems = 4096
	maxCells = 1 << 21
)

// leaveItem is what leaving out a clause costs an alignment of handlers.
const leaveItem = 2

// impossible is the score of a pair that cannot be.
const impossible = -1 << 28

// An aligner finds the order-preserving pairs of n items with m others that
// have the greatest sum of scores.
type aligner struct {
	n, m int
	// score tells how well i and j fit; impossible if not at all.
	score func(i, j int) int
	// leaveItem and leaveOther are what leaving out i and j costs.
	leaveItem  int
	leaveOther func(j int) int
	// optional are ranges of items that may be left out as a whole at no cost.
	optional []itemRange
}

// itemRange is a range of items.
type itemRange struct{ from, to int }

// run returns for each j its i, or -1. Of equal solutions the one that pairs
// late ones wins.
func (a *aligner) run() []int {
	n, m := a.n, a.m
	result := make([]int, m)
	for j := range result {
		result[j] = -1
	}
	if n == 0 || m == 0 || n > maxCells/(m+1) {
		return result
	}
	ends := make(map[int][]int) // ranges by their end
	for k, r := range a.optional {
		if r.from < r.to {
			ends[r.to] = append(ends[r.to], k)
		}
	}
	const (
		skipItem int32 = iota
		skipOther
		pair
		skipRange // + index
	)
	width := m + 1
	best, moves := make([]int32, (n+1)*width), make([]int32, (n+1)*width)
	for i := 0; i <= n; i++ {
		row := best[i*width:]
		for j := 0; j <= m; j++ {
			if i == 0 && j == 0 {
				continue
			}
			top, move := int32(impossible), skipItem
			if j > 0 {
				top, move = row[j-1]-int32(a.leaveOther(j-1)), skipOther
			}
			if i > 0 {
				before := best[(i-1)*width:]
				if s := before[j] - int32(a.leaveItem); s > top {
					top, move = s, skipItem
				}
				for _, k := range ends[i] {
					if s := best[a.optional[k].from*width+j]; s >= top {
						top, move = s, skipRange+int32(k)
					}
				}
				if j > 0 {
					if s := a.score(i-1, j-1); s > impossible {
						if s := before[j-1] + int32(s); s >= top {
							top, move = s, pair
						}
					}
				}
			}
			row[j] = top
			moves[i*width+j] = move
		}
	}
	for i, j := n, m; i > 0 || j > 0; {
		switch move := moves[i*width+j]; move {
		case pair:
			result[j-1] = i - 1
			i--
			j--
		case skipOther:
			j--
		case skipItem:
			i--
		default:
			i = a.optional[move-skipRange].from
		}
	}
	return result
}

// layout lists the catches of code in the order in which compilers place their
// handlers, those in finally blocks once for each way out on which a compiler
// may put a copy.
type layout struct {
	m     *matcher
	items []*Catch
	// since holds for each item how many items stand before its try statement.
	since []int
	// optional are the ranges of items that are copies.
	optional []itemRange
}

// segment lays out a segment.
func (l *layout) segment(s segment) {
	for _, t := range l.m.roots[s.body] {
		if t.Keyword.Start >= s.from && t.Keyword.Start < s.to {
			l.try(t)
		}
	}
}

// try lays out a try statement: its block, the copy of finally at its normal
// end (javac), each clause with a copy behind it, the copy for all other
// exceptions, and the copy at the normal end (ECJ).
func (l *layout) try(t *Try) {
	start := len(l.items)
	l.part(t, InResources, 0)
	l.part(t, InBlock, 0)
	completes := !t.abrupt
	if completes {
		l.finally(t)
	}
	for i, c := range t.Catches {
		l.items, l.since = append(l.items, c), append(l.since, start)
		l.part(t, InCatch, i)
		if !c.abrupt {
			l.finally(t)
			completes = true
		}
	}
	l.finally(t)
	if completes {
		l.finally(t)
	}
}

// finally lays out a copy of the finally block, if it holds catches.
func (l *layout) finally(t *Try) {
	if l.m.copies[t] && len(l.items) < maxItems {
		from := len(l.items)
		l.part(t, InFinally, 0)
		l.optional = append(l.optional, itemRange{from, len(l.items)})
	}
}

// part lays out one part of a try statement: the try statements and jumps in
// it in source order.
func (l *layout) part(t *Try, part Part, clause int) {
	in := func(p Place) bool {
		return p.Try == t && p.Part == part && (part != InCatch || p.Catch == clause)
	}
	jumps := t.jumps
	leave := func(before int) {
		for len(jumps) > 0 && jumps[0].offset < before {
			if in(jumps[0].place) {
				l.exit(jumps[0].place)
			}
			jumps = jumps[1:]
		}
	}
	for _, child := range l.m.children[t] {
		if in(child.Place) {
			leave(child.Keyword.Start)
			l.try(child)
		}
	}
	leave(1 << 62)
}

// exit lays out the finally blocks that a jump may pass.
func (l *layout) exit(p Place) {
	lambda := p.Try.Lambda
	for ; p.Try != nil && p.Try.Lambda == lambda; p = p.Try.Place {
		if p.Part != InFinally {
			l.finally(p.Try)
		}
	}
}

// handlers matches the catches of the segments with the handlers of a method.
func (m *matcher) handlers(c *facts.Class, index int, segments []segment) {
	method := &c.Methods[index]
	var hs []int // handlers with a type, by pc
	for i := range method.Handlers() {
		if typed(&method.Handlers()[i]) {
			hs = append(hs, i)
		}
	}
	l := layout{m: m}
	for _, s := range segments {
		l.segment(s)
	}
	if len(hs) == 0 || len(l.items) == 0 {
		return
	}
	sort.Slice(hs, func(i, j int) bool { return method.Handlers()[hs[i]].PC < method.Handlers()[hs[j]].PC })
	a := alignment{method: method, hs: hs, layout: l}
	a.synthetic = make([]bool, len(hs))
	for j, h := range hs {
		a.synthetic[j] = compilerPattern(c, method, h) != Unexplained
	}
	a.countInside()
	a.lines = m.trusted(method, segments)
	result := a.run()
	if a.lines {
		a.leftovers(result)
		if a.unexplained(result) > 0 {
			// The text may have changed within the method since: do without.
			b := a
			b.lines = false
			if other := b.run(); b.unexplained(other) < a.unexplained(result) && b.paired(other) > a.paired(result) {
				result = other
			}
		}
	}
	for j, catch := range result {
		if catch != nil {
			ref := HandlerRef{c.Name, index, hs[j]}
			m.Catches[ref] = catch
			m.Handlers[catch] = append(m.Handlers[catch], ref)
		}
	}
}

// alignment is one method's matching.
type alignment struct {
	layout
	method    *facts.Method
	hs        []int  // indices of typed handlers by pc
	synthetic []bool // of each of hs: it looks like a compiler's own
	lines     bool   // line numbers count
	// inside holds for each of hs how many handlers that are not synthetic
	// stand between the start of its range and itself.
	inside []int
}

// countInside fills in inside.
func (a *alignment) countInside() {
	starts := make([]int32, len(a.method.Handlers()))
	for i := range starts {
		starts[i] = a.method.Handlers()[i].PC
	}
	for i := range a.method.Table() {
		e := &a.method.Table()[i]
		starts[e.Handler] = min(starts[e.Handler], e.Start)
	}
	a.inside = make([]int, len(a.hs))
	for j, h := range a.hs {
		for k := j - 1; k >= 0 && a.method.Handlers()[a.hs[k]].PC >= starts[h]; k-- {
			if !a.synthetic[k] {
				a.inside[j]++
			}
		}
	}
}

// run aligns. The result holds for each of hs its catch, or nil.
func (a *alignment) run() []*Catch {
	aligner := aligner{n: len(a.items), m: len(a.hs), score: a.score, leaveItem: leaveItem, optional: a.optional,
		leaveOther: func(j int) int {
			if a.synthetic[j] {
				return 0
			}
			return 5
		}}
	pairs := aligner.run()
	result := make([]*Catch, len(a.hs))
	for j, i := range pairs {
		if i >= 0 {
			result[j] = a.items[i]
		}
	}
	return result
}

// score tells how well item i fits handler j.
func (a *alignment) score(i, j int) int {
	c, h := a.items[i], &a.method.Handlers()[a.hs[j]]
	score := typesScore(c, h.Types)
	if score == impossible || c.dead() {
		return impossible
	}
	if a.lines && h.Line > 0 {
		if !a.onLine(c, h) {
			return impossible
		}
		score += lineScore
	}
	if h.Param != "" && c.Param != "" {
		if h.Param == c.Param {
			score += 5
		} else if c.Param != "_" {
			score -= 20
		}
	}
	if a.inside[j] > i-a.since[i] {
		score -= 8 // it protects code with more handlers than the clause's statement has inside
	}
	if a.synthetic[j] && score < lineScore {
		// Without a line to tell, it is the clause's only if no other handler
		// is: leaving the clause out costs more than this pair, leaving a copy
		// out does not.
		return -leaveItem + 1
	}
	return score
}

// onLine tells whether a handler's line is one that a compiler gives a catch:
// the line of the keyword (javac) or of the parameter (ECJ).
func (a *alignment) onLine(c *Catch, h *facts.Handler) bool {
	f := a.m.File
	n := int(h.Line)
	return n >= f.Line(c.Keyword.Start) && n <= f.Line(c.Body.Start)
}

// leftovers pairs handlers that the order left over with the only catch that
// their line and types allow.
func (a *alignment) leftovers(result []*Catch) {
	for j := range result {
		if result[j] != nil || a.synthetic[j] || a.method.Handlers()[a.hs[j]].Line == 0 {
			continue
		}
		var only *Catch
		for i, c := range a.items {
			if c != only && a.score(i, j) > 0 {
				if only != nil {
					only = nil
					break
				}
				only = c
			}
		}
		result[j] = only
	}
}

// unexplained counts the handlers that are neither paired nor synthetic.
func (a *alignment) unexplained(result []*Catch) int {
	n := 0
	for j, c := range result {
		if c == nil && !a.synthetic[j] {
			n++
		}
	}
	return n
}

// paired counts the different catches in a result.
func (a *alignment) paired(result []*Catch) int {
	seen := make(map[*Catch]bool)
	for _, c := range result {
		if c != nil {
			seen[c] = true
		}
	}
	return len(seen)
}

// typesScore tells how well a catch's types fit a handler's.
func typesScore(c *Catch, types []string) int {
	if len(c.Types) != len(types) {
		return impossible
	}
	score := 10
	for i, candidates := range c.Candidates {
		best := impossible
		for _, t := range types {
			rank := -1
			for n, s := range candidates {
				if s == t {
					rank = n
				}
			}
			switch {
			case rank == 0:
				best = max(best, 3)
			case rank > 0:
				best = max(best, 2)
			case classSimpleName(t) == simpleName(c.Types[i]) || strings.HasSuffix(t, "$"+simpleName(c.Types[i])):
				best = max(best, 0) // an inherited member type
			}
		}
		if best == impossible {
			return impossible
		}
		score += best
	}
	return score
}

// dead tells whether no compiler makes code for the clause: its try block is
// empty, and so are the resources.
func (c *Catch) dead() bool { return c.Try.empty }
