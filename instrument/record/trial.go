package record

import "time"

// Trial is what each run of a test in which something was changed tells: which catch it was about,
// where it ran, and how it ended.
type Trial struct {
	Catch    string // catch ID
	Test     string // as TestRun.Test
	Module   string
	Env      string // as TestRun.Env
	Outcome  Outcome
	Message  string // of the failure
	Stack    string
	Lines    map[string]LineMark `json:",omitempty"` // of Stack, see MarkLines
	Duration time.Duration
	Deps     []MethodID // what the outcome depends on: the try and below, and the test; ascending
	Below    Below      // of Catch, in this run and in the baseline
	Aside    Below      // as in TestRun
	At       time.Time
}
