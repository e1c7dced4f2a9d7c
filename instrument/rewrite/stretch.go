package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/plan"
)

// This file makes stretched classes: a catch takes a supertype of what it takes in
// the source (paper 001, section 3.4).

// Stretching is one handler of a class, and what it is to take.
type Stretching struct {
	Method  int    // index in the class file
	Handler int    // index in facts.Method.Handlers
	To      string // internal name of a supertype of all types that the handler takes
}

// NarrowUse is the error for a handler whose code uses the exception as what only
// the narrower type is: a compiler would not accept the wider one either.
type NarrowUse struct {
	Line int    // of the use, 0 if unknown
	Why  string // a predicate: "calls p.X.code(), which java.lang.Exception does not have"
}

func (n *NarrowUse) Error() string {
	if n.Line > 0 {
		return fmt.Sprintf("line %d %s", n.Line, n.Why)
	}
	return "the clause " + n.Why
}

// Stretch makes handlers of the class file data take more. f is the record of the
// class, factsOf finds those of others, nil for one that is not known.
//
// A stretched handler takes what it took before, where it stood in the order of
// search, and besides what none of its try's catches takes and is of the wider type.
// The catches that stand beside it keep theirs; those of enclosing tries lose what
// it takes now. That is the paper's replacement of the type for a clause that stands
// last, and for others what is left of it, since the compiler accepts a wider type
// only behind a narrower one.
//
// The code stays the same but for references to members: e.getMessage() names the
// declared type of e. Where a stack map frame says that a value is the caught
// exception, it says the wider type afterwards. A [NarrowUse] among the errors says
// that the code needs the narrower type; other errors that this package cannot
// stretch the handler, or that data is malformed.
func Stretch(data []byte, f *facts.Class, list []Stretching, factsOf func(string) *facts.Class) ([]byte, error) {
	c, err := classfile.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("class %s: %w", f.Name, err)
	}
	if c.Name() != f.Name || len(c.Methods) != len(f.Methods) {
		return nil, fmt.Errorf("class %s: the record is of %s with %d methods", c.Name(), f.Name, len(f.Methods))
	}
	p := plan.ForClass(f, plan.Tries)
	for _, s := range list {
		if s.Method < 0 || s.Method >= len(f.Methods) || s.Handler < 0 ||
			s.Handler >= len(f.Methods[s.Method].Handlers()) {
			return nil, fmt.Errorf("class %s has no handler %d of method %d", f.Name, s.Handler, s.Method)
		}
		x := stretcher{class: c, facts: &f.Methods[s.Method], to: supertypes(s.To, factsOf), factsOf: factsOf,
			wide: s.To}
		if err := x.stretch(c.Methods[s.Method], siblings(p, s),
			int(f.Methods[s.Method].Handlers()[s.Handler].PC)); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", classfile.SourceName(f.Name), x.facts.Name, err)
		}
	}
	out, err := c.Bytes()
	if err != nil {
		return nil, fmt.Errorf("class %s: %w", f.Name, err)
	}
	return out, nil
}

// siblings are the pcs of the handlers of a stretched handler's try, its own
// included.
func siblings(p *plan.Class, s Stretching) map[uint16]bool {
	pcs := map[uint16]bool{}
	try := -1
	for _, c := range p.Catches {
		if int(c.Method) == s.Method && int(c.Handler) == s.Handler {
			try = int(c.Try)
		}
	}
	for _, c := range p.Catches {
		if int(c.Try) == try {
			pcs[uint16(c.PC)] = true
		}
	}
	return pcs
}

// supertypes are the internal names of a class and of all that it extends and
// implements.
func supertypes(class string, factsOf func(string) *facts.Class) map[string]bool {
	all := map[string]bool{"java/lang/Object": true}
	for todo := []string{class}; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == "" || all[name] && name != class {
			continue
		}
		all[name] = true
		if f := factsOf(name); f != nil && f.Name == name {
			todo = append(append(todo, f.Super), f.Interfaces...)
			todo = slices.DeleteFunc(todo, func(n string) bool { return all[n] })
		}
	}
	return all
}

// stretcher is the state of stretching one handler.
type stretcher struct {
	class   *classfile.Class
	facts   *facts.Method
	wide    string          // the new type
	to      map[string]bool // what it is assignable to
	factsOf func(string) *facts.Class

	code      *classfile.Code
	handler   int // pc
	variables []classfile.LocalVariable
	frames    []classfile.Frame
	byPC      map[int]int // pc -> index in frames
	lines     []classfile.LineNumber
	refs      map[int]uint16 // pc of an instruction -> its new constant pool index
	states    map[int]*state // at the instructions that are reached
	todo      []int
}

func (x *stretcher) stretch(m *classfile.Member, try map[uint16]bool, handler int) error {
	code, err := x.class.Code(m)
	if err != nil || code == nil {
		return errors.Join(err, errors.New("no code to stretch a handler of"))
	}
	x.code, x.handler = code, handler
	if x.lines, err = x.class.LineNumbers(code); err != nil {
		return err
	}
	if x.variables, err = x.class.LocalVariables(code); err != nil {
		return err
	}
	if x.class.Major >= frameVersion {
		if x.frames, err = x.class.StackMap(m, code); err != nil {
			return err
		}
	}
	if err := x.addEntries(try, uint16(handler)); err != nil {
		return err
	}
	if err := x.widen(handler); err != nil {
		return err
	}
	if len(x.refs) > 0 {
		code.Bytecode = slices.Clone(code.Bytecode)
		for pc, ref := range x.refs {
			code.Bytecode[pc+1], code.Bytecode[pc+2] = byte(ref>>8), byte(ref)
		}
	}
	if len(x.frames) > 0 {
		if err := x.class.SetStackMap(m, code, x.frames); err != nil {
			return err
		}
	}
	return x.class.SetCode(m, code)
}

// addEntries adds an entry of the wider type for each of the handler's ranges,
// behind the last entry of its try.
func (x *stretcher) addEntries(try map[uint16]bool, handler uint16) error {
	wide, err := x.class.Pool.AddClass(x.wide)
	if err != nil {
		return err
	}
	var more []classfile.ExceptionEntry
	last := -1
	for k, e := range x.code.Exceptions {
		if try[e.HandlerPC] {
			last = k
		}
		if e.HandlerPC == handler && e.CatchType != 0 {
			n := e
			n.CatchType = wide
			if !slices.Contains(more, n) {
				more = append(more, n)
			}
		}
	}
	if len(more) == 0 || last < 0 {
		return errors.New("no entry of the exception table leads to the handler")
	}
	x.code.Exceptions = slices.Insert(slices.Clone(x.code.Exceptions), last+1, more...)
	return nil
}

// assignable tells whether the wider type may stand where a value of a descriptor
// is wanted.
func (x *stretcher) assignable(desc string) bool {
	return strings.HasPrefix(desc, "L") && x.to[classfile.DescriptorClass(desc)]
}

// narrow is the error for a use at pc.
func (x *stretcher) narrow(pc int, format string, args ...any) error {
	return &NarrowUse{classfile.LineAt(x.lines, pc), fmt.Sprintf(format, args...)}
}

func (x *stretcher) cannot(pc int, format string, args ...any) error {
	if line := classfile.LineAt(x.lines, pc); line > 0 {
		return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
	}
	return fmt.Errorf(format, args...)
}
