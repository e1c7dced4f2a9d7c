package lsp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/session"
)

// This file stretches catches in their sources (paper 001, 3.4): the one edit that the
// server makes. It is made only while the tests that allow it are current, only if the
// compiler takes it, and only when the user has seen the change and the evidence.

// stretchKind is the kind of the action.
const stretchKind = "refactor.rewrite"

// confirmStretch is the answer that lets the change be made.
const confirmStretch = "Change the catch"

type textEdit struct {
	Range        rangeJSON `json:"range"`
	NewText      string    `json:"newText"`
	AnnotationID string    `json:"annotationId,omitempty"`
}

// changeAnnotation is the protocol's: it says of edits what they are for, and has the user confirm
// them.
type changeAnnotation struct {
	Label             string `json:"label"`
	NeedsConfirmation bool   `json:"needsConfirmation"`
	Description       string `json:"description,omitempty"`
}

type versionedDocument struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"`
}

type documentEdit struct {
	TextDocument versionedDocument `json:"textDocument"`
	Edits        []textEdit        `json:"edits"`
}

type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`

	ChangeAnnotations map[string]changeAnnotation `json:"changeAnnotations,omitempty"`
}

// stretched is what the command answers (docs/reference/commands.md).
type stretched struct {
	Applied  bool   `json:"applied"`
	Evidence string `json:"evidence"`
}

// stretch carries out the command.
func (s *Server) stretch(ctx context.Context, ses session.API, id string) (any, error) {
	v := s.view()
	if v.Snap == nil || v.Snap.ByID[id] == nil {
		return nil, fmt.Errorf("the catch %s is not known any more: save the file and try again", id)
	}
	c := v.Snap.ByID[id]
	d, at := s.clause(c)
	still := func() error {
		if now := s.docs.get(d.uri); now != nil && now.version != d.version {
			return errors.New("the text has changed meanwhile: try again")
		}
		return nil
	}
	if d == nil {
		path := filepath.Join(v.Snap.Workspace.Root, filepath.FromSlash(c.File.Path))
		d, at = newDocument(pathURI(path), -1, c.File.Text), c.Source
		opened := still
		still = func() error {
			return cmp.Or(opened(), unchanged(path, encodingOf(v.Snap, c.File), c.File.Text))
		}
		if err := still(); err != nil {
			return nil, err
		}
	}
	if at == nil {
		return nil, errors.New("the catch does not stand in the editor's text any more")
	}
	view, _ := s.viewOf(d)
	e, err := codelens.Stretch(view, c, d.source, d.text, at)
	if err != nil {
		return nil, fmt.Errorf("the catch stays as it is: %w", err)
	}
	if err := ses.Compiles(ctx, c.File.Path, e.Apply(d.text)); err != nil {
		return nil, fmt.Errorf("the catch stays as it is: %w", err)
	}
	applied, err := s.confirmAndApply(ctx, d, e, still)
	if err != nil {
		return nil, err
	}
	return must(stretched{Applied: applied, Evidence: e.Evidence}), nil
}

// unchanged tells whether a file still has the text that was analysed. Where it has not,
// positions in that text mean nothing in the file.
func unchanged(path, encoding string, text []byte) error {
	data, err := bounded.Read(path, bounded.Source)
	if err != nil {
		return err
	}
	now, err := javasource.DecodeSource(data, encoding)
	if err != nil || !bytes.Equal(now, text) {
		return fmt.Errorf("%s has changed since it was analysed: try again when that is done", filepath.Base(path))
	}
	return nil
}

// encodingOf is the encoding of a file's module; "" if none is said.
func encodingOf(snap *snapshot.Snapshot, f *snapshot.File) string {
	for _, m := range snap.Workspace.Modules {
		if m.Name == f.Module {
			return m.Encoding
		}
	}
	return ""
}

// clause finds an open document and its clause of a catch.
func (s *Server) clause(c *snapshot.Catch) (*document, *javasource.Catch) {
	for _, d := range s.docs.all() {
		if _, p := s.viewOf(d); p != nil && p.file == c.File {
			return d, p.at[c]
		}
	}
	return nil, nil
}

// stretchAnnotation names the annotation of the edit.
const stretchAnnotation = "stretch"

// confirmAndApply shows the user the change and has the client make it, as one edit: a client that
// knows edits to be confirmed shows them with the evidence before it makes them, of another one the
// server asks, with the lines that change. still tells whether the text is what it was before the
// question.
func (s *Server) confirmAndApply(ctx context.Context, d *document, e codelens.StretchEdit,
	still func() error) (bool, error) {
	edit := textEdit{Range: s.rangeJSON(d.source, d.text, e.Start, e.End), NewText: e.Text}
	var w workspaceEdit
	version := &d.version
	if d.version < 0 {
		version = nil
	}
	if s.caps.documentChanges && s.caps.confirmsEdits {
		edit.AnnotationID = stretchAnnotation
		w.ChangeAnnotations = map[string]changeAnnotation{stretchAnnotation: {Label: e.Title, NeedsConfirmation: true,
			Description: codelens.Message(e.Evidence)}}
	} else {
		place := fmt.Sprintf("%s:%d", filepath.Base(d.path), d.source.Line(e.Start))
		question := codelens.Message(place+": "+e.Title+"? "+e.Evidence) + "\n" + e.Diff(d.text)
		if ok, err := s.ask(ctx, question); err != nil || !ok {
			return false, err
		}
		if err := still(); err != nil {
			return false, err
		}
	}
	if s.caps.documentChanges {
		w.DocumentChanges = []documentEdit{{versionedDocument{d.uri, version}, []textEdit{edit}}}
	} else {
		w.Changes = map[string][]textEdit{d.uri: {edit}}
	}
	var answer struct {
		Applied       bool   `json:"applied"`
		FailureReason string `json:"failureReason"`
	}
	if err := s.call(ctx, "workspace/applyEdit", map[string]any{"label": e.Title, "edit": w}, &answer); err != nil {
		return false, fmt.Errorf("the editor did not make the change: %w", err)
	}
	if !answer.Applied && answer.FailureReason != "" {
		return false, fmt.Errorf("the editor did not make the change: %s", answer.FailureReason)
	}
	return answer.Applied, nil
}

// ask asks the user a question, lines of what Message gives. A client that cannot ask has not
// agreed.
func (s *Server) ask(ctx context.Context, question string) (bool, error) {
	var answer *struct {
		Title string `json:"title"`
	}
	err := s.call(ctx, "window/showMessageRequest", map[string]any{
		"type": 3, "message": question,
		"actions": []map[string]string{{"title": confirmStretch}, {"title": "Leave it"}},
	}, &answer)
	if err != nil {
		return false, fmt.Errorf("the editor cannot ask for a confirmation: %w", err)
	}
	return answer != nil && answer.Title == confirmStretch, nil
}
