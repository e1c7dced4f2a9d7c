package injection

import (
	"context"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file has what several verdicts rest on confirmed in one JVM, one after the other, as long as
// nothing in it tells that an exception was thrown before.

// maxInVain is how many units may leave something behind, one after the other, before no more are
// looked at: then the program keeps state as a rule, and a look costs as much as it saves.
const maxInVain = 4

// sharing is what is known of what confirming runs leave behind. Injection.mu guards it.
type sharing struct {
	inVain int  // units in a row that have left something behind
	off    bool // none is looked at any more
}

// follows tells whether a unit may be confirmed in a JVM in which others have been, as they have
// left nothing behind. What shows that a catch depends on the source has a JVM for itself, and so
// has what ended otherwise before; and what runs with the exception from the start needs one in
// which nothing has run.
func (u unit) follows() bool {
	if u.apart || u.cold || u.differed {
		return false
	}
	for _, v := range u.then {
		if v.cold {
			return false
		}
	}
	return true
}

// worthLooking tells whether it is of use to find out what a unit leaves behind: others can follow.
func (i *injector) worthLooking(u unit) bool {
	i.r.mu.Lock()
	defer i.r.mu.Unlock()
	return i.r.phase == confirmation && !i.r.sharing.off && u.follows() && !i.q.Empty()
}

// remains is what tests have left behind in the JVM by now; none: it is not known.
func (i *injector) remains(ctx context.Context) worker.Remains {
	ctx, cancel := context.WithTimeout(ctx, lab.FreshTime)
	defer cancel()
	r, err := i.j.Remains(ctx)
	if err == nil && len(r) == 0 || err != nil && i.j.Alive() {
		i.r.mu.Lock()
		i.r.sharing.off = true // it will not be known of others either
		i.r.mu.Unlock()
	}
	return r
}

// noteLeft notes whether a unit that was looked at has left something behind.
func (r *Injection) noteLeft(something bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !something {
		r.sharing.inVain = 0
		return
	}
	r.sharing.inVain++
	r.sharing.off = r.sharing.off || r.sharing.inVain >= maxInVain
}
