package injection

import (
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file finds where exceptions to throw come from: the tests that make real ones, and how the
// program's code makes them.

// maxDonor is what a test may take that is run only for an exception that it makes: as long as
// several runs of most tests.
const maxDonor = time.Second

// making is what is known of the exceptions of a module, found as it is asked for.
type making struct {
	runs     []*record.TestRun            // of the baseline
	byCatch  map[string][]*record.TestRun // of these, the tests that enter the try
	byClass  map[string][]worker.Maker    // of the exception, internal name
	followed map[string][]worker.Target   // by catch
	byID     map[string]*snapshot.Catch   // the catches
	makers   map[string]makers            // by type
	twins    map[string][]*snapshot.Catch // by catch
}

// makersOf lists how the program makes exceptions of a type (source form), and tells whether the
// plain constructors of the type count, too: those of a library are for all to use. Of an abstract
// type it lists how those below it are made, but for those that are taken before: such an exception
// comes to another catch.
func (r *Injection) makersOf(typ string, before []string) (list []worker.Maker, plain bool) {
	name := strings.ReplaceAll(typ, ".", "/")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.making.byClass == nil {
		r.making.byClass = makersIn(r.Snap)
	}
	list = r.making.byClass[name]
	plain = r.Snap.Class(name) == nil
	if f, ok := r.Snap.Facts(name); ok && f.Access&accAbstract != 0 {
		for _, c := range r.Snap.Classes() {
			if c.Facts.Access&accAbstract == 0 && c.Facts.Name != name && r.Snap.Extends(c.Facts.Name, name) &&
				!slices.ContainsFunc(before, func(t string) bool {
					above := strings.ReplaceAll(t, ".", "/")
					return c.Facts.Name == above || r.Snap.Extends(c.Facts.Name, above)
				}) {
				list = append(slices.Clip(list), r.making.byClass[c.Facts.Name]...)
			}
		}
	}
	return list, plain
}

// makersIn lists how a workspace makes exceptions, by their class.
func makersIn(snap *snapshot.Snapshot) map[string][]worker.Maker {
	all, thrown := map[string][]worker.Maker{}, map[string]bool{}
	add := func(class string, w worker.Maker) {
		is, known := thrown[class]
		if !known {
			is = snap.Extends(class, "java/lang/Throwable")
			thrown[class] = is
		}
		if is && !slices.Contains(all[class], w) {
			all[class] = append(all[class], w)
		}
	}
	for _, c := range snap.Classes() {
		for m := range c.Facts.Methods {
			method := &c.Facts.Methods[m]
			for k := range method.Calls {
				x := &method.Calls[k]
				switch {
				case x.Name == "<init>" &&
					!(method.Name == "<init>" && (x.Owner == c.Facts.Super || x.Owner == c.Facts.Name)):
					add(x.Owner, worker.Maker{Owner: strings.ReplaceAll(x.Owner, "/", "."), Name: x.Name, Desc: x.Desc})
				case x.Kind == facts.Static:
					if _, result, found := strings.Cut(x.Desc, ")L"); found {
						add(strings.TrimSuffix(result, ";"),
							worker.Maker{Owner: strings.ReplaceAll(x.Owner, "/", "."), Name: x.Name, Desc: x.Desc})
					}
				}
			}
		}
	}
	return all
}

// typesBefore are the types that catches of the same try take before a catch.
func typesBefore(snap *snapshot.Snapshot, c *snapshot.Catch) (types []string) {
	if c.Source == nil || c.Source.Try == nil {
		return nil
	}
	for _, s := range c.Source.Try.Catches {
		if s == c.Source {
			break
		}
		if other := snap.ByID[s.ID]; other != nil {
			types = append(types, other.Types...)
		}
	}
	return types
}

// followedOf are the tries and handlers of a catch.
func (r *Injection) followedOf(c *snapshot.Catch) []worker.Target {
	r.mu.Lock()
	defer r.mu.Unlock()
	if out, ok := r.making.followed[c.ID]; ok {
		return out
	}
	var out []worker.Target
	r.eachHandler(c, func(class string, p plan.Catch) {
		out = append(out, worker.Target{Class: class, Try: p.Try}, worker.Target{Class: class, Try: p.N, Catch: true})
	})
	if r.making.followed == nil {
		r.making.followed = map[string][]worker.Target{}
	}
	r.making.followed[c.ID] = out
	return out
}

// listening lists the catches to listen to in tests that run as they are: those that the tests make
// run.
func (r *Injection) listening(tests []*record.TestRun) (all []worker.Followed) {
	r.mu.Lock()
	if r.making.byID == nil {
		r.making.byID = map[string]*snapshot.Catch{}
		for _, c := range r.Snap.Catches {
			r.making.byID[c.ID] = c
		}
	}
	byID := r.making.byID
	r.mu.Unlock()
	seen := map[string]bool{}
	for _, t := range tests {
		for id, u := range t.Usages {
			if c := byID[id]; u.White > 0 && c != nil && !c.InTests && !seen[id] {
				seen[id] = true
				all = append(all, worker.Followed{Key: id, Targets: r.followedOf(c)})
			}
		}
	}
	slices.SortFunc(all, func(a, b worker.Followed) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// donor is the test that makes a real exception of a type soonest, of those that make the workspace
// catch one; nil: none does in short time.
func (r *Injection) donor(typ string) *record.TestRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.makingOf(typ).donor
}

// makers are the IDs of all tests that make the workspace catch an exception of a type.
func (r *Injection) makers(typ string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.makingOf(typ).all
}

// makers of exceptions of one type.
type makers struct {
	all   []string        // IDs of tests
	donor *record.TestRun // the one of them that is run for an exception; nil: none
}

// makingOf finds the makers of a type. r.mu is held.
func (r *Injection) makingOf(typ string) makers {
	if m, known := r.making.makers[typ]; known {
		return m
	}
	var m makers
	name := strings.ReplaceAll(typ, ".", "/")
	is := map[string]bool{name: true} // by class
	for _, run := range r.making.runs {
		if !run.Stable() || !slices.ContainsFunc(run.Links, func(l record.Experienced) bool {
			fits, known := is[l.Exception]
			if !known {
				fits = r.Snap.Extends(l.Exception, name)
				is[l.Exception] = fits
			}
			return fits
		}) {
			continue
		}
		m.all = append(m.all, run.ID)
		if run.Duration <= maxDonor && (m.donor == nil || run.Duration < m.donor.Duration) {
			m.donor = run
		}
	}
	if r.making.makers == nil {
		r.making.makers = map[string]makers{}
	}
	r.making.makers[typ] = m
	return m
}
