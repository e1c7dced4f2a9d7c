// Package javasource finds where each try, catch, throw and call stands in Java
// source text, and which handlers of the class files each catch became.
//
// # Source
//
// Parse reads any version of Java, from 1.0 to 25, without knowing which. Its
// input is the UTF-8 text of one file (DecodeSource makes it of other
// encodings), its output a File: types with the names of their classes,
// members, lambdas, try statements with their clauses and throws, each
// with its place as byte offsets into the text; ParseCalls adds the calls, for
// whoever asks about one. It is a structure parser: it
// reads tokens, pairs brackets, and looks for what opens a scope; it does not
// read expressions. On valid source it agrees with javac's parser on every
// position that TestJavacAgreesOnJDK compares. It accepts much that is invalid,
// and never fails.
//
// Text that is being typed is read with as little damage as possible. Brackets
// are paired by a stack, where a round or square bracket ends at what cannot
// stand inside of it (a semicolon, a statement). Where braces do not balance,
// they are paired a second time: a statement no further to the right than the
// block it would be in shows that the block's brace is missing, a closing brace
// further to the right than its block that it is one too many. TestTyping and
// TestOneBracketLess hold down the share of catches in other members that get
// lost: 0.5% while something is typed in a body, 1.5% where a brace is missing.
//
// Catch.ID names a catch by its class, its member with erased parameter types,
// and its number in that member, lambdas included; anonymous and local classes
// are counted per member and supertype. So edits elsewhere change no ID, and a
// new lambda renumbers nothing. Catch.Digest is of the tokens that the clause's
// behaviour depends on in the source: resources and block of the try, the
// clauses up to this one, finally. Carry follows catches from one version of a
// file to the next by both.
//
// # Handlers
//
// Match takes a parsed file and the records (package facts) of its classes. It
// pairs types with classes (by name; local and anonymous ones by supertype,
// members, lines and order), members with methods (by name and parameters),
// lambdas with the methods that their invokedynamic names, and then, in each
// method, catches with handlers. That last step is an alignment: the clauses
// are laid out in the order in which compilers emit their handlers, those of
// finally blocks once for each way out on which javac or ECJ may put a copy,
// those of initialisers in each constructor that runs them; the best
// order-preserving pairing with the handlers in pc order wins. Evidence are the
// caught types, the line (of the keyword with javac, of the parameter with
// ECJ), the variable's name, and how many handlers the protected range holds.
//
// Where the lines do not fit the text, because it was edited since or the class
// has none, they are left out, and types, order and nesting decide. In java.base
// and jdk.compiler of JDK 25 that changes the handlers of 2 catches among 4,239
// (both in FilterOutputStream.close, whose clause looks like the code that
// javac 8 made for resources).
//
// Every handler that belongs to no catch is listed as Synthetic with a kind. A
// typed one is the compilers' own only if its code is one of the known patterns
// (see compilerPattern); Unexplained ones hint at a stale source, or at a tool
// that rewrites classes.
//
// Known gaps: a catch whose handlers another compiler places out of order, in a
// class without lines, may get another clause's of the same type; classes
// woven after compilation (Lombok's SneakyThrows, aspects) have handlers that no
// source has; old class files with jsr/ret have one handler for a catch in
// finally, not copies, which needs no special case. A comment that is opened
// and not closed hides what follows up to the next end of a comment, as it does
// for javac.
//
// # Cost
//
// A file of 5,000 lines takes 2 ms and 0.6 MB, a tree of 626 files (11 MB) 50 ms
// (BenchmarkReparse, BenchmarkTree; two cores, one used). Parsing is linear but
// for nesting, which is limited (maxDepth); matching is quadratic in the
// handlers of a single method, with a limit (maxCells).
package javasource
