// Package baseline runs the tests of a module as they are, several times, and records what each of
// them does: how it ends, which methods and tries it enters, which links it experiences.
//
// Baseline.Run takes a lab, the memory of earlier runs and what is asked; the result is the newest
// run of every test. What is known and unchanged is not run again. Each repetition is in other JVMs
// and in the reverse order of the one before. A test that ends differently in two of them is flaky,
// unless it passes each time by itself and fails again after what ran before it (dependent.go,
// orderdependence.go). A try that runs once in a JVM, in a static initialiser or to fill a cache,
// belongs to the same test whichever came first (singleruns.go).
package baseline
