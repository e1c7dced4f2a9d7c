package faults

import (
	"fmt"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/analysis/faults"
)

// This file counts the links of a JSON report.

// result is what is read of a JSON report.
type result struct {
	Catches []struct {
		ID      string
		File    string
		Line    int
		InTests bool
		Links   []link
	}
}

type link struct {
	ThrowSite     site
	Exception     string
	Predicted     bool
	Outcome       string
	ExperiencedBy []string
	Where         string
	Chain         []struct{ Class, Method string }
	UserVerdict   *struct {
		Infeasible bool
		Reason     string
	}
}

// infeasible is whether the workspace's catchlens.toml says that the link cannot happen.
func (l link) infeasible() bool { return l.UserVerdict != nil && l.UserVerdict.Infeasible }

type site struct{ Class, Method, Kind string }

// ratio counts links or operations.
type ratio struct{ seen, all int }

func (r *ratio) add(seen bool) {
	r.all++
	if seen {
		r.seen++
	}
}

func (r ratio) String() string {
	if r.all == 0 {
		return "0"
	}
	return fmt.Sprintf("%d of %d (%.0f%%)", r.seen, r.all, 100*float64(r.seen)/float64(r.all))
}

// counts are those of one report.
type counts struct {
	catches          int
	links            ratio
	baseline         int // links that a run without faults experienced
	native, explicit ratio
	judged           ratio // native ones without those that catchlens.toml says cannot happen
	operations       ratio // the paper's unit
	entered          ratio // the same, of catches whose try some test enters
	unpredicted      int
}

const heading = "| program | call graph | catches | links | without faults | with faults | native | native, after " +
	"judgement | explicit | operation and catch | of tries that tests enter | unpredicted |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|---|\n"

func (n counts) String() string {
	return fmt.Sprintf("%d | %d | %d | %d | %s | %s | %s | %s | %s | %d", n.catches, n.links.all, n.baseline,
		n.links.seen, n.native, n.judged, n.explicit, n.operations, n.entered, n.unpredicted)
}

// count counts the catches outside tests.
func count(r *result) (n counts) {
	for _, c := range r.Catches {
		if c.InTests {
			continue
		}
		n.catches++
		operations, entered := map[string]bool{}, false
		for _, l := range c.Links {
			if !l.Predicted {
				n.unpredicted++
				continue
			}
			seen := l.Outcome == "experienced"
			n.link(l, seen)
			entered = entered || seen || l.Outcome != "no-test" && l.Outcome != "unknown"
			if op := operation(l.ThrowSite); op != "" {
				operations[op] = operations[op] || seen
			}
		}
		for _, seen := range operations {
			n.operations.add(seen)
			if entered {
				n.entered.add(seen)
			}
		}
	}
	return n
}

func (n *counts) link(l link, seen bool) {
	n.links.add(seen)
	for _, by := range l.ExperiencedBy {
		if by == "baseline" {
			n.baseline++
		}
	}
	if l.ThrowSite.Kind == "native" {
		n.native.add(seen)
		if seen || !l.infeasible() {
			n.judged.add(seen)
		}
	} else {
		n.explicit.add(seen)
	}
}

// operation names the fault-sensitive operation that a throw site is: a native method
// that faults of disks or the network strike, or the method that throws for such a one; ""
// for other throw sites.
func operation(s site) string {
	class, name := strings.ReplaceAll(s.Class, ".", "/"), methodName(s.Method)
	roots := faults.Below(class, name)
	if s.Kind == "native" {
		roots = faults.Named(class, name)
	}
	for _, r := range roots {
		for _, k := range r.Kinds {
			if k != faults.Interrupted {
				return class + "." + name
			}
		}
	}
	return ""
}

func methodName(method string) string {
	name, _, _ := strings.Cut(method, "(")
	return name
}

// outcomes says how many native links have which outcome.
func outcomes(r *result) string {
	n := map[string]int{}
	for _, c := range r.Catches {
		for _, l := range c.Links {
			if !c.InTests && l.Predicted && l.ThrowSite.Kind == "native" {
				n[l.Outcome]++
			}
		}
	}
	var text []string
	for o, k := range n {
		text = append(text, fmt.Sprintf("%d %s", k, o))
	}
	sort.Strings(text)
	return strings.Join(text, ", ")
}
