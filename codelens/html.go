package codelens

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens/excerpt"
	"github.com/catchlens/catchlens/codelens/linkdata"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/internal/classname"
	"github.com/catchlens/catchlens/internal/markdown"
	"github.com/catchlens/catchlens/internal/pagestyle"
)

// This file writes the HTML report: one page with what matters of the sources, their lenses and the
// chains, which needs nothing from outside.

//go:embed report.html
var reportHTML string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{"count": Count,
	"join": strings.Join, "style": pagestyle.CSS}).Parse(reportHTML))

type htmlPage struct {
	Title    string
	Version  string
	Totals   []htmlTotal
	Nothing  string // what is said where nothing has been analysed
	Config   string
	Problems []ReportProblem
	// Undecided says how many tests decide nothing, Groups which and why.
	Undecided string
	Groups    []testGroup
	Parts     []htmlPart
	Files     []htmlFile
	// Links are those of all catches, in the lines of package linkdata. They are made while the
	// page is written, before the lines of files: there may be a million.
	Links iter.Seq[template.JS]
}

// htmlPart lists the catches that ask for the same.
type htmlPart struct {
	Anchor, Words, Class string
	Settled              bool // folded: nothing is to be done about them
	Catches              []htmlEntry
}

// htmlEntry is a catch in such a list, with a link to its place in the sources.
type htmlEntry struct {
	Anchor, Place, Types, Title string
	Why                         []string
}

type htmlTotal struct {
	Label, Value, Class string
}

type htmlFile struct {
	Anchor, Path string
	Catches      int
	Worst        string // class of the worst catch
	Stale        bool
	// Lines are those of what catches and the chains of links lead to, which are known once links
	// are written.
	Lines iter.Seq[htmlLine]
}

type htmlLine struct {
	Number  int
	Text    string
	Anchor  string      // "" where no chain leads to it
	LeftOut int         // how many lines before it are not shown
	Catches []htmlCatch // their lens stands above the line
}

type htmlCatch struct {
	Anchor, ID, Title, Class, Types string
	Indent                          string
	Failures                        []htmlFailure
	Contract, Why                   string
	Usage                           string
	Tests                           []string
	Matrix                          []htmlRow
}

// htmlRow is a row of the matrix: what was found, and the tests of which that was found.
type htmlRow struct {
	htmlOutcome
	Classes []htmlTests
}

type htmlOutcome struct {
	Usage, Type, Fired, Outcome, Message, Seen, Class string
}

// htmlTests are the tests of one class; Class is "" where a test has no name beside its class's.
type htmlTests struct {
	Class string
	Names []string
}

// Step is how far it is from the line before that is shown.
func (l htmlLine) Step() int { return l.LeftOut + 1 }

// Tests is how many tests a row has.
func (r htmlRow) Tests() (n int) {
	for _, c := range r.Classes {
		n += len(c.Names)
	}
	return n
}

// htmlFailure is a failure of a catch: where it is called, what fails, and whether a test has made
// it happen.
type htmlFailure struct {
	Text   string
	Tested bool
}

// HTMLReport writes the page. Catches in tests are left out. The error is that of ctx, asked before
// each link, or of writing.
func HTMLReport(ctx context.Context, w io.Writer, v View, version string) error {
	p := htmlPage{Title: baseName(v.Snap.Workspace.Root), Version: version, Problems: Problems(v)}
	cfg := v.Snap.Config
	p.Config = fmt.Sprintf("call graph %s, exceptions %s, sites %s, entry points %s, JDK %s", cfg.CallGraph,
		cfg.Studied.Exceptions, strings.Join(cfg.Studied.Sites.Names(), "+"), cfg.EntryPoints, v.Snap.JDKVersion)
	p.Totals, p.Nothing = htmlTotals(v), sentence(nothingAnalysed(v))
	p.Groups = undecidedGroups(v)
	p.Undecided = undecidedTitle(p.Groups)
	p.Parts = htmlParts(v)
	var to excerpt.Anchors
	var catches []*snapshot.Catch
	for i, f := range v.Snap.Files {
		if !f.InTests && len(f.Catches) > 0 {
			to.Add(f.Path, fmt.Sprintf("f%d", i), len(excerpt.Split(f.Text)))
			p.Files = append(p.Files, htmlSource(v, f, &to))
			catches = append(catches, f.Catches...)
		}
	}
	p.Links = htmlLinks(ctx, v, catches, &to)
	return cmp.Or(reportTemplate.Execute(PlainWriter{Writer: w}, p), ctx.Err())
}

// anchorOf names a catch in the page and in its data, which would keep what the page spells out.
func anchorOf(c *snapshot.Catch) string { return "c-" + Plain(c.ID, false) }

func baseName(path string) string {
	path = strings.TrimRight(strings.ReplaceAll(path, "\\", "/"), "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

func htmlTotals(v View) []htmlTotal {
	sum := Totals(v)
	t := []htmlTotal{
		{plural(sum.Catches, "catch"), fmt.Sprint(sum.Catches), ""},
		{"failures tested", fmt.Sprintf("%d of %d", sum.Failures.Tested, sum.Failures.All), ""},
		{"e-c links experienced", fmt.Sprintf("%d of %d", sum.Experienced, sum.Predicted), ""},
	}
	if sum.Unpredicted > 0 {
		t = append(t, htmlTotal{"unpredicted", fmt.Sprint(sum.Unpredicted), "bad"})
	}
	if f, ok := FaultCatch(v); ok {
		t = append(t, htmlTotal{"of the faults have come to their catches", fmt.Sprintf("%.0f%%", 100*f.Overall), ""})
	}
	return t
}

// htmlParts are the catches by what is to be done about them, most urgent first.
func htmlParts(v View) (parts []htmlPart) {
	for i, g := range urgentFirst(v, v.Snap.Catches) {
		p := htmlPart{Anchor: fmt.Sprintf("part%d", i), Words: g.words, Settled: g.settled,
			Class: verdictClass(countedAs(v, g.catches[0]))}
		for _, c := range g.catches {
			e := htmlEntry{Anchor: anchorOf(c), Place: fmt.Sprintf("%s:%d", Plain(c.File.Path, false), c.Line),
				Types: strings.Join(classname.InSourceAll(c.Types), " | "), Title: Plain(Title(v, c), false)}
			if needsWork(v, c) {
				e.Why = whyLines(v, c)
			}
			p.Catches = append(p.Catches, e)
		}
		parts = append(parts, p)
	}
	return parts
}

// htmlFailures are the failures of a catch, those that no test has made happen first.
func htmlFailures(v View, c *snapshot.Catch) (out []htmlFailure) {
	for _, f := range sortFailures(Failures(v, c)) {
		text := Plain(markdown.Text(failureText(v, &f, nil)), false)
		out = append(out, htmlFailure{text, f.Outcome == Experienced})
	}
	return out
}

// verdictClass is the style of a verdict's words.
func verdictClass(words string) string {
	switch words {
	case "source-dependent", "source-dependent (fine-grain)":
		return "bad"
	case "source-independent", "purely resilient", resilientBeyond:
		return "good"
	case "", notRun, withoutWork, acceptedWords:
		return ""
	default:
		return "open"
	}
}

func htmlSource(v View, f *snapshot.File, to *excerpt.Anchors) htmlFile {
	h := htmlFile{Anchor: to.Name(f.Path), Path: Plain(f.Path, false), Catches: len(f.Catches), Stale: f.Stale}
	byLine := map[int][]htmlCatch{}
	for _, c := range f.Catches {
		hc := htmlOf(v, c)
		byLine[c.Line] = append(byLine[c.Line], hc)
		if hc.Class == "bad" || h.Worst == "" {
			h.Worst = hc.Class
		}
	}
	h.Lines = func(yield func(htmlLine) bool) {
		lines := excerpt.Split(f.Text)
		asked := slices.AppendSeq(to.Led(f.Path), maps.Keys(byLine))
		leftOut := 0
		for i, shown := range excerpt.Lines(f.Source, len(lines), asked) {
			if !shown {
				leftOut++
				continue
			}
			text := Plain(string(bytes.TrimRight(lines[i], "\r")), false)
			l := htmlLine{Number: i + 1, Text: text, LeftOut: leftOut, Catches: byLine[i+1]}
			l.Anchor, leftOut = to.Anchor(f.Path, l.Number), 0
			for j := range l.Catches {
				l.Catches[j].Indent = text[:len(text)-len(strings.TrimLeft(text, " \t"))]
			}
			if !yield(l) {
				return
			}
		}
	}
	return h
}

func htmlOf(v View, c *snapshot.Catch) htmlCatch {
	h := htmlCatch{Anchor: anchorOf(c), ID: Plain(c.ID, false), Title: Plain(Title(v, c), false),
		Types: strings.Join(classname.InSourceAll(c.Types), " | "), Failures: htmlFailures(v, c)}
	if s := v.state(c); s != nil && s.Ran {
		h.Class = verdictClass(verdictTitle(v, c))
		h.Contract = fmt.Sprintf("source independence %s%s, pure resilience %s%s", s.Verdict.SourceIndependence,
			sourceConfirmed(&s.Verdict),
			s.Verdict.PureResilience, confirmedText(s.Verdict.ResilienceCertain))
		h.Why = Plain(sentence(v.verdictWhy(c, s)), false)
		h.Usage = fmt.Sprintf("%d pink, %d white, %d blue", s.Usage.Pink, s.Usage.White, s.Usage.Blue)
		h.Tests = s.Tests
		h.Matrix = htmlMatrix(s)
	}
	return h
}

// htmlLinks yields the links of catches by exception, fewer when ctx ends, and notes in to where
// their chains lead.
func htmlLinks(ctx context.Context, v View, catches []*snapshot.Catch, to *excerpt.Anchors) iter.Seq[template.JS] {
	var w linkdata.Writer
	return func(yield func(template.JS) bool) {
		for _, c := range catches {
			if !yield(w.Catch(anchorOf(c))) {
				return
			}
			for _, u := range v.unpredicted(c) {
				l := linkdata.Link{Site: seenAt(u), Kind: kindOf(u.Seen.Site.Kind), Class: "good",
					Status: Plain(experiencedText(&u.Experienced, plainName), false) + ", not predicted"}
				if !yield(w.Exception(Plain(sourceName(u.Seen.Exception), false))) || !yield(w.Link(&l)) {
					return
				}
			}
			if findChains(ctx, v.Links(c)) != nil {
				return
			}
			for _, g := range groupLinks(v.Links(c)) {
				if !yield(w.Exception(Plain(sourceName(g.exception), false))) {
					return
				}
				for _, l := range g.links {
					if ctx.Err() != nil || !yield(w.Link(htmlLinkOf(v, l, to))) {
						return
					}
				}
			}
		}
	}
}

// sourceConfirmed is confirmedText of source independence, which the code may show, too.
func sourceConfirmed(v *shortcircuit.Verdict) string {
	if v.ByCode {
		return " (by its code)"
	}
	return confirmedText(v.SourceCertain)
}

// confirmedText marks an answer that is certain.
func confirmedText(certain bool) string {
	if certain {
		return " (confirmed)"
	}
	return ""
}

// htmlMatrix is the matrix of a catch. Tests of which it says the same share a row, where the first
// of them stands: a try that hundreds of tests enter has a table that can be read.
func htmlMatrix(s *results.State) (rows []htmlRow) {
	at := map[htmlOutcome]int{}
	for _, r := range matrixRows(s) {
		o := htmlOutcomeOf(r, s.Verdict.SourceIndependence == shortcircuit.Violated)
		i, ok := at[o]
		if !ok {
			i, at[o] = len(rows), len(rows)
			rows = append(rows, htmlRow{htmlOutcome: o})
		}
		class, name, ok := strings.Cut(Plain(r.Test, false), "#")
		if !ok {
			class, name = "", class
		}
		of := &rows[i].Classes
		if n := len(*of); n == 0 || (*of)[n-1].Class != class {
			*of = append(*of, htmlTests{Class: class})
		}
		last := &(*of)[len(*of)-1]
		last.Names = append(last.Names, name)
	}
	return rows
}

// htmlOutcomeOf is what the matrix says of a test. A failing run is bad where it makes the catch
// source-dependent.
func htmlOutcomeOf(r matrixRow, dependent bool) htmlOutcome {
	h := htmlOutcome{Usage: usageText(r.Usage), Outcome: "not run yet"}
	if r.Cell == nil {
		return h
	}
	h.Type, h.Outcome, h.Message, h.Fired, h.Seen = r.Cell.Type, string(r.Cell.Outcome), Plain(r.Cell.Message,
		false), struckText(*r.Cell), seenIn(r.Cell)
	switch {
	case r.Cell.Outcome.Failed() && dependent && r.Usage.White > 0:
		h.Class = "bad"
	case r.Cell.Outcome.Failed():
		h.Class = "open"
	case r.Cell.Outcome == record.Pass:
		h.Class = "good"
	}
	return h
}

func htmlLinkOf(v View, l *snapshot.Link, to *excerpt.Anchors) *linkdata.Link {
	h := linkdata.Link{Site: SiteName(*l.Site), Kind: l.Site.Kind, Status: "predicted",
		Judged: Plain(v.Infeasible[l.ID], false)}
	if l.Site.Fault != "" {
		h.Kind = Plain("fault "+l.Site.Fault, false)
	}
	if x := experienced(v, l); x != nil {
		h.Class, h.Status = "good", experiencedText(x, plainName)
	} else if t, ok := tried(v, l); ok {
		h.Status = triedText(l, t)
	} else if why := v.misuse(l); why != "" {
		h.Status = why + ", counted nowhere"
	}
	h.Status = Plain(h.Status, false)
	for _, f := range l.Chain() {
		hf := linkdata.Frame{Text: ShortMethod(f.Class, f.Method)}
		if f.Line > 0 {
			hf.Text += fmt.Sprintf(":%d", f.Line)
		}
		hf.Anchor = to.Lead(f.File, f.Line)
		h.Chain = append(h.Chain, hf)
	}
	if len(l.Catch.Links) <= maxHoverLinks { // counting the chains of thousands takes too long
		h.Chains = chainsText(l)
	}
	return &h
}
