// Package lsp is the language server: it keeps the open documents, answers
// requests from the session's present state, and tells the client what changed.
//
// Requests never wait for an analysis or a run: each takes the newest snapshot
// and results that there are (session.API.View) and answers from memory.
// Messages are handled in the order of arrival until a request has taken its
// document; from there on requests run concurrently (codec.go). What changes in
// the background is announced by coalesced refreshes (refresh.go).
//
// Nothing but this package knows the protocol (LSP 3.18).
package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/jdksource"
	"github.com/catchlens/catchlens/internal/defect"
	"github.com/catchlens/catchlens/session"
)

// OpenFunc opens the session of the folders that a client names.
type OpenFunc func(folders []string, opt session.Options) (session.API, error)

// Server serves one client.
type Server struct {
	opt Options
	log *slog.Logger

	conn jsonrpc2.Conn
	docs documents
	enc  encoding
	caps clientCapabilities
	// answerWithin is longestAnswer but in tests.
	answerWithin time.Duration

	lifetime

	mu       sync.Mutex
	folders  []string
	settings settings
	ses      session.API
	detach   func() // ends the subscription to ses
	// last is what the session before ses showed; it stands until ses has a
	// snapshot of its own.
	last codelens.View

	tokens tokens // of what runs with progress

	opening sync.Mutex   // held by the one who opens or closes a session
	setting sync.Mutex   // held by the one who gives a session its settings
	state   atomic.Int32 // of lifecycle
	left    atomic.Bool  // the client has said exit
	refresh *refresher
	told    session.Status // what the client was told last; of refresh's goroutine

	shown scratchFolder
	diags published
	// tree is the class of the last tree that a client asked for which is told of changes; "":
	// none. Its chains are kept while its file is closed. It is mu's.
	tree string
}

// lifetime is what everything that the server starts has in common.
type lifetime struct {
	stop    context.CancelFunc // ends it
	life    context.Context
	work    sync.WaitGroup
	guard   *defect.Guard
	sources *jdksource.Sources // of the JDK
}

// States of the life cycle (LSP, "Server lifecycle").
const (
	created int32 = iota
	running
	shutDown
)

// clientCapabilities are the few that the server asks for.
type clientCapabilities struct {
	lensRefresh, progress, showDocument, watchFiles, markdown bool
	configuration, inlayRefresh                               bool
	relatedInformation, codeDescription                       bool
	documentChanges                                           bool
	confirmsEdits                                             bool // shows edits to be confirmed
	status                                                    bool // catchlens/status
	commandLinks                                              bool // in hovers
	catches                                                   bool // methodCatchesChanged
	coverage                                                  bool // methodCoverageChanged
	tests                                                     bool // methodTestsChanged
	callChains                                                bool // methodCallChainsChanged
}

// settings are what a client configures (docs/reference/settings.md).
type settings struct {
	Trusted     *bool    `json:"trusted"`
	CallGraph   string   `json:"callGraph"`
	Exceptions  string   `json:"exceptions"`
	Sites       []string `json:"sites"`
	EntryPoints string   `json:"entryPoints"`
	Workers     int      `json:"workers"`
	Isolation   string   `json:"isolation"`
	FineGrain   int      `json:"fineGrain"`
	Reading     string   `json:"reading"`
	Faults      string   `json:"faults"`
	Continuous  bool     `json:"continuous"` // catches that an edit touches are judged again
	Lens        *bool    `json:"lens"`
	LensInTests bool     `json:"lensInTests"`
	Chains      bool     `json:"chains"` // lenses above methods, too
	InlayHints  bool     `json:"inlayHints"`
	Hints       *bool    `json:"hints"`
	MoreHints   []string `json:"moreHints"`
	Words       string   `json:"words"`
	CacheDir    string   `json:"cacheDir"`
}

// run is how runs are made.
func (s settings) run() session.Scope {
	return session.Scope{Isolation: s.Isolation, FineGrain: s.FineGrain, Faults: s.faults()}
}

// inBackground is how runs in the background are made; nil: there are none.
func (s settings) inBackground() *session.Scope {
	if !s.Continuous {
		return nil
	}
	how := s.run()
	return &how
}

// faults is the engine that runs make faults happen with; as on the command line it is
// the one in the JVM, unless another is named.
func (s settings) faults() string { return cmp.Or(s.Faults, "jvm") }

func (s settings) hints() bool { return s.Hints == nil || *s.Hints }

func (s settings) lens() bool { return s.Lens == nil || *s.Lens }

// Options of a server.
type Options struct {
	Version string
	DocsURL string // where the documentation is; "" leaves links out
	Log     *slog.Logger
	Open    OpenFunc
	// Sources is the folder for sources of the JDK, which links lead to, given the setting
	// cacheDir; nil, and "", leave these out.
	Sources func(cacheDir string) string
}

// New makes a server that is not connected yet.
func New(o Options) *Server {
	s := &Server{
		opt: o, log: o.Log, docs: documents{m: map[string]*document{}}, answerWithin: longestAnswer,
		lifetime: lifetime{sources: jdksource.New("")},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.life, s.stop = context.WithCancel(context.Background())
	s.guard = defect.New(s.log, func(m string) { s.showMessage(s.life, 1, "catchlens: "+m) })
	s.refresh = newRefresher(s.life, func(e session.Event) {
		s.guard.Run("announcing what has changed", func() { s.announce(e) })
	})
	return s
}

// Serve talks to a client until it leaves, and returns nil if it left in the
// order that the protocol asks for: shutdown, then exit.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	from, to := io.Pipe()
	answers := &lockedWriter{out: out}
	go func() { // a read of standard input cannot be interrupted; one of the pipe can
		to.CloseWithError(passFrames(to, in, answers))
		s.stop() // the client is gone: nobody waits for what runs
	}()
	s.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(stream{from, answers, []io.Closer{from, out, in}}),
		jsonrpc2.WithCodec(codec{}), jsonrpc2.WithPreempter(shutdown{s}))
	s.conn.Go(ctx, s.chain())
	select {
	case <-s.conn.Done():
	case <-ctx.Done():
	case <-s.life.Done():
	}
	s.stop() // ends what runs: the connection waits for its answers
	if ctx.Err() != nil || s.left.Load() {
		from.Close() // wakes the reader
		s.conn.Close()
	}
	<-s.conn.Done() // handlers that run end first
	s.closeSession()
	s.work.Wait()
	s.mu.Lock()
	dir := s.shown.dir
	s.mu.Unlock()
	if dir != nil {
		dir.Remove()
	}
	if s.state.Load() == shutDown {
		return nil
	}
	if err := s.conn.Err(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("connection to the editor: %w", err)
	}
	return errors.New("the editor left without saying so")
}

// frozen is what a request sees: the document as of its arrival.
type frozen struct{}

// freeze takes the document that a request names before later edits are read.
func (s *Server) freeze(ctx context.Context, req *jsonrpc2.Request) context.Context {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	if json.Unmarshal(req.Params(), &p) != nil || p.TextDocument.URI == "" {
		return ctx
	}
	return context.WithValue(ctx, frozen{}, s.docs.get(p.TextDocument.URI))
}

// document is the one that freeze took; nil if it is not open.
func (s *Server) document(ctx context.Context) *document {
	d, _ := ctx.Value(frozen{}).(*document)
	return d
}

// shutdown answers the request of that name where it is read, and thereby before exit, which a
// client may send without waiting: the connection writes nothing after that.
type shutdown struct{ s *Server }

func (p shutdown) Preempt(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if req.Method() != "shutdown" || !req.IsCall() {
		return nil, jsonrpc2.ErrNotHandled
	}
	if _, err := p.s.dispatch(ctx, req); err != nil {
		return nil, err
	}
	return json.RawMessage("null"), nil
}

// dispatch routes one message. File names of this package follow the methods.
func (s *Server) dispatch(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	method := req.Method()
	switch state := s.state.Load(); {
	case method == "exit":
		s.left.Store(true)
		s.stop()
		return nil, nil
	case state == created && method != "initialize":
		if !req.IsCall() {
			return nil, nil
		}
		return nil, jsonrpc2.NewError(-32002, "the server is not initialized")
	case state == shutDown:
		return nil, fmt.Errorf("%w: the server is shut down", jsonrpc2.ErrInvalidRequest)
	}
	switch method {
	case "initialize":
		return s.initialize(req)
	case "initialized":
		return nil, s.initialized()
	case "shutdown":
		s.state.Store(shutDown)
		s.tokens.cancelAll()
		return nil, nil
	case "textDocument/didOpen":
		return nil, s.didOpen(req)
	case "textDocument/didChange":
		return nil, s.didChange(req)
	case "textDocument/didClose":
		return nil, s.didClose(req)
	case "textDocument/didSave":
		return nil, s.didSave(req)
	case "textDocument/codeLens":
		return s.codeLens(ctx)
	case "textDocument/hover":
		return s.hover(ctx, req)
	case "textDocument/inlayHint":
		return s.inlayHint(ctx, req)
	case "textDocument/codeAction":
		return s.codeAction(ctx, req)
	case "textDocument/prepareCallHierarchy":
		return s.prepareCallHierarchy(ctx, req)
	case "callHierarchy/outgoingCalls":
		return s.outgoingCalls(req)
	case "callHierarchy/incomingCalls":
		return s.incomingCalls(req)
	case "workspace/executeCommand":
		return s.executeCommand(ctx, req)
	case methodCatches:
		return protocol.LSPAny(must(s.catches())), nil
	case methodCallChains:
		return s.callChains(req)
	case methodCoverage:
		return s.coverage(ctx, req)
	case methodCoverageFiles:
		return protocol.LSPAny(must(s.coverageFiles())), nil
	case methodTests:
		return protocol.LSPAny(must(s.tests())), nil
	case "workspace/didChangeConfiguration":
		return nil, s.didChangeConfiguration(req)
	case "workspace/didChangeWatchedFiles":
		return nil, s.didChangeWatchedFiles(req)
	case "workspace/didChangeWorkspaceFolders":
		return nil, s.didChangeWorkspaceFolders(req)
	case "window/workDoneProgress/cancel":
		return nil, s.cancelProgress(req)
	}
	if !req.IsCall() {
		return nil, nil // notifications that the server has no use for
	}
	return nil, fmt.Errorf("%w: %s", jsonrpc2.ErrMethodNotFound, method)
}

// session is the present session, nil before initialized.
func (s *Server) session() session.API {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ses
}

// present is what the present session shows, with Snap nil if that is nothing,
// and whether there is a session.
func (s *Server) present() (v codelens.View, ses bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ses == nil {
		return codelens.View{}, false
	}
	v = s.ses.View()
	v.MoreHints, v.Words = s.settings.MoreHints, s.settings.Words
	return v, true
}

// view is the present state. Until a session that took another's place has
// analysed its folders, it is what the other showed, marked as outdated. Snap is
// nil if there is nothing to show.
func (s *Server) view() codelens.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ses != nil {
		if v := s.ses.View(); v.Snap != nil {
			s.last = codelens.View{} // nobody needs it any more
			v.MoreHints, v.Words = s.settings.MoreHints, s.settings.Words
			return v
		}
	}
	return s.last
}

// viewOf is the present state as it applies to a document: what is edited in it
// is marked. The placement is nil if the document is not part of the snapshot.
func (s *Server) viewOf(d *document) (codelens.View, *placement) {
	return s.placed(s.view(), d)
}

// placed is viewOf for a view that was taken before.
func (s *Server) placed(v codelens.View, d *document) (codelens.View, *placement) {
	if d == nil || v.Outdated && !s.opened(d.path) {
		return v, nil
	}
	p := d.placed(v.Snap)
	if p != nil {
		v.Edited = p.edited
	}
	return v, p
}

func (s *Server) closeSession() {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.dropSession()
}

// opened tells whether a path is in one of the folders that are open.
func (s *Server) opened(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.folders, func(f string) bool {
		rel, err := filepath.Rel(f, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// dropSession closes the present session and keeps what it showed; opening is
// held.
func (s *Server) dropSession() {
	s.mu.Lock()
	ses, detach := s.ses, s.detach
	if ses != nil {
		if v := ses.View(); v.Snap != nil {
			s.last = v
			s.last.Outdated = true
		}
	}
	s.ses, s.detach = nil, nil
	s.mu.Unlock()
	if ses == nil {
		return
	}
	s.refresh.changed(foldersChanged) // what is left of it is marked
	detach()
	if err := ses.Close(); err != nil {
		s.log.Error("closing the session", "error", err)
	}
}

// openSession opens the session of the present folders, in the place of one that
// there is, and analyses it in the background.
func (s *Server) openSession() error {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.dropSession()
	s.mu.Lock()
	folders, set := slices.Clone(s.folders), s.settings
	s.mu.Unlock()
	if len(folders) == 0 || s.life.Err() != nil {
		s.showNothing()
		return nil
	}
	if s.opt.Sources != nil {
		s.sources.Use(s.opt.Sources(set.CacheDir))
	}
	ses, err := s.opt.Open(folders, session.Options{
		CacheDir: set.CacheDir, Settings: set.analysis(), Trusted: set.Trusted != nil && *set.Trusted,
		Version: s.opt.Version, Workers: set.Workers, Log: s.log, Poll: !s.caps.watchFiles,
		Guard: s.guard,
	})
	if err != nil {
		s.showNothing()
		return err
	}
	err = ses.SetReading(set.Reading)
	ses.JudgeAfterEdits(set.inBackground())
	detach := ses.Subscribe(func(e session.Event) { s.refresh.changed(e) })
	s.mu.Lock()
	s.ses, s.detach = ses, detach
	changed := !reflect.DeepEqual(set, s.settings) // while it was opened
	s.mu.Unlock()
	if changed {
		err = errors.Join(err, s.configure())
	}
	s.background("Analysing exceptions", func(ctx context.Context, p session.Progress) error {
		return ses.Reload(ctx, p)
	})
	return err
}

func (s *Server) showNothing() {
	s.mu.Lock()
	s.last = codelens.View{}
	s.mu.Unlock()
	s.refresh.changed(session.SnapshotChanged)
}

// analysis are the settings that choose an analysis.
func (s settings) analysis() snapshot.Settings {
	return snapshot.Settings{CallGraph: s.CallGraph, Exceptions: s.Exceptions, Sites: s.Sites,
		EntryPoints: s.EntryPoints}
}

func folderPath(uri string) string {
	p := uriPath(uri)
	if p == "" {
		return ""
	}
	if abs, err := filepath.Abs(p); err == nil {
		return abs
	}
	return p
}

func must(v any) protocol.LSPAny {
	data, err := json.Marshal(v)
	if err != nil {
		return protocol.LSPAny("null")
	}
	return protocol.LSPAny(data)
}

func ptr[T any](v T) *T { return &v }

func clone(s string) string { return strings.Clone(s) }
