package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	rpc "github.com/sourcegraph/jsonrpc2"

	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

const fixture = `package p;

import java.io.*;

public class C {
    /** größe 漢字 𝄞: columns are not bytes. */
    public int read(File f) throws IOException {
        int n = 0; /* 𝄞 */ try { n = open(f).read(); } catch (FileNotFoundException e) { return -1; }
        try {
            check(n);
        } catch (IllegalStateException e) {
            n = 0;
        }
        return n;
    }

    InputStream open(File f) throws IOException { return new FileInputStream(f); }

    void check(int n) {
        if (n < 0) throw new IllegalStateException("n");
    }
}
`

// compiled makes a workspace with one compiled class.
func compiled(t testing.TB, src string) (root, file string) {
	t.Helper()
	root = t.TempDir()
	pkg, _, _ := strings.Cut(strings.TrimPrefix(src, "package "), ";")
	file = filepath.Join(root, "src", pkg, "C.java")
	os.MkdirAll(filepath.Dir(file), 0o755)
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(root, "classes"), file)
	return root, file
}

// client is an editor: it answers what the server asks and remembers what it
// is told.
type client struct {
	t    testing.TB
	conn *rpc.Conn
	done chan error

	mu      sync.Mutex
	told    map[string][]json.RawMessage         // notifications, by method
	asked   []string                             // requests of the server
	answers map[string]func(json.RawMessage) any // to them, by method; null to others
}

func (c *client) handle(_ context.Context, _ *rpc.Conn, r *rpc.Request) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var params json.RawMessage
	if r.Params != nil {
		params = *r.Params
	}
	if r.Notif {
		c.told[r.Method] = append(c.told[r.Method], params)
	} else {
		c.asked = append(c.asked, r.Method)
		if f := c.answers[r.Method]; f != nil {
			return f(params), nil
		}
	}
	return nil, nil
}

// connect starts a server and a client that talk over a pipe.
func connect(t testing.TB, capabilities string, folders ...string) *client {
	t.Helper()
	return connectTo(t, session.Open, capabilities, nil, folders...)
}

// connectTo is connect with a way of opening sessions and initialization options.
func connectTo[S session.API](t testing.TB, open func([]string, session.Options) (S, error), capabilities string,
	options map[string]any, folders ...string) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	cache := scratch.CacheDir(t)
	srv := New(Options{Version: "test", DocsURL: "https://docs.invalid/",
		Sources: func(dir string) string { return filepath.Join(cmp.Or(dir, cache), "jdk-sources") },
		Open: func(f []string, o session.Options) (session.API, error) {
			o.CacheDir = cache
			return open(f, o)
		}})
	c := &client{t: t, told: map[string][]json.RawMessage{}, done: make(chan error, 1)}
	go func() { c.done <- srv.Serve(context.Background(), theirs, theirs) }()
	c.conn = rpc.NewConn(context.Background(), rpc.NewBufferedStream(ours, rpc.VSCodeObjectCodec{}),
		rpc.HandlerWithError(c.handle))
	t.Cleanup(func() { c.conn.Close() })
	var fs []map[string]string
	for _, f := range folders {
		fs = append(fs, map[string]string{"uri": pathURI(f), "name": filepath.Base(f)})
	}
	var result struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	c.call("initialize", map[string]any{"processId": nil, "rootUri": nil, "trace": nil,
		"clientInfo":       map[string]any{"name": "test", "version": nil},
		"workspaceFolders": fs, "initializationOptions": options, "capabilities": json.RawMessage(capabilities)},
		&result)
	c.notify("initialized", map[string]any{})
	return c
}

// patience is how long a test waits for what is to come: the machine may have other work.
const patience = 2 * time.Minute

func (c *client) call(method string, params, result any) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.conn.Call(ctx, method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) open(file, text string) string {
	uri := pathURI(file)
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "java",
		"version": 1, "text": text}})
	return uri
}

type lens struct {
	Range   rangeJSON `json:"range"`
	Command struct {
		Title, Command string
		Arguments      []string
	} `json:"command"`
}

func (c *client) lenses(uri string) []lens {
	c.t.Helper()
	var out []lens
	c.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}}, &out)
	return out
}

// sizes are the numbers of failures in the JDK, which differ between its builds.
var sizes = regexp.MustCompile(`\b([2-9]|\d\d+) failures`)

// titles are the lenses as "line:character title", runs left out and the number
// of failures as N unless it is one.
func titles(ls []lens) []string {
	var out []string
	for _, l := range ls {
		if !strings.HasPrefix(l.Command.Title, "run") {
			out = append(out, fmt.Sprintf("%d:%d %s", l.Range.Start.Line, l.Range.Start.Character,
				sizes.ReplaceAllString(l.Command.Title, "N failures")))
		}
	}
	return out
}

// until waits for lenses that fit.
func (c *client) until(uri string, fit func([]lens) bool) []lens {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		ls := c.lenses(uri)
		if fit(ls) {
			return ls
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the lenses stay %v", titles(ls))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (c *client) quit() {
	c.t.Helper()
	c.call("shutdown", nil, nil)
	c.notify("exit", nil)
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Errorf("serve: %v", err)
		}
	case <-time.After(patience):
		c.t.Error("the server does not end")
	}
}

func some(ls []lens) bool { return len(ls) > 0 }

const plainCaps = `{"textDocument":{"hover":{"contentFormat":["markdown"]},"publishDiagnostics":{"relatedInformation":true}},"workspace":{"codeLens":{"refreshSupport":true}},"window":{"workDoneProgress":true}}`

func TestUTF8Positions(t *testing.T) {
	root, file := compiled(t, fixture)
	c := connect(t, `{"general":{"positionEncodings":["utf-8","utf-16"]}}`, root)
	uri := c.open(file, fixture)
	ls := c.until(uri, some)
	if got, want := int(ls[0].Range.Start.Character), strings.Index(strings.Split(fixture, "\n")[7],
		"catch"); got != want {
		t.Errorf("column %d, want %d bytes", got, want)
	}
	c.quit()
}

// Edits arrive in order, however many there are and whatever is asked between.
func TestEditsStayInOrder(t *testing.T) {
	c := connect(t, plainCaps)
	uri := c.open(filepath.Join(t.TempDir(), "A.java"), "class A { }\n")
	n := 2000
	for i := 0; i < n; i++ {
		c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": i + 2},
			"contentChanges": []any{map[string]any{"text": fmt.Sprintf("class A { int v%d; }\n", i)}}})
		if i%50 == 0 {
			go c.conn.Call(context.Background(), "textDocument/codeLens",
				map[string]any{"textDocument": map[string]any{"uri": uri}}, nil)
		}
	}
	c.lenses(uri)
	// The last edit is relative to all before it.
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": n + 2},
		"contentChanges": []any{
			map[string]any{"range": map[string]any{"start": map[string]int{"line": 0, "character": 10},
				"end": map[string]int{"line": 0, "character": 13}}, "text": "long"}}})
	c.lenses(uri)
	c.quit()
}

// What clients send in practice and in malice costs that message only.
func TestRubbish(t *testing.T) {
	root, file := compiled(t, fixture)
	c := connect(t, plainCaps, root)
	uri := c.open(file, fixture)
	c.until(uri, some)
	ctx := context.Background()
	for _, m := range []struct {
		method string
		params any
	}{
		{"no/such/request", map[string]any{}}, {"textDocument/hover", nil}, {"textDocument/hover", 17},
		{"textDocument/hover", map[string]any{"textDocument": nil}},
		{"textDocument/codeAction", []any{1}}, {"workspace/executeCommand", map[string]any{"command": "no.such"}},
		{"workspace/executeCommand", map[string]any{"command": "catchlens.runCatch",
			"arguments": []any{"no such catch"}}},
		{"workspace/executeCommand", map[string]any{"command": "catchlens.showChains", "arguments": []any{nil}}},
		{"workspace/executeCommand", map[string]any{"command": "catchlens.showMatrix",
			"arguments": []any{"no such catch"}}},
		{"workspace/executeCommand", map[string]any{"command": "catchlens.showMatrix",
			"arguments": []any{"file:///no/such", 3}}},
		{"workspace/executeCommand", map[string]any{"command": "catchlens.showMatrix", "arguments": []any{uri, "x"}}},
		{"workspace/executeCommand", map[string]any{"command": "catchlens.judgeInfeasible",
			"arguments": []any{"x", "y"}}},
		{"callHierarchy/outgoingCalls", map[string]any{"item": map[string]any{}}}, {"initialize", map[string]any{}},
	} {
		if err := c.conn.Call(ctx, m.method, m.params, nil); err == nil && m.params != nil &&
			m.method != "textDocument/hover" {
			t.Errorf("%s %v: no error", m.method, m.params)
		}
	}
	for _, m := range []struct {
		method string
		params any
	}{
		{"no/such/notification", nil}, {"$/setTrace", map[string]any{"value": nil}},
		{"textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "x:y", "version": 1}}},
		{"textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "file:///never/opened"}}},
		{"textDocument/didOpen", "rubbish"},
		{"workspace/didChangeConfiguration", map[string]any{"settings": nil}},
		{"workspace/didChangeConfiguration",
			map[string]any{"settings": map[string]any{"catchlens": map[string]any{"callGraph": "nonsense"}}}},
		{"workspace/didChangeWatchedFiles",
			map[string]any{"changes": []any{map[string]any{"uri": "not a uri\x00", "type": 9}}}},
		{"$/cancelRequest", map[string]any{"id": 424242}},
		{"window/workDoneProgress/cancel", map[string]any{"token": "nobody's"}},
		{"textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 2},
			"contentChanges": []any{
				map[string]any{"range": map[string]any{"start": map[string]int{"line": 9999, "character": 9999},
					"end": map[string]int{"line": 0, "character": 99999}}, "text": ""}}}},
	} {
		c.notify(m.method, m.params)
	}
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 3},
		"contentChanges": []any{map[string]any{"text": fixture}}})
	if got := titles(c.lenses(uri)); len(got) != 2 {
		t.Errorf("after the rubbish: %q", got)
	}
	c.quit()
}

// A client that goes away without a word ends the server.
func TestDisconnect(t *testing.T) {
	root, file := compiled(t, fixture)
	c := connect(t, plainCaps, root)
	c.open(file, fixture)
	c.conn.Close()
	select {
	case <-c.done:
	case <-time.After(patience):
		t.Fatal("the server does not end")
	}
}

// FuzzInput feeds bytes to a server; it must end when they do. It makes fewer than 1,000 executions
// a second: each starts a server and waits until all that it has started has ended.
func FuzzInput(f *testing.F) {
	frame := func(s string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(s), s) }
	init := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`) +
		frame(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	for _, s := range []string{
		"", "Content-Length: 5\r\n\r\n", "Content-Length: -1\r\n\r\n{}", "\x00\xff", frame("{}"), frame("[]"),
		frame("null"), init,
		init + frame(`{"jsonrpc":"2.0","id":2,"method":"textDocument/codeLens","params":{"textDocument":{"uri":"file:///a%zz"}}}`),
		init + frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///A.java","languageId":"java","version":1,"text":"class A { void m() { try { } catch (E e) {"}}}`) +
			frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///A.java","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":1}},"text":"\ud800"}]}}`) +
			frame(`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, w := io.Pipe()
		go func() { w.Write(data); w.Close() }()
		srv := New(Options{Version: "fuzz",
			Open: func([]string, session.Options) (session.API, error) { return nil, io.EOF }})
		done := make(chan struct{})
		go func() { srv.Serve(context.Background(), in, discard{}); close(done) }()
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatal("the server does not end")
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }
