package build

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// manySource has a try below which n fields are read under one cover, and n exceptions are wrapped
// as one.
func manySource(n int) string {
	var b strings.Builder
	b.WriteString(`package p;
public class C {
    int f;
    public static void main(String[] args) {
        C c = args.length > 3 ? new C() : null;
        try {
            read(c);
            wrap(args.length);
        } catch (RuntimeException e) { System.out.println("caught"); }
    }
    static void read(C c) { deeper(c); }
    static int deeper(C c) {
        int sum = 0;
`)
	for range n {
		b.WriteString("        sum += c.f;\n")
	}
	b.WriteString("        return sum;\n    }\n    static void wrap(int x) {\n        try { pick(x); } catch " +
		"(IllegalStateException e) { throw new IllegalArgumentException(e); }\n    }\n    static void pick(int x) {\n")
	for i := range n {
		fmt.Fprintf(&b, "        if (x == %d) throw new IllegalStateException();\n", i)
	}
	b.WriteString("    }\n}\n")
	return b.String()
}

// What is kept of the shortest chains does not grow with the links of one method's throw sites,
// which share theirs, nor what is kept of causes with how many there are.
func TestManyLinksShare(t *testing.T) {
	const n = 300
	for _, graph := range []string{"rta", "obj-dr"} {
		p := newReuseProject(t, graph)
		p.compiled = map[string][]byte{}
		var err error
		if p.cfg, err = (snapshot.Settings{CallGraph: graph, EntryPoints: "mains", Exceptions: "all",
			Sites: []string{"explicit", "implicit"}}).Config(); err != nil {
			t.Fatal(err)
		}
		s := p.build(t, manySource(n), nil)
		shared := map[*int32]int{}
		wrapping := 0
		for _, c := range s.Catches {
			for _, l := range c.Links {
				chain := l.Chain()
				if last := chain[len(chain)-1]; len(chain) != l.ChainLength() || last.Class != l.Site.Class ||
					last.Method != l.Site.Method || last.Line != l.Site.Line {
					t.Fatalf("%s: the chain of %v has length %d and ends in %v", graph, *l.Site, l.ChainLength(), last)
				}
				if l.Site.Class == "p.C" && strings.HasPrefix(l.Site.Method, "deeper(") {
					shared[unsafe.SliceData(l.Calls())]++
					if names := []string{chain[0].Method, chain[1].Method}; !slices.Equal(names,
						[]string{"main([Ljava/lang/String;)V", "read(Lp/C;)V"}) || chain[0].Line != 7 ||
						chain[1].Line != 11 {
						t.Errorf("%s: chain %v", graph, chain)
					}
				}
				if l.Own && l.Exception == "java.lang.IllegalArgumentException" {
					wrapping++
					if list, all := l.Wraps(); len(list) != snapshot.MostWrapped || cap(list) >= n || all != n ||
						list[0].Site.Ordinal != 0 || list[1].Site.Ordinal != 1 {
						t.Errorf("%s: %d of %d causes, room for %d: %v", graph, len(list), all, cap(list), list)
					}
				}
			}
		}
		links := 0
		for _, n := range shared {
			links += n
		}
		if len(shared) != 1 || links < n || wrapping != 1 {
			t.Errorf("%s: %d links share %d chains, %d links wrap", graph, links, len(shared), wrapping)
		}
	}
}

// Making links ends with the catches that are being worked on, however many there are.
func TestLinksAreCancelled(t *testing.T) {
	const n = 10_000
	owner := make([]*snapshot.Catch, n)
	for i := range owner {
		owner[i] = new(snapshot.Catch)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var done atomic.Int32
	work := func(in context.Context) {
		eachCatch(in, owner, func() func(c *snapshot.Catch, from, to int) {
			return func(*snapshot.Catch, int, int) {
				if n := done.Add(1); n == 10 {
					cancel()
				} else if n > 10 {
					<-ctx.Done() // whoever has made the tenth may not have come to say so
				}
			}
		})
	}
	if work(ctx); done.Load() < 10 || done.Load() > 10+int32(runtime.GOMAXPROCS(0)) {
		t.Errorf("links of %d catches are made, of which the tenth was the last before the end", done.Load())
	}
	done.Store(10)
	if work(t.Context()); done.Load() != n+10 {
		t.Errorf("links of %d catches are made, want those of all", done.Load()-10)
	}
}
