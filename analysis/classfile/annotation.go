package classfile

// This file reads RuntimeVisibleAnnotations (JVMS 4.7.16).

import "strings"

// Annotation is one annotation.
type Annotation struct {
	Type     string // internal name of the annotation interface
	Elements []Element
}

// Element is one name = value of an annotation. Elements that the source
// leaves at their default do not occur.
type Element struct {
	Name  string
	Value ElementValue
}

// ElementValue is the value of an element (JVMS 4.7.16.1). Tag tells the kind:
// one of BCDFIJSZ (constant, see Const), s (string), e (enum constant), c
// (class), @ (annotation), [ (array).
type ElementValue struct {
	Tag byte
	// Text is the string of s, the constant's name of e, and the class of c: an
	// internal name, an array descriptor, or a primitive's descriptor.
	Text string
	// EnumType is the internal name of the enum of e.
	EnumType string
	// Const is the constant pool index of a primitive's value: an Integer for
	// B, C, I, S and Z.
	Const  uint16
	Nested *Annotation    // of @
	Array  []ElementValue // of [
}

// maxElementNesting bounds the depth of nested arrays and annotations, far
// above what a compiler writes, so that hostile files cannot exhaust the stack.
const maxElementNesting = 64

// Annotations returns the runtime-visible annotations among the attributes of
// a class, field, method or record component.
func (c *Class) Annotations(attrs []Attribute) ([]Annotation, error) {
	r, ok := c.attrCursor(attrs, "RuntimeVisibleAnnotations")
	if !ok {
		return nil, nil
	}
	n := int(r.u2())
	if !r.need(4 * n) {
		return nil, r.err
	}
	out := make([]Annotation, 0, n)
	for range n {
		out = append(out, r.annotation(c.Pool, 0))
		if r.err != nil {
			return nil, r.err
		}
	}
	return out, r.end()
}

// Element returns the value of the named element, false when it is not given.
func (a *Annotation) Element(name string) (ElementValue, bool) {
	for _, e := range a.Elements {
		if e.Name == name {
			return e.Value, true
		}
	}
	return ElementValue{}, false
}

// Texts returns Text of v, or of each value of an array: compilers write
// one-element arrays for `value = "x"` where the type is an array.
func (v ElementValue) Texts() []string {
	if v.Tag != '[' {
		return []string{v.Text}
	}
	out := make([]string, len(v.Array))
	for i := range v.Array {
		out[i] = v.Array[i].Text
	}
	return out
}

func (r *cursor) annotation(p *ConstantPool, depth int) Annotation {
	a := Annotation{Type: DescriptorClass(r.str(p.Utf8(r.u2())))}
	n := int(r.u2())
	if !r.need(5 * n) {
		return a
	}
	for range n {
		e := Element{Name: r.str(p.Utf8(r.u2())), Value: r.elementValue(p, depth)}
		if r.err != nil {
			break
		}
		a.Elements = append(a.Elements, e)
	}
	return a
}

func (r *cursor) elementValue(p *ConstantPool, depth int) ElementValue {
	v := ElementValue{Tag: r.u1()}
	if depth > maxElementNesting {
		r.fail("annotation values nested more than %d deep", maxElementNesting)
		return v
	}
	switch v.Tag {
	case 'B', 'C', 'I', 'S', 'Z':
		v.Const = r.poolIndex(p, TagInteger, "annotation value")
	case 'D':
		v.Const = r.poolIndex(p, TagDouble, "annotation value")
	case 'F':
		v.Const = r.poolIndex(p, TagFloat, "annotation value")
	case 'J':
		v.Const = r.poolIndex(p, TagLong, "annotation value")
	case 's':
		v.Text = r.str(p.Utf8(r.u2()))
	case 'e':
		v.EnumType = DescriptorClass(r.str(p.Utf8(r.u2())))
		v.Text = r.str(p.Utf8(r.u2()))
	case 'c':
		v.Text = r.str(p.Utf8(r.u2()))
		if name := DescriptorClass(v.Text); name != "" {
			v.Text = name
		}
	case '@':
		a := r.annotation(p, depth+1)
		v.Nested = &a
	case '[':
		n := int(r.u2())
		if !r.need(3 * n) {
			break
		}
		for range n {
			e := r.elementValue(p, depth+1)
			if r.err != nil {
				break
			}
			v.Array = append(v.Array, e)
		}
	default:
		r.fail("annotation value tag %q", v.Tag)
	}
	return v
}

// IsClass tells whether a value is a class or interface.
func (v *ElementValue) IsClass() bool {
	return v.Tag == 'c' && !strings.ContainsAny(v.Text, ";[") && len(v.Text) > 1
}

// EachValue calls f for each value of an annotation, with the annotation and the element that it is
// of: those in arrays by themselves, and those of annotations inside.
func (a *Annotation) EachValue(f func(of, element string, v ElementValue)) {
	for _, e := range a.Elements {
		for _, v := range append([]ElementValue{e.Value}, e.Value.Array...) {
			if v.Nested != nil {
				v.Nested.EachValue(f)
			} else {
				f(a.Type, e.Name, v)
			}
		}
	}
}

// AnnotationDefault is the value that an element of an annotation interface has where an annotation
// does not give it (JVMS 4.7.22).
func (c *Class) AnnotationDefault(m *Member) (ElementValue, bool) {
	r, ok := c.attrCursor(m.Attributes, "AnnotationDefault")
	if !ok {
		return ElementValue{}, false
	}
	v := r.elementValue(c.Pool, 0)
	return v, r.err == nil
}
