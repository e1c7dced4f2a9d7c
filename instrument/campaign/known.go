package campaign

// This file recalls earlier runs: of the present code, be it the newest or that of a
// branch that was left and is back.

// versioned is a Memory that keeps runs of other code, too.
type versioned interface {
	RunVersions(module, test string) []*TestRun
	CellVersions(catch, typ, test string, n int) []*Cell
}

// known is what is recalled of a cell with the present environment: of the present
// code where there is such a record, which current says, else the newest. n is the
// Point.At of a place inside the try, 0 for its start.
func (r *moduleRun) known(catch, typ, test string, n int) (c *Cell, current bool) {
	var versions []*Cell
	if m, ok := r.c.Memory.(versioned); ok {
		versions = m.CellVersions(catch, typ, test, n)
	} else if n == 0 {
		if one, ok := r.c.Memory.Cell(catch, typ, test, r.env); ok {
			versions = []*Cell{one}
		}
	} else if one, ok := r.c.Memory.PointCell(catch, typ, test, r.env, n); ok {
		versions = []*Cell{one}
	}
	for _, v := range versions {
		if v.Env != r.env {
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
func (r *moduleRun) ofPresentCode(run *TestRun) *TestRun {
	m, ok := r.c.Memory.(versioned)
	if !ok || run.Outcome != Gone && run.Env == r.env && r.currentMethods(run.Methods) {
		return run
	}
	for _, v := range m.RunVersions(run.Module, run.Test) {
		if v.Outcome != Gone && v.Env == r.env && len(v.Methods) > 0 && r.currentMethods(v.Methods) {
			return v
		}
	}
	return run
}
