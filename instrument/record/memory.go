package record

// Memory recalls and keeps what runs showed (the results store). A current asks of a set of method
// versions whether all are those of the present code. Records that are put are there at once.
type Memory interface {
	// Intern numbers a method version; Method is its inverse.
	Intern(MethodKey) MethodID
	Method(MethodID) MethodKey

	// Runs lists the newest run of each test, whatever its environment.
	Runs() []*TestRun
	// TestRun returns the newest run of a test recorded with this environment.
	TestRun(module, test, env string) (*TestRun, bool)
	// RunVersions lists the runs of a test that are kept, of other code too, the newest first.
	RunVersions(module, test string) []*TestRun
	PutTestRun(*TestRun) error

	// CellVersions lists the cells of a key that are kept, of other code too, the newest first.
	CellVersions(CellKey) []*Cell
	PutCell(*Cell) error

	FaultRun(key FaultKey, env string, current func([]MethodID) bool) (*FaultRun, bool)
	PutFaultRun(*FaultRun) error
	Touched(module, test, env string, current func([]MethodID) bool) (*Touched, bool)
	PutTouched(*Touched) error

	// Stretched returns the newest record of a catch, a type and a test that current says is
	// of the present code: "" and "" for the run of a test with several stretched catches, which
	// with lists as Stretched.With does.
	Stretched(catch, to, test string, with []string, env string, current func([]MethodID) bool) (*Stretched, bool)
	PutStretched(*Stretched) error

	PutObserved(Observed) error
}
