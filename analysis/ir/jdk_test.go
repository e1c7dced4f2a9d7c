package ir

import (
	"strings"
	"sync"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// baseClasses reads java.base of JDK 17 once for all tests.
func baseClasses(t testing.TB) []*classfile.Class {
	t.Helper()
	home := testjdk.JDK(t, 17)
	baseOnce.Do(func() {
		baseRead, baseErr = readClasses(home, func(m string) bool { return m == "java.base" })
	})
	if baseErr != nil {
		t.Fatal(baseErr)
	}
	return baseRead
}

var (
	baseOnce sync.Once
	baseRead []*classfile.Class
	baseErr  error
)

// readClasses parses the classes of the modules of a JDK that keep accepts.
func readClasses(home string, keep func(module string) bool) ([]*classfile.Class, error) {
	jdk, err := classpath.OpenJDK(home, classpath.Options{})
	if err != nil {
		return nil, err
	}
	defer jdk.Close()
	e := jdk.Entry()
	image, _ := e.(*classpath.Image)
	var all []*classfile.Class
	err = e.Each(func(name string) error {
		if image != nil {
			if m, _, err := image.ModuleOf(name); err != nil || !keep(m) {
				return err
			}
		}
		data, _, err := e.Find(name)
		if err != nil {
			return err
		}
		c, err := classfile.Parse(data)
		if err == nil {
			all = append(all, c)
		}
		return err
	})
	return all, err
}

// lowerAll lowers and verifies every method, calls each for it, and returns how
// many there were.
func lowerAll(t *testing.T, classes []*classfile.Class, each func(*Method)) (methods int) {
	var b Builder
	errors := 0
	for _, c := range classes {
		for _, member := range c.Methods {
			m, err := b.Build(c, member)
			if err == nil && m == nil {
				continue
			}
			if err == nil {
				err = Verify(m)
			}
			if err != nil {
				if errors++; errors > 20 {
					t.FailNow()
				}
				t.Error(err)
				continue
			}
			methods++
			if each != nil {
				each(m)
			}
		}
	}
	return methods
}

// Every method of java.base lowers and verifies, and the origins of everything
// it throws are those that a data flow analysis of the bytecode finds.
func TestJavaBase(t *testing.T) {
	throws, caught := 0, 0
	methods := lowerAll(t, baseClasses(t), func(m *Method) {
		n, c := compareWithOracle(t, m)
		throws, caught = throws+n, caught+c
	})
	if methods < 53000 || throws < 15000 || caught < 2600 {
		t.Errorf("lowered %d methods with %d athrows, %d of them of caught exceptions: too few", methods, throws,
			caught)
	}
}

// compareWithOracle compares the origins of all thrown objects; it returns the
// number of athrows, and of those that may throw a caught exception.
func compareWithOracle(t *testing.T, m *Method) (throws, caught int) {
	var o *oracle
	for v := range m.Instrs {
		if m.Instrs[v].Op != OpThrow {
			continue
		}
		throws++
		if o == nil {
			o = newOracle(m)
		}
		want := o.top(int(m.Instrs[v].PC))
		got := map[definition]bool{}
		isCaught := false
		for _, x := range m.Origins(m.Args(Value(v))[0], Value(v), nil, nil) {
			in := &m.Instrs[x.Value]
			d := definition{int(in.PC), in.Op}
			if in.Op == OpParam {
				d.pc = int(in.Aux)
			}
			if in.Op == OpCatch {
				d.pc, isCaught = int(m.Handlers[in.Aux].PC), true
			}
			got[d] = true
		}
		if isCaught {
			caught++
		}
		for d := range got {
			if !want[d] {
				t.Errorf("%s.%s: athrow at %d: origin %v that the data flow does not have: %v", m.Class.Name(), m.Name,
					m.Instrs[v].PC, d, want)
			}
		}
		for d := range want {
			null := d.op == OpConst && m.Code.Bytecode[d.pc] == byte(classfile.OpAconstNull)
			if !got[d] && !null { // null may be excluded by a test
				t.Errorf("%s.%s: athrow at %d: origin %v is missing in %v", m.Class.Name(), m.Name, m.Instrs[v].PC, d,
					got)
			}
		}
	}
	return throws, caught
}

func BenchmarkLower(b *testing.B) {
	classes := baseClasses(b)
	var builder Builder
	methods := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range classes {
			for _, member := range c.Methods {
				if m, _ := builder.Build(c, member); m != nil {
					methods++
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(methods), "ns/method")
}

func TestDumpNamesEverything(t *testing.T) {
	for _, c := range baseClasses(t) {
		if c.Name() != "java/io/FileInputStream" {
			continue
		}
		var b Builder
		m, err := b.Build(c, c.FindMethod("<init>", "(Ljava/io/File;)V"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"invokespecial java/io/InputStream.<init> v1", `= ldc "Invalid file path"`,
			"= new java/io/FileNotFoundException", "throw v"} {
			if !strings.Contains(m.String(), want) {
				t.Errorf("%q is not in\n%s", want, m)
			}
		}
		return
	}
	t.Error("no FileInputStream")
}

// Real class files with subroutines: BeanShell 2.0b4, compiled by a javac of
// 2003 and 2005, and Byte Buddy, whose advice is compiled for Java 5.
func TestJarsWithSubroutines(t *testing.T) {
	for coordinates, floor := range map[string]struct{ methods, subroutines int }{
		"org.beanshell:bsh:2.0b4":          {1600, 59},
		"net.bytebuddy:byte-buddy:1.14.12": {15000, 61},
	} {
		jar, err := classpath.OpenJar(testjdk.Artifact(t, coordinates), classpath.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var classes []*classfile.Class
		err = jar.Each(func(name string) error {
			data, _, err := jar.Find(name)
			if err != nil {
				return err
			}
			c, err := classfile.Parse(data)
			classes = append(classes, c)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		inlined := 0
		methods := lowerAll(t, classes, func(m *Method) {
			for i := range m.Blocks {
				if m.Blocks[i].Context != 0 {
					inlined++
					return
				}
			}
		})
		if methods < floor.methods || inlined < floor.subroutines {
			t.Errorf("%s: %d methods, %d with subroutines: too few", coordinates, methods, inlined)
		}
	}
}
