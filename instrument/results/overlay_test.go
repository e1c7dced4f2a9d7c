package results

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// Both catches call close of a type that two classes implement, so that every
// call graph without points-to lets either catch reach either implementation.
const twoClosers = `package p;
import java.io.*;
class C {
    static int a(Closeable c) { try { c.close(); return 0; } catch (IOException e) { return help(); } }
    static int b(Closeable c) { try { c.close(); return 0; } catch (IOException e) { return 1; } }
    static int help() { return 2; }
    public static void main(String[] args) { a(new A()); b(new B()); }
}
class A implements Closeable { public void close() throws IOException { if (C.help() > 3) throw new IOException("a"); } }
class B implements Closeable { public void close() throws IOException { if (C.help() > 4) throw new IOException("b"); } }
`

func snapshotOf(t *testing.T, cache *factcache.Cache, root, source string) *snapshot.Snapshot {
	t.Helper()
	file := filepath.Join(root, "src", "p", "C.java")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(root, "classes"), file)
	return snapshotIn(t, cache, root, "mains")
}

// snapshotIn analyses a folder that is compiled.
func snapshotIn(t *testing.T, cache *factcache.Cache, root, entryPoints string) *snapshot.Snapshot {
	t.Helper()
	ws, err := discovery.Open(context.Background(), []string{root}, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := snapshot.Settings{CallGraph: "cha", EntryPoints: entryPoints}.Config()
	if err != nil {
		t.Fatal(err)
	}
	snap, err := build.Snapshot(context.Background(), ws, cfg, build.Options{Cache: cache}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(snap.Wait) // it writes to the cache
	return snap
}

// Results are stale through a changed method if a run of theirs entered it and
// the try or the clause may reach it. Neither alone makes them stale: not a
// method that dispatch reaches and no run entered, and not one that ran elsewhere
// in the test.
func TestStaleByWhatRan(t *testing.T) {
	root := t.TempDir()
	cache := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	snap := snapshotOf(t, cache, root, twoClosers)
	st := open(t, t.TempDir())
	ids := func(methods ...string) (out []record.MethodID) {
		for _, m := range methods {
			class, name, _ := strings.Cut(m, " ")
			d, ok := snap.MethodDigest(snapshot.MethodRef{Class: class, Method: name})
			if !ok {
				t.Fatalf("no method %s", m)
			}
			out = append(out, st.Intern(record.MethodKey{Class: class, Method: name, Digest: d}))
		}
		slices.Sort(out)
		return out
	}
	catch := func(snap *snapshot.Snapshot, method string) *snapshot.Catch {
		for _, c := range snap.Catches {
			if strings.HasPrefix(c.Method, method+"(") {
				return c
			}
		}
		t.Fatalf("no catch in %s", method)
		return nil
	}
	ca, cb := catch(snap, "a"), catch(snap, "b")
	put := func(c *snapshot.Catch, test string, ran, injected []record.MethodID) {
		if err := st.PutTestRun(&record.TestRun{Test: test, Class: "p.T", Outcome: record.Pass, Methods: ran,
			Usages: map[string]record.Usage{c.ID: {Pink: 1}}}); err != nil {
			t.Fatal(err)
		}
		if err := st.PutCell(&record.Cell{Format: record.CellFormat,
			Trial: record.Trial{Catch: c.ID, Test: test, Outcome: record.Pass, Deps: injected},
			Type:  "java.io.IOException", Fired: 1}); err != nil {
			t.Fatal(err)
		}
	}
	closeIt := " close()V"
	inA, inB := "p/C a(Ljava/io/Closeable;)I", "p/C b(Ljava/io/Closeable;)I"
	// the clause calls help
	put(
		ca,
		"p.T#a",
		ids(inA, "p/A"+closeIt, "p/A "+snapshot.Dispatch),
		ids(inA, "p/A"+closeIt, "p/A "+snapshot.Dispatch, "p/C help()I"),
	)
	put(cb, "p.T#b", ids(inB, "p/B"+closeIt, "p/C main([Ljava/lang/String;)V"), ids(inB, "p/B"+closeIt))
	env := func(string) string { return "" }

	for _, c := range []struct {
		what, old, new string
		a, b           bool // stale
	}{
		{"a line above", "package p;", "// above\npackage p;", false, false},
		{"the close that only a's test entered", `"a"`, `"aa"`, true, false},
		{"the close that only b's test entered", `"b"`, `"bb"`, false, true},
		{"the try of a", "c.close(); return 0; } catch (IOException e) { return help",
			"c.close(); return 5; } catch (IOException e) { return help", true, false},
		{"what only an injected run of a entered", "return 2;", "return 3;", true, false},
		{"what b's test entered outside the try", "b(new B())", "b(new B()); help()", false, false},
		{"what calls on objects of a class run that a's test entered", "class A implements Closeable {",
			"class A implements Closeable { public String toString() { return null; }", true, false},
		{"the supertypes of that", "class A implements", "class A implements Cloneable,", true, false},
		{"what it alone declares", "class A implements Closeable {",
			"class A implements Closeable { public int toString(int n) { return n; } static void equals() { } ",
			false,
			false},
	} {
		now := snapshotOf(t, cache, root, strings.Replace(twoClosers, c.old, c.new, 1))
		o := Lay(now, st, env)
		a, b := catch(now, "a"), catch(now, "b")
		if got := o.ByCatch[a.ID].Stale; got != c.a {
			t.Errorf("%s changed: the catch of a is stale: %v, want %v", c.what, got, c.a)
		}
		if got := o.ByCatch[b.ID].Stale; got != c.b {
			t.Errorf("%s changed: the catch of b is stale: %v, want %v", c.what, got, c.b)
		}
		// What the static side alone says of the two implementations: both catches.
		if c.what == "a line above" {
			touched := now.Touching([]snapshot.MethodRef{{Class: "p/A", Method: "close()V"}})
			if len(touched[a]) != 1 || len(touched[b]) != 1 {
				t.Errorf("the call graph lets A.close be reached from %d and %d catches, want one each",
					len(touched[a]), len(touched[b]))
			}
		}
	}
}

// Of two implementations that a test entered, and that the try may reach, only the
// one that ran in the try makes stale; the other one does if nobody knows where it
// ran, or if it ran on another thread meanwhile. A store that is opened again says
// the same.
func TestStaleByWhatRanBelow(t *testing.T) {
	root := t.TempDir()
	cache := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	snap := snapshotOf(t, cache, root, twoClosers)
	dir := t.TempDir()
	st := open(t, dir)
	id := func(class, method string) record.MethodID {
		d, ok := snap.MethodDigest(snapshot.MethodRef{Class: class, Method: method})
		if !ok {
			t.Fatalf("no method %s %s", class, method)
		}
		return st.Intern(record.MethodKey{Class: class, Method: method, Digest: d})
	}
	inA, inB := id("p/A", "close()V"), id("p/B", "close()V")
	both := []record.MethodID{inA, inB}
	slices.Sort(both)
	c := snap.Catches[0]
	if !strings.HasPrefix(c.Method, "a(") {
		t.Fatalf("the first catch is in %s", c.Method)
	}
	other := snapshotOf(t, cache, root, strings.Replace(twoClosers, `"b"`, `"bb"`, 1))
	same := snapshotOf(t, cache, root, strings.Replace(twoClosers, `"a"`, `"aa"`, 1))
	for _, x := range []struct {
		what         string
		below, aside record.Below
		stale        bool // after a change of the other implementation
	}{
		{"where both ran is unknown", nil, nil, true},
		{"this one ran in the try", record.Below{c.ID: {inA}}, nil, false},
		{"both ran in the try", record.Below{c.ID: both}, nil, true},
		{"the other one ran aside", record.Below{c.ID: {inA}}, record.Below{c.ID: {inB}}, true},
		{"what is known is of another catch", record.Below{"other": {inA}}, nil, true},
	} {
		if err := st.PutTestRun(&record.TestRun{Test: "p.T#a", Class: "p.T", Outcome: record.Pass, Methods: both,
			Below: x.below, Aside: x.aside, Usages: map[string]record.Usage{c.ID: {Pink: 1}}}); err != nil {
			t.Fatal(err)
		}
		if err := st.PutCell(&record.Cell{Format: record.CellFormat,
			Trial: record.Trial{Catch: c.ID, Test: "p.T#a", Outcome: record.Pass, Deps: both, Below: x.below,
				Aside: x.aside}, Type: "java.io.IOException", Fired: 1}); err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		st = open(t, dir)
		env := func(string) string { return "" }
		if got := Lay(other, st, env).ByCatch[c.ID].Stale; got != x.stale {
			t.Errorf("%s: a change of the other makes stale: %v, want %v", x.what, got, x.stale)
		}
		if !Lay(same, st, env).ByCatch[c.ID].Stale {
			t.Errorf("%s: a change of what ran in the try leaves the results as they were", x.what)
		}
		if Lay(snap, st, env).ByCatch[c.ID].Stale {
			t.Errorf("%s: stale without any change", x.what)
		}
	}
}

// An injected run of code that has changed makes stale as long as a campaign does it again: not
// where another one of today's code decides what it would tell.
func TestStaleByWhatIsAskedFor(t *testing.T) {
	root := t.TempDir()
	cache := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	snap := snapshotOf(t, cache, root, twoClosers)
	c := snap.Catches[0]
	st := open(t, t.TempDir())
	d, _ := snap.MethodDigest(snapshot.MethodRef{Class: "p/B", Method: "close()V"})
	changed := []record.MethodID{st.Intern(record.MethodKey{Class: "p/B", Method: "close()V", Digest: d})}
	put := func(test string, outcome record.Outcome, format int, deps []record.MethodID) {
		cell := &record.Cell{
			Format: format,
			Trial: record.Trial{Catch: c.ID, Test: test, Outcome: outcome, Deps: deps,
				Below: record.Below{c.ID: deps}},
			Type:      "java.io.IOException",
			Fired:     1,
			Confirmed: true,
			Certain:   true,
		}
		run := &record.TestRun{
			Test:    test,
			Class:   "p.T",
			Outcome: record.Pass,
			Usages:  map[string]record.Usage{c.ID: {Pink: 1}},
		}
		if err := errors.Join(st.PutTestRun(run), st.PutCell(cell)); err != nil {
			t.Fatal(err)
		}
	}
	after := snapshotOf(t, cache, root, strings.Replace(twoClosers, `"b"`, `"bb"`, 1))
	for _, b := range []struct {
		what   string
		format int
		deps   []record.MethodID
		why    string
	}{{"of changed code", record.CellFormat, changed, "the code has changed"},
		{"of an older format", record.CellFormat - 1, nil, "what catchlens throws has changed"}} {
		put("p.T#b", record.Pass, b.format, b.deps)
		for outcome, wanted := range map[record.Outcome]bool{record.Fail: false, record.Pass: true} {
			put("p.T#a", outcome, record.CellFormat, nil)
			s := Lay(after, st, func(string) string { return "" }).ByCatch[c.ID]
			if s.Stale != wanted {
				t.Errorf("a run %s beside one that is %s: stale %v, want %v", b.what, outcome, s.Stale, wanted)
			}
			if why := s.WhyStale(); s.Stale && why != b.why {
				t.Errorf("a run %s: %s", b.what, why)
			}
			if has := slices.ContainsFunc(s.Matrix, func(c record.Cell) bool { return c.Test == "p.T#b" }); has &&
				!wanted {
				t.Errorf("a run %s that is not asked for is shown", b.what)
			}
		}
	}
}

// A test that one clone has and the other does not: what either records last is not what
// the other is shown, also after compaction.
func TestGoneInOneClone(t *testing.T) {
	root := t.TempDir()
	cache := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	has := snapshotOf(t, cache, root, twoClosers)
	d, ok := has.MethodDigest(snapshot.MethodRef{Class: "p/C", Method: "help()I"})
	if !ok {
		t.Fatal("no method help")
	}
	lacks := snapshotOf(t, cache, root, strings.ReplaceAll(twoClosers, "help", "aid"))
	dir, at := t.TempDir(), time.Now()
	for n := range compactAt + 3 {
		st := open(t, dir)
		run := &record.TestRun{Test: "p.C#help", Class: "p.C", Outcome: record.Pass,
			At:      at.Add(time.Duration(n) * time.Second),
			Methods: []record.MethodID{st.Intern(record.MethodKey{Class: "p/C", Method: "help()I", Digest: d})}}
		if n == 1 {
			run.Outcome, run.Methods = record.Gone, nil
		}
		if err := st.PutTestRun(run); err != nil {
			t.Fatal(err)
		}
		env := func(string) string { return "" }
		if got := Lay(has, st, env).Tests[record.Pass]; got != 1 {
			t.Errorf("after %d records the clone with the test sees %d, want 1", n+1, got)
		}
		if got := Lay(lacks, st, env).Tests[record.Pass]; n > 0 && got != 0 {
			t.Errorf("after %d records the clone without the test sees %d, want none", n+1, got)
		}
		st.Close()
	}
}

// A test that was gone once, and is there again, is stale and not gone where another method of its
// class gets another name.
func TestNotGoneForAnotherMethod(t *testing.T) {
	cache := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	root := t.TempDir()
	has := snapshotOf(t, cache, root, twoClosers)
	d, ok := has.MethodDigest(snapshot.MethodRef{Class: "p/C", Method: "help()I"})
	if !ok {
		t.Fatal("no method help")
	}
	st, at := open(t, t.TempDir()), time.Now()
	defer st.Close()
	for n, run := range []*record.TestRun{
		{Outcome: record.Gone},
		{Outcome: record.Pass, Methods: []record.MethodID{st.Intern(record.MethodKey{Class: "p/C",
			Method: "a(Ljava/io/Closeable;)I", Digest: d}),
			st.Intern(record.MethodKey{Class: "p/C", Method: "help()I", Digest: d})}},
	} {
		run.Test, run.Class, run.At = "p.C#a", "p.C", at.Add(time.Duration(n)*time.Second)
		if err := st.PutTestRun(run); err != nil {
			t.Fatal(err)
		}
	}
	renamed := snapshotOf(t, cache, root, strings.ReplaceAll(twoClosers, "help", "aid"))
	if got := Lay(renamed, st, func(string) string { return "" }).Tests[record.Pass]; got != 1 {
		t.Errorf("%d tests, want the one that is there", got)
	}
}

// A try that runs once in a JVM may come to belong to another test: that its injection did not fire
// in the one that had it says nothing any more.
func TestNotFiredOfAnotherTest(t *testing.T) {
	snap := snapshotOf(t, factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts")), t.TempDir(), twoClosers)
	st := open(t, t.TempDir())
	c := snap.Catches[0]
	for _, test := range []string{"p.T#had", "p.T#has"} {
		run := &record.TestRun{Test: test, Class: "p.T", Outcome: record.Pass, Usages: map[string]record.Usage{}}
		if test == "p.T#has" {
			run.Usages[c.ID] = record.Usage{Pink: 1}
		}
		if err := st.PutTestRun(run); err != nil {
			t.Fatal(err)
		}
		if err := st.PutCell(&record.Cell{Format: record.CellFormat,
			Trial: record.Trial{Catch: c.ID, Test: test, Outcome: record.NotFired},
			Type:  "java.io.IOException"}); err != nil {
			t.Fatal(err)
		}
	}
	var tests []string
	for _, cell := range Lay(snap, st, func(string) string { return "" }).ByCatch[c.ID].Matrix {
		tests = append(tests, cell.Test)
	}
	if !slices.Equal(tests, []string{"p.T#has"}) {
		t.Errorf("the matrix has %q", tests)
	}
}

// A link that a passing test experienced in one repetition is one of a catch that runs sometimes,
// where the usages that count have no such run: not if the test always makes the catch run, nor if
// it is flaky.
func TestSometimes(t *testing.T) {
	snap := snapshotOf(t, factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts")), t.TempDir(), twoClosers)
	c := snap.Catches[0]
	link := c.Links[0]
	name, _, _ := strings.Cut(link.Site.Method, "(")
	seen := record.Experienced{Catch: c.ID, Exception: strings.ReplaceAll(link.Exception, ".", "/"),
		Site: record.SiteRef{Class: strings.ReplaceAll(link.Site.Class, ".", "/"),
			Method: name, Ordinal: link.Site.Ordinal, Kind: link.Site.Kind, Line: link.Site.Line}}
	for _, k := range []struct {
		outcome            record.Outcome
		links              []record.Experienced
		usage              record.Usage
		sometimes, reached bool
	}{
		{record.Pass, []record.Experienced{seen}, record.Usage{Pink: 1}, true, true},
		{record.Pass, []record.Experienced{seen}, record.Usage{}, true, true},
		{record.Pass, []record.Experienced{seen}, record.Usage{White: 1}, false, true},
		{record.Flaky, []record.Experienced{seen}, record.Usage{Pink: 1}, false, true},
		{record.Pass, nil, record.Usage{Pink: 1}, false, false},
	} {
		st := open(t, t.TempDir())
		if err := st.PutTestRun(&record.TestRun{Test: "p.T#a", Class: "p.T", Outcome: k.outcome, Links: k.links,
			Usages: map[string]record.Usage{c.ID: k.usage}}); err != nil {
			t.Fatal(err)
		}
		s := Lay(snap, st, func(string) string { return "" }).ByCatch[c.ID]
		if s.Sometimes != k.sometimes || s.Reached != k.reached || (s.Links[link.ID] != nil) != (k.links != nil) {
			t.Errorf("%+v: sometimes %v, reached %v, links %v", k, s.Sometimes, s.Reached, s.Links)
		}
	}
}
