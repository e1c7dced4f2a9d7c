// Package exceptions is exception-flow: for each handler of interest it finds
// the throw sites whose exceptions may arrive there, the e-c links of paper 000,
// with their call chains.
//
// Fu, Ryder, Milanova, Wonnacott: Testing of Java Web Services for Robustness,
// ISSTA 2004, section 3.1.
//
// # Input and result
//
// Input is an annotated call graph (package callgraph) with the facts of its
// methods, a list of handlers, the targets, and the studied set. The Result has
// the links of each target, what causes they wrap, the native operation below
// them, and their call chains; and, from the throwing side, where a throw or a
// call lands and ReachingThrows of a method. Everything is in a fixed order.
//
// # The equations and their dual
//
// The paper computes, for each method m, the throw sites RT(m) whose exceptions
// leave it:
//
//	RT(m) = {t in m | type(t) - kill(trynest(t)) not empty}
//	        ∪ {t in RT(m') | m' a target of a call site c in m,
//	                         type(t) - kill(trynest(c)) not empty}
//
// With the JDK that is some 15,000 throw sites times 100,000 methods, and
// nobody asks for most of it. So the sets turn round here. Exceptions that every
// handler and every throws clause of the program treats alike are one group;
// there are some hundred groups. For a group G let climb(G) be the part of the
// call graph that its exceptions climb: the methods m with RT(m) ∩ G not empty
// (climb.go; one visit for each callee set, however many callers share it).
// There, let D(m) be the targets at which an exception of G arrives that leaves
// m:
//
//	D(m) = ∪ {caught(c) ∪ (D(n) if c's cover lets G pass) | c a call site in n with target m}
//
// caught(c) being the targets among the handlers around c. D is carried down
// the edges of climb(G), one row of bits for each strongly connected component
// (solve.go). Then
//
//	(p, target) is a link  <=>  target ∈ caught(p) ∪ (D(method of p) if p's cover lets G pass)
//
// which is the paper's solution: p ∈ RT(n) at a call c of the target's method
// exactly if there is a path of calls that p's group climbs from p's method to
// c, and D follows the same paths in the other direction. oracle_test.go
// compares the two on random programs.
//
// # Inside a method
//
// flow.go walks the exception table entries that cover a site, in order. A
// handler that throws the caught object again passes it on under the cover of
// that athrow, with the throw site it came from; so finally, synchronized, try
// with resources and catch-and-rethrow need no special case. A throw of another
// object is a throw site of its own; what it wraps is its cause.
//
// # Departures from the paper
//
//   - The types of a throw are one class where it is known (new X), else the classes that
//     the operand points to (operands.go), else a cone: a class and its subclasses.
//     A handler for a subclass takes a part of a cone; the rest goes on undiminished,
//     as kill works on whole sets in the paper.
//   - A checked exception ends at a method that does not declare it, when a
//     compiler has seen to that (checkedrule.go), and was not told what is not so about a
//     type variable (package generics). This is what keeps the exceptions of
//     one caller's lambda from all the others' handlers: Failable.run(x) throws
//     E is one method, whatever E stands for.
//   - Exceptions pass some edges only in part or not at all: threads, class
//     initialisers, reflection (callgraph.EdgeKind).
//   - A few throw sites of the JDK relay what others caught (relays.go).
//   - Of unchecked exceptions of libraries, where only the workspace's are studied, those count that
//     the workspace made or threw before (handed.go).
//   - The user's own faults (Studied.Faults) are throw sites at the start of
//     their methods, outside of the tries there.
//
// # Soundness and known gaps
//
// Links are as sound as the call graph. Not found are: asynchronous exceptions
// (StackOverflowError, Thread.stop), linkage errors other than a failed class
// initialiser's, what natives throw beyond what they declare or the table of
// natives says, and a checked exception that passes a throws clause with a type
// variable because a generic object was cast without a check (heap pollution,
// JLS 4.12.2) where no signature of a class file shows that: where the object
// came out of an array or a collection (package generics). An object that is
// kept and thrown again by another method than the one that caught it has a new
// throw site there. Causes of ExceptionInInitializerError are not told; those of
// what surfaces from a future are all that ends any task, whichever future it is.
//
// # Cost
//
// For commons-lang3 3.17 with its tests and JDK 17 (CHA: 41,000 methods, 253,000
// sites; 85 targets): default set 0.55 s of processor time on two processors,
// io 0.1 s, all 2.8 s, all with implicit sites (240,000) 3.9 s; all shortest
// chains of the default set's 3,500 links 0.17 s. See the benchmarks.
package exceptions
