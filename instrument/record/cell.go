package record

import (
	"cmp"
	"strings"
	"time"
)

// NotAgain is the message of a run whose injection did not fire and that ended as ever. Another
// message of a run that is NotFired says why nothing could be thrown.
const NotAgain = "the try did not run again"

// Reading says into which executions of a try exceptions are thrown.
type Reading string

// The readings. Every is the paper's: into every execution. White throws only into executions in
// which the catch caught an exception of the type when the test ran as it is.
const (
	Every Reading = ""
	White Reading = "white"
)

// CellFormat is the present format of cells, and of what the runs that they tell of threw: one
// recorded with another decides nothing any more. It grows where the same run would end otherwise
// now, as with another exception or with one that is in another state. Runs of tests as they are
// have nothing to do with it: they are not made again.
//
//	3: exceptions have the containers and the traces that they had when they were caught
const CellFormat = 3

// Cell is one entry of the short-circuit matrix: one test run with exceptions of one type thrown at
// the start of executions of one try (paper 001, figure 1). One of the reading White may stand for
// several runs: with all of its executions struck together, and with each of them alone.
type Cell struct {
	Trial
	Format      int     `json:",omitempty"` // CellFormat
	Reading     Reading `json:",omitempty"`
	Type        string  // declared alternative, source form
	Fired       int     // how often, as worker.Fired counts
	Injected    string  // class of the object thrown, source form
	Constructed string  // how it was made, with its message
	// Provenance is where the exceptions came from. Struck are the first executions that were
	// struck, as worker.Fired.Struck, Whites how many there were to strike, Alone how many of these
	// were also struck alone, and Executions how many the run had, 0 where they were not counted.
	Provenance                Provenance `json:",omitempty"`
	Struck                    []string   `json:",omitempty"`
	Whites, Alone, Executions int        `json:",omitempty"`
	Why                       string     `json:",omitempty"` // it is Undecided, or did not fire
	// where in the try the exception came from; nil: from its start
	Point     *Point `json:",omitempty"`
	Confirmed bool   // a repetition ended alike, or the test was run alone in a fresh JVM
	// a fresh JVM showed it, into which nothing else had been injected
	Certain bool `json:",omitempty"`
	Loader  bool `json:",omitempty"` // a class loader of its own showed it
	// what a JVM with other injected runs before this one showed, where that was something else
	Differs string `json:",omitempty"`

	// Cut is what a run that did not end had, of processor time or by the clock. It is undecided,
	// as that is less than what it takes to count as hanging, and no answer asked for the run any
	// more.
	Cut time.Duration `json:",omitempty"`

	// Broken: the test failed although the injection did not fire. It is not kept.
	Broken bool `json:"-"`
}

// All tells whether a run of the reading White is one of the reading Every, too: it struck all
// executions that there were.
func (c *Cell) All() bool {
	return c.Reading == White && c.Executions > 0 && c.Fired == c.Executions && c.Whites == c.Executions
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

// CellKey names a cell.
type CellKey struct {
	Catch, Type, Test string
	Reading           Reading
	Point             int // Point.At of a place inside the try; 0: its start
}

// Key names the cell.
func (c *Cell) Key() CellKey {
	k := CellKey{Catch: c.Catch, Type: c.Type, Test: c.Test, Reading: c.Reading}
	if c.Point != nil {
		if k.Point = c.Point.At; k.Point == 0 {
			k.Point = -1 // a version recorded it that counted places by lines: never recalled
		}
	}
	return k
}

// Compare orders cells by catch, test, type, reading and place.
func (k CellKey) Compare(l CellKey) int {
	return cmp.Or(cmp.Compare(k.Catch, l.Catch), cmp.Compare(k.Test, l.Test), cmp.Compare(k.Type, l.Type),
		cmp.Compare(l.Reading, k.Reading), cmp.Compare(k.Point, l.Point))
}

// Provenance says where thrown exceptions came from.
type Provenance string

// Provenances, the surest first. An injection that threw exceptions of several has the last.
const (
	// the very object that the catch caught in this execution when the test ran as it is
	Caught   Provenance = "caught"
	Copied   Provenance = "copied"   // a copy of a real one
	Made     Provenance = "made"     // made as the program, or whoever uses the library, makes them
	Invented Provenance = "invented" // made in a way that no code is known to use
)

// ShortCatch is a catch ID without packages and parameters.
func ShortCatch(id string) string {
	if i := strings.IndexByte(id, '('); i >= 0 {
		id = id[:i]
	}
	return id[strings.LastIndexByte(id, '/')+1:]
}
