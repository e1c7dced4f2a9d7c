package classfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

const modular = `/** A module. */
@Deprecated
open module m.one {
    requires transitive java.sql;
    requires static java.logging;
    exports p to java.sql, java.xml;
    exports q;
    uses java.nio.file.spi.FileSystemProvider;
    provides java.lang.Runnable with p.A, q.B;
}
`

// moduleInfo compiles a module and returns its descriptor.
func moduleInfo(t testing.TB) []byte {
	t.Helper()
	dir, out := t.TempDir(), t.TempDir()
	var files []string
	for name, text := range map[string]string{
		"module-info.java": modular,
		"p/A.java":         "package p; public class A implements Runnable { public void run() {} }",
		"q/B.java":         "package q; public class B implements Runnable { public void run() {} }",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	slices.Sort(files)
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, out, files...)
	data, err := os.ReadFile(filepath.Join(out, "module-info.class"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestModule(t *testing.T) {
	c := mustParse(t, moduleInfo(t))
	if c.Name() != "module-info" || c.SuperName() != "" || c.Access&AccModule == 0 {
		t.Errorf("name %q, super %q, access %#x", c.Name(), c.SuperName(), c.Access)
	}
	m, err := c.Module()
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "m.one" || m.Flags != 0x20 { // ACC_OPEN
		t.Errorf("module %s, flags %#x", m.Name, m.Flags)
	}
	var requires []string
	for _, r := range m.Requires {
		requires = append(requires, r.Name)
	}
	slices.Sort(requires)
	if !slices.Equal(requires, []string{"java.base", "java.logging", "java.sql"}) {
		t.Errorf("requires %q", requires)
	}
	if len(m.Exports) != 2 || m.Exports[0].Package != "p" ||
		!slices.Equal(m.Exports[0].To, []string{"java.sql", "java.xml"}) || m.Exports[1].To != nil {
		t.Errorf("exports %v", m.Exports)
	}
	if !slices.Equal(m.Uses, []string{"java/nio/file/spi/FileSystemProvider"}) {
		t.Errorf("uses %q", m.Uses)
	}
	if len(m.Provides) != 1 || m.Provides[0].Service != "java/lang/Runnable" ||
		!slices.Equal(m.Provides[0].With, []string{"p/A", "q/B"}) {
		t.Errorf("provides %v", m.Provides)
	}
	if names, err := annotationTypes(c, c.Attributes); err != nil ||
		!slices.Equal(names, []string{"java/lang/Deprecated"}) {
		t.Errorf("annotations %q, %v", names, err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// annotationTypes are the internal names of the annotations among attributes.
func annotationTypes(c *Class, attrs []Attribute) (names []string, err error) {
	list, err := c.Annotations(attrs)
	for _, a := range list {
		names = append(names, a.Type)
	}
	return names, err
}

// modernClasses are the classes of Modern.java as each compiler has them.
func modernClasses(t *testing.T, f func(t *testing.T, classes map[string]*Class)) {
	for _, v := range variants {
		if !slices.Contains(v.sources, "Modern.java") {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			classes := map[string]*Class{}
			for name, data := range v.classes(t) {
				classes[name] = mustParse(t, data)
			}
			f(t, classes)
		})
	}
}

func TestNesting(t *testing.T) {
	modernClasses(t, func(t *testing.T, classes map[string]*Class) {
		modern, left := classes["Modern"], classes["Modern$Left"]
		if got, err := modern.PermittedSubclasses(); err != nil ||
			!slices.Equal(got, []string{"Modern$Left", "Modern$Right"}) {
			t.Errorf("permitted subclasses %q, %v", got, err)
		}
		if got, err := left.PermittedSubclasses(); got != nil || err != nil {
			t.Errorf("Left permits %q, %v", got, err)
		}
		if got, err := modern.NestMembers(); err != nil || !slices.Contains(got, "Modern$Point") ||
			slices.Contains(got, "Modern") {
			t.Errorf("nest members %q, %v", got, err)
		}
		if got, err := left.NestHost(); err != nil || got != "Modern" {
			t.Errorf("nest host %q, %v", got, err)
		}
		if got, err := modern.NestHost(); err != nil || got != "" {
			t.Errorf("Modern has nest host %q, %v", got, err)
		}
		inner, err := left.InnerClasses()
		if err != nil {
			t.Fatal(err)
		}
		want := InnerClass{"Modern$Left", "Modern", "Left", AccStatic | AccFinal}
		if !slices.Contains(inner, want) {
			t.Errorf("inner classes %v lack %v", inner, want)
		}
		// An anonymous class in a method, and a local one.
		for name, simple := range map[string]string{"Old$1": "", "Old$1Local": "Local"} {
			e, err := classes[name].EnclosingMethod()
			if err != nil || e == nil || *e != (EnclosingMethod{"Old", "uninitialized", "(ZLjava/lang/Object;)V"}) {
				t.Errorf("%s is enclosed by %v, %v", name, e, err)
			}
			inner, err := classes[name].InnerClasses()
			if err != nil || len(inner) != 1 || inner[0].Name != simple || inner[0].Outer != "" {
				t.Errorf("%s: inner classes %v, %v", name, inner, err)
			}
		}
		if e, err := left.EnclosingMethod(); e != nil || err != nil {
			t.Errorf("Left is enclosed by %v, %v", e, err)
		}
	})
}

func TestRecordAttribute(t *testing.T) {
	modernClasses(t, func(t *testing.T, classes map[string]*Class) {
		c := classes["Modern$Point"]
		comps, is, err := c.Record()
		if err != nil || !is || len(comps) != 2 {
			t.Fatalf("components %v, %v, %v", comps, is, err)
		}
		if comps[0].Name != "x" || comps[0].Desc != "Ljava/lang/Number;" || comps[1].Name != "y" ||
			comps[1].Desc != "J" {
			t.Errorf("components %v", comps)
		}
		if names, err := annotationTypes(c, comps[0].Attributes); err != nil ||
			!slices.Equal(names, []string{"Modern$Inner"}) {
			t.Errorf("annotations of x: %q, %v", names, err)
		}
		if sig, err := c.Signature(); err != nil ||
			sig != "<T:Ljava/lang/Number;>Ljava/lang/Record;Ljava/lang/Comparable<LModern$Point<TT;>;>;" {
			t.Errorf("signature %q, %v", sig, err)
		}
		if _, is, err := classes["Modern"].Record(); is || err != nil {
			t.Errorf("Modern is a record: %v, %v", is, err)
		}
		if c.SuperName() != "java/lang/Record" || !slices.Equal(c.InterfaceNames(), []string{"java/lang/Comparable"}) {
			t.Errorf("supertypes %s %s", c.SuperName(), c.InterfaceNames())
		}
	})
}

func TestAnnotationValues(t *testing.T) {
	modernClasses(t, func(t *testing.T, classes map[string]*Class) {
		c := classes["Modern"]
		as, err := c.Annotations(c.Attributes)
		if err != nil || len(as) != 1 || as[0].Type != "Modern$Mark" {
			t.Fatalf("annotations %v, %v", as, err)
		}
		get := func(a *Annotation, name string) ElementValue {
			v, ok := a.Element(name)
			if !ok {
				t.Errorf("no element %s", name)
			}
			return v
		}
		mark := &as[0]
		if v := get(mark, "value"); v.Tag != 's' || v.Text != "class" {
			t.Errorf("value = %v", v)
		}
		if v := get(mark, "type"); v.Tag != 'c' || v.Text != "[Ljava/lang/String;" {
			t.Errorf("type = %v", v)
		}
		if v := get(mark, "level"); v.Tag != 'e' || v.Text != "CLASS" ||
			v.EnumType != "java/lang/annotation/RetentionPolicy" {
			t.Errorf("level = %v", v)
		}
		if v := get(mark, "tags"); !slices.Equal(v.Texts(), []string{"a", "b"}) {
			t.Errorf("tags = %v", v)
		}
		if v := get(mark, "numbers"); len(v.Array) != 2 || constOf(t, c, v.Array[1]) != 2 {
			t.Errorf("numbers = %v", v)
		}
		if v := get(mark, "nested"); v.Tag != '@' || v.Nested.Type != "Modern$Inner" ||
			constOf(t, c, v.Nested.Elements[0].Value) != 3 {
			t.Errorf("nested = %v", v)
		}
		if _, ok := mark.Element("letter"); ok {
			t.Error("letter is at its default and given")
		}
		m := c.FindMethod("lambdas", "(Ljava/util/List;I)Ljava/lang/String;")
		as, err = c.Annotations(m.Attributes)
		if err != nil || len(as) != 1 {
			t.Fatalf("annotations %v, %v", as, err)
		}
		for name, want := range map[string]int32{"letter": 'y', "on": 1, "bits": -1, "half": -2} {
			if got := constOf(t, c, get(&as[0], name)); got != want {
				t.Errorf("%s = %d, want %d", name, got, want)
			}
		}
		if v, err := c.Pool.Long(get(&as[0], "big").Const); err != nil || v != 1<<40 {
			t.Errorf("big = %d, %v", v, err)
		}
		if v, err := c.Pool.Float(get(&as[0], "small").Const); err != nil || v != 0.25 {
			t.Errorf("small = %g, %v", v, err)
		}
		if v, err := c.Pool.Double(get(&as[0], "real").Const); err != nil || v != 0.5 {
			t.Errorf("real = %g, %v", v, err)
		}
		if v := get(&as[0], "type"); v.Text != "I" || !slices.Equal(v.Texts(), []string{"I"}) {
			t.Errorf("type = %v", v)
		}
	})
}

func constOf(t *testing.T, c *Class, v ElementValue) int32 {
	t.Helper()
	n, err := c.Pool.Integer(v.Const)
	if err != nil {
		t.Error(err)
	}
	return n
}

func TestBootstrapMethods(t *testing.T) {
	modernClasses(t, func(t *testing.T, classes map[string]*Class) {
		c := classes["Modern"]
		table, err := c.BootstrapMethods()
		if err != nil {
			t.Fatal(err)
		}
		m := c.FindMethod("lambdas", "(Ljava/util/List;I)Ljava/lang/String;")
		code, err := c.Code(m)
		if err != nil {
			t.Fatal(err)
		}
		var seen []string
		for in := range Instructions(code.Bytecode) {
			if in.Op != OpInvokedynamic {
				continue
			}
			ref, err := c.Pool.InvokeDynamic(uint16(in.Index))
			if err != nil {
				t.Fatal(err)
			}
			bsm := table[ref.Bootstrap]
			h, err := c.Pool.MethodHandle(bsm.Handle)
			if err != nil || h.Kind != RefInvokeStatic {
				t.Fatalf("bootstrap %v, %v", h, err)
			}
			seen = append(seen, h.Owner+"."+h.Name)
			if ref.Name != "apply" {
				continue
			}
			// String::length: erased type, implementation, instantiated type
			impl, err := c.Pool.MethodHandle(bsm.Args[1])
			if err != nil || impl.Kind != RefInvokeVirtual ||
				impl.MemberRef != (MemberRef{"java/lang/String", "length", "()I", false, false}) {
				t.Errorf("implementation %v, %v", impl, err)
			}
			if mt, err := c.Pool.MethodType(bsm.Args[2]); err != nil ||
				mt != "(Ljava/lang/String;)Ljava/lang/Integer;" {
				t.Errorf("method type %q, %v", mt, err)
			}
		}
		want := []string{"java/lang/invoke/LambdaMetafactory.metafactory",
			"java/lang/invoke/LambdaMetafactory.metafactory",
			"java/lang/invoke/StringConcatFactory.makeConcatWithConstants"}
		if !slices.Equal(seen, want) {
			t.Errorf("bootstrap methods %q", seen)
		}
		if err := c.SetBootstrapMethods(table); err != nil {
			t.Fatal(err)
		}
		if again, err := c.BootstrapMethods(); err != nil || len(again) != len(table) {
			t.Errorf("%d bootstrap methods became %d, %v", len(table), len(again), err)
		}
	})
}

func TestMethodAttributes(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			c := mustParse(t, v.classes(t)["Old"])
			m := c.FindMethod("objects", "([Ljava/lang/Object;I)Ljava/lang/Object;")
			if got, err := c.Exceptions(m); err != nil ||
				!slices.Equal(got, []string{"java/io/IOException", "java/lang/InterruptedException"}) {
				t.Errorf("exceptions %q, %v", got, err)
			}
			if got, err := c.Exceptions(c.FindMethod("dense", "(I)I")); got != nil || err != nil {
				t.Errorf("dense throws %q, %v", got, err)
			}
			if code, err := c.Code(c.FindMethod("nothing", "(I)I")); code != nil || err != nil {
				t.Errorf("a native method has code: %v, %v", code, err)
			}
			if c.FindMethod("dense", "()V") != nil || c.FindField("field", "J") != nil {
				t.Error("found a member that is not there")
			}
			checkConstants(t, c)
			checkHandlers(t, c)
			checkVariables(t, c)
		})
	}
}

func checkConstants(t *testing.T, c *Class) {
	index := func(name, desc string) uint16 {
		i, err := c.ConstantValue(c.FindField(name, desc))
		if err != nil || i == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		return i
	}
	if v, err := c.Pool.Integer(index("ANSWER", "I")); v != 42 || err != nil {
		t.Errorf("ANSWER = %d, %v", v, err)
	}
	if v, err := c.Pool.Long(index("BIG", "J")); v != 1<<40 || err != nil {
		t.Errorf("BIG = %d, %v", v, err)
	}
	if v, err := c.Pool.Double(index("HALF", "D")); v != 0.5 || err != nil {
		t.Errorf("HALF = %g, %v", v, err)
	}
	if v, err := c.Pool.Float(index("THIRD", "F")); v != float32(1)/3 || err != nil {
		t.Errorf("THIRD = %g, %v", v, err)
	}
	i := index("TEXT", "Ljava/lang/String;")
	want := "nul \x00, e-acute é, euro €, clef 𝄞, lone \xed\xb4\x9e\xed\xa0\xb4"
	got, err := c.Pool.String(i)
	if got != want || err != nil {
		t.Errorf("TEXT = %q, %v", got, err)
	}
	if j, err := c.Pool.AddString(got); j != i || err != nil {
		t.Errorf("TEXT is entry %d, encoded again entry %d (%v)", i, j, err)
	}
	if v, err := c.ConstantValue(c.FindField("field", "I")); v != 0 || err != nil {
		t.Errorf("field has constant value %d, %v", v, err)
	}
}

// checkHandlers looks at the exception table of Old.handlers: two catches in
// the order of the source, and finally around them.
func checkHandlers(t *testing.T, c *Class) {
	code, err := c.Code(c.FindMethod("handlers", "(Ljava/io/InputStream;)I"))
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, e := range code.Exceptions {
		name := "any"
		if e.CatchType != 0 {
			if name, err = c.Pool.ClassName(e.CatchType); err != nil {
				t.Fatal(err)
			}
		}
		if in, err := Decode(code.Bytecode, int(e.HandlerPC)); err != nil ||
			in.Op != OpPop && !strings.HasPrefix(in.Op.String(), "astore") {
			t.Errorf("handler %d begins with %v, %v", e.HandlerPC, in.Op, err)
		}
		types = append(types, name)
	}
	if len(types) < 4 || types[0] != "java/io/FileNotFoundException" || types[1] != "java/io/IOException" ||
		types[2] != "any" {
		t.Errorf("handlers of %q", types)
	}
}

func checkVariables(t *testing.T, c *Class) {
	code, err := c.Code(c.FindMethod("arithmetic", "(JDFI)J"))
	if err != nil {
		t.Fatal(err)
	}
	vars, err := c.LocalVariables(code)
	if err != nil {
		t.Fatal(err)
	}
	slots := map[string]uint16{}
	for _, v := range vars {
		slots[v.Desc+v.Name] = v.Slot
	}
	for name, slot := range map[string]uint16{"Ja": 0, "Db": 2, "Fc": 4, "Id": 5, "Jr": 6} {
		if got, ok := slots[name]; !ok || got != slot {
			t.Errorf("variable %s in slot %d (%v), want %d", name, got, ok, slot)
		}
	}
	if code.MaxLocals != 8 {
		t.Errorf("max locals %d", code.MaxLocals)
	}
}
