package excerpt

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/javasource"
)

// The letter before a line says what asking for line x or y, a or b shows.
func TestLines(t *testing.T) {
	const marked = `
ab class C
ab   implements D {
a      int asked = 1; // a
-    
-    /** Of no use. */
-    void other() {
-      f();
-    }
b    static class N
b        extends C {
b      static { // one alone, between what is shown
b        g();
b        new Object() {
b          void inner() { h(); } // b
b        };
b      }
b  
b      int next = k(); // b
-    }
-    static { l(); }
-  }
`
	lines := strings.Split(strings.TrimPrefix(strings.TrimSuffix(marked, "\n"), "\n"), "\n")
	var text []string
	for _, l := range lines {
		text = append(text, l[3:])
	}
	src := javasource.Parse([]byte(strings.Join(text, "\n")))
	for _, who := range []string{"a", "b"} {
		var asked []int
		for i, l := range lines {
			if strings.HasSuffix(l, "// "+who) {
				asked = append(asked, i+1)
			}
		}
		for i, shown := range Lines(src, len(lines), asked) {
			if want := strings.Contains(lines[i][:2], who); shown != want {
				t.Errorf("%s: line %d is shown: %v: %s", who, i+1, shown, lines[i])
			}
		}
	}
	if got := Lines(nil, 2, []int{2, 7}); got[0] || !got[1] {
		t.Errorf("without structure: %v", got)
	}
}
