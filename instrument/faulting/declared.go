package faulting

import (
	"fmt"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file strikes with faults of the user's own ([[fault]] in
// catchlens.toml): they strike at the start of methods, in the workspace, in libraries
// and in the JDK.

// planDeclared lists the faults of the user's own to strike with for a catch.
func (f *Faulting) planDeclared(c *faultCatch, own, others map[string][]*record.TestRun) {
	for i := range f.declared {
		d := &f.declared[i]
		s := strike{root: d.Class + "." + d.Method, row: declaredRow(d), kind: d.Name, declared: d, index: i,
			linked: true}
		switch {
		case len(own[s.row]) > 0:
			s.tests = own[s.row]
		case len(others[s.row]) > 0:
			s.tests, s.others = others[s.row], true
		default:
			continue
		}
		c.add(s)
	}
}

// declaredRow is what a Touched calls the place of a fault of the user's own.
func declaredRow(d *faults.Declared) string { return "fault " + string(d.Name) }

// rowOf is what a Touched calls the operation with a number, on a pipe or elsewhere.
func (f *Faulting) rowOf(number int, onPipe bool) string {
	if i, ok := faults.DeclaredAt(number); ok {
		if i >= len(f.declared) {
			return fmt.Sprint(number)
		}
		return declaredRow(&f.declared[i])
	}
	r := &faults.Table[number]
	if p := r.Pipe(); onPipe && p != nil {
		return p.Row()
	}
	return r.Row()
}
