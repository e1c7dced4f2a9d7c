package injection

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/instrument/worker"
)

// Over is what injections are made over.
type Over struct {
	Lab    *lab.Lab
	Snap   *snapshot.Snapshot
	Memory record.Memory  // of earlier runs, and where records go
	Recall *recall.Recall // of the same
	Read   *lab.Reader
	Log    *slog.Logger
}

// Options are what is asked of injections.
type Options struct {
	Asked func(catch string) bool // whether a catch, by ID, is injected into
	All   bool                    // it is so for all
	Again bool                    // even what is known and current is run
	// Isolation of the injected runs; "" is SharedJVM. Results of a weaker one are not reused.
	Isolation Isolation
	// Reading is that of the verdicts: the runs that they rest on are confirmed in fresh JVMs.
	Reading shortcircuit.Reading
	// Everything has runs done that can change no verdict (shortcircuit.Asks), too, but for those
	// whose outcome the baseline shows.
	Everything bool
	// Places is at how many places inside a try exceptions are thrown, at most.
	Places int
	// Settled, if it is there, is called when the verdicts of edited catches are recorded.
	Settled func()
	// Part: the baseline runs a part of the tests, until EndPart says otherwise.
	Part bool
	// Enough: what has run of that part before is; no further class of it begins.
	Enough bool
	// Shuffle puts n things into the order that is asked for; Shuffled: that is not the usual one.
	Shuffle  func(n int, swap func(i, j int))
	Shuffled bool
	// JVMs is how many there are at once, Waiters how many beside them for tests that mostly wait.
	JVMs, Waiters int
}

// Counts are what injections did.
type Counts struct {
	Cells, Reused        int // runs that were recorded, and that were recalled
	Confirmed, Differing int // deciding runs repeated in fresh JVMs, and those that ended differently there
	Canaries, Repeated   int // clean reruns, and cells thrown away and repeated
	Runs                 int // tests run with an injection, those included that were repeated
	Fresh                int // JVMs started to confirm what verdicts rest on

	Requests time.Duration // wall time of all requests with an injection, summed over the JVMs
	Injected time.Duration // what the tests of these requests took themselves
	Chosen   time.Duration // what the tests of all injected runs took in the baseline
	Clean    time.Duration // what the tests took themselves in the clean reruns between injections
	Waiting  time.Duration // wall time of JVMs that had nothing to do while another one worked
}

// tally counts and notes what happens.
type tally struct {
	mu     sync.Mutex
	counts Counts
	notes  []string
}

// count changes the counts.
func (t *tally) count(change func(*Counts)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.counts)
}

// note adds a note.
func (t *tally) note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// Injection is the short-circuit testing of a module's tests.
type Injection struct {
	Over
	Options
	tally tally

	phase string // of what is recorded
	early bool   // Ahead runs: there is no baseline yet
	first firstRuns

	mu sync.Mutex
	// loners are tests that passed in the baseline and do not pass chosen one by
	// one among others: the reason, or "" if they do pass alone in a JVM.
	loners map[string]string
	// waiting are the tests that mostly waited, for long, while an exception was thrown, by ID;
	// later has the units that are left to the JVMs for such tests.
	waiting map[string]bool
	later   []unit
	// profiles are, for each test that was run twice in one JVM, the catches whose
	// try it entered the second time.
	profiles map[string]map[string]bool
	hanging  hanging
	// cut has the exceptions with which runs did not end and were put off, begunAgain the catches
	// of which others have been run since.
	cut        map[injected]bool
	begunAgain map[string]bool
	// before are the injected runs that a cell's JVM had before it, differing the runs
	// that a fresh JVM gave another outcome.
	before    map[*record.Cell][]ranOne
	differing []toExplain
	// idle lists the tests under whose injections some try did not run again.
	idle map[string]bool

	made    sync.Map // record.CellKey of each run that was recorded
	making  making
	sharing sharing
	asking  asking
	planned map[record.CellKey]bool         // runs of the phase that are not done yet
	shown   map[record.CellKey]*record.Cell // failing runs that were repeated alike, recorded or not yet
	dropped []unit                          // what decides nothing unless that turns out to be wrong
}

// firstRuns is what Ahead has done.
type firstRuns struct {
	counted  int                          // cells that were recorded, or recalled
	repeated map[string]bool              // see Repeated
	ran      map[string][]*record.TestRun // see Ran
}

// New makes what injects into the tests of a lab's module.
func New(over Over, o Options) *Injection {
	return &Injection{Over: over, Options: o, loners: map[string]string{},
		profiles: map[string]map[string]bool{}, hanging: newHanging(), idle: map[string]bool{},
		cut: map[injected]bool{}, begunAgain: map[string]bool{},
		first: firstRuns{repeated: map[string]bool{}, ran: map[string][]*record.TestRun{}}}
}

// EndPart says that all tests have run: the baseline is complete.
func (r *Injection) EndPart() { r.Part = false }

// Counts are what was done so far.
func (r *Injection) Counts() Counts {
	r.tally.mu.Lock()
	defer r.tally.mu.Unlock()
	return r.tally.counts
}

// Notes says, for people, what was left out, and what was found out by the way.
func (r *Injection) Notes() []string {
	r.tally.mu.Lock()
	defer r.tally.mu.Unlock()
	return slices.Clone(r.tally.notes)
}

// start starts a JVM for what is under way. What libraries throw is probed where the tests that run
// as they are there are recorded.
func (r *Injection) start(ctx context.Context, records bool) (*worker.JVM, error) {
	r.countFresh()
	return r.Lab.Start(ctx, lab.Setup{Named: !records, Light: r.runsFew()})
}

// restart replaces a JVM by a fresh one.
func (r *Injection) restart(ctx context.Context, j *worker.JVM) (*worker.JVM, error) {
	r.countFresh()
	return r.Lab.Restart(ctx, j)
}

// countFresh counts the JVMs that confirm what verdicts rest on.
func (r *Injection) countFresh() {
	if r.phase == confirmation {
		r.tally.count(func(t *Counts) { t.Fresh++ })
	}
}

// runsFew tells whether the JVMs that start now run a few tests only, whose calls of libraries the
// baseline has seen.
func (r *Injection) runsFew() bool {
	switch r.phase {
	case confirmation, fineConfirmation:
		return true
	case injections, fineInjections:
		return r.isolation() == ForkedJVM
	}
	return false
}
