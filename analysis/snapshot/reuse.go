package snapshot

import (
	"context"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/classpath"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/hierarchy"
)

// This file takes over from the snapshot before what an edit leaves as it is: the
// hierarchy, the call graph, points-to sets and the flow of exceptions, where no
// method means anything else than before, wherever its code stands now.

// basis is what the whole-program analyses read beside the workspace's classes.
type basis struct {
	config    Config
	set       facts.PropertySet
	extra     callgraph.Extra
	generated []GeneratedClass
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
func (s *Snapshot) basisOf(opt *Options, extra callgraph.Extra) (b *basis, ok bool) {
	b = &basis{config: s.Config, set: s.program.libs.options.Set, extra: extra, generated: opt.Generated,
		named: s.program.made.named}
	outputs := map[string]bool{}
	for _, m := range s.Workspace.Modules {
		for _, path := range slices.Concat(m.MainOutputs, m.TestOutputs) {
			outputs[filepath.Clean(path)] = true
		}
	}
	libs := s.program.libs
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
			out[path] = stamp{info.Size(), info.ModTime()}
		}
		return nil
	})
	return out, err
}

// edit is what is different from the snapshot before.
type edit struct {
	prev    *program
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
func (s *Snapshot) editOf(prev *Snapshot) (e edit, ok bool) {
	p := s.program
	if prev == nil || prev.program == nil || prev.program.graph == nil || p.made.basis == nil ||
		prev.program.made.basis == nil {
		return e, false
	}
	e = edit{prev: prev.program, changed: map[string]bool{}}
	if !reflect.DeepEqual(p.made.basis, e.prev.made.basis) {
		return e, false
	}
	for _, c := range p.classes {
		if old := e.prev.byName[c.Name]; old == nil {
			e.added, e.changed[c.Name] = append(e.added, c.Name), true
		} else if !s.editOfClass(&e, old, c) {
			return e, false
		}
	}
	for _, c := range e.prev.classes {
		if p.byName[c.Name] == nil {
			e.removed, e.changed[c.Name] = append(e.removed, c.Name), true
		}
	}
	e.shape = e.shape || len(e.added)+len(e.removed) > 0
	for _, x := range p.made.basis.extra.Edges {
		if (x.Line != 0 || x.Try != 0) && e.changed[x.From.Class] { // which call it is may depend on the line
			return e, false
		}
	}
	return e, true
}

// editOfClass is editOf for a class that was there before.
func (s *Snapshot) editOfClass(e *edit, old, c *Class) bool {
	if c.Module != old.Module || c.InTests != old.InTests {
		return false
	}
	if c.Facts == old.Facts {
		return true
	}
	of, reads := analyses[s.Config.CallGraph], facts.ReadsCalls
	if of.points || e.prev.graph.FollowsNames(c.Name) || e.prev.flow.ReadsFlow(c.Name) {
		reads = facts.ReadsFlow
	}
	d := facts.Compare(old.Facts, c.Facts, reads, features.TakesNames)
	if d.Shape {
		return false
	}
	if !d.None() {
		e.methods = append(e.methods, features.ChangedMethods{Class: c.Facts, Methods: d.Methods, Added: d.Added,
			Gone: d.Gone})
		e.shape = e.shape || !d.SameMethods()
	}
	e.values = e.values || of.reach && !facts.Compare(old.Facts, c.Facts, facts.ReadsValues, features.TakesNames).None()
	e.changed[c.Name] = true
	e.facts = append(e.facts, c.Facts)
	return true
}

// takeSame takes over what it can where nothing means anything else than before, and tells
// whether that is everything.
func (s *Snapshot) takeSame(e edit, prev *Snapshot) bool {
	started := time.Now()
	s.Stats.Reuse = ReuseGraph
	s.takeGraph(e)
	s.takeStats(prev)
	if e.values || !s.takeFlow(e, prev) {
		return false
	}
	s.Stats.Reuse = ReuseAll
	s.Stats.GraphSeconds = time.Since(started).Seconds()
	return true
}

// takeGraph takes over the call graph, and what was computed with it.
func (s *Snapshot) takeGraph(e edit) {
	p := s.program
	p.graph = e.prev.graph.WithHierarchy(e.prev.graph.H.Replace(hierarchy.Source(p.libs), e.facts))
	p.points, p.made.base = e.prev.points, e.prev.made.base
	s.takeProblems(e)
}

func (s *Snapshot) takeProblems(e edit) {
	s.program.untested, s.program.entryless = e.prev.untested, e.prev.entryless
	s.graphProblems()
	for _, q := range e.prev.made.classProblems {
		if !e.changed[q.Class] {
			s.program.made.classProblems = append(s.program.made.classProblems, q)
		}
	}
}

// patchGraph makes the call graph of the one before, if that is possible.
func (s *Snapshot) patchGraph(ctx context.Context, e edit) bool {
	started := time.Now()
	if analyses[s.Config.CallGraph].points {
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
	g, ok := e.prev.graph.Patch(hierarchy.Source(s.program.libs),
		callgraph.Edit{Config: s.graphConfig(ctx), Changed: changed, Added: e.added, Removed: e.removed})
	if !ok {
		return false
	}
	s.program.graph = g
	s.takeProblems(e)
	s.countGraph()
	s.Stats.GraphSeconds = time.Since(started).Seconds()
	return true
}

// followPoints makes the points-to sets and the call graph of those of the program
// that was solved last, if that is possible.
func (s *Snapshot) followPoints(ctx context.Context, e edit) bool {
	p := s.program
	if e.prev.made.base == nil {
		return false
	}
	classes := make([]*facts.Class, len(p.classes))
	for i, c := range p.classes {
		classes[i] = c.Facts
	}
	r, ok := e.prev.made.base.Follow(hierarchy.Source(p.libs), s.graphConfig(ctx), classes)
	if !ok {
		return false
	}
	p.made.base, p.points, p.graph = e.prev.made.base, r, r.Graph
	s.takeProblems(e)
	s.countGraph()
	return true
}

// takeFlow takes over the flow of exceptions and the links, if the catches have
// the handlers that they had.
func (s *Snapshot) takeFlow(e edit, prev *Snapshot) bool {
	p := s.program
	if !slices.Equal(p.targets, e.prev.targets) || len(s.Catches) != len(prev.Catches) {
		return false
	}
	for i, c := range s.Catches {
		if len(c.Handlers) != len(prev.Catches[i].Handlers) {
			return false
		}
	}
	p.studied, p.reach = e.prev.studied, e.prev.reach
	p.studied.Own = func(class string) bool { return p.byName[class] != nil }
	p.flow = e.prev.flow.WithGraph(p.graph, e.changed)
	s.takeLinks(prev)
	return true
}

// takeLinks makes the links of every catch of those that it had.
func (s *Snapshot) takeLinks(prev *Snapshot) {
	now := map[string]string{} // ID of a link before -> now, where it is another
	for i, c := range s.Catches {
		old := prev.Catches[i]
		c.Discarded = old.Discarded
		for _, l := range slices.Concat(old.Links, old.Withheld) {
			n := &Link{ID: l.ID, Catch: c, Site: l.Site, Root: l.Root, Cause: l.Cause, Exception: l.Exception,
				Own: l.Own}
			n.chains.snap, n.chains.ids = s, l.chains.ids
			if c.ID != old.ID {
				n.ID = linkID(c, n.Site)
				now[l.ID] = n.ID
			}
			s.place(n)
			c.Links = append(c.Links, n)
		}
		if len(old.Withheld) > 0 {
			slices.SortFunc(c.Links, compareLinks)
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
func (s *Snapshot) place(l *Link) {
	if l.Own {
		site := s.site(s.program.flow.SiteOf(l.chains.ids[0]))
		l.Site = &site
	}
}

// takeStats takes over sizes.
func (s *Snapshot) takeStats(prev *Snapshot) {
	s.Stats.Methods, s.Stats.Edges, s.Stats.Reach = prev.Stats.Methods, prev.Stats.Edges, prev.Stats.Reach
}
