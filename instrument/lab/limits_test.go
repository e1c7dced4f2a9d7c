package lab

import (
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
)

// A test may take ten times as long as before, within bounds; in a fresh JVM it has more time at
// least, and what took long before is not cut short.
func TestTimeLimit(t *testing.T) {
	for _, x := range []struct {
		took        time.Duration
		warm, fresh time.Duration
	}{
		{0, 10 * time.Second, 40 * time.Second},
		{2 * time.Second, 20 * time.Second, 40 * time.Second},
		{5 * time.Second, 50 * time.Second, 50 * time.Second},
		{15 * time.Second, time.Minute, time.Minute},
		{time.Minute, 3 * time.Minute, 3 * time.Minute},
	} {
		tests := []*record.TestRun{{Duration: x.took / 2}, {Duration: x.took}}
		if warm, fresh := TimeLimit(tests, false), TimeLimit(tests, true); warm != x.warm || fresh != x.fresh {
			t.Errorf("after %s: %s, in a fresh JVM %s; want %s and %s", x.took, warm, fresh, x.warm, x.fresh)
		}
	}
	for took, want := range map[time.Duration]time.Duration{0: 2 * time.Second, time.Second: 10 * time.Second} {
		if got := StallLimit([]*record.TestRun{{}, {Duration: took}}); got != want {
			t.Errorf("threads may be blocked for %s after %s, want %s", got, took, want)
		}
	}
	for took, want := range map[time.Duration]time.Duration{0: 2 * time.Second, time.Second: 10 * time.Second} {
		if got := WorkLimit([]*record.TestRun{{}, {Duration: took}}); got != want {
			t.Errorf("a JVM may work for %s after %s, want %s", got, took, want)
		}
	}
}

// Who is in a hurry has a part of the least limits, and all of what a test needs.
func TestHurry(t *testing.T) {
	short, long := []*record.TestRun{{}}, []*record.TestRun{{Duration: 2 * time.Second}}
	restore := HurryForTests(4)
	if warm, fresh := TimeLimit(short, false), TimeLimit(short, true); warm != minTimeLimit/4 || fresh != FreshTime/4 {
		t.Errorf("in a hurry a test may take %s, in a fresh JVM %s", warm, fresh)
	}
	if warm := TimeLimit(long, false); warm != 20*time.Second {
		t.Errorf("in a hurry a test of 2 s may take %s", warm)
	}
	restore()
	if warm := TimeLimit(short, false); warm != minTimeLimit {
		t.Errorf("later it may take %s", warm)
	}
}

// What is slow because call chains are recorded does not count as a hang so soon.
func TestTimeForChains(t *testing.T) {
	plain, recording := &Lab{Probes: &Probes{}}, &Lab{Probes: &Probes{chains: &chains{}}}
	if plain.LongestTest() != MaxTime || recording.LongestTest() != MaxChainsTime {
		t.Errorf("a test may take %s, with call chains %s", plain.LongestTest(), recording.LongestTest())
	}
}
