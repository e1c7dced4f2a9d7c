package codelens

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// manyLinks is a view of a catch with as many links as there are with implicit throw sites.
func manyLinks(n int) (View, *snapshot.Catch) {
	v, c := view()
	chain := c.Links[0].Chain()
	c.Links = nil
	for i := range n {
		l := &snapshot.Link{ID: fmt.Sprint("link", i), Catch: c, Exception: "java.lang.NullPointerException", Own: true,
			Site: &snapshot.Site{Class: "p.D", Method: "n()V", Ordinal: i, Line: 9, Kind: "implicit",
				File: "src/p/D.java"}}
		l.SetChain(chain)
		c.Links = append(c.Links, l)
	}
	return v, c
}

// A report that is written as it is made is the one that is made in memory.
func TestWriteReport(t *testing.T) {
	for _, x := range []struct {
		name   string
		change func(v View, c *snapshot.Catch) View
	}{
		{"two links", func(v View, c *snapshot.Catch) View { return v }},
		{"no link", func(v View, c *snapshot.Catch) View { c.Links = nil; return v }},
		{"no catch", func(v View, c *snapshot.Catch) View { v.Snap.Catches = nil; return v }},
		{"two catches", func(v View, c *snapshot.Catch) View {
			v.Snap.Catches = append(v.Snap.Catches, &snapshot.Catch{ID: "other", File: c.File, Line: 5, Links: c.Links,
				Types: c.Types})
			return v
		}},
		{"a catch of tests", func(v View, c *snapshot.Catch) View { c.InTests = true; return v }},
		{"texts that look like lists", func(v View, c *snapshot.Catch) View {
			c.Class = "\n      \"links\": []<&>"
			v.Snap.Problems = []snapshot.Problem{{Severity: "info", Message: "\n  \"catches\": []"}}
			return v
		}},
		{"results", func(v View, c *snapshot.Catch) View {
			v, st := laid(v, c, record.Usage{White: 1}, record.Fail, "m")
			st.Links["own"] = &results.Experienced{Tests: []string{"p.CTest#m"}}
			v.Results.Unpredicted = []results.Unpredicted{{Catch: c,
				Seen: record.Experienced{Catch: c.ID, Exception: "java/io/EOFException",
					Site: record.SiteRef{Kind: "explicit"}}}}
			return v
		}},
	} {
		v, c := view()
		v = x.change(v, c)
		for _, withTests := range []bool{false, true} {
			var want, got bytes.Buffer
			enc := json.NewEncoder(&want)
			enc.SetIndent("", "  ")
			if err := enc.Encode(reported(t, v, withTests)); err != nil {
				t.Fatal(err)
			}
			if err := WriteReport(t.Context(), &got, v, "1", withTests); err != nil || got.String() != want.String() {
				t.Errorf("%s, with tests %v: error %v, got\n%s\nwant\n%s", x.name, withTests, err, &got, &want)
			}
		}
	}
}

// meter notes how much is written, and how much at once.
type meter struct {
	total, most int
	cancel      func() // called after cancelAfter bytes
}

// cancelAfter is less than any report has of the links of a test that cancels it.
const cancelAfter = 128 << 10

func (m *meter) Write(p []byte) (int, error) {
	m.total, m.most = m.total+len(p), max(m.most, len(p))
	if m.cancel != nil && m.total > cancelAfter {
		m.cancel()
	}
	return len(p), nil
}

// reports are the ways to write all links.
var reports = map[string]func(context.Context, io.Writer, View) error{
	"json": func(ctx context.Context, w io.Writer, v View) error { return WriteReport(ctx, w, v, "1", false) },
	"html": func(ctx context.Context, w io.Writer, v View) error { return HTMLReport(ctx, w, v, "1") },
	"text": func(ctx context.Context, w io.Writer, v View) error { return Text(ctx, w, v, TextOptions{Links: true}) },
}

// What is in memory of a report does not grow with the number of links: a link is written before
// the next one is made, and each allocates as much, however many there are.
func TestReportsOfManyLinks(t *testing.T) {
	const few, many = 1000, 8000
	for name, write := range reports {
		perLink := func(n int) float64 {
			v, _ := manyLinks(n)
			var m meter
			bytes := allocated(func() {
				if err := write(t.Context(), &m, v); err != nil {
					t.Fatal(err)
				}
			})
			if m.most > 64<<10 || m.total < len("[1,2,3]\n")*n {
				t.Errorf("%s: %d links in %d bytes, of which %d at once", name, n, m.total, m.most)
			}
			return bytes / float64(n)
		}
		if a, b := perLink(few), perLink(many); b > 2*a+1000 {
			t.Errorf("%s: %.0f bytes are allocated for each of %d links, %.0f for each of %d", name, a, few, b, many)
		}
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// A report that is cancelled ends within a link or two, with the error of the context.
func TestReportsAreCancelled(t *testing.T) {
	v, _ := manyLinks(40_000)
	for name, write := range reports {
		ctx, cancel := context.WithCancel(t.Context())
		m := meter{cancel: cancel}
		if err := write(ctx, &m, v); !errors.Is(err, context.Canceled) || m.total > cancelAfter+64<<10 {
			t.Errorf("%s: %d bytes are written, error %v", name, m.total, err)
		}
		cancel()
		m = meter{}
		if err := write(ctx, &m, v); !errors.Is(err, context.Canceled) || m.total > 64<<10 {
			t.Errorf("%s, cancelled before: %d bytes are written, error %v", name, m.total, err)
		}
	}
}
