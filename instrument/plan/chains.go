package plan

// Chain has a method of a component tell where on call chains it is: when it begins, before each of
// its calls, and when it ends. ForClass makes none: whoever wants some adds them, in the order of
// methods. They are not part of an encoded plan.
type Chain struct {
	Method uint16
	Names  string      // that it is called by, parted by bars
	Calls  []ChainCall // ascending by N
}

// ChainCall is a call of a Chain.
type ChainCall struct {
	N  uint16 // its position in facts.Method.Calls
	PC int32
	// Name is that of what is called, behind a mark that says whether code outside the component
	// may be called, too (worker.CallEither). "": no method of the component is.
	Name string
	// Receiver tells that the class of the object on which the call is made decides what is called:
	// the probe gets that object.
	Receiver bool
}
