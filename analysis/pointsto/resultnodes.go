package pointsto

// This file joins the contexts that receiver objects are into one node of the result. What telling
// them apart has found out is in the fields of objects, and stays there; analyses of data follow
// objects through a method once more, and need no node for each of some hundred receivers of a
// call. What is left are the nodes that Constructors has, with the same calls, and those of
// constructors that others hand on to what they were given.

import "github.com/catchlens/catchlens/analysis/hierarchy"

// joint says which instances are one node.
type joint struct {
	nodeOf  []Node  // by instance
	first   []int32 // by node: the instance whose sites and variables stand for all
	members [][]int32
	method  []Node // by MethodID: the node of its instances without call site + 1
	base    []int32
	ret     []int32
	// by object: the only instance that allocates it, of a node with several and with a receiver, +
	// 1; else 0 or -1
	madeIn []int32
}

// nodeKey is what instances of one node have in common: the method and, of a
// constructor that is analysed by call site, the context, or the site and its node.
type nodeKey struct {
	method hierarchy.MethodID
	node   Node
	site   int32
	ctx    int32
}

// join finds the nodes, and gives those of several instances variables that point
// to what those of the instances do.
func (s *solver) join() *joint {
	j := &joint{nodeOf: make([]Node, len(s.insts)), method: make([]Node, len(s.methods))}
	byKey, own := map[nodeKey]Node{}, make([]int32, len(s.insts))
	for i := range s.insts {
		in := &s.insts[i]
		own[i] = int32(i)
		n := Node(len(j.first))
		if in.method != hierarchy.NoMethod && s.policy == Containers {
			k := s.keyOf(j, int32(i))
			if old, ok := byKey[k]; ok {
				n = old
			} else {
				byKey[k] = n
			}
		}
		if int(n) == len(j.first) {
			j.first, j.members = append(j.first, int32(i)), append(j.members, own[i:i+1:i+1])
		} else {
			j.members[n] = append(j.members[n], int32(i))
		}
		j.nodeOf[i] = n
		if in.nsites > s.insts[j.first[n]].nsites {
			j.first[n] = int32(i)
		}
		if in.method != hierarchy.NoMethod && (in.ctx == 0 || s.contexts.object[in.ctx] != 0 && !s.inlined(in.method)) {
			j.method[in.method] = n + 1
		}
	}
	s.joinVars(j)
	s.joinMade(j)
	return j
}

// joinMade notes which instance allocates an object, where the node has several.
func (s *solver) joinMade(j *joint) {
	j.madeIn = make([]int32, 64*s.NumBlocks())
	for k := range s.insts {
		in := &s.insts[k]
		one := int32(-1)
		if in.method != hierarchy.NoMethod && len(j.members[j.nodeOf[k]]) > 1 &&
			s.H.Method(in.method).Access&hierarchy.AccStatic == 0 {
			one = int32(k) + 1
		}
		for _, o := range s.allocs[in.allocs:in.allocsEnd] {
			if j.madeIn[o] != 0 && j.madeIn[o] != one {
				j.madeIn[o] = -1
			} else {
				j.madeIn[o] = one
			}
		}
	}
	for _, made := range s.created2 {
		for _, o := range made {
			j.madeIn[o] = -1
		}
	}
}

// keyOf tells which node an instance is of, those before it being known.
func (s *solver) keyOf(j *joint, i int32) nodeKey {
	in, c := &s.insts[i], &s.contexts
	ctx := in.ctx
	if c.object[ctx] != 0 {
		if !s.inlined(in.method) {
			return nodeKey{method: in.method}
		}
		ctx = c.callOf[ctx]
	}
	if site := c.chain[ctx].site; site != 0 {
		at := &s.isites[site-1]
		return nodeKey{in.method, j.nodeOf[at.inst], at.k, 0}
	}
	return nodeKey{method: in.method, ctx: ctx}
}

// joinVars makes the variables of the nodes.
func (s *solver) joinVars(j *joint) {
	j.base, j.ret = make([]int32, len(j.first)), make([]int32, len(j.first))
	var from []int32
	for n, list := range j.members {
		in := &s.insts[j.first[n]]
		j.base[n], j.ret[n] = in.base, in.ret
		if len(list) == 1 {
			continue
		}
		count := s.varsOf(in.method)
		base := s.NewVars(count + 1)
		j.base[n] = base
		if in.ret != 0 {
			j.ret[n] = base + int32(count)
		}
		for k := range int32(count + 1) {
			from = from[:0]
			for _, i := range list {
				from = append(from, s.insts[i].base+k)
			}
			s.Gather(base+k, from)
		}
	}
}

// shifted is the variable of a node that stands for one of its first instance;
// others stay what they are.
func (s *solver) shifted(j *joint, n Node, v int32) Var {
	in := &s.insts[j.first[n]]
	if in.method == hierarchy.NoMethod || j.base[n] == in.base || v < in.base ||
		v > in.base+int32(s.varsOf(in.method)) {
		return Var(v)
	}
	return Var(v - in.base + j.base[n])
}
