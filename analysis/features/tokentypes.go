package features

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/features/natives"
)

// This file says what variables of a type may be, of what class objects are followed as.

// tokenTypes are the types of class objects and of names, and those of the JDK that are neither and
// keep none that somebody gets back: text is put together in a builder, and an exception only
// tells.
var tokenTypes = map[string]uint8{
	"java/lang/Class":                         asClass,
	"java/lang/reflect/Type":                  asClass | holdsAny, // a ParameterizedType
	"java/lang/reflect/GenericDeclaration":    asClass,
	"java/lang/reflect/AnnotatedElement":      asClass,
	"java/lang/invoke/TypeDescriptor":         asClass,
	"java/lang/invoke/TypeDescriptor$OfField": asClass,
	"java/lang/String":                        asName,
	"java/lang/CharSequence":                  asName,
	"java/lang/Comparable":                    asName,
	"java/lang/Object":                        anyToken | holdsAny,
	"java/io/Serializable":                    anyToken | holdsAny,
	"java/lang/constant/Constable":            asClass | asName,
	"java/lang/constant/ConstantDesc":         asName,
	"java/lang/StringBuilder":                 0,
	"java/lang/StringBuffer":                  0,
	"java/lang/AbstractStringBuilder":         0,
	"java/lang/Number":                        0,
	"java/lang/Byte":                          0,
	"java/lang/Short":                         0,
	"java/lang/Character":                     0,
	"java/lang/Integer":                       0,
	"java/lang/Long":                          0,
	"java/lang/Float":                         0,
	"java/lang/Double":                        0,
	"java/lang/Boolean":                       0,
	"java/lang/Void":                          0,
	"java/lang/Throwable":                     0,
}

// tokensOfType are the kinds of tokens that a variable of a type may be, with holdsAny where
// something may be in its objects. desc is a descriptor of a type, or the name of a class.
func tokensOfType(desc string) uint8 {
	if desc == "" {
		return 0
	}
	if desc[0] == '[' {
		e := strings.TrimLeft(desc, "[")
		if len(e) == 1 && len(desc) == 2 || e[0] == 'L' && tokensOfType(e) == 0 {
			return 0
		}
		return holdsAny
	}
	name := className(desc)
	if len(name) == 1 {
		return 0 // a primitive
	}
	if k, ok := tokenTypes[name]; ok {
		return k
	}
	if natives.OfJDK(name) && (strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Error")) {
		return 0
	}
	return asLambda | holdsAny
}

// tokensOf is tokensOfType with a memory.
func (f *tokenFlow) tokensOf(desc string) uint8 {
	k, ok := f.types[desc]
	if !ok {
		k = tokensOfType(desc)
		f.types[desc] = k
	}
	return k
}

// className is the name of a class that a descriptor, or the name itself, stands for.
func className(desc string) string {
	if strings.HasSuffix(desc, ";") && desc[0] == 'L' {
		return desc[1 : len(desc)-1]
	}
	return desc
}
