// Package recall finds in the memory what holds of the present code: of the newest, or of that of a
// branch that was left and is back.
//
// A record holds as long as the code has exactly the versions of methods that ran, and the
// environment is the same. Input is a snapshot's code, a record.Memory, a module and its
// environment; the results are records of the memory, which nobody changes.
package recall

import (
	"iter"
	"sync"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// Code tells which version of a method there is, and where its lines are; a snapshot does.
type Code = record.Code

// Recall finds the records of a module that hold.
type Recall struct {
	code   Code
	memory record.Memory
	module string
	env    string

	mu      sync.Mutex
	current map[*record.MethodID]bool // sets of methods that were looked at, by their first
}

// New makes a Recall of the records of a module, with its present code and environment.
func New(code Code, memory record.Memory, module, env string) *Recall {
	return &Recall{code: code, memory: memory, module: module, env: env, current: map[*record.MethodID]bool{}}
}

// Current tells whether the code has exactly these versions of methods. Records share their sets of
// methods, so each is looked at once.
func (r *Recall) Current(ids []record.MethodID) bool {
	if len(ids) == 0 {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if current, done := r.current[&ids[0]]; done {
		return current
	}
	current := true
	for _, id := range ids {
		k := r.memory.Method(id)
		if d, ok := r.code.MethodDigest(snapshot.MethodRef{Class: k.Class, Method: k.Method}); !ok || d != k.Digest {
			current = false
			break
		}
	}
	r.current[&ids[0]] = current
	return current
}

// Cell is what is recalled of a cell with the present environment: of the present code where there
// is such a record, which current says, else the newest; nil: none. Lines of its stack trace are
// those that the code has now.
func (r *Recall) Cell(k record.CellKey) (c *record.Cell, current bool) {
	for _, v := range r.memory.CellVersions(k) {
		if v.Env != r.env || v.Format != record.CellFormat {
			continue
		}
		if r.Current(v.Deps) {
			return record.NewLocator(r.code).Cell(v), true
		}
		if c == nil {
			c = v
		}
	}
	return c, false
}

// version is the version of a run of a test that is of the present code; the run itself if none is
// kept.
func (r *Recall) version(run *record.TestRun) *record.TestRun {
	if run.Outcome != record.Gone && run.Env == r.env && r.Current(run.Methods) {
		return run
	}
	for _, v := range r.memory.RunVersions(run.Module, run.Test) {
		if v.Outcome != record.Gone && v.Env == r.env && len(v.Methods) > 0 && r.Current(v.Methods) {
			return v
		}
	}
	return run
}

// Runs lists what the memory has of the module's tests, of the present code where it can, without
// those that are gone.
func (r *Recall) Runs() (runs []*record.TestRun) {
	for _, run := range r.memory.Runs() {
		if run.Module != r.module {
			continue
		}
		if run = r.version(run); run.Outcome != record.Gone {
			runs = append(runs, run)
		}
	}
	return runs
}

// Methods are the methods of some sets, each version once. Records share their sets
// of methods, so each set is looked at once.
func (r *Recall) Methods(sets iter.Seq[[]record.MethodID]) iter.Seq[record.MethodKey] {
	return func(yield func(record.MethodKey) bool) {
		known, seen := map[*record.MethodID]bool{}, map[record.MethodID]bool{}
		for set := range sets {
			if len(set) == 0 || known[&set[0]] {
				continue
			}
			known[&set[0]] = true
			for _, id := range set {
				if seen[id] {
					continue
				}
				seen[id] = true
				if !yield(r.memory.Method(id)) {
					return
				}
			}
		}
	}
}
