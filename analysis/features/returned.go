package features

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
)

// ReturnedCalls lists the calls, by position in facts.Method.Calls, whose results a method returns.
// ok is false where it returns anything else than these and null.
func ReturnedCalls(m *facts.Method) (calls []int32, ok bool) {
	given, others := map[uint64]int32{}, map[uint64]bool{} // by variable
	var returned []uint64
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowReturn:
			returned = append(returned, x[0])
		case facts.FlowStore, facts.FlowStaticStore, facts.FlowElemStore, facts.FlowThrow:
		case facts.FlowCall:
			_, before := given[x[1]]
			given[x[1]], others[x[1]] = int32(x[0]), others[x[1]] || before
		default:
			others[x[0]] = true
		}
	})
	for _, v := range returned {
		call, of := given[v]
		if !of || others[v] {
			return nil, false
		}
		calls = append(calls, call)
	}
	slices.Sort(calls)
	return slices.Compact(calls), true
}
