package clause

import (
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file answers what the analysis of one method asks about the rest of the
// program: which fields there are, who writes them, and what calls read.

// Program is what is known of all methods. It may be used by many goroutines.
type Program struct {
	graph *callgraph.Graph
	load  func(class string) ([]byte, error)
	names []string // the workspace's classes

	mu      sync.Mutex
	own     map[string]bool
	classes map[string]*classfile.Class // nil: cannot be read
	indexed bool
	// blind: a class of the workspace cannot be read, so that no list of writers is whole.
	blind   bool
	writers map[fieldKey][]fieldWriter
	reach   map[fieldKey][]bool // by field: the nodes from which a writer can be reached
	reads   map[callgraph.NodeID]*reading
	// behaviours are those of methods, as far as it was asked for them.
	behaviours map[callgraph.NodeID]behaviour
	makers     map[made][]bool    // the nodes from which code that makes one of these can be reached
	looks      map[Handler]*looks // by the first handler of a catch
	builder    ir.Builder
	steps      int // see analysis.steps
}

// fieldWriter is a method that writes a field.
type fieldWriter struct {
	node  callgraph.NodeID
	write Writer // without the method's name
}

// fieldKey names a field by the class that declares it, as far as that is known, else
// by the class that the code names.
type fieldKey struct{ class, name string }

// String is the field as people write it, the class without packages.
func (k fieldKey) String() string { return shortClass(k.class) + "." + k.name }

// NewProgram makes the Program of a call graph. own lists the workspace's classes by
// internal name, load reads class files, of libraries too as far as there are any.
func NewProgram(g *callgraph.Graph, own []string, load func(class string) ([]byte, error)) *Program {
	p := &Program{
		graph:      g,
		load:       load,
		names:      own,
		own:        make(map[string]bool, len(own)),
		classes:    map[string]*classfile.Class{},
		reach:      map[fieldKey][]bool{},
		reads:      map[callgraph.NodeID]*reading{},
		behaviours: map[callgraph.NodeID]behaviour{},
		makers:     map[made][]bool{},
		looks:      map[Handler]*looks{},
	}
	for _, c := range own {
		p.own[c] = true
	}
	return p
}

// class is a class of the workspace, nil for others and where it cannot be read.
func (p *Program) class(name string) *classfile.Class {
	if !p.own[name] {
		return nil
	}
	c, ok := p.classes[name]
	if !ok {
		if data, err := p.load(name); err == nil {
			if c, err = classfile.Parse(data); err != nil {
				c = nil
			}
		}
		p.classes[name] = c
	}
	return c
}

// field resolves a field of the workspace. member is nil where no class of the
// workspace declares it.
func (p *Program) field(ref classfile.MemberRef) (key fieldKey, member *classfile.Member) {
	for name, steps := ref.Owner, 0; name != "" && steps < maxSuperclasses; steps++ {
		c := p.class(name)
		if c == nil {
			break
		}
		if m := c.FindField(ref.Name, ref.Desc); m != nil {
			return fieldKey{name, ref.Name}, m
		}
		for _, i := range c.InterfaceNames() {
			if ic := p.class(i); ic != nil {
				if m := ic.FindField(ref.Name, ref.Desc); m != nil {
					return fieldKey{i, ref.Name}, m
				}
			}
		}
		name = c.SuperName()
	}
	return fieldKey{ref.Owner, ref.Name}, nil
}

// maxSuperclasses bounds a walk up the superclasses: a malformed class may be its own.
const maxSuperclasses = 256

// node is the node of a method, NoNode where the call graph does not reach it.
func (p *Program) node(class string, method int) callgraph.NodeID {
	if p.graph == nil {
		return callgraph.NoNode
	}
	return p.graph.Find(class, method)
}

// is tells whether a class is another one or below it; both by internal name. What is
// not loaded is neither.
func (p *Program) is(class, above string) bool {
	if p.graph == nil {
		return class == above
	}
	h := p.graph.H
	a, b := h.Lookup(class), h.Lookup(above)
	return a != hierarchy.NoType && b != hierarchy.NoType && h.IsSubtype(a, b)
}

// throwable tells whether a class is one of exceptions.
func (p *Program) throwable(class string) bool { return p.is(class, "java/lang/Throwable") }

// build lowers a method; nil where that is not possible. The result is valid until
// the next call.
func (p *Program) build(c *classfile.Class, m *classfile.Member) *ir.Method {
	out, err := p.builder.Build(c, m)
	if err != nil {
		return nil
	}
	return out
}

// index lists the methods of the workspace that write each field, but for
// constructors, which write fields of the object that they make. Where a constructor writes a
// field of another object it counts.
func (p *Program) index() {
	if p.indexed {
		return
	}
	p.indexed, p.writers = true, map[fieldKey][]fieldWriter{}
	for _, name := range p.names {
		c := p.class(name)
		if c == nil {
			p.blind = true
			continue
		}
		for i, m := range c.Methods {
			n := p.node(name, i)
			if n == callgraph.NoNode || !putsFields(c, m) {
				continue
			}
			code := p.build(c, m)
			if code == nil {
				continue
			}
			p.indexMethod(n, code)
		}
	}
}

// indexMethod adds the fields that a method writes.
func (p *Program) indexMethod(n callgraph.NodeID, code *ir.Method) {
	branches := slices.ContainsFunc(code.Instrs, func(in ir.Instr) bool {
		return in.Op == ir.OpIf || in.Op == ir.OpSwitch
	})
	for v := range code.Instrs {
		key, ok := p.written(code, ir.Value(v))
		if !ok {
			continue
		}
		all := p.writers[key]
		if len(all) == 0 || all[len(all)-1].node != n {
			all = append(all, fieldWriter{n, Writer{Branches: branches}})
			p.writers[key] = all
		}
		w := &all[len(all)-1].write
		w.Stores = append(w.Stores, int32(code.Instrs[v].PC))
	}
}

// putsFields tells whether the code of a method has an instruction that writes a field.
func putsFields(c *classfile.Class, m *classfile.Member) bool {
	code, err := c.Code(m)
	if err != nil || code == nil {
		return false
	}
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			return false
		}
		if in.Op == classfile.OpPutfield || in.Op == classfile.OpPutstatic {
			return true
		}
	}
	return false
}

// written is the field that an instruction writes; ok is false where it writes none, or
// one of an object that the method has just made.
func (p *Program) written(m *ir.Method, v ir.Value) (key fieldKey, ok bool) {
	in := &m.Instrs[v]
	if in.Op != ir.OpPutField && in.Op != ir.OpPutStatic {
		return key, false
	}
	if in.Op == ir.OpPutField && madeHere(m, m.Args(v)[0], v) {
		return key, false
	}
	ref, err := m.Member(v)
	if err != nil {
		return key, false
	}
	key, _ = p.field(ref)
	return key, true
}

// madeHere tells whether an object was made by the method itself, or, in a
// constructor, is the one that it makes.
func madeHere(m *ir.Method, v, at ir.Value) bool {
	for _, o := range m.Origins(v, at, nil, nil) {
		in := &m.Instrs[o.Value]
		switch {
		case in.Op == ir.OpNew || in.Op == ir.OpNewArray:
		case in.Op == ir.OpParam && in.Aux == 0 && !m.IsStatic() && m.Name == "<init>":
		default:
			return false
		}
	}
	return true
}

// reaching are the nodes from which a writer of a field can be reached, by number.
func (p *Program) reaching(key fieldKey) []bool {
	p.index()
	if r, ok := p.reach[key]; ok {
		return r
	}
	var nodes []callgraph.NodeID
	for _, w := range p.writers[key] {
		nodes = append(nodes, w.node)
	}
	marked := p.leadingTo(nodes)
	p.reach[key] = marked
	return marked
}

// leadingTo are the nodes from which one of the given ones can be reached, by number.
func (p *Program) leadingTo(nodes []callgraph.NodeID) []bool {
	g := p.graph
	marked := make([]bool, g.NumNodes())
	work := slices.Clone(nodes)
	for _, n := range work {
		marked[n] = true
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, set := range g.SetsWith(n) {
			for _, site := range g.SitesOfSet(set) {
				if from := g.NodeOfSite(site); !marked[from] {
					marked[from] = true
					work = append(work, from)
				}
			}
		}
	}
	return marked
}

// sites calls f for each site of a node with the pc of its instruction.
func (p *Program) sites(n callgraph.NodeID, f func(pc int32, targets []callgraph.NodeID)) {
	for _, s := range p.graph.SitesOf(n) {
		if pc := p.graph.Position(n, s).PC; pc >= 0 {
			f(pc, p.graph.Targets(s.Set))
		}
	}
}

// facts of the method of a class, nil where there are none.
func (p *Program) facts(class string, method int) *facts.Method {
	if p.graph == nil {
		return nil
	}
	t := p.graph.H.Lookup(class)
	if t == hierarchy.NoType {
		return nil
	}
	c := p.graph.H.Facts(t)
	if c == nil || method < 0 || method >= len(c.Methods) {
		return nil
	}
	return &c.Methods[method]
}
