package rewrite

import (
	"errors"
	"fmt"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/instrument/plan"
)

// ProbeClass is the internal name of the class whose static methods the probes
// call.
const ProbeClass = "catchlens/rt/Probe"

// Placeholder is the value of the class number's constant in what Rewrite
// returns. The number itself is only known inside one JVM.
const Placeholder int32 = -0x3501_3501

// Result is a rewritten class.
type Result struct {
	// Bytes is the class file: the input itself (not a copy) when no probe
	// went in.
	Bytes []byte
	// ClassNumberOffset is where the four big-endian bytes of the class number
	// stand in Bytes; -1 when no probe went in.
	ClassNumberOffset int
	// Skipped lists what carries no probe although the plan has one for it.
	Skipped []SkippedMethod
}

// SkippedMethod is a method, or one try of it, that is left without probes.
type SkippedMethod struct {
	Method int // index in the class file; -1: the whole class
	// Try is the number (plan.Try.N) of the try whose appended handler could
	// not be added: its executions that end with an uncaught exception are not
	// seen. -1: the method has no probe at all, or, where Why begins with withoutChains, none of
	// call chains.
	Try int
	Why string
}

// Rewrite puts the probes of p into the class file data, which it leaves as it
// is. An error means that data is malformed, or not the class that p was made
// for; the class should then run as it is.
func Rewrite(data []byte, p *plan.Class) (Result, error) {
	untouched := Result{Bytes: data, ClassNumberOffset: -1}
	for _, d := range p.Dropped {
		untouched.Skipped = append(untouched.Skipped, SkippedMethod{int(d.Method), -1, d.Why})
	}
	if p.Empty() {
		return untouched, nil
	}
	if why, ok := excluded(p.Name); ok {
		untouched.Skipped = append(untouched.Skipped, SkippedMethod{-1, -1, why})
		return untouched, nil
	}
	c, err := classfile.Parse(data)
	if err != nil {
		return untouched, fmt.Errorf("class %s: %w", p.Name, err)
	}
	if c.Name() != p.Name || len(c.Methods) != p.Methods {
		return untouched, fmt.Errorf("class %s: the plan is for %s with %d methods", c.Name(), p.Name, p.Methods)
	}
	r := rewriter{class: c, result: untouched, covers: len(p.Covers), counts: p.Counts}
	if err = r.rewrite(p); err == nil && r.inserted {
		r.result.Bytes, err = c.Bytes()
		if err == nil {
			r.result.ClassNumberOffset, err = c.IntegerOffset(r.classNumber)
		}
	}
	if errors.Is(err, classfile.ErrPoolFull) {
		untouched.Skipped = append(untouched.Skipped, SkippedMethod{-1, -1, "the constant pool is full"})
		return untouched, nil
	}
	if err != nil {
		return untouched, fmt.Errorf("class %s: %w", p.Name, err)
	}
	return r.result, nil
}

// rewriter is the state of rewriting one class.
type rewriter struct {
	class       *classfile.Class
	classNumber uint16 // placeholder's pool index; 0: not yet added
	probes      [numProbes]uint16
	throwable   uint16 // Class entry of java/lang/Throwable; 0: not yet added
	covers      int    // coverage probes of the class
	counts      bool   // they count their executions
	inserted    bool
	result      Result

	scratchAt    []int32 // of the editor of the method before
	scratchInsns []insn
}

// probe is a method of ProbeClass.
type probe uint8

const (
	probeEnter probe = iota
	probeTryEnter
	probeCaught
	probeUncaught
	probeThrown
	probeRethrown
	probePoint
	probeRoot
	probeGuard    // of a branch that compares numbers
	probeGuardRef // of one that compares references
	probeSelect   // of a switch
	probeCovered  // fetches the array that the coverage probes of a method set
	probeCount    // of coverage, where it counts executions
	probeBegin    // of a method that tells of call chains, as the next five
	probeCall
	probeCallOn    // it gets the object on which the call is made
	probeConstruct // it is that of the constructor by which this becomes an object
	probeEnd
	probeFail
	numProbes

	probeCover // sets an element of the array, without a call
)

var probeMethods = [numProbes]struct{ name, desc string }{
	probeEnter:     {"enter", "(II)V"},
	probeTryEnter:  {"tryEnter", "(II)V"},
	probeCaught:    {"caught", "(Ljava/lang/Throwable;II)V"},
	probeUncaught:  {"uncaught", "(Ljava/lang/Throwable;II)V"},
	probeThrown:    {"thrown", "(Ljava/lang/Throwable;II)V"},
	probeRethrown:  {"rethrown", "(Ljava/lang/Throwable;II)V"},
	probePoint:     {"point", "(II)V"},
	probeGuard:     {"guard", "(IIIII)Z"},
	probeGuardRef:  {"guard", "(Ljava/lang/Object;Ljava/lang/Object;III)Z"},
	probeSelect:    {"select", "(III)I"},
	probeCovered:   {"covered", "(II)[Z"},
	probeCount:     {"count", "(II)V"},
	probeBegin:     {"begin", "(Ljava/lang/String;II)L" + chainFrame + ";"},
	probeCall:      {"call", "(L" + chainFrame + ";I)V"},
	probeCallOn:    {"callOn", "(Ljava/lang/Object;L" + chainFrame + ";I)V"},
	probeConstruct: {"construct", "(L" + chainFrame + ";I)V"},
	probeEnd:       {"end", "(L" + chainFrame + ";)V"},
	probeFail:      {"fail", "(L" + chainFrame + ";)V"},
	probeRoot:      {"root", "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;II)V"},
}

// takesException tells whether the probe's first argument is the exception on
// top of the stack, which stays there.
func (p probe) takesException() bool {
	switch p {
	case probeCaught, probeUncaught, probeThrown, probeRethrown:
		return true
	}
	return false
}

// methodPlan is the part of a plan that belongs to one method.
type methodPlan struct {
	enter   bool
	tries   []plan.Try
	catches []plan.Catch
	throws  []plan.Throw
	points  []plan.Point
	roots   []plan.Root
	guards  []plan.Guard
	covers  []plan.Cover
	chain   []plan.Chain // one, or none
}

func (mp *methodPlan) empty() bool {
	return !mp.enter && len(mp.tries)+len(mp.throws)+len(mp.points)+len(mp.roots)+len(mp.guards)+len(mp.covers)+
		len(mp.chain) == 0
}

func (r *rewriter) rewrite(p *plan.Class) error {
	plans, err := byMethod(p, len(r.class.Methods))
	if err != nil {
		return err
	}
	for i, m := range r.class.Methods {
		mp := plans[i]
		if mp.empty() {
			continue
		}
		if err := r.method(i, m, &mp); err != nil {
			return err
		}
	}
	return nil
}

// byMethod splits a plan into those of n methods.
func byMethod(p *plan.Class, n int) ([]methodPlan, error) {
	tries, catches, throws, points, roots, guards := p.Tries, p.Catches, p.Throws, p.Points, p.Roots, p.Guards
	covers, chains := p.Covers, p.Chains
	plans := make([]methodPlan, n)
	for i := range plans {
		plans[i] = methodPlan{
			enter:   p.Kinds&plan.Enters != 0,
			tries:   takeOwn(&tries, func(t *plan.Try) bool { return int(t.Method) == i }),
			catches: takeOwn(&catches, func(t *plan.Catch) bool { return int(t.Method) == i }),
			throws:  takeOwn(&throws, func(t *plan.Throw) bool { return int(t.Method) == i }),
			points:  takeOwn(&points, func(t *plan.Point) bool { return int(t.Method) == i }),
			roots:   takeOwn(&roots, func(t *plan.Root) bool { return int(t.Method) == i }),
			guards:  takeOwn(&guards, func(t *plan.Guard) bool { return int(t.Method) == i }),
			covers:  takeOwn(&covers, func(t *plan.Cover) bool { return int(t.Method) == i }),
			chain:   takeOwn(&chains, func(t *plan.Chain) bool { return int(t.Method) == i }),
		}
	}
	if len(tries)+len(catches)+len(throws)+len(points)+len(roots)+len(guards)+len(covers)+len(chains) > 0 {
		return nil, errors.New("the plan's methods are not in ascending order")
	}
	return plans, nil
}

// takeOwn takes the elements off the front of list that belong.
func takeOwn[T any](list *[]T, belongs func(*T) bool) []T {
	n := 0
	for n < len(*list) && belongs(&(*list)[n]) {
		n++
	}
	front := (*list)[:n]
	*list = (*list)[n:]
	return front
}

// errSkip is an error that leaves one method without probes; the class is
// still well formed.
type errSkip struct{ why string }

func (e errSkip) Error() string { return e.why }

func (r *rewriter) method(index int, m *classfile.Member, mp *methodPlan) error {
	err := r.edit(index, m, mp)
	var skip errSkip
	switch {
	case errors.As(err, &skip):
		r.skip(index, -1, skip.why)
		return nil
	case err != nil:
		return fmt.Errorf("method %s%s: %w", r.class.MemberName(m), r.class.MemberDesc(m), err)
	}
	return nil
}

func (r *rewriter) skip(method, try int, why string) {
	r.result.Skipped = append(r.result.Skipped, SkippedMethod{method, try, why})
}

// edit rewrites one method. The method is only changed when nothing failed.
func (r *rewriter) edit(index int, m *classfile.Member, mp *methodPlan) error {
	e, err := r.arrange(index, m, mp)
	if err != nil || e == nil {
		return err
	}
	out, err := e.emit()
	if err != nil {
		return err
	}
	if err := r.class.SetCode(m, out); err != nil {
		return err
	}
	for _, s := range e.skipped {
		r.skip(index, s.Try, s.Why)
	}
	r.inserted = true
	return nil
}

// arrange finds the position of everything in the new code of a method; the
// editor is nil for a method without code.
func (r *rewriter) arrange(index int, m *classfile.Member, mp *methodPlan) (*editor, error) {
	code, err := r.class.Code(m)
	if err != nil {
		return nil, err
	}
	if code == nil {
		if len(mp.tries) > 0 || len(mp.throws) > 0 || len(mp.roots) > 0 || len(mp.covers)+len(mp.chain) > 0 {
			return nil, errors.New("the plan has probes for a method without code")
		}
		return nil, nil
	}
	e := &editor{rewriter: r, method: m, index: index, code: code}
	if err := e.scan(); err != nil {
		return nil, err
	}
	if err := e.readFrames(); err != nil {
		return nil, err
	}
	if (mp.enter || len(mp.covers)+len(mp.chain) > 0) && e.isEmptyFinalizer() {
		return nil, errSkip{whyEmptyFinalizer}
	}
	if err := e.place(mp); err != nil {
		return nil, err
	}
	if err := e.appendEnds(); err != nil {
		return nil, err
	}
	if err := e.appendUncaught(); err != nil {
		return nil, err
	}
	return e, e.layout()
}

// classNumberIndex is the pool index of the class number's constant.
func (r *rewriter) classNumberIndex() (uint16, error) {
	var err error
	if r.classNumber == 0 {
		r.classNumber, err = r.class.Pool.AddFreshInteger(Placeholder)
	}
	return r.classNumber, err
}

func (r *rewriter) probeIndex(p probe) (uint16, error) {
	var err error
	if r.probes[p] == 0 {
		r.probes[p], err = r.class.Pool.AddMethodref(ProbeClass, probeMethods[p].name, probeMethods[p].desc)
	}
	return r.probes[p], err
}

func (r *rewriter) throwableIndex() (uint16, error) {
	var err error
	if r.throwable == 0 {
		r.throwable, err = r.class.Pool.AddClass("java/lang/Throwable")
	}
	return r.throwable, err
}
