package campaign

import (
	"testing"

	"catchlens/instrument/worker"
)

func TestTestName(t *testing.T) {
	for _, c := range []struct {
		test worker.Test
		want string
	}{
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "reads()"}, "p.CTest#reads"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "p.CTest#reads"}, "p.CTest#reads"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "it reads a file", ID: "[engine:junit-jupiter]/[class:p.CTest]/[method:reads()]"}, "p.CTest#reads"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "[2] b", ID: "[engine:junit-jupiter]/[class:p.CTest]/[test-template:reads(int)]/[test-template-invocation:#2]"}, "p.CTest#reads[[2] b]"},
		{worker.Test{Class: "p.CTest", Method: "reads", Display: "reads[1]"}, "p.CTest#reads[1]"},
		{worker.Test{Class: "p.CTest", Display: "a suite"}, "p.CTest#a suite"},
	} {
		if got := testName(&c.test); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.test, got, c.want)
		}
	}
}
