package campaign

import "time"

// Outcome is how one run of one test ended (REPORT.md, matrix).
type Outcome string

// Outcomes of a run. NotFired: an injection was armed and the try did not run
// again, so the run decides nothing. Skipped: the framework did not run the
// test (disabled, or an assumption did not hold). Gone: there is no such test any
// more, or the settings leave it out; what was recorded of it counts no longer.
const (
	Pass     Outcome = "pass"
	Fail     Outcome = "fail"
	Hang     Outcome = "hang"
	Exit     Outcome = "exit"
	Crash    Outcome = "crash"
	NotFired Outcome = "not-fired"
	Flaky    Outcome = "flaky"
	Skipped  Outcome = "skipped"
	Gone     Outcome = "gone"
)

// Failed tells whether the outcome counts against the contract: the test did
// not pass although the injection fired.
func (o Outcome) Failed() bool { return o == Fail || o == Hang || o == Exit || o == Crash }

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
	Module   string
	Test     string // display form: p.CTest#reads, with the invocation of a parameterised test behind it
	ID       string // the framework's own unique id, for running it again
	Class    string // class that holds it, source form
	Asked    string `json:",omitempty"` // class that was run for it, if that is another one: a suite, or the class around
	Shape    string `json:",omitempty"` // digest of what tests Class had; "": recorded by a version that did not know
	Env      string // digest of JDK, libraries, resources and test settings
	Outcome  Outcome
	Outcomes []Outcome // one per repetition
	Message  string    // of the first failure
	Stack    string
	Duration time.Duration
	Waited   time.Duration    `json:",omitempty"` // of Duration, what its JVM took no processor time in; 0: little, or not known
	Usages   map[string]Usage // by catch ID
	Links    []Experienced
	Methods  []MethodID // workspace methods that ran, test classes included, and what calls on objects of their classes run; ascending
	Below    Below
	Aside    Below // what ran on other threads than the try meanwhile; absent: nothing
	Stray    int   // events on threads left over from earlier tests
	At       time.Time
}

// Below holds, by catch ID, the workspace methods that ran in the try of the
// catch or in its clause, and in whatever these called on the same thread;
// ascending. A catch that is not there, or that has nil, is not known: it was
// entered too often, or its record is of a version that did not record this. Known
// and without methods is an empty set.
type Below map[string][]MethodID

// Stable tells whether the test passed every time.
func (t *TestRun) Stable() bool { return t.Outcome == Pass }

// Cell is one entry of the short-circuit matrix: one test run with exceptions
// of one type thrown at the start of each execution of one try (paper 001,
// figure 1).
type Cell struct {
	Catch       string // catch ID
	Type        string // declared alternative, source form
	Test        string
	Module      string
	Env         string
	Outcome     Outcome
	Fired       int    // how often, as worker.Fired counts
	Injected    string // class of the object thrown, source form
	Constructed string // how it was made, with its message
	Message     string // of the failure
	Stack       string
	Duration    time.Duration
	Point       *Point     `json:",omitempty"` // where in the try the exception came from; nil: from its start
	Confirmed   bool       // a repetition ended alike, or the test was run alone in a fresh JVM
	Certain     bool       `json:",omitempty"` // a fresh JVM showed it, into which nothing else had been injected
	Loader      bool       `json:",omitempty"` // a class loader of its own showed it
	Differs     string     `json:",omitempty"` // what a JVM with other injected runs before this one showed, where that was something else
	Deps        []MethodID // what the outcome depends on: the try and below, and the test; ascending
	Below       Below      // of Catch, in this run and in the baseline
	Aside       Below      // as in TestRun
	At          time.Time

	broken bool // the test failed although the injection did not fire
}

// Point is a place inside a try (fine-grain injection; paper 001, 5.1).
type Point struct {
	N int // counted from 1 within the try, in the order of the code
	// At is how many instructions stand between the start of the try and the place, which
	// is what names it: another line break moves lines and adds statements, and no
	// instruction. 0: recorded by a version that did not know.
	At   int    `json:",omitempty"`
	Back int    // how many lines above the keyword catch it stands; negative: below
	Call string `json:",omitempty"` // what is called there, as Class.method; "": a statement begins there
}

// Isolation says how injected runs are kept from each other.
type Isolation string

// The rungs of isolation, the fastest first: many runs in one JVM with canaries
// between them; a class loader of its own for each run; a JVM for each.
const (
	SharedJVM   Isolation = "shared"
	FreshLoader Isolation = "loader"
	ForkedJVM   Isolation = "fork"
)

// Isolations lists them.
var Isolations = []Isolation{SharedJVM, FreshLoader, ForkedJVM}

// Row is everything that is known of one catch: what a verdict on it is made of.
type Row struct {
	Types []string // alternatives of the catch that an injection can throw
	Tests []RowTest
}

// RowTest is one test that entered the try in the baseline.
type RowTest struct {
	Name     string
	Baseline Outcome
	Usage    Usage
	// Sometimes: a repetition made the catch run, though not the one that Usage is of.
	Sometimes bool
	Cells     []Cell // of this catch and test
}

// Judge lists the cells that the verdict on a row rests on (shortcircuit.Deciding).
type Judge func(Row) []Cell

// Observed is code that a run saw and that the analysis does not find by itself
// (DESIGN D7): a class that is on no class path, a method of the workspace
// that was entered although the call graph does not reach it, or one of a library or the JDK
// out of which an exception came that the workspace caught.
type Observed struct {
	Module    string
	ClassPath string // ClassPathKey of the module
	Class     string // internal name; of a generated class, its name by content
	Method    string // name and descriptor; "" for a generated class
	Data      []byte // class file of a generated class
	At        time.Time
}

// Memory is what campaigns recall and record: the results store. One that also
// has PutObserved(Observed) error keeps what was observed.
type Memory interface {
	// TestRun returns the newest run of a test recorded with this environment.
	TestRun(module, test, env string) (*TestRun, bool)
	// Cell returns the newest cell recorded with this environment.
	Cell(catch, typ, test, env string) (*Cell, bool)
	// PointCell is Cell for the place inside the try with this At.
	PointCell(catch, typ, test, env string, at int) (*Cell, bool)
	PutTestRun(*TestRun) error
	PutCell(*Cell) error
	// Intern numbers a method version; Method is its inverse.
	Intern(MethodKey) MethodID
	Method(MethodID) MethodKey
}

// Stretched is one run of one test with stretched catches (paper 001, 3.4): nothing
// is injected, the exceptions are the test's own. Without a Test it says of one catch
// whether a class file can be made in which it takes To: Pass; Fail, with the use that
// needs the narrower type; or Skipped, where only the rewriter cannot.
type Stretched struct {
	Catch string // catch ID; "": all of With
	To    string // source form; "": see With
	Test  string
	// With lists the catches that were stretched together, as "ID to type", sorted.
	With        []string `json:",omitempty"`
	Module, Env string
	Outcome     Outcome
	Message     string // of the failure
	Stack       string
	Duration    time.Duration
	// Took are the IDs of the stretched catches that caught more than in the
	// baseline, sorted; Exceptions the classes that they caught and do not take
	// unstretched, source form, sorted.
	Took, Exceptions []string `json:",omitempty"`
	Confirmed        bool     // it was run alone in a fresh JVM, and, if it failed, passes there unstretched
	Deps             []MethodID
	Below            Below // of Catch
	Aside            Below // as in TestRun
	At               time.Time
}

// StretchMemory is a Memory that keeps runs with stretched catches.
type StretchMemory interface {
	// Stretched returns the newest record of a catch, a type and a test that current says is
	// of the present code: "" and "" for the run of a test with several stretched catches, which
	// with lists as Stretched.With does.
	Stretched(catch, to, test string, with []string, env string, current func([]MethodID) bool) (*Stretched, bool)
	PutStretched(*Stretched) error
}
