// Package datareach is DataReach: it discards e-c links that no flow of objects
// makes possible.
//
// Fu, Ryder, Milanova, Wonnacott: Testing of Java Web Services for Robustness,
// ISSTA 2004, section 3.2 and Figure 6.
//
// # Input and result
//
// Input is a points-to result with its call graph, and the links that
// exception-flow found on that graph. The result is the same links without
// those discarded, with chains along edges that survive, and for each discarded
// one a reason: the class of which no object can be reached.
//
// # Algorithm
//
// An original call is a call in a try whose exceptions the catch takes. What can
// run while it lasts depends on the objects that its code can get hold of: it makes
// them, reads them from static fields, or gets from an argument to them by loading
// fields. The paper keeps one set U of these objects for each original call and
// follows a virtual call only on objects of U (Figure 6).
//
// This package follows the objects from variable to variable instead: a frame is a method with the
// sets of objects that its parameters point to, and within a frame the method's code is evaluated
// again, with these sets (contexts.go). A virtual call is followed only on objects that its
// receiver points to there. What fields and static fields hold is taken from the points-to result,
// of the whole program; with the heap fixed, a method with given parameters does the same wherever
// it is called. So frames are shared by all original calls (the functional approach of Sharir and
// Pnueli), and all original calls are searched at once. A set that is all that a variable points to
// in the whole program is one value, whole, so that most of the program is one frame a method. Sets
// have numbers; unions, intersections and loads are computed once (sets.go). Calls of many methods
// are mostly of a few methods on few sets: those with the same edges share what is found out about
// which of them are taken, and where they lead (dispatch.go).
//
// Beside the objects, a frame has the constants that its parameters are, as far as a call or a
// throw below waits for them (values.go): what control does not reach with these is not made. The
// same holds of a parameter that is compared with static fields: where it points to no object of
// such a field, it is not that. This is asked of final fields that hold one object that their
// class initialiser makes, in code that cannot run before the object is stored (initialising.go):
// there they are not null. A field of this that is compared with null is null where the points-to
// result has nothing in it on any receiver of the frame; package facts says of which classes this
// is asked. What an athrow throws that gets it from elsewhere is what points there in the frame
// (thrown.go). A frame may also have the state in which its method is entered, which package
// unshared tells: what is not done in it is left out (unshared.go). The paper does not have this.
// Nothing is known of parameters in a try's own method, of other fields, and of what is computed.
// What the frames of the JDK and the bounds below do not tell apart stays as it is.
//
// A method that the points-to analysis tells apart by receiver is one node here, whose frames have
// their receivers; what it allocates is, in a frame, what it allocates on these (Data.MadeFor), be
// it in a context of theirs or in the one that all without share. With a node for each receiver,
// commons-io had 90 million edges to look at, and five times the time and memory.
//
// Only code is followed that exceptions that matter may come out of, as
// exception-flow says, or whose result decides about such code.
//
// Frames of one method below which the same runs become one vertex (merge.go). On
// that graph exception-flow runs again, group by group of exceptions
// (exceptions.Result.ConfirmJoint). A link stays if its exceptions come out of one
// of the original calls of its catch along edges that survive, or if they are thrown
// in the try itself.
//
// # Departures from the paper
//
//   - The paper keeps a link if the throw site's method can be reached, this
//     package only if a path of edges that survive carries the exception, past
//     the handlers on it, to the catch.
//   - Frames instead of one set of objects for each call: what one part of the call
//     has hold of is not at hand to another. There is no U: in real programs it was
//     everything, because somewhere below nearly each call of the JDK something is
//     reflective (25 of 27 calls of commons-codec). An object that a variable gets
//     in a way that is not understood may be any that the variable points to in the
//     whole program.
//   - The figure is silent about array elements (loads of a field Elements),
//     results of natives (whatever the points-to result says), invokespecial
//     (no object decides it) and lambdas (their bodies are followed with any
//     captured variables and arguments; a call returns what those return that its
//     receiver may be). Threads that the call starts and finalizers are not
//     followed: none of their exceptions comes out of the call, and what they store
//     is in the points-to result of the fields that the call loads.
//
// # Soundness and known gaps
//
// As sound as the points-to result. Where a call is reflective, native or modelled,
// its callee's parameters may be anything, and so may a result whose objects the
// code does not explain. Links to the places where causes arrive are not filtered,
// nor are ReachingThrows and the exceptions that are said to leave a call. Whether a
// reason is the only one is not claimed: it stands on the shortest chain.
//
// The shortest chain of a link takes edges that survive, one after the other. The list
// and the number of all of a link's chains do in small workspaces; in large ones
// (mostChains) they are those of the call graph: links do not depend on them.
//
// Where bounds are met (sets of more than 512 objects, 4,096 frames of a method and context, eight
// times as many frames as there are nodes) what the points-to result says is taken: the links that
// stay are more, and are links of the same call graph. Below the bounds, neither contexts of
// constructors nor containers told apart left more links in any random program; at them they may.
// Five real projects meet none but that of objects, which changes no link of theirs. (With 128
// objects, commons-io had 4 links with containers told apart that it had not without, and 181 more
// in all; with 64 frames a method, joda-time had 27 links with constructors in contexts that it had
// not without.)
//
// Tests compare random programs (classes, fields, arrays, constructors, initialisers, handlers,
// calls that wait for a parameter to be some object, or for a field of this to be null or not) with
// Figure 6, beyond whose edges and methods nothing survives if no bound is met, and with runs of an
// interpreter: each call in an original one from which exceptions may come, and each exception that
// arrives, is there, whatever the bounds. Where the figure has no say, it is given what this
// package may assume: a call without callees returns what its variable points to in the whole
// program (this package knows that it returns nothing if no object gets to its receiver: otherwise
// less would be left by a points-to analysis in which some do). Lambdas, natives and reflection are
// not in these programs, but in testdata/Ways.java.
//
// # Cost
//
// Processor time in one process, medians of three on a busy machine with two cores, JDK 17, with
// constructors in contexts, after that of the points-to analysis itself: commons-codec (38 original
// calls, 36,000 frames) 1.3 and 0.8 s; joda-time (1,644; 100,000) 1.9 and 1.7; commons-io (413;
// 85,000 frames, 27,000 vertices, 241,000 edges) 2.5 and 2.1; commons-lang3 (221; 118,000) 4.2 and
// 3.4; commons-csv (7, of tests; 109,000) 3.3 and 2.9. Following objects is nine tenths of it, on
// one processor: its order numbers the vertices, and with that decides which of several shortest
// chains is shown. Another processor reads nodes of the points-to result ahead where there is one
// (reader.go). With containers told apart, too, commons-csv has 183,000 frames of 29,000 nodes,
// followed 420,000 times. Its 10,900 groups of several edges have 3,400 tables. Nine in ten edges
// of frames are not taken: those that are, are found by the blocks of the receivers.
//
// Shortest chains are looked for when they are asked for: those of all 5,900 links of
// commons-io take 8 s of processor time, a report of it 16 instead of the 8 that it takes
// with chains of the call graph, of which 2,400 do not survive or are others as short.
package datareach
