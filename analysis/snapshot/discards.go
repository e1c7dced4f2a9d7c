package snapshot

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/datareach"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file tells which links the call graph alone would predict, and why they
// are not among the links of a catch.

// Discard is a reason why DataReach discarded links of a catch. On the shortest
// chain to each of their throw sites, Caller calls Callee on objects of Classes,
// and there are none at hand during the calls of the try.
type Discard struct {
	Links   int
	Site    Site     // one of the throw sites
	Classes []string // source form, sorted; empty: no single call decides it, or Condition
	// Condition tells that control reaches the throw in no call of its method from the try, or,
	// where there is a Caller, the call of Callee in none of the calls of that from there.
	Condition bool
	// None tells that no object at all of these classes is at hand; otherwise
	// only none on which this call may be made.
	None           bool
	Caller, Callee MethodRef // of which Class is in source form
}

// discards are those of a catch, computed when first asked for.
type discards struct {
	once defect.Once
	list []Discard
}

// maxExplained is how many discarded links of a catch are explained; the others
// count as for no single reason.
const maxExplained = 400

// droppedSite is a throw site of a discarded link, whichever handler it is of.
type droppedSite struct {
	class, method string
	ordinal       int
	kind          exceptions.SiteKind
}

// Dropped lists the discarded links of a catch, one a throw site, without those
// that come to another of its handlers.
func (s *Snapshot) Dropped(targets []int) []exceptions.LinkID {
	flow := s.Program.Flow
	base := flow.Base()
	seen := map[droppedSite]bool{}
	key := func(t exceptions.ThrowSite) droppedSite { return droppedSite{t.Class, t.Method, t.Ordinal, t.Kind} }
	for _, i := range targets {
		for _, id := range flow.LinksAt(i) {
			seen[key(flow.Link(id).Site)] = true
		}
	}
	var out []exceptions.LinkID
	for _, i := range targets {
		for _, id := range flow.Dropped(i) {
			if k := key(base.Link(id).Site); !seen[k] {
				seen[k] = true
				out = append(out, id)
			}
		}
	}
	return out
}

// Discards says why links of a catch were discarded, the reason for most of them
// first.
func (s *Snapshot) Discards(c *Catch) []Discard {
	p := s.Program
	c.discards.once.Do(func() {
		if p == nil || p.Reach == nil || c.Discarded == 0 {
			return
		}
		p.flowMu.Lock()
		defer p.flowMu.Unlock()
		var targets []int
		for i, h := range p.Targets {
			if p.CatchOf[h] == c {
				targets = append(targets, i)
			}
		}
		byReason := map[string]int{}
		for n, id := range s.Dropped(targets) {
			var d Discard
			if n < maxExplained {
				if r, ok := p.Reach.Why(id); ok {
					d = s.discard(r)
				}
			}
			text := d.key()
			i, ok := byReason[text]
			if !ok {
				i = len(c.discards.list)
				byReason[text] = i
				d.Site = s.SiteOf(p.Flow.Base().Link(id).Site)
				c.discards.list = append(c.discards.list, d)
			}
			c.discards.list[i].Links++
		}
		slices.SortStableFunc(c.discards.list, func(a, b Discard) int {
			if a.explained() != b.explained() { // no reason comes last
				if a.explained() {
					return -1
				}
				return 1
			}
			return cmp.Compare(b.Links, a.Links)
		})
	})
	return c.discards.list
}

// SetDiscards gives a catch that was made by hand its discarded links.
func (c *Catch) SetDiscards(list []Discard) {
	c.discards.list = list
	for _, d := range list {
		c.Discarded += d.Links
	}
}

// discard gives a reason names.
func (s *Snapshot) discard(r datareach.Reason) Discard {
	if r.Condition && r.Caller == callgraph.NoNode {
		return Discard{Condition: true}
	}
	if r.Condition && (s.methodOf(r.Caller).Class == "" || s.methodOf(r.Callee).Class == "") {
		return Discard{} // of what nobody wrote
	}
	d := Discard{Condition: r.Condition, None: r.None, Caller: s.methodOf(r.Caller), Callee: s.methodOf(r.Callee)}
	for _, c := range r.Classes {
		d.Classes = append(d.Classes, Dotted(c))
	}
	return d
}

func (s *Snapshot) methodOf(n callgraph.NodeID) MethodRef {
	g := s.Program.Graph
	m := g.Method(n)
	if m == nil {
		return MethodRef{} // between a lambda and what it calls
	}
	return MethodRef{Class: Dotted(g.Class(n)), Method: m.Name + m.Desc}
}

func (d *Discard) explained() bool { return d.Condition || len(d.Classes) > 0 }

// key is the same for what is said in the same words.
func (d *Discard) key() string {
	out := ""
	if d.Condition {
		out = "condition"
	}
	for _, c := range d.Classes {
		out += c + " "
	}
	if !d.None {
		out += d.Caller.Class + " " + d.Caller.Method + " " + d.Callee.Method
	}
	return out
}
