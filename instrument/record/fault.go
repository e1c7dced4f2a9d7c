package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/features/natives"
)

// FirstRunOf is the Touched.Test that says which operations run below which tries when a test is
// the first of its JVM.
func FirstRunOf(test string) string { return test + " (first)" }

// FaultRun is what one fault did in one run of one test.
//
// Its Catch is the one in whose try it was armed.
type FaultRun struct {
	Trial
	Root       string // native operation, java/io/FileInputStream.readBytes; "interrupt"
	Kind       faults.Kind
	Defined    string `json:",omitempty"` // of a fault of the user's own: its definition
	Engine     string
	Persistent bool
	Cold       bool   `json:",omitempty"` // the test began in a fresh JVM, see faulting
	Fired      int    // operations struck
	Object     string // path or peer of the first
	Others     bool   // what other threads do was to be struck, too
	Thread     string // that of the first, where it had not entered the try
	Arrived    bool   // the next catch that was entered after it was this one; not with After
	// Links are those that the run experienced and no baseline of the test did.
	Links []Experienced
	// Way stands for the calls from the try down to the operation, 0 where they are not known; Past
	// are the ways by which it was left alone.
	Way  uint32   `json:",omitempty"`
	Past []uint32 `json:",omitempty"`
	// Avoid are methods below which the operation was left alone, Through is the one below which
	// alone it was struck, and After.
	Avoid   []string `json:",omitempty"`
	Through string   `json:",omitempty"`
	// After is the operation, with the fault, that failed first: Root failed each time from
	// then on. Fired is 0 where it did not run any more.
	After string `json:",omitempty"`
	// Wake: threads that waited in an operation were woken, so that Root ran.
	Wake bool `json:",omitempty"`
	// Later are the operations that links of the catch come from and that ran below its try after
	// the fault, rows of the table.
	Later []string `json:",omitempty"`
}

// Reached tells whether an exception of the fault came to the catch: with After, one that Root
// threw.
func (f *FaultRun) Reached() bool {
	return f.Arrived || slices.ContainsFunc(f.Links,
		func(l Experienced) bool { return l.Catch == f.Catch && (f.After == "" || f.Threw(l)) })
}

// Threw tells whether a link that was experienced is known to be the fault's: of its operation, or
// of the JDK's code above that. Anything else may have come of what the program did afterwards, or
// of what failed first.
func (f *FaultRun) Threw(l Experienced) bool {
	switch {
	case l.Site.Fault != "":
		return l.Site.Fault == string(f.Kind)
	case l.Site.Kind == "native":
		return f.Root == l.Site.Class+"."+l.Site.Method ||
			f.Kind == faults.Interrupted && l.Exception == "java/lang/InterruptedException"
	}
	return slices.ContainsFunc(faults.Below(l.Site.Class, l.Site.Method),
		func(r *faults.Root) bool { return r.String() == f.Root })
}

// SpoilsJVM tells whether the JVM of the run is not as it was: a test that did not end
// by itself leaves anything behind, and a name that could not be resolved is
// remembered as such for ten seconds (networkaddress.cache.negative.ttl). An interrupt of
// another thread than the test's stays with that until somebody takes it.
func (f *FaultRun) SpoilsJVM() bool {
	return f.Outcome.Failed() && f.Outcome != Fail ||
		f.Fired > 0 && (f.Kind == faults.NameResolution || f.Kind == faults.Interrupted && f.Object != "")
}

// Touched is which native operations ran in a test below the tries of which
// catches.
type Touched struct {
	Test, Module, Env string
	Catches           map[string][]string // rows of the table, by the ID of each catch whose try was entered
	Others            []string            // on other threads than the test's
	// digest of the faults of the user's own that were looked for
	Declared string `json:",omitempty"`
	// Watched names, of GuardsOf, the throws that were looked for, each with its guards; ascending.
	Watched []string      `json:",omitempty"`
	Links   []Experienced `json:",omitempty"` // of OnceOf: what was experienced without a fault
	Deps    []MethodID    // what ran in the test
	At      time.Time
}

// FaultKey names the runs of which the newest counts.
type FaultKey struct {
	Catch, Root string
	Kind        faults.Kind
	Persistent  bool
	OtherThread bool
	Cold        bool
	Test        string
	After, Ways string // "" where there are none
	Wake        bool
}

// Key is the FaultKey of a run.
func (f *FaultRun) Key() FaultKey {
	return FaultKey{f.Catch, f.Root, f.Kind, f.Persistent, f.Others, f.Cold, f.Test, f.After,
		WaysText(f.Past, f.Avoid, f.Through), f.Wake}
}

// Forced is the FaultRun.Kind of a run in which a guard was overridden. Its Root is
// ForcedRoot of the throw site.
const Forced faults.Kind = "forced"

// ForcedRoot names an explicit throw site: internal class name, method with descriptor,
// ordinal.
func ForcedRoot(class, method string, ordinal int) string {
	return fmt.Sprintf("%s.%s#%d", class, method, ordinal)
}

// GuardsOf is the Touched.Test that says below which tries a test evaluates guards. Its
// rows are ForcedRoots; Others lists those whose guard led to the throw by itself.
func GuardsOf(test string) string { return test + " (guards)" }

// GuardedTest is the test of a GuardsOf; ok is false for any other name.
func GuardedTest(name string) (test string, ok bool) { return strings.CutSuffix(name, " (guards)") }

// Forces tells whether the exception of a forced throw came from it to a catch.
func (f *FaultRun) Forces(catch string) bool {
	return f.Kind == Forced && slices.ContainsFunc(f.Links, func(l Experienced) bool {
		return l.Catch == catch && ForcedRoot(l.Site.Class, l.Site.Method+l.Site.Desc, l.Site.Ordinal) == f.Root
	})
}

// WaysText is what a FaultKey has of the ways to an operation.
func WaysText(past []uint32, avoid []string, through string) (text string) {
	if len(past) > 0 {
		text = fmt.Sprint(past)
	}
	if len(avoid) > 0 {
		text += " not by " + strings.Join(avoid, ", ")
	}
	if through != "" {
		text += " by " + through
	}
	return text
}

// ThrownAnewBy is the method of the JDK that threw the fault's exception anew, where it came so to
// the catch: binary class name and method name; "" where none did.
func (f *FaultRun) ThrownAnewBy() string {
	for _, l := range f.Links {
		if l.Catch == f.Catch && l.Site.Kind == "explicit" && natives.OfJDK(l.Site.Class) &&
			(f.After == "" || f.Threw(l)) {
			return strings.ReplaceAll(l.Site.Class, "/", ".") + "." + l.Site.Method
		}
	}
	return ""
}
