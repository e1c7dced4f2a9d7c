package codelens

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file answers, in plain text, why a catch is said to be what it is.

// Explain writes what the verdict on a catch rests on, and for each of its links whose exception,
// throw site or ID contains what: what is known of it and its shortest chain, a frame a line.
// Throw sites that were ruled out and match follow, with the reason. An empty what matches all.
// The result is how many links and throw sites matched.
func Explain(w io.Writer, v View, c *snapshot.Catch, what string) int {
	fmt.Fprintf(w, "%s:%d catch (%s)\n%s\nid %s\n", Plain(c.File.Path, false), c.Line,
		Plain(strings.Join(c.Types, " | "), false), Plain(Title(v, c), false), Plain(c.ID, false))
	if s := v.state(c); s != nil && s.Ran {
		fmt.Fprintf(w, "verdict: %s\n", Plain(v.verdictWhy(c, s), false))
		for _, m := range v.missing(c, s) {
			fmt.Fprintf(w, "missing for %s\n", Plain(m, false))
		}
	} else {
		fmt.Fprintln(w, "verdict: no test has been run yet")
	}
	matched := explainLinks(w, v, c, what) + explainUnpredicted(w, v, c, what)
	return matched + explainDiscards(w, v.Snap.Discards(c), what)
}

// maxElsewhere is how many other catches WhyNoLink names.
const maxElsewhere = 3

// WhyNoLink says in one line what may keep a catch from links whose exception, throw site or ID
// contains what: other catches that have such links, by place, else what the analysis leaves out.
func WhyNoLink(v View, c *snapshot.Catch, what string) string {
	var places []string
	others := 0
	for _, other := range v.Snap.Catches {
		if other == c || !slices.ContainsFunc(v.Links(other), func(l *snapshot.Link) bool {
			return matches(what, l.ID, l.Exception, SiteName(*l.Site))
		}) {
			continue
		}
		if others++; others <= maxElsewhere {
			places = append(places, fmt.Sprintf("%s:%d", Plain(other.File.Path, false), other.Line))
		}
	}
	if others > 0 {
		more := ""
		if n := others - len(places); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		return "such links are at " + strings.Join(places, ", ") + more
	}
	cfg := v.Snap.Config
	return fmt.Sprintf("nor does any other catch have such a link, with exceptions %s and sites %s (--exceptions all "+
		"and --sites show more; without the word all of this catch are shown)", cfg.Studied.Exceptions,
		strings.Join(cfg.Studied.Sites.Names(), "+"))
}

// matches tells whether one of the texts contains what, whatever its case.
func matches(what string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(t string) bool {
		return strings.Contains(strings.ToLower(t), strings.ToLower(what))
	})
}

func explainLinks(w io.Writer, v View, c *snapshot.Catch, what string) (n int) {
	for _, l := range v.Links(c) {
		site := SiteName(*l.Site)
		if !matches(what, l.ID, l.Exception, site) {
			continue
		}
		n++
		fmt.Fprintf(w, "\n%s from %s (%s), link %s\n", Plain(l.Exception, false), Plain(site, false), l.Site.Kind, l.ID)
		known := "predicted, not experienced"
		if x := experienced(v, l); x != nil {
			known = experiencedText(x, plainName)
		} else if t, ok := tried(v, l); ok {
			known = Plain(triedText(l, t), false)
		} else if why := v.misuse(l); why != "" {
			known = "predicted, not experienced, counted nowhere: " + Plain(why, false)
		}
		fmt.Fprintf(w, "  %s\n", known)
		if l.Root != nil {
			fmt.Fprintf(w, "  fails because of %s\n", Plain(SiteName(*l.Root), false))
		}
		for _, f := range l.Chain() {
			fmt.Fprintf(w, "  at %s\n", Plain(frameLine(f), false))
		}
		if text := chainsText(l); text != "" {
			fmt.Fprintf(w, "  %s\n", text)
		}
	}
	return n
}

func explainUnpredicted(w io.Writer, v View, c *snapshot.Catch, what string) (n int) {
	for _, u := range v.unpredicted(c) {
		if !matches(what, u.Seen.Exception, seenAt(u)) {
			continue
		}
		n++
		fmt.Fprintf(w, "\n%s from %s\n  %s, not predicted\n", Plain(sourceName(u.Seen.Exception), false),
			Plain(seenAt(u), false), experiencedText(&u.Experienced, plainName))
	}
	return n
}

func explainDiscards(w io.Writer, discards []snapshot.Discard, what string) (n int) {
	for _, d := range discards {
		if !matches(what, SiteName(d.Site)) {
			continue
		}
		n++
		such := Plain(SiteName(d.Site), false)
		if d.Links > 1 {
			such = fmt.Sprintf("%d throw sites, such as %s", d.Links, such)
		}
		fmt.Fprintf(w, "\nruled out: %s\n  %s\n", such, strings.ReplaceAll(discardReason(d), "`", ""))
	}
	return n
}

// frameLine is a frame with its line, and the file where that is known.
func frameLine(f snapshot.Frame) string {
	text := ShortMethod(f.Class, f.Method)
	switch {
	case f.File != "" && f.Line > 0:
		return fmt.Sprintf("%s (%s:%d)", text, f.File, f.Line)
	case f.Line > 0:
		return fmt.Sprintf("%s:%d", text, f.Line)
	}
	return text
}
