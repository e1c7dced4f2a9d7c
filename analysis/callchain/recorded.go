package callchain

import "github.com/catchlens/catchlens/analysis/callgraph"

// This file makes the events of a run out of what happens on a stack, and tells from a whole stack
// where in the forest it is. The second needs no history, and so it is the oracle of the first.

// Frame is a frame of a stack: a method and the call that made it. Code outside the component has
// NoNode as method, and what is not called directly by the frame below has NoSite as call site.
type Frame struct{ Label }

// Stack is the stack of a thread, of which a Run gets the events.
type Stack struct {
	Frames []Frame
	run    *Run
	entry  map[callgraph.NodeID]bool
}

// NewStack is an empty stack. Entry methods are those of the component (Entries).
func NewStack(r *Run, entries []callgraph.NodeID) *Stack {
	s := &Stack{run: r, entry: map[callgraph.NodeID]bool{}}
	for _, n := range entries {
		s.entry[n] = true
	}
	return s
}

// Call puts a frame on the stack.
func (s *Stack) Call(f Frame) {
	if s.announces(len(s.Frames), f) {
		s.run.Before(f.Label)
	}
	s.Frames = append(s.Frames, f)
	if s.entry[f.Callee] {
		s.run.Entered(f.Callee)
	}
}

// announces tells whether the frame below has code that says before a call that it is made: the
// component has. What the VM calls is not announced.
func (s *Stack) announces(at int, f Frame) bool {
	return at > 0 && s.run.f.Inside(s.Frames[at-1].Callee) && f.Site != NoSite
}

// Return takes a frame off the stack, however it ended.
func (s *Stack) Return() {
	last := len(s.Frames) - 1
	f := s.Frames[last]
	if s.entry[f.Callee] {
		s.run.Exited(f.Callee)
	}
	s.Frames = s.Frames[:last]
	if s.announces(last, f) {
		s.run.After(f.Label)
	}
}

// Throw takes frames off the stack that an exception leaves.
func (s *Stack) Throw(frames int) {
	for range frames {
		s.Return()
	}
}

// Locate tells where in a forest a stack is, without what was before. Entry methods are those of
// the component.
func (f *Forest) Locate(frames []Frame, entries map[callgraph.NodeID]bool) (State, Chain) {
	first, level := -1, -1 // of the last entry into the component
	for i, x := range frames {
		direct := i > 0 && x.Site != NoSite && f.Inside(frames[i-1].Callee)
		if f.Inside(x.Callee) && !direct && entries[x.Callee] {
			first, level = i, level+1
		}
	}
	switch last := len(frames) - 1; {
	case first < 0:
		return Start, Chain{}
	case !f.Inside(frames[last].Callee) || !f.unbroken(frames[first:]):
		return External, Chain{}
	}
	at, ok := f.root(frames[first].Callee, level)
	if !ok {
		return Limited, Chain{}
	}
	path := []position{at}
	for _, x := range frames[first+1:] {
		e, number := f.edge(path[len(path)-1], x.Label)
		switch {
		case e == nil:
			return Limited, Chain{}
		case e.Up < 0:
			path = append(path, position{e.To, number})
		default:
			path = path[:len(path)-e.Up]
		}
	}
	return Active, Chain{path[len(path)-1].number, level}
}

// unbroken tells whether frames call each other directly, inside the component.
func (f *Forest) unbroken(frames []Frame) bool {
	for i, x := range frames {
		if !f.Inside(x.Callee) || i > 0 && x.Site == NoSite {
			return false
		}
	}
	return true
}
