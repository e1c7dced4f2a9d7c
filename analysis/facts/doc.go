// Package facts holds what a class file says that the whole-program analyses
// need, in one compact record per class: a method's calls, throws, handlers,
// allocations and class initialisations, each with the exception-table entries
// that cover it. A record does not depend on any other class, so it is computed
// once per class file (DESIGN D5) and stored.
//
// Names are JVM internal names (java/io/File) and descriptors as in the class
// file. Positions are byte code offsets (PC) in the original Code attribute;
// lines come from LineNumberTable, 0 where unknown.
//
// [FromClass] makes the record of a parsed class from its register code (package ir). A [Store] is
// a file of records; package factcache says whose, and computes what no store has.
//
// # Precision and soundness
//
// Where a thrown object, a receiver or an argument comes from is decided by the
// definitions that reach it within the method: local variables, casts and joins
// are looked through, fields, array elements and results of calls are not
// (TypedSource, with the type that the class file states or a cast narrows it
// to). A null that a test excludes on the way is left out. initCause and
// fillInStackTrace are taken to return their receiver, as their documentation
// demands. Sources are complete: no object reaches an athrow that none of them
// describes, but for code that control cannot reach, which has no sites.
//
// Causes are what a caught object is passed to within the method: constructor,
// initCause, addSuppressed of the thrown object, or a call whose result is
// thrown or wrapped, four objects deep. A cause that travels through a field, a
// collection or a lambda is not seen, and a call that is given the caught object
// but drops it counts as wrapping it.
//
// Known gaps: receivers and constant arguments are not recorded in methods with
// subroutines (jsr), where they may differ from call to call. Constants are
// followed through locals and casts, not through joins or concatenation. An
// athrow whose only possible object is a null that a test excludes (javac's
// copies of finally have such) is recorded with NullSource.
//
// Values says which calls and throws control does not reach when a parameter is a given constant,
// and which constants and parameters calls pass: one parameter at a time, by comparing it with
// constants, and references with static fields (ParamTest), and switching on it. Of calls it says
// the same of what objects are that parameters refer to (TestKind): text, instances of a class,
// constants of enums in the switches of javac and Eclipse's compiler, patterns, boxes. A parameter
// that is assigned counts as what it was given where the SSA form has it; a number that comes from
// several places is each of those from whose blocks control comes.
//
// # Stores
//
// A store is one file of records with an index by name; format in store.go. A
// record is decoded when it is asked for, its strings are cut out of pieces that
// all records share. Header and index are checked when the file is opened,
// records and strings when they are first used; what is damaged, foreign or of
// another version counts as absent and is computed anew.
//
// # Cost
//
// One core of a 2.x GHz EPYC, JDK 17: a class costs 80 µs from bytes to record (9 µs a method,
// digest of the code included), 20 µs to encode, 11 µs to decode. The store of all 26,626 classes
// of 17.0.21 (819,954 calls, 39,629 throws) has 49.4 MB and opens in 0.2 ms. In memory, the 6,518
// records of java.base take 47 MB: calls of a class share the references that they name, and what
// few calls and methods have is apart (CallDetails, MethodDetails), so that a call takes 32 bytes
// and a method 200. Benchmarks: FromClass, Encode, Decode; sizes and times of whole JDKs
// are in the log of TestStoreOfWholeJDKs (tag slow).
package facts
