package codelens

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// judged is a catch with four links: two of one failure, one that the same method makes with
// another exception, one by another call in the try.
func judged() (View, *snapshot.Catch) {
	v, c := view()
	link := func(exception string, line int, api, site string) *snapshot.Link {
		s := &snapshot.Site{Class: "java.io.Deep", Method: site + "()V", Kind: "native"}
		l := &snapshot.Link{Catch: c, Site: s, Exception: exception}
		l.ID, _ = snapshot.LinkID(c.ID, s.Ref())
		l.SetChain([]snapshot.Frame{{Class: "p.C", Method: "m()V", Line: line}, {Class: "p.D", Method: "n()V"},
			{Class: "java.io.Api", Method: api + "()V"}, {Class: "java.io.Deep", Method: site + "()V"}})
		return l
	}
	c.Links = []*snapshot.Link{link("java.io.IOException", 4, "read", "a"), link("java.io.IOException", 4, "read", "b"),
		link("java.io.EOFException", 4, "read", "c"), link("java.io.IOException", 5, "read", "d")}
	return v, c
}

func judgementTitles(v View, c *snapshot.Catch, most int) (titles []string) {
	for _, j := range Judgements(v, c, most) {
		titles = append(titles, j.Title)
	}
	return titles
}

// A failure and single links can be judged, what a test made happen can not, and what was judged
// can be taken back.
func TestJudgements(t *testing.T) {
	v, c := judged()
	single := func(letters string) (out []string) {
		for _, x := range strings.Split(letters, "") {
			exception := "java.io.IOException"
			if x == "c" {
				exception = "java.io.EOFException"
			}
			out = append(out, "Mark as impossible: "+exception+" from Deep."+x)
		}
		return out
	}
	failure := "Mark as impossible: java.io.IOException by Api.read (2 links)"
	check := func(what string, want ...string) {
		t.Helper()
		if got := judgementTitles(v, c, 8); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("nothing known", append([]string{failure}, single("abcd")...)...)
	if got := judgementTitles(v, c, 1); len(got) != 2 {
		t.Errorf("at most one of each: %q", got)
	}
	j, err := Infeasible(v, c.Links[0], true, "never")
	if want := []string{"java.io.Deep.a()V#0 native", "java.io.Deep.b()V#0 native"}; err != nil ||
		!slices.Equal(j.ThrowSites, want) || j.Exception != "java.io.IOException" ||
		j.Catch != c.ID || !strings.Contains(j.Note, "src/p/C.java, line 4") {
		t.Errorf("judgement %+v, %v", j, err)
	}
	v.Judge(&workspace.Config{Infeasible: []workspace.Infeasible{j}})
	if _, p := v.Coverage(c); p != 2 || v.Infeasible[c.Links[1].ID] != "never" {
		t.Errorf("%d links left, %v", p, v.Infeasible)
	}
	check("judged", append([]string{"Take back: java.io.IOException by Api.read cannot happen (2 links)"},
		single("cd")...)...)
	v.Judge(&workspace.Config{Infeasible: []workspace.Infeasible{{Link: c.Links[2].ID, Reason: "by its number"}}})
	check("judged by its number", append([]string{"Take back: java.io.EOFException from Deep.c cannot happen", failure},
		single("abd")...)...)

	v.Judge(&workspace.Config{})
	v, st := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	st.Links[c.Links[1].ID] = &results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true}
	check("experienced", single("acd")...)
	for _, ofFailure := range []bool{true, false} {
		if _, err := Infeasible(v, c.Links[1], ofFailure, "never"); err == nil ||
			!strings.Contains(err.Error(), "p.CTest#m") {
			t.Errorf("a link that a test made happen is judged infeasible: %v", err)
		}
	}
	if _, err := Infeasible(v, c.Links[0], true, "never"); err == nil {
		t.Error("a failure of which a test made a link happen is judged infeasible")
	}
	if _, err := Infeasible(v, c.Links[0], false, "never"); err != nil {
		t.Errorf("the other link: %v", err)
	}
}

// Judgements of one title are told apart by parameters, then by what else there is.
func TestTellApart(t *testing.T) {
	all := []Judgement{
		{Title: "by a (2 links)", apart: []string{"(int)", ", called on line 3"}, tail: " (2 links)"},
		{Title: "by a (2 links)", apart: []string{"(long)", ", called on line 3"}, tail: " (2 links)"},
		{Title: "by a (2 links)", apart: []string{"(int)", ", called on line 4"}, tail: " (2 links)"},
		{Title: "from b", apart: []string{"()", ", throw 1 of the method"}},
		{Title: "alone", apart: []string{"()", ", throw 1 of the method"}},
	}
	tellApart(all)
	want := []string{"by a(int), called on line 3 (2 links)", "by a(long) (2 links)",
		"by a(int), called on line 4 (2 links)", "from b", "alone"}
	for i, j := range all {
		if j.Title != want[i] {
			t.Errorf("%q, want %q", j.Title, want[i])
		}
	}
}
