package coverage

import "slices"

// Of returns what the tests cover of some lines alone, by the paths of files: files, classes and
// methods that have none of them are left out, and the counts are of these lines. The tests are
// those of the whole.
func (c *Suite) Of(lines map[string]map[int]bool) *Suite {
	out := &Suite{Tests: c.Tests, NotRecorded: c.NotRecorded}
	for _, f := range c.Files {
		of := &FileCoverage{Path: f.Path, Package: f.Package, Module: f.Module, text: f.text}
		for _, class := range f.Classes {
			if some := class.of(lines[f.Path]); len(some.Methods) > 0 {
				of.Classes = append(of.Classes, some)
			}
		}
		if len(of.Classes) > 0 {
			of.finish()
			of.leaveOut(f)
			out.Files = append(out.Files, of)
			out.Total.Add(of.Counts)
		}
	}
	return out
}

// leaveOut notes which lines with code of a file are not among those of this part of it.
func (f *FileCoverage) leaveOut(whole *FileCoverage) {
	have := 0
	for _, l := range whole.Lines {
		if have < len(f.Lines) && f.Lines[have].Number == l.Number {
			have++
		} else {
			f.leftOut = append(f.leftOut, l.Number)
		}
	}
}

// LeavesOut tells whether a line with code stands between two lines of the file that Of has left
// out.
func (f *FileCoverage) LeavesOut(after, before int) bool {
	k, _ := slices.BinarySearch(f.leftOut, after)
	return k < len(f.leftOut) && f.leftOut[k] < before
}

// of is the class with some of its lines.
func (c *ClassCoverage) of(lines map[int]bool) *ClassCoverage {
	out := &ClassCoverage{Name: c.Name}
	for _, m := range c.Methods {
		some := &MethodCoverage{Name: m.Name, Desc: m.Desc, plan: m.plan, id: m.id, probes: m.probes}
		for _, l := range m.Lines {
			if lines[l.Number] {
				some.Lines = append(some.Lines, l)
			}
		}
		if len(some.Lines) > 0 {
			out.Methods = append(out.Methods, some)
		}
	}
	return out
}
