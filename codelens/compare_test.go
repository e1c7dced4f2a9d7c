package codelens

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

func TestComparison(t *testing.T) {
	c := NewComparison("x")
	coarse, _ := view()
	coarse.Snap.Config.CallGraph = "cha"
	coarse.Snap.Stats.GraphSeconds, coarse.Snap.Stats.FlowSeconds = 0.5, 0.25
	c.Add(coarse)
	var b strings.Builder
	if err := c.Text(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 catch, exceptions checked+own, sites native,explicit, entry points tests, JDK " +
		"17.0.15",
		"cha      2       1         1            -         -", "0.75 s", "no test has been run"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if c.Rows[0].Coverage != nil || c.Ran {
		t.Errorf("nothing was run, and the coverage is %v", c.Rows[0].Coverage)
	}
}

func TestComparisonWithRuns(t *testing.T) {
	c := NewComparison("x")
	for _, name := range []string{"cha", "rta"} {
		v, x := view()
		v, st := laid(v, x, record.Usage{White: 1}, record.Pass, "")
		st.Links["own"] = &results.Experienced{Tests: []string{"p.CTest#m"}}
		v.Snap.Config.CallGraph = name
		if name == "rta" {
			x.Links = x.Links[:1]
		}
		c.Add(v)
	}
	if got := *c.Rows[0].Coverage; got != 0.5 || c.Rows[0].Experienced != 1 {
		t.Errorf("cha: coverage %v of %+v", got, c.Rows[0])
	}
	if got := *c.Rows[1].Coverage; got != 1 || c.Rows[1].Native.Predicted != 0 || c.Rows[1].Explicit.Experienced != 1 {
		t.Errorf("rta: coverage %v of %+v", got, c.Rows[1])
	}
	if len(c.Problems) != 0 {
		t.Errorf("problems %v", c.Problems)
	}
}

func TestComparisonChecksOrder(t *testing.T) {
	c := NewComparison("x")
	coarse, x := view()
	coarse.Snap.Config.CallGraph = "cha"
	x.Links = x.Links[:1]
	c.Add(coarse)
	precise, _ := view()
	precise.Snap.Config.CallGraph = "rta"
	c.Add(precise)
	if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Message, "1 link of rta not predicted by cha") {
		t.Errorf("problems %v", c.Problems)
	}
}
