package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"catchlens/codelens"
)

// This file counts findings for continuous integration.

// finding is a line of a baseline: what identifies a finding, whatever stands
// above it in its file.
func finding(d codelens.Diagnostic) string { return d.Code + " " + d.Catch.ID }

// allFindings lists the diagnostics of all files outside tests.
func allFindings(v codelens.View) (all []codelens.Diagnostic) {
	for _, f := range v.Snap.Files {
		all = append(all, codelens.Diagnostics(v, f, nil)...)
	}
	return all
}

// failOn says the findings of those names that are not known, and returns an error
// that counts them; nil if there are none.
func failOn(w io.Writer, v codelens.View, names []string, known map[string]bool) error {
	all := allFindings(v)
	var parts []string
	for _, name := range names {
		n, old := 0, 0
		for _, d := range all {
			switch {
			case d.Code != codelens.CodeOf[name]:
			case known[finding(d)]:
				old++
			default:
				n++
				fmt.Fprintf(w, "%s:%d: %s [%s]\n", codelens.Plain(d.Catch.File.Path, false), d.Catch.Line, codelens.Plain(d.Message, false), d.Code)
			}
		}
		switch {
		case n > 0 && known != nil:
			parts = append(parts, fmt.Sprintf("%d new %s (%d known)", n, name, old))
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	if len(parts) > 0 {
		return findings{strings.Join(parts, ", ")}
	}
	return nil
}

// readBaseline reads a file of findings, one in a line; empty lines and those that
// begin with # say nothing. No file gives nil.
func readBaseline(file string) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w; --write-baseline makes one", err)
	}
	known := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		if code, _, ok := strings.Cut(text, " "); !ok || !slices.Contains(codelens.Codes, code) {
			return nil, fmt.Errorf("%s:%d: %q is no finding: a baseline has lines such as %s p/C.m()#0", file, n, codelens.Plain(text, false), codelens.CodeSourceDependent)
		}
		known[text] = true
	}
	return known, lines.Err()
}

// writeBaseline writes the findings there are, sorted, so that versions of the file
// can be compared.
func writeBaseline(file string, v codelens.View) error {
	var list []string
	for _, d := range allFindings(v) {
		list = append(list, finding(d))
	}
	slices.Sort(list)
	text := "# Findings that are known: catchlens run --fail-on ... --baseline FILE\n"
	for _, f := range slices.Compact(list) {
		text += f + "\n"
	}
	return os.WriteFile(file, []byte(text), 0o666)
}
