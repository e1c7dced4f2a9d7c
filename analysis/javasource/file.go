package javasource

// This file holds the types that describe a parsed source file.

// A File is the structure of one Java source file. All spans and offsets are
// in bytes of the source given to Parse. A File does not change once parsed.
type File struct {
	Package string   // with dots; "" for the unnamed package
	Imports []Import // in source order
	// Types holds every type declaration and every anonymous class body, the
	// enclosing before the enclosed, otherwise in source order.
	Types   []*Type
	Tries   []*Try   // in the order of their keywords
	Catches []*Catch // in the order of their keywords
	Throws  []*Throw // in the order of their keywords
	Calls   []*Call  // in the order of their names; none of Parse
	// LineStarts holds the offset of each line's first byte.
	LineStarts []int32
	Size       int // length of the source in bytes
	// Broken tells that the source has brackets, strings or comments that are
	// not closed, or is nested too deeply, so that parts of the structure are
	// guesses. A false Broken does not promise that a compiler accepts it.
	Broken bool
	Digest Digest // of all tokens of the file
}

// An Import is one import declaration.
type Import struct {
	Name     string // qualified name with dots, without the .*
	Static   bool
	OnDemand bool // ends in .*
	Module   bool // import module M (JEP 511)
	Span     Span
}

// TypeKind tells what kind of type a Type is.
type TypeKind uint8

// The kinds of types.
const (
	Class TypeKind = iota
	Interface
	Enum
	Record
	Annotation
	Anonymous    // the body of a class instance creation
	EnumConstant // the body of an enum constant
	Implicit     // the class of a compact source file (JEP 512)
)

// A Type is a type declaration or an anonymous class body.
type Type struct {
	Kind TypeKind
	Name string // simple name; "" for Anonymous and Implicit, the constant's for EnumConstant
	// BinaryName is the internal name that javac gives the class, such as
	// p/Outer$Inner, p/Outer$1 or p/Outer$1Local, provided that it numbers
	// anonymous and local classes in source order; where it does not (see
	// Match), Matches.Class knows better. For Implicit it is "" (the class is
	// named after the file).
	BinaryName string
	// ID names the type as Catch.ID does: like BinaryName, but anonymous and
	// local classes are counted per member and supertype.
	ID         string
	Span       Span     // from the first modifier, or from `new`, to the end of the body
	NameSpan   Span     // of the name; of the supertype's name for Anonymous
	Body       Span     // from { to }
	TypeParams []string // names of the type parameters
	Bounds     []string // their first bounds as written, "" where there is none
	Super      string   // extends clause as written; the created type for Anonymous
	Interfaces []string // implements, or extends of an interface, as written
	Outer      *Type    // the directly enclosing type, nil for a top-level one
	Member     *Member  // the member that a local or anonymous class stands in
	Lambda     *Lambda  // the innermost lambda of that member around it, or nil
	Local      bool     // a local class
	Static     bool     // declared static, or implicitly so
	Types      []*Type  // directly enclosed types, in source order
	Members    []*Member

	recordHeader []string   // types of the components
	inits        [2]*Member // InstanceInit, StaticInit

	// Counters for the names of enclosed types.
	anonymous int
	locals    map[string]int
}

// MemberKind tells what kind of member a Member is.
type MemberKind uint8

// The kinds of members that hold code.
const (
	Method MemberKind = iota
	Constructor
	CompactConstructor // of a record
	InstanceInit       // all instance initialisers and field initialisers of a class
	StaticInit         // all static ones, and the constants of an enum
)

// Names of the members without a name of their own.
const (
	InitName   = "<init>"       // constructors
	ClinitName = "<clinit>"     // StaticInit
	BlockName  = "<init-block>" // InstanceInit
)

// A Member is a method, a constructor, or the initialisers of a class. A class
// has one StaticInit and one InstanceInit at most, however many parts they are
// written in.
type Member struct {
	Kind MemberKind
	Type *Type
	Name string // the method's name, InitName, ClinitName or BlockName
	// ParamTypes are the parameters' types as written, without annotations and
	// white space; a trailing ... is kept. A compact constructor has those of
	// the record's header.
	ParamTypes []string
	TypeParams []string // names of the method's own type parameters
	Bounds     []string // their first bounds as written, "" where there is none
	Static     bool
	// ID names the member within the file: the type's ID, the name, and the
	// erased simple types of the parameters.
	ID       string
	Span     Span   // from the first modifier to the end; of the first part for initialisers
	NameSpan Span   // of the name; of the first part's first token for initialisers
	Body     Span   // from { to }, zero without a body
	Parts    []Span // initialisers: the parts, in source order; else Span alone
	Lambdas  []*Lambda
	Catches  []*Catch // of the member, lambdas included, in source order
	// ThisCall and SuperCall are the offsets of an explicit constructor call,
	// -1 where there is none.
	ThisCall, SuperCall int
	Digest              Digest // of the member's tokens
}

// A Lambda is a lambda expression.
type Lambda struct {
	Member *Member
	Parent *Lambda // the innermost lambda around it in the same member, or nil
	Params int     // number of parameters
	Arrow  int     // offset of ->
	Span   Span    // from the parameters to the body's end
	Body   Span    // the block from { to }, or the expression
	Place  Place
}

// A Part is a part of a try statement.
type Part uint8

// The parts of a try statement.
const (
	NoPart Part = iota
	InResources
	InBlock
	InCatch
	InFinally
)

// A Place says where in try statements something stands: in which part of the
// innermost one within the same member. Lambdas do not end a Place; compare
// the lambdas where control flow matters.
type Place struct {
	Try   *Try // nil if there is none
	Part  Part
	Catch int // with InCatch, the index in Try.Catches
}

// A Try is a try statement.
type Try struct {
	Keyword   Span // of `try`
	Span      Span // of the whole statement
	Resources Span // from ( to ), zero without resources
	// ResourceCount is the number of resources.
	ResourceCount int
	Body          Span // of the block, from { to }
	Catches       []*Catch
	Finally       Span // of the finally block, zero without one
	Parent        *Try // the try statement directly around it in the same member, or nil
	Place         Place
	Member        *Member
	Lambda        *Lambda // the innermost lambda around it, or nil

	abrupt bool   // its block ends in a jump or throw
	empty  bool   // neither resources nor statements in its block: no code
	jumps  []jump // directly in it, not in enclosed try statements or lambdas
}

// A jump is a return, break, continue or yield.
type jump struct {
	offset int
	place  Place
}

// A Catch is a catch clause.
type Catch struct {
	Keyword   Span // of `catch`
	TypesSpan Span // of the type, or of all alternatives
	ParamSpan Span // of the parameter's name
	Body      Span // from { to }
	// Types are the alternatives as written, without annotations and spaces.
	Types []string
	// Candidates holds for each of Types the internal names that it may mean,
	// most likely first, never empty for a well-formed clause; see File.Resolve.
	Candidates [][]string
	// ResolvedTypes is Candidates in one list.
	ResolvedTypes []string
	Param         string
	Try           *Try
	Index         int // in Try.Catches
	Member        *Member
	Lambda        *Lambda // the innermost lambda around it, or nil
	Ordinal       int     // among the catches of its member, source order, lambdas included
	// ID is stable while other members of the file change: the member's ID,
	// # and the ordinal.
	ID string
	// Digest is of the tokens of the try statement up to the end of its block,
	// of this clause and those before it, and of finally: comments and white
	// space do not count.
	Digest Digest

	abrupt bool // its body ends in a jump or throw
}

// A Throw is a throw statement.
type Throw struct {
	Keyword Span
	Span    Span   // from the keyword to the semicolon
	Type    string // the type as written of `throw new T(...)`, else ""
	Place   Place
	Member  *Member
	Lambda  *Lambda
}

// A Call is a method call or the creation of an instance.
type Call struct {
	Name     string // the method's name; InitName for new, this(...) and super(...)
	TypeName string // of `new T(...)` as written, else ""
	NameSpan Span   // of the name; of the type's name for new
	Span     Span   // from the name, or from `new`, to the closing parenthesis
	Args     int    // number of arguments
	Place    Place
	Member   *Member
	Lambda   *Lambda
}
