package classpath

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// seen counts what checkClass met, so that tests can hold floors.
type seen struct {
	classes, codes, instructions, frames, sameFrames int
	attributes                                       map[string]int
}

// checkClass reads everything in a class file and writes it back, untouched
// and with code and frames encoded again.
func (s *seen) checkClass(data []byte) error {
	c, err := classfile.Parse(data)
	if err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	if out, err := c.Bytes(); err != nil || !bytes.Equal(out, data) {
		return fmt.Errorf("written back differently: %v", err)
	}
	s.classes++
	s.count(c, c.Attributes)
	for _, m := range c.Methods {
		s.count(c, m.Attributes)
		if err := s.checkCode(c, m); err != nil {
			return fmt.Errorf("%s%s: %w", c.MemberName(m), c.MemberDesc(m), err)
		}
	}
	for _, f := range c.Fields {
		s.count(c, f.Attributes)
	}
	if out, err := c.Bytes(); err != nil || !bytes.Equal(out, data) {
		return fmt.Errorf("with its code set again written back differently: %v", err)
	}
	return nil
}

func (s *seen) count(c *classfile.Class, attrs []classfile.Attribute) {
	for _, a := range attrs {
		s.attributes[c.AttrName(a)]++
	}
}

func (s *seen) checkCode(c *classfile.Class, m *classfile.Member) error {
	code, err := c.Code(m)
	if err != nil || code == nil {
		return err
	}
	s.codes++
	s.count(c, code.Attributes)
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			return err
		}
		if _, _, err := c.Pool.StackEffect(&in); err != nil {
			return err
		}
		s.instructions++
	}
	if err := c.SetCode(m, code); err != nil {
		return err
	}
	frames, err := c.StackMap(m, code)
	if err != nil || frames == nil {
		return err
	}
	first, err := c.InitialFrame(m)
	if err != nil {
		return err
	}
	info, err := classfile.EncodeStackMap(c.Pool, frames, first)
	if err != nil {
		return err
	}
	again, err := classfile.ParseStackMap(c.Pool, info, first, len(code.Bytecode))
	if err != nil || len(again) != len(frames) {
		return fmt.Errorf("%d frames became %d: %v", len(frames), len(again), err)
	}
	for i := range frames {
		if !sameFrame(&frames[i], &again[i]) {
			return fmt.Errorf("frame %v became %v", frames[i], again[i])
		}
	}
	s.frames += len(frames)
	if old, _ := c.Attr(code.Attributes, "StackMapTable"); bytes.Equal(old, info) {
		s.sameFrames += len(frames)
	}
	return nil
}

func sameFrame(a, b *classfile.Frame) bool {
	if a.PC != b.PC || len(a.Locals) != len(b.Locals) || len(a.Stack) != len(b.Stack) {
		return false
	}
	for i := range a.Locals {
		if !a.Locals[i].Equal(b.Locals[i]) {
			return false
		}
	}
	for i := range a.Stack {
		if !a.Stack[i].Equal(b.Stack[i]) {
			return false
		}
	}
	return true
}

// checkEntry checks every class of an entry that keep accepts.
func (s *seen) checkEntry(t *testing.T, e Entry, keep func(name string) bool) {
	t.Helper()
	s.attributes = map[string]int{}
	err := e.Each(func(name string) error {
		if !keep(name) {
			return nil
		}
		data, ok, err := e.Find(name)
		if err != nil || !ok {
			t.Errorf("%s is listed and not found: %v", name, err)
			return nil
		}
		if err := s.checkClass(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d classes, %d codes, %d instructions, %d frames, %v", s.classes, s.codes, s.instructions, s.frames,
		s.attributes)
}

func openJDK(t testing.TB, home string) *JDK {
	t.Helper()
	jdk, err := OpenJDK(home, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { jdk.Close() })
	return jdk
}

// TestEveryClassOfJavaBase reads and writes java.base of the oldest JDK from 9
// on. The slow tests do so with every module of every JDK.
func TestEveryClassOfJavaBase(t *testing.T) {
	jdk := openJDK(t, testjdk.AtLeast(t, 9))
	image := jdk.Entry().(*Image)
	var s seen
	s.checkEntry(t, image, func(name string) bool {
		m, _, _ := image.ModuleOf(name)
		return m == "java.base"
	})
	if s.classes < 6000 || s.codes < 50000 || s.instructions < 1500000 || s.frames < 80000 {
		t.Error("too few")
	}
	if s.sameFrames != s.frames {
		t.Errorf("of %d frames by javac, %d are written in other forms", s.frames, s.frames-s.sameFrames)
	}
}

// benchmarkClasses are the class files of java.base in memory.
func benchmarkClasses(b *testing.B) (classes [][]byte, size int64) {
	jdk := openJDK(b, testjdk.AtLeast(b, 9))
	image := jdk.Entry().(*Image)
	err := image.Each(func(name string) error {
		if m, _, _ := image.ModuleOf(name); m != "java.base" {
			return nil
		}
		data, _, err := image.Find(name)
		classes, size = append(classes, data), size+int64(len(data))
		return err
	})
	if err != nil || len(classes) < 6000 {
		b.Fatal(len(classes), err)
	}
	return classes, size
}

// BenchmarkParseJavaBase parses all classes of java.base.
func BenchmarkParseJavaBase(b *testing.B) {
	classes, size := benchmarkClasses(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range classes {
			if _, err := classfile.Parse(data); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(classes)), "classes")
}

// BenchmarkReadJavaBase also decodes all names, code, instructions and member
// references.
func BenchmarkReadJavaBase(b *testing.B) {
	classes, size := benchmarkClasses(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range classes {
			c, err := classfile.Parse(data)
			if err != nil {
				b.Fatal(err)
			}
			for _, m := range c.Methods {
				readMethod(b, c, m)
			}
		}
	}
}

func readMethod(b *testing.B, c *classfile.Class, m *classfile.Member) {
	code, err := c.Code(m)
	if err != nil {
		b.Fatal(err)
	}
	if code == nil {
		return
	}
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			b.Fatal(err)
		}
		if in.Op.IsInvoke() && in.Op != classfile.OpInvokedynamic {
			if ref, err := c.Pool.MemberRef(uint16(in.Index)); err != nil || strings.HasPrefix(ref.Name, "(") {
				b.Fatal(ref, err)
			}
		}
	}
	if _, err := c.LineNumbers(code); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkWriteJavaBase parses and writes.
func BenchmarkWriteJavaBase(b *testing.B) {
	classes, size := benchmarkClasses(b)
	b.SetBytes(size)
	for b.Loop() {
		for _, data := range classes {
			c, err := classfile.Parse(data)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := c.Bytes(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkOpenJDK opens a JDK and finds its first class.
func BenchmarkOpenJDK(b *testing.B) {
	home := testjdk.AtLeast(b, 9)
	for b.Loop() {
		jdk, err := OpenJDK(home, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, ok, err := jdk.Entry().Find("java/lang/Object"); !ok || err != nil {
			b.Fatal(ok, err)
		}
		jdk.Close()
	}
}

// BenchmarkReadJar opens ECJ's jar and reads all its classes, with the file
// opened for each or held open.
func BenchmarkReadJar(b *testing.B) {
	path := testjdk.ECJ(b)
	for _, hold := range []bool{false, true} {
		b.Run(fmt.Sprintf("hold=%v", hold), func(b *testing.B) {
			for b.Loop() {
				j, err := OpenJar(path, Options{})
				if err != nil {
					b.Fatal(err)
				}
				release := func() {}
				if hold {
					if release, err = j.Hold(); err != nil {
						b.Fatal(err)
					}
				}
				n := 0
				err = j.Each(func(name string) error {
					n++
					_, _, err := j.Find(name)
					return err
				})
				if err != nil || n < 500 {
					b.Fatal(n, err)
				}
				release()
				b.ReportMetric(float64(n), "classes")
			}
		})
	}
}
