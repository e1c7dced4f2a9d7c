package record

// Stretched is one run of one test with stretched catches (paper 001, 3.4): nothing
// is injected, the exceptions are the test's own. Without a Test it says of one catch
// whether a class file can be made in which it takes To: Pass; Fail, with the use that
// needs the narrower type; or Skipped, where only the rewriter cannot.
//
// Its Catch is "" where it is of all of With.
type Stretched struct {
	Trial
	To string // source form; "": see With
	// With lists the catches that were stretched together, as "ID to type", sorted.
	With []string `json:",omitempty"`
	// Took are the IDs of the stretched catches that caught more than in the
	// baseline, sorted; Exceptions the classes that they caught and do not take
	// unstretched, source form, sorted.
	Took, Exceptions []string `json:",omitempty"`
	Confirmed        bool     // it was run alone in a fresh JVM, and, if it failed, passes there unstretched
}
