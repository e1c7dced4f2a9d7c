//go:build slow

package session

import (
	"bufio"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/chains"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// The call chains that runs record are those that the stacks of the threads have, each test's and
// on each level: with exceptions that the component, or its callers, catch, with constructors that
// fail, class initialisers, wrappers of the JDK around the component, full stacks, and eight
// threads; and the forest has them all. Each method of testdata/chains/Comp.java calls a hook that
// looks at the whole stack, or is called on a line where another hook says so.
func TestChainsAreThoseOfTheStacks(t *testing.T) {
	for _, jdk := range []int{17, 25} {
		t.Run(fmt.Sprint(jdk), func(t *testing.T) {
			s := openChains(t, jdk, nil)
			snap := s.View().Snap
			f := callchain.Build(snap.CallGraph(), callchain.Options{Points: snap.PointsTo(), Length: 4,
				Granularity: callchain.BySite, Component: func(class string) bool {
					c := snap.Class(class)
					return c != nil && !c.InTests
				}})
			found, sum, err := s.CoverChains(t.Context(), f, false, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Tests) != 14 || sum.Failed != 1 {
				t.Fatalf("%d tests, %d failed: %q", len(found.Tests), sum.Failed, sum.Notes)
			}
			for _, u := range found.Unpredicted {
				t.Errorf("the forest does not have %s at level %d, by %s", u.Chain, u.Level, u.Test)
			}
			compareWithStacks(t, s)
			compareWithComponent(t, s, found)
			again, sum, err := s.CoverChains(t.Context(), f, false, nil)
			if err != nil || sum.Times.Starts != 0 || len(again.Tests) != len(found.Tests) {
				t.Errorf("what is known is run again: %d JVMs, %v", sum.Times.Starts, err)
			}
		})
	}
}

// runsHook is a class of a library whose initialiser runs a hook of the test.
const runsHook = `package ext;

public class %s {
    public static Object VALUE = init();

    static Object init() {
        ((Runnable) System.getProperties().get("hook")).run();
        return "v";
    }
}
`

// openChains opens the component and its tests, with more source files by path.
func openChains(t *testing.T, jdk int, more map[string]string) *Session {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for name, text := range more {
		files = append(files, filepath.Join(dir, name))
		scratch.Write(t, files[len(files)-1], text)
	}
	for from, to := range map[string]string{"Comp.java": "src", "CompTest.java": "test"} {
		text, err := os.ReadFile(filepath.Join("testdata", "chains", from))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Join(dir, to, "comp", from))
		scratch.Write(t, files[len(files)-1], string(text))
	}
	slices.Sort(files)
	library := filepath.Join(dir, "lib", "out")
	var classes []string
	for _, name := range []string{"Outside", "Other", "Latest"} {
		classes = append(classes, filepath.Join(dir, "lib", "ext", name+".java"))
		scratch.Write(t, classes[len(classes)-1], fmt.Sprintf(runsHook, name))
	}
	testjdk.Javac(t, testjdk.JDK(t, jdk), 17, nil, library, classes...)
	half := len(files) / 2 // those of src come first
	scratch.Workspace(t, dir, testjdk.JDK(t, jdk), 17, files[:half], files[half:], "extraClassPath = [\"lib/out\"]\n",
		func(t testing.TB, home string, release int, classPath []string, out string, files ...string) {
			testjdk.Javac(t, home, release, append([]string{library}, classPath...), out, files...)
		})
	s, err := Open([]string{dir}, Options{CacheDir: scratch.CacheDir(t), Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// compareWithStacks compares what was recorded with what the hook saw, which the last tests say.
func compareWithStacks(t *testing.T, s *Session) {
	t.Helper()
	want, got := map[string]bool{}, map[string]bool{}
	memory := s.store
	for _, run := range memory.Runs() {
		_, test, _ := strings.Cut(run.Test, "#")
		if strings.HasPrefix(test, "zDump") {
			_, code, _ := strings.Cut(run.Message, ": ")
			r, err := zlib.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(code)))
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(r)
			for lines.Scan() {
				want[lines.Text()] = true
			}
			if err := lines.Err(); err != nil {
				t.Fatalf("what the hook saw is not there to its end: %v", err)
			}
		}
		for _, c := range run.Chains {
			got[fmt.Sprint(test, " ", c.Level, " ", chainText(s, memory.Method, &c))] = true
		}
	}
	levels := map[string]int{}
	for line := range want {
		if !got[line] {
			t.Errorf("not recorded: %s", line)
		}
		levels[strings.Fields(line)[1]]++
	}
	for _, line := range slices.Sorted(maps.Keys(got)) {
		// These methods do not look at the stack, or not before they fail.
		quiet := strings.Contains(line, "Comp.deep") || slices.ContainsFunc([]string{"Comp$Source.<init>",
			"Comp$Source.size", "Comp$Source.iterator", "Comp$Items.<init>", "Comp$Items.size", "Comp$Items.iterator",
			"Comp$Counting.<init>", "Comp$Outer.<init>", "Comp$Deeper.<init>", "Comp.starts", "Comp.kinds",
			"Comp$Kind.<init>",
			"Comp$Kind.$values", "Comp$Kind.<clinit>",
			"Comp$Adding.<init>", "Comp$Adding.size", "Comp$Putting.<init>",
			"CompRandom$C0.<init>", "CompRandom$C1.<init>",
			"CompRandom$C2.<init>", "CompRandom$C3.<init>", "CompRandom.<clinit>", "CompRandom.here", "Comp.says",
			"CompRandom.refuel", "Comp$Leaf.<init>", "Comp$LeafList.<init>", "Comp$Busy.<clinit>"},
			func(m string) bool { return strings.HasSuffix(line, m) })
		if !want[line] && !quiet {
			t.Errorf("recorded, but on no stack: %s", line)
		}
	}
	t.Logf("%d chains of tests on stacks, %d recorded, by level %v", len(want), len(got), levels)
	if len(want) < 200 || levels["1"] < 30 {
		t.Error("few chains were compared")
	}
}

// chainText is a chain as the hook writes it.
func chainText(s *Session, method func(record.MethodID) record.MethodKey, c *record.CallChain) string {
	var b strings.Builder
	for i, id := range c.Methods {
		k := method(id)
		name, _, _ := strings.Cut(k.Method, "(")
		fmt.Fprintf(&b, "%s.%s", strings.TrimPrefix(k.Class, "comp/"), name)
		if i < len(c.Calls) {
			f := s.View().Snap.Class(k.Class).Facts
			at := slices.IndexFunc(f.Methods, func(m facts.Method) bool { return m.Name+m.Desc == k.Method })
			fmt.Fprintf(&b, ":%d>", f.Methods[at].Calls[c.Calls[i]].Line)
		}
	}
	return b.String()
}

// compareWithComponent compares what a hover is told of the package with what tests took in the
// workspace: both have the same classes.
func compareWithComponent(t *testing.T, s *Session, found *chains.Tested) {
	t.Helper()
	var c *chains.Component
	for end := time.Now().Add(time.Minute); c == nil || !c.Ran(); c, _ = s.Chains("comp/Comp") {
		if time.Now().After(end) {
			t.Fatal("the chains of the package are not found")
		}
		time.Sleep(20 * time.Millisecond)
	}
	all, taken := found.Count(&chains.Show{})
	var have chains.Count
	for _, n := range callchain.Methods(c.Forest.Graph, c.Forest.InComponent) {
		k := c.Count(n)
		have.All, have.Taken, have.Unrecorded = have.All+k.All, have.Taken+k.Taken, have.Unrecorded+k.Unrecorded
		for _, w := range c.ChainsTo(n, k.All) {
			if w.State == chains.Taken != (len(w.Tests) > 0) || w.State == chains.Taken != (w.Prefix == len(w.Frames)) {
				t.Errorf("a way to %d: %+v", n, w)
			}
		}
	}
	if want := (chains.Count{All: all, Taken: taken}); have != want || taken == 0 {
		t.Errorf("of the package there is %+v, of the workspace %+v", have, want)
	}
}
