// Package build makes snapshots.
//
// Input is a workspace as found on disk and a configuration; files are read,
// nothing is executed. A change makes the next snapshot (Snapshot with the previous
// one): what did not change is taken over, the rest is computed anew.
//
// Precision and soundness are those of the packages below: callgraph, exceptions
// and javasource say what they miss. All modules are analysed as one program on
// the union of their class paths, in the order of modules: where two modules use
// different versions of a library, the first one stands for both.
//
// Cost: see docs/internals/measurements.md.
package build

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/defect"
)

// Options of a build.
type Options struct {
	// Cache keeps facts of libraries and the JDK between builds and processes;
	// nil keeps nothing.
	Cache *factcache.Cache
	// Digests remembers hashes of jars and JDKs; nil: they are hashed each time.
	Digests *classpath.DigestCache
	// StaleSources are the absolute paths of sources that are newer than their
	// classes.
	StaleSources map[string]bool
	// Progress is called with what is being done; may be nil.
	Progress func(text string)
	// Edits tells that snapshots will follow that are made of this one: what they are
	// made of is kept, which takes memory.
	Edits bool
	// Extra is what runs observed of reflection (DESIGN D7), and Generated the
	// classes that they observed and that are on no class path; instances of them
	// exist.
	Extra     callgraph.Extra
	Generated []snapshot.GeneratedClass
	// Number, if it is not 0, is that of the snapshot; else it follows that of the one before.
	Number int64
	// LibrarySettings are those that an earlier snapshot of the same class path had
	// (Snapshot.LibrarySettings), so that they need not be found out with a call graph that is not
	// used. If one of them is not set now, it begins without.
	LibrarySettings []string
	// Withhold keeps links that a refined analysis has ruled out from being shown; may be
	// nil. See Withheld of Catch.
	Withhold *RuledOut
}

// making is what a snapshot is made with, and the next one after it.
type making struct {
	libs   *libraries
	shared map[string]bool        // classes of outputs that have main code and tests
	hidden map[hidden]string      // classes in whose place one of the same name is analysed -> whose that is (classSet)
	files  map[string]*sourceFile // by path
	named  []string               // see namedClasses
	basis  *basis                 // nil where it cannot be told
	points *pointsto.Result       // nil where the call graph comes without
	base   *pointsto.Base         // what points is continued from after an edit; nil: nothing is

	entryless bool          // there are classes, and no entry point
	matching  *defect.Group // matches catches with their handlers; nil: they are
	noted     bool          // see awaitMatch

	problems      sync.Mutex         // held while one is added: sources and classes are read at the same time
	found         []snapshot.Problem // those found before those of the call graph
	classProblems []factcache.FileProblem
}

// builder makes a snapshot, or has made it.
type builder struct {
	*snapshot.Snapshot
	made *making
}

// newBuilder begins a snapshot.
func newBuilder(s *snapshot.Snapshot) *builder {
	b := &builder{s, &making{files: map[string]*sourceFile{}}}
	s.Program = &snapshot.Program{Made: b.made}
	s.ByPath, s.ByID = map[string]*snapshot.File{}, map[string]*snapshot.Catch{}
	return b
}

// builderOf is the one that has made a snapshot; nil: none has.
func builderOf(s *snapshot.Snapshot) *builder {
	if s == nil || s.Program == nil {
		return nil
	}
	made, _ := s.Program.Made.(*making)
	if made == nil {
		return nil
	}
	return &builder{s, made}
}

// Snapshot analyses a workspace. It returns an error only if ctx ended or nothing
// could be analysed; everything else is a row of Problems. prev may be nil.
func Snapshot(ctx context.Context, ws *workspace.Workspace, cfg snapshot.Config, opt Options,
	prev *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	started := time.Now()
	var asked map[string]bool
	before := builderOf(prev)
	if before != nil && before.made.libs != nil {
		asked = before.made.libs.asked
	} else if len(opt.LibrarySettings) > 0 {
		asked = map[string]bool{}
		for _, p := range opt.LibrarySettings {
			asked[p] = true
		}
	}
	for begun := false; ; {
		// Settings of the JDK that reached libraries set: with another value more is reached. Once
		// begun from none they only grow, so that this ends.
		var all map[string]bool
		settled := func(s *builder) bool {
			if all = s.askedByLibraries(); begun {
				maps.Copy(all, asked)
			}
			return maps.Equal(all, asked)
		}
		s, err := build(ctx, ws, cfg, opt, before, asked, settled)
		if err != nil {
			return nil, err
		}
		if settled(s) {
			s.withhold(opt.Withhold)
			s.finish(started)
			err := ctx.Err()
			if err != nil {
				s.Wait() // nobody else would
			}
			return s.Snapshot, err
		}
		s.made.libs.provider.Close()
		before = nil
		for p := range asked {
			if !begun && !all[p] {
				all = nil // from the start, as an analysis from scratch begins
				break
			}
		}
		asked, begun = all, true
	}
}

// build is Build with the settings of the JDK that libraries are known to set. No exceptions are
// followed on a call graph of which settled says no: it is made again.
func build(ctx context.Context, ws *workspace.Workspace, cfg snapshot.Config, opt Options, prev *builder,
	asked map[string]bool,
	settled func(*builder) bool) (*builder, error) {
	started := time.Now()
	s := newBuilder(&snapshot.Snapshot{Number: 1, Workspace: ws, Config: cfg})
	if prev != nil {
		s.Number = prev.Number + 1
	}
	s.Number = cmp.Or(opt.Number, s.Number)
	for _, p := range ws.Problems {
		s.problemAt(string(p.Severity), p.Message, p.File, p.Line)
	}
	say := func(text string) {
		if opt.Progress != nil {
			opt.Progress(text)
		}
	}
	say("reading sources and class files")
	var sources defect.Group
	sources.Go(func() { s.readSources(ctx, prev) })
	libs, err := openLibraries(ws, cfg, opt.Cache, opt.Digests, prev, asked)
	if err != nil {
		sources.Wait()
		return nil, err
	}
	done := false
	defer func() {
		if !done {
			libs.provider.Close()
			s.Wait() // nobody else could
		}
	}()
	libs.addGenerated(opt.Generated)
	s.made.libs, s.Program.Code = libs, libs
	s.JDKVersion, s.JDKHome = libs.jdkVersion, libs.jdkHome()
	s.readClasses(libs)
	s.readSettings()
	s.made.named = s.namedClasses()
	for _, p := range libs.problems {
		if p.Message != classpath.NotThere || !s.expectedAbsent(p.File) {
			s.problem(string(p.Severity), p.Message, p.File)
		}
	}
	match := func() {
		if sources.Wait(); ctx.Err() == nil {
			s.matchSources(opt.StaleSources, prev)
		}
	}
	if prev == nil && !s.Config.Auto && !s.sharesFolders() {
		s.made.matching = new(defect.Group)
		s.made.matching.Go(match) // the call graph does not depend on it
		defer s.made.matching.Wait()
	} else {
		match()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.Stats.ScanSeconds = time.Since(started).Seconds()
	extra := opt.Extra
	s.declareFaults()
	extra.Instantiated = slices.Concat(extra.Instantiated, s.faultExceptions())
	extra.Generated = libs.generatedNames()
	s.Program.Extra = extra
	if s.Config.Auto && len(s.Catches) == 0 {
		s.Config.CallGraph = snapshot.CallGraphs[0]
	}
	s.made.basis, _ = s.basisOf(&opt, extra)
	if err := s.analyse(ctx, opt.Edits, prev, settled, say); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	done = true
	return s, nil
}

// matchSources finds the handlers of the sources' catches. Sources of which stale says so are newer
// than their class files.
func (s *builder) matchSources(stale map[string]bool, prev *builder) {
	for _, f := range s.Files {
		f.Stale = stale[s.absolute(f.Path)]
	}
	s.divideShared()
	s.match(prev)
}

// finish is the end of a build that began at a time.
func (s *builder) finish(started time.Time) {
	libs := s.made.libs
	s.markUnreached()
	s.classProblemsOf(libs)
	s.sortProblems()
	s.Later(func() { libs.save(s.Stats.Reuse == snapshot.ReuseNothing) })
	s.Stats.TotalSec = time.Since(started).Seconds()
}

// analyse makes the call graph and follows exceptions, as far as prev has not what would come of
// it, and unless settled, which may be nil, says that this is not the call graph to follow them on.
// With edits, what the call graph is continued from is kept. Records of the classes, nearly all of
// which the call graph has asked for, are saved while exceptions are followed, most of the time on
// one processor; whoever has no use for s waits for that.
func (s *builder) analyse(ctx context.Context, edits bool, prev *builder, settled func(*builder) bool,
	say func(string)) error {
	if prev != nil {
		s.awaitMatch()
	}
	e, ok := s.editOf(prev)
	switch {
	case ok && e.same():
		if s.takeSame(e, prev) {
			return nil
		}
	case ok && s.patchGraph(ctx, e):
		s.Stats.Reuse = snapshot.ReuseGraph
		if !snapshot.Analyses[s.Config.CallGraph].Points && !e.shape && e.prev.Flow.Quiet(s.Program.Graph) &&
			s.takeFlow(e, prev) {
			s.Stats.Reuse = snapshot.ReuseAll
			return nil
		}
	default:
		say("building the call graph")
		s.buildGraph(ctx, edits)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if settled != nil && !settled(s) {
		return nil
	}
	say("following exceptions")
	s.Later(s.made.libs.saveRecords)
	s.followExceptions(ctx)
	return ctx.Err()
}

// awaitMatch waits until catches are matched with their handlers, which may take as long as the
// call graph is built, and notes what has been found by then.
func (s *builder) awaitMatch() {
	if s.made.noted {
		return
	}
	s.made.noted = true
	if s.made.matching != nil {
		s.made.matching.Wait()
	}
	s.listTargets()
	s.made.found = slices.Clone(s.Problems)
}

// classProblemsOf adds what is wrong with classes.
func (s *builder) classProblemsOf(libs *libraries) {
	for _, q := range libs.provider.Problems() {
		if !slices.Contains(s.made.classProblems, q) {
			s.made.classProblems = append(s.made.classProblems, q)
		}
	}
	for _, q := range s.made.classProblems {
		s.problem("error", "class "+q.Class+": "+q.Message, q.File)
	}
}

func (s *builder) problem(severity, message, file string) {
	s.problemAt(severity, message, file, 0)
}

func (s *builder) problemAt(severity, message, file string, line int) {
	p := snapshot.Problem{Severity: severity, Message: message, File: file, Line: line}
	s.made.problems.Lock()
	defer s.made.problems.Unlock()
	for _, q := range s.Problems {
		if p == q {
			return
		}
	}
	s.Problems = append(s.Problems, p)
}

func (s *builder) sortProblems() {
	rank := map[string]int{"error": 0, "warning": 1, "info": 2}
	sort.SliceStable(s.Problems, func(i, j int) bool {
		a, b := s.Problems[i], s.Problems[j]
		if rank[a.Severity] != rank[b.Severity] {
			return rank[a.Severity] < rank[b.Severity]
		}
		if a.File != b.File {
			return a.File < b.File
		}
		return a.Line < b.Line
	})
}

// readClasses lists the workspace's own classes.
func (s *builder) readClasses(libs *libraries) {
	p := s.Program
	p.ByName, s.made.shared, s.made.hidden = map[string]*snapshot.Class{}, map[string]bool{}, map[hidden]string{}
	seen := map[string]bool{} // folders and jars
	left := &leftTests{before: libs.left, facts: leftFacts{}}
	for _, m := range s.Workspace.Modules {
		for _, set := range []struct {
			paths []string
			tests bool
		}{{m.MainOutputs, false}, {m.TestOutputs, true}} {
			for _, path := range set.paths {
				e := libs.entry(path)
				if e == nil || seen[e.Path()] {
					continue
				}
				seen[e.Path()] = true
				var names []string
				err := e.Each(func(name string) error {
					names = append(names, name)
					return nil
				})
				done := libs.readFrom(names)
				for _, name := range names {
					if first := p.ByName[name]; first != nil { // it wins, as on a class path
						if (first.Module != m.Name || first.InTests != set.tests) &&
							!strings.HasSuffix(name, "/package-info") {
							by := classSet(first.Module, first.InTests)
							s.made.hidden[hidden{name, m.Name, set.tests}] = by
							if set.tests {
								left.add(libs, e, name, m.Name, by)
							}
						}
						continue
					}
					if f, ok := libs.Class(name); ok {
						c := &snapshot.Class{Name: name, Module: m.Name, InTests: set.tests, Facts: f}
						p.ByName[name] = c
						s.made.shared[name] = sharedOutput(m, path)
						p.Classes = append(p.Classes, c)
					}
				}
				done()
				if err != nil {
					s.problem("error", err.Error(), path)
				}
			}
		}
	}
	s.LeftTests, libs.left = left.withTests(libs), left.facts
	s.hiddenProblems()
	if len(p.Classes) == 0 && len(s.Workspace.Modules) > 0 { // without a module that is said already
		s.problem("warning", "no class files were found: build the project, or let catchlens compile it: catchlens "+
			"run, or trust the workspace in the editor", s.Workspace.Root)
	}
	s.Stats.Classes = len(p.Classes)
}

// expectedAbsent tells whether a class path entry that does not exist needs no word of its own: the
// folder where a build would put resources, an output of no sources, or any output where nothing at
// all has been compiled, which is said once.
func (s *builder) expectedAbsent(path string) bool {
	for _, m := range s.Workspace.Modules {
		if m.Kind == workspace.Gradle && within(m.Dir, path) && filepath.Base(filepath.Dir(path)) == "resources" {
			return true
		}
		main, test := slices.Contains(m.MainOutputs, path), slices.Contains(m.TestOutputs, path)
		if main || test {
			sources := main && len(m.MainSources)+len(m.GeneratedSources) > 0 ||
				test && len(m.TestSources)+len(m.GeneratedTestSources) > 0
			return !sources || len(s.Program.Classes) == 0
		}
	}
	return false
}

// graphConfig says which program the call graph is of; who builds it gives up when ctx ends.
func (s *builder) graphConfig(ctx context.Context) callgraph.Config {
	p := s.Program
	var names, tests []string
	for _, c := range p.Classes {
		names = append(names, c.Name)
		if c.InTests {
			tests = append(tests, c.Name)
		}
	}
	src := hierarchy.Source(s.made.libs)
	var entries []features.MethodRef
	switch s.Config.EntryPoints {
	case "mains":
		entries = features.MainEntries(src, names)
	case "public":
		entries = features.PublicEntries(src, names)
	default:
		if entries = features.TestEntries(src, tests); len(entries) == 0 {
			// A workspace without tests: what others can call.
			entries = append(features.MainEntries(src, names), features.PublicEntries(src, names)...)
			p.Untested = len(names) > 0
		}
	}
	s.made.entryless = len(entries) == 0 && len(names) > 0
	return callgraph.Config{Entries: entries, Workspace: names, Providers: s.made.libs.providers, Named: s.made.named,
		Extra: s.Program.Extra, Cancelled: func() bool { return ctx.Err() != nil }}
}

// buildGraph builds the call graph from the configured entry points. With edits, what
// it is continued from is kept. There is none if ctx ends meanwhile.
func (s *builder) buildGraph(ctx context.Context, edits bool) {
	started := time.Now()
	p := s.Program
	cfg := s.graphConfig(ctx)
	h := hierarchy.New(hierarchy.Source(s.made.libs))
	switch how := snapshot.Analyses[s.Config.CallGraph]; {
	case how.Points && edits:
		s.made.points, s.made.base = pointsto.BuildBase(h, cfg, how.Policy, s.made.libs.boot())
	case how.Points && !how.Reach:
		p.Graph = pointsto.GraphFrom(h, cfg, how.Policy, s.made.libs.boot())
	case how.Points:
		s.made.points = pointsto.BuildFrom(h, cfg, how.Policy, s.made.libs.boot())
	case s.Config.CallGraph == "cha":
		p.Graph = cha.Build(h, cfg)
	default:
		p.Graph = rta.Build(h, cfg)
	}
	if s.made.points != nil {
		p.Graph = s.made.points.Graph
	}
	waits := time.Now()
	s.awaitMatch()
	waited := time.Since(waits)
	if s.Stats.ScanSeconds += waited.Seconds(); p.Graph == nil {
		return
	}
	s.graphProblems()
	s.countGraph()
	s.Stats.GraphSeconds = (time.Since(started) - waited).Seconds()
}

// graphProblems adds what the call graph could not take into account.
func (s *builder) graphProblems() {
	if s.Program.Untested {
		s.problem("info", "no tests were found: the public methods and mains count as entry points", s.Workspace.Root)
	}
	if s.made.entryless {
		s.problem("warning", fmt.Sprintf("the setting entryPoints is %q, and there is none: nothing is predicted",
			s.Config.EntryPoints), s.Workspace.Root)
	}
	for _, q := range s.Program.Graph.Problems() {
		s.graphProblem(q)
	}
}

func (s *builder) countGraph() {
	s.Stats.Methods = s.Program.Graph.NumNodes()
	edges, _ := s.Program.Graph.NumEdges()
	s.Stats.Edges = int(edges)
}

// graphProblem adds a problem of the call graph, with the source file of the
// class that it is about where there is one.
func (s *builder) graphProblem(q callgraph.Problem) {
	file := s.Workspace.Root
	if f := s.Program.Outer[q.Class]; f != "" {
		file = s.absolute(f)
	}
	s.problem("warning", q.Class+": "+q.Message, file)
}
