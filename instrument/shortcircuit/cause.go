package shortcircuit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file names the cause of a failing run: what the clause of a catch, or what follows
// it, used and the try had not prepared.

// Cause is why a catch depends on where in the try the exception comes from.
type Cause struct {
	What clause.Prepared
	Set  clause.Set // where the try would have set it up; the first place
	Use  clause.Use // where the clause or what follows it used it
	// Frame is the place in the user's code where the run went wrong, Exception what was
	// thrown there; "" where the run failed only by a comparison in the test.
	Class, Method string // source form
	Line          int
	Exception     string
}

// Unexplained is a failing run, and why it says nothing about the clause.
type Unexplained struct {
	Cell record.Cell
	Why  string
}

func cellsOf(list []Unexplained) (cells []record.Cell) {
	for _, u := range list {
		cells = append(cells, u.Cell)
	}
	return cells
}

// isProven tells whether the code of a catch shows that it is source-independent.
func isProven(p *Place) bool {
	return p != nil && p.Clause != nil && p.Clause.Ground != clause.Unproven
}

// codeText is the sentence for a catch that is source-independent by its code.
func codeText(p *Place, unexplained []Unexplained) string {
	text := p.Clause.Why
	if len(unexplained) > 0 {
		text += fmt.Sprintf("; that %s does not pass under injection is not its doing", unexplained[0].Cell.Test)
	}
	return text
}

// judged are cells of which those that say nothing about the catch are undecided.
func judged(cells []record.Cell, p *Place, resilience bool) []record.Cell {
	copied := false
	for i := range cells {
		if !cells[i].Outcome.Failed() || cells[i].Fired == 0 {
			continue
		}
		why := decidesNothing(&cells[i], p, resilience)
		if why == "" {
			continue
		}
		if !copied {
			cells, copied = slices.Clone(cells), true
		}
		cells[i].Outcome, cells[i].Why = record.Undecided, why
	}
	return cells
}

// Judge is the cell as the contracts count it: a failing run that says nothing about source
// independence is undecided, with the reason.
func Judge(c record.Cell, p *Place) record.Cell {
	return judged([]record.Cell{c}, p, c.Reading == record.Every)[0]
}

// explain keeps those failing runs of tests with a white usage whose cause has a name.
func (t *tally) explain(r *Row) {
	failing := t.whiteFails
	t.whiteFails, t.causes = nil, map[record.CellKey]*Cause{}
	for i := range failing {
		c := &failing[i]
		if cause, why := explained(c, r); why != "" {
			t.unexplained = append(t.unexplained, Unexplained{*c, why})
		} else {
			t.causes[c.Key()] = cause
			t.whiteFails = append(t.whiteFails, *c)
		}
	}
	slices.SortFunc(t.unexplained, func(a, b Unexplained) int { return a.Cell.Key().Compare(b.Cell.Key()) })
}

// explained names the cause of a failing run, or says why there is none.
func explained(c *record.Cell, r *Row) (*Cause, string) {
	p := r.Place
	switch {
	case p == nil:
		return nil, ""
	case isProven(p):
		return nil, p.Clause.Why
	}
	if why := decidesNothing(c, p, false); why != "" {
		return nil, why
	}
	return nameCause(c, p, r.test(c.Test))
}

// nameCause finds the cause of a failing run. Without one it says why there is none. t is the test
// when it ran as it is, nil where that is not known: what is named has run there.
func nameCause(c *record.Cell, p *Place, t *Test) (cause *Cause, why string) {
	if p.Clause == nil {
		return nil, "the code of the catch could not be read"
	}
	p = p.in(c, t)
	if cause, why = causeIn(c, p); cause != nil || len(p.whole.Prepared) == 0 {
		return cause, why
	}
	whole := *p
	whole.Clause = p.whole
	if skipped, _ := causeIn(c, &whole); skipped != nil {
		return nil, fmt.Sprintf("what sets up %s%s stands behind a condition, and %s", skipped.subject(),
			inLine(skipped.Set.Line), seenText(skipped.Set.Seen))
	}
	return nil, why
}

// seenText says what is known of a test and of what stands behind a condition.
func seenText(s clause.Seen) string {
	switch s {
	case clause.NotRun:
		return "the test does not run it"
	case clause.Elsewhere:
		return "nothing shows that the execution of the try that caught ran it, and not another one of the test"
	}
	return "nothing shows that the test runs it"
}

// causeIn finds the cause of a failing run in what the place says of its test.
func causeIn(c *record.Cell, p *Place) (cause *Cause, why string) {
	traces := readTraces(c.Stack)
	elsewhere := ""
	for i := len(traces) - 1; i >= 0; i-- {
		t := &traces[i]
		if isInjected(t, c) {
			continue
		}
		if cause, why := causeOfTrace(t, p); cause != nil || why != "" {
			return cause, why
		}
		if f := firstOwn(p, t.frames); f != nil && elsewhere == "" {
			elsewhere = fmt.Sprintf("%s was thrown in %s, and nothing is known that connects it with the clause",
				t.class, frameText(f))
		}
	}
	if text := settledText(p.Clause, ""); text != "" && causeOfResult(p.Clause) == nil {
		return nil, text
	}
	// Mocks of classes run a verification in the code of what they mock.
	if elsewhere != "" && !asksForClause(p, traces) {
		return nil, elsewhere
	}
	if p.Clause.Thread {
		return nil, "the try is all that a thread does: the test asks whether its work was done"
	}
	return causeOfComparison(traces, p)
}

// causeOfComparison is the cause of a failure in the test's own code: of a comparison there, or of
// an exception that came without passing the clause. What the try does is what most tests ask for,
// so more is needed than that the clause works with something: the try itself must have set it up,
// before the call that the exception comes from, and what the test looks at must be able to come
// from the clause or what follows it.
func causeOfComparison(traces []trace, p *Place) (*Cause, string) {
	return connected(causeOfResult(p.Clause), traces, p)
}

// thrownInTest tells whether the nearest frame in the workspace's code is a test's.
func thrownInTest(p *Place, frames []frame) bool {
	for _, f := range frames {
		if p.Own != nil && p.Own(f.class) || p.Tests == nil {
			return false
		}
		if p.Tests(f.class) {
			return true
		}
	}
	return false
}

// connected is the cause if it is one of failures in the test's own code, else it says why it is
// none.
func connected(cause *Cause, traces []trace, p *Place) (*Cause, string) {
	if cause == nil {
		return nil, usesText(p.Clause) + " whether the try's work was done"
	}
	if cause.Set.Origin {
		return nil, fmt.Sprintf(
			"%s, which the clause or what follows it uses, is set up by nothing but calls that the exception "+
				"comes from: "+
				"the test asks for what these do before",
			cause.subject(),
		)
	}
	if p.Looks == nil || asksForClause(p, traces) {
		return cause, ""
	}
	for i := range traces {
		looked := p.Looks(p.tested, clauseFrames(traces[i].frames), nullVariable(&traces[i]))
		switch {
		case looked.Given:
			return cause, ""
		case len(looked.At) > 0:
			return nil, fmt.Sprintf(
				"the test looks at %s, which neither the clause nor what follows it gives or changes: it asks for "+
					"the try's work",
				strings.Join(looked.At, ", "),
			)
		}
	}
	return nil, "what the test looks at could not be connected with the clause or what follows it"
}

// usesText says of a catch with which nothing that the try prepares makes a difference what its
// clause and what follows it do with that, and what the test asks. It ends before "whether".
func usesText(r *clause.Result) string {
	for _, q := range r.Prepared {
		if q.Differs() && slices.ContainsFunc(q.Uses, func(u clause.Use) bool { return u.Returned }) {
			return fmt.Sprintf("the clause and what follows it do nothing with %s, which the try sets%s, but return "+
				"it: the test asks", q.Shown(), inLine(firstSet(q).Line))
		}
	}
	if len(r.Always) > 0 {
		return fmt.Sprintf("of what the try prepares, the clause and what follows it use at most %s, set before any "+
			"of its code can throw, so that no exception comes from the start: the test asks for that, or",
			strings.Join(r.Always, ", "))
	}
	return "the clause and what follows it use nothing that the try prepares: the test asks"
}

func clauseFrames(frames []frame) (out []clause.Frame) {
	for _, f := range frames {
		out = append(out, clause.Frame{Class: f.class, Method: f.method, Line: f.line})
	}
	return out
}

// isInjected tells whether an exception is the one that was thrown into the try.
func isInjected(t *trace, c *record.Cell) bool { return t.class == c.Injected }

// causeOfTrace looks at one exception of a failure: what was used in the line where it came out of
// the clause, or of what follows. Neither: it says nothing.
func causeOfTrace(t *trace, p *Place) (cause *Cause, why string) {
	own := firstOwn(p, t.frames)
	at := afterFrame(p, t.frames)
	if own == nil {
		return nil, ""
	}
	null := nullVariable(t)
	if null != "" && at == nil {
		return outliving(p, t, own, null), ""
	}
	if at == nil {
		return nil, ""
	}
	if null != "" && own.class == at.class && own.method == at.method &&
		slices.ContainsFunc(p.Clause.Always, func(n string) bool { return sameVariable(n, null) }) {
		return nil, fmt.Sprintf("%s is set in the try before any of its code can throw: no exception comes from "+
			"the start", null)
	}
	if null != "" && own.class == at.class && own.method == at.method {
		if why := settledText(p.Clause, null); why != "" {
			return nil, why
		}
	}
	found := usedAt(p.Clause, at.line, null)
	switch {
	case found != nil && (null != "" || !thrownInTest(p, t.frames)):
	case thrownInTest(p, t.frames):
		if found, why = connected(found, []trace{*t}, p); found == nil {
			return nil, why
		}
	default:
		found = causeOfResult(p.Clause) // what the clause decided by
		if found != nil && (found.Set.Origin || found.What.Begun()) {
			found = nil
		}
	}
	if found == nil {
		return nil, ""
	}
	found.Class, found.Method, found.Line, found.Exception = own.class, own.method, own.line, t.class
	return found, ""
}

// firstOwn is the nearest frame in the workspace's code that is no test's.
func firstOwn(p *Place, frames []frame) *frame {
	for i := range frames {
		if p.Own != nil && p.Own(frames[i].class) {
			return &frames[i]
		}
	}
	return nil
}

// afterFrame is the nearest frame in the clause of the catch, or in what follows it in the method.
func afterFrame(p *Place, frames []frame) *frame {
	for i := range frames {
		f := &frames[i]
		if _, found := slices.BinarySearch(p.Clause.After, f.line); found && f.class == p.Class &&
			f.method == p.Method {
			return f
		}
	}
	return nil
}

// inClause tells whether some exception of a failure came by way of the clause, or of what
// follows it.
func inClause(p *Place, traces []trace) bool {
	return p.Clause != nil && slices.ContainsFunc(traces, func(t trace) bool { return afterFrame(p, t.frames) != nil })
}

// outliving is the cause where other code finds null in a field that the try had not
// set yet, and that outlives the method.
func outliving(p *Place, t *trace, own *frame, null string) *Cause {
	for _, q := range p.Clause.Prepared {
		if q.Differs() && q.Kind == clause.Field && sameVariable(q.Name, null) && fieldName(null) {
			return &Cause{What: q, Set: firstSet(q), Class: own.class, Method: own.method, Line: own.line,
				Exception: t.class}
		}
	}
	return nil
}

// fieldName tells whether a name in a message is that of a field: this.f, C.f.
func fieldName(null string) bool { return strings.Contains(null, ".") && !strings.HasSuffix(null, ")") }

// because matches what helpful messages of null pointer exceptions (JEP 358) say was null.
var because = regexp.MustCompile(`because (?:the return value of )?"([^"]+)" is null`)

// nullVariable names what was null, as the JVM says it; "" where it does not.
func nullVariable(t *trace) string {
	if t.class != "java.lang.NullPointerException" {
		return ""
	}
	if m := because.FindStringSubmatch(t.message); m != nil {
		return m[1]
	}
	return ""
}

// sameVariable tells whether a name of what is prepared ("conn", "Store.conn", "local 3") is
// that of a message ("conn", "this.conn", "<local3>").
func sameVariable(prepared, said string) bool {
	if n, ok := strings.CutPrefix(prepared, "local "); ok {
		return said == "<local"+n+">"
	}
	return prepared == said || strings.HasSuffix(said, "."+prepared) ||
		classname.Simple(said) == classname.Simple(prepared)
}

// kindOrder is how well something names a cause: a variable before an object's state.
var kindOrder = []clause.Kind{clause.Local, clause.Field, clause.Element, clause.Object}

// usedAt finds what is used in a line after the exception was caught; null, if it is not "", names
// what was null there. An object that nothing but the calls may have changed from which the
// exception comes is too little: these may as well have only read it.
func usedAt(r *clause.Result, line int, null string) *Cause {
	for _, kind := range kindOrder {
		for _, q := range r.Prepared {
			if q.Kind != kind || !q.Differs() || q.Begun() ||
				null != "" && !sameVariable(q.Name, null) && !strings.HasSuffix(null, ")") {
				continue
			}
			for _, u := range q.Uses {
				if u.Line == line && u.Where != clause.Again && (kind != clause.Object || !firstSet(q).Origin) {
					return &Cause{What: q, Set: firstSet(q), Use: u}
				}
			}
		}
	}
	return nil
}

// causeOfResult finds what the clause, or what follows it, works with; what the method only gives
// to its caller is the try's work, which the test looks at. What the try sets up by itself goes
// before what only the calls do that the exception comes from.
func causeOfResult(r *clause.Result) (found *Cause) {
	for _, kind := range kindOrder {
		for _, q := range r.Prepared {
			for _, u := range q.Uses {
				if q.Kind != kind || !q.Differs() || u.Where == clause.Again || u.Returned {
					continue
				}
				if c := (&Cause{What: q, Set: firstSet(q), Use: u}); found == nil || found.Set.Origin && !c.Set.Origin {
					found = c
				}
			}
		}
	}
	return found
}

// firstSet is the first place that sets something up and that an exception may come before: one
// that the exception does not come from itself, if there is one.
func firstSet(q clause.Prepared) clause.Set {
	first := slices.IndexFunc(q.Sets, func(s clause.Set) bool { return !s.Settled && !s.Origin })
	if first < 0 {
		first = slices.IndexFunc(q.Sets, func(s clause.Set) bool { return !s.Settled })
	}
	if first < 0 {
		return clause.Set{}
	}
	return q.Sets[first]
}

// settledText says that what the clause uses is as prepared wherever the exception comes from; ""
// where there is no such thing. null, if it is not "", names what was null.
func settledText(r *clause.Result, null string) string {
	for _, q := range r.Prepared {
		if len(q.Uses) > 0 && (!q.Differs() || null != "" && q.Begun()) &&
			(null == "" || q.Kind != clause.Object && sameVariable(q.Name, null)) {
			return fmt.Sprintf(
				"%s is set%s, and is so at each place in the try that is known to throw the exception",
				q.Name,
				inLine(settledSet(q).Line),
			)
		}
	}
	return ""
}

// settledSet is the set that has run wherever the exception comes from, the first one where none
// has.
func settledSet(q clause.Prepared) clause.Set {
	return q.Sets[max(0, slices.IndexFunc(q.Sets, func(s clause.Set) bool { return s.Always }))]
}

func frameText(f *frame) string {
	text := classname.InSource(f.class) + "." + f.method
	if f.line > 0 {
		text += fmt.Sprintf(":%d", f.line)
	}
	return text
}

// Text says the cause in a sentence's part: what used what, where, and what the try would
// have done.
func (c *Cause) Text() string {
	use := c.subject() + " is used after the method has ended"
	switch {
	case c.Use.Where == clause.InClause:
		use = fmt.Sprintf("the clause uses %s%s", c.subject(), inLine(c.Use.Line))
	case c.Use.Where == clause.After:
		use = fmt.Sprintf("what follows the clause uses %s%s", c.subject(), inLine(c.Use.Line))
	}
	if c.Exception != "" {
		at := classname.InSource(c.Class) + "." + c.Method
		if c.Line > 0 {
			at += fmt.Sprintf(":%d", c.Line)
		}
		use += fmt.Sprintf(" (%s in %s)", classname.InSource(c.Exception), at)
	}
	switch {
	case c.Set.By != "":
		return use + fmt.Sprintf(", which %s in the try sets up%s", c.Set.By, inLine(c.Set.Line))
	case c.Set.Value != "":
		return use + fmt.Sprintf(", which the try sets to %s%s", c.Set.Value, inLine(c.Set.Line))
	}
	return use + ", which the try sets" + inLine(c.Set.Line)
}

func (c *Cause) subject() string {
	switch c.What.Kind {
	case clause.Element:
		return "an element of " + c.What.Shown()
	case clause.Object:
		return "the object of " + c.What.Shown()
	}
	return c.What.Shown()
}

func inLine(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" in line %d", n)
}
