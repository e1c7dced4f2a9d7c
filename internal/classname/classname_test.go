package classname

import "testing"

// Names are written as in sources; those that the compiler numbers stay.
func TestInSource(t *testing.T) {
	for name, want := range map[string]string{"p.C$Closed": "C.Closed", "p.q.A$B$C": "A.B.C", "p.C$1": "C$1",
		"C$1Local": "C$1Local", "p.$x": "$x", "p.x$": "x$", "C": "C", "": ""} {
		if got := InSource(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A simple name keeps its dollar signs.
func TestSimple(t *testing.T) {
	for name, want := range map[string]string{"p.q.A$B": "A$B", "A": "A", "": ""} {
		if got := Simple(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
