package baseline

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

// A test depends on what ran before if it fails again after that, with an exception of the same
// class; where that takes a JVM that collects rarely, each time.
func TestFailEach(t *testing.T) {
	const assertion, memory = "java.lang.AssertionError: 1", "java.lang.OutOfMemoryError: Java heap space"
	for _, c := range []struct {
		name string
		says [rareRuns + 1]string // what the test says in each run; "" if it passes
		want bool
		runs int
	}{
		{"at once, with another message", [rareRuns + 1]string{"java.lang.AssertionError: 2"}, true, 1},
		{"never", [rareRuns + 1]string{}, false, 2},
		{"until garbage is collected", [rareRuns + 1]string{"", assertion, assertion}, true, 3},
		{"by chance", [rareRuns + 1]string{"", assertion, ""}, false, 3},
		{"for want of memory", [rareRuns + 1]string{"", memory, memory}, false, 2},
		{"for another reason", [rareRuns + 1]string{"java.net.BindException: in use", "java.net.BindException: in use",
			""}, false, 2},
	} {
		var asked [][]string
		got, err := failEach([]*record.TestRun{{Test: "t", Outcome: record.Fail, Message: assertion}},
			func(args ...string) (map[string]*record.TestRun, error) {
				run := &record.TestRun{Test: "t", Outcome: record.Pass, Message: c.says[len(asked)]}
				if run.Message != "" {
					run.Outcome = record.Fail
				}
				asked = append(asked, args)
				return map[string]*record.TestRun{"t": run}, nil
			})
		if err != nil || !slices.Equal(got, []bool{c.want}) || len(asked) != c.runs {
			t.Errorf("%s: %v after %d runs, want %v after %d: %v", c.name, got, len(asked), c.want, c.runs, err)
		}
		for n, args := range asked {
			if (len(args) > 0) != (n > 0) {
				t.Errorf("%s: run %d with %q", c.name, n, args)
			}
		}
	}
	if got, _ := failEach([]*record.TestRun{{Test: "a", Outcome: record.Hang}, {Test: "b", Outcome: record.Hang}},
		func(...string) (map[string]*record.TestRun, error) {
			return map[string]*record.TestRun{"b": {Test: "b", Outcome: record.Hang, Message: "x"}}, nil
		}); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("of one that did not run and one that hangs: %v", got)
	}
}

// Tests whose histories begin alike are looked at in one JVM, and after the tests of their packages
// alone where those are few, in the order in which they ran.
func TestSequences(t *testing.T) {
	ran := func(classes, test string) history {
		h := history{failed: &record.TestRun{Test: test}}
		for _, c := range strings.Fields(classes) {
			name, tests, _ := strings.Cut(c, ":")
			h.classes = append(h.classes, ranClass{name, strings.Split(tests, ",")})
		}
		return h
	}
	groups := sequences([]history{
		ran("a.A:1,2 b.B:3", "short"), ran("a.A:1,2 b.B:3 a.C:4 b.D:5 c.E:6 d.F:7 b.G:8,9", "long"),
		ran("a.A:1,2 b.B:3 b.D:5", "other class"),
		ran("a.A:2,1 b.B:3", "other order"), ran("a.A:1,2 b.B:3 a.C:4 b.D:5", "middle"),
	})
	var got []string
	for _, g := range groups {
		line := ""
		for _, h := range g {
			line += h.failed.Test + " "
		}
		got = append(got, line+"after "+strings.Join(nearTests(g), " "))
	}
	if want := []string{"long middle short after 3 5 8 9", "other class after ",
		"other order after "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := nearTests([]history{ran("A:1 a.A:2 a.b.B:3 a.C:4 D:5,6", "x")}); !slices.Equal(got,
		[]string{"1", "5", "6"}) {
		t.Errorf("of classes in no package: %q", got)
	}
	if got := nearTests([]history{ran("a.A:1,2", "x")}); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("of one class: %q", got)
	}
}
