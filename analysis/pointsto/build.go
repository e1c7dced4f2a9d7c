package pointsto

// This file builds a result: entries, solving, and what is kept.

import (
	"slices"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/analysis/pointsto/model"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
	"github.com/catchlens/catchlens/internal/defect"
)

// algorithms are the names of the policies' call graphs.
var algorithms = [...]string{Insensitive: "pta", Constructors: "inpta", Containers: "obj"}

// Build analyses the program from the entries. It loads classes into h, whose source is asked from
// two goroutines. The result is nil if cfg.Cancelled said so.
func Build(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy) *Result {
	return BuildFrom(h, cfg, p, nil)
}

// BuildFrom is Build that begins with what is kept of the JDK and libraries, if that is not nil.
// The result is the same. The source of h is asked from two goroutines.
func BuildFrom(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, b *Boot) *Result {
	started := time.Now()
	s := solved(h, cfg, p, b)
	if s.GaveUp() {
		return nil
	}
	r := s.freeze()
	r.Stats.Seconds = time.Since(started).Seconds()
	return r
}

// GraphFrom is the Graph of what BuildFrom returns, without the rest of it, which takes longer than
// the graph; nil as there.
func GraphFrom(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, b *Boot) *callgraph.Graph {
	s := solved(h, cfg, p, b)
	if s.GaveUp() {
		return nil
	}
	s.forget()
	return s.graph(s.values(), s.calleesOfNodes())
}

func newSolver(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy) *solver {
	s := &solver{policy: p}
	s.Model = model.New(h, cfg, s)
	s.created2, s.seenE = map[int32][]Object{}, map[callgraph.NodeID]bool{}
	s.contexts.ctxDepth, s.contexts.chain = make([]uint8, 1024), make([]chained, 1024)
	s.contexts.object, s.contexts.callOf = make([]Object, 1024), make([]int32, 1024)
	s.workspaceOf(cfg.Workspace)
	return s
}

// seed reaches the entries, what the VM starts by itself, and what was observed.
func (s *solver) seed() {
	s.seedVM()
	s.seedProgram()
}

// seedVM reaches what the VM starts by itself.
func (s *solver) seedVM() {
	for _, c := range natives.Creates {
		s.Single(c)
		for _, x := range s.Initializers(s.H.Load(c, "")) {
			s.entry(x)
		}
	}
	for _, e := range natives.Entries {
		if t := s.H.Load(e.Class, ""); !s.H.Phantom(t) {
			s.enter(t, e.Name, "")
		}
	}
}

// seedProgram reaches the entries, and what was observed.
func (s *solver) seedProgram() {
	s.Names.Program(s.Config.Workspace, s.Config.Named)
	for _, e := range s.Config.Entries {
		t := s.H.Load(e.Class, "")
		if !s.enter(t, e.Name, e.Desc) {
			s.problems = append(s.problems,
				callgraph.Problem{Class: e.Class,
					Message: "entry point " + e.Class + "." + e.Name + e.Desc + " does not exist"})
		}
	}
	s.observe()
}

// enter reaches the methods of t with that name, and of that descriptor if it
// is not empty, as entries. Whoever calls them has one object of the class, and
// passes anything that the program has.
func (s *solver) enter(t hierarchy.TypeID, name, desc string) bool {
	class := s.H.Facts(t)
	if class == nil {
		return false
	}
	found := false
	for i := range class.Methods {
		m := &class.Methods[i]
		if m.Name != name || desc != "" && m.Desc != desc {
			continue
		}
		found = true
		id := s.H.MethodAt(t, i)
		k := s.inst(id, 0)
		s.entry(k)
		v := s.insts[k].base
		if m.Access&hierarchy.AccStatic == 0 {
			s.Flow(s.Single(class.Name), v, noFilter)
			if m.Name != "<init>" {
				// An object of a subclass, where it is inherited.
				s.Flow(s.AnyOf(s.FilterClass(t)), v, noFilter)
			}
			v++
		}
		for _, f := range s.ParamFilters(m.Desc) {
			switch {
			case class.Name == "java/lang/ref/Finalizer" && name == "register":
				f = s.FilterFinalizers()
			case class.Name == "java/lang/Thread" && s.ClassOfFilter(f) == s.H.Lookup("java/lang/Runnable") &&
				f != noFilter:
				v++ // the main thread has none
				continue
			}
			s.Flow(s.Given(f), v, noFilter)
			v++
		}
	}
	if found {
		for _, x := range s.Initializers(t) {
			s.entry(x)
		}
	}
	return found
}

func (s *solver) entry(inst int32) {
	n := s.insts[inst].node
	if !s.seenE[n] {
		s.seenE[n] = true
		s.entries = append(s.entries, n)
	}
}

// freeze makes the result.
func (s *solver) freeze() *Result {
	j := s.join()
	s.forget()
	r := &Result{Policy: s.policy, joint: j}
	values := s.values() // before newSolution forgets the large sets that it does not need
	r.nodes = make([]nodeInfo, len(j.first))
	r.byGraph = make([][]Node, len(s.nodes))
	first := int32(0)
	for n, i := range j.first {
		in := &s.insts[i]
		r.nodes[n] = nodeInfo{graph: in.node, site: first, nsites: in.nsites}
		first += in.nsites
		r.byGraph[in.node] = append(r.byGraph[in.node], Node(n))
	}
	var data defect.Group
	pairs := int64(0)
	data.Go(func() {
		r.solved = newSolution(s)
		s.freezeData(r)
		pairs = r.solved.sets.Pairs()
	})
	s.freezeSites(r, int(first))
	r.Graph = s.graph(values, r.calleesOfNodes())
	data.Wait()
	r.Stats = s.stats(r, pairs)
	s.leads = leads{}
	s.isites, s.gsites, s.edgesOf, s.ipool, s.linked, s.inCtx = nil, nil, nil, nil, flat.Table{}, flat.Table{}
	s.allocs, s.globals, s.loads = nil, nil, nil
	return r
}

// forget gives up what only solving needs.
func (s *solver) forget() {
	s.Model.Forget()
}

// freezeSites puts the sites of instances into the order of instances.
func (s *solver) freezeSites(r *Result, n int) {
	r.sites = make([]siteInfo, n)
	place := make([]int32, len(s.isites))
	for i := range s.isites {
		is := &s.isites[i]
		n := r.joint.nodeOf[is.inst]
		k := r.nodes[n].site + is.k
		place[i] = k
		x := &r.sites[k]
		x.unknown = x.unknown || is.unknown
		if is.inst == r.joint.first[n] {
			x.recv = s.shifted(r.joint, n, is.recv)
			for _, a := range s.ipool[is.args : is.args+int32(is.nargs)] {
				if a != 0 {
					x.args = append(x.args, s.shifted(r.joint, n, a))
				}
			}
		}
		if is.pool >= 0 {
			for _, m := range s.Pool(is.pool).Members {
				x.callees = append(x.callees, r.joint.nodeOf[m])
			}
		}
	}
	count := make([]int32, n+1)
	for _, e := range s.edgesOf {
		count[place[e.site]+1]++
	}
	for i := 1; i <= n; i++ {
		count[i] += count[i-1]
	}
	all := make([]Node, len(s.edgesOf))
	next := slices.Clone(count)
	for _, e := range s.edgesOf {
		k := place[e.site]
		all[next[k]] = r.joint.nodeOf[e.inst]
		next[k]++
	}
	for k := range r.sites {
		x := &r.sites[k]
		list := all[count[k]:count[k+1]:count[k+1]]
		if len(x.callees) > 0 {
			list = append(x.callees, list...)
		}
		slices.Sort(list)
		x.callees = slices.Compact(list)
	}
	s.freezeGroups(r, place)
	for i := range s.calls {
		c := &s.calls[i]
		if inst := s.isites[c.site].inst; inst == r.joint.first[r.joint.nodeOf[inst]] {
			r.sites[place[c.site]].call = int32(i) + 1
		}
	}
}

// freezeGroups adds the callees of groups to the sites of their calls.
func (s *solver) freezeGroups(r *Result, place []int32) {
	nodes := make([][]Node, s.NumGroups())
	for i := range s.calls {
		k := s.calls[i].group
		if k == 0 {
			continue
		}
		if nodes[k] == nil {
			s.calleesOf(k, func(inst int32) { nodes[k] = append(nodes[k], r.joint.nodeOf[inst]) })
			slices.Sort(nodes[k])
			nodes[k] = slices.Clip(slices.Compact(nodes[k]))
		}
		x := &r.sites[place[s.calls[i].site]]
		if len(x.callees) == 0 {
			x.callees = nodes[k] // shared: callees are read only
			continue
		}
		x.callees = slices.Concat(x.callees, nodes[k])
		slices.Sort(x.callees)
		x.callees = slices.Compact(x.callees)
	}
}

// freezeData says what instances make and load.
func (s *solver) freezeData(r *Result) {
	offset := map[int32]bool{}
	for _, i := range s.OffsetLoads() {
		offset[i] = true
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		var objects []Object
		for _, k := range r.joint.members[i] {
			in := &s.insts[k]
			n.opaque = n.opaque || in.opaque
			objects = append(append(objects, s.allocs[in.allocs:in.allocsEnd]...), s.created2[k]...)
			for _, g := range s.globals[in.globals:in.globalsEnd] {
				if k == r.joint.first[i] {
					g = int32(s.shifted(r.joint, Node(i), g))
				}
				n.globals = append(n.globals, Var(g))
			}
			n.loads = append(n.loads, s.loads[in.loads:in.loadsEnd]...)
			if offset[k] {
				n.loads = append(n.loads, s.Offsets()...)
			}
		}
		n.created = solve.SetOf(objects)
		slices.Sort(n.globals)
		n.globals = slices.Compact(n.globals)
		slices.Sort(n.loads)
		n.loads = slices.Compact(n.loads)
	}
	s.EachLambda(func(l *model.Lambda) {
		n := &r.nodes[r.joint.nodeOf[l.Inst]]
		for k := range l.Captured {
			if l.Captured[k] != 0 && !slices.Contains(n.loads, s.Captured(k)) {
				n.loads = append(n.loads, s.Captured(k))
			}
		}
		slices.Sort(n.loads)
	})
}

// stats counts.
func (s *solver) stats(r *Result, pairs int64) Stats {
	t := Stats{Nodes: len(r.nodes), Instances: len(s.insts), Vars: s.NumVars(), Objects: s.NumObjects(),
		Fields: s.NumFields(), PointsTo: pairs}
	for i := range r.sites {
		t.CallEdges += len(r.sites[i].callees)
	}
	return t
}
