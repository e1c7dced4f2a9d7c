package session

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"catchlens/analysis/discovery"
	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
	"catchlens/codelens"
	"catchlens/instrument/buildtool"
	"catchlens/instrument/results"
)

// This file makes snapshots, in the foreground and as files change.

const (
	// changeQuiet is how long files must be left alone before they are looked at.
	changeQuiet = 150 * time.Millisecond
	// changeMost is how long a look is put off while files keep changing.
	changeMost = 2 * time.Second
	// lostQuiet is the same while class files are missing that were there, and
	// lostMost how long a look is put off for that.
	lostQuiet = 2 * time.Second
	lostMost  = 20 * time.Second
	// pollEvery is how often a session looks for changes by itself, if asked to.
	pollEvery = 2 * time.Second
	// overlayPause is the least time between two overlays while runs record.
	overlayPause = 300 * time.Millisecond
	// followShare is how many times as long as the last overlay, or the last analysis,
	// took no other begins while runs record: the processors are for the tests.
	followShare = 9
	// followPause is the most that such a pause takes.
	followPause = time.Minute
	// othersEvery is how often a session looks for results of other processes.
	othersEvery = 3 * time.Second
)

// Reload implements API.
func (s *Session) Reload(ctx context.Context, p Progress) error {
	if p == nil {
		p = func(int, string) {}
	}
	return s.reload(ctx, p)
}

// reload reads the workspace and shows what the files there give. If the
// workspace is trusted, missing class paths are then resolved and sources that
// are newer than their classes compiled, and the result of that is shown.
func (s *Session) reload(ctx context.Context, p Progress) error {
	s.building.Lock()
	defer s.building.Unlock()
	return s.reloadLocked(ctx, p)
}

// reloadLocked is reload; building is held.
func (s *Session) reloadLocked(ctx context.Context, p Progress) (err error) {
	if s.life.Err() != nil {
		return ErrClosed
	}
	defer s.doing("analysing")()
	s.refiner.hold()
	defer s.refiner.release()
	s.refiner.stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	changed := s.changes.take() // what changes from here on is for the next one
	defer func() {
		if err != nil && changed && ctx.Err() != nil {
			s.changes.add(nil) // cancelled: the changes have not been looked at
		}
	}()
	ws, err := discovery.Open(ctx, s.roots, workspace.Options{MayUseJDK: s.mayUseJDK})
	if err != nil {
		return err
	}
	ws = buildtool.Recall(ctx, ws, s.cache) // what an earlier session was allowed to ask the build tool
	// Somebody may look at the workspace as it is while the build tool and the compiler work.
	first := s.View().Snap == nil && !s.opt.Once
	stale := staleSources(ws)
	if due := s.trusted() && (len(stale) > 0 || incomplete(ws)); !due || first {
		kept, sets, err := ws, []buildtool.SetResult(nil), error(nil)
		if len(stale) > 0 {
			kept, sets, err = buildtool.KeptWorkspace(ctx, s.compiler, ws) // what an earlier session compiled
		}
		if err == nil && kept != ws {
			stale = staleSources(kept)
		}
		if err == nil {
			err = s.analyse(ctx, kept, stale, currentSources(nil, sets), p)
		}
		if err != nil && (!due || ctx.Err() != nil) {
			return err
		}
		if !due {
			return nil
		}
	}
	built, compiled, problems, err := s.build(ctx, ws, p)
	if err != nil {
		return err
	}
	built.Problems = append(built.Problems, problems...)
	return s.analyse(ctx, built, staleSources(built), compiled, p)
}

// incomplete tells whether a class path lacks something.
func incomplete(ws *workspace.Workspace) bool {
	return slices.ContainsFunc(ws.Modules, func(m *workspace.Module) bool { return !m.ClassPathComplete })
}

// staleSources are the sources that are newer than their classes.
func staleSources(ws *workspace.Workspace) map[string]bool {
	stale := map[string]bool{}
	for _, m := range ws.Modules {
		f := m.SourcesNewerThanClasses()
		for _, path := range append(f.MainChanged, f.TestChanged...) {
			stale[path] = true
		}
	}
	return stale
}

// build resolves class paths and compiles. A failure of the build tool is a
// problem, not an error: the analysis goes on with what is there. compiled has
// the sources that were looked at, and whether their classes are those of their
// present text.
func (s *Session) build(ctx context.Context, ws *workspace.Workspace,
	p Progress) (_ *workspace.Workspace, compiled map[string]bool, _ []workspace.Problem, _ error) {
	var problems []workspace.Problem
	say := func(text string) { p(-1, text) }
	incomplete, stale := false, false
	for _, m := range ws.Modules {
		incomplete = incomplete || !m.ClassPathComplete
		stale = stale || m.SourcesNewerThanClasses().Stale()
	}
	if key := buildFilesKey(ws); incomplete && key == s.unresolved.key.Load() {
		problems = append(problems, s.unresolved.problem)
	} else if incomplete {
		stop := s.doing("resolving class paths")
		resolved, err := buildtool.Resolve(ctx, ws, buildtool.ResolveOptions{CacheDir: s.cache, Progress: say})
		stop()
		if ctx.Err() != nil {
			return nil, nil, nil, ctx.Err()
		}
		if err != nil {
			problems = append(problems, s.unresolved.set(key,
				workspace.Problem{Severity: workspace.Warning, Message: notResolved + err.Error(), File: ws.Root}))
		}
		if resolved != nil {
			ws = buildtool.Recall(ctx, resolved, s.cache) // Resolve has read it again
		}
	}
	if stale {
		stop := s.doing("compiling")
		replaced, sets, err := buildtool.CompileWorkspace(ctx, s.compiler, ws, say)
		stop()
		if err != nil {
			return nil, nil, nil, err
		}
		if slices.ContainsFunc(ws.Modules, buildtool.LacksGenerated) && unresolvedNames(sets) {
			stop := s.doing("generating sources")
			generated, lacking := s.generate(ctx, ws, say)
			stop()
			if ctx.Err() != nil {
				return nil, nil, nil, ctx.Err()
			}
			problems = append(problems, lacking...)
			if generated != nil {
				stop := s.doing("compiling")
				replaced, sets, err = buildtool.CompileWorkspace(ctx, s.compiler, generated, say)
				stop()
				if err != nil {
					return nil, nil, nil, err
				}
			}
		}
		ws, compiled = replaced, currentSources(map[string]bool{}, sets)
		for _, set := range sets {
			if set.Err != nil {
				problems = append(problems,
					workspace.Problem{Severity: workspace.Warning, Message: notCompiled + set.Err.Error(),
						File: ws.Root})
			}
			problems = append(problems, compileProblems(set, missingCause(ws, sets, set))...)
		}
	}
	return ws, compiled, problems, nil
}

// refusal is what a build tool could not do: it is not asked again until what decides it
// changes or somebody asks for a run.
type refusal struct {
	key     atomic.Uint64     // of the build files (buildFilesKey) and the generators' inputs; 0: nothing was refused
	problem workspace.Problem // says what, and why
}

func (r *refusal) set(key uint64, p workspace.Problem) workspace.Problem {
	r.problem = p
	r.key.Store(key)
	return p
}

// unresolvedNames tells whether a compiler has missed classes or members of some.
func unresolvedNames(sets []buildtool.SetResult) bool {
	return slices.ContainsFunc(sets, func(set buildtool.SetResult) bool {
		return slices.ContainsFunc(set.Diagnostics,
			func(d buildtool.Diagnostic) bool { return d.Severity == workspace.Error && missingName(d.Code) })
	})
}

// missingName tells whether the compiler's code says that a name stands for nothing.
func missingName(code string) bool {
	return strings.HasPrefix(code, "compiler.err.cant.resolve") ||
		strings.HasPrefix(code, "compiler.err.doesnt.exist") ||
		strings.HasPrefix(code, "compiler.err.cant.access")
}

// generate has the build generate the sources that modules lack, of which there is one. The answer
// is nil if it generates none; the problem then names the plug-ins and the way out.
func (s *Session) generate(ctx context.Context, ws *workspace.Workspace,
	say func(string)) (*workspace.Workspace, []workspace.Problem) {
	key := buildFilesKey(ws, buildtool.GeneratorInputs(ws))
	if key == s.ungenerated.key.Load() {
		return nil, []workspace.Problem{s.ungenerated.problem}
	}
	generated, err := buildtool.Generate(ctx, ws, buildtool.ResolveOptions{CacheDir: s.cache, Progress: say})
	if ctx.Err() != nil {
		return nil, nil
	}
	var lack *workspace.Module // the first
	made := false
	for i, m := range ws.Modules {
		if buildtool.LacksGenerated(m) {
			if lack == nil {
				lack = m
			}
			made = made || generated != nil && !buildtool.LacksGenerated(generated.Modules[i])
		}
	}
	var problems []workspace.Problem
	if err != nil {
		problems = append(problems, s.ungenerated.set(key,
			workspace.Problem{Severity: workspace.Warning, File: lack.BuildFiles[0], Message: fmt.Sprintf(
				"sources that the build generates (%s) are missing; `mvn generate-test-sources` makes them: %v",
				strings.Join(lack.Generators, ", "), err)}))
	}
	if !made {
		return nil, problems
	}
	return generated, problems
}

// missingCause says why classes that a source set names are missing, where the reason lies
// elsewhere than in its sources; "" if it does not.
func missingCause(ws *workspace.Workspace, sets []buildtool.SetResult, set buildtool.SetResult) string {
	m := ws.Module(set.Module)
	if m == nil {
		return ""
	}
	if !m.ClassPathComplete {
		return "the class path of " + m.Name + " is not complete"
	}
	if buildtool.LacksGenerated(m) {
		return "sources that the build generates are missing"
	}
	fails := func(name string) bool {
		return slices.ContainsFunc(sets, func(o buildtool.SetResult) bool {
			return o.Module == name && o.Set == buildtool.Main && (o.Err != nil || len(o.Failed) > 0)
		})
	}
	for _, name := range m.DependsOn {
		if fails(name) {
			return "not all of " + name + " compiles"
		}
	}
	if set.Set != buildtool.Main && fails(m.Name) {
		return "not all of its main code compiles"
	}
	return ""
}

// compileProblems are the compiler's errors on a source set. With a cause for missing classes
// (missingCause) the errors about these are one problem.
func compileProblems(set buildtool.SetResult, cause string) []workspace.Problem {
	var problems []workspace.Problem
	follow, at := 0, -1 // errors that follow, and the problem that stands for them
	for _, d := range set.Diagnostics {
		if d.Severity != workspace.Error {
			continue
		}
		if cause != "" && (missingName(d.Code) || d.Code == "compiler.err.method.does.not.override.superclass") {
			if follow++; follow > 1 {
				continue
			}
			at = len(problems)
		}
		problems = append(problems, workspace.Problem{Severity: workspace.Error, Message: d.Message, File: d.File,
			Line: d.Line})
	}
	if follow > 1 {
		problems[at].Message += fmt.Sprintf(" (and %d more such errors: %s)", follow-1, cause)
	}
	return problems
}

// currentSources adds the sources of some source sets, by path, and whether their
// classes are those of their present text.
func currentSources(m map[string]bool, sets []buildtool.SetResult) map[string]bool {
	for _, set := range sets {
		for source := range set.Classes {
			if m == nil {
				m = map[string]bool{}
			}
			m[source] = set.Err == nil && !slices.Contains(set.Failed, source)
		}
	}
	return m
}

// buildFilesKey digests the files that decide a workspace's class paths, by name,
// size and time, and what else is given; it is not 0.
func buildFilesKey(ws *workspace.Workspace, more ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, more)
	for _, f := range buildtool.DecidingFiles(ws.Root, ws.Modules) {
		if info, err := os.Stat(f); err == nil {
			fmt.Fprintln(h, f, info.Size(), info.ModTime().UnixNano())
		}
	}
	return h.Sum64() | 1
}

// analyse makes a snapshot and publishes it with the results laid over it. A
// source is stale if the compiler says so (compiled, by path), and where it was
// not asked, if its file is newer than its classes (stale): a class that comes out
// as it was keeps its older time.
func (s *Session) analyse(ctx context.Context, ws *workspace.Workspace, stale, compiled map[string]bool,
	p Progress) error {
	s.state.Lock()
	set := s.state.settings
	s.state.Unlock()
	if t := ws.Config.Studied; t != nil {
		set = set.Or(snapshot.Settings{CallGraph: t.CallGraph, Exceptions: t.Exceptions, Sites: t.Sites,
			EntryPoints: t.EntryPoints})
	}
	cfg, err := set.Config()
	if err != nil {
		ws.Problems = append(ws.Problems,
			workspace.Problem{Severity: workspace.Warning, Message: err.Error(), File: ws.Config.File})
	}
	for path, current := range compiled {
		stale[path] = !current
	}
	if err := s.store.Refresh(); err != nil { // what other servers and the command line recorded
		s.log.Warn("results of other processes", "error", err)
	}
	observed, began := s.observed(ws), time.Now()
	snap, err := s.makeSnapshot(ctx, ws, cfg, snapshot.Options{
		Cache: s.facts, Digests: s.hashes, StaleSources: stale, Progress: func(text string) { p(-1, text) },
		Extra: observed.Extra, Generated: observed.Generated, Edits: !s.opt.Once, Number: s.numbers.Add(1),
	})
	if err != nil {
		return err
	}
	s.setEnvs(ws)
	s.publish(snap, s.lay(snap))
	s.following.shown.Store(observed.Version)
	s.following.next.Store(time.Now().Add(followingPause(time.Since(began))).UnixNano())
	s.log.Info("analysed", "snapshot", snap.Number, "classes", snap.Stats.Classes, "methods", snap.Stats.Methods,
		"links", snap.Stats.Links,
		"scan", snap.Stats.ScanSeconds, "graph", snap.Stats.GraphSeconds, "flow", snap.Stats.FlowSeconds, "total",
		snap.Stats.TotalSec, "reused", snap.Stats.Reuse)
	s.events.tell(SnapshotChanged)
	s.wakeOverlay() // what was recorded while the overlay was made
	return nil
}

// publish shows a snapshot. The judgements are read now: the user may have judged
// since the analysis began.
func (s *Session) publish(snap *snapshot.Snapshot, overlay *results.Overlay) {
	s.judging.Lock()
	defer s.judging.Unlock()
	cfg, _ := workspace.LoadConfig(snap.Workspace.Root) // its problems are the snapshot's
	s.replaceView(func(v *codelens.View) {
		v.Snap, v.Results = snap, overlay
		v.Judge(cfg)
	})
}

// upToDate makes sure that a campaign runs what is on disk now.
func (s *Session) upToDate(ctx context.Context, p Progress) error {
	s.unresolved.key.Store(0)
	s.ungenerated.key.Store(0)
	v := s.View()
	if v.Snap != nil && !s.changes.pending() {
		changed := !buildtool.GeneratedCurrent(v.Snap.Workspace, buildtool.ResolveOptions{CacheDir: s.cache})
		for _, m := range v.Snap.Workspace.Modules {
			changed = changed || !m.ClassPathComplete || m.SourcesNewerThanClasses().Stale()
		}
		if !changed {
			return nil
		}
	}
	if err := s.reload(ctx, p); err != nil {
		return err
	}
	if s.View().Snap == nil {
		return fmt.Errorf("%s: nothing could be analysed", s.roots[0])
	}
	return nil
}

// keepOverlay lays results over the snapshot as they are recorded, by this
// session or, a little later, by another process.
func (s *Session) keepOverlay() {
	defer s.work.Done()
	others := time.NewTicker(othersEvery)
	defer others.Stop()
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.overlay:
		case <-others.C:
			if err := s.store.Refresh(); err != nil {
				s.log.Debug("results of other processes", "error", err)
			}
		}
		began := time.Now()
		s.layNow()
		pause := followingPause(time.Since(began))
		s.followObserved()
		select {
		case <-s.life.Done():
			return
		case <-time.After(max(pause, overlayPause)):
		}
	}
}

// followingPause is how long what follows a run waits after it has taken took.
func followingPause(took time.Duration) time.Duration { return min(followShare*took, followPause) }

func (s *Session) wakeOverlay() {
	select {
	case s.overlay <- struct{}{}:
	default:
	}
}

func (s *Session) layNow() {
	v := s.View()
	if v.Snap == nil || v.Results != nil && v.Results.Version == s.store.Version() &&
		v.Results.Partial == (len(s.partial()) > 0) {
		return
	}
	o := s.lay(v.Snap)
	s.replaceView(func(now *codelens.View) {
		if now.Snap == v.Snap && (now.Results == nil || now.Results.Version <= o.Version) {
			now.Results = o
		}
	})
	s.events.tell(ResultsChanged)
}

// changeQueue collects paths that have changed.
type changeQueue struct {
	mu    sync.Mutex
	paths []string
	due   bool
	wake  chan struct{}
}

func (q *changeQueue) channel() chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.wake == nil {
		q.wake = make(chan struct{}, 1)
	}
	return q.wake
}

func (q *changeQueue) add(paths []string) {
	wake := q.channel()
	q.mu.Lock()
	q.paths = append(q.paths, paths...)
	q.due = true
	q.mu.Unlock()
	select {
	case wake <- struct{}{}:
	default:
	}
}

// take empties the queue and tells whether there was something in it.
func (q *changeQueue) take() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	due := q.due
	q.paths, q.due = nil, false
	return due
}

func (q *changeQueue) pending() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.due
}

// FilesChanged implements API.
func (s *Session) FilesChanged(paths []string) {
	for _, p := range paths {
		if relevant(p) && s.inside(p) {
			s.changes.add(paths)
			return
		}
	}
}

func (s *Session) inside(path string) bool {
	for _, r := range s.roots {
		if rel, err := filepath.Rel(r, path); err == nil && rel != ".." &&
			!strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// relevant tells whether a file can change an analysis.
func relevant(path string) bool {
	switch filepath.Ext(path) {
	case ".java", ".class", ".jar":
		return true
	}
	return buildtool.IsBuildFile(path)
}

// followChanges makes a new snapshot when files have changed and are quiet.
func (s *Session) followChanges() {
	defer s.work.Done()
	wake := s.changes.channel()
	var tick <-chan time.Time
	if s.opt.Poll {
		t := time.NewTicker(pollEvery)
		defer t.Stop()
		tick = t.C
	}
	seen := s.fingerprint()
	for {
		select {
		case <-s.life.Done():
			return
		case <-tick:
			if s.fingerprint() == seen {
				continue
			}
			s.changes.add(nil)
			continue
		case <-wake:
		}
		if !s.quiet(wake) {
			return
		}
		if seen = s.settled(seen); s.life.Err() != nil {
			return
		}
		if err := s.reloadChanged(); err != nil && s.life.Err() == nil {
			s.log.Error("analysing after a change", "error", err)
		}
	}
}

// reloadChanged analyses again unless somebody else has, since the change.
func (s *Session) reloadChanged() error {
	s.building.Lock()
	defer s.building.Unlock()
	if !s.changes.pending() {
		return nil
	}
	return s.reloadLocked(s.life, func(int, string) {})
}

func (s *Session) quiet(wake <-chan struct{}) bool {
	most := time.After(changeMost)
	for {
		select {
		case <-s.life.Done():
			return false
		case <-most:
			return true
		case <-time.After(changeQuiet):
			return true
		case <-wake:
		}
	}
}

// settled waits until files are left alone by those who write them, and returns
// what they look like then; seen is how they looked at the last analysis. A tool
// that builds (jdt.ls, Maven) removes class files and writes them again, with
// pauses between; half of them would give wrong links for a moment. So while there
// are fewer than before, files must keep still for longer.
func (s *Session) settled(seen look) look {
	end := time.Now().Add(lostMost)
	now, since := s.fingerprint(), time.Now()
	for {
		need := changeQuiet
		if now.classes < seen.classes {
			need = lostQuiet
		}
		if rest := need - time.Since(since); rest <= 0 || time.Now().After(end) {
			return now // before the analysis: what changes meanwhile is seen after it
		}
		select {
		case <-s.life.Done():
			return now
		case <-time.After(changeQuiet):
		}
		if next := s.fingerprint(); next != now {
			now, since = next, time.Now()
		}
	}
}

// look is what the files that matter look like.
type look struct {
	digest  uint64
	classes int // how many class files there are
}

// fingerprint digests names, sizes and times of the files that matter.
func (s *Session) fingerprint() look {
	h, classes := fnv.New64a(), 0
	for _, root := range s.roots {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if d.IsDir() {
				switch d.Name() {
				case ".git", "node_modules", ".gradle", ".idea":
					return filepath.SkipDir
				}
				return nil
			}
			if relevant(path) {
				if info, err := d.Info(); err == nil {
					fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
				}
				if filepath.Ext(path) == ".class" {
					classes++
				}
			}
			return nil
		})
	}
	return look{h.Sum64(), classes}
}
