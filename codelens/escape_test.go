package codelens

import (
	"bytes"
	"strings"
	"testing"

	"catchlens/instrument/campaign"
	"catchlens/instrument/results"
)

func TestEscape(t *testing.T) {
	const nasty = "\x1b[31mred\x07 <img src=x onerror=alert(1)> `code` [l](command:evil)\r\n\u202Eevil\xff"
	for _, c := range []struct{ name, got, want string }{
		{"plain", Plain(nasty, false), "\\x1b[31mred\\x07 <img src=x onerror=alert(1)> `code` [l](command:evil) ⏎ \\u202eevil\uFFFD"},
		{"markdown", Markdown(nasty), "\\\\x1b\\[31mred\\\\x07 &lt;img src=x onerror=alert\\(1\\)\\> \\`code\\` \\[l\\]\\(command:evil\\) ⏎ \\\\u202eevil\uFFFD"},
		{"code", Code("a`b"), "``a`b``"},
		{"code at the edge", Code("`"), "`` ` ``"},
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
	v, _ = laid(v, c, campaign.Usage{White: 1}, campaign.Fail, "")
	c.Types = []string{"p.\x1b[2JE"}
	c.Links[0].Exception = "p.\x1b]0;x\x07E"
	c.Links[0].Site.Method = "\x1b[31mm\u202e()V"
	v.Results.Unpredicted = []results.Unpredicted{{Catch: c, Test: "p.T#m", Seen: campaign.Experienced{Exception: "p/\x1bE"}}}
	v.Results.ByCatch[c.ID].Verdict.Witnesses[0].Injected = "p.\x1bE"
	var text bytes.Buffer
	Text(&text, v, true)
	got := []string{text.String(), ShortMethod("\x1bC", "m\x07()V"), CatchHover(v, c, nil), ChainsPage(v, c, nil)}
	for _, d := range Diagnostics(v, c.File, nil) {
		got = append(got, d.Message)
	}
	for _, s := range got {
		if strings.ContainsAny(s, "\x1b\x07\u202e") {
			t.Errorf("control characters in %q", s)
		}
	}
}
