package inlayhints

import (
	"fmt"
	"testing"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
)

// view is one of a catch with links: the exception of each, and the line of its call.
func view(links ...[2]any) (codelens.View, *snapshot.Catch) {
	c := &snapshot.Catch{ID: "p/C.m()V#0", File: &snapshot.File{Path: "src/p/C.java"}, Line: 9, Compiled: true,
		Class: "p.C", Method: "m()V", Types: []string{"java.io.IOException"},
		Handlers: []exceptions.HandlerRef{{Class: "p/C"}}}
	for i, x := range links {
		l := &snapshot.Link{ID: fmt.Sprint(i), Catch: c, Site: &snapshot.Site{Class: "java.io.Deep",
			Method: fmt.Sprintf("s%d()V", i), Kind: "native"}, Exception: x[0].(string)}
		l.SetChain([]snapshot.Frame{{Class: "p.C", Method: "m()V", Line: x[1].(int)},
			{Class: "java.io.Api", Method: fmt.Sprintf("a%d()V", i)},
			{Class: "java.io.Deep", Method: l.Site.Method}})
		c.Links = append(c.Links, l)
	}
	s := &snapshot.Snapshot{Catches: []*snapshot.Catch{c}, Files: []*snapshot.File{c.File}}
	s.Config, _ = snapshot.Settings{}.Config()
	return codelens.View{Snap: s, Results: &results.Overlay{ByCatch: map[string]*results.State{
		c.ID: {Ran: true, Links: map[string]*results.Experienced{}}}}}, c
}

// A line names each exception once, those first that no test has made happen; one that several
// methods throw is tested where all are, and with the present code.
func TestHints(t *testing.T) {
	v, c := view([2]any{"java.io.IOException", 5}, [2]any{"java.io.EOFException", 5},
		[2]any{"java.io.IOException", 6}, [2]any{"java.io.IOException", 6},
		[2]any{"p.A", 7}, [2]any{"p.B", 7}, [2]any{"p.C", 7}, [2]any{"p.D", 7}, [2]any{"p.E", 7},
		[2]any{"p.Unknown", 0})
	check := func(what string, want ...string) {
		t.Helper()
		got := Of(v, []*snapshot.Catch{c})
		if len(got) != len(want) {
			t.Fatalf("%s: %+v", what, got)
		}
		for i, h := range got {
			if text := fmt.Sprintf("%d: %s", h.Line, h.Label); text != want[i] {
				t.Errorf("%s: %q, want %q", what, text, want[i])
			}
		}
	}
	many := "7: may throw A, B, C, and 2 more"
	check("nothing is tested", "5: may throw EOFException, IOException", "6: may throw IOException", many)
	st := v.Results.ByCatch[c.ID]
	for _, id := range []string{"1", "2"} {
		st.Links[id] = &results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true}
	}
	check("one of each line is tested", "5: may throw IOException, EOFException ✓", "6: may throw IOException",
		many)
	st.Links["3"] = st.Links["2"]
	check("both methods are tested", "5: may throw IOException, EOFException ✓", "6: may throw IOException ✓",
		many)
	const tip = "java.io.IOException, to catch (IOException): not tested\n" +
		"java.io.EOFException, to catch (IOException): tested"
	if got := Of(v, []*snapshot.Catch{c})[0].Tooltip; got != tip {
		t.Errorf("the tooltip is %q, want %q", got, tip)
	}
	st.Stale = true
	check("the code has changed since", "5: may throw EOFException, IOException", "6: may throw IOException", many)
	c.File.Stale = true
	check("the classes are of an older text")
}

// A name stands once, without a tick where one of those that have it is not tested.
func TestNameStandsOnce(t *testing.T) {
	v, c := view([2]any{"p.Gone", 5}, [2]any{"q.Gone", 5})
	st := v.Results.ByCatch[c.ID]
	for _, x := range []struct{ id, want string }{{"0", "may throw Gone"}, {"1", "may throw Gone ✓"}} {
		st.Links[x.id] = &results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true}
		if got := Of(v, []*snapshot.Catch{c}); len(got) != 1 || got[0].Label != x.want {
			t.Errorf("%+v, want %s", got, x.want)
		}
	}
}

// Nested classes are named as sources do; what has no name of its own, by what it is in.
func TestNestedClasses(t *testing.T) {
	v, c := view([2]any{"p.Outer$Gone", 5}, [2]any{"p.Outer$1", 6})
	c.Types = []string{"p.Outer$Gone"}
	got := Of(v, []*snapshot.Catch{c})
	gone := Hint{5, "may throw Outer.Gone", "p.Outer$Gone, to catch (Outer.Gone): not tested"}
	if len(got) != 2 || got[0] != gone || got[1].Label != "may throw Outer$1" {
		t.Errorf("%+v", got)
	}
}
