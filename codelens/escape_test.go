package codelens

import (
	"bytes"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

func TestEscape(t *testing.T) {
	const nasty = "\x1b[31mred\x07 <img src=x onerror=alert(1)> `code` [l](command:evil)\r\n\u202Eevil\xff"
	for _, c := range []struct{ name, got, want string }{
		{"plain", Plain(nasty, false), "\\x1b[31mred\\x07 <img src=x onerror=alert(1)> `code` [l](command:evil) ⏎ " +
			"\\u202eevil\uFFFD"},
		{"markdown", Markdown(nasty), "\\\\x1b\\[31mred\\\\x07 &lt;img src=x onerror=alert(1)> \\`code\\` " +
			"\\[l\\]\\(command:evil) ⏎ \\\\u202eevil\uFFFD"},
		{"code", Code("a`b"), "``a`b``"},
		{"code at the edge", Code("`"), "`` ` ``"},
		{"message", Message("a\n[l](command:evil)"), "a ⏎ [l] (command:evil)"},
		{"html", HTML(`"<b>'`), "&#34;&lt;b&gt;&#39;"},
		{"lines", Plain("a\nb\tc", true), "a\nb\tc"},
		{"untouched", Plain("größe 漢字", false), "größe 漢字"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, c.got, c.want)
		}
	}
}

// Class files may name classes and methods by almost any characters (JVMS 4.2.1).
func TestHostileNames(t *testing.T) {
	v, c := view()
	v, _ = laid(v, c, record.Usage{White: 1}, record.Fail, "")
	c.Types = []string{"p.\x1b[2JE"}
	c.Links[0].Exception = "p.\x1b]0;x\x07E"
	c.Links[0].Site.Method = "\x1b[31mm\u202e()V"
	v.Results.Unpredicted = []results.Unpredicted{{Catch: c,
		Experienced: results.Experienced{Tests: []string{"p.T#m"}, Baseline: true},
		Seen:        record.Experienced{Exception: "p/\x1bE"}}}
	v.Results.ByCatch[c.ID].Verdict.Witnesses[0].Injected = "p.\x1bE"
	var text, page bytes.Buffer
	Text(t.Context(), &text, v, TextOptions{Links: true})
	if err := HTMLReport(t.Context(), &page, v, "1"); err != nil {
		t.Fatal(err)
	}
	got := []string{text.String(), page.String(),
		ShortMethod("\x1bC", "m\x07()V"), CatchHover(v, c, nil, nil), longHover(v, c, nil),
		ChainsPage(v, c, nil),
		MatrixPage(v, c, nil, nil)}
	for _, d := range Diagnostics(v, c.File, nil) {
		got = append(got, d.Message)
	}
	for _, s := range got {
		if strings.ContainsAny(s, "\x1b\x07\u202e") || strings.Contains(s, `\u001b`) {
			t.Errorf("control characters in %q", s)
		}
	}
}

// Whatever a workspace calls its files, tests and exceptions, and whatever tests
// say: the only links are those of sources.
func TestNoForeignLinks(t *testing.T) {
	const evil = "[x](command:evil) `[x](command:evil)` ``[y](command:evil)` <a href=command:evil>\n# " +
		"[z](command:evil)\n\n|[q](command:evil)|"
	v, c := view()
	v, st := laid(v, c, record.Usage{White: 1}, record.Fail, evil)
	c.Types = []string{"p." + evil}
	c.File.Path = "src/" + evil + ".java"
	v.Infeasible = map[string]string{c.Links[0].ID: evil}
	c.Links[0].Exception = "p." + evil
	c.Links[0].Site = &snapshot.Site{Class: "p." + evil, Method: evil + "()V", Line: 3, Kind: "explicit",
		File: c.File.Path}
	c.Links[1].Root = &snapshot.Site{Class: evil, Method: evil, Kind: "native"}
	c.Links[0].SetChain([]snapshot.Frame{{Class: evil, Method: evil, Line: 4, File: c.File.Path},
		{Class: evil, Method: evil, Line: 9}})
	st.Verdict.Why = evil
	st.Verdict.Witnesses[0].Test, st.Matrix[0].Test, st.Matrix[0].Message = evil, evil, evil
	st.Matrix[0].Injected, st.Matrix[0].Constructed, st.Matrix[0].Stack = evil, evil, evil+"\n````\n"+evil
	st.Links[c.Links[0].ID] = &results.Experienced{Tests: []string{evil, evil}}
	v.Results.Unpredicted = []results.Unpredicted{{Catch: c,
		Experienced: results.Experienced{Tests: []string{evil}, Baseline: true},
		Seen:        record.Experienced{Exception: evil, Site: record.SiteRef{Class: evil, Method: evil}}}}
	uri := FileURI("/ws/" + evil)
	for name, text := range map[string]string{
		"hover": CatchHover(v, c, uri, nil), "long hover": longHover(v, c, uri), "chains": ChainsPage(v, c, uri),
		"matrix": MatrixPage(v, c, uri, func(string) (string, int, bool) { return c.File.Path, 2, true }),
		"landing": LandingHover(v, []snapshot.Landing{{Exception: evil, Link: c.Links[1]}, {Exception: evil}}, Place{},
			uri),
	} {
		left := outsideCode(text)
		if strings.Contains(left, "](command") || strings.Contains(left, "<a") {
			t.Errorf("%s: a link of the workspace's own in %q", name, left)
		}
		if n, want := strings.Count(left, "]("), strings.Count(left, "](file:///ws/"); n != want || n == 0 {
			t.Errorf("%s: %d links, %d of them to sources: %q", name, n, want, left)
		}
		if strings.Contains(text, "\n# [") || strings.Contains(text, "\n|[") {
			t.Errorf("%s: lines of the workspace's own: %q", name, text)
		}
	}
	for _, d := range Diagnostics(v, c.File, func(string) (string, int, bool) { return "T.java", 1, true }) {
		for _, r := range append(d.Related, Related{Message: d.Message}) {
			if text := Message(r.Message); strings.Contains(text, "](") || strings.Contains(text, "\n") {
				t.Errorf("a link in %q", text)
			}
		}
	}
}

// outsideCode is Markdown without its code spans (CommonMark 6.1): a run of
// backticks up to the next run of the same length. Backslashes escape outside of
// them only.
func outsideCode(md string) string {
	var b strings.Builder
	for i := 0; i < len(md); {
		if md[i] == '\\' && i+1 < len(md) {
			b.WriteString("..")
			i += 2
			continue
		}
		if md[i] != '`' {
			b.WriteByte(md[i])
			i++
			continue
		}
		n := 0
		for i+n < len(md) && md[i+n] == '`' {
			n++
		}
		end := -1
		for j := i + n; j < len(md); {
			m := 0
			for j+m < len(md) && md[j+m] == '`' {
				m++
			}
			if m == n {
				end = j + m
				break
			}
			j += max(m, 1)
		}
		if end < 0 {
			end = i + n // no span: the run stands for itself
		}
		i = end
	}
	return b.String()
}

// A test's name is not the start of a sentence.
func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "no test": "No test", "p.CTest#m runs this": "p.CTest#m runs this", "über allem": "Über allem",
		"Test#m is": "Test#m is",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
