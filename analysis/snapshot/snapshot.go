// Package snapshot holds one immutable state of a workspace and every static result for it: sources
// with their tries and catches, the classes compiled from them, the call graph, and the e-c links
// of each catch with their call chains (Fu, Ryder, Milanova, Wonnacott, ISSTA 2004). Package build
// makes it; what is asked of one is computed from what that put in.
package snapshot

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/datareach"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// Program is what a snapshot keeps to answer questions. Package build fills it; everybody else asks
// the snapshot (a test in internal/repocheck).
type Program struct {
	Code     Code
	Classes  []*Class
	ByName   map[string]*Class
	Outer    map[string]string // class -> source path, all workspace classes
	Graph    *callgraph.Graph
	Reach    *datareach.Analysis // nil where links are not filtered
	Flow     *exceptions.Result
	flowMu   sync.Mutex // held while flow is asked: it keeps what it computed
	Studied  exceptions.Studied
	Targets  []exceptions.HandlerRef
	CatchOf  map[exceptions.HandlerRef]*Catch
	Extra    callgraph.Extra // what runs observed
	wraps    sync.Map        // see Link.Wraps
	frames   frames
	failures sync.Map // Failure -> pointer to it, which links share
	clauses  clauses  // see Snapshot.Clause
	misuses  misuses  // see Snapshot.Misuse

	dispatch, virtual sync.Map // class -> dispatchDigest, virtualMethods of it
	matches           sync.Map // *File -> *javasource.Matches, see Snapshot.matches
	calls             atomic.Pointer[fileCalls]

	Untested bool // what others can call are the entry points, for want of tests
	Made     any  // of package build: what the next snapshot is made from
}

// LeftTest is a class with tests in whose place another one of its name is analysed.
type LeftTest struct {
	Class
	By string // whose that is, such as the tests of core
}

// Code is the code of the workspace, its libraries and the JDK. It is safe for concurrent use.
type Code interface {
	hierarchy.Source
	// Bytes reads a class file as it is now. With a digest, the error says also that it is another
	// one than that.
	Bytes(name string, digest *[16]byte) ([]byte, error)
	// EachBaseClass calls f for every class of the JDK's base module.
	EachBaseClass(f func(name string, data []byte)) error
	// Settings are the properties of the JDK that libraries set, in order.
	Settings() []string
}

// Wait waits until what the build computed of libraries is in the cache, so that
// a process that ends does not throw it away.
func (s *Snapshot) Wait() { s.saving.Wait() }

// Later does beside everything else what Wait waits for.
func (s *Snapshot) Later(do func()) { s.saving.Go(do) }

// Classes are the classes of the workspace in class path order.
func (s *Snapshot) Classes() []*Class {
	if s.Program == nil {
		return nil // a snapshot that was made by hand
	}
	return s.Program.Classes
}

// Class finds a class of the workspace by internal name, or returns nil.
func (s *Snapshot) Class(name string) *Class {
	if s.Program == nil {
		return nil // a snapshot that was made by hand
	}
	return s.Program.ByName[name]
}

// ClassBytes reads the class file of a class of the workspace as it is now. It
// fails if the file has changed since the snapshot was made.
func (s *Snapshot) ClassBytes(name string) ([]byte, error) {
	var digest *[16]byte
	if c := s.Program.ByName[name]; c != nil {
		digest = &c.Facts.Digest
	}
	return s.Program.Code.Bytes(name, digest)
}

// LibraryBytes reads the class file of any class on the class path.
func (s *Snapshot) LibraryBytes(name string) ([]byte, error) { return s.Program.Code.Bytes(name, nil) }

// LibraryClass is what is known of a class that is none of the workspace, given by internal name,
// and the folder of the JDK that was analysed. The class is nil, or the folder "", where there is
// none.
func (s *Snapshot) LibraryClass(name string) (c *facts.Class, jdkHome string) {
	if s.Program != nil && s.Program.Code != nil && s.Class(name) == nil {
		c, _ = s.Program.Code.Class(name)
	}
	return c, s.JDKHome
}

// EachBaseClass calls f for every class of the JDK's base module: what a JVM may
// have loaded before an agent can see it.
func (s *Snapshot) EachBaseClass(f func(name string, data []byte)) error {
	return s.Program.Code.EachBaseClass(f)
}

// Facts returns the facts of any class on the class path, by internal name.
func (s *Snapshot) Facts(name string) (*facts.Class, bool) {
	if s.Program == nil {
		return nil, false // a snapshot that was made by hand
	}
	return s.Program.Code.Class(name)
}

// MethodDigest returns the key of a workspace method's code (DESIGN D6), or of a workspace class's
// Dispatch; ok is false where the snapshot has no such method or class.
func (s *Snapshot) MethodDigest(m MethodRef) ([16]byte, bool) {
	c := s.Program.ByName[m.Class]
	if c == nil {
		return [16]byte{}, false
	}
	if m.Method == Dispatch {
		return s.dispatchDigest(m.Class), true
	}
	if i := methodIndex(c.Facts, m.Method); i >= 0 {
		return c.Facts.Methods[i].CodeDigest, true
	}
	return [16]byte{}, false
}

// Reaches tells whether the call graph leads to a method from where the program starts. One that
// the snapshot does not have is not reached.
func (s *Snapshot) Reaches(m MethodRef) bool { return s.nodeOf(m) != callgraph.NoNode }

// CallGraph is the call graph of the snapshot, to be read only.
func (s *Snapshot) CallGraph() *callgraph.Graph { return s.Program.Graph }

// HasTests tells whether a class holds tests of a framework, by itself or by
// inheritance.
func (s *Snapshot) HasTests(c *Class) bool { return HasTests(s.Program.Code, c.Facts) }

// HasTests is that of Snapshot, of a class of some code.
func HasTests(code hierarchy.Source, c *facts.Class) bool {
	const abstract = 0x0400
	if c.Access&abstract != 0 || c.Access&0x0200 != 0 {
		return false
	}
	return len(features.TestEntries(code, []string{c.Name})) > 0
}

// Extends tells whether a class has another one, or an interface, above it, by internal names.
func (s *Snapshot) Extends(class, above string) bool {
	return class != above && slices.Contains(s.supertypes(class), above)
}

// LibrarySettings are the properties that code of libraries sets which the call graph reaches, in
// order: with another value of a setting more of the JDK may run.
func (s *Snapshot) LibrarySettings() []string { return s.Program.Code.Settings() }

// SameCode tells whether two snapshots have the same classes in the workspace, by name and code:
// what else the analyses know, such as what runs observed, may differ.
func (s *Snapshot) SameCode(other *Snapshot) bool {
	if len(s.Program.Classes) != len(other.Program.Classes) {
		return false
	}
	for _, c := range s.Program.Classes {
		o := other.Program.ByName[c.Name]
		if o == nil || o.Facts != c.Facts &&
			!slices.EqualFunc(o.Facts.Methods, c.Facts.Methods, func(a, b facts.Method) bool {
				return a.Name == b.Name && a.Desc == b.Desc && a.CodeDigest == b.CodeDigest
			}) {
			return false
		}
	}
	return true
}

// testPackages begin the imports of sources that use a test framework.
var testPackages = []string{"org.junit.", "junit.framework.", "org.testng."}

// UsesTestFramework tells whether a source imports something of a test framework.
func (f *File) UsesTestFramework() bool {
	for _, im := range f.Source.Imports {
		if slices.ContainsFunc(testPackages, func(p string) bool { return strings.HasPrefix(im.Name+".", p) }) {
			return true
		}
	}
	return false
}

// Faults are the user's own: those of catchlens.toml that can be made to happen.
func (s *Snapshot) Faults() []faults.Declared { return s.Config.Studied.Faults }

// Fault finds one of them by name; nil if there is none.
func (s *Snapshot) Fault(name faults.Kind) *faults.Declared {
	for i := range s.Config.Studied.Faults {
		if d := &s.Config.Studied.Faults[i]; d.Name == name {
			return d
		}
	}
	return nil
}

// Dotted is the source form of an internal name.
func Dotted(internal string) string { return strings.ReplaceAll(internal, "/", ".") }
