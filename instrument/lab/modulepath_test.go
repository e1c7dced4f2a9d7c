package lab

import (
	"errors"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/worker"
)

// Tests leave their Java module when the modules do not fit together, and for nothing else.
func TestLeaveModule(t *testing.T) {
	m := &workspace.Module{Name: "m"}
	l := &Lab{Execution: Execution{Module: m}, Probes: &Probes{generated: newGeneratedCode()}}
	l.java.Store(&worker.Module{Name: "p"})
	if l.leaveModule(errors.New("it ended")) || l.JavaModule() == nil {
		t.Error("the module is left for no reason")
	}
	if !l.leaveModule(errors.New("Error occurred during initialization of boot "+
		"layer\njava.lang.module.FindException: Module q not found")) || l.JavaModule() != nil {
		t.Error("the module is not left though it cannot be made")
	}
	if notes := l.Notes(); len(notes) != 1 || !strings.HasPrefix(notes[0], "m: ") ||
		!strings.HasSuffix(notes[0], "java.lang.module.FindException: Module q not found") {
		t.Errorf("notes %q", notes)
	}
}
