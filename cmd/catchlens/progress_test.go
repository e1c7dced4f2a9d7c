package main

import "testing"

// A line of progress stays in front of a terminal's last column.
func TestFit(t *testing.T) {
	for _, x := range []struct {
		text    string
		columns int
		want    string
	}{
		{"seven.", 7, "seven."}, {"seven..", 7, "seven…"}, {"seven", 80, "seven"}, {"", 80, ""},
		{"漢字漢字", 9, "漢字漢字"}, {"漢字漢字", 8, "漢字漢…"}, {"漢字漢字", 7, "漢字…"},
		{"e\u0301e\u0301e\u0301", 4, "e\u0301e\u0301e\u0301"}, {"e\u0301e\u0301e\u0301", 3, "e\u0301…"},
		{"some text", 1, "…"},
	} {
		if got := truncate(x.text, x.columns); got != x.want {
			t.Errorf("%q in %d columns: %q, want %q", x.text, x.columns, got, x.want)
		}
	}
}
