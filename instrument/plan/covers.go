package plan

import "fmt"

// CoverPlace says where in the control flow of a method a coverage probe stands.
type CoverPlace uint8

// The places.
const (
	// AtInstruction stands before the instruction at PC, on all ways to it.
	AtInstruction CoverPlace = iota
	// OnFall stands where control falls into the instruction at PC from the branch before it.
	OnFall
	// OnJump stands where the branch or switch at From jumps to PC.
	OnJump
)

// Cover is a coverage probe. ForClass makes none: whoever wants some adds them with AddCovers.
// They are not part of an encoded plan.
type Cover struct {
	N        uint16
	Method   uint16
	Place    CoverPlace
	PC, From int32 // From is -1 but for OnJump
}

// AddCovers adds the coverage probes of a method, which must come behind those of the methods
// before it, and gives them their numbers. A method whose probes have no room is Dropped whole, and
// the answer is false.
func (c *Class) AddCovers(method uint16, covers []Cover) bool {
	if len(c.Covers)+len(covers) > MaxProbes {
		c.Dropped = append(c.Dropped,
			Drop{method, fmt.Sprintf("the class has more than %d coverage probes", MaxProbes)})
		return false
	}
	for _, v := range covers {
		v.N, v.Method = uint16(len(c.Covers)), method
		c.Covers = append(c.Covers, v)
	}
	return true
}
