package shortcircuit

import (
	"sort"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells which runs an answer rests on, and whether they are certain.

// noteDeciding fills in which runs the answers rest on.
func (v *Verdict) noteDeciding(r *Row, t tally) {
	var source, resilience []record.Cell
	switch {
	case v.SourceIndependence == Violated:
		source = witnesses(t.whiteFails)
	case v.SourceIndependence == Holds && !v.OnlyByResilience && !v.ByCode:
		of := struckWhite
		if v.Reading == Paper {
			of = struckEverywhere
		}
		source = passing(r, of, func(u record.Usage) bool { return u.White > 0 })
	}
	switch v.PureResilience {
	case Violated:
		if resilience = source; v.SourceIndependence != Violated {
			if resilience = witnesses(t.failing); len(resilience) == 0 {
				resilience = witnesses(cellsOf(t.unexplained))
			}
			resilience = resilience[:1]
		}
	case Holds:
		resilience = passing(r, struckEverywhere, func(record.Usage) bool { return true })
	}
	if v.OnlyByResilience {
		source = resilience
	}
	v.SourceCertain, v.ResilienceCertain = allCertain(source) || v.ByCode, allCertain(resilience)
	v.Deciding = distinct(append(source, resilience...))
}

// witnesses picks one failing run of each type: one that is certain or else the
// first by name, so that it does not depend on which ran first.
func witnesses(failing []record.Cell) []record.Cell {
	best := map[string]record.Cell{}
	for _, c := range failing {
		if b, ok := best[c.Type]; !ok || c.Certain && !b.Certain || c.Certain == b.Certain && c.Test < b.Test {
			best[c.Type] = c
		}
	}
	var out []record.Cell
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

// passing lists the cells of a kind of the tests that pass under injection and have such a
// usage.
func passing(r *Row, of func(*record.Cell) bool, which func(record.Usage) bool) (out []record.Cell) {
	for _, test := range r.Tests {
		if test.Baseline != record.Pass || test.Usage.Total() == 0 || !which(test.Usage) {
			continue
		}
		if u, _ := underInjection(r.Types, test.Cells, of); u == passes {
			for _, c := range test.Cells {
				if of(&c) && c.Outcome == record.Pass && c.Fired > 0 {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

func allCertain(cells []record.Cell) bool {
	for _, c := range cells {
		if !c.Certain {
			return false
		}
	}
	return len(cells) > 0
}

// distinct orders cells and leaves out those that occur twice.
func distinct(cells []record.Cell) []record.Cell {
	seen := map[record.CellKey]bool{}
	var out []record.Cell
	for _, c := range cells {
		if k := c.Key(); !seen[k] {
			seen[k] = true
			out = append(out, c)
		}
	}
	sort.Slice(out, func(i, j int) bool { return byTest(out[i], out[j]) })
	return out
}
