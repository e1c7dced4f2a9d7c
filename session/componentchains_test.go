package session

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/chains"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/defect"
)

// A defect costs the chains of one component: it is in the log, and the others are found.
func TestComponentOfDefect(t *testing.T) {
	var log bytes.Buffer
	s := &Session{guard: defect.New(slog.New(slog.NewTextHandler(&log, nil)), nil)}
	s.guard.Recovers = true
	snap := &snapshot.Snapshot{}
	// A snapshot without a program is such a defect, where it has to be looked at.
	bad := s.componentChains(component{name: "bad"}, snap, []*record.TestRun{{}}, nil)
	if bad.Component != nil || bad.snap != snap || len(bad.runs) != 1 {
		t.Errorf("found is %+v", bad)
	}
	k := &chains.Component{Tested: &chains.Tested{Forest: &callchain.Forest{Graph: &callgraph.Graph{}}}}
	good := s.componentChains(component{name: "good"}, snap, nil, &keptComponent{Component: k, snap: snap})
	if good.Component == nil || good.Forest != k.Forest {
		t.Errorf("found is %+v", good)
	}
	text := log.String()
	if !strings.Contains(text, `while="finding the call chains of bad" panic=`) || strings.Contains(text, "of good") {
		t.Errorf("logged is %q", text)
	}
	// What there was of the one that failed is not taken for its chains.
	if bad = s.componentChains(component{name: "bad"}, snap, nil, bad); bad.Component != nil || len(bad.runs) != 0 {
		t.Errorf("found is %+v", bad)
	}
}

// With more packages open than are kept, what open documents have stays whatever a hover asks for,
// and an announcement that comes again begins nothing.
func TestKeptComponents(t *testing.T) {
	k := newComponentKeeper()
	var open []component
	for i := range keptComponents + 1 {
		open = append(open, component{name: fmt.Sprintf("p%d", i)})
	}
	store := func() {
		for _, c := range k.asked {
			if k.have[c] == nil {
				k.have[c], k.found[c] = &keptComponent{}, true
			}
		}
	}
	if k.retain(open, false) || len(k.asked) != 0 || k.missing() {
		t.Error("something is found although nobody asks")
	}
	if !k.retain(open, true) || len(k.asked) != keptComponents || !k.missing() {
		t.Errorf("kept are %v", k.asked)
	}
	store()
	for range 3 {
		if k.retain(open, true) || k.missing() {
			t.Error("the same documents have something found again")
		}
	}
	if !slices.Equal(k.asked, open[:keptComponents]) {
		t.Errorf("kept are %v", k.asked)
	}

	// One is closed, and has been used last: it goes all the same where another one is wanted.
	k.want(open[0])
	k.open[open[0]] = false
	if k.want(open[keptComponents]) != nil || !k.missing() || k.known(open[0]) != nil {
		t.Errorf("kept are %v", k.asked)
	}
	for _, c := range open[1:keptComponents] {
		if k.known(c) == nil {
			t.Errorf("%v is not kept any more", c)
		}
	}
	store()

	// What was found once waits for its turn, as what has changed does.
	if k.want(open[0]) != nil || k.missing() {
		t.Error("what had been found is found without a pause")
	}
	if k.retain(open[:1], true); len(k.asked) > 1 || len(k.have) > 1 {
		t.Errorf("of closed documents there is still %v", k.asked)
	}
}

// Chains are left as they are for a second after a look, whatever happens meanwhile, and for four
// times as long as a look has taken.
func TestPausesBetweenLooks(t *testing.T) {
	for _, x := range []struct{ took, apart time.Duration }{
		{10 * time.Millisecond, time.Second + 10*time.Millisecond},
		{time.Second, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			k, started := newComponentKeeper(), time.Now()
			life, end := context.WithCancel(t.Context())
			var began []time.Duration
			done := make(chan struct{})
			go func() {
				defer close(done)
				k.eachLook(life, func() {
					began = append(began, time.Since(started))
					time.Sleep(x.took)
				})
			}()
			for time.Since(started) < 4*x.apart { // while somebody types
				k.look()
				time.Sleep(time.Millisecond)
			}
			end()
			<-done
			if len(began) < 4 {
				t.Fatalf("looks began after %v", began)
			}
			for i := range began[:3] {
				if apart := began[i+1] - began[i]; apart < x.apart || apart > x.apart+2*time.Millisecond {
					t.Errorf("looks of %v are %v apart, want %v", x.took, apart, x.apart)
				}
			}
		})
	}
}

// While tests record chains, what counts are the runs of before: of a part of the tests, nothing is
// untested. When they have ended, all components are looked at.
func TestCountedWhileRecording(t *testing.T) {
	k := newComponentKeeper()
	before, now := []*record.TestRun{{}}, []*record.TestRun{{}, {}}
	old := &keptComponent{runs: before}
	first, second := k.hold(), k.hold()
	if got := k.counted(old, now); !slices.Equal(got, before) {
		t.Errorf("%d runs count", len(got))
	}
	if got := k.counted(nil, now); got != nil {
		t.Errorf("of what was not found before, %d runs count", len(got))
	}
	first()
	if <-k.wake; !slices.Equal(k.counted(old, now), before) {
		t.Error("the end of one run is that of both")
	}
	second()
	if <-k.wake; !slices.Equal(k.counted(old, now), now) {
		t.Error("what has run does not count when all has")
	}
}
