package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/chaintext"
)

// This file is the handshake.

// initializeParams are the members of the protocol's InitializeParams that the
// server reads. They are decoded leniently: clients send null for most.
type initializeParams struct {
	Client           struct{ Name, Version string } `json:"clientInfo"`
	RootURI          string                         `json:"rootUri"`
	RootPath         string                         `json:"rootPath"`
	WorkspaceFolders []struct {
		URI string `json:"uri"`
	} `json:"workspaceFolders"`
	Options struct {
		settings
		// StatusNotifications: the client understands catchlens/status, which is
		// none of the protocol's.
		StatusNotifications bool `json:"statusNotifications"`
		// CommandLinks: in its hovers, links to command:NAME?ARGUMENTS run commands of the server.
		CommandLinks bool `json:"commandLinks"`
		// CatchNotifications: the client wants to be told when the list of catches has changed.
		CatchNotifications bool `json:"catchNotifications"`
		// CoverageNotifications: it wants to be told when what tests cover has changed.
		CoverageNotifications bool `json:"coverageNotifications"`
		// TestNotifications: it wants to be told when the tests have changed, or how they ended.
		TestNotifications bool `json:"testNotifications"`
		// CallChainNotifications: it wants to be told when trees of call chains have changed.
		CallChainNotifications bool `json:"callChainNotifications"`
	} `json:"initializationOptions"`
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		Workspace struct {
			Configuration bool `json:"configuration"`
			WorkspaceEdit struct {
				DocumentChanges         bool      `json:"documentChanges"`
				ChangeAnnotationSupport *struct{} `json:"changeAnnotationSupport"`
			} `json:"workspaceEdit"`
			CodeLens struct {
				RefreshSupport bool `json:"refreshSupport"`
			} `json:"codeLens"`
			InlayHint struct {
				RefreshSupport bool `json:"refreshSupport"`
			} `json:"inlayHint"`
			DidChangeWatchedFiles struct {
				DynamicRegistration bool `json:"dynamicRegistration"`
			} `json:"didChangeWatchedFiles"`
		} `json:"workspace"`
		Window struct {
			WorkDoneProgress bool `json:"workDoneProgress"`
			ShowDocument     struct {
				Support bool `json:"support"`
			} `json:"showDocument"`
		} `json:"window"`
		TextDocument struct {
			Hover struct {
				ContentFormat []string `json:"contentFormat"`
			} `json:"hover"`
			PublishDiagnostics struct {
				RelatedInformation     bool `json:"relatedInformation"`
				CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
			} `json:"publishDiagnostics"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

func (s *Server) initialize(req *jsonrpc2.Request) (any, error) {
	if !s.state.CompareAndSwap(created, running) {
		return nil, fmt.Errorf("%w: initialize was sent twice", jsonrpc2.ErrInvalidRequest)
	}
	var p initializeParams
	if raw := req.Params(); len(raw) > 0 {
		if err := json.Unmarshal(raw, &p); err != nil {
			s.log.Warn("initialize: some parameters were not understood", "error", err)
		}
	}
	s.log.Info("started", "version", s.opt.Version, "client", strings.TrimSpace(p.Client.Name+" "+p.Client.Version))
	c := p.Capabilities
	s.caps = clientCapabilities{
		lensRefresh: c.Workspace.CodeLens.RefreshSupport, progress: c.Window.WorkDoneProgress,
		showDocument: c.Window.ShowDocument.Support, watchFiles: c.Workspace.DidChangeWatchedFiles.DynamicRegistration,
		markdown:           slices.Contains(c.TextDocument.Hover.ContentFormat, "markdown"),
		configuration:      c.Workspace.Configuration,
		inlayRefresh:       c.Workspace.InlayHint.RefreshSupport,
		relatedInformation: c.TextDocument.PublishDiagnostics.RelatedInformation,
		codeDescription:    c.TextDocument.PublishDiagnostics.CodeDescriptionSupport,
		documentChanges:    c.Workspace.WorkspaceEdit.DocumentChanges,
		confirmsEdits:      c.Workspace.WorkspaceEdit.ChangeAnnotationSupport != nil,
		status:             p.Options.StatusNotifications,
		commandLinks:       p.Options.CommandLinks,
		catches:            p.Options.CatchNotifications,
		coverage:           p.Options.CoverageNotifications,
		tests:              p.Options.TestNotifications,
		callChains:         p.Options.CallChainNotifications,
	}
	encoding := protocol.PositionEncodingKind("utf-16")
	if slices.Contains(c.General.PositionEncodings, "utf-8") {
		s.enc, encoding = utf8Units, "utf-8"
	}
	s.mu.Lock()
	s.settings = p.Options.settings
	for _, f := range p.WorkspaceFolders {
		if path := folderPath(f.URI); path != "" {
			s.folders = append(s.folders, path)
		}
	}
	if len(s.folders) == 0 {
		if path := folderPath(p.RootURI); path != "" {
			s.folders = []string{path}
		} else if p.RootPath != "" {
			s.folders = []string{p.RootPath}
		}
	}
	s.mu.Unlock()
	if _, err := p.Options.analysis().Config(); err != nil {
		s.later(func(ctx context.Context) { s.showMessage(ctx, protocol.MessageType(2), err.Error()) })
	}
	return protocol.InitializeResult{
		ServerInfo:   protocol.ServerInfo{Name: "catchlens", Version: protocol.NewOptional(s.opt.Version)},
		Capabilities: serverCapabilities(encoding),
	}, nil
}

func serverCapabilities(encoding protocol.PositionEncodingKind) protocol.ServerCapabilities {
	return protocol.ServerCapabilities{
		PositionEncoding: encoding,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: ptr(true), Change: ptr(protocol.TextDocumentSyncKind(2)),
			Save: &protocol.SaveOptions{},
		},
		HoverProvider:    protocol.Boolean(true),
		CodeLensProvider: &protocol.CodeLensOptions{ResolveProvider: ptr(false)},
		CodeActionProvider: &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{actionKind,
			"quickfix", stretchKind}},
		CallHierarchyProvider: protocol.Boolean(true),
		InlayHintProvider:     protocol.Boolean(true),
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: []string{
			codelens.CommandRunCatch, codelens.CommandRunAll, codelens.CommandShowChains, codelens.CommandShowMatrix,
			codelens.CommandInfeasible, codelens.CommandExplain, codelens.CommandStretch, codelens.CommandWriteTest,
			chaintext.CommandShow, chaintext.CommandRun,
			commandCancel, commandPause, commandResume, commandReload, commandReport, commandStatus, commandTrust,
			commandCover,
		}},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: ptr(true), ChangeNotifications: protocol.Boolean(true),
		}},
	}
}

func (s *Server) initialized() error {
	if s.caps.watchFiles {
		s.later(s.watchFiles)
	}
	if err := s.openSession(); err != nil {
		s.later(func(ctx context.Context) { s.showMessage(ctx, protocol.MessageType(1), "catchlens: "+err.Error()) })
	}
	return nil
}

// watched are the files whose change asks for a new look.
var watched = []string{
	"**/*.java", "**/*.class", "**/*.jar", "**/pom.xml", "**/*.gradle", "**/*.gradle.kts", "**/gradle.properties",
	"**/gradle/*.versions.toml", "**/*gradle.lockfile", "**/gradle/dependency-locks/*.lockfile",
	"**/gradle/verification-metadata.xml",
	"**/gradle/wrapper/gradle-wrapper.properties", "**/.mvn/*", "**/.mvn/wrapper/maven-wrapper.properties",
	"**/.classpath", "**/*.iml", "**/build.xml", "**/catchlens.toml",
}

func (s *Server) watchFiles(ctx context.Context) {
	type watcher struct {
		GlobPattern string `json:"globPattern"`
	}
	var ws []watcher
	for _, g := range watched {
		ws = append(ws, watcher{g})
	}
	err := s.call(ctx, "client/registerCapability", map[string]any{"registrations": []any{map[string]any{
		"id": "catchlens-watch", "method": "workspace/didChangeWatchedFiles",
		"registerOptions": map[string]any{"watchers": ws},
	}}}, nil)
	if err != nil {
		s.log.Warn("the client does not watch files", "error", err)
	}
}

// call sends a request to the client with plain JSON parameters.
func (s *Server) call(ctx context.Context, method string, params, result any) error {
	_, err := s.conn.Call(ctx, method, jsonrpc2.RawMessage(must(params)), result)
	return err
}

// notify sends a notification with plain JSON parameters.
func (s *Server) notify(ctx context.Context, method string, params any) {
	if err := s.conn.Notify(ctx, method, jsonrpc2.RawMessage(must(params))); err != nil && s.life.Err() == nil {
		s.log.Debug("notification not sent", "method", method, "error", err)
	}
}

// later runs f off the reading goroutine, where calling the client is allowed.
func (s *Server) later(f func(ctx context.Context)) {
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		s.guard.Run("background work", func() { f(s.life) })
	}()
}

func (s *Server) showMessage(ctx context.Context, typ protocol.MessageType, text string) {
	s.notify(ctx, "window/showMessage", map[string]any{"type": uint32(typ), "message": codelens.Message(text)})
}
