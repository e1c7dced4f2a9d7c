package lsp

import (
	"slices"
	"strings"
	"testing"
)

const overloads = `package p;

public class C {
    public int read(int n) {
        try {
            check(n); check("" + n);
            if (n == 3) throw new IllegalStateException("here");
        } catch (IllegalStateException e) {
            return 0;
        }
        return n;
    }

    void check(int n) { if (n < 0) throw new IllegalStateException("less"); if (n > 9) throw new IllegalStateException("more"); } void check(String s) { if (s.isEmpty()) throw new IllegalStateException("none"); }
}
`

// Both sides of a catch have the same rows, down to the throw sites; each has a line, and no two
// look alike.
func TestCallHierarchy(t *testing.T) {
	root, file := compiled(t, overloads)
	c := connect(t, plainCaps, root)
	uri := c.open(file, overloads)
	c.until(uri, some)
	var roots []map[string]any
	c.call("textDocument/prepareCallHierarchy",
		map[string]any{"textDocument": map[string]any{"uri": uri},
			"position": map[string]int{"line": 7, "character": 12}}, &roots)
	if len(roots) != 1 {
		t.Fatalf("roots %v", roots)
	}
	var walk func(item map[string]any, depth int) (rows []string)
	walk = func(item map[string]any, depth int) (rows []string) {
		var out []struct{ To map[string]any }
		var in []struct{ From map[string]any }
		c.call("callHierarchy/outgoingCalls", map[string]any{"item": item}, &out)
		c.call("callHierarchy/incomingCalls", map[string]any{"item": item}, &in)
		looks := map[string]bool{}
		for i := range out {
			look := out[i].To["name"].(string) + " | " + out[i].To["detail"].(string)
			if i >= len(in) || in[i].From["name"] != out[i].To["name"] {
				t.Errorf("the sides differ: %v, %v", out, in)
			}
			if looks[look] || !strings.Contains(look, ":") {
				t.Errorf("two rows are alike, or one has no line: %q", look)
			}
			looks[look] = true
			rows = append(append(rows, strings.Repeat(" ", depth)+look), walk(out[i].To, depth+1)...)
		}
		return rows
	}
	rows := walk(roots[0], 0)
	want := []string{
		"C.read:6 | p.C",
		" C.check:14(int) | throws java.lang.IllegalStateException · p.C",
		" C.check:14(String) | throws java.lang.IllegalStateException · p.C",
		"C.read:7 | throws java.lang.IllegalStateException · p.C",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	c.quit()
}
