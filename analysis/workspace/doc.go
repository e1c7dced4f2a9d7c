// Package workspace finds out what a folder with Java code consists of: its
// modules, their source roots, class folders, class paths, JDK, compiler
// options and test settings. It reads files only and starts no process, so it
// may look at a workspace that nobody trusts yet (decision D9).
//
// # Input and result
//
// [Open] takes one folder or several and answers a [Workspace]: Maven
// projects (also with many modules), Gradle projects, and plain folders
// (Eclipse .classpath and IntelliJ .iml files are honoured there). A
// catchlens.toml in the workspace root overrides every part ([Config]).
// Whatever could not be read or resolved is a [Problem] that names the file,
// and the rest is still answered.
//
// # Precision
//
//   - Maven: the effective model is built as Maven 3 does (parents, profiles,
//     properties, dependency management with imported BOMs, plugin
//     management), and dependencies are mediated as Maven 3 does (nearest
//     declaration wins, the widest scope wins, exclusions, optional,
//     relocation, managed versions and scopes) from the poms in the local
//     repository. For a project that was built once, the class path equals
//     that of "mvn dependency:build-classpath". What the local repository
//     lacks stands in [Module.Missing]. Known gaps: profiles that are chosen
//     on the command line only (unless .mvn/maven.config has them), build
//     extensions, plug-ins that change the model while they run (other than
//     build-helper's added sources), remote repositories.
//   - Gradle: build scripts are programs; they are read by pattern (the
//     declarative forms of the Groovy and the Kotlin DSL). Gradle class paths
//     are therefore never marked complete; package instrument/buildtool asks
//     Gradle itself once the user trusts the workspace.
//   - Plain folders: sources are found by their package declarations, classes
//     by the names inside the class files.
//
// # Bounds
//
// File sizes, folder depth, folder counts, parent chains, import chains and
// graph sizes are limited; symbolic links are followed once per real folder.
// Reaching a limit is a problem, not an error. Source, resource and class
// folders that hold the module's own folder are left out.
//
// Cost, with files in the page cache on one core: a module with 23 entries on
// its test class path opens in 25 ms, two modules with 17 and 104 entries
// (Spring Boot, Hibernate, WireMock) in 130 ms, commons-io 2.18 in 130 ms.
package workspace
