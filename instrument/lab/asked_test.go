package lab

import (
	"fmt"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// A class that would have more probes than there are numbers, with the techniques that are asked
// for, has its usual ones and loses no method; with those of one method less it has what is asked.
func TestTooManyProbesAsked(t *testing.T) {
	const methods, branches = 33, 700
	var src strings.Builder
	src.WriteString("class Many {\n")
	for i := range methods {
		fmt.Fprintf(&src, "    int m%d(int n) {\n", i)
		for k := range branches {
			fmt.Fprintf(&src, "        if (n > %d) n--;\n", k&127)
		}
		src.WriteString("        return n;\n    }\n")
	}
	src.WriteString("}\n")
	data := testjdk.JavacClass(t, testjdk.JDK(t, 17), 8, "Many", src.String())
	parsed, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	probes := func(c *coverage.Class) (n int) {
		for _, m := range c.Methods {
			if m != nil {
				n += len(m.Plan.Covers)
			}
		}
		return n
	}
	static := probes(coverage.PlanClass(parsed, planner.StaticNode, nil, nil))
	for _, asked := range []int{methods, 1} {
		in := &Probes{asked: map[string]string{}}
		in.planning.Technique = func(_, method string) (planner.Technique, bool) {
			var n int
			fmt.Sscanf(method, "m%d", &n)
			return planner.StaticNode, method != "<init>" && n < asked
		}
		class := coverage.PlanClass(parsed, coverage.Technique, nil, nil)
		usual := probes(class)
		if usual > plan.MaxProbes || static <= plan.MaxProbes || len(class.Skipped) > 0 {
			t.Fatalf("%d probes, at every node %d; without any: %v", usual, static, class.Skipped)
		}
		got := in.planAsked(class)
		notes := map[string]int{}
		for _, said := range in.asked {
			notes[said]++
		}
		p := &plan.Class{}
		class.AddTo(p)
		if len(p.Dropped) > 0 {
			t.Errorf("%d asked: without probes are %v", asked, p.Dropped)
		}
		if asked == methods {
			if len(got) > 0 || probes(class) != usual ||
				notes["MINIMUM_NODE, as their class has too many probes else"] != methods+1 {
				t.Errorf("%d methods have other probes, %d in all; notes %v", len(got), probes(class), notes)
			}
			continue
		}
		if len(got) != asked || notes["STATIC_NODE"] != asked {
			t.Errorf("%d methods have other probes; notes %v", len(got), notes)
		}
	}
}

// Where all is known and no JVM starts, nothing is said of the probes that one would have had.
func TestAskedNotesOfRuns(t *testing.T) {
	l := &Lab{Execution: Execution{Module: &workspace.Module{Name: "m"}},
		Probes: &Probes{asked: map[string]string{"C.m()V": "STATIC_NODE"}, generated: newGeneratedCode()}}
	if notes := l.Notes(); len(notes) > 0 {
		t.Errorf("without a run: %q", notes)
	}
	l.starts = 1
	if notes := l.Notes(); len(notes) != 1 || notes[0] != "m: methods with coverage probes by STATIC_NODE: 1" {
		t.Errorf("of a run: %q", notes)
	}
}
