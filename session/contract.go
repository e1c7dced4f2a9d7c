package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/news"
	"github.com/catchlens/catchlens/instrument/campaign"
	"github.com/catchlens/catchlens/instrument/chains"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/internal/defect"
)

// Options of a session. The zero value serves.
type Options struct {
	CacheDir string            // "" means the user's cache folder
	Settings snapshot.Settings // of the analysis; what is empty is left to catchlens.toml
	Trusted  bool              // the workspace's code may be run (DESIGN D9)
	Version  string
	// test JVMs at once; 0 means as many as there are cores, and for tests that mostly wait two
	// more for each, at most eight
	Workers int
	// PlanCache has the plans of coverage probes kept in the cache folder, and those taken that are
	// there for methods with the same control flow.
	PlanCache bool
	MaxDisk   int64 // bytes that tests may write before their JVM is ended; 0: 2 GiB
	Log       *slog.Logger
	// Guard gets over defects in background work; nil: one that only logs them.
	Guard *defect.Guard
	// Poll tells the session to look for changed files by itself every few seconds, for clients
	// that do not report them. It looks now and then anyway.
	Poll bool
	// Once tells that few snapshots are wanted, as by a command that ends: what a
	// call graph is continued from after an edit is not kept, and nothing is analysed
	// that a build comes before.
	Once bool
	// RunFollows tells that tests are to run as soon as the first analysis is done: what they need
	// and what does not depend on the classes of the workspace is made meanwhile, if it is trusted.
	RunFollows bool
	// Reading is the one of source independence that is shown first, usage or paper; "" leaves it
	// to catchlens.toml, whose default is usage.
	Reading string
}

// Event says what has changed. Events of one kind are coalesced.
type Event int

// Events.
const (
	SnapshotChanged Event = 1 << iota // there is a new static result
	ResultsChanged                    // there are new run results
	ActivityChanged                   // Status says something else
	CoverageChanged                   // Coverage says something else
	ChainsChanged                     // Chains has a new answer
)

// Status is what the session is doing, for a status item.
type Status struct {
	Trusted   bool   `json:"trusted"`
	Activity  string `json:"activity"` // "" when idle
	Catches   int    `json:"catches"`
	Links     int    `json:"links"`
	Tests     int    `json:"tests"`
	Problems  int    `json:"problems"`
	Paused    bool   `json:"paused,omitempty"` // runs wait for Pause(false)
	CallGraph string `json:"callGraph"`
	JDK       string `json:"jdk"`
	// Unconfined says why test JVMs are not confined; "" when they are.
	Unconfined string `json:"unconfined,omitempty"`
}

// Scope chooses what a campaign does.
type Scope struct {
	Catches []string // catch IDs; empty means all
	// In is the snapshot that has these IDs; nil: the one that is shown when the run is asked for.
	// Where it has to wait for its turn, they are followed through the edits that come meanwhile.
	In    *snapshot.Snapshot
	Again bool // run even what is known and current
	// Everything: run also what can change no verdict, for tests that compare.
	Everything bool
	// Isolation of the injected runs: shared, loader or fork; "" leaves it to
	// catchlens.toml, whose default is shared.
	Isolation string
	// FineGrain is at how many places inside a try exceptions are thrown, at most; 0
	// leaves it to catchlens.toml, whose default is none.
	FineGrain int
	// Order, if it is not 0, seeds another order of the runs.
	Order int64
	// Faults names the engine that makes faults of the environment happen after
	// short-circuit testing; "" or "off": none.
	Faults string
	// OnlyFaults leaves short-circuit testing out, where there is an engine.
	OnlyFaults bool

	background bool // with low priority and without news: nobody waits for it
}

// CoverScope chooses which tests a run for coverage runs.
type CoverScope struct {
	Again   bool     // even those whose coverage is known and current
	Classes []string // test classes by their binary names; with Tests empty: all
	// Tests are single ones by their names, as Tests lists them. They run without the others of
	// their class where all of these are known and they pass so, else with them.
	Tests []string
	// Technique is how methods get their probes (coverage.Planning); nil: all alike. It changes
	// nothing in what is recorded.
	Technique func(class, method string) (t planner.Technique, ok bool)
}

// Progress reports on a long operation, by one goroutine at a time; percent is -1
// where it is not known.
type Progress func(percent int, message string)

// Summary says what a campaign did.
type Summary struct {
	Tests, Passed, Failed, Flaky int // of the baseline
	Skipped                      int // tests that their framework did not run
	Begun                        int // tests that have run in a baseline that is not complete
	Cells, Reused                int // injected runs done, and known already
	Stretched                    int // runs with stretched catches
	Faults                       int // runs with a fault of the environment
	Unpredicted                  int
	// caught exceptions of unknown origin, and events of which something is missing
	UnknownSites, Lost int
	// deciding runs repeated in fresh JVMs, and those that ended differently there
	Confirmed, Differing int
	Canaries, Repeated   int        // clean reruns, and injected runs thrown away and repeated
	Notes                []string   // what the user should know: tests left out, classes not rewritten...
	NotRun               []string   // modules and classes with tests that were not run: Notes say why
	News                 *news.News // nil: there is nothing to compare with
	Catches              []string   // IDs of those asked for, as shown at the end; nil: all were; empty: all are gone
	Elapsed              time.Duration
	Times                campaign.Times
}

// API is what editors and the command line use of a session; *Session has it.
type API interface {
	// View is the present state. It never waits; Snap is nil before the first
	// analysis is done.
	View() codelens.View
	// Reload reads the workspace and analyses it, and returns when View shows it.
	Reload(ctx context.Context, p Progress) error
	// FilesChanged says that files were saved, created or deleted; the session
	// looks at them in the background.
	FilesChanged(paths []string)
	// SetTrusted gives or takes the right to run the workspace's code.
	SetTrusted(bool)
	// Configure changes the analysis; a new snapshot follows in the background.
	Configure(set snapshot.Settings) error
	// SetReading chooses the reading of source independence (Options.Reading). The error is an
	// unknown one; it changes nothing.
	SetReading(reading string) error
	// Run runs a campaign in the foreground of the caller. It grants nothing:
	// an untrusted session returns ErrUntrusted.
	Run(ctx context.Context, scope Scope, p Progress) (Summary, error)
	// JudgeAfterEdits has the catches that each saved edit touches judged again in the background.
	// how sets the options of these runs (its Catches are ignored); nil turns it off. It grants
	// nothing: an untrusted session runs none of them. The next edit and any run that is asked for
	// end what is under way, and what is left of it is done later.
	JudgeAfterEdits(how *Scope)
	// StopJudging ends the run that JudgeAfterEdits has under way, or is about to begin. What it
	// has not done is done after the next edit.
	StopJudging()
	// Cover runs the tests whose coverage is not known or not current, once each, and returns what
	// all cover. It grants nothing: an untrusted session returns ErrUntrusted. The error also says
	// why no test ran, and what was recorded until then stays.
	Cover(ctx context.Context, scope CoverScope, p Progress) (*coverage.Suite, Summary, error)
	// Coverage is what is recorded of which tests cover what of the present code. It never waits:
	// nil says that it is not added up yet. From the first call on it is kept up to date, and
	// CoverageChanged tells of it.
	Coverage() *Coverage
	// Tests are the tests of the workspace as far as they are known without running anything.
	Tests() []Test
	// RunChains runs the tests of which it is not known which call chains they take, in the
	// foreground of the caller. It grants nothing: an untrusted session returns ErrUntrusted.
	RunChains(ctx context.Context, p Progress) (Summary, error)
	// Chains is what is known of the call chains of the component that a class belongs to, given
	// by internal name: the one that catchlens.toml names, else its package. It never waits: nil
	// and pending is the answer until the chains have been found, which this call has done; nil
	// alone that for classes of tests and libraries, and without a call graph. What it gives may
	// be of the snapshot before, as its field Snap says.
	Chains(class string) (found *chains.Component, pending bool)
	// KnownChains is what Chains gives, and has nothing found.
	KnownChains(class string) *chains.Component
	// KeepChains has the chains forgotten of all components but those of some classes: of the
	// documents that are open, and of the tree that is shown. With find, theirs are found and
	// kept up to date, of as many as are kept.
	KeepChains(classes []string, find bool)
	// Pause holds runs, present and later ones, after what they are doing at the moment,
	// until Pause(false).
	Pause(bool)
	// Judge records that the user holds a link infeasible, or all links of its failure; an empty
	// reason takes the judgement back. The error names the test that has made it happen.
	Judge(linkID string, ofFailure bool, reason string) error
	// Compiles asks the compiler whether it takes another text of a source (path
	// relative to the workspace root), or a test source that is not there yet; the error
	// says what it does not like. The
	// workspace must be trusted.
	Compiles(ctx context.Context, path string, text []byte) error
	// LocateTest finds the source of a test.
	LocateTest(test string) (file string, line int, ok bool)
	Status() Status
	// Subscribe calls f, from some goroutine and never concurrently, after
	// changes, until the returned function is called.
	Subscribe(f func(Event)) (cancel func())
	// Close ends everything that the session started.
	Close() error
}
