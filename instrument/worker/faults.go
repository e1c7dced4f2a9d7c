package worker

// This file is what the agent is told of environment faults, and what it says
// of them. See catchlens.rt.fault.ArmedFault.

// Fault is what strikes native operations of the JDK in the tests of a request.
type Fault struct {
	Tries []FaultTry  `json:"tries,omitempty"` // in whose extent; none: anywhere
	Roots []FaultRoot `json:"roots,omitempty"`
	Path  string      `json:"path,omitempty"` // only operations on this file, or below this folder
	Peer  string      `json:"peer,omitempty"` // only operations with this host, or host:port
	// Persistent strikes every operation, not only the first.
	Persistent bool `json:"persistent,omitempty"`
	// OtherThreads also strikes what other threads do while a try is active.
	OtherThreads bool `json:"otherThreads,omitempty"`
	// Interrupt interrupts the thread at the entry of a try; there are no Roots.
	Interrupt bool `json:"interrupt,omitempty"`
	// Define is the class file, in hexadecimal, of a class of the boot loader that
	// exceptions of Roots are made of, DefineName its internal name.
	Define     string `json:"define,omitempty"`
	DefineName string `json:"defineName,omitempty"`
	// System is a kind of fault that strikes the system calls of Roots' operations
	// instead of the operations: the JVM is one whose calls are supervised.
	// SystemNet: it is about a peer.
	System    string `json:"system,omitempty"`
	SystemNet bool   `json:"systemNet,omitempty"`
	// Guards are overridden in the extent of Tries; there are no Roots then. With Observe
	// it is noted below which tries they are evaluated.
	Guards []FaultGuard `json:"guards,omitempty"`
	// Past are ways to an operation (Struck.Way) by which it is left alone.
	Past []uint32 `json:"past,omitempty"`
	// Avoid are methods, binary class name and method name, below which operations are left alone;
	// Through, unless it is "", is the one below which alone they are struck.
	Avoid   []string `json:"avoid,omitempty"`
	Through string   `json:"through,omitempty"`
	// Follow notes which operations run below a try of Tries after the fault has struck.
	Follow bool `json:"follow,omitempty"`
	// Waits are operations, by faults.Root.ID, that a thread in a try of Tries is woken out of
	// until the fault has struck.
	Waits []int `json:"waits,omitempty"`
	// Observe strikes nothing and notes which of Roots run below which try of
	// Spec.Tries.
	Observe bool `json:"observe,omitempty"`
}

// FaultTry is a try with its handlers and the lines that it and its catches are
// in.
type FaultTry struct {
	Class    string   `json:"className"` // internal
	Try      uint16   `json:"tryNumber"`
	Handlers []uint16 `json:"handlers"` // plan.Catch.N
	Method   string   `json:"method"`   // name
	First    int      `json:"first"`
	Last     int      `json:"last"`
}

// FaultRoot is a native operation and the exception that it throws when struck.
type FaultRoot struct {
	Root      int    `json:"root"`      // faults.Root.ID
	Class     string `json:"className"` // internal
	Method    string `json:"method"`
	Exception string `json:"exception,omitempty"` // binary name
	Message   string `json:"message,omitempty"`
	Errno     int    `json:"errno,omitempty"`
	// Java: a method in Java, whose exception is its own throw's.
	Java bool `json:"java,omitempty"`
	// Pipe: only on pipes; other roots of files never are.
	Pipe bool `json:"pipe,omitempty"`
	// Then strikes it each time that it runs after another root has been struck, and not before.
	Then bool `json:"then,omitempty"`
	// Declared: a fault of the user's own; Root is one of its numbers (package faults).
	Declared bool `json:"declared,omitempty"`
}

// FaultGuard is a guard of a throw (plan.Guard) with the outcome that leads there: 1 or
// 0 for whether to jump, or the operand of a switch.
type FaultGuard struct {
	Class   string `json:"className"` // internal
	Guard   uint16 `json:"guard"`
	Outcome int32  `json:"outcome"`
}

// Struck is what a fault did in one test.
type Struck struct {
	Times int
	// Operation is the first that was struck, as in java/io/FileInputStream.readBytes; of those
	// with FaultRoot.Then, if one of them was.
	Operation string
	Object    string // path or peer that it was about; "" unknown
	Thread    string // its thread, where that had not entered the try; "": it had
	Problem   string
	// Arrived: the catch of the workspace that a struck thread entered next was one
	// of the tries'.
	Arrived bool
	// Way stands for the calls from the try down to the operation, where they are known, else 0.
	Way     uint32
	Touches []Touch // of an observation
	Ran     int64   // of an observation: how often an operation has run, on whichever thread
	Later   []int   // FaultRoot.Root of what ran below the try afterwards, ascending: of Fault.Follow
}

// Touch is a native operation that ran below a try.
type Touch struct {
	Root   int  // faults.Root.ID, a number of a fault of the user's own, or see GuardRoot
	Catch  int  // Try.Catch; -1: below none
	Aside  bool // on another thread than that of the test
	Object string
}
