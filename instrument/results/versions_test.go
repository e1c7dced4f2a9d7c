package results

import (
	"fmt"
	"testing"
	"time"

	"catchlens/instrument/campaign"
)

// What was recorded with other code is kept behind the newest, over compaction and
// reopening; what was recorded again with the same code replaces the earlier.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	start := time.Now()
	at := func(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }
	for n, code := range []byte{1, 2, 1, 3, 4, 5, 5} {
		s := open(t, dir)
		m := []campaign.MethodID{s.Intern(campaign.MethodKey{Class: "p/C", Method: "m()V", Digest: [16]byte{code}})}
		one := &campaign.TestRun{Test: "p.T#t", Env: "e", Outcome: campaign.Pass, Outcomes: []campaign.Outcome{campaign.Pass, campaign.Pass}, Methods: m, Message: fmt.Sprint(code, n), At: at(n)}
		first := *one
		first.Outcomes, first.At, first.Methods = one.Outcomes[:1], at(n).Add(-time.Millisecond), nil
		for _, r := range []*campaign.TestRun{&first, one} {
			if err := s.PutTestRun(r); err != nil {
				t.Fatal(err)
			}
		}
		for _, point := range []*campaign.Point{nil, {N: 2, At: 2}} {
			c := &campaign.Cell{Catch: "c", Type: "E", Test: "p.T#t", Env: "e", Outcome: campaign.Pass, Deps: m, Point: point, Message: fmt.Sprint(code, n), At: at(n)}
			if err := s.PutCell(c); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
	}
	s := open(t, dir)
	const want = "[5 6 4 4 3 3 1 2]"
	var runs, cells, places []string
	for _, r := range s.RunVersions("", "p.T#t") {
		runs = append(runs, r.Message)
	}
	for _, c := range s.CellVersions("c", "E", "p.T#t", 0) {
		cells = append(cells, c.Message)
	}
	for _, c := range s.CellVersions("c", "E", "p.T#t", 2) {
		places = append(places, c.Message)
	}
	for _, got := range []string{fmt.Sprint(runs), fmt.Sprint(cells), fmt.Sprint(places)} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if n := len(s.Runs()) + len(s.Cells()); n != 3 {
		t.Errorf("%d newest records, want 3", n)
	}
}

// A record that took another way through the same code replaces the one before it: an
// edit of what only the later one ran must not bring the earlier one back.
func TestVersionsOfOneCode(t *testing.T) {
	s := open(t, t.TempDir())
	start := time.Now()
	id := func(method string, code byte) campaign.MethodID {
		return s.Intern(campaign.MethodKey{Class: "p/C", Method: method, Digest: [16]byte{code}})
	}
	try, below, edited := id("try()V", 1), id("below()V", 1), id("try()V", 2)
	for n, deps := range [][]campaign.MethodID{{try}, {try, below}, {below, edited}} {
		c := &campaign.Cell{Catch: "c", Type: "E", Test: "p.T#t", Env: "e", Outcome: campaign.Pass, Deps: deps, Message: fmt.Sprint(n), At: start.Add(time.Duration(n) * time.Second)}
		if err := s.PutCell(c); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, c := range s.CellVersions("c", "E", "p.T#t", 0) {
		got = append(got, c.Message)
	}
	if want := "[2 1]"; fmt.Sprint(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A test that is gone from the code that it ran with does not come back with it.
func TestGoneFromTheSameCode(t *testing.T) {
	s := open(t, t.TempDir())
	m := []campaign.MethodID{s.Intern(campaign.MethodKey{Class: "p/T", Method: "t()V", Digest: [16]byte{1}})}
	ran := &campaign.TestRun{Test: "p.T#t", Env: "e", Outcome: campaign.Pass, Methods: m, At: time.Now()}
	for _, methods := range [][]campaign.MethodID{nil, m} {
		gone := &campaign.TestRun{Test: "p.T#t", Env: "e", Outcome: campaign.Gone, Methods: methods, At: ran.At.Add(time.Second)}
		for _, r := range []*campaign.TestRun{ran, gone} {
			if err := s.PutTestRun(r); err != nil {
				t.Fatal(err)
			}
		}
		want := 2 // gone from other code: that of a branch, which may be back
		if methods != nil {
			want = 1
		}
		if got := s.RunVersions("", "p.T#t"); len(got) != want || got[0].Outcome != campaign.Gone {
			t.Errorf("gone from %v: %d versions, want %d", methods, len(got), want)
		}
	}
}
