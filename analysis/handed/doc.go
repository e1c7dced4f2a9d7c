// Package handed follows exception objects that a program gives to libraries, to the places where
// these throw them on its behalf: what a supplier makes (Optional.orElseThrow), what a future, a
// task or a field keeps until somebody asks, what was caught on another thread.
//
// # Input and result
//
// Input is a call graph with the facts of its methods, and which classes are the program's own.
// [Flow.Made] gives, for each athrow of a library, the classes of unchecked exceptions that the
// program's code makes and that come there. [Flow.Caught] gives for a handler the athrows of
// libraries that throw what it caught, other than by throwing it again itself, and [Flow.Unwrapped]
// those that throw what reflection wrapped in it. Which exceptions arrive at a handler is for
// package exceptions to say, which also leaves out what the points-to set of an athrow's operand
// rules out.
//
// # The analysis
//
// Variable type analysis (Sundaresan and others, Practical Virtual Method Call Resolution for Java,
// OOPSLA 2000), forwards from where the objects begin: one set of kinds of objects for each
// variable, each field and each method's result, whatever object the field belongs to. It takes any
// call graph. Points-to sets alone do not do: there a handler's variable may be every exception of
// its types, so that each exception of the program came out of each throw of a library that keeps
// what it catches.
//
// What goes into a place of a library whose type is no exception's (Object, a variable of types, an
// element of an array) is blurred: it comes out of every cast from such a place to an exception's
// type. Following it through collections instead takes three times as long as the rest of an
// analysis, and tells hardly more: all maps have their values in one field. What a call gives is
// told apart even so, by what it may call. In the program's own code such places are followed.
//
// # Soundness and known gaps
//
// As sound as the call graph, apart from these. Causes and suppressed exceptions are not followed
// out of the exception that keeps them: one field is that of all. Arguments of reflective calls are
// in arrays, which leads nowhere. Not followed are exceptions of the program's classes that a
// library makes by reflection, and bound references to overridden methods of exceptions.
//
// # Cost
//
// Only methods that a followed object comes to are read, and once, for what they load, those of
// classes that name exceptions. What is kept in a field is followed once, whichever handler it
// comes from.
package handed
