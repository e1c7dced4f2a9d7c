package facts

// This file is the record of a class: what FromClass makes, stores keep and the
// whole-program analyses read.

import "github.com/catchlens/catchlens/analysis/settings"

// Class is the record of one class file.
type Class struct {
	Name       string
	Super      string // "" for java/lang/Object and module-info
	Interfaces []string
	Access     uint16
	Major      uint16
	SourceFile string // file name without folder; "" where absent
	Digest     [16]byte
	// Outer is the directly enclosing class ("" for a top-level class);
	// OuterMethod and OuterDesc name the enclosing method of a local or
	// anonymous class (EnclosingMethod attribute, JVMS 4.7.7).
	Outer, OuterMethod, OuterDesc string
	// Signature is the generic one (JVMS 4.7.9.1), "" where the class has none.
	Signature   string
	Annotations []string // type names of runtime-visible annotations
	// methods of other classes that JUnit 5's annotations name: class#method, see
	// appendNamedMethods
	Named []string
	// Noted are the class constants and strings in annotations of the class, its methods and
	// fields, and the defaults of an annotation's: the annotation, its element and the value, each
	Noted   [][3]string
	Methods []Method // in class file order; index = method index everywhere
	// Fields are the declared fields that hold references, Primitives the static ones that hold
	// none, both in class file order; FlowNames what the methods' Flow refers to (flow.go),
	// ValueNames what their Values do besides (objects.go).
	Fields     []FlowField
	Primitives []FieldName
	FlowNames  []string
	ValueNames []string
}

// FieldName is the name and the descriptor of a declared field (JVMS 4.5).
type FieldName struct{ Name, Desc string }

// Method is the record of one method. A program has tens of thousands of them in
// memory, and two in three have no details.
type Method struct {
	Name, Desc string
	// Signature is the generic one (JVMS 4.7.9.1), "" where the method has none, as
	// those that compilers add, and with Options.FewSignatures.
	Signature string
	Access    uint16
	HasCode   bool // whether there is a Code attribute
	// ThrowsVariable tells whether a type variable is among the declared
	// exceptions of Signature; Declared has its erasure.
	ThrowsVariable bool
	FirstLine      int32 // smallest line of the method, 0 if unknown
	// CodeDigest is the key of the method's code as DESIGN D6 says: resolved
	// constants, no debug information, lambdas named by structure. Zero with
	// Options.NoCodeDigests.
	CodeDigest [16]byte
	Calls      []Call
	Allocs     []Alloc
	Inits      []Init
	Flow       []byte // what the method does with references: see flow.go
	Values     []byte // what depends on values of parameters: see ParamValues
	// Details are nil where there is none of them; the methods of their names
	// read them. A copy of the record has the same ones: who changes one of
	// them gives it others.
	Details *MethodDetails
}

// MethodDetails is what few methods have.
type MethodDetails struct {
	Declared    []string // Exceptions attribute
	Annotations []string
	Handlers    []Handler
	Table       []TableEntry // the exception table, in class file order
	// Covers holds the distinct lists of table entries (ascending indices,
	// which is search order, JVMS 2.10) that sites refer to; Covers[0] is
	// empty. nil where no site is protected: Method.Covers has the empty list all the same.
	Covers  [][]uint16
	Throws  []Throw
	Handles []Handle // method handles loaded by ldc
	// class constants: first those in the method's runtime-visible annotations, see
	// ClassConstants; then those loaded by ldc
	Classes []string
	Noted   int // how many of Classes are in annotations
	// what the strings of Flow are, in its order: of each FlowString, and of each FlowCall of a
	// StringConcatFactory what it puts together, with \x01 for its arguments
	Strings  []string
	Implicit []Implicit // only with Options.Implicit
}

// UnknownString stands in MethodDetails.Strings for what is too long to be a name, or cannot be
// read.
const UnknownString = "\x00"

// Handler is one handler PC of the exception table. Handlers are in the order
// in which the table first names them.
type Handler struct {
	PC   int32
	Line int32
	// Types are the caught types of all entries that lead here, in table
	// order, without repetition; "" stands for catch_type 0 (any).
	Types []string
	// StoreLine is the line of the instruction that takes the exception off
	// the stack, and Param the local variable's name where known.
	StoreLine int32
	Param     string
	// Rethrows tells whether some athrow of the method may throw the object
	// this handler caught.
	Rethrows bool
}

// TableEntry is one entry of the exception table.
type TableEntry struct {
	Start, End int32 // [Start, End)
	Handler    uint16
	Type       string // "" = any
}

// Site is what calls, throws and other places in code have in common.
type Site struct {
	PC      int32
	Line    int32
	Cover   uint16 // index into Method.Covers
	Ordinal uint16 // among sites of its kind (all invokes; all athrows; ...) in PC order
}

// CallKind is the kind of an invocation.
type CallKind uint8

// The kinds of invocation (JVMS 6.5).
const (
	Virtual CallKind = iota
	Interface
	Special
	Static
	Dynamic // invokedynamic: see Indy
)

// Call is one invoke instruction. A program has several hundred thousand of them
// in memory: what several calls have in common, and what few have, is behind
// pointers.
type Call struct {
	Site
	Kind             CallKind
	OwnerIsInterface bool
	RecvExact        bool // see CallDetails
	DropsClass       bool // it gives a java.lang.Class, and the method does nothing with that
	// MemberRef is the method that it calls, or name and descriptor of a dynamic one (JVMS
	// 4.4.10) without an owner; never nil. What names the same in a class has the same one:
	// it is never written to.
	*MemberRef
	// Details are nil where there is none of them; Recv, Args and Indy read them.
	// A copy of the call has the same ones: they are never written to either.
	Details *CallDetails
}

// MemberRef is a symbolic reference to a method or a field (JVMS 4.4.2).
type MemberRef struct{ Owner, Name, Desc string }

// CallDetails is what is known of few calls.
type CallDetails struct {
	// Recv is the static type of the receiver where the register code knows a
	// narrower class than Owner; RecvExact tells that it is exactly that class
	// (allocated in this method). "" if unknown.
	Recv string
	// Args are the constant arguments, for reflection: one per declared
	// parameter (receiver not included) where any is constant, else nil.
	Args []Const
	Indy *Indy // of Dynamic
}

// Recv is the receiver's type where it is known better than by the owner, else "": see
// CallDetails.
func (c *Call) Recv() string {
	if c.Details == nil {
		return ""
	}
	return c.Details.Recv
}

// Args are the constant arguments, nil where there is none: see CallDetails.
func (c *Call) Args() []Const {
	if c.Details == nil {
		return nil
	}
	return c.Details.Args
}

// Indy describes the call site of a Dynamic call, nil for others.
func (c *Call) Indy() *Indy {
	if c.Details == nil {
		return nil
	}
	return c.Details.Indy
}

// WithArgs returns the call with these constant arguments in place of its own;
// c stays as it is.
func (c Call) WithArgs(args []Const) Call {
	if c.Details == nil && args == nil {
		return c
	}
	d := CallDetails{Recv: c.Recv(), Args: args, Indy: c.Indy()}
	if c.Details = &d; d.Recv == "" && d.Args == nil && d.Indy == nil {
		c.Details = nil
	}
	return c
}

// Const is a constant argument of a call.
type Const struct {
	Kind  ConstKind
	Value string // the string, or the class's internal name
}

// ConstKind tells what a constant argument is.
type ConstKind uint8

// Kinds of constant arguments.
const (
	NoConst ConstKind = iota
	StringConst
	ClassConst
	NullConst
)

// Indy describes an invokedynamic call site.
type Indy struct {
	Kind         IndyKind
	Bootstrap    Handle
	Interface    string   // Lambda: the functional interface (and Markers more)
	SAM          string   // Lambda: name of the interface method
	SAMDesc      string   // Lambda: its erased descriptor
	Instantiated string   // Lambda: instantiated method type
	Markers      []string // Lambda: further interfaces (altMetafactory)
	Bridges      []string // Lambda: further descriptors
	Impl         Handle   // Lambda: the implementation method
	Handles      []Handle // every method handle among the static arguments
}

// IndyKind classifies invokedynamic by its bootstrap method.
type IndyKind uint8

// Kinds of invokedynamic.
const (
	OtherIndy  IndyKind = iota
	LambdaIndy          // LambdaMetafactory.metafactory and altMetafactory
	ConcatIndy          // StringConcatFactory
	RecordIndy          // ObjectMethods
	SwitchIndy          // SwitchBootstraps
)

// Handle is a method handle constant (JVMS 4.4.8).
type Handle struct {
	Kind              uint8 // reference_kind 1..9
	Owner, Name, Desc string
	OwnerIsInterface  bool
}

// Throw is one athrow instruction.
type Throw struct {
	Site
	Sources []Source // where the thrown object may come from; never empty
	// Causes are the handlers whose caught object is wrapped in the thrown one
	// (passed to its constructor, to initCause or to addSuppressed).
	Causes []uint16
}

// SourceKind tells how a thrown object came to be.
type SourceKind uint8

// Kinds of sources of a thrown object.
const (
	NewSource    SourceKind = iota // allocated in this method: exactly Type
	CaughtSource                   // the object caught by handler Handler (a rethrow)
	TypedSource                    // anything else: Type or a subtype of it
	NullSource                     // throw null: a NullPointerException
)

// Source is one origin of a thrown object, from the reaching definitions of
// athrow's operand in the register code.
type Source struct {
	Kind SourceKind
	// Type is as Kind says; of CaughtSource it is the class that the caught
	// object was cast to on its way to the athrow, "" where it was not.
	Type    string
	Handler uint16
	// Call is, for TypedSource, the index in Method.Calls of the call whose
	// result is thrown, or -1.
	Call int32
}

// Alloc is one new instruction (arrays are not recorded).
type Alloc struct {
	Site
	Type string
}

// Init is one instruction that may initialise a class (JVMS 5.5): new,
// getstatic, putstatic, invokestatic, and the class of a method handle.
// Initialisations of the method's own class are left out, but for instance methods of interfaces.
type Init struct {
	Site
	Class string // that the instruction names
	// Field is the static field that it names, nil where it names none: the class that declares
	// the field is initialised, which may be another one than Class. Of those that name the
	// method's own class, there are the fields that it inherits.
	Field *MemberRef
}

// ImplicitKind is a bit set of what an instruction may throw by itself (JVMS 6.5).
type ImplicitKind uint16

// Exceptions that instructions throw by themselves.
const (
	NullPointer ImplicitKind = 1 << iota
	ArrayIndex
	ArrayStoreErr
	Arithmetic
	ClassCast
	NegativeArraySize
	IllegalMonitorState
	OutOfMemory // allocation instructions
)

// Implicit is one instruction that may throw by itself.
type Implicit struct {
	Site // Ordinal counts the method's instructions that may throw implicitly
	Kind ImplicitKind
}

// Options choose what a record holds.
type Options struct {
	Implicit bool         // record implicit sites
	Set      settings.Set // properties of the JDK that the program may set
	Feature  int          // of the JDK, for package settings; 0: any
	// NoCodeDigests leaves Method.CodeDigest out. A provider does so of the JDK's own classes:
	// those keys are of code that tests depend on, and on a JDK they depend as a whole.
	NoCodeDigests bool
	// FewSignatures keeps the generic signatures of classes, and of methods only that have a type
	// variable in their throws clause. A provider does so of the JDK's own classes, of which
	// nobody asks for others.
	FewSignatures bool
	NoStrings     bool // leaves MethodDetails.Strings out
}
