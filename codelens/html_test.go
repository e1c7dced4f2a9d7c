package codelens

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// The page begins with what to do, each catch with a link to its place; what copes is folded. The
// card of a catch has failures before links.
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
	if f, l := strings.Index(card, "<h3>Failures</h3>"), strings.Index(card, "Links and chains"); f < 0 || l < f {
		t.Errorf("failures are at %d, links at %d", f, l)
	}
	s.Verdict.SourceIndependence = shortcircuit.Holds
	if got := page(); !strings.Contains(got, `<details class="part" id="part0"><summary class="good">1 copes`) {
		t.Error("what copes is not folded")
	}
}

func pageOf(t *testing.T, v View) string {
	t.Helper()
	var b strings.Builder
	if err := HTMLReport(t.Context(), &b, v, "1"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page of a project with many links and long sources stays small: a link whose names are there
// is a line of four numbers, and a line that neither holds a catch nor has a method around it that
// does takes nothing.
func TestPageIsSmall(t *testing.T) {
	size := func(links, lines int) int {
		v, c := manyLinks(links)
		c.File.Text = []byte(strings.Replace(source, "class C", strings.Repeat("// of nothing\n", lines)+"class C", 1))
		c.File.Source = javasource.Parse(c.File.Text)
		c.Source, c.Line = c.File.Source.Catches[0], c.Line+lines
		return len(pageOf(t, v))
	}
	if few, many := size(100, 0), size(1100, 0); many-few > 1000*len("[10,11,12,13]\n") {
		t.Errorf("1000 links take %d bytes", many-few)
	}
	if few, many := size(1, 200), size(1, 900); many != few {
		t.Errorf("700 lines that lead nowhere take %d bytes", many-few)
	}
}

// linksIn are the lines of the data of links in a page.
func linksIn(t *testing.T, page string) (out []any) {
	t.Helper()
	data := page[strings.Index(page, `id="links">`)+len(`id="links">`):]
	data = data[:strings.Index(data, "</script>")]
	for line := range strings.Lines(strings.TrimSpace(data)) {
		var of any
		if err := json.Unmarshal([]byte(line), &of); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, of)
	}
	return out
}

// The links of a catch are found by the name that it has in the page, whatever its class is called:
// javac takes U+200E and U+007F for parts of a name.
func TestLinksAreOfTheirCatch(t *testing.T) {
	for _, name := range []string{"C", "C\u200eD", "C\x7fD", "C\x01D", "C</script>'\"\\D", "C\xffD"} {
		v, c := view()
		delete(v.Snap.ByID, c.ID)
		c.ID = "p/" + name + ".m()#0"
		v.Snap.ByID[c.ID] = c
		page := pageOf(t, v)
		of, _ := linksIn(t, page)[0].(map[string]any)
		anchor, _ := of["catch"].(string)
		for _, start := range []string{`<details class="lens" id="`, `<li data-catch="`} {
			_, id, ok := strings.Cut(page, start)
			id, _, _ = strings.Cut(id, `"`)
			if !ok || html.UnescapeString(id) != anchor {
				t.Errorf("%q: the page has %s%s, its data %q", name, start, id, anchor)
			}
		}
	}
}

// A chain leads to lines of the page, and to no file that the page does not show.
func TestChainsLeadIntoThePage(t *testing.T) {
	v, c := view()
	v.Snap.Files = append(v.Snap.Files, &snapshot.File{Path: "src/p/D.java", Text: []byte("class D {}\n")})
	page := pageOf(t, v)
	var anchors []string
	for _, of := range linksIn(t, page) {
		link, _ := of.([]any)
		for _, x := range link[min(len(link), 3):] {
			if frame, ok := x.([]any); ok {
				anchors = append(anchors, frame[1].(string))
			}
		}
	}
	if want := fmt.Sprintf("f0-%d", c.Line); !slices.Equal(anchors, []string{want}) ||
		!strings.Contains(page, `<p id="`+want+`">`) {
		t.Errorf("chains lead to %v in\n%s", anchors, page)
	}
}
