package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const twoThrows = `package p;

public class C {
    public int read(int n) {
        try {
            check(n);
        } catch (IllegalStateException e) {
            return 0;
        }
        return n;
    }

    void check(int n) {
        if (n < 0) throw new IllegalStateException("less");
        if (n > 9) throw new IllegalStateException("more");
    }
}
`

// Links of the same exception out of two throws of one method can be told apart by their actions'
// titles.
func TestTitlesOfJudgements(t *testing.T) {
	root, file := compiled(t, twoThrows)
	c := connect(t, plainCaps, root)
	uri := c.open(file, twoThrows)
	c.until(uri, some)
	var actions []struct{ Title string }
	at := map[string]int{"line": 6, "character": 12}
	c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
		"context": map[string]any{"diagnostics": []any{}, "only": []string{"catchlens"}},
		"range":   map[string]any{"start": at, "end": at}}, &actions)
	var got, want []string
	for _, a := range actions {
		if strings.HasPrefix(a.Title, "Judge") {
			got = append(got, a.Title)
		}
	}
	want = append(want, "Judge infeasible: java.lang.IllegalStateException by C.check (2 links)")
	for _, line := range []int{14, 15} {
		want = append(want, fmt.Sprintf("Judge infeasible: java.lang.IllegalStateException from C.check:%d", line))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("actions %q, want %q", got, want)
	}
	c.quit()
}
