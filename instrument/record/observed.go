package record

import "time"

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
	// Of a method out of which an exception came: the method of the workspace whose handler caught
	// it (class, name and descriptor, number in the class file), and the digest of its code.
	ByClass, ByMethod string
	Handler           int
	ByCode            [16]byte
}
