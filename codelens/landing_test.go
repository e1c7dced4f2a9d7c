package codelens

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// A call's hover has the links that the lens counts: none that were judged infeasible or are not
// shown.
func TestLandingHover(t *testing.T) {
	v, c := view()
	withheld := &snapshot.Link{ID: "withheld", Catch: c, Site: c.Links[0].Site, Exception: "java.io.EOFException"}
	landings := []snapshot.Landing{{Exception: c.Links[0].Exception, Link: c.Links[0]},
		{Exception: c.Links[1].Exception, Link: c.Links[1]},
		{Exception: withheld.Exception, Link: withheld}}
	in := Place{File: c.File, Offset: strings.Index(source, "n();")}
	check := func(name string, want ...string) {
		t.Helper()
		text := LandingHover(v, landings, in, nil)
		if n := strings.Count(text, "\n- "); n != len(want) {
			t.Errorf("%s: %d rows, want %d: %s", name, n, len(want), text)
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in %s", name, w, text)
			}
		}
	}
	check("both", "- `java.io.FileNotFoundException`: `catch (IOException) in C.m:4`, 1 e-c link\n",
		"- `java.io.IOException`: `catch (IOException) in C.m:4`, 1 e-c link\n")
	v, st := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	st.Links["own"] = &results.Experienced{Tests: []string{"p.CTest#m"}}
	check("experienced", "`java.io.FileNotFoundException`",
		"`java.io.IOException`: `catch (IOException) in C.m:4`, 1 e-c link, 1 experienced\n")
	v.Infeasible = map[string]string{"jdk": "no"}
	check("judged", "`java.io.IOException`")
	st.Returned = []*snapshot.Link{withheld}
	check("returned", "`java.io.IOException`", "`java.io.EOFException`")
	if text := LandingHover(v, landings[1:2], in, nil); text != "" {
		t.Errorf("nothing left, and the hover says %q", text)
	}
}
