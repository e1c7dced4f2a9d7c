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
