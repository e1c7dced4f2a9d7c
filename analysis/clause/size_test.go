package clause_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/javasource"
)

// tryKinds are bodies of loops in tries, one call each: chains of what calls gave, variables set
// between calls or behind conditions, fields and elements, objects that are given on, two that
// change places, and walks along a list.
var tryKinds = map[string]string{
	"Chain":      "x = x.call(%d);",
	"Steps":      "y.call(%d); step = %[1]d;",
	"Conditions": "if (x.more()) { step = %d; z = y.call(%[1]d); }",
	"Fields":     "this.call(%d); this.step = %[1]d; array[1] = %[1]d;",
	"Lists":      "list.add(x.toString()); x = y.call(%d);",
	"Swaps":      "z = x.call(%d); x = y; y = z;",
	"Merges":     "if (y.more()) z = z.call(%d);",
	"Walks":      "if (y.more()) z = z.next; z.call(%d);",
}

// largeTries writes a class for each kind, with a try that has so many calls and catches.
func largeTries(calls, catches int) string {
	var b strings.Builder
	b.WriteString("package clauses;\nimport java.util.*;\nclass Bad extends Exception { }\n")
	for k := range catches {
		fmt.Fprintf(&b, "class Bad%d extends Bad { }\n", k)
	}
	for kind, body := range tryKinds {
		fmt.Fprintf(&b, `class %s {
    int field, step; %[1]s next; int[] array = new int[9];
    %[1]s call(int n) throws Bad { if (n < 0) throw new Bad(); field = n; return next; }
    boolean more() { return step > 3; }
    void run(List<String> list, %[1]s x) {
        int step = 0; %[1]s y = x, z = null; int[] array = x.array;
        try {
            while (more()) {
`, kind)
		for n := range calls {
			fmt.Fprintf(&b, body+"\n", n)
		}
		b.WriteString("} }")
		for k := range catches {
			fmt.Fprintf(&b, ` catch (Bad%d e) {
    step += list.size() + array[0]; x.more(); y.more(); System.out.println(list.get(%[1]d) + x + step + field + z);
}`, k)
		}
		b.WriteString(" catch (Bad e) { }\nthis.step = step + x.step + array[2]; list.clear(); } }\n")
	}
	return b.String()
}

// A try of twice as many calls takes four times the steps at most, whatever these are like.
func TestLargeTries(t *testing.T) { checkLargeTries(t, 100, 3) }

func checkLargeTries(t *testing.T, calls, catches int) {
	half, whole := stepsOf(t, calls/2, catches), stepsOf(t, calls, catches)
	for kind, steps := range whole {
		if ratio := float64(steps) / float64(half[kind]); ratio > 4.2 {
			t.Errorf("%s: %d steps for %d calls, %d for twice as many: %.1f times", kind, half[kind], calls/2, steps,
				ratio)
		}
	}
}

// stepsOf are those that the analysis of all catches takes, by kind.
func stepsOf(t *testing.T, calls, catches int) map[string]int {
	t.Helper()
	file, text := filepath.Join(t.TempDir(), "Large.java"), largeTries(calls, catches)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := compileFiles(t, []string{file}, compilations[0])
	source := javasource.Parse([]byte(text))
	matches := javasource.Match(source, p.classes)
	all := clause.Origins{Followed: true, Types: []string{"clauses/Bad"}, Comes: func(int32) bool { return true }}
	steps := map[string]int{}
	for _, sc := range source.Catches {
		lines := clause.Lines{First: source.Line(sc.Body.Start), Last: source.Line(sc.Body.End)}
		for _, h := range matches.Handlers[sc] {
			for _, origins := range []clause.Origins{{}, all} {
				before := clause.Steps(p.Program)
				clause.Analyze(p.Program, h.Class, h.Method, h.Handler, lines, origins)
				steps[strings.TrimPrefix(h.Class, "clauses/")] += clause.Steps(p.Program) - before
			}
		}
	}
	if len(steps) != len(tryKinds) {
		t.Fatalf("%d kinds were analysed, not %d", len(steps), len(tryKinds))
	}
	return steps
}
