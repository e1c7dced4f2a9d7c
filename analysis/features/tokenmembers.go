package features

import (
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
)

// This file follows class objects to those of what their classes declare (tokens.go), as containers
// that inject dependencies ask for them: types of fields, of parameters and results, with the
// arguments of generic ones, classes inside and below. Only classes of the workspace count. The
// members themselves (Field, Constructor) are objects that hold them. Who asks has them: what it is
// asked for is the constant of other methods, of which there may be as many as there are classes.

// declaredKind is what is asked of a class.
type declaredKind uint8

// The kinds.
const (
	fieldTypes          declaredKind = 1 + iota
	inheritedFieldTypes              // those that it inherits, too
	constructorTypes
	methodTypes
	inheritedMethodTypes
	superTypes
	parameterBounds
	outerClasses
	nestedClasses
	permittedClasses
)

// declaredQuestion is a question of a method.
type declaredQuestion struct {
	kind   declaredKind
	method int32
}

// declaredKinds are the methods of Class that tell what a class declares.
var declaredKinds = map[string]declaredKind{
	"getField": inheritedFieldTypes, "getFields": inheritedFieldTypes,
	"getDeclaredField": fieldTypes, "getDeclaredFields": fieldTypes, "getRecordComponents": fieldTypes,
	"getConstructor": constructorTypes, "getDeclaredConstructor": constructorTypes,
	"getConstructors": constructorTypes, "getDeclaredConstructors": constructorTypes,
	"getMethod": inheritedMethodTypes, "getMethods": inheritedMethodTypes,
	"getDeclaredMethod": methodTypes, "getDeclaredMethods": methodTypes,
	"getSuperclass": superTypes, "getGenericSuperclass": superTypes, "getInterfaces": superTypes,
	"getGenericInterfaces": superTypes, "getAnnotatedSuperclass": superTypes, "getAnnotatedInterfaces": superTypes,
	"getTypeParameters": parameterBounds,
	"getDeclaringClass": outerClasses, "getEnclosingClass": outerClasses,
	"getClasses": nestedClasses, "getDeclaredClasses": nestedClasses,
	"getPermittedSubclasses": permittedClasses,
}

// declares gives the result of a call on a class object the class objects of what the class
// declares: the result is one of them, or holds them; a Type may do either.
func (v *tokenVisit) declares(c *facts.Call, class, result node) {
	kind := declaredKinds[c.Name]
	if kind == 0 || class == 0 || result == 0 {
		return
	}
	v.asked = append(v.asked, declaredQuestion{kind, v.k})
	e := tokenEdge{from: class, to: result, pass: asClass, above: -int32(len(v.asked))}
	of := classfile.Result(c.Desc)
	if v.tokensOf(of)&asClass != 0 {
		v.add(e)
	}
	if of != "Ljava/lang/Class;" {
		e.to = result + 1
		v.add(e)
	}
}

// declaredBy are the class objects of what the classes among some tokens declare.
func (f *tokenFlow) declaredBy(q declaredQuestion, s tokenSet) (out tokenSet) {
	s.each(func(n int) {
		if n%2 != 0 {
			return // a name
		}
		for _, class := range f.classesOf(q.kind, f.tokens[n/2].class) {
			out.add(f.tokenOf(token{q.method, class}))
		}
	})
	return out
}

// classesOf are the classes of the workspace that a class of it declares members of, or has around
// or below it.
func (f *tokenFlow) classesOf(kind declaredKind, class string) []string {
	if f.members == nil {
		f.members = map[declaredKind]map[string][]string{}
	}
	if f.members[kind] == nil {
		f.members[kind] = map[string][]string{}
		if kind == nestedClasses || kind == permittedClasses {
			f.listInside(kind)
		}
	}
	list, known := f.members[kind][class]
	if c := f.source(class); !known && f.classes[class] && c != nil {
		add := func(name string) {
			if f.classes[name] && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
		for _, text := range memberTypes(kind, c) {
			eachNamedClass(text, add)
		}
		f.members[kind][class] = nil // for classes that extend themselves
		if kind == inheritedFieldTypes || kind == inheritedMethodTypes {
			for _, above := range append(slices.Clone(c.Interfaces), c.Super) {
				for _, name := range f.classesOf(kind, above) {
					add(name)
				}
			}
		}
		f.members[kind][class] = list
	}
	return list
}

// listInside lists the classes of the workspace by the one that they stand in, or by those that
// they extend.
func (f *tokenFlow) listInside(kind declaredKind) {
	for _, name := range slices.Sorted(maps.Keys(f.classes)) {
		c := f.source(name)
		outside := []string{c.Outer}
		if kind == permittedClasses {
			outside = append(slices.Clone(c.Interfaces), c.Super)
		}
		for _, o := range outside {
			if f.classes[o] {
				f.members[kind][o] = append(f.members[kind][o], c.Name)
			}
		}
	}
}

// memberTypes are the descriptors and generic signatures of what a class declares.
func memberTypes(kind declaredKind, c *facts.Class) (out []string) {
	switch kind {
	case fieldTypes, inheritedFieldTypes:
		for i := range c.Fields {
			out = append(out, c.Fields[i].Desc, c.Fields[i].Signature)
		}
	case constructorTypes, methodTypes, inheritedMethodTypes:
		for i := range c.Methods {
			if m := &c.Methods[i]; (m.Name == "<init>") == (kind == constructorTypes) {
				out = append(out, m.Desc, m.Signature)
			}
		}
	case parameterBounds:
		out = append(out, c.Signature)
	case outerClasses:
		out = append(out, "L"+c.Outer+";")
	case superTypes:
		out = append(out, c.Signature, "L"+c.Super+";")
		for _, x := range c.Interfaces {
			out = append(out, "L"+x+";")
		}
	}
	return out
}

// eachNamedClass calls f for each class that a descriptor or a generic signature names (JVMS
// 4.7.9.1), as the arguments of types and what stands in generic classes, too.
func eachNamedClass(text string, f func(name string)) {
	var around []string // what has the arguments that are read
	last := ""
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '<':
			around = append(around, last)
		case '>':
			if n := len(around); n > 0 {
				last, around = around[n-1], around[:n-1]
			}
		case 'L', '.':
			end := strings.IndexAny(text[i+1:], ";<:.")
			if end < 0 {
				return
			}
			name := text[i+1 : i+1+end]
			if i += end; text[i+1] == ':' {
				continue // it was in the name of a type parameter, whose bound follows
			}
			if text[i-end] == '.' {
				name = last + "$" + name
			}
			last = name
			f(name)
		case 'T': // a type variable, or the parameter of a type before its bound
			if end := strings.IndexAny(text[i:], ";:"); end > 0 {
				i += end
			}
		}
	}
}
