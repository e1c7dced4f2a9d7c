package features

import (
	"fmt"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// A pattern is known where something of it is, whichever alternative it is.
func TestPatternsOfStrings(t *testing.T) {
	text := func(s string) alternative { return alternative{text: s} }
	unknown := alternative{text: ".*", pattern: true, made: true}
	for _, c := range []struct {
		name string
		got  []alternative
		want []alternative
	}{
		{"texts", concatenate([]alternative{text("p."), text("q.")}, []alternative{text("A")}),
			[]alternative{{text: "p.A", made: true}, {text: "q.A", made: true}}},
		{"prefix", concatenate([]alternative{text("p.I$")}, []alternative{unknown}),
			[]alternative{{text: `p\.I\$.*`, pattern: true, made: true, letters: true}}},
		{"suffix", concatenate([]alternative{unknown}, []alternative{text("Impl")}),
			[]alternative{{text: `.*Impl`, pattern: true, made: true, letters: true}}},
		{"no letter", concatenate([]alternative{unknown}, []alternative{text(".")}),
			[]alternative{{text: `.*\.`, pattern: true, made: true}}},
		{"any order", []alternative{anyOrder([][]alternative{{text("p.")}, {text("A")}})},
			[]alternative{{text: `(?:(?:A|p\.))*`, pattern: true, made: true, letters: true}}},
		{"any order, between", []alternative{anyOrder([][]alternative{{text("$")}, {text("A")}})},
			[]alternative{{text: `(?:(?:A|\$))*`, pattern: true, made: true, letters: true}}},
		{"any order, unknown", []alternative{anyOrder([][]alternative{{unknown}, {text("A")}})},
			[]alternative{{text: `(?:(?:.*|A))*`, pattern: true, made: true}}},
		{"too long", []alternative{bounded(alternative{text: string(make([]byte, maxPattern+1)), pattern: true})},
			[]alternative{unknown}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
	many := make([]alternative, maxAlternatives)
	for i := range many {
		many[i] = text(string(rune('A' + i)))
	}
	if got := join(many, []alternative{text("more")}); !slices.Equal(got, []alternative{unknown}) {
		t.Errorf("of too many alternatives %d", len(got))
	}
	if got := concatenate(many, []alternative{text("a"), text("b")}); len(got) != 1 || !got[0].pattern {
		t.Errorf("too many alternatives make %d", len(got))
	}
}

// A class is loaded by the name that a method is given: nothing is known of it where nobody calls
// the method, or also gives it what is not known.
func TestUnknownLoads(t *testing.T) {
	const desc = "(Ljava/lang/String;)V"
	call := func(owner, name, desc string) facts.Call {
		return facts.Call{MemberRef: &facts.MemberRef{Owner: owner, Name: name, Desc: desc}, Kind: facts.Static}
	}
	load := facts.Method{Name: "load", Desc: desc, Access: hierarchy.AccStatic,
		Calls: []facts.Call{call("java/lang/Class", "forName", "(Ljava/lang/String;)Ljava/lang/Class;")},
		Flow:  flowOf(2, uint64(facts.FlowCall), 0, 2, 1, 1)}
	by := func(code ...uint64) facts.Method {
		return facts.Method{Name: "by", Desc: desc, Access: hierarchy.AccStatic,
			Calls: []facts.Call{call("p/Loads", "load", desc)}, Flow: flowOf(append([]uint64{2}, code...)...),
			Details: &facts.MethodDetails{Strings: []string{"q"}}}
	}
	constant := by(uint64(facts.FlowString), 2, uint64(facts.FlowCall), 0, 0, 1, 2)
	passes := by(uint64(facts.FlowCall), 0, 0, 1, 1)
	for _, c := range []struct {
		name    string
		methods []facts.Method
		want    int
	}{{"nobody calls it", []facts.Method{load}, 1}, {"a constant", []facts.Method{load, constant}, 0},
		{"what nobody gives", []facts.Method{load, passes}, 1}} {
		class := &facts.Class{Name: "p/Loads", Super: "java/lang/Object", Methods: c.methods}
		got := findTokenUses(&NameFlow{present: map[string]bool{"q": false}}, []string{class.Name}, nil,
			func(n string) *facts.Class {
				if n == class.Name {
					return class
				}
				return nil
			})
		if len(got.Unknown) != c.want || c.want > 0 && got.Unknown[0].Method != "load" {
			t.Errorf("%s: %+v", c.name, got.Unknown)
		}
		if read := got.read[memberName{"p/Loads", "by", desc}]; read != (c.name == "a constant") {
			t.Errorf("%s: strings of the caller are read: %v", c.name, read)
		}
	}
}

// Another string or value of an annotation counts where uses depend on it, and only there.
func TestReadsOther(t *testing.T) {
	class := func(read, other, value, text string) *facts.Class {
		m := func(name, s string) facts.Method {
			return facts.Method{Name: name, Desc: "()V", Details: &facts.MethodDetails{Strings: []string{s}}}
		}
		return &facts.Class{Name: "p/C", Methods: []facts.Method{m("read", read), m("other", other)},
			Noted: [][3]string{{"p/A", "value", value}, {"p/Doc", "value", text}}}
	}
	tokens := &Tokens{read: map[memberName]bool{{"p/C", "read", "()V"}: true},
		values: map[[2]string]bool{{"p/A", "value"}: true}}
	before := class("a", "b", "p/X", "d")
	for _, c := range []struct {
		name string
		now  *facts.Class
		want bool
	}{{"nothing", class("a", "b", "p/X", "d"), false}, {"a string that is read", class("A", "b", "p/X", "d"), true},
		{"another string", class("a", "B", "p/X", "d"), false}, {"a value", class("a", "b", "p/Y", "d"), true},
		{"another value", class("a", "b", "p/X", "D"), false}} {
		if got := tokens.ReadsOther(before, c.now); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if (*Tokens)(nil).ReadsOther(before, class("A", "B", "p/Y", "D")) {
		t.Error("nothing depends on class objects where nobody has followed them")
	}
}

// Formats are followed that put arguments in as they are, and no others.
func TestPlacesOfFormats(t *testing.T) {
	const ofString, ofMessage = "java/lang/String", "java/text/MessageFormat"
	for _, c := range []struct {
		owner, format string
		pieces        []string
		at            []int
	}{
		{ofString, "p.%s$%s", []string{"p.", "$", ""}, []int{0, 1}},
		{ofString, "%2$s.%1$s", []string{"", ".", ""}, []int{1, 0}},
		{ofMessage, "p.{1}${0}", []string{"p.", "$", ""}, []int{1, 0}},
		{ofString, "p.%-10s", nil, nil},
		{ofString, "p.%5s", nil, nil},
		{ofString, "p.%d", nil, nil},
		{ofString, "p.%tY", nil, nil},
		{ofString, "%0$s", nil, nil},
		{ofMessage, "p.{0,number}", nil, nil},
		{ofMessage, "p.'{0}'", nil, nil},
		{"p/Own", "p.%s", nil, nil},
	} {
		pieces, at, ok := placesOf(c.owner, alternative{text: c.format})
		if ok != (c.pieces != nil) || ok && (!slices.Equal(pieces, c.pieces) || !slices.Equal(at, c.at)) {
			t.Errorf("%s %s: %q %v %v", c.owner, c.format, pieces, at, ok)
		}
	}
}

// Each of many methods hands a name on in two places, so that it comes on as many ways as two to
// the power of their number: it is followed so far, and then not known.
func TestTextStepsAreBounded(t *testing.T) {
	const methods, desc = 40, "(Ljava/lang/String;)V"
	c := &facts.Class{Name: "p/Doubles", Super: "java/lang/Object"}
	for i := range methods {
		m := facts.Method{Name: fmt.Sprintf("m%d", i), Desc: desc, Access: hierarchy.AccStatic}
		ref := facts.MemberRef{Owner: "java/lang/Class", Name: "forName", Desc: "(Ljava/lang/String;)Ljava/lang/Class;"}
		if i > 0 {
			ref = facts.MemberRef{Owner: c.Name, Name: fmt.Sprintf("m%d", i-1), Desc: desc}
		}
		m.Calls = []facts.Call{{MemberRef: &ref, Kind: facts.Static}, {MemberRef: &ref, Kind: facts.Static}}
		m.Flow = flowOf(1, uint64(facts.FlowCall), 0, 0, 1, 1, uint64(facts.FlowCall), 1, 0, 1, 1)
		c.Methods = append(c.Methods, m)
	}
	got := findTokenUses(&NameFlow{}, []string{c.Name}, nil, func(n string) *facts.Class {
		if n == c.Name {
			return c
		}
		return nil
	})
	if len(got.Unknown) != 2 {
		t.Errorf("%+v", got.Unknown)
	}
}
