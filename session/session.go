// Package session is one workspace over time: it reads it, analyses it, compiles
// what is out of date, runs campaigns, and lays their results over the newest
// snapshot. Editors and the command line are clients of it (contract.go).
//
// Readers never wait: View is one atomic load. One goroutine at a time makes
// snapshots; another keeps the overlay of results up to date while runs record
// them. Until something new is there, the old is shown.
package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/instrument/campaign"
	"github.com/catchlens/catchlens/instrument/injection"
	"github.com/catchlens/catchlens/instrument/planner/plancache"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/defect"
	"github.com/catchlens/catchlens/internal/tempdir"
)

// ErrUntrusted is returned by what would execute code of a workspace that its
// user does not trust.
var ErrUntrusted = errors.New("the workspace is not trusted: running tests executes its code")

// ErrClosed is returned by what is asked of a session after Close.
var ErrClosed = errors.New("the session is closed")

// Session implements API.
type Session struct {
	roots []string
	opt   Options
	cache string // the user's cache folder
	log   *slog.Logger

	kept  keeper // beside the results
	store *results.Store
	pipe  *pipeline
	guard *defect.Guard // of background work

	view  atomic.Pointer[codelens.View]
	state struct {
		sync.Mutex
		trusted    bool
		settings   snapshot.Settings
		reading    string
		activity   []string // a stack of what is being done
		unconfined string
	}
	running    turn // held by the one who runs a campaign
	continuous continuous
	judging    sync.Mutex // held from reading or writing the judgements until the view has them
	paused     gate       // shut: campaigns wait
	envs       sync.Map   // module name -> environment digest of the present snapshot
	following  following  // what runs observed
	tests      atomic.Pointer[knownTests]

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	covering covering
	changes  changeQueue
	overlay  chan struct{} // wakes the keeper of the overlay
	events   notifier
	// components are those whose call chains are shown
	components *componentKeeper
}

var _ API = (*Session)(nil)

// Open opens the workspace in some folders. It reads nothing of them yet: see
// Reload. The error names the folder that cannot be used.
func Open(roots []string, opt Options) (*Session, error) {
	if err := checkReading(opt.Reading); err != nil {
		return nil, err
	}
	s := &Session{opt: opt, log: opt.Log, overlay: make(chan struct{}, 1), running: newTurn(),
		components: newComponentKeeper()}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	for _, r := range roots {
		abs, err := filepath.Abs(r)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s: no such folder", abs)
		}
		s.roots = append(s.roots, abs)
	}
	if len(s.roots) == 0 {
		return nil, errors.New("no folder to open")
	}
	if s.guard = opt.Guard; s.guard == nil {
		s.guard = defect.New(s.log, nil)
	}
	var err error
	if s.cache, err = CacheDir(opt.CacheDir); err != nil {
		return nil, err
	}
	folder, err := resultsFolder(s.cache, s.roots)
	if err != nil {
		s.log.Warn("earlier results are not taken over", "error", err)
	}
	s.kept = keeper{folder, s.log}
	s.kept.clear()
	go s.guard.Run("clearing temporary folders", tempdir.Sweep)
	if s.store, err = results.Open(folder); err != nil {
		return nil, err
	}
	if opt.PlanCache {
		s.covering.plans = plancache.Open(PlansDir(s.cache), func(problem string) { s.log.Warn(problem) })
	}
	s.state.trusted, s.state.settings, s.state.reading = opt.Trusted, opt.Settings, opt.Reading
	s.life, s.end = context.WithCancel(context.Background())
	s.pipe = newPipeline(s, s.roots, s.cache, opt.Once, s.kept, s.guard, s.log)
	if opt.RunFollows {
		s.pipe.found = make(chan *workspace.Workspace, 1)
	}
	s.view.Store(&codelens.View{})
	s.store.Watch(s.wakeOverlay)
	s.covering.wake = make(chan struct{}, 1)
	s.continuous.wake = make(chan struct{}, 1)
	s.work.Add(6)
	go s.prepareJVMs()
	go s.keepJudged()
	go s.keepCoverage()
	go s.keepOverlay()
	go s.followChanges()
	go s.keepRefined()
	return s, nil
}

// CacheDir is the cache folder in use, made private to the user; dir overrides
// the system's choice.
func CacheDir(dir string) (string, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no cache folder: %w; name one with --cache", err)
		}
		dir = filepath.Join(base, "catchlens")
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	return dir, err
}

// PlansDir is where a cache folder holds test plans.
func PlansDir(cache string) string { return filepath.Join(cache, "plans") }

// SourcesDir is where a cache folder holds sources of the JDK that an editor may open.
func SourcesDir(cache string) string { return filepath.Join(cache, "jdk-sources") }

// CompiledDir is where a cache folder holds what catchlens itself has compiled.
func CompiledDir(cache string) string { return filepath.Join(cache, "classes") }

// View is the present state.
func (s *Session) View() codelens.View { return *s.view.Load() }

// Subscribe implements API.
func (s *Session) Subscribe(f func(Event)) func() { return s.events.subscribe(f) }

// SetTrusted implements API.
func (s *Session) SetTrusted(t bool) {
	s.state.Lock()
	was := s.state.trusted
	s.state.trusted = t
	s.state.Unlock()
	if t && !was {
		s.changes.add(nil) // class paths may be resolved and sources compiled now
	}
	if !t {
		s.continuous.stop()
	}
	if t != was {
		s.events.tell(ActivityChanged)
	}
}

func (s *Session) trusted() bool {
	s.state.Lock()
	defer s.state.Unlock()
	return s.state.trusted
}

// Configure implements API.
func (s *Session) Configure(set snapshot.Settings) error {
	_, err := set.Config()
	s.state.Lock()
	same := reflect.DeepEqual(set, s.state.settings)
	s.state.settings = set
	s.state.Unlock()
	if !same {
		s.pipe.refiner.forget()
		s.changes.add(nil)
	}
	return err
}

// Status implements API.
func (s *Session) Status() Status {
	v := s.View()
	paused := s.paused.isShut()
	_, _, refines := s.pipe.refinable()
	s.state.Lock()
	st := Status{Paused: paused, Trusted: s.state.trusted, Unconfined: s.state.unconfined}
	if n := len(s.state.activity); n > 0 {
		st.Activity = s.state.activity[n-1]
	} else if refines {
		st.Activity = refining
	}
	s.state.Unlock()
	if v.Snap != nil {
		for _, c := range v.Snap.Catches {
			if !c.InTests {
				st.Catches++
				st.Links += len(v.Links(c))
			}
		}
		st.CallGraph = v.Snap.Config.CallGraph
		st.Problems, st.JDK = len(v.Snap.Problems), v.Snap.JDKVersion
	}
	if v.Results != nil {
		for _, n := range v.Results.Tests {
			st.Tests += n
		}
	}
	return st
}

// doing shows an activity in Status until the returned function is called.
func (s *Session) doing(what string) func() {
	s.state.Lock()
	s.state.activity = append(s.state.activity, what)
	s.state.Unlock()
	s.events.tell(ActivityChanged)
	return func() {
		s.state.Lock()
		for i := len(s.state.activity) - 1; i >= 0; i-- {
			if s.state.activity[i] == what {
				s.state.activity = append(s.state.activity[:i], s.state.activity[i+1:]...)
				break
			}
		}
		s.state.Unlock()
		s.events.tell(ActivityChanged)
	}
}

// Close implements API.
func (s *Session) Close() error {
	s.end()
	s.running.take(context.Background(), func() {}) // a campaign that runs has been cancelled and ends
	defer s.running.giveBack()
	s.work.Wait()
	err := s.pipe.close()
	s.events.close()
	return errors.Join(err, s.store.Close())
}

// Judge implements API.
func (s *Session) Judge(linkID string, ofFailure bool, reason string) error {
	v := s.View()
	if v.Snap == nil {
		return errors.New("the first analysis is not done yet")
	}
	link := findLink(v.Snap, linkID)
	if link == nil {
		return fmt.Errorf("there is no link %s", linkID)
	}
	dir := v.Snap.Workspace.Root
	s.judging.Lock()
	defer s.judging.Unlock()
	if strings.TrimSpace(reason) == "" {
		drop := func(j workspace.Infeasible) bool { return codelens.Judges(j, linkID) }
		if err := workspace.RemoveInfeasible(dir, drop); err != nil {
			return err
		}
	} else {
		j, err := codelens.Infeasible(v, link, ofFailure, reason)
		if err != nil {
			return err
		}
		if err := workspace.AppendInfeasible(dir, j); err != nil {
			return err
		}
	}
	cfg, problems := workspace.LoadConfig(dir)
	for _, p := range problems {
		s.log.Warn("catchlens.toml", "line", p.Line, "problem", p.Message)
	}
	s.replaceView(func(v *codelens.View) { v.Judge(cfg) })
	s.events.tell(ResultsChanged)
	return nil
}

func findLink(snap *snapshot.Snapshot, id string) *snapshot.Link {
	for _, c := range snap.Catches {
		for _, l := range slices.Concat(c.Links, c.Withheld) {
			if l.ID == id {
				return l
			}
		}
	}
	return nil
}

// replaceView changes a copy of the view and publishes it.
func (s *Session) replaceView(change func(*codelens.View)) {
	for {
		old := s.view.Load()
		next := *old
		change(&next)
		if s.view.CompareAndSwap(old, &next) {
			return
		}
	}
}

// LocateTest implements API.
func (s *Session) LocateTest(test string) (file string, line int, ok bool) {
	class, method, _ := strings.Cut(test, "#")
	if i := strings.IndexAny(method, "[(@"); i >= 0 {
		method = method[:i]
	}
	v := s.View()
	if v.Snap == nil {
		return "", 0, false
	}
	c := v.Snap.Class(strings.ReplaceAll(class, ".", "/"))
	if c == nil || c.File == nil {
		return "", 0, false
	}
	for _, t := range c.File.Source.Types {
		for _, m := range t.Members {
			if t.BinaryName == c.Name && m.Name == method {
				return c.File.Path, c.File.Source.Line(m.NameSpan.Start), true
			}
		}
	}
	return c.File.Path, 1, true
}

// envOf is the present environment digest of a module.
func (s *Session) envOf(module string) string {
	if e, ok := s.envs.Load(module); ok {
		return e.(string)
	}
	return ""
}

func (s *Session) setEnvs(ws *workspace.Workspace) {
	for _, m := range ws.Modules {
		for _, x := range m.Executions() {
			s.envs.Store(x.Name, record.Environment(x, s.pipe.hashes))
		}
	}
}

// begin takes what it needs to run tests: trust, the turn, for which it waits while another run is
// under way, and class files that are up to date. The context ends with the session, too; end gives
// back what was taken. In the background, which nobody has asked for, a build tool that has refused
// something is not asked again.
func (s *Session) begin(asking context.Context, background bool, shown Progress,
) (ctx context.Context, p Progress, end func(), err error) {
	if !s.trusted() {
		return nil, nil, nil, ErrUntrusted
	}
	if p = shown; p == nil {
		p = func(int, string) {}
	}
	ctx, cancel := context.WithCancel(asking)
	free := context.AfterFunc(s.life, cancel)
	stop := func() {
		free()
		cancel()
	}
	err = s.running.take(ctx, func() { p(-1, "waiting for the run before it to end") })
	if s.life.Err() != nil {
		if err == nil {
			s.running.giveBack()
		}
		err = ErrClosed
	}
	if err != nil {
		stop()
		return nil, nil, nil, err
	}
	activity := "running tests"
	if background {
		activity = "judging again"
	}
	done, begun := s.doing(activity), false
	end = func() {
		done()
		stop()
		s.running.giveBack()
	}
	defer func() {
		if !begun { // by an error, or a panic that somebody gets over
			end()
		}
	}()
	if !s.trusted() { // no longer, after it has waited
		return nil, nil, nil, ErrUntrusted
	}
	get := s.upToDate
	if background {
		get = s.reloadOutdated
	}
	if err = get(ctx, p); err != nil {
		return nil, nil, nil, err
	}
	begun = true
	return ctx, p, end, nil
}

// Run implements API.
func (s *Session) Run(ctx context.Context, scope Scope, p Progress) (Summary, error) {
	defer s.continuous.preempt()()
	return s.run(ctx, scope, p)
}

// run is Run, and what runs in the background.
func (s *Session) run(ctx context.Context, scope Scope, p Progress) (Summary, error) {
	started := time.Now()
	if scope.In == nil {
		scope.In = s.View().Snap
	}
	ctx, p, end, err := s.begin(ctx, scope.background, p)
	if err != nil {
		return Summary{}, err
	}
	defer end()
	if len(scope.Catches) == 0 || scope.background {
		s.refineNow(ctx, p)
	} else { // the user waits for a verdict, which does not need it
		s.pipe.refiner.hold()
		defer s.pipe.refiner.release()
	}
	snap := s.View().Snap // of which the catches are followed and run: an edit shows another one at any time
	if scope.Catches, err = followed(scope.Catches, scope.In, snap); err != nil {
		return Summary{}, err
	}
	c, sc, faultNote, err := s.campaignOf(snap, scope)
	if err != nil {
		return Summary{}, err
	}
	left := leftBy(snap, scope)
	names := notRun(snap, c.Options.Leave, left)
	percent := 0
	rising := func(now int, message string) { // the bar of an editor never goes back
		percent = max(percent, now)
		p(percent, message)
	}
	if sc.Catches == nil {
		now := snap
		c.Options.Learned = func() bool { return s.knowsMore(now) }
	}
	done, err := s.campaign(ctx, c, sc, 1, rising)
	// What runs have taught may ask for more, of links that are new: it is done now, and not by the
	// next run. Code that was edited meanwhile waits for that one.
	for round := 2; err == nil && sc.Catches == nil; round++ {
		next, left := s.View().Snap, c.Left()
		further := next != snap && sameCode(snap, next)
		if !further && !left {
			break
		}
		if further {
			snap = next
		}
		scope.Again = false
		if c, sc, _, err = s.campaignOf(snap, scope); err == nil {
			if further { // else what is left is done with what is known
				now := snap
				c.Options.Learned = func() bool { return s.knowsMore(now) }
			}
			var more campaign.Summary
			more, err = s.campaign(ctx, c, sc, round, rising)
			done.Add(more)
		}
	}
	sum := s.summaryOf(done, faultNote)
	sum.Catches, sum.NotRun = s.followToShown(scope.Catches, snap), names
	sum.Notes = append(sum.Notes, notesOf(left)...)
	sum.Elapsed = time.Since(started)
	if err == nil && done.Tests == 0 && done.Cells == 0 && done.Reused == 0 {
		if err = nothingRan(snap); err == nil && !done.LeftOut {
			sum.Notes = append(sum.Notes, leftOut)
		}
	} else if err == nil && !scope.background { // of which nobody hears
		sum.News = s.newsOf(time.Now())
	}
	return sum, err
}

// campaign carries out a campaign, and has what it taught analysed. It is the round of a run that
// tell speaks of.
func (s *Session) campaign(ctx context.Context, c *campaign.Campaign, sc campaign.Scope, round int,
	p Progress) (campaign.Summary, error) {
	s.beginBaselines(c.Snap)
	if !c.Options.Background {
		defer s.showRunning(slices.Sorted(maps.Keys(sc.Catches)))()
	}
	done, err := c.Run(ctx, sc, func(q campaign.Progress) {
		p(q.Percent(), tell(q, round))
	})
	s.state.Lock()
	s.state.unconfined = done.Unconfined
	s.state.Unlock()
	if err == nil {
		if err := s.knowObserved(ctx, p); err != nil { // the results stand all the same
			s.log.Warn("analysing after a run", "error", err)
		}
	}
	s.layNow()
	return done, err
}

// campaignOf makes the campaign that a scope asks for, on a snapshot. The note says why faults are
// made in another way than that; the error, what the scope names that there is not.
func (s *Session) campaignOf(snap *snapshot.Snapshot,
	scope Scope) (c *campaign.Campaign, sc campaign.Scope, note string, err error) {
	sc.Again, sc.Unfinished = scope.Again, s.unfinished
	if len(scope.Catches) > 0 {
		sc.Catches = map[string]bool{}
		for _, id := range scope.Catches {
			if snap.ByID[id] == nil {
				return nil, sc, "", fmt.Errorf("there is no catch %s", id)
			}
			sc.Catches[id] = true
		}
	}
	isolation, err := isolationOf(scope, snap.Workspace.Config)
	if err != nil {
		return nil, sc, "", err
	}
	faults, note, err := faultEngine(scope.Faults)
	if err != nil {
		return nil, sc, "", err
	}
	left, err := leaveOut(snap, scope.Catches)
	if err != nil {
		return nil, sc, "", deeper(snap, err)
	}
	leave := map[string]string{}
	for name, cause := range left {
		leave[name] = cause.Error()
	}
	workers := s.opt.Workers
	if scope.background {
		workers = 1
	}
	return campaign.New(snap, s.store, campaign.Options{
		CacheDir: s.cache, Digests: s.pipe.hashes, Workers: workers, Background: scope.background,
		MaxDisk: s.opt.MaxDisk, Log: s.log,
		Launcher: buildtool.PlatformLauncher,
		Reading:  s.reading(snap), Everything: scope.Everything, Gate: s.paused.pass,
		Settled: s.layNow, BaselineDone: s.baselineDone, SourceIndependent: s.sourceIndependent(snap),
		Isolation: isolation, FineGrain: fineGrainOf(scope, snap.Workspace.Config), Order: scope.Order,
		Planning: s.planning(), Faults: faults, OnlyFaults: scope.OnlyFaults && faults != nil, Leave: leave,
	}), sc, note, nil
}

// summaryOf is what a campaign did, with what the view shows of it now and a note on faults, "" for
// none.
func (s *Session) summaryOf(done campaign.Summary, faultNote string) Summary {
	sum := Summary{
		Tests: done.Tests, Passed: done.Passed, Failed: done.Failed, Flaky: done.Flaky, Skipped: done.Skipped,
		Begun: done.Begun, Cells: done.Cells, Reused: done.Reused,
		UnknownSites: done.UnknownSites, Lost: done.Lost, Canaries: done.Canaries, Repeated: done.Repeated,
		Confirmed: done.Confirmed, Differing: done.Differing, Stretched: done.Stretched, Times: done.Times,
		Faults: done.Faults, Notes: done.Notes,
	}
	if faultNote != "" {
		sum.Notes = append(sum.Notes, faultNote)
	}
	if done.Unconfined != "" {
		sum.Notes = append(sum.Notes, "tests ran without confinement: "+done.Unconfined)
	}
	if v := s.View(); v.Results != nil {
		sum.Unpredicted = len(v.Results.Unpredicted)
	}
	return sum
}

// isolationOf is the rung of isolation that is asked for, by the caller or else by
// the workspace.
func isolationOf(scope Scope, cfg *workspace.Config) (injection.Isolation, error) {
	name := injection.Isolation(scope.Isolation)
	if name == "" && cfg != nil && cfg.Campaign != nil {
		name = injection.Isolation(cfg.Campaign.Isolation)
	}
	if name == "" {
		return injection.SharedJVM, nil
	}
	if !slices.Contains(injection.Isolations, name) {
		return "", fmt.Errorf("isolation %s: use shared, loader or fork", name)
	}
	return name, nil
}

// fineGrainOf is how many places inside a try are asked for.
func fineGrainOf(scope Scope, cfg *workspace.Config) int {
	if scope.FineGrain == 0 && cfg != nil && cfg.Campaign != nil {
		return cfg.Campaign.FineGrain
	}
	return max(scope.FineGrain, 0)
}
