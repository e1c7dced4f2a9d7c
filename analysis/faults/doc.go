// Package faults is the fault universe F of paper 003 (Fu et al., DSN 2003,
// section 2.3) as data: the kinds of environment faults that are studied, the
// native operations of the JDK that each strikes (its roots), and how each root
// reports it.
//
// # Input and result
//
// The table is text (table.txt), one line for each root: the JDK versions that
// have it, the native method, the class that calls it where that decides what
// it works on, how its native code turns an errno into an exception, the kinds of
// faults that strike there, and where in the JDK's sources that stands. [Table]
// is its parsed form; [Roots] is what one version of the JDK has of it. [Check]
// holds a table against the class files of a JDK.
//
// # Precision and known gaps
//
// A kind has one errno, the typical one; a real device may fail with others. What
// a root throws follows the C code of the JDK on Linux; other systems' native
// code is not in the table. Native methods that return a failure (File.delete) throw
// nothing and are no roots. Memory-mapped access fails with a signal, not with an
// exception, and is none either.
package faults
