// Package pointsto finds out which objects the variables, fields and array
// elements of a program may point to, and with it which methods calls may reach:
// inclusion-based points-to analysis that builds the call graph on the fly.
//
// Lars Ole Andersen: Program Analysis and Specialization for the C Programming
// Language, PhD thesis, Copenhagen 1994. Paper 000, sections 3.1 and 4.2, calls the
// analysis PTA.
//
// # Input and result
//
// Input is a hierarchy, whose facts hold what each method does with references
// (facts.Method.Flow), entry points, and what runs observed. The Result has a
// callgraph.Graph, in which every method is once, with the sites and edge kinds
// that cha and rta would give it; and the same by context, with variables, objects
// and fields, for package datareach.
//
// # Precision
//
// An object is an allocation site, in the context of its method where that has one.
// One object per type are exceptions (Kastrinis, Smaragdakis, CC 2013: throw sites
// are kept by the facts, so that no link loses its own), strings and their
// builders, boxed and big numbers, class constants, arrays of primitives and of
// strings, bare Objects. Fields are told apart by object, array elements are one
// field. Statements have no order but that of the SSA form, in which each
// assignment of a local variable is a variable of its own. Casts, array stores and
// the static type of a call let only objects of their type pass.
//
// A catch clause's variable points to every exception of its types that the
// program makes, wherever it is thrown.
//
// Contexts (context.go): none; or constructors that store a parameter in a field of this, by call
// site; or besides these the methods of containers, by receiver object, if the workspace allocated
// the container. The latter are joined in the result, but for the fields of the objects that they
// told apart (resultnodes.go). With these, methods that runs were seen to enter count as called by
// reflection only where nothing else reaches them (observed.go).
//
// # Features
//
// Each feature that hides calls has a file in package model: lambdas, method references, string
// concatenation and records (lambda.go), reflection, method handles, services and serialisation
// (reflection.go), proxies (proxies.go), arrays copied by natives, clone, Unsafe, VarHandles and
// field updaters (intrinsic.go), natives, threads and what the VM calls (native.go). Observed calls
// are here (observed.go). They have the same callees as in package callgraph, whose comment lists
// them; what flows through them is here:
//
//   - What is passed to a pool of reflective callees is one variable, whoever
//     passes it, and what a parameter gets of it is decided by its type.
//   - The parameters of entries and of observed callees may be anything in the
//     program that has their type.
//   - A native method returns a new object of its return type or, unless the class
//     is final, any that the program has. Natives of the JDK that return Object
//     return what they were given. System.arraycopy, Arrays.copyOf and the like copy
//     elements at the call.
//   - Fields that the VM or natives of the JDK write (natives.Fields) hold, in every
//     object of the class, what a native could return that has the field's type; those
//     that hold what the VM or a proxy's code wrapped, in objects of the wrappers.
//     Methods behind handles may be passed any exception of a parameter's type.
//   - Fields behind offsets are those for which reached code asks with a constant
//     name; an access by offset may reach each of them that the object has.
//   - An object that is cloned or read from a stream is taken for the one that was
//     cloned or written, or, when read, for any serialisable one of the program's own
//     classes. What the JDK reads for itself is left out.
//
// # Soundness and known gaps
//
// As sound as rta, with the same observed edges, but for these. Objects that JNI
// code of the program keeps and gives back later through Object. A field reached by
// offset with a computed name. Serialised objects of the JDK's classes that were
// written by another process. Values that a class of the program puts into a JDK
// container by reading that container from a stream of another process.
//
// The order links(obj) within links(inpta) within links(pta) within links(rta) holds
// by construction as far as contexts only split sets; the tests check it. The nodes of one
// map, which obj takes for one object (nodePlace), have the same in their fields with inpta, too.
//
// # Algorithm
//
// Package solve carries objects on, and knows nothing of Java; package heap says which objects
// there are, package model what Java hides. This one tells them the constraints of methods that are
// reached, and what a call does on an object. Package flat is the memory of all.
//
// Sets of objects grow along copy edges, each object once per edge (difference
// propagation: Pearce, Kelly, Hankin, SCAM 2003), in topological order of the edges
// without filter, cycles of which are made one variable whenever the edges have
// grown by half (Pereira, Berlin, CGO 2009). Loads, stores and calls are done for
// each new object of their base or receiver.
//
// A set is an ascending list of blocks of 64 objects with a word of bits each, in memory without
// pointers. The objects of a type are numbered in runs of 1, 4, 16 and 64, so that one object, or
// few, of most types share a block with other types, and a filter or a dispatch decides for a run
// at once. Blocks of one type each were eight times as large on sets of collections' contents,
// where most types have few objects. Objects are noted with the filters of their supertypes when
// they are made, so that the filter of a class asks for no type, and knows at once of the 1024
// objects of a page that none passes. Only filters of array types ask, for arrays.
//
// Sets of more than 32 blocks are shared (solve/largesets.go): ten thousand variables of type
// Object end up with the same half of a program's objects. Each such set is there
// once and has a number; what two sets are together, and what a filter leaves of
// one, is computed once, and a copy between variables that have the same set is a
// comparison of numbers. Variables that have one wait until nothing else changes.
// On commons-lang3 that took the carrying of objects along copy edges from 4.2 s to
// 0.4 s and 200 MB.
//
// Calls on variables with the same set, and loads and stores of the elements of their
// arrays, are done once for all of them (group.go, there and here): arguments flow to variables of
// the group, and from there to the hundreds of methods that the call reaches. On
// commons-lang3 55,000 times a call was made on new objects of such a set, 8.8 million
// objects in all, on 4,300 different sets.
//
// Solving runs on one processor, but for the tidying of edges, half of the variables each. The
// result is made on two: sites with the call graph, and beside them what objects and code have.
//
// Where a call of a method leads on the objects of a block is looked up once (led).
//
// What the VM starts by itself is solved first, then what the workspace calls of libraries for
// certain (certaincalls.go), and at last the program's entries are reached. The first two are read
// from what analyses before have kept of them where that is the same (boot.go, persistence.go,
// state.go).
//
// # Cost
//
// docs/internals/measurements.md has times. commons-lang3 has 44,900 methods, 22,900 objects and,
// where reflection brings all that is passed to Method.invoke together, 12,200 objects in one set;
// 744,000 times a variable is carried on, most of them small. Making the order more often did not
// make it faster. BenchmarkBuild measures.
package pointsto
