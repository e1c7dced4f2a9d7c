package callgraph_test

import (
	"testing"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
)

// The JDK's helper takes the class of the lookup where no class is given: the first
// class among its arguments is then the type of the field.
func TestLookupOwner(t *testing.T) {
	const lookup, util = "java/lang/invoke/MethodHandles$Lookup", callgraph.LookupUtil
	object, node := facts.Const{Kind: facts.ClassConst, Value: "java/lang/Object"}, facts.Const{Kind: facts.ClassConst, Value: "p/Node"}
	name := facts.Const{Kind: facts.StringConst, Value: "match"}
	for _, c := range []struct {
		call facts.Call
		want string
	}{
		{facts.Call{Owner: lookup, Name: "findVarHandle", Desc: "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/invoke/VarHandle;",
			Args: []facts.Const{node, name, object}}, "p/Node"},
		{facts.Call{Owner: util, Name: "findVarHandle", Desc: "(L" + lookup + ";Ljava/lang/Class;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/invoke/VarHandle;",
			Args: []facts.Const{{}, node, name, object}}, "p/Node"},
		{facts.Call{Owner: util, Name: "findVarHandle", Desc: "(L" + lookup + ";Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/invoke/VarHandle;",
			Args: []facts.Const{{}, name, object}}, "p/Caller"},
		{facts.Call{Owner: lookup, Name: "findVirtual", Desc: "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MethodHandle;",
			Args: []facts.Const{{}, name, {}}}, ""},
	} {
		if got := callgraph.LookupOwner(&c.call, "p/Caller"); got != c.want {
			t.Errorf("%s.%s%s: %q, want %q", c.call.Owner, c.call.Name, c.call.Desc, got, c.want)
		}
	}
}
