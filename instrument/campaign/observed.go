package campaign

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file keeps what runs saw and class files do not tell (DESIGN D7): classes
// that are generated as tests run (proxies of the JDK, mocks), and methods that
// were entered, or out of which exceptions came, although the call graph does not reach them.

// observe records the generated classes that were met since it was last called, the methods that
// runs entered or whose exceptions they caught and the call graph does not reach, and the
// constructors of classes with tests that other tests entered.
func (r *moduleRun) observe(runs []*record.TestRun) error {
	o := record.Observed{Module: r.lab.Module.CodeName(),
		ClassPath: record.ClassPathKey(r.lab.Module, r.c.Options.Digests), At: time.Now()}
	for name, data := range r.lab.Probes.TakeGenerated() {
		o.Class, o.Data = name, data
		if err := r.c.Memory.PutObserved(o); err != nil {
			return err
		}
	}
	o.Data = nil
	entered := append(record.MethodSets(runs), r.struck.all())
	for _, m := range slices.Concat(r.unreached(entered), r.madeElsewhere(runs)) {
		o.Class, o.Method = m.Class, m.Method
		if err := r.c.Memory.PutObserved(o); err != nil {
			return err
		}
	}
	for _, t := range r.thrownUnreached(runs) {
		o.Class, o.Method = t.method.Class, t.method.Method
		for _, h := range t.catch.Handlers {
			class := r.c.Snap.Class(h.Class)
			if class == nil || h.Method >= len(class.Facts.Methods) {
				continue
			}
			by := &class.Facts.Methods[h.Method]
			o.ByClass, o.ByMethod, o.Handler, o.ByCode = h.Class, by.Name+by.Desc, h.Handler, by.CodeDigest
			if err := r.c.Memory.PutObserved(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// sees observes what the first repetition of the baseline has seen, now and then.
func (r *moduleRun) sees(runs []*record.TestRun) error {
	due := r.seen.add(runs, time.Now())
	if len(due) == 0 {
		return nil
	}
	return r.observe(due)
}

// firstObserved is how long after its begin a first baseline tells what it has observed; the next
// time is twice as long after that, as each has the workspace analysed anew.
const firstObserved = 30 * time.Second

// sightings paces what a baseline that goes on tells of what it has observed.
type sightings struct {
	mu    sync.Mutex
	runs  []*record.TestRun
	since time.Time
	pause time.Duration
}

// add notes runs, and answers those that are to be observed at the given time: all since
// the last answer, or none.
func (s *sightings) add(runs []*record.TestRun, now time.Time) (due []*record.TestRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, runs...)
	if s.since.IsZero() {
		s.since, s.pause = now, firstObserved
	}
	if now.Sub(s.since) < s.pause {
		return nil
	}
	due, s.runs = s.runs, nil
	s.since, s.pause = now, 2*s.pause
	return due
}

// enteredStruck collects the methods that runs with faults entered, and the links that they
// experienced.
type enteredStruck struct {
	mu      sync.Mutex
	methods map[record.MethodID]bool
	links   map[record.Experienced]bool
}

func (e *enteredStruck) add(set []record.MethodID, links []record.Experienced) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.methods == nil {
		e.methods, e.links = map[record.MethodID]bool{}, map[record.Experienced]bool{}
	}
	for _, id := range set {
		e.methods[id] = true
	}
	for _, l := range links {
		e.links[l] = true
	}
}

// seen returns the links, in no order.
func (e *enteredStruck) seen() []record.Experienced {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Keys(e.links))
}

// all returns the methods, ascending.
func (e *enteredStruck) all() []record.MethodID {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.methods))
}

// unreached lists the methods of the snapshot that runs entered and the call
// graph does not reach.
func (r *moduleRun) unreached(sets [][]record.MethodID) []snapshot.MethodRef {
	var out []snapshot.MethodRef
	for k := range r.recall.Methods(slices.Values(sets)) {
		ref := snapshot.MethodRef{Class: k.Class, Method: k.Method}
		if d, ok := r.c.Snap.MethodDigest(ref); k.Method != snapshot.Dispatch && ok && d == k.Digest &&
			!r.c.Snap.Reaches(ref) {
			r.c.Options.Log.Debug("entered, not reached", "class", k.Class, "method", k.Method)
			out = append(out, ref)
		}
	}
	return out
}

// thrown is a method out of which an exception came, and the catch that caught it.
type thrown struct {
	method snapshot.MethodRef
	catch  *snapshot.Catch
}

// thrownUnreached lists the methods whose exceptions runs caught and that the call graph does not
// reach, or does so only because of what runs observed, or of which a library calls that of the
// workspace and nobody else, with the catches whose links are not predicted; and those of generated
// classes, with each catch that caught one. Of the methods of libraries and the JDK, what runs
// enter is not recorded.
func (r *moduleRun) thrownUnreached(runs []*record.TestRun) (out []thrown) {
	links := r.struck.seen()
	for _, run := range runs {
		links = append(links, run.Links...)
	}
	type seen struct {
		at        record.SiteRef
		catch     string
		exception string
	}
	done := map[seen]bool{}
	listed := map[thrown]bool{}
	add := func(m snapshot.MethodRef, c *snapshot.Catch, why string) {
		if t := (thrown{m, c}); !listed[t] {
			listed[t] = true
			r.c.Options.Log.Debug(why, "class", m.Class, "method", m.Method, "catch", c.ID)
			out = append(out, t)
		}
	}
	for _, l := range links {
		at, c := l.Site, r.c.Snap.ByID[l.Catch]
		if k := (seen{at, l.Catch, l.Exception}); c == nil || done[k] {
			continue
		} else {
			done[k] = true
		}
		if r.throwsGenerated(at) {
			add(snapshot.MethodRef{Class: at.Class, Method: at.Method + at.Desc}, c, "threw, generated")
			continue
		}
		methods := r.c.Snap.UnreachedMethods(at.Class, at.Method, at.Desc, at.Ordinal, at.Kind, l.Exception)
		if len(methods) == 0 && r.c.Snap.Studies(at.Class, at.Method, at.Desc, at.Ordinal, at.Kind, l.Exception) {
			if methods = r.c.Snap.Lent(c, at.Class, at.Method, at.Desc); len(methods) == 0 {
				methods = r.c.Snap.CalledBack(c, at.Class, at.Method, at.Desc)
			}
		}
		for _, m := range methods {
			add(m, c, "threw, not reached")
		}
	}
	return out
}

// throwsGenerated tells whether a throw statement stands in a class that tests generated, whether
// the call graph reaches it or not: by type alone that does not say which catch it arrives at.
func (r *moduleRun) throwsGenerated(at record.SiteRef) bool {
	return at.Kind == exceptions.Explicit.String() && at.Desc != "" &&
		(r.lab.Probes.HasGenerated(at.Class) || r.c.Snap.Generated(at.Class))
}

// madeElsewhere lists the constructors without parameters of classes with tests that a test of
// another class entered: the call graph reaches them, as the framework calls them, and need not
// have what else makes such an object. That of a class around or above the test's own is entered
// with it.
func (r *moduleRun) madeElsewhere(runs []*record.TestRun) []snapshot.MethodRef {
	const constructor = "<init>()V"
	own := map[record.MethodID]string{} // constructors of classes with tests: the class, "" for all other methods
	found := map[string]bool{}
	for _, run := range runs {
		class := strings.ReplaceAll(run.Class, ".", "/")
		for _, id := range run.Methods {
			made, known := own[id]
			if !known {
				if k := r.c.Memory.Method(id); k.Method == constructor {
					if c := r.c.Snap.Class(k.Class); c != nil && c.InTests && r.c.Snap.HasTests(c) {
						made = k.Class
					}
				}
				own[id] = made
			}
			if made != "" && !found[made] && !strings.HasPrefix(class+"$", made+"$") && !r.c.Snap.Extends(class, made) {
				r.c.Options.Log.Debug("has tests, made by another one", "class", made, "test", run.Test)
				found[made] = true
			}
		}
	}
	var out []snapshot.MethodRef
	for _, class := range slices.Sorted(maps.Keys(found)) {
		out = append(out, snapshot.MethodRef{Class: class, Method: constructor})
	}
	return out
}
