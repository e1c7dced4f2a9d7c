// Package solve solves inclusion constraints between variables that point to objects: copy edges,
// loads and stores of fields and elements, and what a client does for each object that arrives. It
// knows nothing of the language whose program the constraints are of.
//
// Lars Ole Andersen: Program Analysis and Specialization for the C Programming Language, PhD
// thesis, Copenhagen 1994; difference propagation by Pearce, Kelly, Hankin (SCAM 2003), cycles of
// edges by Pereira and Berlin (CGO 2009). The comment of package pointsto says how they are put
// together, and what they cost.
//
// A client numbers nothing itself: variables, objects, types of objects, fields and filters are
// numbers that a Solver hands out, in ascending order. What it adds is never taken away. Numbers of
// variables and filters may be kept, sets that are returned may not, where their comment says so.
package solve
