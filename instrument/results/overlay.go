package results

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// This file lays recorded runs over a snapshot.

// Overlay is what runs showed of the catches of one snapshot.
type Overlay struct {
	ByCatch map[string]*State // by catch ID; every catch of the snapshot has one
	// Tests is how many tests the store knows, by outcome of their baseline.
	Tests map[record.Outcome]int
	// Undecided are those of them that did not pass each time without an exception
	// thrown in, ordered by name: they decide no verdict.
	Undecided []Undecided
	// Unpredicted are links within the studied set that runs experienced and
	// the analysis did not predict (DESIGN D7), each once, those of a catch together.
	Unpredicted []Unpredicted
	// Partial: tests of a first baseline have not been run, so that it is not known what none does.
	// Who lays the overlay says so.
	Partial bool
	// Chosen: Partial, as some catches were asked for by themselves, and the runs for these are
	// complete. Who lays the overlay says so.
	Chosen  bool
	Version int64 // of the store

	// NotRunOf is what NotRun asks, MayEnter what NoneLeft does; nil: it is not known.
	NotRunOf func(c *snapshot.Catch) []string
	MayEnter func(c *snapshot.Catch) bool

	entering *entering
}

// Undecided is a test that did not pass each time. Stale: code that it ran, or its
// environment, has changed since.
type Undecided struct {
	*record.TestRun
	Stale bool
}

// State is what runs showed of one catch.
type State struct {
	Ran     bool // a baseline has been recorded for this workspace
	Verdict shortcircuit.Verdict
	Matrix  []record.Cell // ordered by test and type
	// Fine are the current runs of fine-grain injection, ordered by test, type and
	// place.
	Fine    []record.Cell
	Stretch shortcircuit.Stretch
	Usage   record.Usage // over all stable tests
	// Tests are the stable tests that enter the try, ordered; Usages what each did
	// there.
	Tests  []string
	Usages map[string]record.Usage
	// Links holds what is known of each experienced link, by link ID.
	Links map[string]*Experienced
	// Returned are those of Catch.Withheld that runs experienced, and which are therefore shown.
	Returned []*snapshot.Link
	// Reached: a run of the present code made the catch run, with whatever exception.
	Reached bool
	// Sometimes: a test that passes made the present catch run in one run and not in another, as
	// where it depends on time.
	Sometimes bool
	// Stale: something that these results depend on has changed since.
	Stale bool
	// StaleBy names what of the environment has changed, such as "the JDK", or that injected runs
	// throw something else in this version (record.CellFormat); empty: the code has.
	StaleBy []string
	Faults  Faults
}

// Experienced tells which tests made a link happen, in the baseline or with a
// fault.
type Experienced struct {
	Tests    []string
	Stale    bool
	Baseline bool
	Fault    bool
	Kinds    []faults.Kind // of the faults, ascending
}

// Lay computes the overlay of a snapshot, with verdicts in the reading Usage. env gives the present
// environment digest of a module; a record of another environment is stale.
func Lay(snap *snapshot.Snapshot, st *Store, env func(module string) string) *Overlay {
	return LayBy(snap, st, env, shortcircuit.Usage)
}

// LayBy is Lay with verdicts in one of the readings.
func LayBy(snap *snapshot.Snapshot, st *Store, env func(module string) string,
	reading shortcircuit.Reading) *Overlay {
	version := st.Version() // before reading: what is recorded meanwhile asks for the next overlay
	runs, cells, stretched := st.Runs(), st.Cells(), st.StretchedRuns()
	current := currency(snap, st, env)
	runs = present(runs, func(r *record.TestRun) []*record.TestRun { return st.RunVersions(r.Module, r.Test) },
		func(r *record.TestRun) bool {
			return r.Outcome != record.Gone && current(r.Module, r.Env, r.Methods)
		})
	cells = in(snap, present(cells, func(c *record.Cell) []*record.Cell { return st.CellVersions(c.Key()) },
		func(c *record.Cell) bool { return current(c.Module, c.Env, c.Deps) }))
	stretched = present(stretched,
		func(x *record.Stretched) []*record.Stretched { return st.stretchedVersions(stretchedKey(x)) },
		func(x *record.Stretched) bool { return current(x.Module, x.Env, x.Deps) })
	touched := present(st.AllTouched(),
		func(x *record.Touched) []*record.Touched { return st.touchedVersions(touchedKey(x)) },
		func(x *record.Touched) bool { return current(x.Module, x.Env, x.Deps) })
	struckRuns := present(st.FaultRuns(),
		func(f *record.FaultRun) []*record.FaultRun { return st.faultVersions(f.Key()) },
		func(f *record.FaultRun) bool { return current(f.Module, f.Env, f.Deps) })
	st.withoutGone(snap, runs, current)
	there, gone := map[string]bool{}, map[string]bool{} // by test; two modules may have one of a name
	for _, r := range runs {
		if r.Outcome == record.Gone {
			gone[r.Test] = true
		} else {
			there[r.Test] = true
		}
	}
	isGone := func(test string) bool { return gone[test] && !there[test] }
	struck := newStruck(snap, withoutPast(struckRuns, current), touched, isGone)
	struck.findExecuted(runs, touched, current)
	l := newLayer(snap, st, env, runs, cells, struck.runs, stretched)
	l.reading = reading
	o := &Overlay{ByCatch: make(map[string]*State, len(snap.Catches)), Tests: map[record.Outcome]int{},
		Version: version}
	byCatch := map[string][]*record.TestRun{}
	passes, enters := map[string]bool{}, map[[2]string]bool{} // by test; by catch and test
	for _, r := range runs {
		if r.Outcome == record.Gone {
			continue
		}
		passes[r.Test] = passes[r.Test] || r.Stable()
		o.Tests[r.Outcome]++
		if !r.Stable() && r.Outcome != record.Skipped {
			o.Undecided = append(o.Undecided, Undecided{r, !current(r.Module, r.Env, r.Methods)})
		}
		for id := range r.Usages {
			byCatch[id] = append(byCatch[id], r)
			enters[[2]string{id, r.Test}] = true
		}
	}
	cellsOf := map[string][]*record.Cell{}
	for _, c := range cells {
		if isGone(c.Test) {
			continue
		}
		if c.Outcome == record.NotFired && passes[c.Test] && !enters[[2]string{c.Catch, c.Test}] {
			continue // the try runs once in a JVM, and has come to belong to another test
		}
		cellsOf[c.Catch] = append(cellsOf[c.Catch], c)
	}
	stretchedOf := stretchedBy(stretched)
	rows := make([]shortcircuit.Row, len(snap.Catches))
	for i, c := range snap.Catches {
		before := len(o.Unpredicted)
		s, row := l.catch(c, byCatch[c.ID], cellsOf[c.ID], len(runs) > 0, o)
		l.faults(c, s, struck, byCatch[c.ID], o)
		slices.SortFunc(o.Unpredicted[before:], compareUnpredicted)
		o.ByCatch[c.ID], rows[i] = s, row
	}
	for i, c := range snap.Catches {
		l.stretch(c, rows[i], o, stretchedOf[c.ID])
	}
	l.together(o, stretched)
	o.askOf(snap, runs, st.Method)
	return o
}

// currency returns a function that tells whether a record depends on exactly the
// present code and environment. Records share their sets of methods, so each set is
// looked at once.
func currency(snap *snapshot.Snapshot, st *Store,
	env func(string) string) func(module, env string, deps []record.MethodID) bool {
	known := map[*record.MethodID]bool{}
	return func(module, e string, deps []record.MethodID) bool {
		if e != env(module) {
			return false
		}
		if len(deps) == 0 {
			return true
		}
		ok, done := known[&deps[0]]
		if !done {
			ok = !slices.ContainsFunc(deps, func(id record.MethodID) bool {
				k := st.Method(id)
				d, found := snap.MethodDigest(snapshot.MethodRef{Class: k.Class, Method: k.Method})
				return !found || d != k.Digest
			})
			known[&deps[0]] = ok
		}
		return ok
	}
}

// in are cells with the lines that their stack traces have in a snapshot.
func in(snap *snapshot.Snapshot, cells []*record.Cell) []*record.Cell {
	l := record.NewLocator(snap)
	for i, c := range cells {
		cells[i] = l.Cell(c)
	}
	return cells
}

// layer is the working state of Lay.
type layer struct {
	snap    *snapshot.Snapshot
	env     func(string) string
	reading shortcircuit.Reading
	// touching holds, for each catch, the versions of methods that some record
	// ran, that are not those of the snapshot, and that matter to the catch.
	touching map[*snapshot.Catch]map[snapshot.MethodRef]bool
	// changed holds the methods of each record that are not those of the
	// snapshot; nil for most.
	changed map[any][]record.MethodID
	injects map[*record.TestRun][]faults.Kind // kinds of faults that tests injected themselves
	ran     map[string]bool                   // tests of which there is a run of exactly the present code
	store   *Store
}

func newLayer(snap *snapshot.Snapshot, st *Store, env func(string) string, runs []*record.TestRun,
	cells []*record.Cell,
	struck []*record.FaultRun, stretched []*record.Stretched) *layer {
	l := &layer{snap: snap, env: env, store: st, touching: map[*snapshot.Catch]map[snapshot.MethodRef]bool{},
		changed: map[any][]record.MethodID{}, ran: map[string]bool{}}
	known := map[record.MethodID]bool{} // whether it is current
	var refs []snapshot.MethodRef
	seen := map[snapshot.MethodRef]bool{}
	sets := map[*record.MethodID][]record.MethodID{} // by set: records share them
	look := func(entry any, ids []record.MethodID) {
		if len(ids) == 0 {
			return
		}
		changed, done := sets[&ids[0]]
		if !done {
			for _, id := range ids {
				ok, done := known[id]
				if !done {
					k := st.Method(id)
					d, found := snap.MethodDigest(l.ref(id))
					ok = found && d == k.Digest
					known[id] = ok
				}
				if !ok {
					changed = append(changed, id)
				}
			}
			sets[&ids[0]] = changed
		}
		if len(changed) > 0 {
			l.changed[entry] = changed
		}
		for _, id := range changed {
			if ref := l.ref(id); !seen[ref] {
				seen[ref] = true
				refs = append(refs, ref)
			}
		}
	}
	l.injects = map[*record.TestRun][]faults.Kind{}
	kinds := map[record.MethodID][]faults.Kind{}
	for _, r := range runs {
		if list := l.injectedKinds(r, kinds); len(list) > 0 {
			l.injects[r] = list
		}
		look(r, r.Methods)
		if len(l.changed[r]) == 0 && r.Env == env(r.Module) {
			l.ran[r.Test] = true
		}
	}
	for _, c := range cells {
		look(c, c.Deps)
	}
	for _, x := range stretched {
		look(x, x.Deps)
	}
	for _, f := range struck {
		look(f, f.Deps)
	}
	for c, ms := range snap.Touching(refs) {
		l.touching[c] = map[snapshot.MethodRef]bool{}
		for _, m := range ms {
			l.touching[c][m] = true
		}
	}
	return l
}

func (l *layer) ref(id record.MethodID) snapshot.MethodRef {
	k := l.store.Method(id)
	return snapshot.MethodRef{Class: k.Class, Method: k.Method}
}

// conditions is what a record depends on beside the methods that ran.
type conditions struct {
	record any
	module string // of the test, whose environment counts; the catch may be another module's
	env    string
	class  string // of the test
	below  record.Below
	aside  record.Below
}

// change is what has changed since a record was made, of what its say on a catch depends on.
type change int

const (
	changedNothing change = iota
	changedTest           // the test's own class alone, which runs above the try
	changedCode           // anything else
)

// changeOf tells what of the code that a record's say on a catch depends on has changed: the method
// that holds it, one that ran in its try or clause or below, or the test's own class. What ran on
// other threads meanwhile counts if the try or the clause may reach it; so does all that ran, where
// the record does not know what of it ran there. So does a class of which something ran in the
// test, wherever that was, if calls on its objects may run other methods now.
func (l *layer) changeOf(c *snapshot.Catch, r conditions) (found change) {
	if r.env != l.env(r.module) {
		return changedCode
	}
	test := strings.ReplaceAll(r.class, ".", "/")
	below := r.below[c.ID]
	for _, id := range l.changed[r.record] {
		m := l.ref(id)
		if m.Method == snapshot.Dispatch {
			if l.snap.Class(m.Class) != nil { // of one that is gone its methods tell
				return changedCode
			}
			continue
		}
		switch {
		case l.snap.Holds(c, m) || contains(below, id),
			l.touching[c][m] && (below == nil || contains(r.aside[c.ID], id)):
			return changedCode
		case m.Class == test || strings.HasPrefix(m.Class, test+"$"):
			found = changedTest
		}
	}
	return found
}

// stale tells whether what a record says of a catch no longer stands.
func (l *layer) stale(c *snapshot.Catch, r conditions) bool {
	return l.changeOf(c, r) != changedNothing
}

// withString adds to an ascending list.
func withString[S ~string](list []S, s S) []S {
	if i, found := slices.BinarySearch(list, s); !found {
		return slices.Insert(list, i, s)
	}
	return list
}

func contains(set []record.MethodID, id record.MethodID) bool {
	_, found := slices.BinarySearch(set, id)
	return found
}

func (l *layer) catch(c *snapshot.Catch, runs []*record.TestRun, cells []*record.Cell, ran bool,
	o *Overlay) (*State, shortcircuit.Row) {
	s := &State{Ran: ran, Links: map[string]*Experienced{}, Usages: map[string]record.Usage{}}
	row := shortcircuit.Row{Types: c.Types}
	if len(cells) > 0 || len(runs) > 0 {
		row.Place = shortcircuit.PlaceOf(l.snap, c, l.store.Method)
	}
	cellsOf := map[string][]record.Cell{}
	needless := l.needless(c, row, runs, cells)
	for _, cell := range cells {
		if needless[cell] {
			continue
		}
		if cell.Format != record.CellFormat { // what was thrown then decides nothing
			s.Stale = true
			s.staleBy([]string{"what catchlens throws"})
			continue
		}
		if cell.Point != nil {
			if !l.staleCell(c, cell) {
				s.Fine = append(s.Fine, *cell)
			}
			continue
		}
		cellsOf[cell.Test] = append(cellsOf[cell.Test], *cell)
		s.Matrix = append(s.Matrix, shortcircuit.Judge(*cell, row.Place))
		s.Stale = s.Stale || l.staleCell(c, cell)
		s.staleBy(record.EnvironmentChanges(cell.Env, l.env(cell.Module)))
	}
	for _, r := range runs {
		test, saw := shortcircuit.TestOf(c.ID, r, cellsOf[r.Test]), r.Saw(c.ID)
		row.Tests = append(row.Tests, test)
		sometimes := test.Sometimes
		changed := l.changeOf(c, conditions{r, r.Module, r.Env, r.Class, r.Below, r.Aside})
		s.Stale = s.Stale || changed != changedNothing
		s.staleBy(record.EnvironmentChanges(r.Env, l.env(r.Module)))
		s.Reached = s.Reached || changed != changedCode && (saw || r.Usages[c.ID].White > 0)
		s.Sometimes = s.Sometimes || changed != changedCode && sometimes && r.Outcome == record.Pass
		if r.Stable() && r.Usages[c.ID].Total() > 0 {
			s.Tests = append(s.Tests, r.Test)
			s.Usages[r.Test] = r.Usages[c.ID]
		}
		kinds := l.injects[r]
		for _, e := range r.Links {
			by := source{test: r.Test, changed: changed, entered: r.Methods}
			if e.Catch == c.ID && len(kinds) > 0 {
				by.kind = l.injected(c, e, kinds)
				by.fault = by.kind != ""
			}
			if by.fault {
				s.Faults.Seen = withString(s.Faults.Seen, by.kind)
			}
			l.links(c, []record.Experienced{e}, by, s, o)
		}
	}
	if c.File.Stale {
		s.Stale = s.Stale || len(runs) > 0
	}
	s.Verdict = shortcircuit.DecideBy(row, l.reading).WithFineGrain(row, s.Fine)
	s.Usage = s.Verdict.Usage
	return s, row
}

// staleCell tells whether what an injected run says of a catch no longer stands.
func (l *layer) staleCell(c *snapshot.Catch, cell *record.Cell) bool {
	class, _, _ := strings.Cut(cell.Test, "#")
	return l.stale(c, conditions{cell, cell.Module, cell.Env, class, cell.Below, cell.Aside})
}

// needless are the injected runs of code that has changed since, and that are not asked for as
// those of today's code decide without them (shortcircuit.Asks). They count no more. A campaign
// looks at more than stale does (moduleRun.counts), and may do some of them again.
func (l *layer) needless(
	c *snapshot.Catch,
	row shortcircuit.Row,
	runs []*record.TestRun,
	cells []*record.Cell,
) map[*record.Cell]bool {
	var stale []*record.Cell
	current := map[string][]record.Cell{}
	for _, cell := range cells {
		switch {
		case cell.Point != nil:
		case cell.Format != record.CellFormat || l.staleCell(c, cell):
			stale = append(stale, cell)
		default:
			current[cell.Test] = append(current[cell.Test], *cell)
		}
	}
	if len(stale) == 0 {
		return nil
	}
	for _, r := range runs {
		row.Tests = append(row.Tests, shortcircuit.TestOf(c.ID, r, current[r.Test]))
	}
	asks, out := shortcircuit.Asks(row), map[*record.Cell]bool{}
	for _, cell := range stale {
		out[cell] = !asks(cell.Test, cell.Type, cell.Reading)
	}
	return out
}

// WhyStale says what has changed since the results of a catch were recorded.
func (s *State) WhyStale() string {
	switch n := len(s.StaleBy); n {
	case 0:
		return "the code has changed"
	case 1:
		return s.StaleBy[0] + " has changed"
	default:
		return strings.Join(s.StaleBy[:n-1], ", ") + " and " + s.StaleBy[n-1] + " have changed"
	}
}

// staleBy adds what of the environment has changed.
func (s *State) staleBy(changes []string) {
	for _, x := range changes {
		s.StaleBy = withString(s.StaleBy, x)
	}
}

// matchLinks are those of the predicted links that what a run saw may be: by method and ordinal for
// explicit sites, by method name for native ones, and by method and line for implicit ones. An
// explicit site without ordinal, which is known by where the exception was made, is one of that
// line, or else of that method.
func matchLinks(links []*snapshot.Link, e record.Experienced) (found []*snapshot.Link) {
	found = linksOf(links, e)
	if e.Site.Kind != "explicit" || e.Site.Ordinal >= 0 {
		return found
	}
	if there := slices.DeleteFunc(slices.Clone(found),
		func(l *snapshot.Link) bool { return l.Site.Line != e.Site.Line }); len(there) > 0 {
		return there
	}
	return found
}

// linksOf are the links from the throw sites that a run's may be, by all but the line of an
// explicit one.
func linksOf(links []*snapshot.Link, e record.Experienced) (found []*snapshot.Link) {
	class := strings.ReplaceAll(e.Site.Class, "/", ".")
	for _, link := range links {
		s := link.Site
		if s.Kind != e.Site.Kind || s.Class != class || !strings.HasPrefix(s.Method, e.Site.Method+"(") {
			continue
		}
		switch {
		case s.Fault != e.Site.Fault,
			e.Site.Desc != "" && s.Method != e.Site.Method+e.Site.Desc,
			e.Site.Ordinal >= 0 && s.Ordinal != e.Site.Ordinal,
			s.Kind == "implicit" && e.Site.Ordinal < 0 && s.Line != e.Site.Line:
			continue
		}
		found = append(found, link)
	}
	return found
}
