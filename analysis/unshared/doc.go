// Package unshared tells what does not happen with objects that nobody knows but the method that
// makes them: a socket that has just been made is not closed, a reader that is closed last is open
// when it is read.
//
// Wegman, Zadeck: Constant Propagation with Conditional Branches, TOPLAS 1991, on the fields of
// such objects; Fink, Yahav, Dor, Ramalingam, Geay: Effective Typestate Verification in the
// Presence of Aliasing, ISSTA 2006, follow the states of single objects between methods.
//
// # Input and result
//
// Input is a call graph and the class files. The result, for a method that is entered in a state,
// is which of its calls and throws control does not reach, and in which states it enters the
// methods that it calls (Effects). A state is what is known of the arguments, and the objects among
// them that nobody else knows, with the values of their fields and the objects there. Without a
// state nothing is known, but of objects that the method makes or gets from methods that make them.
//
// # Algorithm
//
// A method's register code is evaluated until nothing changes. The heap has the objects that this
// activation, its callers or the methods that it called have made, each told apart by the
// instruction that made it. A store into a field of one of them replaces what was there. Where a
// second object comes from an instruction while the first is still in use, neither is followed.
// Calls are followed by their summaries: what they return, and the heap after it, as they return
// and as they throw. A call is followed where it leads to one method with Java code: the one that
// the receiver's class selects, or the only target in the call graph.
//
// # Soundness
//
// A field of an object that nobody else knows is written by the code that is evaluated, and by
// nobody else. Others may come to know it, and then nothing is known of it and of what it leads to
// from there on, in these ways:
//
//   - it is stored into a static field, an array, or a field of an object that is not followed or
//     that others know. A thread, a task and a collection are such, or get it by the next;
//   - it is passed to a call that is not followed: to a method that may be one of several, that is
//     native or modelled (reflection, Unsafe, VarHandle and deserialisation among them), that is
//     active already, or that lies beyond the bounds. Lambdas get what they capture so;
//   - it is thrown. Exceptions are not followed themselves, nor are objects with a finalizer: that
//     may run while the last method of theirs does (JLS 12.6.1).
//
// Methods that subclasses override are those of the class in the new instruction: it is known
// exactly. An exception may leave a block, and a method, at each of its instructions: handlers, and
// callers of a method that throws, get all heaps that there were. A name that a summary finds in
// the call graph is in that graph: what reflection or a native method calls beside is passed
// nothing that is followed. Class files that are not those that the facts are of are not read.
//
// Followed are objects that can be closed (Closeable). Not followed: numbers that are computed but
// for sums and bits, elements of arrays, and what a branch says of a field. Mocks that replace the
// code of a library's classes are not seen.
//
// Of static fields of the JDK it is asked whether they hold nothing in the whole program
// (Questions.Null): a factory that nobody sets.
package unshared
