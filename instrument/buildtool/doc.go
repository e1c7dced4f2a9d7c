// Package buildtool runs the build tools and the compiler of a workspace, after
// its user trusts it (decision D9): Maven and Gradle to learn exact class
// paths, and a javac that stays warm to compile sources that are newer than
// their class files. No function here checks trust; whoever calls does.
//
// # Input and result
//
// [ResolveMaven] and [ResolveGradle] take a workspace and answer exact class
// paths for Workspace.WithClassPaths, cached by digests of the build files.
// [Compiler.Compile] takes one source set of a module and answers diagnostics
// and class files in a folder of the cache; the user's own output folders are
// read, never written. [CompileWorkspace] does so for every module that is out
// of date, in dependency order, and answers a workspace whose class folders
// are those in the cache. [Generate] has Maven make, in a copy of the project, the sources that
// a build generates and that are not there.
//
// # Incremental compilation
//
// A source is dirty when its content differs from what was last compiled, or
// when that failed. Dirty sources are compiled against the last good classes.
// If a class changed in what others can see of it (the digest of its
// non-private declarations, constants included), then every source is added
// that mentions its simple name, or whose classes contain its full name, and
// likewise for its subtypes; this is conservative, as a source can depend on a
// declaration only by naming its type or by a use that leaves the type's name
// in the class file. Modules whose annotation processors may look at the whole
// module are compiled whole. Files that fail are taken out and the rest is
// tried again: what failed keeps its last good classes.
//
// # Known gaps
//
// Sources are compiled on the class path, also those of a Java module: what it does not export or
// require is no error. Its module-info.java is compiled by itself after them, which tests that run
// in the module need; where that fails there is none. Sources of other JVM languages are not
// compiled; their classes from the user's output folder are used. Javac plug-ins (-Xplugin) that
// write files elsewhere do so.
//
// # Processes
//
// Every process runs in a process group of its own (a job by taskkill on
// Windows) and ends with its descendants when the context ends. The compiler
// ends by itself when idle.
//
// # Cost
//
// BenchmarkCompile, main sources of examples/filedrop (20 files), JDK 17,
// processor time of the compiler's JVM: its start and all files 1.25 s, after
// that 44 ms for one changed file, in the mean of 20. On two cores with ten
// times more to do than they can, that is 8 s and 0.17 s of wall time, and
// 0.27 s for the first changed file.
package buildtool
