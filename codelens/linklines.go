package codelens

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file writes the predicted links one a line, for those who compare them with what another
// version predicts.

// WriteLinkLines writes a line for each predicted link of the catches that wanted takes, with
// fields between tabs: ID of the catch, exception, throw site with its ordinal, kind, root or "-",
// and how many frames the shortest chain has. No field holds a line number, so that code which has
// only moved gives the same lines; they are in the order of their bytes. Links that were ruled out
// and those that only runs know are left out. The result is how many lines were written; the error
// is that of ctx, asked before each link, or of writing.
func WriteLinkLines(ctx context.Context, w io.Writer, v View, wanted func(*snapshot.Catch) bool) (int, error) {
	out := bufio.NewWriter(w)
	catches := slices.DeleteFunc(slices.Clone(v.Snap.Catches), func(c *snapshot.Catch) bool { return !wanted(c) })
	// A tab is less than what may follow in a longer ID: so the lines of all catches are in order.
	slices.SortStableFunc(catches, func(a, b *snapshot.Catch) int { return strings.Compare(field(a.ID), field(b.ID)) })
	n := 0
	for _, c := range catches {
		if err := findChains(ctx, c.Links); err != nil {
			return n, err
		}
		lines := make([]string, 0, len(c.Links))
		for _, l := range c.Links {
			lines = append(lines, linkLine(l))
		}
		slices.Sort(lines)
		for _, line := range lines {
			if _, err := out.WriteString(line); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, out.Flush()
}

// linkLine is the line of a link, with its end.
func linkLine(l *snapshot.Link) string {
	root := "-"
	if l.Root != nil {
		root = wholeSite(*l.Root)
	}
	fields := []string{l.Catch.ID, l.Exception, wholeSite(*l.Site), l.Site.Kind, root, fmt.Sprint(l.ChainLength())}
	for i, f := range fields {
		fields[i] = field(f)
	}
	return strings.Join(fields, "\t") + "\n"
}

// field is a text without a tab or an end of line: names in class files may have them.
func field(s string) string { return strings.ReplaceAll(Plain(s, false), "\t", " ") }

// wholeSite names a throw site as no other is named: class, method with its descriptor, and
// ordinal, or the user's own fault that strikes there.
func wholeSite(s snapshot.Site) string {
	if s.Fault != "" {
		return fmt.Sprintf("%s.%s fault %s", s.Class, s.Method, s.Fault)
	}
	return fmt.Sprintf("%s.%s#%d", s.Class, s.Method, s.Ordinal)
}
