package stretching

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// jointMemory is a memory of runs with several stretched catches.
type jointMemory struct {
	record.Memory
	known *record.Stretched
}

func (m jointMemory) Stretched(_, _, _ string, with []string, _ string,
	_ func([]record.MethodID) bool) (*record.Stretched, bool) {
	return m.known, len(with) == len(m.known.With)
}

// What a recorded run with several catches rules out, as that of a campaign that was killed, is
// tried with narrower types: those of the catches that took something there, or of all.
func TestTogetherRulesOut(t *testing.T) {
	for _, x := range []struct {
		took []string
		want int
	}{{[]string{"b"}, 1}, {nil, 2}} {
		a, b := &snapshot.Catch{ID: "a"}, &snapshot.Catch{ID: "b"}
		alone := []stretching{{a, shortcircuit.ExceptionClass}, {b, shortcircuit.ExceptionClass}}
		usages := map[string]record.Usage{"a": {White: 1}, "b": {Blue: 1}}
		s := &Stretching{
			Lab: &lab.Lab{},
			Memory: jointMemory{known: &record.Stretched{Trial: record.Trial{Test: "p.T#t",
				Outcome: record.Fail}, With: withOf(alone), Took: x.took, Confirmed: true}},
			Recall: recall.New(nil, nil, "", ""),
			byTest: map[string]*record.TestRun{"p.T#t": {Test: "p.T#t", Usages: usages}}, alone: alone,
			out: map[string]bool{}}
		narrower, err := s.together(t.Context())
		if err != nil || len(narrower) != x.want || len(s.alone) != 2-x.want ||
			!s.out["b to "+shortcircuit.ExceptionClass] {
			t.Errorf("took %q: %v, %v are to be narrower, ruled out %v", x.took, err, narrower, s.out)
		}
	}
}
