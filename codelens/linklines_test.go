package codelens

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// linkLines is what WriteLinkLines writes of all catches.
func linkLines(t *testing.T, v View) string {
	t.Helper()
	var out bytes.Buffer
	n, err := WriteLinkLines(t.Context(), &out, v, func(*snapshot.Catch) bool { return true })
	if err != nil || n != strings.Count(out.String(), "\n") {
		t.Errorf("%d lines, error %v, in\n%s", n, err, &out)
	}
	return out.String()
}

// The lines of links are in the order of their bytes, whatever the order of catches and links, and
// code that has moved gives the same ones.
func TestLinkLines(t *testing.T) {
	v, c := view()
	c.ID = "p.C.m()V#1"
	longer := &snapshot.Catch{ID: "p.C.m()V#10", File: c.File, Line: 5}
	site := func(class string, ordinal, line int) *snapshot.Site {
		return &snapshot.Site{Class: class, Method: "n()V", Ordinal: ordinal, Line: line, Kind: "explicit"}
	}
	link := func(c *snapshot.Catch, exception string, at, root *snapshot.Site, frames int) {
		l := &snapshot.Link{Catch: c, Exception: exception, Site: at, Root: root}
		l.SetChain(make([]snapshot.Frame, frames))
		c.Links = append(c.Links, l)
	}
	c.Links = nil
	link(c, "java.io.IOException", site("p.D", 1, 7), nil, 3)
	link(c, "java.io.IOException", site("p.D", 0, 6), &snapshot.Site{Class: "p.E", Method: "r\t()V"}, 2)
	link(c, "java.io.EOFException", &snapshot.Site{Class: "p.D", Method: "n()V", Ordinal: -1, Kind: "declared",
		Fault: "slow"}, nil, 1)
	link(longer, "java.io.EOFException", site("p.A", 0, 4), nil, 1)
	v.Snap.Catches = []*snapshot.Catch{longer, c}
	const want = "p.C.m()V#1\tjava.io.EOFException\tp.D.n()V fault slow\tdeclared\t-\t1\n" +
		"p.C.m()V#1\tjava.io.IOException\tp.D.n()V#0\texplicit\tp.E.r ()V#0\t2\n" +
		"p.C.m()V#1\tjava.io.IOException\tp.D.n()V#1\texplicit\t-\t3\n" +
		"p.C.m()V#10\tjava.io.EOFException\tp.A.n()V#0\texplicit\t-\t1\n"
	if got := linkLines(t, v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	slices.Reverse(c.Links)
	slices.Reverse(v.Snap.Catches)
	for _, l := range c.Links {
		l.Site.Line += 40
	}
	if got := linkLines(t, v); got != want {
		t.Errorf("in another order, and moved:\n%s\nwant\n%s", got, want)
	}
	if !slices.IsSorted(strings.SplitAfter(strings.TrimSuffix(want, "\n"), "\n")) {
		t.Error("what is wanted is not in order")
	}
	var out bytes.Buffer
	only := func(x *snapshot.Catch) bool { return x == longer }
	if n, err := WriteLinkLines(t.Context(), &out, v, only); n != 1 || err != nil {
		t.Errorf("of one catch: %d lines, %v\n%s", n, err, &out)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := WriteLinkLines(ended, &out, v, only); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
