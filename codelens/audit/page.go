package audit

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/classname"
	"github.com/catchlens/catchlens/internal/interval"
)

// This file writes the page that a reader judges links from.

// Lines of source that stand around a line that a page shows.
const (
	linesBeforeThrow, linesAfterThrow = 12, 3
	linesAroundCall                   = 1
	linesBeforeCatch, linesAfterCatch = 8, 4
)

// Page is what is written of a draw.
type Page struct {
	View    codelens.View
	Seed    int64
	Drawn   []*snapshot.Link
	Of      int // how many could have been drawn
	Known   *Judgements
	Sources *Sources
	File    string // of the judgements, for readers
}

// Write writes the page as Markdown. The error is that of ctx, asked before each link, or of
// writing.
func (p *Page) Write(ctx context.Context, w io.Writer) error {
	c := p.Known.Configuration
	var b strings.Builder
	fmt.Fprintf(&b, "# %s of %d that nothing experienced\n\n", codelens.Count(len(p.Drawn), "link"), p.Of)
	fmt.Fprintf(&b, "Seed %d; call graph %s, exceptions %s, sites %s, entry points %s, JDK %d.\n\n", p.Seed,
		c.CallGraph, c.Exceptions, strings.Join(c.Sites, "+"), c.EntryPoints, c.JDK)
	fmt.Fprintf(&b, "A link is *feasible* if some input or environment makes this site throw this exception into "+
		"this catch, whatever the chain is that is shown; *infeasible* if none does; else *unclear*. Write what you "+
		"find, with the reason, into %s.\n\n", codelens.Code(p.File))
	b.WriteString(p.Rates())
	for i, l := range p.Drawn {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.link(&b, i+1, l)
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
		b.Reset()
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Rates is a table of how many of the links drawn are feasible, by kind of their throw site, as far
// as they have been judged.
func (p *Page) Rates() string {
	var b strings.Builder
	b.WriteString("| throw sites | drawn | judged | feasible | infeasible (Wilson, 95%) | unclear |\n" +
		"|---|---|---|---|---|---|\n")
	kinds := append(append([]string{}, p.Known.Sites...), "")
	for _, kind := range kinds {
		drawn, says := 0, map[string]int{}
		for _, l := range p.Drawn {
			if kind != "" && l.Site.Kind != kind {
				continue
			}
			drawn++
			if j := p.Known.Of(l); j != nil && j.Says != "" {
				says[j.Says]++
			}
		}
		name, judged := kind, says[Feasible]+says[Infeasible]+says[Unclear]
		if kind == "" {
			name = "all"
		}
		share := "–"
		if judged > 0 {
			low, high := interval.Wilson(says[Infeasible], judged)
			share = fmt.Sprintf("%d: %.0f%% [%.0f, %.0f]", says[Infeasible],
				100*float64(says[Infeasible])/float64(judged), 100*low, 100*high)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %s | %d |\n", name, drawn, judged, says[Feasible], share, says[Unclear])
	}
	return b.String()
}

// link writes one link: what it is, the catch, the throw, and the chain between them.
func (p *Page) link(b *strings.Builder, number int, l *snapshot.Link) {
	k := keyOf(l)
	fmt.Fprintf(b, "\n## %d. %s into %s:%d\n\n", number, codelens.Markdown(classname.InSource(l.Exception)),
		codelens.Markdown(l.Catch.File.Path), l.Catch.Line)
	fmt.Fprintf(b, "* exception %s\n* thrown at %s, %s\n* caught at %s\n* link %s\n", codelens.Code(k.exception),
		codelens.Code(k.site), l.Site.Kind, codelens.Code(k.catch), l.ID)
	if l.Root != nil {
		fmt.Fprintf(b, "* fails because of %s\n", codelens.Code(l.Root.Ref()))
	}
	if j := p.Known.Of(l); j != nil && j.Says != "" {
		fmt.Fprintf(b, "* judged **%s**: %s\n", j.Says, codelens.Markdown(strings.TrimSpace(j.Reason)))
	}
	b.WriteString("\nThe catch:\n\n")
	p.excerpt(b, l.Catch.Class, l.Catch.File.Path, l.Catch.Line, linesBeforeCatch, linesAfterCatch)
	chain := l.Chain()
	for i, f := range chain {
		before, after := linesAroundCall, linesAroundCall
		if i == len(chain)-1 {
			before, after = linesBeforeThrow, linesAfterThrow
			b.WriteString("\nThe throw: ")
		} else {
			fmt.Fprintf(b, "\n%d. ", i+1)
		}
		fmt.Fprintf(b, "%s, line %d\n\n", codelens.Code(f.Class+"."+f.Method), f.Line)
		p.excerpt(b, f.Class, f.File, f.Line, before, after)
	}
}

// excerpt writes the lines around one of a class's source, as far as the source is at hand.
func (p *Page) excerpt(b *strings.Builder, class, file string, line, before, after int) {
	lines := p.Sources.of(class, file)
	if line <= 0 || line > len(lines) {
		return
	}
	from, to := max(1, line-before), min(len(lines), line+after)
	fence := "```"
	for strings.Contains(strings.Join(lines[from-1:to], "\n"), fence) {
		fence += "`"
	}
	b.WriteString(fence + "java\n")
	for n := from; n <= to; n++ {
		mark := " "
		if n == line {
			mark = ">"
		}
		fmt.Fprintf(b, "%s%5d  %s\n", mark, n, codelens.Plain(strings.TrimRight(lines[n-1], "\r"), false))
	}
	b.WriteString(fence + "\n")
}
