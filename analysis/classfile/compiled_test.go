package classfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// variant is one compilation of the sources in testdata.
type variant struct {
	name    string
	jdk     int
	compile testjdk.Compiler
	release int
	sources []string
}

var variants = []variant{
	{"javac17-7", 17, testjdk.Javac, 7, []string{"Old.java"}},
	{"javac17-17", 17, testjdk.Javac, 17, []string{"Old.java", "Modern.java"}},
	{"javac25-8", 25, testjdk.Javac, 8, []string{"Old.java"}},
	{"javac25-25", 25, testjdk.Javac, 25, []string{"Old.java", "Modern.java"}},
	{"ecj-8", 17, testjdk.ECJCompile, 8, []string{"Old.java"}},
	{"ecj-17", 17, testjdk.ECJCompile, 17, []string{"Old.java", "Modern.java"}},
}

// classes compiles v and returns its class files by class name.
func (v variant) classes(t testing.TB) map[string][]byte {
	t.Helper()
	out := t.TempDir()
	var files []string
	for _, s := range v.sources {
		files = append(files, filepath.Join("testdata", s))
	}
	v.compile(t, testjdk.JDK(t, v.jdk), v.release, nil, out, files...)
	found := map[string][]byte{}
	err := filepath.WalkDir(out, func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".class") {
			found[strings.TrimSuffix(filepath.Base(p), ".class")], err = os.ReadFile(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 3*len(v.sources) {
		t.Fatalf("%s: only %d classes", v.name, len(found))
	}
	return found
}

func mustParse(t testing.TB, data []byte) *Class {
	t.Helper()
	c, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// forEachClass runs f on every class of every variant.
func forEachClass(t *testing.T, f func(t *testing.T, name string, data []byte)) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			for name, data := range v.classes(t) {
				f(t, name, data)
			}
		})
	}
}

func TestCompiledClasses(t *testing.T) {
	forEachClass(t, func(t *testing.T, name string, data []byte) {
		c := mustParse(t, data)
		if c.Name() != name {
			t.Errorf("%s is called %s", name, c.Name())
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := c.Bytes(); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: written back differently (%v)", name, err)
		}
		for _, m := range c.Methods {
			checkCodeRoundTrip(t, c, m)
		}
		if got, err := c.Bytes(); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: with re-encoded code written back differently (%v)", name, err)
		}
	})
}

// checkCodeRoundTrip re-encodes the stack map and the code of m. Both compilers
// choose the shortest form of frames, as EncodeStackMap does, so all bytes stay
// the same.
func checkCodeRoundTrip(t *testing.T, c *Class, m *Member) {
	t.Helper()
	name := c.MemberName(m)
	code, err := c.Code(m)
	if err != nil || code == nil {
		if err != nil || name != "nothing" && m.Access&AccAbstract == 0 {
			t.Errorf("%s has no code: %v", name, err)
		}
		return
	}
	frames, err := c.StackMap(m, code)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := c.SetStackMap(m, code, frames); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	again, err := c.StackMap(m, code)
	if err != nil || !slices.EqualFunc(frames, again, equalFrames) {
		t.Errorf("%s: frames %v became %v (%v)", name, frames, again, err)
	}
	if err := c.SetCode(m, code); err != nil {
		t.Error(err)
	}
}

func equalFrames(a, b Frame) bool {
	return a.PC == b.PC && slices.EqualFunc(a.Locals, b.Locals, VType.Equal) &&
		slices.EqualFunc(a.Stack, b.Stack, VType.Equal)
}

// TestInstructionsOfLines checks the comments of the sources: the instructions
// of a line, through LineNumberTable and Decode.
func TestInstructionsOfLines(t *testing.T) {
	for _, v := range variants {
		if strings.HasPrefix(v.name, "ecj") {
			continue // chooses other instructions, with the same meaning
		}
		t.Run(v.name, func(t *testing.T) {
			ops := map[string]map[string]bool{} // "Old.java:12" -> names
			for _, data := range v.classes(t) {
				collectOps(t, mustParse(t, data), ops)
			}
			checked := 0
			for _, source := range v.sources {
				checked += checkOpComments(t, source, ops, v.release)
			}
			if checked < 30*len(v.sources)-20 {
				t.Errorf("only %d expectations", checked)
			}
		})
	}
}

func collectOps(t *testing.T, c *Class, ops map[string]map[string]bool) {
	file, err := c.SourceFile()
	if err != nil || file == "" {
		t.Fatalf("source file %q: %v", file, err)
	}
	for _, m := range c.Methods {
		code, err := c.Code(m)
		if err != nil {
			t.Fatal(err)
		}
		if code == nil {
			continue
		}
		lines, err := c.LineNumbers(code)
		if err != nil {
			t.Fatal(err)
		}
		for in, err := range Instructions(code.Bytecode) {
			if err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprintf("%s:%d", file, LineAt(lines, in.PC))
			if ops[key] == nil {
				ops[key] = map[string]bool{}
			}
			name := in.Op.String()
			if in.Wide {
				name = "wide:" + name
			}
			ops[key][name] = true
		}
	}
}

func checkOpComments(t *testing.T, source string, ops map[string]map[string]bool, release int) int {
	text, err := os.ReadFile(filepath.Join("testdata", source))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for i, line := range strings.Split(string(text), "\n") {
		_, comment, ok := strings.Cut(line, "//@ ")
		if !ok {
			continue
		}
		found := ops[fmt.Sprintf("%s:%d", source, i+1)]
		for part := range strings.SplitSeq(comment, ";") {
			words := strings.Fields(part)
			want := words[0] == "ops"
			for _, op := range words[1:] {
				checked++
				if found[op] != want {
					t.Errorf("%s:%d: %s %s does not hold (release %d): %v", source, i+1, words[0], op, release, found)
				}
			}
		}
	}
	return checked
}

// TestTruncated cuts classes at every byte: each piece is rejected with an
// error that says where.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"Old", "Modern", "Modern$Point", "module-info"} {
		var data []byte
		if name == "module-info" {
			data = moduleInfo(t)
		} else {
			data = variants[3].classes(t)[name]
		}
		for n := range data {
			_, err := Parse(data[:n])
			var fe *FormatError
			if !errors.As(err, &fe) || fe.Offset < 0 || fe.Offset > n {
				t.Fatalf("%s cut to %d of %d bytes: %v", name, n, len(data), err)
			}
		}
		if _, err := Parse(append(slices.Clip(data), 0)); err == nil {
			t.Errorf("%s with one more byte parses", name)
		}
	}
}

// TestDamaged changes every byte of classes; whatever still parses is read
// completely without a panic and written back as it is.
func TestDamaged(t *testing.T) {
	classes := variants[3].classes(t)
	for _, name := range []string{"Modern", "Modern$Point", "Old"} {
		data := slices.Clone(classes[name])
		parsed, faulty := 0, 0
		for i := range data {
			old := data[i]
			for _, v := range [3]byte{old ^ 0x01, old ^ 0x80, 0xff} {
				data[i] = v
				c, err := Parse(data)
				if err != nil {
					continue
				}
				parsed++
				if c.Check() != nil {
					faulty++
				}
				if out, err := c.Bytes(); err != nil || !bytes.Equal(out, data) {
					t.Fatalf("%s with byte %d = %d is written back differently (%v)", name, i, v, err)
				}
			}
			data[i] = old
		}
		if parsed < len(data) || faulty < len(data)/8 {
			t.Errorf("%s: of %d bytes changed, %d still parse and %d are faulty", name, len(data), parsed, faulty)
		}
	}
}

// TestTruncatedAttributes cuts each attribute of class, members and code.
func TestTruncatedAttributes(t *testing.T) {
	data := variants[3].classes(t)["Modern$Point"]
	cut := 0
	try := func(c *Class, a *Attribute, check func() error) {
		switch c.AttrName(*a) {
		case "Synthetic", "Deprecated", "LocalVariableTypeTable", "RuntimeVisibleParameterAnnotations",
			"MethodParameters":
			return // not read by this package
		}
		whole := a.Info
		for n := range whole {
			a.Info = whole[:n]
			if err := check(); err == nil {
				t.Errorf("%s cut to %d of %d bytes is accepted", c.AttrName(*a), n, len(whole))
			}
			cut++
		}
		a.Info = whole
	}
	c := mustParse(t, data)
	for i := range c.Attributes {
		try(c, &c.Attributes[i], c.Check)
	}
	for _, m := range append(slices.Clone(c.Methods), c.Fields...) {
		for i := range m.Attributes {
			try(c, &m.Attributes[i], c.Check)
		}
		code, _ := c.Code(m)
		if code == nil {
			continue
		}
		for i := range code.Attributes {
			try(c, &code.Attributes[i], func() error {
				if err := c.SetCode(m, code); err != nil {
					return err
				}
				return c.Check()
			})
		}
	}
	if cut < 300 {
		t.Errorf("only %d cuts", cut)
	}
}
