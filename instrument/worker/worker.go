// Package worker starts test JVMs, speaks with the agent in them, and survives
// what happens to them.
//
// # Input and result
//
// A Spec says how to start a JVM (JDK, class path, arguments, working folder,
// bundles of rewritten classes); Start returns a JVM whose Discover lists tests
// and whose Run runs whole classes or tests one by one, with an exception armed
// where the Request has one. Each test comes back as a Test: outcome, failure,
// output, and the Record of what its probes saw. The rule by which events belong
// to tests is in package agent.
//
// # What can happen to a JVM
//
// An endless loop, a lost JVM, an exit: each costs the test that was running one
// recorded outcome (hang, crash, exit), and RunResult.Died says that the JVM is
// gone and why; Restart brings up another one. System.exit and Runtime.halt in
// a test are turned into an Error there and recorded as exit, and the JVM goes
// on; a security manager of the program is asked first. A JVM that does not
// answer its heartbeat is killed. Its whole process tree ends with it (package
// sandbox), and it ends when this process does.
//
// # Channels
//
// Two loopback connections, opened by the agent, which knows port and tokens
// from one line on its standard input: no process list, environment or file
// shows them. Control is JSON-RPC 2.0 (discover, run, ping, dump, stats, end);
// bulk carries binary frames (bulk.go): results, discovered tests, and classes
// that the JVM loads and no bundle knows, which Spec.Rewriter rewrites there and
// then.
//
// # Where tests run
//
// In a copy of the module's folder, with a private home and temporary folder,
// and confined to them where the system can (JVM.Confinement tells). See
// CopyPolicy for what is copied.
//
// # Cost
//
// Measured on two cores with JDK 17: a run of one trivial test with an injection
// takes 0.3 ms beyond the test itself (BenchmarkInjectedRun), a try or method
// probe 3 ns on the test thread and 50 ns on others (BenchmarkProbes), the start
// of a JVM 0.15 s, with all throws of the JDK probed 0.15 to 0.35 s and with every
// probe in every JDK class 0.5 to 0.8 s (TestWholeJDK). Where each test of
// commons-codec runs alone, the worker adds 1.3 ms a test.
package worker

import (
	"hash/adler32"
	"hash/crc32"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/seccomp"
)

// Outcome is how one run of one test ended.
type Outcome string

// The outcomes. Skipped: the framework did not run the test, or an assumption
// did not hold. Missing: a test asked for by its id was not found, or its class
// has nothing to run.
const (
	Pass    Outcome = "pass"
	Fail    Outcome = "fail"
	Skipped Outcome = "skipped"
	Hang    Outcome = "hang"
	Exit    Outcome = "exit"
	Crash   Outcome = "crash"
	Missing Outcome = "missing"
)

// Meta is what the rewriter says of a rewritten class.
type Meta struct {
	// NumberOffset is where the four big-endian bytes of the class number stand.
	NumberOffset int
	// How many probes of each kind the class has: numbers run from 0 to one less.
	Tries, Handlers, Sites, Methods int
}

// Rewriter rewrites a class that arrives at the JVM in a form that no bundle
// has. loaderKind is boot, platform, app or custom; name is the internal name.
// ok false: the class needs no probes, or cannot have any. It is called from
// several goroutines.
type Rewriter func(loaderKind, name string, original []byte) (rewritten []byte, meta Meta, ok bool)

// Key identifies the original bytes of a class, by checksums that a JVM computes
// without Java code of its own (CRC-32 and Adler-32 are intrinsics).
type Key struct{ CRC, Adler, Length uint32 }

// KeyOf is the key of a class file.
func KeyOf(original []byte) Key {
	return Key{crc32.ChecksumIEEE(original), adler32.Checksum(original), uint32(len(original))}
}

// Spec says how to start a JVM.
type Spec struct {
	JDK      string // home of the Java that runs the tests
	Compiler string // home of a JDK with javac, for the agent; "" is JDK
	Cache    string // folder for the compiled agent, private to the user

	ClassPath        []string
	Module           *Module  // the Java module that the tests run in; nil: everything is on the class path
	JVMArgs          []string // of the project; coverage agents are dropped (FilterJVMArgs)
	SystemProperties map[string]string
	Environment      map[string]string // on top of this process's own
	EnableAssertions bool
	MaxHeap          int64 // bytes; 0: the JVM's default, or what JVMArgs say

	Place
	Confine      sandbox.Kind
	Background   bool // it has low priority (sandbox.Command)
	MaxProcesses int  // that may run in the JVM's tree before it is ended; 0: 500. Linux only

	Bundles  []string // files written by WriteBundle, looked up in order
	Rewriter Rewriter // nil: classes that no bundle has stay as they are
	// LateBundle is a bundle file that Start looks up last and Close extends by
	// the classes that Rewriter was asked for, so that the next JVM need not ask:
	// mostly JDK classes loaded before the agent, which the JVM hands over in a
	// form of its own. "" keeps none. The caller names it after everything that
	// the rewriter's answers depend on.
	LateBundle string

	// NamedOnly leaves classes alone that have no name of a rewritten class in Bundles,
	// without asking the Rewriter: the JVM starts sooner, and of exceptions that
	// libraries and the JDK throw no site is known but what their stack traces say.
	NamedOnly bool

	Tries []Try // Record.Below is about these

	// Trap lists system calls, by number, that the JVM and what it starts make only
	// when a supervisor lets them; NewSupervisor makes one for each JVM that is
	// started. Without the list there is none, and no cost.
	Trap          []int
	NewSupervisor func() Supervisor

	// StartTimeout is how long a JVM may take to be ready; 0: a quarter of an hour, for
	// machines that are very busy. One that shows no sign of life (JVM.signs) is ended earlier.
	StartTimeout time.Duration
	// Delayed is called when a JVM is not ready half a minute after its start, and every
	// half minute from then on; may be nil.
	Delayed     func(since time.Duration)
	TestTimeout time.Duration // per test or fixture, unless the Request says; 0: a minute
	Log         func(string)  // what the agent notices; may be nil
}

// Place says in which folders tests run.
type Place struct {
	ModuleDir  string // folder of the module; "" : tests run in an empty folder
	WorkingDir string // where tests run, below ModuleDir; "" is ModuleDir
	Copy       CopyPolicy
	Scratch    string // folder for copies, home and temporary files; "" makes one
	// Folders has these folders for JVMs of one module, instead of Scratch; nil: each JVM has its
	// own.
	Folders *Folders
	MaxDisk int64 // bytes that tests may add to these folders before the JVM is ended; 0: 2 GiB
}

// Module is the Java module that tests run in (JDK 9 and later), as Surefire starts a JVM for it. A
// request for a fresh loader would lose the module, and is refused.
type Module struct {
	Name string
	Path []string // the entries of Spec.ClassPath that are on the module path
	// Patches are the entries of Spec.ClassPath whose classes and resources are put into modules.
	Patches []Patch
	// Packages are those of the tests, where these are put into the module: it reads the class path
	// then, to which they are opened. None: the module has the tests itself.
	Packages []string
}

// Patch puts entries of a class path into a module.
type Patch struct {
	Module  string
	Entries []string
}

// Supervisor answers the system calls of a JVM that Spec.Trap lists. Serve returns
// when there will be none any more; RunStarts and RunEnded come before and after
// each request, Close when the JVM is gone.
type Supervisor interface {
	Serve(*seccomp.Listener)
	RunStarts(*Request)
	RunEnded()
	Close()
}

// Try is the try of one catch: its number in its class, and the lines of the class
// file in which it and its clause lie.
type Try struct {
	Catch       int    // what the caller calls the catch: small, as it is an index in the JVM
	Class       string // internal
	N           uint16 // plan.Try.N
	Method      string // name
	First, Last int
}

// Class is one rewritten class of one JVM.
type Class struct {
	Number int
	Name   string // internal
	Loader string // boot, platform, app, custom
	Key    Key
	Late   bool // rewritten while the JVM waited
}

// Count is how often one probe was reached.
type Count struct {
	N     uint16
	Times int
}

// Counts is what the probes of one class counted. Only probes that were reached
// are listed, in ascending order.
type Counts struct {
	Class    *Class
	Tries    []Count // by try: entered
	Caught   []Count // by handler: entered
	Uncaught []Count // by try: left by an exception that none of its catches took
	Methods  []uint16
}

// SiteKind says how a throw site is known.
type SiteKind string

// The kinds of sites. Injected objects make no experienced link.
const (
	Explicit SiteKind = "explicit"
	Native   SiteKind = "native"
	Implicit SiteKind = "implicit"
	Unknown  SiteKind = "unknown"
	Injected SiteKind = "injected"
	Declared SiteKind = "declared" // the start of a method, by a fault of the user's own
)

// Site is where a caught exception was thrown. An explicit site is a probe
// (Class and N); a native or implicit one is what a stack trace says.
type Site struct {
	Kind   SiteKind
	Class  *Class
	N      uint16
	Name   string // internal name of the class
	Method string // without descriptor
	Line   int    // of an implicit or declared site; 0: unknown
}

// Link is a throw site whose exceptions a handler caught.
type Link struct {
	Catch     *Class
	Handler   uint16
	Exception string // internal name of the class of the object
	Site      Site
	Times     int
}

// Record is what the probes saw in one window.
type Record struct {
	Classes []Counts
	Links   []Link
	Stray   int // events on threads left over from earlier tests
	Lost    int // events of which something is missing

	// Below says what ran below the tries of Spec.Tries. A catch that is not there is
	// not known, for it was entered too often or not at all.
	Below []Below
	// BelowLost: what ran below the tries is not known of any, not even of those that
	// were entered before this window.
	BelowLost bool

	// Covered says which coverage probes of which classes were hit, Aside which were hit by what
	// belongs to no test: threads of earlier tests, and whatever ran since the window before
	// closed.
	Covered, Aside []Covered

	// Contexts are the calling contexts in which methods of a component ran, each behind the one
	// above it.
	Contexts []Context

	// Executions says how often coverage probes were executed that count, since the window before
	// closed and whoever did.
	Executions []Executions
}

// Executions says how often coverage probes of a class were executed, by their number; those that
// were not are absent.
type Executions struct {
	Class *Class
	Times map[uint16]int64
}

// Context is a method in a calling context: called by that at position Up, -1 for a method that
// the component was entered by. Call is the number of the call there.
type Context struct {
	Up, Call int
	Class    *Class
	Method   uint16
	Level    uint8 // 0: nothing of the component was on the stack before; 1: something was
}

// Covered says which coverage probes of a class were hit: bit n&7 of byte n>>3 stands for probe n.
type Covered struct {
	Class *Class
	Hits  []byte
}

// Below lists, in no order, the methods that ran in the try of a catch or in its
// clause, and in whatever these called on the same thread; and those that ran on
// other threads meanwhile.
type Below struct {
	Catch          int
	Methods, Aside []Method
}

// Method is a method of a rewritten class, by its index there.
type Method struct {
	Class *Class
	N     uint16
}

// Failure is why a test did not pass.
type Failure struct {
	Exception string // class, source form
	Message   string
	Stack     string // with causes, without the framework's frames below the test
}

// Test is the result of one test.
type Test struct {
	ID, Class, Method, Display string
	Item                       string   // class of the request that the test was run for, where classes were asked for
	Containers                 []string // open class containers, outermost first
	Outcome                    Outcome
	Failure                    Failure
	Reason                     string // why skipped; where a hang hung
	ExitStatus                 int
	Duration                   time.Duration
	// of Duration, what the JVM took no processor time in, about; 0: not known, or less than a
	// tenth of a second
	Waited time.Duration
	// of Waited, what threads of the program were ready to run in while other processes had the
	// cores, about
	Starved time.Duration
	// Elapsed is how long a test that hangs has had.
	Elapsed time.Duration
	// Worked is the processor time for which a test was ended that had not had the time in which it
	// would count as hanging (Request.Work); 0: it was not.
	Worked                   time.Duration
	Stdout, Stderr           string // tails
	StdoutTotal, StderrTotal int64  // bytes printed
	OutOfMemory              bool   // the failure has an OutOfMemoryError: do not trust this JVM
	LeakedThreads            []string
	Injection                *Fired  // nil when nothing was armed
	Fault                    *Struck // nil when no fault was
	Record                   Record
}

// Fixture is what happened in a class container outside its tests. One container
// may have several, to be added up.
type Fixture struct {
	Class     string
	Outcome   Outcome // Fail: @BeforeAll or the like failed, and tests may not have run
	Failure   Failure
	Reason    string
	Duration  time.Duration
	Injection *Fired // nil when nothing was armed
	Record    Record
}

// Target is one try, with Point one place inside one, or with Catch a catch: Try is
// then the number of a plan.Point or plan.Catch.
type Target struct {
	Class string // internal name
	Try   uint16
	Point bool
	Catch bool
}

// Followed is one catch whose executions are counted while a test runs as it is: its tries and
// handlers.
type Followed struct {
	Key     string // what Injection.Key names it by
	Targets []Target
}

// Injection is what to throw at the start of each execution of some tries, or in some of them. The
// thrown object is the one that the catch caught in this execution when the test last ran with
// Request.Listen; else a copy of one that it caught in another execution; else, where every
// execution is struck, a copy of a real one that was seen in this JVM in such runs; else one that
// is made.
type Injection struct {
	// Targets are the tries at whose starts it is thrown, or, if there are some, the points at
	// which it is. Where a test was listened to, they have the tries and the handlers that Followed
	// had.
	Targets   []Target
	Key       string // of the Followed, where tests were listened to
	Exception string // binary name of the class
	Message   string // of made ones; "": RealisticMessage
	MaxFires  int    // 0: unlimited
	// White throws only in executions in which the catch has caught such an exception, as long as
	// what began and was caught before on the thread is what was in that run. Only, if it is not 0,
	// is which of these, from 1.
	White bool
	Only  int
	// Makers are how the program makes such exceptions; Plain: the plain constructors of the class
	// are such ways, too.
	Makers []Maker
	Plain  bool
	Not    []string // binary names of classes of which, or of ones below them, none is thrown: other catches take them
	// Subclass and SubclassName define a class to throw where Exception cannot
	// be thrown itself (an abstract one). It is defined in the loader of the
	// class that has the try.
	Subclass     []byte
	SubclassName string
}

// Maker is a constructor, named <init>, or a static method that makes exceptions.
type Maker struct {
	Owner string `json:"owner"` // binary name
	Name  string `json:"name"`
	Desc  string `json:"desc"`
}

// Fired is what an injection did.
type Fired struct {
	// on the thread of the test; 1 if it threw on others only: how often it does there until the
	// test ends is chance
	Times       int
	Problem     string // why no exception could be constructed
	Exception   string // class of the objects, source form
	Constructor string // "(java.lang.String)", "without a constructor", or where the object was seen
	Message     string
	Cause       string // class of the cause, or ""
	Provenance  record.Provenance
	// something thrown, or what it wraps, may have been made before the try: each run has another
	// object then
	Prepared bool
	// the first executions in which it was thrown, by number from 1: "2", or "2 of thread p-# 1" of
	// another thread; none where they were not counted
	Struck     []string
	Heard      bool   // the test was listened to
	Wanted     int    // executions of that run in which the catch caught such an exception
	White      int    // and with any exception that it takes
	Executions int    // executions of the tries now, where they were counted
	Told       string // why some of the executions of that run cannot be told apart from others
}

// Request is a batch of tests to run.
type Request struct {
	Adapter agent.Adapter
	Classes []string // whole classes, binary names
	// Without has the ids of tests that are left out of their classes; the others run as ever, in
	// their order.
	Without []string
	// Groups and ExcludedGroups are TestNG's: they decide which fixtures run, too.
	Groups, ExcludedGroups []string
	// Suites are suite files of TestNG: where there are some, they say what runs of a class.
	Suites []string
	Tests  []string // or ids, each run alone
	// Invocations has the ids of tests that are Dynamic, or instead of both: each of their
	// invocations is a test, as where the whole class is run.
	Invocations []string
	Arm         *Injection
	// Listen runs tests as they are, and keeps for later injections which executions of these
	// catches' tries ended in the catch, with what exceptions.
	Listen []Followed
	Fault  *Fault // to strike, or to observe
	// FreshLoader loads the classes of the class path anew first, by a loader of its
	// own: their static state is as in a JVM that has just started. Later requests use
	// that loader, too. Code that asks for the system class loader itself still gets
	// the classes of that one.
	FreshLoader bool
	Timeout     time.Duration // per test or fixture
	// Stall, if it is not 0, is after how long a test counts as hanging in which the fault or the
	// injection has struck and all threads of the program are blocked, none of them for a time
	// only.
	Stall time.Duration
	// Work, if it is not 0, is after how much processor time of the JVM, and no less time by the
	// clock, a test is ended in which the fault or the injection has struck (Test.Worked). Where
	// the system does not tell, it is not.
	Work time.Duration
	// Quiet, if it is not 0, is after how long a test counts as hanging whose thread stays where it
	// waits for another one, with no time at which it goes on, while the JVM takes next to no
	// processor time.
	Quiet time.Duration
	// RestorePerTest puts system properties, locale and time zone back after
	// each test of a class, not only after the class.
	RestorePerTest bool
	OutputLimit    int               // bytes of output kept of a test; 0: 2048
	Parameters     map[string]string // JUnit Platform configuration parameters
	OnTest         func(*Test)       // called as results come in; may be nil
}

// RunResult is the result of a Request.
type RunResult struct {
	Tests    []Test
	Fixtures []Fixture
	// Died is set when the JVM ended before the request did; the test that was
	// running is among Tests with its outcome, and NotRun has the classes or
	// tests that were not started. A class cut short is Interrupted.
	Died        *Died
	NotRun      []string
	Interrupted string
}

// Discovered is a test that exists.
type Discovered struct {
	ID, Class, Method, Display string
	Tags                       []string
	// Dynamic: its invocations are known only when it runs (parameterised and
	// repeated tests, test factories); they then have ids of their own.
	Dynamic bool
}

// DeathKind says what ended a JVM.
type DeathKind string

// The kinds of death.
const (
	DiedExit    DeathKind = "exit"    // it ended itself, in a way that the agent could not hold up
	DiedCrash   DeathKind = "crash"   // a signal, or a fatal error of the JVM
	DiedOOM     DeathKind = "oom"     // out of memory
	DiedKilled  DeathKind = "killed"  // by Close
	DiedTimeout DeathKind = "timeout" // by us, because a test did not end
	DiedDisk    DeathKind = "disk"    // by us, because what its tests wrote exceeds Spec.MaxDisk

	DiedProcesses DeathKind = "processes" // by us, because its tests started too many
)

// Died tells how a JVM ended.
type Died struct {
	Kind     DeathKind
	Code     int // exit status, or -1
	Signal   int
	LastTest string
	Output   string // tail of what it printed
	HsErr    string // beginning of the JVM's fatal error log
	Left     int    // processes it left behind, killed
	Filled   int64  // bytes that its tests had added to its folders, where Kind is DiedDisk
	Started  int    // how many processes ran, where Kind is DiedProcesses
}

func (d *Died) Error() string {
	s := "the test JVM ended: " + string(d.Kind)
	if d.LastTest != "" {
		s += " in " + d.LastTest
	}
	return s
}
