package audit

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
)

// madeLinks are n links of one catch.
func madeLinks(n int) (out []*snapshot.Link) {
	c := &snapshot.Catch{ID: "p/C.m()#0", File: &snapshot.File{Path: "p/C.java"}}
	for i := range n {
		out = append(out, &snapshot.Link{Catch: c, Exception: "java.io.IOException",
			Site: &snapshot.Site{Class: "p.C", Method: "m()V", Ordinal: i, Kind: "explicit"}})
	}
	return out
}

// A draw does not depend on the order of the links, keeps its links when others come or go, and
// draws each link about as often as any other. The bounds are six standard deviations (15.5) of
// a binomial count around its mean of 400.
func TestDraw(t *testing.T) {
	links := madeLinks(50)
	first := Draw(links, 20, 7)
	turned := slices.Clone(links)
	slices.Reverse(turned)
	if !slices.Equal(first, Draw(turned, 20, 7)) {
		t.Error("another order draws other links")
	}
	without := slices.DeleteFunc(slices.Clone(links), func(l *snapshot.Link) bool { return l == first[3] })
	if got := Draw(without, 19, 7); !slices.Equal(got, slices.Delete(slices.Clone(first), 3, 4)) {
		t.Error("a link that is gone changes which others are drawn")
	}
	if n := len(Draw(links, 60, 7)); n != 50 {
		t.Errorf("%d of 50 links drawn", n)
	}
	times := map[*snapshot.Link]int{}
	for seed := range int64(1000) {
		for _, l := range Draw(links, 20, seed) {
			times[l]++
		}
	}
	for _, l := range links {
		if n := times[l]; n < 307 || n > 493 {
			t.Errorf("link %d was drawn %d times of 1000", l.Site.Ordinal, n)
		}
	}
}

// Sources of a JDK have a folder for each module, those of a library none; a nested class stands
// in the file of the one around it.
func TestSources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "src.zip")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range map[string]string{"java.base/java/io/File.java": "one\ntwo", "org/x/A$.java": "dollar",
		"org/x/B.java": "three", "org/x/B.class": "not source"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = fmt.Fprint(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	own := &snapshot.File{Path: "src/p/C.java", Text: []byte("own")}
	s, err := OpenSources(&snapshot.Snapshot{ByPath: map[string]*snapshot.File{own.Path: own}}, []string{file})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, want := range []struct {
		class, file string
		lines       []string
	}{
		{"java.io.File", "", []string{"one", "two"}},
		{"java.io.File$PathStatus", "", []string{"one", "two"}},
		{"org.x.B$1", "", []string{"three"}},
		{"org.x.A$", "", []string{"dollar"}},
		{"p.C", "src/p/C.java", []string{"own"}},
		{"p.C", "", nil},
	} {
		if got := s.of(want.class, want.file); !slices.Equal(got, want.lines) {
			t.Errorf("%s: %q, want %q", want.class, got, want.lines)
		}
	}
	if _, err := OpenSources(&snapshot.Snapshot{}, []string{file + "x"}); err == nil {
		t.Error("an archive that is not there is opened")
	}
}

// What a test has made happen is not drawn, and contradicts that it is infeasible.
func TestExperienced(t *testing.T) {
	links := madeLinks(2)
	c := links[0].Catch
	for i, l := range links {
		l.ID = fmt.Sprint(i)
	}
	c.Links = links
	byID := map[string]*snapshot.Catch{c.ID: c}
	v := codelens.View{Snap: &snapshot.Snapshot{Catches: []*snapshot.Catch{c}, ByID: byID},
		Results: &results.Overlay{ByCatch: map[string]*results.State{
			c.ID: {Links: map[string]*results.Experienced{"1": {}}}}}}
	if got := Candidates(v); len(got) != 1 || got[0] != links[0] {
		t.Errorf("%d links can be drawn", len(got))
	}
	var j Judgements
	j.Add(links)
	for i := range j.Links {
		j.Links[i].Says = Infeasible
	}
	if got := j.Contradictions(v); len(got) != 1 || !strings.HasSuffix(got[0], "p.C.m()V#1: judged infeasible, and a "+
		"test has made it happen") {
		t.Errorf("%q", got)
	}
	v.Infeasible = map[string]string{"0": "the user says so"}
	if got := Candidates(v); len(got) != 0 {
		t.Errorf("%d links can be drawn, although the user has judged the only one", len(got))
	}
}
