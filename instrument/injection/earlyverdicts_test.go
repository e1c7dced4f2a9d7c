package injection

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
)

// versions is a memory of methods whose digest is their number.
type versions struct{ record.Memory }

func (versions) Runs() []*record.TestRun { return nil }

func (versions) Method(id record.MethodID) record.MethodKey {
	return record.MethodKey{Class: "p/C", Method: "m()V", Digest: [16]byte{byte(id)}}
}

// present is code all of whose methods have the digest 1.
type present struct{}

func (present) Class(string) *snapshot.Class { return nil }

func (present) MethodDigest(snapshot.MethodRef) ([16]byte, bool) { return [16]byte{1}, true }

// A test that is run again does what is known of it where it does the same with the tries that are
// asked for: by itself it may run static initialisers that another test ran before it. What it
// covers there nobody knows but the baseline.
func TestDoesAsKnown(t *testing.T) {
	link := func(catch string) record.Experienced { return record.Experienced{Catch: catch, Exception: "p/E"} }
	known := func() *record.TestRun {
		return &record.TestRun{Methods: []record.MethodID{1}, Usages: map[string]record.Usage{"c": {White: 1}},
			Links: []record.Experienced{link("c")}}
	}
	memory := versions{}
	r := New(Over{Lab: labOf(&workspace.Module{}), Memory: memory, Recall: recall.New(present{}, memory, "", "")},
		Options{Again: true, Asked: func(id string) bool { return id == "c" }})
	for _, c := range []struct {
		name   string
		change func(known, run *record.TestRun)
		want   bool
	}{
		{"the same", func(_, _ *record.TestRun) {}, true},
		{"more methods", func(_, run *record.TestRun) { run.Methods = []record.MethodID{1, 2} }, true},
		{"more methods, and coverage is known", func(known, run *record.TestRun) {
			known.Covers, run.Methods = true, []record.MethodID{1, 2}
		}, false},
		{"more methods, and chains are known", func(known, run *record.TestRun) {
			known.Chained, run.Methods = true, []record.MethodID{1, 2}
		}, false},
		{"fewer methods, and coverage is known", func(known, run *record.TestRun) {
			known.Covers, run.Methods = true, nil
		}, true},
		{"a method of another version", func(known, _ *record.TestRun) { known.Methods = []record.MethodID{2} }, false},
		{"another try", func(_, run *record.TestRun) {
			run.Usages = map[string]record.Usage{"c": {White: 1}, "other": {Pink: 1}}
			run.Links, run.Unknown = append(run.Links, link("other")), []string{"other"}
		}, true},
		{"without another try", func(known, _ *record.TestRun) {
			known.Links = append(known.Links, link("other"))
		}, true},
		{"the try otherwise", func(_, run *record.TestRun) {
			run.Usages = map[string]record.Usage{"c": {Pink: 1}}
		}, false},
		{"not the try", func(_, run *record.TestRun) { run.Usages = nil }, false},
		{"one exception more", func(_, run *record.TestRun) {
			run.Links = append(run.Links, record.Experienced{Catch: "c", Exception: "p/F"})
		}, false},
		{"one exception less", func(_, run *record.TestRun) { run.Links = nil }, false},
		{"one of unknown origin", func(_, run *record.TestRun) { run.Unknown = []string{"c"} }, false},
		{"one that is missing", func(_, run *record.TestRun) { run.Unknown = []string{record.AnyCatch} }, false},
		{"one of unknown origin, as before", func(known, run *record.TestRun) {
			known.Unknown, run.Unknown = []string{"c"}, []string{"c"}
		}, true},
	} {
		was, run := known(), known()
		c.change(was, run)
		if got := r.doesAsKnown(was, run); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	was, run := known(), known()
	run.Methods, run.Below = []record.MethodID{1, 2}, record.Below{"c": {2}}
	run.Links = append(run.Links, link("other"))
	shown := *was
	if shown.AddSeen(run); len(was.Methods) != 1 || len(was.Links) != 1 || !slices.Equal(shown.Methods, run.Methods) ||
		len(shown.Links) != 2 || !slices.Equal(shown.Below["c"], []record.MethodID{2}) {
		t.Errorf("of %+v: %+v", was, shown)
	}
}

// No class begins after half of the time within which all have to end; the first one does, however
// long a JVM takes to start.
func TestWhileNear(t *testing.T) {
	for _, x := range []struct {
		each time.Duration
		want string
	}{{maxAheadTime, "a"}, {maxAheadTime/2 + 1, "a"}, {maxAheadTime / 4, "a b c"}, {time.Second / 10, "a b c d e"}} {
		var begun []string
		now := x.each / 2 // of what is done before the first
		for class := range whileNear([]string{"a", "b", "c", "d", "e"}, func() time.Duration { return now }) {
			begun = append(begun, class)
			now = time.Duration(len(begun)) * x.each
		}
		if got := strings.Join(begun, " "); got != x.want {
			t.Errorf("of classes that take %v begin %q, want %q", x.each, got, x.want)
		}
	}
}

// Where the tests that are nearest have taken their time before, no more of them run before the
// others.
func TestNoneNearestOnceEnough(t *testing.T) {
	snap := &snapshot.Snapshot{Catches: []*snapshot.Catch{{ID: "c", Handlers: []exceptions.HandlerRef{{Class: "p/C"}}}}}
	for _, enough := range []bool{false, true} {
		r := New(Over{Lab: labOf(&workspace.Module{}), Snap: snap, Memory: versions{},
			Recall: recall.New(present{}, versions{}, "", "")},
			Options{Part: true, Enough: enough, Asked: func(string) bool { return true }})
		if catches, _ := r.nearest(); (len(catches) == 0) != enough {
			t.Errorf("enough %v: %d catches", enough, len(catches))
		}
	}
}
