// Package chains says which call chains of a component tests have taken (Rountev et al. 2004,
// section 5): coverage of a forest of calling-context trees.
//
// Input is a forest (package callchain) of the workspace without its tests, and runs that
// recorded call chains. OfRuns finds each chain that ran in the forest, by its entry method, its
// methods and its call sites; the result names, for each chain, the tests that took it: when
// nothing of the component was on the stack of the thread before (level 0), and when something was
// (level 1 and above). A chain that ran and that the forest does not have is Unpredicted: a
// defect of the call graph, or of what is ruled out.
//
// How runs record: catchlens.rt.record.Chains, and rewrite/chains.go. Runs do not tell classes of
// receivers apart, nor chains with more than worker.ChainCalls calls.
package chains
