package features

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file knows the classes of enums.

const enumClass = "java/lang/Enum"

// IsEnum tells whether a class is that of an enum, and not one that a constant with a body has of
// its own.
func IsEnum(h *hierarchy.Hierarchy, t hierarchy.TypeID) bool {
	class := h.Facts(t)
	return class != nil && class.Super == enumClass
}

// EnumValues are the methods of an enum's class that Class.getEnumConstants calls, on behalf of
// Enum.valueOf, EnumSet and EnumMap. It initialises the class as well.
func EnumValues(h *hierarchy.Hierarchy, t hierarchy.TypeID) (out []hierarchy.MethodID) {
	class := h.Facts(t)
	for i := range class.Methods {
		if m := &class.Methods[i]; m.Name == "values" && strings.HasPrefix(m.Desc, "()") {
			out = append(out, h.MethodAt(t, i))
		}
	}
	return out
}
