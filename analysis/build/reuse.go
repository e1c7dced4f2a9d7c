package build

import (
	"context"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/settings"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file takes over from the snapshot before what an edit leaves as it is: the
// hierarchy, the call graph, points-to sets and the flow of exceptions, where no
// method means anything else than before, wherever its code stands now.

// basis is what the whole-program analyses read beside the workspace's classes.
type basis struct {
	config    snapshot.Config
	set       settings.Set
	extra     callgraph.Extra
	generated []snapshot.GeneratedClass
	named     []string
	entries   []entryLook
}

// entryLook is a class path entry as a build found it. Of the folder of a module's
// own classes it has what is no class.
type entryLook struct {
	path, kind, digest string
	files              map[string]stamp
}

// basisOf looks at everything but the workspace's classes; ok is false where that
// cannot be told.
func (s *builder) basisOf(opt *Options, extra callgraph.Extra) (b *basis, ok bool) {
	b = &basis{config: s.Config, set: s.made.libs.options.Set, extra: extra, generated: opt.Generated,
		named: s.made.named}
	outputs := map[string]bool{}
	for _, m := range s.Workspace.Modules {
		for _, path := range slices.Concat(m.MainOutputs, m.TestOutputs) {
			outputs[filepath.Clean(path)] = true
		}
	}
	libs := s.made.libs
	entries := slices.Clone(libs.path.Entries)
	if libs.jdk != nil {
		entries = append(entries, libs.jdk.Entry())
	}
	for _, e := range entries {
		look := entryLook{path: e.Path(), kind: string(e.Kind())}
		var err error
		switch folder := e.Path(); {
		case e.Kind() != classpath.KindFolder:
			look.digest, err = e.Digest()
		case outputs[folder]:
			look.files, err = stampsBelow(filepath.Join(folder, "META-INF"))
		default:
			look.files, err = stampsBelow(folder)
		}
		if err != nil {
			return nil, false
		}
		b.entries = append(b.entries, look)
	}
	return b, true
}

// stampsBelow are the stamps of all files below a folder, which need not exist.
func stampsBelow(dir string) (map[string]stamp, error) {
	out := map[string]stamp{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return fs.SkipAll
			}
			return err
		}
		if !d.IsDir() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			out[path] = stampOf(info)
		}
		return nil
	})
	return out, err
}

// edit is what is different from the snapshot before.
type edit struct {
	prev    *snapshot.Program
	before  *making
	changed map[string]bool // classes whose files have changed, come or gone
	facts   []*facts.Class  // those of changed ones that were there before
	// methods are those of them with other code, and those that come and go; nil where
	// there are none.
	methods        []features.ChangedMethods
	added, removed []string // classes
	shape          bool     // methods or classes come or go
	values         bool     // DataReach is used, and reads other values of parameters
}

// same tells that nothing means anything else than before.
func (e *edit) same() bool { return len(e.methods) == 0 && !e.shape }

// editOf finds out what is different from prev; ok is false if more is than which
// classes and methods there are, and the code of methods.
func (s *builder) editOf(prev *builder) (e edit, ok bool) {
	p := s.Program
	if prev == nil || prev.Program.Graph == nil || s.made.basis == nil ||
		prev.made.basis == nil {
		return e, false
	}
	e = edit{prev: prev.Program, before: prev.made, changed: map[string]bool{}}
	if !reflect.DeepEqual(s.made.basis, e.before.basis) {
		return e, false
	}
	for _, c := range p.Classes {
		if old := e.prev.ByName[c.Name]; old == nil {
			e.added, e.changed[c.Name] = append(e.added, c.Name), true
		} else if !s.editOfClass(&e, old, c) {
			return e, false
		}
	}
	for _, c := range e.prev.Classes {
		if p.ByName[c.Name] == nil {
			e.removed, e.changed[c.Name] = append(e.removed, c.Name), true
		}
	}
	e.shape = e.shape || len(e.added)+len(e.removed) > 0
	for _, x := range s.made.basis.extra.Edges {
		if (x.Line != 0 || x.Try != 0) && e.changed[x.From.Class] { // which call it is may depend on the line
			return e, false
		}
	}
	return e, true
}

// editOfClass is editOf for a class that was there before.
func (s *builder) editOfClass(e *edit, old, c *snapshot.Class) bool {
	if c.Module != old.Module || c.InTests != old.InTests {
		return false
	}
	if c.Facts == old.Facts {
		return true
	}
	of, reads := snapshot.Analyses[s.Config.CallGraph], facts.ReadsCalls
	if of.Points || e.prev.Graph.FollowsNames(c.Name) || e.prev.Flow.ReadsFlow(c.Name) {
		reads = facts.ReadsFlow
	}
	d := facts.Compare(old.Facts, c.Facts, reads, features.TakesNames)
	if d.Shape {
		return false
	}
	if !d.None() || e.prev.Graph.Tokens.ReadsOther(old.Facts, c.Facts) {
		e.methods = append(e.methods, features.ChangedMethods{Class: c.Facts, Methods: d.Methods, Added: d.Added,
			Gone: d.Gone})
		e.shape = e.shape || !d.SameMethods()
	}
	e.values = e.values || of.Reach && !facts.Compare(old.Facts, c.Facts, facts.ReadsValues, features.TakesNames).None()
	e.changed[c.Name] = true
	e.facts = append(e.facts, c.Facts)
	return true
}

// takeSame takes over what it can where nothing means anything else than before, and tells
// whether that is everything.
func (s *builder) takeSame(e edit, prev *builder) bool {
	started := time.Now()
	s.Stats.Reuse = snapshot.ReuseGraph
	s.takeGraph(e)
	s.takeStats(prev)
	if e.values || !s.takeFlow(e, prev) {
		return false
	}
	s.Stats.Reuse = snapshot.ReuseAll
	s.Stats.GraphSeconds = time.Since(started).Seconds()
	return true
}

// takeGraph takes over the call graph, and what was computed with it.
func (s *builder) takeGraph(e edit) {
	p := s.Program
	p.Graph = e.prev.Graph.WithHierarchy(e.prev.Graph.H.Replace(hierarchy.Source(s.made.libs), e.facts))
	s.made.points, s.made.base = e.before.points, e.before.base
	s.takeProblems(e)
}

func (s *builder) takeProblems(e edit) {
	s.Program.Untested, s.made.entryless = e.prev.Untested, e.before.entryless
	s.graphProblems()
	for _, q := range e.before.classProblems {
		if !e.changed[q.Class] {
			s.made.classProblems = append(s.made.classProblems, q)
		}
	}
}

// patchGraph makes the call graph of the one before, if that is possible.
func (s *builder) patchGraph(ctx context.Context, e edit) bool {
	started := time.Now()
	if snapshot.Analyses[s.Config.CallGraph].Points {
		if !s.followPoints(ctx, e) {
			return false
		}
		s.Stats.GraphSeconds = time.Since(started).Seconds()
		return true
	}
	changed := e.methods
	for _, f := range e.facts {
		if !slices.ContainsFunc(e.methods, func(c features.ChangedMethods) bool { return c.Class == f }) {
			changed = append(changed, features.ChangedMethods{Class: f})
		}
	}
	g, ok := e.prev.Graph.Patch(hierarchy.Source(s.made.libs),
		callgraph.Edit{Config: s.graphConfig(ctx), Changed: changed, Added: e.added, Removed: e.removed})
	if !ok {
		return false
	}
	s.Program.Graph = g
	s.takeProblems(e)
	s.countGraph()
	s.Stats.GraphSeconds = time.Since(started).Seconds()
	return true
}

// followPoints makes the points-to sets and the call graph of those of the program
// that was solved last, if that is possible.
func (s *builder) followPoints(ctx context.Context, e edit) bool {
	p := s.Program
	if e.before.base == nil {
		return false
	}
	classes := make([]*facts.Class, len(p.Classes))
	for i, c := range p.Classes {
		classes[i] = c.Facts
	}
	r, ok := e.before.base.Follow(hierarchy.Source(s.made.libs), s.graphConfig(ctx), classes)
	if !ok {
		return false
	}
	s.made.base, s.made.points, p.Graph = e.before.base, r, r.Graph
	s.takeProblems(e)
	s.countGraph()
	return true
}

// takeFlow takes over the flow of exceptions and the links, if the catches have
// the handlers that they had.
func (s *builder) takeFlow(e edit, prev *builder) bool {
	p := s.Program
	if !slices.Equal(p.Targets, e.prev.Targets) || len(s.Catches) != len(prev.Catches) {
		return false
	}
	for i, c := range s.Catches {
		if len(c.Handlers) != len(prev.Catches[i].Handlers) {
			return false
		}
	}
	p.Studied, p.Reach = e.prev.Studied, e.prev.Reach
	p.Studied.Own = func(class string) bool { return p.ByName[class] != nil }
	p.Flow = e.prev.Flow.WithGraph(p.Graph, e.changed)
	s.takeLinks(prev)
	return true
}

// takeLinks makes the links of every catch of those that it had.
func (s *builder) takeLinks(prev *builder) {
	now := map[string]string{} // ID of a link before -> now, where it is another
	for i, c := range s.Catches {
		old := prev.Catches[i]
		c.Discarded = old.Discarded
		for _, l := range slices.Concat(old.Links, old.Withheld) {
			n := &snapshot.Link{ID: l.ID, Catch: c, Site: l.Site, Root: l.Root, Cause: l.Cause, Exception: l.Exception,
				Own: l.Own}
			n.Arrive(s.Snapshot, l.Arrivals()...)
			if c.ID != old.ID {
				n.ID, _ = snapshot.IDOfLink(nil, c, n.Site)
				now[l.ID] = n.ID
			}
			s.place(n)
			c.Links = append(c.Links, n)
		}
		if len(old.Withheld) > 0 {
			slices.SortFunc(c.Links, snapshot.CompareLinks)
		}
		s.Stats.Links += len(c.Links)
	}
	if len(now) == 0 {
		return
	}
	for _, c := range s.Catches {
		for _, l := range c.Links {
			if n, ok := now[l.Cause]; ok {
				l.Cause = n
			}
		}
	}
}

// place gives a link the line and the file that its throw site has now, if that is
// in the workspace.
func (s *builder) place(l *snapshot.Link) {
	if l.Own {
		site := s.SiteOf(s.Program.Flow.SiteOf(l.Arrivals()[0]))
		l.Site = &site
	}
}

// takeStats takes over sizes.
func (s *builder) takeStats(prev *builder) {
	s.Stats.Methods, s.Stats.Edges, s.Stats.Reach = prev.Stats.Methods, prev.Stats.Edges, prev.Stats.Reach
}
