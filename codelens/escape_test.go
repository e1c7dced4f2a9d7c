package codelens

import "testing"

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
