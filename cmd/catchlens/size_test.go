package main

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
)

// A report of a great many links says so where it lists them.
func TestSizeNote(t *testing.T) {
	for _, c := range []struct {
		links, inTests int
		format         string
		list, tests    bool
		want           string // how the note begins; "": there is none
	}{
		{manyLinks, 10, "json", false, false, ""},
		{manyLinks, 10, "json", false, true, "the report lists 200010 e-c links, about 1 GB; "},
		{2_640_000, 0, "json", false, true, "the report lists 2640000 e-c links, about 13 GB; "},
		{2_640_000, 0, "sarif", true, true, ""},
		{2_640_000, 0, "text", false, false, ""},
		{2_640_000, 10, "text", true, true, "the report lists 2640000 e-c links; "},
		{2_640_000, 10, "html", false, true, "the report lists 2640000 e-c links; "},
		{5000, 0, "json", false, true, ""},
	} {
		catches := []*snapshot.Catch{{Links: make([]*snapshot.Link, c.links)},
			{Links: make([]*snapshot.Link, c.inTests), InTests: true}}
		got := sizeNote(codelens.View{Snap: &snapshot.Snapshot{Catches: catches}}, c.format, c.list, c.tests)
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
