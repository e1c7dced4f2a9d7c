package lab

import (
	"sync/atomic"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
)

// Limits of what runs.
const (
	// MaxTime is the most that a test may take that runs as it is, when nothing is known of how
	// long it takes.
	MaxTime = 5 * time.Minute
	// MaxChainsTime is the same where call chains are recorded: a test of joda-time that only
	// computes takes more than 25 times as long with them, and must not fail of that.
	MaxChainsTime = 6 * MaxTime
	// QuietTime is for how long the thread of such a test may wait for another one, with no time at
	// which it goes on, while its JVM does nothing: it hangs. Servers and clients of tests answer
	// within seconds, and what keeps them alive wakes them once a minute at most.
	QuietTime = time.Minute
	// FreshTime is what a test may take at least in a JVM that has yet to load everything: what
	// hangs there hangs.
	FreshTime = 40 * time.Second
	// MaxLoaders is how many class loaders a JVM gets: each has all classes once more.
	MaxLoaders = 60
)

// LongestTest is the most that a test may take that runs as it is.
func (l *Lab) LongestTest() time.Duration {
	if l.RecordsChains() {
		return MaxChainsTime
	}
	return MaxTime
}

const (
	minTimeLimit = 10 * time.Second
	maxTimeLimit = time.Minute
	minStall     = 2 * time.Second
	// minWork is more than any test takes whose code is loaded, and which ends at once.
	minWork  = 2 * time.Second
	multiple = 10 // of what a test took as it is
)

// hurry is what the least time limits are divided by, but for 0.
var hurry atomic.Int64

// HurryForTests divides the least time that TimeLimit gives, until what it returns is called: who
// tests what becomes of runs that never end need not sit all of it out.
func HurryForTests(by int) (restore func()) {
	was := hurry.Swap(int64(by))
	return func() { hurry.Store(was) }
}

// TimeLimit is how long each of some tests may take that run otherwise than they are, or elsewhere:
// a multiple of what the longest took as it is. It is more in a fresh JVM. What exceeds the other
// limit is repeated there before it counts as a hang: machines are busy.
func TimeLimit(tests []*record.TestRun, fresh bool) time.Duration {
	most, least := longest(tests), minTimeLimit
	if fresh {
		least = FreshTime
	}
	least /= time.Duration(max(hurry.Load(), 1))
	return min(max(multiple*most, least), max(maxTimeLimit, 3*most))
}

// WorkLimit is how much processor time the JVM of some tests may take after a strike before a run
// is put off that may not end at all. It does not count as a hang.
func WorkLimit(tests []*record.TestRun) time.Duration {
	return max(minWork, multiple*longest(tests))
}

// StallLimit is for how long all threads of a test must be blocked, with nobody left who could end
// that, before it counts as a hang.
func StallLimit(tests []*record.TestRun) time.Duration {
	return max(minStall, multiple*longest(tests))
}

// longest is what the longest of some tests took as it is.
func longest(tests []*record.TestRun) (most time.Duration) {
	for _, t := range tests {
		most = max(most, t.Duration)
	}
	return most
}
