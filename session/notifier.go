package session

import "sync"

// notifier tells subscribers of events, one at a time, on a goroutine of its
// own: whoever causes an event never waits for those who hear of it.
type notifier struct {
	mu      sync.Mutex
	subs    map[int]func(Event)
	next    int
	pending Event
	active  bool
	closed  bool
	idle    sync.WaitGroup
}

func (n *notifier) subscribe(f func(Event)) func() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.subs == nil {
		n.subs = map[int]func(Event){}
	}
	id := n.next
	n.next++
	n.subs[id] = f
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.subs, id)
	}
}

// tell adds an event to those that subscribers will hear of next.
func (n *notifier) tell(e Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.pending |= e
	if !n.active {
		n.active = true
		n.idle.Add(1)
		go n.deliver()
	}
}

func (n *notifier) deliver() {
	defer n.idle.Done()
	for {
		n.mu.Lock()
		e := n.pending
		n.pending = 0
		if e == 0 || n.closed {
			n.active = false
			n.mu.Unlock()
			return
		}
		subs := make([]func(Event), 0, len(n.subs))
		for _, f := range n.subs {
			subs = append(subs, f)
		}
		n.mu.Unlock()
		for _, f := range subs {
			f(e)
		}
	}
}

// close waits until no subscriber is being told.
func (n *notifier) close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.idle.Wait()
}
