// Package features detects what Java hides from a reader of calls: classes that are named in
// strings or handed on as objects, methods that reflection and method handles call, services and
// security engines, proxies, initialisers, serialisation, constants of enums, what concatenations
// and records call, fields that frameworks fill, classes that libraries generate. It has the tables
// of the JDK's names for it.
//
// A detector looks at the facts of a method or a class and says what is there; what follows from it
// in a call graph or a points-to graph is up to their builders, which see the same that way. What
// calls name by constants is told to their Sinks, in one order (docs/internals/decisions, D13).
//
// What a detector does not see is listed in docs/internals/soundness.md.
package features
