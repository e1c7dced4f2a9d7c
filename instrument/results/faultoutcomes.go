package results

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/osfault"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file lays what faults did over a snapshot.

// LinkOutcome is what faults showed of a link that nothing has experienced
// (REPORT.md).
type LinkOutcome string

// The outcomes. Masked: a fault struck below the try and no exception came of
// it. Latent: one came later or elsewhere. ViaThread: the fault struck on a thread
// that the try's code handed work to. NotReached: tests enter the try, and the
// operation did not run below it. NoTest: none enters it. IsForced: its guard was
// overridden, and the exception came to the catch.
const (
	IsForced   LinkOutcome = "forced"
	Masked     LinkOutcome = "masked"
	Latent     LinkOutcome = "latent"
	ViaThread  LinkOutcome = "via-thread"
	NotReached LinkOutcome = "not-reached"
	NoTest     LinkOutcome = "no-test"
)

// Tried is what is known of a link that no fault has made happen yet.
type Tried struct {
	Outcome LinkOutcome
	Kind    faults.Kind // of the fault, where one struck
	Test    string      // that it struck in
	// Executes is a test in which the throw runs, though its exception does not come to
	// the catch; "": none is known.
	Executes string
	// Where is, of Latent, where the exception came instead; of NotReached the nearest point that
	// was reached; of Masked who threw it anew, if it came to the catch so.
	Where string
}

// Faults is what faults showed of a catch. The zero value: none was tried.
type Faults struct {
	Tried map[string]Tried // by link ID
	// Possible are the kinds of faults that can trigger the catch (f of paper 003,
	// 2.3), Seen those that have (e).
	Possible, Seen []faults.Kind
	// Stale: something that this depends on has changed since. Only trying faults
	// again makes it current, so it does not make the other results stale.
	Stale bool
}

// struck is what the store knows of faults.
type struck struct {
	runs   []*record.FaultRun
	armed  map[string][]*record.FaultRun // by the catch that they were armed for
	forced map[string][]*record.FaultRun // by the catch in whose try a guard was overridden
	// executes has a test that runs an explicit throw, by campaign.ForcedRoot.
	executes map[string]string
	arrived  map[string][]*record.FaultRun // by the catches that their exceptions came to
	any      bool                          // some campaign has tried faults
	// inJVM: faults have been tried with the engine in the JVM, and not only what the one of the
	// operating system leaves to it. What that one cannot bring was not tried else.
	inJVM bool
}

func newStruck(snap *snapshot.Snapshot, all []*record.FaultRun, touched []*record.Touched,
	gone func(test string) bool) *struck {
	runs := slices.DeleteFunc(all, func(f *record.FaultRun) bool {
		if gone(f.Test) {
			return true
		}
		if f.Defined == "" {
			return false
		}
		d := snap.Fault(f.Kind)
		return d == nil || d.Definition() != f.Defined // what is not in catchlens.toml any more, or another now
	})
	x := &struck{runs: runs, armed: map[string][]*record.FaultRun{}, arrived: map[string][]*record.FaultRun{},
		forced: map[string][]*record.FaultRun{}, executes: map[string]string{}}
	x.any, x.inJVM = len(x.runs) > 0 || len(touched) > 0, !onlyOS(x.runs)
	for _, f := range x.runs {
		if f.Kind == record.Forced {
			x.forced[f.Catch] = append(x.forced[f.Catch], f)
			continue
		}
		x.armed[f.Catch] = append(x.armed[f.Catch], f)
		for _, l := range f.Links {
			if list := x.arrived[l.Catch]; len(list) == 0 || list[len(list)-1] != f {
				x.arrived[l.Catch] = append(list, f)
			}
		}
	}
	return x
}

// onlyOS tells whether the engine of the operating system made what runs there are, but for what it
// leaves to the other one.
func onlyOS(runs []*record.FaultRun) (only bool) {
	for _, f := range runs {
		switch {
		case f.Kind == record.Forced || f.Defined != "":
		case f.Engine == osfault.EngineName:
			only = true
		case osfault.Serves(f.Root, f.Kind):
			return false
		}
	}
	return only
}

// withoutPast leaves out runs of other code in which an operation was struck on another way, after
// another one, or in a thread that was woken, where faults have been tried at the catch since: ways
// have other names in other code, so that no run takes the place of these.
func withoutPast(runs []*record.FaultRun,
	current func(module, env string, deps []record.MethodID) bool) []*record.FaultRun {
	goneOn := func(f *record.FaultRun) bool { return len(f.Past) > 0 || len(f.Avoid) > 0 || f.After != "" || f.Wake }
	again := map[string]time.Time{} // the newest run of the present code that goes on from no other, by catch
	for _, f := range runs {
		if f.Kind != record.Forced && !goneOn(f) && f.At.After(again[f.Catch]) && current(f.Module, f.Env, f.Deps) {
			again[f.Catch] = f.At
		}
	}
	return slices.DeleteFunc(runs, func(f *record.FaultRun) bool {
		return goneOn(f) && f.At.Before(again[f.Catch]) && !current(f.Module, f.Env, f.Deps)
	})
}

// findExecuted looks for tests that run explicit throws: whose exceptions some catch
// caught, or whose guards led to them. What was seen of other code says nothing: the
// throws of a method are told apart by their order.
func (x *struck) findExecuted(runs []*record.TestRun, touched []*record.Touched,
	current func(module, env string, deps []record.MethodID) bool) {
	note := func(root, test string) {
		if old := x.executes[root]; old == "" || test < old {
			x.executes[root] = test
		}
	}
	for _, r := range runs {
		if !r.Stable() || !current(r.Module, r.Env, r.Methods) {
			continue
		}
		for _, l := range r.Links {
			if l.Site.Kind == "explicit" {
				note(record.ForcedRoot(l.Site.Class, l.Site.Method+l.Site.Desc, l.Site.Ordinal), r.Test)
			}
		}
	}
	for _, y := range touched {
		if test, guards := record.GuardedTest(y.Test); guards && len(y.Others) > 0 && current(y.Module, y.Env, y.Deps) {
			for _, root := range y.Others {
				note(root, test)
			}
		}
	}
}

// outcome is what faults and force showed of a link that nothing has experienced; ok is
// false where nothing could make it happen, or that was not tried.
func (l *layer) outcome(link *snapshot.Link, roots []*faults.Root, c *snapshot.Catch, s *State, x *struck,
	runs []*record.TestRun) (t Tried, ok bool) {
	struck := link.Site.Fault != "" || len(roots) > 0 || isInterrupt(link)
	if link.Site.Kind == "explicit" {
		if t, ok = l.force(link, c, s, x, runs); !struck || t.Outcome == IsForced {
			return t, ok
		}
	}
	if !struck {
		return Tried{}, false
	}
	return l.tried(link, roots, x.armed[c.ID], s, runs), true
}

// force is what forcing a link's throw showed; ok is false where that was not done.
func (l *layer) force(link *snapshot.Link, c *snapshot.Catch, s *State, x *struck,
	runs []*record.TestRun) (t Tried, ok bool) {
	root := record.ForcedRoot(strings.ReplaceAll(link.Site.Class, ".", "/"), link.Site.Method, link.Site.Ordinal)
	for _, f := range x.forced[c.ID] {
		if f.Root != root || f.Fired == 0 {
			continue
		}
		class, _, _ := strings.Cut(f.Test, "#")
		if l.stale(c, conditions{f, f.Module, f.Env, class, f.Below, f.Aside}) {
			s.Faults.Stale = true
		}
		switch where := l.elsewhere(f); {
		case f.Forces(c.ID):
			return Tried{Outcome: IsForced, Kind: f.Kind, Test: f.Test, Executes: x.executes[root]}, true
		case where != "":
			t, ok = Tried{Outcome: Latent, Kind: f.Kind, Test: f.Test, Executes: x.executes[root], Where: where}, true
		case !ok:
			t, ok = Tried{Outcome: Masked, Kind: f.Kind, Test: f.Test, Executes: x.executes[root]}, true
		}
	}
	switch {
	case ok:
		return t, true
	case len(s.Tests) == 0:
		return Tried{Outcome: NoTest, Executes: x.executes[root]}, true
	case link.Own && l.unentered(link, runs):
		return Tried{Outcome: NotReached, Executes: x.executes[root], Where: l.nearest(link, runs)}, true
	case x.executes[root] != "":
		return Tried{Executes: x.executes[root]}, true
	}
	return t, false
}

// unentered tells whether no test is known to have entered the method of a link's throw
// site below the try. Who enters the try has entered the method around it.
func (l *layer) unentered(link *snapshot.Link, runs []*record.TestRun) bool {
	ref := snapshot.MethodRef{Class: strings.ReplaceAll(link.Site.Class, ".", "/"), Method: link.Site.Method}
	if l.snap.Holds(link.Catch, ref) {
		return false
	}
	for _, r := range runs {
		below := r.Below[link.Catch.ID]
		if below == nil && r.Usages[link.Catch.ID].Total() > 0 {
			return false // not known
		}
		for _, id := range below {
			if l.ref(id) == ref {
				return false
			}
		}
	}
	return true
}

// faults adds what faults showed of a catch: after what the baseline did.
func (l *layer) faults(c *snapshot.Catch, s *State, x *struck, runs []*record.TestRun, o *Overlay) {
	if !s.Ran || !x.any && len(l.injects) == 0 {
		return
	}
	for _, f := range x.arrived[c.ID] {
		class, _, _ := strings.Cut(f.Test, "#")
		changed := l.changeOf(c, conditions{f, f.Module, f.Env, class, f.Below, f.Aside})
		s.Faults.Stale = s.Faults.Stale || changed != changedNothing
		for _, e := range f.Links {
			by := source{test: f.Test, changed: changed, entered: f.Deps, fault: true}
			if e.Catch == c.ID && (f.Catch == c.ID && f.After == "" || f.Threw(e)) {
				by.kind = f.Kind
				s.Faults.Seen = withString(s.Faults.Seen, f.Kind)
			}
			l.links(c, []record.Experienced{e}, by, s, o)
		}
	}
	for _, f := range x.armed[c.ID] {
		class, _, _ := strings.Cut(f.Test, "#")
		s.Faults.Stale = s.Faults.Stale || l.stale(c, conditions{f, f.Module, f.Env, class, f.Below, f.Aside})
		if f.Arrived {
			s.Faults.Seen = withString(s.Faults.Seen, f.Kind)
		}
	}
	s.Faults.Tried = map[string]Tried{}
	for _, link := range c.Links {
		roots := snapshot.FaultRoots(link)
		for _, r := range roots {
			for _, k := range r.Kinds {
				if snapshot.Brings(l.snap, link, r, k) && (x.any && x.inJVM || osfault.Reaches(r, k)) {
					s.Faults.Possible = withString(s.Faults.Possible, k)
				}
			}
		}
		if isInterrupt(link) {
			s.Faults.Possible = withString(s.Faults.Possible, faults.Interrupted)
		}
		if link.Site.Fault != "" {
			s.Faults.Possible = withString(s.Faults.Possible, faults.Kind(link.Site.Fault))
		}
		if x.any && s.Links[link.ID] == nil {
			if t, ok := l.outcome(link, roots, c, s, x, runs); ok {
				s.Faults.Tried[link.ID] = t
			}
		}
	}
	for _, k := range s.Faults.Seen {
		s.Faults.Possible = withString(s.Faults.Possible, k)
	}
}

// isInterrupt tells whether interrupting the thread makes a link happen.
func isInterrupt(l *snapshot.Link) bool {
	return l.Site.Kind == "native" && l.Exception == "java.lang.InterruptedException"
}

// tried is what became of the faults that could make a link happen.
func (l *layer) tried(link *snapshot.Link, roots []*faults.Root, armed []*record.FaultRun, s *State,
	runs []*record.TestRun) Tried {
	var best Tried
	rank := 0
	for _, f := range armed {
		if f.Fired == 0 || !rootOf(roots, f.Root) && !(link.Site.Fault != "" && string(f.Kind) == link.Site.Fault) &&
			!(f.Kind == faults.Interrupted && isInterrupt(link)) {
			continue
		}
		t, n := Tried{Outcome: Masked, Kind: f.Kind, Test: f.Test}, 1
		where := l.elsewhere(f)
		if f.Reached() {
			if t.Where = thrownAnew(f, link); t.Where != "" && n > rank {
				best, rank = t, n
			}
			continue
		}
		switch {
		case f.Thread != "":
			t, n = Tried{Outcome: ViaThread, Kind: f.Kind, Test: f.Test, Where: where}, 2
		case where != "":
			t, n = Tried{Outcome: Latent, Kind: f.Kind, Test: f.Test, Where: where}, 3
		}
		if n > rank {
			best, rank = t, n
		}
	}
	switch {
	case rank > 0:
		return best
	case len(s.Tests) == 0:
		return Tried{Outcome: NoTest}
	}
	return Tried{Outcome: NotReached, Where: l.nearest(link, runs)}
}

// thrownAnew says which method threw a fault's exception anew where it came to the catch of a
// link from another throw site than the link's; "" where it did not.
func thrownAnew(f *record.FaultRun, link *snapshot.Link) string {
	for _, e := range f.Links {
		if e.Catch == link.Catch.ID && e.Site.Kind == "explicit" {
			return fmt.Sprintf("it came here from %s.%s, which throws it anew",
				strings.ReplaceAll(e.Site.Class, "/", "."), e.Site.Method)
		}
	}
	return ""
}

func rootOf(roots []*faults.Root, name string) bool {
	return slices.ContainsFunc(roots, func(r *faults.Root) bool { return r.String() == name })
}

// elsewhere says where the exception of a fault came instead of to the catch; ""
// if it is not known to have come anywhere, as where the test failed for what failed first.
func (l *layer) elsewhere(f *record.FaultRun) string {
	for _, e := range f.Links {
		if c := l.snap.ByID[e.Catch]; c != nil && (f.After == "" || f.Threw(e)) {
			return fmt.Sprintf("the catch at %s:%d", c.File.Path, c.Line)
		}
	}
	if f.Outcome.Failed() && f.After == "" {
		first, _, _ := strings.Cut(f.Message, "\n") // of a hang, the stacks of its threads follow
		return "the test: " + strings.TrimSpace(string(f.Outcome)+" "+first)
	}
	return ""
}

// nearest is the last method of a link's chain up to which everything ran: the
// longest covered prefix, as far as the workspace's methods tell.
func (l *layer) nearest(link *snapshot.Link, runs []*record.TestRun) string {
	ran := map[string]bool{}
	for _, r := range runs {
		for _, id := range r.Below[link.Catch.ID] {
			m := l.ref(id)
			ran[strings.ReplaceAll(m.Class, "/", ".")+"."+m.Method] = true
		}
	}
	reached := ""
	for i, f := range link.Chain() {
		name := f.Class + "." + f.Method
		if i > 0 && !ran[name] {
			break
		}
		reached = name
	}
	return reached
}
