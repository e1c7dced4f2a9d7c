package osfault

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/worker"
)

// A test's own fault that does not strike fails the test, unless this run does
// something else to it that may have kept it from striking.
func TestExcuse(t *testing.T) {
	s := New()
	defer s.Close()
	p := &prepared{s, s.TakeOrders(), nil}
	for _, x := range []struct {
		what string
		q    worker.Request
		want bool
	}{
		{"as it is", worker.Request{}, false},
		{"an exception", worker.Request{Arm: &worker.Injection{}}, true},
		{"a fault", worker.Request{Fault: &worker.Fault{}}, true},
		{"observed", worker.Request{Fault: &worker.Fault{Observe: true}}, false},
	} {
		p.RunStarts(&x.q)
		if p.orders.excused != x.want {
			t.Errorf("%s: excused %v", x.what, p.orders.excused)
		}
	}
}
