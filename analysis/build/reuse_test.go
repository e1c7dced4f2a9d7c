package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testjdk"
)

const reuseSource = `package p;
public class C {
    public static void main(String[] args) {
        try {
            read(args.length);
        } catch (IllegalStateException e) { System.out.println("caught"); }
    }
    static void read(int n) { if (n > 3) throw new IllegalStateException("many"); }
}
`

// What an edit leaves as it is is taken over, with the lines of now; what it does
// not is made anew.
func TestTakeOver(t *testing.T) {
	compiled := map[string][]byte{}
	for _, graph := range []string{"rta", "inpta-dr"} {
		t.Run(graph, func(t *testing.T) {
			p := newReuseProject(t, graph)
			p.compiled = compiled
			first := p.build(t, reuseSource, nil)
			if l := onlyLink(t, first); l.Site.Line != 8 || l.Chain()[0].Line != 5 {
				t.Errorf("line %d, chain %v", l.Site.Line, l.Chain())
			}
			moved := p.build(t, "// A comment.\n\n"+strings.Replace(reuseSource, "n > 3", "n * 2 > 7", 1), first)
			if &moved.CallGraph().Sites[0] != &first.CallGraph().Sites[0] {
				t.Error("the call graph was made anew after an edit that leaves it as it is")
			}
			l, old := onlyLink(t, moved), onlyLink(t, first)
			if l.Site.Line != 10 || l.Chain()[0].Line != 7 || l.Chain()[1].Line != 10 {
				t.Errorf("line %d, chain %v", l.Site.Line, l.Chain())
			}
			if l == old || l.Catch == old.Catch || l.Catch.Line != 8 || old.Catch.Line != 6 || old.Site.Line != 8 ||
				old.Chain()[1].Line != 8 {
				t.Error("the snapshot before has changed")
			}
			other := p.build(t, strings.Replace(reuseSource, `IllegalStateException("many")`,
				`IllegalArgumentException("many")`, 1), moved)
			if n := len(other.Catches[0].Links); n != 0 {
				t.Errorf("%d links of an exception that is not thrown any more", n)
			}
			again := p.build(t, reuseSource, other)
			if l := onlyLink(t, again); l.ID != old.ID || *l.Site != *old.Site {
				t.Errorf("%v, at first %v", *l.Site, *old.Site)
			}
		})
	}
}

// pickSource passes a constant that decides which of two exceptions is thrown.
const pickSource = `package p;
public class C {
    public static void main(String[] args) {
        try {
            pick(0);
        } catch (IllegalStateException e) { System.out.println("caught"); }
    }
    static void pick(int n) { if (n == 0) first(); else second(); }
    static void first() { throw new IllegalStateException("first"); }
    static void second() { throw new IllegalStateException("second"); }
}
`

// Another constant that is passed leaves the call graph as it is, but not what
// DataReach discards.
func TestTakeOverValues(t *testing.T) {
	p := newReuseProject(t, "pta-dr")
	p.compiled = map[string][]byte{}
	first := p.build(t, pickSource, nil)
	if l := onlyLink(t, first); l.Site.Line != 9 {
		t.Errorf("line %d", l.Site.Line)
	}
	other := p.build(t, strings.Replace(pickSource, "pick(0)", "pick(1)", 1), first)
	if l := onlyLink(t, other); l.Site.Line != 10 || other.Stats.Reuse != snapshot.ReuseGraph ||
		other.Stats.Methods != first.Stats.Methods {
		t.Errorf("line %d, %q taken over, %d and %d methods", l.Site.Line, other.Stats.Reuse, other.Stats.Methods,
			first.Stats.Methods)
	}
	again := p.build(t, strings.Replace(pickSource, "n == 0", "n != 0", 1), other)
	if l := onlyLink(t, again); l.Site.Line != 10 {
		t.Errorf("line %d", l.Site.Line)
	}
}

// promiseSource keeps the compiler's promise that use throws nothing that it does not declare.
const promiseSource = `package p;
public class C {
    interface Getter<E extends Exception> { void get() throws E; }
    static class Bad extends Exception { }
    public static void main(String[] args) {
        Getter<Bad> bad = C::load;
        Getter<RuntimeException> good = () -> { };
        try {
            use(given(good, bad));
        } catch (Exception e) { System.out.println("caught"); }
    }
    static Getter<RuntimeException> given(Getter<RuntimeException> a, Getter<?> b) { return a; }
    static void use(Getter<RuntimeException> g) { g.get(); }
    static void load() throws Bad { throw new Bad(); }
}
`

// An edit that breaks the promise leaves calls, throws and handlers as they are, and what
// values a call graph without points-to sets does not follow.
func TestTakeOverPromises(t *testing.T) {
	for _, graph := range []string{"cha", "rta", "obj-dr"} {
		t.Run(graph, func(t *testing.T) {
			p := newReuseProject(t, graph)
			p.compiled = map[string][]byte{} // of class C only: its nested ones are the folder's
			snap := p.build(t, promiseSource, nil)
			broken := strings.Replace(promiseSource, "return a", "return (Getter<RuntimeException>) b", 1)
			for i, text := range []string{promiseSource, broken, "// A comment.\n" + broken,
				strings.Replace(promiseSource, "return a", "return (Getter<RuntimeException>) (Getter) a", 1)} {
				snap = p.build(t, text, snap)
				want := 0
				if strings.Contains(text, ") b;") {
					want = 1
				}
				if n := len(snap.Catches[0].Links); n != want {
					t.Errorf("edit %d: %d links, want %d", i, n, want)
				}
			}
		})
	}
}

type reuseProject struct {
	dir   string
	ws    *workspace.Workspace
	cfg   snapshot.Config
	cache *factcache.Cache

	compiled map[string][]byte // by text
	withhold *RuledOut
}

func newReuseProject(t *testing.T, graph string) *reuseProject {
	t.Helper()
	dir := t.TempDir()
	m := &workspace.Module{Name: "m", Dir: dir, Compilation: workspace.Compilation{JDKHome: testjdk.JDK(t, 17)},
		SourceFolders: workspace.SourceFolders{MainSources: []string{filepath.Join(dir, "src")},
			MainOutputs: []string{filepath.Join(dir, "out")}}}
	cfg, err := snapshot.Settings{CallGraph: graph, EntryPoints: "mains"}.Config()
	if err != nil {
		t.Fatal(err)
	}
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache := factcache.OpenCache(filepath.Join(user, "catchlens-test", "session", "facts"))
	t.Cleanup(cache.Forget)
	return &reuseProject{dir: dir, cfg: cfg, cache: cache,
		ws: &workspace.Workspace{Root: dir, Roots: []string{dir}, Modules: []*workspace.Module{m},
			Config: &workspace.Config{}}}
}

// build compiles a source and makes the next snapshot.
func (p *reuseProject) build(t *testing.T, text string, prev *snapshot.Snapshot) *snapshot.Snapshot {
	t.Helper()
	file := filepath.Join(p.dir, "src", "p", "C.java")
	for _, dir := range []string{filepath.Dir(file), filepath.Join(p.dir, "out", "p")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	class := filepath.Join(p.dir, "out", "p", "C.class")
	if data := p.compiled[text]; data != nil {
		if err := os.WriteFile(class, data, 0o644); err != nil {
			t.Fatal(err)
		}
	} else {
		testjdk.Javac(t, testjdk.JDK(t, 17), 17, p.ws.Modules[0].ClassPath, filepath.Join(p.dir, "out"), file)
		data, err := os.ReadFile(class)
		if err != nil {
			t.Fatal(err)
		}
		p.compiled[text] = data
	}
	s, err := Snapshot(context.Background(), p.ws, p.cfg, Options{Cache: p.cache, Withhold: p.withhold}, prev)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait()
	return s
}

func onlyLink(t *testing.T, s *snapshot.Snapshot) *snapshot.Link {
	t.Helper()
	if len(s.Catches) != 1 || len(s.Catches[0].Links) != 1 {
		t.Fatal(fmt.Sprint(len(s.Catches), " catches: ", s.Problems))
	}
	return s.Catches[0].Links[0]
}
