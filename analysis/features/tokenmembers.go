package features

import (
	"maps"
	"slices"
	"strings"

	"catchlens/analysis/facts"
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
	fieldTypes declaredKind = 1 + iota
	constructorTypes
	methodTypes
	superTypes
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
	"getField": fieldTypes, "getDeclaredField": fieldTypes, "getFields": fieldTypes, "getDeclaredFields": fieldTypes,
	"getRecordComponents": fieldTypes,
	"getConstructor":      constructorTypes, "getDeclaredConstructor": constructorTypes,
	"getConstructors": constructorTypes, "getDeclaredConstructors": constructorTypes,
	"getMethod": methodTypes, "getDeclaredMethod": methodTypes, "getMethods": methodTypes,
	"getDeclaredMethods": methodTypes,
	"getSuperclass":      superTypes, "getGenericSuperclass": superTypes, "getInterfaces": superTypes,
	"getGenericInterfaces": superTypes, "getAnnotatedSuperclass": superTypes, "getAnnotatedInterfaces": superTypes,
	"getClasses": nestedClasses, "getDeclaredClasses": nestedClasses,
	"getPermittedSubclasses": permittedClasses,
}

// declares gives the result of a call on a class object the class objects of what the class
// declares: the result is one of them, or holds them.
func (v *tokenVisit) declares(c *facts.Call, class, result node) {
	kind := declaredKinds[c.Name]
	if kind == 0 || class == 0 || result == 0 {
		return
	}
	if out := v.tokensOf(returned(c.Desc)); out&asClass == 0 {
		result++
	}
	v.asked = append(v.asked, declaredQuestion{kind, v.k})
	v.add(tokenEdge{from: class, to: result, pass: asClass, above: -int32(len(v.asked))})
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
		for _, text := range memberTypes(kind, c) {
			eachNamedClass(text, func(name string) {
				if f.classes[name] && !slices.Contains(list, name) {
					list = append(list, name)
				}
			})
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
	case fieldTypes:
		for i := range c.Fields {
			out = append(out, c.Fields[i].Desc, c.Fields[i].Signature)
		}
	case constructorTypes, methodTypes:
		for i := range c.Methods {
			if m := &c.Methods[i]; (m.Name == "<init>") == (kind == constructorTypes) {
				out = append(out, m.Desc, m.Signature)
			}
		}
	case superTypes:
		out = append(out, c.Signature, "L"+c.Super+";")
		for _, x := range c.Interfaces {
			out = append(out, "L"+x+";")
		}
	}
	return out
}

// eachNamedClass calls f for each class that a descriptor or a generic signature names (JVMS
// 4.7.9.1): the names that stand between an L and a semicolon, or the arguments of the type.
func eachNamedClass(text string, f func(name string)) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == 'L':
			end := strings.IndexAny(text[i:], ";<")
			if end < 0 {
				return
			}
			f(text[i+1 : i+end])
			i += end
		case c == 'T': // a type variable, or the parameter of a type before its bound
			if end := strings.IndexAny(text[i:], ";:"); end > 0 {
				i += end
			}
		}
	}
}
