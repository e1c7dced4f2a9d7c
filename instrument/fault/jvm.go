package fault

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/worker"
)

// JVM is the engine that strikes inside the test JVM, at the calls of native
// operations: the operation is not carried out, and what its native code would
// throw is thrown in its place. It reaches what the JDK's Java code calls, and
// not what native libraries do by themselves; bytes that are in Java's buffers
// arrive first, as they do in the field.
type JVM struct {
	Feature int // version of the JDK that runs the tests
}

// Name is "jvm".
func (JVM) Name() string { return "jvm" }

// Prepare lets the JVM remember no host's address, unless the project's arguments say how long:
// what a test has looked up once runs no operation for 30 seconds, and the JVM that is struck has
// run the test before. The points are in the rewritten JDK.
func (JVM) Prepare(s *worker.Spec) error {
	s.JVMArgs = slices.Concat([]string{"-Dsun.net.inetaddr.ttl=0"}, s.JVMArgs) // InetAddressCachePolicy.java
	return nil
}

// Arm puts the fault into the request.
func (e JVM) Arm(_ *worker.JVM, q *worker.Request, f Fault) error {
	w := &worker.Fault{Tries: f.Tries, Path: f.Path, Peer: f.Peer, Persistent: f.Persistent,
		OtherThreads: f.OtherThreads,
		Past:         f.Past, Avoid: f.Avoid, Through: f.Through, Follow: f.Follow}
	for i := range faults.Table {
		if r := &faults.Table[i]; f.Wake && Waits(r.String()) {
			w.Waits = append(w.Waits, r.ID)
		}
	}
	if f.Kind == faults.Interrupted {
		w.Interrupt = true
		q.Fault = w
		return nil
	}
	if d := f.Declared; d != nil {
		w.Roots = declaredRoots(d, f.Index)
		q.Fault = w
		return nil
	}
	if w.Roots = e.roots(Operation{f.Root, f.Kind}); len(w.Roots) == 0 {
		return fmt.Errorf("the JVM engine cannot make %s happen in %s", f.Kind, or(f.Root, "any operation"))
	}
	if f.After.Root != "" {
		for i := range w.Roots {
			w.Roots[i].Then = true
		}
		first := e.roots(f.After)
		if len(first) == 0 {
			return fmt.Errorf("the JVM engine cannot make %s happen in %s", f.After.Kind, f.After.Root)
		}
		w.Roots = append(w.Roots, first...)
	}
	for i := range w.Roots {
		if r := &w.Roots[i]; r.Errno != 0 {
			class, err := unixExceptionClass()
			if err != nil {
				return err
			}
			w.Define, w.DefineName = hex.EncodeToString(class), unixExceptionName
			r.Exception = strings.ReplaceAll(unixExceptionName, "/", ".")
		}
	}
	q.Fault = w
	return nil
}

// Poll is the operation that the JDK runs when a signal has interrupted one in which it waits for a
// peer (NioSocketImpl.java, park).
const Poll = "sun/nio/ch/Net.poll"

// Waits tells whether an operation waits for a peer, and Poll follows where it is interrupted.
func Waits(root string) bool {
	return root == "sun/nio/ch/Net.accept" || root == "sun/nio/ch/SocketDispatcher.read0"
}

// roots are the rows of the table for an operation, with what they throw; for those of any,
// where it has no name.
func (e JVM) roots(o Operation) (out []worker.FaultRoot) {
	for i := range faults.Table {
		r := &faults.Table[i]
		if o.Root != "" && o.Root != r.String() || e.Feature < r.First || r.Last < e.Feature {
			continue
		}
		if rep, ok := r.Report(o.Kind, e.Feature); ok {
			out = append(out, worker.FaultRoot{Root: r.Anywhere().ID, Class: r.Class, Method: r.Name,
				Exception: rep.Class, Message: rep.Message, Errno: rep.Errno,
				Java: r.Java(), Pipe: r.Caller == faults.OnPipe})
		}
	}
	return out
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// Disarm says what became of the fault: the agent disarms by itself at the end
// of the request.
func (JVM) Disarm(_ *worker.JVM, t *worker.Test) Fired {
	if t == nil || t.Fault == nil {
		return Fired{}
	}
	s := t.Fault
	later := slices.DeleteFunc(slices.Clone(s.Later),
		func(number int) bool { _, own := faults.DeclaredAt(number); return own })
	return Fired{Times: s.Times, Operation: s.Operation, Object: s.Object, Thread: s.Thread, Arrived: s.Arrived,
		Problem: s.Problem,
		Way:     s.Way, Later: later}
}

// declaredRoots are the places where a fault of the user's own strikes.
func declaredRoots(d *faults.Declared, index int) (roots []worker.FaultRoot) {
	exception := strings.ReplaceAll(d.Exception, "/", ".")
	message := d.Message
	if message == "" {
		message = worker.RealisticMessage(exception)
	}
	for _, base := range []int{faults.DeclaredEntry, faults.DeclaredCall} {
		roots = append(roots, worker.FaultRoot{Root: base + index, Class: d.Class, Method: d.Method,
			Exception: exception, Message: message, Declared: true})
	}
	return roots
}

// Observe makes a request note which native operations, and which methods that faults
// of the user's own strike, run below which try.
func Observe(q *worker.Request, own []faults.Declared) {
	w := &worker.Fault{Observe: true}
	for i := range faults.Table {
		if r := &faults.Table[i]; r.Caller != faults.OnPipe {
			w.Roots = append(w.Roots, worker.FaultRoot{Root: r.ID, Class: r.Class, Method: r.Name})
		}
	}
	for i := range own {
		w.Roots = append(w.Roots, declaredRoots(&own[i], i)...)
	}
	q.Fault = w
}
