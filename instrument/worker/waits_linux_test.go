package worker

import (
	"context"
	"testing"
	"time"

	"catchlens/instrument/agent"
	"catchlens/internal/testjdk"
)

// What waits for another thread, for a connection or for a time to come goes on before that time in
// no way; what runs, or waits for an answer for a time that began nobody knows when, may.
func TestWaits(t *testing.T) {
	for _, home := range testjdk.All(t) {
		if testjdk.Feature(t, home) < 13 {
			continue // a thread that has a timeout reads from its socket otherwise
		}
		spec := plainSpec(t, home)
		spec.ClassPath = []string{compileTests(t, spec.JDK, nil, "testdata/plain/Idle.java")}
		j := startJVM(t, spec)
		for _, x := range []struct {
			test        string
			soon, later bool // it waits beyond the next seconds, beyond the next hours
		}{{"testWaits", true, false}, {"testWaitsForTime", true, false}, {"testWaitsForAnswer", false, false},
			{"testRuns", false, false}, {"testHasProcess", false, false}} {
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				q := Request{Adapter: agent.Plain, Tests: []string{"Idle#" + x.test}, Timeout: time.Minute}
				_, err := j.Run(ctx, q)
				ended <- err
			}()
			soon, later := "", ""
			for range 15 {
				time.Sleep(100 * time.Millisecond)
				before := soon
				soon, later = j.waits(time.Now().Add(5*time.Second)), j.waits(time.Now().Add(2*time.Hour))
				if x.soon && soon != "" && soon == before {
					break
				}
			}
			if got := soon != ""; got != x.soon {
				t.Errorf("%s, JDK %d: nothing goes on in the next seconds: %v", x.test, testjdk.Feature(t, home), got)
			}
			if got := later != ""; got != x.later {
				t.Errorf("%s, JDK %d: nothing goes on for hours: %v", x.test, testjdk.Feature(t, home), got)
			}
			stop()
			<-ended
			var err error
			if j, err = j.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		j.Close()
	}
}
