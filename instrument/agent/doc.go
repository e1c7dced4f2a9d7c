// Package agent holds the Java that runs inside a tested JVM, and builds it.
//
// # What it is
//
// Java source (level 8, no dependencies) under java/catchlens/rt, a package for each thing
// that the agent does:
//
//	rt         the probes that rewritten classes call, and where the agent starts
//	rt.wire    the two channels to the worker, and the messages and numbers that it shares
//	rt.load    rewritten classes and their numbers, in place of those that the JVM loads
//	rt.record  what probes saw, by window
//	rt.inject  exceptions that are thrown in tries
//	rt.fault   faults of the environment
//	rt.run     requests: tests, what they print, the state that they leave
//
// Members are public where another of these packages uses them; no other code does. Under
// java/catchlens/adapter: one adapter per test framework, compiled against the
// project's own framework jars. Jar and Adapters compile them once with the
// user's JDK into the cache folder and return the path.
//
// # The probe ABI
//
// Rewritten classes call static methods of catchlens.rt.Probe, which every
// loader finds through the boot class path. c is the class number, an int
// constant of the class that the agent sets when it defines the class; n is the
// class-local number of the probe, 0 to 65535.
//
//	tryEnter(int c, int n)                start of try n; may throw what is armed
//	point(int c, int n)                   place n inside a try; may throw what is armed
//	caught(Throwable e, int c, int n)     start of handler n
//	uncaught(Throwable e, int c, int n)   e leaves try n, taken by none of its catches
//	thrown(Throwable e, int c, int n)     site n throws e, which is no rethrow
//	rethrown(Throwable e, int c, int n)   site n throws e, which may be a rethrow
//	enter(int c, int n)                   start of method n
//	covered(int c, int n)                 the array of the class that its n coverage probes
//	                                      set, by number; fetched when a method is entered
//	count(int c, int n)                   probe n is executed, in place of covered and its
//	                                      array where executions are counted
//	begin(String info, int c, int n)      start of method n of a component; gives what stands
//	                                      for it on the stack of call chains. info says what
//	                                      it is called by and what its calls call
//	call(Frame f, int n)                  the method makes its call n
//	callOn(Object on, Frame f, int n)     ... on an object whose class decides what it calls
//	construct(Frame f, int n)             ... of another constructor for its own object
//	end(Frame f), fail(Frame f)           it returns, or an exception leaves it
//	root(Object, Object, Object, int c, int n)
//	                                      native operation n of the table of faults
//	                                      is next, or a method that a fault of the
//	                                      user's own strikes; may throw what that makes of it
//	guard(a, b, int how, int c, int n)    branch n compares two ints or references:
//	                                      whether to jump; may be overridden
//	select(int value, int c, int n)       operand of switch n; may be overridden
//
// # What is recorded
//
// Per window: how often each try was entered, each handler was entered, and
// each try was left uncaught; which methods were entered; and the experienced
// links (throw site, handler, class of the exception). The throw site of a
// caught object is the site that threw it last (thrown), kept over rethrows: at a
// site that may rethrow (rethrown), an object that is known already must have been
// caught since it was thrown, with or without a probe there, and keeps its site; so
// does one whose trace says that a native method threw it. An object that no probe
// saw thrown is put down to the first frame of its stack trace:
// a native site (class and method), an implicit one (class, method, line), or
// unknown where it has no trace. Objects of the injector make no links.
//
// Known gaps: a stack trace that the program replaced (setStackTrace,
// getStackTrace overridden) is believed; past 20,000 stack traces read in one
// window sites are unknown; of the exceptions thrown in a window the last 16,384
// are remembered, and those before them while they are seen again; the record's
// Lost count says where something may be missing; a preallocated exception that
// a site which may rethrow throws keeps the site that threw it first in the
// window.
//
// # Attribution
//
// One test at a time runs in a JVM. The rule, in full:
//
//  1. An event belongs to the window that is open when it happens.
//  2. When a whole class runs, each test has a window; what happens in the
//     class container before, between and after its tests (@BeforeAll, static
//     initialisers that run then) is in fixture windows of the class, reported
//     apart. The campaign adds them to every test of the class that ran in the
//     container.
//  3. When one test runs alone, everything is in its one window, fixtures
//     included.
//  4. A thread belongs to the window in which it was first seen, or started
//     (live threads are listed when a window closes). Events on a thread of an
//     earlier window, or of before the first, are stray: counted, and attributed
//     to no test. Two exceptions: a thread that the fixtures of the running
//     class started works for each of its tests; the workers of the common
//     fork-join pool work for whichever test is running.
//  5. Events on threads of the agent, and of any thread while it is inside the
//     agent (loading a class, constructing an exception to inject), do not count.
//
// Coverage follows the same rule: a method fetches the array of its thread's
// window when it is entered. What belongs to no test is told apart, with what ran
// between two windows, and nothing of it is lost. Known gap: a method in the
// middle of which a thread of fixtures is, while a test leaves a thread of its own
// behind, records to no test until it is entered again.
//
// Call chains belong to the window in which their last method begins, if its thread does. Of
// threads of earlier windows none are recorded.
//
// # Call chains
//
// A thread has the calling contexts of a component's methods that are on its stack
// (rt.record.Chains). A method that begins is called directly if the method on top has announced
// a call of its name last. Where that call may lead out of the component as well, the stack
// decides: whether the frame below is of the announcing class. It is looked at once for each
// call, class of the object on which that is made, and method that begins, since the first two
// decide what is called (JVMS 5.4.6); each time where the class is hidden, as those of lambda
// objects, whose frames no stack shows, and where the object is below more than two slots of
// arguments. A call calls one method: for what begins behind it without another call, as below
// the initialiser of a class whose field is read, the stack is looked at, too.
//
// Frames hold numbers alone: of the context, of the call, and of the class of the object on which
// it is made. These three and the method that begins are the key of a table of the thread that
// tells the context below, and in which window it was noted last. Where that is the open one,
// nothing more is done.
//
// Methods tell how deep they are with each call and at each end, so that exceptions
// leave nothing behind but constructors: no handler may cover the call of another constructor.
// What that one throws, if it is of the component, takes the constructors above along; else the
// next method that is called from outside looks at the stack. TestChainsAreThoseOfTheStacks of
// package session compares all this with whole stacks.
//
// # Cost
//
// Outside a window a probe is one field read. On the test thread an event is an
// increment of an int array that only this thread writes. On other threads it
// takes a table lookup and a monitor. Exceptions cost a table entry when thrown
// and, where no probe saw them thrown, their stack trace when caught.
package agent
