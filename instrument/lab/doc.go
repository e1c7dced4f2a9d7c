// Package lab inserts probes into the classes that test JVMs run, and reads what the probes
// recorded: tests as record.TestRun, the methods that ran and those below which try, the links that
// were experienced, the classes that tests generated.
//
// Input is a snapshot, whose classes are rewritten, and what a JVM answers (worker.RunResult). The
// lab knows no verdict and no strategy: what is run, how often and why is for instrument/campaign
// to say. What is inserted and what is read stand in one package, as the numbers of the probes tie
// them together.
package lab
