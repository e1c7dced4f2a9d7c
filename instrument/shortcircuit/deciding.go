package shortcircuit

import (
	"sort"

	"catchlens/instrument/campaign"
)

// This file tells which runs an answer rests on, and whether they are certain.

// Deciding lists the cells that the verdict on a row rests on, ordered by test and
// type. It is a campaign.Judge.
func Deciding(r Row) []campaign.Cell { return Decide(r).Deciding }

// settle fills in what the answers rest on.
func (v *Verdict) settle(r *Row, t tally) {
	var source, resilience []campaign.Cell
	switch {
	case v.SourceIndependence == Violated:
		source = witnesses(t.whiteFails)
	case v.SourceIndependence == Holds && !v.OnlyByResilience:
		source = passing(r, func(u campaign.Usage) bool { return u.White > 0 })
	}
	switch v.PureResilience {
	case Violated:
		if resilience = source; v.SourceIndependence != Violated {
			resilience = witnesses(t.failing)[:1]
		}
	case Holds:
		resilience = passing(r, func(campaign.Usage) bool { return true })
	}
	if v.OnlyByResilience {
		source = resilience
	}
	v.SourceCertain, v.ResilienceCertain = allCertain(source), allCertain(resilience)
	v.Deciding = distinct(append(source, resilience...))
}

// witnesses picks one failing run of each type: one that is certain or else the
// first by name, so that it does not depend on which ran first.
func witnesses(failing []campaign.Cell) []campaign.Cell {
	best := map[string]campaign.Cell{}
	for _, c := range failing {
		if b, ok := best[c.Type]; !ok || c.Certain && !b.Certain || c.Certain == b.Certain && c.Test < b.Test {
			best[c.Type] = c
		}
	}
	var out []campaign.Cell
	for _, c := range best {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Certain != out[j].Certain {
			return out[i].Certain
		}
		return byTest(out[i], out[j])
	})
	return out
}

// passing lists the cells of the tests that pass under injection and have such a
// usage.
func passing(r *Row, which func(campaign.Usage) bool) (out []campaign.Cell) {
	for _, test := range r.Tests {
		if test.Baseline != campaign.Pass || test.Usage.Total() == 0 || !which(test.Usage) {
			continue
		}
		if u, _ := underInjection(r.Types, test.Cells); u == passes {
			for _, c := range test.Cells {
				if c.Outcome == campaign.Pass && c.Fired > 0 {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

func allCertain(cells []campaign.Cell) bool {
	for _, c := range cells {
		if !c.Certain {
			return false
		}
	}
	return len(cells) > 0
}

// distinct orders cells and leaves out those that occur twice.
func distinct(cells []campaign.Cell) []campaign.Cell {
	type key struct{ test, typ string }
	seen := map[key]bool{}
	var out []campaign.Cell
	for _, c := range cells {
		if k := (key{c.Test, c.Type}); !seen[k] {
			seen[k] = true
			out = append(out, c)
		}
	}
	sort.Slice(out, func(i, j int) bool { return byTest(out[i], out[j]) })
	return out
}
