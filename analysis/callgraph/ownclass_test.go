package callgraph

import (
	"reflect"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
)

// getClass, constructors and a merge of two objects.
func TestMadeAlike(t *testing.T) {
	getClass := func(recv string) facts.Call {
		return facts.Call{Kind: facts.Virtual,
			MemberRef: &facts.MemberRef{Owner: "java/lang/Object", Name: "getClass", Desc: "()Ljava/lang/Class;"},
			Details:   &facts.CallDetails{Recv: recv}}
	}
	ask := facts.Call{Kind: facts.Virtual,
		MemberRef: &facts.MemberRef{Owner: "java/lang/Class", Name: "getDeclaredConstructor",
			Desc: "([Ljava/lang/Class;)Ljava/lang/reflect/Constructor;"}}
	name := facts.Call{Kind: facts.Virtual,
		MemberRef: &facts.MemberRef{Owner: "java/lang/Class", Name: "getName", Desc: "()Ljava/lang/String;"}}
	call := func(i, to, of byte) []byte { return []byte{byte(facts.FlowCall), i, to, 1, of} }
	move := func(to, from byte) []byte { return []byte{byte(facts.FlowMove), to, from} }
	for _, c := range []struct {
		what  string
		class string
		calls []facts.Call
		flow  [][]byte
		want  []features.Alike
	}{
		{"its own", "p/A", []facts.Call{getClass("p/A"), ask}, [][]byte{call(0, 2, 1), call(1, 3, 2)},
			[]features.Alike{{Object: 1, Type: "p/A"}}},
		{"one of two", "p/A", []facts.Call{getClass("p/A"), getClass("p/B"), ask},
			[][]byte{call(2, 6, 5), call(0, 3, 1), call(1, 4, 2), move(5, 3), move(5, 4)},
			[]features.Alike{{Object: 1, Type: "p/A"}, {Object: 2, Type: "p/B"}}},
		{"asked for its name", "p/A", []facts.Call{getClass("p/A"), name, ask},
			[][]byte{call(0, 2, 1), call(1, 3, 2), call(2, 4, 3)}, nil},
		{"any object", "p/A", []facts.Call{getClass(""), ask}, [][]byte{call(0, 2, 1), call(1, 3, 2)}, nil},
		{"the JDK's own", "java/util/A", []facts.Call{getClass("p/A"), ask}, [][]byte{call(0, 2, 1), call(1, 3, 2)},
			nil},
	} {
		m := facts.Method{Name: "m", Desc: "()V", Calls: c.calls, Flow: []byte{8}}
		for _, op := range c.flow {
			m.Flow = append(m.Flow, op...)
		}
		if got := features.MadeAlike(&facts.Class{Name: c.class}, &m); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}
