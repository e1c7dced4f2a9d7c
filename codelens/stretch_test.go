package codelens

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

func TestMoreHints(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	s.Stretch = shortcircuit.Stretch{Answer: shortcircuit.StretchYes, To: "java.lang.Exception", CaseA: true}
	codes := func(v View) (list []string) {
		for _, d := range Diagnostics(v, c.File, nil) {
			if d.Severity != SeverityHint {
				t.Errorf("%s has severity %d", d.Code, d.Severity)
			}
			list = append(list, d.Code)
		}
		return list
	}
	if got := codes(v); got != nil {
		t.Errorf("unasked: %v", got)
	}
	v.MoreHints = []string{CodeStretchable}
	if got := codes(v); len(got) != 1 || got[0] != CodeStretchable {
		t.Errorf("asked for by settings: %v", got)
	}
	v.MoreHints, v.Judged = nil, &workspace.Config{MoreHints: workspace.MoreHints}
	if got := codes(v); len(got) != 1 || got[0] != CodeStretchable {
		t.Errorf("asked for by catchlens.toml: %v", got)
	}
	s.Stale = true
	if got := codes(v); got != nil {
		t.Errorf("of stale results: %v", got)
	}
	v, s = laid(v, c, record.Usage{Pink: 1}, record.Fail, "x")
	s.Usage.White = 1
	if got := codes(v); len(got) != 1 || got[0] != CodeNotResilient {
		t.Errorf("of a failing run: %v", got)
	}
	message := func() string { return Diagnostics(v, c.File, nil)[0].Message }
	if got := message(); !strings.HasSuffix(got, "replaces the try.") {
		t.Errorf("of a failing run: %s", got)
	}
	s.Stale, s.Verdict.Witnesses[0].Point = true, &record.Point{N: 1, Back: 1, Call: "In.read"}
	if got := message(); !strings.Contains(got, "comes from the call of In.read") ||
		!strings.HasSuffix(got, "(stale: the code has changed)") {
		t.Errorf("of a stale run at a place inside the try: %s", got)
	}
}

func TestStretchIsRefused(t *testing.T) {
	v, c := view()
	try := func() string {
		_, err := Stretch(v, c, c.File.Source, c.File.Text, c.Source)
		if err == nil {
			return ""
		}
		return err.Error()
	}
	if got := try(); !strings.Contains(got, "no test has been run") {
		t.Errorf("without results: %s", got)
	}
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	s.Stretch = shortcircuit.Stretch{Answer: shortcircuit.StretchNo, Why: "p.CTest#m does not pass"}
	if got := try(); !strings.Contains(got, "p.CTest#m does not pass") || StretchTitle(v, c) != "" {
		t.Errorf("of one that is not stretchable: %s", got)
	}
	s.Stretch = shortcircuit.Stretch{Answer: shortcircuit.StretchNo, To: "java.io.IOException"}
	if got := StretchTitle(v, c); got != "Catch IOException here (verified)" {
		t.Errorf("title %q", got)
	}
	s.Stale = true
	if got := try(); !strings.Contains(got, "changed") || StretchTitle(v, c) != "" {
		t.Errorf("of stale results: %s", got)
	}
	s.Stale, s.Stretch = false, shortcircuit.Stretch{Answer: shortcircuit.StretchYes, Already: true}
	if got := try(); !strings.Contains(got, "every Exception") || StretchTitle(v, c) != "" {
		t.Errorf("of one that takes all: %s", got)
	}
}

func TestStretchDiff(t *testing.T) {
	text := []byte("try {\n    m();\n} catch (A e) {\n    x();\n} catch (B e) { }\nrest();\n")
	at := func(s string) int { return strings.Index(string(text), s) }
	e := StretchEdit{Start: at("A e"), End: at("A e") + 1, Text: "Exception"}
	if got, want := e.Diff(text), "- } catch (A e) {\n+ } catch (Exception e) {"; got != want {
		t.Errorf("in its place: %q, want %q", got, want)
	}
	e = StretchEdit{Start: at("catch (A"), End: at("\nrest"),
		Text: "catch (B e) { } catch (Exception e) {\n    x();\n}"}
	if got, want := e.Diff(text), "- } catch (A e) {\n- x();\n- } catch (B e) { }\n+ } catch (B e) { } catch "+
		"(Exception e) {\n+ x();\n+ }"; got != want {
		t.Errorf("moved: %q, want %q", got, want)
	}
	for n, want := range map[int]string{30: "… and 10 more lines", maxDiffLines + 1: "… and 1 more line"} {
		e = StretchEdit{Start: 0, End: 0, Text: strings.Repeat("a\n", n)}
		if got := e.Diff(text); !strings.HasSuffix(got, want) {
			t.Errorf("%d lines: %q", n, got)
		}
	}
}
