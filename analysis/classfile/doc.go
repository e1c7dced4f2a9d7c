// Package classfile reads and writes Java class files, versions 45 to 69
// (JVMS chapter 4, Java SE 25).
//
// Input is the bytes of one class, output a [Class]: the constant pool in its
// encoded form plus tables of fields, methods and attributes. Attributes stay
// raw until an accessor is asked for one, so that parsing costs little more
// than finding where things are, and so that attributes this package knows
// nothing about are kept. [Class.Bytes] of an untouched class gives the bytes
// that were parsed.
//
// Precision: nothing is interpreted beyond its format. Parse rejects what is
// cut short, has bytes left over, or names entries of the wrong kind where the
// class, its members and attributes are concerned; what lies inside an
// attribute is checked by its accessor. Neither verifies bytecode. A newer
// version than 69 parses as long as its constant pool has no unknown tag; see
// [MaxMajor].
//
// Sharing: a Class refers to the bytes it was parsed from, which must not
// change, and decodes strings into a cache, so one Class must not be used by
// two goroutines at once.
//
// Cost, of the 6,445 classes (25 MB) of JDK 17's java.base on one core of an
// AMD EPYC: Parse 18 ms and 12 MB in 114,000 allocations; decoding every
// instruction, line table and member reference as well 92 ms; Parse and Bytes
// 29 ms (the benchmarks are in package classpath, which finds the classes).
package classfile
