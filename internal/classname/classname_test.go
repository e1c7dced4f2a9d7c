package classname

import "testing"

// Names are written as in sources; dollar signs that may be a name's own, or the compiler's, stay.
func TestInSource(t *testing.T) {
	for name, want := range map[string]string{"p.C$Closed": "C.Closed", "p.q.A$B$C": "A.B.C", "p.C$1": "C$1",
		"C$1Local": "C$1Local", "p.$x": "$x", "p.x$": "x$", "C": "C", "": "", "$": "$",
		"p.C$1$Inner": "C$1.Inner", "p.A$B$1": "A.B$1", "p.A$b": "A.b",
		// A simple name that begins with one, in Foo or beside it.
		"p.Foo$$X": "Foo$$X", "p.Foo$$X$Y": "Foo$$X.Y", "p.A$$": "A$$", "p.A$B$": "A.B$",
		// Lambdas, with and without the address of a hidden class, and classes of generators.
		"p.Foo$$Lambda$14": "Foo$$Lambda$14", "p.Foo$$Lambda/0x00007f01": "Foo$$Lambda",
		"p.Foo$$Lambda.0x00007f01": "Foo$$Lambda", "p.A$B$$Lambda/0x1": "A.B$$Lambda",
		"p.Foo$$EnhancerByCGLIB$$a1b2": "Foo$$EnhancerByCGLIB$$a1b2",
		// Scala: objects and functions.
		"p.Foo$": "Foo$", "p.Foo$$anonfun$1": "Foo$$anonfun$1", "p.Foo$Bar$": "Foo.Bar$",
		// Kotlin: companions and lambdas in functions. Groovy: closures.
		"p.Foo$Companion": "Foo.Companion", "p.FileKt$main$1": "FileKt$main$1", "p.Foo$run$1$2": "Foo$run$1$2",
		"p.FileKt$main$run$1": "FileKt$main$run$1", "p.FileKt$main$$inlined$map$1": "FileKt$main$$inlined$map$1",
		"p.Foo$Companion$of$1": "Foo.Companion$of$1", "p.A$b$c": "A.b.c", "p.Foo$_run_closure1": "Foo._run_closure1",
		"p.名$前": "名.前", "p.Ä$ö$1": "Ä$ö$1"} {
		if got := InSource(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A simple name keeps its dollar signs.
func TestSimple(t *testing.T) {
	for name, want := range map[string]string{"p.q.A$B": "A$B", "A": "A", "": "", "p.A$$Lambda/0x1f": "A$$Lambda"} {
		if got := Simple(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
