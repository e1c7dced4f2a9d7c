package codelens

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// This file finds out which findings the user has accepted: in catchlens.toml, or in
// a comment beside the catch.

// acceptComment is a line comment such as
//
//	} catch (IOException e) { // catchlens:accept source-dependent: the caller starts over
//
// with a code of a diagnostic, or a word of CodeOf.
var acceptComment = regexp.MustCompile(`//[ \t]*catchlens:accept[ \t]+([a-z-]+)`)

var catchClause = regexp.MustCompile(`\bcatch\s*\(`)

// Acceptance is a comment that accepts a finding.
type Acceptance struct {
	Code   string // of the diagnostic
	Title  string // of the action that writes it
	Offset int    // in bytes of the text that it was made for
	Text   string // to be inserted there; a reason may be written behind it
}

// Acceptances are the comments that would accept the findings on a catch which stands at
// `at` in a text: none where the rest of its line may not end in a comment, or has one already,
// or where another catch stands in the line: the comment would accept its findings, too.
func Acceptances(v View, c *snapshot.Catch, text []byte, at *javasource.Catch) (out []Acceptance) {
	line := text[at.Keyword.Start:]
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	line = bytes.TrimRight(line, " \t\r")
	start := bytes.LastIndexByte(text[:at.Keyword.Start], '\n') + 1
	if len(catchClause.FindAll(text[start:at.Keyword.Start+len(line)], 2)) > 1 {
		return nil
	}
	if bytes.Contains(line, []byte("/*")) || bytes.Contains(line, []byte(`"""`)) {
		return nil
	}
	for _, d := range Diagnostics(v, c.File, nil) {
		if _, is := acceptIn(line, d.Code); is || d.Catch != c || !slices.Contains(workspace.Findings, d.Code) {
			continue
		}
		word := d.Code
		for w, code := range CodeOf {
			if code == d.Code {
				word = w
			}
		}
		out = append(out, Acceptance{d.Code, "Accept this verdict: " + strings.ReplaceAll(word, "-", " "),
			at.Keyword.Start + len(line), " // catchlens:accept " + word})
	}
	return out
}

// accepted is the user's word that a finding on a catch is known and wanted. What
// the analysis did not predict is no finding on the code and cannot be accepted.
func (v View) accepted(c *snapshot.Catch, code string) (reason string, ok bool) {
	if code == CodeUnpredicted {
		return "", false
	}
	if v.Judged != nil {
		for _, a := range v.Judged.Accept {
			if a.Catch == c.ID && (a.Finding == "" || a.Finding == code) {
				return a.Reason, true
			}
		}
	}
	return acceptedBeside(c, code)
}

// acceptedBeside looks for a comment in the line of the catch, behind it, and in the
// line before, if nothing else stands there.
func acceptedBeside(c *snapshot.Catch, code string) (reason string, ok bool) {
	if c.File == nil || c.Source.Keyword.Start < 0 || c.Source.Keyword.End > len(c.File.Text) {
		return "", false
	}
	before, behind := c.File.Text[:c.Source.Keyword.Start], c.File.Text[c.Source.Keyword.End:]
	if n := bytes.IndexByte(behind, '\n'); n >= 0 {
		behind = behind[:n]
	}
	if reason, ok := acceptIn(behind, code); ok {
		return reason, true
	}
	n := bytes.LastIndexByte(before, '\n')
	if n < 0 {
		return "", false
	}
	above := bytes.TrimSpace(before[bytes.LastIndexByte(before[:n], '\n')+1 : n])
	if !bytes.HasPrefix(above, []byte("//")) {
		return "", false
	}
	return acceptIn(above, code)
}

// acceptIn looks for a comment in a line that accepts a finding; there may be one behind another.
func acceptIn(line []byte, code string) (reason string, ok bool) {
	all := acceptComment.FindAllSubmatchIndex(line, -1)
	for i, m := range all {
		if word := string(line[m[2]:m[3]]); word != code && CodeOf[word] != code {
			continue
		}
		end := len(line)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		if reason = strings.TrimSpace(strings.TrimLeft(string(line[m[1]:end]), ": \t")); reason == "" {
			reason = "in a comment beside the catch"
		}
		return reason, true
	}
	return "", false
}
