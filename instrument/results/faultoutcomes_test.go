package results

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/test/scratch"
)

// Of what other catches caught in a run with a fault counts as the fault's what the
// struck operation threw, or the JDK's code above it; not what the program did next.
func TestThrew(t *testing.T) {
	read := record.FaultRun{Root: "sun/nio/ch/SocketDispatcher.read0", Kind: faults.Reset}
	own := record.FaultRun{Root: "p/Client.send", Kind: "down"}
	for _, x := range []struct {
		run  *record.FaultRun
		site record.SiteRef
		want bool
	}{
		{&read, record.SiteRef{Class: "sun/nio/ch/SocketDispatcher", Method: "read0", Kind: "native"}, true},
		{&read, record.SiteRef{Class: "sun/nio/ch/NioSocketImpl", Method: "implRead", Kind: "explicit"}, true},
		{&read, record.SiteRef{Class: "java/io/FileInputStream", Method: "open0", Kind: "native"}, false},
		{&read, record.SiteRef{Class: "p/Program", Method: "giveUp", Kind: "explicit"}, false},
		{&own, record.SiteRef{Class: "p/Client", Method: "send", Kind: "declared", Fault: "down"}, true},
		{&own, record.SiteRef{Class: "p/Client", Method: "send", Kind: "declared", Fault: "slow"}, false},
	} {
		if got := x.run.Threw(record.Experienced{Site: x.site}); got != x.want {
			t.Errorf("%+v with %s in %s: %t", x.site, x.run.Kind, x.run.Root, got)
		}
	}
}

// A fault whose exception comes to the catch from another throw site says of its own link
// who threw it anew.
func TestThrownAnew(t *testing.T) {
	link := &snapshot.Link{Catch: &snapshot.Catch{ID: "c"},
		Site: &snapshot.Site{Class: "java.io.FileDescriptor", Method: "close0()V", Kind: "native"}}
	anew := record.Experienced{Catch: "c",
		Site: record.SiteRef{Class: "sun/nio/ch/FileChannelImpl", Method: "implCloseChannel", Kind: "explicit"}}
	other := record.Experienced{Catch: "d", Site: anew.Site}
	for _, x := range []struct {
		run  record.FaultRun
		want Tried
	}{
		{record.FaultRun{Links: []record.Experienced{other, anew}, Arrived: true},
			Tried{Outcome: Masked, Where: "it came here from sun.nio.ch.FileChannelImpl.implCloseChannel, which " +
				"throws it anew"}},
		{record.FaultRun{}, Tried{Outcome: Masked}},
		{record.FaultRun{Arrived: true}, Tried{Outcome: NotReached}},
	} {
		x.run.Fired, x.run.Root = 1, "java/io/FileDescriptor.close0"
		l := &layer{snap: &snapshot.Snapshot{}}
		runs := []*record.FaultRun{&x.run}
		if x.want.Outcome == NotReached {
			if s := thrownAnew(&x.run, link); s != "" {
				t.Errorf("%q", s)
			}
			continue
		}
		if got := l.tried(link, snapshot.FaultRoots(link), runs, &State{Tests: []string{"t"}}, nil); got != x.want {
			t.Errorf("%+v, want %+v", got, x.want)
		}
	}
}

// A forced throw is no experience. Which test runs a throw is told of the present code
// only, and what a test did that is gone counts for nothing.
func TestForcedLinks(t *testing.T) {
	root := t.TempDir()
	cache := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	snap := snapshotOf(t, cache, root, twoClosers)
	c := snap.Catches[0]
	st := open(t, t.TempDir())
	d, _ := snap.MethodDigest(snapshot.MethodRef{Class: "p/A", Method: "close()V"})
	ran := []record.MethodID{st.Intern(record.MethodKey{Class: "p/A", Method: "close()V", Digest: d})}
	thrown := record.SiteRef{Class: "p/A", Method: "close", Desc: "()V", Kind: "explicit"}
	put := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []string{"p.T#a", "p.T#b"} {
		put(st.PutTestRun(&record.TestRun{Test: test, Class: "p.T", Outcome: record.Pass, Methods: ran,
			Below: record.Below{c.ID: ran}, Usages: map[string]record.Usage{c.ID: {Pink: 1}}}))
	}
	put(st.PutTouched(&record.Touched{Test: record.GuardsOf("p.T#b"),
		Others: []string{record.ForcedRoot("p/A", "close()V", 0)}, Deps: ran}))
	put(st.PutFaultRun(&record.FaultRun{Trial: record.Trial{Catch: c.ID, Test: "p.T#a", Outcome: record.Pass,
		Deps: ran}, Root: record.ForcedRoot("p/A", "close()V", 0), Kind: record.Forced, Fired: 1,
		Links: []record.Experienced{{Catch: c.ID, Exception: "java/io/IOException", Site: thrown}}}))
	check := func(what string, snap *snapshot.Snapshot, outcome LinkOutcome, executes string) {
		t.Helper()
		o := Lay(snap, st, func(string) string { return "" })
		n := 0
		for _, l := range snap.Catches[0].Links {
			if l.Site.Class != "p.A" {
				continue
			}
			n++
			s := o.ByCatch[l.Catch.ID]
			if got := s.Faults.Tried[l.ID]; got.Outcome != outcome || got.Executes != executes || s.Links[l.ID] != nil {
				t.Errorf("%s: %+v, want %q and %q; experienced: %t", what, got, outcome, executes,
					s.Links[l.ID] != nil)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d links from A", what, n)
		}
	}
	check("as it ran", snap, IsForced, "p.T#b")
	other := snapshotOf(t, cache, root, strings.Replace(twoClosers, `"a"`, `"aa"`, 1))
	check("the throw is another", other, IsForced, "")
	put(st.PutTestRun(&record.TestRun{Test: "p.T#a", Class: "p.T", Outcome: record.Gone}))
	check("the test is gone", other, "", "")
}

// What an operation did after another one had failed is known of its own exception only; and runs
// of another way count no longer where the code is another and faults were tried again.
func TestWaysInOtherCode(t *testing.T) {
	root := t.TempDir()
	cache := factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))
	snap := snapshotOf(t, cache, root, twoClosers)
	c, st := snap.Catches[0], open(t, t.TempDir())
	first := record.Experienced{Catch: c.ID, Exception: "java/io/IOException",
		Site: record.SiteRef{Class: "java/io/FileInputStream", Method: "read0", Kind: "native"}}
	then := first
	then.Site.Class, then.Site.Method = "java/io/FileDescriptor", "close0"
	put := func(snap *snapshot.Snapshot, at int64, runs ...record.FaultRun) {
		t.Helper()
		d, _ := snap.MethodDigest(snapshot.MethodRef{Class: "p/A", Method: "close()V"})
		ran := []record.MethodID{st.Intern(record.MethodKey{Class: "p/A", Method: "close()V", Digest: d})}
		err := st.PutTestRun(&record.TestRun{Test: "p.T#a", Class: "p.T", Outcome: record.Pass, Methods: ran,
			Below: record.Below{c.ID: ran}, Usages: map[string]record.Usage{c.ID: {Pink: 1}}})
		for _, f := range runs {
			f.Catch, f.Test, f.Outcome, f.Fired, f.Deps, f.Below, f.At = c.ID, "p.T#a", record.Pass, 1, ran,
				record.Below{c.ID: ran}, time.Unix(at, 0)
			err = errors.Join(err, st.PutFaultRun(&f))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(snap *snapshot.Snapshot, stale bool, seen ...faults.Kind) {
		t.Helper()
		if f := Lay(snap, st, func(string) string { return "" }).ByCatch[c.ID].Faults; f.Stale != stale ||
			!slices.Equal(f.Seen, seen) {
			t.Errorf("stale %t, seen %q; want %t and %q", f.Stale, f.Seen, stale, seen)
		}
	}
	read := record.FaultRun{Root: "java/io/FileInputStream.read0", Kind: faults.DiskRead,
		Links: []record.Experienced{first}}
	way := read
	way.Past = []uint32{7}
	closes := record.FaultRun{Root: "java/io/FileDescriptor.close0", Kind: faults.DiskWrite, Persistent: true,
		After: "java/io/FileInputStream.read0 disk-read", Links: []record.Experienced{first}}
	if closes.Reached() {
		t.Error("the exception of what failed first is taken for the other's")
	}
	put(snap, 1, read, way, closes)
	check(snap, false, faults.DiskRead)
	closes.Links = append(closes.Links, then)
	put(snap, 2, closes)
	check(snap, false, faults.DiskRead, faults.DiskWrite)
	other := snapshotOf(t, cache, root, strings.Replace(twoClosers, `"a"`, `"aa"`, 1))
	check(other, true, faults.DiskRead, faults.DiskWrite)
	put(other, 3, read)
	check(other, false, faults.DiskRead)
	check(snap, false, faults.DiskRead, faults.DiskWrite)
}

// A throw whose method no test enters below the try is not reached; one in the try itself
// is in a method that tests do enter.
func TestNotReached(t *testing.T) {
	snap := snapshotOf(t, factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts")), t.TempDir(), `package p;
class C {
    static int a(int n) throws Exception { try { if (b(n) > 1) c(n); if (n > 0) throw new Exception("here"); return 0; } catch (Exception e) { return 1; } }
    static int b(int n) { return n; }
    static void c(int n) throws Exception { if (n > 2) throw new Exception("there"); }
    public static void main(String[] args) throws Exception { a(args.length); }
}
`)
	st, c := open(t, t.TempDir()), snap.Catches[0]
	below := record.Below{c.ID: {st.Intern(record.MethodKey{Class: "p/C", Method: "b(I)I"})}}
	if err := st.PutTestRun(&record.TestRun{Test: "p.T#a", Class: "p.T", Outcome: record.Pass, Below: below,
		Usages: map[string]record.Usage{c.ID: {Pink: 1}}}); err != nil {
		t.Fatal(err)
	}
	if err := st.PutTouched(&record.Touched{Test: "p.T#a"}); err != nil { // faults were tried
		t.Fatal(err)
	}
	tried := Lay(snap, st, func(string) string { return "" }).ByCatch[c.ID].Faults.Tried
	want := map[string]LinkOutcome{"a(I)I": "", "c(I)V": NotReached}
	for _, l := range c.Links {
		if outcome, ok := want[l.Site.Method]; ok && l.Site.Class == "p.C" {
			delete(want, l.Site.Method)
			if got := tried[l.ID]; got.Outcome != outcome {
				t.Errorf("%s: %+v, want %q", l.Site.Method, got, outcome)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("no links from %v", want)
	}
}

// Of a throw of the JDK that a fault could bring about, force is told where no fault did.
func TestForcedAboveRoots(t *testing.T) {
	snap := snapshotOf(t, factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts")), t.TempDir(), `package p;
class C {
    static Object a(String s) { try { return java.net.InetAddress.getByName(s); } catch (java.net.UnknownHostException e) { return s; } }
    public static void main(String[] args) { a("x"); }
}
`)
	st, c := open(t, t.TempDir()), snap.Catches[0]
	var link *snapshot.Link
	for _, l := range c.Links {
		if l.Site.Kind == "explicit" && len(snapshot.FaultRoots(l)) > 0 {
			link = l
		}
	}
	if link == nil {
		t.Fatalf("no explicit throw above a native operation among %d links", len(c.Links))
	}
	class := strings.ReplaceAll(link.Site.Class, ".", "/")
	name, desc, _ := strings.Cut(link.Site.Method, "(")
	run := record.FaultRun{Trial: record.Trial{Catch: c.ID, Test: "p.T#a", Outcome: record.Pass},
		Root: record.ForcedRoot(class, link.Site.Method, link.Site.Ordinal),
		Kind: record.Forced, Fired: 1,
		Links: []record.Experienced{{Catch: c.ID, Exception: "java/net/UnknownHostException",
			Site: record.SiteRef{Class: class, Method: name, Desc: "(" + desc, Ordinal: link.Site.Ordinal,
				Kind: "explicit"}}}}
	if err := st.PutTestRun(&record.TestRun{Test: "p.T#a", Class: "p.T", Outcome: record.Pass,
		Usages: map[string]record.Usage{c.ID: {Pink: 1}}}); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		seen []record.Experienced
		want LinkOutcome
	}{{nil, NotReached}, {run.Links, IsForced}} {
		f := run
		f.Links = x.seen
		if err := st.PutFaultRun(&f); err != nil {
			t.Fatal(err)
		}
		laid := Lay(snap, st, func(string) string { return "" })
		if got := laid.ByCatch[c.ID].Faults.Tried[link.ID]; got.Outcome != x.want {
			t.Errorf("%+v, want %s", got, x.want)
		}
	}
}
