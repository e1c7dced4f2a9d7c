package coverage

import (
	"bufio"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file writes what tests cover for other tools.

// Package is a package with its files.
type Package struct {
	Name  string // internal
	Files []*FileCoverage
}

// Packages are the files by package, in order.
func (c *Suite) Packages() (all []Package) {
	byName := map[string]int{}
	for _, f := range c.Files {
		i, ok := byName[f.Package]
		if !ok {
			i = len(all)
			byName[f.Package] = i
			all = append(all, Package{Name: f.Package})
		}
		all[i].Files = append(all[i].Files, f)
	}
	slices.SortFunc(all, func(a, b Package) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// WriteJSON writes the lines of each file, and the tests.
func WriteJSON(w io.Writer, c *Suite) error {
	type line struct {
		Line     int    `json:"line"`
		Covered  bool   `json:"covered"`
		Branches []bool `json:"branches,omitempty"` // of each way out of a branch: whether it was taken
		// of each way out of a branch: the condition and what it is, or the line that it leads to
		Labels []string `json:"labels,omitempty"`
		Left   int      `json:"leftInTheMiddle,omitempty"` // by how many tests, at least
	}
	type file struct {
		Path    string `json:"path"`
		Package string `json:"package"`
		Counts  Counts `json:"counts"`
		Lines   []line `json:"lines"`
	}
	type test struct {
		Test       string `json:"test"`
		Probes     int    `json:"probes"`
		DurationNs int64  `json:"durationNs"`
	}
	out := struct {
		Total       Counts   `json:"total"`
		Beside      int      `json:"linesOfNoTest"`
		Files       []file   `json:"files"`
		Tests       []test   `json:"tests"`
		NotRecorded []string `json:"notRecorded,omitempty"`
	}{Total: c.Total, Beside: c.Beside, NotRecorded: c.NotRecorded, Files: []file{}, Tests: []test{}}
	for _, f := range c.Files {
		lines := []line{}
		for _, l := range f.Lines {
			lines = append(lines, line{Line: l.Number, Covered: l.Covered > 0,
				Branches: slices.Concat(asBools(l.Branches)...), Labels: f.Labels(&l), Left: l.Left})
		}
		out.Files = append(out.Files, file{f.Path, classfile.SourceName(f.Package), f.Counts, lines})
	}
	for _, t := range c.Tests {
		out.Tests = append(out.Tests, test{t.Test, t.Probes, t.Duration.Nanoseconds()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}

func asBools(branches []Branch) (all [][]bool) {
	for _, b := range branches {
		all = append(all, b)
	}
	return all
}

// WriteLCOV writes a tracefile. Counts are 1 and 0: how often a line ran is not recorded.
func WriteLCOV(w io.Writer, c *Suite) error {
	b := bufio.NewWriter(w)
	flag := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	for _, f := range c.Files {
		fmt.Fprintf(b, "TN:\nSF:%s\n", f.Path)
		for _, class := range f.Classes {
			for _, m := range class.Methods {
				name := classfile.SourceName(class.Name) + "." + m.Name + m.Desc
				fmt.Fprintf(b, "FN:%d,%s\nFNDA:%d,%s\n", m.Lines[0].Number, name, m.Counts.MethodsCovered, name)
			}
		}
		fmt.Fprintf(b, "FNF:%d\nFNH:%d\n", f.Counts.Methods, f.Counts.MethodsCovered)
		for _, l := range f.Lines {
			for block, ways := range l.Branches {
				for n, taken := range ways {
					word := "-"
					if l.Covered > 0 {
						word = fmt.Sprint(flag(taken))
					}
					fmt.Fprintf(b, "BRDA:%d,%d,%d,%s\n", l.Number, block, n, word)
				}
			}
		}
		fmt.Fprintf(b, "BRF:%d\nBRH:%d\n", f.Counts.Branches, f.Counts.BranchesCovered)
		for _, l := range f.Lines {
			fmt.Fprintf(b, "DA:%d,%d\n", l.Number, flag(l.Covered > 0))
		}
		fmt.Fprintf(b, "LF:%d\nLH:%d\nend_of_record\n", f.Counts.Lines, f.Counts.LinesCovered)
	}
	return b.Flush()
}

// quoted is a text as the value of an attribute.
func quoted(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s))
	return `"` + b.String() + `"`
}

// WriteJaCoCo writes a report as JaCoCo does in XML, without counters of complexity.
func WriteJaCoCo(w io.Writer, c *Suite, name string) error {
	b := bufio.NewWriter(w)
	counters := func(n Counts, classes, covered int) {
		for _, x := range []struct {
			kind        string
			all, covers int
		}{
			{"INSTRUCTION", n.Instructions, n.InstructionsCovered}, {"BRANCH", n.Branches, n.BranchesCovered},
			{"LINE", n.Lines, n.LinesCovered}, {"METHOD", n.Methods, n.MethodsCovered}, {"CLASS", classes, covered},
		} {
			if x.all > 0 {
				fmt.Fprintf(b, `<counter type="%s" missed="%d" covered="%d"/>`, x.kind, x.all-x.covers, x.covers)
			}
		}
	}
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` +
		`<!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">` + "\n")
	fmt.Fprintf(b, "<report name=%s>", quoted(name))
	var total Counts
	totalClasses, totalCovered := 0, 0
	for _, p := range c.Packages() {
		fmt.Fprintf(b, "\n<package name=%s>", quoted(p.Name))
		var n Counts
		classes, covered := 0, 0
		for _, f := range p.Files {
			n.Add(f.Counts)
			for _, class := range f.Classes {
				classes++
				covered += writeJaCoCoClass(b, f, class, counters)
			}
		}
		for _, f := range p.Files {
			fmt.Fprintf(b, "\n<sourcefile name=%s>", quoted(path.Base(f.Path)))
			for _, l := range f.Lines {
				ways, taken := l.countBranches()
				fmt.Fprintf(b, `<line nr="%d" mi="%d" ci="%d" mb="%d" cb="%d"/>`, l.Number,
					l.Instructions-l.Covered, l.Covered, ways-taken, taken)
			}
			counters(f.Counts, 0, 0)
			b.WriteString("</sourcefile>")
		}
		counters(n, classes, covered)
		b.WriteString("</package>")
		total.Add(n)
		totalClasses += classes
		totalCovered += covered
	}
	counters(total, totalClasses, totalCovered)
	b.WriteString("</report>\n")
	return b.Flush()
}

// writeJaCoCoClass writes a class, and returns 1 if it is covered.
func writeJaCoCoClass(b *bufio.Writer, f *FileCoverage, class *ClassCoverage,
	counters func(Counts, int, int)) (covered int) {
	fmt.Fprintf(b, "\n<class name=%s sourcefilename=%s>", quoted(class.Name), quoted(path.Base(f.Path)))
	var n Counts
	for _, m := range class.Methods {
		fmt.Fprintf(b, "<method name=%s desc=%s line=\"%d\">", quoted(m.Name), quoted(m.Desc), m.Lines[0].Number)
		counters(m.Counts, 0, 0)
		b.WriteString("</method>")
		n.Add(m.Counts)
	}
	if n.MethodsCovered > 0 {
		covered = 1
	}
	counters(n, 1, covered)
	b.WriteString("</class>")
	return covered
}

// WriteCobertura writes a report as Cobertura does, with a class for each file. root is the
// folder that paths are relative to.
func WriteCobertura(w io.Writer, c *Suite, root string) error {
	b := bufio.NewWriter(w)
	rate := func(covered, of int) string {
		if of == 0 {
			return "1"
		}
		return fmt.Sprintf("%.4f", float64(covered)/float64(of))
	}
	rates := func(n Counts) string {
		return fmt.Sprintf(`line-rate="%s" branch-rate="%s" complexity="0"`, rate(n.LinesCovered, n.Lines),
			rate(n.BranchesCovered, n.Branches))
	}
	t := c.Total
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">` + "\n")
	fmt.Fprintf(b, `<coverage %s lines-covered="%d" lines-valid="%d" branches-covered="%d" branches-valid="%d" `+
		`version="1" timestamp="0">`, rates(t), t.LinesCovered, t.Lines, t.BranchesCovered, t.Branches)
	fmt.Fprintf(b, "<sources><source>")
	xml.EscapeText(b, []byte(root))
	b.WriteString("</source></sources><packages>")
	for _, p := range c.Packages() {
		var n Counts
		for _, f := range p.Files {
			n.Add(f.Counts)
		}
		fmt.Fprintf(b, "\n<package name=%s %s><classes>", quoted(classfile.SourceName(p.Name)), rates(n))
		for _, f := range p.Files {
			name := classfile.SourceName(path.Join(p.Name, strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))))
			fmt.Fprintf(b, "\n<class name=%s filename=%s %s><methods/><lines>", quoted(name), quoted(f.Path),
				rates(f.Counts))
			for _, l := range f.Lines {
				writeCoberturaLine(b, l)
			}
			b.WriteString("</lines></class>")
		}
		b.WriteString("</classes></package>")
	}
	b.WriteString("</packages></coverage>\n")
	return b.Flush()
}

func writeCoberturaLine(b *bufio.Writer, l Line) {
	hits := min(l.Covered, 1)
	ways, taken := l.countBranches()
	if ways == 0 {
		fmt.Fprintf(b, `<line number="%d" hits="%d" branch="false"/>`, l.Number, hits)
		return
	}
	fmt.Fprintf(b, `<line number="%d" hits="%d" branch="true" condition-coverage="%d%% (%d/%d)"/>`, l.Number, hits,
		100*taken/ways, taken, ways)
}
