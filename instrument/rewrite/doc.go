// Package rewrite puts probes into class files, ahead of the run (DESIGN D2).
//
// Input is the bytes of a class and its [plan.Class]; the result is the bytes
// of a class that does the same and calls the static methods of [ProbeClass]
// with a class number and the plan's numbers: at method entries, at try
// entries, at handler entries, before athrow, and where an exception leaves a
// try that none of the try's catches takes. The class number is one constant
// of the class, a placeholder whose offset the result tells: bytes are the same
// in every JVM but for those four.
//
// The class keeps its schema (JVMTI, RetransformClasses): no member, supertype
// or attribute of the class changes, so that a class that is loaded already can
// be given its probes, and they can be taken out again.
//
// # Where code goes in
//
// Almost all of it is straight-line code that leaves stack and locals alone,
// inserted before an instruction. What leads there decides where in it control
// lands:
//
//   - An entry probe of a method runs once, also where the code jumps back to
//     pc 0.
//   - An entry probe of a try stands where control enters the try's ranges,
//     within these ranges, so that what it throws goes to the try's own
//     handlers. A jump from inside, such as that of a loop whose head is the
//     try's first instruction, lands behind it; a jump from outside, such as
//     that of a loop around the try, lands before it. Of tries that begin at one
//     instruction the outermost comes first, outside the ranges of the others.
//   - The probe of a handler's entry sees exceptions only: code that falls into
//     the handler is led past it by a goto, jumps land behind it.
//
// An exception that leaves a try uncaught is seen by a handler of everything,
// appended to the method, in the exception table behind the try's own entries
// and before those of enclosing tries. It throws the exception again, and is
// itself covered by what would have handled the exception without it. A try
// whose ranges are enclosed in several ways gets one for each.
//
// # Frames
//
// Every frame that is written is a copy of one that was there: of the
// instruction that an insertion stands before, of a branch's target (for a
// goto_w that short branches go by), or, for an appended handler, of the try's
// handler, which covers the same code, completed by what handlers around it
// say. No class hierarchy is needed, and none is loaded that was not before.
//
// # Coverage
//
// A coverage probe calls nothing: it stores into an array that the method fetches
// when it is entered (cover.go). The array is in a variable behind all others, which
// every frame has. The probe of a jump is the one thing that stands elsewhere: behind
// the method's code, on the way of the jump.
//
// # Call chains
//
// A method that tells of call chains (chains.go) has one more variable behind all others, a probe
// before each call, and a handler of everything that is outside all others, in a constructor two.
// The probe of a call gets the object on which it is made, where the plan asks for that and at most
// two slots of arguments are above it.
//
// # What is left out
//
// [Result.Skipped] names it with the reason: methods whose code would be larger
// than 65,535 bytes, or whose tables would be larger than their format allows
// or than work without end allows (hostile files); classes whose constant pool
// has no room; tries whose handlers' frames do not imply those of the handlers
// around them (no compiler is known to write such); empty finalizers; the
// classes of [Exclusions].
//
// # Stretched catches
//
// [Stretch] makes a class whose catches take a supertype (paper 001, 3.4). It changes
// the exception table, frames and references to members, no instruction, so the
// class it makes gets the probes of the original's plan. What it cannot stretch
// although a compiler might: a handler whose exception a lambda captures (the
// lambda's method has the narrow type), and old code with subroutines. What a compiler
// would not: a variable declared outside the clause, or a type argument inferred from
// the narrow type, where the class file does not tell (no LocalVariableTable).
//
// # Precision and known gaps
//
//   - Where ECJ leads a jump from inside a try at the head of an endless loop
//     straight back to that head, its byte code can be that of a loop inside the
//     try; see findEntries for what is assumed. A wrong guess miscounts entries
//     of that one try, nothing else.
//   - In byte code where ranges of tries cross instead of nesting, a jump that
//     enters an outer try but not an inner one that starts at the same
//     instruction counts as an entry of both.
//   - Code made by compilers that share one handler between try statements
//     counts as one try (see package plan).
//   - A LocalVariableTable keeps the extent of variables over the original
//     code; in appended handlers no variable has a name.
//   - Attributes of Code that are not in JVMS 4.7 are kept as they are, even if
//     they hold pcs.
//
// # Cost
//
// Linear in the size of the class but for branches that outgrow 32 KB. On one
// core of the development machine 53,000 classes of JDK 17's java.base a second
// with the probes of a library (Throws), which makes them 1.1% larger; 18,000
// with every kind of probe, 4.7% larger (BenchmarkRewrite, CPU time).
package rewrite
