//go:build slow

package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/callchain"
)

// randomComponent writes a component at random: methods that call each other directly, by
// interfaces of theirs and of the JDK, and by the JDK's code; that throw and catch; and methods
// that call nothing, of which the line says that calls them.
type randomComponent struct {
	*rand.Rand
	strings.Builder
}

// The methods and classes of a random component.
const (
	randomMethods   = 6
	randomClasses   = 4 // a third has methods that call nothing
	randomOperators = randomClasses + 4
)

// line is a line of a method.
func (r *randomComponent) line(format string, args ...any) { fmt.Fprintf(r, format+"\n", args...) }

// block writes statements.
func (r *randomComponent) block(depth int) {
	for range 1 + r.IntN(3) {
		r.statement(depth)
	}
}

func (r *randomComponent) statement(depth int) {
	i := r.IntN(8)
	switch k := r.IntN(14); {
	case k < 3:
		r.line("k += m%d(n - 1);", r.IntN(randomMethods))
	case k == 3:
		r.line("i = (n & 7) * %d %% %d;", 1+i, randomClasses)
		r.line("Comp.says(IS_LEAF[i] ? NAMES[i] + \".v\" : null); k += ALL[i].v(n - 1);")
	case k < 6:
		r.line("i = (n & 7) * %d %% %d;", 1+i, randomOperators)
		r.line("Comp.says(IS_LEAF[i] ? NAMES[i] + \".applyAsInt\" : null); k += OPERATORS[i].applyAsInt(n - 1);")
	case k == 6:
		r.line("i = (n & 7) * %d %% %d;", 1+i, randomClasses)
		r.line("Comp.says(IS_LEAF[i] ? \"!\" + NAMES[i] + \".applyAsInt\" : null); " +
			"k += IntStream.of(n - 1).map(OPERATORS[i]).sum();")
	case k == 7:
		r.line("Comp.says(\"CompRandom.divide\"); k += divide(n, (n + %d) & 3);", i)
	case k == 8:
		r.line("Comp.says(\"CompRandom.at\"); k += at((n + %d) & 3);", i)
	case k == 9:
		r.line("if (n %% 8 == %d) throw new IllegalStateException();", i)
	case k == 10:
		r.line("k += new Derived(n - %d).value;", 1+i&1)
	case k == 11:
		r.line("Comp.says(\"CompRandom.twice\"); k = twice(k);")
	case depth < 2:
		r.line("try {")
		r.block(depth + 1)
		r.line("} catch (RuntimeException e%d) {", depth)
		r.block(depth + 1)
		if r.IntN(2) == 0 {
			r.line("} finally {")
			r.line("Comp.says(\"CompRandom.twice\"); k = twice(k);")
			r.block(depth + 1)
		}
		r.line("}")
	default:
		r.line("here();")
	}
}

// body writes a method's body, whose result is value.
func (r *randomComponent) body(value string) {
	r.line("here();")
	r.line("int k = 0, i = 0;")
	r.line("Comp.says(\"CompRandom.spent\"); boolean over = spent();")
	r.line("if (n > 0 && !over) {")
	r.block(0)
	r.line("}")
	r.line(value)
	r.line("}")
}

// source is its source text.
func (r *randomComponent) source() string {
	r.line("package comp;\nimport java.util.function.*;\nimport java.util.stream.*;")
	r.line("public class CompRandom {")
	r.line("static int fuel, list[] = {1, 2};")
	r.line("public static void refuel(int n) { fuel = n; }")
	r.line("static void here() { Comp.here(); }")
	r.line("static boolean spent() { return --fuel < 0; }")
	r.line("static int divide(int a, int b) { return a / b; }")
	r.line("static int at(int i) { return list[i]; }")
	r.line("static int twice(int n) { return n * 2; }")
	r.line("interface Own { int v(int n); }")
	var names, objects, operators, leaves []string
	for i := range randomClasses {
		leaf := i%3 == 0
		r.line("static class C%d implements Own, IntUnaryOperator {", i)
		for _, m := range []string{"v", "applyAsInt"} {
			r.line("public int %s(int n) {", m)
			if leaf {
				r.line("return n + %d; }", i)
			} else {
				r.body("return k;")
			}
		}
		r.line("}")
		names = append(names, fmt.Sprintf("%q", fmt.Sprint("CompRandom$C", i)))
		objects, leaves = append(objects, fmt.Sprintf("new C%d()", i)), append(leaves, fmt.Sprint(leaf))
	}
	operators = append(operators, objects...)
	r.line("static class Base {\nint value;\nBase(int n) {")
	r.body("value = k;")
	r.line("}\nstatic class Derived extends Base {\nDerived(int n) {\nsuper(n - 1);")
	r.body("value = k;")
	r.line("}")
	for i := range randomMethods {
		r.line("public static int m%d(int n) {", i)
		r.body("return k;")
	}
	operators = append(operators, "CompRandom::m0", "IntUnaryOperator.identity()", "new C1().andThen(new C2())",
		"n -> m1(n)")
	leaves = append(leaves, "false", "false", "false", "false")
	r.line("static final Own[] ALL = {%s};", strings.Join(objects, ", "))
	r.line("static final IntUnaryOperator[] OPERATORS = {%s};", strings.Join(operators, ", "))
	r.line("static final boolean[] IS_LEAF = {%s};", strings.Join(leaves, ", "))
	r.line("static final String[] NAMES = {%s};", strings.Join(names, ", "))
	r.line("}")
	return r.String()
}

// randomTests run its methods in four threads.
const randomTests = `package comp;

import org.junit.*;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class CompTestRandom {
    @Rule public final org.junit.rules.TestName name = new org.junit.rules.TestName();

    @Before public void begin() {
        CompTest.begin(name.getMethodName());
    }

    static void all() {
        for (int n = 0; n < 8; n++) {
            METHODS
        }
    }

    interface Method { int call(int n); }

    static void run(Method m, int n) {
        CompRandom.refuel(150);
        try {
            m.call(n);
        } catch (RuntimeException e) {
            Comp.after();
        }
    }

    @Test public void randomThreads() throws Exception {
        Thread[] t = new Thread[3];
        for (int i = 0; i < t.length; i++) {
            t[i] = new Thread(CompTestRandom::all);
            t[i].start();
        }
        all();
        for (Thread x : t) {
            x.join();
        }
    }

    @Test public void zDump0() throws Exception { CompTest.dump(true, 0, 4); }
    @Test public void zDump1() throws Exception { CompTest.dump(true, 1, 4); }
    @Test public void zDump2() throws Exception { CompTest.dump(true, 2, 4); }
    @Test public void zDump3() throws Exception { CompTest.dump(true, 3, 4); }
}
`

// The call chains that runs of random programs record are those of the stacks of their threads.
func TestRandomChainsAreThoseOfTheStacks(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("RAPID_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	for i := range uint64(3) {
		t.Run(fmt.Sprint("RAPID_SEED ", seed+i), func(t *testing.T) {
			r := &randomComponent{Rand: rand.New(rand.NewPCG(seed+i, 0))}
			var run strings.Builder
			for m := range randomMethods {
				fmt.Fprintf(&run, "run(CompRandom::m%d, n);\n", m)
			}
			source, tests := r.source(), strings.Replace(randomTests, "METHODS", run.String(), 1)
			s := openChains(t, 17, map[string]string{filepath.Join("src", "comp", "CompRandom.java"): source,
				filepath.Join("test", "comp", "CompTestRandom.java"): tests})
			snap := s.View().Snap
			f := callchain.Build(snap.CallGraph(), callchain.Options{Points: snap.PointsTo(), Length: 4,
				Granularity: callchain.BySite, Component: func(class string) bool {
					c := snap.Class(class)
					return c != nil && !c.InTests
				}})
			found, sum, err := s.CoverChains(t.Context(), f, false, nil)
			if err != nil || sum.Failed != 1+4 {
				t.Fatal(err, sum.Failed, sum.Notes)
			}
			for _, u := range found.Unpredicted {
				t.Errorf("the forest does not have %s at level %d, by %s", u.Chain, u.Level, u.Test)
			}
			compareWithStacks(t, s)
			if t.Failed() {
				t.Log(source)
			}
		})
	}
}
