package snapshot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file groups links into failures (docs/internals/decisions/D10-a-person-counts-failures.md).

// Failure names what a person counts of what can arrive at a catch: an exception that an API method
// may throw, which code outside the JDK calls for a call of the try. A throw of such code itself
// has its own method for that of the API.
type Failure struct {
	Call
	Exception string // source form: the link's, or the nearest superclass that code outside the JDK can name
}

// Call is an API method that is called for a line of a try.
type Call struct {
	Line          int    // of the call in the try, or of the throw where the try has it; 0 if unknown
	Class, Method string // as the code that calls it names it: source form; name and descriptor
}

// Failure is the one that a link is a member of: that of its shortest chain. Lines has all that
// the exception may come from.
func (l *Link) Failure() Failure {
	c := &l.chains
	if known := c.failure.Load(); known != nil {
		return *known
	}
	f := Failure{Exception: l.exported()}
	if c.snap != nil {
		f.Call = l.call(l.Calls())
	} else {
		chain := c.made
		if len(chain) == 0 {
			chain = []Frame{{Class: l.Site.Class, Method: l.Site.Method, Line: l.Site.Line}}
		}
		api := chain[min(lastOutside(chain)+1, len(chain)-1)]
		f.Call = Call{chain[0].Line, api.Class, api.Method}
	}
	if c.snap == nil {
		c.failure.Store(&f)
		return f
	}
	l.SetFailure(f)
	return f
}

// SetFailure says of which failure a link is a member: a more precise analysis told so before.
func (l *Link) SetFailure(f Failure) {
	one, _ := l.chains.snap.Program.failures.LoadOrStore(f, &f)
	l.chains.failure.Store(one.(*Failure))
}

// Lines are those of the try with a call from which the exception of a link may come, or with its
// throw, ascending.
func (l *Link) Lines() []int {
	c, lines := &l.chains, []int{l.Failure().Line}
	if c.snap == nil {
		return lines
	}
	p := c.snap.Program
	p.flowMu.Lock()
	defer p.flowMu.Unlock()
	for _, id := range c.ids {
		for _, site := range p.Flow.Starts(id) {
			if site == exceptions.NoCall {
				lines = append(lines, l.Site.Line)
			} else {
				lines = append(lines, p.Flow.CallFrame(site).Line)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// ByTests tells whether the throw of a link stands in code of tests.
func (l *Link) ByTests() bool {
	if l.chains.snap == nil {
		return false
	}
	c := l.chains.snap.Class(strings.ReplaceAll(l.Site.Class, ".", "/"))
	return c != nil && c.InTests
}

// PathOf is the path of the source that has a class of the workspace, given in its source form; ""
// where there is none, and in a snapshot that was made by hand.
func (s *Snapshot) PathOf(class string) string {
	if s.Program == nil {
		return ""
	}
	return s.Program.Outer[strings.ReplaceAll(class, ".", "/")]
}

// CompareCalls orders calls by line and API method.
func CompareCalls(a, b Call) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Method, b.Method))
}

// call is the call that a chain starts with, and the method of the JDK that its last frame outside
// it calls, as that call names it: that frame itself, with the throw, where it is the last of all,
// or, where that is of a generated class, what is called there.
func (l *Link) call(calls []int32) Call {
	s := l.chains.snap
	chain := l.chainOf(calls)
	last := lastOutside(chain)
	api := chain[min(last+1, len(calls))]
	switch {
	case last < len(calls):
		if class, method, ok := s.Program.Flow.Callee(calls[last]); ok && natives.OfJDK(class) {
			api = Frame{Class: Dotted(class), Method: method}
		}
	case last > 0 && s.isGenerated(chain[last].Class):
		if class, method, ok := s.Program.Flow.Callee(calls[last-1]); ok {
			api = Frame{Class: Dotted(class), Method: method}
		}
	}
	return Call{chain[0].Line, api.Class, api.Method}
}

// isGenerated tells whether a class, given in its source form, was generated as tests ran. A
// library may make one for each class that it is given, all alike: no person knows their names, but
// that of the method that the library calls.
func (s *Snapshot) isGenerated(class string) bool {
	return s.Generated(strings.ReplaceAll(class, ".", "/"))
}

// Generated tells whether a class, by internal name, was generated as tests ran.
func (s *Snapshot) Generated(class string) bool {
	_, is := slices.BinarySearch(s.Program.Extra.Generated, class)
	return is
}

// lastOutside is the position of the last frame of a chain outside the JDK, or 0.
func lastOutside(chain []Frame) int {
	for i := len(chain) - 1; i > 0; i-- {
		if !natives.OfJDK(strings.ReplaceAll(chain[i].Class, ".", "/")) {
			return i
		}
	}
	return 0
}

// publicPackages begin the names of the JDK's packages that are there for all code: others are its
// own, or for few.
var publicPackages = []string{"java/", "javax/", "org/"}

// exported is the class of the link's exception, or the nearest superclass, that is no detail of
// the JDK.
func (l *Link) exported() string {
	s := l.chains.snap
	if s == nil {
		return l.Exception
	}
	for name := strings.ReplaceAll(l.Exception, ".", "/"); ; {
		f, ok := s.Facts(name)
		switch {
		case !natives.OfJDK(name):
			return Dotted(name)
		case !ok || f.Super == "":
			return l.Exception
		case f.Access&hierarchy.AccPublic != 0 && slices.ContainsFunc(publicPackages, func(p string) bool {
			return strings.HasPrefix(name, p)
		}):
			return Dotted(name)
		}
		name = f.Super
	}
}
