package rewrite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file tests class files of versions that no compiler here writes any
// more: without frames, with subroutines; and methods too large for their
// jumps.

// withVersion makes a class file one of an older version, without frames.
func withVersion(t *testing.T, major, minor uint16) func([]byte) []byte {
	return func(data []byte) []byte {
		c, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		c.Major, c.Minor = major, minor
		for _, m := range c.Methods {
			code, err := c.Code(m)
			if err != nil {
				t.Fatal(err)
			}
			if code != nil {
				code.Attributes = c.RemoveAttr(code.Attributes, "StackMapTable")
				if err := c.SetCode(m, code); err != nil {
					t.Fatal(err)
				}
			}
		}
		if data, err = c.Bytes(); err != nil {
			t.Fatal(err)
		}
		return data
	}
}

func TestOldVersions(t *testing.T) {
	for _, c := range []struct {
		major, minor uint16
		jdk          int
		compiler     string
	}{
		{45, 3, 17, "javac"},
		{45, 3, 25, "ecj"},
		{49, 0, 17, "ecj"},
		{50, 0, 25, "javac"}, // verified the old way for want of frames
	} {
		t.Run(fmt.Sprintf("%d.%d/jdk%d/%s", c.major, c.minor, c.jdk, c.compiler), func(t *testing.T) {
			testSource(t, testjdk.JDK(t, c.jdk), c.compiler, 8, "Shapes", withVersion(t, c.major, c.minor))
		})
	}
}

// TestSubroutines has the code that javac 1.3 made for
//
//	try { may(k); } catch (IllegalArgumentException e) { r = -1; } finally { sub(); }
//
// with the finally block as a subroutine that holds a try itself, and a try
// whose first instruction is where a subroutine returns to.
func TestSubroutines(t *testing.T) {
	a := newAssembler(t, "Subroutines", 49)
	a.addMay()
	a.static("f", "(I)I", 2, 5, `
	s:
		iload 0
		invoke Subroutines.may(I)I
		istore 1
	e:
		jsr sub
		iload 1
		ireturn
	h:
		astore 2
		iconst_m1
		istore 1
		jsr sub
		iload 1
		ireturn
	any:
		astore 2
		jsr sub
		aload 2
		athrow
	sub:
		astore 3
	s2:
		iload 0
		iconst_2
		isub
		invoke Subroutines.may(I)I
		pop
	e2:
		goto r
	h2:
		astore 4
	r:
		ret 3`,
		catchEntry{"s", "e", "h", iae},
		catchEntry{"s", "any", "any", ""},
		catchEntry{"s2", "e2", "h2", iae})
	a.static("g", "(I)I", 2, 3, `
		jsr sub
	s:
		iload 0
		invoke Subroutines.may(I)I
	e:
		ireturn
	h:
		pop
		bipush 9
		ireturn
	sub:
		astore 1
		ret 1`,
		catchEntry{"s", "e", "h", iae})
	var main strings.Builder
	for _, k := range []string{"iconst_m1", "iconst_1", "iconst_3"} {
		fmt.Fprintf(&main, "%s\ninvoke Subroutines.f(I)I\npop\n%s\ninvoke Subroutines.g(I)I\npop\n", k, k)
	}
	a.static("main", "([Ljava/lang/String;)V", 2, 2, main.String()+`
	s:
		iconst_0
		invoke Subroutines.f(I)I
	e:
		pop
		return
	h:
		pop
		return`, catchEntry{"s", "e", "h", "java/lang/RuntimeException"})
	dir := a.write()
	home := testjdk.JDK(t, 17)
	p := rewriteTree(t, dir, nil)
	_, runs := run(t, home, harness(t, home), dir, p.dir, "Subroutines", nil)
	// Tries in the order of the exception tables: f's, the subroutine's, g's, main's.
	// f(-1): IAE caught; the subroutine throws IAE, caught in it
	// f(1):  returns; the subroutine throws IAE, caught in it
	// f(3):  returns; the subroutine returns
	// f(0):  RuntimeException leaves f's try; the subroutine throws IAE, caught in it
	// g(-1): IAE caught, g(1), g(3) return
	// main:  the RuntimeException of f(0) is caught
	want := map[[2]int]string{
		{1, 0}: "4 1 1", {1, 1}: "4 3 0", {1, 2}: "3 1 0", {1, 3}: "1 1 0",
	}
	for k, w := range want {
		got := fmt.Sprint(runs[0].n[[3]int{1, 0, k[1]}], " ", runs[0].n[[3]int{2, 0, k[1]}], " ",
			runs[0].n[[3]int{3, 0, k[1]}])
		if got != w {
			t.Errorf("try %d: entered, caught, uncaught %s, want %s", k[1], got, w)
		}
	}
	testProgram(t, home, harness(t, home), dir, "Subroutines", nil, nil)
}

// bigProgram has a loop around n tries, so that its jumps span all of them.
func bigProgram(n int) string {
	var b strings.Builder
	b.WriteString("public class Big {\n")
	b.WriteString("  static int may(int k) { if (k % 97 == 3) throw new IllegalStateException(); return k; }\n")
	b.WriteString("  static int big(int k) {\n    int s = 0;\n    try {\n      while (s < 3) {\n        s++;\n       " +
		" switch (k) { case 4: s = 9; break; default:\n        if (k > 0) {\n")
	for i := range n {
		fmt.Fprintf(&b, "try { k += may(k + s); } catch (IllegalStateException e) { k += 2; }\n")
		if i%100 == 50 {
			b.WriteString("if (k < 0) break;\n")
		}
	}
	b.WriteString("        } }\n        if (s == 2) k = -k;\n      }\n    } catch (RuntimeException e) { return -1; " +
		"}\n    return s + k;\n  }\n")
	b.WriteString("  public static void main(String[] a) { for (int k = 0; k < 8; k += 1 + 2 * k) " +
		"System.out.println(big(k)); }\n}\n")
	return b.String()
}

func TestBigMethods(t *testing.T) {
	home := testjdk.JDK(t, 17)
	for _, c := range []struct {
		tries   int
		release int
		before  func([]byte) []byte
		skipped bool
	}{
		{tries: 950, release: 17},
		{tries: 950, release: 8, before: withVersion(t, 49, 0)},
		{tries: 1600, release: 17, skipped: true},
	} {
		t.Run(fmt.Sprintf("%d/%d", c.tries, c.release), func(t *testing.T) {
			src := filepath.Join(t.TempDir(), "Big.java")
			if err := os.WriteFile(src, []byte(bigProgram(c.tries)), 0o666); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			testjdk.Javac(t, home, c.release, nil, dir, src)
			p := rewriteTree(t, dir, c.before)
			var why []string
			for _, s := range p.classes[0].result.Skipped {
				why = append(why, s.Why)
			}
			if c.skipped {
				if len(why) != 1 || !strings.Contains(why[0], "65535 is the limit") {
					t.Errorf("skipped for %q, want one method for its size", why)
				}
				if out, _ := run(t, home, harness(t, home), dir, p.dir, "Big", nil); out.original != out.rewritten {
					t.Error("output differs")
				}
				return
			}
			if len(why) > 0 {
				t.Errorf("skipped: %q", why)
			}
			code := func(data []byte) int {
				cl, err := classfile.Parse(data)
				if err != nil {
					t.Fatal(err)
				}
				b, err := cl.Code(cl.FindMethod("big", "(I)I"))
				if err != nil {
					t.Fatal(err)
				}
				return len(b.Bytecode)
			}
			if before, after := code(p.classes[0].data), code(p.classes[0].result.Bytes); before > 32000 ||
				after < 36000 {
				t.Errorf("code of %d bytes became %d: it must cross the reach of a jump", before, after)
			}
			p.test(t, home, harness(t, home), dir, "Big", nil)
		})
	}
}
