package record

// Outcome is how one run of one test ended (REPORT.md, matrix).
type Outcome string

// Outcomes of a run. NotFired: an injection was armed and the try did not run again, so the run
// decides nothing. Skipped: the framework did not run the test (disabled, or an assumption did not
// hold). Undecided: the test did not pass, but what was thrown may be nothing that the program
// would meet, or not where it would. Gone: there is no such test any more, or the settings leave it
// out; what was recorded of it counts no longer.
const (
	Pass     Outcome = "pass"
	Fail     Outcome = "fail"
	Hang     Outcome = "hang"
	Exit     Outcome = "exit"
	Crash    Outcome = "crash"
	NotFired Outcome = "not-fired"

	Undecided Outcome = "undecided"
	Flaky     Outcome = "flaky"
	Skipped   Outcome = "skipped"
	Gone      Outcome = "gone"
)

// Failed tells whether the outcome counts against the contract: the test did
// not pass although the injection fired.
func (o Outcome) Failed() bool { return o == Fail || o == Hang || o == Exit || o == Crash }
