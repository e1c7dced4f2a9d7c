package facts

// This file makes the record of a class: names, attributes, methods.

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
	"github.com/catchlens/catchlens/analysis/settings"
)

// Problem says what of a class file could not be understood. What is recorded
// beside it holds all the same.
type Problem struct {
	Class   string // internal name, as far as known
	Method  string // name and descriptor, "" for the class as a whole
	Message string
}

func (p Problem) String() string {
	if p.Method == "" {
		return fmt.Sprintf("class %s: %s", p.Class, p.Message)
	}
	return fmt.Sprintf("class %s, method %s: %s", p.Class, p.Method, p.Message)
}

var builders = sync.Pool{New: func() any { return new(builder) }}

// FromFile makes the record of a class file: of the class of that name, of data as they were read
// with err, which is passed on. The error is also that of a file which is no class file, or holds
// another class.
func FromFile(name string, data []byte, err error, o Options) (*Class, []Problem, error) {
	if err != nil {
		return nil, nil, err
	}
	c, err := classfile.Parse(data)
	if err != nil {
		return nil, nil, fmt.Errorf("class %s: %w", name, err)
	}
	r, problems := FromClass(c, data, o)
	if r.Name != name {
		return nil, nil, fmt.Errorf("class %s: the file holds class %s", name, r.Name)
	}
	return r, problems, nil
}

// FromClass returns the record of a class. data is what c was parsed from; its
// digest is the record's. The record is complete but for what the problems
// name: a method whose bytecode breaks JVMS 4.9 has no sites, and a JVM would
// not run it either. The record keeps no memory of c or data but strings that
// c has decoded. It is safe to call concurrently for different c.
func FromClass(c *classfile.Class, data []byte, o Options) (*Class, []Problem) {
	b := builders.Get().(*builder)
	defer builders.Put(b)
	return b.class(c, data, o)
}

// builder holds the memory that the records of classes are made in. The sites
// of all methods of a class are collected in one slice per kind and copied out
// at the end, so that a record consists of few objects.
type builder struct {
	ir       ir.Builder
	c        *classfile.Class
	name     string
	opts     Options
	problems []Problem
	digest   digester
	held     []*settings.Setting // of the class, see hold
	made     map[string]made     // of the class initialiser: see methodBuilder.made
	stored   map[string]bool     // by field with annotations: see methodBuilder.storesMarked

	parts
	methods []Method
	// callParts is, by call, what it points to among refs and callDetails, which move when they
	// grow; refAt is, by pool index, the position in refs, one more, 0 where there is none.
	callParts  []callParts
	initFields []uint32 // by initialisation, the position of its field in refs, one more: copyCalls sets Init.Field
	refAt      []uint32
	classes    []string
	// annotated are the class constants in the annotations of the method at hand.
	annotated []string
	// named are the methods that annotations of the class at hand name, noted their values.
	named []string

	flow      flower
	flowCode  []byte
	flowNames []string
	valuer    valuer
	valueCode []byte

	bootstrapTable
	condys []uint16 // dynamic constants that handlesOf has met
	m      methodBuilder
}

// parts are what the methods of a record are made of, by kind: each method has a piece of each
// slice, in the order of the methods.
type parts struct {
	details     []MethodDetails // of those of the methods that have some
	handlers    []Handler
	table       []TableEntry
	covers      [][]uint16
	coverIdx    []uint16
	calls       []Call
	refs        []MemberRef // each method or field that is named, once
	callDetails []CallDetails
	consts      []Const
	throws      []Throw
	sources     []Source
	causes      []uint16
	allocs      []Alloc
	inits       []Init
	handles     []Handle
	implicit    []Implicit
	strings     []string // of Flow
	noted       [][3]string
}

// truncate empties all parts and keeps their memory.
func (p *parts) truncate() {
	p.details, p.handlers, p.table = p.details[:0], p.handlers[:0], p.table[:0]
	p.covers, p.coverIdx = p.covers[:0], p.coverIdx[:0]
	p.calls, p.refs, p.callDetails, p.consts = p.calls[:0], p.refs[:0], p.callDetails[:0], p.consts[:0]
	p.throws, p.sources, p.causes = p.throws[:0], p.sources[:0], p.causes[:0]
	p.strings = p.strings[:0]
	p.allocs, p.inits, p.handles, p.implicit = p.allocs[:0], p.inits[:0], p.handles[:0], p.implicit[:0]
}

// bootstrapTable is the BootstrapMethods attribute of the class at hand, read when first asked for.
type bootstrapTable struct {
	bootstraps []classfile.BootstrapMethod
	bootRead   bool
}

// class makes the record of one class.
func (b *builder) class(c *classfile.Class, data []byte, o Options) (*Class, []Problem) {
	b.c, b.name, b.opts, b.problems = c, c.Name(), o, nil
	b.bootstraps, b.bootRead = nil, false
	b.held, b.made, b.stored = settings.Of(b.name, data, o.Set, o.Feature), nil, nil
	b.reset()
	b.flow.resetClass(c)
	b.digest.reset(c, b)
	sum := sha256.Sum256(data)
	r := &Class{
		Name: b.name, Super: c.SuperName(), Interfaces: c.InterfaceNames(),
		Access: c.Access, Major: c.Major, Digest: [16]byte(sum[:16]),
	}
	var err error
	if r.SourceFile, err = c.SourceFile(); err != nil {
		b.problem("", err)
	}
	if r.Signature, err = c.Signature(); err != nil {
		b.problem("", err)
	}
	annotations, err := c.Annotations(c.Attributes)
	if err != nil {
		b.problem("", err)
	}
	b.named = b.named[:0]
	for _, a := range annotations {
		r.Annotations = append(r.Annotations, a.Type)
		b.named = appendNamedMethods(b.named, &a)
		b.note(&a)
	}
	b.enclosing(r)
	b.fields(r)
	for i, m := range c.Methods {
		b.methods = append(b.methods, Method{})
		b.details = append(b.details, MethodDetails{})
		d := &b.details[len(b.details)-1]
		b.method(&b.methods[i], d, i, m)
		if b.methods[i].Details = d.orNil(); b.methods[i].Details == nil {
			b.details = b.details[:len(b.details)-1]
		}
	}
	if slices.Sort(b.named); len(b.named) > 0 {
		r.Named = slices.Clone(slices.Compact(b.named))
	}
	r.Noted, b.noted = b.noted, nil
	b.findMade(r)
	b.copyOut(r)
	return r, b.problems
}

func (b *builder) problem(method string, err error) {
	b.problems = append(b.problems, Problem{Class: b.name, Method: method, Message: err.Error()})
}

func (b *builder) reset() {
	b.truncate()
	b.methods, b.classes = b.methods[:0], b.classes[:0]
	b.initFields, b.callParts = b.initFields[:0], b.callParts[:0]
	b.refAt = append(b.refAt[:0], make([]uint32, b.c.Pool.Len())...)
	b.flowCode, b.flowNames = b.flowCode[:0], b.flowNames[:0]
	b.valueCode, b.valuer.names = b.valueCode[:0], b.valuer.names[:0]
	clear(b.valuer.nameAt)
}

// enclosing fills in where a nested class is declared.
func (b *builder) enclosing(r *Class) {
	em, err := b.c.EnclosingMethod()
	if err != nil {
		b.problem("", err)
	}
	if em != nil {
		r.Outer, r.OuterMethod, r.OuterDesc = em.Class, em.Name, em.Desc
		return
	}
	inner, err := b.c.InnerClasses()
	if err != nil {
		b.problem("", err)
	}
	for _, ic := range inner {
		if ic.Inner == b.name {
			r.Outer = ic.Outer
		}
	}
}

// method makes the record of one method and its details in place.
func (b *builder) method(r *Method, d *MethodDetails, index int, m *classfile.Member) {
	c := b.c
	r.Name, r.Desc, r.Access = c.MemberName(m), c.MemberDesc(m), m.Access
	what := ""
	fail := func(err error) {
		if err != nil {
			what = r.Name + r.Desc
			b.problem(what, err)
		}
	}
	var err error
	d.Declared, err = c.Exceptions(m)
	fail(err)
	r.Signature, err = c.MemberSignature(m)
	fail(err)
	r.ThrowsVariable = strings.Contains(r.Signature[strings.LastIndexByte(r.Signature, ')')+1:], "^T")
	if b.opts.FewSignatures && !r.ThrowsVariable {
		r.Signature = ""
	}
	annotations, err := c.Annotations(m.Attributes)
	fail(err)
	b.annotated = b.annotated[:0]
	for _, a := range annotations {
		d.Annotations = append(d.Annotations, a.Type)
		for _, e := range a.Elements {
			for _, v := range append([]classfile.ElementValue{e.Value}, e.Value.Array...) {
				if v.IsClass() {
					b.annotated = append(b.annotated, v.Text)
				}
			}
		}
		b.named = appendNamedMethods(b.named, &a)
		b.note(&a)
	}
	if v, ok := c.AnnotationDefault(m); ok {
		b.note(&classfile.Annotation{Type: b.name, Elements: []classfile.Element{{Name: r.Name, Value: v}}})
	}
	code, err := c.Code(m)
	fail(err)
	if !b.opts.NoCodeDigests {
		r.CodeDigest = b.digest.method(index)
	}
	if code == nil {
		return
	}
	r.HasCode = true
	lines, err := c.LineNumbers(code)
	fail(err)
	for _, l := range lines {
		if l.Line != 0 && (r.FirstLine == 0 || int32(l.Line) < r.FirstLine) {
			r.FirstLine = int32(l.Line)
		}
	}
	low, err := b.ir.BuildCode(c, m, b.hold(m, code))
	fail(err)
	if err != nil {
		low = nil
	}
	b.m.build(b, r, d, low, code, lines)
}

// appendNamedMethods appends the methods that an annotation of JUnit 5 names in other classes, as
// @MethodSource("some.Factory#method") and @EnabledIf("some.Conditions#method(java.lang.String)")
// do: each as the internal name of the class, # and the name of the method.
func appendNamedMethods(out []string, a *classfile.Annotation) []string {
	a.EachValue(func(of, _ string, v classfile.ElementValue) {
		class, method, ok := strings.Cut(v.Text, "#")
		if v.Tag != 's' || !ok || !strings.HasPrefix(of, "org/junit/jupiter/") {
			return
		}
		if method, _, _ = strings.Cut(method, "("); isName(class) && isName(method) {
			out = append(out, strings.ReplaceAll(class, ".", "/")+"#"+method)
		}
	})
	return out
}

// note notes the class constants and strings of an annotation.
func (b *builder) note(a *classfile.Annotation) {
	a.EachValue(func(of, element string, v classfile.ElementValue) {
		if n := [3]string{of, element, v.Text}; !b.opts.NoStrings && (v.IsClass() || v.Tag == 's') &&
			len(v.Text) <= maxName && !slices.Contains(b.noted, n) {
			b.noted = append(b.noted, n)
		}
	})
}

// isName tells whether a text can name a class or method: display names may have a # too.
func isName(s string) bool { return s != "" && !strings.ContainsAny(s, " \t\n;[/<>,#") }

// ClassConstants lists the classes that the method names by constants. Code that is
// reached needs the classes that it loads, but not those of its annotations: such a class
// is left out where present does not have it.
func (m *Method) ClassConstants(present func(class string) bool) []string {
	noted, loaded := m.Classes()[:m.Noted()], m.Classes()[m.Noted():]
	if !slices.ContainsFunc(noted, func(c string) bool { return !present(c) }) {
		return m.Classes()
	}
	out := slices.DeleteFunc(slices.Clone(noted), func(c string) bool { return !present(c) })
	return append(out, loaded...)
}

// copyOut copies what was collected into memory of the record's own. Slices of
// a method are cut out of it in the same order.
func (b *builder) copyOut(r *Class) {
	r.Methods = clone(b.methods)
	details := clone(b.details)
	handlers, table, covers := clone(b.handlers), clone(b.table), clone(b.covers)
	coverIdx, throws := clone(b.coverIdx), clone(b.throws)
	sources, causes, allocs := clone(b.sources), clone(b.causes), clone(b.allocs)
	handles, classes, texts := clone(b.handles), clone(b.classes), clone(b.strings)
	calls, inits := b.copyCalls()
	implicit, flow, values := clone(b.implicit), clone(b.flowCode), clone(b.valueCode)
	r.FlowNames, r.ValueNames = clone(b.flowNames), clone(b.valuer.names)
	for i := range r.Methods {
		m := &r.Methods[i]
		m.Calls, m.Allocs, m.Inits = cut(&calls, len(m.Calls)), cut(&allocs, len(m.Allocs)), cut(&inits, len(m.Inits))
		m.Flow, m.Values = cut(&flow, len(m.Flow)), cut(&values, len(m.Values))
		if m.Details == nil {
			continue
		}
		m.Details = &cut(&details, 1)[0]
		d := m.Details
		d.Handlers, d.Table, d.Covers = cut(&handlers, len(d.Handlers)), cut(&table, len(d.Table)), cut(&covers,
			len(d.Covers))
		d.Throws, d.Handles, d.Classes = cut(&throws, len(d.Throws)), cut(&handles, len(d.Handles)), cut(&classes,
			len(d.Classes))
		d.Implicit, d.Strings = cut(&implicit, len(d.Implicit)), cut(&texts, len(d.Strings))
		for j := range d.Covers {
			d.Covers[j] = cut(&coverIdx, len(d.Covers[j]))
		}
		for j := range d.Throws {
			t := &d.Throws[j]
			t.Sources, t.Causes = cut(&sources, len(t.Sources)), cut(&causes, len(t.Causes))
		}
	}
}

func clone[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return append(make([]T, 0, len(s)), s...)
}

// cut takes the first n elements off s.
func cut[T any](s *[]T, n int) []T {
	if n == 0 {
		return nil
	}
	got := (*s)[:n:n]
	*s = (*s)[n:]
	return got
}

// bootstrap returns a row of BootstrapMethods, nil where there is none.
func (b *builder) bootstrap(i uint16) *classfile.BootstrapMethod {
	if !b.bootRead {
		b.bootRead = true
		var err error
		if b.bootstraps, err = b.c.BootstrapMethods(); err != nil {
			b.problem("", err)
		}
	}
	if int(i) >= len(b.bootstraps) {
		return nil
	}
	return &b.bootstraps[i]
}
