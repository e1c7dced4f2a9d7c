package snapshot

import (
	"context"
	"encoding/gob"
	"hash/fnv"
	"io"
	"slices"
	"time"

	"catchlens/analysis/facts"
)

// This file makes a snapshot again with a more precise call graph, and remembers of it
// which links are not shown after an edit, until the next one is refined.

// Refine makes a snapshot of the sources and classes of s, as they were read then, with
// another call graph. prev, which may be nil, is an earlier snapshot with that call graph, of
// which is taken over what has not changed. The error is that ctx ended; that is seen
// soon.
func Refine(ctx context.Context, s *Snapshot, graph string, number int64, prev *Snapshot) (*Snapshot, error) {
	started := time.Now()
	n := s.again(graph, number)
	if err := n.analyse(ctx, false, prev, nil, func(string) {}); err != nil {
		n.Wait() // nobody else could
		return nil, err
	}
	n.finish(started)
	return n, nil
}

// RefineSame is Refine with the call graph of prev where all of its result is taken over from
// prev, because nothing means anything else; nil where something has to be computed.
func RefineSame(s *Snapshot, number int64, prev *Snapshot) *Snapshot {
	started := time.Now()
	n := s.again(prev.Config.CallGraph, number)
	n.listTargets()
	if e, ok := n.editOf(prev); !ok || !e.same() || !n.takeSame(e, prev) {
		return nil
	}
	n.finish(started)
	return n
}

// again is a snapshot of the same sources and classes, without the results of an analysis.
func (s *Snapshot) again(graph string, number int64) *Snapshot {
	p := s.program
	n := &Snapshot{Number: number, Workspace: s.Workspace, Config: s.Config, JDKVersion: s.JDKVersion,
		ByPath: make(map[string]*File, len(s.Files)), ByID: make(map[string]*Catch, len(s.Catches)),
		Problems: slices.Clone(p.made.found)}
	n.Config.CallGraph = graph
	n.program = &program{libs: p.libs, shared: p.shared, hidden: p.hidden,
		byName: make(map[string]*Class, len(p.classes)), made: making{extra: p.made.extra, found: p.made.found}}
	if p.made.basis != nil {
		b := *p.made.basis
		b.config.CallGraph = graph
		n.program.made.basis = &b
	}
	for _, f := range s.Files {
		f = &File{Path: f.Path, Module: f.Module, InTests: f.InTests, Text: f.Text, Source: f.Source, Stale: f.Stale,
			stamp: f.stamp}
		n.Files = append(n.Files, f)
		n.ByPath[f.Path] = f
	}
	for _, c := range p.classes {
		c = &Class{Name: c.Name, Module: c.Module, InTests: c.InTests, Facts: c.Facts}
		n.program.classes = append(n.program.classes, c)
		n.program.byName[c.Name] = c
	}
	n.Stats.Classes = len(p.classes)
	n.match(s)
	return n
}

// RuledOut are the links of a snapshot that a refined one does not have.
type RuledOut struct {
	ids map[string]bool
	// alike has what all links are like that have it in common to be ruled out (true),
	// and what some are like that stay (false): where catches or throws of a method are
	// numbered anew, their links have other IDs.
	alike map[uint64]bool
	// unreached are the methods with catches, by memberOf, that the refined analysis does not
	// reach.
	unreached map[uint64]bool
}

// NewRuledOut compares a snapshot with the one that Refine made of it.
func NewRuledOut(s, refined *Snapshot) *RuledOut {
	r := &RuledOut{ids: map[string]bool{}, alike: map[uint64]bool{}, unreached: map[uint64]bool{}}
	kept := map[string]bool{}
	for _, c := range refined.Catches {
		if c.Unreached {
			r.unreached[memberOf(c)] = true
		}
		for _, l := range c.Links {
			kept[l.ID] = true
		}
	}
	for _, c := range s.Catches {
		for _, l := range slices.Concat(c.Links, c.Withheld) {
			k, out := likeness(l), !kept[l.ID]
			if out {
				r.ids[l.ID] = true
			}
			all, known := r.alike[k]
			r.alike[k] = out && (all || !known)
		}
	}
	return r
}

// Has tells whether a link was ruled out, or all links were that are like it.
func (r *RuledOut) Has(l *Link) bool { return r.ids[l.ID] || r.alike[likeness(l)] }

// SameCode tells whether two snapshots have the same classes in the workspace, by name and code:
// what else the analyses know, such as what runs observed, may differ.
func (s *Snapshot) SameCode(other *Snapshot) bool {
	if len(s.program.classes) != len(other.program.classes) {
		return false
	}
	for _, c := range s.program.classes {
		o := other.program.byName[c.Name]
		if o == nil || o.Facts != c.Facts &&
			!slices.EqualFunc(o.Facts.Methods, c.Facts.Methods, func(a, b facts.Method) bool {
				return a.Name == b.Name && a.Desc == b.Desc && a.CodeDigest == b.CodeDigest
			}) {
			return false
		}
	}
	return true
}

// storedRuledOut is RuledOut as gob writes it.
type storedRuledOut struct {
	IDs       map[string]bool
	Alike     map[uint64]bool
	Unreached map[uint64]bool
}

// Write writes what was ruled out, for ReadRuledOut of another process.
func (r *RuledOut) Write(w io.Writer) error {
	return gob.NewEncoder(w).Encode(storedRuledOut{r.ids, r.alike, r.unreached})
}

// ReadRuledOut reads what Write has written.
func ReadRuledOut(r io.Reader) (*RuledOut, error) {
	var s storedRuledOut
	if err := gob.NewDecoder(r).Decode(&s); err != nil {
		return nil, err
	}
	return &RuledOut{s.IDs, s.Alike, s.Unreached}, nil
}

// likeness digests what a link keeps when catches and throws are numbered anew.
func likeness(l *Link) uint64 {
	return digestOf(append([]string{l.Catch.Class, l.Catch.Method, l.Site.Class, l.Site.Method, l.Site.Kind,
		l.Site.Fault, l.Exception}, l.Catch.Types...)...)
}

// memberOf digests the method that a catch stands in.
func memberOf(c *Catch) uint64 { return digestOf(c.Class, c.Method) }

func digestOf(words ...string) uint64 {
	h := fnv.New64a()
	for _, x := range words {
		io.WriteString(h, x)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// withhold keeps links that were ruled out from being shown; r may be nil.
func (s *Snapshot) withhold(r *RuledOut) {
	if r == nil {
		return
	}
	s.Stats.Links = 0
	for _, c := range s.Catches {
		shown := c.Links[:0:0]
		for _, l := range c.Links {
			if r.Has(l) {
				c.Withheld = append(c.Withheld, l)
			} else {
				shown = append(shown, l)
			}
		}
		c.Links = shown
		c.Unreached = c.Unreached || len(shown) == 0 && r.unreached[memberOf(c)]
		s.Stats.Links += len(shown)
	}
}

// Auto is the name that settings have for refining: the first of CallGraphs at once, and
// then the first of Refined that can be had.
const Auto = "auto"

// Refined are the call graphs that Auto stands for, the best first. What takes too much with obj-dr
// takes too much with inpta-dr, which costs four fifths of it and more
// (docs/internals/measurements.md), and is found out as late.
var Refined = []string{"obj-dr", "pta"}
