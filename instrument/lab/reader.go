package lab

import (
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file turns what probes counted into what the papers speak of: usages of
// tries (paper 001, 3.3.1) and experienced links (paper 000, section 2).

// Reader reads what the probes of one module's JVMs recorded, in one pass of the baseline or
// under injection.
type Reader struct {
	in      *Probes
	module  string // of the records
	env     string
	memory  record.Memory
	log     *slog.Logger
	catches map[exceptions.HandlerRef]*snapshot.Catch // user catches by handler

	// initialised holds, for each catch in a static initialiser that this pass has
	// met, the run it belongs to: a suite runs an initialiser once, in however many
	// JVMs it is run.
	mu          sync.Mutex
	initialised map[string]*record.TestRun
	// numbers of methods in the memory plus one, by method index; 0: not asked for yet
	numbers map[*probed][]record.MethodID

	unknown, lost atomic.Int64 // links to user catches from nobody knows where; events of which something is missing
}

// newReader makes a reader of what JVMs with some probes recorded. Its records are those of a
// module in an environment (record.Environment), and name methods as the memory does.
func newReader(in *Probes, module, env string, memory record.Memory, log *slog.Logger) *Reader {
	r := &Reader{in: in, module: module, env: env, memory: memory, log: log,
		initialised: map[string]*record.TestRun{}, numbers: map[*probed][]record.MethodID{},
		catches: map[exceptions.HandlerRef]*snapshot.Catch{}}
	for _, c := range in.snap.Catches {
		for _, h := range c.Handlers {
			r.catches[h] = c
		}
	}
	return r
}

// Unknown is how many exceptions catches of the user caught of which nothing says where they were
// thrown.
func (r *Reader) Unknown() int { return int(r.unknown.Load()) }

// Lost is how many events JVMs could not record.
func (r *Reader) Lost() int { return int(r.lost.Load()) }

// Count adds what another reader has counted.
func (r *Reader) Count(other *Reader) {
	r.unknown.Add(other.unknown.Load())
	r.lost.Add(other.lost.Load())
}

// Run is the record of one result, without what its fixtures did.
func (r *Reader) Run(t *worker.Test) *record.TestRun {
	run := &record.TestRun{
		Module: r.module, Test: r.in.named(t.Class, TestName(t)), ID: t.ID, Class: t.Class, Env: r.env,
		Outcome: OutcomeOf(t.Outcome),
		Message: FailureText(t), Stack: WithoutFolders(t.Failure.Stack), Duration: t.Duration, Waited: t.Waited,
		Starved: t.Starved,
		Usages:  map[string]record.Usage{}, At: time.Now(), Coverage: r.in.recorded(),
	}
	run.Outcomes, run.Shape = []record.Outcome{run.Outcome}, r.in.Shape(t.Class)
	if t.Item != t.Class {
		run.Asked = t.Item
	}
	r.add(run, &t.Record)
	return run
}

// named is the name of a test of a class, with the execution of the build behind it if another one
// runs the class, too.
func (in *Probes) named(class, test string) string {
	top, _, _ := strings.Cut(class, "$")
	if !in.elsewhere[top] {
		return test
	}
	return test + "@" + in.execution
}

// TestName is how people name a test: class, method, and behind it the name of
// one of several invocations of a parameterised or repeated test.
func TestName(t *worker.Test) string {
	display := strings.TrimPrefix(t.Display, t.Class+"#")
	if t.Method == "" {
		return t.Class + "#" + display
	}
	name := t.Class + "#" + t.Method
	rest, found := strings.CutPrefix(display, t.Method)
	if !found && display != "" && invocation.MatchString(t.ID+display) {
		return name + "[" + display + "]"
	}
	if found && (strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "(") && rest != "()") {
		return name + rest
	}
	return name
}

// invocation tells an invocation of a parameterised test from a test with a
// display name: JUnit Platform says so in the unique id, JUnit 4 numbers it.
var invocation = regexp.MustCompile(`(-invocation|dynamic-test|dynamic-container):|\[\d+`)

// OutcomeOf is how a record calls the outcome of a test: one that was not there was not run.
func OutcomeOf(o worker.Outcome) record.Outcome {
	if o == worker.Missing {
		return record.Skipped
	}
	return record.Outcome(o)
}

// FailureText says in one line how a test ended; the exception that stands for a
// prevented exit is not what a person asks for.
func FailureText(t *worker.Test) string {
	switch {
	case t.Outcome == worker.Exit && t.Reason != "":
		return t.Reason
	case t.Failure.Message != "" && t.Failure.Exception != "":
		return t.Failure.Exception + ": " + WithoutFolders(t.Failure.Message)
	case t.Failure.Exception != "":
		return t.Failure.Exception
	default:
		return t.Reason
	}
}

// add adds what a window's probes saw to a run.
func (r *Reader) add(run *record.TestRun, rec *worker.Record) { r.addSeen(run, r.see(nil, rec)) }

// workspace is the plan of a class of the workspace, nil for a library's: those
// carry throw sites only.
func (r *Reader) workspace(n *worker.Counts) *probed {
	p := r.in.of(n.Class)
	if p == nil || p.plan == nil || r.in.snap.Class(n.Class.Name) == nil {
		return nil
	}
	return p
}

// Entered adds the workspace methods that a window entered to an ascending set of them, and what
// calls on objects of their classes run (snapshot.Dispatch). A set that has them all is returned as
// it is: records share theirs.
func (r *Reader) Entered(have []record.MethodID, rec *worker.Record) []record.MethodID {
	return withMethods(have, r.entered(rec))
}

// withMethods adds methods to an ascending set, which is returned as it is if it has them all.
func withMethods(have, methods []record.MethodID) []record.MethodID {
	var more []record.MethodID
	for _, id := range methods {
		if _, found := slices.BinarySearch(have, id); !found {
			more = append(more, id)
		}
	}
	return record.Union(have, more)
}

// entered lists what Entered adds.
func (r *Reader) entered(rec *worker.Record) (ids []record.MethodID) {
	for i := range rec.Classes {
		n := &rec.Classes[i]
		p := r.workspace(n)
		if p == nil || len(n.Methods) == 0 {
			continue
		}
		for _, m := range n.Methods {
			if id, ok := r.method(p, m); ok {
				ids = append(ids, id)
			}
		}
		if d, ok := r.in.snap.MethodDigest(snapshot.MethodRef{Class: p.facts.Name, Method: snapshot.Dispatch}); ok {
			k := record.MethodKey{Class: p.facts.Name, Method: snapshot.Dispatch, Digest: d}
			ids = append(ids, r.memory.Intern(k))
		}
	}
	return ids
}

// method is the method of a class that has that probe. Of a class that was loaded in another form
// than its class file (by an agent, or a class loader of the program), what ran depends on the
// class file: it is the method there that ran, and a method that only the other form has is none.
func (r *Reader) method(p *probed, m uint16) (record.MethodID, bool) {
	if int(m) >= len(p.facts.Methods) {
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.numbers[p]
	if known == nil {
		known = make([]record.MethodID, len(p.facts.Methods))
		r.numbers[p] = known
	}
	if id := known[m]; id != 0 {
		return id - 1, true
	}
	f := &p.facts.Methods[m]
	k := record.MethodKey{Class: p.facts.Name, Method: f.Name + f.Desc, Digest: f.CodeDigest}
	if p.late {
		d, found := r.in.snap.MethodDigest(snapshot.MethodRef{Class: k.Class, Method: k.Method})
		if !found {
			return 0, false
		}
		k.Digest = d
	}
	id := r.memory.Intern(k)
	known[m] = id + 1
	return id, true
}

// addUsages adds, for each catch of a class, what the executions of its try did.
// What left the try through another catch of the same try is blue for this one.
func (r *Reader) addUsages(s *seen, p *probed, n *worker.Counts) {
	if len(n.Tries) == 0 {
		return
	}
	entered, uncaught, caught := index(n.Tries), index(n.Uncaught), index(n.Caught)
	byTry := map[uint16][]plan.Catch{}
	for _, c := range p.plan.Catches {
		byTry[c.Try] = append(byTry[c.Try], c)
	}
	for try, catches := range byTry {
		total := entered[try]
		if total == 0 {
			continue
		}
		all := uncaught[try]
		for _, c := range catches {
			all += caught[c.N]
		}
		for _, c := range catches {
			user := r.catches[exceptions.HandlerRef{Class: p.facts.Name, Method: int(c.Method),
				Handler: int(c.Handler)}]
			if user == nil {
				continue
			}
			of := s.usages
			if strings.HasPrefix(user.Method, "<clinit>") {
				of = s.initialisers
			}
			white := caught[c.N]
			u := record.Usage{White: white, Blue: all - white, Pink: max(total-all, 0)}
			of[user.ID] = of[user.ID].Add(u)
		}
	}
}

// owns tells whether a run is the first of its pass to reach a catch.
func (r *Reader) owns(run *record.TestRun, catch string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.initialised[catch] == nil {
		r.initialised[catch] = run
	}
	return r.initialised[catch] == run
}

func index(counts []worker.Count) map[uint16]int {
	m := make(map[uint16]int, len(counts))
	for _, c := range counts {
		m[c.N] = c.Times
	}
	return m
}

// CatchOf is the user's catch at which a link ends; nil: it is nobody's.
func (r *Reader) CatchOf(l *worker.Link) *snapshot.Catch {
	p := r.in.of(l.Catch)
	if p == nil || p.plan == nil || int(l.Handler) >= len(p.plan.Catches) {
		return nil
	}
	c := p.plan.Catches[l.Handler]
	return r.catches[exceptions.HandlerRef{Class: p.facts.Name, Method: int(c.Method), Handler: int(c.Handler)}]
}

// experienced names the two ends of a link that a run saw. ok is false if the
// catch is not the user's, or the exception was injected.
func (r *Reader) experienced(l *worker.Link) (record.Experienced, bool) {
	user := r.CatchOf(l)
	if user == nil || l.Site.Kind == worker.Injected {
		return record.Experienced{}, false
	}
	if l.Site.Kind == worker.Unknown {
		return r.nowhere(user, l)
	}
	site := record.SiteRef{Class: l.Site.Name, Method: l.Site.Method, Ordinal: -1, Line: l.Site.Line,
		Kind: string(l.Site.Kind)}
	if l.Site.Kind == worker.Explicit {
		q := r.in.of(l.Site.Class)
		if q == nil {
			return r.nowhere(user, l)
		}
		class, t, ok := q.throwSite(l.Site.N)
		if !ok {
			return r.nowhere(user, l)
		}
		site.Class, site.Method, site.Desc, site.Ordinal, site.Line = r.in.generated.nameOf(class,
			&l.Site.Class.Key), t.Method, t.Desc, t.Ordinal, t.Line
	} else if !r.ofAccessor(&site, l.Exception) {
		site.Class = r.in.generated.nameOf(site.Class, nil)
	}
	if l.Site.Kind == worker.Declared {
		r.declaredSite(&site)
	}
	if l.Site.Kind == worker.Implicit {
		r.explicitBySource(&site, l.Exception)
	}
	return record.Experienced{Site: site, Catch: user.ID, Exception: l.Exception}, true
}

// ofAccessor corrects a site in a class that core reflection has generated, which carries no
// probes. It is that of the native method in whose place it runs, if that may throw the exception;
// if not, the class loses its number.
func (r *Reader) ofAccessor(site *record.SiteRef, exception string) bool {
	native, ok := natives.Accessor(site.Class, site.Method)
	if !ok {
		return false
	}
	row, ok := natives.Model(native.Class, native.Name, "", true)
	if ok && row.ThrowsOneOf(r.withSuperclasses(exception)) {
		site.Class, site.Method, site.Line, site.Kind = native.Class, native.Name, 0, string(worker.Native)
	} else {
		site.Class = stem(site.Class)
	}
	return true
}

// withSuperclasses are the internal names of a class and those above it, as far as they are known.
func (r *Reader) withSuperclasses(class string) []string {
	above, _ := snapshot.Superclasses(r.in.snap, class)
	classes := []string{class}
	for _, c := range above {
		classes = append(classes, strings.ReplaceAll(c, ".", "/"))
	}
	return classes
}

// nowhere counts an exception that a catch caught and of which nothing says where
// it was thrown.
func (r *Reader) nowhere(c *snapshot.Catch, l *worker.Link) (record.Experienced, bool) {
	r.unknown.Add(1)
	r.log.Debug("an exception of unknown origin", "catch", c.ID, "exception", l.Exception, "kind", l.Site.Kind)
	return record.Experienced{}, false
}

// explicitBySource corrects a site that is known by its stack trace alone: if the line has a throw
// of a new object of just that class, it was that throw, in a class that carries no probes. Without
// a line it was the first such throw of the method: a fault struck in its place. What no
// instruction throws by itself came of some throw: which one is not known.
func (r *Reader) explicitBySource(site *record.SiteRef, exception string) {
	var methods []facts.Method
	if f, ok := r.in.snap.Facts(site.Class); ok {
		methods = f.Methods
	}
	for i := range methods {
		m := &methods[i]
		if m.Name != site.Method {
			continue
		}
		for _, t := range m.Throws() {
			for _, s := range t.Sources {
				if (int(t.Line) == site.Line || site.Line <= 0) && s.Kind == facts.NewSource && s.Type == exception {
					site.Desc, site.Ordinal, site.Kind = m.Desc, int(t.Ordinal), string(worker.Explicit)
					return
				}
			}
		}
	}
	if !exceptions.ByInstruction(r.withSuperclasses(exception)) {
		site.Kind = string(worker.Explicit)
	}
}

func throwLine(m *facts.Method, t plan.Throw) int {
	for i := range m.Throws() {
		if m.Throws()[i].Ordinal == t.Ordinal {
			return int(m.Throws()[i].Line)
		}
	}
	return 0
}

// Collect turns the result of a request into records, in its order and without the tests that were
// not there: what fixtures of a class did belongs to each of its tests.
func (r *Reader) Collect(res *worker.RunResult) []*record.TestRun {
	r.in.addExecutions(res)
	fixtures := map[string]*seen{}
	for i := range res.Fixtures {
		f := &res.Fixtures[i]
		fixtures[f.Class] = r.see(fixtures[f.Class], &f.Record)
	}
	var out []*record.TestRun
	for i := range res.Tests {
		t := &res.Tests[i]
		if t.Outcome == worker.Missing {
			continue
		}
		run := r.Run(t)
		containers := t.Containers
		if len(containers) == 0 {
			containers = []string{t.Class}
		}
		for _, c := range containers {
			if s := fixtures[c]; s != nil {
				r.addSeen(run, s)
			}
		}
		out = append(out, run)
	}
	return out
}
