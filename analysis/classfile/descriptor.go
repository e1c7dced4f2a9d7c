package classfile

import (
	"fmt"
	"strings"
)

// This file handles descriptors (JVMS 4.3) and names.

// MethodDescriptor is a parsed method descriptor.
type MethodDescriptor struct {
	Params []string // field descriptors
	Return string   // field descriptor, or "V"
}

// maxParameterSlots is the limit of JVMS 4.3.3.
const maxParameterSlots = 255

// ParseMethodDescriptor splits a method descriptor such as "(I[JLa/B;)V".
func ParseMethodDescriptor(desc string) (MethodDescriptor, error) {
	var d MethodDescriptor
	if desc == "" || desc[0] != '(' {
		return d, fmt.Errorf("method descriptor %q", desc)
	}
	i, slots := 1, 0
	for i < len(desc) && desc[i] != ')' {
		n := fieldDescLen(desc[i:])
		if n == 0 {
			return d, fmt.Errorf("method descriptor %q", desc)
		}
		d.Params = append(d.Params, desc[i:i+n])
		if slots += SlotsOf(desc[i : i+n]); slots > maxParameterSlots {
			return d, fmt.Errorf("method descriptor with more than %d parameters", maxParameterSlots)
		}
		i += n
	}
	if i >= len(desc) {
		return d, fmt.Errorf("method descriptor %q", desc)
	}
	d.Return = desc[i+1:]
	if d.Return != "V" && (d.Return == "" || fieldDescLen(d.Return) != len(d.Return)) {
		return d, fmt.Errorf("method descriptor %q", desc)
	}
	return d, nil
}

// Parameters lists the field descriptors of the parameters of a method descriptor (JVMS 4.3.3), up
// to where one is cut short.
func Parameters(desc string) (out []string) {
	rest := strings.TrimPrefix(desc, "(")
	for n := parameterLen(rest); n > 0; n = parameterLen(rest) {
		out, rest = append(out, rest[:n]), rest[n:]
	}
	return out
}

// Result is the field descriptor of what a method returns, or "V", by its descriptor (JVMS 4.3.3);
// "" where that is cut short. A class name may contain parentheses, so that no search for one finds
// it.
func Result(desc string) string {
	rest := strings.TrimPrefix(desc, "(")
	for n := parameterLen(rest); n > 0; n = parameterLen(rest) {
		rest = rest[n:]
	}
	result, ok := strings.CutPrefix(rest, ")")
	if !ok {
		return ""
	}
	return result
}

// parameterLen is the length of the field descriptor with which the rest of a list of parameters
// begins, 0 at its end and where it is cut short.
func parameterLen(rest string) int {
	if rest == "" || rest[0] == ')' {
		return 0
	}
	n := 0
	for n < len(rest) && rest[n] == '[' {
		n++
	}
	if n < len(rest) && rest[n] == 'L' {
		end := strings.IndexByte(rest[n:], ';')
		if end < 0 {
			return 0
		}
		n += end
	}
	return min(n+1, len(rest))
}

// Slots is the number of local variable slots the parameters take, without
// the receiver.
func (d MethodDescriptor) Slots() int {
	n := 0
	for _, p := range d.Params {
		n += SlotsOf(p)
	}
	return n
}

// SlotsOf is the number of slots a value of a field descriptor takes: 2 for
// long and double, 0 for "V", else 1.
func SlotsOf(desc string) int {
	switch desc {
	case "J", "D":
		return 2
	case "V":
		return 0
	}
	return 1
}

// ValidFieldDescriptor reports whether desc is a field descriptor.
func ValidFieldDescriptor(desc string) bool {
	return desc != "" && fieldDescLen(desc) == len(desc)
}

// fieldDescLen is the length of the field descriptor at the start of s, 0 when
// there is none.
func fieldDescLen(s string) int {
	dims := 0
	for dims < len(s) && s[dims] == '[' {
		dims++
	}
	if dims == len(s) || dims > 255 {
		return 0
	}
	switch s[dims] {
	case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z':
		return dims + 1
	case 'L':
		if end := strings.IndexByte(s[dims:], ';'); end > 1 {
			return dims + end + 1
		}
	}
	return 0
}

// DescriptorClass turns a field descriptor of a reference type into what a
// Class entry holds: "Ljava/io/File;" gives "java/io/File", "[I" stays "[I".
// It is "" for primitive types.
func DescriptorClass(desc string) string {
	switch {
	case strings.HasPrefix(desc, "["):
		return desc
	case len(desc) > 2 && desc[0] == 'L':
		return desc[1 : len(desc)-1]
	}
	return ""
}

// ClassDescriptor is the inverse of DescriptorClass for reference types.
func ClassDescriptor(name string) string {
	if strings.HasPrefix(name, "[") {
		return name
	}
	return "L" + name + ";"
}

// ElementClass is the internal name of the class that an array descriptor is
// built of, "" for arrays of primitives; other names come back as they are.
func ElementClass(name string) string {
	if !strings.HasPrefix(name, "[") {
		return name
	}
	return DescriptorClass(strings.TrimLeft(name, "["))
}

// SourceName turns an internal name into the binary name that a reader of Java
// knows: "a/B$C" gives "a.B$C".
func SourceName(internal string) string { return strings.ReplaceAll(internal, "/", ".") }

// InternalName is the inverse of SourceName.
func InternalName(binary string) string { return strings.ReplaceAll(binary, ".", "/") }

// PackageOf is the package part of an internal name, with slashes; "" for the
// unnamed package.
func PackageOf(internal string) string {
	if i := strings.LastIndexByte(internal, '/'); i >= 0 {
		return internal[:i]
	}
	return ""
}
