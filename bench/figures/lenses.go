package figures

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// This file measures lens requests while the server does something else.

type pipes struct {
	io.Reader
	io.WriteCloser
}

// latency asks for the lenses of a file over and over, while its first links are refined,
// before a campaign and while it runs, as an editor would.
func latency(out io.Writer) {
	root, err := filepath.Abs(*filedrop)
	if err != nil {
		log.Fatal(err)
	}
	cache, err := os.MkdirTemp("", "catchlens-bench-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(cache)
	cmd := exec.Command(*program, "lsp")
	in, _ := cmd.StdinPipe()
	answer, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	var activity atomic.Value // of the server, as it says
	conn := jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(pipes{answer, in}, jsonrpc2.VSCodeObjectCodec{}),
		jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
			if r.Method == "catchlens/status" {
				var status struct{ Activity string }
				must(json.Unmarshal(*r.Params, &status))
				activity.Store(status.Activity)
			}
			return nil, nil
		}))
	must(conn.Call(ctx, "initialize", map[string]any{"rootUri": "file://" + root, "capabilities": map[string]any{},
		"initializationOptions": map[string]any{"cacheDir": cache, "trusted": true, "statusNotifications": true}}, nil))
	must(conn.Notify(ctx, "initialized", map[string]any{}))
	uris := openSources(ctx, conn, filepath.Join(root, "src", "main"))
	ask := func(uri string) (time.Duration, int) {
		var lenses []json.RawMessage
		start := time.Now()
		must(conn.Call(ctx, "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}},
			&lenses))
		return time.Since(start), len(lenses)
	}
	for n := 0; n == 0; time.Sleep(50 * time.Millisecond) {
		for _, u := range uris {
			_, k := ask(u)
			n += k
		}
	}
	measure := func(until func() bool) []time.Duration {
		var times []time.Duration
		for i := 0; !until(); i++ {
			d, _ := ask(uris[i%len(uris)])
			times = append(times, d)
			time.Sleep(2 * time.Millisecond)
		}
		return times
	}
	refined := measure(func() bool { return activity.Load() == "" })
	idle := measure(func() bool { return countdown(&idleAsks) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		must(conn.Call(ctx, "workspace/executeCommand", map[string]any{"command": "catchlens.runAll"}, nil))
	}()
	busy := measure(func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	must(conn.Call(ctx, "shutdown", nil, nil))
	must(conn.Notify(ctx, "exit", nil))
	cmd.Wait()
	writeLatency(out, refined, idle, busy)
}

// openSources opens the Java files of a folder in a server, and returns their addresses.
func openSources(ctx context.Context, conn *jsonrpc2.Conn, folder string) (uris []string) {
	filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".java") {
			text, _ := os.ReadFile(path)
			uri := "file://" + path
			must(conn.Notify(ctx, "textDocument/didOpen",
				map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "java", "version": 1,
					"text": string(text)}}))
			uris = append(uris, uri)
		}
		return nil
	})
	return uris
}

// writeLatency writes the times of requests as a table.
func writeLatency(out io.Writer, refined, idle, busy []time.Duration) {
	fmt.Fprint(out, "\n| lens request | requests | median | p99 | most |\n|---|---|---|---|---|\n")
	for _, r := range []struct {
		name  string
		times []time.Duration
	}{{"while links are refined", refined}, {"idle", idle}, {"while a campaign runs", busy}} {
		sort.Slice(r.times, func(i, j int) bool { return r.times[i] < r.times[j] })
		at := func(p float64) float64 { return float64(r.times[int(p*float64(len(r.times)-1))].Microseconds()) / 1000 }
		fmt.Fprintf(out, "| %s | %d | %.2f ms | %.2f ms | %.2f ms |\n", r.name, len(r.times), at(0.5), at(0.99), at(1))
	}
}

// idleAsks is how many requests are measured before the campaign.
var idleAsks = 500

func countdown(n *int) bool {
	*n--
	return *n < 0
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
