package callgraph_test

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
)

// The JDK's helper takes the class of the lookup where no class is given: the first
// class among its arguments is then the type of the field.
func TestLookupOwner(t *testing.T) {
	const lookup, util = "java/lang/invoke/MethodHandles$Lookup", features.LookupUtil
	object, node := facts.Const{Kind: facts.ClassConst, Value: "java/lang/Object"}, facts.Const{Kind: facts.ClassConst,
		Value: "p/Node"}
	name := facts.Const{Kind: facts.StringConst, Value: "match"}
	for _, c := range []struct {
		ref  facts.MemberRef
		args []facts.Const
		want string
	}{
		{facts.MemberRef{Owner: lookup, Name: "findVarHandle",
			Desc: "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/invoke/VarHandle;"},
			[]facts.Const{node, name, object}, "p/Node"},
		{facts.MemberRef{Owner: util, Name: "findVarHandle",
			Desc: "(L" + lookup + ";Ljava/lang/Class;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/invoke/VarHandle;"},
			[]facts.Const{{}, node, name, object}, "p/Node"},
		{facts.MemberRef{Owner: util, Name: "findVarHandle",
			Desc: "(L" + lookup + ";Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/invoke/VarHandle;"},
			[]facts.Const{{}, name, object}, "p/Caller"},
		{facts.MemberRef{Owner: lookup, Name: "findVirtual",
			Desc: "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MethodHandle;"},
			[]facts.Const{{}, name, {}}, ""},
	} {
		call := facts.Call{MemberRef: &c.ref, Details: &facts.CallDetails{Args: c.args}}
		if got := features.LookupOwner(&call, "p/Caller"); got != c.want {
			t.Errorf("%s.%s%s: %q, want %q", c.ref.Owner, c.ref.Name, c.ref.Desc, got, c.want)
		}
	}
}
