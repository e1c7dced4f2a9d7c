package pointsto

import (
	"encoding/binary"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// No compiler makes constructors that call themselves on this, but class files may
// have them: their contexts come to an end.
func TestConstructorsThatCallThemselves(t *testing.T) {
	flow := func(ops ...int) (out []byte) {
		for _, x := range ops {
			out = binary.AppendUvarint(out, uint64(x))
		}
		return out
	}
	const desc = "(Ljava/lang/Object;)V"
	init := facts.Call{Kind: facts.Special, MemberRef: &facts.MemberRef{Owner: "K", Name: "<init>", Desc: desc}}
	classes := map[string]*facts.Class{
		"java/lang/Object":    {Name: "java/lang/Object"},
		"java/lang/Throwable": {Name: "java/lang/Throwable", Super: "java/lang/Object"},
		"K": {
			Name: "K", Super: "java/lang/Object", FlowNames: []string{"K", "f", "Ljava/lang/Object;"},
			Fields: []facts.FlowField{{Name: "f", Desc: "Ljava/lang/Object;"}},
			Methods: []facts.Method{
				// this.f = p; this(p); this(p);
				{Name: "<init>", Desc: desc, Calls: []facts.Call{init, init},
					Flow: flow(2, int(facts.FlowStore), 1, 0, 2, int(facts.FlowCall), 0, 0, 2, 1, 2,
						int(facts.FlowCall), 1, 0, 2, 1, 2)},
				// x = new K(x);
				{Name: "main", Desc: "()V", Access: hierarchy.AccStatic, Calls: []facts.Call{init},
					Allocs: []facts.Alloc{{Type: "K"}},
					Flow:   flow(1, int(facts.FlowNew), 1, 0, int(facts.FlowCall), 0, 0, 2, 1, 1)},
			},
		},
	}
	h := hierarchy.New(hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		c, ok := classes[name]
		return c,
			ok
	}))
	cfg := callgraph.Config{Workspace: []string{"K"},
		Entries: []features.MethodRef{{Class: "K", Name: "main", Desc: "()V"}}}
	for _, p := range []Policy{Insensitive, Constructors, Containers} {
		r := Build(h, cfg, p)
		nodes := r.NodesOf(r.Graph.Find("K", 0))
		if want := map[Policy]int{Insensitive: 1}[p]; len(nodes) > 10_000 || want != 0 && len(nodes) != want ||
			len(nodes) < 1 {
			t.Errorf("policy %d: %d contexts", p, len(nodes))
		}
		for _, n := range nodes {
			if c, _ := r.Code(n); r.PointsTo(c.First).Len() != 1 {
				t.Errorf("policy %d: this is %d objects", p, r.PointsTo(c.First).Len())
			}
		}
	}
}
