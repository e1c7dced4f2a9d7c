// Package faulting makes predicted links happen by faults of the environment (paper
// 003, section 3; paper 000, section 2), and forces throws that no fault makes happen. Input are a
// lab, the memory of earlier runs, the runs of a baseline and the engine that strikes; results are
// recorded in the memory as they come.
//
// First, the tests that enter a try with links from the JDK run once more, and it is noted which
// native operations run below which try (Touched). Then each such operation is struck with each
// kind of fault that the universe has for it, in a run of its own, in the shortest test that
// reaches it; what that experienced is a FaultRun. A fault that strikes without an exception coming
// to the catch is repeated in another test, and as a persistent one: what a retry masks at first it
// cannot mask for ever. Last, what other threads do while the try is active is struck. With what is
// left then of links from native operations callpaths.go goes on.
package faulting
