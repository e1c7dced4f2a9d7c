//go:build slow

package known

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// A catch that the analysis finds, one that it knows to be entered when a run has shown that, and
// two of another class.
const (
	againMain = `package p;

public class Again {
    static int checked(int n) {
        if (n > 100) throw new IllegalStateException("much");
        return n;
    }

    static int found(int n) {
        try { return checked(n); } catch (IllegalStateException e) { return -1; } // found
    }

    static Object named(String first, String second) throws Exception {
        return Class.forName("p.Aga" + first).getDeclaredMethod("hid" + second).invoke(null);
    }
}

class AgainHidden {
    static int hidden() {
        try { return Again.checked(7); } catch (IllegalStateException e) { return -1; } // hidden
    }
}

class AgainOther {
    static int other(int n) {
        try {
            if (n > 200) throw new IllegalStateException("more");
            return n;
        } catch (IllegalStateException e) { return -1; } // other
    }

    static int apart(int n) {
        try {
            if (n > 200) throw new IllegalStateException("too much");
            return n;
        } catch (IllegalStateException e) { return -1; } // its guard has another number when there is one more above
    }
}
`
	againTest = `package p;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class AgainTest {
    @Test public void finds() { assertEquals(7, Again.found(7)); }

    @Test public void hides() throws Exception { assertEquals(7, Again.named("inHidden", "den")); }

    @Test public void others() { assertEquals(7, AgainOther.other(7)); }

    @Test public void stays() { assertEquals(7, AgainOther.apart(7)); }
}
`
)

// A run does what its own results ask for, so that a second one starts no JVM; and when other code
// has changed, a test is not run again for throws that were looked for in it.
func TestSecondRunRunsNothing(t *testing.T) {
	dir := projectOf(t, "Again", againMain, againTest)
	s := sessionOf(t, dir, 2)
	const guards = "the conditions of throw statements"
	early := false // faults are tried before what runs have shown is analysed
	run := func() (sum session.Summary, watched []string) {
		t.Helper()
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		watch := watchProgress(t)
		sum, err := s.Run(context.Background(), session.Scope{Faults: "jvm"}, func(percent int, message string) {
			watch(percent, message)
			early = early || strings.HasPrefix(message, guards+", ")
			if _, test, ok := strings.Cut(message, "p.AgainTest#"); ok && strings.HasPrefix(message, guards) {
				watched = append(watched, test)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(watched)
		return sum, slices.Compact(watched)
	}
	outcomes := func() (out []string) {
		for _, c := range codelens.MakeReport(s.View(), "test", false).Catches {
			for _, l := range c.Links {
				method, _, _ := strings.Cut(c.Method, "(")
				out = append(out, method+" "+l.Outcome)
			}
		}
		slices.Sort(out)
		return out
	}
	forced := []string{"apart forced", "found forced", "hidden forced", "other forced"}
	if _, watched := run(); !slices.Equal(outcomes(), forced) ||
		!slices.Equal(watched, []string{"finds", "hides", "others", "stays"}) {
		t.Errorf("the first run: links are %q, want %q; guards were looked for in %q", outcomes(), forced, watched)
	}
	if early {
		t.Error("guards were looked for before the analysis knew what the baseline had shown")
	}
	if sum, _ := run(); sum.Times.Starts != 0 || sum.Faults != 0 {
		t.Errorf("the second run starts %d JVMs and tries %d faults", sum.Times.Starts, sum.Faults)
	}
	path := filepath.Join(dir, "src", "p", "Again.java")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, path, strings.Replace(string(text), "            if (n > 200)", `            if (n > 300) throw new IllegalStateException("most");
            if (n > 200)`, 1))
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(dir, "out", "main"), path)
	if _, watched := run(); !slices.Equal(watched, []string{"others"}) {
		t.Errorf("guards were looked for in %q when another throw came to the one method", watched)
	}
	if forced := append(forced, "other forced"); !slices.Equal(outcomes(), forced) {
		t.Errorf("links are %q, want %q", outcomes(), forced)
	}
}
