package pointsto

// This file keeps a finished analysis.

import (
	"catchlens/analysis/callgraph"
	"catchlens/analysis/hierarchy"
)

// nodeInfo is what is kept for a node.
type nodeInfo struct {
	graph   callgraph.NodeID
	site    int32 // its first site in Result.sites
	opaque  bool
	created Set
	globals []Var
	loads   []Field
}

// siteInfo is what is kept for a site of a node.
type siteInfo struct {
	recv    Var
	unknown bool
	args    []Var
	callees []Node
}

// solution is the points-to graph.
type solution struct {
	always Set
}

func (r *Result) site(n Node, k int) *siteInfo { return &r.sites[int(r.nodes[n].site)+k] }

func (r *Result) callees(n Node, k int) []Callee {
	var out []Callee
	for _, c := range r.site(n, k).callees {
		out = append(out, Callee{Node: c})
	}
	return out
}

func (s *solution) numVars() int                                   { return 1 }
func (s *solution) numBlocks() int                                 { return 0 }
func (s *solution) pointsTo(v Var) Set                             { return Set{} }
func (s *solution) fieldOf(o Object, f Field) Var                  { return NoVar }
func (s *solution) eachField(o Object, yield func(f Field, v Var)) {}
func (s *solution) fieldName(f Field) string                       { return "[]" }
func (s *solution) typeOf(b Block) hierarchy.TypeID                { return hierarchy.NoType }
func (s *solution) typeName(b Block) string                        { return "" }
