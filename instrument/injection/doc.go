// Package injection is short-circuit testing as in figure 1 of paper 001 (Cornu, Seinturier,
// Monperrus 2014): exceptions are thrown at the start of tries, and the tests that enter them run.
//
// Input are a lab, the memory of earlier runs, the runs of a baseline and what is asked; results
// are recorded in the memory as they come in, one matrix cell at a time.
//
// Isolation. Runs share a JVM and its loaded classes. A test is injected into after it has passed
// in that JVM as it is: static initialisers and caches, which run or fill once in a JVM, are
// thereby never under injection, and what they do does not depend on the order of runs. Injected
// runs are grouped into segments; after each, the tests of the segment are run once more without
// injection (the canary) and must pass as in the baseline. If one does not, what the segment showed
// is thrown away and its runs are repeated, each in a fresh JVM. Tests that all pass under one
// injection are in no segment, as what verdicts rest on is repeated. A run that ended
// its JVM is repeated alone in a fresh one before it is believed. What the verdicts then rest on is
// repeated in fresh JVMs into which nothing else is injected, with the injection from the start,
// and follows these where they show something else.
//
// Departures from the paper: the exception is thrown at the start of every
// execution of the try by a rewritten class file instead of by changed source;
// a catch with several types is injected with each; exceptions that cannot be
// constructed decide nothing.
package injection
