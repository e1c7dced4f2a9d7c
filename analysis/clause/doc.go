// Package clause tells from the code of a catch whether it can depend on where in
// the try the exception comes from, and on what.
//
// Input is the register code of the method that holds the catch (package ir), the
// number of its handler, the lines of the clause and a [Program], which answers for
// other methods. The result is a [Result]: the ground on which the catch is
// source-independent without any run, or what stands against it; and what the try
// may have [Prepared] that the clause, or what follows it in the method, uses: the
// candidates for the cause of a violated verdict.
//
// The try are the instructions in the handler's ranges. What follows are the blocks
// that control can reach from the handler, along exceptional edges too. Four kinds
// of state count:
//
//   - Local variables: exactly those for which the handler's block has a phi. Along an
//     exceptional edge a variable has the value of the block's start, and a protected
//     block ends where a variable changes (package ir). A value of a loop in the try counts,
//     too, as it is another one in each turn.
//   - Fields that the try may write: stores in the try, and in what its calls reach
//     by the call graph. Constructors write fields of the object that they make,
//     which nobody had before the try; these do not count. A volatile field may be
//     written by any call.
//   - Elements of arrays, by any store of the try or any call in it.
//   - The state of other objects: an object that is not made in the clause, and whose
//     class is not one of immutable values, may have been changed by any call in the
//     try. It is named only where the try itself works on it.
//
// A call after the handler is understood if it is in the tables of plain calls
// (values, exceptions, logging with plain arguments), or leads to methods of the
// workspace only, whose code is followed. Any other call may read anything.
//
// Grounds. A clause that ends every path by throwing, and depends on nothing that the
// try may have changed, passes the exception on: [PassesOn]. One that completes and
// depends on nothing is [Unaffected], provided that nothing is known of the try that
// writes a field of the class of the catch, as that outlives the method and the clause
// does not undo it. What the try does to other objects that outlive the method is no
// matter of the clause.
//
// The places from which an exception can come are instructions that may throw. What the
// try sets before the first of them is set whenever one comes: see [Result.Always]. For a
// ground that is all that counts. A cause is judged more closely: exception-flow knows from
// which calls and throws the exceptions of the caught types come ([Origins]), and what has
// run at all of these, or at none, makes no difference ([Set.Settled]).
//
// Soundness. It is assumed that exceptions are values (what a constructor or a getter
// of a library's Throwable reads is its own), that loggers do not steer the program,
// that class initialisers have run, that making text of an object sets nothing up in it,
// that no other thread changes what the clause uses, and that fields are written neither by
// reflection nor by native code. State outside of the JVM (files, clocks, connections) is
// read by calls only, and calls that read it are not in the tables.
//
// Cost: a method that holds a catch is lowered once for all its catches. The first
// question about a field reads the class files of the workspace, 15 µs a method.
// A method takes time by the square of how many calls, variables and blocks it has, at most.
package clause
