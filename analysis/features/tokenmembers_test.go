package features

import (
	"strings"
	"testing"
)

// What a descriptor or a generic signature names are its classes, those of type arguments, bounds
// and arrays included, and neither type variables nor primitives.
func TestEachNamedClass(t *testing.T) {
	for text, want := range map[string]string{
		"Lp/A;":                          "p/A",
		"[[Lp/A;":                        "p/A",
		"(ILp/A;[JLp/B;)Lp/C;":           "p/A p/B p/C",
		"Ljava/util/Map<Lp/A;+[Lp/B;>;":  "java/util/Map p/A p/B",
		"<T:Lp/B;>Lp/A<TT;>;":            "p/B p/A",
		"(TL;Lp/A;)TTest;":               "p/A",
		"<L:Lp/A;VALUE::Lp/B;>Lp/C;":     "p/A p/B p/C",
		"Lp/A<Lp/B;>.In<TL;>.Least;":     "p/A p/B p/A$In p/A$In$Least",
		"Lp/A<Lp/B<TT;>.In;Lp/C;>.Last;": "p/A p/B p/B$In p/C p/A$Last",
		"(IJ)V":                          "",
		"":                               "",
		"Lp/A":                           "",
	} {
		var got []string
		eachNamedClass(text, func(name string) { got = append(got, name) })
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
