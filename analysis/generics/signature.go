package generics

import "strings"

// This file reads generic signatures (JVMS 4.7.9.1).

// kind says what a typ is.
type kind uint8

const (
	unknown  kind = iota
	class         // name is its internal name, args are its own type arguments, none where it is raw
	variable      // name is that of a type variable
	extends       // a wildcard with an upper bound, its one argument; ? alone has none
	super         // a wildcard with a lower bound
	array         // its one argument is the element's type
)

// typ is a type as a signature writes it. A primitive one is unknown.
type typ struct {
	kind kind
	name string
	args []typ
}

// parameter is a type parameter with its first bound, unknown where it has none.
type parameter struct {
	name  string
	bound typ
}

// methodSignature is what the signature of a method says.
type methodSignature struct {
	of     []parameter
	params []typ
	result typ
	throws []typ
}

// classSignature is what the signature of a class says.
type classSignature struct {
	of     []parameter
	supers []typ // superclass, then interfaces
}

// reader reads a text from the left. What is malformed makes it read on as if the rest
// were missing.
type reader struct {
	text string
	bad  bool
}

func (r *reader) peek() byte {
	if r.bad || r.text == "" {
		return 0
	}
	return r.text[0]
}

// take reads a byte if it is the next.
func (r *reader) take(b byte) bool {
	if r.peek() != b {
		return false
	}
	r.text = r.text[1:]
	return true
}

// name reads up to one of the bytes of stop, which stays.
func (r *reader) name(stop string) string {
	i := strings.IndexAny(r.text, stop)
	if i < 0 {
		r.bad = true
		return ""
	}
	n := r.text[:i]
	r.text = r.text[i:]
	return n
}

// typ reads a type.
func (r *reader) typ() typ {
	switch {
	case r.take('T'):
		t := typ{kind: variable, name: r.name(";")}
		r.take(';')
		return t
	case r.take('['):
		return typ{kind: array, args: []typ{r.typ()}}
	case r.take('L'):
		t := typ{kind: class}
		for {
			t.name += r.name("<.;")
			t.args = r.arguments()
			if !r.take('.') {
				break
			}
			t.name += "$"
		}
		r.bad = r.bad || !r.take(';')
		return t
	}
	if r.peek() == 0 {
		r.bad = true
		return typ{}
	}
	r.text = r.text[1:] // a primitive type, or void
	return typ{}
}

// arguments reads type arguments, if there are any.
func (r *reader) arguments() (out []typ) {
	if !r.take('<') {
		return nil
	}
	for !r.take('>') && !r.bad {
		switch {
		case r.take('*'):
			out = append(out, typ{kind: extends})
		case r.take('+'):
			out = append(out, typ{kind: extends, args: []typ{r.typ()}})
		case r.take('-'):
			out = append(out, typ{kind: super, args: []typ{r.typ()}})
		default:
			out = append(out, r.typ())
		}
	}
	return out
}

// parameters reads type parameters, if there are any.
func (r *reader) parameters() (out []parameter) {
	if !r.take('<') {
		return nil
	}
	for !r.take('>') && !r.bad {
		p := parameter{name: r.name(":")}
		for first := true; r.take(':'); first = false {
			if r.peek() == ':' {
				continue // no class bound: an interface comes first
			}
			if b := r.typ(); first || p.bound.kind == unknown {
				p.bound = b
			}
		}
		out = append(out, p)
	}
	return out
}

// parseMethod reads the signature of a method; ok is false where it is malformed.
func parseMethod(text string) (s methodSignature, ok bool) {
	r := reader{text: text}
	s.of = r.parameters()
	if !r.take('(') {
		return s, false
	}
	for !r.take(')') && !r.bad {
		s.params = append(s.params, r.typ())
	}
	s.result = r.typ()
	for r.take('^') {
		s.throws = append(s.throws, r.typ())
	}
	return s, !r.bad && r.text == ""
}

// parseClass reads the signature of a class; ok is false where it is malformed.
func parseClass(text string) (s classSignature, ok bool) {
	r := reader{text: text}
	s.of = r.parameters()
	for r.text != "" && !r.bad {
		s.supers = append(s.supers, r.typ())
	}
	return s, !r.bad
}

// parseType reads the signature of a field, or a descriptor of one.
func parseType(text string) typ {
	r := reader{text: text}
	t := r.typ()
	if r.bad || r.text != "" {
		return typ{}
	}
	return t
}

// find returns the position of a parameter, -1 where there is none of the name.
func find(list []parameter, name string) int {
	for i := range list {
		if list[i].name == name {
			return i
		}
	}
	return -1
}

// mentions tells whether a type variable occurs in a type.
func (t *typ) mentions(name string) bool {
	if t.kind == variable && t.name == name {
		return true
	}
	for i := range t.args {
		if t.args[i].mentions(name) {
			return true
		}
	}
	return false
}
