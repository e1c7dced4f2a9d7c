package known

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// Exceptions that the analysis does not lead to their catches (docs/internals/soundness.md): from a
// class that a class loader of the program defines under a name that the class path has, too; from
// an object of a class whose name is cut out of a text; and from an instruction, which is no throw
// site that is studied.
const (
	missedMain = `package p;

public class Missed {
    public static class Gone extends Exception { }

    public interface Step { void go() throws Gone; }

    static String loaded(Step s) {
        try { s.go(); return ""; } catch (Gone e) { return "loaded"; } // loaded
    }

    static String unseen(Step s) {
        try { s.go(); return ""; } catch (Gone e) { return "unseen"; } // unseen
    }

    static String made(Step s) {
        try { s.go(); return ""; } catch (Gone e) { return "made"; } // made
    }

    static int divided(int a, int b) {
        try { return a / b; } catch (ArithmeticException e) { return 0; } // divided
    }

    static String never(Step s) {
        try { s.toString(); s.go(); return ""; } catch (Gone e) { return "never"; } // never
    }
}

class Plugin implements Missed.Step {
    public void go() { }
}

class Made implements Missed.Step {
    public void go() throws Missed.Gone { throw new Missed.Gone(); }
}
`
	otherPlugin = `package p;

public class Plugin implements Missed.Step {
    public void go() throws Missed.Gone { inner(); }
    static void inner() throws Missed.Gone { throw new Missed.Gone(); }
}
`
	missedTest = `package p;

import static org.junit.Assert.assertEquals;

import java.io.InputStream;
import org.junit.Test;

public class MissedTest {
    static class Own extends ClassLoader {
        Own() { super(MissedTest.class.getClassLoader()); }

        Class<?> plugin(String name) throws Exception { // without a name, agents do not get to see it
            try (InputStream in = MissedTest.class.getResourceAsStream("/other.bin")) {
                byte[] all = in.readAllBytes();
                return defineClass(name, all, 0, all.length);
            }
        }
    }

    static Missed.Step make(Class<?> c) throws Exception {
        var constructor = c.getDeclaredConstructor();
        constructor.setAccessible(true);
        return (Missed.Step) constructor.newInstance();
    }

    @Test
    public void loaded() throws Exception { assertEquals("loaded", Missed.loaded(make(new Own().plugin("p.Plugin")))); }

    @Test
    public void unseen() throws Exception { assertEquals("unseen", Missed.unseen(make(new Own().plugin(null)))); }

    @Test
    public void made() throws Exception {
        assertEquals("made", Missed.made(make(Class.forName("of p.Made".substring(3)))));
    }

    @Test
    public void divided() { assertEquals(0, Missed.divided(1, 0)); }

    @Test
    public void never() { assertEquals("", Missed.never(new Plugin())); new Made().toString(); }
}
`
)

func missedWorkspace(t *testing.T) string {
	t.Helper()
	files := filepath.Join(t.TempDir(), "p")
	scratch.Write(t, filepath.Join(files, "Missed.java"), missedMain)
	scratch.Write(t, filepath.Join(files, "MissedTest.java"), missedTest)
	dir := workspaceOf(t, []string{filepath.Join(files, "Missed.java"), filepath.Join(files, "MissedTest.java")},
		compilation{release: 17, jdk: 17})
	scratch.Write(t, filepath.Join(files, "other", "Plugin.java"), otherPlugin)
	other := t.TempDir()
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, []string{filepath.Join(dir, "out", "main")}, other,
		filepath.Join(files, "other", "Plugin.java"))
	class, err := os.ReadFile(filepath.Join(other, "p", "Plugin.class"))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, filepath.Join(dir, "out", "test", "other.bin"), string(class))
	return dir
}

// coverageTitles are the lenses of a view without what they say of contracts, by the comment behind
// the catch.
func coverageTitles(v codelens.View) map[string]string {
	out := map[string]string{}
	for _, c := range v.Snap.Catches {
		_, name, _ := strings.Cut(strings.Split(string(c.File.Text), "\n")[c.Line-1], "// ")
		out[name], _, _ = strings.Cut(codelens.Title(v, c), " ·")
	}
	return out
}

// A link that a run experienced is shown wherever links are, whether the analysis predicts it or
// not, from when it is recorded, and until the next runs.
func TestUnpredicted(t *testing.T) {
	for _, graph := range []string{"rta", "auto"} {
		t.Run(graph, func(t *testing.T) { checkUnpredicted(t, graph) })
	}
}

func checkUnpredicted(t *testing.T, graph string) {
	s, err := session.Open([]string{missedWorkspace(t)},
		session.Options{CacheDir: scratch.CacheDir(t), Trusted: true, Workers: 1,
			Settings: snapshot.Settings{CallGraph: graph}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	refined(t, s, graph)
	before := coverageTitles(s.View())
	for _, name := range []string{"loaded", "unseen", "made", "never"} {
		if want := "no failures found"; graph == "auto" && before[name] != want {
			t.Errorf("before a run, %s: %q, want %q", name, before[name], want)
		}
	}

	titles, stop := map[string][]string{}, make(chan bool)
	watched := make(chan bool)
	go func() {
		defer close(watched)
		for last := (codelens.View{}); ; {
			if v := s.View(); v.Snap != last.Snap || v.Results != last.Results || v.Runs != last.Runs {
				last = v
				for name, title := range coverageTitles(v) {
					if list := titles[name]; len(list) == 0 || list[len(list)-1] != title {
						titles[name] = append(list, title)
					}
				}
			}
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	sum, err := s.Run(context.Background(), session.Scope{Faults: "off"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	refined(t, s, graph)
	stop <- true
	<-watched
	if sum.Passed != 5 || sum.Unpredicted != 2 {
		t.Errorf("%d tests pass, %d links are not predicted; notes %q", sum.Passed, sum.Unpredicted, sum.Notes)
	}
	after := coverageTitles(s.View())
	// A points-to graph keeps what the run saw made to the try that it reached; rta knows classes
	// only, so that each try may meet Made.
	want := map[string]string{
		"loaded": "1 failure tested, not predicted", "unseen": "1 failure tested, not predicted",
		"made": "1 of 1 failure tested", "divided": "failures not counted", "never": "no failures found",
	}
	if graph == "rta" {
		want["loaded"] = "0 of 1 failure tested, 1 more not predicted"
		want["unseen"] = want["loaded"]
		want["never"] = "1 failure, not tested"
	}
	for name, title := range want {
		if after[name] != title {
			t.Errorf("after a run, %s: %q, want %q", name, after[name], title)
		}
	}
	for name, list := range titles {
		seen := slices.IndexFunc(list, isExperienced)
		if lost := slices.ContainsFunc(list[max(seen, 0):],
			func(title string) bool { return !isExperienced(title) }); seen >= 0 && lost {
			t.Errorf("%s comes and goes: %q", name, list)
		}
	}
	checkShown(t, s.View())
}

// isExperienced tells whether a lens says that some link was experienced.
func isExperienced(title string) bool {
	return !strings.HasPrefix(title, "no ") && !strings.HasSuffix(title, "none tested") &&
		!strings.HasSuffix(title, "not tested")
}

// refined waits until links are refined, where they are.
func refined(t *testing.T, s *session.Session, graph string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); graph == "auto" &&
		s.View().Snap.Config.CallGraph != snapshot.Refined[0]; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("links are those of %s", s.View().Snap.Config.CallGraph)
		}
	}
}

// checkShown looks for a link that stays unpredicted in everything that is written.
func checkShown(t *testing.T, v codelens.View) {
	i := slices.IndexFunc(v.Snap.Catches,
		func(c *snapshot.Catch) bool { return strings.HasPrefix(c.Method, "loaded(") })
	c := v.Snap.Catches[i]
	r := codelens.MakeReport(v, "test", false)
	found := map[string][]codelens.ReportLink{}
	for _, rc := range r.Catches {
		for _, l := range rc.Links {
			if !l.Predicted {
				found[rc.ID] = append(found[rc.ID], l)
			}
		}
	}
	if len(found) != 2 || len(found[c.ID]) != 1 || r.Totals.Unpredicted != 2 {
		t.Fatalf("links of the report that are not predicted are %+v, %d in its totals", found, r.Totals.Unpredicted)
	}
	l := found[c.ID][0]
	if l.Outcome != "experienced" || l.Exception != "p.Missed$Gone" || l.ThrowSite.Class != "p.Plugin" ||
		!strings.HasPrefix(l.ThrowSite.Method, "inner") ||
		!slices.Equal(l.ExperiencedBy, []string{"baseline"}) ||
		!slices.Equal(l.Tests, []string{"p.MissedTest#loaded"}) {
		t.Errorf("the report has %+v", l)
	}
	var text, html, sarif bytes.Buffer
	codelens.Text(t.Context(), &text, v, codelens.TextOptions{Links: true})
	if err := codelens.HTMLReport(t.Context(), &html, v, "test"); err != nil {
		t.Fatal(err)
	}
	if err := codelens.SARIF(&sarif, v, "test", "", nil); err != nil || !json.Valid(sarif.Bytes()) {
		t.Fatal(err)
	}
	for name, x := range map[string]struct{ text, want string }{
		"text": {text.String(), "          p.Missed$Gone\n           * Plugin.inner:5, not predicted"},
		"HTML": {html.String(), `["good","experienced by p.MissedTest#loaded, not predicted","explicit","",""],` +
			`"Plugin.inner:5",0]`},
		"SARIF": {sarif.String(), "An exception arrived here that the analysis did not predict: Missed.Gone from " +
			"Plugin.inner. Please report this."},
		"hover": {codelens.CatchHover(v, c, nil, nil),
			"Not predicted:\n\n- `p.Missed$Gone` from `Plugin.inner:5`, experienced by `p.MissedTest#loaded`"},
		"page": {codelens.ChainsPage(v, c, nil), "- `p.Missed$Gone` from `Plugin.inner:5`"},
	} {
		if !strings.Contains(x.text, x.want) {
			t.Errorf("%s does not have %q:\n%s", name, x.want, x.text)
		}
	}
}
