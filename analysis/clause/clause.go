package clause

import (
	"cmp"
	"slices"
	"strings"
)

// Ground is why a catch is source-independent whatever tests show.
type Ground string

// Grounds. Unproven: the code does not show it, runs decide.
const (
	Unproven   Ground = ""
	PassesOn   Ground = "passes-on"
	Unaffected Ground = "unaffected"
)

// Result is what the code of a catch says of where its exception comes from.
type Result struct {
	Ground Ground
	// Why says in words what the ground is, or what stands against one.
	Why string
	// Prepared is what the try may set up and the clause, or what follows it, uses; and
	// fields of the class that the try sets and nothing after it does. Ordered by
	// first use.
	Prepared []Prepared
	// Always names what the try sets before any exception can come: a difference in it is
	// one of the injection, not of the program.
	Always []string
	// Thread: the try is the whole of a method that a thread or a pool runs.
	Thread bool
	// Ends: a thread or a pool runs the method, which returns nothing, and after the exception was
	// caught it does nothing more but report it and clean up.
	Ends bool
	// Throws: once the exception was caught, the method ends with an exception, whatever it does
	// until then.
	Throws bool
	// After are the lines of the clause and of what follows it in the method, ascending.
	After []int
}

// Kind is the kind of something that a try prepares.
type Kind string

// Kinds of what is prepared.
const (
	Local   Kind = "local"   // a local variable
	Field   Kind = "field"   // a field
	Element Kind = "element" // an element of an array
	Object  Kind = "object"  // the state of the object that a variable or a field holds
)

// Prepared is a variable, a field or an object that a try may have prepared when the
// exception comes.
type Prepared struct {
	Kind Kind
	// Name is that of the variable ("conn", "local 3" without debug information), of
	// the field ("Store.conn") or of what holds the object.
	Name string
	// InSource is the name that NameFromSource found for a variable without one; "" for none.
	InSource string
	Sets     []Set
	Uses     []Use // none: a field that outlives the method
	// Writers are the methods that write a field: a call in the try that sets it up leads to one of
	// them.
	Writers []Writer
}

// Differs tells whether it may be prepared at one place from which the exception comes, and not at
// another.
func (p *Prepared) Differs() bool {
	return len(p.Sets) == 0 || slices.ContainsFunc(p.Sets, func(s Set) bool { return !s.Settled })
}

// Begun tells whether a part of it is set at all of these places: no exception finds it as it is at
// the start of the try, though it may differ between them.
func (p *Prepared) Begun() bool {
	return slices.ContainsFunc(p.Sets, func(s Set) bool { return s.Always })
}

// Set is a place in the try that sets something up.
type Set struct {
	PC    int32
	Line  int    // 0: unknown
	Value string // in words: "the result of open", "null", "1"; "": unknown
	By    string // the call that does it, as Class.method; "": the try does it by itself
	// Settled: it has run at all places from which the exception is known to come, or at none of
	// them.
	Settled bool
	// Always: it has run at all of them, once. Origin: it is one of them itself, a call of which it
	// is not known that it sets that up before. Direct: all methods of the workspace that are
	// called do it by themselves. Skipped: the exception may come on a way that leads past it.
	Always, Origin, Direct, Skipped bool
	// Seen is what is recorded of a test where it is Skipped.
	Seen Seen
	// Calls are the methods of the workspace that run where it does; none where it runs no such
	// method, or may run others.
	Calls []Method
}

// Seen tells whether a set ran in a test.
type Seen string

// What is recorded of a test: nothing that tells; it did not come to the set; or it came to it, and
// may have done so in another execution of the try than the one that caught.
const (
	NotKnown  Seen = ""
	NotRun    Seen = "not-run"
	Elsewhere Seen = "elsewhere"
)

// Writer is a method that writes a field, with the pcs of the instructions that do.
type Writer struct {
	Method
	Stores []int32
	// Branches: its code branches, so that it may run and write nothing.
	Branches bool
}

// is tells whether two sets are one.
func (s Set) is(t Set) bool {
	return s.PC == t.PC && s.Line == t.Line && s.Value == t.Value && s.By == t.By && s.Direct == t.Direct
}

// Use is a place after the exception was caught that uses something.
type Use struct {
	PC    int32
	Line  int // 0: unknown
	Where Where
	// Returned: the method only gives it to its caller.
	Returned bool
}

// Where tells where a use stands.
type Where string

// Where uses stand: in the clause, after it in the method, or in the try when it
// runs again.
const (
	InClause Where = "clause"
	After    Where = "after"
	Again    Where = "again"
)

// Lines are those of a clause, from { to }; 1-based.
type Lines struct{ First, Last int }

// Join combines the results for the handlers that the compiler made of one catch:
// a ground must hold for all of them.
func Join(results []*Result) *Result {
	if len(results) == 0 {
		return &Result{Why: "there is no handler in the class file"}
	}
	out := *results[0]
	out.Prepared, out.After, out.Always = slices.Clone(out.Prepared), slices.Clone(out.After), slices.Clone(out.Always)
	for _, r := range results[1:] {
		if out.Ground != Unproven && (r.Ground == Unproven || r.Ground == Unaffected) {
			out.Ground, out.Why = r.Ground, r.Why
		}
		out.Thread, out.Ends, out.Throws = out.Thread && r.Thread, out.Ends && r.Ends, out.Throws && r.Throws
		out.After, out.Always = append(out.After, r.After...), append(out.Always, r.Always...)
		for _, p := range r.Prepared {
			if i := out.find(p.Kind, p.Name); i < 0 {
				out.Prepared = append(out.Prepared, p)
			} else {
				out.Prepared[i] = merge(out.Prepared[i], p)
			}
		}
	}
	slices.Sort(out.After)
	out.After = slices.Compact(out.After)
	slices.Sort(out.Always)
	out.Always = slices.Compact(out.Always)
	return &out
}

func (r *Result) find(k Kind, name string) int {
	return slices.IndexFunc(r.Prepared, func(p Prepared) bool { return p.Kind == k && p.Name == name })
}

// merge joins what two copies of a try say of one thing; the pcs are those of the
// first.
func merge(a, b Prepared) Prepared {
	a.Sets, a.Uses = slices.Clone(a.Sets), slices.Clone(a.Uses)
	for _, s := range b.Sets {
		i := slices.IndexFunc(a.Sets, func(x Set) bool {
			return x.Line == s.Line && x.By == s.By &&
				x.Value == s.Value
		})
		if i < 0 {
			a.Sets = append(a.Sets, s)
		} else {
			x := &a.Sets[i]
			x.Settled, x.Always = x.Settled && s.Settled, x.Always && s.Always
			x.Origin, x.Direct = x.Origin || s.Origin, x.Direct && s.Direct
			if s.Skipped && (!x.Skipped || x.Seen == NotRun) { // what is known of the more doubtful one
				x.Seen = s.Seen
			}
			x.Skipped = x.Skipped || s.Skipped
			if x.Calls = slices.Clone(x.Calls); len(x.Calls) > 0 && len(s.Calls) > 0 {
				x.Calls = append(x.Calls, s.Calls...)
			} else {
				x.Calls = nil
			}
		}
	}
	for _, u := range b.Uses {
		if !slices.ContainsFunc(a.Uses, func(x Use) bool { return x.Line == u.Line && x.Where == u.Where }) {
			a.Uses = append(a.Uses, u)
		}
	}
	return a
}

// order puts uses and sets into the order of the code, and what is prepared into that
// of its first use.
func (r *Result) order() {
	first := func(p Prepared) int32 {
		if len(p.Uses) == 0 {
			return 1 << 30
		}
		return p.Uses[0].PC
	}
	for i := range r.Prepared {
		p := &r.Prepared[i]
		slices.SortFunc(p.Sets, func(a, b Set) int {
			return cmp.Or(cmp.Compare(a.PC, b.PC),
				strings.Compare(a.By, b.By))
		})
		slices.SortFunc(p.Uses, func(a, b Use) int { return cmp.Compare(a.PC, b.PC) })
		p.Sets = slices.CompactFunc(p.Sets, Set.is)
		p.Uses = slices.Compact(p.Uses)
	}
	slices.SortStableFunc(r.Prepared, func(a, b Prepared) int {
		return cmp.Or(cmp.Compare(first(a), first(b)), strings.Compare(string(a.Kind), string(b.Kind)),
			strings.Compare(a.Name, b.Name))
	})
}
