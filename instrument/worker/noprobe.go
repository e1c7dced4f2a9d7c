package worker

// This file lists the classes that carry no probes.

import "strings"

// NoProbeClasses are the classes that a probe itself needs before its guard is
// set, or in whose methods a call of Java code is unsafe. Names ending in '/' or
// '$' or '*' are prefixes ('*' is not part of the name). Exceptions that such a
// class throws are known by their stack traces.
var NoProbeClasses = []string{
	"catchlens/",
	// The guard's own lookup: Thread.currentThread, identityHashCode, Reference.get.
	"java/lang/Object",
	"java/lang/Thread",
	"java/lang/ref/Reference",
	"java/lang/ref/WeakReference",
	// The latch of its tables.
	"java/util/concurrent/atomic/AtomicReferenceFieldUpdater*",
	// Mounting and unmounting of virtual threads: no frames may come between.
	"java/lang/VirtualThread*",
	"java/lang/BaseVirtualThread",
	"java/lang/ThreadBuilders$BoundVirtualThread",
	"jdk/internal/vm/",
	"jdk/internal/misc/CarrierThread*",
	// Accessors that core reflection generates, and the frames of method handles.
	"jdk/internal/reflect/Generated*",
	"sun/reflect/Generated*",
	"java/lang/invoke/LambdaForm$",
}

// NoProbes tells whether the class (internal name) must not carry probes.
func NoProbes(name string) bool {
	for _, n := range NoProbeClasses {
		switch n[len(n)-1] {
		case '*':
			if strings.HasPrefix(name, n[:len(n)-1]) {
				return true
			}
		case '/', '$':
			if strings.HasPrefix(name, n) {
				return true
			}
		default:
			if name == n {
				return true
			}
		}
	}
	return false
}
