package rewrite

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/plan"
)

// planFor plans the probes of the kinds for a class file.
func planFor(t testing.TB, data []byte, k plan.Kinds) (*plan.Class, *facts.Class) {
	t.Helper()
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	f, problems := facts.FromClass(c, data, facts.Options{})
	for _, p := range problems {
		t.Error(p)
	}
	return plan.ForClass(f, k), f
}
