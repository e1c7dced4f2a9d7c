//go:build slow

package callchain_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// randomProgram writes Java methods at random that ask their parameters what they are, and callers
// that pass constants and new objects.
type randomProgram struct {
	*rand.Rand
	leaves int
}

func (r *randomProgram) of(list ...string) string { return list[r.IntN(len(list))] }

// leaf is a call that tells that control has come here.
func (r *randomProgram) leaf() string {
	r.leaves++
	return fmt.Sprintf("l%d();", r.leaves)
}

func (r *randomProgram) condition(depth int) string {
	switch k := r.IntN(10); {
	case k < 2 && depth < 2:
		return "(" + r.condition(depth+1) + r.of(" && ", " || ") + r.condition(depth+1) + ")"
	case k == 2:
		return "!(" + r.condition(depth+1) + ")"
	}
	n := r.IntN(4)
	return r.of("b", "f", "g", fmt.Sprint("n == ", n), fmt.Sprint("n < ", n), "n > k", fmt.Sprint("k == ", n),
		"s == null", `"a".equals(s)`, `s != null && s.equals("b")`, `java.util.Objects.equals(s, "c")`,
		"m == Mode.A", "m != Mode.B", fmt.Sprint("m != null && m.ordinal() == ", n), "o instanceof String",
		"o instanceof Base", "o instanceof Sub", "o instanceof Comparable", "o == null", `"a".equals(o)`,
		"x != null && x", fmt.Sprint("i != null && i == ", n), "System.nanoTime() > 0", "System.nanoTime() < 0")
}

func (r *randomProgram) block(depth int) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteString(r.statement(depth) + " ")
	}
	return b.String()
}

func (r *randomProgram) statement(depth int) string {
	k := r.IntN(100)
	if depth >= 4 || k < 25 {
		return r.leaf()
	}
	c, end := r.condition(0), r.of("break;", "")
	x := func() string { return r.block(depth + 1) }
	switch {
	case k < 40:
		return "if (" + c + ") { " + x() + "} else { " + x() + "}"
	case k < 50:
		return "if (" + c + ") { " + x() + "}"
	case k < 60:
		return r.of("f = "+c+";", "g = "+c+";", "k = 2;", "k = n;", "f = g;", "k = f ? 1 : 2;", "k++;")
	case k < 66:
		return r.of("b = "+c+";", "n = 1;", `s = f ? "a" : s;`, "m = g ? Mode.C : m;", "o = f ? new Sub() : o;",
			`s = "b";`, "o = s;", "m = Mode.A;", "t = f ? new Else() : t;")
	case k < 72:
		return fmt.Sprintf("for (int q%d = 0; q%[1]d < 3; q%[1]d++) { %s}", depth, x())
	case k < 77:
		return fmt.Sprintf("try { %sif (%s) throw new RuntimeException(); %s} catch (RuntimeException e%d) { %s} "+
			"finally { %s }", x(), c, x(), depth, x(), r.of("f = !f;", "k = 3;", r.leaf()))
	case k < 82:
		return `if (s != null) switch (s) { case "a": ` + x() + end + ` case "b": ` + x() + `break; case "Aa": ` +
			`case "BB": ` + x() + "break; default: " + x() + "}"
	case k < 87:
		return "if (m != null) switch (m) { case A: " + x() + end + " case C: " + x() + "break; default: " + x() + "}"
	case k < 91:
		return "switch (" + r.of("n", "k", "f ? n : k", "n & 3") + ") { case 0: " + x() + "break; case 1: " + x() +
			" case 3: " + x() + "break; default: " + x() + "}"
	}
	return r.of("t.run();", "if (o instanceof Task) ((Task) o).run();")
}

// source is a program with some methods, each with callers.
func (r *randomProgram) source(methods int) string {
	const params = "(boolean b, int n, String s, Mode m, Object o, Boolean x, Integer i, Task t)"
	out := []string{"package chains;", "import traced.Trace;", "public class Random {",
		"enum Mode { A, B, C { int z() { return 1; } }; int z() { return 0; } }",
		"interface Task { int run(); }",
		"static class Base implements Task, Comparable<Object> {",
		"public int run() { return base(); } public int compareTo(Object o) { return 0; } }",
		"static class Sub extends Base { public int run() { return sub(); } }",
		"static class Else implements Task { public int run() { return other(); } }"}
	for _, name := range []string{"base", "sub", "other", "reference"} {
		out = append(out, "static int "+name+"() { return Trace.note(1); }")
	}
	for p := range methods {
		for v := range 6 {
			arguments := []string{r.of("true", "false"), fmt.Sprint(r.IntN(4)),
				r.of(`"a"`, `"b"`, `"c"`, `"Aa"`, `"BB"`, "null", `System.nanoTime() > 0 ? "a" : "b"`,
					`new String("a")`),
				r.of("Mode.A", "Mode.B", "Mode.C", "null", "System.nanoTime() > 0 ? null : Mode.B"),
				r.of(`"a"`, `"q"`, "null", "new Sub()", "new Base()", "new Else()", "Mode.C", "7", "Random.class",
					"true"),
				r.of("true", "false", "null", "Boolean.TRUE"), r.of("1", "2", "3", "null"),
				r.of("new Sub()", "new Base()", "new Else()", "(Task) Random::reference",
					"System.nanoTime() > 0 ? new Sub() : new Else()")}
			out = append(out, fmt.Sprintf("public static void e%d_%d() { %s%d(%s); }", p, v, r.of("p", "q"), p,
				strings.Join(arguments, ", ")))
		}
		out = append(out, fmt.Sprintf("static void q%d%s { p%[1]d(b, n, s, m, o, x, i, t); }", p, params),
			fmt.Sprintf("static void p%d%s { boolean f = false, g = true; int k = 0; %s%s}", p, params, r.block(0),
				r.block(0)))
	}
	for i := range r.leaves {
		out = append(out, fmt.Sprintf("static int l%d() { return Trace.note(1); }", i+1))
	}
	return strings.Join(append(out, "}"), "\n")
}

// No chain is left out that a run takes, of programs made at random: half of the chains that there
// are without what they pass are left out.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(3) {
		for name, c := range map[string]compiled{"javac": {testjdk.Javac, 17, 8}, "ecj": {testjdk.ECJCompile, 17, 17}} {
			file := filepath.Join(t.TempDir(), "Random.java")
			r := &randomProgram{Rand: rand.New(rand.NewPCG(seed, 1))}
			if err := os.WriteFile(file, []byte(r.source(40)), 0o644); err != nil {
				t.Fatal(err)
			}
			classes, g := c.build(t, file, "chains/Trace.java")
			opt := callchain.Options{Component: inPackage("chains"), Length: 5, Granularity: callchain.ByMethod}
			f := callchain.Build(g, opt)
			opt.All = true
			all := callchain.Build(g, opt)
			t.Logf("%s, seed %d: %d chains of %d", name, seed, f.Chains(), all.Chains())
			if f.Chains() > all.Chains()*3/4 {
				t.Errorf("%s, seed %d: too few are left out", name, seed)
			}
			checkRuns(t, testjdk.JDK(t, c.jdk), classes, f, "chains.Random")
		}
	}
}
