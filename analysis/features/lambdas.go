package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
)

// This file has what lambdas and method references say of their receivers and parameters.

// Reference kinds of method handles (JVMS 4.4.8).
const (
	RefInvokeVirtual    = 5
	RefInvokeStatic     = 6
	RefInvokeSpecial    = 7
	RefNewInvokeSpecial = 8
	RefInvokeInterface  = 9
)

// LambdaReceiver is the static type of the receiver of a method reference to an
// instance method: the captured object's, or else the first parameter's.
func LambdaReceiver(c *facts.Call) string {
	if k := c.Indy().Impl.Kind; k != RefInvokeVirtual && k != RefInvokeInterface {
		return ""
	}
	if t := firstParameter(c.Desc); t != "" {
		return t
	}
	return firstParameter(c.Indy().Instantiated)
}

// firstParameter is the class of a descriptor's first parameter, "" when there
// is none or it is not a class.
func firstParameter(desc string) string {
	if strings.HasPrefix(desc, "(L") {
		if i := strings.IndexByte(desc, ';'); i > 0 {
			return desc[2:i]
		}
	}
	return ""
}

// ReferenceParameters lists the classes of a descriptor's reference parameters, in order; arrays
// count as java/lang/Object.
func ReferenceParameters(desc string) (out []string) {
	for _, p := range classfile.Parameters(desc) {
		switch p[0] {
		case '[':
			out = append(out, "java/lang/Object")
		case 'L':
			out = append(out, strings.TrimSuffix(p[1:], ";"))
		}
	}
	return out
}

// ClassParameters is ReferenceParameters with each class once.
func ClassParameters(desc string) (out []string) {
	for _, name := range ReferenceParameters(desc) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
