package session

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/planner/plancache"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file keeps what tests cover added up for whoever shows it, and lists the tests.

// Coverage is what is recorded of which tests cover what of a snapshot's code.
type Coverage struct {
	*coverage.Suite
	Snap *snapshot.Snapshot
	// Any: some test's coverage is recorded.
	Any bool

	texts   compiledTexts // that the lines are of
	version int64         // of the store
}

// Text is the source that the lines of a file are of, by its path; nil if that is not known.
func (c *Coverage) Text(path string) *snapshot.File { return c.texts[path] }

// File is what tests cover of a file, by its path; nil if it has no code that is measured.
func (c *Coverage) File(path string) *coverage.FileCoverage {
	i, found := slices.BinarySearchFunc(c.Files, path,
		func(f *coverage.FileCoverage, path string) int { return strings.Compare(f.Path, path) })
	if !found {
		return nil
	}
	return c.Files[i]
}

// compiledTexts has by path the sources that the class files are of: where one is newer than its
// class files, the last that was not.
type compiledTexts map[string]*snapshot.File

// of returns those of a snapshot that comes after what t is of.
func (t compiledTexts) of(snap *snapshot.Snapshot) compiledTexts {
	now := compiledTexts{}
	for _, f := range snap.Files {
		if !f.Stale {
			now[f.Path] = f
		} else if t[f.Path] != nil {
			now[f.Path] = t[f.Path]
		}
	}
	return now
}

// covering is what keepCoverage knows.
type covering struct {
	plans *plancache.Cache // nil: none is kept

	wanted atomic.Bool
	adding sync.Mutex // held while coverage is added up
	now    atomic.Pointer[Coverage]
	wake   chan struct{}
	texts  atomic.Pointer[compiledTexts] // of all snapshots up to the one that is shown
}

// Coverage implements API.
func (s *Session) Coverage() *Coverage {
	if !s.covering.wanted.Swap(true) {
		s.wakeCoverage()
	}
	return s.covering.now.Load()
}

func (s *Session) wakeCoverage() {
	select {
	case s.covering.wake <- struct{}{}:
	default:
	}
}

// keepCoverage adds coverage up anew after a snapshot or records have come, once somebody has asked
// for it. While tests run it leaves the processors to them.
func (s *Session) keepCoverage() {
	defer s.work.Done()
	defer s.Subscribe(func(e Event) {
		if e&(SnapshotChanged|ResultsChanged) != 0 {
			s.wakeCoverage()
		}
	})()
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.covering.wake:
		}
		if !s.covering.wanted.Load() {
			continue
		}
		began := time.Now()
		s.guard.Run("adding up coverage", s.addUp)
		select {
		case <-s.life.Done():
			return
		case <-time.After(max(followingPause(time.Since(began)), overlayPause)):
		}
	}
}

// CoverageOf adds up what runs, which a memory has, covered of a snapshot's code; each comes with
// whether it is of the present code.
func CoverageOf(snap *snapshot.Snapshot, memory record.Memory, recorded iter.Seq2[*record.TestRun, bool]) *Coverage {
	return coverageOf(snap, memory, recorded, nil)
}

// coverageOf is CoverageOf with the texts of former snapshots.
func coverageOf(snap *snapshot.Snapshot, memory record.Memory, recorded iter.Seq2[*record.TestRun, bool],
	former compiledTexts) *Coverage {
	var runs []*record.TestRun
	stale := map[*record.TestRun]bool{}
	for run, current := range recorded {
		if run.Covers {
			runs = append(runs, run)
			stale[run] = !current
		}
	}
	return &Coverage{Suite: coverage.OfRuns(snap, memory, runs, stale), Snap: snap, Any: len(runs) > 0,
		texts: former.of(snap)}
}

// noteTexts notes the texts of a snapshot that has been shown. Every one counts: coverage is not
// added up for each.
func (s *Session) noteTexts(snap *snapshot.Snapshot) {
	now := s.textsNoted().of(snap)
	s.covering.texts.Store(&now)
}

func (s *Session) textsNoted() compiledTexts {
	if t := s.covering.texts.Load(); t != nil {
		return *t
	}
	return nil
}

// addUp adds up what is recorded of the present code, and tells of it where there is anything new.
func (s *Session) addUp() {
	s.covering.adding.Lock()
	defer s.covering.adding.Unlock()
	snap, texts, was := s.View().Snap, s.textsNoted(), s.covering.now.Load()
	for now := s.View().Snap; now != snap; now = s.View().Snap {
		snap, texts = now, s.textsNoted() // which may have been those of a later one
	}
	version := s.store.Version()
	if snap == nil || was != nil && was.Snap == snap && was.version == version {
		return
	}
	c := coverageOf(snap, s.store, s.runsOf(snap), texts)
	c.version = version
	s.covering.now.Store(c)
	s.events.tell(CoverageChanged)
}

// runsOf yields the runs of the present environment that are recorded of all tests, each of the
// present code where there is one, which current says.
func (s *Session) runsOf(snap *snapshot.Snapshot) iter.Seq2[*record.TestRun, bool] {
	return func(yield func(*record.TestRun, bool) bool) {
		for _, m := range snap.Workspace.Modules {
			for _, x := range m.Executions() {
				env := s.envOf(x.Name)
				r := recall.New(snap, s.store, x.Name, env)
				for _, run := range r.Runs() {
					if run.Env == env && !yield(run, r.Current(run.Methods)) {
						return
					}
				}
			}
		}
	}
}

// Test is a test of the workspace, or a test class of which none is known yet.
type Test struct {
	Class  string // that is run for it, binary name
	Test   string // display form, as in records; the name of the class alone where no test is known
	Module string
	Run    *record.TestRun // the newest of the present environment; nil: it has not been run
	Stale  bool            // something has changed that Run ran
}

// knownTests are the tests of a snapshot and of a version of the store.
type knownTests struct {
	snap    *snapshot.Snapshot
	version int64
	tests   []Test
}

// Tests implements API. Editors ask after each change that they are told of, and most of these
// change nothing here: the answer is kept until a snapshot or a record is new.
func (s *Session) Tests() []Test {
	snap, version := s.View().Snap, s.store.Version() // before reading
	if snap == nil {
		return nil
	}
	if k := s.tests.Load(); k != nil && k.snap == snap && k.version == version {
		return slices.Clone(k.tests)
	}
	found := s.findTests(snap)
	s.tests.Store(&knownTests{snap, version, found})
	return slices.Clone(found)
}

// findTests looks up what is recorded of the tests of a snapshot.
func (s *Session) findTests(snap *snapshot.Snapshot) (all []Test) {
	ran := map[string]bool{} // tests, without their invocations, by class that is run and name
	some := map[string]bool{}
	for run, current := range s.runsOf(snap) {
		class := run.AskedClass()
		all = append(all, Test{class, run.Test, run.Module, run, !current})
		ran[PlainTest(run.Test)] = true
		some[class] = true
	}
	for _, m := range snap.Workspace.Modules {
		classes, _ := lab.TestClasses(snap, m)
		for _, class := range classes {
			methods := testMethods(snap, strings.ReplaceAll(class, ".", "/"))
			for _, test := range methods {
				if !ran[class+"#"+test] {
					all = append(all, Test{Class: class, Test: class + "#" + test, Module: m.Name})
				}
			}
			if len(methods) == 0 && !some[class] {
				all = append(all, Test{Class: class, Test: class, Module: m.Name})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Test) int { return strings.Compare(a.Test, b.Test) })
	return all
}

// PlainTest is the name of a test without its parameters or invocation.
func PlainTest(test string) string {
	class, method, ok := strings.Cut(test, "#")
	if !ok {
		return test
	}
	if i := strings.IndexAny(method, "([{@"); i >= 0 {
		method = method[:i]
	}
	return class + "#" + strings.TrimSpace(method)
}

// testAnnotations mark tests of JUnit 4 and 5 and of TestNG.
var testAnnotations = []string{"org/junit/Test", "org/junit/jupiter/api/Test", "org/junit/jupiter/api/RepeatedTest",
	"org/junit/jupiter/api/TestFactory", "org/junit/jupiter/api/TestTemplate",
	"org/junit/jupiter/params/ParameterizedTest", "org/testng/annotations/Test"}

// testMethods are the names of the tests that a class declares itself, as its annotations, or
// JUnit 3, tell. Those that it inherits are known once they have run.
func testMethods(snap *snapshot.Snapshot, class string) []string {
	c := snap.Class(class)
	if c == nil {
		return nil
	}
	names := map[string]bool{}
	for i := range c.Facts.Methods {
		m := &c.Facts.Methods[i]
		is := slices.ContainsFunc(m.Annotations(), func(a string) bool {
			return slices.Contains(testAnnotations, strings.TrimSuffix(strings.TrimPrefix(a, "L"), ";"))
		})
		if is || strings.HasPrefix(m.Name, "test") && m.Desc == "()V" &&
			snap.Extends(class, "junit/framework/TestCase") {
			names[m.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
