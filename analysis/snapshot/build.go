// Package snapshot makes one immutable state of a workspace and every static
// result for it: sources with their tries and catches, the classes compiled from
// them, the call graph, and the e-c links of each catch with their call chains
// (Fu, Ryder, Milanova, Wonnacott, ISSTA 2004).
//
// Input is a workspace as found on disk and a configuration; files are read,
// nothing is executed. A change makes the next snapshot (Build with the previous
// one): what did not change is taken over, the rest is computed anew.
//
// Precision and soundness are those of the packages below: callgraph, exceptions
// and javasource say what they miss. All modules are analysed as one program on
// the union of their class paths, in the order of modules: where two modules use
// different versions of a library, the first one stands for both.
//
// Cost: see docs/internals/measurements.md.
package snapshot

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

	"catchlens/analysis/callgraph"
	"catchlens/analysis/callgraph/cha"
	"catchlens/analysis/callgraph/rta"
	"catchlens/analysis/classpath"
	"catchlens/analysis/datareach"
	"catchlens/analysis/exceptions"
	"catchlens/analysis/factcache"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto"
	"catchlens/analysis/workspace"
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
	Generated []GeneratedClass
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

// program is what a snapshot keeps to answer later questions.
type program struct {
	libs    *libraries
	classes []*Class
	byName  map[string]*Class
	shared  map[string]bool   // classes of outputs that have main code and tests
	hidden  map[hidden]string // classes in whose place one of the same name is analysed -> whose that is (classSet)
	outer   map[string]string // class -> source path, all workspace classes
	graph   *callgraph.Graph
	points  *pointsto.Result    // nil where the call graph comes without
	reach   *datareach.Analysis // nil where links are not filtered
	flow    *exceptions.Result
	flowMu  sync.Mutex // held while flow is asked: it keeps what it computed
	studied exceptions.Studied
	targets []exceptions.HandlerRef
	catchOf map[exceptions.HandlerRef]*Catch
	wraps   sync.Map // see Link.Wraps
	frames  frames
	clauses clauses // see Snapshot.Clause

	dispatch, virtual sync.Map // class -> dispatchDigest, virtualMethods of it

	untested  bool // what others can call are the entry points, for want of tests
	entryless bool // there are classes, and no entry point

	made making
}

// making is what a snapshot is made with, and the next one after it.
type making struct {
	base    *pointsto.Base // what points is continued from after an edit; nil: nothing is
	basis   *basis         // nil where it cannot be told
	extra   callgraph.Extra
	named   []string      // see namedClasses
	matched chan struct{} // closed when catches are matched with their handlers; nil: they are
	noted   bool          // see awaitMatch

	problems      sync.Mutex // held while one is added: sources and classes are read at the same time
	found         []Problem  // those found before those of the call graph
	classProblems []factcache.FileProblem
}

// Build analyses a workspace. It returns an error only if ctx ended or nothing
// could be analysed; everything else is a row of Problems. prev may be nil.
func Build(ctx context.Context, ws *workspace.Workspace, cfg Config, opt Options, prev *Snapshot) (*Snapshot, error) {
	started := time.Now()
	var asked map[string]bool
	if prev != nil && prev.program != nil && prev.program.libs != nil {
		asked = prev.program.libs.asked
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
		settled := func(s *Snapshot) bool {
			if all = s.askedByLibraries(); begun {
				maps.Copy(all, asked)
			}
			return maps.Equal(all, asked)
		}
		s, err := build(ctx, ws, cfg, opt, prev, asked, settled)
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
			return s, err
		}
		s.program.libs.provider.Close()
		prev = nil
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
func build(ctx context.Context, ws *workspace.Workspace, cfg Config, opt Options, prev *Snapshot, asked map[string]bool,
	settled func(*Snapshot) bool) (*Snapshot, error) {
	started := time.Now()
	s := &Snapshot{Number: 1, Workspace: ws, Config: cfg, ByPath: map[string]*File{}, ByID: map[string]*Catch{},
		program: &program{}}
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
	sources := make(chan struct{})
	go func() { defer close(sources); s.readSources(ctx, prev) }()
	libs, err := openLibraries(ws, cfg, opt.Cache, opt.Digests, prev, asked)
	if err != nil {
		<-sources
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
	s.program.libs = libs
	s.JDKVersion = libs.jdkVersion
	s.readClasses(libs)
	s.readSettings()
	s.program.made.named = s.namedClasses()
	for _, p := range libs.problems {
		if p.Message != classpath.NotThere || !s.expectedAbsent(p.File) {
			s.problem(string(p.Severity), p.Message, p.File)
		}
	}
	s.program.made.matched = make(chan struct{})
	match := func() {
		defer close(s.program.made.matched)
		if <-sources; ctx.Err() == nil {
			s.matchSources(opt.StaleSources, prev)
		}
	}
	if prev == nil && !s.Config.Auto && !s.sharesFolders() {
		go match() // the call graph does not depend on it
		defer func() { <-s.program.made.matched }()
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
	s.program.made.extra = extra
	if s.Config.Auto && len(s.Catches) == 0 {
		s.Config.CallGraph = CallGraphs[0]
	}
	s.program.made.basis, _ = s.basisOf(&opt, extra)
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
func (s *Snapshot) matchSources(stale map[string]bool, prev *Snapshot) {
	for _, f := range s.Files {
		f.Stale = stale[s.absolute(f.Path)]
	}
	s.divideShared()
	s.match(prev)
}

// finish is the end of a build that began at a time.
func (s *Snapshot) finish(started time.Time) {
	libs := s.program.libs
	s.markUnreached()
	s.classProblemsOf(libs)
	s.sortProblems()
	s.saving.Go(func() { libs.save(s.Stats.Reuse == ReuseNothing) })
	s.Stats.TotalSec = time.Since(started).Seconds()
}

// analyse makes the call graph and follows exceptions, as far as prev has not what would come of
// it, and unless settled, which may be nil, says that this is not the call graph to follow them on.
// With edits, what the call graph is continued from is kept. Records of the classes, nearly all of
// which the call graph has asked for, are saved while exceptions are followed, most of the time on
// one processor; whoever has no use for s waits for that.
func (s *Snapshot) analyse(ctx context.Context, edits bool, prev *Snapshot, settled func(*Snapshot) bool,
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
		s.Stats.Reuse = ReuseGraph
		if !analyses[s.Config.CallGraph].points && !e.shape && e.prev.flow.Quiet(s.program.graph) &&
			s.takeFlow(e, prev) {
			s.Stats.Reuse = ReuseAll
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
	s.saving.Go(s.program.libs.saveRecords)
	s.followExceptions(ctx)
	return ctx.Err()
}

// awaitMatch waits until catches are matched with their handlers, which may take as long as the
// call graph is built, and notes what has been found by then.
func (s *Snapshot) awaitMatch() {
	p := s.program
	if p.made.noted {
		return
	}
	p.made.noted = true
	if p.made.matched != nil {
		<-p.made.matched
	}
	s.listTargets()
	p.made.found = slices.Clone(s.Problems)
}

// classProblemsOf adds what is wrong with classes.
func (s *Snapshot) classProblemsOf(libs *libraries) {
	for _, q := range libs.provider.Problems() {
		if !slices.Contains(s.program.made.classProblems, q) {
			s.program.made.classProblems = append(s.program.made.classProblems, q)
		}
	}
	for _, q := range s.program.made.classProblems {
		s.problem("error", "class "+q.Class+": "+q.Message, q.File)
	}
}

func (s *Snapshot) problem(severity, message, file string) {
	s.problemAt(severity, message, file, 0)
}

func (s *Snapshot) problemAt(severity, message, file string, line int) {
	p := Problem{severity, message, file, line}
	s.program.made.problems.Lock()
	defer s.program.made.problems.Unlock()
	for _, q := range s.Problems {
		if p == q {
			return
		}
	}
	s.Problems = append(s.Problems, p)
}

func (s *Snapshot) sortProblems() {
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

// Wait waits until what the build computed of libraries is in the cache, so that
// a process that ends does not throw it away.
func (s *Snapshot) Wait() { s.saving.Wait() }

// readClasses lists the workspace's own classes.
func (s *Snapshot) readClasses(libs *libraries) {
	p := s.program
	p.byName, p.shared, p.hidden = map[string]*Class{}, map[string]bool{}, map[hidden]string{}
	seen := map[string]bool{} // folders and jars
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
					if first := p.byName[name]; first != nil { // it wins, as on a class path
						if (first.Module != m.Name || first.InTests != set.tests) &&
							!strings.HasSuffix(name, "/package-info") {
							p.hidden[hidden{name, m.Name, set.tests}] = classSet(first.Module, first.InTests)
						}
						continue
					}
					if f, ok := libs.Class(name); ok {
						c := &Class{Name: name, Module: m.Name, InTests: set.tests, Facts: f}
						p.byName[name] = c
						p.shared[name] = sharedOutput(m, path)
						p.classes = append(p.classes, c)
					}
				}
				done()
				if err != nil {
					s.problem("error", err.Error(), path)
				}
			}
		}
	}
	s.hiddenProblems()
	if len(p.classes) == 0 && len(s.Workspace.Modules) > 0 { // without a module that is said already
		s.problem("warning", "no class files were found: build the project, or let catchlens compile it: catchlens "+
			"run, or trust the workspace in the editor", s.Workspace.Root)
	}
	s.Stats.Classes = len(p.classes)
}

// expectedAbsent tells whether a class path entry that does not exist needs no word of its own: the
// folder where a build would put resources, an output of no sources, or any output where nothing at
// all has been compiled, which is said once.
func (s *Snapshot) expectedAbsent(path string) bool {
	for _, m := range s.Workspace.Modules {
		if m.Kind == workspace.Gradle && within(m.Dir, path) && filepath.Base(filepath.Dir(path)) == "resources" {
			return true
		}
		main, test := slices.Contains(m.MainOutputs, path), slices.Contains(m.TestOutputs, path)
		if main || test {
			sources := main && len(m.MainSources)+len(m.GeneratedSources) > 0 ||
				test && len(m.TestSources)+len(m.GeneratedTestSources) > 0
			return !sources || len(s.program.classes) == 0
		}
	}
	return false
}

// graphConfig says which program the call graph is of; who builds it gives up when ctx ends.
func (s *Snapshot) graphConfig(ctx context.Context) callgraph.Config {
	p := s.program
	var names, tests []string
	for _, c := range p.classes {
		names = append(names, c.Name)
		if c.InTests {
			tests = append(tests, c.Name)
		}
	}
	src := hierarchy.Source(p.libs)
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
			p.untested = len(names) > 0
		}
	}
	p.entryless = len(entries) == 0 && len(names) > 0
	return callgraph.Config{Entries: entries, Workspace: names, Providers: p.libs.providers, Named: p.made.named,
		Extra: p.made.extra, Cancelled: func() bool { return ctx.Err() != nil }}
}

// buildGraph builds the call graph from the configured entry points. With edits, what
// it is continued from is kept. There is none if ctx ends meanwhile.
func (s *Snapshot) buildGraph(ctx context.Context, edits bool) {
	started := time.Now()
	p := s.program
	cfg := s.graphConfig(ctx)
	h := hierarchy.New(hierarchy.Source(p.libs))
	switch how := analyses[s.Config.CallGraph]; {
	case how.points && edits:
		p.points, p.made.base = pointsto.BuildBase(h, cfg, how.policy, p.libs.boot())
	case how.points && !how.reach:
		p.graph = pointsto.GraphFrom(h, cfg, how.policy, p.libs.boot())
	case how.points:
		p.points = pointsto.BuildFrom(h, cfg, how.policy, p.libs.boot())
	case s.Config.CallGraph == "cha":
		p.graph = cha.Build(h, cfg)
	default:
		p.graph = rta.Build(h, cfg)
	}
	if p.points != nil {
		p.graph = p.points.Graph
	}
	waits := time.Now()
	s.awaitMatch()
	waited := time.Since(waits)
	if s.Stats.ScanSeconds += waited.Seconds(); p.graph == nil {
		return
	}
	s.graphProblems()
	s.countGraph()
	s.Stats.GraphSeconds = (time.Since(started) - waited).Seconds()
}

// graphProblems adds what the call graph could not take into account.
func (s *Snapshot) graphProblems() {
	if s.program.untested {
		s.problem("info", "no tests were found: the public methods and mains count as entry points", s.Workspace.Root)
	}
	if s.program.entryless {
		s.problem("warning", fmt.Sprintf("the setting entryPoints is %q, and there is none: nothing is predicted",
			s.Config.EntryPoints), s.Workspace.Root)
	}
	for _, q := range s.program.graph.Problems() {
		s.graphProblem(q)
	}
}

func (s *Snapshot) countGraph() {
	s.Stats.Methods = s.program.graph.NumNodes()
	edges, _ := s.program.graph.NumEdges()
	s.Stats.Edges = int(edges)
}

// graphProblem adds a problem of the call graph, with the source file of the
// class that it is about where there is one.
func (s *Snapshot) graphProblem(q callgraph.Problem) {
	file := s.Workspace.Root
	if f := s.program.outer[q.Class]; f != "" {
		file = s.absolute(f)
	}
	s.problem("warning", q.Class+": "+q.Message, file)
}

// Classes are the classes of the workspace in class path order.
func (s *Snapshot) Classes() []*Class { return s.program.classes }

// Class finds a class of the workspace by internal name, or returns nil.
func (s *Snapshot) Class(name string) *Class { return s.program.byName[name] }

// ClassBytes reads the class file of a class of the workspace as it is now. It
// fails if the file has changed since the snapshot was made.
func (s *Snapshot) ClassBytes(name string) ([]byte, error) {
	return s.program.libs.bytes(name, s.program.byName[name])
}

// LibraryBytes reads the class file of any class on the class path.
func (s *Snapshot) LibraryBytes(name string) ([]byte, error) { return s.program.libs.bytes(name, nil) }

// EachBaseClass calls f for every class of the JDK's base module: what a JVM may
// have loaded before an agent can see it.
func (s *Snapshot) EachBaseClass(f func(name string, data []byte)) error {
	return s.program.libs.eachBaseClass(f)
}

// Facts returns the facts of any class on the class path, by internal name.
func (s *Snapshot) Facts(name string) (*facts.Class, bool) { return s.program.libs.Class(name) }

// MethodDigest returns the key of a workspace method's code (DESIGN D6), or of a workspace class's
// Dispatch; ok is false where the snapshot has no such method or class.
func (s *Snapshot) MethodDigest(m MethodRef) ([16]byte, bool) {
	c := s.program.byName[m.Class]
	if c == nil {
		return [16]byte{}, false
	}
	if m.Method == Dispatch {
		return s.dispatchDigest(m.Class), true
	}
	if i := methodIndex(c.Facts, m.Method); i >= 0 {
		return c.Facts.Methods[i].CodeDigest, true
	}
	return [16]byte{}, false
}

// Reaches tells whether the call graph reaches a method of the workspace. One
// that the snapshot does not have is not reached.
func (s *Snapshot) Reaches(m MethodRef) bool { return s.nodeOf(m) != callgraph.NoNode }

// CallGraph is the call graph of the snapshot, to be read only.
func (s *Snapshot) CallGraph() *callgraph.Graph { return s.program.graph }

// HasTests tells whether a class holds tests of a framework, by itself or by
// inheritance.
func (s *Snapshot) HasTests(c *Class) bool {
	const abstract = 0x0400
	if c.Facts.Access&abstract != 0 || c.Facts.Access&0x0200 != 0 {
		return false
	}
	return len(features.TestEntries(s.program.libs, []string{c.Name})) > 0
}

// Extends tells whether a class has another one, or an interface, above it, by internal names.
func (s *Snapshot) Extends(class, above string) bool {
	return class != above && slices.Contains(s.supertypes(class), above)
}

var _ hierarchy.Source = (*libraries)(nil)
