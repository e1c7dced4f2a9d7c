package session

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/campaign"
)

func TestTell(t *testing.T) {
	for _, x := range []struct {
		q     campaign.Progress
		round int
		want  string
	}{
		{campaign.Progress{Phase: "preparing", Text: "rewriting the classes of a"}, 1,
			"preparing: rewriting the classes of a"},
		{campaign.Progress{Phase: "baseline 1 of 2", Total: 20}, 1, "tests as they are (1 of 2), 0 of 20"},
		{campaign.Progress{Phase: "baseline 2 of 2", Total: 20, Done: 12, Text: "a.BTest"}, 2,
			"tests as they are (2 of 2) in round 2, 12 of 20: a.BTest"},
		{campaign.Progress{Phase: "confirmation", Total: 3, Done: 1, Text: "B.f"}, 1,
			"verdicts checked in fresh JVMs, 1 of 3: B.f"},
		{campaign.Progress{Phase: "faults", Total: 7}, 3, "tests with faults in round 3, 0 of 7"},
		{campaign.Progress{Phase: "forced throws", Total: 7, Done: 7, Text: "B.f"}, 1,
			"tests with throw statements made to throw, 7 of 7: B.f"},
		{campaign.Progress{Phase: "injections", More: true, Total: 7}, 1,
			"tests with exceptions thrown (more), 0 of 7"},
		{campaign.Progress{Phase: "the tests that enter it", Total: 2}, 1, "the tests that enter it, 0 of 2"},
	} {
		if got := tell(x.q, x.round); got != x.want {
			t.Errorf("%+v in round %d: %q, want %q", x.q, x.round, got, x.want)
		}
	}
}

// A phase whose words another has too would seem to count anew.
func TestPhaseWordsDiffer(t *testing.T) {
	phases := map[string]string{}
	for phase, words := range phaseWords {
		if other, ok := phases[words]; ok {
			t.Errorf("%q and %q are both %q", phase, other, words)
		}
		phases[words] = phase
	}
}
