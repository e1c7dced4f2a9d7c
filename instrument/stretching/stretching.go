package stretching

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/instrument/worker"
)

// stretching is a catch with what it is stretched to.
type stretching struct {
	catch *snapshot.Catch
	to    string // source form
}

func (s stretching) String() string { return s.catch.ID + " to " + s.to }

// Stretching is what is asked of the runs with stretched catches of a module's tests, and what came
// of it. It is run once.
type Stretching struct {
	Lab    *lab.Lab
	Snap   *snapshot.Snapshot
	Memory record.Memory  // of earlier runs, and where records go
	Recall *recall.Recall // of the same

	Independent map[string]bool         // IDs of the catches that are source-independent
	Asked       func(catch string) bool // whether a catch, by ID, is stretched
	Again       bool                    // even what is known and current is run

	byTest map[string]*record.TestRun

	mu      sync.Mutex
	plain   map[string]*record.Stretched // tests run alone as they are
	alone   []stretching                 // those that may be stretched, each by itself
	bundles int                          // of stretched classes that were written
	runs    int
	// out are those that a run with others has ruled out, as String names them.
	out map[string]bool
	// made are the records of this campaign, which later rounds need not make again even
	// where the scope asks for what is known.
	made map[madeRun]bool
}

// Runs is how many runs with stretched catches there were.
func (s *Stretching) Runs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs
}

// madeRun names a record: a catch, what it is stretched to and a test, or a test and the
// stretched catches, separated by line ends.
type madeRun struct{ catch, to, test, with string }

// known recalls a record of the present code that need not be made again.
func (s *Stretching) known(catch, to, test string, with []string) (*record.Stretched, bool) {
	if s.Again {
		s.mu.Lock()
		made := s.made[madeRun{catch, to, test, strings.Join(with, "\n")}]
		s.mu.Unlock()
		if !made {
			return nil, false
		}
	}
	return s.Memory.Stretched(catch, to, test, with, s.Lab.Env, s.Recall.Current)
}

// put records what was made, with the catch or the catches that it is about.
func (s *Stretching) put(f *record.Stretched) error {
	k := madeRun{catch: f.Catch, to: f.To, test: f.Test}
	if f.Catch == "" {
		k.with = strings.Join(f.With, "\n")
	}
	if err := s.Memory.PutStretched(f); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[k] = true // and not before: what an earlier campaign recorded is not taken for it
	return nil
}

// phase is what a campaign calls the runs.
const phase = "stretching"

// Run runs tests with stretched catches, of a baseline's runs. The error is that of a JVM that does
// not start, of the memory, or of ctx; what was recorded until then stays.
func (s *Stretching) Run(ctx context.Context, runs []*record.TestRun) error {
	s.byTest, s.plain = map[string]*record.TestRun{}, map[string]*record.Stretched{}
	s.out, s.made = map[string]bool{}, map[madeRun]bool{}
	entered, caught := map[string][]*record.TestRun{}, map[string]bool{}
	for _, run := range runs {
		if run.Stable() {
			s.byTest[run.Test] = run
			for id, u := range run.Usages {
				if u.Total() > 0 {
					entered[id] = append(entered[id], run)
				}
				caught[id] = caught[id] || u.White > 0
			}
		}
	}
	var open []*snapshot.Catch
	for _, c := range s.Snap.Catches {
		if s.Independent[c.ID] && !c.InTests && caught[c.ID] && s.Asked(c.ID) {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return nil
	}
	s.Lab.Monitor().Begin(phase, len(open))
	for range maxTogether {
		if err := s.each(ctx, open, entered); err != nil {
			return err
		}
		narrower, err := s.together(ctx)
		if err != nil || len(narrower) == 0 {
			return err
		}
		open = narrower
		s.Lab.Monitor().Begin(phase, len(open))
	}
	return nil
}

// maxTogether is how often catches are stretched together: what that rules out is tried with
// narrower types.
const maxTogether = 4

// each finds the widest types of catches.
func (s *Stretching) each(ctx context.Context, open []*snapshot.Catch, entered map[string][]*record.TestRun) error {
	q := lab.NewShare(open)
	return s.Lab.Parallel(ctx, len(open), func(ctx context.Context) error {
		for {
			c, ok := q.Take(nil)
			if !ok {
				return nil
			}
			if err := s.catch(ctx, c, entered[c.ID]); err != nil {
				return err
			}
			s.Lab.Monitor().Step("", record.ShortCatch(c.ID), 1)
		}
	})
}

// catch finds the widest type that a catch may take, of those that are not ruled out.
func (s *Stretching) catch(ctx context.Context, c *snapshot.Catch, tests []*record.TestRun) error {
	var blue []*record.TestRun
	for _, t := range tests {
		if t.Usages[c.ID].Blue > 0 {
			blue = append(blue, t)
		}
	}
	for _, t := range shortcircuit.Widenings(s.Snap, c).To {
		x := stretching{c, t}
		if s.out[x.String()] {
			continue
		}
		form, err := s.form(x)
		if err != nil {
			return err
		}
		if form.Outcome == record.Skipped {
			return nil // nor would another type change that
		}
		if form.Outcome != record.Pass {
			continue
		}
		safe, err := s.tests(ctx, x, blue)
		if err != nil {
			return err
		}
		if safe {
			s.mu.Lock()
			s.alone = append(s.alone, x)
			s.mu.Unlock()
			return nil
		}
	}
	return nil
}

// form records whether a stretched class can be made.
func (s *Stretching) form(x stretching) (*record.Stretched, error) {
	if known, ok := s.known(x.catch.ID, x.to, "", nil); ok {
		return known, nil
	}
	f := &record.Stretched{Trial: record.Trial{
		Catch: x.catch.ID, Module: s.Lab.Module.Name, Env: s.Lab.Env, Outcome: record.Pass, At: time.Now(),
	}, To: x.to, Confirmed: true}
	for _, h := range x.catch.Handlers {
		if info := s.Snap.Class(h.Class); info != nil && h.Method < len(info.Facts.Methods) {
			m := &info.Facts.Methods[h.Method]
			f.Deps = record.Union(f.Deps,
				[]record.MethodID{s.Memory.Intern(record.MethodKey{Class: h.Class, Method: m.Name + m.Desc,
					Digest: m.CodeDigest})})
		}
	}
	_, err := s.classes([]stretching{x})
	var narrow *rewrite.NarrowUse
	switch {
	case errors.As(err, &narrow):
		f.Outcome, f.Message = record.Fail, narrow.Error()
	case err != nil:
		f.Outcome, f.Message = record.Skipped, err.Error()
	}
	return f, s.put(f)
}

// classes makes the stretched classes, with their probes, by internal name.
func (s *Stretching) classes(list []stretching) (map[string]worker.BundleEntry, error) {
	snap := s.Snap
	byClass := map[string][]rewrite.Stretching{}
	for _, x := range list {
		for _, h := range x.catch.Handlers {
			byClass[h.Class] = append(byClass[h.Class],
				rewrite.Stretching{Method: h.Method, Handler: h.Handler, To: strings.ReplaceAll(x.to, ".", "/")})
		}
	}
	factsOf := func(n string) *facts.Class { f, _ := snap.Facts(n); return f }
	out := map[string]worker.BundleEntry{}
	for name, handlers := range byClass {
		info := snap.Class(name)
		if info == nil {
			return nil, fmt.Errorf("the class %s is not there", name)
		}
		data, err := snap.ClassBytes(name)
		if err != nil {
			return nil, err
		}
		wide, err := rewrite.Stretch(data, info.Facts, handlers, factsOf)
		if err != nil {
			return nil, err
		}
		p := plan.ForClass(info.Facts, plan.Full)
		r, err := rewrite.Rewrite(wide, p)
		if err != nil {
			return nil, err
		}
		if r.ClassNumberOffset < 0 {
			return nil, fmt.Errorf("%s can carry no probes", name)
		}
		out[name] = lab.BundleEntry(name, data, r, p)
	}
	return out, nil
}

// start starts a JVM with stretched classes.
func (s *Stretching) start(ctx context.Context, list []stretching) (*worker.JVM, error) {
	if len(list) == 0 {
		return s.Lab.Start(ctx, lab.Setup{Light: true})
	}
	classes, err := s.classes(list)
	if err != nil {
		return nil, err
	}
	var entries []worker.BundleEntry
	for _, e := range classes {
		entries = append(entries, e)
	}
	s.mu.Lock()
	s.bundles++
	n := s.bundles
	s.mu.Unlock()
	b, err := s.Lab.WriteBundle(fmt.Sprintf("stretched%d", n), entries)
	if err != nil {
		return nil, err
	}
	return s.Lab.Start(ctx, lab.Setup{Light: true, Bundles: []lab.Bundle{b}})
}

// tests runs the tests through which exceptions left the try of a catch, with the
// catch stretched. safe: all of them that decide anything pass.
func (s *Stretching) tests(ctx context.Context, x stretching, tests []*record.TestRun) (safe bool, err error) {
	var open []*record.TestRun
	safe = true
	for _, t := range tests {
		if known, ok := s.known(x.catch.ID, x.to, t.Test, nil); ok {
			safe = safe && (known.Outcome == record.Pass || known.Outcome == record.Flaky)
			continue
		}
		open = append(open, t)
	}
	if len(open) == 0 || !safe {
		return safe, nil // one that fails is enough
	}
	records, err := s.run(ctx, []stretching{x}, open)
	for _, f := range records {
		f.Catch, f.To, f.With = x.catch.ID, x.to, nil
		safe = safe && (f.Outcome == record.Pass || f.Outcome == record.Flaky)
		if err := s.put(f); err != nil {
			return false, err
		}
	}
	return safe && err == nil, err
}

// maxConfirmed is how many failing runs of a batch are looked into before the others
// stay unconfirmed.
const maxConfirmed = 5

// run runs tests with stretched classes in a JVM of their own, and confirms failures
// alone: of one stretching the first that holds there, of several each.
func (s *Stretching) run(ctx context.Context, list []stretching, tests []*record.TestRun) ([]*record.Stretched, error) {
	records, err := s.batch(ctx, list, tests)
	if err != nil {
		return nil, err
	}
	looked := 0
	for _, f := range records {
		if !f.Outcome.Failed() || looked == maxConfirmed {
			continue
		}
		looked++
		if err := s.confirm(ctx, list, f, len(tests) == 1); err != nil {
			return nil, err
		}
		if f.Confirmed && f.Outcome.Failed() && len(list) == 1 {
			break // one is enough to rule it out
		}
	}
	return records, nil
}

// confirm runs the test of a failing record alone in a fresh JVM with the stretched
// classes, unless that is what it shows, and, if it fails there, in one with the
// original ones.
func (s *Stretching) confirm(ctx context.Context, list []stretching, f *record.Stretched, wasAlone bool) error {
	t := []*record.TestRun{s.byTest[f.Test]}
	if !wasAlone {
		again, err := s.batch(ctx, list, t)
		if err != nil || len(again) != 1 {
			return err
		}
		*f = *again[0]
		if !f.Outcome.Failed() {
			f.Confirmed = true
			return nil
		}
	}
	plain, err := s.unstretched(ctx, t[0])
	if err != nil || plain == nil {
		return err
	}
	if plain.Outcome != record.Pass {
		f.Outcome, f.Message = record.Flaky, "the test does not pass when it is run by itself: "+plain.Message
		return nil
	}
	f.Confirmed = true
	return nil
}

// unstretched is what a test shows alone in a fresh JVM as it is; it is run once.
func (s *Stretching) unstretched(ctx context.Context, t *record.TestRun) (*record.Stretched, error) {
	s.mu.Lock()
	known := s.plain[t.Test]
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	records, err := s.batch(ctx, nil, []*record.TestRun{t})
	if err != nil || len(records) != 1 {
		return nil, err
	}
	s.mu.Lock()
	s.plain[t.Test] = records[0]
	s.mu.Unlock()
	return records[0], nil
}

// batch runs tests with stretched classes; a JVM that ends is replaced.
func (s *Stretching) batch(ctx context.Context, list []stretching,
	tests []*record.TestRun) ([]*record.Stretched, error) {
	if err := s.Lab.Monitor().Gate(ctx); err != nil {
		return nil, err
	}
	j, err := s.start(ctx, list)
	if err != nil {
		return nil, err
	}
	defer func() { j.Close() }()
	var out []*record.Stretched
	byID := map[string]*record.TestRun{}
	var ids []string
	for _, t := range tests {
		byID[t.ID] = t
		ids = append(ids, t.ID)
	}
	for len(ids) > 0 {
		res, err := s.Lab.Run(ctx, j, worker.Request{Tests: ids, Timeout: lab.TimeLimit(tests, true)})
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, fmt.Errorf("running tests with stretched catches: %w", err)
		}
		read := s.Lab.Reader()
		for i := range res.Tests {
			if t := byID[res.Tests[i].ID]; t != nil {
				out = append(out, s.record(read, list, t, &res.Tests[i]))
				delete(byID, t.ID)
			}
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return byID[id] == nil })
		if res.Died == nil {
			break
		}
		if len(res.Tests) == 0 {
			return nil, res.Died
		}
		if j, err = j.Restart(ctx); err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		t := byID[id]
		out = append(out, s.record(s.Lab.Reader(), list, t,
			&worker.Test{ID: id, Outcome: worker.Missing, Reason: "the test was not there"}))
	}
	s.mu.Lock()
	s.runs += len(out)
	s.mu.Unlock()
	return out, nil
}

// record is what one run showed.
func (s *Stretching) record(read *lab.Reader, list []stretching, t *record.TestRun,
	res *worker.Test) *record.Stretched {
	f := &record.Stretched{
		Trial: record.Trial{
			Test: t.Test, Module: s.Lab.Module.Name, Env: s.Lab.Env, Outcome: lab.OutcomeOf(res.Outcome),
			Message: lab.FailureText(res), Stack: res.Failure.Stack, Duration: res.Duration,
			Deps: read.Entered(t.Methods, &res.Record), At: time.Now(),
		},
	}
	run := read.Run(res)
	wider := map[string]bool{}
	for _, x := range list {
		f.With = append(f.With, x.String())
		if run.Usages[x.catch.ID].White > t.Usages[x.catch.ID].White {
			f.Took = append(f.Took, x.catch.ID)
		}
		for k := range res.Record.Links {
			l := &res.Record.Links[k]
			class := strings.ReplaceAll(l.Exception, "/", ".")
			if c := read.CatchOf(l); c != nil && c.ID == x.catch.ID && !s.takesUnstretched(x.catch, class) {
				wider[class] = true
			}
		}
	}
	for class := range wider {
		f.Exceptions = append(f.Exceptions, class)
	}
	sort.Strings(f.With)
	sort.Strings(f.Took)
	sort.Strings(f.Exceptions)
	if len(list) == 1 {
		f.Below, f.Aside = read.BelowCell(list[0].catch.ID, t, &res.Record)
	}
	switch class := lateClass(list, &res.Record); {
	case f.Outcome == record.Skipped:
		f.Outcome = record.Flaky
		f.Message = "the test is not run by itself"
	case class != "" || strings.Contains(f.Message, "java.lang.VerifyError"):
		f.Outcome = record.NotFired
		f.Message = strings.TrimSpace("the stretched class was not the one that ran " + f.Message)
	}
	return f
}

// takesUnstretched tells whether a catch takes exceptions of a class unstretched.
func (s *Stretching) takesUnstretched(c *snapshot.Catch, class string) bool {
	chain, _ := snapshot.Superclasses(s.Snap, class)
	return slices.ContainsFunc(c.Types, func(t string) bool { return t == class || slices.Contains(chain, t) })
}

// lateClass is a class of stretched catches that the JVM loaded in another form than
// that of its class file, so that it was not the stretched one.
func lateClass(list []stretching, rec *worker.Record) string {
	for i := range rec.Classes {
		n := rec.Classes[i].Class
		for _, x := range list {
			for _, h := range x.catch.Handlers {
				if n.Late && n.Name == h.Class {
					return n.Name
				}
			}
		}
	}
	return ""
}

// together runs, with all catches stretched that may be, the tests in which they could
// meet: those that enter the tries of several of them, and in which an exception left
// one of those by another way. What other tests do has been seen. The result are the catches
// that cannot be stretched so.
func (s *Stretching) together(ctx context.Context) (narrower []*snapshot.Catch, err error) {
	sort.Slice(s.alone, func(i, j int) bool { return s.alone[i].catch.ID < s.alone[j].catch.ID })
	byWith := map[string][]*record.TestRun{}
	lists := map[string][]stretching{}
	var records []*record.Stretched
	for _, name := range sortedTests(s.byTest) {
		t := s.byTest[name]
		var list []stretching
		blue := false
		for _, x := range s.alone {
			if u := t.Usages[x.catch.ID]; u.Total() > 0 {
				list = append(list, x)
				blue = blue || u.Blue > 0
			}
		}
		if len(list) < 2 || !blue {
			continue
		}
		with := withOf(list)
		if known, ok := s.known("", "", t.Test, with); ok && (known.Confirmed || !known.Outcome.Failed()) {
			records = append(records, known)
			continue
		}
		key := strings.Join(with, "\n")
		byWith[key], lists[key] = append(byWith[key], t), list
	}
	made, err := s.runTogether(ctx, byWith, lists)
	if err != nil {
		return nil, err
	}
	for _, f := range append(records, made...) {
		if !f.Outcome.Failed() || !f.Confirmed {
			continue
		}
		for _, x := range s.alone {
			if slices.Contains(f.With, x.String()) && (len(f.Took) == 0 || slices.Contains(f.Took, x.catch.ID)) {
				s.out[x.String()] = true
			}
		}
	}
	s.alone = slices.DeleteFunc(s.alone, func(x stretching) bool {
		if s.out[x.String()] {
			narrower = append(narrower, x.catch)
		}
		return s.out[x.String()]
	})
	return narrower, nil
}

// runTogether runs the tests in one JVM in which all catches are stretched that one of
// them enters.
func (s *Stretching) runTogether(ctx context.Context, byWith map[string][]*record.TestRun,
	lists map[string][]stretching) ([]*record.Stretched, error) {
	var all []stretching
	var tests []*record.TestRun
	with := map[string][]string{} // by test
	for key, ts := range byWith {
		for _, x := range lists[key] {
			if !slices.Contains(all, x) {
				all = append(all, x)
			}
		}
		for _, t := range ts {
			tests = append(tests, t)
			with[t.Test] = withOf(lists[key])
		}
	}
	if len(tests) == 0 {
		return nil, nil
	}
	sort.Slice(tests, func(i, j int) bool { return tests[i].Test < tests[j].Test })
	s.Lab.Monitor().Begin(phase+" together", len(tests))
	records, err := s.run(ctx, all, tests)
	if err != nil {
		return nil, err
	}
	for _, f := range records {
		f.With = with[f.Test]
		if err := s.put(f); err != nil {
			return nil, err
		}
	}
	s.Lab.Monitor().Step("", "", len(tests))
	return records, nil
}

func withOf(list []stretching) (with []string) {
	for _, x := range list {
		with = append(with, x.String())
	}
	sort.Strings(with)
	return with
}

func sortedTests(byTest map[string]*record.TestRun) (names []string) {
	for name := range byTest {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
