package record

import (
	"cmp"
	"slices"
)

// CallChain is a call chain of a component that ran: its methods from the entry method down. Each
// but the last has called the next one at one of its calls, by position in its facts.
type CallChain struct {
	// Level is how often the component had been entered, and left, before; 1 stands for all above.
	Level   uint8
	Methods []MethodID
	Calls   []uint16 // one fewer
}

// Compare orders call chains.
func (c CallChain) Compare(d CallChain) int {
	return cmp.Or(cmp.Compare(c.Level, d.Level), slices.Compare(c.Methods, d.Methods), slices.Compare(c.Calls, d.Calls))
}

// UnionChains is an ascending set with more; it leaves both as they are, and returns have itself if
// there is nothing to add.
func UnionChains(have, more []CallChain) []CallChain {
	if len(more) == 0 {
		return have
	}
	all := slices.Concat(have, more)
	slices.SortFunc(all, CallChain.Compare)
	return slices.CompactFunc(all, func(c, d CallChain) bool { return c.Compare(d) == 0 })
}
