//go:build slow

package build

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// A snapshot that was refined is the one that is built with that call graph. What it
// rules out is not shown after edits, wherever it stands then; what is new is.
func TestRefine(t *testing.T) {
	p := newReuseProject(t, "rta")
	p.compiled = map[string][]byte{}
	first := p.build(t, pickSource, nil)
	if got := linesOf(first); got != "6: 9 10" {
		t.Fatalf("links %s", got)
	}
	refined := p.refine(t, first, nil)
	if got := linesOf(refined); got != "6: 9" || refined.Config.CallGraph != "obj-dr" || refined.Number != 7 ||
		refined.Catches[0].Discarded != 1 {
		t.Errorf("refined: %s, %s, number %d", got, refined.Config.CallGraph, refined.Number)
	}
	if got := linesOf(first); got != "6: 9 10" {
		t.Errorf("links %s after refining", got)
	}
	scratch := p.with("obj-dr").build(t, pickSource, nil)
	if a, b := describe(refined), describe(scratch); a != b {
		t.Errorf("refined:\n%s\nfrom scratch:\n%s", a, b)
	}

	p.withhold = NewRuledOut(first, refined)
	// A try before it numbers the catch anew.
	edited := strings.Replace(pickSource, "        try {\n",
		"        try { third(); } catch (IllegalStateException e) { }\n        try {\n", 1)
	edited = strings.Replace(edited, "pick(0);", "pick(0); third();", 1)
	edited = strings.Replace(edited, "    static void first",
		"    static void third() { throw new IllegalStateException(); }\n    static void first", 1)
	second := p.build(t, edited, first)
	if got := linesOf(second); got != "4: 10; 7: 11 10 -12" {
		t.Errorf("after an edit: %s", got)
	}
	third := p.build(t, "\n"+edited, second)
	if got := linesOf(third); got != "5: 11; 8: 12 11 -13" || third.Stats.Links != 3 {
		t.Errorf("after another: %s, %d links", got, third.Stats.Links)
	}
	again := p.refine(t, third, refined)
	if got := linesOf(again); got != "5: 11; 8: 12 11" {
		t.Errorf("refined again: %s", got)
	}
	if n := RefineSame(third, 9, refined); n != nil {
		t.Errorf("nothing to compute after an edit: %s", linesOf(n))
	}
	if n := RefineSame(p.build(t, "\n\n"+edited, third), 9, again); n == nil || n.Number != 9 ||
		n.Stats.Reuse != snapshot.ReuseAll || linesOf(n) != "6: 12; 9: 13 12" {
		t.Error("refined from nothing after an edit of lines")
	}
	if next := p.refine(t, p.build(t, "\n\n"+edited, third), again); next.Stats.Reuse != snapshot.ReuseAll ||
		linesOf(next) != "6: 12; 9: 13 12" {
		t.Errorf("refined after an edit of lines: %q taken over, %s", next.Stats.Reuse, linesOf(next))
	}
	p.withhold = nil
	if got := linesOf(p.build(t, edited, third)); got != "4: 10; 7: 11 12 10" {
		t.Errorf("nothing withheld: %s", got)
	}
}

// Whoever does not want the refined snapshot any more does not wait for it.
func TestRefineCancelled(t *testing.T) {
	p := newReuseProject(t, "rta")
	p.compiled = map[string][]byte{}
	s := p.build(t, pickSource, nil)
	var whole *endingContext
	for range 3 { // the first two keep what they find of the JDK and of libraries
		whole = &endingContext{Context: context.Background(), after: 1 << 60}
		if _, err := Refine(whole, s, "obj-dr", 2, nil); err != nil {
			t.Fatal(err)
		}
	}
	asked := whole.asked.Load()
	if asked < 50 {
		t.Errorf("asked %d times whether it is wanted", asked)
	}
	for _, after := range []int64{0, 1, asked / 3, asked / 2, asked - 5} {
		ctx := &endingContext{Context: context.Background(), after: after}
		if n, err := Refine(ctx, s, "obj-dr", 2, nil); n != nil || err == nil {
			t.Errorf("ended when asked for the %d. of %d times: a result, %v", after, asked, err)
		}
		if n := ctx.asked.Load(); n > after+5 {
			t.Errorf("asked %d times more", n-after)
		}
	}
}

// endingContext ends after it was asked so many times.
type endingContext struct {
	context.Context
	asked atomic.Int64
	after int64
}

func (c *endingContext) Err() error {
	if c.asked.Add(1) > c.after {
		return context.Canceled
	}
	return nil
}

func (p *reuseProject) with(graph string) *reuseProject {
	q := *p
	q.cfg.CallGraph = graph
	return &q
}

func (p *reuseProject) refine(t *testing.T, s, prev *snapshot.Snapshot) *snapshot.Snapshot {
	t.Helper()
	n, err := Refine(context.Background(), s, "obj-dr", 7, prev)
	if err != nil {
		t.Fatal(err)
	}
	n.Wait()
	return n
}

// linesOf has the lines of catches with those of their links' throw sites, -N for one withheld.
func linesOf(s *snapshot.Snapshot) string {
	var out []string
	for _, c := range s.Catches {
		text := fmt.Sprintf("%d:", c.Line)
		for _, l := range c.Links {
			text += fmt.Sprintf(" %d", l.Site.Line)
		}
		for _, l := range c.Withheld {
			text += fmt.Sprintf(" -%d", l.Site.Line)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// describe has what a snapshot says of catches and links.
func describe(s *snapshot.Snapshot) string {
	var b strings.Builder
	fmt.Fprintln(&b, s.JDKVersion, s.Problems, s.Stats.Classes, s.Stats.Methods, s.Stats.Edges, s.Stats.Links)
	for _, c := range s.Catches {
		fmt.Fprintln(&b, c.ID, c.File.Path, c.File == s.ByPath[c.File.Path], slices.Contains(c.File.Catches, c), c.Line,
			c.Class, c.Method, c.Handlers, c.Discarded, s.Discards(c))
		for _, l := range c.Links {
			n, limited := l.CountChains()
			fmt.Fprintln(&b, " ", l.ID, *l.Site, l.Exception, l.Own, l.Chain(), n, limited, l.Catch == c)
		}
	}
	return b.String()
}

// kept is what another process reads of what was ruled out.
func kept(t *testing.T, r *RuledOut) *RuledOut {
	t.Helper()
	var stored bytes.Buffer
	if err := r.Write(&stored); err != nil {
		t.Fatal(err)
	}
	out, err := ReadRuledOut(&stored)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A link stays in the failure that the refined call graph gave it while another one is shown after
// an edit, whose shortest chain to it is another: what a lens counts does not jump to and fro.
func TestFailuresStay(t *testing.T) {
	const source = `package p;
public class C implements Runnable {
    public static void main(String[] args) { go(new C(), new D()); }
    static void go(Runnable near, Runnable far) {
        near.run();
        try {
            far.run();
            longer();
        } catch (IllegalStateException e) { System.out.println(1); }
    }
    public void run() { fail(); }
    static void fail() { throw new IllegalStateException(); }
    static void longer() { middle(); }
    static void middle() { fail(); }
}
class D implements Runnable {
    public void run() { }
}
`
	lines := func(s *snapshot.Snapshot) (lines []int) {
		for _, l := range s.Catches[0].Links {
			lines = append(lines, l.Failure().Line)
		}
		return lines
	}
	p := newReuseProject(t, "rta")
	p.compiled = map[string][]byte{}
	first := p.build(t, source, nil)
	if got := lines(first); !slices.Equal(got, []int{7}) {
		t.Fatalf("rta: lines %v", got)
	}
	refined := p.refine(t, first, nil)
	if got := lines(refined); !slices.Equal(got, []int{8}) {
		t.Fatalf("refined: lines %v", got)
	}
	p.withhold = kept(t, NewRuledOut(first, refined))
	if got := lines(p.build(t, "\n"+source, first)); !slices.Equal(got, []int{9}) {
		t.Errorf("after an edit: lines %v", got)
	}
}

// What no entry point leads to is said to be so; what only the refined call graph does not lead to
// stays that after an edit.
func TestUnreached(t *testing.T) {
	const source = `package p;
public class C implements Runnable {
    public static void main(String[] args) { any(new C()); Runnable other = new D(); System.out.println(other.hashCode()); }
    public void run() { try { fail(); } catch (IllegalStateException e) { System.out.println(1); } }
    static void fail() { throw new IllegalStateException(); }
    static void nobody() { try { fail(); } catch (IllegalStateException e) { System.out.println(2); } }
    static void any(Runnable r) { r.run(); }
}
class D implements Runnable {
    public void run() { try { C.fail(); } catch (IllegalStateException e) { System.out.println(3); } }
}
`
	unreached := func(s *snapshot.Snapshot) (lines []int) {
		for _, c := range s.Catches {
			if c.Unreached {
				lines = append(lines, c.Line)
			}
		}
		return lines
	}
	p := newReuseProject(t, "rta")
	p.compiled = map[string][]byte{}
	first := p.build(t, source, nil)
	if got := unreached(first); !slices.Equal(got, []int{6}) {
		t.Errorf("rta: lines %v", got)
	}
	refined := p.refine(t, first, nil)
	if got := unreached(refined); !slices.Equal(got, []int{6, 10}) {
		t.Errorf("refined: lines %v", got)
	}
	p.withhold = kept(t, NewRuledOut(first, refined))
	if got := unreached(p.build(t, "\n"+source, first)); !slices.Equal(got, []int{7, 11}) {
		t.Errorf("after an edit: lines %v", got)
	}
	if got := unreached(p.build(t, strings.Replace(source, "other.hashCode()", "1", 1), first)); !slices.Equal(got,
		[]int{6, 10}) {
		t.Errorf("after an edit of calls: lines %v", got)
	}
}

// Where the setting names entry points that there are not, a problem says so.
func TestNoEntryPoints(t *testing.T) {
	p := newReuseProject(t, "rta")
	p.compiled = map[string][]byte{}
	const source = "package p;\npublic class C { public static void %s(String[] args) { try { Thread.sleep(1); } " +
		"catch (InterruptedException e) { } } }\n"
	for name, want := range map[string]bool{"start": true, "main": false} {
		s := p.build(t, fmt.Sprintf(source, name), nil)
		if got := slices.ContainsFunc(s.Problems,
			func(q snapshot.Problem) bool { return strings.Contains(q.Message, "entryPoints") }); got != want {
			t.Errorf("%s: %v", name, s.Problems)
		}
	}
}
