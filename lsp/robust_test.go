package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	rpc "github.com/sourcegraph/jsonrpc2"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/chains"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/session"
)

// scripted is a session without a workspace whose runs last until they are
// cancelled.
type scripted struct {
	started chan struct{}
	ended   chan struct{} // a run ends that was not cancelled; nil: none does
	kept    atomic.Int32  // how often KeepChains was called
	stops   atomic.Int32  // how often StopJudging was called
	mu      sync.Mutex
	closed  int
	defect  string           // with which Reload panics; "": it does not
	how     []*session.Scope // of each call of Continue
}

func (s *scripted) View() codelens.View { return codelens.View{} }
func (s *scripted) Reload(context.Context, session.Progress) error {
	if s.defect != "" {
		panic(s.defect)
	}
	return nil
}
func (s *scripted) FilesChanged([]string)                          {}
func (s *scripted) SetTrusted(bool)                                {}
func (s *scripted) SetReading(string) error                        { return nil }
func (s *scripted) Pause(bool)                                     {}
func (s *scripted) Configure(snapshot.Settings) error              { return nil }
func (s *scripted) Judge(string, bool, string) error               { return nil }
func (s *scripted) Compiles(context.Context, string, []byte) error { return nil }
func (s *scripted) LocateTest(string) (string, int, bool)          { return "", 0, false }
func (s *scripted) Status() session.Status                         { return session.Status{} }
func (s *scripted) Subscribe(func(session.Event)) func()           { return func() {} }
func (s *scripted) Coverage() *session.Coverage                    { return nil }
func (s *scripted) Tests() []session.Test                          { return nil }

func (s *scripted) Cover(ctx context.Context, _ session.CoverScope,
	p session.Progress) (*coverage.Suite, session.Summary, error) {
	sum, err := s.Run(ctx, session.Scope{}, p)
	return nil, sum, err
}

func (s *scripted) Run(ctx context.Context, _ session.Scope, p session.Progress) (session.Summary, error) {
	p(10, "running")
	s.started <- struct{}{}
	select {
	case <-ctx.Done(): // a process that was stopped is taken for one that has failed
		return session.Summary{}, errors.New("the compiler has ended: signal: killed")
	case <-s.ended:
		return session.Summary{Tests: 3, Passed: 2, Failed: 1, Notes: []string{"a note"}}, nil
	}
}

func (s *scripted) Chains(string) (*chains.Component, bool) { return nil, false }
func (s *scripted) KnownChains(string) *chains.Component    { return nil }
func (s *scripted) KeepChains([]string, bool)               { s.kept.Add(1) }
func (s *scripted) RunChains(ctx context.Context, p session.Progress) (session.Summary, error) {
	return s.Run(ctx, session.Scope{}, p)
}

func (s *scripted) JudgeAfterEdits(how *session.Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.how = append(s.how, how)
}

func (s *scripted) StopJudging() { s.stops.Add(1) }

func (s *scripted) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
	return nil
}

// sessions opens scripted sessions and counts those that are open.
type sessions struct {
	ended        chan struct{} // of those that are opened
	answerWithin time.Duration // 0: as it is
	defect       string        // of those that are opened
	mu           sync.Mutex
	all          []*scripted
}

func (o *sessions) open([]string, session.Options) (session.API, error) {
	time.Sleep(5 * time.Millisecond)
	o.mu.Lock()
	defer o.mu.Unlock()
	s := &scripted{started: make(chan struct{}, 1), ended: o.ended, defect: o.defect}
	o.all = append(o.all, s)
	return s, nil
}

func (o *sessions) first() *scripted {
	for {
		o.mu.Lock()
		if len(o.all) > 0 {
			defer o.mu.Unlock()
			return o.all[0]
		}
		o.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
}

// attach connects a client to a server, over a pipe that the client closes.
func attach(t *testing.T, ctx context.Context, o *sessions, caps string) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	srv := New(Options{Version: "test", Open: o.open})
	srv.guard.Recovers = o.defect != ""
	if o.answerWithin > 0 {
		srv.answerWithin = o.answerWithin
	}
	c := &client{t: t, told: map[string][]json.RawMessage{}, done: make(chan error, 1)}
	go func() { c.done <- srv.Serve(ctx, theirs, theirs) }()
	c.conn = rpc.NewConn(context.Background(), rpc.NewBufferedStream(ours, rpc.VSCodeObjectCodec{}),
		rpc.HandlerWithError(c.handle))
	t.Cleanup(func() { c.conn.Close() })
	c.call("initialize", map[string]any{"rootUri": pathURI(t.TempDir()), "capabilities": json.RawMessage(caps)}, nil)
	c.notify("initialized", map[string]any{})
	return c
}

func (c *client) ends(what string) {
	c.t.Helper()
	select {
	case <-c.done:
	case <-time.After(patience):
		c.t.Fatalf("%s: the server does not end", what)
	}
}

var runAll = map[string]any{"command": "catchlens.runAll", "workDoneToken": "mine"}

// A client that goes away, exit and a signal end a server that runs a campaign.
func TestEndsWhileRunning(t *testing.T) {
	for what, end := range map[string]func(*client, context.CancelFunc){
		"disconnect": func(c *client, _ context.CancelFunc) { c.conn.Close() },
		"signal":     func(_ *client, cancel context.CancelFunc) { cancel() },
		"exit":       func(c *client, _ context.CancelFunc) { c.notify("exit", nil) },
	} {
		o := &sessions{}
		ctx, cancel := context.WithCancel(context.Background())
		c := attach(t, ctx, o, "{}")
		go c.conn.Call(context.Background(), "workspace/executeCommand", runAll, nil)
		<-o.first().started
		end(c, cancel)
		c.ends(what)
		cancel()
		if n := o.first().closed; n != 1 {
			t.Errorf("%s: the session was closed %d times", what, n)
		}
	}
}

// mute is an input that has nothing to say and cannot be interrupted, as the
// standard input of an editor that waits for the server to end.
type mute struct {
	io.Reader
	stay chan struct{}
}

func (m mute) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if err == io.EOF {
		<-m.stay
	}
	return n, err
}
func (mute) Close() error { return nil }

func TestEndsWithInputOpen(t *testing.T) {
	stay := make(chan struct{})
	defer close(stay)
	text := ""
	for _, m := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`} {
		text += fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	exit := "Content-Length: 33\r\n\r\n" + `{"jsonrpc":"2.0","method":"exit"}`
	for what, in := range map[string]string{"exit": text + exit, "signal": text} {
		ctx, cancel := context.WithCancel(context.Background())
		c := &client{t: t, done: make(chan error, 1)}
		go func() {
			c.done <- New(Options{Version: "test"}).Serve(ctx, mute{strings.NewReader(in), stay}, discard{})
		}()
		if what == "signal" {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
		c.ends(what)
		cancel()
	}
}

// $/cancelRequest and the progress's cancel end a run; both are answered with
// RequestCancelled, whatever the run says of its end. The client's own token is used as it is.
func TestCancelRun(t *testing.T) {
	for _, how := range []string{"$/cancelRequest", "window/workDoneProgress/cancel"} {
		o := &sessions{}
		c := attach(t, context.Background(), o, `{"window":{"workDoneProgress":true}}`)
		id := rpc.ID{Num: 77}
		answer := make(chan error, 1)
		go func() {
			answer <- c.conn.Call(context.Background(), "workspace/executeCommand", runAll, nil, rpc.PickID(id))
		}()
		<-o.first().started
		params := map[string]any{"id": 77}
		if how != "$/cancelRequest" {
			params = map[string]any{"token": "mine"}
		}
		c.notify(how, params)
		select {
		case err := <-answer:
			e, ok := err.(*rpc.Error)
			if !ok || e.Code != -32800 {
				t.Errorf("%s: answered with %v", how, err)
			}
		case <-time.After(patience):
			t.Fatalf("%s: no answer", how)
		}
		c.mu.Lock()
		var kinds []string
		for _, p := range c.told["$/progress"] {
			var v struct {
				Token any
				Value struct{ Kind string }
			}
			json.Unmarshal(p, &v)
			if v.Token == "mine" {
				kinds = append(kinds, v.Value.Kind)
			}
		}
		if n := len(kinds); n < 3 || kinds[0] != "begin" || kinds[n-1] != "end" {
			t.Errorf("%s: progress of the client's token: %q", how, kinds)
		}
		n := 0
		for _, m := range c.asked {
			if m == "window/workDoneProgress/create" {
				n++
			}
		}
		if n > 1 { // that of the first analysis
			t.Errorf("%s: the client was asked to create its own token", how)
		}
		c.mu.Unlock()
		c.quit()
	}
}

// A defect that an analysis in the background comes to is told in a sentence, its progress ends,
// and the server goes on.
func TestDefectInTheBackground(t *testing.T) {
	c := attach(t, context.Background(), &sessions{defect: "index out of range"},
		`{"window":{"workDoneProgress":true}}`)
	const want = "catchlens: Analysing exceptions failed because of a bug in catchlens (index out of range); " +
		"the log has the details, please report it"
	said, ended := "", false
	for end := time.Now().Add(10 * time.Second); (said == "" || !ended) && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
		c.mu.Lock()
		for _, p := range c.told["window/showMessage"] {
			var m struct{ Message string }
			json.Unmarshal(p, &m)
			said = m.Message
		}
		ended = slices.ContainsFunc(c.told["$/progress"],
			func(p json.RawMessage) bool { return strings.Contains(string(p), `"failed"`) })
		c.mu.Unlock()
	}
	if said != want || !ended {
		t.Errorf("progress ended: %v, said: %s", ended, said)
	}
	c.call("workspace/executeCommand", map[string]any{"command": "catchlens.status"}, nil)
	c.quit()
}

// Catches are judged again in the background while the setting says so, in the way of other runs.
func TestContinuousSetting(t *testing.T) {
	o := &sessions{}
	c := attach(t, context.Background(), o, "{}")
	for _, set := range []string{`{"continuous":true,"faults":"off","fineGrain":2}`, `{"hints":false}`} {
		c.notify("workspace/didChangeConfiguration",
			map[string]any{"settings": map[string]any{"catchlens": json.RawMessage(set)}})
	}
	c.quit()
	how := o.first().how
	if n := len(how); n < 3 || how[0] != nil || how[n-1] != nil || how[n-2] == nil ||
		how[n-2].Faults != "off" || how[n-2].FineGrain != 2 {
		t.Errorf("the session is told %+v", how)
	}
}

// Stop ends what runs in the background, too.
func TestStopEndsWhatNobodyAskedFor(t *testing.T) {
	o := &sessions{}
	c := attach(t, context.Background(), o, "{}")
	c.call("workspace/executeCommand", map[string]any{"command": commandCancel}, nil)
	if n := o.first().stops.Load(); n != 1 {
		t.Errorf("the session is told %d times", n)
	}
	c.quit()
}

// Folders that come and go quickly leave one session open, and none at the end.
func TestFoldersChangeQuickly(t *testing.T) {
	o := &sessions{}
	c := attach(t, context.Background(), o, "{}")
	for i := range 20 {
		dir := map[string]string{"uri": fmt.Sprintf("file:///x%d", i), "name": "x"}
		event := map[string]any{"added": []any{dir}, "removed": []any{}}
		if i%3 == 2 {
			event = map[string]any{"added": []any{},
				"removed": []any{map[string]string{"uri": fmt.Sprintf("file:///x%d", i-1), "name": "x"}}}
		}
		c.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": event})
	}
	c.quit()
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, s := range o.all {
		if s.closed != 1 {
			t.Errorf("session %d of %d was closed %d times", i, len(o.all), s.closed)
		}
	}
}

// Clients may send initialized without waiting for the answer to initialize.
func TestPipelinedHandshake(t *testing.T) {
	frame := func(s string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(s), s) }
	for range 20 {
		o := &sessions{}
		in, w := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- New(Options{Version: "test", Open: o.open}).Serve(context.Background(), in, discard{}) }()
		io.WriteString(w, frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":"file:///x","capabilities":{}}}`)+
			frame(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)+
			frame(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)+frame(`{"jsonrpc":"2.0","method":"exit"}`))
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if len(o.all) != 1 {
			t.Fatalf("%d sessions were opened", len(o.all))
		}
	}
}

// A file of the second folder, and one that is named through a symbolic link,
// have their lenses and diagnostics.
func TestSecondFolderAndSymbolicLink(t *testing.T) {
	_, first := compiled(t, fixture)
	src := strings.Replace(fixture, "check(n);", "int m = n;", 1) // the second catch still compiles: unchecked
	src = strings.Replace(src, "package p;", "package q;", 1)
	root, second := compiled(t, src)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip("no symbolic links here")
	}
	c := connect(t, plainCaps, filepath.Dir(filepath.Dir(filepath.Dir(first))), root)
	linked := filepath.Join(link, "src", "q", "C.java")
	uris := []string{c.open(second, src), c.open(linked, src)}
	for _, u := range uris {
		if ls := c.until(u, some); len(titles(ls)) != 2 {
			t.Errorf("%s: lenses %q", u, titles(ls))
		}
	}
	c.quit()
	for _, p := range c.told["textDocument/publishDiagnostics"] {
		var d struct{ URI string }
		json.Unmarshal(p, &d)
		if path := uriPath(d.URI); path != second && path != linked && path != first {
			t.Errorf("diagnostics were published for %s, which is no file of the workspace", d.URI)
		}
	}
}

// A setting that hides lenses tells the client to ask again.
func TestLensSettingRefreshes(t *testing.T) {
	o := &sessions{}
	c := attach(t, context.Background(), o, `{"workspace":{"codeLens":{"refreshSupport":true}}}`)
	c.notify("workspace/didChangeConfiguration",
		map[string]any{"settings": map[string]any{"catchlens": map[string]any{"lens": false}}})
	deadline := time.Now().Add(patience)
	for {
		c.mu.Lock()
		ok := slices.Contains(c.asked, "workspace/codeLens/refresh")
		c.mu.Unlock()
		if ok {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the client is not told to ask for lenses again")
		}
		time.Sleep(5 * time.Millisecond)
	}
	c.quit()
}

// A setting chooses between sentences and the terms of the papers, while the server runs.
func TestWordsSetting(t *testing.T) {
	root, file := compiled(t, fixture)
	c := connect(t, plainCaps, root)
	uri := c.open(file, fixture)
	c.until(uri, some)
	for words, want := range map[string]string{"paper": "e-c link", "plain": "failure"} {
		c.notify("workspace/didChangeConfiguration",
			map[string]any{"settings": map[string]any{"catchlens": map[string]any{"words": words}}})
		c.until(uri, func(ls []lens) bool {
			return len(titles(ls)) > 0 && !slices.ContainsFunc(titles(ls),
				func(title string) bool { return !strings.Contains(title, want) })
		})
	}
	c.quit()
}

// A client that asks for actions of a kind gets no other: what fixes on save
// must not run tests.
func TestActionKinds(t *testing.T) {
	root, file := compiled(t, fixture)
	c := connect(t, plainCaps, root)
	uri := c.open(file, fixture)
	c.until(uri, some)
	for only, want := range map[string]int{"source.fixAll": 0, "source.organizeImports": 0, "refactor": 0,
		"catchlens": 4, "quickfix": 0} {
		var got []struct{ Title, Kind string }
		c.call("textDocument/codeAction",
			map[string]any{"textDocument": map[string]any{"uri": uri},
				"context": map[string]any{"diagnostics": []any{}, "only": []string{only}},
				"range": map[string]any{"start": map[string]int{"line": 10, "character": 12},
					"end": map[string]int{"line": 10, "character": 12}}}, &got)
		if len(got) != want {
			t.Errorf("only %s: %v", only, got)
		}
	}
	c.quit()
}

// A client that gives no token of its own may not wait for long: Emacs cancels what is not answered
// within ten seconds. It gets an answer at once, the run goes on, and a message tells how it ended.
func TestRunGoesOnAfterAnswer(t *testing.T) {
	o := &sessions{ended: make(chan struct{}), answerWithin: 20 * time.Millisecond}
	c := attach(t, context.Background(), o, `{"window":{"workDoneProgress":true}}`)
	id := rpc.ID{Num: 78}
	if err := c.conn.Call(context.Background(), "workspace/executeCommand",
		map[string]any{"command": "catchlens.runAll"}, nil, rpc.PickID(id)); err != nil {
		t.Fatal(err)
	}
	c.notify("$/cancelRequest", map[string]any{"id": 78}) // of what has been answered
	<-o.first().started
	close(o.ended)
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		c.mu.Lock()
		said := slices.Clone(c.told["window/showMessage"])
		c.mu.Unlock()
		if len(said) > 0 {
			if text := string(said[0]); !strings.Contains(text, "3 tests (2 passed, 1 failed)") ||
				!strings.Contains(text, "a note") {
				t.Errorf("the message says %s", text)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatal("nobody says how the run ended")
		}
	}
}
