package lab

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// What a JVM that ended had run is not known to have passed in the one that took its place.
func TestWarmJVM(t *testing.T) {
	first, second := &worker.JVM{}, &worker.JVM{}
	pass := func(id string) *record.TestRun { return &record.TestRun{ID: id, Outcome: record.Pass} }
	var w WarmJVM
	w.Ran(first, first, []*record.TestRun{pass("a"), {ID: "b", Outcome: record.Fail}})
	if len(w.passed) != 1 || !w.passed["a"] || w.doubt {
		t.Errorf("after the first class: %+v", w)
	}
	w.Ran(first, second, []*record.TestRun{pass("c")})
	if len(w.passed) != 0 || w.j != second {
		t.Errorf("after the JVM ended: %+v", w)
	}
	w.Ran(second, second, []*record.TestRun{pass("d"),
		{ID: "e", Outcome: record.Fail, Message: "java.lang.OutOfMemoryError: Java heap space"}})
	if len(w.passed) != 1 || !w.passed["d"] || !w.doubt {
		t.Errorf("after a test without memory: %+v", w)
	}
}
