// Package planner decides where coverage probes of a method stand and what they do: the test
// plans of structural testing.
//
// Sources. The form of a plan (seeds, probe plans with actions and conditions, state), the seven
// techniques and the treatment of stranded, singleton and if-then stranded blocks are those of
// Misurda, Efficient Branch and Node Testing, 2011, sections 3.1, 3.4 and 4.1. Superblocks are
// those of Agrawal, Dominators, Super Blocks, and Program Coverage, POPL 1994. The question that
// [MinimumNode] and [MinimumBranch] answer is that of Chen, Hoag, Lee, Mestre and Pupyrev,
// Minimum Coverage Instrumentation, 2022; the rule that answers it here is in superblock.go.
//
// Input is a [Graph] of basic blocks with exceptional edges, as [OfMethod] makes it from register
// code, or [NewGraph] from anything. Output is a [Plan]. A plan is data: [Plan.Begin] runs it over
// the blocks that control enters, which is what tests compare with. Nothing here knows class files
// or probes of a JVM.
//
// Invariants, held by tests over random graphs and walks and over graphs of real methods:
//
//   - After every walk, and after a walk that ends in the middle at a block that may leave, each
//     node technique gives the blocks that were entered, each branch technique the edges that
//     were taken: no more, no less.
//   - A technique never needs more probes than the one that it improves: minimum, Agrawal, static.
//   - A plan depends on the graph and the options alone.
//
// Departures from the thesis, each shown by a test that fails without it. [Options.Literal] takes
// them all back.
//
//   - A block that may leave the method counts as a fork, and the block that control enters first
//     as one with a predecessor more. Otherwise coverage of what follows an exception is lost, and
//     that of edges back to the first block.
//   - A block is if-then stranded only if the body has one way in and one way out. In a condition
//     such as a && b, Algorithm 4.4 loses the edge from b to the else part.
//   - A probe removes itself before it places others, so that it may place itself. That is what
//     reflexive blocks need, which the thesis leaves open (4.2.1.2), and blocks that may leave.
//
// Known gaps. The previous block of a branch plan in blocks is local to an activation, but its
// probes are not: where a second activation of the method takes away a probe between two blocks
// of the first, a demand-driven branch plan in blocks may miss an edge. Probes on edges
// ([OnEdges]) do not know a previous block and have no such gap. Every plan that infers takes
// for granted that a block that cannot throw and heads no loop is followed by one of its
// successors: a JVM that is halted in between ends with at most the blocks of that moment
// inferred too many.
//
// Cost: dominators by Semi-NCA, everything else linear in the edges. But demand-driven branch
// plans in blocks need anchors between the successors of a block; too many are an error.
package planner
