package javasource

// This file tests parsing of text that is being typed.

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// damage counts what an edit did to the catches outside of the member that it
// is in.
type damage struct{ kept, lost, edits, hurt int }

func (d *damage) compare(before, after *File, offset int) (lost []string) {
	d.edits++
	ids := make(map[string]Digest)
	for _, c := range after.Catches {
		ids[c.ID] = c.Digest
	}
	for _, c := range before.Catches {
		touched := false
		for _, part := range c.Member.Parts {
			touched = touched || part.Start <= offset && offset <= part.End
		}
		for t := c.Member.Type; t.Member != nil; t = t.Member.Type { // a member within the touched one
			for _, part := range t.Member.Parts {
				touched = touched || part.Start <= offset && offset <= part.End
			}
		}
		if touched {
			continue
		}
		if got, ok := ids[c.ID]; ok && got == c.Digest {
			d.kept++
		} else {
			d.lost++
			lost = append(lost, c.ID)
		}
	}
	if len(lost) > 0 {
		d.hurt++
	}
	return lost
}

func (d *damage) String() string {
	return fmt.Sprintf("%d edits, %d of them hurt others: %d catches kept, %d lost (%.2f%%)",
		d.edits, d.hurt, d.kept, d.lost, 100*float64(d.lost)/float64(d.kept+d.lost))
}

func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "match", "*.java"))
	if err != nil || len(names) < 9 {
		t.Fatalf("%d fixtures %v", len(names), err)
	}
	all := make(map[string][]byte)
	for _, n := range names {
		all[n] = readFile(t, n)
	}
	return all
}

// tokenSpans returns where the tokens of a source are.
func tokenSpans(src []byte) (spans []Span) {
	var toks tokens
	lex(string(src), &toks)
	for i := range toks.kinds {
		spans = append(spans, Span{int(toks.start[i]), int(toks.end[i])})
	}
	return spans
}

// TestOneBracketLess deletes each bracket of the fixtures in turn. A bracket
// too few may cost the member it is missing in, and hardly any other.
func TestOneBracketLess(t *testing.T) {
	var braces, others damage
	for name, src := range fixtures(t) {
		before := Parse(src)
		for _, s := range tokenSpans(src) {
			text := string(src[s.Start:s.End])
			if !strings.ContainsAny(text, "(){}[]") || len(text) != 1 {
				continue
			}
			edited := append(append([]byte(nil), src[:s.Start]...), src[s.End:]...)
			after := Parse(edited)
			d := &others
			if text == "{" || text == "}" {
				d = &braces
			}
			if lost := d.compare(before, after, s.Start); len(lost) > 0 && testing.Verbose() {
				t.Logf("%s:%d without %s loses %v", name, before.Line(s.Start), text, lost)
			}
		}
	}
	braces.atMost(t, "a brace less", 1.5)
	others.atMost(t, "another bracket less", 0.5)
}

// atMost fails when more than the given percentage was lost.
func (d *damage) atMost(t *testing.T, what string, percent float64) {
	t.Helper()
	t.Logf("%s: %v", what, d)
	if d.edits < 100 || d.kept < 1000 {
		t.Errorf("%s: too few cases", what)
	}
	if float64(d.lost) > percent/100*float64(d.kept+d.lost) {
		t.Errorf("%s: more than %.1f%% lost", what, percent)
	}
}

// TestTyping inserts what a person may just have typed before statements, and
// before members.
func TestTyping(t *testing.T) {
	for _, x := range []struct {
		typed  string
		inBody bool
		most   float64 // percent of the catches of other members that may get lost
	}{
		{"try {\n", true, 0.5}, {"try {\n} ", true, 0}, {"try (", true, 0}, {"try", true, 0}, {"catch (", true, 0},
		{"catch (IOException e) {\n", true, 0.5}, {"} catch (IOException e) {\n}", true, 0}, {"finally {", true, 0.5},
		{"if (x", true, 0}, {"if (x) {\n", true, 0.5}, {"for (int i = 0; i", true, 0}, {"foo(", true, 0},
		{"foo(a, b", true, 0},
		{"foo(() -> {\n", true, 0.5}, {"x.", true, 0}, {"x = new Foo", true, 0}, {"new Object() {\n", true, 0.5},
		{"String s = \"abc", true, 0}, {"char c = '", true, 0}, {"// a comment", true, 0}, {"}", true, 0.5},
		{")", true, 0}, {"]", true, 0},
		{"{", true, 0.5}, {"int[", true, 0}, {"@", true, 0}, {"throw", true, 0}, {"throw new", true, 0},
		{"switch (x) {\ncase 1:", true, 0.5},
		{"x ->", true, 0}, {"<", true, 0}, {"Map<String, ", true, 0}, {"return", true, 0}, {"\\u0", true, 0},
		{"class X {\n", true, 0.5},
		{"void m(", false, 0.5}, {"void m(int a", false, 0.5}, {"void m() {", false, 7}, {"public", false, 0},
		{"private static ", false, 0.5}, {"int", false, 0.5},
		{"@", false, 1}, {"@Override", false, 0}, {"int x =", false, 0.8}, {"int x = f(", false, 0.8},
		{"String s = \"abc", false, 0.8}, {"List<", false, 1}, {"}", false, 0},
		{"import java", false, 0.5}, {"class X", false, 1}, {"Object x = new", false, 0.8}, {";", false, 0},
	} {
		var d damage
		for name, src := range fixtures(t) {
			before := Parse(src)
			var previous string
			for n, s := range tokenSpans(src) {
				line := int(before.LineStarts[before.line(s.Start)])
				indent := string(src[line:s.Start])
				if (previous == ";" || previous == "{" || previous == "}") && strings.TrimSpace(indent) == "" &&
					(n%2 == 0 || !x.inBody) && inBody(before, s.Start) == x.inBody {
					edited := append([]byte(nil), src[:s.Start]...)
					edited = append(edited, x.typed+"\n"+indent...)
					edited = append(edited, src[s.Start:]...)
					if lost := d.compare(before, Parse(edited), s.Start); len(lost) > 0 && testing.Verbose() {
						t.Logf("%s:%d with %q before it loses %v", name, before.Line(s.Start), x.typed, lost)
					}
				}
				previous = string(src[s.Start:s.End])
			}
		}
		d.atMost(t, fmt.Sprintf("%q", x.typed), x.most)
	}
}

// inBody tells whether an offset is in the body of a member.
func inBody(f *File, offset int) bool {
	for _, t := range f.Types {
		for _, m := range t.Members {
			for _, part := range m.Parts {
				if part.Start < offset && offset < part.End {
					return true
				}
			}
		}
	}
	return false
}

// TestPrefixes cuts the fixtures after each byte. What stands before the cut
// keeps its identity.
func TestPrefixes(t *testing.T) {
	for name, src := range fixtures(t) {
		whole := Parse(src)
		for end := 0; end < len(src); end += 5 {
			f := Parse(src[:end])
			for i, c := range whole.Catches {
				if c.Try.Span.End > end {
					break
				}
				if i >= len(f.Catches) || f.Catches[i].ID != c.ID || f.Catches[i].Digest != c.Digest {
					t.Fatalf("%s cut at %d (line %d) loses %s", name, end, whole.Line(end), c.ID)
				}
			}
		}
	}
}
