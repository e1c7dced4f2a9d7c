// Package lab runs the tests of a module in JVMs with probes, and answers with records: tests as
// record.TestRun, the methods that ran and those below which try, the links that were experienced,
// the classes that tests generated.
//
// A Lab has what all its JVMs share: the module's settings, the class path, the folders, the
// classes that were rewritten for them (Probes), the JVMs that are kept warm. Start starts a JVM,
// Run runs a request in one, RunClass a test class as it is. A Reader turns what a JVM answers into
// records. What is inserted and what is read stand in one package, as the numbers of the probes tie
// them together.
//
// The lab knows no verdict and no strategy: what is run, how often and why is for whoever asks. It
// reports by what it returns (Notes, Started, Confinement), and calls nobody back but to say how
// far its work is (Monitor).
package lab
