package codelens

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// The page begins with what to do, each catch with a link to its place; what copes is folded. A
// catch is found by its exceptions and its tests, and its card has failures before links.
func TestPageSaysWhatIsFirst(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Fail, "x")
	s.Verdict.Cause = &shortcircuit.Cause{What: clause.Prepared{Kind: clause.Local, Name: "conn"},
		Set: clause.Set{Line: 3, Value: "null"}, Use: clause.Use{Line: 7, Where: clause.InClause}}
	page := func() string {
		var b strings.Builder
		if err := HTMLReport(t.Context(), &b, v, "1"); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := page()
	first, files := strings.Index(got, "<h2>What to do first</h2>"), strings.Index(got, "<h2>Files</h2>")
	if first < 0 || files < first {
		t.Fatalf("what to do is at %d, files are at %d", first, files)
	}
	for _, want := range []string{
		`<a href="#part0"><b class="bad">1</b><span>depends on the source</span></a>`,
		`<details class="part" id="part0" open>`,
		`<li data-catch="c-` + c.ID + `"><a href="#c-p%2fC.m%28%29%230">src/p/C.java:4</a> catch (IOException)`,
		"<p>Set conn before the try, or ask in the clause whether it is there.</p>",
	} {
		if at := strings.Index(got, want); at < 0 || at > files {
			t.Errorf("%q is at %d, files are at %d", want, at, files)
		}
	}
	card := got[files:]
	search := card[strings.Index(card, `data-search="`):]
	search = search[:strings.Index(search, "\n")]
	for _, want := range []string{"src/p/c.java", "java.io.ioexception", "java.io.filenotfoundexception"} {
		if !strings.Contains(search, want) {
			t.Errorf("a catch is not found by %q: %s", want, search)
		}
	}
	if f, l := strings.Index(card, "<h3>Failures</h3>"), strings.Index(card, "Links and chains"); f < 0 || l < f {
		t.Errorf("failures are at %d, links at %d", f, l)
	}
	s.Verdict.SourceIndependence = shortcircuit.Holds
	if got := page(); !strings.Contains(got, `<details class="part" id="part0"><summary class="good">1 copes`) {
		t.Error("what copes is not folded")
	}
}
