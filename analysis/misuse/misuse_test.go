package misuse

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Throws behind a state that only closing makes, and relatives of them that need no misuse: what
// is expected of a method is its name, which begins with checks where it has such a throw.
const source = `
import java.io.*;

class Flag {
    private boolean closed;
    private Object data = new Object();
    private boolean open = true;
    private boolean ready;          // set and unset by nobody who closes
    private boolean done;           // set by a method that is not one that closes
    boolean visible;                // other classes may set it
    private boolean nested;         // a class of the nest sets it
    private Object late;            // null until somebody sets it
    private Object given;
    Flag(Object given) { this.given = given; }
    public void close() {
        closed = true; data = null; open = false; visible = true; late = null; given = null; nested = true;
    }
    void finishWork() { done = true; }
    void start() { ready = true; late = this; }
    class Part { void poke() { nested = true; } }

    void checksFlag() throws IOException { if (closed) throw new IOException(); }
    void checksData() throws IOException { Object d = data; if (d == null) throw new IOException(); d.hashCode(); }
    void checksOpen() throws IOException { if (!open) { System.gc(); throw new IOException(); } }
    void checksGiven() throws IOException { if (given != null) { given.hashCode(); return; } throw new IOException(); }
    void checksInside(int n) throws IOException {
        while (n-- > 0) { if (n == 3 && closed) throw new IOException(); }
    }
    void checksCall() throws IOException { if (!isOpen()) throw new IOException(); }
    boolean isOpen() { return open; }
    void reset() throws IOException { if (closed) { if (late == null) throw new IOException(); } closed = false; }
    void open() throws IOException { if (!isOpen()) throw new IOException(); }
    void shutdown() throws IOException { closed = true; if (late == null && closed) throw new IOException(); }
    void close(int n) throws IOException { close(); if (closed && n > 0) throw new IOException(); }

    void either(int n) throws IOException { if (closed || n == 1) throw new IOException(); }
    void other() throws IOException { if (!closed) throw new IOException(); }
    void unready() throws IOException { if (!ready) throw new IOException(); }
    void done() throws IOException { if (done) throw new IOException(); }
    void visible() throws IOException { if (visible) throw new IOException(); }
    void nested() throws IOException { if (nested) throw new IOException(); }
    void late() throws IOException { if (late == null) throw new IOException(); }
    void ofOther(Flag f) throws IOException { if (f.closed) throw new IOException(); }
    static void ofStatic(Flag f) throws IOException { if (f.closed) throw new IOException(); }
}
`

func TestOf(t *testing.T) {
	found := checksOf(t, "Flag", source)
	for name, c := range found {
		if !strings.HasPrefix(name, "checks") || !strings.HasPrefix(c.Why, "only ") || !c.Closed {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// An object that the class closes by itself, as where its peer has gone, throws afterwards although
// nobody misuses it. One that a constructor or finalize closes nobody uses.
func TestClosesItself(t *testing.T) {
	const class = `
class Link%d {
    private boolean closed;
    Link%[1]d() { close(); }
    public boolean isOpen() { return !closed; }
    public void close() { doClose(); }
    private void doClose() { closed = true; }
    void read() throws IOException { if (closed) throw new IOException(); }
    void write() throws IOException { if (!isOpen()) throw new IOException(); }
    protected void finalize() { close(); }
    class Part { %[2]s static void closeQuietly(Object of) { } }
    %[3]s
}`
	cases := []struct {
		part, other string
		checks      int
	}{
		{"", "", 2},
		{"", "void lose() { close(); }", 0},
		{"", "void lose() { doClose(); }", 0},
		{"", "void lose() { Runnable r = () -> close(); r.run(); }", 0},
		{"", "void lose() { Part.closeQuietly(this); }", 0},
		{"", "static void lose(Link5 l) { l.close(); }", 0},
		{"", "void shutdown() { close(); } void lose() { shutdown(); }", 0},
		{"void lose() { close(); }", "", 0},
		{"", "void lose(Closeable c) throws IOException { c.close(); }", 2},
		{"", "void lose(Object o) { Part.closeQuietly(o); }", 2},
	}
	source := "import java.io.*;\n"
	for i, c := range cases {
		source += fmt.Sprintf(class, i, c.part, c.other)
	}
	read := compile(t, "Links", source)
	for i, c := range cases {
		name := fmt.Sprintf("Link%d", i)
		if found := Of(read(name), []*classfile.Class{read(name + "$Part")}); len(found) != c.checks {
			t.Errorf("%s%s: %v, not %d", c.part, c.other, found, c.checks)
		}
	}
}

// compile compiles a source file that is named after a class, and reads classes that come of it.
func compile(t *testing.T, class, source string) (read func(name string) *classfile.Class) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, path.Base(class)+".java")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, dir, file)
	return func(name string) *classfile.Class {
		data, err := os.ReadFile(filepath.Join(dir, name+".class"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// checksOf are the checks of a class of a source file, by the names of their methods, with the
// class Part that may stand inside it. All whose names begin with checks must have one.
func checksOf(t *testing.T, class, source string) map[string]Check {
	t.Helper()
	read := compile(t, class, source)
	c := read(class)
	found := map[string]Check{}
	for k, check := range Of(c, []*classfile.Class{read(class + "$Part")}) {
		name, _, _ := strings.Cut(k.Method, "(")
		found[name] = check
	}
	for _, m := range c.Methods {
		if name := c.MemberName(m); strings.HasPrefix(name, "checks") && found[name].Why == "" {
			t.Errorf("%s has no such throw; found: %v", name, slices.Sorted(maps.Keys(found)))
		}
	}
	return found
}

// BufferedInputStream of the JDK sets its buffer to null by an offset: the throws of the two
// methods that find it so are checks, and that of reset, which has no mark, is none.
func TestKnownChecks(t *testing.T) {
	for _, feature := range []int{17, 25} {
		image, err := jimage.Open(filepath.Join(testjdk.JDK(t, feature), "lib", "modules"))
		if err != nil {
			t.Fatal(err)
		}
		data, ok, err := image.ReadFile("java.base", "java/io/BufferedInputStream.class")
		if err != nil || !ok {
			t.Fatalf("JDK %d: %v", feature, err)
		}
		c, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]int{}
		for k, check := range Of(c, nil) {
			name, _, _ := strings.Cut(k.Method, "(")
			if found[name]++; !strings.HasPrefix(check.Why, "only if ") {
				t.Errorf("JDK %d, %s: %s", feature, k.Method, check.Why)
			}
		}
		if found["getBufIfOpen"] != 1 || found["fill"] != 1 || found["getInIfOpen"] == 0 {
			t.Errorf("JDK %d: checks are %v", feature, found)
		}
		for name := range found {
			if strings.Contains(name, "reset") {
				t.Errorf("JDK %d: %s throws without a mark, too", feature, name)
			}
		}
		image.Close()
	}
}
