package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// comfortableHeap is the size in bytes that a heap may grow to before garbage is
// collected more often than now and then.
const comfortableHeap = 440 << 20

// beforeFirst is by how many percent a heap may grow that has not been collected: the runtime counts it as one of
// 4 MB (heapminimum), so that it has its first collection at the comfortable size.
const beforeFirst = comfortableHeap / (4 << 20) * 100

// tuneGC lets the heap of a process of seconds grow to a size that is comfortable before the
// first collection, near it by three tenths between collections, and beyond it by a half. GOGC in the
// environment is left in force.
func tuneGC() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(beforeFirst)
	limited := os.Getenv("GOMEMLIMIT") == ""
	if limited { // until the percentage is another one, which is a moment after the first collection
		debug.SetMemoryLimit(3 * comfortableHeap)
	}
	afterGC(func() {
		debug.SetGCPercent(heapGrowth(liveHeap()))
		if limited {
			debug.SetMemoryLimit(math.MaxInt64)
			limited = false
		}
	})
}

// heapGrowth is by how many percent a heap with so many bytes in use may grow before
// the next collection.
func heapGrowth(live uint64) int {
	room := comfortableHeap - int64(live)
	if room < 0 {
		return 50 // not comfortable anyway
	}
	return int(min(400, max(30, room*100/max(1, int64(live)))))
}

// liveHeap is how many bytes the last collection found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(sample); sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// afterGC calls f after each collection, as far as finalizers run.
func afterGC(f func()) {
	type mark struct{ _ [16]byte }
	var again func(*mark)
	again = func(m *mark) {
		f()
		runtime.SetFinalizer(m, again)
	}
	runtime.SetFinalizer(new(mark), again)
}
