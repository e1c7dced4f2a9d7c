package lab

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/worker"
)

func TestTestName(t *testing.T) {
	for _, c := range []struct {
		test worker.Test
		want string
	}{
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "reads()"}, "p.CTest#reads"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "p.CTest#reads"}, "p.CTest#reads"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "it reads a file",
			ID: "[engine:junit-jupiter]/[class:p.CTest]/[method:reads()]"}, "p.CTest#reads"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "[2] b",
			ID: "[engine:junit-jupiter]/[class:p.CTest]/[test-template:reads(int)]/[test-template-invocation:#2]"},
			"p.CTest#reads[[2] b]"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "reads[1]"}, "p.CTest#reads[1]"},
		{worker.Test{Class: "p.CTest", Display: "a suite"}, "p.CTest#a suite"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "p.CTest#reads(int)[1]"}, "p.CTest#reads(int)[1]"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "p.CTest#reads(java.lang.String)"},
			"p.CTest#reads(java.lang.String)"},
		{worker.Test{Class: "p.CTest", Method: "half", Display: "p.CTest#half[instance 2][0]"},
			"p.CTest#half[instance 2][0]"},
	} {
		if got := TestName(&c.test); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.test, got, c.want)
		}
	}
}

// What is said of a run does not name the exception that stands for an exit.
func TestWhatIsSaid(t *testing.T) {
	exit := worker.Test{Outcome: worker.Exit, Reason: "Runtime.halt(3) was called",
		Failure: worker.Failure{Exception: "catchlens.rt.run.ExitPrevented", Message: "Runtime.halt(3) ends this run"}}
	if got, want := FailureText(&exit), "Runtime.halt(3) was called"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
