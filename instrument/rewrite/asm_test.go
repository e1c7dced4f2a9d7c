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

// This file assembles classes that no compiler writes, and has tests of them.

// assembler writes a class by hand.
type assembler struct {
	t *testing.T
	*classfile.Class
	mainText string // calls that addMain makes
}

func newAssembler(t *testing.T, name string, major uint16) *assembler {
	t.Helper()
	c := &classfile.Class{Major: major, Minor: 0, Access: classfile.AccPublic | classfile.AccSuper,
		Pool: classfile.NewConstantPool()}
	a := &assembler{t: t, Class: c}
	a.ThisIndex = a.index(c.Pool.AddClass(name))
	a.SuperIndex = a.index(c.Pool.AddClass("java/lang/Object"))
	return a
}

func (a *assembler) index(i uint16, err error) uint16 {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
	return i
}

// catchEntry is an exception table entry by labels; an empty type is any.
type catchEntry struct{ start, end, handler, catchType string }

// static adds a public static method. Lines of the text are instructions,
// "op", "op N", "op label" for branches, "invoke C.m(D)", "special C.m(D)", "new
// C", or labels, "label:", with "(locals | stack)" behind where a frame stands
// there: I, J, top or class names, separated by blanks.
func (a *assembler) static(name, desc string, stack, locals uint16, text string, table ...catchEntry) {
	a.t.Helper()
	labels, code := map[string]int{}, []byte(nil)
	var frames []classfile.Frame
	for pass := range 2 {
		code, frames = code[:0], nil
		for _, line := range strings.Split(text, "\n") {
			line = strings.TrimSpace(line)
			if l, frame, ok := strings.Cut(line, ":"); ok {
				labels[l] = len(code)
				if frame != "" {
					frames = append(frames, a.frame(len(code), frame))
				}
				continue
			}
			if line != "" {
				code = a.instruction(code, line, labels, pass)
			}
		}
	}
	c := &classfile.Code{MaxStack: stack, MaxLocals: locals, Bytecode: code}
	for _, e := range table {
		x := classfile.ExceptionEntry{
			StartPC: uint16(labels[e.start]), EndPC: uint16(labels[e.end]), HandlerPC: uint16(labels[e.handler]),
		}
		if e.catchType != "" {
			x.CatchType = a.index(a.Pool.AddClass(e.catchType))
		}
		c.Exceptions = append(c.Exceptions, x)
	}
	m := &classfile.Member{
		Access:    classfile.AccPublic | classfile.AccStatic,
		NameIndex: a.index(a.Pool.AddUtf8(name)), DescIndex: a.index(a.Pool.AddUtf8(desc)),
	}
	a.Methods = append(a.Methods, m)
	if a.Major >= frameVersion {
		if err := a.SetStackMap(m, c, frames); err != nil {
			a.t.Fatal(err)
		}
	}
	if err := a.SetCode(m, c); err != nil {
		a.t.Fatal(err)
	}
}

// frame reads "(locals | stack)".
func (a *assembler) frame(pc int, text string) classfile.Frame {
	locals, stack, _ := strings.Cut(strings.Trim(text, " ()"), "|")
	types := func(words string) (out []classfile.VType) {
		for _, w := range strings.Fields(words) {
			switch w {
			case "I":
				out = append(out, classfile.VType{Tag: classfile.VInteger})
			case "J":
				out = append(out, classfile.VType{Tag: classfile.VLong})
			case "top":
				out = append(out, classfile.VType{Tag: classfile.VTop})
			default:
				out = append(out, classfile.VType{Tag: classfile.VObject, Class: w})
			}
		}
		return out
	}
	return classfile.Frame{PC: pc, Locals: types(locals), Stack: types(stack)}
}

func (a *assembler) instruction(code []byte, line string, labels map[string]int, pass int) []byte {
	a.t.Helper()
	name, arg, _ := strings.Cut(line, " ")
	if name == "invoke" || name == "new" || name == "ldc" || name == "special" {
		return a.constant(code, name, arg)
	}
	for op := classfile.Opcode(0); op < classfile.NumOpcodes; op++ {
		info := op.Info()
		if info.Name != name {
			continue
		}
		pc := len(code)
		code = append(code, byte(op))
		switch info.Format {
		case classfile.FormatBranch2:
			target, ok := labels[arg]
			if !ok && pass == 1 {
				a.t.Fatalf("no label %q", arg)
			}
			code = be.AppendUint16(code, uint16(target-pc))
		case classfile.FormatLocal, classfile.FormatS1:
			var n int
			if _, err := fmt.Sscan(arg, &n); err != nil {
				a.t.Fatal(line, err)
			}
			code = append(code, byte(n))
		case classfile.FormatNone:
		default:
			a.t.Fatalf("cannot assemble %q", line)
		}
		return code
	}
	a.t.Fatalf("no instruction %q", line)
	return nil
}

func (a *assembler) constant(code []byte, name, arg string) []byte {
	switch name {
	case "new":
		return be.AppendUint16(append(code, byte(classfile.OpNew)), a.index(a.Pool.AddClass(arg)))
	case "ldc":
		return be.AppendUint16(append(code, byte(classfile.OpLdcW)), a.index(a.Pool.AddString(arg)))
	}
	owner, rest, _ := strings.Cut(arg, ".")
	method, desc, _ := strings.Cut(rest, "(")
	op := classfile.OpInvokestatic
	if name == "special" {
		op = classfile.OpInvokespecial
	}
	return be.AppendUint16(append(code, byte(op)), a.index(a.Pool.AddMethodref(owner, method, "("+desc)))
}

// write writes the class into a folder of its own.
func (a *assembler) write() string {
	a.t.Helper()
	dir := a.t.TempDir()
	data, err := a.Bytes()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, a.Name()+".class"), data, 0o666)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return dir
}

// iae is what may throws for negative numbers.
const iae = "java/lang/IllegalArgumentException"

// addMay adds static int may(int), which throws IllegalArgumentException for
// negative numbers and RuntimeException for 0.
func (a *assembler) addMay() {
	a.static("may", "(I)I", 3, 1, `
		iload 0
		ifge notNegative
		new java/lang/IllegalArgumentException
		dup
		special java/lang/IllegalArgumentException.<init>()V
		athrow
	notNegative: (I | )
		iload 0
		ifgt positive
		new java/lang/RuntimeException
		dup
		special java/lang/RuntimeException.<init>()V
		athrow
	positive: (I | )
		iload 0
		ireturn`)
}

// assembled runs a class and compares the counts of its tries with want, each
// "entered, caught, uncaught" in the order of the exception tables, the counts
// of several catches in a row.
func (a *assembler) assembled(home, harness string, want ...string) *program {
	a.t.Helper()
	dir := a.write()
	p := rewriteTree(a.t, dir, nil)
	out, runs := run(a.t, home, harness, dir, p.dir, a.Name(), nil)
	if out.original != out.rewritten {
		a.t.Errorf("printed %q, then %q", out.original, out.rewritten)
	}
	pl := p.classes[0].plan
	for _, t := range pl.Tries {
		got := []int{runs[0].n[[3]int{counterOf[probeTryEnter], 0, int(t.N)}]}
		for _, c := range pl.Catches {
			if c.Try == t.N {
				got = append(got, runs[0].n[[3]int{counterOf[probeCaught], 0, int(c.N)}])
			}
		}
		got = append(got, runs[0].n[[3]int{counterOf[probeUncaught], 0, int(t.N)}])
		if s := strings.Trim(fmt.Sprint(got), "[]"); int(t.N) >= len(want) || s != want[t.N] {
			a.t.Errorf("try %d: %s, want %q", t.N, s, want)
		}
	}
	if len(pl.Tries) != len(want) {
		a.t.Errorf("%d tries, want %d", len(pl.Tries), len(want))
	}
	return p
}

// calls makes a main that calls a static int method of the class with each
// number and catches what comes.
func (a *assembler) calls(method string, numbers ...int) {
	for i, n := range numbers {
		call := fmt.Sprintf("call%d%s", i, method)
		a.static(call, "()V", 2, 1, fmt.Sprintf(`
		s:
			bipush %d
			invoke %s.%s(I)I
			pop
		e:
			return
		h: (| java/lang/Throwable)
			pop
			return`, n, a.Name(), method), catchEntry{"s", "e", "h", ""})
		a.mainText += fmt.Sprintf("invoke %s.%s()V\n", a.Name(), call)
	}
}

func (a *assembler) addMain() {
	a.static("main", "([Ljava/lang/String;)V", 1, 1, a.mainText+"return")
}

// versions runs a test with and without frames.
func versions(t *testing.T, name string, test func(a *assembler, home, harness string)) {
	t.Helper()
	home := testjdk.JDK(t, 17)
	h := harness(t, home)
	for _, major := range []uint16{49, 52} {
		t.Run(fmt.Sprint(major), func(t *testing.T) { test(newAssembler(t, name, major), home, h) })
	}
}

// TestHandlerReachedNormally has a handler that code falls into and jumps to,
// with an object that is no exception: its entry probe must not see these.
func TestHandlerReachedNormally(t *testing.T) {
	versions(t, "Normal", func(a *assembler, home, harness string) {
		a.addMay()
		a.static("f", "(I)I", 2, 1, `
			iload 0
			bipush 5
			if_icmpeq fall
			iload 0
			bipush 6
			if_icmpne s
			ldc jumped
			goto h
		s: (I |)
			iload 0
			invoke Normal.may(I)I
		e:
			ireturn
		fall: (I |)
			ldc fell
		h: (I | java/lang/Object)
			pop
			iconst_5
			ireturn`, catchEntry{"s", "e", "h", iae})
		a.calls("f", 1, 5, 6, -1, 0)
		a.addMain()
		// 1 returns, 5 and 6 come to the handler normally, -1 is caught, 0 is not
		a.assembled(home, harness, "3 1 1")
	})
}

// TestPartlyEnclosed has a try that an outer try encloses in part: its two
// halves need appended handlers of their own.
func TestPartlyEnclosed(t *testing.T) {
	versions(t, "Partly", func(a *assembler, home, harness string) {
		a.addMay()
		a.static("f", "(I)I", 2, 2, `
		s:
			iload 0
			iconst_2
			isub
			invoke Partly.may(I)I
			istore 1
		mid:
			iload 0
			iconst_4
			isub
			invoke Partly.may(I)I
			istore 1
		e:
			iload 0
			ireturn
		h: (I | java/lang/IllegalArgumentException)
			pop
			iconst_1
			ireturn
		outer: (I | java/lang/RuntimeException)
			pop
			iconst_2
			ireturn`,
			catchEntry{"s", "e", "h", iae},
			catchEntry{"mid", "e", "outer", "java/lang/RuntimeException"})
		a.calls("f", 1, 2, 3, 4, 5)
		a.addMain()
		// 1: the first half throws IAE; 2: it throws RuntimeException, nothing catches it;
		// 3: the second half throws IAE; 4: it throws RuntimeException, the outer try
		// catches it; 5: returns. The outer try is entered by 3, 4 and 5.
		a.assembled(home, harness, "5 2 2", "3 1 0")
	})
}

// TestLocalsOfAppendedHandlers has handlers whose frames say less than those
// of the try around them, and one whose frame cannot be combined with it.
func TestLocalsOfAppendedHandlers(t *testing.T) {
	home := testjdk.JDK(t, 17)
	h := harness(t, home)
	text := func(inner, outer string) string {
		return `
			iconst_3
			istore 1
			ldc text
			astore 2
		s:
			iload 0
			invoke Locals.may(I)I
		e:
			ireturn
		h: (` + inner + ` | java/lang/IllegalArgumentException)
			pop
			iconst_1
			ireturn
		outer: (` + outer + ` | java/lang/RuntimeException)
			pop
			iload 1
			ireturn`
	}
	table := []catchEntry{{"s", "e", "h", iae}, {"s", "h", "outer", "java/lang/RuntimeException"}}
	for _, c := range []struct{ inner, outer, why string }{
		{"I", "I I", ""}, // the inner handler has forgotten local 1
		{"I top java/lang/String", "I I java/lang/Object", ""}, // a String is an Object
		{"I I", "I I java/lang/String", ""},
		{"I I java/lang/Object", "I I java/lang/String",
			"the frames of the try's handlers do not imply those of an enclosing handler"},
		{"I I java/lang/CharSequence", "I I java/lang/String",
			"the frames of the try's handlers do not imply those of an enclosing handler"},
	} {
		a := newAssembler(t, "Locals", 52)
		a.addMay()
		a.static("f", "(I)I", 1, 3, text(c.inner, c.outer), table...)
		a.calls("f", 1, -1, 0)
		a.addMain()
		uncaught := "1"
		if c.why != "" {
			uncaught = "0"
		}
		p := a.assembled(home, h, "3 1 "+uncaught, "3 1 0")
		var why string
		for _, s := range p.classes[0].result.Skipped {
			if s.Try != 0 || p.classes[0].MemberName(p.classes[0].Methods[s.Method]) != "f" {
				t.Errorf("skipped %+v, want try 0 of f", s)
			}
			why += s.Why
		}
		if why != c.why {
			t.Errorf("%s within %s: skipped for %q, want %q", c.inner, c.outer, why, c.why)
		}
	}
}
