package worker

// This file is what this program and the agent tell each other: numbers, and the messages to the
// agent. The agent's side, catchlens.rt.wire.Wire, is made from it (`make update`).

import "github.com/catchlens/catchlens/analysis/faults"

// Types of frames of the bulk channel.
const (
	frameClasses = 1  // rewritten classes that later frames name
	frameStarted = 2  // a window opens
	frameResult  = 3  // a window has closed
	frameAsk     = 4  // a class to rewrite
	frameNotice  = 5  // a text for the log
	frameExiting = 6  // a test called System.exit or Runtime.halt
	frameAnswer  = 7  // to the agent: answer to an ask
	frameFound   = 8  // a discovered test
	frameItem    = 9  // an item of the request is next
	frameFired   = 10 // the injection fired for the first time in the window
	frameFault   = 11 // so did the fault
	frameHangs   = 12 // what the open window, which does not end, has recorded so far
)

// Kinds of windows.
const (
	kindTest    = 0
	kindFixture = 1
	kindSingle  = 2
)

// Kinds of throw sites of experienced links.
const (
	siteExplicit = 0
	siteNative   = 1
	siteImplicit = 2
	siteUnknown  = 3
	siteInjected = 4
	siteDeclared = 5
)

// What is known of the methods below the tries of a window.
const (
	belowUnknown = 0
	belowKnown   = 1
	belowLost    = 2 // too much happened at a time
)

// CallInside and CallEither mark the names of announced calls: of those that lead to methods of the
// component only, and of those that may lead out of it as well. ChainCalls is how many calls
// a recorded chain has at most.
const (
	CallInside = '='
	CallEither = '?'
	ChainCalls = 4
)

// Statuses that an agent ends its JVM with.
const (
	statusRefused = 97 // it could not start
	statusLost    = 98 // the worker is gone
)

// GuardRoot is the Touch.Root of the first guard of a request; each has two, the second
// where it led to its throw by itself. MaxGuards is how many a request may have.
const (
	GuardRoot = 0x8000
	MaxGuards = 0x4000
)

// wireNumbers are the numbers that the agent shares, by their names there.
var wireNumbers = []struct {
	about string
	of    []wireNumber
}{
	{"Types of frames of the bulk channel.", []wireNumber{
		{"FRAME_CLASSES", frameClasses}, {"FRAME_STARTED", frameStarted}, {"FRAME_RESULT", frameResult},
		{"FRAME_ASK", frameAsk}, {"FRAME_NOTICE", frameNotice}, {"FRAME_EXITING", frameExiting},
		{"FRAME_ANSWER", frameAnswer}, {"FRAME_FOUND", frameFound}, {"FRAME_ITEM", frameItem},
		{"FRAME_FIRED", frameFired}, {"FRAME_FAULT", frameFault}, {"FRAME_HANGS", frameHangs},
	}},
	{"Kinds of windows.", []wireNumber{
		{"KIND_TEST", kindTest}, {"KIND_FIXTURE", kindFixture}, {"KIND_SINGLE", kindSingle},
	}},
	{"Kinds of throw sites of links.", []wireNumber{
		{"SITE_EXPLICIT", siteExplicit}, {"SITE_NATIVE", siteNative}, {"SITE_IMPLICIT", siteImplicit},
		{"SITE_UNKNOWN", siteUnknown}, {"SITE_INJECTED", siteInjected}, {"SITE_DECLARED", siteDeclared},
	}},
	{"What is known of the methods below the tries of a window.", []wireNumber{
		{"BELOW_UNKNOWN", belowUnknown}, {"BELOW_KNOWN", belowKnown}, {"BELOW_LOST", belowLost},
	}},
	{"Marks of the names of announced calls: those that lead to methods of the component only, and those that " +
		"may lead out of it; and how many calls a recorded chain has at most.", []wireNumber{
		{"CHAIN_INSIDE", CallInside}, {"CHAIN_EITHER", CallEither}, {"CHAIN_CALLS", ChainCalls},
	}},
	{"Statuses that the agent ends its JVM with.", []wireNumber{
		{"STATUS_REFUSED", statusRefused}, {"STATUS_LOST", statusLost},
	}},
	{"Numbers of operations that are no roots: the probe before a call that the first of the user's own " +
		"faults is about, and the first guard of a request; each guard has two, the second where it led to " +
		"its throw by itself.", []wireNumber{
		{"DECLARED_CALL", faults.DeclaredCall}, {"GUARD_ROOT", GuardRoot},
	}},
}

type wireNumber struct {
	name   string
	number int
}

// wireMessages are the messages to the agent, with the messages inside them.
var wireMessages = []any{
	wireSettings{}, wireTry{}, wireRequest{}, wireArm{}, wireFollowed{}, wireTarget{}, Maker{},
	Fault{}, FaultTry{}, FaultRoot{}, FaultGuard{},
}

// wireSettings is what an agent reads first (settingsText).
type wireSettings struct {
	Port    int       `json:"port"`
	Token   string    `json:"token"`
	Reply   string    `json:"reply"`
	Bundles []string  `json:"bundles"`
	Ask     bool      `json:"ask"`
	Named   bool      `json:"named"`
	Tries   []wireTry `json:"tries"`
}

// wireTry is a Try.
type wireTry struct {
	Class  string `json:"className"` // internal
	Catch  int    `json:"catchNumber"`
	Try    uint16 `json:"tryNumber"`
	First  int    `json:"first"`
	Last   int    `json:"last"`
	Method string `json:"method"`
}

// wireRequest is the JSON form of discover and run.
type wireRequest struct {
	Seq         int               `json:"seq"`
	Adapter     string            `json:"adapter"`
	AdapterPath string            `json:"adapterPath,omitempty"`
	Mode        string            `json:"mode,omitempty"` // class, test or invocations
	Items       []string          `json:"items"`
	Restore     string            `json:"restore,omitempty"`
	OutputLimit int               `json:"outputLimit,omitempty"`
	Arm         *wireArm          `json:"arm,omitempty"`
	Listen      []wireFollowed    `json:"listen,omitempty"`
	Fault       *Fault            `json:"fault,omitempty"`
	Parameters  map[string]string `json:"parameters,omitempty"`
	FreshLoader bool              `json:"freshLoader,omitempty"`
	Without     []string          `json:"without,omitempty"`
	Groups      []string          `json:"groups,omitempty"`
	NoGroups    []string          `json:"excludedGroups,omitempty"`
	Suites      []string          `json:"suites,omitempty"`
}

type wireArm struct {
	Key          string       `json:"key"`
	Targets      []wireTarget `json:"targets"`
	Exception    string       `json:"exception"`
	Message      string       `json:"message"`
	MaxFires     int          `json:"maxFires"`
	White        bool         `json:"white,omitempty"`
	Only         int          `json:"only,omitempty"`
	Makers       []Maker      `json:"makers,omitempty"`
	Plain        bool         `json:"plain,omitempty"`
	Not          []string     `json:"not,omitempty"`
	Subclass     string       `json:"subclass,omitempty"` // hexadecimal
	SubclassName string       `json:"subclassName,omitempty"`
}

type wireFollowed struct {
	Key     string       `json:"key"`
	Targets []wireTarget `json:"targets"`
}

type wireTarget struct {
	Class string `json:"className"`
	Try   uint16 `json:"tryNumber"`
	Point bool   `json:"point,omitempty"`
	Catch bool   `json:"atCatch,omitempty"`
}
