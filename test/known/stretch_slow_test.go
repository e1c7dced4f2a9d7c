//go:build slow

package known

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
)

// Two catches, each of which may take Exception if the other does not: together both may take
// something narrower only. Two others that meet in a test, which may.
const (
	apartMain = `package p;

import java.io.FileNotFoundException;
import java.io.IOException;

public class Apart {
    String log = "";

    void inner(int kind) throws IOException {
        try {
            if (kind == 1) throw new FileNotFoundException();
            if (kind == 2) throw new UnsupportedOperationException();
        } catch (FileNotFoundException e) {
            log += "inner ";
        }
    }

    void outer(int kind) throws IOException {
        try {
            inner(kind);
            if (kind == 2) throw new ArithmeticException();
            if (kind == 3) throw new IllegalArgumentException();
        } catch (IllegalArgumentException e) {
            log += "outer ";
        }
    }

    static String read(int kind) throws IOException {
        try {
            if (kind == 1) throw new FileNotFoundException();
            if (kind == 2) throw new IllegalStateException();
            return "read";
        } catch (FileNotFoundException e) {
            return "none";
        }
    }

    public static String readOrNot(int kind) throws IOException {
        try {
            return read(kind);
        } catch (IllegalStateException e) {
            return "not";
        }
    }

    public static String log(int kind) {
        Apart a = new Apart();
        try {
            a.outer(kind);
        } catch (Exception e) {
            return a.log;
        }
        return a.log;
    }
}
`
	apartTest = `package p;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;

import org.junit.Test;

public class ApartTest {
    @Test public void reads() throws Exception { Apart.readOrNot(1); }
    @Test public void doesNot() throws Exception { Apart.readOrNot(2); }
    @Test public void innerFails() { assertEquals("inner ", Apart.log(1)); }
    @Test public void outerFails() { assertEquals("outer ", Apart.log(3)); }
    @Test public void logsOnce() { assertNotEquals("inner outer ", Apart.log(2)); }
}
`
)

// A campaign that runs again what is known makes no stretched run twice, though it stretches all
// catches together more than once.
func TestStretchingAgain(t *testing.T) {
	s := sessionOf(t, projectOf(t, "Apart", apartMain, apartTest), 2)
	if err := s.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	runs := map[bool]int{}
	for _, again := range []bool{false, true} {
		sum, err := s.Run(t.Context(), session.Scope{Again: again}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("again %v: %d runs with stretched catches, %.1f s", again, sum.Stretched, sum.Elapsed.Seconds())
		runs[again] = sum.Stretched
	}
	for id, want := range map[string]string{"p/Apart.inner(int)#0": "java.io.IOException",
		"p/Apart.outer(int)#0": "java.lang.RuntimeException",
		"p/Apart.read(int)#0":  shortcircuit.ExceptionClass, "p/Apart.readOrNot(int)#0": shortcircuit.ExceptionClass} {
		if got := s.View().Results.ByCatch[id].Stretch.To; got != want {
			t.Errorf("%s may take %q, want %s", id, got, want)
		}
	}
	if runs[false] == 0 || runs[true] != runs[false] {
		t.Errorf("%d runs with stretched catches again, %d the first time", runs[true], runs[false])
	}
}
