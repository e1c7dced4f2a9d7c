package build

import (
	"context"
	"encoding/gob"
	"hash/fnv"
	"io"
	"slices"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file makes a snapshot again with a more precise call graph, and remembers of it
// which links are not shown after an edit, until the next one is refined.

// Refine makes a snapshot of the sources and classes of s, as they were read then, with
// another call graph. prev, which may be nil, is an earlier snapshot with that call graph, of
// which is taken over what has not changed. The error is that ctx ended; that is seen
// soon.
func Refine(ctx context.Context, s *snapshot.Snapshot, graph string, number int64,
	prev *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	started := time.Now()
	n := builderOf(s).again(graph, number)
	if err := n.analyse(ctx, false, builderOf(prev), nil, func(string) {}); err != nil {
		n.Wait() // nobody else could
		return nil, err
	}
	n.finish(started)
	return n.Snapshot, nil
}

// RefineSame is Refine with the call graph of prev where all of its result is taken over from
// prev, because nothing means anything else; nil where something has to be computed.
func RefineSame(s *snapshot.Snapshot, number int64, prev *snapshot.Snapshot) *snapshot.Snapshot {
	started := time.Now()
	n, before := builderOf(s).again(prev.Config.CallGraph, number), builderOf(prev)
	n.listTargets()
	if e, ok := n.editOf(before); !ok || !e.same() || !n.takeSame(e, before) {
		return nil
	}
	n.finish(started)
	return n.Snapshot
}

// again begins a snapshot of the same sources and classes, without the results of an analysis.
func (s *builder) again(graph string, number int64) *builder {
	p := s.Program
	n := newBuilder(&snapshot.Snapshot{Number: number, Workspace: s.Workspace, Config: s.Config,
		JDKVersion: s.JDKVersion, JDKHome: s.JDKHome,
		Problems: slices.Clone(s.made.found)})
	n.Config.CallGraph = graph
	n.Program.Code, n.Program.Extra, n.LeftTests = p.Code, p.Extra, s.LeftTests
	n.Program.ByName = make(map[string]*snapshot.Class, len(p.Classes))
	n.made.libs, n.made.shared, n.made.hidden, n.made.found = s.made.libs, s.made.shared, s.made.hidden, s.made.found
	if s.made.basis != nil {
		b := *s.made.basis
		b.config.CallGraph = graph
		n.made.basis = &b
	}
	for _, f := range s.Files {
		f = &snapshot.File{Path: f.Path, Module: f.Module, InTests: f.InTests, Text: f.Text, Source: f.Source,
			Stale: f.Stale}
		n.Files = append(n.Files, f)
		n.ByPath[f.Path] = f
		n.made.files[f.Path] = &sourceFile{stamp: s.made.files[f.Path].stamp}
	}
	for _, c := range p.Classes {
		c = &snapshot.Class{Name: c.Name, Module: c.Module, InTests: c.InTests, Facts: c.Facts}
		n.Program.Classes = append(n.Program.Classes, c)
		n.Program.ByName[c.Name] = c
	}
	n.Stats.Classes = len(p.Classes)
	n.match(s)
	return n
}

// RuledOut are the links of a snapshot that a refined one does not have.
type RuledOut struct {
	ids map[string]bool
	// byLikeness has what all links are like that have it in common to be ruled out (true),
	// and what some are like that stay (false): where catches or throws of a method are
	// numbered anew, their links have other IDs.
	byLikeness map[uint64]bool
	// unreached are the methods with catches, by memberOf, that the refined analysis does not
	// reach.
	unreached map[uint64]bool
	// failures are those that the refined links are members of, by link ID, with lines from that of
	// the catch: another call graph has other shortest chains.
	failures map[string]snapshot.Failure
}

// NewRuledOut compares a snapshot with the one that Refine made of it.
func NewRuledOut(s, refined *snapshot.Snapshot) *RuledOut {
	r := &RuledOut{ids: map[string]bool{}, byLikeness: map[uint64]bool{}, unreached: map[uint64]bool{},
		failures: map[string]snapshot.Failure{}}
	kept := map[string]bool{}
	for _, c := range refined.Catches {
		if c.Unreached {
			r.unreached[memberOf(c)] = true
		}
		for _, l := range c.Links {
			kept[l.ID] = true
			f := l.Failure()
			f.Line -= c.Line
			r.failures[l.ID] = f
		}
	}
	for _, c := range s.Catches {
		for _, l := range slices.Concat(c.Links, c.Withheld) {
			k, out := likeness(l), !kept[l.ID]
			if out {
				r.ids[l.ID] = true
			}
			all, known := r.byLikeness[k]
			r.byLikeness[k] = out && (all || !known)
		}
	}
	return r
}

// Has tells whether a link was ruled out, or all links were that are like it.
func (r *RuledOut) Has(l *snapshot.Link) bool { return r.ids[l.ID] || r.byLikeness[likeness(l)] }

// storedRuledOut is RuledOut as gob writes it.
type storedRuledOut struct {
	IDs       map[string]bool
	Alike     map[uint64]bool
	Unreached map[uint64]bool
	Failures  map[string]snapshot.Failure
}

// Write writes what was ruled out, for ReadRuledOut of another process.
func (r *RuledOut) Write(w io.Writer) error {
	return gob.NewEncoder(w).Encode(storedRuledOut{r.ids, r.byLikeness, r.unreached, r.failures})
}

// ReadRuledOut reads what Write has written.
func ReadRuledOut(r io.Reader) (*RuledOut, error) {
	var s storedRuledOut
	if err := gob.NewDecoder(r).Decode(&s); err != nil {
		return nil, err
	}
	return &RuledOut{s.IDs, s.Alike, s.Unreached, s.Failures}, nil
}

// likeness digests what a link keeps when catches and throws are numbered anew.
func likeness(l *snapshot.Link) uint64 {
	return digestOf(append([]string{l.Catch.Class, l.Catch.Method, l.Site.Class, l.Site.Method, l.Site.Kind,
		l.Site.Fault, l.Exception}, l.Catch.Types...)...)
}

// memberOf digests the method that a catch stands in.
func memberOf(c *snapshot.Catch) uint64 { return digestOf(c.Class, c.Method) }

func digestOf(words ...string) uint64 {
	h := fnv.New64a()
	for _, x := range words {
		io.WriteString(h, x)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// withhold keeps links that were ruled out from being shown, and the others with the failures that
// they were shown in; r may be nil.
func (s *builder) withhold(r *RuledOut) {
	if r == nil {
		return
	}
	s.Stats.Links = 0
	for _, c := range s.Catches {
		shown := c.Links[:0:0]
		for _, l := range c.Links {
			if r.Has(l) {
				c.Withheld = append(c.Withheld, l)
				continue
			}
			if f, ok := r.failures[l.ID]; ok {
				f.Line += c.Line
				l.SetFailure(f)
			}
			shown = append(shown, l)
		}
		c.Links = shown
		c.Unreached = c.Unreached || len(shown) == 0 && r.unreached[memberOf(c)]
		s.Stats.Links += len(shown)
	}
}
