package results

import (
	"path/filepath"
	"strings"
	"testing"

	"catchlens/analysis/facts"
	"catchlens/instrument/campaign"
	"catchlens/test/scratch"
)

// A link that a run experienced is no surprise where the analysis predicts it and it is not
// shown, since it was ruled out before an edit.
func TestExperiencedAndWithheld(t *testing.T) {
	cache := facts.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	snap := snapshotOf(t, cache, t.TempDir(), twoClosers)
	st := open(t, t.TempDir())
	c := snap.Catches[0]
	l := c.Links[0]
	method, desc, _ := strings.Cut(l.Site.Method, "(")
	seen := campaign.Experienced{Catch: c.ID, Exception: "java/io/IOException",
		Site: campaign.SiteRef{Class: strings.ReplaceAll(l.Site.Class, ".", "/"), Method: method, Desc: "(" + desc, Ordinal: l.Site.Ordinal, Kind: l.Site.Kind}}
	if err := st.PutTestRun(&campaign.TestRun{Test: "p.T#a", Class: "p.T", Outcome: campaign.Pass, Links: []campaign.Experienced{seen}, Usages: map[string]campaign.Usage{c.ID: {White: 1}}}); err != nil {
		t.Fatal(err)
	}
	check := func(what string, experienced, unpredicted int) {
		t.Helper()
		o := Lay(snap, st, func(string) string { return "" })
		if a, b := len(o.ByCatch[c.ID].Links), len(o.Unpredicted); a != experienced || b != unpredicted {
			t.Errorf("%s: %d links experienced, %d not predicted; want %d and %d", what, a, b, experienced, unpredicted)
		}
	}
	check("shown", 1, 0)
	c.Links, c.Withheld = nil, c.Links
	check("withheld", 0, 0)
	c.Withheld = nil
	check("neither", 0, 1)
}
