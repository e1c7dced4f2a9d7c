// Package fault is what campaigns know of engines that make environment faults
// happen (paper 003, section 3): in the JVM, at the border to native code, or in
// the operating system below it.
//
// An engine breaks one thing at a time: a [Fault] is armed for one request to a
// test JVM and disarmed after it, and the engine then says whether it struck, and
// where. That a run has one fault only is what lets an exception be put down to
// it (paper 003, section 2.4).
package fault

import (
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/worker"
)

// Fault is what is to be broken.
type Fault struct {
	Kind faults.Kind
	// Root limits it to one native operation, "java/io/FileInputStream.readBytes";
	// "": whichever operation of the kind comes first. Engines below the JVM
	// cannot tell them apart and go by Path and Peer.
	Root string
	// Path limits it to one file or folder, Peer to one address ("host:port", or
	// "host"); "": any.
	Path, Peer string
	// Declared, if it is not nil, is a fault of the user's own, the one with the number
	// Index in the list that classes were rewritten for. Kind is its name, and there is
	// no Root.
	Declared *faults.Declared
	Index    int
	// Tries limits it to the extent of these tries: it is armed when one of them is
	// entered, and disarmed when that is left or one of its catches entered. None:
	// it is armed for the whole of each test.
	Tries []worker.FaultTry
	// OtherThreads: what other threads do meanwhile is struck too.
	OtherThreads bool
	// Persistent: the device stays broken, every matching operation fails until
	// the fault is disarmed. Otherwise the first one fails and no other.
	Persistent bool
	// After is an operation that fails first, with a fault of its own. From then on, and not
	// before, Root fails: once, or each time if Persistent, where the device stays broken while the
	// JDK or the program cleans up. The zero value: none. In the JVM only, and not for Declared.
	After Operation
	// Past are the ways to Root (Fired.Way) by which it is left alone. In the JVM only.
	Past []uint32
	// Avoid are methods, binary class name and method name, below which operations are left alone:
	// they throw anew what these throw. Through, unless it is "", is the method below which alone
	// operations are struck, also After. Both only count between an operation and the try. In the
	// JVM only.
	Avoid   []string
	Through string
	// Follow asks for Fired.Later. In the JVM only.
	Follow bool
	// Wake has threads woken out of operations in which they wait (Waits), so that the JDK does
	// what it does when a signal interrupts one: it polls. In the JVM only.
	Wake bool
}

// Operation is a native operation and what it fails with.
type Operation struct {
	Root string
	Kind faults.Kind
}

// Fired is what an armed fault did in one test.
type Fired struct {
	Times int // operations that it made fail; 0: it was armed and none matched
	// the first that failed: a native method, or a system call; with Fault.After, the first after
	// that, if one did
	Operation string
	Object    string // path or peer that this was about, where it is known
	Thread    string // name of the thread, where that is not the one that entered the try
	Arrived   bool   // an exception of it is known to have come to a catch of Fault.Tries
	Way       uint32 // stands for the calls from the try down to the operation, where they are known
	Later     []int  // faults.Root.ID of the operations that ran below the try after the fault, ascending
	Engine    string // the engine that served, where it is not the one that was asked
	Problem   string // why it could not be armed, or could not strike
}

// Engine makes faults happen in test JVMs. Its methods are called by one
// goroutine for each JVM.
type Engine interface {
	// Name is what settings and reports call it: jvm, os.
	Name() string
	// Prepare changes how a JVM is to be started so that the engine can reach it.
	Prepare(*worker.Spec) error
	// Arm makes f happen in the tests of the request that is about to be sent to
	// j. An error says that this engine cannot make it happen.
	Arm(j *worker.JVM, q *worker.Request, f Fault) error
	// Disarm takes it back, whatever came of the request, and says what it did in
	// a test of the request. It is called once for each test, at least once
	// (t nil) if there is none; nothing of the fault is left after the first call.
	Disarm(j *worker.JVM, t *worker.Test) Fired
}

// Serves names the engine that a kind of fault is left to: e, or the one that it
// falls back on for what it cannot make happen.
func Serves(e Engine, k faults.Kind) string {
	if c, ok := e.(interface{ Serves(faults.Kind) string }); ok {
		return c.Serves(k)
	}
	return e.Name()
}
