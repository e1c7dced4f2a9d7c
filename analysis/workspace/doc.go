// Package workspace is the model of a folder with Java code: a [Workspace] of modules, their
// source roots, class folders, class paths, JDK, compiler options and test settings, and what
// catchlens.toml says of them ([Config]). Package discovery makes one; packages maven and gradle
// read what the build files say into it, for which they share a [Reading].
//
// It reads files only and starts no process: it may look at a workspace that nobody trusts yet
// (decision D9).
//
// # What it answers
//
// Whatever could not be read or resolved is a [Problem] that names the file; what a class path
// lacks stands in the module's Missing. [Workspace.WithClassPaths] puts in what a build tool says
// itself. [Workspace.ScanFiles] and [Module.SourcesNewerThanClasses] tell what has changed.
// [TestSettings.Selects] tells which tests run.
package workspace
