package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/javasource"
)

// This file takes in what the client says of documents, files and settings. All
// of it runs in the order of arrival.

func (s *Server) didOpen(req *jsonrpc2.Request) error {
	p, err := params[protocol.DidOpenTextDocumentParams](req)
	if err != nil {
		return err
	}
	s.docs.put(newDocument(string(p.TextDocument.URI), p.TextDocument.Version, []byte(p.TextDocument.Text)))
	s.later(func(ctx context.Context) { s.publishOne(ctx, clone(string(p.TextDocument.URI))) })
	s.refresh.changed(documentChanged | documentOpened)
	return nil
}

func (s *Server) didChange(req *jsonrpc2.Request) error {
	p, err := params[protocol.DidChangeTextDocumentParams](req)
	if err != nil {
		return err
	}
	uri := string(p.TextDocument.URI)
	d := s.docs.get(uri)
	if d == nil {
		return fmt.Errorf("%s is not open", uri)
	}
	text, src := d.text, d.source
	for i, c := range p.ContentChanges {
		if i > 0 {
			src = javasource.Parse(text)
		}
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangePartial:
			text = s.enc.edit(d, text, src, &c.Range, c.Text)
		case *protocol.TextDocumentContentChangeWholeDocument:
			text = s.enc.edit(d, text, src, nil, c.Text)
		default:
			return fmt.Errorf("%s: a change of unknown form %T", uri, c)
		}
	}
	s.docs.put(newDocument(uri, p.TextDocument.Version, text))
	s.refresh.changed(documentChanged)
	return nil
}

func (s *Server) didClose(req *jsonrpc2.Request) error {
	p, err := params[protocol.DidCloseTextDocumentParams](req)
	if err != nil {
		return err
	}
	s.docs.remove(string(p.TextDocument.URI))
	s.refresh.changed(documentChanged | documentOpened)
	return nil
}

func (s *Server) didSave(req *jsonrpc2.Request) error {
	p, err := params[protocol.DidSaveTextDocumentParams](req)
	if err != nil {
		return err
	}
	if ses, path := s.session(), uriPath(string(p.TextDocument.URI)); ses != nil && path != "" {
		ses.FilesChanged([]string{path})
	}
	return nil
}

func (s *Server) didChangeWatchedFiles(req *jsonrpc2.Request) error {
	p, err := params[protocol.DidChangeWatchedFilesParams](req)
	if err != nil {
		return err
	}
	var paths []string
	for _, c := range p.Changes {
		if path := uriPath(string(c.URI)); path != "" {
			paths = append(paths, path)
		}
	}
	if ses := s.session(); ses != nil && len(paths) > 0 {
		ses.FilesChanged(paths)
	}
	return nil
}

func (s *Server) didChangeWorkspaceFolders(req *jsonrpc2.Request) error {
	p, err := params[protocol.DidChangeWorkspaceFoldersParams](req)
	if err != nil {
		return err
	}
	s.mu.Lock()
	before := slices.Clone(s.folders)
	for _, f := range p.Event.Removed {
		s.folders = slices.DeleteFunc(s.folders, func(have string) bool { return have == folderPath(string(f.URI)) })
	}
	for _, f := range p.Event.Added {
		if path := folderPath(string(f.URI)); path != "" && !slices.Contains(s.folders, path) {
			s.folders = append(s.folders, path)
		}
	}
	same := slices.Equal(before, s.folders)
	s.mu.Unlock()
	if same {
		return nil
	}
	s.later(func(ctx context.Context) {
		if err := s.openSession(); err != nil {
			s.showMessage(ctx, 1, "catchlens: "+err.Error())
		}
	})
	return nil
}

// didChangeConfiguration takes settings pushed under "catchlens", or asks for
// them if the client prefers to be asked.
func (s *Server) didChangeConfiguration(req *jsonrpc2.Request) error {
	var p struct {
		Settings struct {
			Catchlens *settings `json:"catchlens"`
		} `json:"settings"`
	}
	if err := json.Unmarshal(req.Params(), &p); err == nil && p.Settings.Catchlens != nil {
		return s.apply(*p.Settings.Catchlens)
	}
	if s.caps.configuration {
		s.later(func(ctx context.Context) {
			var got []settings
			var raw jsonrpc2.RawMessage
			err := s.call(ctx, "workspace/configuration",
				map[string]any{"items": []any{map[string]any{"section": "catchlens"}}}, &raw)
			if err == nil {
				err = json.Unmarshal(raw, &got)
			}
			if err == nil && len(got) == 1 {
				err = s.apply(got[0])
			}
			if err != nil {
				s.showMessage(ctx, 2, "catchlens settings: "+err.Error())
			}
		})
	}
	return nil
}

// apply makes settings those of the session. Trust that the client does not
// mention stays as it is.
func (s *Server) apply(set settings) error {
	s.mu.Lock()
	if set.Trusted == nil {
		set.Trusted = s.settings.Trusted
	}
	s.settings = set
	s.mu.Unlock()
	s.refresh.changed(settingsChanged)
	return s.configure()
}

// configure gives the present session the settings that there are now. One that is being opened
// gets them after that.
func (s *Server) configure() error {
	s.setting.Lock()
	defer s.setting.Unlock()
	s.mu.Lock()
	ses, set := s.ses, s.settings
	s.mu.Unlock()
	if ses == nil {
		return nil
	}
	if set.Trusted != nil {
		ses.SetTrusted(*set.Trusted)
	}
	ses.JudgeAfterEdits(set.inBackground())
	return errors.Join(ses.SetReading(set.Reading), ses.Configure(set.analysis()))
}
