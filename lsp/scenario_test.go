package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/tools/txtar"

	"github.com/catchlens/catchlens/codelens/chaintext"
	"github.com/catchlens/catchlens/internal/golden"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
)

// What an editor shows in a small workspace, step by step: testdata/scenarios/README.md says how
// such a file is written.
func TestGoldenScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "scenarios", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			playScenario(t, archive)
			golden.Check(t, file, txtar.Format(archive))
		})
	}
}

// scenario is one that is played: the archive, in which answers are replaced by those of the
// server, and the editor.
type scenario struct {
	t       *testing.T
	archive *txtar.Archive
	answers map[string]*txtar.File // of the archive, by name; those that a step has given go
	root    string
	c       *client
	texts   map[string]string // by file, as the editor has it
	version int
}

// playScenario lays out the sources, compiles them, and carries out the steps.
func playScenario(t *testing.T, archive *txtar.Archive) {
	s := &scenario{t: t, archive: archive, answers: map[string]*txtar.File{}, root: t.TempDir(),
		texts: map[string]string{}}
	options := map[string]any{"callGraph": "rta"} // no answer is refined later
	var sources []string
	for i := range archive.Files {
		f := &archive.Files[i]
		switch {
		case f.Name == "options.json":
			if err := json.Unmarshal(f.Data, &options); err != nil {
				t.Fatalf("options.json: %v", err)
			}
		case strings.HasSuffix(f.Name, ".txt"):
			s.answers[f.Name] = f
		default:
			path := filepath.Join(s.root, filepath.FromSlash(f.Name))
			os.MkdirAll(filepath.Dir(path), 0o755)
			if err := os.WriteFile(path, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(path, ".java") {
				sources = append(sources, path)
				s.texts[f.Name] = string(f.Data)
			}
		}
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(s.root, "classes"), sources...)
	s.c = connectTo(t, session.Open, plainCaps, options, s.root)
	for line := range strings.Lines(string(archive.Comment)) {
		if words := stepWords(line); len(words) > 0 {
			s.step(words)
		}
	}
	s.c.quit()
	for name := range s.answers {
		t.Errorf("no step gives %s", name)
	}
}

// stepWords are the words of a step, of which quoted ones are as in Go; none where the line is a
// comment.
func stepWords(line string) (words []string) {
	for rest := strings.TrimSpace(line); rest != "" && rest[0] != '#'; rest = strings.TrimSpace(rest) {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			word, _ := strconv.Unquote(quoted)
			words, rest = append(words, word), rest[len(quoted):]
			continue
		}
		word, _, _ := strings.Cut(rest, " ")
		words, rest = append(words, word), rest[len(word):]
	}
	return words
}

func (s *scenario) step(words []string) {
	s.t.Helper()
	verb, args := words[0], words[1:]
	into, has := "", ""
	if n := len(args); n > 1 && args[n-2] == ">" {
		into, args = args[n-1], args[:n-2]
	} else if n > 1 && args[n-2] == "has" {
		has, args = args[n-1], args[:n-2]
	}
	want := map[string]int{"open": 1, "edit": 3, "lenses": 1, "hover": 2, "actions": 2, "callees": 2, "calls": 2,
		"chains": 2, "page": 2, "hints": 1, "diagnostics": 1, "matrix": 2}[verb]
	if want == 0 || len(args) != want || s.texts[args[0]] == "" {
		s.t.Fatalf("no such step, or not of a file of this scenario: %q", words)
	}
	file := args[0]
	uri := pathURI(filepath.Join(s.root, filepath.FromSlash(file)))
	answer := ""
	switch verb {
	case "open":
		s.c.open(filepath.Join(s.root, filepath.FromSlash(file)), s.texts[file])
		s.c.until(uri, some)
		s.version = max(s.version, 1)
		return
	case "edit":
		s.edit(uri, file, args[1], args[2])
		return
	case "lenses":
		answer = strings.Join(oneBased(titles(s.c.lenses(uri))), "\n")
	case "hints":
		answer = s.hints(uri)
	case "diagnostics":
		answer = s.diagnostics(uri, s.answers[into])
	case "matrix":
		answer = s.matrix(uri, s.position(file, args[1])["line"])
	case "hover":
		answer = s.hover(uri, file, args[1])
	case "chains":
		answer = s.chains(uri, file, args[1])
	case "page":
		answer = s.page(uri, args[1])
	case "actions":
		answer = s.actions(uri, file, args[1])
	case "callees":
		answer = s.callees(uri, file, args[1])
	case "calls":
		answer = s.calls(uri, file, args[1])
	}
	if has == "" {
		s.give(into, answer)
	} else if !strings.Contains(answer, has) {
		s.t.Errorf("%q: the answer is\n%s", words, answer)
	}
}

// give is the answer of a step: the text, with the folder of the workspace left out.
func (s *scenario) give(into, text string) {
	s.t.Helper()
	f := s.answers[into]
	if f == nil {
		if !golden.Updating() || !strings.HasSuffix(into, ".txt") {
			s.t.Fatalf("there is no %q in the archive, or it has been given already; its text is\n%s", into, text)
		}
		s.archive.Files = append(s.archive.Files, txtar.File{Name: into})
		f = &s.archive.Files[len(s.archive.Files)-1]
	}
	delete(s.answers, into)
	text = strings.ReplaceAll(strings.ReplaceAll(text, pathURI(s.root), "file://ROOT"), s.root, "ROOT")
	f.Data = []byte(strings.TrimRight(text, "\n") + "\n")
}

// oneBased turns line:character, from 0, into what editors show.
func oneBased(titles []string) (out []string) {
	for _, t := range titles {
		var line, char int
		place, rest, _ := strings.Cut(t, " ")
		fmt.Sscanf(place, "%d:%d", &line, &char)
		out = append(out, fmt.Sprintf("%d:%d %s", line+1, char+1, rest))
	}
	return out
}

// position is where a text begins in the file as the editor has it; a caret in the text, which the
// file does not have there, is where in it the cursor is.
func (s *scenario) position(file, text string) map[string]int {
	s.t.Helper()
	before, after, _ := strings.Cut(text, "^")
	have := s.texts[file]
	at := strings.Index(have, before+after)
	if at < 0 || strings.Contains(have[at+1:], before+after) {
		s.t.Fatalf("%s does not have %q once", file, before+after)
	}
	at += len(before)
	head := have[strings.LastIndexByte(have[:at], '\n')+1 : at]
	return map[string]int{"line": strings.Count(have[:at], "\n"), "character": len(utf16.Encode([]rune(head)))}
}

func (s *scenario) edit(uri, file, old, text string) {
	s.t.Helper()
	from := s.position(file, old)
	to := s.position(file, old+"^")
	s.version++
	s.c.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": s.version},
		"contentChanges": []any{
			map[string]any{"range": map[string]any{"start": from, "end": to}, "text": text}}})
	s.texts[file] = strings.Replace(s.texts[file], old, text, 1)
}

// hints are the inlay hints of a file, each with its place and its tooltip.
func (s *scenario) hints(uri string) string {
	s.t.Helper()
	var got []struct {
		Position       positionJSON
		Label, Tooltip string
	}
	s.c.call("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": uri},
		"range": rangeJSON{End: positionJSON{Line: 1 << 20}}}, &got)
	var b strings.Builder
	for _, h := range got {
		fmt.Fprintf(&b, "%d:%d %s\n", h.Position.Line+1, h.Position.Character+1, h.Label)
		for line := range strings.Lines(h.Tooltip) {
			fmt.Fprintf(&b, "    %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// severities are the protocol's, from 1.
var severities = []string{"", "error", "warning", "information", "hint"}

// diagnostics are those that the server has published last of a file, each with its place. They
// come when they come: an answer that is expected is waited for.
func (s *scenario) diagnostics(uri string, expected *txtar.File) (answer string) {
	s.t.Helper()
	wait, want := time.Second, "what comes within it"
	if !golden.Updating() && expected != nil {
		wait, want = 10*time.Second, strings.TrimSpace(string(expected.Data))
	}
	for end := time.Now().Add(wait); time.Now().Before(end) && strings.TrimSpace(answer) != want; {
		time.Sleep(20 * time.Millisecond)
		answer = "(not published)"
		s.c.mu.Lock()
		for _, raw := range s.c.told["textDocument/publishDiagnostics"] {
			var published struct {
				URI         string
				Diagnostics []diagnosticJSON
			}
			if json.Unmarshal(raw, &published) != nil || canonical(published.URI) != canonical(uri) {
				continue
			}
			answer = ""
			for _, d := range published.Diagnostics {
				answer += fmt.Sprintf("%d:%d-%d:%d %s %s: %s\n", d.Range.Start.Line+1, d.Range.Start.Character+1,
					d.Range.End.Line+1, d.Range.End.Character+1, severities[d.Severity], d.Code, d.Message)
			}
			if answer == "" {
				answer = "(none)"
			}
		}
		s.c.mu.Unlock()
	}
	return answer
}

// matrix is the page of the catch at or above a line (from 0), or why there is none.
func (s *scenario) matrix(uri string, line int) string {
	var shown struct{ Text string }
	if err := s.c.conn.Call(s.t.Context(), "workspace/executeCommand", map[string]any{
		"command": "catchlens.showMatrix", "arguments": []any{uri, line}}, &shown); err != nil {
		return "error: " + err.Error()
	}
	return shown.Text
}

func (s *scenario) hover(uri, file, at string) string {
	s.t.Helper()
	var h *struct{ Contents struct{ Value string } }
	s.c.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": s.position(file, at)}, &h)
	if h == nil {
		return "(none)"
	}
	return h.Contents.Value
}

// chains is the hover of a method, once its call chains have been found.
func (s *scenario) chains(uri, file, at string) string {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		switch text := s.hover(uri, file, at); text {
		case "(none)", chaintext.Pending, chaintext.PendingCall:
		default:
			return text
		}
	}
	s.t.Fatalf("%s: no hover at %q", file, at)
	return ""
}

// page is the document that a lens with a title opens.
func (s *scenario) page(uri, title string) string {
	s.t.Helper()
	for _, l := range s.c.lenses(uri) {
		if l.Command.Title != title {
			continue
		}
		var shown struct{ URI, Text string }
		s.c.call("workspace/executeCommand", map[string]any{"command": l.Command.Command,
			"arguments": l.Command.Arguments}, &shown)
		return shown.Text
	}
	s.t.Fatalf("no lens says %q", title)
	return ""
}

func (s *scenario) actions(uri, file, at string) string {
	s.t.Helper()
	var actions []struct{ Title string }
	p := s.position(file, at)
	s.c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
		"context": map[string]any{"diagnostics": []any{}},
		"range":   map[string]any{"start": p, "end": p}}, &actions)
	var out []string
	for _, a := range actions {
		out = append(out, a.Title)
	}
	return strings.Join(out, "\n")
}

// callees are the rows of the call hierarchy below a place. Both directions have the same rows; a
// row that another of its level looks like, or without a line, is an error.
func (s *scenario) callees(uri, file, at string) string {
	s.t.Helper()
	var roots []map[string]any
	s.c.call("textDocument/prepareCallHierarchy", map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": s.position(file, at)}, &roots)
	var walk func(item map[string]any, depth int) (rows []string)
	walk = func(item map[string]any, depth int) (rows []string) {
		var out []struct{ To map[string]any }
		var in []struct{ From map[string]any }
		s.c.call("callHierarchy/outgoingCalls", map[string]any{"item": item}, &out)
		s.c.call("callHierarchy/incomingCalls", map[string]any{"item": item}, &in)
		looks := map[string]bool{}
		for i, o := range out {
			if i >= len(in) || in[i].From["name"] != o.To["name"] {
				s.t.Errorf("the sides differ: %v, %v", out, in)
			}
			look := o.To["name"].(string) + " | " + o.To["detail"].(string)
			if looks[look] || !strings.Contains(look, ":") {
				s.t.Errorf("two rows are alike, or one has no line: %q", look)
			}
			looks[look] = true
			rows = append(append(rows, strings.Repeat("  ", depth)+look), walk(o.To, depth+1)...)
		}
		return rows
	}
	var rows []string
	for _, r := range roots {
		rows = append(append(rows, r["name"].(string)), walk(r, 1)...)
	}
	return strings.Join(rows, "\n")
}

// calls are the rows of the call hierarchy of what stands at a place: what it may call and what may
// call it, and below each method of a library those rows that are of the workspace. Behind a row
// stands where its calls are.
func (s *scenario) calls(uri, file, at string) string {
	s.t.Helper()
	var roots []map[string]any
	s.c.call("textDocument/prepareCallHierarchy", map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": s.position(file, at)}, &roots)
	var rows []string
	for _, r := range roots {
		rows = append(append(rows, rowText(r), "  calls"), s.callRows(r, "outgoing", "to", false)...)
		rows = append(append(rows, "  is called by"), s.callRows(r, "incoming", "from", false)...)
	}
	return strings.Join(rows, "\n")
}

// callRows are the rows on one side of an item.
func (s *scenario) callRows(item map[string]any, side, end string, own bool) (rows []string) {
	s.t.Helper()
	var list []map[string]any
	s.c.call("callHierarchy/"+side+"Calls", map[string]any{"item": item}, &list)
	looks := map[string]bool{}
	for _, call := range list {
		to := call[end].(map[string]any)
		row := rowText(to)
		if looks[row] {
			s.t.Errorf("two rows are alike: %q", row)
		}
		looks[row] = true
		library := to["uri"] == item["uri"] && !strings.Contains(to["detail"].(string), "example")
		if library && own {
			continue
		}
		for _, r := range call["fromRanges"].([]any) {
			start := r.(map[string]any)["start"].(map[string]any)
			row += fmt.Sprintf(" @%v:%v", start["line"].(float64)+1, start["character"].(float64)+1)
		}
		indent := "    "
		if own {
			indent = "        "
		}
		rows = append(rows, indent+row)
		if library {
			rows = append(rows, s.callRows(to, side, end, true)...)
		}
	}
	return rows
}

func rowText(item map[string]any) string {
	return item["name"].(string) + " | " + item["detail"].(string)
}
