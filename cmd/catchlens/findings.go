package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/userfile"
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
		if least, gate, _ := faultGate(name); gate {
			if f, _ := codelens.FaultCatch(v); f.Overall < least {
				parts = append(parts, fmt.Sprintf("fault-catch coverage %.2f is below %.2f", f.Overall, least))
			}
			continue
		}
		n, old := 0, 0
		for _, d := range all {
			switch {
			case d.Code != codelens.CodeOf[name]:
			case known[finding(d)]:
				old++
			default:
				n++
				fmt.Fprintf(w, "%s:%d: %s [%s]\n", codelens.Plain(d.Catch.File.Path, false), d.Catch.Line,
					codelens.Plain(d.Message, false), d.Code)
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

// faultGate reads fault-catch=RATIO: the least overall fault-catch coverage.
func faultGate(name string) (least float64, ok bool, err error) {
	text, ok := strings.CutPrefix(name, "fault-catch=")
	if !ok {
		return 0, false, nil
	}
	least, err = strconv.ParseFloat(text, 64)
	if err != nil || !(least >= 0 && least <= 1) {
		return 0, true, fmt.Errorf("--fail-on %s: %q is no ratio between 0 and 1", name, text)
	}
	return least, true, nil
}

// readBaseline reads a file of findings, one in a line; empty lines and those that
// begin with # say nothing. No file gives nil.
func readBaseline(file string) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	data, err := bounded.Read(file, bounded.Source)
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
			return nil, fmt.Errorf("%s:%d: %q is no finding: a baseline has lines such as %s p/C.m()#0", file, n,
				codelens.Plain(text, false), codelens.CodeSourceDependent)
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
	return userfile.Replace(file, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
