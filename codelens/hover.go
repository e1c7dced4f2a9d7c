package codelens

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens/javatext"
	"github.com/catchlens/catchlens/codelens/nonetext"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file writes hovers, in Markdown.

// Limits that keep a hover readable; the rest is in "show chains".
const (
	maxHoverLinks = 12 // links shown of one catch
	maxChain      = 14 // frames shown of one chain

	maxHoverDiscards = 4 // reasons why links were ruled out
	maxPageDiscards  = 50

	maxPageUnpredicted = 200
	maxReasonClasses   = 3 // classes named in one
)

// SourceURI turns a place in code (line 0: none) into a link target; "" where the source is not at
// hand. A frame without a class is a place in a file.
type SourceURI func(at snapshot.Frame) string

// FileURI is the SourceURI of files below root.
func FileURI(root string) SourceURI {
	return func(at snapshot.Frame) string {
		path, line := at.File, at.Line
		if path == "" {
			return ""
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, filepath.FromSlash(path))
		}
		p := filepath.ToSlash(path)
		if !strings.HasPrefix(p, "/") {
			p = "/" + p
		}
		u := url.URL{Scheme: "file", Path: p}
		if line > 0 {
			u.Fragment = fmt.Sprintf("L%d", line)
		}
		return u.String()
	}
}

// longHover is the hover of a catch in the terms of the papers: its verdict and what it rests on,
// and its links grouped by exception, the workspace's own throws first.
func longHover(v View, c *snapshot.Catch, uri SourceURI) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", Markdown(Title(v, c)))
	if c.HiddenBy != "" || !c.Compiled {
		b.WriteString(withoutHandler(v, c) + "\n")
		return b.String()
	}
	if s := v.state(c); s != nil && len(s.StaleBy) > 0 && v.Stale(c) {
		fmt.Fprintf(&b, "%s\n\n", sentence(s.WhyStale()+" since these results were recorded: run the tests again"))
	}
	if len(c.Handlers) == 0 {
		b.WriteString(withoutHandler(v, c) + "\n")
		return b.String()
	}
	contractParagraph(&b, v, c, uri)
	if _, p := v.Coverage(c); p == 0 {
		b.WriteString(whyNone(v, c))
	}
	unpredictedItems(&b, v, c, maxHoverLinks)
	shown := 0
	misused, links := v.misused(c)
	for _, g := range groupLinks(links) {
		if shown >= maxHoverLinks {
			break
		}
		fmt.Fprintf(&b, "\n%s — %d %s\n\n", Code(g.exception), len(g.links), plural(len(g.links), "throw site"))
		for _, l := range g.links {
			if shown++; shown > maxHoverLinks {
				break
			}
			linkItem(&b, v, l, uri)
		}
	}
	if n := len(links) - maxHoverLinks; n > 0 {
		fmt.Fprintf(&b, "\n… and %d more: the lens opens them all.\n", n)
	}
	misuseParagraph(&b, v, misused, uri)
	discardsParagraph(&b, v.Snap.Discards(c), maxHoverDiscards, uri)
	if _, p := v.Coverage(c); p > 0 {
		b.WriteString(nonetext.Beside(v.Snap, c))
	}
	return b.String()
}

// maxMisused is how many links that need the misuse of an object a hover names.
const maxMisused = 3

// misuseParagraph names links that need the misuse of an object, with what they need.
func misuseParagraph(b *strings.Builder, v View, links []*snapshot.Link, uri SourceURI) {
	if len(links) == 0 {
		return
	}
	fmt.Fprintf(b, "\nOnly if an object is misused, such as used after it was closed or before it was opened, "+
		"and counted nowhere: %d %s.\n\n", len(links), plural(len(links), "throw site"))
	for i, l := range links {
		if i == maxMisused {
			fmt.Fprintf(b, "- … and %d more\n", len(links)-i)
			break
		}
		fmt.Fprintf(b, "- %s from %s: %s\n", Code(l.Exception), siteText(*l.Site, uri), Markdown(v.misuse(l)))
	}
}

// discardsParagraph says why links of the call graph alone are not among those of the catch.
func discardsParagraph(b *strings.Builder, list []snapshot.Discard, most int, uri SourceURI) {
	n := 0
	for _, d := range list {
		n += d.Links
	}
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "\nRuled out: %d further %s.\n\n", n, plural(n, "throw site"))
	for i, d := range list {
		if i == most {
			fmt.Fprintf(b, "- … and %d other %s\n", len(list)-i, plural(len(list)-i, "reason"))
			break
		}
		such := ""
		if d.Links > 1 {
			such = fmt.Sprintf("%d throw sites, such as ", d.Links)
		}
		fmt.Fprintf(b, "- %s%s: %s\n", such, siteText(d.Site, uri), discardReason(d))
	}
}

// passing are the calls in which a condition is asked about. Others may make it hold, where what is
// thrown then is caught on the way.
const passing = "in no call from here that lets exceptions through"

// discardReason is the reason in words.
func discardReason(d snapshot.Discard) string {
	switch {
	case d.Condition && d.Callee.Class != "":
		return fmt.Sprintf("%s calls %s only where a condition holds, and it holds "+passing,
			Code(ShortMethod(d.Caller.Class, d.Caller.Method)), Code(ShortMethod(d.Callee.Class, d.Callee.Method)))
	case d.Condition:
		return "its condition holds " + passing
	case len(d.Classes) == 0:
		return "none of the ways to it remains"
	}
	var names []string
	for i, c := range classname.InSourceAll(d.Classes) {
		if i == maxReasonClasses && len(d.Classes) > i+1 {
			names = append(names, fmt.Sprintf("any of %d others", len(d.Classes)-i))
			break
		}
		names = append(names, Code(c))
	}
	what := strings.Join(names, ", ")
	if i := strings.LastIndex(what, ", "); i >= 0 {
		what = what[:i] + " or " + what[i+2:]
	}
	if d.None || d.Caller.Class == "" {
		return "no " + what + " can be reached from here"
	}
	return fmt.Sprintf("no %s that %s could call on can be reached from here", what,
		Code(ShortMethod(d.Caller.Class, d.Caller.Method)))
}

func contractParagraph(b *strings.Builder, v View, c *snapshot.Catch, uri SourceURI) {
	s := v.state(c)
	if s == nil || !s.Ran || v.unknownYet(c, s) {
		b.WriteString(verdictParagraph(v, c, uri) + "\n")
		return
	}
	fmt.Fprintf(b, "Source independence: %s. Pure resilience: %s. %s.\n",
		sourceWord(&s.Verdict), answerWord(s.Verdict.PureResilience, s.Verdict.ResilienceCertain),
		Markdown(sentence(v.verdictWhy(c, s))+v.soFar()))
	if text := codeSentence(v, c, s); text != "" {
		fmt.Fprintf(b, "\n%s\n", Markdown(text))
	}
	if text := otherReadingText(s); text != "" {
		fmt.Fprintf(b, "\n%s\n", Markdown(text))
	}
	for _, d := range differing(s) {
		fmt.Fprintf(b, "\n%s\n", Markdown(d))
	}
	if u := s.Usage; len(s.Tests) > 0 {
		fmt.Fprintf(b, "\nIn %s this try ran %s: %d without an exception (pink), %d in which this catch caught one "+
			"(white), %d that another exception left (blue).\n", Count(len(s.Tests), "passing test"),
			Count(u.Pink+u.White+u.Blue, "time"), u.Pink, u.White, u.Blue)
	}
	evidenceParagraph(b, v, c, s, uri)
	if text := stretchSentence(v, c); text != "" {
		fmt.Fprintf(b, "\n%s.\n", Markdown(text))
	}
	if text := faultText(v, c); text != "" {
		fmt.Fprintf(b, "\n%s\n", Markdown(text))
	}
	if reason, ok := v.accepted(c, CodeSourceDependent); ok && s.Verdict.SourceIndependence == shortcircuit.Violated {
		fmt.Fprintf(b, "\nAccepted: %s\n", Markdown(reason))
	}
}

// answerWord is an answer, and whether it is certain: seen in fresh JVMs.
func answerWord(a shortcircuit.Answer, certain bool) string {
	word := "**" + string(a) + "**"
	switch {
	case a == shortcircuit.Unknown:
		return word
	case certain:
		return word + ", confirmed in a fresh JVM"
	}
	return word + ", not yet confirmed"
}

// sourceWord is answerWord of source independence, which the code of the clause may show, too.
func sourceWord(v *shortcircuit.Verdict) string {
	if v.ByCode {
		return "**" + string(v.SourceIndependence) + "**, by its code"
	}
	return answerWord(v.SourceIndependence, v.SourceCertain)
}

// codeSentence says of a catch that no test makes run what its code shows; "" where that is
// nothing, or the verdict says it.
func codeSentence(v View, c *snapshot.Catch, s *results.State) string {
	r := v.Snap.Clause(c)
	if r.Ground == clause.Unproven || s.Verdict.ByCode || s.Verdict.SourceIndependence != shortcircuit.Unknown {
		return ""
	}
	return "By its code it does not matter where in the try the exception comes from: " + r.Why + "."
}

// maxDiffering is how many runs a hover names that ended differently in a fresh JVM.
const maxDiffering = 3

// differing lists, in words, the runs that ended otherwise in a fresh JVM than in
// one that had other injected runs before.
func differing(s *results.State) (texts []string) {
	for _, c := range s.Matrix {
		if c.Differs == "" {
			continue
		}
		if len(texts) == maxDiffering {
			return append(texts, "… and others that depend on what was run before.")
		}
		texts = append(texts, fmt.Sprintf("%s depends on what was run before: %s in a fresh JVM, which counts; %s.",
			c.Test, c.Outcome, c.Differs))
	}
	return texts
}

// sentence starts a text with a capital letter, unless it starts with a name.
func sentence(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if strings.ContainsAny(first, ".#") {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

type linkGroup struct {
	exception string
	own       bool
	links     []*snapshot.Link
}

// groupLinks groups links by exception: groups with throws of the workspace's
// own first, then by size and name; within a group own throws first.
func groupLinks(links []*snapshot.Link) []linkGroup {
	byName := map[string]*linkGroup{}
	var groups []*linkGroup
	for _, l := range links {
		g := byName[l.Exception]
		if g == nil {
			g = &linkGroup{exception: l.Exception}
			byName[l.Exception] = g
			groups = append(groups, g)
		}
		g.links = append(g.links, l)
		g.own = g.own || l.Own
	}
	sort.SliceStable(groups, func(i, j int) bool {
		a, b := groups[i], groups[j]
		if a.own != b.own {
			return a.own
		}
		return a.exception < b.exception
	})
	out := make([]linkGroup, len(groups))
	for i, g := range groups {
		sort.SliceStable(g.links, func(i, j int) bool {
			a, b := g.links[i], g.links[j]
			if a.Own != b.Own {
				return a.Own
			}
			return a.ChainLength() < b.ChainLength()
		})
		out[i] = *g
	}
	return out
}

func linkItem(b *strings.Builder, v View, l *snapshot.Link, uri SourceURI) {
	fmt.Fprintf(b, "- %s from %s", linkMark(v, l), siteText(*l.Site, uri))
	if l.Root != nil {
		fmt.Fprintf(b, ", rooted in %s", siteText(*l.Root, uri))
	}
	if text := wrapsText(l, uri); text != "" {
		fmt.Fprintf(b, ", wraps %s", text)
	}
	if reason, ok := v.Infeasible[l.ID]; ok {
		fmt.Fprintf(b, " — judged infeasible: %s", Markdown(reason))
	}
	chain := l.Chain()
	if len(chain) > 1 {
		b.WriteString("\\") // a line break
	}
	b.WriteString("\n")
	if len(chain) > 1 {
		b.WriteString("  ")
		for i, f := range chain {
			if i == maxChain {
				fmt.Fprintf(b, " → … %d more", len(chain)-i)
				break
			}
			if i > 0 {
				b.WriteString(" → ")
			}
			b.WriteString(frameText(f, uri))
		}
		if text := chainsText(l); text != "" {
			fmt.Fprintf(b, " (%s)", text)
		}
		b.WriteString("\n")
	}
}

// shownCauses is how many exceptions are shown that one may wrap.
const shownCauses = 3

// wrapsText says what a link's exception may have as its cause; "" if nothing is known of it.
func wrapsText(l *snapshot.Link, uri SourceURI) string {
	list, all := l.Wraps()
	var parts []string
	for _, w := range list[:min(len(list), shownCauses)] {
		parts = append(parts, Code(classname.InSource(w.Exception))+" from "+siteText(w.Site, uri))
	}
	if n := all - shownCauses; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, ", ")
}

// chainsText says how many chains the shown one stands for; "" if it is the only
// one.
func chainsText(l *snapshot.Link) string {
	switch n, limited := l.CountChains(); {
	case limited && n > 1:
		return fmt.Sprintf("the shortest of more than %d chains", n)
	case limited:
		return "the shortest of many chains"
	case n > 1:
		return fmt.Sprintf("the shortest of %d chains", n)
	default:
		return ""
	}
}

// linkMark says in words what is known of a link.
func linkMark(v View, l *snapshot.Link) string {
	if x := experienced(v, l); x != nil {
		return experiencedText(x, Code)
	}
	if t, ok := tried(v, l); ok {
		return Markdown(triedText(l, t))
	}
	if why := v.misuse(l); why != "" {
		return Markdown(why)
	}
	return "predicted"
}

// experiencedText says who made a link happen, with the name of a test in the given form.
func experiencedText(x *results.Experienced, name func(string) string) string {
	s := "experienced by " + name(x.Tests[0])
	if n := len(x.Tests); n > 1 {
		s += fmt.Sprintf(" and %d more", n-1)
	}
	if !x.Baseline {
		s += withFault(x.Kinds)
	}
	return s
}

// plainName is a name in plain text.
func plainName(name string) string { return Plain(name, false) }

// unpredictedItems lists what runs experienced and the analysis did not predict, most of them at
// most.
func unpredictedItems(b *strings.Builder, v View, c *snapshot.Catch, most int) {
	list := v.unpredicted(c)
	if len(list) == 0 {
		return
	}
	b.WriteString("\nNot predicted:\n\n")
	for i, u := range list {
		if i == most {
			fmt.Fprintf(b, "- … and %d more\n", len(list)-i)
			break
		}
		fmt.Fprintf(b, "- %s from %s, %s\n", Code(sourceName(u.Seen.Exception)), Code(seenAt(u)),
			experiencedText(&u.Experienced, Code))
	}
	if slices.ContainsFunc(list, func(u *results.Unpredicted) bool { return u.Pending }) {
		b.WriteString("\nTests ran methods that the analysis knew no call of; the next one knows of them.\n")
	}
}

// seenAt is where an exception was thrown that the analysis did not predict, in plain text.
func seenAt(u *results.Unpredicted) string {
	at := u.Seen.Site
	text := ShortMethod(sourceName(at.Class), at.Method)
	if at.Kind == "native" {
		text += " (native)"
	}
	if at.Line > 0 {
		text += fmt.Sprintf(":%d", at.Line)
	}
	return text
}

func experienced(v View, l *snapshot.Link) *results.Experienced {
	if s := v.state(l.Catch); s != nil {
		return s.Links[l.ID]
	}
	return nil
}

// IsExperienced tells whether a run has made a link happen.
func (v View) IsExperienced(l *snapshot.Link) bool { return experienced(v, l) != nil }

// SiteName is a throw site in a title, with its line where it is known: a method often throws one
// exception in several places.
func SiteName(s snapshot.Site) string {
	name := ShortMethod(s.Class, s.Method)
	if s.Line > 0 {
		name += fmt.Sprintf(":%d", s.Line)
	}
	return name
}

func siteText(s snapshot.Site, uri SourceURI) string {
	text := ShortMethod(s.Class, s.Method)
	if s.Kind == "native" {
		text += " (native)"
	}
	if s.Fault != "" {
		text += " (fault " + s.Fault + ")"
	}
	if s.Line > 0 {
		text += fmt.Sprintf(":%d", s.Line)
	}
	return linked(text, snapshot.Frame{Class: s.Class, Method: s.Method, Line: s.Line, File: s.File}, uri)
}

func frameText(f snapshot.Frame, uri SourceURI) string {
	return linked(FrameName(f), f, uri)
}

// FrameName is a frame for people, in plain text: its method and, where it is known, its line.
func FrameName(f snapshot.Frame) string {
	text := ShortMethod(f.Class, f.Method)
	if f.Line > 0 {
		text += fmt.Sprintf(":%d", f.Line)
	}
	return text
}

// ParameterTypes are the parameters of a method, given with its descriptor, by their simple names
// in parentheses.
func ParameterTypes(method string) string {
	i := strings.IndexByte(method, '(')
	if i < 0 {
		return ""
	}
	var names []string
	for _, p := range classfile.Parameters(method[i:]) {
		base := strings.TrimLeft(p, "[")
		name := javatext.Primitives[base]
		if name == "" {
			name = classname.InSource(snapshot.Dotted(strings.TrimSuffix(strings.TrimPrefix(base, "L"), ";")))
		}
		names = append(names, name+strings.Repeat("[]", len(p)-len(base)))
	}
	return Plain("("+strings.Join(names, ", ")+")", false)
}

// placeOf is where a catch stands.
func placeOf(c *snapshot.Catch) snapshot.Frame {
	return snapshot.Frame{File: c.File.Path, Line: c.Line}
}

func linked(text string, at snapshot.Frame, uri SourceURI) string {
	if uri != nil {
		if target := uri(at); target != "" {
			return "[" + Code(text) + "](" + target + ")"
		}
	}
	return Code(text)
}

// ShortMethod is a method's name for people, in plain text: class without package, method
// without descriptor.
func ShortMethod(class, method string) string {
	class = classname.InSource(class)
	if i := strings.IndexByte(method, '('); i >= 0 {
		method = method[:i]
	}
	return Plain(class+"."+classname.Method(method), false) // a class file may name them by any characters
}

// LandingHover is the hover of a throw, or of a call inside a try: where its exceptions are caught,
// in rows of one exception at one catch with the number of its links, which are among those that
// the lens of the catch counts. Catches of the same try come first, then those of the same file.
func LandingHover(v View, landings []snapshot.Landing, from Place, uri SourceURI) string {
	var rows []landingRow
	var uncaught []string
	for _, l := range landings {
		if l.Link == nil {
			uncaught = append(uncaught, l.Exception)
			continue
		}
		if _, judged := v.Infeasible[l.Link.ID]; judged || !slices.Contains(v.Links(l.Link.Catch), l.Link) {
			continue
		}
		i := slices.IndexFunc(rows, func(r landingRow) bool {
			return r.exception == l.Exception && r.catch == l.Link.Catch
		})
		if i < 0 {
			i = len(rows)
			rows = append(rows, landingRow{exception: l.Exception, catch: l.Link.Catch})
		}
		rows[i].links++
		if experienced(v, l.Link) != nil {
			rows[i].experienced++
		}
	}
	if len(rows)+len(uncaught) == 0 {
		return ""
	}
	slices.SortStableFunc(rows, func(a, b landingRow) int {
		return cmp.Or(cmp.Compare(from.distance(a.catch), from.distance(b.catch)),
			cmp.Compare(a.catch.File.Path, b.catch.File.Path),
			cmp.Compare(a.catch.Line, b.catch.Line), cmp.Compare(a.exception, b.exception))
	})
	var b strings.Builder
	b.WriteString("**Where its exceptions are caught**\n\n")
	for i, r := range rows {
		if i == maxHoverLinks {
			fmt.Fprintf(&b, "- … and %d more\n", len(rows)-i)
			break
		}
		seen := ""
		if r.experienced > 0 {
			seen = fmt.Sprintf(", %d experienced", r.experienced)
		}
		fmt.Fprintf(&b, "- %s: %s, %s%s\n", Code(r.exception), linked(
			fmt.Sprintf("catch (%s) in %s:%d", strings.Join(classname.InSourceAll(r.catch.Types), " | "),
				ShortMethod(r.catch.Class, r.catch.Method), r.catch.Line),
			placeOf(r.catch), uri), Count(r.links, "e-c link"), seen)
	}
	for _, t := range uncaught {
		fmt.Fprintf(&b, "- %s: there is a way on which no catch of the workspace takes it\n", Code(t))
	}
	return b.String()
}

// landingRow is an exception that arrives at a catch.
type landingRow struct {
	exception          string
	catch              *snapshot.Catch
	links, experienced int
}

// Place is where something stands in a source of the snapshot.
type Place struct {
	File   *snapshot.File
	Offset int
}

// distance orders catches by how near they are: 0 where the place is in the try, 1 in the same
// file, else 2.
func (p Place) distance(c *snapshot.Catch) int {
	switch {
	case c.File != p.File:
		return 2
	case c.Source != nil && c.Source.Try != nil && c.Source.Try.Span.Contains(p.Offset):
		return 0
	}
	return 1
}

// pageHead begins a page in Markdown about a catch: what it is, where, its title and contract.
func pageHead(b *strings.Builder, what string, v View, c *snapshot.Catch, uri SourceURI) {
	fmt.Fprintf(b, "# %s (%s) in %s\n\n%s, line %d\n\n**%s**\n\n", what,
		Markdown(strings.Join(classname.InSourceAll(c.Types), " | ")), Markdown(ShortMethod(c.Class, c.Method)),
		linked(c.File.Path, placeOf(c), uri), c.Line, Markdown(Title(v, c)))
	contractParagraph(b, v, c, uri)
}

// ChainsPage is the Markdown document that "show chains" opens: every link of a
// catch with its shortest chain, one frame a line.
func ChainsPage(v View, c *snapshot.Catch, uri SourceURI) string {
	var b strings.Builder
	pageHead(&b, "catch", v, c, uri)
	matrixList(&b, v, c)
	unpredictedItems(&b, v, c, maxPageUnpredicted)
	for _, g := range groupLinks(v.Links(c)) {
		fmt.Fprintf(&b, "\n## %s\n", Markdown(g.exception))
		for _, l := range g.links {
			fmt.Fprintf(&b, "\n%s from %s\n\n", sentence(linkMark(v, l)), siteText(*l.Site, uri))
			if text := wrapsText(l, uri); text != "" {
				fmt.Fprintf(&b, "Wraps %s.\n\n", text)
			}
			for _, f := range l.Chain() {
				fmt.Fprintf(&b, "1. %s\n", frameText(f, uri))
			}
			if text := chainsText(l); text != "" {
				fmt.Fprintf(&b, "\n%s.\n", sentence(text))
			}
		}
	}
	discardsParagraph(&b, v.Snap.Discards(c), maxPageDiscards, uri)
	return b.String()
}

// qualified is a class name with its package, and what of it is the package.
var qualified = regexp.MustCompile(`\b(?:[a-z_][\w$]*\.)+([A-Z])`)

// matrixList shows the row of the short-circuit matrix: a list for each package of
// tests and each type that was thrown. Both are said above it, and unlike a table
// it fits beside the code however long the names of tests are.
func matrixList(b *strings.Builder, v View, c *snapshot.Catch) {
	s := v.state(c)
	if s == nil || len(s.Matrix) == 0 {
		return
	}
	type key struct{ pkg, typ string }
	rows := map[key][]string{}
	var order []key
	for _, cell := range s.Matrix {
		class, method, _ := strings.Cut(cell.Test, "#")
		k := key{"", cell.Type}
		if i := strings.LastIndexByte(class, '.'); i > 0 {
			k.pkg, class = class[:i], class[i+1:]
		}
		if method != "" {
			class += "#" + method
		}
		if rows[k] == nil {
			order = append(order, k)
		}
		rows[k] = append(rows[k], fmt.Sprintf("* %s, thrown %s: %s\n", Markdown(class), struckText(cell),
			Markdown(qualified.ReplaceAllString(witnessText(cell), "$1"))))
	}
	for _, k := range order {
		tests := "Tests"
		if k.pkg != "" {
			tests = "Tests of " + Code(k.pkg)
		}
		fmt.Fprintf(b, "\n%s, with %s thrown at the start of the try:\n\n%s", tests, Code(k.typ),
			strings.Join(rows[k], ""))
	}
}

// chainText is a chain in one line of plain text.
func chainText(chain []snapshot.Frame, site string) string {
	if len(chain) == 0 {
		return site
	}
	var parts []string
	for _, f := range chain {
		parts = append(parts, FrameName(f))
	}
	return Plain(strings.Join(parts, " → "), false)
}
