//go:build slow

package known

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/session"
)

// A class whose test leaves something behind, and one whose tests depend on that. The start of the
// JVM counts for AFirstTest, and VictimsTest takes long after PollutesTest, so that it runs before
// that in the second repetition.
const (
	dependentMain = `package p;

public class Dependent {
    static String left = "";

    public static int number(String s) {
        try { return Integer.parseInt(s); } catch (NumberFormatException e) { return -1; }
    }
}
`
	dependentTest = `package p;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.*;

class AFirstTest {
    @Test void starts() {}
}

@TestMethodOrder(MethodOrderer.MethodName.class)
class PollutesTest {
    @Test void leaves() { Dependent.left = "x"; }
    @Test void leftAlways() { assertEquals("", Dependent.left); }
    @Test void leftNever() { fail(); }
}

class VictimsTest {
    @Test void otherwise() { assertEquals("", Dependent.left, "at " + System.nanoTime()); }
    @Test void clean() throws Exception { if (!Dependent.left.isEmpty()) Thread.sleep(1000); assertEquals("", Dependent.left); assertEquals(-1, Dependent.number("x")); }
    @Test void hashed() { assertEquals("", Dependent.left, "in " + new Object()); }
    @Test void needs() { assertEquals("x", Dependent.left); }
}
`
)

// A test that fails only after another class, each time, counts as passing: it does by itself, and
// what it says there may be something else each time. One that passes only after the other class is
// flaky. A test that fails each time after another one of its class passes, too.
func TestDependsOnWhatRanBefore(t *testing.T) {
	dir := jupiterProject(t, "Dependent", dependentMain, dependentTest, "")
	v, sum := campaignOf(t, opened(t, dir, 1), session.Scope{})
	if got, want := testsOf(v), "clean, leftNever fail, needs flaky"; got != want {
		t.Errorf("%+v:\n%s\nwant\n%s", sum, got, want)
	}
	for _, c := range v.Snap.Catches {
		if m := v.Results.ByCatch[c.ID].Matrix; len(m) != 1 || m[0].Outcome != record.Pass || m[0].Fired != 1 {
			t.Errorf("%s: %+v", c.ID, m)
		}
	}
}

const shuffledTest = `package p;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.*;

@TestMethodOrder(MethodOrderer.Random.class)
class DependentTest {
    @Test void leaves() { Dependent.left = "x"; }
    @Test void a() { assertEquals("", Dependent.left); }
    @Test void b() { assertEquals("", Dependent.left); }
    @Test void c() { assertEquals("", Dependent.left); }
    @Test void d() { assertEquals("", Dependent.left); }
    @Test void e() { assertEquals("", Dependent.left); }
    @Test void f() { assertEquals("", Dependent.left); }
    @Test void g() { assertEquals("", Dependent.left); }
    @Test void h() { assertEquals("", Dependent.left); assertEquals(-1, Dependent.number("x")); }
}
`

// Tests of a class that run in another order in each JVM fail again where they run in the order in
// which they failed.
func TestDependsOnOrderInClass(t *testing.T) {
	dir := jupiterProject(t, "Dependent", dependentMain, shuffledTest, "")
	v, sum := campaignOf(t, opened(t, dir, 1), session.Scope{})
	if got, want := testsOf(v), "h"; got != want {
		t.Errorf("%+v:\n%s\nwant\n%s", sum, got, want)
	}
}
