package campaign

import (
	"slices"
	"testing"
)

// A test depends on what ran before if it fails again after that, with an exception of the same class; where that takes a JVM that
// collects rarely, each time.
func TestFailAgain(t *testing.T) {
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
		{"for another reason", [rareRuns + 1]string{"java.net.BindException: in use", "java.net.BindException: in use", ""}, false, 2},
	} {
		var asked [][]string
		got, err := failAgain([]*TestRun{{Test: "t", Outcome: Fail, Message: assertion}}, func(args ...string) (map[string]*TestRun, error) {
			run := &TestRun{Test: "t", Outcome: Pass, Message: c.says[len(asked)]}
			if run.Message != "" {
				run.Outcome = Fail
			}
			asked = append(asked, args)
			return map[string]*TestRun{"t": run}, nil
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
	if got, _ := failAgain([]*TestRun{{Test: "a", Outcome: Hang}, {Test: "b", Outcome: Hang}}, func(...string) (map[string]*TestRun, error) {
		return map[string]*TestRun{"b": {Test: "b", Outcome: Hang, Message: "x"}}, nil
	}); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("of one that did not run and one that hangs: %v", got)
	}
}
