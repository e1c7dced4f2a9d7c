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
// An original call is a call in a try whose exceptions the catch takes. While it
// lasts, its code can get hold of objects in three ways only: it makes them, it
// reads them from static fields (or natives hand them out), or it gets from one
// of those, or from an argument, to another by loading fields. So the search of
// Figure 6 starts with the methods that the call names and with U, what its
// arguments point to; each method reached adds what it makes and what its static
// fields hold to U and the fields that it loads to the fieldset; U is closed
// under the fields in the fieldset; and a virtual call is followed to a method
// only if an object of U is among those on which the points-to result makes the
// call. Edges that cannot be followed wait at the blocks of their objects, and
// fields that nobody loads yet with what they hold, so that each edge, object and
// field is looked at once (reach.go).
//
// Exception-flow then runs again over the edges followed, for all groups of
// exceptions at once, a bit for each (exceptions.Carrier): what comes out of the
// original call is what its links may be. A link stays if it comes out of one of
// the original calls of its catch, or is thrown in the try itself
// (exceptions.Result.Confirm).
//
// Original calls that start alike, with the same methods and the same U, are
// searched once. A call is searched only while links that it may bring are not
// confirmed by others. Catches are shared among the processors.
//
// # Departures from the paper
//
//   - The paper keeps a link if the throw site's method can be reached, this
//     package only if a path of edges that survive carries the exception, past
//     the handlers on it, to the catch.
//   - Nodes are methods in contexts, as the points-to result has them; all
//     contexts of the method with the try start one search, because their links
//     end in one catch.
//   - The figure is silent about array elements (loads of a field Elements),
//     results of natives (created, or outside of the call like static fields),
//     invokespecial (follows the receiver's class at compile time, so no object
//     decides it) and lambdas (their captured variables are fields, loaded by the
//     body). Threads that the call starts and finalizers are not followed: none
//     of their exceptions comes out of the call, and what they store is in the
//     points-to result of the fields that the call loads.
//   - Exception objects, strings, class constants and boxed numbers are at hand
//     everywhere (pointsto.Result.Always).
//
// # Soundness and known gaps
//
// As sound as the points-to result. Where arguments of an original call are not
// known, or a method is reached that gets hold of objects in ways that nobody
// described (Opaque), every object counts as at hand. Links to the places where
// causes arrive are not filtered, nor are ReachingThrows and the exceptions that
// are said to leave a call. Whether a reason is the only one is not claimed: it
// stands on the shortest chain.
package datareach
