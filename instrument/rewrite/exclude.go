package rewrite

// This file names what never carries probes because a JVM could not run with
// them. What the recorder itself needs is the worker's list.

// Exclusion is a class that Rewrite leaves as it is.
type Exclusion struct {
	Class string // internal name
	Why   string
}

// Exclusions lists the classes that a JVM does not run with probes. Everything
// else of JDK 17 and JDK 25 starts, verifies and runs with every kind of probe
// in it (TestWholeJDK).
var Exclusions = []Exclusion{
	{"java/lang/Object", "HotSpot takes every class for one with a finalizer once Object.finalize is not empty"},
	{ProbeClass, "it is what probes call"},
}

func excluded(class string) (why string, ok bool) {
	for _, x := range Exclusions {
		if x.Class == class {
			return x.Why, true
		}
	}
	return "", false
}

const whyEmptyFinalizer = "an empty finalizer must stay empty"

// isEmptyFinalizer tells whether a method is a finalize() whose code is a mere
// return. HotSpot registers no finalizer for objects of a class that has one,
// which a probe in it would change.
func (e *editor) isEmptyFinalizer() bool {
	return len(e.insns) == 2 && e.class.MemberName(e.method) == "finalize" && e.class.MemberDesc(e.method) == "()V"
}
