package results

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/test/scratch"
)

// A link that a run experienced is shown, also where it was ruled out before an edit.
func TestExperiencedAndWithheld(t *testing.T) {
	cache := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	snap := snapshotOf(t, cache, t.TempDir(), twoClosers)
	st := open(t, t.TempDir())
	c := snap.Catches[0]
	l := c.Links[0]
	method, desc, _ := strings.Cut(l.Site.Method, "(")
	seen := record.Experienced{Catch: c.ID, Exception: "java/io/IOException",
		Site: record.SiteRef{Class: strings.ReplaceAll(l.Site.Class, ".", "/"), Method: method, Desc: "(" + desc,
			Ordinal: l.Site.Ordinal, Kind: l.Site.Kind}}
	if err := st.PutTestRun(&record.TestRun{Test: "p.T#a", Class: "p.T", Outcome: record.Pass,
		Links: []record.Experienced{seen}, Usages: map[string]record.Usage{c.ID: {White: 1}}}); err != nil {
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
	check("withheld", 1, 0)
	if s := Lay(snap, st, func(string) string { return "" }).ByCatch[c.ID]; len(s.Returned) != 1 || s.Returned[0] != l {
		t.Errorf("withheld and experienced, %d links are shown", len(s.Returned))
	}
	c.Withheld = nil
	check("neither", 0, 1)

	keep := func(below bool, keys ...record.MethodKey) {
		st = open(t, t.TempDir()) // of two records, that of the present code counts
		r := &record.TestRun{Test: "p.T#a", Class: "p.T", Outcome: record.Pass, Links: []record.Experienced{seen},
			Usages: map[string]record.Usage{c.ID: {White: 1}}}
		for _, k := range keys {
			r.Methods = append(r.Methods, st.Intern(k))
		}
		slices.Sort(r.Methods)
		r.Below = record.Below{c.ID: {}}
		if below {
			r.Below[c.ID] = r.Methods
		}
		if err := st.PutTestRun(r); err != nil {
			t.Fatal(err)
		}
	}
	unpredicted := func() Unpredicted {
		o := Lay(snap, st, func(string) string { return "" })
		if len(o.Unpredicted) != 1 {
			t.Fatalf("%d links are not predicted", len(o.Unpredicted))
		}
		return o.Unpredicted[0]
	}
	gone := record.MethodKey{Class: "p/T", Method: "a()V"}
	keep(false, gone)
	if u := unpredicted(); !u.Stale || u.Pending || !slices.Equal(u.Tests, []string{"p.T#a"}) {
		t.Errorf("the test has changed since: %+v", u)
	}
	keep(true, gone)
	check("what ran in the try has changed", 0, 0)
	var unreached, reached record.MethodKey
	for _, class := range snap.Classes() {
		for i := range class.Facts.Methods {
			m := &class.Facts.Methods[i]
			k := record.MethodKey{Class: class.Name, Method: m.Name + m.Desc, Digest: m.CodeDigest}
			if snap.Reaches(snapshot.MethodRef{Class: k.Class, Method: k.Method}) {
				reached = k
			} else {
				unreached = k
			}
		}
	}
	if unreached.Class == "" || reached.Class == "" {
		t.Fatal("all methods are reached, or none is")
	}
	keep(false, reached)
	if u := unpredicted(); u.Stale || u.Pending {
		t.Errorf("the call graph has what the test entered: %+v", u)
	}
	keep(false, reached, unreached)
	if u := unpredicted(); u.Stale || !u.Pending {
		t.Errorf("the test entered a method that the call graph does not reach: %+v", u)
	}
}
