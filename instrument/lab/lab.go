package lab

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/defect"
	"github.com/catchlens/catchlens/internal/tempdir"
)

// Options of a lab.
type Options struct {
	CacheDir   string                 // for compiled agents and rewritten library classes
	JVMs       int                    // at once, about
	Coverage   bool                   // classes of the workspace have coverage probes
	Planning   coverage.Planning      // of these
	Count      bool                   // these count how often each node is executed, and tell of no coverage
	Chains     bool                   // they tell of call chains
	MaxDisk    int64                  // of each JVM (worker.Spec)
	Background bool                   // JVMs have low priority (worker.Spec)
	Log        *slog.Logger           // nil: nothing is logged
	Digests    *classpath.DigestCache // of the files of class paths; nil: those of this process
	// Launcher returns the jars of the JUnit Platform that a module's test class path lacks, and a
	// note on what it does without.
	Launcher func(ctx context.Context, m *workspace.Module) (jars []string, note string, err error)
	// Monitor is told how far work is, and may hold it. nil: nobody is told.
	Monitor Monitor
}

// Execution is one execution of the tests of a module.
type Execution struct {
	Module    *workspace.Module
	Classes   []string        // test classes, binary names
	Elsewhere map[string]bool // of these, those that another execution runs, too
}

// Lab runs the tests of one execution of a module.
type Lab struct {
	Execution
	Probes *Probes
	Env    string // of all that it runs (record.Environment)

	options   Options
	memory    record.Memory
	own       *tempdir.Dir
	adapter   agent.Adapter
	classPath []string
	java      atomic.Pointer[worker.Module] // the Java module that the tests run in; nil: none
	folders   *worker.Folders               // of the JVMs

	faultAPI sync.Once // sets injects
	injects  bool      // the tests may inject faults themselves

	mu          sync.Mutex
	without     map[string][]string // ids of the tests of a class that the settings leave out, by class
	warm        []*WarmJVM          // that were kept
	notes       []string
	confinement string        // of the JVM that started last
	unconfined  string        // why JVMs are not confined
	starts      int           // of JVMs, those included that failed
	starting    time.Duration // wall time of these, summed
}

// New makes a lab: it rewrites the classes of the snapshot's workspace, and finds what the tests
// run with. Records name methods as the memory does. The error says why no test can be run; without
// one, Close is to follow.
func New(ctx context.Context, snap *snapshot.Snapshot, memory record.Memory, x Execution, o Options) (*Lab, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	own, err := tempdir.New(scratchKind)
	if err != nil {
		return nil, err
	}
	l := &Lab{Execution: x, options: o, memory: memory, own: own, adapter: adapterOf(x.Module),
		classPath: x.Module.FullTestClassPath(), Env: record.Environment(x.Module, o.Digests),
		folders: worker.NewFolders(own.Path, o.JVMs), without: map[string][]string{}}
	built := l.buildAgent(ctx)
	if err = writeBase(ctx, x.Module, o.CacheDir, runtime.GOMAXPROCS(0)); err != nil {
		err = fmt.Errorf("bundle of the JDK's classes: %w", err)
	} else {
		l.Probes, err = newProbes(snap, probedDir(o.CacheDir, x.Module), own.Path, o)
	}
	built.Wait()
	if err == nil {
		l.Probes.nameAfter(x.Module.Test.Execution, x.Elsewhere)
		err = l.enterModule()
	}
	if err == nil {
		err = l.findLauncher(ctx)
	}
	if err != nil {
		own.Remove()
		return nil, err
	}
	return l, nil
}

// buildAgent compiles the agent and the adapter of the tests' framework, unless the cache has them:
// otherwise the first JVM would wait for that, and its first request. The result is to be waited
// for. What cannot be compiled is told by whoever starts a JVM.
func (l *Lab) buildAgent(ctx context.Context) *defect.Group {
	classPath := l.classPath
	if l.lacksLauncher() {
		classPath = nil
	}
	var building defect.Group
	building.Go(func() {
		buildAgent(ctx, agent.Builder{JDK: l.Module.JDKHome, Cache: l.agentDir()}, l.adapter, classPath)
	})
	return &building
}

// agentDir is where the cache keeps compiled agents.
func (l *Lab) agentDir() string { return agentDir(l.options.CacheDir) }

// lacksLauncher tells whether the JUnit Platform launcher is needed and not on the class path, or
// an engine for its tests.
func (l *Lab) lacksLauncher() bool { return lacksLauncher(l.adapter, l.Module.Kind, l.classPath) }

func lacksLauncher(a agent.Adapter, kind workspace.Kind, classPath []string) bool {
	return a == agent.JUnitPlatform && (!hasJar(classPath, "junit-platform-launcher") ||
		kind != workspace.Gradle && // which adds no engine
			hasJar(classPath, "junit-jupiter-api-") && !hasJar(classPath, "junit-jupiter-engine-"))
}

// findLauncher puts the JUnit Platform launcher on the class path, and an engine, if they are
// needed and lack there.
func (l *Lab) findLauncher(ctx context.Context) error {
	if !l.lacksLauncher() {
		return nil
	}
	if l.options.Launcher == nil {
		return errors.New("the class path has no JUnit Platform launcher")
	}
	jars, note, err := l.options.Launcher(ctx, l.Module)
	if err != nil {
		return err
	}
	if note != "" {
		l.note("%s", note)
	}
	l.classPath = append(l.classPath, jars...)
	l.Probes.addJars(jars)
	return nil
}

// Close keeps what is of use to other labs, ends the JVMs that were kept, and removes the lab's
// folders.
func (l *Lab) Close() {
	l.Probes.Keep()
	l.CloseWarm()
	l.Probes.close()
	l.folders.Close()
	l.own.Remove()
}

// Reader makes a reader of what JVMs of the lab record.
func (l *Lab) Reader() *Reader {
	return newReader(l.Probes, l.Module.Name, l.Env, l.memory, l.options.Log)
}

// Notes says, for people, what the lab did otherwise than the build does it, and what carries no
// probes.
func (l *Lab) Notes() (notes []string) {
	l.mu.Lock()
	notes = append(notes, l.notes...)
	ran := l.starts > 0
	l.mu.Unlock()
	about := l.Probes.notes()
	if ran { // else no JVM has had these probes
		about = append(about, l.Probes.askedNotes()...)
	}
	for _, n := range about {
		notes = append(notes, l.Module.Name+": "+n)
	}
	return notes
}

// note adds a note about the module.
func (l *Lab) note(format string, args ...any) {
	text := l.Module.Name + ": " + fmt.Sprintf(format, args...)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, text)
}

// Confinement is what keeps tests from writing elsewhere, as the JVM that started last has it, and
// why there is none, if so. Both are "" before the first start.
func (l *Lab) Confinement() (kind, whyNone string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.confinement, l.unconfined
}

// Started is how many JVMs were started, again or not, and how long that took in all.
func (l *Lab) Started() (n int, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.starts, l.starting
}
