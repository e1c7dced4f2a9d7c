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

// beforeFirst is by how many percent a heap may grow that has not been collected: the runtime
// counts it as one of 4 MB (heapminimum), so that it has its first collection at the comfortable
// size.
const beforeFirst = comfortableHeap / (4 << 20) * 100

// largestHeap is the size in bytes up to which a heap has its garbage collected as often as that
// takes, so that the process stays below largestProcess: 600 MB are what the analysis of a library
// with its tests should take at most (docs/internals/measurements.md).
const largestHeap = 540 << 20

// largestProcess is the size in bytes that all memory of the process may have meanwhile. What the
// heap does not use is given back to the system rather than going beyond.
const largestProcess = largestHeap + 40<<20

// How many percent a heap grows between collections: at least and at most, near the comfortable
// size, beyond the largest, and, for what largestProcess leaves of it, so that the program does
// more than collecting.
const (
	leastGrowth   = 7
	nearGrowth    = 30
	beyondGrowth  = 50
	mostGrowth    = 400
	worthLimiting = 3
)

// tuneGC lets the heap of a process of seconds grow to a size that is comfortable before the first
// collection, near it by three tenths between collections or by less, as far as that keeps the
// process from growing beyond largestProcess, and by a half where nothing does. GOGC and GOMEMLIMIT
// in the environment are left in force.
func tuneGC() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(beforeFirst)
	limit := func(int64) {}
	if os.Getenv("GOMEMLIMIT") == "" {
		limit = func(size int64) { debug.SetMemoryLimit(size) }
	}
	limit(3 * comfortableHeap) // until the percentage is another one, which is a moment after the first collection
	afterGC(func() {
		live := sized("/gc/heap/live:bytes")
		growth := heapGrowth(live)
		debug.SetGCPercent(growth)
		if growth == beyondGrowth {
			limit(math.MaxInt64)
		} else if limit(largestProcess); sized("/gc/heap/goal:bytes") < live+live*worthLimiting/100 {
			limit(math.MaxInt64)
		}
	})
}

// heapGrowth is by how many percent a heap with so many bytes in use may grow before
// the next collection.
func heapGrowth(live uint64) int {
	to := func(size int64) int { return int((size - int64(live)) * 100 / max(1, int64(live))) }
	switch largest := to(largestHeap); {
	case largest < leastGrowth:
		return beyondGrowth
	case largest < nearGrowth:
		return largest
	default:
		return min(mostGrowth, max(nearGrowth, to(comfortableHeap)))
	}
}

// sized is a size in bytes that the runtime knows: /gc/heap/live:bytes is what the last collection
// found in use, and /gc/heap/goal:bytes how large the heap is when the next one ends. 0 if it is
// not known.
func sized(metric string) uint64 {
	sample := []metrics.Sample{{Name: metric}}
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
