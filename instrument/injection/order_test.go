package injection

import (
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
)

// Units with tests that make the catch run come first, those of one catch together: first the catch
// whose verdict takes least, and of it the short ones before long ones.
func TestSoonestFirst(t *testing.T) {
	of := func(catch, name string, white int, d time.Duration) unit {
		return unit{catch: &snapshot.Catch{ID: catch}, typ: catch + ": " + name,
			tests: []*record.TestRun{{Duration: d, Usages: map[string]record.Usage{catch: {White: white, Pink: 1}}}}}
	}
	units := []unit{
		of("a", "pink, long", 0, 5), of("a", "white, long", 1, 3), of("b", "white, shortest", 1, 1),
		of("a", "pink, short", 0, 1), of("b", "white, longest", 1, 9),
		of("a", "white, short", 1, 2),
	}
	soonestFirst(units)
	var got []string
	for _, u := range units {
		got = append(got, u.typ)
	}
	if want := []string{
		"a: white, short", "a: white, long", "b: white, shortest", "b: white, longest", "a: pink, short",
		"a: pink, long",
	}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// With a JVM for each run no unit has two tests, of fine-grain injection neither.
func TestIsolated(t *testing.T) {
	u := unit{tests: []*record.TestRun{{}, {}}, point: &record.Point{N: 1}}
	for isolation, want := range map[Isolation]int{"": 1, SharedJVM: 1, FreshLoader: 1, ForkedJVM: 2} {
		r := &Injection{Over: Over{Lab: &lab.Lab{}}, Options: Options{Isolation: isolation}}
		got := r.isolated(u)
		if len(got) != want {
			t.Errorf("%q: %d units, want %d", isolation, len(got), want)
		}
		for _, one := range got {
			if forked := isolation == ForkedJVM; (one.rung == alone) != forked || forked && len(one.tests) != 1 {
				t.Errorf("%q: rung %d with %d tests", isolation, one.rung, len(one.tests))
			}
		}
	}
}

// In a Java module each run has a JVM of its own where it was to have a class loader.
func TestIsolationIn(t *testing.T) {
	if a, b, c := isolationIn(FreshLoader, true), isolationIn(FreshLoader, false),
		isolationIn(SharedJVM, true); a != ForkedJVM || b != FreshLoader || c != SharedJVM {
		t.Errorf("class loaders in a module: %s, outside: %s; shared JVMs: %s", a, b, c)
	}
}
