package record

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"
)

// With is what two windows know together: nil where either saw a catch that it
// does not know.
func (b Below) With(o Below) Below {
	if len(o) == 0 {
		return b
	}
	m := maps.Clone(b)
	if m == nil {
		m = Below{}
	}
	for catch, methods := range o {
		have, ok := b[catch]
		switch {
		case !ok:
			m[catch] = methods
		case have == nil || methods == nil:
			m[catch] = nil
		default:
			m[catch] = Union(have, methods)
		}
	}
	return m
}

// Usage counts what executions of a try did with respect to one of its catches
// (paper 001, 3.3.1): Pink, no exception; White, an exception that this catch
// caught; Blue, an exception that this catch did not catch.
type Usage struct{ Pink, White, Blue int }

// Total is the number of executions of the try.
func (u Usage) Total() int { return u.Pink + u.White + u.Blue }

// Add is the sum of two counts.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Pink + v.Pink, u.White + v.White, u.Blue + v.Blue}
}

// SiteRef names a throw site as a run saw it: Desc is empty and Ordinal -1 where
// a stack trace is all that is known (native and implicit sites).
type SiteRef struct {
	Class   string `json:"class"` // internal name
	Method  string `json:"method"`
	Desc    string `json:"desc,omitempty"`
	Ordinal int    `json:"ordinal"`
	Line    int    `json:"line,omitempty"`
	Kind    string `json:"kind"`            // native | explicit | implicit | declared
	Fault   string `json:"fault,omitempty"` // of a declared site: the user's own fault
}

// Experienced is an e-c link that a run made happen: the exception thrown at
// Site was caught by the catch.
type Experienced struct {
	Site      SiteRef `json:"site"`
	Catch     string  `json:"catch"`     // catch ID
	Exception string  `json:"exception"` // internal name of its run-time class
}

// MethodKey is one version of a method: its name and the digest of its code
// (DESIGN D6).
type MethodKey struct {
	Class  string   // internal name
	Method string   // name and descriptor, or snapshot.Dispatch
	Digest [16]byte // see snapshot.Snapshot.MethodDigest
}

// MethodID numbers a MethodKey within one Memory.
type MethodID int32

// TestRun is what the baseline knows of one test.
type TestRun struct {
	Module string
	Test   string // display form: p.CTest#reads, with the invocation of a parameterised test behind it
	ID     string // the framework's own unique id, for running it again
	Class  string // class that holds it, source form
	// class that was run for it, if that is another one: a suite, or the class around
	Asked    string `json:",omitempty"`
	Alone    bool   `json:",omitempty"` // ran without the others of its class: with them it may do otherwise
	Part     bool   `json:",omitempty"` // of a baseline that ran the tests that some catches need, and no others
	Shape    string `json:",omitempty"` // digest of what tests Class had; "": recorded by a version that did not know
	Env      string // digest of JDK, libraries, resources and test settings
	Outcome  Outcome
	Outcomes []Outcome // one per repetition
	Message  string    // of the first failure
	Stack    string
	Duration time.Duration
	// of Duration, what its JVM took no processor time in; 0: little, or not known
	Waited time.Duration `json:",omitempty"`
	// of Waited, what its threads were ready to run in while other processes had the cores
	Starved time.Duration    `json:",omitempty"`
	Usages  map[string]Usage // by catch ID
	Links   []Experienced
	// IDs of catches that caught an exception of which nothing says where it was thrown, ascending
	Unknown []string `json:",omitempty"`
	// workspace methods that ran, test classes included, and what calls on objects of their classes
	// run; ascending
	Methods []MethodID
	Below   Below
	Aside   Below // what ran on other threads than the try meanwhile; absent: nothing
	Stray   int   // events on threads left over from earlier tests
	At      time.Time
	Coverage
}

// Coverage is what a run covered.
type Coverage struct {
	// Covers: coverage was recorded, in Covered; ascending. CoveredAside is what was covered
	// meanwhile, or since the test before, and belongs to no test.
	Covers                bool      `json:",omitempty"`
	Covered, CoveredAside []Covered `json:"-"`
	// Chained: call chains were recorded, in Chains; ascending.
	Chained bool        `json:",omitempty"`
	Chains  []CallChain `json:"-"`
}

// Below holds, by catch ID, the workspace methods that ran in the try of the
// catch or in its clause, and in whatever these called on the same thread;
// ascending. A catch that is not there, or that has nil, is not known: it was
// entered too often, or its record is of a version that did not record this. Known
// and without methods is an empty set.
type Below map[string][]MethodID

// WaitedPart is the part of its time that the test waited, from 0 to 1.
func (t *TestRun) WaitedPart() float64 { return float64(t.Waited) / float64(max(t.Duration, 1)) }

// Idle is for how long the test waited for something else than a core.
func (t *TestRun) Idle() time.Duration { return t.Waited - t.Starved }

// IdlePart is the part of its time in which it did, from 0 to 1.
func (t *TestRun) IdlePart() float64 { return float64(t.Idle()) / float64(max(t.Duration, 1)) }

// Saw tells whether an exception came to a catch in some repetition of the run.
func (t *TestRun) Saw(catch string) bool {
	return slices.ContainsFunc(t.Links, func(e Experienced) bool { return e.Catch == catch })
}

// AskedClass is the class that was run for the test: its own, or Asked.
func (t *TestRun) AskedClass() string { return cmp.Or(t.Asked, t.Class) }

// EntersAny tells whether the test has entered the try of one of some catches, by ID, in some
// repetition.
func (t *TestRun) EntersAny(catches map[string]bool) bool {
	for id := range t.Usages {
		if catches[id] {
			return true
		}
	}
	return false
}

// AddSeen adds what another run of the test saw; what it is added to may not be shared with others,
// its parts may.
func (t *TestRun) AddSeen(o *TestRun) {
	t.Links, t.Unknown = slices.Clone(t.Links), AddNames(t.Unknown, o.Unknown)
	for _, l := range o.Links {
		if !slices.Contains(t.Links, l) {
			t.Links = append(t.Links, l)
		}
	}
	SortLinks(t.Links)
	t.Methods = Union(t.Methods, o.Methods)
	t.Below, t.Aside = t.Below.With(o.Below), t.Aside.With(o.Aside)
}

// Stable tells whether the test passed every time.
func (t *TestRun) Stable() bool { return t.Outcome == Pass }

// AddName adds a name to an ascending list.
func AddName(list []string, name string) []string {
	if i, found := slices.BinarySearch(list, name); !found {
		return slices.Insert(list, i, name)
	}
	return list
}

// AddNames adds names to an ascending list, and leaves both as they are.
func AddNames(list, more []string) []string {
	list = slices.Clone(list)
	for _, name := range more {
		list = AddName(list, name)
	}
	return list
}

// SortLinks puts links into their order.
func SortLinks(links []Experienced) {
	sort.Slice(links, func(i, j int) bool { return linkLess(links[i], links[j]) })
}

func linkLess(a, b Experienced) bool {
	if a.Catch != b.Catch {
		return a.Catch < b.Catch
	}
	if a.Site != b.Site {
		x, y := a.Site, b.Site
		if x.Class != y.Class {
			return x.Class < y.Class
		}
		if x.Method != y.Method {
			return x.Method < y.Method
		}
		return x.Ordinal < y.Ordinal
	}
	return a.Exception < b.Exception
}

// UsageOf is what a run, which may be nil, did with the try of a catch.
func (t *TestRun) UsageOf(catch string) (u Usage) {
	if t != nil {
		u = t.Usages[catch]
	}
	return u
}

// AnyCatch stands in TestRun.Unknown for all catches: something of what was caught is missing.
const AnyCatch = ""

// Hides tells whether a catch may have caught more in the run than its links say.
func (t *TestRun) Hides(catch string) bool {
	return slices.Contains(t.Unknown, catch) || slices.Contains(t.Unknown, AnyCatch)
}

// Union is an ascending set with more methods; it leaves both as they are, and
// returns have itself if there is nothing to add.
func Union(have, more []MethodID) []MethodID {
	if len(more) == 0 {
		return have
	}
	all := append(slices.Clone(have), more...)
	slices.Sort(all)
	return slices.Compact(all)
}

// MethodSets are the methods that each of some runs entered.
func MethodSets(runs []*TestRun) (sets [][]MethodID) {
	for _, run := range runs {
		sets = append(sets, run.Methods)
	}
	return sets
}
