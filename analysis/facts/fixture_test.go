package facts

// This file compiles the Java files of testdata with several compilers and
// compares their records with the expectations in their comments.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/expect"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Kinds of expectation that are of this package's tests. Each speaks about
// everything of its kind on a line, and every line of testdata that has
// something of the kind must have an expectation of it.
func init() {
	for _, k := range fixtureKinds {
		expect.Kinds[k] = expect.Kind{Min: 1, Max: -1}
	}
}

var fixtureKinds = []string{
	"sources",  // of athrow instructions
	"causes",   // of athrow instructions: the types of the handlers
	"recv",     // of calls: name=class, with ! where it is exact
	"args",     // of calls with constant arguments
	"covers",   // of calls: the types of the entries in search order
	"indy",     // invokedynamic
	"inits",    // class initialisations
	"param",    // of handlers
	"implicit", // of methods named implicit: instructions that may throw
}

// A configuration is a compiler, the JDK it runs on and the release it is for.
type configuration struct {
	name    string
	compile testjdk.Compiler
	jdk     int
	release int
}

var configurations = []configuration{
	{"javac", testjdk.Javac, 17, 8},
	{"javac", testjdk.Javac, 17, 17},
	{"javac", testjdk.Javac, 25, 25},
	{"ecj", testjdk.ECJCompile, 17, 8},
	{"ecj", testjdk.ECJCompile, 17, 17},
	{"ecj", testjdk.ECJCompile, 25, 25},
}

func (c configuration) words() []string {
	return []string{c.name, fmt.Sprintf("release%d", c.release), fmt.Sprintf("jdk%d", c.jdk)}
}

func TestFixtures(t *testing.T) {
	set := expect.Load(t, fixtureKinds, "testdata")
	for _, cfg := range configurations {
		t.Run(fmt.Sprintf("%s%d-release%d", cfg.name, cfg.jdk, cfg.release), func(t *testing.T) {
			checkFixtures(t, set, cfg)
		})
	}
}

func checkFixtures(t *testing.T, set *expect.Set, cfg configuration) {
	var files []string
	for _, f := range set.Files() {
		if low, err := expect.MinRelease(f); err != nil || low <= cfg.release {
			files = append(files, f)
		}
	}
	seen := observations{}
	for _, r := range compileRecords(t, cfg, files...) {
		seen.class(t, r)
	}
	for _, kind := range fixtureKinds {
		want, err := set.Active(kind, cfg.words()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range want {
			if !slices.Contains(files, e.File) {
				continue
			}
			at := place{filepath.Base(e.File), e.Line, kind}
			got := slices.Compact(slices.Sorted(slices.Values(seen[at])))
			delete(seen, at)
			claimed := slices.Sorted(slices.Values(e.Strings()))
			if !slices.Equal(got, claimed) {
				t.Errorf("%s: saw %s", e.Position(), expect.Format(kind, got...))
			}
		}
	}
	for at, list := range seen {
		if strictKinds[at.kind] {
			t.Errorf("%s:%d: saw %s without an expectation", at.file, at.line,
				expect.Format(at.kind, slices.Compact(slices.Sorted(slices.Values(list)))...))
		}
	}
}

var strictKinds = map[string]bool{"sources": true, "causes": true, "indy": true}

// compileRecords compiles files and returns the records of all classes.
func compileRecords(t *testing.T, cfg configuration, files ...string) []*Class {
	t.Helper()
	out := t.TempDir()
	cfg.compile(t, testjdk.JDK(t, cfg.jdk), cfg.release, nil, out, files...)
	return folderRecords(t, out)
}

// folderRecords returns the records of the class files below dir.
func folderRecords(t *testing.T, dir string) []*Class {
	t.Helper()
	var all []*Class
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".class") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		c, err := classfile.Parse(data)
		if err != nil {
			return err
		}
		r, problems := FromClass(c, data, Options{Implicit: true})
		for _, p := range problems {
			t.Error(path, p)
		}
		all = append(all, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("no class files in %s", dir)
	}
	return all
}

type place struct {
	file string
	line int
	kind string
}

// observations holds what records say, by place.
type observations map[place][]string

func (o observations) class(t *testing.T, r *Class) {
	for i := range r.Methods {
		m := &r.Methods[i]
		checkInvariants(t, r, m)
		see := func(line int32, kind, text string) {
			at := place{r.SourceFile, int(line), kind}
			o[at] = append(o[at], text)
		}
		for _, x := range m.Throws() {
			for _, s := range x.Sources {
				see(x.Line, "sources", sourceText(m, s))
			}
			for _, h := range x.Causes {
				see(x.Line, "causes", handlerText(m, h))
			}
		}
		for _, c := range m.Calls {
			o.call(m, &c, see)
		}
		for _, x := range m.Inits {
			see(x.Line, "inits", x.Class)
		}
		for _, x := range m.Implicit() {
			if m.Name == "implicit" {
				see(x.Line, "implicit", implicitText(x.Kind))
			}
		}
		for _, h := range m.Handlers() {
			if h.Param != "" {
				see(h.StoreLine, "param", h.Param)
			}
		}
	}
}

func sourceText(m *Method, s Source) string {
	switch {
	case s.Kind == NewSource:
		return "new " + s.Type
	case s.Kind == CaughtSource && s.Type != "":
		return "caught " + handlerText(m, s.Handler) + " as " + s.Type
	case s.Kind == CaughtSource:
		return "caught " + handlerText(m, s.Handler)
	case s.Kind == NullSource:
		return "null"
	case s.Call >= 0:
		return "call " + m.Calls[s.Call].Name + " " + s.Type
	}
	return "typed " + s.Type
}

func handlerText(m *Method, h uint16) string {
	types := slices.Clone(m.Handlers()[h].Types)
	for i, t := range types {
		if t == "" {
			types[i] = "any"
		}
	}
	return strings.Join(types, "|")
}

func (o observations) call(m *Method, c *Call, see func(int32, string, string)) {
	if c.Recv() != "" {
		exact := ""
		if c.RecvExact {
			exact = "!"
		}
		see(c.Line, "recv", c.Name+"="+c.Recv()+exact)
	}
	if c.Args() != nil {
		var args []string
		for _, a := range c.Args() {
			args = append(args, [...]string{"_", fmt.Sprintf("%q", a.Value), a.Value + ".class", "null"}[a.Kind])
		}
		see(c.Line, "args", c.Name+"("+strings.Join(args, ", ")+")")
	}
	if c.Cover != 0 {
		var types []string
		for _, e := range m.Covers()[c.Cover] {
			types = append(types, m.Table()[e].Type)
		}
		see(c.Line, "covers", c.Name+": "+strings.Join(types, ", "))
	}
	if c.Indy() != nil {
		see(c.Line, "indy", indyText(c))
	}
}

func indyText(c *Call) string {
	i := c.Indy()
	switch i.Kind {
	case ConcatIndy:
		return "concat"
	case RecordIndy:
		return "record " + c.Name
	case SwitchIndy:
		return "switch " + i.Bootstrap.Name
	case OtherIndy:
		return "other"
	}
	kind := map[uint8]string{5: "virtual", 6: "static", 7: "special", 8: "new", 9: "interface"}[i.Impl.Kind]
	name, _, _ := strings.Cut(i.Impl.Name, "$")
	text := fmt.Sprintf("lambda %s.%s%s = %s %s.%s", i.Interface, i.SAM, i.SAMDesc, kind, i.Impl.Owner, name)
	for _, m := range i.Markers {
		text += " + " + m
	}
	for _, m := range i.Bridges {
		text += " ~ " + m
	}
	return text
}

func implicitText(k ImplicitKind) string {
	var list []string
	for i, name := range []string{"NPE", "index", "store", "zero", "cast", "size", "monitor", "memory"} {
		if k&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, "+")
}

// checkInvariants checks what the contract promises of every record.
func checkInvariants(t *testing.T, r *Class, m *Method) {
	t.Helper()
	where := r.Name + "." + m.Name + m.Desc
	site := func(kind string, s Site, last *int32) {
		if s.PC <= *last {
			t.Errorf("%s: %s at pc %d after %d", where, kind, s.PC, *last)
		}
		*last = s.PC
		if int(s.Cover) >= len(m.Covers()) {
			t.Errorf("%s: %s at pc %d has cover %d of %d", where, kind, s.PC, s.Cover, len(m.Covers()))
		}
		for _, e := range m.Covers()[s.Cover] {
			if x := m.Table()[e]; s.PC < x.Start || s.PC >= x.End {
				t.Errorf("%s: %s at pc %d is not in [%d, %d)", where, kind, s.PC, x.Start, x.End)
			}
		}
	}
	last := int32(-1)
	for i, c := range m.Calls {
		site("call", c.Site, &last)
		if int(c.Ordinal) < i || (c.Kind == Dynamic) != (c.Indy() != nil) {
			t.Errorf("%s: call %+v", where, c)
		}
	}
	last = -1
	for _, x := range m.Throws() {
		site("athrow", x.Site, &last)
		if len(x.Sources) == 0 {
			t.Errorf("%s: athrow at pc %d without a source", where, x.PC)
		}
		for _, s := range x.Sources {
			if s.Kind == CaughtSource && int(s.Handler) >= len(m.Handlers()) || s.Call >= int32(len(m.Calls)) {
				t.Errorf("%s: source %+v", where, s)
			}
		}
	}
	last = -1
	for _, x := range m.Allocs {
		site("new", x.Site, &last)
	}
	last = -1
	for _, x := range m.Implicit() {
		site("implicit", x.Site, &last)
	}
	for _, e := range m.Table() {
		if int(e.Handler) >= len(m.Handlers()) || !slices.Contains(m.Handlers()[e.Handler].Types, e.Type) {
			t.Errorf("%s: table entry %+v", where, e)
		}
	}
}
