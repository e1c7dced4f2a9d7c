package misuse

import (
	"maps"
	"os"
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

// checksOf are the checks of a class of a source file, by the names of their methods, with the
// class Part that may stand inside it. All whose names begin with checks must have one.
func checksOf(t *testing.T, class, source string) map[string]Check {
	t.Helper()
	jdk := testjdk.JDK(t, 17)
	dir := t.TempDir()
	file := filepath.Join(dir, class+".java")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, jdk, 17, nil, dir, file)
	read := func(name string) *classfile.Class {
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
