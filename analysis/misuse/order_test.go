package misuse

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Throws of methods that are called in a wrong order, and relatives of them that a right order may
// have, too.
const ordered = `
package %s;
import java.io.*;

class Line {
    private static final int NEW = 0, MADE = 1, CONNECTED = 2, CLOSED = 3;
    private final Object lock = new Object();
    private volatile int state;     // which of the methods have been called
    private boolean bound;
    private int level;              // a number that is computed
    private int phase;              // a method of another kind writes it
    int visible;                    // other classes may
    private int nested;             // a class of the nest does
    private int size;               // closing makes it what it was at first
    private int left = 1;           // closing makes it 0, but it is a number
    private boolean wild;           // what opens the object may leave it as it is
    private boolean tried;          // as here, where it is set already

    void create() { state = MADE; size = 1; }
    void beginConnect() { state = CONNECTED; level = 1; visible = 1; phase = 1; nested = 1; }
    void bind(int n) { bound = true; level = n; if (n == 0) wild = true; }
    void listen(int n) { if (tried) return; work(); tried = true; }
    void connect() throws IOException { // says whether it could
        if (work() > 0) state = CONNECTED;
        if (state < CONNECTED) throw new IOException();
    }
    void resize() { phase = 2; }
    void close() { state = CLOSED; size = 0; left = 0; }
    int work() { return 0; }
    class Part { void poke() { nested = 2; } }

    void checksMade() throws IOException { if (state == NEW) throw new IOException(); }
    void checksConnected() throws IOException {
        synchronized (lock) {
            int s = state;
            if (s < CONNECTED) throw new IOException();
        }
        work();
    }
    void checksBound() throws IOException { work(); if (!bound) throw new IOException(); }
    void checksTwice() throws IOException { if (state == CONNECTED) throw new IOException(); work(); }
    void checksTried() throws IOException { if (!tried) throw new IOException(); }
    void checksClosed() throws IOException { if (state > CONNECTED) throw new IOException(); }

    void ofData(int n) throws IOException { if (bound && n < 0) throw new IOException(); }
    void returns(int n) throws IOException { if (state == CONNECTED) return; if (n < 0) throw new IOException(); }
    void later() throws IOException { beginConnect(); if (state < CONNECTED) throw new IOException(); }
    void mixed() throws IOException { if (state != CONNECTED) throw new IOException(); }
    void wild() throws IOException { if (wild) throw new IOException(); }
    void tame() throws IOException { if (!wild) throw new IOException(); }
    void computed() throws IOException { if (level == 0) throw new IOException(); }
    void otherKind() throws IOException { if (phase == 0) throw new IOException(); }
    void visible() throws IOException { if (visible == 0) throw new IOException(); }
    void nested() throws IOException { if (nested == 0) throw new IOException(); }
    void reset() throws IOException { if (size == 0) throw new IOException(); }
    void left() throws IOException { if (left == 0) throw new IOException(); }
    void ofOther(Line l) throws IOException { if (l.state == NEW) throw new IOException(); }
    void always() throws IOException { if (state == NEW) work(); throw new IOException(); }
}
`

func TestOrder(t *testing.T) {
	want := map[string]Check{
		"checksMade":      {"only if called before beginConnect, connect or create", false},
		"checksConnected": {"only if called before beginConnect or connect", false},
		"checksBound":     {"only if called before bind", false},
		"checksTwice":     {"only if called after beginConnect or connect", false},
		"checksTried":     {"only if called before listen", false},
		"checksClosed":    {"only if called after close", true},
	}
	found := checksOf(t, "com/sun/line/Line", fmt.Sprintf(ordered, "com.sun.line"))
	for name, c := range found {
		if c != want[name] {
			t.Errorf("%s: %+v, not %+v", name, c, want[name])
		}
	}
	// A library's connect may fail and say nothing, or be done later, on another thread.
	other := fmt.Sprintf(strings.ReplaceAll(ordered, " checks", " other"), "lib")
	if found := checksOf(t, "lib/Line", other); len(found) > 0 {
		t.Errorf("a class that is not of the JDK has %v", found)
	}
}

func TestNamesOfMethods(t *testing.T) {
	for name, want := range map[string][2]bool{
		"connect": {true, false}, "createImpl": {true, false}, "doneConnect": {true, false},
		"tryFinishClose": {false, true}, "implCloseChannel": {false, true}, "closed": {},
		"bind": {true, false}, "listen": {true, false}, "tryAccept": {true, false}, "doOpen": {true, false},
		"beginConnect": {true, false}, "endConnect": {true, false}, "postClose": {false, true},
		"shutdownOutput": {false, true}, "dispose": {false, true}, "release": {false, true}, "free": {false, true},
		"connected": {}, "reopen": {}, "doing": {}, "opener": {}, "do": {}, "<init>": {},
	} {
		if got := [2]bool{opening(name), closing(name)}; got != want {
			t.Errorf("%s: opens, closes: %v", name, got)
		}
	}
}

// Sockets of the JDK tell whether they are bound and connected. Each throw was read in the JDK's
// sources; those that are not here need no wrong order, or tell that the socket is closed.
func TestOrderOfSockets(t *testing.T) {
	want := map[string]map[string]string{
		"java/net/Socket": {
			"getInputStream": "before connect", "getOutputStream": "before connect",
			"shutdownInput": "before connect", "shutdownOutput": "before connect",
			"connect": "after connect", "bind": "after bind",
		},
		"java/net/ServerSocket": {"accept": "before bind", "bind": "after bind"},
		"sun/nio/ch/NioSocketImpl": {
			"ensureOpen": "before accept, beginConnect, create or endConnect", "bind": "after bind",
			"ensureOpenAndConnected": "before accept or endConnect", "listen": "before bind",
			"beginAccept": "before bind",
			// not created; connected; meanwhile, which another thread does
			"beginConnect": "before accept, beginConnect, create or endConnect; after beginConnect; " +
				"after accept or endConnect",
		},
	}
	for _, feature := range []int{17, 25} {
		image, err := jimage.Open(filepath.Join(testjdk.JDK(t, feature), "lib", "modules"))
		if err != nil {
			t.Fatal(err)
		}
		for class, methods := range want {
			data, ok, err := image.ReadFile("java.base", class+".class")
			if err != nil || !ok {
				t.Fatalf("JDK %d: %v", feature, err)
			}
			c, err := classfile.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			found := map[string][]string{}
			for k, check := range Of(c, nil).WithoutClosed() {
				name, _, _ := strings.Cut(k.Method, "(")
				found[name] = append(found[name], strings.TrimPrefix(check.Why, "only if called "))
			}
			for name, list := range found {
				slices.Sort(list)
				slices.Reverse(list)
				if why := strings.Join(list, "; "); why != methods[name] {
					t.Errorf("JDK %d, %s.%s: %q, not %q", feature, class, name, why, methods[name])
				}
			}
			for name := range methods {
				if found[name] == nil {
					t.Errorf("JDK %d, %s.%s has no check", feature, class, name)
				}
			}
		}
		image.Close()
	}
}
