package codelens

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

const source = `package p;
class C {
    void m() {
        try { n(); } catch (java.io.IOException e) { }
    }
}
`

// view is a workspace with one catch that has two links, one of its own code.
func view() (View, *snapshot.Catch) {
	src := javasource.Parse([]byte(source))
	f := &snapshot.File{Path: "src/p/C.java", Text: []byte(source), Source: src}
	c := &snapshot.Catch{
		ID: "p/C.m()#0", File: f, Line: 4, Column: 22, Source: src.Catches[0], Class: "p.C", Method: "m()V",
		Types:    []string{"java.io.IOException"},
		Handlers: []exceptions.HandlerRef{{Class: "p/C"}}, Compiled: true,
	}
	frame := func(class, method string, line int, file string) snapshot.Frame {
		return snapshot.Frame{Class: class, Method: method, Line: line, File: file}
	}
	c.Links = []*snapshot.Link{
		{ID: "own", Catch: c, Site: &snapshot.Site{Class: "p.D", Method: "n()V", Line: 9, Kind: "explicit",
			File: "src/p/D.java"}, Exception: "java.io.IOException", Own: true},
		{ID: "jdk", Catch: c, Site: &snapshot.Site{Class: "java.io.FileInputStream",
			Method: "open0(Ljava/lang/String;)V", Kind: "native"}, Exception: "java.io.FileNotFoundException"},
	}
	c.Links[0].SetChain([]snapshot.Frame{frame("p.C", "m()V", 4, "src/p/C.java"),
		frame("p.D", "n()V", 9, "src/p/D.java")})
	c.Links[1].SetChain([]snapshot.Frame{frame("p.C", "m()V", 4, "src/p/C.java"),
		frame("java.io.FileInputStream", "open0(Ljava/lang/String;)V", 0, "")})
	f.Catches = []*snapshot.Catch{c}
	s := &snapshot.Snapshot{
		Workspace: &workspace.Workspace{Root: "/ws", Modules: []*workspace.Module{{Name: "m"}}},
		Files:     []*snapshot.File{f},
		Catches:   f.Catches, ByID: map[string]*snapshot.Catch{c.ID: c},
		ByPath:     map[string]*snapshot.File{f.Path: f},
		JDKVersion: "17.0.15",
	}
	s.Config, _ = snapshot.Settings{}.Config()
	return View{Snap: s}, c
}

// laid adds results: a verdict decided by one cell.
func laid(v View, c *snapshot.Catch, usage record.Usage, outcome record.Outcome,
	message string) (View, *results.State) {
	cell := record.Cell{Trial: record.Trial{Catch: c.ID, Test: "p.CTest#m", Outcome: outcome, Message: message},
		Type: c.Types[0], Fired: 1,
		Injected: c.Types[0]}
	if usage.White > 0 { // and all its executions are
		cell.Reading, cell.Whites, cell.Executions = record.White, 1, 1
	}
	row := shortcircuit.Row{Types: c.Types,
		Tests: []shortcircuit.Test{{Name: cell.Test, Baseline: record.Pass, Usage: usage,
			Cells: []record.Cell{cell}}}}
	st := &results.State{Ran: true, Verdict: shortcircuit.Decide(row), Matrix: []record.Cell{cell}, Usage: usage,
		Tests:  []string{cell.Test},
		Usages: map[string]record.Usage{cell.Test: usage}, Links: map[string]*results.Experienced{}}
	v.Results = &results.Overlay{ByCatch: map[string]*results.State{c.ID: st},
		Tests: map[record.Outcome]int{record.Pass: 1}}
	return v, st
}

// A lens says in one sentence what is known, and in the papers' terms where these are asked for.
func TestTitle(t *testing.T) {
	white, pink := record.Usage{White: 1}, record.Usage{Pink: 1}
	for _, c := range []struct {
		name, paper, plain string
		change             func(v View, c *snapshot.Catch) View
	}{
		{"nothing run", "2 e-c links, none experienced",
			"2 failures, none tested", func(v View, c *snapshot.Catch) View { return v }},
		{"one link", "1 e-c link, none experienced",
			"1 failure, not tested",
			func(v View, c *snapshot.Catch) View { c.Links = c.Links[:1]; return v }},
		{"no link", "no e-c links",
			"no failures found", func(v View, c *snapshot.Catch) View { c.Links = nil; return v }},
		{"not called", "no e-c links: no call from a test found",
			"no call from a test leads here",
			func(v View, c *snapshot.Catch) View { c.Links, c.Unreached = nil, true; return v }},
		{"not known whether it is called", "no e-c links: no call from a test found",
			"not seen to be called; what Class.forName in Plugins.load loads is not known",
			func(v View, c *snapshot.Catch) View {
				c.Links, c.Unreached, v.Snap.UnknownLoad = nil, true, "what Class.forName in Plugins.load loads"
				hover := CatchHover(v, c, nil, nil)
				if !strings.Contains(hover, "What Class.forName in Plugins.load loads is not known, and may call it") {
					t.Errorf("the hover does not say what is not known:\n%s", hover)
				}
				return v
			}},
		{"not called, in a run", "no e-c links: no call from a test found",
			"no test gets here", func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, white, record.Pass, "")
				c.Links, c.Unreached, s.Tests, s.Matrix, s.Verdict = nil, true, nil, nil, shortcircuit.Verdict{}
				return v
			}},
		{"called in a run only", "no e-c links · source-independent",
			"no failures found · copes wherever it comes from", func(v View, c *snapshot.Catch) View {
				v, _ = laid(v, c, white, record.Pass, "")
				c.Links, c.Unreached = nil, true
				return v
			}},
		{"what comes does not count", "no studied e-c links · source-independent",
			"failures not counted · copes wherever it comes from", func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, white, record.Pass, "")
				c.Links, s.Reached = nil, true
				return v
			}},
		{"some tests have not run, and the code decides", "2 e-c links, none experienced · source-independent",
			"2 failures, none tested · copes wherever it comes from", func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, white, record.Pass, "")
				v.Results.Partial, s.Verdict.ByCode, s.Verdict.SourceIndependence = true, true, shortcircuit.Holds
				s.Verdict.PureResilience = shortcircuit.Violated
				return v
			}},
		{"called in a run of a flaky test only", "no studied e-c links · no test that passes enters this catch",
			"failures not counted · only failing tests get to the catch",
			func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, white, record.Pass, "")
				c.Links, c.Unreached, s.Tests, s.Matrix, s.Verdict, s.Reached = nil, true, nil, nil,
					shortcircuit.Verdict{}, true
				if hover := CatchHover(v, c, nil, nil); strings.Contains(hover, "No call that is seen") {
					t.Errorf("the hover says that nothing calls it:\n%s", hover)
				}
				return v
			}},
		{"not called by mains", "no e-c links: no call from a main found",
			"no call from a main leads here", func(v View, c *snapshot.Catch) View {
				c.Links, c.Unreached, v.Snap.Config.EntryPoints = nil, true, "mains"
				return v
			}},
		{"no handler", "no handler: nothing can reach this catch in the class files",
			"no handler: nothing can reach this catch in the class files",
			func(v View, c *snapshot.Catch) View { c.Handlers = nil; return v }},
		{"no class file", "not compiled yet: there is no class file",
			"not compiled yet: there is no class file",
			func(v View, c *snapshot.Catch) View { c.Compiled = false; return v }},
		{"class of another module", "not analysed: a class of the same name is in the tests of m",
			"not analysed: a class of the same name is in the tests of m",
			func(v View, c *snapshot.Catch) View {
				c.Compiled, c.HiddenBy = false, "the tests of m"
				return v
			}},
		{"violated", "1/2 e-c links · source-dependent",
			"1 of 2 failures tested · fails if it comes earlier", func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, white, record.Fail, "x")
				s.Links["own"] = &results.Experienced{Tests: []string{"p.CTest#m"}}
				return v
			}},
		{"confirmed", "2 e-c links, none experienced · source-independent, confirmed",
			"2 failures, none tested · copes wherever it comes from",
			func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, white, record.Pass, "")
				s.Verdict.SourceCertain = true
				return v
			}},
		{"independent", "2 e-c links, none experienced · source-independent",
			"2 failures, none tested · copes wherever it comes from",
			func(v View, c *snapshot.Catch) View { v, _ = laid(v, c, white, record.Pass, ""); return v }},
		{"resilient", "2 e-c links, none experienced · purely resilient",
			"2 failures, none tested · perfect plan B",
			func(v View, c *snapshot.Catch) View { v, _ = laid(v, c, pink, record.Pass, ""); return v }},
		{"resilient beyond the method", "2 e-c links, none experienced · purely resilient, beyond the method",
			"2 failures, none tested · tests pass though it throws",
			func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, pink, record.Pass, "")
				s.Verdict.Throws = true
				return v
			}},
		{"never entered", "2 e-c links, none experienced · no test enters this catch",
			"2 failures, none tested · no test gets to the catch",
			func(v View, c *snapshot.Catch) View { v, _ = laid(v, c, pink, record.Fail, ""); return v }},
		{"entered in one repetition only", "1/2 e-c links · no test enters this catch in every run",
			"1 of 2 failures tested · a test gets to the catch by chance",
			func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, pink, record.Fail, "")
				s.Links["own"], s.Reached, s.Sometimes = &results.Experienced{Tests: []string{"p.CTest#m"}},
					true, true
				if d := Diagnostics(v, c.File, nil); len(d) != 1 ||
					d[0].Message != "No test makes this catch run in every run." {
					t.Errorf("diagnostics: %+v", d)
				}
				return v
			}},
		{"unknown", "2 e-c links, none experienced · contract unknown",
			"2 failures, none tested · not known whether it copes",
			func(v View, c *snapshot.Catch) View { v, _ = laid(v, c, white, record.NotFired, ""); return v }},
		{"edited", "2 e-c links, none experienced · source-independent · stale",
			"2 failures, none tested · copes wherever it comes from · stale",
			func(v View, c *snapshot.Catch) View {
				v, _ = laid(v, c, white, record.Pass, "")
				v.Edited = map[string]bool{c.ID: true}
				return v
			}},
		{"with faults", "1/2 e-c links · source-independent · 1/2 faults",
			"1 of 2 failures tested · copes wherever it comes from", func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, white, record.Pass, "")
				s.Links["jdk"] = &results.Experienced{Fault: true, Tests: []string{"p.CTest#m"}}
				s.Faults.Possible, s.Faults.Seen = []faults.Kind{faults.Kind("missing"),
					faults.Kind("permission")}, []faults.Kind{faults.Kind("missing")}
				return v
			}},
		{"never entered without a fault", "1/2 e-c links · no test enters this catch without a fault",
			"1 of 2 failures tested · only faults get to the catch",
			func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, pink, record.Fail, "")
				s.Links["jdk"] = &results.Experienced{Fault: true, Tests: []string{"p.CTest#m"}}
				return v
			}},
		{"with a fault of before", "2 e-c links, none experienced · source-independent · 0/1 fault (stale)",
			"2 failures, none tested · copes wherever it comes from",
			func(v View, c *snapshot.Catch) View {
				v, s := laid(v, c, white, record.Pass, "")
				s.Faults.Possible, s.Faults.Stale = []faults.Kind{faults.Kind("missing")}, true
				return v
			}},
		{"judged", "1 e-c link, none experienced",
			"1 failure, not tested",
			func(v View, c *snapshot.Catch) View { v.Infeasible = map[string]string{"jdk": "never"}; return v }},
	} {
		v, catch := view()
		v = c.change(v, catch)
		if got := Title(v, catch); got != c.plain {
			t.Errorf("%s: %q, want %q", c.name, got, c.plain)
		}
		v.Words = "paper"
		if got := Title(v, catch); got != c.paper {
			t.Errorf("%s, in the papers' terms: %q, want %q", c.name, got, c.paper)
		}
	}
}

// What tests print cannot change what a page, a terminal or a hover shows.
func TestHostileMessages(t *testing.T) {
	const nasty = "\x1b]0;x\x07<script>alert(1)</script> ](command:evil)\n\u202e"
	v, c := view()
	v, _ = laid(v, c, record.Usage{White: 1}, record.Fail, nasty)
	var html, text bytes.Buffer
	if err := HTMLReport(t.Context(), &html, v, "t"); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(html.String(), "<script>alert") || !strings.Contains(html.String(),
		"&lt;script&gt;alert(1)") {
		t.Error("the page has markup of a message, or lost the message")
	}
	Text(t.Context(), &text, v, TextOptions{Links: true})
	sarifOf(t, v, nil)
	hover := CatchHover(v, c, FileURI("/ws"), nil)
	if strings.Contains(hover, "](command:evil") || strings.Contains(hover, "<script>") {
		t.Errorf("hover: %s", hover)
	}
	d := Diagnostics(v, c.File, nil)
	if len(d) != 1 || d[0].Code != CodeSourceDependent {
		t.Fatalf("diagnostics: %+v", d)
	}
	for name, s := range map[string]string{"html": html.String(), "text": text.String(), "hover": hover,
		"diagnostic": d[0].Message} {
		if strings.ContainsAny(s, "\x1b\x07\u202e") {
			t.Errorf("%s holds control characters", name)
		}
	}
}

// A message is a line or two, however long the names are; what it leaves out
// stands in the related locations.
func TestDiagnosticsAreShort(t *testing.T) {
	v, c := view()
	v, st := laid(v, c, record.Usage{White: 1}, record.Fail,
		"org.opentest4j.AssertionFailedError: expected: <1> but was: <2>")
	long := "org.example.some.pkg.FileStoreIntegrationTest#" +
		"leavesNoPartOfTheFileWhenItCannotBeReplacedBecauseTheFolderIsReadOnlyOrTheDiskIsFull[1: a, b]"
	w := st.Verdict.Witnesses[0]
	w.Test, w.Injected = long, "org.example.some.pkg.StoreException"
	st.Verdict.Witnesses = append([]record.Cell{w}, st.Verdict.Witnesses...)
	v.Results.Unpredicted = []results.Unpredicted{{Catch: c,
		Experienced: results.Experienced{Tests: []string{long}, Baseline: true},
		Seen: record.Experienced{Exception: "org/example/some/pkg/StoreException",
			Site: record.SiteRef{Class: "org/example/some/pkg/FileStoreWithAnExtremelyLongNameOfItsClass",
				Method: "aMethodWithAnExtremelyLongNameOfItsOwnToo"}}}}
	v.Edited = nil
	v.Results.ByCatch[c.ID].Stale = true
	ds := Diagnostics(v, c.File, func(test string) (string, int, bool) { return "test/T.java", 7, test == long })
	if len(ds) != 2 {
		t.Fatalf("%d diagnostics, want 2: %+v", len(ds), ds)
	}
	for _, d := range ds {
		if n := len([]rune(d.Message)); n > 220 {
			t.Errorf("%d characters: %s", n, d.Message)
		}
	}
	if got, want := ds[0].Message, "This catch depends on where in the try the exception comes from: "+
		"FileStoreIntegrationTest#"; !strings.HasPrefix(got, want) ||
		!strings.Contains(got, " and 1 more test fail when StoreException is thrown at its start. (stale") {
		t.Errorf("message %q", got)
	}
	rel := ds[0].Related
	if len(rel) != 2 || rel[0].File != "test/T.java" || rel[0].Line != 7 ||
		!strings.HasPrefix(rel[0].Message, long+" with org.example.some.pkg.StoreException: fail: org.opentest4j") {
		t.Errorf("related: %+v", rel)
	}
	if rel[1].File != c.File.Path || rel[1].Line != c.Line {
		t.Errorf("a test whose source is not known stands at the catch: %+v", rel[1])
	}
	if rel := ds[1].Related; len(rel) != 1 ||
		!strings.Contains(rel[0].Message, "org.example.some.pkg.FileStoreWithAnExtremelyLongNameOfItsClass.aMethod") {
		t.Errorf("related of the unpredicted link: %+v", rel)
	}
}

func TestHover(t *testing.T) {
	v, c := view()
	h := longHover(v, c, FileURI("/ws"))
	own, jdk := strings.Index(h, "`java.io.IOException`"), strings.Index(h, "`java.io.FileNotFoundException`")
	if own < 0 || jdk < own {
		t.Errorf("the workspace's own throws are not first:\n%s", h)
	}
	for _, want := range []string{"No test has been run yet", "[`D.n:9`](file:///ws/src/p/D.java#L9)",
		"`FileInputStream.open0 (native)`", "[`C.m:4`](file:///ws/src/p/C.java#L4) → [`D.n:9`]"} {
		if !strings.Contains(h, want) {
			t.Errorf("hover without %q:\n%s", want, h)
		}
	}
}

// The report has every field that docs/reference/report.md names, whatever is known.
func TestReport(t *testing.T) {
	v, c := view()
	v, st := laid(v, c, record.Usage{Pink: 2, White: 1}, record.Fail, "m")
	st.Links["own"] = &results.Experienced{Tests: []string{"p.CTest#m"}}
	v.Infeasible = map[string]string{"jdk": "never", "own": "surely not"}
	v.Results.Unpredicted = []results.Unpredicted{{Catch: c,
		Experienced: results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true},
		Seen: record.Experienced{Catch: c.ID, Exception: "java/io/EOFException",
			Site: record.SiteRef{Class: "q/X", Method: "y", Ordinal: -1, Line: 3, Kind: "native"}}}}
	data, err := json.Marshal(reported(t, v, false))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"schema":1`, `"configuration":{"callGraph":"rta","exceptions":"checked+own","sites":["native","explicit"],"entryPoints":"tests"}`,
		`"handlers":1`, `"outcome":"experienced","experiencedBy":["baseline"]`, `"root":null`, `"cause":null`,
		`"userVerdict":{"infeasible":true,"reason":"never"}`,
		`"coverage":{"experienced":0,"predicted":0}`, `"sourceIndependence":"violated"`, `"stretchable":"unknown"`,
		`"usages":{"pink":2,"white":1,"blue":0}`,
		`"predicted":false`, `"unpredicted":1`, `"matrix":[{"catch":"p/C.m()#0"`, `"fired":1,"outcome":"fail"`,
		`"faultCatch":{"average":0,"overall":0,"coveredCatches":0}`,
		`was marked as impossible (surely not) and has been experienced`,
	} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("the report has no %s:\n%s", want, data)
		}
	}
}

func TestHoverOfDiscardedLinks(t *testing.T) {
	v, c := view()
	if text := longHover(v, c, nil); strings.Contains(text, "Ruled out") {
		t.Errorf("nothing was ruled out:\n%s", text)
	}
	read := snapshot.MethodRef{Class: "java.io.BufferedInputStream", Method: "fill()V"}
	c.SetDiscards([]snapshot.Discard{
		{Links: 3, Site: snapshot.Site{Class: "sun.nio.ch.SocketDispatcher", Method: "read0()I", Kind: "native"},
			Classes: []string{"java.net.SocketInputStream"}, None: true},
		{Links: 1, Site: snapshot.Site{Class: "p.D", Method: "n()V", Kind: "explicit", Line: 9},
			Classes: []string{"p.A", "p.B"}, Caller: read},
		{Links: 1, Site: snapshot.Site{Class: "p.E", Method: "n()V", Kind: "explicit"},
			Classes: []string{"p.A", "p.B", "p.C", "p.D", "p.E"}, None: true},
		{Links: 2, Site: snapshot.Site{Class: "p.F", Method: "n()V", Kind: "explicit"}},
		{Links: 1, Site: snapshot.Site{Class: "p.G", Method: "n()V", Kind: "explicit"}, Condition: true},
	})
	text := longHover(v, c, nil)
	for _, want := range []string{
		"Ruled out: 8 further throw sites.",
		"- 3 throw sites, such as `SocketDispatcher.read0 (native)`: no `SocketInputStream` can be reached from here\n",
		"- `D.n:9`: no `A` or `B` that `BufferedInputStream.fill` could call on can be reached from here\n",
		"- `E.n`: no `A`, `B`, `C` or any of 2 others can be reached from here\n",
		"- 2 throw sites, such as `F.n`: none of the ways to it remains\n",
		"- … and 1 other reason\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if got := discardReason(snapshot.Discard{Condition: true}); got !=
		"its condition holds in no call from here that lets exceptions through" {
		t.Error(got)
	}
	seek := snapshot.MethodRef{Class: "p.Seeker", Method: "seek(J)V"}
	const calls = "`BufferedInputStream.fill` calls `Seeker.seek` only where a condition holds, and it holds in no " +
		"call from here that lets exceptions through"
	if got := discardReason(snapshot.Discard{Condition: true, Caller: read, Callee: seek}); got != calls {
		t.Error(got)
	}
}

// The page stands beside the code: packages are said once, above the list.
func TestChainsPageNamesPackagesOnce(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Fail,
		"org.opentest4j.AssertionFailedError: expected: <p.CException> but was: <java.lang.NullPointerException>")
	for _, test := range []string{"p.q.DTest#n()", "TopTest#m", "p.CTest#k"} {
		cell := s.Matrix[0]
		cell.Test, cell.Outcome, cell.Message = test, record.Pass, ""
		s.Matrix = append(s.Matrix, cell)
	}
	page := ChainsPage(v, c, nil)
	for _, want := range []string{
		"\nTests of `p`, with `java.io.IOException` thrown at the start of the try:\n\n" +
			"* CTest#m, thrown 1×: fail: AssertionFailedError: expected: &lt;CException> but was: " +
			"&lt;NullPointerException>\n* CTest#k, thrown 1×: pass\n",
		"\nTests of `p.q`, with ", "* DTest#n(), thrown 1×: pass\n", "\nTests, with ",
		"* TopTest#m, thrown 1×: pass\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if id := Code(c.Links[0].ID); strings.Contains(page, id) {
		t.Errorf("%s says nothing to who reads\n%s", id, page)
	}
}

// One of something has no plural, and the page names a catch as the command line
// wants it.
func TestPlurals(t *testing.T) {
	v, c := view()
	v, _ = laid(v, c, record.Usage{White: 1}, record.Pass, "")
	var html, text bytes.Buffer
	if err := HTMLReport(t.Context(), &html, v, "t"); err != nil {
		t.Fatal(err)
	}
	Text(t.Context(), &text, v, TextOptions{Links: false})
	for _, want := range []string{"in 1 passing test</p>", `<span class="soft">` + c.ID + "</span>"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if !strings.HasPrefix(text.String()[strings.Index(text.String(), "\n\n"):], "\n\n1 catch, ") {
		t.Errorf("text: %s", text.String())
	}
	for n, want := range map[int]string{0: "0 catches", 1: "1 catch", 2: "2 catches"} {
		if got := Count(n, "catch"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A comment beside the catch accepts a finding, too.
func TestAcceptedBeside(t *testing.T) {
	for _, x := range [][2]string{
		{"  } catch (E e) { // catchlens:accept source-dependent: known for long\n", "known for long"},
		{"  } catch (E e) { //catchlens:accept source-dependent-catch known\r\n", "known"},
		{"  } catch (E e) { // catchlens:accept source-dependent", "in a comment beside the catch"},
		{"  // catchlens:accept source-dependent: known\n  } catch (E e) {\n", "known"},
		{"  } catch (E e) { // catchlens:accept never-entered: known\n", ""},
		{"} catch (E e) { // catchlens:accept never-entered: x // catchlens:accept source-dependent: new\n", "new"},
		{"} catch (E e) { // catchlens:accept source-dependent: old // catchlens:accept never-entered: new\n", "old"},
		{"  f(); // catchlens:accept source-dependent: known\n  } catch (E e) {\n", ""},
		{"  // catchlens:accept source-dependent: known\n\n  } catch (E e) {\n", ""},
		{"  } catch (E e) {\n  // catchlens:accept source-dependent: known\n", ""},
		{"catch (E e) { // catchlens:accept", ""},
		{"catch (E e) {", ""},
	} {
		text, want := x[0], x[1]
		v, c := view()
		v, _ = laid(v, c, record.Usage{White: 1}, record.Fail, "boom")
		c.File.Text = []byte(text)
		start := strings.Index(text, "catch (")
		c.Source.Keyword.Start, c.Source.Keyword.End = start, start+len("catch")
		reason, ok := v.accepted(c, CodeSourceDependent)
		if reason != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, reason, ok, want)
		}
		if n := len(Diagnostics(v, c.File, nil)); ok == (n != 0) {
			t.Errorf("%q: %d diagnostics", text, n)
		}
	}
}

// The action that accepts a finding writes a comment that does; it is not offered twice, nor
// where the line may not end in a comment.
func TestAcceptances(t *testing.T) {
	for text, want := range map[string]string{
		"  } catch (E e) {\n    f();": "  } catch (E e) { // catchlens:accept " +
			"source-dependent\n    f();",
		"  } catch (E e) { // why\r\n": "  } catch (E e) { // why // catchlens:accept " +
			"source-dependent\r\n",
		"} catch (E e) { g(); }": "} catch (E e) { g(); } // catchlens:accept " +
			"source-dependent",
		"} catch (E e) { // catchlens:accept source-dependent\n": "",
		"} catch (E e) { /* a\n b */":                            "",
		"try { try { f(); } catch (E e) { } } catch (E e) { }":   "",
		"} catch (E e) { // catchlens:accept never-entered: old\n": "} catch (E e) { // catchlens:accept " +
			"never-entered: old // catchlens:accept source-dependent\n",
		"} catch (E e) { s = \"\"\"\n text\"\"\";": "",
	} {
		v, c := view()
		v, _ = laid(v, c, record.Usage{White: 1}, record.Fail, "boom")
		c.File.Text = []byte("} catch (E e) {")
		start := strings.Index(text, "catch (")
		at := *c.Source
		at.Keyword.Start, at.Keyword.End = start, start+len("catch")
		got := Acceptances(v, c, []byte(text), &at)
		if len(got) != min(len(want), 1) {
			t.Errorf("%q: %+v", text, got)
			continue
		}
		for _, a := range got {
			after := text[:a.Offset] + a.Text + text[a.Offset:]
			if after != want || a.Code != CodeSourceDependent || a.Title != "Accept this verdict: source dependent" {
				t.Errorf("%q: %+v makes %q, want %q", text, a, after, want)
			}
			c.File.Text, c.Source.Keyword = []byte(after), at.Keyword
			if _, ok := v.accepted(c, CodeSourceDependent); !ok {
				t.Errorf("%q does not accept the finding", after)
			}
		}
	}
}

// An accepted finding has no diagnostic and is told in the lens and the hover; what
// the analysis did not predict cannot be accepted.
func TestAccepted(t *testing.T) {
	want := []string{CodeSourceDependent, CodeNeverEntered, CodeNoHandler}
	if !slices.Equal(workspace.Findings, want) {
		t.Errorf("findings that can be accepted: %q, want %q", workspace.Findings, want)
	}
	v, c := view()
	v, _ = laid(v, c, record.Usage{White: 1}, record.Fail, "boom")
	v.Results.Unpredicted = []results.Unpredicted{{Catch: c,
		Experienced: results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true},
		Seen:        record.Experienced{Exception: "p/E", Site: record.SiteRef{Class: "p/D", Method: "n"}}}}
	codes := func() (codes []string) {
		for _, d := range Diagnostics(v, c.File, nil) {
			codes = append(codes, d.Code)
		}
		return codes
	}
	for _, k := range []struct {
		accept   workspace.Accept
		accepted bool
	}{
		{workspace.Accept{Catch: c.ID, Finding: CodeSourceDependent, Reason: "known"}, true},
		{workspace.Accept{Catch: c.ID, Reason: "known"}, true},
		{workspace.Accept{Catch: c.ID, Finding: CodeNeverEntered, Reason: "known"}, false},
		{workspace.Accept{Catch: "p/C.other()#0", Reason: "known"}, false},
	} {
		v.Judged = &workspace.Config{File: "/ws/catchlens.toml", Accept: []workspace.Accept{k.accept}}
		want := []string{CodeSourceDependent, CodeUnpredicted}
		if k.accepted {
			want = want[1:]
		}
		if got := codes(); !slices.Equal(got, want) {
			t.Errorf("%+v: diagnostics %q, want %q", k.accept, got, want)
		}
		if got := strings.Contains(Title(v, c), "fails if it comes earlier (accepted)"); got != k.accepted {
			t.Errorf("%+v: title %q", k.accept, Title(v, c))
		}
		if got := strings.Contains(CatchHover(v, c, FileURI("/ws"), nil), "Accepted: known"); got != k.accepted {
			t.Errorf("%+v: the hover says accepted: %v", k.accept, got)
		}
	}
	v.Judged.Infeasible = []workspace.Infeasible{{Link: "0123", Reason: "never", Line: 3},
		{Link: c.Links[0].ID, Reason: "never", Line: 6}}
	var lines []int
	for _, p := range Problems(v) {
		if p.File == "/ws/catchlens.toml" {
			lines = append(lines, p.Line)
		}
	}
	if !slices.Equal(lines, []int{3, 0}) { // the link that is not there, and the catch of the last row
		t.Errorf("judgements of what is not there: lines %v", lines)
	}
}

// A link that was not predicted is in the lens, whatever else is known; only the diagnostic waits
// for the next analysis, and goes when the test has changed.
func TestUnpredictedTitles(t *testing.T) {
	v, c := view()
	v, st := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	seen := record.Experienced{Catch: c.ID, Exception: "java/io/EOFException",
		Site: record.SiteRef{Class: "q/X", Method: "y", Ordinal: -1, Line: 3, Kind: "native"}}
	u := results.Unpredicted{Catch: c, Seen: seen,
		Experienced: results.Experienced{Tests: []string{"p.CTest#m", "p.CTest#n"}, Fault: true}}
	pending, stale := u, u
	pending.Pending, stale.Stale = true, true
	all := c.Links
	for _, k := range []struct {
		links       []*snapshot.Link
		experienced bool
		unpredicted []results.Unpredicted
		reached     bool
		title       string
		diagnostics int
	}{
		{links: nil, title: "no e-c links"},
		{links: nil, reached: true, title: "no studied e-c links"},
		{links: nil, reached: true, unpredicted: []results.Unpredicted{u},
			title: "1 e-c link experienced, not predicted", diagnostics: 1},
		{links: nil, unpredicted: []results.Unpredicted{pending, stale},
			title: "2 e-c links experienced, not predicted"},
		{links: all, unpredicted: []results.Unpredicted{pending},
			title: "0/2 e-c links, 1 more experienced, not predicted"},
		{links: all, experienced: true, unpredicted: []results.Unpredicted{u, u},
			title: "1/2 e-c links, 2 more experienced, not predicted", diagnostics: 2},
		{links: all, title: "2 e-c links, none experienced"},
	} {
		c.Links, v.Results.Unpredicted, st.Reached, st.Links = k.links, k.unpredicted, k.reached,
			map[string]*results.Experienced{}
		if k.experienced {
			st.Links["own"] = &results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true}
		}
		if got := coverageTitle(v, c); got != k.title {
			t.Errorf("%+v: %q", k, got)
		}
		n := 0
		for _, d := range Diagnostics(v, c.File, nil) {
			if d.Code == CodeUnpredicted {
				n++
			}
		}
		if n != k.diagnostics {
			t.Errorf("%q has %d diagnostics, want %d", k.title, n, k.diagnostics)
		}
		if got := strings.Contains(CatchHover(v, c, nil, nil),
			"the next one knows of them"); got != slices.ContainsFunc(k.unpredicted,
			func(u results.Unpredicted) bool { return u.Pending }) {
			t.Errorf("%q: the hover speaks of the next analysis: %v", k.title, got)
		}
		if got := Totals(v).Unpredicted; got != len(k.unpredicted) {
			t.Errorf("%q: %d unpredicted in the totals", k.title, got)
		}
	}
	v.Results.Unpredicted = []results.Unpredicted{u}
	links := reported(t, v, false).Catches[0].Links
	if l := links[len(links)-1]; l.Predicted || !slices.Equal(l.ExperiencedBy, []string{"fault"}) ||
		len(l.Tests) != 2 || l.Outcome != "experienced" {
		t.Errorf("the report has %+v", l)
	}
}
