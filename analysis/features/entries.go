package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds the methods at which a program starts.

// testPackages are the packages of the test frameworks, as prefixes of internal
// names.
var testPackages = []string{"org/junit/", "junit/framework/", "org/testng/"}

func ofTestFramework(class string) bool {
	return slices.ContainsFunc(testPackages, func(p string) bool { return strings.HasPrefix(class, p) })
}

// MainEntries lists the main methods of the classes: public static ones with an
// array of String, and those that JDK 25 starts as well (JLS 12.1.4).
func MainEntries(src hierarchy.Source, classes []string) []MethodRef {
	return collect(src, classes, func(c *facts.Class, add addMethod) {
		for i := range c.Methods {
			m := &c.Methods[i]
			if m.Name != "main" || m.Access&(hierarchy.AccPrivate|hierarchy.AccAbstract) != 0 {
				continue
			}
			classic := m.Desc == "([Ljava/lang/String;)V" &&
				m.Access&(hierarchy.AccPublic|hierarchy.AccStatic) == hierarchy.AccPublic|hierarchy.AccStatic
			if classic {
				add(c, m)
			} else if c.Major >= 69 && (m.Desc == "([Ljava/lang/String;)V" || m.Desc == "()V") {
				add(c, m)
				addConstructors(c, add)
			}
		}
	})
}

// PublicEntries lists the public API of the classes: every public or protected
// method and constructor of a public class, and what makes and initialises
// enums and the like follows from them.
func PublicEntries(src hierarchy.Source, classes []string) []MethodRef {
	return collect(src, classes, func(c *facts.Class, add addMethod) {
		if c.Access&hierarchy.AccPublic == 0 {
			return
		}
		for i := range c.Methods {
			m := &c.Methods[i]
			if m.Access&(hierarchy.AccPublic|hierarchy.AccProtected) != 0 && m.Access&hierarchy.AccAbstract == 0 {
				add(c, m)
			}
		}
	})
}

// TestEntries lists what JUnit 3, 4, 5 and TestNG call in the classes: tests and life cycle
// methods, by name or by annotations of the frameworks, also annotations that carry one of theirs;
// the constructors of classes that have any; the sources of parameters, in other classes too where
// annotations name them; and the methods by which a class implements or overrides something of a
// framework (rules, extensions, runners, sources).
func TestEntries(src hierarchy.Source, classes []string) []MethodRef {
	f := &testFinder{src: src, annotation: map[string]bool{}, supers: map[string][]string{}}
	return collect(src, classes, f.find)
}

// addMethod adds a method of a class to the entries.
type addMethod func(*facts.Class, *facts.Method)

// collect calls find for each class, in the order of names, and keeps what it
// adds, each method once.
func collect(src hierarchy.Source, classes []string, find func(*facts.Class, addMethod)) []MethodRef {
	var out []MethodRef
	seen := map[MethodRef]bool{}
	names := slices.Sorted(slices.Values(classes))
	for _, n := range slices.Compact(names) {
		c, ok := src.Class(n)
		if !ok {
			continue
		}
		find(c, func(of *facts.Class, m *facts.Method) {
			r := MethodRef{of.Name, m.Name, m.Desc}
			if !seen[r] {
				seen[r] = true
				out = append(out, r)
			}
		})
	}
	return out
}

// addConstructors adds the constructors of a class.
func addConstructors(c *facts.Class, add addMethod) {
	for i := range c.Methods {
		if c.Methods[i].Name == "<init>" {
			add(c, &c.Methods[i])
		}
	}
}

// testFinder remembers what it learned of annotations and supertypes.
type testFinder struct {
	src        hierarchy.Source
	annotation map[string]bool     // whether an annotation type makes a method a framework's
	supers     map[string][]string // all supertypes of a class by name
}

// find adds the entries of one class.
func (f *testFinder) find(c *facts.Class, add addMethod) {
	supers := f.supertypes(c.Name, 0)
	before := false
	mark := func(m *facts.Method) { before = true; add(c, m) }
	junit3 := slices.Contains(supers, "junit/framework/TestCase")
	wholeClass := slices.Contains(c.Annotations, "org/testng/annotations/Test")
	sources := f.usesMethodSources(c)
	for i := range c.Methods {
		m := &c.Methods[i]
		if strings.HasPrefix(m.Name, "<") || m.Access&hierarchy.AccAbstract != 0 {
			continue
		}
		noArgs := strings.HasPrefix(m.Desc, "()")
		switch {
		case slices.ContainsFunc(m.Annotations(), f.isFrameworks),
			junit3 && noArgs && (strings.HasPrefix(m.Name, "test") || m.Name == "suite"),
			wholeClass && m.Access&hierarchy.AccPublic != 0,
			sources && noArgs && strings.ContainsAny(m.Desc[2:3], "L["),
			m.Name == "suite" && noArgs && strings.HasSuffix(m.Desc, ")Ljunit/framework/Test;"),
			f.overridesFramework(m, supers):
			mark(m)
		}
	}
	for _, n := range c.Named {
		f.addNamed(n, add)
	}
	// The subclasses of a class with tests run them too, through their own
	// constructors.
	if before || slices.ContainsFunc(supers, ofTestFramework) || slices.ContainsFunc(c.Annotations, f.isFrameworks) ||
		f.inheritsTests(supers) {
		addConstructors(c, add)
	}
}

// addNamed adds a method that an annotation names in another class (see facts.Class), or in one
// that has it as a supertype. Methods of one name are all added: which of them is called depends on
// their parameters.
func (f *testFinder) addNamed(name string, add addMethod) {
	class, method, _ := strings.Cut(name, "#")
	for _, n := range append([]string{class}, f.supertypes(class, 0)...) {
		c, ok := f.src.Class(n)
		if !ok {
			continue
		}
		found := false
		for i := range c.Methods {
			if m := &c.Methods[i]; m.Name == method && m.Access&hierarchy.AccAbstract == 0 {
				found = true
				add(c, m)
				if m.Access&hierarchy.AccStatic == 0 {
					addConstructors(c, add)
				}
			}
		}
		if found {
			return
		}
	}
}

// inheritsTests tells whether a supertype outside the frameworks has annotated
// methods.
func (f *testFinder) inheritsTests(supers []string) bool {
	for _, s := range supers {
		if strings.HasPrefix(s, "java/") {
			continue
		}
		c, ok := f.src.Class(s)
		if !ok {
			continue
		}
		for i := range c.Methods {
			if slices.ContainsFunc(c.Methods[i].Annotations(), f.isFrameworks) {
				return true
			}
		}
	}
	return false
}

// usesMethodSources tells whether JUnit 5's parameterised tests occur in a
// class; the methods that feed them are named in values of annotations.
func (f *testFinder) usesMethodSources(c *facts.Class) bool {
	for i := range c.Methods {
		for _, a := range c.Methods[i].Annotations() {
			if strings.HasPrefix(a, "org/junit/jupiter/params/") {
				return true
			}
		}
	}
	return false
}

// overridesFramework tells whether a supertype among the frameworks declares
// the method.
func (f *testFinder) overridesFramework(m *facts.Method, supers []string) bool {
	if m.Access&(hierarchy.AccPrivate|hierarchy.AccStatic) != 0 {
		return false
	}
	for _, s := range supers {
		if !ofTestFramework(s) {
			continue
		}
		c, ok := f.src.Class(s)
		if !ok {
			continue
		}
		for i := range c.Methods {
			if d := &c.Methods[i]; d.Name == m.Name && d.Desc == m.Desc &&
				d.Access&(hierarchy.AccPrivate|hierarchy.AccStatic) == 0 {
				return true
			}
		}
	}
	return false
}

// isFrameworks tells whether an annotation belongs to a framework, or carries
// one that does (JUnit 5: composed annotations).
func (f *testFinder) isFrameworks(annotation string) bool {
	if ofTestFramework(annotation) {
		return true
	}
	if strings.HasPrefix(annotation, "java/") {
		return false
	}
	if known, ok := f.annotation[annotation]; ok {
		return known
	}
	f.annotation[annotation] = false // ends cycles
	c, ok := f.src.Class(annotation)
	f.annotation[annotation] = ok && slices.ContainsFunc(c.Annotations, f.isFrameworks)
	return f.annotation[annotation]
}

// maxDepth bounds the walk over supertypes of malformed classes.
const maxDepth = 100

// supertypes lists all supertypes of a class by name, as far as they are known.
func (f *testFinder) supertypes(name string, depth int) []string {
	if s, ok := f.supers[name]; ok || depth > maxDepth {
		return s
	}
	c, ok := f.src.Class(name)
	if !ok {
		return nil
	}
	var out []string
	direct := c.Interfaces
	if c.Super != "" && c.Super != "java/lang/Object" {
		direct = append([]string{c.Super}, direct...)
	}
	for _, s := range direct {
		out = append(append(out, s), f.supertypes(s, depth+1)...)
	}
	f.supers[name] = out
	return out
}
