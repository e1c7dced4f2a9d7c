package codelens

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens/parttext"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file writes the edit that stretches a catch (paper 001, 3.4).

// CommandStretch stretches a catch in its source; argument: catch ID.
const CommandStretch = "catchlens.stretchCatch"

// StretchEdit is a replacement in one source, and the ground for it.
type StretchEdit struct {
	Start, End int // byte offsets in the text it was made for
	Text       string
	Title      string
	Evidence   string // sentences, plain text
}

// Apply makes the edit in the text that it was made for.
func (e StretchEdit) Apply(text []byte) []byte {
	return slices.Concat(text[:e.Start], []byte(e.Text), text[e.End:])
}

// Diff shows the edit in the text that it was made for: the lines that change, with a minus before
// what goes and a plus before what comes.
func (e StretchEdit) Diff(text []byte) string {
	start := bytes.LastIndexByte(text[:e.Start], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[e.End:], '\n'); n >= 0 {
		end = e.End + n
	}
	before := strings.Split(string(text[start:end]), "\n")
	after := strings.Split(string(text[start:e.Start])+e.Text+string(text[e.End:end]), "\n")
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	var out []string
	for sign, lines := range [][]string{before, after} {
		for i, line := range lines {
			if i == maxDiffLines {
				out = append(out, fmt.Sprintf("… and %s", Count(len(lines)-i, "more line")))
				break
			}
			out = append(out, [...]string{"- ", "+ "}[sign]+Message(strings.TrimSpace(line)))
		}
	}
	return strings.Join(out, "\n")
}

// maxDiffLines is how many lines a question shows of what goes, and of what comes.
const maxDiffLines = 20

// StretchTitle is the title of the action for a catch, "" where it is not offered.
func StretchTitle(v View, c *snapshot.Catch) string {
	s := v.state(c)
	switch {
	case s == nil || c.InTests || v.partial() || v.Stale(c) || s.Stretch.Already || s.Stretch.To == "":
		return ""
	case s.Stretch.Answer == shortcircuit.StretchYes:
		return "Catch any Exception here (verified)"
	}
	return fmt.Sprintf("Catch %s here (verified)", shortName(s.Stretch.To))
}

// Stretch makes the edit for a catch that stands at `at` in a text. The error says why
// there is none: what the tests showed is not current, or does not allow it, or no such
// clause is to be had in Java. Whether the compiler takes the result is not known here.
func Stretch(v View, c *snapshot.Catch, file *javasource.File, text []byte, at *javasource.Catch) (StretchEdit, error) {
	s := v.state(c)
	switch {
	case s == nil || !s.Ran:
		return StretchEdit{}, errors.New("no test has been run: run this catch first")
	case v.Stale(c):
		return StretchEdit{}, errors.New("the code has changed since the tests ran: save it and run this catch again")
	case v.partial():
		return StretchEdit{}, errors.New(notAllRun + ": let them run to the end")
	case s.Stretch.Already:
		return StretchEdit{}, errors.New("the catch takes every Exception as it is")
	case s.Stretch.To == "":
		return StretchEdit{}, errors.New("not verified: " + s.Stretch.Why)
	}
	to := s.Stretch.To
	last, err := lastPlace(v.Snap, c, to, at)
	if err != nil {
		return StretchEdit{}, err
	}
	name := typeName(v.Snap, file, at, to)
	e := StretchEdit{Start: at.TypesSpan.Start, End: at.TypesSpan.End, Text: name, Title: StretchTitle(v, c),
		Evidence: stretchEvidence(s)}
	if last == at {
		return e, nil
	}
	// The clause moves behind the others of its try.
	next := at.Try.Catches[at.Index+1]
	clause := string(text[at.Keyword.Start:at.TypesSpan.Start]) + name + string(text[at.TypesSpan.End:at.Body.End])
	e.Start, e.End = at.Keyword.Start, last.Body.End
	e.Text = string(text[next.Keyword.Start:last.Body.End]) + string(text[at.Body.End:next.Keyword.Start]) + clause
	return e, nil
}

// lastPlace is the clause behind which the stretched one has to stand: itself, or the
// last of its try where one behind it takes a subtype, which a compiler would hold
// unreachable.
func lastPlace(snap *snapshot.Snapshot, c *snapshot.Catch, to string, at *javasource.Catch) (*javasource.Catch, error) {
	if c.Source == nil || c.Source.Try == nil || at.Try == nil || len(c.Source.Try.Catches) != len(at.Try.Catches) ||
		c.Source.Index != at.Index {
		return nil, errors.New("the try has other catches than those that were compiled")
	}
	move := false
	for _, s := range c.Source.Try.Catches[at.Index+1:] {
		other := snap.ByID[s.ID]
		if other == nil {
			return nil, errors.New("another catch of the try is not known")
		}
		for _, t := range other.Types {
			if snapshot.IsSubtype(snap, t, to) {
				move = true
			}
			for _, mine := range c.Types {
				if snapshot.IsSubtype(snap, mine, t) {
					return nil, fmt.Errorf("the catch cannot take %s where it stands, nor behind catch (%s), which "+
						"would take its %s", shortName(to), shortName(t), shortName(mine))
				}
			}
		}
	}
	if !move {
		return at, nil
	}
	return at.Try.Catches[len(at.Try.Catches)-1], nil
}

// typeName is how a class is called in a place: by its simple name where that means the
// class, else by its full name.
func typeName(snap *snapshot.Snapshot, file *javasource.File, at *javasource.Catch, class string) string {
	simple := classname.Simple(class)
	if at.Member == nil || at.Member.Type == nil || strings.Contains(simple, "$") {
		return strings.ReplaceAll(class, "$", ".")
	}
	for _, candidate := range file.Resolve(simple, at.Member.Type) {
		if _, ok := snap.Facts(candidate); ok {
			if candidate == strings.ReplaceAll(class, ".", "/") {
				return simple
			}
			break
		}
	}
	return strings.ReplaceAll(class, "$", ".")
}

// stretchEvidence says what an edit rests on.
func stretchEvidence(s *results.State) string {
	return "Source-independent: " + Plain(s.Verdict.Why, false) + ". Stretched: " + Plain(stretchGround(s), false) + "."
}

// stretchGround says why a catch may take more.
func stretchGround(s *results.State) string {
	if s.Stretch.CaseA && s.Stretch.Answer == shortcircuit.StretchYes {
		return "in every test it caught all exceptions that left the try, so no test can tell the difference"
	}
	return s.Stretch.Why
}

// stretchSentence is what a hover says of stretching; "" for what says nothing new.
func stretchSentence(v View, c *snapshot.Catch) string {
	s := v.state(c)
	if s == nil || !s.Ran || c.InTests || s.Stretch.Already || s.Verdict.SourceIndependence != shortcircuit.Holds {
		return ""
	}
	switch {
	case s.Stretch.Answer == shortcircuit.StretchYes:
		return "Stretchable, it may catch Exception: " + s.Stretch.Why
	case s.Stretch.To != "":
		return fmt.Sprintf("Stretchable to %s: %s", shortName(s.Stretch.To), s.Stretch.Why)
	case s.Stretch.Answer == shortcircuit.StretchNo:
		return "Not stretchable: " + s.Stretch.Why
	}
	return "Not known whether it is stretchable: " + parttext.SoFar(v.Results, s.Stretch.Why)
}
