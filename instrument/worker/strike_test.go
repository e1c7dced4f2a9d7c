package worker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// striking runs tests of testdata/plain/Strike.java in one JVM.
type striking struct {
	t *testing.T
	j *JVM
}

// both are the tries and handlers of Strike as those of one catch.
var both = []Target{{Class: "Strike"}, {Class: "Strike", Catch: true}, {Class: "Strike", Try: 1},
	{Class: "Strike", Try: 1, Catch: true}}

func (s *striking) listen(test string) string {
	s.t.Helper()
	r := run(s.t, s.j, Request{Adapter: agent.Plain, Tests: []string{"Strike#" + test},
		Listen: []Followed{{Key: "k", Targets: both}}})
	if len(r.Tests) != 1 || r.Tests[0].Outcome != Pass || r.Tests[0].Injection != nil {
		s.t.Fatalf("%s, listened to: %+v", test, r)
	}
	return strings.TrimSpace(r.Tests[0].Stdout)
}

func (s *striking) strike(test string, i Injection) (string, *Fired) {
	s.t.Helper()
	i.Key, i.Targets = "k", both
	if i.Exception == "" {
		i.Exception = "Strike$Coded"
	}
	r := run(s.t, s.j, Request{Adapter: agent.Plain, Tests: []string{"Strike#" + test}, Arm: &i})
	if len(r.Tests) != 1 || r.Tests[0].Outcome != Pass || r.Tests[0].Injection == nil {
		s.t.Fatalf("%s, struck: %+v", test, r)
	}
	for _, l := range r.Tests[0].Record.Links {
		if l.Site.Kind != Injected && len(r.Tests[0].Injection.Struck) > 0 && test != "testLoop" &&
			test != "testThreads" {
			s.t.Errorf("%s: a link from %s", test, showSite(l.Site))
		}
	}
	return strings.TrimSpace(r.Tests[0].Stdout), r.Tests[0].Injection
}

// TestStrikeWhite throws what catches have caught again where they caught it: in loops, recursion
// and other threads, the same object, and one that is as it was where the handler has changed it.
func TestStrikeWhite(t *testing.T) {
	for _, feature := range []int{17, 25} {
		t.Run(fmt.Sprint(feature), func(t *testing.T) {
			spec := plainSpec(t, testjdk.JDK(t, feature))
			spec.ClassPath = []string{compileTests(t, testjdk.JDK(t, 17), nil, "testdata/plain/Strike.java")}
			spec.JVMArgs = append(spec.JVMArgs, "-Xmx256m") // testGuarded fills most of it
			s := &striking{t: t, j: startJVM(t, spec)}
			strikeWhite(s)
			strikeOthers(s)
		})
	}
}

func strikeWhite(s *striking) {
	for _, c := range []struct {
		test, clean, struck string
		only                int
		where, from         string
	}{
		// the handler has changed them
		{"testLoop", "b0 b1 c1:bad 1/1<10 b2 b3 c3:bad 3/3<30", "b0 c1:bad 1/1<10 b2 c3:bad 3/3<30", 0, "2 4",
			"copied"},
		{"testLoop", "b0 b1 c1:bad 1/1<10 b2 b3 c3:bad 3/3<30", "b0 b1 c1:bad 1/1<10 b2 c3:bad 3/3<30", 2, "4",
			"copied"},
		{"testConstant", "b0 b1 c1:always/0=0 b2 c2:always/0!=1", "b0 c1:always/0!=2 c2:always/0!=3", 0, "2 3",
			"caught"},
		// neither its own methods for traces nor a copy of all that it holds
		{"testGuarded", "b0 c0:own/50", "c0:own/50", 0, "1", "copied"},
		{"testRecursion", "b3 b2 b1 b0 c2:at 2 b1 b0", "b3 c2:at 2 b1 b0", 0, "2", "caught"},
		{"testThreads", "bx by cy:in y/70 b0", "bx cy:in y/70 b0", 0, "1 of thread pool-#-thread-# 2", "copied"},
		{"testRacingAlike", "by cy:in y/70 by cy:in y/70", "cy:in y/70 cy:in y/70", 0, "", "copied"},
	} {
		if got := s.listen(c.test); sorted(got) != sorted(c.clean) {
			s.t.Errorf("%s: %q, want %q", c.test, got, c.clean)
		}
		got, f := s.strike(c.test, Injection{White: true, Only: c.only})
		if sorted(got) != sorted(c.struck) {
			s.t.Errorf("%s struck: %q, want %q", c.test, got, c.struck)
		}
		where := strings.Join(f.Struck, " ")
		if c.where != "" && where != c.where || string(f.Provenance) != c.from || !f.Heard || f.Told != "" ||
			f.Problem != "" {
			s.t.Errorf("%s: %+v", c.test, f)
		}
	}
}

// sorted puts what threads said at the same time into one order.
func sorted(s string) string {
	if !strings.Contains(s, "y") {
		return s
	}
	words := strings.Split(strings.ReplaceAll(s, "in y", "in_y"), " ")
	for i := range words {
		for k := i; k > 0 && words[k] < words[k-1]; k-- {
			words[k], words[k-1] = words[k-1], words[k]
		}
	}
	return strings.Join(words, " ")
}

// strikeOthers has what decides nothing, and where exceptions come from if none was caught.
func strikeOthers(s *striking) {
	t := s.t
	s.listen("testLent")
	for n := range 3 {
		if got, _ := s.strike("testLent", Injection{White: true}); !strings.HasPrefix(got, "c0:ways 0/5") {
			t.Errorf("what an injected run has changed, strike %d: %q", n, got)
		}
	}
	s.listen("testRacing")
	if _, f := s.strike("testRacing", Injection{White: true}); f.Times != 0 || f.Wanted != 0 ||
		!strings.Contains(f.Told, "pool-#-thread-# execute the try at the same time") {
		t.Errorf("threads that cannot be told apart: %+v", f)
	}
	s.listen("testAlternates")
	if _, f := s.strike("testAlternates", Injection{White: true}); f.Times != 0 || f.Wanted != 1 {
		t.Errorf("another execution than before: %+v", f)
	}
	s.listen("testFirst")
	if got, f := s.strike("testFirst", Injection{White: true}); f.Times != 1 || got != "b0 c1:first/10" {
		t.Errorf("what throws once: %q, %+v", got, f)
	}
	s.listen("testFirst")
	if _, f := s.strike("testFirst", Injection{White: true}); f.Times != 0 || f.Wanted != 0 || !f.Heard {
		t.Errorf("what threw once: %+v", f)
	}
	if _, f := s.strike("testLoop", Injection{White: true, Exception: "java.io.IOException"}); f.Times != 0 ||
		f.Wanted != 0 || f.White != 2 {
		t.Errorf("of a type that it does not catch: %+v", f)
	}
	if got, f := s.strike("testLoop", Injection{}); f.Times != 4 || f.Provenance != record.Copied ||
		got != "c0:bad 1/1<10 c1:bad 1/1<10 c2:bad 1/1<10 c3:bad 3/3<30" {
		t.Errorf("in every execution: %q, %+v", got, f)
	}
	if got, f := s.strike("testNone", Injection{}); f.Times != 1 || f.Provenance != record.Copied ||
		!strings.HasPrefix(got, "c0:") || strings.Contains(got, "!") {
		t.Errorf("what another test threw: %q, %+v", got, f)
	}
	if got, f := s.strike("testNone", Injection{Not: []string{"java.lang.Exception"}}); f.Times != 1 ||
		f.Provenance != record.Invented || got != "c0:Coded/-10" {
		t.Errorf("what other catches take: %q, %+v", got, f)
	}
	for _, c := range []struct {
		way  Maker
		want string
		from record.Provenance
	}{
		{Maker{"Strike$Coded", "<init>", "(Ljava/lang/String;)V"}, "c0:Coded/-10", record.Made},
		{Maker{"Strike$Coded", "of", "(Ljava/lang/String;)LStrike$Coded;"}, "c0:made of Coded/00", record.Made},
		{Maker{"Strike$Coded", "<init>", "(Ljava/lang/String;I)V"}, "c0:Coded/-10", record.Invented},
		{Maker{"Strike$Gone", "<init>", "()V"}, "c0:Coded/-10", record.Invented},
	} {
		if got, f := s.strike("testNone",
			Injection{Not: []string{"java.lang.Exception"}, Makers: []Maker{c.way}}); got != c.want ||
			f.Provenance != c.from {
			t.Errorf("by %v: %q, %+v", c.way, got, f)
		}
	}
}
