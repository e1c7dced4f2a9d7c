package features

import "math/bits"

// This file solves the flow of class objects (tokens.go): a graph of what variables may be and of
// what may be in the objects that they refer to. Its parts:
//
//   - Two variables that refer to one object have its content in common, so that what is in
//     a collection is known wherever it is (Steensgaard 1996); what variables may be goes from
//     one to the other (Andersen 1994).
//   - Lambda objects go first, as there are few: they say which code more calls run.
//   - From the uses of class objects the graph is then searched backwards, and class objects and
//     names go only where they may come to a use.

// node is a vertex of the graph: a variable's value (even) or content (odd); 0 for none.
type node = int32

// The kinds of tokens, as sets: what may pass an edge.
const (
	asClass  uint8 = 1 << iota // class objects
	asName                     // names of classes
	asLambda                   // lambda objects that take or give some
	holdsAny                   // no token: something is in objects of the type
	toClass                    // of an edge: names become the class objects that they stand for
	toName                     // of an edge: class objects become names
	anyToken = asClass | asName | asLambda
)

// tokenEdge is an edge: what the first node has the second one has, as far as it may pass.
type tokenEdge struct {
	from, to node
	pass     uint8
	// where it is more than 0: only classes that are the one at the place before this one of above,
	// or below it; less: those become what they declare, as the question at the place before says
	above int32
}

// tokenSet is a set of numbers.
type tokenSet []uint64

func (s *tokenSet) add(n int) bool {
	if n/64 >= len(*s) {
		*s = append(*s, make(tokenSet, n/64+1-len(*s))...)
	}
	old := (*s)[n/64]
	(*s)[n/64] |= 1 << (n % 64)
	return old != (*s)[n/64]
}

func (s tokenSet) each(f func(n int)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(64*i + bits.TrailingZeros64(w))
		}
	}
}

// tokenGraph is the graph.
type tokenGraph struct {
	parent []int32 // by variable: of the variables with which it has its content in common
	edges  []tokenEdge
	above  []string
	asked  []declaredQuestion
	// by class: of which classes it declares members, as far as that was asked for, see classesOf
	members map[declaredKind]map[string][]string
	frozen  bool
	out     [][]int32 // by node, once frozen: the edges that leave it
}

// variables makes variables, and returns the first.
func (g *tokenGraph) variables(n int) int32 {
	first := int32(len(g.parent))
	for i := range int32(n) {
		g.parent = append(g.parent, first+i)
	}
	return first
}

func (g *tokenGraph) find(v int32) int32 {
	for g.parent[v] != v {
		g.parent[v] = g.parent[g.parent[v]]
		v = g.parent[v]
	}
	return v
}

// content is the node of what is in the objects that a variable refers to, which is given by its
// value; once frozen it stands for all that have it in common.
func (g *tokenGraph) content(value node) node {
	if value == 0 {
		return 0
	}
	return 2*g.find(value/2) + 1
}

// edge adds an edge.
func (g *tokenGraph) edge(from, to node, pass uint8) {
	g.narrowed(from, to, pass, 0)
}

// classesBelow is the number of edges that let pass the classes that are one or below it.
func (g *tokenGraph) classesBelow(class string) int32 {
	if class == "" {
		return 0
	}
	g.above = append(g.above, class)
	return int32(len(g.above))
}

// narrowed adds an edge that lets only some classes pass.
func (g *tokenGraph) narrowed(from, to node, pass uint8, above int32) {
	if from != to && pass&anyToken != 0 {
		g.add(tokenEdge{from: from, to: to, pass: pass, above: above})
	}
}

// add adds an edge, if both ends are nodes.
func (g *tokenGraph) add(e tokenEdge) {
	if e.from == 0 || e.to == 0 {
		return
	}
	if g.frozen {
		e.from, e.to = g.standing(e.from), g.standing(e.to)
		g.out[e.from] = append(g.out[e.from], int32(len(g.edges)))
	}
	g.edges = append(g.edges, e)
}

// alias lets the second variable be what the first one is; both refer to one object then.
func (g *tokenGraph) alias(from, to node, pass uint8) {
	if from == 0 || to == 0 || from == to {
		return
	}
	g.edge(from, to, pass)
	if pass&holdsAny == 0 {
		return
	}
	if !g.frozen {
		g.union(from, to)
		return
	}
	g.edge(g.content(from), g.content(to), anyToken)
	g.edge(g.content(to), g.content(from), anyToken)
}

// union lets two variables have their content in common.
func (g *tokenGraph) union(a, b node) {
	if a != 0 && b != 0 {
		if x, y := g.find(a/2), g.find(b/2); x < y {
			g.parent[y] = x
		} else {
			g.parent[x] = y
		}
	}
}

// freeze ends the joining of contents, and orders the edges by where they start.
func (g *tokenGraph) freeze() {
	g.frozen = true
	degree := make([]int32, 2*len(g.parent))
	for i := range g.edges {
		e := &g.edges[i]
		e.from, e.to = g.standing(e.from), g.standing(e.to)
		degree[e.from]++
	}
	all := make([]int32, 0, len(g.edges))
	g.out = make([][]int32, len(degree))
	for n, d := range degree {
		g.out[n] = all[len(all) : len(all) : len(all)+int(d)]
		all = all[:len(all)+int(d)]
	}
	for i := range g.edges {
		from := g.edges[i].from
		g.out[from] = append(g.out[from], int32(i))
	}
}

// standing is the node that stands for one.
func (g *tokenGraph) standing(n node) node {
	if n%2 == 0 {
		return n
	}
	return 2*g.find(n/2) + 1
}

// before lists the nodes from which one of some can be reached by class objects or names, but for
// cycles each behind those that lead to it.
func (g *tokenGraph) before(ends []node) (list []node) {
	first := make([]int32, len(g.out)+1)
	for i := range g.edges {
		first[g.edges[i].to+1]++
	}
	for i := range g.out {
		first[i+1] += first[i]
	}
	in, next := make([]node, len(g.edges)), append([]int32(nil), first...)
	for i := range g.edges {
		if e := &g.edges[i]; e.pass&(asClass|asName) != 0 {
			in[next[e.to]] = e.from
			next[e.to]++
		}
	}
	end := append([]int32(nil), next...)
	copy(next, first)
	seen := make([]bool, len(g.out))
	var stack []node
	push := func(n node) {
		if !seen[n] {
			seen[n] = true
			stack = append(stack, n)
		}
	}
	for _, n := range ends {
		push(n)
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			if next[n] == end[n] {
				list = append(list, n)
				stack = stack[:len(stack)-1]
				continue
			}
			next[n]++
			push(in[next[n]-1])
		}
	}
	return list
}

// tokenSolve is one flow of tokens through the graph.
type tokenSolve struct {
	g     *tokenGraph
	nodes []node // those that tokens go to, in the order in which they are looked at
	// by node: its place among them, plus one; 0: tokens do not go there
	place   []int32
	through func(e *tokenEdge, s tokenSet) tokenSet // what of some tokens an edge lets pass
	gets    func(n node, s tokenSet)                // is told what a node has got; nil: nobody is
	tokens  []nodeTokens                            // by place
	pending tokenSet                                // places with tokens that have not gone on yet
}

// newTokenSolve prepares a flow to some nodes.
func newTokenSolve(g *tokenGraph, nodes []node) *tokenSolve {
	s := &tokenSolve{g: g, nodes: nodes, place: make([]int32, len(g.out)), tokens: make([]nodeTokens, len(nodes))}
	for i, n := range nodes {
		s.place[n] = int32(i) + 1
	}
	return s
}

// nodeTokens is what a node has, and what of it has not gone on yet.
type nodeTokens struct{ has, more tokenSet }

// addTokens gives a node tokens.
func (s *tokenSolve) addTokens(n node, tokens tokenSet) {
	at := int(s.place[n]) - 1
	if at < 0 {
		return
	}
	t := &s.tokens[at]
	if len(t.has) < len(tokens) {
		t.has = append(t.has, make(tokenSet, len(tokens)-len(t.has))...)
	}
	for i, w := range tokens {
		if w &^= t.has[i]; w == 0 {
			continue
		}
		t.has[i] |= w
		if len(t.more) < len(t.has) {
			t.more = append(t.more, make(tokenSet, len(t.has)-len(t.more))...)
		}
		t.more[i] |= w
		s.pending.add(at)
	}
}

// run lets all go on until nothing is new.
func (s *tokenSolve) run() {
	for again := true; again; {
		again = false
		for i := 0; i < len(s.pending); i++ {
			for s.pending[i] != 0 {
				k := bits.TrailingZeros64(s.pending[i])
				s.pending[i] &^= 1 << k
				s.pass(64*i + k)
				again = true
			}
		}
	}
}

// pass lets go on what the node at a place has got.
func (s *tokenSolve) pass(at int) {
	n, more := s.nodes[at], s.tokens[at].more
	s.tokens[at].more = nil
	if s.gets != nil {
		s.gets(n, more)
	}
	for _, i := range s.g.out[n] { // those that were added just now, too
		e := &s.g.edges[i]
		if s.place[e.to] != 0 {
			s.addTokens(e.to, s.through(e, more))
		}
	}
}

// at is what a node has.
func (s *tokenSolve) at(n node) tokenSet {
	if p := s.place[n]; p != 0 {
		return s.tokens[p-1].has
	}
	return nil
}
