package javasource

// This file lists the kinds of tokens that the structure parser tells apart.

// kind is what a token is. Everything that the parser treats alike has one
// kind: all operators but a few, all literals but a few.
type kind uint8

const (
	kEOF kind = iota
	// Identifiers. Contextual keywords (JLS 3.9) are identifiers until the
	// parser meets them where they are keywords.
	kIdent
	kRecord // record
	kYield  // yield
	kWhen   // when
	kSealed // sealed
	kNon    // non, of non-sealed
	kPermits
	kLastIdent = kPermits
)

const (
	kNumber kind = iota + kLastIdent + 1
	kString      // string literals and text blocks
	kChar
	kLParen
	kRParen
	kLBrace
	kRBrace
	kLBracket
	kRBracket
	kSemi
	kComma
	kDot
	kColon
	kQuestion
	kLess
	kGreater
	kAssign   // =
	kPipe     // |
	kAmp      // &
	kAt       // @
	kArrow    // ->
	kRef      // ::
	kEllipsis // ...
	kOp       // every other operator
	// Keywords.
	kPackage
	kImport
	kClass
	kInterface
	kEnum
	kExtends
	kImplements
	kThrows
	kStatic
	kModifier // the other modifiers
	kFinal
	kSynchronized
	kDefault
	kPrimitive // the primitive types
	kVoid
	kCase
	kSwitch
	kTry
	kCatch
	kFinally
	kThrow
	kNew
	kThis
	kSuper
	kInstanceof
	kReturn
	kBreak
	kContinue
	kStatement // if, else, for, while, do, assert
	kFor
	kOtherWord // true, false, null, const, goto
)

// isIdent tells whether tokens of the kind may be identifiers.
func (k kind) isIdent() bool { return k >= kIdent && k <= kLastIdent }

// word returns the kind of an identifier or keyword.
func word(s string) kind {
	if len(s) < 2 || len(s) > 12 || s[0] < 'a' || s[0] > 'w' && s != "yield" {
		return kIdent
	}
	return reserved(s)
}

// reserved returns the kind of a word that means something by itself, at least in some places, else
// kIdent.
func reserved(s string) kind {
	switch s {
	case "record":
		return kRecord
	case "yield":
		return kYield
	case "when":
		return kWhen
	case "sealed":
		return kSealed
	case "non":
		return kNon
	case "permits":
		return kPermits
	case "package":
		return kPackage
	case "import":
		return kImport
	case "class":
		return kClass
	case "interface":
		return kInterface
	case "enum":
		return kEnum
	case "extends":
		return kExtends
	case "implements":
		return kImplements
	case "throws":
		return kThrows
	case "static":
		return kStatic
	case "public", "protected", "private", "abstract", "native", "transient", "volatile", "strictfp":
		return kModifier
	case "final":
		return kFinal
	case "synchronized":
		return kSynchronized
	case "default":
		return kDefault
	case "boolean", "byte", "char", "short", "int", "long", "float", "double":
		return kPrimitive
	case "void":
		return kVoid
	case "case":
		return kCase
	case "switch":
		return kSwitch
	case "try":
		return kTry
	case "catch":
		return kCatch
	case "finally":
		return kFinally
	case "throw":
		return kThrow
	case "new":
		return kNew
	case "this":
		return kThis
	case "super":
		return kSuper
	case "instanceof":
		return kInstanceof
	case "return":
		return kReturn
	case "break":
		return kBreak
	case "continue":
		return kContinue
	case "for":
		return kFor
	case "if", "else", "while", "do", "assert":
		return kStatement
	case "true", "false", "null", "const", "goto":
		return kOtherWord
	}
	return kIdent
}

// tokens is the token sequence of a source, as parallel slices. The last token
// is kEOF at the end of the text.
type tokens struct {
	kinds []kind
	start []int32 // byte offset in text
	end   []int32 // exclusive
	// match holds, for each opening bracket, the index of the token that ends
	// it: its closing bracket, or ^i when it is not closed and ends before
	// token i. For a closing bracket it is the index of its opening one, or -1.
	// For other tokens it means nothing.
	match []int32
	hash  []uint64          // of the texts
	names map[string]string // those that are kept, by themselves
}

// reset makes room for the tokens of another text.
func (t *tokens) reset() {
	t.kinds, t.start, t.end = t.kinds[:0], t.start[:0], t.end[:0]
	clear(t.names)
}

// grow makes room for more tokens of a text of the given size. The slices for
// kinds and offsets always have the same capacity.
func (t *tokens) grow(size int) {
	n := len(t.kinds)
	room := max(2*n, size/5, 64) // real code has a token for each 5 to 10 bytes
	kinds, start, end := make([]kind, n, room), make([]int32, n, room), make([]int32, n, room)
	copy(kinds, t.kinds)
	copy(start, t.start)
	copy(end, t.end)
	t.kinds, t.start, t.end = kinds, start, end
}

// close returns the region of the opening bracket at token i: the index of the
// token that ends its content, and that of the first token after it.
func (t *tokens) close(i int) (end, after int) {
	m := int(t.match[i])
	if m < 0 {
		return ^m, ^m
	}
	return m, m + 1
}
