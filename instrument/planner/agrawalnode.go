package planner

// planAgrawalNode puts a probe into one block of each superblock that is not known from the ones
// before or behind it (Agrawal 1994; Misurda 2011, 3.1.3).
//
// Superblocks that nothing implies always need one: they are enough to know that all blocks were
// covered. To know which blocks a run covered, the others need one too unless they are
// known from their ends.
func planAgrawalNode(p *Plan) { p.recordNodes(p.inferred((*inference).knownAtEnds)) }
