// Package layered is a graph of calls with what groups of exceptions do at its edges. A group is a
// bit of a mask. Exceptions travel in one of two layers, of which the rule of checked exceptions
// tells; a state is a vertex and the layer in which exceptions leave its method, and has the number
// vertex*NumLayers + layer.
package layered

// Layer says whether a compiler has checked where an exception travels.
type Layer int32

const (
	Typed Layer = iota
	Sneaky
	NumLayers
)

// Graph has its edges both ways: those out of vertex v are numbered Start[v] to Start[v+1].
type Graph struct {
	Start []int32
	Sites []int32 // by edge: the site of the call; those of one site stand together, mostly
	To    []int32 // by edge: the vertex that it leads to
	words int     // of a mask

	inStart []int32 // the edges into vertex v are in[inStart[v]:inStart[v+1]]
	in      []Edge
	number  []int32  // by site: the place of its masks, -1
	masks   []uint64 // by place: three masks, see passing
}

// Edge is an edge as its end sees it: the vertex that it comes from, and the number of its site's
// masks.
type Edge struct{ From, Number int32 }

// New makes a graph of start, sites and to, which it keeps. sites of calls have numbers below
// numSites. passing appends the three masks of a site, of so many words each, of the vertex that
// its edges start at: the groups that come out of the call and leave the vertex's method from the
// sneaky layer to the sneaky one, from the typed to the typed, and from the typed to the sneaky.
func New(start, sites, to []int32, numSites, words int,
	passing func(v, site int32, out []uint64) []uint64) *Graph {
	g := &Graph{Start: start, Sites: sites, To: to, words: words, number: make([]int32, numSites)}
	for i := range g.number {
		g.number[i] = -1
	}
	g.inStart = make([]int32, len(start))
	for _, v := range to {
		g.inStart[v+1]++
	}
	for v := range len(start) - 1 {
		g.inStart[v+1] += g.inStart[v]
	}
	fill := append([]int32(nil), g.inStart...)
	g.in = make([]Edge, len(to))
	count := int32(0)
	for v := range int32(len(start) - 1) {
		for e := start[v]; e < start[v+1]; e++ {
			s := sites[e]
			if g.number[s] < 0 {
				g.number[s] = count
				g.masks = passing(v, s, g.masks)
				count++
			}
			g.in[fill[to[e]]] = Edge{v, g.number[s]}
			fill[to[e]]++
		}
	}
	return g
}

// Into are the edges into a vertex.
func (g *Graph) Into(v int32) []Edge { return g.in[g.inStart[v]:g.inStart[v+1]] }

// ClimbsTo tells from which layers below exceptions of a group come through a site and leave its
// method in a layer.
func (g *Graph) ClimbsTo(site, group int32, up Layer) (fromSneaky, fromTyped bool) {
	at := int(g.number[site])*3*g.words + int(group>>6)
	bit := uint64(1) << (group & 63)
	sneaks, types, turns := g.masks[at]&bit != 0, g.masks[at+g.words]&bit != 0, g.masks[at+2*g.words]&bit != 0
	if up == Typed {
		return false, types
	}
	return sneaks, !types && turns
}

// ClimbsFrom tells in which layer exceptions of a group that come in a layer along an edge leave
// the method that it starts at; ok is false where they do not. number is that of the edge.
func (g *Graph) ClimbsFrom(number, group int32, l Layer) (up Layer, ok bool) {
	at, bit := int(number)*3*g.words+int(group>>6), uint64(1)<<(group&63)
	switch {
	case l == Sneaky:
		return Sneaky, g.masks[at]&bit != 0
	case g.masks[at+g.words]&bit != 0:
		return Typed, true
	}
	return Sneaky, g.masks[at+2*g.words]&bit != 0
}

// passing are the three masks of a number.
func (g *Graph) passing(number int32) (sneaks, types, turns []uint64) {
	at := g.masks[int(number)*3*g.words:]
	return at[:g.words], at[g.words : 2*g.words], at[2*g.words : 3*g.words]
}
