package excerpt

import (
	"slices"
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

// Only lines that there are have anchors.
func TestLead(t *testing.T) {
	var a Anchors
	if got := a.Lead("C.java", 1); got != "" {
		t.Errorf("a page of no files has %q", got)
	}
	a.Add("C.java", "f0", 3)
	for line, want := range map[int]string{0: "", 1: "f0-1", 3: "f0-3", 4: ""} {
		got := a.Lead("C.java", line)
		if again := a.Anchor("C.java", line); got != want || again != want {
			t.Errorf("line %d: %q, then %q, want %q", line, got, again, want)
		}
	}
	if got := a.Anchor("C.java", 2); got != "" {
		t.Errorf("a line to which nothing leads has %q", got)
	}
	if got := a.Led("C.java"); !slices.Equal(slices.Sorted(slices.Values(got)), []int{1, 3}) {
		t.Errorf("something leads to %v", got)
	}
}
