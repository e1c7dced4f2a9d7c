// Package callchain finds the call chains of a component: which sequences of calls can be on the
// stack between a method by which it is entered and each of its other methods.
//
// Atanas Rountev, Scott Kagan, Michael Gibas: Static and Dynamic Analysis of Call Chains in Java,
// ISSTA 2004. A forest of calling-context trees has a tree for each entry method and a node for
// each chain (section 3.3); Build is Figure 3 with its four parameters.
//
//   - Call graph: any callgraph.Graph.
//   - Granularity: whether calls are told apart by method, by call site, or by call site and class
//     of the receiver (3.1).
//   - Stopping criterion: a number of calls, counted from the entry method or from where the program
//     starts (section 5), a filter of the user, and a budget of chains.
//   - Recursion: unrolled up to the length, or ended by back edges.
//
// The artificial nodes caller and callee are not built. Entry methods are what code outside the
// component may call. What the VM calls counts as called from outside: class initialisers,
// finalizers, methods behind reflection, method handles and bootstrap methods, and what another
// thread begins with. A method that only a lambda object leads to is called where the lambda's
// interface is called.
//
// # Infeasible chains
//
// A call is left out of a chain where the chain itself rules it out. The paper's test: a call
// through this goes to the method that the class of the last call's receiver selects. And
// constants that the calls of the chain pass: a call that control does not reach while a parameter
// is null, true, or another constant is left out where the chain passes that constant
// (facts.Guard). So is what depends on the text, the class, the box or the constant of an enum
// that an object is, where the chain passes one of which that is known (facts.TestKind). A call on
// a parameter goes to the method that the class of a new object selects, where the chain passes
// one, or to the code of a lambda expression or method reference that it passes. These and
// constants of enums may be null besides, as far as is known (enums.go). A parameter that is
// compared with another static field leaves out nothing: two fields may hold one object, and one
// field another object later. With a points-to analysis that has contexts, each method of a
// chain is in those of its contexts to which the calls above it lead, and receivers are of the
// classes that get to the call. A call on a parameter is then made on the objects that the call
// before passes, or, at an entry method, that calls from outside pass (given.go). What reaches a
// method otherwise than by a direct call is unknown, and rules out nothing. At a coarser
// granularity, a node stands for all that the finer ones know of it: it is there if one of them is.
//
// # Representation
//
// A state is a method with what the chain tells of it, a set of contexts. States and calls between
// them are an automaton; the forest is what it unrolls to. Equal subtrees are one node, so that a
// forest with millions of chains has thousands of nodes: a Node's identity is its subtree, a chain
// is a path from a root. Ancestors that a subtree cannot call back do not make it another one.
//
// # Runs
//
// A Run follows the events of a thread through the forest (section 4), and tells which chains were
// gone down to, and on which level: how often the component had been entered and left. It is the
// meaning of what the agent records of real runs in a way of its own, for which Announce says
// where calls lead; Find looks up what ran. Exceptions are allowed, which the paper leaves out:
// what one leaves counts as ended. So are class initialisers: what the VM calls enters the
// component again.
//
// # Cost
//
// Four calls in the packages of commons-io, with classes of receivers and obj-dr: at most 0.5 s of
// wall clock each, 27 MB allocated, and 6,500 nodes for up to 300,000 chains (TestCommonsIO).
package callchain
