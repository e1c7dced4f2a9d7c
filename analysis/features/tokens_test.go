package features

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// flowOf encodes a flow: a number of variables, then operations with their operands.
func flowOf(numbers ...uint64) (code []byte) {
	for _, n := range numbers {
		code = binary.AppendUvarint(code, n)
	}
	return code
}

// Each of many methods has a class and hands on all that it gets, in a ring: each class comes to
// each of them, and only one asks it for an object. Where methods were visited again for all that
// is new to them, that took more than the two million operations after which class objects were not
// followed at all.
func TestTokensInRing(t *testing.T) {
	const methods = 1500
	c := &facts.Class{Name: "p/Ring", Super: "java/lang/Object"}
	for i := range methods {
		c.FlowNames = append(c.FlowNames, fmt.Sprintf("p/Made%d", i))
		next := &facts.MemberRef{Owner: "p/Ring", Name: fmt.Sprintf("m%d", (i+methods-1)%methods),
			Desc: "(Ljava/lang/Class;)V"}
		m := facts.Method{
			Name: fmt.Sprintf("m%d", i), Desc: next.Desc, Access: hierarchy.AccStatic,
			Calls: []facts.Call{{MemberRef: next, Kind: facts.Static}},
			Flow: flowOf(2, uint64(facts.FlowClass), 2, uint64(i),
				uint64(facts.FlowCall), 0, 0, 1, 1, uint64(facts.FlowCall), 0, 0, 1, 2),
		}
		if i == 0 {
			asks := &facts.MemberRef{Owner: "java/lang/Class", Name: "newInstance", Desc: "()Ljava/lang/Object;"}
			m.Calls = append(m.Calls, facts.Call{MemberRef: asks, Kind: facts.Virtual})
			m.Flow = append(m.Flow, flowOf(uint64(facts.FlowCall), 1, 0, 1, 1)...)
		}
		c.Methods = append(c.Methods, m)
	}
	uses := findTokenUses(nil, []string{c.Name}, nil, func(n string) *facts.Class {
		if n == c.Name {
			return c
		}
		return nil
	})
	for i := range methods {
		list := uses.uses.answers(c.Name, &c.Methods[i])
		if len(list) != 1 || list[0].Kind != MakesObject || list[0].Class != c.FlowNames[i] {
			t.Fatalf("of m%d's class comes %v", i, list)
		}
	}
}

// What has no class object in it that somebody gets back does not lead one on.
func TestTokensOfType(t *testing.T) {
	for desc, want := range map[string]uint8{
		"Ljava/lang/Class;":                    asClass,
		"Ljava/lang/reflect/Type;":             asClass | holdsAny,
		"Ljava/lang/String;":                   asName,
		"Ljava/lang/Object;":                   anyToken | holdsAny,
		"Ljava/util/List;":                     asLambda | holdsAny,
		"Lp/Registry;":                         asLambda | holdsAny,
		"[Ljava/lang/Class;":                   holdsAny,
		"[[I":                                  holdsAny,
		"[I":                                   0,
		"[Ljava/lang/Integer;":                 0,
		"I":                                    0,
		"":                                     0,
		"Ljava/lang/StringBuilder;":            0,
		"Ljava/lang/IllegalStateException;":    0,
		"Lp/OwnException;":                     asLambda | holdsAny,
		"java/lang/Class":                      asClass,
		"[Ljava/util/function/Function;":       holdsAny,
		"Ljava/util/MissingResourceException;": 0,
	} {
		if got := tokensOfType(desc); got != want {
			t.Errorf("%q: %b, want %b", desc, got, want)
		}
	}
}
