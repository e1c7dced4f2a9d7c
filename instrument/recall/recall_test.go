package recall

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// versions is a memory and the code at once: methods have their number as digest, and the code has
// version present of each.
type versions struct {
	record.Memory
	present byte
	asked   int
	cells   []*record.Cell
	runs    []*record.TestRun
}

func (v *versions) Method(id record.MethodID) record.MethodKey {
	v.asked++
	return record.MethodKey{Class: "p/C", Method: "m()V", Digest: [16]byte{byte(id)}}
}

func (v *versions) Class(string) *snapshot.Class { return nil }

func (v *versions) MethodDigest(snapshot.MethodRef) ([16]byte, bool) {
	return [16]byte{v.present}, v.present > 0
}
func (v *versions) CellVersions(record.CellKey) []*record.Cell   { return v.cells }
func (v *versions) Runs() []*record.TestRun                      { return v.runs[:1] }
func (v *versions) RunVersions(string, string) []*record.TestRun { return v.runs }

// Records are current if the code has the versions of methods that ran; sets are looked at once.
func TestCurrent(t *testing.T) {
	v := &versions{present: 1}
	r := New(v, v, "m", "e")
	one, two := []record.MethodID{1, 1}, []record.MethodID{1, 2}
	if !r.Current(nil) || !r.Current(one) || r.Current(two) {
		t.Error("not what the code has")
	}
	asked := v.asked
	if !r.Current(one) || r.Current(two) || v.asked != asked {
		t.Errorf("sets are looked at again, %d times", v.asked-asked)
	}
	v.present = 0
	if New(v, v, "m", "e").Current(one) {
		t.Error("methods that are not there are current")
	}
}

// The version of the present code comes before a newer one of other code; one of another
// environment or format is none.
func TestVersions(t *testing.T) {
	cell := func(env string, format int, deps ...record.MethodID) *record.Cell {
		return &record.Cell{Trial: record.Trial{Env: env, Deps: deps}, Format: format}
	}
	const now = record.CellFormat
	v := &versions{present: 1, cells: []*record.Cell{cell("other", now, 1), cell("e", now-1, 1), cell("e", now, 2),
		cell("e", now, 3), cell("e", now, 1)}}
	r := New(v, v, "m", "e")
	if c, current := r.Cell(record.CellKey{}); c != v.cells[4] || !current {
		t.Errorf("recalled %+v, current %v", c, current)
	}
	v.cells = v.cells[:4]
	if c, current := r.Cell(record.CellKey{}); c != v.cells[2] || current {
		t.Errorf("without one of the present code: %+v, current %v", c, current)
	}
	v.cells = v.cells[:2]
	if c, _ := r.Cell(record.CellKey{}); c != nil {
		t.Errorf("of another environment and format: %+v", c)
	}
	run := func(outcome record.Outcome, deps ...record.MethodID) *record.TestRun {
		return &record.TestRun{Module: "m", Env: "e", Outcome: outcome, Methods: deps}
	}
	v.runs = []*record.TestRun{run(record.Pass, 2), run(record.Gone, 1), run(record.Fail, 1)}
	if got := r.Runs(); len(got) != 1 || got[0] != v.runs[2] {
		t.Errorf("runs %+v", got)
	}
	v.runs = v.runs[:2]
	if got := r.Runs(); len(got) != 1 || got[0] != v.runs[0] {
		t.Errorf("runs without one of the present code: %+v", got)
	}
	v.runs = []*record.TestRun{run(record.Gone, 2)}
	if got := r.Runs(); len(got) != 0 {
		t.Errorf("gone ones are recalled: %+v", got)
	}
}
