// Package coverage says which code of a class ran, from what its coverage probes recorded: which
// lines and which ways out of branches.
//
// Input is a class file; [OfClass] makes the graph of each method and a plan for it (package
// planner), [Class.AddTo] puts the probes of the plans into a plan of the class, and
// [Method.Covered] reads what these recorded. [Method.Lines] is what people are shown of a method,
// and [OfRuns] adds up what the runs of a workspace's tests covered.
//
// # Nodes
//
// A node is a piece of straight-line code that is entered at its start alone, or a way out of a
// branch or switch. Ways to one target of a switch are one. Straight-line code is cut
//
//   - where something jumps to, a handler begins, or a branch ends,
//   - where another line begins and what came before since the last cut may throw.
//
// So a line is covered exactly if control reached an instruction of it: what an exception leaves in
// the middle is covered up to the line that threw, and the lines behind it are not. Within one
// line it is not told which of its calls threw.
//
// # What is left out
//
// [Class.Skipped] names it with the reason: methods with subroutines (jsr, which no compiler of
// this century writes), and those that the planner refuses.
package coverage
