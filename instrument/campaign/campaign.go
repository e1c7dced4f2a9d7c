// Package campaign puts the strategies in their order, for each module of a workspace: what edited
// catches need (instrument/injection), the baseline (instrument/baseline), short-circuit testing
// and its confirmation, faults (instrument/faulting), places inside tries, stretching
// (instrument/stretching). It adds up what they did, says how far they are, holds them while it is
// paused, and records what the next analysis is to know of what ran (observed.go).
//
// Input is a snapshot, the memory of earlier runs and a scope; the result is
// recorded in the memory as it comes in, one test run or matrix cell at a time,
// so that a campaign can be cancelled, killed and taken up again at no loss.
// What is known and unchanged is not run again (DESIGN D6).
package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/baseline"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/faulting"
	"github.com/catchlens/catchlens/instrument/injection"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/instrument/stretching"
)

// Options of a campaign.
type Options struct {
	CacheDir string // for compiled agents and rewritten library classes
	// Background: nobody waits for it; its JVMs have low priority where the system knows of it.
	Background bool
	Workers    int   // JVMs at once; 0: one per core, and some for tests that mostly wait
	MaxDisk    int64 // of each JVM (worker.Spec)
	Log        *slog.Logger
	Digests    *classpath.DigestCache // of the files of class paths; nil: those of this process
	// Launcher returns the path of the JUnit Platform launcher that goes with a
	// class path which lacks one.
	Launcher func(ctx context.Context, m *workspace.Module) (jars []string, note string, err error)
	// Isolation of the injected runs; "" is injection.SharedJVM. Results of a weaker one are not
	// reused.
	Isolation injection.Isolation
	// Order, if it is not 0, seeds another order of test classes, injections and tests
	// than the usual one.
	Order int64
	// FineGrain, if it is not 0, has exceptions thrown at up to so many places inside
	// each try whose catch is source-independent.
	FineGrain int
	// Settled, if it is there, is called when the verdicts of edited catches are recorded,
	// long before Run returns.
	Settled func()
	// Leave has modules that are left out, by name, with the reason.
	Leave map[string]string
	// BaselineDone, if it is there, is called when the baseline of a module is recorded.
	BaselineDone func(module string)
	// Gate is waited for before each piece of work: it holds a campaign that is paused,
	// and returns an error when ctx ends. nil: nothing holds it.
	Gate func(ctx context.Context) error
	// Reading is that of the verdicts: the runs that they rest on are confirmed in fresh JVMs.
	Reading shortcircuit.Reading
	// Everything has runs done that can change no verdict (shortcircuit.Asks), too, but for those
	// whose outcome the baseline shows.
	Everything bool
	// SourceIndependent lists the IDs of the catches that are, as far as is known: these
	// are stretched. nil: none is.
	SourceIndependent func() map[string]bool
	// Learned tells whether runs have shown something that the snapshot does not know, and that an
	// analysis would. Then what comes after the verdicts, which asks about links, is left to a
	// campaign on the next snapshot (Campaign.Left). nil: nothing is left.
	Learned func() bool
	// BaselineRuns is how often each test is run to find flaky ones; 0: twice.
	BaselineRuns int
	// Faults returns the engine that strikes with faults in the JVMs of a JDK
	// version; nil: no faults.
	Faults func(feature int) fault.Engine
	// OnlyCoverage has the tests run as they are, once, with coverage probes, and nothing else.
	// Other campaigns record coverage, too, once one has of the module.
	OnlyCoverage bool
	Planning     coverage.Planning // of coverage probes
	// Chains has call chains recorded, too.
	Chains bool
	// Count has classes count how often their nodes are executed, in place of recording coverage.
	// It is called with what was counted of each execution of a module's tests, and in how many
	// JVMs. Whoever wants nothing else takes care that nothing is recorded.
	Count func(of map[snapshot.MethodRef]*lab.Executions, jvms int)
	// OnlyFaults leaves out what throws at the start of tries: the tests run as they are, and
	// with faults.
	OnlyFaults bool
}

// Scope chooses what is run.
type Scope struct {
	Catches map[string]bool // catch IDs; nil: all
	Again   bool            // even what is known and current
	// Unfinished tells whether the tests of a module, by the name of its code, have never all run.
	// Then those run that the catches need, and no others. nil: all run.
	Unfinished func(module string) bool
	// Classes are test classes, by binary names, of a campaign for coverage, each with the tests of
	// it that are asked for, none for all; nil: all classes
	Classes map[string][]string
}

func (s Scope) has(id string) bool { return s.Catches == nil || s.Catches[id] }

// Progress says how far a campaign is: Done of Total pieces of the work of a phase. A phase knows
// its total when it begins; where there turns out to be more to do, the phase begins again, and
// More is set. Part of Parts says how far the whole is: all parts count alike, as nobody knows
// beforehand which takes longest.
type Progress struct {
	Phase       string
	More        bool
	Done, Total int
	Text        string
	Part, Parts int
}

// Percent is how far the whole campaign is.
func (p Progress) Percent() int {
	if p.Parts == 0 {
		return 0
	}
	done := p.Part * 100
	if p.Total > 0 {
		done += 100 * p.Done / p.Total
	}
	return done / p.Parts
}

// part is one of those that the campaign of a module has.
type part int

const (
	partBaseline part = iota // with what comes before it
	partInjections
	partConfirmation
	partFaults
	partForced
	partFine
	partStretching
	partsOfModule
)

// Summary is what a campaign did.
type Summary struct {
	Tests, Passed, Failed, Flaky, Skipped int // of baselines that are complete
	Begun                                 int // tests that have run in one that is not
	Cells, Reused                         int
	Stretched                             int // runs with stretched catches
	// deciding runs repeated in fresh JVMs, and those of them that ended differently there
	Confirmed, Differing int
	Faults               int // runs with a fault
	Canaries, Repeated   int // clean reruns, and cells thrown away and repeated
	Times                Times
	// caught exceptions of unknown origin, and events of which something is missing, in the
	// baseline
	UnknownSites, Lost int
	Confinement        string
	Unconfined         string
	Notes              []string
	LeftOut            bool // tests were left out, and Notes say why
}

// Add adds what a campaign did that went on where s ended, on the same code: it has the tests of s,
// and recalled what s did.
func (s *Summary) Add(more Summary) {
	s.Tests, s.Passed, s.Failed, s.Flaky, s.Skipped, s.Begun = more.Tests, more.Passed, more.Failed, more.Flaky,
		more.Skipped, more.Begun
	s.Cells += more.Cells
	s.Stretched += more.Stretched
	s.Confirmed += more.Confirmed
	s.Differing += more.Differing
	s.Faults += more.Faults
	s.Canaries += more.Canaries
	s.Repeated += more.Repeated
	s.UnknownSites += more.UnknownSites
	s.Lost += more.Lost
	s.Times.add(more.Times)
	s.Confinement, s.Unconfined = cmp.Or(more.Confinement, s.Confinement), cmp.Or(more.Unconfined, s.Unconfined)
	for _, n := range more.Notes {
		s.Notes = record.AddName(s.Notes, n)
	}
	s.LeftOut = s.LeftOut || more.LeftOut
}

// count adds what injections did.
func (s *Summary) count(n injection.Counts) {
	s.Cells += n.Cells
	s.Reused += n.Reused
	s.Confirmed += n.Confirmed
	s.Differing += n.Differing
	s.Canaries += n.Canaries
	s.Repeated += n.Repeated
	s.Times.Requests += n.Requests
	s.Times.Injected += n.Injected
	s.Times.Chosen += n.Chosen
	s.Times.Clean += n.Clean
	s.Times.Runs += n.Runs
	s.Times.Fresh += n.Fresh
	s.Times.Waiting += n.Waiting
}

// Times says where the time of a campaign went.
type Times struct {
	Ahead                time.Duration // wall time of what was run first for edited catches
	Baseline, Injections time.Duration // wall time of the two phases
	Stretching           time.Duration // wall time of the runs with stretched catches
	Confirmation         time.Duration // wall time of repeating what decides in fresh JVMs
	Requests             time.Duration // wall time of all requests with an injection, summed over the JVMs
	Injected             time.Duration // what the tests of these requests took themselves
	Chosen               time.Duration // what the tests of all injected runs took in the baseline
	Clean                time.Duration // what the tests took themselves in the clean reruns between injections
	Runs                 int           // tests run with an injection, those included that were repeated
	// wall time of starting JVMs, summed over those that did, the baseline's included
	Starting time.Duration
	Starts   int // JVMs started
	Fresh    int // of these, to confirm what verdicts rest on
	// wall time of JVMs that had nothing to do while another one worked, between the baseline and
	// the stretching
	Waiting time.Duration
}

// add adds the times of another campaign.
func (t *Times) add(more Times) {
	t.Ahead += more.Ahead
	t.Baseline += more.Baseline
	t.Injections += more.Injections
	t.Stretching += more.Stretching
	t.Confirmation += more.Confirmation
	t.Requests += more.Requests
	t.Injected += more.Injected
	t.Chosen += more.Chosen
	t.Clean += more.Clean
	t.Runs += more.Runs
	t.Starting += more.Starting
	t.Starts += more.Starts
	t.Fresh += more.Fresh
	t.Waiting += more.Waiting
}

// Own is catchlens's own time per injected run: what a request took beyond its
// tests.
func (t Times) Own() time.Duration {
	if t.Runs == 0 {
		return 0
	}
	return (t.Requests - t.Injected) / time.Duration(t.Runs)
}

// Campaign runs the tests of one snapshot.
type Campaign struct {
	Snap    *snapshot.Snapshot
	Memory  record.Memory
	Options Options

	waiters  int // JVMs at once for tests that mostly wait
	shuffled shuffles
	report   func(Progress)
	reports  sync.Mutex // held while report is called, so that no report overtakes another
	mu       sync.Mutex
	sum      Summary
	prog     Progress
	begun    map[string]bool // phases, by name
	left     bool
	partial  map[string]bool // modules, by the name of their code, of which a part of the tests has run
	reached  map[string]bool // catches that were asked for and that a test has made run
}

// Left tells whether something is left to a campaign on a snapshot that knows what this one has
// learned (Options.Learned).
func (c *Campaign) Left() bool { return c.left }

// New makes a campaign.
func New(snap *snapshot.Snapshot, memory record.Memory, o Options) *Campaign {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	waiters := 0
	if o.Workers <= 0 {
		o.Workers = runtime.NumCPU()
		waiters = injection.WaitersFor(o.Workers)
	}
	if o.BaselineRuns <= 0 {
		o.BaselineRuns = 2
	}
	return &Campaign{Snap: snap, Memory: memory, Options: o, waiters: waiters}
}

// Prepare makes what the tests of a workspace need and what does not depend on its classes, for a
// campaign that follows.
func Prepare(ctx context.Context, ws *workspace.Workspace, o lab.Options) {
	for _, m := range ws.Modules {
		for _, x := range m.Executions() {
			if x.JDKHome != "" && x.ClassPathComplete {
				lab.Prepare(ctx, x, o)
			}
		}
	}
}

// Run carries out the campaign. The error says why nothing (more) could be run;
// what was recorded until then stays. A module that cannot be run is a note
// unless it is the only one. report is called by one goroutine at a time.
func (c *Campaign) Run(ctx context.Context, scope Scope, report func(Progress)) (Summary, error) {
	c.report = report
	var firstErr error
	c.reached, c.partial = map[string]bool{}, map[string]bool{}
	ran := 0
	executions := executionsOf(c.Snap)
	c.prog.Parts = len(executions) * int(partsOfModule)
	for n, x := range executions {
		m := x.Module
		c.mu.Lock()
		c.prog.Part = n * int(partsOfModule)
		c.mu.Unlock()
		if err := ctx.Err(); err != nil {
			return c.summary(), err
		}
		if why := c.Options.Leave[m.CodeName()]; why != "" {
			c.noteLeftOut("the tests of %s are left out: %s", m.CodeName(), why)
			continue
		}
		did, err := c.module(ctx, x, scope)
		switch {
		case errors.Is(err, context.Canceled):
			return c.summary(), err
		case err != nil:
			c.noteLeftOut("%s: %v", m.Name, err)
			if firstErr == nil {
				firstErr = fmt.Errorf("%s: %w", m.Name, err)
			}
		case did:
			ran++
		}
	}
	if ran == 0 && firstErr != nil {
		return c.summary(), firstErr
	}
	if ran == 0 {
		c.noteLeftOut("no module has tests that could be run")
	}
	return c.summary(), nil
}

func (c *Campaign) summary() Summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sum
	s.Notes = append([]string(nil), s.Notes...)
	sort.Strings(s.Notes)
	return s
}

func (c *Campaign) timed(add func(*Times)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	add(&c.sum.Times)
}

// noteLeftOut notes why tests were left out.
func (c *Campaign) noteLeftOut(format string, args ...any) {
	c.note(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum.LeftOut = true
}

func (c *Campaign) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.sum.Notes {
		if n == text {
			return
		}
	}
	c.sum.Notes = append(c.sum.Notes, text)
	c.Options.Log.Info(text)
}

// begin reports that a phase begins that has so much to do, perhaps again.
func (c *Campaign) begin(phase string, total int) {
	c.tell(func(p *Progress) {
		if c.begun == nil {
			c.begun = map[string]bool{}
		}
		p.Phase, p.More, p.Text, p.Done, p.Total = phase, c.begun[phase], "", 0, total
		c.begun[phase] = true
	})
}

// step reports that so much more of the phase is done.
func (c *Campaign) step(text string, done int) {
	c.tell(func(p *Progress) {
		p.Done += done
		if text != "" {
			p.Text = text
		}
	})
}

// tell changes what is known of the progress, and reports it.
func (c *Campaign) tell(change func(*Progress)) {
	c.reports.Lock()
	defer c.reports.Unlock()
	c.mu.Lock()
	change(&c.prog)
	p := c.prog
	c.mu.Unlock()
	if c.report != nil {
		c.report(p)
	}
}

// monitor tells of the work of a module's lab as progress of the campaign.
type monitor struct{ c *Campaign }

// Begin is lab.Monitor's.
func (m monitor) Begin(phase string, total int) { m.c.begin(phase, total) }

// Step is lab.Monitor's.
func (m monitor) Step(phase, text string, done int) {
	m.c.tell(func(p *Progress) {
		p.Phase, p.Text, p.Done = cmp.Or(phase, p.Phase), cmp.Or(text, p.Text), p.Done+done
	})
}

// Total is lab.Monitor's.
func (m monitor) Total(n int) { m.c.tell(func(p *Progress) { p.Total = n }) }

// Gate is lab.Monitor's.
func (m monitor) Gate(ctx context.Context) error { return m.c.gate(ctx) }

// enter notes which part of a module's campaign begins.
func (r *moduleRun) enter(p part) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.prog.Part = r.place + int(p)
}

// moduleExecution is one execution of the tests of a module.
type moduleExecution struct {
	lab.Execution      // Elsewhere: the classes that an execution before this one runs
	apart         int  // classes left out as integration tests
	last          bool // of those of the module that have tests
}

// executionsOf are the executions of the tests of all modules, in their order.
func executionsOf(snap *snapshot.Snapshot) (all []moduleExecution) {
	for _, m := range snap.Workspace.Modules {
		before := map[string]bool{}
		for _, x := range m.Executions() {
			e := moduleExecution{Execution: lab.Execution{Module: x, Elsewhere: map[string]bool{}}}
			e.Classes, e.apart = lab.TestClasses(snap, x)
			for _, class := range e.Classes {
				if before[class] {
					e.Elsewhere[class] = true
				}
				before[class] = true
			}
			all = append(all, e)
		}
		for n := len(all) - 1; n >= 0 && all[n].Module.CodeName() == m.Name; n-- {
			if len(all[n].Classes) > 0 {
				all[n].last = true
				break
			}
		}
	}
	return all
}

// module runs one execution of a module's tests; did is false if it has no tests.
func (c *Campaign) module(ctx context.Context, x moduleExecution, scope Scope) (did bool, err error) {
	if has, err := c.hasTests(x); !has || err != nil {
		return false, err
	}
	r, err := c.prepare(ctx, x, scope)
	if err != nil {
		return false, err
	}
	defer r.close()
	return true, r.run(ctx, x.last)
}

// hasTests tells whether an execution has tests, and notes which are not run. The error says why
// none can be run.
func (c *Campaign) hasTests(x moduleExecution) (bool, error) {
	m := x.Module
	if x.apart > 0 {
		c.noteLeftOut("%s: %s not run; `integration = true` below [test] in catchlens.toml runs them with the others",
			m.Name, integrationTests(x.apart))
	}
	includes, excludes := m.Test.Unreadable()
	for _, p := range includes {
		c.noteLeftOut("%s: the pattern %s of the build cannot be read, and selects nothing here", m.Name, p)
	}
	for _, p := range excludes {
		c.noteLeftOut("%s: the pattern %s of the build cannot be read, and leaves nothing out here", m.Name, p)
	}
	if len(x.Classes) == 0 {
		return false, nil
	}
	for _, n := range m.Test.NotRun {
		c.noteLeftOut("%s: %s", m.Name, n)
	}
	for _, n := range m.UnseenSources() {
		c.note("%s: %s", m.Name, n)
	}
	if m.Test.Skipped != "" {
		return false, fmt.Errorf("the build skips its tests (%s); set test.framework in catchlens.toml to run them "+
			"all the same", m.Test.Skipped)
	}
	if m.JDKHome == "" {
		return false, errors.New("no JDK was found to run its tests with: set JAVA_HOME, or jdk in catchlens.toml")
	}
	if !m.ClassPathComplete && len(m.Missing) > 0 {
		c.noteLeftOut("%s: the class path is not complete: %s", m.Name, m.Missing[0])
	}
	return true, nil
}

// integrationTests names a number of classes of integration tests.
func integrationTests(n int) string {
	if n == 1 {
		return "a class of integration tests is"
	}
	return fmt.Sprintf("%d classes of integration tests are", n)
}

// prepare makes ready what the tests of an execution run with. close is to follow.
func (c *Campaign) prepare(ctx context.Context, x moduleExecution, scope Scope) (*moduleRun, error) {
	c.begin("preparing", 0)
	c.step("rewriting the classes of "+x.Module.Name, 0)
	o := &c.Options
	l, err := lab.New(ctx, c.Snap, c.Memory, x.Execution, lab.Options{CacheDir: o.CacheDir, JVMs: o.Workers,
		Coverage: c.recordsCoverage(x.Module.Name), Planning: o.Planning, Count: o.Count != nil, Chains: o.Chains,
		MaxDisk: o.MaxDisk, Background: o.Background, Log: o.Log, Digests: o.Digests,
		Launcher: o.Launcher, Monitor: monitor{c}})
	if err != nil {
		return nil, err
	}
	r := &moduleRun{c: c, lab: l, place: c.prog.Part, scope: scope, read: l.Reader(),
		recall: recall.New(c.Snap, c.Memory, l.Module.Name, l.Env)}
	r.part = r.partOf()
	r.inject = injection.New(injection.Over{Lab: l, Snap: c.Snap, Memory: c.Memory, Recall: r.recall, Read: r.read,
		Log: o.Log}, injection.Options{Asked: scope.has, All: scope.Catches == nil, Again: scope.Again,
		Isolation: o.Isolation, Reading: o.Reading, Everything: o.Everything, Places: o.FineGrain, Settled: o.Settled,
		Part: r.part != nil, Enough: r.enough,
		Shuffle: c.shuffle, Shuffled: o.Order != 0, JVMs: o.Workers, Waiters: c.waiters})
	return r, nil
}

// recordsCoverage tells whether coverage of a module is asked for, or was before.
func (c *Campaign) recordsCoverage(module string) bool {
	return c.Options.OnlyCoverage || slices.ContainsFunc(c.Memory.Runs(), func(run *record.TestRun) bool {
		return run.Module == module && run.Covers
	})
}

// close closes the lab, and adds up what it and the injections say.
func (r *moduleRun) close() {
	starts, took := r.lab.Started()
	if r.c.Options.Count != nil {
		r.c.Options.Count(r.lab.Executions(), starts)
	}
	confinement, unconfined := r.lab.Confinement()
	r.c.mu.Lock()
	s := &r.c.sum
	s.UnknownSites += r.read.Unknown()
	s.Lost += r.read.Lost()
	s.Times.Starts += starts
	s.Times.Starting += took
	s.Confinement, s.Unconfined = cmp.Or(confinement, s.Confinement), cmp.Or(unconfined, s.Unconfined)
	s.count(r.inject.Counts())
	r.c.mu.Unlock()
	for _, n := range append(r.inject.Notes(), r.lab.Notes()...) {
		r.c.note("%s", n)
	}
	r.lab.Close()
}

// run runs the campaign of the module; last: no further execution of its tests follows.
func (r *moduleRun) run(ctx context.Context, last bool) error {
	c := r.c
	started := time.Now()
	if !c.Options.OnlyFaults && !c.Options.OnlyCoverage {
		if err := r.inject.Ahead(ctx); err != nil {
			return err
		}
	}
	c.timed(func(t *Times) { t.Ahead += time.Since(started) })
	started = time.Now()
	runs, err := r.baseline(ctx)
	c.timed(func(t *Times) { t.Baseline += time.Since(started) })
	if err != nil {
		return err
	}
	if r.part != nil {
		c.partial[r.lab.Module.CodeName()] = true
		r.notePart(len(runs))
	}
	if c.Options.BaselineDone != nil && last && !c.partial[r.lab.Module.CodeName()] {
		c.Options.BaselineDone(r.lab.Module.CodeName())
	}
	r.lab.Probes.Keep()
	r.noteModule(failing(runs))
	r.noteDenied(runs)
	if err := r.observe(runs); err != nil {
		return err
	}
	if c.Options.OnlyCoverage {
		return nil
	}
	if !c.Options.OnlyFaults {
		err = r.verdicts(ctx, runs)
	}
	if err == nil && !c.leaves() {
		err = r.afterVerdicts(ctx, runs)
	}
	return errors.Join(err, r.observe(nil))
}

// baseline runs the tests as they are, and counts how they ended.
func (r *moduleRun) baseline(ctx context.Context) ([]*record.TestRun, error) {
	o := &r.c.Options
	b := &baseline.Baseline{Lab: r.lab, Snap: r.c.Snap, Memory: r.c.Memory, Recall: r.recall, Read: r.read, Log: o.Log,
		Repetitions: o.BaselineRuns, Again: r.scope.Again, Only: r.scope.Classes, For: r.scope.Catches,
		Repeated: r.inject.Repeated, Part: r.part,
		Shuffle: r.c.shuffle, Seen: r.sees,
		Warm: !o.OnlyFaults && !o.OnlyCoverage && (o.Isolation == injection.SharedJVM || o.Isolation == "")}
	if r.part != nil {
		r.part.Ran = r.inject.Ran()
	}
	runs, err := b.Run(ctx)
	if !b.Partial() {
		r.part = nil
		r.inject.EndPart()
	}
	for _, n := range b.Notes() {
		r.c.note("%s", n)
	}
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.sum.Begun += b.Begun()
	for _, run := range runs {
		r.c.sum.Tests++
		switch run.Outcome {
		case record.Pass:
			r.c.sum.Passed++
		case record.Flaky:
			r.c.sum.Flaky++
		case record.Skipped:
			r.c.sum.Skipped++
		default:
			r.c.sum.Failed++
		}
	}
	return runs, err
}

// verdicts runs what verdicts rest on, and confirms it.
func (r *moduleRun) verdicts(ctx context.Context, runs []*record.TestRun) error {
	started := time.Now()
	r.enter(partInjections)
	err := r.inject.Inject(ctx, runs)
	r.lab.CloseWarm()
	r.c.timed(func(t *Times) { t.Injections += time.Since(started) })
	if err != nil {
		return err
	}
	started = time.Now()
	r.enter(partConfirmation)
	err = r.inject.Confirm(ctx, runs)
	r.c.timed(func(t *Times) { t.Confirmation += time.Since(started) })
	return err
}

// leaves tells whether what comes now is left to a campaign on a newer snapshot.
func (c *Campaign) leaves() bool {
	if c.Options.Learned == nil || !c.Options.Learned() {
		return false
	}
	c.left = true
	return true
}

// afterVerdicts runs what comes when verdicts are confirmed.
func (r *moduleRun) afterVerdicts(ctx context.Context, runs []*record.TestRun) error {
	if err := r.faults(ctx, runs); err != nil || r.c.Options.OnlyFaults {
		return err
	}
	if r.c.Options.FineGrain > 0 {
		r.enter(partFine)
		if err := r.inject.FineGrain(ctx, runs); err != nil {
			return err
		}
	}
	r.enter(partStretching)
	return r.stretch(ctx, runs)
}

// faults makes links happen by faults, and forces throws.
func (r *moduleRun) faults(ctx context.Context, runs []*record.TestRun) error {
	if r.c.Options.Faults == nil {
		return nil
	}
	feature, err := agent.Feature(r.lab.Module.JDKHome)
	if err != nil {
		return err
	}
	f := &faulting.Faulting{Lab: r.lab, Snap: r.c.Snap, Memory: r.c.Memory, Recall: r.recall, Read: r.read,
		Engine: r.c.Options.Faults(feature), Feature: feature, Asked: r.scope.has, Again: r.scope.Again,
		Entered: r.struck.add}
	defer func() {
		for _, n := range f.Notes() {
			r.c.note("%s", n)
		}
		r.c.mu.Lock()
		r.c.sum.Faults += f.Runs()
		r.c.mu.Unlock()
	}()
	r.enter(partFaults)
	if err := f.Strike(ctx, runs); err != nil {
		return err
	}
	r.enter(partForced)
	return f.Force(ctx, runs)
}

// stretch runs the tests with stretched catches, where all have run. It needs to be told which
// catches are source-independent.
func (r *moduleRun) stretch(ctx context.Context, runs []*record.TestRun) error {
	if r.c.Options.SourceIndependent == nil || r.part != nil {
		return nil
	}
	s := &stretching.Stretching{Lab: r.lab, Snap: r.c.Snap, Memory: r.c.Memory, Recall: r.recall,
		Independent: r.c.Options.SourceIndependent(), Asked: r.scope.has, Again: r.scope.Again}
	started := time.Now()
	err := s.Run(ctx, runs)
	r.c.timed(func(t *Times) { t.Stretching += time.Since(started) })
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.sum.Stretched += s.Runs()
	return err
}

// gate holds the caller while the campaign is paused.
func (c *Campaign) gate(ctx context.Context) error {
	if c.Options.Gate == nil {
		return nil
	}
	return c.Options.Gate(ctx)
}

// moduleRun is the campaign of one module.
type moduleRun struct {
	c      *Campaign
	lab    *lab.Lab
	recall *recall.Recall
	place  int            // in the campaign, of its first part
	part   *baseline.Part // of the tests, that is run; nil: all
	enough bool           // what has run of that part before is enough
	scope  Scope
	read   *lab.Reader

	seen   sightings     // of the first repetition of the baseline
	struck enteredStruck // by runs with faults
	inject *injection.Injection
}

// shuffles numbers the uses of a campaign's order.
type shuffles struct{ n atomic.Int64 }

// shuffle puts n things into the order that the campaign's seed gives; without one
// it leaves them as they are.
func (c *Campaign) shuffle(n int, swap func(i, j int)) {
	if c.Options.Order != 0 {
		rand.New(rand.NewSource(c.Options.Order+c.shuffled.n.Add(1))).Shuffle(n, swap)
	}
}
