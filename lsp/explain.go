package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"catchlens/codelens"
	"catchlens/docs"
)

// This file shows the documentation, and links of hovers to that and to other commands.

// explained is the page that says what a lens means.
const explained = "reference/lenses.md"

// explain shows the page on lenses. The pages that it links to are beside it.
func (s *Server) explain(ctx context.Context) (any, error) {
	dir, err := s.scratch()
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(docs.Pages, ".", func(path string, d fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(path))
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		text, err := docs.Pages.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o600)
	})
	if err != nil {
		return nil, fmt.Errorf("writing the documentation: %w", err)
	}
	text, err := docs.Pages.ReadFile(explained)
	if err != nil {
		return nil, err
	}
	return s.show(ctx, explained, text, false)
}

// action is a link that runs a command, of the kind that the client said it can show; nil where it
// said nothing.
func (s *Server) action() codelens.Action {
	if !s.caps.commandLinks {
		return nil
	}
	return func(label, command string, args ...string) string {
		text, _ := json.Marshal(args)
		return fmt.Sprintf("[%s](command:%s?%s)", label, command, url.PathEscape(string(text)))
	}
}
