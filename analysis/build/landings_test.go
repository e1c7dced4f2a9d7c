package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// landingSource has tries with several calls, of which each brings its own.
const landingSource = `package p;
import java.io.*;
import java.util.concurrent.TimeoutException;
public class C {
    interface Step { void run() throws Exception; }
    static class Reads implements Step { public void run() throws IOException { throw new FileNotFoundException("r"); } }
    static class Waits implements Step { public void run() throws TimeoutException { throw new TimeoutException("w"); } }
    static class Held implements Closeable {
        Held(int x) throws IOException { if (x == 7) throw new EOFException("7"); }
        public void close() throws IOException { throw new InterruptedIOException("close"); }
    }
    static class Begun { static int x = begin(); static int begin() { throw new IllegalStateException("no"); } static void go() {} }
    public static void main(String[] args) throws Exception {
        both(new Reads(), new Waits());
        try { pass(new Waits()); } catch (TimeoutException e) { System.out.println(e); }
        resources(args.length);
        initialised();
        finallyCopies(args.length);
        lambda();
        recursive(args.length);
    }
    static void both(Step one, Step two) {
        try {
            one.run();
            two.run();
        } catch (IOException e) { System.out.println("read");
        } catch (Exception e) { System.out.println("other"); }
    }
    static void pass(Step s) throws Exception { s.run(); }
    static void resources(int n) {
        try (Held h = new Held(n); Held i = make(n)) {
            if (n == 3) throw new UTFDataFormatException("n");
            h.toString();
        } catch (IOException e) { System.out.println("held"); }
    }
    static Held make(int n) throws IOException { if (n == 9) throw new CharConversionException("9"); return new Held(n); }
    static void initialised() {
        try {
            Begun.go();
        } catch (ExceptionInInitializerError | IllegalStateException e) { System.out.println("not begun"); }
    }
    static void finallyCopies(int n) {
        try {
            try { pass(new Reads()); } finally {
                try { new Held(n); } catch (IOException e) { System.out.println("in finally"); }
            }
        } catch (Exception e) { System.out.println("around"); }
    }
    static void lambda() {
        Step s = () -> { throw new ObjectStreamExceptionOf("lambda"); };
        try { pass(s); } catch (Exception e) { System.out.println("lambda"); }
    }
    static class ObjectStreamExceptionOf extends IOException { ObjectStreamExceptionOf(String s) { super(s); } }
    static void recursive(int n) throws IOException {
        try {
            if (n > 0) recursive(n - 1);
            if (n == 5) throw new SyncFailedException("5");
        } catch (EOFException e) { throw new IOException(e);
        } catch (SyncFailedException e) { System.out.println("synced"); }
    }
}
`

// landingsIn are the links that the calls and throws in the try of a catch have at it, as hovers
// show them, and in implicit those of calls that the class file has and the source does not write
// down.
func landingsIn(s *snapshot.Snapshot, c *snapshot.Catch) (shown, implicit map[*snapshot.Link]bool) {
	shown, implicit = map[*snapshot.Link]bool{}, map[*snapshot.Link]bool{}
	source := javasource.ParseCalls(c.File.Text)
	within := func(offset int) bool {
		try := c.Source.Try
		return try.Body.Contains(offset) || try.Resources.Contains(offset)
	}
	var offsets []int
	for _, x := range source.Calls {
		offsets = append(offsets, x.NameSpan.Start)
	}
	for _, x := range source.Throws {
		offsets = append(offsets, x.Keyword.Start)
	}
	for _, offset := range offsets {
		if !within(offset) {
			continue
		}
		for _, l := range s.Landings(c.File, offset) {
			if l.Link != nil && l.Link.Catch == c {
				shown[l.Link] = true
			}
		}
	}
	matches := javasource.Match(source, c.File.Classes)
	written := map[javasource.SiteRef]bool{}
	for _, x := range source.Calls {
		for _, ref := range matches.MatchCall(x) {
			written[ref] = true
		}
	}
	for _, h := range c.Handlers {
		m := &s.Program.ByName[h.Class].Facts.Methods[h.Method]
		for i := range m.Calls {
			if written[javasource.SiteRef{Class: h.Class, Method: h.Method, Site: i}] {
				continue
			}
			for _, l := range s.LandingsOf([]exceptions.Landings{s.Program.Flow.CaughtAtCall(h.Class, h.Method, i)}) {
				if l.Link != nil && l.Link.Catch == c {
					implicit[l.Link] = true
				}
			}
		}
	}
	return shown, implicit
}

// checkLandings compares the links of every catch with those that the calls and throws of its try
// have. It tells how many it saw.
func checkLandings(t *testing.T, s *snapshot.Snapshot) (links int) {
	t.Helper()
	for _, c := range s.Catches {
		if c.Source == nil || len(c.Handlers) == 0 {
			continue
		}
		shown, implicit := landingsIn(s, c)
		for l := range shown {
			if !slices.Contains(c.Links, l) {
				t.Errorf("%s:%d: %s from %s is at a call, and not at the catch", c.File.Path, c.Line, l.Exception,
					l.Site.Method)
			}
		}
		for _, l := range c.Links {
			links++
			if !shown[l] && !implicit[l] {
				t.Errorf("%s:%d: %s from %s is at the catch, and at none of the calls in its try", c.File.Path, c.Line,
					l.Exception, l.Site.Method)
			}
		}
	}
	return links
}

// What hovers of calls and throws say is what the catches of their try have, and all of it.
func TestLandingsAreLinks(t *testing.T) {
	for _, graph := range []string{"rta", "obj-dr"} {
		p := newReuseProject(t, graph)
		p.compiled = map[string][]byte{}
		s := p.build(t, landingSource, nil)
		if n := checkLandings(t, s); n < 11 {
			t.Errorf("%s: only %d links", graph, n)
		}
	}
}

// Of one call after the other of a file, only the first has the file read.
func TestCallsOfFileAreReadOnce(t *testing.T) {
	p := newReuseProject(t, "rta")
	p.compiled = map[string][]byte{}
	s := p.build(t, landingSource, nil)
	f, at := s.Files[0], strings.Index(landingSource, "run();")
	reading := testing.AllocsPerRun(5, func() { javasource.ParseCalls(f.Text) })
	asking := testing.AllocsPerRun(5, func() {
		if _, ok := s.CallAt(f, at); !ok {
			t.Error("there is no call")
		}
	})
	if asking > reading/2 {
		t.Errorf("%v allocations for a call, %v for reading the file", asking, reading)
	}
}

// Of two calls of one method of an interface, each shows what its own object throws, where links
// are refined.
func TestLandingsOfEachCall(t *testing.T) {
	p := newReuseProject(t, "obj-dr")
	p.compiled = map[string][]byte{}
	s := p.build(t, landingSource, nil)
	for _, test := range []struct {
		at   string // where | stands
		want []string
	}{
		{"one.|run()", []string{"java.io.FileNotFoundException at 26"}},
		{"two.|run()", []string{"java.util.concurrent.TimeoutException at 27"}},
		{"try { |pass(new Waits", []string{"java.util.concurrent.TimeoutException at 15"}},
		{"|pass(new Reads", []string{"java.io.FileNotFoundException at 47"}},
		{"|pass(s)", []string{"p.C$ObjectStreamExceptionOf at 51"}},
		{"|make(n)", []string{"java.io.CharConversionException at 34", "java.io.EOFException at 34"}},
	} {
		before, after, _ := strings.Cut(test.at, "|")
		at := strings.Index(landingSource, before+after) + len(before)
		var got []string
		for _, l := range s.Landings(s.Files[0], at) {
			if l.Link != nil {
				got = append(got, fmt.Sprintf("%s at %d", l.Exception, l.Link.Catch.Line))
			}
		}
		if slices.Sort(got); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.at, got, test.want)
		}
	}
}

// A link's ID can be had from the readable names of its catch and its throw site.
func TestLinkIDOfRef(t *testing.T) {
	p := newReuseProject(t, "rta")
	p.compiled = map[string][]byte{}
	s := p.build(t, landingSource, nil)
	for _, c := range s.Catches {
		for _, l := range c.Links {
			if id, ok := snapshot.LinkID(c.ID, l.Site.Ref()); !ok || id != l.ID {
				t.Errorf("%s and %s give %q, %v; the link is %s", c.ID, l.Site.Ref(), id, ok, l.ID)
			}
		}
	}
	fault := snapshot.Site{Class: "p.Client", Method: "send(I)V", Ordinal: -1, Kind: "declared", Fault: "payment-down"}
	want, _ := snapshot.IDOfLink(nil, &snapshot.Catch{ID: "c"}, &fault)
	if id, ok := snapshot.LinkID("c", fault.Ref()); !ok || id != want {
		t.Errorf("%s gives %q, %v", fault.Ref(), id, ok)
	}
	for _, bad := range []string{"", "#", "p.C.m()V", "p.C.m()V#x", "m()V#1", "p.C.m#1"} {
		if _, ok := snapshot.LinkID("c", bad); ok {
			t.Errorf("%q is a throw site", bad)
		}
	}
}

// Code is the same whatever comments say, and another when a method does something else or is gone.
func TestSameCode(t *testing.T) {
	p := newReuseProject(t, "rta")
	p.compiled = map[string][]byte{}
	a := p.build(t, landingSource, nil)
	for text, want := range map[string]bool{
		strings.Replace(landingSource, "        try {\n            one.run();",
			"        // said\n        try {\n            one.run();", 1): true,
		strings.Replace(landingSource, "n == 9", "n == 10",
			1): false,
		strings.Replace(landingSource, "    static void pass(", "    static void more() {}\n    static void pass(",
			1): false,
	} {
		if got := a.SameCode(p.build(t, text, nil)); got != want {
			t.Errorf("same code: %v, want %v", got, want)
		}
	}
}
