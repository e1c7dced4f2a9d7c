package codelens

import (
	"bytes"
	"regexp"
	"strings"

	"catchlens/analysis/snapshot"
)

// This file finds out which findings the user has accepted: in catchlens.toml, or in
// a comment beside the catch.

// acceptComment is a line comment such as
//
//	} catch (IOException e) { // catchlens:accept source-dependent: the caller starts over
//
// with a code of a diagnostic, or a word of CodeOf.
var acceptComment = regexp.MustCompile(`//[ \t]*catchlens:accept[ \t]+([a-z-]+)[ \t]*:?[ \t]*(.*)`)

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

func acceptIn(line []byte, code string) (reason string, ok bool) {
	m := acceptComment.FindSubmatch(line)
	if m == nil {
		return "", false
	}
	if word := string(m[1]); word != code && CodeOf[word] != code {
		return "", false
	}
	if reason = strings.TrimSpace(string(m[2])); reason == "" {
		reason = "in a comment beside the catch"
	}
	return reason, true
}
