package worker

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// BenchmarkStart reports what one start of a JVM that runs a few tests only costs, with one
// trivial test and its end: processor time of the JVM and its helper, in ms.
func BenchmarkStart(b *testing.B) {
	spec := injectSpec(b, testjdk.JDK(b, 17))
	spec.NamedOnly = true
	spec.JVMArgs = strings.Fields(os.Getenv("BENCH_ARGS"))
	children := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := func() {
		j, err := Start(context.Background(), spec)
		if err != nil {
			b.Fatal(err)
		}
		run(b, j, Request{Adapter: agent.Plain, Tests: []string{"Inject#test"}})
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
	start() // compiles the agent
	before, n := children(), 0
	for b.Loop() {
		start()
		n++
	}
	b.ReportMetric(float64((children()-before).Microseconds())/1000/float64(n), "ms-cpu/op")
}
