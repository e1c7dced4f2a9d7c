package codelens

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens/javatext"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file writes the beginning of a test that makes a link happen: a copy of a test that enters
// the try, with its fixtures, as it stands in the same class. Where a fault makes the link happen,
// it is armed before the statement that leads to the try. It fails until somebody has written down
// what is expected.

// CommandWriteTest writes a test for a link; argument: link ID.
const CommandWriteTest = "catchlens.writeTest"

// LinkTest is a test method to be inserted in a test class.
type LinkTest struct {
	Path   string // of the source, relative to the workspace's root
	Offset int    // in the snapshot's text of it
	Text   string
	From   string // the test that it is made of, for people
}

// Apply inserts the test in the text that it was made for.
func (t LinkTest) Apply(text []byte) []byte {
	return slices.Concat(text[:t.Offset], []byte(t.Text), text[t.Offset:])
}

// maxTemplates is how many tests are tried until the compiler takes the copy of one.
const maxTemplates = 5

// LinkTestTitle is the title of the action for a link, "" where it is not offered: what a test made
// happen, what tests throw themselves, and where no test enters the try that could be copied.
func LinkTestTitle(v View, l *snapshot.Link) string {
	if !v.counts(l) || l.Catch.InTests || experienced(v, l) != nil ||
		len(l.Catch.Handlers) == 0 || v.Stale(l.Catch) {
		return ""
	}
	if len(linkTests(v, l, 1)) == 0 {
		return ""
	}
	return fmt.Sprintf("Write a test for this link: %s from %s", Plain(shortName(l.Exception), false),
		SiteName(*l.Site))
}

// LinkTests lists tests for a link, each of which enters the try as the test does that it is made
// of; which of them a compiler takes is not known here. The error says why there is none.
func LinkTests(v View, l *snapshot.Link) ([]LinkTest, error) {
	out := linkTests(v, l, maxTemplates)
	if _, ok := armed(v, l); !ok {
		return nil, errors.New("no fault that tests can arm makes this link happen")
	} else if v.partial() {
		return nil, errors.New(notAllRun + ": one of the others may make this link happen")
	} else if len(out) == 0 {
		return nil, errors.New("no test of JUnit 4 or 5 enters this try that could be the beginning of another one")
	}
	return out, nil
}

func linkTests(v View, l *snapshot.Link, most int) (out []LinkTest) {
	kind, ok := armed(v, l)
	s, site := v.state(l.Catch), v.Snap.Class(strings.ReplaceAll(l.Site.Class, ".", "/"))
	if _, api := v.Snap.Facts("catchlens/fault/Faults"); kind != "" && !api {
		return nil // no test there can arm a fault
	}
	if !ok || s == nil || v.partial() || s.Stale || site != nil && site.InTests {
		return nil
	}
	for _, test := range s.Tests {
		t, ok := templateOf(v.Snap, test)
		if !ok {
			continue
		}
		if text, ok := t.text(v, l, kind); ok {
			out = append(out, LinkTest{Path: t.file.Path, Offset: t.member.Span.End, Text: text, From: shortTest(test)})
		}
		if len(out) == most {
			break
		}
	}
	return out
}

// armed is the kind of fault that a test for a link arms: "" for none, where the link is a
// throw that depends on what the code is given. ok is false where only a fault makes the
// link happen that tests cannot arm.
func armed(v View, l *snapshot.Link) (kind faults.Kind, ok bool) {
	if l.Site.Kind == "native" && l.Exception == "java.lang.InterruptedException" {
		return "", false // the code under test decides whether it is interrupted while it waits
	}
	roots := snapshot.FaultRoots(l)
	if len(roots) == 0 {
		return "", l.Site.Kind == "explicit"
	}
	if t, ok := tried(v, l); ok && armable(t.Kind) {
		return t.Kind, true
	}
	for _, r := range roots {
		for _, k := range r.Kinds {
			if armable(k) && snapshot.Brings(v.Snap, l, r, k) {
				return k, true
			}
		}
	}
	return "", false
}

// armable tells whether a test can arm a kind by the fault API (FaultType.java) without knowing a
// peer.
func armable(k faults.Kind) bool {
	info, ok := faults.Info(k) // else the user's own, or no fault at all
	return ok && !info.Net && k != faults.Interrupted
}

// testTemplate is a test whose source is copied.
type testTemplate struct {
	class   *snapshot.Class
	file    *snapshot.File
	member  *javasource.Member
	jupiter bool // else JUnit 4
}

// templateOf finds the source of a test; ok is false where it is no plain test method of JUnit 4 or
// 5 with a body of its own.
func templateOf(snap *snapshot.Snapshot, test string) (t testTemplate, ok bool) {
	class, method, _ := strings.Cut(test, "#")
	method = strings.TrimSuffix(method, "()")
	t.class = snap.Class(strings.ReplaceAll(class, ".", "/"))
	if t.class == nil || t.class.File == nil || t.class.File.Stale {
		return t, false
	}
	t.file = t.class.File
	annotated := false
	for i := range t.class.Facts.Methods {
		if m := &t.class.Facts.Methods[i]; m.Name == method && m.Desc == "()V" {
			t.jupiter = slices.ContainsFunc(m.Annotations(), isType("org/junit/jupiter/api/Test"))
			annotated = t.jupiter || slices.ContainsFunc(m.Annotations(), isType("org/junit/Test"))
		}
	}
	for _, typ := range t.file.Source.Types {
		for _, m := range typ.Members {
			if typ.BinaryName == t.class.Name && m.Name == method && len(m.ParamTypes) == 0 &&
				m.Body.End > m.Body.Start {
				t.member = m
			}
		}
	}
	return t, annotated && t.member != nil && !strings.Contains(t.head(), "expected")
}

// head is what stands before the name of the test: annotations, modifiers and the result.
func (t testTemplate) head() string {
	return string(t.file.Text[t.member.Span.Start:t.member.NameSpan.Start])
}

// text is the new method; ok is false where it is not known which statement leads to the try.
func (t testTemplate) text(v View, l *snapshot.Link, kind faults.Kind) (text string, ok bool) {
	file := string(t.file.Text)
	indent := file[strings.LastIndexByte(file[:t.member.Span.Start], '\n')+1 : t.member.Span.Start]
	if strings.TrimSpace(indent) != "" {
		return "", false // something stands before it in its line
	}
	in := indent + "    "
	if strings.HasSuffix(indent, "\t") {
		in = indent + "\t"
	}
	body := strings.TrimRight(file[t.member.Body.Start+1:t.member.Body.End-1], " \t\r\n")
	if kind != "" {
		at, ok := t.findLeading(v.Snap, l.Catch, body)
		if !ok {
			return "", false
		}
		fault := fmt.Sprintf("try (catchlens.fault.Injection fault = "+
			"catchlens.fault.Faults.inject(catchlens.fault.FaultType.%s,\n%s        "+
			"catchlens.fault.Interval.untilCancelled(), "+
			"catchlens.fault.Parameter.path(System.getProperty(\"java.io.tmpdir\") + \"/\"))) {",
			strings.ToUpper(strings.ReplaceAll(string(kind), "-", "_")), in)
		body = strings.TrimRight(body[:at], " \t") + in + fault + "\n" + in + body[at:] + "\n" + in + "}"
	}
	fail := "org.junit.Assert.fail"
	if t.jupiter {
		fail = "org.junit.jupiter.api.Assertions.fail"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n%s%s%s() throws Exception {\n", indent, t.head(), t.name(l, kind))
	for _, line := range testComment(v, l, kind) {
		b.WriteString(in + line + "\n")
	}
	fmt.Fprintf(&b, "%s\n%s%s(\"Say here what is expected after the %s\");\n%s}", strings.TrimLeft(body, "\r\n"), in,
		fail, comment(shortName(l.Exception)), indent)
	return b.String(), true
}

// name is that of the new method: no member of the class has it.
func (t testTemplate) name(l *snapshot.Link, kind faults.Kind) string {
	base := t.member.Name + "With" + javatext.Capital(strings.ReplaceAll(string(kind), "-", " "))
	if kind == "" {
		base = t.member.Name + "With" + javatext.Capital(strings.ReplaceAll(classname.InSource(l.Exception), ".", " "))
	}
	for i, name := 2, base; ; i, name = i+1, fmt.Sprintf("%s%d", base, i) {
		if !slices.ContainsFunc(t.member.Type.Members, func(m *javasource.Member) bool { return m.Name == name }) {
			return name
		}
	}
}

// findLeading finds the statement of the test's body that is the first to lead to the try, by calls
// of the workspace's code from one method to the next; at is where it begins in the body.
func (t testTemplate) findLeading(snap *snapshot.Snapshot, c *snapshot.Catch, body string) (at int, ok bool) {
	src := t.file.Source
	first, last := src.Line(t.member.Body.Start), src.Line(t.member.Body.End)
	line := 0
	above := snap.MethodsTo(c)
	leads := func(n callgraph.NodeID) bool { return slices.Contains(above, n) }
	g := snap.CallGraph()
	for i := range t.class.Facts.Methods {
		m := &t.class.Facts.Methods[i]
		n := g.Find(t.class.Name, i)
		if n == callgraph.NoNode || m.Name != t.member.Name && !strings.HasPrefix(m.Name, "lambda$"+t.member.Name+"$") {
			continue
		}
		for _, s := range g.SitesOf(n) {
			if s.Set == callgraph.NoSet || !slices.ContainsFunc(g.Targets(s.Set), leads) {
				continue
			}
			if l := int(g.Position(n, s).Line); first <= l && l <= last && (line == 0 || l < line) {
				line = l
			}
		}
	}
	for _, start := range javatext.Statements(body) {
		if line > 0 && src.Line(t.member.Body.Start+1+start) <= line {
			at, ok = start, true
		}
	}
	return at, ok
}

// testComment says what a test is for.
func testComment(v View, l *snapshot.Link, kind faults.Kind) []string {
	c := l.Catch
	lines := []string{fmt.Sprintf("// %s of %s is to come to the catch (%s) in %s, line %d.",
		comment(shortName(l.Exception)), comment(ShortMethod(l.Site.Class, l.Site.Method)),
		comment(strings.Join(classname.InSourceAll(c.Types), " | ")), comment(ShortMethod(c.Class, c.Method)), c.Line)}
	f := v.Snap.ByPath[l.Site.File]
	switch {
	case kind != "":
		return append(lines, "// The fault strikes files below the folder for temporary files: name another path "+
			"where the test has its own.")
	case f != nil && !f.Stale:
		if guard := javatext.GuardAbove(strings.Split(string(f.Text), "\n"), l.Site.Line); guard != "" {
			return append(lines, "// It is thrown where this holds: "+comment(guard))
		}
	}
	return append(lines, "// It depends on what the call is given.")
}

// isType compares with an annotation's type, be it a name or a descriptor.
func isType(name string) func(string) bool {
	return func(s string) bool { return s == name || s == "L"+name+";" }
}

// comment makes a text fit for a line comment: no control characters, and no escapes, which a
// compiler would read.
func comment(s string) string { return strings.ReplaceAll(Plain(s, false), `\`, "/") }
