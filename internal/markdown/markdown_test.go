package markdown

import "testing"

func TestText(t *testing.T) {
	for md, want := range map[string]string{
		"**2 of 3** at [`C.m:4`](file:///ws/C.java#L4), `a.b`": "2 of 3 at C.m:4, a.b",
		`Map&lt;K&gt; \*x\* a\_b`:                              "Map<K&gt; *x* a_b",
		`a &amp; b [not a link](x)`:                            "a & b [not a link](x)",
	} {
		if got := Text(md); got != want {
			t.Errorf("%s: %q, want %q", md, got, want)
		}
	}
}

// A block has the first lines of a text, and no text ends it.
func TestBlock(t *testing.T) {
	for text, want := range map[string]string{
		"a\n# b\n\n":      "```\n  a\n  # b\n```\n",
		"a\nb\nc\n":       "```\n  a\n  b\n  …\n```\n",
		"x\n``` ```` end": "`````\n  x\n  ``` ```` end\n`````\n",
	} {
		if got := Block(text, 2); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
