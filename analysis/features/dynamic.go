package features

import (
	"iter"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file lists the calls that an invokedynamic instruction makes without naming them.

// HiddenCall is a call of a method on an operand, or a part of one, of an invokedynamic
// instruction.
type HiddenCall struct {
	Type   hierarchy.TypeID // declared
	Method hierarchy.MethodID
	Class  string        // the name of Type
	Part   *facts.Handle // of RecordCalls: the component
}

// ConcatCalls are the calls of a string concatenation (java.lang.invoke.StringConcatFactory: as by
// String.valueOf), one for each class of its operands. load loads a class.
func ConcatCalls(h *hierarchy.Hierarchy, c *facts.Call, load func(string) hierarchy.TypeID) iter.Seq[HiddenCall] {
	return func(yield func(HiddenCall) bool) {
		for _, p := range ClassParameters(c.Desc) {
			if p == "java/lang/String" {
				continue
			}
			t := load(p)
			m := h.Resolve(t, "toString", "()Ljava/lang/String;")
			if m != hierarchy.NoMethod && !yield(HiddenCall{t, m, p, nil}) {
				return
			}
		}
	}
}

// RecordCalls are the calls that a record's toString, hashCode or equals makes of the same method
// of its components (java.lang.runtime.ObjectMethods). load loads a class.
func RecordCalls(h *hierarchy.Hierarchy, c *facts.Call, load func(string) hierarchy.TypeID) iter.Seq[HiddenCall] {
	desc := map[string]string{"toString": "()Ljava/lang/String;", "hashCode": "()I",
		"equals": "(Ljava/lang/Object;)Z"}[c.Name]
	return func(yield func(HiddenCall) bool) {
		parts := c.Indy().Handles
		for i := range parts {
			part := &parts[i]
			if desc == "" || !strings.HasPrefix(part.Desc, "L") || !strings.HasSuffix(part.Desc, ";") {
				continue
			}
			class := part.Desc[1 : len(part.Desc)-1]
			t := load(class)
			m := h.Resolve(t, c.Name, desc)
			if m != hierarchy.NoMethod && !yield(HiddenCall{t, m, class, part}) {
				return
			}
		}
	}
}
