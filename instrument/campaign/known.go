package campaign

import "catchlens/instrument/record"

// This file recalls earlier runs: of the present code, be it the newest or that of a
// branch that was left and is back.

// known is what is recalled of a cell with the present environment: of the present
// code where there is such a record, which current says, else the newest.
func (r *moduleRun) known(k record.CellKey) (c *record.Cell, current bool) {
	for _, v := range r.c.Memory.CellVersions(k) {
		if v.Env != r.lab.Env || v.Format != record.CellFormat {
			continue
		}
		if r.currentMethods(v.Deps) {
			return v, true
		}
		if c == nil {
			c = v
		}
	}
	return c, false
}

// ofPresentCode is the version of a run that is of the present code; the run itself if
// none is kept.
func (r *moduleRun) ofPresentCode(run *record.TestRun) *record.TestRun {
	if run.Outcome != record.Gone && run.Env == r.lab.Env && r.currentMethods(run.Methods) {
		return run
	}
	for _, v := range r.c.Memory.RunVersions(run.Module, run.Test) {
		if v.Outcome != record.Gone && v.Env == r.lab.Env && len(v.Methods) > 0 && r.currentMethods(v.Methods) {
			return v
		}
	}
	return run
}
