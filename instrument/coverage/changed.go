package coverage

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
			out.Files = append(out.Files, of)
			out.Total.Add(of.Counts)
		}
	}
	return out
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
