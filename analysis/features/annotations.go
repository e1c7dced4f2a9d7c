package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells which objects the values of annotations are.

// anyAnnotation is the interface of all annotations, with annotationType and toString.
const anyAnnotation = "java/lang/annotation/Annotation"

// AnnotationElement is the descriptor of the values that a call of an annotation's
// method gives, of their elements if they are arrays; empty where it is no such call
// or gives numbers (JVMS 4.7.16.1). The object is a proxy that the JDK makes, whose
// handler looks the value up in a map.
func AnnotationElement(h *hierarchy.Hierarchy, c *facts.Call) string {
	if c.Kind != facts.Interface {
		return ""
	}
	if t := h.Lookup(c.Owner); c.Owner != anyAnnotation && (t == hierarchy.NoType || !h.IsAnnotation(t)) {
		return ""
	}
	return elementOf(c.Desc)
}

// AnnotationEnums are the enum classes of the elements of an annotation interface, and
// of annotations among them; none for another type. load loads a class that another
// names.
func AnnotationEnums(h *hierarchy.Hierarchy, t hierarchy.TypeID,
	load func(name, by string) hierarchy.TypeID) (out []hierarchy.TypeID) {
	seen := map[hierarchy.TypeID]bool{}
	var look func(t hierarchy.TypeID)
	look = func(t hierarchy.TypeID) {
		if t == hierarchy.NoType || seen[t] || !h.IsAnnotation(t) {
			return
		}
		seen[t] = true
		class := h.Facts(t)
		for i := range class.Methods {
			e := elementOf(class.Methods[i].Desc)
			if e == "" || e == "Ljava/lang/String;" || e == "Ljava/lang/Class;" {
				continue
			}
			x := load(e[1:len(e)-1], class.Name)
			if IsEnum(h, x) && !slices.Contains(out, x) {
				out = append(out, x)
			}
			look(x)
		}
	}
	look(t)
	return out
}

// elementOf is the descriptor of what a method without parameters returns, or of the
// elements if that is an array; empty where it is no class.
func elementOf(desc string) string {
	if !strings.HasPrefix(desc, "()") || !strings.HasSuffix(desc, ";") {
		return ""
	}
	return strings.TrimPrefix(desc[2:], "[")
}

// note notes the classes that annotations of a class, and of its methods and fields, name as
// values.
func (f *tokenFlow) note(c *facts.Class) {
	for _, n := range c.Noted {
		of := [2]string{n[0], n[1]}
		if !strings.ContainsAny(n[2], " :") {
			f.texts.noted[of] = append(f.texts.noted[of], strings.ReplaceAll(n[2], ".", "/"))
		}
	}
}

// reads gives the result of a call of an annotation's element, the class or the name of one or an
// array of them, the classes that values of it name: whatever the annotation stands on.
func (v *tokenVisit) reads(c *facts.Call, result node) {
	of := strings.TrimLeft(classfile.Result(c.Desc), "[")
	if result == 0 || of != "Ljava/lang/Class;" && of != "Ljava/lang/String;" {
		return
	}
	at := result
	if of != classfile.Result(c.Desc) {
		at = result + 1 // what is in an array
	}
	element := [2]string{c.Owner, c.Name}
	v.texts.values[element] = true
	for _, name := range v.texts.noted[element] {
		if v.names.Present(name) {
			v.gets(at, name, of == "Ljava/lang/String;")
		}
	}
}
