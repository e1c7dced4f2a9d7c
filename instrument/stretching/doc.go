// Package stretching runs the tests with stretched catches (paper 001, 3.4): first each
// source-independent catch by itself, then all that may be stretched together. Input are a lab, the
// memory of earlier runs and the catches; results are recorded in the memory as they come.
//
// Only tests count in which an exception left the try by another way than the catch:
// for all others stretching changes nothing, which is the paper's case A, applied to
// a test. Each stretched class is loaded into a JVM of its own into which nothing is
// injected. A test that fails there must fail alone in a fresh JVM, too, and pass in
// one that has the original class, to count. Where a catch cannot take Exception, its
// supertypes below are tried, the widest first.
package stretching
